"""Composition of guarantees on the same records, and reading them back from files.

Basic composition, valid for adaptive releases: epsilons add, deltas add (Dwork, Kenthapadi, McSherry, Mironov, Naor 2006).
"""

from collections.abc import Mapping, Sequence

from discreet.errors import FileFormatError, InvalidInput
from discreet.guarantees.approximate import ApproximateDP
from discreet.guarantees.base import Guarantee, Json, Unit
from discreet.guarantees.none import NoGuarantee
from discreet.guarantees.pure import PureDP
from discreet.neighbours import Neighbours


def compose(parts: Sequence[Guarantee]) -> PureDP | ApproximateDP | NoGuarantee:
    """The guarantee of releasing all `parts`, each possibly chosen after seeing the ones before.

    Raises InvalidInput for no parts, for unlike neighbouring relations or units, and for kinds that basic composition does not cover.
    """
    if not parts:
        raise InvalidInput("composition needs at least one guarantee; none was given.")
    first = parts[0]
    if any((part.neighbours, part.unit) != (first.neighbours, first.unit) for part in parts):
        raise InvalidInput("guarantees with different neighbouring relations or units do not compose; convert them first.")
    theorem = "; ".join(dict.fromkeys(part.theorem for part in parts))
    if len(parts) > 1:
        theorem += "; basic composition"
    epsilon = 0.0
    delta = 0.0
    for part in parts:
        match part:
            case PureDP():
                epsilon += part.epsilon
            case ApproximateDP():
                epsilon += part.epsilon
                delta += part.delta_at_epsilon
            case NoGuarantee():
                return NoGuarantee(neighbours=first.neighbours, unit=first.unit, theorem=part.theorem)
            case _:
                raise InvalidInput(f"basic composition covers pure and approximate guarantees; {type(part).__name__} was given.")
    if delta >= 1:
        return NoGuarantee(neighbours=first.neighbours, unit=first.unit, theorem=theorem + " (deltas add up to 1 or more)")
    if delta > 0:
        return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, neighbours=first.neighbours, unit=first.unit, theorem=theorem)
    return PureDP(epsilon=epsilon, neighbours=first.neighbours, unit=first.unit, theorem=theorem)


def guarantee_from_dict(record: Mapping[str, Json]) -> PureDP | ApproximateDP | NoGuarantee:
    """Read back `to_dict`. Raises FileFormatError for anything it does not know."""
    try:
        neighbours, unit, theorem = Neighbours(str(record["neighbours"])), Unit(str(record["unit"])), str(record["theorem"])
        match record["kind"]:
            case "pure":
                return PureDP(epsilon=_number(record["epsilon"]), neighbours=neighbours, unit=unit, theorem=theorem)
            case "approximate":
                return ApproximateDP(
                    epsilon=_number(record["epsilon"]),
                    delta_at_epsilon=_number(record["delta"]),
                    neighbours=neighbours,
                    unit=unit,
                    theorem=theorem,
                )
            case "none":
                return NoGuarantee(neighbours=neighbours, unit=unit, theorem=theorem)
            case kind:
                raise FileFormatError(f"the certificate states a guarantee of unknown kind {kind!r}; a newer version of discreet may know it.")
    except (KeyError, TypeError, ValueError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError("the certificate's guarantee is incomplete or holds values of the wrong type.") from None


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)
