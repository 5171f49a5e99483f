"""The sketch for bits about entries of the features, its target sketched without noise (proof note sketch.md, section 5; theorem 5).

    (S X + sigma N, S y):    bits = log2(1 + k U^2 / sigma^2) / 2 + D^2 / (2 s^2 ln 2)

This is what Showkatbakhsh, Karakus, Diggavi (2018) set out to release, with the noise that its claim needs: nothing is subtracted. Targets
count as known to the adversary, and records as a whole are not protected: with all other targets 0, S y = 0 exactly when this target is 0.

Drawn by its exact law, row by row: (g b' + row of N(0, W), |y| g) with g normal, b = X'y / |y|, W = X'X - b b' + sigma^2 I >= sigma^2 I.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from discreet.accounting import MutualInformation
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure, quietly
from discreet.core.neighbours import REPLACE_ONE
from discreet.data import Records
from discreet.mechanisms.base import Drawn
from discreet.mechanisms.learning.base import grid_step
from discreet.mechanisms.release.answers import exact_moments
from discreet.mechanisms.release.arithmetic import FAILURE, UNIT
from discreet.mechanisms.release.rows import LARGEST_SCALE
from discreet.mechanisms.release.sketch import arithmetic_of, batches
from discreet.mechanisms.release.sketch_information import SketchOfBits, check_entries, coherent_bits, covariance_distance
from discreet.noise import Integers, Noise
from discreet.queries import SecondMoments, Target
from discreet.queries.base import UP
from discreet.words.sketch import ClearTargetSketchSpec

_SHARES = (1e-4, 1e-3, 1e-2, 5e-2, 0.2)
"""Of the bits, the last stage's: the best is taken. More records need a larger one."""
_LEAST_SCALE = 2.0**12


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearTargetSketch(ClearTargetSketchSpec, SketchOfBits):
    """k random combinations of the records, noise on the features' columns only; the last column is the target's.

    sigma^2 = k U^2 / (2^{2 bits} - 1) and what hides rounding errors, together the least over a few shares of the bits.
    """

    most_bits = 100.0

    @staticmethod
    def check(query: SecondMoments) -> None:
        """Raise InvalidInput unless the query has the target as its last column, and bounds entries one by one."""
        if query.target is not Target.NOISY:
            raise InvalidInput("a sketch with its target needs a query with target='noisy': the target is the last column, here without noise.")
        check_entries(query)

    @classmethod
    def _tried(cls, query: SecondMoments, rows: int, bits: float) -> Iterable[Self | None]:
        return (cls._with_share(query, rows, bits, share) for share in _SHARES)

    @classmethod
    def _with_share(cls, query: SecondMoments, rows: int, bits: float, share: float) -> Self | None:
        last = share * (1.0 - 1e-6) * bits
        variance = math.ceil(rows * _entry(query) ** 2 / math.expm1(2.0 * math.log(2.0) * (1.0 - share) * (1.0 - 1e-8) * bits))
        radius = _distance(query, rows, variance)
        if variance >= 1 << 61 or not math.isfinite(radius):
            return None
        step = grid_step(radius, _size(query, rows))
        scale = max(_moved(query, rows, variance, step) / math.sqrt(2.0 * math.log(2.0) * last) * UP, _LEAST_SCALE)
        return cls(rows=rows, variance=variance, step=step, scale=scale) if scale < LARGEST_SCALE else None

    def promise(self, query: SecondMoments) -> MutualInformation:
        """See the module docstring."""
        self.check(query)
        last = (_moved(query, self.rows, self.variance, self.step) / self.scale) ** 2 / (2.0 * math.log(2.0))
        bits = (coherent_bits(self.rows, self.variance, _entry(query) ** 2) + last) * (1.0 + 1e-9)
        return MutualInformation(bits=bits, neighbours=REPLACE_ONE, theorem=self.theorem)

    def draw(self, query: SecondMoments, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        moments = exact_moments(query, data)
        slope, factor = conditional(moments, int(self.variance), self.arithmetic(query).trace)
        length = math.sqrt(float(moments[-1, -1]))
        return Drawn((self.rows, query.columns), self._rows(query, slope, factor, length, noise))

    def _rows(self, query: SecondMoments, slope: Floats, factor: Floats, length: float, noise: Noise) -> Iterator[Floats]:
        for count in batches(query, self.rows):
            normals = noise.gaussian(scale=1.0, dimension=query.columns, draws=count)
            features = np.outer(slope, normals[-1]) + factor @ normals[:-1]
            yield np.column_stack((self.grid.release(features, noise).T, length * normals[-1])) * query.unit


def conditional(moments: Integers, variance: int, trace: float) -> tuple[Floats, Floats]:
    """b, and a Cholesky factor of W (module docstring). Raises SolverFailure where W's error cannot be certified."""
    square = float(moments[-1, -1])
    slope = moments[:-1, -1].astype(np.float64) / math.sqrt(square) if square > 0 else np.zeros(len(moments) - 1)
    inner = moments[:-1, :-1].copy()
    inner[np.diag_indices_from(inner)] += variance
    matrix = inner.astype(np.float64) - np.outer(slope, slope)
    factor: Floats = quietly(lambda: cholesky(matrix, lower=True), SolverFailure(FAILURE), LinAlgError)
    if not float(np.linalg.norm(factor @ factor.T - matrix)) <= 5.0 * (len(moments) + 3) * UNIT * trace:
        raise SolverFailure(FAILURE)
    return slope, factor


def _distance(query: SecondMoments, rows: int, variance: float) -> float:
    """Of the computed numbers from ideal ones: b is rounded too, which at most doubles the first part."""
    bounds = arithmetic_of(query, rows, variance, variance)
    return 2.0 * bounds.radius + covariance_distance(bounds)


def _moved(query: SecondMoments, rows: int, variance: float, step: float) -> float:
    """How far two computed sketches with the same ideal one are apart on the grid, in steps."""
    return (2.0 * _distance(query, rows, variance) / step + math.sqrt(_size(query, rows))) * UP


def _size(query: SecondMoments, rows: int) -> int:
    """Numbers that go through the last stage."""
    return rows * query.domain.features


def _entry(query: SecondMoments) -> float:
    """U, in units of q."""
    return float(np.max(query.read.entries[:-1])) / query.unit
