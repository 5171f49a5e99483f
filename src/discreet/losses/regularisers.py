"""The squared Euclidean norm r(w) = (lambda / 2) |w|_2^2, lambda-strongly convex on every coordinate, the intercept's included."""

from dataclasses import dataclass

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput

__all__ = ["L2"]


@dataclass(frozen=True, slots=True, kw_only=True)
class L2:
    """(strength / 2) |w|_2^2, on the scale of an un-normalised sum of losses (alpha n in the notation of a mean)."""

    strength: float
    """lambda > 0."""

    def __post_init__(self) -> None:
        """Refuse a strength without strong convexity."""
        if not (is_finite(self.strength) and self.strength > 0):
            raise InvalidInput(f"the regularisation strength must be a positive finite number; {self.strength!r} was given.")

    @property
    def strong_convexity(self) -> float:
        """lambda."""
        return self.strength
