"""Mirror maps of mirror descent. The law tests find every class that is exported here."""

from discreet.mirror_maps.base import MirrorMap, Potential, bregman_divergence
from discreet.mirror_maps.entropy import EntropyMap
from discreet.mirror_maps.euclidean import EuclideanMap
from discreet.mirror_maps.p_norm import PNormMap
from discreet.mirror_maps.power import PowerMap

__all__ = ["EntropyMap", "EuclideanMap", "MirrorMap", "PNormMap", "Potential", "PowerMap", "bregman_divergence"]
