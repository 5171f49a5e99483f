"""Contingency tables with discrete Gaussian noise, in rounds (proof note margins.md).

    mu^2 / WHOLE^2 = sum over tables of m / s_j^2 + |candidates| / s_scores^2 + m / s_pair^2,     m = 1 (add-remove), 2 (replace-one)

and (epsilon, delta) is that of one Gaussian mechanism of this mu, but for what separates integers from normal numbers (counting.md, lemma 3), which
at scales above 4096 is below a millionth of epsilon. What is asked in a round may depend on what the rounds before released.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nextafter, sqrt
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, Json, gaussian_mu
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.base import Drawn, Mechanism, Numbers, at_epsilon
from discreet.mechanisms.counting.gaussian_curve import WIDE, divergence
from discreet.mechanisms.margins.problem import Counts, Margins, Table
from discreet.noise import Integers, Noise
from discreet.noise.discrete import least_drawable
from discreet.words.counting import WHOLE
from discreet.words.margins import LARGEST_EPSILON, LEAST_DELTA, MARGINS


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianMargins(Mechanism[Margins, Numbers[Counts]]):
    """Tables, scores and chosen tables with (epsilon, delta); the value is all of their noisy integers one after the other."""

    name = "margins-gaussian"
    scales: tuple[float, ...]
    """Of each table, then of scores and of a chosen pair, were it alone, where there are any; in parts of a record."""
    neighbours: Neighbours
    epsilon: float
    """At which delta is stated."""

    @classmethod
    def calibrate(cls, problem: Margins, *, epsilon: float, delta: float, neighbours: Neighbours, shares: Sequence[float]) -> Self:
        """The least noise (to 1e-6) for (epsilon, delta), of whose mu^2 each part takes its share. Raises InvalidInput for shares that are none."""
        if not (is_finite(epsilon) and 0 < epsilon <= LARGEST_EPSILON and is_finite(delta) and LEAST_DELTA <= delta < 1):
            raise InvalidInput(
                f"tables with Gaussian noise need 0 < epsilon <= {LARGEST_EPSILON:g} and {LEAST_DELTA:g} <= delta < 1; "
                f"epsilon={epsilon!r}, delta={delta!r} were given."
            )
        if len(shares) != problem.parts or not all(0 < share < inf for share in shares):
            raise InvalidInput(f"the budget is divided by positive shares, one for each of {problem.parts} parts.")
        mu, whole = gaussian_mu(epsilon, delta), sum(shares)
        lengths = [move.mu for move in problem.moves(neighbours, [1.0] * problem.parts)]
        ideal = [length / (mu * sqrt(share / whole)) for length, share in zip(lengths, shares, strict=True)]
        if min(ideal) < WIDE:
            raise InfeasibleTarget("this budget needs less noise than tables are counted with. Take a smaller epsilon.")

        def enough(largest: float) -> bool:
            return divergence(problem.moves(neighbours, [largest / max(ideal) * scale for scale in ideal]), epsilon) <= delta

        factor = least_drawable(max(ideal), enough) / max(ideal)
        return cls(scales=tuple(factor * scale for scale in ideal), neighbours=neighbours, epsilon=epsilon)

    def promise(self, problem: Margins) -> ApproximateDP:
        """See the module docstring."""
        if len(self.scales) != problem.parts:
            raise InvalidInput(f"the mechanism has {len(self.scales)} noise scales; the problem has {problem.parts} parts.")
        return at_epsilon(self.epsilon, divergence(problem.moves(self.neighbours, self.scales), self.epsilon), self.neighbours, MARGINS)

    def parameters(self) -> dict[str, Json]:
        """See Mechanism; pairs are chosen when it runs."""
        return {**super(GaussianMargins, self).parameters(), "pairs": []}

    def draw(self, problem: Margins, data: Numbers[Counts], noise: Noise) -> Drawn:
        """See Mechanism. Raises InvalidInput for counts that are none of these tables."""
        counts, count = data.held, len(problem.tables)
        noisy: dict[int, Floats] = {}
        if problem.cut:
            noisy = self._tables(problem, counts, problem.first, noise)
            deviations = [self.scales[place] / WHOLE for place in problem.first]
            counts = counts.binned(problem.begins([noisy[place] / WHOLE for place in problem.first], deviations))
        noisy |= self._tables(problem, counts, [place for place in range(count) if place not in noisy], noise)
        tables = [noisy[place] for place in range(count)]
        pairs: list[Table] = []
        if problem.linked:
            first = [table / WHOLE for table in tables]
            expected = problem.expected(first)
            exact = problem.scores(_counted(problem, counts, problem.candidates), expected, self.neighbours)
            scores = self._noisy(exact, self.scales[count], noise)
            pairs = problem.chosen(first, scores / WHOLE, self.scales[-1] / WHOLE, self.neighbours)
            shared = pair_scale(self.scales, len(pairs))
            chosen = [self._noisy(exact, shared, noise) for exact in _counted(problem, counts, pairs)]
            tables = [*tables, scores, *chosen]
        value = np.concatenate(tables)
        return Drawn(value.shape, iter((value,)), chosen={"pairs": [list(pair) for pair in pairs]})

    def _tables(self, problem: Margins, counts: Counts, places: Sequence[int], noise: Noise) -> dict[int, Floats]:
        """Noisy counts by place."""
        exact = _counted(problem, counts, [problem.tables[place] for place in places])
        return {place: self._noisy(each, self.scales[place], noise) for place, each in zip(places, exact, strict=True)}

    def _noisy(self, exact: Integers, scale: float, noise: Noise) -> Floats:
        integers: Floats = (exact + noise.discrete_gaussian(scale=scale, dimension=len(exact), draws=1)[:, 0]).astype(np.float64)
        return integers


def pair_scale(scales: Sequence[float], pairs: int) -> float:
    """Of the noise on each of so many chosen pairs: that of one, times the root of their number, rounded up."""
    return nextafter(scales[-1] * sqrt(max(1, pairs)), inf)


def _counted(problem: Margins, counts: Counts, tables: Sequence[Table]) -> list[Integers]:
    """Exact counts. Raises InvalidInput for others, without any."""
    found = counts.of(tables) if tables else []
    sizes = [(problem.cells(table),) for table in tables]
    if [each.shape for each in found] != sizes or any(each.dtype != np.int64 for each in found):
        raise InvalidInput("tables need their counts, one integer per cell.")
    return found
