"""Convex sets over which models are learnt, and what algorithms and proofs ask of them.

Of a closed bounded convex set C of R^d:

    project(p)              argmin_{x in C} |x - p|_2
    linear_minimiser(v)     a point of argmin_{x in C} <v, x>
    l2_radius               max_{x in C} |x|_2        l1_radius    max_{x in C} |x|_1        diameter    max_{x, z in C} |x - z|_2
    gaussian_width          G_C = E sup_{x in C} <g, x>,   g ~ N(0, I_d)

The risk of private mirror descent and of private objective perturbation over C grows with G_C, not with d (Talwar, Thakurta and Zhang 2014, theorems
3.2 and 4.1), and that of the private Frank-Wolfe method with the logarithm of the number of vertices (theorem 5.5). Their proofs of privacy use
radii, diameters and vertex counts, which are therefore upper bounds, rounded up, and hold for every point that `project` and `linear_minimiser`
return, rounding included. Widths serve bounds of risk only.

Sets are public: they are chosen before the records are seen.

The support function is h_C(v) = sup_{x in C} <v, x> = <v, x*>, x* = linear_minimiser(-v), and G_C = E h_C(g). It is l2_radius-Lipschitz, so
Var h_C(g) <= l2_radius^2 (the Gaussian Poincare inequality): 100 draws always suffice for a standard error of a tenth of the radius.

A new set is a class with a name, its sizes before rounding (`_radii`, `_width`) and its formulas (`_project`, `_minimiser`, and `_holds` or, for a
ball of a norm, `_norm`): what they are given was checked here, what they answer is rounded here.
"""

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Protocol

import numpy as np

from discreet.core.arrays import Floats, as_floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import Named
from discreet.core.validate import positive, whole

TOLERANCE = 1e-9
"""Relative tolerance of membership, unless another one is given."""


def vector(values: Floats, dimension: int, what: str) -> Floats:
    """`values` as float64 of shape (dimension,), all finite. The message never repeats them: gradients come from records."""
    array = as_floats(values)
    if array.shape != (dimension,):
        raise InvalidInput(f"{what} must have shape ({dimension},); an array of shape {array.shape} was given.")
    if not np.isfinite(array).all():
        raise InvalidInput(f"{what} must be made of finite numbers; one of the given numbers is infinite or not a number.")
    return array


def outward(value: float, dimension: int) -> float:
    """`value` rounded up by more than the rounding errors of a norm of `dimension` terms and of the formula of the value itself: (d + 64) 2^-52."""
    return value * (1.0 + (dimension + 64) * 2.0**-52)


def read_only(values: Any, dimensions: int, what: str) -> Floats:  # noqa: ANN401 (a constructor's argument, checked here)
    """A read-only float64 copy of a non-empty array of finite numbers with that many dimensions."""
    array = as_floats(values).copy()
    if array.ndim != dimensions or array.size == 0 or not np.isfinite(array).all():
        raise InvalidInput(
            f"{what} must be a non-empty array of finite numbers with {dimensions} dimension(s); an array of shape {array.shape} was given."
        )
    array.flags.writeable = False
    return array


class Constraint(Named, ABC):
    """A closed bounded convex set of R^d, a frozen dataclass of its parameters.

    Points and directions are arrays of shape (d,) of finite numbers; all methods raise InvalidInput for others.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def dimension(self) -> int:
        """d."""

    @property
    def symmetric(self) -> bool:
        """Whether C = -C."""
        return True

    @property
    def l2_radius(self) -> float:
        """An upper bound of max |x|_2, rounded up."""
        return outward(self._radii()[0], self._terms)

    @property
    def l1_radius(self) -> float:
        """An upper bound of max |x|_1, rounded up."""
        return outward(self._radii()[1], self._terms)

    @property
    def diameter(self) -> float:
        """An upper bound of max |x - z|_2, rounded up."""
        return 2.0 * self.l2_radius

    @property
    def gaussian_width(self) -> float:
        """G_C or an upper bound of it."""
        return self._width()

    @property
    @abstractmethod
    def width_is_exact(self) -> bool:
        """Whether `gaussian_width` is G_C itself, up to a relative 1e-9."""

    def project(self, point: Floats) -> Floats:
        """The nearest point of C, a new array (d,)."""
        return self._project(vector(point, self.dimension, "the point"))

    def linear_minimiser(self, direction: Floats) -> Floats:
        """A point of C where <direction, x> is smallest, a new array (d,)."""
        return self._minimiser(vector(direction, self.dimension, "the direction"))

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """Whether `point` lies in C, up to `tolerance` times the size of C."""
        return bool(self._holds(vector(point, self.dimension, "the point"), tolerance))

    @property
    def _terms(self) -> int:
        """Of sums in the radii, and in the coordinates of returned points."""
        return self.dimension

    @abstractmethod
    def _radii(self) -> tuple[float, float]:
        """max |x|_2 and max |x|_1, before rounding."""

    @abstractmethod
    def _width(self) -> float: ...

    @abstractmethod
    def _project(self, point: Floats) -> Floats: ...

    @abstractmethod
    def _minimiser(self, direction: Floats) -> Floats: ...

    @abstractmethod
    def _holds(self, point: Floats, tolerance: float) -> bool: ...


class Ball(Constraint):
    """{ |x| <= r } for a norm and a field `radius`."""

    __slots__ = ()
    radius: float
    """r > 0."""

    def __post_init__(self) -> None:
        """Refuse a set without an interior."""
        whole(self.dimension, "the dimension")
        positive(self.radius, "the radius")

    def _holds(self, point: Floats, tolerance: float) -> bool:
        return self._norm(point) <= self.radius * (1.0 + tolerance)

    @abstractmethod
    def _norm(self, point: Floats) -> float:
        """|x|."""


class Polytope(Constraint):
    """The convex hull of few points v_0 .. v_{k-1}; a point may be listed twice."""

    __slots__ = ()

    @property
    @abstractmethod
    def vertex_count(self) -> int:
        """k."""

    def vertex(self, index: int) -> Floats:
        """v_index, shape (d,)."""
        if not 0 <= index < self.vertex_count:
            raise InvalidInput(f"the index of a vertex must be from 0 to {self.vertex_count - 1}; {index!r} was given.")
        return self._vertex(index)

    def vertex_scores(self, direction: Floats) -> Floats:
        """<v_i, direction> for all i, shape (k,)."""
        return self._scores(vector(direction, self.dimension, "the direction"))

    def combine(self, weights: Floats) -> Floats:
        """sum_i weights_i v_i, shape (d,), for any weights (k,)."""
        return self._mixture(vector(weights, self.vertex_count, "the weights"))

    @abstractmethod
    def _vertex(self, index: int) -> Floats: ...

    @abstractmethod
    def _scores(self, direction: Floats) -> Floats: ...

    @abstractmethod
    def _mixture(self, weights: Floats) -> Floats: ...


class StandardNormals(Protocol):
    """Where public randomness comes from, such as a NumPy Generator. No secret may depend on it."""

    def standard_normal(self, size: int) -> Floats:
        """`size` independent N(0, 1) numbers."""


class WidthEstimate(NamedTuple):
    """A simulated Gaussian width."""

    value: float
    """The mean over draws."""
    standard_error: float
    """Of `value`."""


def support_function(constraint: Constraint, direction: Floats) -> float:
    """sup_{x in C} <direction, x>; direction of shape (d,)."""
    array = np.asarray(direction, dtype=np.float64)
    return float(array @ constraint.linear_minimiser(-array))


def estimate_width(constraint: Constraint, draws: int, generator: StandardNormals) -> WidthEstimate:
    """The Gaussian width of `constraint` from `draws` >= 2 linear minimisations. Raises InvalidInput for fewer."""
    whole(draws, "the number of draws", least=2)
    values = np.array([support_function(constraint, generator.standard_normal(constraint.dimension)) for _ in range(draws)])
    return WidthEstimate(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(draws))
