"""Three balls that are l1 balls of magnitudes: of coordinates, of block norms, of singular values.

Each point is split into m magnitudes t >= 0 and a frame that says where they point, and joined again. The set is { sum of magnitudes <= r }. If f is
a symmetric convex function of magnitudes, x -> f(t(x)) has the gradient whose magnitudes are f'(t) in the same frame (Lewis 1995 for singular
values), and the minimiser of f(t(x)) - <z, x> has the frame of z: mirror steps happen among magnitudes.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidType
from discreet.core.lazily import lazily
from discreet.sets import Constraint, GroupL2Ball, L1Ball, LpBall, NuclearBall
from discreet.sets.base import vector
from discreet.sets.extremes import absolute_moment
from discreet.sets.group_balls import block_norms, spread
from discreet.sets.mirror_maps.base import MirrorMap

optimize = lazily("scipy.optimize")

B = TypeVar("B", L1Ball, GroupL2Ball, NuclearBall)


class Split(NamedTuple):
    """A point as magnitudes and frame; frames are matrices that `join` of the same spectrum understands."""

    magnitudes: Floats
    """Shape (m,), >= 0."""
    frame: tuple[Floats, ...]


@dataclass(frozen=True, slots=True)
class Spectrum(ABC, Generic[B]):
    """How points of one ball have magnitudes."""

    ball: B

    @property
    def radius(self) -> float:
        """r."""
        return self.ball.radius

    @property
    @abstractmethod
    def count(self) -> int:
        """m."""

    @abstractmethod
    def split(self, point: Floats) -> Split:
        """Magnitudes and frame of any point (d,)."""

    @abstractmethod
    def join(self, magnitudes: Floats, frame: tuple[Floats, ...]) -> Floats:
        """The point (d,) with these magnitudes in this frame."""

    @abstractmethod
    def noise(self, exponent: float) -> float:
        """An upper bound of E |t(g)|_q, q = exponent >= 2, for g ~ N(0, I_d)."""


class Coordinates(Spectrum[L1Ball]):
    """|x_j| and signs."""

    __slots__ = ()

    @property
    def count(self) -> int:
        """d."""
        return self.ball.dimension

    def split(self, point: Floats) -> Split:
        """Absolute values and signs."""
        point = vector(point, self.ball.dimension, "a state or direction")
        return Split(np.abs(point), (np.sign(point),))

    def join(self, magnitudes: Floats, frame: tuple[Floats, ...]) -> Floats:
        """Signs restored."""
        return magnitudes * frame[0]

    def noise(self, exponent: float) -> float:
        """The width of the dual ball."""
        return LpBall(dimension=self.count, exponent=exponent / (exponent - 1.0)).gaussian_width


class Blocks(Spectrum[GroupL2Ball]):
    """|x_B|_2 and directions of blocks."""

    __slots__ = ()

    @property
    def count(self) -> int:
        """The number of blocks."""
        return len(self.ball.sizes)

    def split(self, point: Floats) -> Split:
        """Block norms and unit vectors."""
        point = vector(point, self.ball.dimension, "a state or direction")
        norms = block_norms(point, self.ball.sizes)
        return Split(norms, (point / spread(np.where(norms > 0.0, norms, 1.0), self.ball.sizes),))

    def join(self, magnitudes: Floats, frame: tuple[Floats, ...]) -> Floats:
        """Unit vectors times their norms."""
        return frame[0] * spread(magnitudes, self.ball.sizes)

    def noise(self, exponent: float) -> float:
        """(sum_B E |g_B|^s)^(1/s) at the best s <= q of a grid (|.|_q <= |.|_s, Jensen), or m^(1/q) E max_B |g_B|."""
        orders = np.append(np.geomspace(1.0, exponent, 100)[:-1], exponent).tolist()
        moments = [sum(absolute_moment(s, size) ** s for size in self.ball.sizes) ** (1.0 / s) for s in orders]
        largest = GroupL2Ball(sizes=self.ball.sizes).gaussian_width * self.count ** (1.0 / exponent)
        return min(*moments, largest)


class SingularValues(Spectrum[NuclearBall]):
    """Singular values and vectors."""

    __slots__ = ()

    @property
    def count(self) -> int:
        """min(p, q)."""
        return min(self.ball.rows, self.ball.columns)

    def split(self, point: Floats) -> Split:
        """A thin singular value decomposition."""
        left, values, right = np.linalg.svd(self.ball.matrix(point), full_matrices=False)
        return Split(values, (left, right))

    def join(self, magnitudes: Floats, frame: tuple[Floats, ...]) -> Floats:
        """U diag(t) W^T, flattened."""
        return ((frame[0] * magnitudes) @ frame[1]).ravel()

    def noise(self, exponent: float) -> float:
        """Norms of neighbouring exponents interpolate: E |s|_q <= (E |s|_a)^(1-b) (E |s|_c)^b with 1/q = (1-b)/a + b/c (Hoelder, twice).

        E |s|_2 <= sqrt(p q),  E |s|_4 <= (p q (p + q + 1))^(1/4) = (E tr (G G^T)^2)^(1/4),  E |s|_inf <= sqrt(p) + sqrt(q).
        """
        rows, columns = self.ball.rows, self.ball.columns
        second, fourth = math.sqrt(rows * columns), (rows * columns * (rows + columns + 1.0)) ** 0.25
        if exponent <= 4.0:
            share = 2.0 - 4.0 / exponent
            return second ** (1.0 - share) * fourth**share
        largest = NuclearBall(rows=rows, columns=columns).gaussian_width
        return fourth ** (4.0 / exponent) * largest ** (1.0 - 4.0 / exponent)


def spectrum_of(constraint: Constraint) -> Spectrum[Any]:
    """The spectrum of an l1 ball, a group-LASSO ball or a nuclear-norm ball. Raises InvalidType for other sets."""
    if isinstance(constraint, L1Ball):
        return Coordinates(constraint)
    if isinstance(constraint, GroupL2Ball):
        return Blocks(constraint)
    if isinstance(constraint, NuclearBall):
        return SingularValues(constraint)
    raise InvalidType(
        f"this mirror map needs an L1Ball, a GroupL2Ball or a NuclearBall; a {type(constraint).__name__} was given. EuclideanMap takes any set."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpectralMap(MirrorMap):
    """A potential of the magnitudes alone: its formulas say slopes and their inverse of magnitudes (m,), the frame is carried along."""

    @property
    def norm_radius(self) -> float:
        """1: |.|_2 is at most the p-norm of magnitudes, p <= 2."""
        return 1.0

    @property
    def _spectrum(self) -> Spectrum[Any]:
        return spectrum_of(self.constraint)

    def start(self) -> Floats:
        """The origin."""
        return np.zeros(self.constraint.dimension)

    def step(self, state: Floats, direction: Floats) -> Floats:
        """One scalar search among the magnitudes of the dual point, for the threshold that brings their sum down to r."""
        direction = vector(direction, self.constraint.dimension, "the direction")
        magnitudes, frame = self._spectrum.split(self.gradient(state) - direction)
        radius, gaps = self._spectrum.radius, magnitudes.max() - magnitudes
        found, most = self._unbounded(magnitudes)

        def inverse(kept: float) -> Floats:
            return self._inverse(np.maximum(kept - gaps, 0.0))

        if found.sum() > radius:
            found = inverse(optimize.brentq(lambda kept: float(inverse(kept).sum()) - radius, 0.0, most, xtol=1e-300, rtol=8.9e-16, maxiter=2000))
            found *= radius / found.sum()
        return self._spectrum.join(found, frame)

    def gradient(self, state: Floats) -> Floats:
        """grad Psi(state)."""
        magnitudes, frame = self._spectrum.split(state)
        return self._spectrum.join(self._slopes(magnitudes), frame)

    def conjugate_gradient(self, dual: Floats) -> Floats:
        """The inverse of `gradient`."""
        magnitudes, frame = self._spectrum.split(dual)
        return self._spectrum.join(self._inverse(magnitudes), frame)

    def _unbounded(self, magnitudes: Floats) -> tuple[Floats, float]:
        """The inverse without a bound of the sum, and where the search for the largest magnitude that is kept ends."""
        return self._inverse(magnitudes), float(magnitudes.max())

    @abstractmethod
    def _slopes(self, magnitudes: Floats) -> Floats: ...

    @abstractmethod
    def _inverse(self, magnitudes: Floats) -> Floats: ...
