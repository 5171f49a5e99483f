"""The words of released rows, and what all releases of a table share."""

from discreet.accounting import Json, Unit
from discreet.core.fields import count, flag, not_negative, positive, text, whole
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.queries import Released, RowQuery, Rows, SecondMoments, Target
from discreet.queries.record import query_from_record
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    counted,
    optional,
    power_of_two,
    read_fields,
    register_words,
    relation,
    relation_of,
)

GAUSSIAN_ROWS = "Gaussian noise on rows, on a grid (rows.md)"
INFORMATION_ROWS = "Gaussian noise on entries (rows.md)"
FISHER = "Cramer-Rao, unbiased estimators only (fisher_noise.md)"
FRESH_PROJECTION = "fresh Gaussian projection with Gaussian noise, used once (projection.md)"
BOUNDED_NOISE = "noise of bounded support, its own law's curve (fisher_noise.md)"
NULL_SPACE = (
    "noise in the null space of a classifier is not private: whoever trains on the release learns the exact weights, the exact score of every "
    "record, and with all other records known a whole support vector. The noise itself was computed from the records. Nothing is promised"
)


def _matrix(value: Json) -> list[Json]:
    if not isinstance(value, list) or not value:
        raise TypeError
    return value


_READ: Fields = {
    "features": whole,
    "entry_bound": optional(positive),
    "norm_bound": optional(positive),
    "target_bound": positive,
    "target": text,
    "query": text,
}
_QUERIES: dict[str, Fields] = {
    "rows": _READ,
    "seeded projection": {**_READ, "width": whole, "seed": count},
    "projection": {**_READ, "width": whole, "matrix": _matrix},
    "weighted-rows": {**_READ, "width": whole, "matrix": _matrix, "weights": _matrix},
    "second-moments": {**_READ, "most_records": whole},
}


def row_query(problem: Record) -> RowQuery:
    """The public map from a record to a row; TypeError or ValueError for the record of another query, or one that says more or less."""
    query = _query(problem)
    if isinstance(query, SecondMoments):
        raise TypeError("problem: a query of rows is needed")
    return query


def moments_query(problem: Record) -> SecondMoments:
    """The public question about second moments; ValueError as in `row_query`."""
    query = _query(problem)
    if not isinstance(query, SecondMoments):
        raise TypeError("problem: a query of second moments is needed")
    return query


def _query(problem: Record) -> RowQuery | SecondMoments:
    name = text(problem["query"])
    read_fields("problem", problem, _QUERIES.get("seeded projection" if name == "projection" and "seed" in problem else name, {}))
    query = query_from_record(problem)
    # The root of a matrix of weights is a computation whose last digits are the machine's own: the recheck compares what it does.
    own = {"matrix"} if name == "weighted-rows" else set[str]()
    if {key: value for key, value in query.to_dict().items() if key not in own} != {key: value for key, value in problem.items() if key not in own}:
        raise ValueError("problem: the query is not the one that its own numbers make")
    return query


def record_hypotheses(read: Released, neighbours: Neighbours, slots: int | None = None) -> tuple[Hypothesis, ...]:
    """Conditions on the records."""
    domain = read.domain
    hidden = "" if slots is None else f": {slots} rows, those that are no record's are zeros with noise, in a secret uniform order"
    bounds = [f"entries within +-{domain.entry_bound:.10g}"] if domain.entry_bound is not None else []
    bounds += [f"Euclidean norm at most {domain.norm_bound:.10g}"] if domain.norm_bound is not None else []
    bounds += [f"target within +-{domain.target_bound:.10g}" + ("" if read.target is Target.NOISY else f" ({read.target})")]
    clear = (
        (
            Hypothesis(
                required="targets need no protection: they are released as they are", enforced="by nothing; the unit is the features of a record"
            ),
        )
        if read.target is Target.CLEAR
        else ()
    )
    return (
        counted(neighbours, hidden if neighbours is ADD_REMOVE else ""),
        Hypothesis(
            required=f"every record has {domain.features} features, {', '.join(bounds)}; the bounds are public and were not taken from the records",
            enforced="records are brought within the bounds one by one when the data set is built; where the bounds come from is the caller's word",
        ),
        *clear,
    )


def _grid(query: RowQuery, neighbours: Neighbours, parameters: Record) -> Hypothesis:
    """The condition on arithmetic and noise."""
    step, scale = positive(parameters["step"]), positive(parameters["scale"])
    by = "by its owner" if parameters.get("local") is True else "by the holder of the table"
    return Hypothesis(
        required=f"computed rows of two records are at most {query.sensitivity(neighbours):.10g} apart; each of {query.columns} numbers is released "
        f"on the grid of step {step:.6g} plus a secret discrete Gaussian integer of scale {scale:.10g}, {by}",
        enforced="a row is a function of its record to the last bit (integers in exact arithmetic); noise is drawn without floating-point decisions",
    )


def _slots(parameters: Record) -> int | None:
    given = parameters["slots"]
    slots = None if given is None else whole(given)
    if (slots is None) is (relation_of(parameters) is ADD_REMOVE):
        raise ValueError("parameters: 'slots' are stated under add-remove, and only there")
    return slots


_GRID: Fields = {"step": power_of_two, "scale": positive, "neighbours": relation}
_ROWS: Fields = {**_GRID, "epsilon": positive, "slots": optional(whole), "local": flag}


def _rows(parameters: Record, problem: Record, theorem: str) -> Words:
    query, neighbours = row_query(problem), relation_of(parameters)
    if parameters["local"] is True and neighbours is not REPLACE_ONE:
        raise ValueError("parameters: an owner who randomises a record cannot hide that it exists")
    hypotheses = (*record_hypotheses(query.read, neighbours, _slots(parameters)), _grid(query, neighbours, parameters))
    return Words(theorem, hypotheses, unit=query.read.unit, local=flag(parameters["local"]))


@register_words("release-gaussian-rows", parameters=_ROWS, problem=None)
def _gaussian_rows(parameters: Record, problem: Record) -> Words:
    return _rows(parameters, problem, GAUSSIAN_ROWS)


@register_words("release-fisher-noise", parameters={**_ROWS, "level": positive}, problem=None)
def _fisher(parameters: Record, problem: Record) -> Words:
    if problem["query"] != "weighted-rows":
        raise ValueError("problem: weighted rows are needed")
    return _rows(parameters, problem, GAUSSIAN_ROWS)


@register_words("release-information-rows", parameters=_GRID, problem=None)
def _information(parameters: Record, problem: Record) -> Words:
    query = row_query(problem)
    if not isinstance(query, Rows) or relation_of(parameters) is not REPLACE_ONE:
        raise ValueError("problem: bits are about the entries of replaced rows")
    return Words(INFORMATION_ROWS, (*record_hypotheses(query.read, REPLACE_ONE), _grid(query, REPLACE_ONE, parameters)), unit=Unit.ENTRY)


_FRESH: Fields = {**_GRID, "width": whole, "epsilon": positive, "slots": optional(whole)}


@register_words("release-fresh-projection", parameters=_FRESH, problem=None)
def _fresh(parameters: Record, problem: Record) -> Words:
    query, step, scale = row_query(problem), positive(parameters["step"]), positive(parameters["scale"])
    if not isinstance(query, Rows):
        raise TypeError("problem: a fresh projection is of plain rows")
    return Words(
        FRESH_PROJECTION,
        (
            *record_hypotheses(query.read, relation_of(parameters), _slots(parameters)),
            Hypothesis(
                required=f"the projection to {whole(parameters['width'])} numbers is Gaussian, drawn independently of the records, and used for this "
                "release alone",
                enforced="it is drawn by the noise source inside the run and released with the rows; never project other records with it",
            ),
            Hypothesis(
                required=f"rows are released on the grid of step {step:.6g} plus secret discrete Gaussian integers of scale {scale:.10g}",
                enforced="a row is a function of its record and the projection to the last bit; noise is drawn without floating-point decisions",
            ),
        ),
        unit=query.read.unit,
    )


_BOUNDED: Fields = {
    "half_width": positive,
    "level": not_negative,
    "weight": positive,
    "step": power_of_two,
    "epsilon": positive,
    "neighbours": relation,
}


@register_words("release-bounded-noise", parameters=_BOUNDED, problem=None)
def _bounded(parameters: Record, problem: Record) -> Words:
    query = row_query(problem)
    if not isinstance(query, Rows) or relation_of(parameters) is not REPLACE_ONE:
        raise ValueError("problem: bounded noise is for the entries of replaced rows")
    return Words(
        BOUNDED_NOISE,
        (
            *record_hypotheses(query.read, REPLACE_ONE),
            Hypothesis(
                required=f"every number is rounded to the grid of step {positive(parameters['step']):.6g}, and secret integers of a tabulated law "
                f"are added, bounded by {positive(parameters['half_width']):.10g}, of weights {not_negative(parameters['level']):.10g} and "
                f"{positive(parameters['weight']):.10g}",
                enforced="drawn by inversion from a table of integers, without floating-point decisions; the stated delta is that of the table",
            ),
        ),
        unit=Unit.ENTRY,
    )


@register_words("release-null-space-noise", parameters=None, problem=None)
def _null_space(parameters: Record, problem: Record) -> Words:  # noqa: ARG001 - the same for any noise
    required = Hypothesis(required="scores of records need no protection", enforced="by nothing")
    return Words(NULL_SPACE, (*record_hypotheses(row_query(problem).read, REPLACE_ONE), required))
