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
"""

from typing import Protocol, runtime_checkable

from discreet.core.arrays import Floats

TOLERANCE = 1e-9
"""Relative tolerance of membership, unless another one is given."""


@runtime_checkable
class Constraint(Protocol):
    """A closed bounded convex set of R^d. Points and directions are arrays of shape (d,); anything else, or a number that is not finite, raises."""

    @property
    def name(self) -> str:
        """Standard name, used in files."""

    @property
    def parameters(self) -> dict[str, object]:
        """Constructor arguments as numbers, lists and dictionaries, for certificates and files."""

    @property
    def dimension(self) -> int:
        """d."""

    @property
    def symmetric(self) -> bool:
        """Whether C = -C."""

    @property
    def l2_radius(self) -> float:
        """An upper bound of max |x|_2, rounded up."""

    @property
    def l1_radius(self) -> float:
        """An upper bound of max |x|_1, rounded up."""

    @property
    def diameter(self) -> float:
        """An upper bound of max |x - z|_2, rounded up."""

    @property
    def gaussian_width(self) -> float:
        """G_C or an upper bound of it."""

    @property
    def width_is_exact(self) -> bool:
        """Whether `gaussian_width` is G_C itself, up to a relative 1e-9."""

    def project(self, point: Floats) -> Floats:
        """The nearest point of C, a new array (d,)."""

    def linear_minimiser(self, direction: Floats) -> Floats:
        """A point of C where <direction, x> is smallest, a new array (d,)."""

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """Whether `point` lies in C, up to `tolerance` times the size of C."""


@runtime_checkable
class Polytope(Constraint, Protocol):
    """The convex hull of few points v_0 .. v_{k-1}; a point may be listed twice."""

    @property
    def vertex_count(self) -> int:
        """k."""

    def vertex(self, index: int) -> Floats:
        """v_index, shape (d,)."""

    def vertex_scores(self, direction: Floats) -> Floats:
        """<v_i, direction> for all i, shape (k,)."""

    def combine(self, weights: Floats) -> Floats:
        """sum_i weights_i v_i, shape (d,), for any weights (k,)."""
