"""What a stranger computes from a certificate for K classes: the guarantee again, by other lines.

Multinomial. The line above the Jacobian term is found anew: for every slope its height is the largest gap of the exact ln det(I + a S(p)) over
vectors p of two levels (m classes share q, the others 1 - q), and the best slope is searched for, at the stated epsilon and at quarters of it. Pairs
of classes are integrated over the gap between their losses by Gauss-Legendre; where a record comes or goes, the supremum over p itself too (module
`suprema`). Where persons have several rows the determinant is a trace, and the tangent of the hockey stick is searched for too.

One-vs-rest. The privacy loss of one problem is the supremum over a scan of the loss's own derivatives; its curve is a Gauss-Legendre sum; K of them
are composed on a grid three times finer than the calibration's, by sums of products where they are few and by a plain Fourier transform where they
are many; a replaced record is two steps, split at the best point. Where persons have several rows it is the law of a sum of suprema, one for each
class, on a grid four times finer, by one tilted transform.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE
from discreet.verification import several
from discreet.verification.base import Check, Stated, epsilon_check, register_recheck
from discreet.verification.compositions import composed, curve_of, deviations, sum_beyond, two_steps
from discreet.verification.numerics import (
    drawn_radius,
    gaussian_integral,
    hinge,
    last_stage,
    least_tangent,
    noise_error,
    normal_above,
    normal_excess,
    panels,
    place_of_least,
    upper_lines,
)
from discreet.verification.scans import Scan, scan_of, several_rows
from discreet.verification.stages import STAGES, First, Stages, smooth, with_last
from discreet.verification.suprema import Suprema
from discreet.words.learning import dimension_of

one_direction = lazily("discreet.verification.one_direction")
_MOST_CLASSES = 100_000
_FARTHEST = 300.0
"""Epsilon up to which chords are taken: twice its exponential is a double."""
_BEYOND = np.linspace(13.25, 38.0, 100)
"""Normal numbers that a tiny delta is about."""
_SEARCHED = 4
"""Epsilons up to the stated one, and as many again for each multiple, at which the slope of the line is searched for."""
_LOOSE = 0.1
"""As `CLOSE` of module `base`, of M3, which takes the suprema over probabilities and over determinants one by one."""


@register_recheck("multinomial-perturbation-gaussian", "one-vs-rest-gaussian")
def _gaussian(stated: Stated) -> Iterator[Check]:
    yield from several.checks(stated)


def _multinomial_stages(stated: Stated) -> Stages:
    classes, bound, ratio, ridge = _multinomial(stated.problem)
    s = bound / positive(stated.parameters["scale"])
    several = several_rows(stated.problem)
    shares, dets = _two_levels(classes, ratio, several=several)
    coming = [(2.0, classes - 1), (0.0, 1)]
    mixtures = [(1, coming)]
    if stated.guarantee.neighbours is not ADD_REMOVE:
        mixtures.append((classes - 1, [(8.0, 1), (6.0, classes - 2), (2.0, 1)]))

    def with_slope(slope: float, epsilon: float, mu: float = 0.0) -> float:
        height = max(0.0, float(np.max(dets - slope * shares)))
        bend = max(0.0, slope - 0.5 * s * s)

        def coupled(start: float, mu: float) -> float:
            return sum(count * _mixture(shifts, s, bend, start - height, classes, mu, linear=several) for count, shifts in mixtures)

        def mixed(start: float, mu: float) -> float:
            curved = _mixture(coming, 2.0 * s, max(0.0, 2.0 * (slope - s * s)), start - 2.0 * height, classes, mu, linear=True)
            return 0.5 * (curved + _mixture(coming, 2.0 * s, 0.0, start, classes, mu, linear=True))

        if not several:
            return coupled(epsilon, mu)
        return min(least_tangent(epsilon, each, mu) for each in (coupled, mixed)[: len(mixtures)])

    apart = positive(stated.parameters["epsilon"]) / _SEARCHED
    places, near = np.linspace(0.0, ratio, 5 if several else 17), (1e-2 if several else 1e-3) * ratio

    @lru_cache
    def best(number: int) -> float:
        return place_of_least(lambda slope: with_slope(slope, number * apart), places, near=near)

    suprema = Suprema.of(classes, s, ratio, shares, dets) if not several and len(mixtures) == 1 else None
    alone = stated.mechanism == "multinomial-perturbation-gaussian"  # no set, whose penalty may bend as fast as it likes
    steady = _steady(classes, s, ratio, 1 if stated.guarantee.neighbours is ADD_REMOVE else 2) if alone and not several else None

    @lru_cache
    def law_near(number: int) -> Callable[[float, float], float] | None:
        """Of the supremum, with the line that is best there; None where pairs of classes are well ahead, for it takes long."""
        near = number * apart
        if suprema is None or suprema.delta(near, near, 0.0) >= 1.2 * with_slope(best(number), near):
            return None
        return partial(suprema.delta, near)

    def first(epsilon: float, mu: float) -> float:
        # Every slope bounds delta: the best at the two nearest of the searched epsilons is used between them, of persons at the nearest.
        searched = {round(epsilon / apart)} if several else {math.floor(epsilon / apart), math.ceil(epsilon / apart)}
        found = min(with_slope(best(number), epsilon, mu) for number in searched)
        others = [steady(epsilon, mu)] if steady else []
        law = law_near(round(epsilon / apart))
        others += [law(epsilon, mu)] if law else []
        return min((found, *others))

    return with_last(stated, _radius(stated, ridge), smooth(first, "numerical integrals over pairs of classes"))


def _steady(classes: int, s: float, ratio: float, records: int) -> Callable[[float, float], float] | None:
    """(epsilon, mu) -> delta by M4, with mu-GDP joined; None where the log ratio may change faster than the shift of its records says.

    T is the largest (by halving) at which no share t makes the slope more than sqrt(2) s a record; tails of K - 1 normal numbers by quadrature.
    """
    shares, most = np.geomspace(1e-6, 1.0, 401), records * math.sqrt(2.0) * s

    def slow(length: float) -> bool:
        slope = s * np.sqrt(2.0 - shares) + ratio * shares * (length + most) + math.sqrt(8.0) * ratio**2 * shares / s
        return bool(np.all(slope <= math.sqrt(2.0) * s))

    low, high = most, 200.0
    if not slow(low):
        return None
    for _ in range(60):
        low, high = (middle, high) if slow(middle := 0.5 * (low + high)) else (low, middle)
    outside, shifted = (records * _chi_beyond(classes - 1, length) for length in (low, low - most))
    if shifted >= 0.5:
        return None
    return lambda epsilon, mu: gaussian_integral(epsilon + math.log1p(-shifted), math.hypot(most, mu)) + outside


def _chi_beyond(count: int, length: float) -> float:
    """P(|g| > length), g of so many independent standard normal numbers."""
    reach, weight = panels(np.linspace(length, max(length, math.sqrt(count)) + 15.0, 121))
    logarithm = (count - 1) * np.log(np.maximum(reach, 1e-300)) - 0.5 * reach**2 - (0.5 * count - 1.0) * math.log(2.0) - math.lgamma(0.5 * count)
    return float(weight @ np.exp(logarithm))


@register_recheck("multinomial-perturbation-pure")
def _multinomial_pure(stated: Stated) -> Iterator[Check]:
    classes, bound, ratio, ridge = _multinomial(stated.problem)
    unit = positive(stated.parameters["rate"]) * bound
    shares, dets = _two_levels(classes, ratio, several=several_rows(stated.problem))
    first = float(np.max(unit * np.sqrt(2.0 - shares) + dets)) + (0.0 if stated.guarantee.neighbours is ADD_REMOVE else math.sqrt(2.0) * unit)
    total = first + last_stage(stated.parameters, dimension_of(stated.problem), _radius(stated, ridge))
    yield epsilon_check(stated, total, "supremum of the log density ratio over probabilities, plus the last stage", most=_LOOSE)


@register_recheck("one-vs-rest-pure")
def _one_vs_rest_pure(stated: Stated) -> Iterator[Check]:
    scan, classes = scan_of(stated.problem), _classes(stated.problem)
    shift = positive(stated.parameters["rate"]) * scan.gradient
    first = float(np.max(shift * scan.slopes + scan.jacobian)) + (0.0 if stated.guarantee.neighbours is ADD_REMOVE else shift)
    each = dimension_of(stated.problem) // classes
    total = classes * (first + last_stage(stated.parameters, each, drawn_radius(stated, scan.ridge, noise_error(stated, each))))
    yield epsilon_check(stated, total, "the classes' suprema of the log density ratio, plus their last stages")


def _one_vs_rest_stages(stated: Stated) -> Stages:
    scan, classes = scan_of(stated.problem), _classes(stated.problem)
    s = scan.gradient / positive(stated.parameters["scale"])
    alone = stated.guarantee.neighbours is ADD_REMOVE
    how = "a finer composition of the classes' losses"
    if several_rows(stated.problem):
        first = smooth(partial(_of_persons, scan, s, classes, alone=alone), how)
    else:
        first = _of_rows(scan, s, classes, how, alone=alone, farthest=deviations(stated))
    return with_last(stated, _radius(stated, scan.ridge, classes), first)


STAGES |= {"multinomial-perturbation-gaussian": _multinomial_stages, "one-vs-rest-gaussian": _one_vs_rest_stages}


def _of_rows(scan: Scan, s: float, classes: int, how: str, *, alone: bool, farthest: float) -> First:
    """Of K problems together."""
    losses, masses = _composed(scan, s, classes, farthest)
    mu = (1.0 if alone else 2.0) * math.sqrt(classes) * s
    # No slack: K Gaussian mechanisms, for which the grid is coarse.
    slack_free = bool(np.all(scan.jacobian <= 0.5 * s * s * scan.slopes * (1.0 - scan.slopes) + 1e-12))
    if alone:
        one_step = curve_of(losses, masses)

        def of_both(epsilon: float, also: float) -> float:
            joined = masses[:-1] @ hinge(losses + 0.5 * also * also - epsilon, also) + masses[-1] if also else one_step(np.array(epsilon))
            steps = float(joined)
            return min(steps, gaussian_integral(epsilon, math.hypot(mu, also))) if slack_free else steps

        return smooth(of_both, how)
    first = two_steps(curve_of(losses, masses), min(_FARTHEST, 4.0 * math.sqrt(classes) * s + classes * float(scan.jacobian.max())))
    return First(lambda epsilon: min(first(epsilon), gaussian_integral(epsilon, mu)), how) if slack_free else First(first, how)


def _of_persons(scan: Scan, s: float, classes: int, epsilon: float, mu: float, *, alone: bool) -> float:
    """The same where persons have several rows, whose losses are sums over the classes, with mu-GDP joined."""
    if alone:
        return least_tangent(epsilon, _sum_of_classes(scan.slopes * s, scan.jacobian, s, classes, epsilon), mu)
    halves = [_sum_of_classes(scan.slopes * 2.0 * s, times * scan.jacobian, 2.0 * s, classes, epsilon) for times in (2.0, 0.0)]
    return least_tangent(epsilon, lambda threshold, mu: 0.5 * sum(half(threshold, mu) for half in halves), mu)


def _sum_of_classes(slopes: Floats, heights: Floats, s: float, classes: int, epsilon: float) -> Callable[[float, float], float]:
    """`sum_beyond` of suprema over the slopes."""
    g, weight = panels(np.concatenate((np.linspace(-13.0, 13.0, 313), _BEYOND)))
    weight = weight * np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi)
    return sum_beyond(np.maximum(upper_lines(slopes, 0.5 * np.square(slopes) + heights)(g), 0.0), weight, s, classes, epsilon)


def _radius(stated: Stated, ridge: float, minimisers: int = 1) -> float:
    """See `drawn_radius`."""
    return drawn_radius(stated, ridge, noise_error(stated), minimisers=minimisers)


def _classes(problem: Mapping[str, Json]) -> int:
    classes = positive(problem["classes"])
    if classes != int(classes) or not 2 < classes <= _MOST_CLASSES:
        raise ValueError
    return int(classes)


def _multinomial(problem: Mapping[str, Json]) -> tuple[int, float, float, float]:
    """K, c_max R, c_max R^2 / lambda and lambda."""
    if problem["loss"] != "multinomial-logistic":
        raise ValueError
    radius = math.hypot(positive(problem["data_norm"]), finite(problem["intercept_scale"]))
    weight, ridge = positive(problem["max_weight"]), positive(problem["ridge"])
    return _classes(problem), weight * radius, weight * radius**2 / ridge, ridge


def _two_levels(classes: int, ratio: float, *, several: bool) -> tuple[Floats, Floats]:
    """1 - |p|^2 and ln det(I + ratio S(p)) over vectors p of two levels; the trace of ratio S(p) where persons have several rows."""
    q = np.unique(np.concatenate((np.geomspace(1e-6, 0.5, 400), 1.0 - np.geomspace(1e-6, 0.5, 400), [0.0, 1.0])))
    shares, dets = [], []
    for inside in np.unique(np.geomspace(1, classes - 1, 40).round()):
        outside = classes - inside
        high, low = q / inside, (1.0 - q) / outside
        weighted = inside * high**2 / (1.0 + ratio * high) + outside * low**2 / (1.0 + ratio * low)
        shares.append(1.0 - inside * high**2 - outside * low**2)
        dets.append(inside * np.log1p(ratio * high) + outside * np.log1p(ratio * low) + np.log1p(-ratio * weighted))
    found = np.maximum(np.concatenate(shares), 0.0)
    return found, ratio * found if several else np.maximum(np.concatenate(dets), 0.0)


def _mixture(shifts: list[tuple[float, int]], s: float, bend: float, epsilon: float, classes: int, mu: float = 0.0, *, linear: bool = False) -> float:
    """E (1 - e^{epsilon - sup_p - l})_+, or E (sup_p + l - epsilon)_+, l as in `excess`: single classes, and pairs within 2 bend of each other."""
    total, start = 0.0, max(epsilon, 0.0) if linear and not mu else epsilon
    rise = normal_above if linear else hinge
    for square, count in shifts:
        far = math.sqrt(square) * s
        if square:
            total += count * (normal_excess(start, far, mu) if linear else gaussian_integral(start, math.hypot(far, mu)))
        else:
            total += count * float(rise(np.array(0.5 * mu * mu - start), mu))
    for first, count in shifts if bend else ():
        for second, other in shifts:
            pairs = 0.5 * count * (count - 1) if first == second else 0.5 * count * other
            if pairs:
                total += pairs * _pair(first, second, s, bend, start, 1.0 - 1.0 / classes, mu, rise)
    return total + (start - epsilon)


def _pair(
    first: float, second: float, s: float, bend: float, epsilon: float, share: float, mu: float, rise: Callable[[Floats, float], Floats]
) -> float:
    centre, spread = 0.5 * (first - second) * s * s, math.sqrt(2.0) * s
    reach = 12.0 * spread + abs(centre)
    width = min(2.0 * bend, reach)
    edges = np.linspace(-width, width, 2 * math.ceil(4.0 + 2.0 * width / spread) + 1)
    gap, weight = panels(edges)
    density = np.exp(-0.5 * np.square((gap - centre) / spread)) / (math.sqrt(2.0 * math.pi) * spread) * weight
    mean = 0.25 * (first + second) * s * s + 0.25 * (first - second) * (gap - centre) + 0.5 * mu * mu - epsilon + 0.5 * np.abs(gap)
    sigma = math.hypot(s * math.sqrt(max(0.0, 0.5 * (first + second - 1.0) - 0.125 * (first - second) ** 2)), mu)
    lift = share * np.square(np.maximum(2.0 * bend - np.abs(gap), 0.0)) / (4.0 * bend)
    return float(density @ (rise(mean + lift, sigma) - rise(mean, sigma)))


def _composed(scan: Scan, s: float, classes: int, farthest: float) -> tuple[Floats, Floats]:
    """Losses of K problems together and their masses, see `composed`."""
    g, weight = panels(np.concatenate((np.linspace(-13.0, 13.0, 157), _BEYOND)))
    weight = weight * np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi)
    worst = np.maximum(upper_lines(scan.slopes * s, 0.5 * np.square(scan.slopes * s) + scan.jacobian)(g), 0.0)
    along = one_direction.one_direction(scan.slopes, scan.jacobian, s)
    return composed(worst, weight, classes, step=0.01 * s, reach=s * (0.5 * s + farthest) + float(scan.jacobian.max()), beside=along)
