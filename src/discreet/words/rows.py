"""Declarations of released rows.

    released number = step (round(computed / step) + K),      K an integer of the law of the Spec, drawn anew for every number

The covariance of the noise of a row is that of K in steps, and step^2 / 12 for the rounding, on every number.
"""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discreet.accounting import Unit
from discreet.core.arrays import Floats
from discreet.core.neighbours import REPLACE_ONE
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace
from discreet.queries import RowQuery, WeightedRows
from discreet.queries.linear import MappedRows
from discreet.statements.base import APART, Hypothesis, Record, Words, condition
from discreet.statements.spec import Flag, Positive, PowerOfTwo, Relation, Whole, declared
from discreet.words.release import ReleaseSpec, among_slots, entry_hypotheses, plain_rows, row_query, variance_on_grid

GAUSSIAN_ROWS = "Gaussian noise on rows, on a grid (rows.md)"
LAPLACE_ROWS = "Laplace noise on rows, on a grid (rows.md, theorem 5)"
INFORMATION_ROWS = "Gaussian noise on entries (rows.md)"
FISHER = "Cramer-Rao, unbiased estimators only (fisher_noise.md)"
FRESH_PROJECTION = "fresh Gaussian projection with Gaussian noise, used once (projection.md)"
NULL_SPACE = (
    "noise in the null space of a classifier is not private: whoever trains on the release learns the exact weights, the exact score of every "
    "record, and with all other records known a whole support vector. The noise itself was computed from the records. Nothing is promised"
)


def weighted_rows(problem: Record) -> WeightedRows:
    """The query of weighted records; ValueError for another one."""
    return weighted(row_query(problem))


def weighted(query: RowQuery) -> WeightedRows:
    """The same query; ValueError for one of other rows."""
    if not isinstance(query, WeightedRows):
        raise ValueError("problem: weighted rows are needed")  # noqa: TRY004 - of a file
    return query


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsOnGrid(ReleaseSpec[RowQuery]):
    """Rows on a grid, with independent integer noise of one law on every number."""

    law_of: ClassVar[type[DiscreteLaplace | DiscreteGaussian]] = DiscreteGaussian

    step: PowerOfTwo
    """w of the grid, in the unit of the records."""
    scale: Positive
    """Of the noise, in steps."""
    neighbours: Relation

    @property
    def law(self) -> DiscreteLaplace | DiscreteGaussian:
        """The law of the noise on every number, in steps."""
        return self.law_of(self.scale)

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise on every number; the rounding adds a variance of step^2 / 12."""
        return self.step * math.sqrt(self.law.variance())

    def covariance(self, query: RowQuery) -> Floats:
        """Covariance of the noise of a row, its rounding included, (columns, columns)."""
        return variance_on_grid(self.step, self.law) * np.eye(query.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRows(RowsOnGrid):
    """Rows that the holder of a table releases, or the owner of each record."""

    several = APART

    slots: Whole | None = None
    """Released rows, where their number is secret: under add-remove, and of persons who are told apart."""
    local: Flag = False
    """Whether every owner randomises their own record."""

    def statement(self, problem: RowQuery) -> Words:
        """See Spec. Raises ValueError for owners who would hide that their record exists."""
        if self.local and self.neighbours is not REPLACE_ONE:
            raise ValueError("parameters: an owner who randomises a record cannot hide that it exists")
        hypotheses = (*among_slots(problem.read, self.neighbours, self.slots), self.on_grid(problem))
        return Words(self.theorem, hypotheses, unit=problem.read.unit, local=self.local)

    def on_grid(self, query: RowQuery) -> Hypothesis:
        """The condition on arithmetic and noise."""
        raise NotImplementedError

    @property
    def by(self) -> str:
        """Who draws the noise."""
        return "by its owner" if self.local else "by the holder of the table"


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianRows(OwnedRows):
    """Gaussian noise of one size on every released number."""

    name = "release-gaussian-rows"
    theorem = GAUSSIAN_ROWS
    problem_of = staticmethod(row_query)

    epsilon: Positive
    """At which delta is stated."""

    def on_grid(self, query: RowQuery) -> Hypothesis:
        """See OwnedRows."""
        return gaussian_grid(query, self, self.by)


def gaussian_grid(query: RowQuery, spec: RowsOnGrid, by: str) -> Hypothesis:
    """The condition on arithmetic and Gaussian noise; of a mapped row also as it was said when its sensitivity was computed less closely."""

    def said(apart: float) -> Hypothesis:
        return condition(
            "computed rows of two records are at most {apart:.10g} apart; each of {columns} numbers is released on the grid of step {step:.6g} plus "
            "a secret discrete Gaussian integer of scale {scale:.10g}, {by}",
            "a row is a function of its record to the last bit (integers in exact arithmetic); noise is drawn without floating-point decisions",
            spec.parameters(),
            apart=apart,
            columns=query.columns,
            by=by,
        )

    found = said(query.sensitivity(spec.neighbours))
    return replace(found, before=said(query.sensitivity_before(spec.neighbours)).required) if isinstance(query, MappedRows) else found


@declared
class LaplaceRows(OwnedRows):
    """Laplace noise of one size on every released number."""

    __slots__ = ()

    name = "release-laplace-rows"
    theorem = LAPLACE_ROWS
    normal = False
    law_of = DiscreteLaplace
    problem_of = staticmethod(plain_rows)

    def on_grid(self, query: RowQuery) -> Hypothesis:
        """See OwnedRows."""
        return condition(
            "the absolute numbers of a row add up to at most {sum:.10g}; each of {columns} numbers is released on the grid of step {step:.6g} plus a "
            "secret discrete Laplace integer of scale {scale:.10g}, {by}",
            "a row is a function of its record to the last bit; noise is drawn without floating-point decisions",
            self.parameters(),
            sum=query.read.manhattan,
            columns=query.columns,
            by=self.by,
        )


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class FisherRows(GaussianRows):
    """Gaussian noise shaped by public weights: of one size on weighted records."""

    name = "release-fisher-noise"
    problem_of = staticmethod(weighted_rows)

    level: Positive
    """lambda: the covariance is Pi^{-1/2} / sqrt(lambda)."""

    def covariance(self, query: RowQuery) -> Floats:
        """See RowsOnGrid: that of the weighted rows, in the records' own coordinates."""
        inverse = np.linalg.inv(weighted(query).map.matrix)
        found: Floats = variance_on_grid(self.step, self.law) * (inverse.T @ inverse)
        return 0.5 * (found + found.T)


@declared
class InformationRows(RowsOnGrid):
    """Gaussian noise of one size on every released number, for bits."""

    __slots__ = ()

    name = "release-information-rows"
    theorem = INFORMATION_ROWS
    problem_of = staticmethod(plain_rows)

    def statement(self, problem: RowQuery) -> Words:
        """See Spec."""
        grid = gaussian_grid(problem, self, "by the holder of the table")
        return Words(self.theorem, (*entry_hypotheses(problem, self.neighbours), grid), unit=Unit.ENTRY)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class FreshRows(RowsOnGrid):
    """Rows times a projection that is drawn with the release, with Gaussian noise."""

    name = "release-fresh-projection"
    theorem = FRESH_PROJECTION
    several = APART
    problem_of = staticmethod(plain_rows)

    width: Whole
    """Numbers of a projected row."""
    epsilon: Positive
    """At which delta is stated."""
    slots: Whole | None = None
    """Released rows under add-remove, those of the projection not counted."""

    def covariance(self, query: RowQuery) -> Floats:  # noqa: ARG002 - the projection has a width of its own
        """See RowsOnGrid."""
        return variance_on_grid(self.step, self.law) * np.eye(self.width)

    def statement(self, problem: RowQuery) -> Words:
        """See Spec."""
        drawn = condition(
            "the projection to {width} numbers is Gaussian, drawn independently of the records, and used for this release alone",
            "it is drawn by the noise source inside the run and released with the rows; never project other records with it",
            self.parameters(),
        )
        grid = condition(
            "rows are released on the grid of step {step:.6g} plus secret discrete Gaussian integers of scale {scale:.10g}",
            "a row is a function of its record and the projection to the last bit; noise is drawn without floating-point decisions",
            self.parameters(),
        )
        return Words(self.theorem, (*among_slots(problem.read, self.neighbours, self.slots), drawn, grid), unit=problem.read.unit)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class NullSpaceRows(ReleaseSpec[RowQuery]):
    """Noise that leaves a support vector machine as it is, computed from the records: promises nothing."""

    name = "release-null-space-noise"
    theorem = NULL_SPACE
    problem_of = staticmethod(row_query)

    variance: Positive
    """Of the noise in every direction that it has."""
    rho: Positive = 1e-2
    theta: Positive = 1.0
    neighbours: Relation = REPLACE_ONE

    def statement(self, problem: RowQuery) -> Words:
        """See Spec."""
        needed = condition("scores of records need no protection", "by nothing")
        return Words(self.theorem, (*entry_hypotheses(problem, self.neighbours), needed))
