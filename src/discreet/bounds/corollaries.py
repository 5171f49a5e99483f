"""The corollaries of Talwar, Thakurta and Zhang (2014) as calculators, with every constant: excess of the MEAN loss over n records.

S = k L bounds what one neighbour adds to the gradient, L the l2-Lipschitz constant, k = 1 under add-remove and 2 under replace-one;
mu = mu(epsilon, delta) is the exact Gaussian calibration, so there is no log(n / delta). T is taken so large that privacy is all that is paid
(`steps=None`), unless T is given. Theorem 3.2's price is sqrt(2 R / Delta) S W / (n mu), and then

    (13)  any set of diameter D, Euclidean map      D S sqrt(d) / (n mu)
    (14)  polytope, k vertices of norm at most r    S r sqrt(2 ln k) sqrt(2 ln 2k + 1) / (n mu)         entropy of the vertices' weights
    (15)  group norm, m blocks of k coordinates     sqrt(2 R) S W / (n mu), R and W of the p-norm map: O(sqrt(k ln m) + ln m)
    (16)  nuclear norm, p x q                       the same: O(sqrt((p + q) ln min(p, q)))
    5.7   LASSO, |x|_inf, |y| <= 1, squared loss    2.38 Gamma^(1/3) (S' ln(2d) / (2 mu))^(2/3) / n, Gamma = 8 n, S' = 8 k

(16) holds for the map of `mirror_maps`, whose width is bounded by interpolation. `records_needed` turns any of them round.
"""

import math
from collections.abc import Callable

from discreet.accounting import gaussian_mu
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.validate import each, positive, whole
from discreet.mechanisms.constrained.excess import polytope_frank_wolfe, theorem_3_2
from discreet.sets import GroupL2Ball, NuclearBall
from discreet.sets.mirror_maps import MirrorMap, PNormMap

_MOST_RECORDS = 1e15
_LASSO_SLOPE = 4.0
"""|2 (f - y)| for |f|, |y| <= 1."""
_LASSO_CURVATURE = 8.0
"""2 (2 r)^2 for r = 1; the paper's 4 lacks the factor 2 of its own definition of the curvature constant."""


def corollary_13(
    *,
    diameter: float,
    dimension: int,
    lipschitz: float,
    records: float,
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    steps: int | None = None,
) -> float:
    """Any convex set."""
    positive(diameter, "diameter")
    whole(dimension, "dimension")
    return _mean(diameter**2 / 2.0, math.sqrt(dimension), 1.0, lipschitz, records, epsilon, delta, neighbours, steps)


def corollary_14(
    *, vertices: int, radius: float, lipschitz: float, records: float, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None
) -> float:
    """A polytope."""
    positive(radius, "radius")
    whole(vertices, "vertices")
    if vertices < 2:
        raise InvalidInput("a polytope with one vertex is a point, so nothing is learnt. Pass at least 2 vertices.")
    width = radius * math.sqrt(2.0 * math.log(2.0 * vertices) + 1.0)
    return _mean(math.log(vertices), width, radius, lipschitz, records, epsilon, delta, neighbours, steps)


def corollary_15(
    *, blocks: int, size: int, lipschitz: float, records: float, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None
) -> float:
    """The unit ball of the group norm."""
    each(whole, blocks=blocks, size=size)
    return _with(PNormMap(constraint=GroupL2Ball(sizes=(size,) * blocks)), lipschitz, records, epsilon, delta, neighbours, steps)


def corollary_16(
    *, rows: int, columns: int, lipschitz: float, records: float, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None
) -> float:
    """The unit ball of the nuclear norm."""
    each(whole, rows=rows, columns=columns)
    return _with(PNormMap(constraint=NuclearBall(rows=rows, columns=columns)), lipschitz, records, epsilon, delta, neighbours, steps)


def corollary_5_7(*, dimension: int, records: float, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None) -> float:
    """LASSO by private Frank-Wolfe over the vertices; T = 4 Gamma / a to the 2/3, a the regret of a step per sqrt(T), unless it is given."""
    whole(dimension, "dimension")
    positive(records, "records")
    curvature = _LASSO_CURVATURE * records
    spread = 2.0 * _LASSO_SLOPE * _copies(neighbours)
    mu = gaussian_mu(epsilon, delta)
    regret = spread * math.log(2 * dimension) / (2.0 * mu)
    best = max(1, round((4.0 * curvature / regret) ** (2.0 / 3.0)))
    return polytope_frank_wolfe(curvature=curvature, spread=spread, mu=mu, vertices=2 * dimension, steps=best if steps is None else steps) / records


def records_needed(bound: Callable[[float], float], risk: float) -> int:
    """The least n with bound(n) <= risk, for a bound that falls with n; raises InvalidInput where 1e15 records are not enough."""
    positive(risk, "risk")
    low, high = 1.0, 1.0
    while not bound(high) <= risk:
        low, high = high, 2.0 * high
        if high > _MOST_RECORDS:
            raise InvalidInput(
                f"no number of records up to {_MOST_RECORDS:g} brings the bound down to {risk:g}; ask for a larger risk or more steps."
            )
    while high - low > max(1.0, 1e-6 * high):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if bound(middle) <= risk else (middle, high)
    return math.ceil(high)


def _with(made: MirrorMap, lipschitz: float, records: float, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None) -> float:
    width = math.hypot(made.norm_width, made.norm_radius)
    return _mean(made.range / made.strong_convexity, width, made.norm_radius, lipschitz, records, epsilon, delta, neighbours, steps)


def _mean(  # noqa: PLR0913, PLR0917 - the numbers of one formula
    range_: float,
    width: float,
    radius: float,
    lipschitz: float,
    records: float,
    epsilon: float,
    delta: float,
    neighbours: Neighbours,
    steps: int | None,
) -> float:
    each(positive, lipschitz=lipschitz, records=records)
    excess = theorem_3_2(
        range_=range_,
        strong_convexity=1.0,
        gradient=records * lipschitz * radius,
        width=width,
        sensitivity=_copies(neighbours) * lipschitz,
        mu=gaussian_mu(epsilon, delta),
        steps=steps,
    )
    return excess / records


def _copies(neighbours: Neighbours) -> float:
    return 1.0 if neighbours is ADD_REMOVE else 2.0
