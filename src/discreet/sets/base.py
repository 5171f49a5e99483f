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

A new set is a class with a name, its sizes before rounding (`_radii`, `_width`) and its formulas (`_project`, `_minimiser`, and `_holds` or, for a
ball of a norm, `_norm`): what they are given was checked here, what they answer is rounded here.
"""

from abc import ABC, abstractmethod

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.named import Named
from discreet.core.validate import positive, whole
from discreet.sets.checks import outward, vector

TOLERANCE = 1e-9
"""Relative tolerance of membership, unless another one is given."""


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
