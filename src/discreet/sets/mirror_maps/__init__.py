"""Mirror maps of mirror descent. The law tests find every class that is exported here."""

from discreet.sets.mirror_maps.base import MirrorMap, Potential, bregman_divergence
from discreet.sets.mirror_maps.entropy import EntropyMap
from discreet.sets.mirror_maps.euclidean import EuclideanMap
from discreet.sets.mirror_maps.p_norm import PNormMap
from discreet.sets.mirror_maps.power import PowerMap

__all__ = ["EntropyMap", "EuclideanMap", "MirrorMap", "PNormMap", "Potential", "PowerMap", "bregman_divergence"]
