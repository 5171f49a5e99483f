"""Every record, with Gaussian noise that is smaller where weights are larger; as published, the level of Farokhi 2020, theorem 2.5."""

from collections.abc import Mapping

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.mechanisms.release import FisherNoise, farokhi_theorem_5
from discreet.queries import WeightedRows
from discreet.releases.columns import Kind
from discreet.releases.methods.base import DELTA, EPSILON, LEVEL, PRIVATE, SLOTS, Method, Plan, Query, Request, Way, setting, variance_on_grid

WEIGHTS = setting("weights", list, "weights of the columns", "One positive number a released column, separated by commas.")


def _query(request: Request) -> WeightedRows:
    given = request.get(WEIGHTS)
    weights = None if given is None else np.asarray(given, dtype=np.float64)
    return WeightedRows.of(request.domain, weights=weights, target=request.target)


def _private(request: Request) -> Plan:
    query = _query(request)
    return Plan(query, FisherNoise.calibrate(query, **request.private, slots=request.get(SLOTS)))


def _level(request: Request) -> Plan:
    query = _query(request)
    return Plan(query, FisherNoise.of_level(query, level=request[LEVEL], epsilon=request[EPSILON], neighbours=request.neighbours))


def _published(request: Request) -> Plan:
    query = _query(request)
    return Plan(query, farokhi_theorem_5(query, epsilon=request[EPSILON], delta=request[DELTA]))


def _weighted(parameters: Mapping[str, Json], query: Query) -> Floats:
    if not isinstance(query, WeightedRows):
        raise TypeError
    inverse = np.linalg.inv(query.map.matrix)
    covariance: Floats = variance_on_grid(parameters) * (inverse.T @ inverse)
    return 0.5 * (covariance + covariance.T)


FISHER = Method(
    name="fisher",
    says="every record, with Gaussian noise that is smaller where weights are larger",
    kind=Kind.ROWS,
    query=WeightedRows,
    noise={"release-fisher-noise": _weighted},
    ways=(
        Way(_level, (LEVEL, EPSILON), (WEIGHTS,)),
        Way(_private, PRIVATE, (WEIGHTS, SLOTS)),
        Way(_published, PRIVATE, (WEIGHTS,), "published"),
    ),
    on_grid=False,
)
