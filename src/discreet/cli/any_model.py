"""A model file, whatever its model was fitted on, and the rows of a table as it takes them.

A model of a schema names its columns and encodes them. A model of arrays knows the names of its columns, where its X had some, or their number alone:
then the table holds these columns and no others, in their order, beside those that are named as kept or as the target.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import discreet
from discreet.cli.inputs import read
from discreet.core.errors import InvalidInput

AnyModel: TypeAlias = "discreet.Model | discreet.ArrayModel"
_HEAD = 4096
"""Bytes in which a file says its format."""


def load_model(path: str) -> AnyModel:
    """Raises as `Model.load` and `ArrayModel.load` do."""
    try:
        with Path(path).open("rb") as file:
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
        f"{path!r} is a model of arrays, which says of no table what its columns and its target are: `discreet predict` answers with it. Measure the "
        "estimator, or ArrayModel.load(path), in Python with evaluate_privately (release_uncertainty has intervals), or fit with a schema."
    )


def needed_columns(model: AnyModel, table: str, beside: Collection[str]) -> tuple[str, ...]:
    """The columns of the table that the model reads, where those `beside` are for something else. Raises InvalidInput for other numbers of them."""
    if isinstance(model, discreet.Model):
        return model.schema.columns(target=False)
    if model.names is not None:
        return model.names
    if table == "-":
        raise InvalidInput("the model knows no names of columns, so the header of the table is read first, which - cannot be: give a file.")
    header = discreet.data.read_header(table)
    found = tuple(column for column in header if column not in beside)
    if len(found) != model.features:
        raise InvalidInput(
            f"the model was fitted on {model.features} columns without names; {table!r} has {len(found)} besides those named otherwise. Give a table "
            "of these columns in their order, or fit on a data frame, whose names are kept."
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
