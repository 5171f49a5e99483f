"""Reading guarantees back from certificates: the inverse of `to_dict`, for every kind of this package."""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, get_args

from discreet.accounting.algebra import AnyGuarantee
from discreet.accounting.base import SCOPE, SPELT, Unit
from discreet.accounting.information import Rows
from discreet.core.errors import FileFormatError, quietly
from discreet.core.fields import Json, real
from discreet.core.neighbours import Neighbours

_KINDS: dict[str, type] = {kind.kind: kind for kind in get_args(AnyGuarantee)}


def guarantee_from_dict(record: Mapping[str, Json]) -> AnyGuarantee:
    """Read what `to_dict` wrote. Raises FileFormatError for anything unknown."""
    kind = record.get("kind") if isinstance(record, Mapping) else None
    known = _KINDS.get(kind) if isinstance(kind, str) else None
    if isinstance(kind, str) and known is None:
        raise FileFormatError(
            f"the certificate states a guarantee of kind {kind!r}, which this version does not know; a newer version of discreet may."
        )
    refusal = FileFormatError("the certificate's guarantee is incomplete or holds values of the wrong type.")
    if known is None:
        raise refusal
    made: AnyGuarantee = quietly(lambda: known(**_own(known, record), **_scope(record)), refusal, KeyError, TypeError, ValueError, OverflowError)
    return made


def _own(kind: type, record: Mapping[str, Json]) -> dict[str, Any]:
    """The numbers of a kind, each read as its field is typed; one with a default may be missing."""
    found = {}
    for field in fields(kind):
        name = SPELT.get(field.name, field.name)
        if field.name not in SCOPE and (name in record or field.default is MISSING):
            found[field.name] = _READERS[field.type](record[name])
    return found


def _scope(record: Mapping[str, Json]) -> dict[str, Any]:
    local, secret = record.get("local", False), record.get("secret", [])
    if not isinstance(local, bool) or not isinstance(secret, list) or not all(isinstance(name, str) for name in secret):
        raise TypeError
    return {
        "neighbours": Neighbours(str(record["neighbours"])),
        "unit": Unit(str(record["unit"])),
        "theorem": str(record["theorem"]),
        "local": local,
        "secret": tuple(secret),
    }


def _numbers(value: Json) -> tuple[float, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(real(number) for number in value)


def _rows(value: Json) -> Rows:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_numbers(row) for row in value)


_READERS: dict[Any, Callable[[Json], object]] = {float: real, tuple[float, ...]: _numbers, Rows: _rows}
