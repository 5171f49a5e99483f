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

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.short import short_repr
from discreet.core.validate import positive
from discreet.sets.base import Constraint, Polytope, outward, read_only
from discreet.sets.thresholds import norm2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moved(Constraint):
    """What a set made of another takes over from it: its points are `_there` of those of C, and `_back` finds these again."""

    base: Constraint
    """C."""

    @property
    def dimension(self) -> int:
        """That of C."""
        return self.base.dimension

    @property
    def width_is_exact(self) -> bool:
        """As that of C is."""
        return self.base.width_is_exact

    def _project(self, point: Floats) -> Floats:
        return self._there(self.base.project(self._back(point)))

    def _minimiser(self, direction: Floats) -> Floats:
        return self._there(self.base.linear_minimiser(direction))

    def _holds(self, point: Floats, tolerance: float) -> bool:
        return self.base.contains(self._back(point), tolerance)

    @abstractmethod
    def _there(self, point: Floats) -> Floats: ...

    @abstractmethod
    def _back(self, point: Floats) -> Floats: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MovedPolytope(Moved, Polytope):
    """A polytope, moved as `Moved` moves its set."""

    base: Polytope
    """C."""

    @property
    def vertex_count(self) -> int:
        """That of C."""
        return self.base.vertex_count

    def _vertex(self, index: int) -> Floats:
        return self._there(self.base.vertex(index))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled(Moved):
    """Another set times a factor."""

    name = "scaled"
    factor: float
    """t > 0."""

    def __post_init__(self) -> None:
        """Refuse a factor that is not a positive finite number."""
        positive(self.factor, "the factor")

    @property
    def symmetric(self) -> bool:
        """As C is."""
        return self.base.symmetric

    @property
    def diameter(self) -> float:
        """The diameter of C times t, rounded up."""
        return outward(self.base.diameter * self.factor, 0)

    @property
    def _terms(self) -> int:
        return 0

    def _radii(self) -> tuple[float, float]:
        return self.base.l2_radius * self.factor, self.base.l1_radius * self.factor

    def _width(self) -> float:
        return self.base.gaussian_width * self.factor

    def _there(self, point: Floats) -> Floats:
        return self.factor * point

    def _back(self, point: Floats) -> Floats:
        return point / self.factor


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledPolytope(MovedPolytope, Scaled):
    """A polytope times a factor."""

    def _scores(self, direction: Floats) -> Floats:
        return self.factor * self.base.vertex_scores(direction)

    def _mixture(self, weights: Floats) -> Floats:
        return self.factor * self.base.combine(weights)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Translated(Moved):
    """Another set, moved. Equality is identity; compare `parameters` for values."""

    name = "translated"
    centre: Floats
    """c, shape (d,); a read-only copy is kept."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Keep a copy that nobody can change; refuse another dimension."""
        object.__setattr__(self, "centre", read_only(self.centre, 1, "the centre"))
        if self.centre.shape != (self.base.dimension,):
            raise InvalidInput(f"the centre must have shape ({self.base.dimension},), as the points of the set; {self.centre.shape} was given.")

    @property
    def symmetric(self) -> bool:
        """As C is, if it stays where it is; a symmetric set that moves is symmetric no more."""
        return self.base.symmetric and not self.centre.any()

    @property
    def diameter(self) -> float:
        """That of C, plus the rounding of the translation."""
        return self.base.diameter + 2.0 * (outward(self.l2_radius, 0) - self.l2_radius)

    def _radii(self) -> tuple[float, float]:
        return self.base.l2_radius + norm2(self.centre), self.base.l1_radius + float(np.abs(self.centre).sum())

    def _width(self) -> float:
        return self.base.gaussian_width

    def _there(self, point: Floats) -> Floats:
        return self.centre + point

    def _back(self, point: Floats) -> Floats:
        return point - self.centre


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TranslatedPolytope(MovedPolytope, Translated):
    """A polytope, moved."""

    __repr__ = short_repr

    def _scores(self, direction: Floats) -> Floats:
        return self.base.vertex_scores(direction) + float(self.centre @ direction)

    def _mixture(self, weights: Floats) -> Floats:
        return self.base.combine(weights) + self.centre * float(np.sum(weights))


def scaled(constraint: Constraint, factor: float) -> Scaled:
    """`constraint` times `factor` > 0."""
    return ScaledPolytope(base=constraint, factor=factor) if isinstance(constraint, Polytope) else Scaled(base=constraint, factor=factor)


def translated(constraint: Constraint, centre: Floats) -> Translated:
    """`constraint` plus `centre` (d,)."""
    return TranslatedPolytope(base=constraint, centre=centre) if isinstance(constraint, Polytope) else Translated(base=constraint, centre=centre)
