"""Declarations of rows with noise of bounded support."""

from dataclasses import dataclass

import numpy as np

from discreet.accounting import Unit
from discreet.core.arrays import Floats
from discreet.noise.bounded import Tabulated, step_of, symmetric, tilted
from discreet.queries import RowQuery
from discreet.statements.base import Words, condition
from discreet.statements.spec import Finites, NotNegative, Positive, Positives, PowerOfTwo, PowersOfTwo, Relation, declared
from discreet.words.release import ReleaseSpec, entry_hypotheses, plain_rows, variance_on_grid

BOUNDED_NOISE = "noise of bounded support, its own law's curve (fisher_noise.md)"
BOUNDED_COLUMNS = "noise of bounded support, its own law's curve for every number (fisher_noise.md)"


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedRows(ReleaseSpec[RowQuery]):
    """The same bounded noise on every released number."""

    name = "release-bounded-noise"
    theorem = BOUNDED_NOISE
    normal = False
    problem_of = staticmethod(plain_rows)

    half_width: Positive
    """How far the noise may go."""
    level: NotNegative
    """Weight of the variance."""
    weight: Positive
    """Weight of the information."""
    step: PowerOfTwo
    epsilon: Positive
    """At which delta is stated."""
    neighbours: Relation

    @property
    def law(self) -> Tabulated:
        """The law of the noise on every number, in steps. Raises ValueError for a grid that is none of this width."""
        if self.step != step_of(self.half_width):
            raise ValueError("parameters: 'step' is not that of the width")
        return symmetric(self.half_width / self.step, self.level * self.step**2, self.weight * self.step**2)

    def covariance(self, query: RowQuery) -> Floats:
        """Covariance of the noise of a row, its rounding included, (columns, columns)."""
        return variance_on_grid(self.step, self.law) * np.eye(query.columns)

    def statement(self, problem: RowQuery) -> Words:
        """See Spec."""
        noise = condition(
            "every number is rounded to the grid of step {step:.6g}, and secret integers of a tabulated law are added, bounded by {half_width:.10g}, "
            "of weights {level:.10g} and {weight:.10g}",
            "drawn by inversion from a table of integers, without floating-point decisions; the stated delta is that of the table",
            self.parameters(),
        )
        return Words(self.theorem, (*entry_hypotheses(problem, self.neighbours), noise), unit=Unit.ENTRY)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class BoundedNumbers(ReleaseSpec[RowQuery]):
    """Bounded noise with ends of its own on every released number; one number each for every column."""

    name = "release-bounded-columns"
    theorem = BOUNDED_COLUMNS
    normal = False
    problem_of = staticmethod(plain_rows)

    below: Positives
    above: Positives
    tilt: Finites
    """The multiplier of the mean."""
    steps: PowersOfTwo
    level: NotNegative
    """Weight of the variance."""
    epsilon: Positive
    """At which delta is stated."""
    neighbours: Relation

    @property
    def laws(self) -> tuple[Tabulated, ...]:
        """The law of the noise on each number, in steps of its own. Raises ValueError for grids that are none of these ends."""
        ends = tuple(zip(self.below, self.above, self.tilt, self.steps, strict=True))
        if any(step != step_of(0.5 * (below + above)) for below, above, _, step in ends):
            raise ValueError("parameters: 'steps' are not those of the ends")
        return tuple(tilted(below, above, step, level=self.level, tilt=tilt) for below, above, tilt, step in ends)

    def covariance(self, query: RowQuery) -> Floats:
        """Covariance of the noise of a row, its rounding included, (columns, columns). Raises ValueError for other rows."""
        if len(self.steps) != query.columns:
            raise ValueError("parameters: one law for each released number is needed")
        return np.diag([variance_on_grid(step, law) for law, step in zip(self.laws, self.steps, strict=True)])

    def statement(self, problem: RowQuery) -> Words:
        """See Spec."""
        laws = (self.below, self.above, self.tilt, self.steps)
        if any(len(numbers) != problem.columns for numbers in laws):
            raise ValueError("parameters: one law for each released number is needed")
        noise = condition(
            "every number is rounded to a grid of its own, and secret integers of a tabulated law are added, of weight {level:.10g}: {ends}",
            "drawn by inversion from tables of integers, without floating-point decisions; the stated delta is that of the tables",
            self.parameters(),
            ends=", ".join(f"-{below:.10g} to {above:.10g} in steps of {step:.6g}" for below, above, _, step in zip(*laws, strict=True)),
        )
        return Words(self.theorem, (*entry_hypotheses(problem, self.neighbours), noise), unit=Unit.ENTRY)
