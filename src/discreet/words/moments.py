"""The declaration of released second moments."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.neighbours import REPLACE_ONE
from discreet.queries import SecondMoments
from discreet.statements.base import SHARED, Words, condition
from discreet.statements.spec import Positive, PowerOfTwo, Relation, declared
from discreet.words.learning import GAUSSIAN_GRID
from discreet.words.release import ReleaseSpec, moments_query, record_hypotheses

GAUSSIAN_MOMENTS = "Gaussian noise on second moments, exact integers (moments.md)"


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsSpec(ReleaseSpec[SecondMoments]):
    """Gaussian noise on the number of records, their sums and their sums of products."""

    name = "release-gaussian-moments"
    theorem = GAUSSIAN_MOMENTS
    several = SHARED
    problem_of = partial(moments_query, counted=True)

    moment_noise: Positive
    """sigma, in squares of the longest record."""
    step: PowerOfTwo
    """Of the grid of released numbers."""
    neighbours: Relation
    epsilon: Positive
    """At which delta is stated."""

    def covariance(self, query: SecondMoments) -> Floats:
        """N: for E the noise of the symmetric matrix, Cov(E u) = (u'N u) N + N u u'N."""
        diagonal = np.full(query.columns, self.moment_noise * query.norm**2 / math.sqrt(2.0))
        diagonal[0] /= query.constant**2
        return np.diag(diagonal)

    def statement(self, problem: SecondMoments) -> Words:
        """See Spec."""
        query = problem
        if self.step != query.unit / max(1.0, query.constant**2):
            raise ValueError("parameters: 'step' is the grid of the second moments")
        known = "; their number, which neighbours share, has none" * (self.neighbours is REPLACE_ONE and query.read.in_order)
        exact = condition(
            "sums over at most {query.most_records} records, of products of their numbers and of a constant {query.constant:.10g}, are exact",
            "integer sums of products: every number is rounded towards zero to a multiple of {query.unit:.10g}, record by record",
            query=query,
        )
        noise = condition(
            "every sum has a secret integer in units of {square:.10g}, {law}, of deviation {diagonal:.10g} for squares, {off:.10g} for others{known}",
            "integers drawn without floating-point decisions; in Frobenius norm, squared, a record is at most {bound:.10g}, and two are twice that "
            "apart",
            law=GAUSSIAN_GRID,
            square=query.unit**2,
            diagonal=self.moment_noise * (query.norm / query.unit) ** 2,
            off=self.moment_noise * (query.norm / query.unit) ** 2 / 2.0**0.5,
            bound=query.norm**4,
            known=known,
        )
        return Words(self.theorem, (*record_hypotheses(query.read, self.neighbours), exact, noise))
