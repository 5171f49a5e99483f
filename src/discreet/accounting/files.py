"""Reading guarantees back from certificates: the inverse of `to_dict`, for every kind of this package."""

from collections.abc import Callable, Mapping
from typing import Any

from discreet.accounting.algebra import AnyGuarantee
from discreet.accounting.base import ApproximateDP, NoGuarantee, PureDP, Unit
from discreet.accounting.gaussian import GaussianDP
from discreet.accounting.information import CramerRaoBound, MutualInformation
from discreet.accounting.profile import Profile
from discreet.accounting.renyi import ConcentratedDP, RenyiDP
from discreet.core.errors import FileFormatError
from discreet.core.fields import Json, real
from discreet.core.neighbours import Neighbours
from discreet.core.quiet import quietly


def guarantee_from_dict(record: Mapping[str, Json]) -> AnyGuarantee:
    """Read back `to_dict`. Raises FileFormatError for anything it does not know."""
    kind = record.get("kind") if isinstance(record, Mapping) else None
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if isinstance(kind, str) and reader is None:
        raise FileFormatError(f"the certificate states a guarantee of unknown kind {kind!r}; a newer version of discreet may know it.")
    refusal = FileFormatError("the certificate's guarantee is incomplete or holds values of the wrong type.")
    if reader is None:
        raise refusal
    return quietly(lambda: reader(record, _scope(record)), refusal, KeyError, TypeError, ValueError, OverflowError)


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


def _rows(value: Json) -> tuple[tuple[float, ...], ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(_numbers(row) for row in value)


Reader = Callable[[Mapping[str, Json], dict[str, Any]], AnyGuarantee]
_READERS: dict[str, Reader] = {
    "pure": lambda record, scope: PureDP(epsilon=real(record["epsilon"]), **scope),
    "approximate": lambda record, scope: ApproximateDP(epsilon=real(record["epsilon"]), delta_at_epsilon=real(record["delta"]), **scope),
    "profile": lambda record, scope: Profile(epsilons=_numbers(record["epsilons"]), deltas_at=_numbers(record["deltas"]), **scope),
    "gaussian": lambda record, scope: GaussianDP(mu=real(record["mu"]), **scope),
    "concentrated": lambda record, scope: ConcentratedDP(rho=real(record["rho"]), **scope),
    "renyi": lambda record, scope: RenyiDP(orders=_numbers(record["orders"]), divergences=_numbers(record["divergences"]), **scope),
    "mutual-information": lambda record, scope: MutualInformation(bits=real(record["bits"]), **scope),
    "cramer-rao": lambda record, scope: CramerRaoBound(
        information=_rows(record["information"]), prior_information=_rows(record.get("prior_information", [])), **scope
    ),
    "none": lambda _record, scope: NoGuarantee(**scope),
}
