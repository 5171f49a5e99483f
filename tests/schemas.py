"""The text of a schema file, for tests that need one and look at something else."""

import json

OPEN = {"lower": "FILL IN", "upper": "FILL IN"}
"""A numeric column whose bounds nobody knows."""


def schema_text(name, target, columns, **head):
    """The file: `target` names the column of the classes no and yes, or is a whole section, or a list of several.

    Of `columns`, (lower, upper) are the bounds of a number, a list is of categories, and a dictionary is a whole section.
    """
    target = {"column": target, "classes": ["no", "yes"]} if isinstance(target, str) else target
    targets = [("[target]", one) for one in target] if isinstance(target, list) else [("target", target)]
    sections = [*targets, *(_section(column, said) for column, said in columns.items())]
    lines = _lines({"format": "discreet-schema/1", "name": name, **head})
    return "\n".join([*lines, *(line for title, said in sections for line in (f"[{title}]", *_lines(said)))]) + "\n"


def _section(column, said):
    said = {"categories": said} if isinstance(said, list) else said if isinstance(said, dict) else dict(zip(("lower", "upper"), said, strict=True))
    kind = "categorical" if "categories" in said else "numeric"
    return f"{kind}.{column if column.isidentifier() else json.dumps(column)}", said


def _lines(said):
    return [f"{key} = {json.dumps(value)}" for key, value in said.items()]


def drawn_schema(draw):
    """A schema of the grammar of docs/schema.md, drawn by a generator of NumPy, and a function from a number to a table of so many rows."""
    columns, cells = {}, {}
    for number in range(draw.integers(1, 4)):
        columns[f"numeric.n{number}"], cells[f"n{number}"] = _number(draw)
    for number in range(draw.integers(0, 2)):
        columns[f"date.d{number}"], cells[f"d{number}"] = _date(draw)
    for number in range(draw.integers(0, 3)):
        columns[f"categorical.c{number}"], cells[f"c{number}"] = _labels(draw, "categories")
    plain = [name.partition(".")[2] for name, said in columns.items() if "encoding" not in said]
    if len(plain) > 1 and draw.random() < 0.3:
        columns["cross.both"] = {"columns": [str(one) for one in draw.choice(plain, 2, replace=False)]}
    head = {"rows": str(draw.choice(["bound", "normalise"])), "missing_values": ["?", "-9"]}
    if draw.random() < 0.4:
        columns["person"], cells["id"] = _persons(draw)
    elif draw.random() < 0.7:
        head["rows_per_person"] = 1
    targets = _targets(draw)
    for _, said, cell in targets:
        cells[said["column"]] = cell
    if draw.random() < 0.2:
        columns["file"] = {"ignore_case": bool(draw.random() < 0.5), "unreadable": "missing"}
    sections = [*((title, said) for title, said, _ in targets), *columns.items()]
    lines = _toml({"format": "discreet-schema/1", "name": "drawn", **head})
    lines += [line for title, said in sections for line in (f"[{title}]", *_toml(said))]
    return "\n".join(lines) + "\n", lambda count: {name: [cell() for _ in range(count)] for name, cell in cells.items()}


def _ruled(said, cell, draw, rules):
    """The section with some of these rules, and cells that need them."""
    kept = {name: rule for name, rule in rules.items() if draw.random() < 0.5}
    odd = [odd for name, (_, odds) in kept.items() for odd in odds]
    return said | {name: value for name, (value, _) in kept.items()}, lambda: str(draw.choice(odd)) if odd and draw.random() < 0.1 else cell()


def _number(draw, *, target=False):
    low, high = ((0, 120), (-1, 1), (0, 1e6), (1e-6, 1e-3), (-273.15, 40.5), (-5, -2), (0, 3))[draw.integers(7)]
    middle = (low + high) / 2
    said = {"lower": low, "upper": high}
    if not target:
        encodings = ["curve", "bins", "log", "linear", ["linear", "curve"], {"name": "bins", "cuts": [middle]}]
        encodings += [{"name": "curve", "knots": [low, middle, high]}, {"name": "curve", "count": 5, "steps": "equal", "values": [low]}]
        encodings += [{"name": "cyclic", "period": high - low}, {"name": "bins", "count": 4, "steps": "logarithmic", "resolutions": 2}]
        said |= {"encoding": encodings[draw.integers(len(encodings))]} if draw.random() < 0.6 else {}
        said |= {"scale": "symmetric"} if draw.random() < 0.2 and "encoding" not in said else {}
    whole = draw.random() < 0.3 and high - low >= 2 and float(low).is_integer()
    missing = middle if target or draw.random() < 0.5 else "indicator"
    rules = {"outside": ("clip", [high * 3 + 1, low - 7]), "missing": (missing, ["", "?", "-9" if not low <= -9 <= high else " "])}
    return _ruled(said, lambda: str(draw.integers(int(low), int(high) + 1)) if whole else repr(float(draw.uniform(low, high))), draw, rules)


def _date(draw):
    timed = draw.random() < 0.3
    said = {"lower": "2020-01-01T00:00:00" if timed else "2020-01-01", "upper": "2023-12-31T12:00:00" if timed else "2023-12-31"}
    said |= {"encoding": [["month", "weekday"], "curve", "month"][draw.integers(3)]} if draw.random() < 0.4 else {}
    missing = "2021-05-05T00:00:00" if timed else "2021-05-05"
    rules = {"outside": ("clip", ["1999-01-01", "2050-02-03"]), "missing": ("indicator" if draw.random() < 0.5 else missing, ["", "?"])}

    def cell():
        day = f"2021-{draw.integers(1, 13):02d}-{draw.integers(1, 29):02d}"
        return f"{day}T{draw.integers(24):02d}:30:00" if timed else day

    return _ruled(said, cell, draw, rules)


LABELS = [["a", "b"], ["a", "b c", "d,e", "+"], [False, True], [1, 2, 3], [-1, 1]]
LABELS += [[False, True, "unknown"], [1, 2, "none"], [1, True], [0, "=x", True, "Ä"]]


def _labels(draw, key):
    labels = LABELS[draw.integers(len(LABELS))]
    texts = [{True: "true", False: "false"}.get(one, one) if isinstance(one, bool) else str(one) for one in labels]
    rules = {
        "other": (labels[0], ["strange"]),
        "missing": (labels[-1], ["", "?"]),
        "aliases": ({"alias": labels[0]}, ["alias"]),
    }
    return _ruled({key: labels}, lambda: str(draw.choice(texts)), draw, rules)


def _persons(draw):
    said = {"column": "id", "rows": int(draw.integers(1, 6))} | ({"weight": "row"} if draw.random() < 0.3 else {})
    return said, lambda: f"p{draw.integers(40)}"


def _targets(draw):
    """(title, section, cell) of each; one or several."""
    kind = draw.choice(["classes", "classes", "ordered", "number", "counts", "times", "several"])
    if kind == "times":
        said = {"column": "y", "ends": [1, 3, 6.5]}
        return [("target", said, lambda: repr(float(draw.exponential(4.0))))]
    if kind == "several":
        made = [_number(draw, target=True) for _ in range(2)]
        return [("[target]", {"column": f"y{place}", **said}, cell) for place, (said, cell) in enumerate(made)]
    if kind == "counts":
        return [("target", {"column": "y", "lower": 0, "upper": 9, "counts": True}, lambda: str(draw.integers(10)))]
    said, cell = _number(draw, target=True) if kind == "number" else _labels(draw, "classes")
    return [("target", {"column": "y", **said} | ({"ordered": True} if kind == "ordered" and len(said["classes"]) > 2 else {}), cell)]


def _toml(said):
    return [f"{key} = {_value(value)}" for key, value in said.items()]


def _value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(_toml(value)) + " }"
    return f"[{', '.join(map(_value, value))}]" if isinstance(value, list) else json.dumps(value, ensure_ascii=False)
