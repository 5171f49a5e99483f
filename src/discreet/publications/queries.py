"""The public query of a release, from the record of it in the certificate: what `to_dict` of a query wrote, read back."""

from collections.abc import Mapping

import numpy as np

from discreet.arrays import Floats
from discreet.data import RealDomain
from discreet.errors import FileFormatError, InvalidInput
from discreet.guarantees import Json
from discreet.publications.request import Query
from discreet.queries import Projection, Rows, SecondMoments, Target, WeightedRows


def query_from_record(record: Mapping[str, Json]) -> Query:
    """Raises FileFormatError for anything that no query of this version wrote."""
    try:
        domain, target = _domain(record), Target(str(record["target"]))
        match record["query"]:
            case "rows":
                query: Query = Rows(domain=domain, target=target)
            case "projection":
                query = _projection(record, domain, target)
            case "weighted-rows":
                query = WeightedRows.of(domain, weights=_matrix(record["weights"]), target=target)
            case "second-moments":
                query = SecondMoments(domain=domain, target=target, most_records=_integer(record["most_records"]))
            case _:
                raise FileFormatError("the release answers a query that this version does not know.")
    except (KeyError, TypeError, ValueError, InvalidInput) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError("the certificate's problem is incomplete, of the wrong type or out of range.") from None
    return query


def _domain(record: Mapping[str, Json]) -> RealDomain:
    return RealDomain(
        features=_integer(record["features"]),
        entry_bound=_optional(record["entry_bound"]),
        norm_bound=_optional(record["norm_bound"]),
        target_bound=_number(record["target_bound"]),
    )


def _projection(record: Mapping[str, Json], domain: RealDomain, target: Target) -> Projection:
    if "seed" in record:
        return Projection.from_public_seed(domain, width=_integer(record["width"]), seed=_integer(record["seed"]), target=target)
    return Projection.of(domain, _matrix(record["matrix"]), target=target)


def _matrix(value: Json) -> Floats:
    if not isinstance(value, list):
        raise TypeError
    return np.array([[_number(number) for number in row] for row in value if isinstance(row, list)])


def _integer(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError
    return value


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return float(value)


def _optional(value: Json) -> float | None:
    return None if value is None else _number(value)
