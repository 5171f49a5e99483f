"""A model file, whatever its model was fitted on, and the rows of a table as it takes them.

A model of a schema names its columns and encodes them. A model of arrays knows the names of its columns, where its X had some, or their number alone:
then the table holds these columns and no others, in their order, beside those that are named as kept or as the target.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import discreet
from discreet.cli.inputs import Records, Whose, read
from discreet.cli.options import usage_error
from discreet.cli.output import warn
from discreet.core.errors import InvalidInput, SchemaError, quietly, quoted
from discreet.core.files.reading import opened

if TYPE_CHECKING:
    from discreet.core.neighbours import Persons
    from discreet.estimators.files.model import OneOfSeveral

AnyModel: TypeAlias = "discreet.Model | discreet.ArrayModel"
Measured: TypeAlias = "discreet.Model | discreet.ArrayModel | OneOfSeveral"
"""What is measured: a model, or what it says of one of its targets."""
_HEAD = 4096
"""Bytes in which a file says its format."""


def load_model(path: str) -> AnyModel:
    """Raises as `Model.load` and `ArrayModel.load` do."""
    try:
        with opened(path) as file:
            of_arrays = b'"discreet-arraymodel/' in file.read(_HEAD)
    except (OSError, ValueError):
        of_arrays = False
    return discreet.ArrayModel.load(path) if of_arrays else discreet.Model.load(path)


def load_model_of_schema(path: str) -> "discreet.Model":
    """Raises InvalidInput for a model of arrays, and as `Model.load` does."""
    found = load_model(path)
    if isinstance(found, discreet.Model):
        return found
    raise InvalidInput(
        f"{path!r} was fitted on arrays, so it does not know the columns and the target of a table. It works with `discreet predict`, and "
        "with `discreet evaluate --target COLUMN`. For intervals, call release_uncertainty in Python, or fit with a schema."
    )


def needed_columns(model: AnyModel, table: str, beside: Collection[str]) -> tuple[str, ...]:
    """The columns of the table that the model reads, where those `beside` are for something else. Raises InvalidInput for other numbers of them."""
    if isinstance(model, discreet.Model):
        return model.schema.columns(target=False)
    if model.names is not None:
        return model.names
    if table == "-":
        raise InvalidInput("the model was fitted without column names, so the header of the table has to be read first. Give a file instead of -.")
    header = discreet.data.read_header(table)
    found = tuple(column for column in header if column not in beside)
    if len(found) != model.features:
        raise InvalidInput(
            f"the model was fitted on {model.features} columns without names; {table!r} has {len(found)} besides those that options name. "
            "Give a table with these columns in order, or fit on a data frame, so that the model keeps the names."
        )
    return found


def read_rows(model: AnyModel, table: str, beside: Sequence[str] = ()) -> tuple[Any, Any]:
    """The table, a frame of polars, with the columns `beside`, and its rows as the model takes them: private."""
    needed = needed_columns(model, table, beside)
    dialect = model.schema.file if isinstance(model, discreet.Model) else None
    frame = read(table, [*needed, *(column for column in beside if column not in needed)], dialect)
    if isinstance(model, discreet.Model):
        return frame, model.schema.encode(frame, target=False)
    return frame, discreet.data.number_rows(frame, needed)


@dataclass(frozen=True, kw_only=True)
class OfArrays:
    """What a schema would say of a table, for a model of arrays; and which of several targets is measured."""

    target: Annotated[
        str | None, "The column to measure: one of the model's several targets, or, for a model fitted on arrays, the column that it predicts."
    ] = None
    event: Annotated[
        str | None,
        "For a model of times fitted on arrays: the column with 1 or true where the event happened at that time; all events happened if left out.",
    ] = None
    whose: Whose

    def measured(self, path: str, records: Records) -> "Measured":
        """The model in a file, or one of its targets. Raises as `load_model`, and as `check`."""
        model = load_model(path)
        if isinstance(model, discreet.Model) and len(targets := model.schema.answers) > 1:
            if self.target is None:
                raise usage_error(f"{path} predicts {quoted(targets)}. Name the one to measure: --target COLUMN")
            chosen = model.of_target(self.target)
            replace(self, target=None).check(model, path, records)
            return chosen
        self.check(model, path, records)
        return model

    def check(self, model: AnyModel, path: str, records: Records) -> None:
        """Raise a usage error for what the model does not need, or lacks; InvalidInput for what is not measured from a table."""
        given = vars(self) | vars(self.whose)
        if isinstance(model, discreet.Model):
            if alone := next((name for name in ("target", "event", "person", "rows_per_person") if given[name] is not None), None):
                raise usage_error(
                    f"--{alone.replace('_', '-')} is for models fitted on arrays; for this one, the schema in {path} says it. Leave it out"
                )
            return
        self.whose.check()
        if model.units:
            raise InvalidInput(
                f"{path!r} predicts several targets, but only one can be measured here. Fit a model of that one, or measure it in Python."
            )
        if self.target is None:
            raise usage_error(f"{path} was fitted on arrays, so it does not know the column of its target: --target COLUMN is needed")
        if self.event is not None and (model.made is None or model.classes):
            raise usage_error(f"--event is for models of times; {path} is a {model.kind}. Leave it out")
        if records.in_blocks:
            raise InvalidInput(f"{path!r} was fitted on arrays, so it is measured on one table in memory. Give one .csv or .parquet file.")

    def ask(self) -> None:
        """Warn where nobody says whose rows are whose."""
        if self.whose.rows_per_person is None:
            warn(
                "whether a person may have several rows is not stated, so single rows are protected, and a person with several rows is "
                "protected less than these numbers say. Add --rows-per-person 1 if each person has one row, or --person COLUMN "
                "--rows-per-person M if some may have more."
            )

    @property
    def rule(self) -> "Persons | None":
        """The public rule of whose rows are whose."""
        from discreet.mechanisms.persons import declared_rule

        return declared_rule(self.whose.rows_per_person, "person", told_apart=self.whose.person is not None, brought=None)

    @property
    def beside(self) -> list[str]:
        """The columns of the table that are none of X."""
        return [name for name in (self.target, self.event, self.whose.person) if name is not None]


class ArrayRecords(NamedTuple):
    """Rows and targets of a file of arrays; private."""

    X: Any
    y: Any
    persons: Any
    """Ids (n,), or None."""


def read_array_records(model: "discreet.ArrayModel", table: str, said: OfArrays, *, may_be_empty: bool) -> ArrayRecords:
    """The records of a table with what is true of them. Raises InvalidInput for cells that are not what they should be, without them."""
    import numpy as np

    from discreet.data.time_cells import encode_times

    beside = said.beside
    if doubled := sorted({name for name in beside if beside.count(name) > 1} | (set(beside) & set(model.names or ()))):
        raise InvalidInput(f"column {doubled[0]!r} has two roles. It can be one of: a feature, the target, the event, the person id.")
    frame, rows = read_rows(model, table, beside)
    if frame.height == 0 and not may_be_empty:
        raise InvalidInput("the table has no records; under replace-one at least one is needed.")
    target, whose = beside[0], said.whose.person
    persons = None if whose is None else frame.get_column(whose)
    if model.classes:
        return ArrayRecords(rows, _classes(frame.get_column(target), model.classes), persons)
    if model.made is not None:
        times = discreet.data.TimeTarget(column=target, ends=model.made.ends, event=said.event, outside="clip")
        refusal = InvalidInput(
            f"column {target!r} must hold a number for every "
            f"record{'' if said.event is None else f', and {said.event!r} 1 or true, or 0 or false'}; something else was found, or a value "
            "is missing. Leave out such records by a public rule."
        )
        return ArrayRecords(rows, quietly(lambda: encode_times(frame, times, dialect=discreet.data.Dialect()), refusal, InvalidInput), persons)
    numbers = discreet.data.number_rows(frame, [target])[:, 0]
    if not np.all(np.isfinite(numbers)):
        raise InvalidInput(f"column {target!r} has a missing value, or one that is not finite. Leave such records out by a public rule.")
    return ArrayRecords(rows, numbers, persons)


def _classes(series: Any, classes: Sequence[Any]) -> Any:
    """The model's own label of every cell, which agrees with it as text, a whole number however it is written."""
    import numpy as np

    from discreet.data.cells import encode_labels

    whole = (int(label) if isinstance(label, float) and label.is_integer() else label for label in classes)
    texts = tuple(label.strip() if isinstance(label, str) else label for label in whole)
    refusal = InvalidInput(
        f"column {series.name!r} has a missing value, or one that is not a class of the model ({quoted(list(map(str, classes)))}). Map it "
        "to one of these, or leave out such records by a public rule."
    )

    def codes() -> Any:
        target = discreet.data.Target(column=series.name, classes=texts)
        return encode_labels(series, target, dialect=discreet.data.Dialect())

    return np.array(classes, dtype=object)[quietly(codes, refusal, InvalidInput, SchemaError)]
