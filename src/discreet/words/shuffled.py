"""Declarations of shuffled rows."""

from dataclasses import dataclass

from discreet.noise.laws import DiscreteLaplace
from discreet.queries import RowQuery, Target
from discreet.statements.base import APART, Words, condition
from discreet.statements.spec import Positive, Whole, declared
from discreet.words.release import among_slots, plain_rows, row_query
from discreet.words.rows import RowsOnGrid

SHUFFLED_GAUSSIAN = "Gaussian noise on shuffled rows, on a grid (shuffled_rows.md)"
SHUFFLED_LAPLACE = "Laplace noise on shuffled rows, on a grid (shuffled_rows.md)"
ORDER = "the order of the rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffledRows(RowsOnGrid):
    """Rows in a secret uniform order, which is counted."""

    several = APART

    epsilon: Positive
    """At which delta is stated."""
    slots: Whole | None = None
    """Released rows, where their number is secret."""
    shuffled: Whole
    """N, rows that are counted on to hide each other."""

    def statement(self, problem: RowQuery) -> Words:
        """See Spec."""
        read = problem.read
        if read.target is Target.CLEAR or (not read.in_order and self.slots is None):
            raise ValueError("problem: shuffled rows have no target in clear, and those of persons leave among slots")
        grid = condition(
            "each of {columns} numbers is released on the grid of step {step:.6g} plus a secret {law} integer of scale {scale:.10g}, by the holder "
            "of the table",
            "a row is a function of its record to the last bit; noise is drawn without floating-point decisions",
            self.parameters(),
            columns=problem.columns,
            law=self.law.name,
        )
        order = condition(
            "rows leave in a uniformly random order that nobody knows, and there are at least {shuffled} of them, a public number",
            "the order is drawn by the noise source inside the run and kept nowhere; smaller tables are refused",
            self.parameters(),
        )
        hypotheses = (*among_slots(read, self.neighbours, self.slots), grid, order)
        return Words(self.theorem, hypotheses, unit=read.unit, secret=(ORDER,))


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class ShuffledGaussian(ShuffledRows):
    """Gaussian noise on every number of shuffled rows."""

    name = "release-shuffled-gaussian-rows"
    theorem = SHUFFLED_GAUSSIAN
    problem_of = staticmethod(row_query)

    share: Positive
    """p, what every row has of the law of a row of zeros."""


@declared
class ShuffledLaplace(ShuffledRows):
    """Laplace noise on every number of shuffled rows."""

    __slots__ = ()

    name = "release-shuffled-laplace-rows"
    theorem = SHUFFLED_LAPLACE
    normal = False
    law_of = DiscreteLaplace
    problem_of = staticmethod(plain_rows)
