"""Sets made of a set C: t C for a factor t > 0, and C + c for a centre c.

                        Scaled                          Translated
    projection          t project(p / t)                c + project(p - c)
    linear minimiser    t linear_minimiser(v)           c + linear_minimiser(v)
    l2, l1 radius       times t                         plus |c|_2, plus |c|_1
    diameter            times t                         the same
    width               times t                         the same (E <g, c> = 0)
    vertices            t v_i                           v_i + c

`scaled` and `translated` make a Polytope of a Polytope.
"""

from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import positive
from discreet.sets.base import TOLERANCE, Constraint, Polytope
from discreet.sets.checks import outward, read_only, vector
from discreet.sets.thresholds import norm2


def _record(constraint: Constraint) -> dict[str, object]:
    return {"name": constraint.name, "parameters": constraint.parameters}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled:
    """Another set times a factor."""

    base: Constraint
    """C."""
    factor: float
    """t > 0."""

    def __post_init__(self) -> None:
        """Refuse a factor that is not a positive finite number."""
        positive(self.factor, "the factor")

    @property
    def name(self) -> str:
        """Name in files."""
        return "scaled"

    @property
    def parameters(self) -> dict[str, object]:
        """The set and the factor."""
        return {"base": _record(self.base), "factor": self.factor}

    @property
    def dimension(self) -> int:
        """That of C."""
        return self.base.dimension

    @property
    def symmetric(self) -> bool:
        """As C is."""
        return self.base.symmetric

    @property
    def l2_radius(self) -> float:
        """Times t."""
        return outward(self.base.l2_radius * self.factor, 0)

    @property
    def l1_radius(self) -> float:
        """Times t."""
        return outward(self.base.l1_radius * self.factor, 0)

    @property
    def diameter(self) -> float:
        """Times t."""
        return outward(self.base.diameter * self.factor, 0)

    @property
    def gaussian_width(self) -> float:
        """Times t."""
        return self.base.gaussian_width * self.factor

    @property
    def width_is_exact(self) -> bool:
        """As that of C is."""
        return self.base.width_is_exact

    def project(self, point: Floats) -> Floats:
        """By C's projection."""
        return self.factor * self.base.project(vector(point, self.dimension, "the point") / self.factor)

    def linear_minimiser(self, direction: Floats) -> Floats:
        """By C's minimiser."""
        return self.factor * self.base.linear_minimiser(direction)

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """Whether C contains x / t."""
        return self.base.contains(vector(point, self.dimension, "the point") / self.factor, tolerance)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledPolytope(Scaled):
    """A polytope times a factor."""

    base: Polytope
    """C."""

    @property
    def vertex_count(self) -> int:
        """That of C."""
        return self.base.vertex_count

    def vertex(self, index: int) -> Floats:
        """t v_index."""
        return self.factor * self.base.vertex(index)

    def vertex_scores(self, direction: Floats) -> Floats:
        """t <v_i, direction>."""
        return self.factor * self.base.vertex_scores(direction)

    def combine(self, weights: Floats) -> Floats:
        """t times C's."""
        return self.factor * self.base.combine(weights)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Translated:
    """Another set, moved. Equality is identity; compare `parameters` for values."""

    base: Constraint
    """C."""
    centre: Floats
    """c, shape (d,); a read-only copy is kept."""

    def __post_init__(self) -> None:
        """Keep a copy that nobody can change; refuse another dimension."""
        object.__setattr__(self, "centre", read_only(self.centre, 1, "the centre"))
        if self.centre.shape != (self.base.dimension,):
            raise InvalidInput(f"the centre must have shape ({self.base.dimension},), as the points of the set; {self.centre.shape} was given.")

    @property
    def name(self) -> str:
        """Name in files."""
        return "translated"

    @property
    def parameters(self) -> dict[str, object]:
        """The set and the centre."""
        return {"base": _record(self.base), "centre": self.centre.tolist()}

    @property
    def dimension(self) -> int:
        """That of C."""
        return self.base.dimension

    @property
    def symmetric(self) -> bool:
        """As C is, if it stays where it is; a symmetric set that moves is symmetric no more."""
        return self.base.symmetric and not self.centre.any()

    @property
    def l2_radius(self) -> float:
        """Plus |c|_2."""
        return outward(self.base.l2_radius + norm2(self.centre), self.dimension)

    @property
    def l1_radius(self) -> float:
        """Plus |c|_1."""
        return outward(self.base.l1_radius + float(np.abs(self.centre).sum()), self.dimension)

    @property
    def diameter(self) -> float:
        """That of C, plus the rounding of the translation."""
        return self.base.diameter + 2.0 * (outward(self.l2_radius, 0) - self.l2_radius)

    @property
    def gaussian_width(self) -> float:
        """That of C."""
        return self.base.gaussian_width

    @property
    def width_is_exact(self) -> bool:
        """As that of C is."""
        return self.base.width_is_exact

    def project(self, point: Floats) -> Floats:
        """By C's projection."""
        return self.centre + self.base.project(vector(point, self.dimension, "the point") - self.centre)

    def linear_minimiser(self, direction: Floats) -> Floats:
        """By C's minimiser."""
        return self.centre + self.base.linear_minimiser(direction)

    def contains(self, point: Floats, tolerance: float = TOLERANCE) -> bool:
        """Whether C contains x - c."""
        return self.base.contains(vector(point, self.dimension, "the point") - self.centre, tolerance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TranslatedPolytope(Translated):
    """A polytope, moved."""

    base: Polytope
    """C."""

    @property
    def vertex_count(self) -> int:
        """That of C."""
        return self.base.vertex_count

    def vertex(self, index: int) -> Floats:
        """v_index + c."""
        return self.base.vertex(index) + self.centre

    def vertex_scores(self, direction: Floats) -> Floats:
        """<v_i, direction> + <c, direction>."""
        return self.base.vertex_scores(direction) + float(self.centre @ direction)

    def combine(self, weights: Floats) -> Floats:
        """C's plus c times the sum of the weights."""
        return self.base.combine(weights) + self.centre * float(np.sum(weights))


def scaled(constraint: Constraint, factor: float) -> Scaled:
    """`constraint` times `factor` > 0."""
    return ScaledPolytope(base=constraint, factor=factor) if isinstance(constraint, Polytope) else Scaled(base=constraint, factor=factor)


def translated(constraint: Constraint, centre: Floats) -> Translated:
    """`constraint` plus `centre` (d,)."""
    return TranslatedPolytope(base=constraint, centre=centre) if isinstance(constraint, Polytope) else Translated(base=constraint, centre=centre)
