"""The schema as it is typed into the page: texts in, a Schema or one sentence a mistake out.

Everything is a text here, as it stands in its field; an empty one is a field that was left out. A label that is a whole number, or true or false, is
meant as such, so that it is found in tables of numbers and of texts alike (see `discreet.data.labels`).
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import NamedTuple, TypeVar

from discreet.core.errors import SchemaError
from discreet.data import CategoricalColumn, NumberTarget, NumericColumn, Schema, Target
from discreet.data.labels import Label, canonical
from discreet.display.workbench.wire import Fields, Refused

MOST_COLUMNS = 5000
MOST_LABELS = 5000
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,15})")
_LONGEST_LIST = 100_000

Part = TypeVar("Part", NumericColumn, CategoricalColumn, Target, NumberTarget)


class Problem(NamedTuple):
    """A mistake, and the part of the form that it is in: "schema", "target", or the name of a column."""

    where: str
    message: str


class Formed(NamedTuple):
    """The schema where there is no problem."""

    schema: Schema | None
    problems: tuple[Problem, ...]


def read_form(form: Fields) -> Formed:
    """The schema, or everything that is wrong with it. Raises Refused for what is no such form."""
    form.only("name", "rows", "missing_values", "target", "columns")
    problems: list[Problem] = []

    def attempt(where: str, make: Callable[[Fields], Part], fields: Fields) -> list[Part]:
        """A part of the schema, or none, and a note of what is wrong with it."""
        try:
            return [make(fields)]
        except SchemaError as error:
            problems.append(Problem(where, str(error)))
            return []

    target = form.inner("target").only("column", "kind", "classes", "other", "missing", "lower", "upper", "clip")
    of_classes = target.choice("kind", "The kind of the target", ("classes", "number")) == "classes"
    chosen: list[Target] | list[NumberTarget] = attempt("target", _classes, target) if of_classes else attempt("target", _bounded_target, target)
    numeric: list[NumericColumn] = []
    categorical: list[CategoricalColumn] = []
    seen: set[str] = set()
    for column in form.items("columns", most=MOST_COLUMNS):
        name = column.only("name", "kind", "lower", "upper", "clip", "missing", "categories", "other").text("name")
        if name in seen:
            raise Refused(400, "The form names a column twice.")
        seen.add(name)
        match column.choice("kind", f"The kind of column {name!r}", ("number", "category", "ignore")):
            case "number":
                numeric += attempt(name, _number_column, column)
            case "category":
                categorical += attempt(name, _label_column, column)
    if problems:
        return Formed(None, tuple(problems))
    rows = form.choice("rows", "rows", ("normalise", "bound"))
    try:
        schema = Schema(
            name=form.text("name"),
            target=chosen[0],
            numeric=tuple(numeric),
            categorical=tuple(categorical),
            rows="bound" if rows == "bound" else "normalise",
            missing_values=tuple(form.texts("missing_values", most=100)),
        )
    except SchemaError as error:
        return Formed(None, (Problem("schema", str(error)),))
    return Formed(schema, ())


def required_schema(form: Fields) -> Schema:
    """The schema. Raises Refused, with the first mistake, where there is none."""
    formed = read_form(form)
    if formed.schema is None:
        raise Refused(422, f"The description of the table is not complete: {formed.problems[0].message}")
    return formed.schema


def form_of(schema: Schema) -> dict[str, object]:
    """What the page shows for a schema that was written before; `read_form` makes the same schema of it."""
    target: dict[str, object] = {"column": schema.target.column}
    if isinstance(schema.target, Target):
        target |= {"kind": "classes", "classes": [canonical(label) for label in schema.target.classes]}
        target |= {"other": _label_text(schema.target.other), "missing": _label_text(schema.target.missing)}
    else:
        target |= {"kind": "number"} | _bounds_text(schema.target)
    columns: list[dict[str, object]] = [{"name": one.name, "kind": "number"} | _bounds_text(one) for one in schema.numeric]
    columns += [
        {
            "name": one.name,
            "kind": "category",
            "categories": [canonical(label) for label in one.categories],
            "other": _label_text(one.other),
            "missing": _label_text(one.missing),
        }
        for one in schema.categorical
    ]
    return {"name": schema.name, "rows": schema.rows, "missing_values": list(schema.missing_values), "target": target, "columns": columns}


def lost_by_the_form(schema: Schema) -> bool:
    """Whether the page cannot show everything that the schema says (another scale, bounds that were released, labels of an unusual spelling)."""
    formed = read_form(Fields(form_of(schema)))
    return formed.schema is None or asdict(formed.schema) != asdict(schema)


def _named(target: Fields) -> str:
    if name := target.text("column"):
        return name
    raise SchemaError("choose the column that is to be predicted.")


def _classes(target: Fields) -> Target:
    classes = tuple(_labels(target, "classes"))
    return Target(column=_named(target), classes=classes, other=_label(target.text("other")), missing=_label(target.text("missing")))


def _bounded_target(target: Fields) -> NumberTarget:
    where = f"target column {_named(target)!r}"
    lower, upper, missing = _bounds(target, where)
    return NumberTarget(column=target.text("column"), lower=lower, upper=upper, outside="clip" if target.flag("clip") else None, missing=missing)


def _number_column(column: Fields) -> NumericColumn:
    where = f"numeric column {column.text('name')!r}"
    lower, upper, missing = _bounds(column, where)
    return NumericColumn(name=column.text("name"), lower=lower, upper=upper, outside="clip" if column.flag("clip") else None, missing=missing)


def _label_column(column: Fields) -> CategoricalColumn:
    name = column.text("name")
    labels = tuple(_labels(column, "categories"))
    return CategoricalColumn(name=name, categories=labels, other=_label(column.text("other")), missing=_label(column.text("missing")))


def _bounds(fields: Fields, where: str) -> tuple[float, float, float | None]:
    lower, upper = _typed(fields.text("lower"), f"{where}: the smallest value"), _typed(fields.text("upper"), f"{where}: the largest value")
    missing = fields.text("missing")
    return lower, upper, _typed(missing, f"{where}: the number for a missing value") if missing else None


def _typed(text: str, what: str) -> float:
    """The number that a text spells."""
    if not text:
        raise SchemaError(f"{what} is still to be filled in. Write down what is publicly known.")
    try:
        number = float(text)
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


def _label_text(label: Label | None) -> str:
    return "" if label is None else canonical(label)


def _bounds_text(column: NumericColumn | NumberTarget) -> dict[str, object]:
    missing = "" if column.missing is None or isinstance(column.missing, str) else _shortest(column.missing)
    return {"lower": _shortest(column.lower), "upper": _shortest(column.upper), "clip": column.outside == "clip", "missing": missing}


def _shortest(number: float) -> str:
    """The shortest text that is read back to the same number."""
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else repr(number)
