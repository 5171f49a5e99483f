"""What a stranger computes from the certificate of shuffled rows: the guarantee again, by other lines.

The calibration convolves laws on a grid. Here E (X_1 + .. + X_n)_+ is an integral along a line: with M(z) = E e^{z X} and any t > 0

    E S_+ = (1 / 2 pi) integral of M(t + i u)^n / (t + i u)^2 du,       S = 0 with probability (1 - p)^n contributing nothing

(Laplace's transform of s_+ is 1 / z^2), M from Gauss-Legendre sums over the noise, or from three answers.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from discreet.accounting import ApproximateDP, closeness
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE
from discreet.verification.base import Check, Stated, delta_check, verifies
from discreet.verification.numerics import discrete_integral, gaussian_integral, panels
from discreet.verification.rows import LEAST_SCALE, Record, reach_of, release_of
from discreet.words.shuffled import ShuffledGaussian, ShuffledLaplace, ShuffledRows

_ROOM = 1e-4
"""Below what the grid of the calibration adds, above what is cut off of the line."""
_POINTS, _MOST, _MOST_PANELS = 100, 100_000_000, 4_000
_DEEPEST = 20.0
"""Over the tilt: a loss so far below is never made good by others, and its waves are not followed."""
_REACH, _FEW_REACH, _BELOW = 40.0, 3000.0, 0.6
"""Of the line, in deviations of the sum; a sum of few different answers comes back near to itself, and needs more of it."""
_STILL = 1e-6
"""Share of the whole, or of what is enough: a line on which a stretch still adds more goes on."""
_STRETCH = 64
_FEWEST = 20.0
"""Rows that look alike on average: with fewer the order is worth next to nothing, and is not counted."""


class _Loss(NamedTuple):
    """Points of a law of L, their masses, and what of it lies beyond."""

    values: Floats
    masses: Floats
    beyond: float


@verifies(ShuffledGaussian)
def _gaussian(stated: Stated, spec: ShuffledGaussian) -> Iterator[Check]:
    problem, read = release_of(stated)
    step, scale, epsilon, share, rows = spec.step, spec.scale, spec.epsilon, spec.share, spec.shuffled
    yield _whole_records(stated, spec, read)
    length, columns = reach_of(problem, read)
    alone, numbers = stated.guarantee.neighbours is ADD_REMOVE, columns * read.rows
    moved = (1.0 if alone else 2.0) * math.sqrt(read.rows) * length / step + math.sqrt(numbers)
    plain = discrete_integral(epsilon, moved / scale, integers=numbers, scale=scale)
    apart, computed = closeness(columns * rows, scale), 1.0
    left = epsilon - apart.total
    if scale >= LEAST_SCALE and left > 0 and share < 1 and share * rows >= _FEWEST:
        mu = (length / step + 0.5 * math.sqrt(columns)) / scale
        each, steps = _steps(left, read.rows)
        missing = share * gaussian_integral(-math.log(share), mu) * (rows - 1) * (1.0 + math.exp(each))
        losses = _normal(each, mu, _delta(stated) / steps, (rows, share), alone=alone)
        factor = math.exp(apart.upper) * steps
        computed = factor * (missing + max(_shuffled(rows, share, loss, (1.0 + _ROOM) * _delta(stated) / factor - missing) for loss in losses))
    yield delta_check(stated, epsilon, min(plain, computed), "integral of the rows' transform along a line", room=_ROOM)


@verifies(ShuffledLaplace)
def _laplace(stated: Stated, spec: ShuffledLaplace) -> Iterator[Check]:
    _, read = release_of(stated)
    step, scale, epsilon, rows = spec.step, spec.scale, spec.epsilon, spec.shuffled
    yield _whole_records(stated, spec, read)
    even = min(read.entry, read.norm / math.sqrt(read.features))
    alone = stated.guarantee.neighbours is ADD_REMOVE
    size, ranges = (read.features * even + read.target) / step, 1.0 if alone else 2.0
    gap = epsilon - read.rows * (ranges * size + read.columns) / scale
    plain = 0.0 if gap >= -1e-9 * epsilon else 1.0
    ratio, computed = (size + 0.5 * read.columns) / scale, 1.0
    share = math.exp(-ratio)
    if share * rows >= _FEWEST:
        each, steps = _steps(epsilon, read.rows)
        computed = steps * max(_shuffled(rows, share, loss, _delta(stated) / steps) for loss in _ratios(each, ratio, alone=alone))
    yield delta_check(stated, epsilon, min(plain, computed), "integral of the rows' transform along a line", room=_ROOM)


def _whole_records(stated: Stated, spec: ShuffledRows, read: Record) -> Check:
    """What the theorem is about: no target in clear, no more rows than there are places, and places for those of persons with several."""
    fits = read.rows == 1 if spec.slots is None else spec.shuffled <= spec.slots
    same = stated.guarantee.unit is read.unit and not read.clear
    return Check("shuffled rows", fits and same, f"{spec.shuffled} rows, shuffled whole; {read.rows} of a record or person")


def _steps(epsilon: float, rows: int) -> tuple[float, float]:
    """Of one row after the other: epsilon of each, and how often its delta counts, the rows before it as often as they were multiplied."""
    each = epsilon / rows
    return each, math.fsum(math.exp(place * each) for place in range(rows))


def _normal(epsilon: float, mu: float, delta: float, rows: tuple[int, float], *, alone: bool) -> Iterator[_Loss]:
    """Noise beyond what has 5e-5 of the stated delta is put there, and counted by itself: its largest losses would drown the rest.

    `rows` is n and p: panels are so short that no wave along the line turns too often within one.
    """
    reach = float(-ndtri(max(5e-5 * delta, 1e-300)))
    growth, beyond = math.exp(epsilon), float(ndtr(-reach))

    def over(loss: Callable[[Floats], Floats], beyond: float) -> _Loss:
        ends = np.linspace(-9.0 - mu, reach + mu, 20_001)
        there, coarse = loss(ends), np.exp(-0.5 * ends * ends) * (ends[1] - ends[0]) / math.sqrt(2.0 * math.pi)
        if there[-1] <= 0:
            return _Loss(there, coarse, beyond)
        values, masses = there[::10], 10.0 * coarse[::10]
        tilt, spread = _tilted(*rows, values, masses, _moments(rows[1], values, masses))
        lowest = -_DEEPEST / tilt
        turns = np.arange(lowest, float(there[-1]), 0.5 * spread)
        if len(turns) > _MOST_PANELS:
            raise ValueError
        edges = np.unique(np.concatenate((ends[::125], np.interp(turns, there, ends))))
        g, weights = panels(edges)
        values, masses = loss(np.append(g, ends[-1])), np.append(weights * np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi), ndtr(-ends[-1]))
        return _Loss(np.maximum(values, lowest), masses, beyond)

    if alone:
        yield over(lambda g: np.exp(mu * g - 0.5 * mu * mu) - growth, beyond)
        yield over(lambda g: 1.0 - growth * np.exp(-mu * g - 0.5 * mu * mu), 0.0)
    else:
        yield over(lambda g: np.exp(mu * g - 0.5 * mu * mu) - growth * np.exp(-mu * g - 0.5 * mu * mu), beyond)


def _ratios(epsilon: float, ratio: float, *, alone: bool) -> Iterator[_Loss]:
    high, low, growth = math.exp(ratio), math.exp(-ratio), math.exp(epsilon)
    rare = 1.0 / (high + 1.0)
    if alone:
        laws = [([high - growth, low - growth], [rare, 1.0 - rare]), ([1.0 - growth * low, 1.0 - growth * high], [1.0 - rare, rare])]
    else:
        laws = [([high - growth * low, low - growth * high, low - growth * low], [rare, rare, 1.0 - 2.0 * rare])]
    for values, masses in laws:
        yield _Loss(np.array(values), np.array(masses), 0.0)


def _tilted(rows: int, share: float, values: Floats, masses: Floats, known: tuple[Floats, Floats]) -> tuple[float, float]:
    """Where the line is, and the deviation of the sum under that tilt: what losses far below add to it without one says nothing of the line."""
    tilts, moments = known
    # Below where one row's largest losses weigh as much as all others together; the sum over the line repeats itself after a period.
    tilt = _BELOW * float(tilts[np.argmin(rows * np.log1p(moments) - np.log(tilts))])
    whole = 1.0 + share * float(masses @ np.expm1(tilt * values))
    return tilt, math.sqrt(rows * share * float(np.square(values) @ (masses * np.exp(tilt * values))) / whole)


def _moments(share: float, values: Floats, masses: Floats) -> tuple[Floats, Floats]:
    """Tilts t, and M(t) - 1 of each."""
    tilts = np.geomspace(1e-6, 100.0, _POINTS) / float(values.max())
    return tilts, np.array([share * float(masses @ np.expm1(tilt * values)) for tilt in tilts.tolist()])


def _shuffled(rows: int, share: float, loss: _Loss, enough: float = 0.0) -> float:
    """E S_+ / (n p), and what lies beyond; an upper bound of them where that is at most `enough`."""
    values, masses, beyond = loss
    highest = float(values.max())
    if highest <= 0:
        return beyond
    none = math.exp(rows * math.log1p(-share))
    tilts, moments = known = _moments(share, values, masses)
    with np.errstate(over="ignore"):
        simple = float(np.min((np.exp(rows * np.log1p(moments)) * (1.0 + 1e-14 * rows) - none) / tilts)) / (math.e * rows * share) + beyond
    if simple <= enough:
        return simple
    tilt, spread = _tilted(rows, share, values, masses, known)
    period = max(4.0 * highest + 20.0 * spread, 45.0 / tilt)
    far = _FEW_REACH if len(values) < 4 else _REACH
    apart, needed = 2.0 * math.pi / period, far / spread
    least = max(enough - beyond, 0.0) * rows * share * math.pi / apart
    total, first, found, turns = 0.0, 0, np.empty(0), np.exp(1j * apart * np.multiply.outer(np.arange(_STRETCH), values))
    while first * apart < needed or not float(np.sum(np.abs(found))) <= _STILL * max(total, least):
        if max(needed / apart, first + _STRETCH) * len(values) > _MOST:
            raise ValueError
        places = tilt + 1j * apart * np.arange(first, first + _STRETCH)
        along = np.exp(rows * np.log1p(share * (turns @ (masses * np.exp(places[0] * values)) - masses.sum())))
        found = ((along - none) / np.square(places)).real
        total += float(np.sum(found)) - (0.0 if first else 0.5 * float(found[0]))
        first += _STRETCH
    return total * apart / math.pi / (rows * share) + beyond


def _delta(stated: Stated) -> float:
    return stated.guarantee.delta_at_epsilon if isinstance(stated.guarantee, ApproximateDP) else 1.0
