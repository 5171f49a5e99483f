"""Convex constraint sets. Adding one is one file here, a line below and one in `named.py`; the law tests find it by itself."""

from discreet.constraints.base import Constraint, Polytope
from discreet.constraints.box import Box
from discreet.constraints.convex_hull import ConvexHull
from discreet.constraints.group_l2_ball import GroupL2Ball
from discreet.constraints.group_linfinity_ball import GroupLInfinityBall
from discreet.constraints.interpolation_ball import InterpolationBall
from discreet.constraints.k_support_ball import KSupportBall
from discreet.constraints.l1_ball import L1Ball
from discreet.constraints.l2_ball import L2Ball
from discreet.constraints.l2_l1_ball import L2L1Ball
from discreet.constraints.linfinity_ball import LInfinityBall
from discreet.constraints.lp_ball import LpBall
from discreet.constraints.moved import Scaled, ScaledPolytope, Translated, TranslatedPolytope, scaled, translated
from discreet.constraints.named import constraint_named, symmetric_hull
from discreet.constraints.nuclear_ball import NuclearBall
from discreet.constraints.simplex import Simplex
from discreet.constraints.width import StandardNormals, WidthEstimate, estimate_width, support_function

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
