"""The two stages of fits with Gaussian noise, as a stranger composes them: a curve that a theorem gives, and the discrete noise on the grid after it.

    delta(epsilon) <= e^A (E delta_1(epsilon - A - B - l) + e^epsilon tail),     l ~ N(mu^2 / 2, mu^2)       (theorem 3 of residual_stage.md)

Two roads. Where delta_1 is a sum of expectations of hockey sticks, E (1 - e^{epsilon - Y})_+, l joins the loss Y under each of them: this is the
curve of Y + l, one integral (`First.smooth`). What it says of l > epsilon - A - B, where epsilon is below 0, is not used: there delta_1 is at most 1.
Otherwise, and where that does not prove what is stated, delta_1 is read at many numbers and integrated along its chords.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import positive
from discreet.core.neighbours import PARTS
from discreet.core.normal import ndtr
from discreet.verification.base import Check, Stated, delta_check
from discreet.verification.numerics import KNOWN_TO, LEAST_SCALE, at_every_epsilon, chords, discrete_integral, panels, steps_apart
from discreet.words.learning import dimension_of

_BESIDE = [9.0, 10.0, 11.0, 12.0, 14.0, 17.0, 21.0, 26.0, 32.0, 37.5]
_DEVIATIONS = np.concatenate(([-12.0, -10.0], np.arange(-8.0, -5.0), np.arange(-5.0, 5.25, 0.25), np.arange(5.5, 8.25, 0.5), _BESIDE))
FARTHEST, _FARTHER = 12.0, 1e-307
"""Deviations of which little is beyond; and what is beyond the last of these, of a normal variable."""
_FINEST = 8
"""Into how many parts what is between two of them is cut, at most."""
_NEARLY = 0.99
"""A curve that is computed may be so far from a convex one, and is not above what is composed of it."""
_LARGEST = 700.0
"""Epsilon up to which what a lemma about integers leaves out, e^(epsilon - 800), is far below that."""


class First(NamedTuple):
    """The curve of a first stage."""

    curve: Callable[[float], float]
    """epsilon -> delta, for epsilons from 0 on."""
    how: str
    """How it is computed."""
    smooth: Callable[[float, float], float] | None = None
    """(epsilon, mu) -> at least E delta_1(epsilon - l) over l up to epsilon; None where that is no one integral."""


def smooth(curve: Callable[[float, float], float], how: str) -> First:
    """The first stage whose smooth curve this is, at mu = 0 the curve itself."""
    return First(lambda epsilon: curve(epsilon, 0.0), how, curve)


class LastStage(NamedTuple):
    """Discrete Gaussian noise on the grid, in scales of it."""

    epsilon: float
    """What is recorded of it: at which its own delta is counted."""
    mu: float
    """How far rounded points may be from each other."""
    integers: int
    scale: float
    alone: bool = True
    """Whether `mu` is that of the grid alone, and not also of a number that leaves beside it."""

    @property
    def delta(self) -> float:
        """Of it alone, at `epsilon`: that of a rounded normal law, at an epsilon smaller by what separates the discrete law from it."""
        return discrete_integral(self.epsilon, self.mu, integers=self.integers, scale=self.scale) if self.alone else 1.0

    def after(self, first: Callable[[Floats], Floats], epsilon: float, *, parts: int = 1) -> float:
        """delta of both at epsilon; 1 where no lemma applies. `first` takes epsilons from 0 on.

        The expectation of the first curve at epsilon less a normal loss, along chords of the curve between many losses, above which none is: the
        more `parts` are between two of them, the less above it they are.
        """
        deviations = np.interp(np.arange(0.0, len(_DEVIATIONS) - 1.0 + 0.5 / parts, 1.0 / parts), np.arange(float(len(_DEVIATIONS))), _DEVIATIONS)

        def expected(left: float) -> float:
            places = left - self.mu * (0.5 * self.mu + deviations[::-1])
            above = chords(places, _at_any(first)(places))
            g, weights = panels(deviations)
            values = above(left - self.mu * (0.5 * self.mu + g)) * np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi)
            return float(weights @ values)

        return self._with(expected, epsilon)

    def joined(self, smooth: Callable[[float, float], float], epsilon: float) -> float:
        """The same of a first stage whose loss takes that of this one; see the module docstring."""
        return self._with(lambda left: smooth(left, self.mu) + float(ndtr(0.5 * self.mu - left / self.mu)), epsilon)

    def left(self, epsilon: float) -> float:
        """What the lemma about integers leaves of epsilon."""
        return epsilon - closeness(self.integers, self.scale).total

    def _with(self, expected: Callable[[float], float], epsilon: float) -> float:
        """From the expectation at what is left of epsilon."""
        apart, left = closeness(self.integers, self.scale), self.left(epsilon)
        if not (self.scale >= LEAST_SCALE and 0 < left <= _LARGEST and self.mu > 0):
            return 1.0
        return min(1.0, math.exp(apart.upper) * (expected(left) + _FARTHER))


class Stages(NamedTuple):
    """The two stages of a mechanism with Gaussian noise."""

    first: tuple[First, ...]
    """A stated delta must cover all of these curves, and the last one is what is proved."""
    last: LastStage

    def total(self, first: Callable[[Floats], Floats], epsilon: float, *, parts: int = 1) -> float:
        """delta of both stages together at any epsilon from that of the last stage on: the sum of both deltas, or that of both composed."""
        alone = float(first(np.array([max(0.0, epsilon - self.last.epsilon)]))[0])
        return min(1.0, alone + self.last.delta, self.last.after(first, epsilon, parts=parts))

    def checks(self, stated: Stated) -> Iterator[Check]:
        """Whether the stated delta covers all curves of the first stage with the last one: by one of three roads, tried in turn.

        The last one gives no less than the first stage alone where its curve is convex: where that is too much, it is not taken.
        """
        of_first = positive(stated.parameters["epsilon"])
        epsilon = of_first + self.last.epsilon

        def compared(found: float, how: str) -> Check:
            return delta_check(stated, epsilon, found, how, room=KNOWN_TO)

        for first in self.first:
            composed, added = f"{first.how}, composed with the last stage", f"{first.how}, plus the last stage"
            found = [(self.last.joined(first.smooth, epsilon), composed)] if first.smooth else []
            if not (found and compared(*found[0]).ok):
                found.insert(0, (first.curve(of_first) + self.last.delta, added))
            check = compared(*min(found))
            if not check.ok and compared(self._lowest(each(first.curve), epsilon), composed).ok:
                check = compared(self._searched(stated, each(first.curve), epsilon), composed)
            yield check

    def _lowest(self, first: Callable[[Floats], Floats], epsilon: float) -> float:
        """What a search may come down to: the curve at what is left of epsilon, or a chord across it where the curve is not convex there."""
        left, apart = max(0.0, self.last.left(epsilon)), self.last.mu * np.array([1.0, 3.0])
        known = _at_any(first)(np.concatenate(([left], left - apart, left + apart)))
        return _NEARLY * min(float(known[0]), *(0.5 * (known[1:3] + known[3:])).tolist())

    def _searched(self, stated: Stated, first: Callable[[Floats], Floats], epsilon: float) -> float:
        """`total`, along chords that are made finer until they are near enough to the curve to say whether the stated delta covers it, or to hold.

        Half as long chords are above the curve by a quarter as much, so that finer ones take off a third of what these did, or little more.
        """

        def covered(delta: float) -> bool:
            return delta_check(stated, epsilon, delta, "", room=KNOWN_TO).ok

        parts, before, found = 1, 2.0, self.total(first, epsilon)
        while parts < _FINEST and found < before * (1.0 - KNOWN_TO) and not covered(found) and covered(max(0.0, 2.0 * found - before)):
            parts *= 2
            before, found = found, self.total(first, epsilon, parts=parts)
        return found


STAGES: dict[str, Callable[[Stated], Stages]] = {}
"""By the names of the mechanisms of two stages whose curve is known at every epsilon."""


def _at_any(first: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """A curve that takes epsilons from 0 to `_LARGEST`, at every epsilon: beyond the last one at most as there, since a curve falls."""
    return at_every_epsilon(lambda epsilons: first(np.minimum(epsilons, _LARGEST)))


def with_last(stated: Stated, radius: float, *first: First, dimension: int | None = None) -> Stages:
    """Of a fit that computes within `radius` of what the theorem is about."""
    return Stages(first, gaussian_last_stage(stated.parameters, dimension or dimension_of(stated.problem), radius))


def each(curve: Callable[[float], float]) -> Callable[[Floats], Floats]:
    """A curve at many epsilons."""
    return lambda epsilons: np.array([curve(epsilon) for epsilon in epsilons.tolist()])


def gaussian_last_stage(parameters: Mapping[str, Json], dimension: int, radius: float) -> LastStage:
    """See `last_stage`; with the number of records, which moves by 1 and leaves with noise in parts of a record, where it is counted."""
    scale = positive(parameters["grid_scale"])
    last = LastStage(positive(parameters["grid_epsilon"]), steps_apart(parameters, dimension, radius) / scale, dimension, scale)
    if "count_scale" not in parameters:
        return last
    of_count = positive(parameters["count_scale"])
    return last._replace(mu=math.hypot(last.mu, 1.0 / of_count), integers=dimension + 1, scale=min(scale, PARTS * of_count), alone=False)
