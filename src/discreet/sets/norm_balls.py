"""Balls of the l_p norms: p = 1, 2, infinity, and between 1 and infinity."""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.validate import positive
from discreet.sets.base import Ball, Polytope
from discreet.sets.extremes import absolute_moment, mean_chi, mean_largest_absolute
from discreet.sets.thresholds import norm2, shrink_to_sum, tempered

optimize = lazily("scipy.optimize")

_STEPS = 200
"""Newton steps at most; a dozen is usual."""


def norm(values: Floats, exponent: float) -> float:
    """|values|_p for p = exponent >= 1, without overflow of powers."""
    largest = float(np.max(np.abs(values), initial=0.0))
    if largest == 0.0 or math.isinf(exponent):
        return largest
    return largest * float(np.sum((np.abs(values) / largest) ** exponent)) ** (1.0 / exponent)


def _shrunk(magnitudes: Floats, power: float, multiplier: float) -> Floats:
    """The roots y >= 0 of y + multiplier y^power = magnitudes, power > 0."""
    convex = power >= 1.0
    # In the variable z = y (convex) or z = y^power: z^a + b z^c = magnitudes, with one of the exponents 1 and the other at least 1.
    exponent = power if convex else 1.0 / power
    steep, flat = (multiplier, 1.0) if convex else (1.0, multiplier)
    root = np.minimum(magnitudes / flat, (magnitudes / steep) ** (1.0 / exponent))
    for _ in range(_STEPS):
        high = steep * root**exponent
        slope = flat + steep * exponent * root ** (exponent - 1.0)
        lower = np.maximum(root - (high + flat * root - magnitudes) / slope, 0.0)
        if np.all(np.abs(lower - root) <= 4e-16 * root):
            break
        root = lower
    return root if convex else root**exponent


@dataclass(frozen=True, slots=True, kw_only=True)
class NormBall(Ball):
    """A ball with nothing but its size."""

    dimension: int
    """d >= 1."""
    radius: float = 1.0
    """r > 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class L1Ball(NormBall, Polytope):
    """The l1 ball { |x|_1 <= r }, the set of the LASSO.

        projection          sign(x_j) max(|x_j| - theta, 0) with sum r              O(d log d); Duchi, Shalev-Shwartz, Singer and Chandra (2008)
        linear minimiser    -r sign(v_j) e_j, j = argmax |v_j| (the first)
        radii               l2: r        l1: r        diameter: 2 r
        width               r E max_j |g_j| <= r sqrt(2 ln 2d)                       (upper bound within 1e-3 r, by quadrature from above)
        vertices            2 d: number j is r e_j, number d + j is -r e_j

    r is the radius, d the dimension, g a standard normal vector.
    """

    name = "l1-ball"

    @property
    def width_is_exact(self) -> bool:
        """Only where d = 1."""
        return self.dimension == 1

    @property
    def vertex_count(self) -> int:
        """2 d."""
        return 2 * self.dimension

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius

    def _width(self) -> float:
        return self.radius * mean_largest_absolute(self.dimension)

    def _norm(self, point: Floats) -> float:
        return float(np.abs(point).sum())

    def _project(self, point: Floats) -> Floats:
        if self._norm(point) <= self.radius:
            return point.copy()
        return np.copysign(shrink_to_sum(np.abs(point), self.radius), point)

    def _minimiser(self, direction: Floats) -> Floats:
        largest = int(np.argmax(np.abs(direction)))
        found = np.zeros(self.dimension)
        found[largest] = -np.copysign(self.radius, direction[largest])
        return found

    def _vertex(self, index: int) -> Floats:
        found = np.zeros(self.dimension)
        found[index % self.dimension] = self.radius if index < self.dimension else -self.radius
        return found

    def _scores(self, direction: Floats) -> Floats:
        return np.concatenate([self.radius * direction, -(self.radius * direction)])

    def _mixture(self, weights: Floats) -> Floats:
        return self.radius * (weights[: self.dimension] - weights[self.dimension :])


@dataclass(frozen=True, slots=True, kw_only=True)
class L2Ball(NormBall):
    """The Euclidean ball { |x|_2 <= r }.

        projection          x min(1, r / |x|_2)                                     O(d)
        linear minimiser    -r v / |v|_2
        radii               l2: r        l1: r sqrt(d)        diameter: 2 r
        width               r E |g|_2 = r sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2), between r sqrt(d - 1/2) and r sqrt(d)     (exact)

    r is the radius, d the dimension, g a standard normal vector.
    """

    name = "l2-ball"
    width_is_exact = True

    def _radii(self) -> tuple[float, float]:
        return self.radius, self.radius * math.sqrt(self.dimension)

    def _width(self) -> float:
        return self.radius * mean_chi(self.dimension)

    def _norm(self, point: Floats) -> float:
        return norm2(point)

    def _project(self, point: Floats) -> Floats:
        length = norm2(point)
        return point.copy() if length <= self.radius else (point / length) * self.radius

    def _minimiser(self, direction: Floats) -> Floats:
        length = norm2(direction)
        return direction * 0.0 if length == 0.0 else (direction / length) * -self.radius


@dataclass(frozen=True, slots=True, kw_only=True)
class LInfinityBall(NormBall):
    """The l-infinity ball { |x|_inf <= r }.

        projection          each coordinate clipped to [-r, r]                      O(d)
        linear minimiser    -r sign(v_j) in each coordinate (0 where v_j = 0)
        radii               l2: r sqrt(d)        l1: r d        diameter: 2 r sqrt(d)
        width               r d sqrt(2 / pi)                                         (exact)

    r is the radius, d the dimension, g a standard normal vector.
    """

    name = "linfinity-ball"
    width_is_exact = True

    def _radii(self) -> tuple[float, float]:
        return self.radius * math.sqrt(self.dimension), self.radius * self.dimension

    def _width(self) -> float:
        return self.radius * self.dimension * math.sqrt(2.0 / math.pi)

    def _norm(self, point: Floats) -> float:
        return float(np.abs(point).max())

    def _project(self, point: Floats) -> Floats:
        return np.clip(point, -self.radius, self.radius)

    def _minimiser(self, direction: Floats) -> Floats:
        return -self.radius * np.sign(direction)


@dataclass(frozen=True, slots=True, kw_only=True)
class LpBall(Ball):
    """The l_p ball { |x|_p <= r } for 1 < p < infinity; q = p / (p - 1) is the dual exponent.

        projection          y_j + mu y_j^{p-1} = |x_j| for the one mu > 0 with |y|_p = r, signs restored        O(d) a step, two nested safeguarded
                            scalar searches; mu <= |x|_q at r = 1, because y_j <= (|x_j| / mu)^{1/(p-1)}
        linear minimiser    -r sign(v_j) (|v_j| / |v|_q)^{q-1}
        radii               l2: r d^{(1/2 - 1/p)_+}        l1: r d^{1 - 1/p}        diameter: twice the l2 radius
        width               r E |g|_q <= r min_{s <= q} d^{1/s} (E |g_1|^s)^{1/s}    (upper bound: |g|_q <= |g|_s, Jensen)

    In each coordinate y + mu y^{p-1} (p >= 2) and, in z = y^{p-1}, z^{1/(p-1)} + mu z (p < 2) are convex and increasing, so Newton's method from an
    upper bound of the root falls to it without safeguards.
    """

    name = "lp-ball"
    width_is_exact = False  # Jensen's inequality
    dimension: int
    """d >= 1."""
    exponent: float
    """p, from 1.001 to 1000: outside, use the balls of the ends, whose norms differ by little."""
    radius: float = 1.0
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse a set without an interior, and an exponent of another class."""
        Ball.__post_init__(self)
        positive(self.exponent, "the exponent")
        if not 1.001 <= self.exponent <= 1000.0:
            raise InvalidInput(f"the exponent of an l_p ball must be from 1.001 to 1000; {self.exponent!r} was given. Use L1Ball or LInfinityBall.")

    @property
    def dual_exponent(self) -> float:
        """q = p / (p - 1)."""
        return self.exponent / (self.exponent - 1.0)

    def _radii(self) -> tuple[float, float]:
        return self.radius * self.dimension ** max(0.5 - 1.0 / self.exponent, 0.0), self.radius * self.dimension ** (1.0 - 1.0 / self.exponent)

    def _width(self) -> float:
        exponents = np.geomspace(1.0, self.dual_exponent, 200)
        exponents[-1] = self.dual_exponent
        moments = min(self.dimension ** (1.0 / s) * absolute_moment(s) for s in exponents.tolist())
        largest = self.dimension ** (1.0 / self.dual_exponent) * mean_largest_absolute(self.dimension)
        return self.radius * min(moments, largest)

    def _project(self, point: Floats) -> Floats:
        length = norm(point, self.exponent)
        if length <= self.radius:
            return point.copy()
        magnitudes = tempered(np.abs(point), self.radius) / self.radius

        def excess(multiplier: float) -> float:
            return norm(_shrunk(magnitudes, self.exponent - 1.0, multiplier), self.exponent) - 1.0

        most = norm(magnitudes, self.dual_exponent) * (1.0 + 1e-9)
        least = 1e-200
        multiplier = least if excess(least) <= 0.0 else optimize.brentq(excess, least, most, xtol=1e-300, rtol=8.9e-16, maxiter=2000)
        shrunk = _shrunk(magnitudes, self.exponent - 1.0, multiplier)
        return np.copysign(shrunk * (self.radius / norm(shrunk, self.exponent)), point)

    def _minimiser(self, direction: Floats) -> Floats:
        length = norm(direction, self.dual_exponent)
        if length == 0.0:
            return np.zeros(self.dimension)
        found = (np.abs(direction) / length) ** (self.dual_exponent - 1.0)
        return np.copysign(found * (self.radius / norm(found, self.exponent)), -direction)

    def _norm(self, point: Floats) -> float:
        return norm(point, self.exponent)
