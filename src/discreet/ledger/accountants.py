"""How a data set adds up its guarantees: by an accountant that is chosen when it is declared, and whose name stays in the file.

The guarantees of a ledger are chosen one after the other, possibly in view of earlier releases and of what is left, so an accountant must be valid as
a privacy filter: whatever the choices, everything that was granted together satisfies the total. Each of these adds one number, and is one:

    basic         pure and (epsilon, delta): epsilons add, deltas add      (Rogers, Roth, Ullman, Vadhan 2016)
    gaussian      Gaussian only: mu^2 adds                                 (Koskela, Tobaben, Honkela 2023)
    concentrated  pure, Gaussian and concentrated: rho adds                (Feldman and Zrnic 2021)

A data set has one accountant for ever. If each spending could pick the one that suits it, the choice would depend on the releases, and only the sum
of the deltas of all accountants would be proved. For the same reason a Renyi curve that is read at its best order in the end is no filter.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from discreet.accounting import ApproximateDP, ConcentratedDP, GaussianDP, Guarantee, NoGuarantee, PureDP, compose, to_concentrated
from discreet.core.errors import InvalidInput

Accountant: TypeAlias = Callable[[Sequence[Guarantee]], Guarantee]
"""From the guarantees of several releases on the same records, each possibly chosen after seeing the ones before, to that of all of them together."""

BASIC = "basic"
_TO_CONCENTRATED = (PureDP, GaussianDP, ConcentratedDP)


def basic(parts: Sequence[Guarantee]) -> Guarantee:
    """See module docstring. Raises InvalidInput for other kinds."""
    return compose(_only(parts, BASIC, (PureDP, ApproximateDP)))


def gaussian(parts: Sequence[Guarantee]) -> Guarantee:
    """See module docstring. Raises InvalidInput for other kinds."""
    return compose(_only(parts, "gaussian", (GaussianDP,)))


def concentrated(parts: Sequence[Guarantee]) -> Guarantee:
    """See module docstring. Raises InvalidInput for other kinds."""
    return compose([normal_form(_CONCENTRATED, part) for part in _only(parts, _CONCENTRATED, _TO_CONCENTRATED)])


_CONCENTRATED = "concentrated"
_ADDING: dict[str, Accountant] = {BASIC: basic, "gaussian": gaussian, _CONCENTRATED: concentrated}
"""These give the same for many guarantees of one kind as for one with their sum (module `tallies`)."""
_REGISTERED = dict(_ADDING)


def register_accountant(name: str, accountant: Accountant) -> None:
    """Make an accountant known under a name, in every process that spends. It must be a privacy filter; see the module docstring.

    It runs while the file is locked, so it should be quick. Raises InvalidInput when the name is taken.
    """
    if _REGISTERED.setdefault(name, accountant) is not accountant:
        raise InvalidInput(f"an accountant {name!r} is registered already.")


def adds(name: str) -> bool:
    """Whether sums are all that this accountant needs."""
    return name in _ADDING


def normal_form(name: str, part: Guarantee) -> Guarantee:
    """What the accountant of this name adds in the place of `part`."""
    return to_concentrated(part) if name == _CONCENTRATED and isinstance(part, _TO_CONCENTRATED) else part


def accountant_named(name: str) -> Accountant:
    """The accountant of this name. Raises InvalidInput where nobody has registered it."""
    found = _REGISTERED.get(name)
    if found is None:
        raise InvalidInput(
            f"no accountant {name!r} is known here; known are {sorted(_REGISTERED)}. Import the module that registers it, or use a newer discreet."
        )
    return found


def _only(parts: Sequence[Guarantee], name: str, kinds: tuple[type[Guarantee], ...]) -> Sequence[Guarantee]:
    for part in parts:
        if not isinstance(part, (*kinds, NoGuarantee)):
            raise InvalidInput(
                f"the accountant {name!r} adds up {', '.join(kind.__name__ for kind in kinds)}; {type(part).__name__} was given. "
                "Convert the guarantee (to_approximate, to_concentrated), or declare a data set with another accountant."
            )
    return parts
