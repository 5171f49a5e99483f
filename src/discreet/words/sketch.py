"""Declarations of released sketches."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.accounting import Unit
from discreet.core.arrays import Floats
from discreet.core.neighbours import REPLACE_ONE
from discreet.core.rounding import raising
from discreet.queries import SecondMoments
from discreet.statements.base import SHARED, Hypothesis, Words, condition
from discreet.statements.spec import Finite, Flag, NotNegative, Positive, PowerOfTwo, Relation, Whole, absent, declared, drawn
from discreet.words.learning import GAUSSIAN_GRID
from discreet.words.release import ReleaseSpec, entry_hypotheses, moments_query, record_hypotheses

GAUSSIAN_SKETCH = "Gaussian sketch, exact chi-square curve (sketch.md)"
EIGENVALUE_SKETCH = "Gaussian sketch with a private least eigenvalue (sketch.md)"
INFORMATION_SKETCH = "Gaussian sketch, bits about an entry (sketch.md)"
CLEAR_TARGET_SKETCH = "Gaussian sketch with targets in clear, bits about an entry of the features (sketch.md)"
PUBLISHED_SKETCH = (
    "as printed (Showkatbakhsh et al. 2018, eq. 13) this release claims a bound of bits about each entry. The noise was set from the records "
    "themselves, and columns that nearly repeat each other, or a target that the columns predict, let anybody read single entries off the release. "
    "Nothing is promised"
)
SECRET = ("the sketching matrix",)
"""What must stay secret besides the noise."""


class Errors(NamedTuple):
    """What arithmetic costs a sketch, by the formulas of sketch.md, section 3; in units of q or q^2."""

    eta: float
    closeness: float
    radius: float


def errors_of(rows: int, columns: int, trace: float, floor: float) -> Errors:
    """Of a sketch of a matrix of this trace whose eigenvalues are at least `floor`."""
    eta = 12.0 * (columns + 3) * 2.0**-53 * trace / floor
    size, share = rows * columns, eta / (1.0 - eta)
    radius = 1.02 * 37.0 * math.sqrt(size * trace) * (2.0**-48 + (columns + 4) * 2.0**-53)
    return Errors(eta, share * (math.sqrt(100.0 * size) + 100.0) + 0.5 * size * share**2, radius)


def trace_of(query: SecondMoments, variance: float) -> float:
    """The largest trace of the second moments with noise, in units of q^2."""
    return (query.most_records * (query.norm / query.unit) ** 2 + query.columns * variance) * raising(4_096)


def credit_of(query: SecondMoments, least: float) -> float:
    """What a declared least eigenvalue is worth, in units of q^2, every number having been rounded towards zero by less than q."""
    return max(math.sqrt(least) / query.unit - math.sqrt(query.most_records * query.columns), 0.0) ** 2 if least > 0 else 0.0


_EXACT = "integer sums of products in exact arithmetic; the factor is multiplied out and compared, and the release fails otherwise"


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchSpec(ReleaseSpec[SecondMoments]):
    """Secret random combinations of all records, with noise, and a last stage on a grid."""

    problem_of = staticmethod(moments_query)

    rows: Whole
    """k."""
    variance: Positive
    """sigma^2 / q^2."""
    step: PowerOfTwo
    """Of the last stage's grid, in units of q."""
    scale: Positive
    """Of the last stage, in steps."""

    def noise_variance(self, query: SecondMoments) -> float:
        """sigma^2 and the last stage's variance together: E of (released)'(released) / k is Z'Z plus this times the identity, where noise is."""
        return query.unit**2 * (self.variance + (self.step * self.scale) ** 2)

    def covariance(self, query: SecondMoments) -> Floats:
        """See ReleaseSpec."""
        return self.noise_variance(query) * np.eye(query.columns)

    def random_rows(self, query: SecondMoments, variance: float, credit: float = 0.0) -> tuple[Hypothesis, ...]:
        """Conditions on the law of the sketch and on arithmetic, with this variance of the noise."""
        errors = errors_of(self.rows, query.columns, trace_of(query, variance), variance + credit)
        return (
            condition(
                "rows are independent N(0, second moments + noise), every record of norm at most {query.norm:.10g}; random numbers stay secret",
                "drawn by the noise source anew; noise is on all columns, and its size depends on public and released numbers only",
                query=query,
            ),
            condition(
                "the second moments are exact, of at most {query.most_records} records; its factor's error is below {errors.eta:.2g}",
                _EXACT,
                query=query,
                errors=errors,
            ),
        )

    def last_stage(self, query: SecondMoments, why: str) -> Hypothesis:
        """The condition on the last stage; it has a part of epsilon, or of the bits."""
        parameters = self.parameters()
        return condition(
            "{rows} rows with noise of variance {variance:.17g} q^2, q = {unit:.10g}, are released on the grid of step {gap:.6g} plus {law}, scale "
            "{scale:.10g}" + (", for {last_epsilon:.17g} of epsilon" if "last_epsilon" in parameters else ""),
            why,
            parameters,
            unit=query.unit,
            gap=self.step * query.unit,
            law=GAUSSIAN_GRID,
        )


_EXACT = "integer sums of products in exact arithmetic; the factor is multiplied out and compared, and the release fails otherwise"
_COVERED = "integers drawn without floating-point decisions; their scale covers the distance of the computed sketch from an ideal one"
_IN_BITS = "the last stage's bits are counted: the computed sketch is surely within a public distance of an ideal one"


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianSketchSpec(SketchSpec):
    """A sketch for (epsilon, delta), whose noise is fixed before the records are read."""

    name = "release-gaussian-sketch"
    theorem = GAUSSIAN_SKETCH
    several = SHARED

    neighbours: Relation
    epsilon: Positive
    """At which delta is stated, in total."""
    last_epsilon: Positive
    """Of it, the last stage's."""
    least_eigenvalue: NotNegative = 0.0
    """lambda_0: declared public, for every admissible table without any one record."""

    def statement(self, problem: SecondMoments) -> Words:
        """See Spec."""
        return sketch_words(self, problem)


def sketch_words(spec: GaussianSketchSpec, query: SecondMoments) -> Words:
    """What is said of a sketch with a public floor."""
    least = spec.least_eigenvalue
    declared_floor = f"the second moments of every admissible table, without any one record, have no eigenvalue below {least:.10g}"
    law = spec.random_rows(query, spec.variance, credit_of(query, least))
    hypotheses = (*record_hypotheses(query.read, spec.neighbours), *law, spec.last_stage(query, _COVERED))
    return Words(GAUSSIAN_SKETCH, hypotheses, (declared_floor,) if least else (), secret=SECRET)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class EigenvalueSketchSpec(SketchSpec):
    """A sketch whose noise is lowered by a private look at the least eigenvalue of the records' second moments."""

    name = "release-eigenvalue-sketch"
    theorem = EIGENVALUE_SKETCH
    several = SHARED

    variance: NotNegative = drawn()
    """sigma^2 / q^2, which follows from the noisy eigenvalue."""
    floor: Positive
    """beta / q^2."""
    eigenvalue_step: PowerOfTwo
    """g, in q^2."""
    eigenvalue_scale: Positive
    """Of the eigenvalue's noise, in steps."""
    quantile: Whole
    """Steps that are subtracted."""
    neighbours: Relation
    epsilon: Positive
    """At which delta is stated, in total."""
    last_epsilon: Positive
    """Of it, the last stage's."""
    noisy_eigenvalue: Finite = drawn()
    """In steps."""
    eigenvalue_epsilon: Positive | None = absent()
    """What the eigenvalue had of epsilon, in certificates made when epsilons and deltas of both parts were added up."""

    def statement(self, problem: SecondMoments) -> Words:
        """See Spec."""
        computed = condition(
            "the least eigenvalue is computed within {error:.3g}",
            "eigenvectors are multiplied out and compared, and the release fails otherwise",
            error=200.0 * (problem.columns + 3) * 2.0**-53 * trace_of(problem, self.floor) * problem.unit**2,
        )
        summed = self.eigenvalue_epsilon is not None
        released = condition(
            "the eigenvalue is released in steps of {eigenvalue_step:.6g} plus {law}, scale {eigenvalue_scale:.10g}, "
            + ("for {eigenvalue_epsilon:.17g} of epsilon" if summed else "its loss composed with the sketch's")
            + "; it came out as {noisy_eigenvalue:.17g}, "
            "which less {quantile} raises a floor of {floor:.17g}; sigma^2 follows from it alone",
            "integers drawn without floating-point decisions; the certificate's variance is a function of its eigenvalue",
            self.parameters(),
            law=GAUSSIAN_GRID,
        )
        law = self.random_rows(problem, self.floor)
        hypotheses = (*record_hypotheses(problem.read, self.neighbours), *law, computed, released, self.last_stage(problem, _COVERED))
        return Words(self.theorem, hypotheses, secret=SECRET)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class InformationSketchSpec(SketchSpec):
    """A sketch with a bound of the bits about any one entry."""

    name = "release-information-sketch"
    theorem = INFORMATION_SKETCH

    neighbours: Relation = REPLACE_ONE

    def statement(self, problem: SecondMoments) -> Words:
        """See Spec."""
        law = self.random_rows(problem, self.variance)
        hypotheses = (*entry_hypotheses(problem, self.neighbours), *law, self.last_stage(problem, _IN_BITS))
        return Words(self.theorem, hypotheses, unit=Unit.ENTRY, secret=SECRET)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class ClearTargetSketchSpec(SketchSpec):
    """A sketch whose target column, the last, has no noise, with a bound of the bits about any one entry of the features."""

    name = "release-clear-target-sketch"
    theorem = CLEAR_TARGET_SKETCH

    neighbours: Relation = REPLACE_ONE

    def covariance(self, query: SecondMoments) -> Floats:
        """See ReleaseSpec: that of the features."""
        return self.noise_variance(query) * np.eye(query.columns - 1)

    def statement(self, problem: SecondMoments) -> Words:
        """See Spec."""
        clear = condition("targets need no protection", "by nothing: they are sketched without noise, and count as known")
        exact = condition(
            "the second moments are exact, of at most {query.most_records} records; noise does not depend on the records", _EXACT, query=problem
        )
        hypotheses = (*entry_hypotheses(problem, self.neighbours), clear, exact, self.last_stage(problem, _IN_BITS))
        return Words(self.theorem, hypotheses, ("the targets of all records",), unit=Unit.ENTRY)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSketchSpec(ReleaseSpec[SecondMoments]):
    """A sketch with the noise that was printed, set from the records: promises nothing."""

    name = "release-published-sketch"
    theorem = PUBLISHED_SKETCH
    problem_of = staticmethod(moments_query)

    rows: Whole
    """k."""
    claimed_bits: Positive
    """About each entry."""
    neighbours: Relation = REPLACE_ONE
    target_without_noise: Flag = drawn()
    """Whether the last column is a target, which has none."""

    def statement(self, problem: SecondMoments) -> Words:
        """See Spec."""
        needed = condition("columns and target do not predict each other", "by nothing")
        return Words(self.theorem, (*entry_hypotheses(problem, self.neighbours), needed))
