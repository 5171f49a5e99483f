"""Convex constraint sets. Adding one is one file here and one line below; the property tests find it by itself."""

from collections.abc import Mapping
from functools import partial

from discreet.core.errors import InvalidInput, quietly
from discreet.core.fields import enrol, exported, made_by_name
from discreet.sets.base import Constraint, Polytope, StandardNormals, WidthEstimate, estimate_width, support_function
from discreet.sets.box import Box
from discreet.sets.convex_hull import ConvexHull, symmetric_hull
from discreet.sets.group_balls import GroupL2Ball, GroupLInfinityBall
from discreet.sets.interpolation_ball import InterpolationBall
from discreet.sets.k_support_ball import KSupportBall
from discreet.sets.l2_l1_ball import L2L1Ball
from discreet.sets.moved import Scaled, ScaledPolytope, Translated, TranslatedPolytope, scaled, translated
from discreet.sets.norm_balls import L1Ball, L2Ball, LInfinityBall, LpBall
from discreet.sets.nuclear_ball import NuclearBall
from discreet.sets.own import check_set
from discreet.sets.simplex import Simplex

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
    "register",
    "scaled",
    "support_function",
    "symmetric_hull",
    "translated",
]


def constraint_named(name: str, parameters: Mapping[str, object]) -> Constraint:
    """The set called `name` with these `parameters`, as its properties of these names give them. Raises InvalidInput for others."""
    if name not in ("scaled", "translated") or "base" not in parameters:
        return made_by_name(exported(globals(), Constraint), "the constraint set", name, parameters)
    moved = partial(scaled if name == "scaled" else translated, _from_record(parameters["base"]))
    refusal = InvalidInput(f"the constraint set {name!r} takes other parameters than {sorted(parameters)}.")
    return quietly(lambda: moved(**{key: value for key, value in parameters.items() if key != "base"}), refusal, TypeError)  # type: ignore[arg-type]


def _from_record(record: object) -> Constraint:
    """The set inside a scaled or translated one."""
    if not isinstance(record, Mapping) or record.keys() != {"name", "parameters"} or not isinstance(record["parameters"], Mapping):
        raise InvalidInput("a scaled or translated set needs its base as a name and parameters.")
    return constraint_named(str(record["name"]), record["parameters"])


def register(example: Constraint) -> None:
    """Make a set of your own known to fits and certificates: its class, under its name. See module `own`.

    Raises InvalidInput for a name that is taken, and for a set that is not what it states.
    """
    if not isinstance(example, Constraint):
        raise InvalidInput("register needs an instance of a class derived from Constraint.")
    enrol(example, check_set, taken=exported(globals(), Constraint))
