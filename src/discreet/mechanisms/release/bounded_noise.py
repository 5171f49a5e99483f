"""Noise of bounded support with the least Fisher information for its variance (Farokhi 2020, theorem 2.6, corrected; proof note fisher_noise.md).

    density u(n)^2 on [-L, L],   -(4 / weight) u'' + level n^2 u = E u,   u(-L) = u(L) = 0,   u > 0  (the ground state),   E the optimal value

level = weight = L = 1 gives E = 10 and u prop. to e^{-n^2/4} (1 - n^2); level = 0 gives E = pi^2 / (weight L^2) and cos^2. Solved with a tridiagonal
eigen-solver, tabulated on a grid of step w as integers that sum to about 2^62, and drawn by inversion: the law that is sampled is the tabulated one,
exactly, and the delta that is stated is that law's:

    delta(epsilon) = max over shifts d <= D of sum_k (p_k - e^epsilon p_{k-d})_+ ,     D = range / w + 1,     for ONE entry of a record

Bounded noise is never (epsilon, 0)-private: what is shifted out of the support gives the entry away. Where D reaches the support nothing is left.
"""

import math
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from discreet.accounting import ApproximateDP, Json, NoGuarantee, Unit
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.placement import placed
from discreet.noise import Noise
from discreet.noise.bounded import Tabulated, step_of
from discreet.queries import Rows
from discreet.queries.base import UP
from discreet.words.bounded import BoundedRows


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedNoise(Mechanism[Rows, Records]):
    """The same bounded noise on every released number."""

    half_width: float
    """L."""
    level: float
    """Of the variance against the information."""
    epsilon: float
    """At which delta is stated."""
    weight: float = 1.0
    """Of the information."""
    neighbours: Neighbours = REPLACE_ONE

    def __post_init__(self) -> None:
        """Refuse what is no law."""
        sizes = (self.half_width, self.weight, self.epsilon)
        if not all(is_finite(size) and size > 0 for size in sizes) or not (is_finite(self.level) and self.level >= 0):
            raise InvalidInput("bounded noise needs a positive half_width, weight and epsilon, and a level of at least 0, all finite.")
        if self.neighbours is not REPLACE_ONE:
            raise InvalidInput("one released row per record reveals their number, so the relation must be replace-one.")

    name = BoundedRows.name

    @property
    def step(self) -> float:
        """w, a power of two."""
        return step_of(self.half_width)

    @property
    def declaration(self) -> BoundedRows:
        """What a certificate records."""
        sizes: Any = {one.name: getattr(self, one.name) for one in fields(BoundedRows)}
        return BoundedRows(**sizes)

    @property
    def law(self) -> Tabulated:
        """The law of the noise on a number, in steps."""
        return self.declaration.law

    def promise(self, query: Rows) -> ApproximateDP | NoGuarantee:
        """See module docstring: per entry. Raises InvalidInput for rows that are shortened as a whole."""
        if not query.domain.entries_alone:
            raise InvalidInput("bounded noise protects single entries, so the domain must have entry_bound only.")
        delta = self.delta(2.0 * float(np.max(query.read.entries)), self.epsilon)
        if delta >= 1:
            why = "two entries may be farther apart than the noise is wide, so a release may tell them apart for sure"
            return NoGuarantee(neighbours=REPLACE_ONE, unit=Unit.ENTRY, theorem=f"{BoundedRows.theorem}: {why}")
        return ApproximateDP(epsilon=self.epsilon, delta_at_epsilon=delta, neighbours=REPLACE_ONE, unit=Unit.ENTRY, theorem=BoundedRows.theorem)

    def delta(self, ranges: float, epsilon: float) -> float:
        """delta for two entries that are at most `ranges` apart."""
        masses = self.law.masses
        largest = math.floor(ranges / self.step * UP) + 1
        if largest >= len(masses):
            return 1.0
        growth = math.exp(min(epsilon, 700.0))
        worst = 0.0
        for shift in range(1, largest + 1):
            worst = max(worst, float(masses[:shift].sum() + np.maximum(masses[shift:] - growth * masses[:-shift], 0.0).sum()))
        return min(1.0, worst * (1.0 + 1e-9) + 1e-15)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism."""
        return self.declaration.parameters()

    def draw(self, query: Rows, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return placed(query, data, noise, partial(_noisy, law=self.law, step=self.step))


def _noisy(rows: Floats, noise: Noise, *, law: Tabulated, step: float) -> Floats:
    """The table comes along: it was made once, on the machine that states the guarantee."""
    return np.asarray((np.rint(rows / step) + law.draw(noise, *rows.shape)) * step, dtype=np.float64)
