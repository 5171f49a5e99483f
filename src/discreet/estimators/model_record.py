"""The parts of a model file, read strictly: what is absent, too much or mistyped is refused, and nothing is guessed."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, FileFormatError, brief, quoted
from discreet.data import Schema

FORMAT = "discreet-model/1"
"""The format of a model file; another version is refused."""


def check_keys(record: Mapping[str, Any], known: str, keys: Sequence[str], *, other: str) -> None:
    """The format first: what another one calls its keys is none of our business. `other` is what to do with a file of another format."""
    if "format" not in record:
        raise FileFormatError(f'it does not state its format; a model file has "format": "{known}".')
    if record["format"] != known:
        raise FileFormatError(f"this version reads the format {known!r}; {brief(record['format'])} was found. {other}")
    if absent := [key for key in keys if key not in record]:
        raise FileFormatError(f"it lacks {quoted(absent)}.")
    if extra := [key for key in record if key not in keys]:
        raise FileFormatError(f"it holds {quoted(extra)}, which a model of this format does not have.")


def schema_of(record: object) -> Schema:
    """Raises FileFormatError for what is no schema."""
    try:
        return Schema.from_dict(record)
    except DiscreetError as error:
        refusal = FileFormatError(f"its schema is not valid: {error}")
    except (TypeError, ValueError, LookupError, ArithmeticError, RecursionError):
        refusal = FileFormatError("its schema holds values of the wrong type.")
    raise refusal


def weights_of(record: object) -> Floats:
    """A list of numbers as an array (d,)."""
    if not isinstance(record, list) or not all(isinstance(one, int | float) and not isinstance(one, bool) for one in record):
        raise FileFormatError("its weights are not a list of numbers.")
    try:
        return np.array([float(one) for one in record])
    except OverflowError:
        pass
    raise FileFormatError("it has a weight too large for float64; every number of a model must be finite.")
