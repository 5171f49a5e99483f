"""The Euclidean map over the positive ball, under a name of its own: it starts at the tip, which is the point nearest to the origin."""

from dataclasses import dataclass

from discreet.sets import Constraint
from discreet.sets.mirror_maps.euclidean import EuclideanMap


@dataclass(frozen=True, slots=True, kw_only=True)
class FromTheTip(EuclideanMap):
    """Half the squared distance from the tip."""

    name = "from-the-tip"

    @staticmethod
    def serves(constraint: Constraint) -> bool:
        """The positive ball."""
        return constraint.name == "positive-ball"
