"""The public query of a release, from the record of it in the certificate: what `to_dict` of a query wrote, read back, and nothing more."""

import math
from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, quietly
from discreet.core.fields import real
from discreet.core.neighbours import Persons
from discreet.data.domain import Domain
from discreet.queries.base import RowQuery, Rows, Target
from discreet.queries.linear import Projection, WeightedRows
from discreet.queries.second_moments import SecondMoments

Query: TypeAlias = RowQuery | SecondMoments
"""Public, of the records of a table."""


def query_from_record(record: Mapping[str, Json]) -> Query:
    """Raises FileFormatError for anything that no query of this version wrote."""
    refusal = FileFormatError("the certificate's problem is incomplete, of the wrong type or out of range.")
    query = quietly(lambda: _query(record), refusal, KeyError, TypeError, ValueError, OverflowError)
    if query is None:
        raise FileFormatError("the release answers a query that this version does not know.")
    return query


def _query(record: Mapping[str, Json]) -> Query | None:
    domain, target = _domain(record), Target(str(record["target"]))
    match record["query"]:
        case "rows":
            return Rows(domain=domain, target=target)
        case "projection":
            return _projection(record, domain, target)
        case "weighted-rows":
            return WeightedRows.of(domain, weights=_matrix(record["weights"]), target=target)
        case "second-moments" | "counted-moments" as name:
            counted = name == "counted-moments"
            return SecondMoments(domain=domain, target=target, most_records=_integer(record["most_records"]), counted=counted)
        case _:
            return None


def _domain(record: Mapping[str, Json]) -> Domain:
    return Domain(
        features=_integer(record["features"]),
        entry_bound=_bound(record["entry_bound"]),
        norm_bound=_bound(record["norm_bound"]),
        target_bound=real(record["target_bound"]),
        persons=Persons.from_dict(record["persons"]) if "persons" in record else None,
    )


def _projection(record: Mapping[str, Json], domain: Domain, target: Target) -> Projection:
    beside = record.get("beside", False) is True
    if "seed" in record:
        return Projection.from_public_seed(domain, width=_integer(record["width"]), seed=_integer(record["seed"]), target=target, beside=beside)
    return Projection.of(domain, _matrix(record["matrix"]), target=target, beside=beside)


def _matrix(value: Json) -> Floats:
    if not isinstance(value, list):
        raise TypeError
    return np.array([[real(number) for number in row] for row in value if isinstance(row, list)])


def _integer(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _bound(value: Json) -> float:
    return math.inf if value is None else real(value)
