"""A projection drawn afresh with the release, used once:  (P, X P + N)  (proof note projection.md).

    P (m, width) with independent N(0, 1 / width) entries, drawn after the records are fixed and released with the rows

    delta(epsilon) = E over W ~ chi^2_width of delta_G(epsilon; (a sqrt(W) + b) / s)

For a difference z - z' of length at most B, |(z - z') P| has the law of B sqrt(W / width) whatever its direction, so neither a failure probability
nor a bound of |P|_2 is needed (Tu 2013, theorem 1, bounds the same quantity twice). a = (B + q sqrt(m)) / (w sqrt(width)) counts the
rounding of records (module `linear`), b = sqrt(width) + (B + q sqrt(m)) e / w that of the rows, and the distance e of the released P from an ideal
normal one.

Of persons with at most M rows each, |(z - z') P| is the length of M differences under one P: a sum of chi-squares whose weights add up to one, at
most sqrt(M) B long (theorem 2 of the note, module `shared_profiles`).

It holds for ONE release: a P that is used again, or that somebody knew when the records were chosen, is the public query `Projection`.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, NoGuarantee, beyond, closeness
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.placement import check_placement, placed, require_slots
from discreet.mechanisms.release.profiles import Bounded, largest, mixture_delta, require_rows
from discreet.mechanisms.release.rows import GaussianRelease, grid_step
from discreet.mechanisms.release.shared_profiles import shared_mixture_delta
from discreet.noise import Noise, gaussian_error, least_drawable
from discreet.queries import LinearMap, Projection, Rows, Target
from discreet.queries.base import UP
from discreet.queries.linear import BITS, power_of_two, resolution
from discreet.words.rows import FreshRows

_LEAST_SCALE = 2.0**12


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshProjection(FreshRows, Mechanism[Rows, Records]):
    """The first m rows of the release are P, the others the projected records with noise; targets in clear are a last column (0 beside P)."""

    @classmethod
    def calibrate(cls, query: Rows, *, width: int, epsilon: float, delta: float, neighbours: Neighbours, slots: int | None = None) -> Self:
        """The least noise (to 1e-5) for (epsilon, delta); `query` says what is projected."""
        require_rows(width)
        if not 0 < epsilon <= 100:
            raise InvalidInput(f"a fresh projection needs 0 < epsilon <= 100; {epsilon!r} was given.")
        slope = largest(lambda value: _curve(query)(epsilon, width, value), delta)
        distance, numbers = query.distance(neighbours), width * query.read.rows
        step = grid_step(distance, numbers)
        first = max(_LEAST_SCALE, math.sqrt(numbers) * UP, distance / (math.sqrt(width) * slope * step))
        rough = cls(width=width, step=step, scale=first, neighbours=neighbours, epsilon=epsilon, slots=slots)
        scale = least_drawable(first, lambda scale: replace(rough, scale=scale).delta(query, epsilon) <= delta)
        made = replace(rough, scale=scale)
        made.guarantee(query)
        return made

    def promise(self, query: Rows) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        check_placement(query, self.neighbours, self.slots)
        delta, theorem = self.delta(query, self.epsilon), self.theorem
        if delta >= 1:
            return NoGuarantee(theorem=f"{theorem}: delta reaches 1", neighbours=self.neighbours, unit=query.read.unit)
        return ApproximateDP(epsilon=self.epsilon, delta_at_epsilon=delta, neighbours=self.neighbours, unit=query.read.unit, theorem=theorem)

    def delta(self, query: Rows, epsilon: float) -> float:
        """delta at any epsilon; 1 where the lemma does not apply."""
        read, numbers = query.read, self.width * query.read.rows
        apart = closeness(numbers, self.scale)
        if self.scale < _LEAST_SCALE or not apart.total < epsilon:
            return 1.0
        length = (query.distance(self.neighbours) + resolution(read) * math.sqrt(query.numbers)) * UP
        size = read.columns * self.width
        error = (gaussian_error(scale=self._entry, dimension=size) + 0.5 * self._grid(query) * math.sqrt(size)) * UP
        slope = length * self._entry / (self.step * self.scale) * UP
        offset = (length * error / self.step + math.sqrt(numbers)) / self.scale * UP
        curve = _curve(query)(epsilon - apart.total, self.width, slope, offset).up
        return min(1.0, math.exp(apart.upper) * (curve + beyond(epsilon)) * UP)

    def require(self, query: Rows, data: Records) -> None:
        """See Mechanism."""
        query.require(data)
        require_slots(data, self.slots)

    def draw(self, query: Rows, data: Records, noise: Noise) -> Drawn:
        """See Mechanism. Raises SolverFailure, with a probability that is the same for all tables, below 1e-100."""
        read = query.read
        entries = noise.gaussian(scale=self._entry, dimension=read.columns, draws=self.width)
        projection = Projection(domain=query.domain, target=query.target, map=LinearMap.on_grid(entries, grid=self._grid(query)))
        law = GaussianRelease(step=self.step, scale=self.scale, neighbours=self.neighbours, epsilon=self.epsilon)
        rows = placed(projection, data, noise, law.add, self.slots)
        return Drawn((rows.shape[0] + read.columns, rows.shape[1]), chain(_first(projection), rows.blocks))

    @property
    def _entry(self) -> float:
        return 1.0 / math.sqrt(self.width)

    def _grid(self, query: Rows) -> float:
        """Of P: columns have a length of about sqrt(m / width), known before they are drawn."""
        return power_of_two(self._entry * (math.sqrt(query.read.columns) + 16.0)) * 2.0**-BITS


def _curve(query: Rows) -> Callable[..., Bounded]:
    """That of one difference, or of those of all rows of a person."""
    return shared_mixture_delta if query.read.rows > 1 else mixture_delta


def _first(projection: Projection) -> Iterator[Floats]:
    matrix = projection.map.matrix
    yield np.column_stack((matrix, np.zeros(len(matrix)))) if projection.target is Target.CLEAR else matrix
