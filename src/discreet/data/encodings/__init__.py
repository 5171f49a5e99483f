"""How numbers become features. Adding an encoding is one file here and one line below; schemas and property tests find it by its name."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from discreet.core.errors import SchemaError, did_you_mean, kind, quoted
from discreet.core.fields import exported
from discreet.data.encodings.base import Bounds, Encoding, Linear, parameters_of, spelled
from discreet.data.encodings.bins import Bins
from discreet.data.encodings.calendar import Hour, Month, Weekday
from discreet.data.encodings.curve import Curve
from discreet.data.encodings.cyclic import Cyclic
from discreet.data.encodings.log import Log

__all__ = [
    "Bins",
    "Bounds",
    "Curve",
    "Cyclic",
    "Encoding",
    "Hour",
    "Linear",
    "Log",
    "Month",
    "Weekday",
    "encoding_named",
    "encodings_of",
    "spelled",
]


def encodings_of(given: object, *, where: str) -> tuple[Encoding, ...]:
    """One encoding or a list of them, each as a name, as a table with a name and parameters, or as itself. Raises SchemaError for anything else."""
    listed = given if isinstance(given, list | tuple) else [given]
    if not listed:
        raise SchemaError(f"{where}: encoding must not be an empty list.")
    return tuple(_encoding(one, where) for one in listed)


def encoding_named(name: str, **parameters: Any) -> Encoding:  # noqa: ANN401 - what the encoding takes
    """The encoding of this name with these parameters. Raises SchemaError, with the nearest name, for others."""
    known = {one.name: one for one in exported(globals(), Encoding)}
    if name not in known:
        raise SchemaError(f"unknown encoding {name!r}.{did_you_mean(name, known)} Known: {quoted(known, most=20)}.")
    takes = tuple(known[name].__dataclass_fields__)  # type: ignore[attr-defined]
    for parameter in parameters:
        if parameter not in takes:
            raise SchemaError(f"{name}: unknown key {parameter!r}.{did_you_mean(parameter, takes)} Known keys: {quoted(takes) or 'none'}.")
    if absent := [field.name for field in fields(known[name]) if field.default is MISSING and field.name not in parameters]:  # type: ignore[arg-type]
        raise SchemaError(f"{name}: {quoted(absent)} is missing; add it.")
    return known[name](**parameters)


def _encoding(given: object, where: str) -> Encoding:
    if isinstance(given, Encoding):
        return given
    entry = {"name": given} if isinstance(given, str) else given
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise SchemaError(f'{where}: encoding must be a name, as in encoding = "curve", or a table with a name; {kind(given)} was given.')
    try:
        return encoding_named(entry["name"], **parameters_of(entry))
    except SchemaError as error:
        refusal = SchemaError(f"{where}: {error}")
    raise refusal
