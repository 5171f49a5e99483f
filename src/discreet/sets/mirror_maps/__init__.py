"""Mirror maps of mirror descent. Adding one is one file here and one line below; the choice of the best map finds it by itself."""

from discreet.core.errors import InvalidInput
from discreet.core.fields import exported
from discreet.sets import Constraint
from discreet.sets.mirror_maps.base import MirrorMap, Potential, bregman_divergence
from discreet.sets.mirror_maps.entropy import EntropyMap
from discreet.sets.mirror_maps.euclidean import EuclideanMap
from discreet.sets.mirror_maps.p_norm import PNormMap
from discreet.sets.mirror_maps.power import PowerMap

__all__ = ["EuclideanMap", "PNormMap", "PowerMap", "EntropyMap", "MirrorMap", "Potential", "bregman_divergence", "map_names", "mirror_map_named"]  # noqa: RUF022 - in the order in which they are tried


def map_names(constraint: Constraint) -> tuple[str, ...]:
    """Maps that the set has; of two that are equally good the first is taken."""
    return tuple(kind.name for kind in exported(globals(), MirrorMap) if kind.serves(constraint))


def mirror_map_named(name: str, constraint: Constraint) -> MirrorMap:
    """The map of this name over the set. Raises InvalidInput where there is none."""
    for kind in exported(globals(), MirrorMap):
        if kind.name == name and kind.serves(constraint):
            return kind(constraint=constraint)
    raise InvalidInput(f"over the set {constraint.name!r} mirror_map must be one of {['auto', *map_names(constraint)]}; {name!r} was given.")
