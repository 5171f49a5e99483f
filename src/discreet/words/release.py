"""What the declarations of all releases of a table share."""

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar

from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Persons
from discreet.noise.laws import Law
from discreet.queries import Released, RowQuery, Rows, SecondMoments, Target
from discreet.queries.record import query_from_record
from discreet.statements.base import Hypothesis, Record, condition, counted
from discreet.statements.spec import Count, Filled, Flag, P, Positive, Recorded, Spec, Text, Whole, absent


def variance_on_grid(step: float, law: Law) -> float:
    """The variance of a released number: that of its noise, in steps of the law, and of its rounding."""
    return step**2 * (law.variance() + 1.0 / 12.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseProblem(Recorded):
    """What a certificate of a release records of its query: the bounds of the records, and what is asked of them."""

    features: Whole
    entry_bound: Positive | None
    norm_bound: Positive | None
    target_bound: Positive
    target: Text
    query: Text
    persons: Annotated[Persons, Persons.from_dict] | None = absent()
    width: Whole | None = absent()
    seed: Count | None = absent()
    """Of a public projection."""
    matrix: Filled | None = absent()
    """Of a linear map."""
    beside: Flag | None = absent()
    """Whether the target has a column of its own beside a projection."""
    weights: Filled | None = absent()
    """Of the columns."""
    most_records: Whole | None = absent()
    """Bound of their number, of second moments."""


def row_query(problem: Record) -> RowQuery:
    """The public map from a record to a row; TypeError or ValueError for the record of another query, or one that says more or less."""
    query = _query(problem)
    if isinstance(query, SecondMoments):
        raise TypeError("problem: a query of rows is needed")
    return query


def moments_query(problem: Record, *, counted: bool = False) -> SecondMoments:
    """The public question about second moments, with a constant at the head of records or without; ValueError as in `row_query`."""
    query = _query(problem)
    if not isinstance(query, SecondMoments) or query.counted is not counted:
        raise TypeError("problem: a query of second moments is needed")
    return query


def _query(problem: Record) -> RowQuery | SecondMoments:
    ReleaseProblem.read_from(problem, "problem")
    query = query_from_record(problem)
    # The root of a matrix of weights is a computation whose last digits are the machine's own: the recheck compares what it does.
    own = {"matrix"} if problem["query"] == "weighted-rows" else set[str]()
    written = query.to_dict()
    if written.keys() != problem.keys() or any(written[key] != problem[key] for key in problem.keys() - own):
        raise ValueError("problem: the query is not the one that its own numbers make")
    return query


def record_hypotheses(read: Released, neighbours: Neighbours, hidden: str = "") -> tuple[Hypothesis, ...]:
    """Conditions on the records and on their number; `hidden` says what hides it."""
    domain = read.domain
    bounds = [f"entries within +-{domain.entry_bound:.10g}"] if domain.entry_bound < math.inf else []
    bounds += [f"Euclidean norm at most {domain.norm_bound:.10g}"] if not domain.entries_alone else []
    bounds += [f"target within +-{domain.target_bound:.10g}" + ("" if read.target is Target.NOISY else f" ({read.target})")]
    bounded = condition(
        "every record has {features} features, {bounds}; the bounds are public and were not taken from the records",
        "records are brought within the bounds one by one when the data set is built; where the bounds come from is the caller's word",
        features=domain.features,
        bounds=", ".join(bounds),
    )
    clear = condition("targets need no protection: they are released as they are", "by nothing; the unit is the features of a record")
    return (counted(neighbours, hidden), bounded, *((clear,) if read.target is Target.CLEAR else ()))


def among_slots(read: Released, neighbours: Neighbours, slots: int | None) -> tuple[Hypothesis, ...]:
    """Conditions on the records, and on the slots that hide how many rows there are. Raises ValueError for slots where nothing is to be hidden."""
    if (slots is None) is (neighbours is ADD_REMOVE or not read.in_order):
        raise ValueError("parameters: 'slots' are stated under add-remove and for rows of persons, and only there")
    hidden = "" if slots is None else f": {slots} rows, those that are no record's are zeros with noise, in a secret uniform order"
    return record_hypotheses(read, neighbours, hidden)


def entry_hypotheses(query: RowQuery | SecondMoments, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
    """Conditions on the records, for what is about their entries. Raises ValueError for records that may be added or removed."""
    if neighbours is not REPLACE_ONE:
        raise ValueError("parameters: this is about the entries of replaced records")
    return record_hypotheses(query.read, neighbours)


def plain_rows(problem: Record) -> Rows:
    """The query of the records themselves; TypeError for another one."""
    query = row_query(problem)
    if not isinstance(query, Rows):
        raise TypeError("problem: a query of plain rows is needed")
    return query


class ReleaseSpec(Spec[P]):
    """The declaration of a release of records, or of functions of them."""

    __slots__ = ()
    normal: ClassVar[bool] = True
    """Whether its noise is normal, up to rounding."""

    def covariance(self, query: P) -> Floats | None:  # noqa: ARG002 - of those that have one
        """Covariance of the noise on the first numbers of a row, (m, m); None where it was computed from the records and is not public."""
        return None
