"""The schema as it is typed into the page: texts in, a Schema or one sentence a mistake out.

Everything is a text here, as it stands in its field; an empty one is a field that was left out. A label that is a whole number, or true or false, is
meant as such, so that it is found in tables of numbers and of texts alike (see `discreet.data.labels`).
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, NamedTuple, TypeVar

from discreet.core.errors import SchemaError
from discreet.data import CategoricalColumn, NumberTarget, NumericColumn, PersonColumn, Schema, Target
from discreet.data.labels import Label, canonical
from discreet.display.workbench.wire import Fields, Refused

MOST_COLUMNS = 5000
MOST_LABELS = 5000
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,15})")
_LONGEST_LIST = 100_000

Part = TypeVar("Part", NumericColumn, CategoricalColumn, Target, NumberTarget, PersonColumn)


class Problem(NamedTuple):
    """A mistake, and the part of the form that it is in: "schema", "persons", "target", or the name of a column."""

    where: str
    message: str


class Formed(NamedTuple):
    """The schema where there is no problem."""

    schema: Schema | None
    problems: tuple[Problem, ...]


def read_form(form: Fields) -> Formed:
    """The schema, or everything that is wrong with it. Raises Refused for what is no such form."""
    form.only("name", "rows", "missing_values", "persons", "target", "columns")
    problems: list[Problem] = []

    def attempt(where: str, make: Callable[[Fields], Part], fields: Fields) -> list[Part]:
        """A part of the schema, or none, and a note of what is wrong with it."""
        try:
            return [make(fields)]
        except SchemaError as error:
            problems.append(Problem(where, str(error)))
            return []

    persons = form.inner("persons").only("kind", "column", "rows", "weight")
    several: list[PersonColumn] = attempt("persons", _person_column, persons) if _whose(persons, problems) == "several" else []
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
            person=several[0] if several else None,
            rows_per_person=1 if persons.text("kind") == "one" else None,
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
        target |= {"kind": "classes", "classes": [canonical(label) for label in schema.target.classes]} | _others_text(schema.target)
    elif isinstance(schema.target, NumberTarget):
        target |= {"kind": "number"} | _bounds_text(schema.target)
    columns: list[dict[str, object]] = [{"name": one.name, "kind": "number"} | _bounds_text(one) for one in schema.numeric]
    for one in schema.categorical:
        labels = [canonical(label) for label in one.categories]
        columns.append({"name": one.name, "kind": "category", "categories": labels} | _others_text(one))
    return {
        "name": schema.name,
        "rows": schema.rows,
        "missing_values": list(schema.missing_values),
        "persons": _persons_text(schema),
        "target": target,
        "columns": columns,
    }


def lost_by_the_form(schema: Schema) -> bool:
    """Whether the page cannot show everything that the schema says (another scale, bounds that were released, labels of an unusual spelling)."""
    formed = read_form(Fields(form_of(schema)))
    return formed.schema is None or asdict(formed.schema) != asdict(schema)


def _whose(persons: Fields, problems: list[Problem]) -> str:
    """What was answered, and a note where nothing was: nobody goes on without having been asked."""
    kind = persons.text("kind")
    if kind not in ("one", "several", "rows"):
        problems.append(Problem("persons", "say whether somebody may have several rows: it decides whom the result protects."))
    return kind


def _person_column(persons: Fields) -> PersonColumn:
    if not (column := persons.text("column")):
        raise SchemaError("choose the column that says whose row each is.")
    rows = persons.text("rows")
    if not re.fullmatch(r"\d{1,9}", rows):
        raise SchemaError("the most rows of a person that are kept is still to be filled in, a whole number. Choose it without the records.")
    by_rows = persons.choice("weight", "What counts alike", ("person", "row")) == "row"
    return PersonColumn(column=column, rows=int(rows), weight="row" if by_rows else "person")


def _persons_text(schema: Schema) -> dict[str, object]:
    if schema.person is not None:
        return {"kind": "several", "column": schema.person.column, "rows": str(schema.person.rows), "weight": schema.person.weight}
    return {"kind": "rows" if schema.rows_per_person is None else "one"}


def _named(target: Fields) -> str:
    if name := target.text("column"):
        return name
    raise SchemaError("choose the column that is to be predicted.")


def _classes(target: Fields) -> Target:
    return Target(classes=tuple(_labels(target, "classes")), column=_named(target), **_others(target))


def _bounded_target(target: Fields) -> NumberTarget:
    return NumberTarget(column=_named(target), **_bounds(target, f"target column {target.text('column')!r}"))


def _number_column(column: Fields) -> NumericColumn:
    return NumericColumn(name=column.text("name"), **_bounds(column, f"numeric column {column.text('name')!r}"))


def _label_column(column: Fields) -> CategoricalColumn:
    return CategoricalColumn(name=column.text("name"), categories=tuple(_labels(column, "categories")), **_others(column))


def _others(fields: Fields) -> dict[str, Any]:
    return {name: _label(fields.text(name)) for name in ("other", "missing")}


def _bounds(fields: Fields, where: str) -> dict[str, Any]:
    wanted = {"lower": "the smallest value", "upper": "the largest value"}
    wanted |= {"missing": "the number for a missing value"} if fields.text("missing") else {}
    return {name: _typed(fields.text(name), f"{where}: {what}") for name, what in wanted.items()} | {
        "outside": "clip" if fields.flag("clip") else None
    }


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


def _others_text(column: CategoricalColumn | Target) -> dict[str, object]:
    return {name: "" if label is None else canonical(label) for name, label in (("other", column.other), ("missing", column.missing))}


def _bounds_text(column: NumericColumn | NumberTarget) -> dict[str, object]:
    missing = "" if column.missing is None or isinstance(column.missing, str) else _shortest(column.missing)
    return {"lower": _shortest(column.lower), "upper": _shortest(column.upper), "clip": column.outside == "clip", "missing": missing}


def _shortest(number: float) -> str:
    """The shortest text that is read back to the same number."""
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e15 else repr(number)
