"""Sets by the names used in files, and symmetric hulls."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.named import made_by_name
from discreet.core.quiet import quietly
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
from discreet.sets.moved import Scaled, Translated, scaled, translated
from discreet.sets.nuclear_ball import NuclearBall
from discreet.sets.simplex import Simplex

_SETS = (
    Box,
    ConvexHull,
    GroupL2Ball,
    GroupLInfinityBall,
    InterpolationBall,
    KSupportBall,
    L1Ball,
    L2Ball,
    L2L1Ball,
    LInfinityBall,
    LpBall,
    NuclearBall,
    Simplex,
)


def constraint_named(name: str, parameters: Mapping[str, object]) -> Constraint:
    """The set called `name` with these `parameters`, as its properties of these names give them. Raises InvalidInput for others."""
    if name not in ("scaled", "translated") or "base" not in parameters:
        return made_by_name((*_SETS, Scaled, Translated), "the constraint set", name, parameters)
    moved = partial(scaled if name == "scaled" else translated, _from_record(parameters["base"]))
    refusal = InvalidInput(f"the constraint set {name!r} takes other parameters than {sorted(parameters)}.")
    return quietly(lambda: moved(**{key: value for key, value in parameters.items() if key != "base"}), refusal, TypeError)  # type: ignore[arg-type]


def _from_record(record: object) -> Constraint:
    """The set inside a scaled or translated one."""
    if not isinstance(record, Mapping) or record.keys() != {"name", "parameters"} or not isinstance(record["parameters"], Mapping):
        raise InvalidInput("a scaled or translated set needs its base as a name and parameters.")
    return constraint_named(str(record["name"]), record["parameters"])


def symmetric_hull(polytope: Polytope) -> Polytope:
    """conv(C u -C), the unit ball Q of theorem 3.2's norm: C itself where it is symmetric, the l1 ball for a simplex."""
    if polytope.symmetric:
        return polytope
    if isinstance(polytope, Simplex):
        return L1Ball(dimension=polytope.dimension, radius=polytope.radius)
    vertices = np.array([polytope.vertex(index) for index in range(polytope.vertex_count)])
    return ConvexHull(vertices=np.concatenate([vertices, -vertices]))
