"""The Poisson-subsampled Gaussian mechanism, many times: every record takes part with probability q, independently and in secret, and noise is added.

For neighbours that differ in one record (add-remove) on which an answer depends by at most Delta, mu = Delta / sigma, the answers are at least as
hard to tell apart as P = (1 - q) N(0, 1) + q N(mu, 1) and Q = N(0, 1): given which other records take part the answers are such a pair, and mixing
does not increase a hockey-stick divergence. With e = epsilon of any sign and H(e) that of the pair,

    removing   H(P, Q; e) = q delta_G(ln(1 + (e^e - 1) / q); mu)  where e^e > 1 - q, else 1 - e^e
    adding     H(Q, P; e) = a delta_G(ln(q e^e / a); mu)          where a = 1 - e^e (1 - q) > 0, else 0

(Zhu, Dong and Wang 2022, theorem 11). Both directions are put on a grid ("connect the dots", Doroshenko et al. 2022) and composed by module
`convolution`, each by itself; the curve is the larger. Grid masses: with U_j >= H(j h), g_j = e^{j h}, B_j = (U_j - U_{j+1}) / (g_{j+1} - g_j) made
non-increasing, and the slope of the chord from (0, 1) on the left, q_j = B_{j-1} - B_j and p_j = g_j q_j; what is beyond J h counts as infinite
(note composition.md, sections 2 and 3, read with j from -J to J: the total is at least 1, and H of the pair at least U_j everywhere).
Under replace-one the pair is another one, and nothing is stated here.
"""

import math
from functools import partial

import numpy as np

from discreet.accounting.convolution import Masses, curve_together
from discreet.accounting.gaussian import GaussianDP, gaussian_deltas
from discreet.accounting.numerical import pessimistic_masses
from discreet.accounting.profile import Profile, hull
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE
from discreet.core.rounding import raising
from discreet.core.validate import whole

_INFLATION = 1e-11
_FLOOR = 1e-24
_FARTHEST = 60.0
_REACH = 10.5
_KNOTS = 600
_LONGEST = 1 << 19


def removed_deltas(epsilons: Floats, *, mu: float, rate: float) -> Floats:
    """Upper bounds of H(P, Q; e), one step, for any real e."""
    gains = np.expm1(epsilons) / rate
    inside = gains > -1.0 + 1e-12
    logarithms = np.log1p(np.where(inside, gains, 0.0))
    # Moved down by more than their rounding errors: a smaller epsilon has a larger delta.
    lowered = logarithms - 1e-14 * (1.0 + np.abs(logarithms)) - 6e-16 * (1.0 + np.abs(gains)) / (1.0 + np.where(inside, gains, 0.0))
    deltas: Floats = np.where(inside, rate * gaussian_deltas(lowered, mu), -np.expm1(epsilons) + 1e-12 * rate)
    return np.minimum(1.0, deltas * raising(45))


def added_deltas(epsilons: Floats, *, mu: float, rate: float) -> Floats:
    """Upper bounds of H(Q, P; e), one step, for any real e."""
    left = -np.expm1(epsilons + (math.log1p(-rate) if rate < 1 else -math.inf))
    # `left` moved up by more than its rounding error: the larger it is, the larger is H.
    raised = np.maximum(left, 0.0) + 4e-15
    logarithms = epsilons + math.log(rate) - np.log(raised)
    deltas = raised * gaussian_deltas(logarithms - 1e-14 * (1.0 + np.abs(logarithms)), mu)
    found: Floats = np.where(left < -2e-15, 0.0, np.minimum(1.0, deltas * raising(45)))
    return found


def subsampled_gaussian(*, mu: float, rate: float, count: int, extra_mu: float = 0.0) -> Profile:
    """The curve of `count` adaptive steps, and of one Gaussian mechanism of `extra_mu` beside them; add-remove.

    `rate` q in (0, 1]. Raises InvalidInput for numbers out of range, and where the grid would be too long.
    """
    if not (0 < mu < math.inf and 0 < rate <= 1 and 0 <= extra_mu < math.inf):
        raise InvalidInput(f"subsampling needs mu > 0 and a rate in (0, 1]; mu={mu!r}, rate={rate!r}, extra_mu={extra_mu!r} were given.")
    whole(count, "the number of steps")
    spread = rate * math.sqrt(math.expm1(min(mu * mu, 50.0)))
    reach = min(_FARTHEST, max(_largest_loss(mu, rate), 4.0 * spread))
    step = min(0.05 * spread, 0.25, (8.0 * spread * math.sqrt(count) + 0.5 * count * spread**2) / 4096.0)
    if 2.0 * reach / step > _LONGEST:
        step = 2.0 * reach / _LONGEST
    curves = []
    for curve in (partial(removed_deltas, mu=mu, rate=rate), partial(added_deltas, mu=mu, rate=rate)):
        parts = [(_masses(curve, step=step, reach=reach), count)]
        if extra_mu > 0:
            beside = GaussianDP(mu=extra_mu, neighbours=ADD_REMOVE, theorem="Gaussian")
            parts.append((pessimistic_masses(beside.deltas, step=step, reach=extra_mu * (0.5 * extra_mu + _REACH)), 1))
        curves.append(curve_together(parts, step=step))
    length = max(len(deltas) for _, deltas in curves)
    deltas = np.max([np.append(each, np.full(length - len(each), each[-1])) for _, each in curves], axis=0)
    epsilons: Floats = step * np.arange(length, dtype=np.float64)
    kept = np.unique(np.concatenate(([0, length - 1], np.geomspace(1, length - 1, _KNOTS), np.linspace(0, length - 1, _KNOTS))).astype(np.intp))
    knots, values = hull(epsilons[kept], deltas[kept])
    return Profile(epsilons=knots, deltas_at=values, neighbours=ADD_REMOVE, theorem="Poisson-subsampled Gaussian steps, composed numerically")


def _largest_loss(mu: float, rate: float) -> float:
    """A loss beyond which less than _FLOOR is left."""
    farthest = mu * (0.5 * mu + _REACH)
    return math.log1p(rate * math.expm1(min(farthest, 500.0)))


def _masses(curve: "partial[Floats]", *, step: float, reach: float) -> Masses:
    """Connect the dots over -J .. J."""
    count = math.ceil(reach / step) + 1
    epsilons: Floats = step * np.arange(-count, count + 1, dtype=np.float64)
    # A little to the left, so that the bound holds at the exact grid point.
    upper = np.minimum.accumulate(curve(epsilons - 1e-15 * (1.0 + np.abs(epsilons))))
    growth = np.exp(epsilons)
    chords = (upper[:-1] - upper[1:]) / (growth[:-1] * math.expm1(step))
    first = (1.0 - upper[0]) / growth[0]
    slopes = np.concatenate(([first], chords, [0.0]))
    slopes = np.maximum.accumulate(slopes[::-1])[::-1]
    likely = (slopes[:-1] - slopes[1:]) * growth
    return Masses(first=-count, finite=likely * (1.0 + _INFLATION), infinite=float(upper[-1]) * (1.0 + _INFLATION))
