"""The schema as it is typed into the page: texts in, a Schema or one sentence a mistake out.

Everything is a text here, as it stands in its field; an empty one is a field that was left out. A label that is a whole number, or true or false, is
meant as such, so that it is found in tables of numbers and of texts alike (see `discreet.data.labels`).

A form that began with a schema file has the text of that file as its `base`. What the form has no field for, and what still stands in its field as it
did, is taken from there: encodings, crosses, released bounds, labels of an unusual spelling. So a schema is never changed but where somebody typed.

A number whose bounds nobody knows is `open`: the schema is then a draft, from which `discreet bounds` makes one.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from discreet.core.errors import SchemaError
from discreet.data import CategoricalColumn, DateColumn, Dialect, NumberTarget, NumericColumn, PersonColumn, Schema, Target
from discreet.data.labels import Label, canonical
from discreet.data.toml_text import write_toml
from discreet.workbench.wire import Fields, Refused

MOST_COLUMNS = 5000
MOST_LABELS = 5000
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,15})")
_LONGEST_LIST = 100_000
_LONGEST_BASE = 4_000_000
KINDS = ("number", "date", "category", "ignore")

Column = NumericColumn | DateColumn | CategoricalColumn
Part = TypeVar("Part")


class Problem(NamedTuple):
    """A mistake, and the part of the form that it is in: "schema", "file", "persons", "target", or the name of a column."""

    where: str
    message: str


class Formed(NamedTuple):
    """The schema where there is no problem, or its draft where bounds are open."""

    schema: Schema | None
    problems: tuple[Problem, ...]
    draft: str = ""
    """As TOML."""
    open: tuple[str, ...] = ()
    """The columns whose bounds are to be chosen."""


@dataclass
class _Parts:
    """What was made of the form so far."""

    base: Schema | None
    problems: list[Problem] = field(default_factory=list)
    columns: list[Column] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def attempt(self, where: str, make: Callable[[], Part]) -> list[Part]:
        """A part of the schema, or none, and a note of what is wrong with it."""
        try:
            return [make()]
        except SchemaError as error:
            self.problems.append(Problem(where, str(error)))
            return []


def read_form(form: Fields) -> Formed:
    """The schema, or everything that is wrong with it. Raises Refused for what is no such form."""
    form.only("name", "rows", "missing_values", "persons", "target", "columns", "file", "base")
    found = _Parts(_base(form))
    base = found.base
    file = found.attempt("file", lambda: _dialect(form, base))
    persons = form.inner("persons").only("kind", "column", "rows", "weight")
    several = found.attempt("persons", lambda: _person_column(persons)) if _whose(persons, found.problems) == "several" else []
    target = form.inner("target").only("column", "kind", "classes", "other", "missing", "aliases", "ordered", "lower", "upper", "clip", "counts")
    chosen = found.attempt("target", lambda: _target(target, base))
    seen: set[str] = set()
    for column in form.items("columns", most=MOST_COLUMNS):
        name = column.only("name", "kind", "lower", "upper", "clip", "missing", "categories", "other", "aliases", "open").text("name")
        if name in seen:
            raise Refused(400, "The form names a column twice.")
        seen.add(name)
        kind = column.choice("kind", f"The kind of column {name!r}", KINDS)
        if kind == "number" and column.flag("open"):
            found.open.append(name)
        if kind != "ignore":
            found.columns += found.attempt(name, lambda one=column, kind=kind, name=name: _column(one, kind, _known(base, name)))  # type: ignore[misc]
    if found.problems:
        return Formed(None, tuple(found.problems), open=tuple(found.open))
    places = {} if base is None else {one.name: place for place, one in enumerate(_columns(base))}
    found.columns.sort(key=lambda one: places.get(one.name, len(places)))  # the order of the weights, where there was one before
    rows = form.choice("rows", "rows", ("normalise", "bound"))
    kept = {column.name for column in found.columns}
    try:
        schema = Schema(
            name=form.text("name"),
            target=chosen[0],
            numeric=_of(found.columns, NumericColumn),
            date=_of(found.columns, DateColumn),
            categorical=_of(found.columns, CategoricalColumn),
            cross=() if base is None else tuple(one for one in base.cross if set(one.columns) <= kept),
            rows="bound" if rows == "bound" else "normalise",
            missing_values=tuple(form.texts("missing_values", most=100)),
            file=file[0],
            person=several[0] if several else None,
            rows_per_person=1 if persons.text("kind") == "one" else None,
        )
    except SchemaError as error:
        return Formed(None, (Problem("schema", str(error)),), open=tuple(found.open))
    if found.open:
        return Formed(None, (), _draft(schema, found.open), tuple(found.open))
    return Formed(schema, ())


def required_schema(form: Fields) -> Schema:
    """The schema. Raises Refused, with the first mistake, where there is none."""
    formed = read_form(form)
    if formed.schema is None:
        said = formed.problems[0].message if formed.problems else "the bounds are still to be chosen privately."
        raise Refused(422, f"The description of the table is not complete: {said}", "describe")
    return formed.schema


def form_of(schema: Schema) -> dict[str, object]:
    """What the page shows for a schema that was written before; with its text as `base`, `read_form` makes the same schema of it."""
    target: dict[str, object]
    match schema.target:
        case Target() as classes:
            target = {"column": classes.column, "kind": "classes", "classes": [canonical(label) for label in classes.classes]}
            target |= _others_text(classes) | {"ordered": classes.ordered}
        case NumberTarget() as number:
            target = {"column": number.column, "kind": "number"} | _bounds_text(number) | {"counts": number.counts}
        case other:
            target = {"column": next(iter(other.columns)), "kind": "file"}
    columns = [{"name": one.name} | _column_text(one) for one in _columns(schema)]
    shown: dict[str, object] = {
        "name": schema.name,
        "rows": schema.rows,
        "missing_values": list(schema.missing_values),
        "persons": _persons_text(schema),
        "target": target,
        "columns": columns,
        "base": schema.to_toml(),
    }
    return shown if schema.file == Dialect() else shown | {"file": dialect_text(schema.file)}


def dialect_text(dialect: Dialect) -> dict[str, object]:
    """How files are written, as the fields have it."""
    return {
        "separator": "tab" if dialect.separator == "\t" else dialect.separator,
        "encoding": dialect.encoding,
        "decimal": dialect.decimal,
        "thousands": "blank" if dialect.thousands == " " else dialect.thousands,
        "dates": dialect.dates,
        "ignore_case": dialect.ignore_case,
        "unreadable": dialect.unreadable == "missing",
    }


def read_dialect(file: Fields) -> Dialect:
    """What the fields say; empty ones are the usual way. Raises SchemaError for what no table can be written in."""
    file.only("separator", "encoding", "decimal", "thousands", "dates", "ignore_case", "unreadable")
    given = {name: text for name in ("separator", "encoding", "decimal", "thousands", "dates") if (text := file.text(name, longest=40))}
    words = {"tab": "\t", "blank": " "}
    marks: dict[str, Any] = {name: words.get(text, text) if name in ("separator", "thousands") else text for name, text in given.items()}
    return Dialect(**marks, ignore_case=file.flag("ignore_case"), unreadable="missing" if file.flag("unreadable") else "refuse")


def _base(form: Fields) -> Schema | None:
    text = form.text("base", longest=_LONGEST_BASE)
    try:
        return Schema.from_toml(text) if text else None
    except SchemaError:
        refused = Refused(400, "base must be the text of a schema.")
    raise refused


def _dialect(form: Fields, base: Schema | None) -> Dialect:
    if "file" not in form.values:
        return Dialect() if base is None else base.file
    return read_dialect(form.inner("file"))


def _of(columns: list[Column], kind: type[Part]) -> tuple[Part, ...]:
    return tuple(one for one in columns if isinstance(one, kind))


def _known(base: Schema | None, name: str) -> Column | None:
    """The column of this name in the schema that the form began with."""
    return None if base is None else next((one for one in _columns(base) if one.name == name), None)


def _columns(schema: Schema) -> tuple[Column, ...]:
    return (*schema.numeric, *schema.date, *schema.categorical)


def _column(column: Fields, kind: str, old: Column | None) -> Column:
    name = column.text("name")
    shown = {} if old is None else _column_text(old)
    before = shown if shown.get("kind") == kind else {}
    typed: dict[str, Callable[[], Any]]
    if kind == "category":
        typed = {"categories": lambda: tuple(_labels(column, "categories"))} | _others(column)
        made: Any = CategoricalColumn
    elif kind == "date":
        typed = {one: lambda one=one: _filled(column.text(one), f"date column {name!r}: {_LIMITS[one]}") for one in ("lower", "upper")}  # type: ignore[misc]
        typed |= {"missing": lambda: column.text("missing") or None, "outside": lambda: "clip" if column.flag("clip") else None}
        made = DateColumn
    else:
        typed, made = _bounds(column, f"numeric column {name!r}"), NumericColumn
        if column.flag("open"):
            typed = {"lower": lambda: 0.0, "upper": lambda: 1.0, "outside": lambda: "clip"}
            before = {}
    values = {one: getattr(old, one) if before and _same(column, one, before) else read() for one, read in typed.items()}
    if not before:
        return made(name=name, **values)
    moved = isinstance(old, NumericColumn) and (values["lower"], values["upper"]) != (old.lower, old.upper)
    return replace(old, **values, **({"released": None} if moved else {}))  # type: ignore[type-var, return-value]


def _target(target: Fields, base: Schema | None) -> Any:  # noqa: ANN401 - one of three kinds
    """Classes, a number, or what the file says."""
    kind = target.choice("kind", "The kind of the target", ("classes", "number", "file"))
    column = target.text("column")
    old = None if base is None else base.target
    if kind == "file":
        if old is None or isinstance(old, Target | NumberTarget):
            raise Refused(400, "Choose a schema file, which states the target.")
        return old
    if not column:
        raise SchemaError("choose the column to predict.")
    if kind == "classes":
        same = isinstance(old, Target) and old.column == column
        before = {"classes": [canonical(one) for one in old.classes]} | _others_text(old) if isinstance(old, Target) and same else {}
        typed: dict[str, Callable[[], Any]] = {"classes": lambda: tuple(_labels(target, "classes"))} | _others(target)
        made: Any = Target
        further: dict[str, Any] = {"ordered": target.flag("ordered")}
    else:
        same = isinstance(old, NumberTarget) and old.column == column
        before = _bounds_text(old) if isinstance(old, NumberTarget) and same else {}
        typed, made, further = _bounds(target, f"target column {column!r}"), NumberTarget, {"counts": target.flag("counts")}
    values = {one: getattr(old, one) if before and _same(target, one, before) else read() for one, read in typed.items()}
    return replace(old, **values, **further) if before else made(column=column, **values, **further)  # type: ignore[type-var]


_SHOWN_AS = {"outside": "clip"}


def _same(fields: Fields, name: str, before: dict[str, object]) -> bool:
    """Whether a field still says what it said."""
    shown = _SHOWN_AS.get(name, name)
    match before.get(shown):
        case bool() as was:
            return fields.flag(shown) == was
        case list() as was:
            return fields.texts(shown, most=MOST_LABELS) == [text for text in was if text]
        case was:
            return fields.text(shown) == was


def _whose(persons: Fields, problems: list[Problem]) -> str:
    """What was answered, and a note where nothing was: nobody goes on without having been asked."""
    kind = persons.text("kind")
    if kind not in ("one", "several", "rows"):
        problems.append(Problem("persons", "say whether a person may have several rows: this decides whom the result protects."))
    return kind


def _person_column(persons: Fields) -> PersonColumn:
    if not (column := persons.text("column")):
        raise SchemaError("choose the column of person ids.")
    rows = persons.text("rows")
    if not re.fullmatch(r"\d{1,9}", rows):
        raise SchemaError("fill in the largest number of rows kept per person, a whole number. Choose it without the records.")
    by_rows = persons.choice("weight", "What counts alike", ("person", "row")) == "row"
    return PersonColumn(column=column, rows=int(rows), weight="row" if by_rows else "person")


def _persons_text(schema: Schema) -> dict[str, object]:
    if schema.person is not None:
        return {"kind": "several", "column": schema.person.column, "rows": str(schema.person.rows), "weight": schema.person.weight}
    return {"kind": "rows" if schema.rows_per_person is None else "one"}


def _others(fields: Fields) -> dict[str, Callable[[], Any]]:
    return {
        "other": lambda: _label(fields.text("other")),
        "missing": lambda: _label(fields.text("missing")),
        "aliases": lambda: tuple(map(_alias, fields.texts("aliases", most=MOST_LABELS))),
    }


def _alias(line: str) -> tuple[str, Label]:
    text, equals, label = line.rpartition("=")
    meant = _label(label.strip())
    if not equals or not text.strip() or meant is None:
        raise SchemaError(f"write aliases as TEXT = LABEL, one per line, such as f = female; {line[:40]!r} was typed.")
    return text.strip(), meant


_LIMITS = {"lower": "the smallest value", "upper": "the largest value"}


def _bounds(fields: Fields, where: str) -> dict[str, Callable[[], Any]]:
    def missing() -> float | str | None:
        text = fields.text("missing")
        return text if text == "indicator" else _typed(text, f"{where}: the number for a missing value") if text else None

    return {
        "lower": lambda: _typed(fields.text("lower"), f"{where}: {_LIMITS['lower']}"),
        "upper": lambda: _typed(fields.text("upper"), f"{where}: {_LIMITS['upper']}"),
        "missing": missing,
        "outside": lambda: "clip" if fields.flag("clip") else None,
    }


def _filled(text: str, what: str) -> str:
    if not text:
        raise SchemaError(f"{what} is not filled in yet. Write down what is publicly known.")
    return text


def _typed(text: str, what: str) -> float:
    """The number that a text spells; 100_000 and 100,000 are one."""
    plain = _filled(text, what)
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", plain):
        plain = plain.replace(",", "")
    try:
        number = float(plain)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise SchemaError(f"{what} must be a finite number, written like 120 or 0.5; {text[:40]!r} was typed.")
    return number


def _labels(fields: Fields, name: str) -> Iterator[Label]:
    if len(str(fields.values.get(name, ""))) > _LONGEST_LIST:
        raise Refused(400, f"{name} is too long.")
    for text in fields.texts(name, most=MOST_LABELS):
        label = _label(text)
        if label is not None:
            yield label


def _label(text: str) -> Label | None:
    if not text:
        return None
    if text in ("true", "false"):
        return text == "true"
    return int(text) if _WHOLE.fullmatch(text) and text != "-0" else text


def _column_text(column: Column) -> dict[str, object]:
    match column:
        case NumericColumn():
            return {"kind": "number"} | _bounds_text(column)
        case DateColumn():
            bounds: dict[str, object] = {"kind": "date", "lower": column.lower, "upper": column.upper, "missing": column.missing or ""}
            return bounds | {"clip": column.outside == "clip"}
        case CategoricalColumn():
            return {"kind": "category", "categories": [canonical(label) for label in column.categories]} | _others_text(column)


def _others_text(column: CategoricalColumn | Target) -> dict[str, object]:
    shown: dict[str, object] = {
        name: "" if label is None else canonical(label) for name, label in (("other", column.other), ("missing", column.missing))
    }
    return shown | {"aliases": [f"{text} = {canonical(label)}" for text, label in column.aliases]}


def _bounds_text(column: NumericColumn | NumberTarget) -> dict[str, object]:
    missing = "" if column.missing is None else column.missing if isinstance(column.missing, str) else _shortest(column.missing)
    return {"lower": _shortest(column.lower), "upper": _shortest(column.upper), "clip": column.outside == "clip", "missing": missing}


def _shortest(number: float) -> str:
    """The shortest text that is read back to the same number."""
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else repr(number)


def _draft(schema: Schema, columns: list[str]) -> str:
    """The schema as text, without the bounds of these columns."""
    table: dict[str, Any] = schema.to_dict()
    for column in table["numeric"]:
        if column["name"] in columns:
            for key in ("lower", "upper", "outside"):
                column.pop(key, None)
    return write_toml(table)
