"""The second moments themselves: the number of records, their sums, and their sums of products, each with noise of its own (proof note moments.md).

    M = sum z z',   z = (t, x, y)         exact integers times q^2 (queries/second_moments.py), t a public constant, |z| <= C
    M~ = M + E      E symmetric, independent discrete Gaussian integers, deviation sigma C^2 on the diagonal and sigma C^2 / sqrt(2) off it

In the metric |.|_F, in which an entry off the diagonal counts twice, this is one Gaussian answer, and a record moves M by

    add-remove     sup |z z'|_F          = C^2
    replace-one    sup |z z' - w w'|_F   = sqrt(2) C^2          at a right angle, |z| = |w| = C

so mu = sup / (sigma C^2). What is released is M~ with the constant divided out: the first number is that of the records, the first row has the sums.
Under replace-one, where every record counts once, t^2 n is the same for neighbours: it is released without noise. Persons whose rows share a weight
move M as far as one record (theorem 2 of the note).
"""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, NoGuarantee
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.noisy_sums import LARGEST_SCALE, composed_delta, least_noise, noisy_products, stated
from discreet.mechanisms.release.answers import exact_moments
from discreet.noise import Noise
from discreet.queries import SecondMoments
from discreet.queries.base import UP
from discreet.words.moments import MomentsSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianMoments(MomentsSpec, Mechanism[SecondMoments, Records]):
    """Gaussian noise on every second moment."""

    @classmethod
    def calibrate(cls, query: SecondMoments, *, epsilon: float, delta: float, neighbours: Neighbours) -> Self:
        """The least noise (to 1e-6) for (epsilon, delta). Raises InfeasibleTarget where the integers have no room for the noise."""
        if not query.counted:
            raise InvalidInput("released moments include the number of records and the sums, so the query must be made with counted=True.")
        step = query.unit / max(1.0, query.constant**2)
        return least_noise(
            lambda mu: cls(moment_noise=moments_reach(neighbours) / mu, step=step, neighbours=neighbours, epsilon=epsilon),
            lambda made: made.delta(query) <= delta and made.scale(query) < LARGEST_SCALE,
            epsilon=epsilon,
            delta=delta,
            problem=query,
        )

    def promise(self, query: SecondMoments) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        return stated(self.epsilon, self.delta(query), self.neighbours, self.theorem)

    def delta(self, query: SecondMoments) -> float:
        """delta at `epsilon`, an upper bound."""
        mu = moments_reach(self.neighbours) / self.moment_noise * UP
        numbers = query.columns * (query.columns + 1) // 2
        return composed_delta(self.epsilon, mu, integers=numbers, stages=1, least_scale=self.scale(query) / math.sqrt(2.0))

    def scale(self, query: SecondMoments) -> float:
        """The noise on the diagonal, in units of q^2; that off it is smaller by sqrt(2)."""
        return self.moment_noise * (query.norm / query.unit) ** 2

    def draw(self, query: SecondMoments, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        exact, scale = exact_moments(query, data), self.scale(query)
        products = noisy_products(exact, noise, diagonal=scale, off=scale / math.sqrt(2.0))
        if count_is_known(query, self.neighbours):
            products[0, 0] = exact[0, 0]
        units = np.full(query.columns, query.unit)
        units[0] /= query.constant
        return Drawn.of(products * units[:, np.newaxis] * units)


def count_is_known(query: SecondMoments, neighbours: Neighbours) -> bool:
    """Whether neighbours have the same number of records, each of which counts once: then it is released as it is."""
    return neighbours is REPLACE_ONE and query.read.in_order


def moments_reach(neighbours: Neighbours) -> float:
    """How many times C^2 a record moves M in |.|_F, rounded up."""
    return (1.0 if neighbours is ADD_REMOVE else math.sqrt(2.0)) * UP
