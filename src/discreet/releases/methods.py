"""The methods by which a table may be released, each with the notions of privacy that it can honestly meet.

A method has one or more ways: the numbers that say how much privacy is wanted, and the public query and mechanism that follow from them. Nothing else
is offered: a number that a method cannot use is refused with the list of those that it takes. Adding a method is its plan and its entry in `METHODS`.

`calibration="published"` takes the formula of the paper instead. Where the formula is false the certificate promises nothing and says why.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.core.words import did_you_mean, quoted
from discreet.releases import plans
from discreet.releases.request import Calibration, Plan, Request


class Kind(StrEnum):
    """What the numbers of a release are."""

    ROWS = "rows"
    """One row a record, on the scales of the encoded records."""
    PROJECTED_ROWS = "projected-rows"
    """One row a record, times a public matrix P."""
    SKETCH = "sketch"
    """Rows that are random combinations of all records."""


class Way(NamedTuple):
    """One notion that a method can be calibrated for."""

    needs: tuple[str, ...]
    takes: tuple[str, ...]
    plan: Callable[[Request], Plan]
    calibration: Calibration = "tight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to release a table."""

    name: str
    says: str
    """What leaves, in one line."""
    kind: Kind
    ways: tuple[Way, ...]

    def plan(self, request: Request, calibration: Calibration) -> Plan:
        """Query and mechanism. Raises InvalidInput for what this method cannot do, InfeasibleTarget where no noise is enough."""
        ways = [way for way in self.ways if way.calibration == calibration]
        if not ways:
            raise InvalidInput(_NO_WAY[calibration].format(method=self.name))
        # The way whose first number was asked for; without one, the last, which is the usual one, says what is missing.
        way = next((way for way in ways if way.needs[0] in request.given), ways[-1])
        request.require(self.name, needs=way.needs, takes=way.takes)
        if calibration == "published" and request.neighbours is not REPLACE_ONE:
            raise InvalidInput("the published calibrations are for replace-one; leave neighbours out.")
        return way.plan(request)


def calibration_named(name: str) -> Calibration:
    """Raises InvalidInput for another word."""
    match name:
        case "tight" | "published":
            return name
        case _:
            raise InvalidInput(f"the calibration is 'tight' (ours) or 'published' (as printed in the papers); {name!r} was given.")


def method_named(name: str) -> Method:
    """The method of this name. Raises InvalidInput, with the nearest, for others."""
    if name == LOCAL:
        raise InvalidInput("local records are randomised by their owners, one by one (`discreet randomise`), and collected; no table is released so.")
    if name not in METHODS:
        raise InvalidInput(f"the method must be one of {quoted(METHODS, most=20)}; {name!r} was given.{did_you_mean(str(name), METHODS)}")
    return METHODS[name]


LOCAL = "local"
"""The method of collected records that their owners randomised; no table is released by it."""

_NO_WAY = {
    "tight": "method {method!r} has no sound calibration: it protects nobody. calibration='published' (--calibration published) "
    "releases it without any guarantee, for comparison.",
    "published": "method {method!r} has no published calibration that differs from ours; leave calibration out.",
}
_DELTA = ("epsilon", "delta")

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="additive",
            says="every record, with Gaussian noise on every number",
            kind=Kind.ROWS,
            ways=(Way(("bits",), (), plans.additive_bits), Way(_DELTA, ("slots",), plans.additive)),
        ),
        Method(
            name="projection",
            says="records times a public matrix, with Gaussian noise",
            kind=Kind.PROJECTED_ROWS,
            ways=(
                Way((*_DELTA, "width"), ("slots", "projection_seed"), plans.projection),
                Way((*_DELTA, "width"), ("projection_seed",), plans.published_projection, "published"),
            ),
        ),
        Method(
            name="fresh-projection",
            says="a new random matrix, used once, and records times it with Gaussian noise",
            kind=Kind.PROJECTED_ROWS,
            ways=(
                Way((*_DELTA, "width"), ("slots",), plans.fresh_projection),
                Way((*_DELTA, "width"), (), plans.published_fresh_projection, "published"),
            ),
        ),
        Method(
            name="sketch",
            says="secret random combinations of all records, with Gaussian noise",
            kind=Kind.SKETCH,
            ways=(
                Way((*_DELTA, "rows"), ("most_records",), plans.sketch),
                Way(("bits", "rows"), ("most_records",), plans.published_sketch, "published"),
            ),
        ),
        Method(
            name="eigenvalue-sketch",
            says="a sketch whose noise is lowered by a private look at the spread of the records",
            kind=Kind.SKETCH,
            ways=(Way((*_DELTA, "rows"), ("most_records",), plans.eigenvalue_sketch),),
        ),
        Method(
            name="information-sketch",
            says="a sketch with a bound of the bits about any one entry",
            kind=Kind.SKETCH,
            ways=(
                Way(("bits", "rows"), ("most_records",), plans.information_sketch),
                Way(("bits", "rows"), ("most_records",), plans.published_sketch, "published"),
            ),
        ),
        Method(
            name="clear-target-sketch",
            says="a sketch whose target column has no noise, with a bound of the bits about any one entry of the features",
            kind=Kind.SKETCH,
            ways=(Way(("bits", "rows"), ("most_records",), plans.clear_target_sketch),),
        ),
        Method(
            name="fisher",
            says="every record, with Gaussian noise that is smaller where weights are larger",
            kind=Kind.ROWS,
            ways=(
                Way(("level", "epsilon"), ("weights",), plans.fisher_level),
                Way(_DELTA, ("weights", "slots"), plans.fisher),
                Way(_DELTA, ("weights",), plans.published_fisher, "published"),
            ),
        ),
        Method(
            name="bounded",
            says="every record, with noise that never exceeds a width",
            kind=Kind.ROWS,
            ways=(Way(("half_width", "epsilon"), ("level",), plans.bounded),),
        ),
        Method(
            name="null-space",
            says="every record, with noise that leaves a support vector machine unchanged; NOT private",
            kind=Kind.ROWS,
            ways=(Way(("variance",), (), plans.null_space, "published"),),
        ),
    )
}
"""By name, in the order of the help."""
