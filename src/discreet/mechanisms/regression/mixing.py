"""Gaussian mixing: a noisy sketch of the records, then least squares (proof note mixing.md; Lev et al. 2025; curve of release/sketch.md).

    k rows N(0, Z'Z + v I),   Z = [X, (c R / B) y]     released as in release/sketch.py: exact chi-square curve, both relations
    A~ = W_xx / k - v I,   b~ = W_xy / k               W the second moments of the rows; weights as in module `belief`

Taking v I out of the sketch leaves a noise of about v sqrt(2 / k) on A~, and leaving it in would be a ridge of v. k is a public number of its own:
more rows cost noise (v grows with their square root) and remove the sampling of the sketch, a relative error of sqrt(m / k) of what least squares
leaves.
"""

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, Json, NoGuarantee
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.data import Domain, Records
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism
from discreet.mechanisms.regression.belief import Belief
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.mechanisms.release.sketch import GaussianSketch
from discreet.noise import Noise
from discreet.queries import SecondMoments

_TARGET_WEIGHT = 0.5
_LEAST_ROWS, _PER_WEIGHT = 2000, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianMixing(RegressionMechanism):
    """Least squares from k noisy random combinations of the records."""

    name = "least-squares-mixing"
    sketch: GaussianSketch
    target_weight: float
    """c: targets are scaled to at most c R before they are sketched."""
    neighbours: Neighbours

    @classmethod
    def calibrate(cls, problem: LeastSquares, *, epsilon: float, delta: float, neighbours: Neighbours, rows: int | None = None) -> Self:
        """The least noise for (epsilon, delta). `rows` None takes 2000, or 50 for each weight where that is more.

        Raises InvalidInput for numbers out of range, InfeasibleTarget where rounding errors cannot be hidden.
        """
        query = sketched(problem, target_weight=_TARGET_WEIGHT)
        made = calibrated_sketch(query, rows_for(problem, rows), epsilon, delta, neighbours)
        return cls(sketch=made, target_weight=_TARGET_WEIGHT, neighbours=neighbours)

    def promise(self, problem: LeastSquares) -> ApproximateDP | NoGuarantee:
        """What the sketch promises; the rest is post-processing."""
        return self.sketch.promise(sketched(problem, target_weight=self.target_weight))

    def parameters(self) -> dict[str, Json]:
        """See RegressionMechanism."""
        return {**self.sketch.parameters(), "target_weight": self.target_weight}

    def explained(self, problem: LeastSquares) -> str:
        """See RegressionMechanism."""
        variance = self.sketch.noise_variance(sketched(problem, target_weight=self.target_weight))
        return (
            f"1. {self.sketch.rows} random combinations of the records, with noise of variance {variance:.4g} on every number ({self.neighbours}).\n"
            f"2. Least squares on their second moments, less the noise: it leaves a deviation of {variance * math.sqrt(2.0 / self.sketch.rows):.4g} "
            "on sums of x_j^2, and the combinations a relative error of "
            f"{math.sqrt(problem.domain.dimension / self.sketch.rows):.2g} that no budget removes."
        )

    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:
        """See RegressionMechanism."""
        query = sketched(problem, target_weight=self.target_weight)
        moments = drawn_moments(self.sketch, query, of_records(problem, data, query), noise)
        size, rows = problem.domain.dimension, self.sketch.rows
        variance = self.sketch.noise_variance(query)
        scale = problem.domain.target_bound / query.domain.target_bound
        products = moments[:size, :size] - variance * np.eye(size)
        deviation = variance * math.sqrt(2.0 / rows)
        belief = Belief.before(products, deviation=deviation, prior=problem.domain.target_bound / problem.domain.radius)
        belief = belief.after(moments[:size, size] * scale, deviation=deviation / math.sqrt(2.0) * scale)
        return Fitted(belief.mean, None, None)


def rows_for(problem: LeastSquares, rows: int | None) -> int:
    """k where the caller does not choose."""
    return max(_LEAST_ROWS, _PER_WEIGHT * problem.domain.dimension) if rows is None else rows


@lru_cache(maxsize=32)
def calibrated_sketch(query: SecondMoments, rows: int, epsilon: float, delta: float, neighbours: Neighbours) -> GaussianSketch:
    """As GaussianSketch.calibrate, which takes up to a second, kept for the next fit: a function of public numbers."""
    return GaussianSketch.calibrate(query, rows=rows, epsilon=epsilon, delta=delta, neighbours=neighbours)


def sketched(problem: LeastSquares, *, target_weight: float | None) -> SecondMoments:
    """What the sketch reads: the constant feature as a column like the others, and scaled targets, or none."""
    domain = problem.domain
    inner = Domain(
        features=domain.dimension,
        norm_bound=domain.radius,
        target_bound=domain.target_bound if target_weight is None else target_weight * domain.radius,
        records=domain.records,
        persons=domain.persons,
    )
    return SecondMoments(domain=inner, target="omitted" if target_weight is None else "noisy", most_records=problem.most_records)  # type: ignore[arg-type]


def of_records(problem: LeastSquares, data: Records, query: SecondMoments) -> Records:
    """The records as the sketch reads them: each a function of its own record, block by block."""
    scale = query.domain.target_bound / problem.domain.target_bound
    return data.changed(partial(_as_sketched, scale=scale, domain=query.domain), query.domain)


def _as_sketched(block: Records, *, scale: float, domain: Domain) -> Records:
    return Records(rows=block.matrix, targets=block.targets * scale, domain=domain, weights=block.weights, kept=True)


def drawn_moments(sketch: GaussianSketch, query: SecondMoments, data: Records, noise: Noise) -> Floats:
    """Second moments of the released rows over their number, (columns, columns)."""
    total = np.zeros((query.columns, query.columns))
    for block in sketch.draw(query, data, noise).blocks:
        total += block.T @ block
    return total / sketch.rows
