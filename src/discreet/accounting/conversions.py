"""Conversions between notions of privacy. Each only ever loses: the delta curve of what comes out is nowhere below that of what went in.

    pure -> concentrated      rho = epsilon tanh(epsilon / 2) <= epsilon^2 / 2            (proof in the note composition.md)
    pure -> Renyi             (ln cosh((alpha - 1/2) epsilon) - ln cosh(epsilon / 2)) / (alpha - 1), exact for randomised response
                                                                              (Mironov 2017, proposition 5, in closed form)
    Gaussian -> concentrated  rho = mu^2 / 2, and Renyi mu^2 alpha / 2: exact divergences of N(mu, 1) from N(0, 1) (Bun, Steinke 2016, lemma 2.4)
    concentrated -> Renyi     rho alpha                                                    (the definition)
    anything -> profile       its own delta curve at points, joined by chords
    anything -> approximate   one point of its own delta curve
    local -> central          the same numbers: whoever holds only randomised records post-processes them

There is no way back, and none from add-remove to replace-one but by two steps (module `groups`). From bits of mutual information only the delta
curve follows; nothing leads to bits, and nothing from or to a Cramer-Rao number.
"""

import math
from dataclasses import replace
from typing import TypeVar

import numpy as np

from discreet.accounting.base import ApproximateDP, Guarantee, NoGuarantee, PureDP, Statement, scope
from discreet.accounting.gaussian import GaussianDP
from discreet.accounting.information import CramerRaoBound
from discreet.accounting.numerical import curve_of, reach_of
from discreet.accounting.profile import Profile, hull
from discreet.accounting.renyi import ORDERS, ConcentratedDP, RenyiDP
from discreet.core.arrays import as_floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import up

_POINTS = 513
_LARGEST = 1e6
_Stated = TypeVar("_Stated", bound=Statement)
_Kind = TypeVar("_Kind", bound=Guarantee)


def to_concentrated(part: PureDP | GaussianDP | ConcentratedDP) -> ConcentratedDP:
    """The zero-concentrated guarantee that follows. Raises InvalidInput for kinds that imply none."""
    match part:
        case ConcentratedDP():
            return part
        case PureDP(epsilon=epsilon):
            return ConcentratedDP(rho=up(epsilon * math.tanh(0.5 * epsilon)), **scope(part))
        case GaussianDP(mu=mu):
            return ConcentratedDP(rho=up(0.5 * mu * mu, 5), **scope(part))
    raise _impossible(part, "zero-concentrated privacy")


def to_renyi(part: PureDP | GaussianDP | ConcentratedDP | RenyiDP, *, orders: tuple[float, ...] = ORDERS) -> RenyiDP:
    """The Renyi curve that follows, at those of `orders` where it is finite. Raises InvalidInput for kinds that imply none."""
    match part:
        case RenyiDP():
            if part.orders == orders:
                return part
            known = tuple(order for order in orders if order <= part.orders[-1])
            if not known:
                raise InvalidInput(f"the Renyi curve ends at order {part.orders[-1]:g}, below all orders that were asked for.")
            return RenyiDP(orders=known, divergences=tuple(part.divergence(order) for order in known), **scope(part))
        case PureDP(epsilon=epsilon):
            divergences = [_randomised_response(order, epsilon) for order in orders]
        case GaussianDP() | ConcentratedDP():
            rho = to_concentrated(part).rho
            divergences = [up(rho * order, 5) for order in orders]
        case _:
            raise _impossible(part, "a Renyi curve")
    return RenyiDP(orders=orders, divergences=tuple(divergences), **scope(part))


def to_profile(part: Guarantee, *, epsilons: tuple[float, ...] | None = None) -> Profile:
    """The delta curve at `epsilons` (from 0 to where it has vanished, if None), joined by chords. Raises InvalidInput for a Cramer-Rao number."""
    if isinstance(part, CramerRaoBound):
        raise _impossible(part, "a privacy profile")
    if isinstance(part, Profile) and epsilons is None:
        return part
    grid = np.linspace(0.0, max(reach_of(part), 1e-9), _POINTS) if epsilons is None else as_floats(epsilons)
    deltas = curve_of(part)(grid)
    where = _scope_of(part)
    if epsilons is not None:
        return Profile(epsilons=tuple(grid.tolist()), deltas_at=tuple(np.minimum.accumulate(deltas).tolist()), **scope(where))
    knots, values = hull(grid, deltas)
    return Profile(epsilons=knots, deltas_at=values, **scope(where))


def to_approximate(part: Guarantee, *, epsilon: float | None = None, delta: float | None = None) -> ApproximateDP | NoGuarantee:
    """One point of the curve: at `epsilon`, or at the smallest epsilon for `delta`.

    Give exactly one of them. Returns NoGuarantee if the curve never reaches `delta`, or is 1 at `epsilon`.
    """
    if (epsilon is None) == (delta is None):
        raise InvalidInput("a point of a curve needs either its epsilon or its delta, not both.")
    if isinstance(part, CramerRaoBound):
        raise _impossible(part, "differential privacy")
    where = _scope_of(part)
    if epsilon is None:
        reached = math.inf if delta is None else epsilon_for(part, delta)
        stated = 1.0 if delta is None else delta
    else:
        reached, stated = epsilon, part.delta(epsilon)
    if not (math.isfinite(reached) and stated < 1):
        return NoGuarantee(**{**scope(where), "theorem": f"{part.theorem}; its curve does not reach what was asked"})
    return ApproximateDP(epsilon=reached, delta_at_epsilon=stated, **scope(where))


def epsilon_for(part: Guarantee, delta: float) -> float:
    """The smallest epsilon (to a relative 1e-10, rounded up) at which the curve is at most `delta`; infinity if there is none below 10^6.

    Raises InvalidInput unless 0 <= delta < 1.
    """
    if not 0 <= delta < 1:
        raise InvalidInput(f"delta must lie in [0, 1); {delta!r} was given.")
    if part.delta(0.0) <= delta:
        return 0.0
    if not part.delta(_LARGEST) <= delta:
        return math.inf
    if isinstance(part, PureDP | ApproximateDP) and part.delta(part.epsilon) == delta:
        return part.epsilon
    low, high = 0.0, _LARGEST
    while high - low > 1e-10 * high and high > 1e-15:
        middle = 0.5 * (low + high) if high < 2.0 * low + 1e-9 else math.sqrt(max(low, 1e-10) * high)
        low, high = (low, middle) if part.delta(middle) <= delta else (middle, high)
    return high


def to_central(part: _Stated) -> _Stated:
    """The same numbers for anyone who has only the randomised records: a local guarantee is a central one under replace-one."""
    return replace(part, local=False)


def post_processed(part: _Kind) -> _Kind:
    """The guarantee of anything computed from a release without reading the records again: the same, for every kind (post-processing)."""
    return part


def _randomised_response(order: float, epsilon: float) -> float:
    """See module docstring; ln cosh x = x + ln((1 + e^{-2x}) / 2) for x >= 0, so that nothing overflows."""
    far, near = (order - 0.5) * epsilon, 0.5 * epsilon
    most = up(order * epsilon * math.tanh(near))
    if far < 1e-3:
        # x^2/2 - x^4/12 <= ln cosh x <= x^2/2: the closed form would cancel.
        return min(most, up((0.5 * (far - near) * (far + near) + near**4 / 12.0) / (order - 1.0)))
    difference = (order - 1.0) * epsilon + math.log1p(math.exp(-2.0 * far)) - math.log1p(math.exp(-2.0 * near))
    return min(epsilon, most, up(max(difference, 0.0) + 1e-15) / (order - 1.0))


def _scope_of(part: Guarantee) -> Statement:
    return part if isinstance(part, Statement) else Statement(neighbours=part.neighbours, theorem=part.theorem, unit=part.unit)


def _impossible(part: Guarantee, wanted: str) -> InvalidInput:
    return InvalidInput(f"{wanted} does not follow from {type(part).__name__}: there is no such conversion.")
