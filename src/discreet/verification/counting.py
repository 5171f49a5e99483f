"""What a stranger computes from the certificate of a release of integers: its guarantee again, by other lines.

Counts, pure: the largest log ratio of the two laws over a scan of integers, coordinate by coordinate, instead of sensitivities over scales.

Counts, Gaussian: the calibration sums over the integer T of the histogram and takes distribution functions of the sum. Here the roles are exchanged,
the law of a difference is convolved instead of written with theta functions, that of a sum over many columns is a power of a transform, and noise is
enumerated up to a scale of 2^18, where the calibration has long taken a normal law.

Curvature: the largest contribution of a record is searched by maximising over margins with a scan of its own, and the Gaussian curve is integrated.

Chosen bounds: choices are counted from what one record can do, the largest number of lists of scores that it moves, over records at all places of
the grid. The Renyi divergence of a choice is the largest over a scan of two-point laws, instead of a closed form; pure epsilons add up.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp, ndtr

from discreet.accounting import Json, PureDP, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive, text, whole
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.statements.base import filled, mapping, persons_of
from discreet.verification.base import AGREEMENT, Check, Stated, delta_check, epsilon_check, spec_of, verifies
from discreet.verification.learning import scan_of_predictions
from discreet.verification.moments import farthest_moments, farthest_summary
from discreet.verification.numerics import discrete_integral
from discreet.verification.scans import loss_of
from discreet.words.counting import (
    MOST_COLUMNS,
    WHOLE,
    BoundsSpec,
    CountsSpec,
    CurvatureSpec,
    GaussianCounts,
    LaplaceCounts,
    curvature_integers,
    rows_made,
)
from discreet.words.learning import dimension_of, target_units
from discreet.words.regression import prediction_problem

_AGREEMENT_OF_SUMS = 1e-7
"""Relative room for a million rounded terms and differences of distribution functions."""
_AGREEMENT_OF_SCANS = 1e-5
"""Relative room for two scans over orders and laws."""
_LEAST = 1e-17
"""What a sum of a million doubles that is a delta is known to at best: probabilities of 1 cancel in it."""
_ENUMERATED = 2.0**18
_CONVOLVED = 2.0**13
_MOST = 1 << 20
_ORDERS = 1.0 + np.geomspace(0.01, 1e4, 1200)
_FARTHEST = 14.0
"""In standard deviations; what is beyond has a probability below 2 e^{-98}."""
_SLICES = 1 << 15
_KNOWN_TO = 1e-6
"""Probabilities that sum to 1 but for more are none."""
_TRANSFORMED = 4096
"""Numbers from which on two laws are convolved by a transform."""
_ROUNDED = 1e-14
"""Of the largest probability: below it a transform knows nothing."""


class _Move(NamedTuple):
    """What one record moves: the step of each coordinate that moves, and the scale of the noise on it."""

    steps: tuple[float, ...]
    scale: float
    spread: int = 0
    """How many coordinates may move where they share these steps, in L1 and L2 norm, as rows of one person do; 0 where they do not."""

    @property
    def moved(self) -> int:
        """How many coordinates may move."""
        return max(len(self.steps), self.spread)


@verifies(LaplaceCounts)
def _laplace(stated: Stated, spec: LaplaceCounts) -> Iterator[Check]:
    total = 0.0
    for move in _moves(stated, spec, manhattan=True):
        for step in move.steps:
            k = np.linspace(-3.0 * abs(step) - 3.0, 3.0 * abs(step) + 3.0, 1001).round()
            total += float(np.max((np.abs(k - step) - np.abs(k)) / move.scale))
    yield epsilon_check(stated, total, "largest log ratio of the discrete laws")


@verifies(GaussianCounts)
def _gaussian(stated: Stated, spec: GaussianCounts) -> Iterator[Check]:
    computed = _divergence(_moves(stated, spec), spec.epsilon)
    yield delta_check(stated, spec.epsilon, computed, "hockey-stick sum over integers", room=_AGREEMENT_OF_SUMS, least=_LEAST)


@verifies(CurvatureSpec)
def _curvature(stated: Stated, spec: CurvatureSpec) -> Iterator[Check]:
    moved, integers = _curvature_moved(stated, spec), curvature_integers(stated.problem)
    computed = discrete_integral(spec.epsilon, moved / spec.scale, integers=integers, scale=spec.scale)
    yield delta_check(stated, spec.epsilon, computed, "largest contribution searched over margins, numerical integral of the Gaussian curve")


def losses_of_curvature(stated: Stated) -> tuple[Floats, Floats]:
    """Privacy losses of one released curvature, and their probabilities: slices of a normal law, with the lemma's price."""
    spec = spec_of(stated, CurvatureSpec)
    mu, apart = _curvature_moved(stated, spec) / spec.scale, closeness(curvature_integers(stated.problem), spec.scale)
    ends = np.linspace(-_FARTHEST, _FARTHEST, _SLICES + 1)
    losses = mu * 0.5 * (ends[1:] + ends[:-1]) + 0.5 * mu * mu + apart.total
    return losses, math.exp(apart.upper) * np.abs(np.diff(ndtr(-np.abs(ends))))


def _curvature_moved(stated: Stated, spec: CurvatureSpec) -> float:
    """How far neighbours' answers are apart."""
    problem, unit, levels = stated.problem, spec.unit, spec.levels
    functions, several = whole(problem.get("classes", 1)) * (len(target_units(problem)) or 1), persons_of(problem)
    weights = dimension_of(problem) / functions
    if "made_rows" in problem:
        rows = rows_made(problem)
        weights, rounded = weights - rows, 0.51 * math.sqrt(rows + rows * (rows + 1) / 2.0)
        # However the answers of a record's rows hang together, means over them are no longer than the longest row; rounding takes from both ends.
        exact = levels * _largest_contribution(stated) + 1.0
        longest, apart = exact + rounded, math.sqrt(4.0 * (exact + rounded) ** 2 - 2.0 * exact**2)
        return 5.0 * (unit + 0.5 * math.sqrt(weights) + 1.0) ** 2 * (longest if stated.guarantee.neighbours is ADD_REMOVE else apart)
    row = unit + 0.5 * math.sqrt(weights) + 1.0
    if problem.get("scheme") == "multinomial":
        rounded = math.sqrt(functions * (functions + 1)) * (several.rows if several.several else 0.5)
        exact = levels * _largest_of_softmax()
        longest, apart = exact + rounded, math.sqrt(4.0 * (exact + rounded) ** 2 - 2.0 * exact**2)
    else:
        longest = math.sqrt(functions) * (levels * _largest_contribution(stated) + 1.0)
        apart = math.sqrt(2.0) * longest
    return 5.0 * row * row * (longest if stated.guarantee.neighbours is ADD_REMOVE else apart)


def _largest_of_softmax() -> float:
    """The largest length of (2 S(p), (p - e)(p - e)' / 2) by the bound in third powers: for every p_e the best sum of squares of the other shares."""
    rest = np.linspace(0.0, 1.0, 200_001)
    own = 1.0 - rest
    bend = rest**4 / 4.0 - 4.0 * rest**3 * (2.0 - rest)
    rise = 4.0 * rest**2 * (1.0 + 2.0 * own**2) + 0.5 * rest**4
    spread = np.clip(-0.5 * rise / np.where(bend < 0, bend, -1.0), 0.0, 1.0)
    return math.sqrt(float(np.max(4.0 * (own * rest) ** 2 + rest**4 / 4.0 + rise * spread + bend * spread**2)))


@verifies(BoundsSpec)
def _bounds_choice(stated: Stated, spec: BoundsSpec) -> Iterator[Check]:
    width = spec.rate
    count = sum(_lists_moved(mapping(column), stated.guarantee.neighbours) for column in filled(stated.problem["columns"]))
    if isinstance(stated.guarantee, PureDP):
        if spec.epsilon is not None:
            raise ValueError
        yield epsilon_check(stated, count * width, f"{count} choices of range {width:.6g}")
        return
    epsilon = positive(spec.epsilon)
    computed = 0.0 if count * width <= epsilon * (1.0 + AGREEMENT) else _delta_of_choices(width, count, epsilon)
    how = f"{count} choices of range {width:.6g}, Renyi divergences scanned over two-point laws"
    yield delta_check(stated, epsilon, computed, how, room=_AGREEMENT_OF_SCANS)


def losses_of_counts(stated: Stated) -> tuple[Floats, Floats]:
    """Privacy losses of one query with Gaussian noise, and their probabilities: each to a billionth of itself, but for those that are 1e-42 in all.

    Raises ValueError where floating-point numbers do not hold them so.
    """
    (move,) = _moves(stated, spec_of(stated, CountsSpec))
    length = math.sqrt(sum(step**2 for step in move.steps)) / move.scale
    above = 1.0
    if _is_wide(move):
        apart = closeness(move.moved, move.scale)
        ends = np.linspace(-_FARTHEST, _FARTHEST, _SLICES + 1)
        losses = length * 0.5 * (ends[1:] + ends[:-1]) + 0.5 * length * length + apart.total
        # Differences of distribution functions on the side where they are small.
        masses, above = np.abs(np.diff(ndtr(-np.abs(ends)))), math.exp(apart.upper)
    else:
        losses, masses = _enumerated(move) if len(move.steps) == 1 else _of_many_everywhere(len(move.steps), move.scale)
    if not abs(float(masses.sum()) - 1.0) <= _KNOWN_TO:
        raise ValueError
    return losses, above * masses


def divergence_of_counts(stated: Stated, epsilon: float) -> float:
    """The delta at `epsilon` of counts with Gaussian noise by themselves."""
    return _divergence(_moves(stated, spec_of(stated, CountsSpec)), epsilon)


def _moves(stated: Stated, spec: CountsSpec, *, manhattan: bool = False) -> list[_Move]:
    """Of each query; what moves together has one step, its l2 norm, or its l1 norm where that is wanted."""
    scales, queries = spec.scales, filled(stated.problem["queries"])
    if len(scales) != len(queries) or len(queries) > 2:
        raise ValueError
    moves = [_move(query, stated.guarantee.neighbours, scale, manhattan=manhattan) for query, scale in zip(queries, scales, strict=True)]
    persons = persons_of(stated.problem)
    if not persons.several:
        return moves
    return [_Move(tuple(WHOLE * step for step in move.steps), move.scale, persons.rows * move.moved) for move in moves]


def _move(query: Json, neighbours: Neighbours, scale: float, *, manhattan: bool) -> _Move:
    match query:
        case {"kind": "moments", "errors": list(errors), "targets": bool(targets), "counted": bool(counted), "bits": int(bits)}:
            length, total = farthest_moments([text(name) for name in errors], neighbours, targets=targets, counted=counted)
            return _Move(((total if manhattan else length) * 2.0**bits,), scale, spread=counted + len(errors) + 4 * targets)
        case {"kind": "summary", "groups": int(groups), "tables": list(tables), "sums": list(sums), "asked": str()} if groups >= 1 and (
            tables or sums
        ):
            weights = [positive(weight) for table in tables for _, weight in map(filled, filled(mapping(table)["levels"]))]
            numbers = [(positive(first), positive(second)) for first, second in map(filled, sums)]
            return _Move(
                (farthest_summary(weights, numbers, neighbours, groups=groups)[manhattan],), scale, spread=2 * len(weights) + 4 * len(numbers)
            )
    return _Move(_steps(query, neighbours), scale)


def _steps(query: Json, neighbours: Neighbours) -> tuple[int, ...]:
    match query:
        case {"kind": "histogram", "cells": int(cells)} if 1 <= cells <= _MOST and not isinstance(cells, bool):
            if neighbours is ADD_REMOVE:
                return (1,)
            if cells > 1:
                return (1, -1)
        case {"kind": "bounded-sum", "largest": int(largest)} if 1 <= largest <= _MOST and not isinstance(largest, bool):
            return (largest,)
        case {"kind": "scored-classes", "bins": int(bins)} if 2 <= bins <= _MOST and not isinstance(bins, bool):
            return (1, 1) if neighbours is ADD_REMOVE else (1, 1, -1, -1)
        case {"kind": "column-histograms", "columns": list(columns)} if 1 <= len(columns) <= MOST_COLUMNS:
            moved = [step for column in columns for step in _cells_moved(column)]
            return tuple(moved if neighbours is ADD_REMOVE else [*moved, *(-step for step in moved)])
    raise ValueError


def _cells_moved(column: Json) -> tuple[int, ...]:
    """What a record adds to the counts of a column, those that are not 0: it is in one between the bounds, or in that of missing values."""
    given = mapping(column)
    if finite(given["lower"]) >= finite(given["upper"]) or whole(given["cells"]) < 2:
        raise ValueError
    return (1,)


def _divergence(moves: list[_Move], epsilon: float) -> float:
    """Sum over what one part shows, of how well the other part tells neighbours apart given that."""
    few, many = ([move for move in moves if _is_wide(move) is wide] for wide in (False, True))
    if not few:
        return float(_normal_curve(many, np.array([epsilon]))[0])
    if len(moves) > 1 and any(len(move.steps) > 2 for move in moves):
        raise ValueError
    parts = sorted(few, key=lambda move: move.scale)
    losses, masses = _enumerated(parts[-1], near=epsilon if len(moves) == 1 else None)
    if len(moves) == 1:
        return float(masses @ np.maximum(-np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0))
    told = _normal_curve(many, epsilon - losses) if many else _counted_curve(parts[0], epsilon - losses)
    return float(masses @ told)


def _is_wide(move: _Move) -> bool:
    """Whether its noise is integrated as a normal law, there being too many integers, or ways in which they may move."""
    return move.spread > 0 or move.scale > (_ENUMERATED if len(move.steps) == 1 else _CONVOLVED)


def _enumerated(move: _Move, *, near: float | None = None) -> tuple[Floats, Floats]:
    """Losses and probabilities of one part, for every integer that it may show; of several coordinates best known where the loss is `near`."""
    scale = move.scale
    last = math.ceil(_FARTHEST * scale) + 8
    if len(move.steps) > 2 or (len(move.steps) == 2 and near is not None and 2 * last + 1 >= _TRANSFORMED):
        return _of_many(len(move.steps), scale, near or 0.0)
    k = np.arange(-last, last + 1, dtype=np.float64)
    mass = np.exp(-0.5 * (k / scale) ** 2)
    mass /= mass.sum()
    if len(move.steps) == 1:
        return ((k - move.steps[0]) ** 2 - k**2) / (2.0 * scale**2), mass
    difference = np.convolve(mass, mass) if len(mass) < _TRANSFORMED else _by_transform(mass)
    t = np.arange(len(difference), dtype=np.float64) - 2 * last
    return (1.0 - t) / scale**2, difference


def _of_many(count: int, scale: float, near: float) -> tuple[Floats, Floats]:
    """Of the sum of all coordinates: the law of one, shifted to where the loss is `near`, its transform to this power, and back.

    Unshifted, rounding in the transform would cover the tail that a delta is about: a factor e^{-centre k / s^2} moves k there, and is taken out.
    """
    centre = 0.5 - near * scale**2 / count
    middle, reach = round(centre), math.ceil(_FARTHEST * scale) + 8
    around_zero = np.arange(-reach, reach + 1, dtype=np.float64)
    shifted = np.exp(-0.5 * np.square((middle + around_zero - centre) / scale))
    log_ratio = math.log(float(shifted.sum())) - math.log(float(np.exp(-0.5 * np.square(around_zero / scale)).sum()))
    # The sum minus count * middle, modulo `size`: what wraps around is beyond reach.
    size = 2 * (math.ceil(_FARTHEST * scale * math.sqrt(count) + 0.5 * count) + 8) + 1
    first = np.roll(np.pad(shifted / shifted.sum(), (0, size - len(shifted))), -reach)
    law = np.fft.fftshift(np.fft.irfft(np.fft.rfft(first) ** count, size))
    t = count * middle + np.arange(size, dtype=np.float64) - size // 2
    back = (0.5 * count * centre**2 - t * centre) / scale**2 + count * log_ratio
    with np.errstate(under="ignore"):
        masses = np.where(law > _ROUNDED * law.max(), law, 0.0) * np.exp(np.minimum(back, 700.0))
    return (count - 2.0 * t) / (2.0 * scale**2), masses


def _of_many_everywhere(count: int, scale: float) -> tuple[Floats, Floats]:
    """The same law, shifted to places four of its deviations apart, and read within two of each: nowhere is rounding more than a speck of a mass."""
    deviation = scale * math.sqrt(count)
    found = []
    for place in deviation * np.arange(-12.0, 12.5, 4.0):
        losses, masses = _of_many(count, scale, near=float(0.5 * count - place) / scale**2)
        t = 0.5 * count - losses * scale**2
        inside = (np.round(t) >= place - 2.0 * deviation) & (np.round(t) < place + 2.0 * deviation)
        if not np.all(masses[inside] > 0):
            raise ValueError
        found.append((losses[inside], masses[inside]))
    losses, masses = (np.concatenate(each) for each in zip(*found, strict=True))
    return losses, masses


def _counted_curve(move: _Move, epsilons: Floats) -> Floats:
    """The curve of one part at any real epsilons: probabilities of a loss beyond each, under the data with the record and under the other."""
    losses, masses = _enumerated(move)
    order = np.argsort(losses)
    losses, masses = losses[order], masses[order]
    above = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    against = np.append(np.cumsum((masses * np.exp(-losses))[::-1])[::-1], 0.0)
    place = np.searchsorted(losses, epsilons, side="right")
    curve: Floats = np.maximum(above[place] - np.exp(np.minimum(epsilons, 700.0)) * against[place], 0.0)
    return curve


def _normal_curve(moves: list[_Move], epsilons: Floats) -> Floats:
    """The curve of one Gaussian mechanism for all of these parts, with what separates the discrete laws from rounded normal ones."""
    length = math.sqrt(sum(step**2 / move.scale**2 for move in moves for step in move.steps))
    apart = [closeness(move.moved, move.scale) for move in moves]
    up = sum(each.upper for each in apart)
    shifted = epsilons - sum(each.total for each in apart)
    curve: Floats = ndtr(0.5 * length - shifted / length) - np.exp(np.minimum(shifted, 700.0)) * ndtr(-0.5 * length - shifted / length)
    return np.maximum(curve, 0.0) * math.exp(up)


def _by_transform(mass: Floats) -> Floats:
    size = 2 * len(mass) - 1
    transform = np.fft.rfft(mass, size)
    square: Floats = np.maximum(np.fft.irfft(transform * transform, size), 0.0)
    return square


def _largest_contribution(stated: Stated) -> float:
    """sup over margins, or predictions and targets, of the length of (l'' / c, l'^2 / L^2), c and L the largest values that the scan meets."""
    if "target_bound" in stated.problem:
        loss_of_numbers = prediction_problem(stated.problem).loss
        _, slopes, curved = scan_of_predictions(loss_of_numbers, positive(stated.problem["target_bound"]))
        return float(np.max(np.hypot(curved / curved.max(), np.square(slopes))))
    loss, widths = loss_of(stated.problem)
    margins = np.concatenate((np.linspace(-7.0, 7.0, 300_007) * widths.max(), np.linspace(-60.0, 60.0, 50_021) * widths.max()))
    curvature, slope = loss.curvature(margins), np.square(loss.slope(margins))
    return float(np.max(np.hypot(curvature / curvature.max(), slope / slope.max())))


def _lists_moved(column: dict[str, Json], neighbours: Neighbours) -> int:
    """The most lists of scores of one column that one record (or the two contents of a replaced one) moves."""
    lower, upper = (np.array([finite(value) for value in filled(column[side])]) for side in ("lower", "upper"))
    if not (np.all(np.diff(lower) < 0) and np.all(np.diff(upper) > 0) and lower[0] <= upper[0]):
        raise ValueError
    places = np.concatenate((lower, upper, [-np.inf, np.inf]))
    moves = [(bool(np.any(place < lower)) and len(lower) > 1, bool(np.any(place > upper)) and len(upper) > 1) for place in places]
    if neighbours is ADD_REMOVE:
        return max(1, *(below + above for below, above in moves))
    return max(below or other_below for below, _ in moves for other_below, _ in moves) + max(above for _, above in moves)


def _delta_of_choices(width: float, count: int, epsilon: float) -> float:
    """From Renyi divergences to delta (Canonne, Kamath, Steinke 2020, proposition 12), the least over orders.

    A choice of this range takes, at worst, the log ratios t and t - width only, with the probabilities that make both laws sum to one.
    """
    high = np.linspace(0.0, width, 2002)[1:-1]
    log_share = np.log(-np.expm1(high - width)) - math.log(-math.expm1(-width))
    log_rest = np.log(-np.expm1(-high)) + high - width - math.log(-math.expm1(-width))
    best = math.inf
    for order in _ORDERS.tolist():
        excess = order - 1.0
        moments: Floats = logsumexp(np.stack((log_share + excess * high, log_rest + excess * (high - width))), axis=0)
        divergence = count * float(np.max(moments)) / excess
        best = min(best, excess * (divergence - epsilon) + excess * math.log(excess) - order * math.log(order))
    return min(1.0, math.exp(best))
