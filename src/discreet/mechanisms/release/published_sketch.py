"""The sketch as published (Showkatbakhsh, Karakus, Diggavi 2018, section IV): for comparison, without any guarantee (sketch.md, section 7).

    S X + sigma N and S y, sigma^2 = (k / (2^{2 bits} - 1) - f^2)_+,    f^2 = min over columns j of (sum_i x_ij^2 - max_i x_ij^2),    |x_ij| <= 1

Three faults, each fatal: the other columns share S, so what hides an entry is not the rest of its column but the rest of its column that the other
columns do not predict; y is sketched without noise and predicts them too; sigma is a function of the records. Nearly equal columns, or a good fit,
and the release tells an entry's value with certainty.
"""

from dataclasses import dataclass

import numpy as np

from discreet.accounting import NoGuarantee, Unit
from discreet.core.arrays import Floats
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.answers import exact_moments, rows_read
from discreet.noise import Noise
from discreet.queries import SecondMoments, Target
from discreet.words.sketch import PublishedSketchSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSketch(PublishedSketchSpec, Mechanism[SecondMoments, Records]):
    """k random combinations of the records, with the noise that was printed."""

    def promise(self, query: SecondMoments) -> NoGuarantee:  # noqa: ARG002 - none for any
        """NoGuarantee, with the reason in its theorem."""
        return NoGuarantee(neighbours=self.neighbours, unit=Unit.ENTRY, theorem=self.theorem)

    def draw(self, query: SecondMoments, data: Records, noise: Noise) -> Drawn:
        """See Mechanism; the law of S Z + sigma N by the square root of its covariance."""
        with_target = query.target is Target.NOISY
        squares, largest = np.zeros(query.columns), np.zeros(query.columns)
        for _, rows in rows_read(query, data):
            squares += np.square(rows).sum(axis=0)
            largest = np.maximum(largest, np.square(rows).max(axis=0, initial=0.0))
        features = slice(0, query.domain.features)
        variance = max(0.0, self.rows / np.expm1(2.0 * self.claimed_bits * np.log(2.0)) - float(np.min((squares - largest)[features])))
        moments = exact_moments(query, data) * query.unit**2
        noisy = np.full(query.columns, variance)
        noisy[query.domain.features :] = 0.0
        values, vectors = np.linalg.eigh(moments + np.diag(noisy))
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        sketch: Floats = (root @ noise.gaussian(scale=1.0, dimension=query.columns, draws=self.rows)).T
        return Drawn((self.rows, query.columns), iter((sketch,)), {"target_without_noise": with_target})
