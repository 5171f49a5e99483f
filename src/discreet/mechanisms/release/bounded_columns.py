"""Noise of bounded support with ends of its own on every released number (proof note fisher_noise.md, "Ends of their own").

    density u(n)^2 on [-below, above],   -4 u'' + (level n^2 + tilt n) u = E u,   u(-below) = u(above) = 0,   u > 0,   tilt such that the mean is 0

Of all densities of mean 0 on the interval that vanish at its ends it has the least Fisher information plus level times variance; `tilt` is the
multiplier of the mean. Tabulated, drawn and stated as in `bounded_noise.py`, a table for each number; laws are not symmetric, so

    delta(epsilon) = max over numbers j and shifts 1 <= |d| <= D_j of sum_k (p_jk - e^epsilon p_j,k-d)_+ ,     D_j = range_j / w_j + 1

for ONE entry of a record. It is never (epsilon, 0), and nothing is left where D_j reaches the width of a law.
"""

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from discreet.accounting import ApproximateDP, Json, NoGuarantee, Unit
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.placement import placed
from discreet.noise import Noise
from discreet.noise.bounded import Tabulated, between, lowest_state, step_of, tilted
from discreet.queries import Rows
from discreet.queries.base import UP
from discreet.words.bounded import BoundedNumbers

MOST_ASYMMETRIC = 64.0
"""One end over the other: the shorter side still has some sixty grid points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedColumns(Mechanism[Rows, Records]):
    """Bounded noise of mean 0 on every released number, between ends of its own.

    `below` and `above` (columns,): how far noise may take each number down and up, on the scale of the encoded records.
    """

    below: tuple[float, ...]
    above: tuple[float, ...]
    epsilon: float
    """At which delta is stated."""
    level: float = 0.0
    """Of the variance against the information."""
    neighbours: Neighbours = REPLACE_ONE

    name = BoundedNumbers.name

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        sizes = (*self.below, *self.above, self.epsilon)
        if len(self.below) != len(self.above) or not self.below or not all(is_finite(size) and 1e-30 <= size <= 1e30 for size in sizes):
            raise InvalidInput(
                "bounded noise needs positive finite numbers: epsilon and, for every column, how far the noise may go below and above."
            )
        if not (is_finite(self.level) and self.level >= 0):
            raise InvalidInput(f"the level of bounded noise must be finite and at least 0; {self.level!r} was given.")
        if any(max(one, other) > MOST_ASYMMETRIC * min(one, other) for one, other in zip(self.below, self.above, strict=True)):
            raise InvalidInput(f"noise may go at most {MOST_ASYMMETRIC:g} times as far up as down, or down as up. Widen the shorter side.")
        if self.neighbours is not REPLACE_ONE:
            raise InvalidInput("one released row per record reveals their number, so the relation must be replace-one.")

    @property
    def laws(self) -> tuple["ColumnLaw", ...]:
        """The law of each number of a row."""
        return tuple(law(below, above, self.level) for below, above in zip(self.below, self.above, strict=True))

    def promise(self, query: Rows) -> ApproximateDP | NoGuarantee:
        """See module docstring: per entry. Raises InvalidInput for rows that are shortened as a whole, or that have another number of columns."""
        if not query.domain.entries_alone:
            raise InvalidInput("bounded noise protects single entries, so the domain must have entry_bound only.")
        if len(self.below) != query.columns:
            raise InvalidInput(f"{query.columns} numbers per record are released, but the noise has ends for {len(self.below)}. Give ends for each.")
        delta = max(one.delta(2.0 * size, self.epsilon) for one, size in set(zip(self.laws, query.read.entries, strict=True)))
        if delta >= 1:
            why = "two values of a number may be farther apart than its noise is wide, so a release may tell them apart for sure"
            return NoGuarantee(neighbours=REPLACE_ONE, unit=Unit.ENTRY, theorem=f"{BoundedNumbers.theorem}: {why}")
        return ApproximateDP(epsilon=self.epsilon, delta_at_epsilon=delta, neighbours=REPLACE_ONE, unit=Unit.ENTRY, theorem=BoundedNumbers.theorem)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism."""
        sizes: Any = {name: getattr(self, name) for name in ("below", "above", "level", "epsilon", "neighbours")}
        return BoundedNumbers(tilt=tuple(one.tilt for one in self.laws), steps=tuple(one.step for one in self.laws), **sizes).parameters()

    def draw(self, query: Rows, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return placed(query, data, noise, partial(_noisy, laws=[(one.in_steps, one.step) for one in self.laws]))


class ColumnLaw(NamedTuple):
    """The noise on a number. Build it with `law`."""

    below: float
    above: float
    level: float
    step: float
    """w, a power of two."""
    tilt: float

    @property
    def in_steps(self) -> Tabulated:
        """The law in steps."""
        return tilted(self.below, self.above, self.step, level=self.level, tilt=self.tilt)

    @property
    def variance(self) -> float:
        """Of the noise; its mean is 0 up to 1e-9 steps."""
        return self.in_steps.variance() * self.step**2

    def delta(self, ranges: float, epsilon: float) -> float:
        """delta for two values that are at most `ranges` apart."""
        masses = self.in_steps.masses
        largest = math.floor(ranges / self.step * UP) + 1
        if largest >= len(masses):
            return 1.0
        growth, worst = math.exp(min(epsilon, 700.0)), 0.0
        for shift in range(1, largest + 1):
            low, high = masses[:-shift], masses[shift:]
            up = masses[:shift].sum() + np.maximum(high - growth * low, 0.0).sum()
            down = masses[-shift:].sum() + np.maximum(low - growth * high, 0.0).sum()
            worst = max(worst, float(up), float(down))
        return min(1.0, worst * (1.0 + 1e-9) + 1e-15)


@lru_cache(maxsize=64)
def law(below: float, above: float, level: float) -> ColumnLaw:
    """The law of mean 0 between -below and above. Raises InfeasibleTarget for a level that leaves less noise than the grid has steps for."""
    step = step_of(0.5 * (below + above))
    (least, last), curved = between(below, above, step), level * step**4
    if curved > 1:
        raise InfeasibleTarget("the level leaves hardly any noise between these ends, less than a step of the grid; lower the level.")

    def mean(tilt: float) -> float:
        return float(np.square(lowest_state(least, last, curved, tilt)) @ np.arange(least, last + 1))

    sign, reach = (1.0 if last > -least else -1.0), (4.0 + curved * float(max(-least, last)) ** 4) / float(min(-least, last)) ** 3
    if -least == last or sign * mean(0.0) <= 0:
        return ColumnLaw(below, above, level, step, 0.0)
    # The mean falls with the tilt, and comes as near to either end as one likes.
    while reach < 1e9 and sign * mean(sign * reach) > 0:
        reach *= 4.0
    if reach >= 1e9:
        raise InfeasibleTarget("no noise of mean 0 between these ends can be computed; lower the level.")
    tilt = float(brentq(mean, 0.0, sign * reach, xtol=1e-300, rtol=1e-13, maxiter=1000))
    return ColumnLaw(below, above, level, step, tilt / step**3)


def _noisy(rows: Floats, noise: Noise, *, laws: list[tuple[Tabulated, float]]) -> Floats:
    """The tables come along: they were made once, on the machine that states the guarantee."""
    found = np.empty(rows.shape)
    for place, (law_in_steps, step) in enumerate(laws):
        found[:, place] = (np.rint(rows[:, place] / step) + law_in_steps.draw(noise, len(rows), 1)[:, 0]) * step
    return found
