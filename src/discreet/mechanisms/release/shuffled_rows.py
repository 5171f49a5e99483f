"""Rows with independent noise that leave in a secret uniform order, which is counted (proof note shuffled_rows.md).

    released rows    w (round(a_i / w) + K_i), i = 1 .. n, in a uniformly random order of the noise source's own integers

    (epsilon, delta),    delta = the curve of `accounting.shuffling` for N <= n rows, or that of one row alone where it is smaller

Gaussian integers of scale s: e^A (delta_N(epsilon - A - B; mu) + e^epsilon e^-800) with mu = (C / w + sqrt(c) / 2) / s, C the largest |a_i|, c
columns, A and B those of N c integers (lemma 2 of residual_stage.md). Laplace integers of scale t: every row's law is within e^(+-r) of that of a row
of zeros, r = (S_1 / w + c / 2) / t. N is a public number: at most the number of records under replace-one, where that is public, at most the slots
under add-remove, and of persons. A table with fewer records is refused. Of persons with at most M rows each, the curve of one row at epsilon / M is
taken M times (theorem 4).
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

from discreet.accounting import ApproximateDP, NoGuarantee, beyond, closeness, gaussian_mu
from discreet.accounting.shuffling import LARGEST_EPSILON, over_rows, share_for, shuffled_normal, shuffled_ratio
from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Privacy
from discreet.core.validate import whole
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.laplace_rows import LaplaceRelease
from discreet.mechanisms.release.placement import check_placement, placed
from discreet.mechanisms.release.rows import GaussianRelease, GridRelease, grid_step, moved_delta, steps_apart
from discreet.noise import Noise, least_drawable
from discreet.queries import RowQuery, Target
from discreet.queries.base import UP
from discreet.words.shuffled import ORDER, ShuffledGaussian, ShuffledLaplace, ShuffledRows

_NEAR = 1e-5
_FARTHEST, _WIDEST = 8.0, 40.0
"""Of mu, and of r."""
_HALF = 0.5
"""Of delta for what rows do not have in common: within a hundredth of the least noise (shuffled_rows.md)."""


class _Shuffled(ShuffledRows, Mechanism[RowQuery, Records]):
    """What both laws share (`ShuffledRows`); `inner` draws the noise."""

    __slots__ = ()

    @property
    @abstractmethod
    def inner(self) -> GridRelease:
        """The noise of the rows, by themselves."""

    @classmethod
    def calibrate(cls, query: RowQuery, *, epsilon: float, delta: float, neighbours: Neighbours, shuffled: int, slots: int | None = None) -> Self:
        """About the least noise for (epsilon, delta), `shuffled` rows of which hide each other.

        Raises InvalidInput where query, relation, target and arguments do not go together, InfeasibleTarget for noise that cannot be drawn.
        """
        check_shuffled(query, neighbours, slots, shuffled)
        found = cls._least(query, Privacy(epsilon=epsilon, delta=delta, neighbours=neighbours), shuffled, slots)
        found.guarantee(query)
        return found

    @classmethod
    @abstractmethod
    def _least(cls, query: RowQuery, privacy: Privacy, shuffled: int, slots: int | None) -> Self:
        """The mechanism with the least noise that is enough."""

    @abstractmethod
    def delta(self, query: RowQuery) -> float:
        """At epsilon: the smaller of the curve of shuffled rows and that of one row alone."""

    def promise(self, query: RowQuery) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        check_shuffled(query, self.neighbours, self.slots, self.shuffled)
        where: Any = {"neighbours": self.neighbours, "unit": query.read.unit, "secret": (ORDER,)}
        delta = self.delta(query)
        if delta >= 1:
            return NoGuarantee(theorem=f"{self.theorem}: delta reaches 1 at epsilon = {self.epsilon:g}", **where)
        return ApproximateDP(epsilon=self.epsilon, delta_at_epsilon=delta, theorem=self.theorem, **where)

    def require(self, query: RowQuery, data: Records) -> None:
        """See Mechanism; also for fewer records than are counted on, where their number is public, and for more than slots."""
        self.inner.require(query, data)
        if self.slots is None and data.records < self.shuffled:
            raise InvalidInput(
                f"{self.shuffled} shuffled rows were to hide each other, but the table has fewer records. "
                "Give at most its number of records (--shuffle)."
            )

    def draw(self, query: RowQuery, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return placed(query, data, noise, self.inner.add, data.records if self.slots is None else self.slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffledGaussianRows(ShuffledGaussian, _Shuffled):
    """Gaussian noise on every number of shuffled rows."""

    @property
    def inner(self) -> GaussianRelease:
        """See _Shuffled."""
        return GaussianRelease(step=self.step, scale=self.scale, neighbours=self.neighbours, slots=self.slots, epsilon=self.epsilon)

    @classmethod
    def _least(cls, query: RowQuery, privacy: Privacy, shuffled: int, slots: int | None) -> Self:
        epsilon, delta, neighbours = privacy.epsilon, privacy.delta, privacy.neighbours
        mu = gaussian_mu(epsilon, delta)
        steps = query.read.rows
        of_row = delta * math.expm1(epsilon / steps) / math.expm1(epsilon) if steps > 1 and epsilon <= LARGEST_EPSILON else delta
        step = grid_step(query.distance(neighbours), query.numbers * shuffled)
        moved = steps_apart(query.distance(neighbours), step, query.numbers)
        high = least_drawable(moved / mu * (1.0 + _NEAR), lambda scale: moved_delta(epsilon, moved, scale, query.numbers) <= delta)

        def made(scale: float, kind: type[Self] = cls) -> Self:
            inner = GaussianRelease(step=step, scale=scale, neighbours=neighbours, slots=slots, epsilon=epsilon)
            missing = _HALF * of_row / ((1.0 + math.exp(min(epsilon / steps, LARGEST_EPSILON))) * shuffled)
            share = share_for(missing, mu=_largest(query, inner))
            return kind(step=step, scale=scale, neighbours=neighbours, slots=slots, shuffled=shuffled, epsilon=epsilon, share=share)

        low = min(high, (query.sensitivity(ADD_REMOVE) / step) / _FARTHEST)
        return made(_least(low, high, lambda scale: made(scale).delta(query) <= delta))

    def delta(self, query: RowQuery) -> float:
        """See _Shuffled."""
        alone = self.inner.delta(query, self.epsilon)
        apart = closeness(query.columns * self.shuffled, self.inner.scale)
        left, mu = self.epsilon - apart.total, _largest(query, self.inner)
        if not (0 < left <= LARGEST_EPSILON and mu <= _FARTHEST * UP and self.share * self.shuffled >= FEWEST):
            return alone
        shared: Any = {"mu": mu, "rows": self.shuffled, "share": self.share, "neighbours": self.neighbours}
        curve = over_rows(lambda epsilon: shuffled_normal(epsilon, **shared), left, query.read.rows)
        return min(alone, math.exp(apart.upper) * (curve + beyond(left)) * UP)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffledLaplaceRows(ShuffledLaplace, _Shuffled):
    """Laplace noise on every number of shuffled rows, for the records themselves (`Rows`)."""

    @property
    def inner(self) -> LaplaceRelease:
        """See _Shuffled."""
        return LaplaceRelease(step=self.step, scale=self.scale, neighbours=self.neighbours, slots=self.slots)

    @classmethod
    def _least(cls, query: RowQuery, privacy: Privacy, shuffled: int, slots: int | None) -> Self:
        epsilon, delta, neighbours = privacy.epsilon, privacy.delta, privacy.neighbours
        if not (is_finite(delta) and 0 < delta < 1):
            raise InvalidInput(f"shuffled rows need 0 < delta < 1; {delta!r} was given. For delta = 0, leave shuffle out.")
        plain = LaplaceRelease.calibrate(query, epsilon=epsilon, neighbours=neighbours, slots=slots)

        def made(scale: float, kind: type[Self] = cls) -> Self:
            return kind(step=plain.step, scale=scale, neighbours=neighbours, slots=slots, shuffled=shuffled, epsilon=epsilon)

        low = min(plain.scale, query.read.manhattan / plain.step / _WIDEST)
        return made(_least(low, plain.scale, lambda scale: made(scale).delta(query) <= delta))

    def delta(self, query: RowQuery) -> float:
        """See _Shuffled."""
        alone = 0.0 if self.inner.promise(query).epsilon <= self.epsilon else 1.0
        ratio = (query.read.manhattan / self.inner.step + 0.5 * query.columns) / self.inner.scale * UP
        if alone == 0 or ratio > _WIDEST * UP or math.exp(-ratio) * self.shuffled < FEWEST:
            return alone
        shared: Any = {"ratio": ratio, "rows": self.shuffled, "neighbours": self.neighbours}
        return min(alone, over_rows(lambda epsilon: shuffled_ratio(epsilon, **shared), self.epsilon, query.read.rows))


FEWEST = 20.0
"""Rows that look alike on average: with fewer the order is worth next to nothing, and is not counted."""


def check_shuffled(query: RowQuery, neighbours: Neighbours, slots: int | None, shuffled: int) -> None:
    """Raise InvalidInput for rows whose order hides nothing, or cannot be counted."""
    whole(shuffled, "the number of shuffled rows")
    if query.read.target is Target.CLEAR:
        raise InvalidInput("a target without noise reveals whose row it is in, so shuffling would hide nothing. Use target='noisy' or 'omitted'.")
    check_placement(query, neighbours, slots)
    if slots is not None and shuffled > slots:
        raise InvalidInput(f"{shuffled} rows were to be shuffled, but only {slots} are released. Give at most that number (--shuffle).")


def _largest(query: RowQuery, inner: GaussianRelease) -> float:
    """mu of a row beside a row of zeros, the rounding to the grid included."""
    return (query.sensitivity(ADD_REMOVE) / inner.step + 0.5 * math.sqrt(query.columns)) / inner.scale * UP


def _least(low: float, high: float, enough: Any) -> float:  # noqa: ANN401 - a scale to whether it is enough
    """The least scale that is enough, to a hundred-thousandth of it; `high` is."""
    while high - low > _NEAR * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
