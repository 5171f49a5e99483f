"""What a stranger computes from the certificate of private steps over a set: the guarantee again, by other lines.

Calibration takes the loss's stated constants, closed-form radii, the optimal recursion of bounded range on its own grid, and closed forms of the
Gaussian curve. Here slopes are scanned over a grid of predictions and targets, corners included. Radii are those of the vertices, one by one, where
there are few enough, and the stated ones of larger sets. Gaussian privacy losses are integrated numerically.

Chosen vertices: bounded ranges are composed by a recursion of its own on the axis of epsilon with twice as many cells. It takes the worst split of a
range over grid points only, and no allowance for what lies between, so it is below the calibration's bound, by about 1 % of delta.

Poisson batches: calibration connects upper bounds of the curve on a grid and composes them with tilts. Here x runs over a fine grid of the real line,
the loss ln(1 + q (e^{mu x - mu^2 / 2} - 1)) of every x is split between the nearest points of a grid ten times finer than the calibration's, so that
means are kept, and masses are transformed as they are: no bound, but the truth to about 0.01 %, which the stated delta must not be below.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from discreet.accounting import ApproximateDP, Json, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import finite, whole
from discreet.core.neighbours import ADD_REMOVE
from discreet.core.rounding import raising
from discreet.losses.predictions import prediction_loss_named
from discreet.sets import Constraint, Polytope, constraint_named
from discreet.statements.base import mapping
from discreet.verification.base import AGREEMENT, Check, Stated, delta_check, epsilon_check, register_recheck
from discreet.verification.numerics import LEAST_SCALE, bound_of, discrete_integral

_SHARE = 2.0**-14
"""Rounding errors of a gradient, and of a score, in units of one record's bound."""
_CELLS, _FEWER_CELLS, _LONG = 64, 24, 300
"""Cells of a range, and fewer of them for more than so many steps, where each range is small."""
_MOST_STEPS = 5000
_LISTED = 4096
"""Vertices up to which all are looked at; symmetric sets of more than that by their stated radii."""
_SCAN = 129
SOFTMAX = "softmax"
_MOST_CLASSES, _FARTHEST = 100_000, 300.0
_LEVELS, _COUNTED = 9, 2000
_SPLIT = 64.0
_POINTS = 400_001
_MOST = 1 << 22


@register_recheck("frank-wolfe-polytope")
def _polytope(stated: Stated) -> Iterator[Check]:
    public = public_numbers(stated.problem)
    steps, step = whole(stated.parameters["steps"]), finite(stated.parameters["grid_step"])
    moved, rounded = _copies(stated) * public.slope * public.spread, 8.0 * _SHARE * public.slope * public.reach
    width, first = (finite(stated.parameters["rate"]) * ((moved * share + rounded) / step + 2.0) for share in (1.0, start_share(stated.problem)))
    if stated.parameters["pure"] is True:
        yield epsilon_check(stated, (steps - 1) * width + first, f"the ranges of {steps} choices add up", most=math.inf)
        return
    epsilon = finite(stated.parameters["epsilon"])
    found = _composed_ranges(width, steps, epsilon, first) if steps <= _MOST_STEPS else math.nan
    yield delta_check(stated, epsilon, found, f"{steps} choices of range {width:.6g}, composed on another grid")


@register_recheck("frank-wolfe-gaussian")
def _walk(stated: Stated) -> Iterator[Check]:
    yield _gaussian(stated, start_share(stated.problem))


@register_recheck("mirror-descent")
def _descent(stated: Stated) -> Iterator[Check]:
    yield _gaussian(stated, 1.0)


def _gaussian(stated: Stated, first: float) -> Check:
    """`first`: slopes at the first point over those elsewhere."""
    public = public_numbers(stated.problem)
    steps, scale, epsilon = whole(stated.parameters["steps"]), *(finite(stated.parameters[name]) for name in ("scale", "epsilon"))
    each, step = public.slope * public.radius, finite(stated.parameters["grid_step"])
    start, apart = ((_copies(stated) * share + 2.0 * _SHARE) * each / step + math.sqrt(public.dimension) for share in (first, 1.0))
    mu = math.sqrt((steps - 1) * apart**2 + start**2) / scale
    found = discrete_integral(epsilon, mu, integers=steps * public.dimension, scale=scale, stages=steps)
    return delta_check(stated, epsilon, found, f"numerical hockey-stick integral of {steps} Gaussian steps")


@register_recheck("mirror-descent-sampled")
def _sampled(stated: Stated) -> Iterator[Check]:
    public, guarantee = public_numbers(stated.problem), stated.guarantee
    steps, scale, epsilon = whole(stated.parameters["steps"]), *(finite(stated.parameters[name]) for name in ("scale", "epsilon"))
    rate, step = whole(stated.parameters["rate"]) / 2.0**20, finite(stated.parameters["grid_step"])
    root = math.sqrt(public.dimension)
    length = public.slope * public.radius / step
    apart = closeness(steps * public.dimension, scale, stages=steps)
    found = 1.0
    if scale >= LEAST_SCALE and rate <= 1 and guarantee.neighbours is ADD_REMOVE and apart.total < epsilon:
        beside = 2.0 * (_SHARE * length + 0.5 * root) * math.sqrt(steps * _SPLIT) / scale
        mu = length / (scale * math.sqrt(1.0 - 1.0 / _SPLIT))
        found = composed_batches(mu, rate, steps, beside, epsilon - apart.total) * math.exp(apart.upper)
    known = isinstance(guarantee, ApproximateDP) and stated.releases == 1 and epsilon <= guarantee.epsilon * raising(4_096)
    delta = guarantee.delta_at_epsilon if isinstance(guarantee, ApproximateDP) else math.nan
    how = f"{steps} sampled Gaussian steps, losses summed by a Fourier transform"
    yield Check("delta", known and 0 <= found <= delta * (1.0 + AGREEMENT), f"stated {delta:.6g}, recomputed {found:.6g} ({how})")


def _copies(stated: Stated) -> float:
    """k: how many records' worth neighbours differ by."""
    return 1.0 if stated.guarantee.neighbours is ADD_REMOVE else 2.0


class PublicNumbers(NamedTuple):
    """Of one record and the set."""

    dimension: int
    slope: float
    """B."""
    radius: float
    """R_2."""
    entry: float
    """R_inf."""
    reach: float
    spread: float
    one_signed: bool
    """Whether a record's slopes keep one sign, and none was asked to be clipped."""
    classes: int = 0
    """K of a softmax, whose slope, reach and spread are such that their products are what a record adds; 0 for losses of a prediction."""


def public_numbers(problem: Mapping[str, Json]) -> PublicNumbers:
    """From a problem's record. Raises KeyError, TypeError or ValueError for one that is incomplete or contradicts itself."""
    features = finite(problem["features"])
    constant = finite(problem["intercept_scale"])
    entry, norm = bound_of(problem["entry_bound"]), bound_of(problem["norm_bound"])
    target = finite(problem["target_bound"])
    dimension = int(features) + (1 if constant > 0 else 0)
    largest = max(min(entry, norm), constant)
    radius = math.sqrt(min(norm, entry * math.sqrt(features)) ** 2 + constant**2)
    if not (features >= 1 and constant >= 0 and target > 0 and math.isfinite(largest)):
        raise ValueError
    constraint = constraint_named(str(problem["constraint"]), mapping(problem["constraint_parameters"]))
    l1, l2, diameter = _sizes(constraint)
    if problem["loss"] == SOFTMAX:
        classes = whole(mapping(problem["loss_parameters"])["classes"])
        if not (
            3 <= classes <= _MOST_CLASSES and constraint.dimension == classes * dimension and target == classes - 1 and problem["max_slope"] is None
        ):
            raise ValueError
        spread = min(largest * l1, math.sqrt(2.0) * radius * l2)
        wrong, length = _of_classes(classes, spread)
        share = wrong / length
        between = min(2.0 * spread, math.sqrt(2.0) * radius * diameter)
        return PublicNumbers(classes * dimension, length, radius, largest, share * spread, share * between, False, classes)
    if constraint.dimension != dimension:
        raise ValueError
    reach = min(largest * l1, radius * l2)
    steepest = _steepest(problem, reach, target)
    declared = bound_of(problem["max_slope"])
    signed = prediction_loss_named(str(problem["loss"]), mapping(problem["loss_parameters"])).signed_targets
    spread = min(2.0 * reach, radius * diameter)
    return PublicNumbers(dimension, min(steepest, declared), radius, largest, reach, spread, signed and problem["max_slope"] is None)


def start_share(problem: Mapping[str, Json]) -> float:
    """Slopes at the point of the set that is nearest to zero, over those anywhere in it."""
    public, constraint = public_numbers(problem), constraint_named(str(problem["constraint"]), mapping(problem["constraint_parameters"]))
    zero = np.zeros(public.dimension)
    point = zero if constraint.contains(zero, tolerance=0.0) else constraint.project(zero)
    entry, (l1, l2, _) = public.entry, _sizes(constraint)
    sizes = [(float(np.abs(point).sum()), math.sqrt(float(point @ point))), (l1, l2)]
    if public.classes:
        spreads = (min(entry * one, math.sqrt(2.0) * public.radius * two) for one, two in sizes)
        here, anywhere = (_of_classes(public.classes, spread) for spread in spreads)
        return max(one / other for one, other in zip(here, anywhere, strict=True))
    reach = min(entry * sizes[0][0], public.radius * sizes[0][1])
    return min(1.0, _steepest(problem, reach, finite(problem["target_bound"])) / public.slope)


def _of_classes(classes: int, spread: float) -> tuple[float, float]:
    """The largest 1 - p_y and |p - e_y|_2 where margins differ by at most `spread`: looked for over margins of two levels above that of the class."""
    levels = np.linspace(0.0, min(spread, _FARTHEST), _LEVELS)
    high, low = (each.ravel()[:, np.newaxis] for each in np.meshgrid(levels, levels))
    counts = np.arange(1, classes) if classes <= _COUNTED else np.unique(np.geomspace(1, classes - 1, _COUNTED).round())
    wrong = length = 0.0
    for above in np.array_split(counts, math.ceil(len(counts) / 256)):
        # Divided by the largest term, so that nothing overflows.
        most = np.maximum(high, low)
        top, rest, own = np.exp(high - most), np.exp(low - most), np.exp(-most)
        total = above * top + (classes - 1.0 - above) * rest + own
        missed = 1.0 - own / total
        others = (above * top**2 + (classes - 1.0 - above) * rest**2) / total**2
        wrong, length = max(wrong, float(missed.max())), max(length, float(np.sqrt(missed**2 + others).max()))
    return wrong, length


def _steepest(problem: Mapping[str, Json], reach: float, target: float) -> float:
    """The largest slope in size over a grid of predictions and targets; convexity puts it at the ends of the predictions."""
    loss = prediction_loss_named(str(problem["loss"]), mapping(problem["loss_parameters"]))
    ends = np.unique(np.concatenate((np.linspace(-reach, reach, _SCAN), [0.0])))
    targets = np.array([-target, target]) if loss.signed_targets else np.linspace(-target, target, _SCAN)
    predictions, aims = np.meshgrid(ends, targets)
    return float(np.abs(loss.slope(predictions, aims)).max())


def _sizes(constraint: Constraint) -> tuple[float, float, float]:
    """l1 radius, l2 radius and diameter."""
    if isinstance(constraint, Polytope) and constraint.vertex_count * constraint.dimension <= _LISTED**2 // 4 and constraint.vertex_count <= _LISTED:
        points = np.array([constraint.vertex(index) for index in range(constraint.vertex_count)])
        squares = np.square(points).sum(axis=1)
        farthest = math.sqrt(max(0.0, float((squares[:, np.newaxis] + squares - 2.0 * points @ points.T).max())))
        return float(np.abs(points).sum(axis=1).max()), float(np.linalg.norm(points, axis=1).max()), farthest
    return constraint.l1_radius, constraint.l2_radius, constraint.diameter


def _composed_ranges(width: float, count: int, epsilon: float, first: float) -> float:
    """H_T of H_k(e) = max over t on a grid of q_t H_{k-1}(e - t) + (1 - q_t) H_{k-1}(e - t + R), q_t = (e^R - e^t) / (e^R - 1), H_0 = (1 - e^e)_+.

    H_T is the one whose range is that of the `first` choice: whole cells, of a size that it has hardly more than.
    """
    if not 0 < first <= width * (1.0 + 1e-9) <= 50:
        return math.nan
    if epsilon >= (count - 1) * width + first:
        return 0.0
    width = first if count == 1 else width
    least = _CELLS if count <= _LONG else _FEWER_CELLS
    cells = min(range(least, 2 * least), key=lambda number: (number * first / width + 1e-9) % 1.0)
    cell = width / cells
    far = math.ceil((max(epsilon, 0.125 * width * width * count) + 5.0 * width * math.sqrt(count) + 2.0 * width) / cell)
    far = min(far, (count + 1) * cells)
    points = cell * np.arange(-far, far + 1)
    values = np.maximum(0.0, -np.expm1(points))
    for taken in range(1, count + 1):
        if taken == count:
            cells = max(1, math.floor(first / cell + 1e-9))
        low: Floats = -np.expm1(cell * np.arange(-far - cells, -far))
        splits = [(m, (math.exp(cells * cell) - math.exp(m * cell)) / math.expm1(cells * cell)) for m in range(cells + 1)]
        # H(-e) = 1 - e^-e + e^-e H(e): below the left end, to first order, 1 - e^e.
        padded = np.concatenate((low, values, np.full(cells, values[-1])))
        best = np.zeros_like(values)
        for m, q in splits:
            start = cells - m
            near = padded[start : start + len(values)]
            far_off = padded[start + cells : start + cells + len(values)]
            np.maximum(best, q * near + (1.0 - q) * far_off, out=best)
        values = best
    place = epsilon / cell + far
    left = int(place)
    share = math.expm1((place - left) * cell) / math.expm1(cell)
    return float(values[left] * (1.0 - share) + values[min(left + 1, len(values) - 1)] * share)


def composed_batches(mu: float, rate: float, steps: int, beside: float, epsilon: float) -> float:
    """The larger hockey-stick divergence of the two directions."""
    x = np.linspace(-12.0, 12.0 + mu, _POINTS)
    centred = np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) * (x[1] - x[0])
    losses = np.log1p(rate * np.expm1(mu * x - 0.5 * mu * mu))
    spread = rate * math.sqrt(math.expm1(min(mu * mu, 50.0)))
    total = math.sqrt(steps) * spread + beside
    cell = max(0.004 * spread, 40.0 * total / _MOST)
    size = 1 << min(22, max(12, math.ceil(math.log2((40.0 * total + 4.0 * steps * spread**2 + 2.0 * float(losses[-1])) / cell))))
    frequencies = np.arange(size // 2 + 1) * (2.0 * math.pi / (size * cell))
    gaussian = np.exp(-0.5 * np.square(beside * frequencies) - 1j * frequencies * 0.5 * beside**2)
    places = np.arange(size)
    sums = np.where(places >= size // 2, places - size, places) * cell
    worst = 0.0
    for masses, sign in ((centred * np.exp(losses), 1.0), (centred, -1.0)):
        place = np.floor(sign * losses / cell)
        share = sign * losses / cell - place
        first = place.astype(np.int64)
        table = np.bincount(first % size, weights=masses * (1.0 - share), minlength=size)
        table += np.bincount((first + 1) % size, weights=masses * share, minlength=size)
        law = np.maximum(np.fft.irfft(np.fft.rfft(table) ** steps * gaussian, size), 0.0)
        worst = max(worst, float(law @ np.maximum(0.0, -np.expm1(np.minimum(epsilon - sums, 0.0)))))
    return worst
