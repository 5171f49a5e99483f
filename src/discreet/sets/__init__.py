"""Convex constraint sets. Adding one is one file here, a line below and one in `named.py`; the law tests find it by itself."""

from discreet.sets.base import Constraint, Polytope
from discreet.sets.box import Box
from discreet.sets.convex_hull import ConvexHull
from discreet.sets.group_l2_ball import GroupL2Ball
from discreet.sets.group_linfinity_ball import GroupLInfinityBall
from discreet.sets.interpolation_ball import InterpolationBall
from discreet.sets.k_support_ball import KSupportBall
from discreet.sets.l1_ball import L1Ball
from discreet.sets.l2_ball import L2Ball
from discreet.sets.l2_l1_ball import L2L1Ball
from discreet.sets.linfinity_ball import LInfinityBall
from discreet.sets.lp_ball import LpBall
from discreet.sets.moved import Scaled, ScaledPolytope, Translated, TranslatedPolytope, scaled, translated
from discreet.sets.named import constraint_named, symmetric_hull
from discreet.sets.nuclear_ball import NuclearBall
from discreet.sets.simplex import Simplex
from discreet.sets.width import StandardNormals, WidthEstimate, estimate_width, support_function

__all__ = [
    "Box",
    "Constraint",
    "ConvexHull",
    "GroupL2Ball",
    "GroupLInfinityBall",
    "InterpolationBall",
    "KSupportBall",
    "L1Ball",
    "L2Ball",
    "L2L1Ball",
    "LInfinityBall",
    "LpBall",
    "NuclearBall",
    "Polytope",
    "Scaled",
    "ScaledPolytope",
    "Simplex",
    "StandardNormals",
    "Translated",
    "TranslatedPolytope",
    "WidthEstimate",
    "constraint_named",
    "estimate_width",
    "scaled",
    "support_function",
    "symmetric_hull",
    "translated",
]
