"""Every record, with noise that never exceeds a width."""

from collections.abc import Mapping

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.fields import finite
from discreet.mechanisms.release import BoundedNoise
from discreet.queries import Rows
from discreet.releases.columns import Kind
from discreet.releases.methods.base import EPSILON, LEVEL, Method, Plan, Query, Request, Way, setting

HALF_WIDTH = setting("half_width", float, "half_width of the noise", "The largest bounded noise, where encoded numbers lie within +-1.")


def _entries(request: Request) -> Plan:
    request.require_entries("bounded")
    level = request.get(LEVEL)
    made = BoundedNoise(
        half_width=request[HALF_WIDTH], level=0.0 if level is None else level, epsilon=request[EPSILON], neighbours=request.neighbours
    )
    return Plan(request.records, made)


def _tabulated(parameters: Mapping[str, Json], query: Query) -> Floats:
    half_width, level, epsilon, weight = (finite(parameters[name]) for name in ("half_width", "level", "epsilon", "weight"))
    made = BoundedNoise(half_width=half_width, level=level, epsilon=epsilon, weight=weight)
    return (made.variance() + made.step**2 / 12.0) * np.eye(query.columns)


BOUNDED = Method(
    name="bounded",
    says="every record, with noise that never exceeds a width",
    kind=Kind.ROWS,
    query=Rows,
    noise={"release-bounded-noise": _tabulated},
    ways=(Way(_entries, (HALF_WIDTH, EPSILON), (LEVEL,)),),
    normal=False,
)
