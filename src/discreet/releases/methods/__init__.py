"""The methods by which a table may be released, and the notions of privacy that each can honestly meet.

A new one is a `Method`, in a file of its own or beside those of its kind, and its name here.
"""

from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.releases.methods.base import SETTINGS, Calibration, Method, Plan, Request, Setting, Way
from discreet.releases.methods.moments import MOMENTS
from discreet.releases.methods.rows import ADDITIVE, BOUNDED, FISHER, LAPLACE, LOCAL, NULL_SPACE
from discreet.releases.methods.rows_projected import FRESH_PROJECTION, PROJECTION
from discreet.releases.methods.sketches import CLEAR_TARGET_SKETCH, EIGENVALUE_SKETCH, INFORMATION_SKETCH, SKETCH

__all__ = [
    "ALL_METHODS",
    "METHODS",
    "SETTINGS",
    "Method",
    "Plan",
    "Request",
    "Setting",
    "Way",
    "calibration_named",
    "method_named",
]

ALL_METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        MOMENTS,
        ADDITIVE,
        LAPLACE,
        PROJECTION,
        FRESH_PROJECTION,
        SKETCH,
        EIGENVALUE_SKETCH,
        INFORMATION_SKETCH,
        CLEAR_TARGET_SKETCH,
        FISHER,
        BOUNDED,
        NULL_SPACE,
        LOCAL,
    )
}
"""By name, in the order of the help."""
METHODS: dict[str, Method] = {name: method for name, method in ALL_METHODS.items() if method.ways}
"""Those by which a table is released."""


def method_named(name: str) -> Method:
    """The method of this name. Raises InvalidInput, with the nearest, for others, and for one by which no table is released."""
    if name in ALL_METHODS and name not in METHODS:
        raise InvalidInput(ALL_METHODS[name].collected)
    if name == "synthetic":
        raise InvalidInput("a synthetic table is made by publish_synthetic, or `discreet release --method synthetic`, not by publish.")
    if name not in METHODS:
        known = [*ALL_METHODS, "synthetic"]
        raise InvalidInput(f"the method must be one of {quoted(known, most=20)}; {name!r} was given.{did_you_mean(str(name), known)}")
    return METHODS[name]


def calibration_named(name: str) -> Calibration:
    """Raises InvalidInput for another word."""
    match name:
        case "tight" | "published":
            return name
        case _:
            raise InvalidInput(f"the calibration is 'tight' (ours) or 'published' (as printed in the papers); {name!r} was given.")
