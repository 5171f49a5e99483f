"""The words of released rows, and what all releases of a table share."""

import math
from dataclasses import replace

from discreet.accounting import Unit
from discreet.core.fields import count, finite, flag, not_negative, positive, text, whole
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.queries import Released, RowQuery, Rows, SecondMoments, Target
from discreet.queries.linear import MappedRows
from discreet.queries.record import query_from_record
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Reader,
    Record,
    Words,
    condition,
    counted,
    filled,
    optional,
    power_of_two,
    read_fields,
    register_words,
    relation,
    relation_of,
)

GAUSSIAN_ROWS = "Gaussian noise on rows, on a grid (rows.md)"
LAPLACE_ROWS = "Laplace noise on rows, on a grid (rows.md, theorem 5)"
INFORMATION_ROWS = "Gaussian noise on entries (rows.md)"
FISHER = "Cramer-Rao, unbiased estimators only (fisher_noise.md)"
FRESH_PROJECTION = "fresh Gaussian projection with Gaussian noise, used once (projection.md)"
BOUNDED_NOISE = "noise of bounded support, its own law's curve (fisher_noise.md)"
BOUNDED_COLUMNS = "noise of bounded support, its own law's curve for every number (fisher_noise.md)"
NULL_SPACE = (
    "noise in the null space of a classifier is not private: whoever trains on the release learns the exact weights, the exact score of every "
    "record, and with all other records known a whole support vector. The noise itself was computed from the records. Nothing is promised"
)


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
    "projection": {**_READ, "width": whole, "matrix": filled},
    "weighted-rows": {**_READ, "width": whole, "matrix": filled, "weights": filled},
    **{name: {**_READ, "most_records": whole} for name in ("second-moments", "counted-moments")},
}


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
    name = text(problem["query"])
    whose: Fields = {"persons": Persons.from_dict} if "persons" in problem else {}
    place: Fields = {"beside": flag} if name == "projection" and "beside" in problem else {}
    fields = _QUERIES.get("seeded projection" if name == "projection" and "seed" in problem else name, {})
    read_fields("problem", problem, {**fields, **place, **whose})
    query = query_from_record(problem)
    # The root of a matrix of weights is a computation whose last digits are the machine's own: the recheck compares what it does.
    own = {"matrix"} if name == "weighted-rows" else set[str]()
    if {key: value for key, value in query.to_dict().items() if key not in own} != {key: value for key, value in problem.items() if key not in own}:
        raise ValueError("problem: the query is not the one that its own numbers make")
    return query


def record_hypotheses(read: Released, parameters: Record) -> tuple[Hypothesis, ...]:
    """Conditions on the records, and on their number or the slots that hide it."""
    neighbours, domain, slots = relation_of(parameters), read.domain, parameters.get("slots")
    if "slots" in parameters and (slots is None) is (neighbours is ADD_REMOVE or not read.in_order):
        raise ValueError("parameters: 'slots' are stated under add-remove and for rows of persons, and only there")
    hidden = "" if slots is None else f": {slots} rows, those that are no record's are zeros with noise, in a secret uniform order"
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


def entry_hypotheses(query: RowQuery | SecondMoments, parameters: Record) -> tuple[Hypothesis, ...]:
    """Those on the records, for what is about their entries. Raises ValueError for records that may be added or removed."""
    if relation_of(parameters) is not REPLACE_ONE:
        raise ValueError("parameters: this is about the entries of replaced records")
    return record_hypotheses(query.read, parameters)


def _grid(query: RowQuery, parameters: Record) -> Hypothesis:
    """The condition on arithmetic and noise."""
    neighbours = relation_of(parameters)
    found = _on_grid(query, parameters, query.sensitivity(neighbours))
    if not isinstance(query, MappedRows):
        return found
    return replace(found, before=_on_grid(query, parameters, query.sensitivity_before(neighbours)).required)


def _on_grid(query: RowQuery, parameters: Record, apart: float) -> Hypothesis:
    return condition(
        "computed rows of two records are at most {apart:.10g} apart; each of {columns} numbers is released on the grid of step {step:.6g} plus a "
        "secret discrete Gaussian integer of scale {scale:.10g}, {by}",
        "a row is a function of its record to the last bit (integers in exact arithmetic); noise is drawn without floating-point decisions",
        parameters,
        apart=apart,
        columns=query.columns,
        by="by its owner" if parameters.get("local") is True else "by the holder of the table",
    )


_GRID: Fields = {"step": power_of_two, "scale": positive, "neighbours": relation}
_HIDDEN: Fields = {**_GRID, "epsilon": positive, "slots": optional(whole)}
_ROWS: Fields = {**_HIDDEN, "local": flag}


def _plain(problem: Record) -> Rows:
    query = row_query(problem)
    if not isinstance(query, Rows):
        raise TypeError("problem: a query of plain rows is needed")
    return query


@register_words("release-gaussian-rows", parameters=_ROWS, problem=None, apart=True)
def _rows(parameters: Record, problem: Record) -> Words:
    query, local = row_query(problem), flag(parameters["local"])
    if local and relation_of(parameters) is not REPLACE_ONE:
        raise ValueError("parameters: an owner who randomises a record cannot hide that it exists")
    hypotheses = (*record_hypotheses(query.read, parameters), _grid(query, parameters))
    return Words(GAUSSIAN_ROWS, hypotheses, unit=query.read.unit, local=local)


@register_words("release-laplace-rows", parameters={**_GRID, "slots": optional(whole), "local": flag}, problem=None, apart=True)
def _laplace(parameters: Record, problem: Record) -> Words:
    query, local = _plain(problem), flag(parameters["local"])
    if local and relation_of(parameters) is not REPLACE_ONE:
        raise ValueError("parameters: an owner who randomises a record cannot hide that it exists")
    grid = condition(
        "the absolute numbers of a row add up to at most {sum:.10g}; each of {columns} numbers is released on the grid of step {step:.6g} plus a "
        "secret discrete Laplace integer of scale {scale:.10g}, {by}",
        "a row is a function of its record to the last bit; noise is drawn without floating-point decisions",
        parameters,
        sum=query.read.manhattan,
        columns=query.columns,
        by="by its owner" if local else "by the holder of the table",
    )
    return Words(LAPLACE_ROWS, (*record_hypotheses(query.read, parameters), grid), unit=query.read.unit, local=local)


@register_words("release-fisher-noise", parameters={**_ROWS, "level": positive}, problem=None, apart=True)
def _fisher(parameters: Record, problem: Record) -> Words:
    if problem["query"] != "weighted-rows":
        raise ValueError("problem: weighted rows are needed")
    return _rows(parameters, problem)


@register_words("release-information-rows", parameters=_GRID, problem=None)
def _information(parameters: Record, problem: Record) -> Words:
    query = _plain(problem)
    return Words(INFORMATION_ROWS, (*entry_hypotheses(query, parameters), _grid(query, parameters)), unit=Unit.ENTRY)


@register_words("release-fresh-projection", parameters={**_HIDDEN, "width": whole}, problem=None, apart=True)
def _fresh(parameters: Record, problem: Record) -> Words:
    query = _plain(problem)
    drawn = condition(
        "the projection to {width} numbers is Gaussian, drawn independently of the records, and used for this release alone",
        "it is drawn by the noise source inside the run and released with the rows; never project other records with it",
        parameters,
    )
    grid = condition(
        "rows are released on the grid of step {step:.6g} plus secret discrete Gaussian integers of scale {scale:.10g}",
        "a row is a function of its record and the projection to the last bit; noise is drawn without floating-point decisions",
        parameters,
    )
    return Words(FRESH_PROJECTION, (*record_hypotheses(query.read, parameters), drawn, grid), unit=query.read.unit)


_TABLE: Fields = {"half_width": positive, "level": not_negative, "weight": positive, "step": power_of_two}


@register_words("release-bounded-noise", parameters={**_TABLE, "epsilon": positive, "neighbours": relation}, problem=None)
def _bounded(parameters: Record, problem: Record) -> Words:
    noise = condition(
        "every number is rounded to the grid of step {step:.6g}, and secret integers of a tabulated law are added, bounded by {half_width:.10g}, of "
        "weights {level:.10g} and {weight:.10g}",
        "drawn by inversion from a table of integers, without floating-point decisions; the stated delta is that of the table",
        parameters,
    )
    return Words(BOUNDED_NOISE, (*entry_hypotheses(_plain(problem), parameters), noise), unit=Unit.ENTRY)


def _each(reader: Reader) -> Reader:
    """A list of what the reader passes, one or more."""
    return lambda value: [reader(one) for one in filled(value)]


_LAWS: Fields = {"below": _each(positive), "above": _each(positive), "tilt": _each(finite), "steps": _each(power_of_two), "level": not_negative}


@register_words("release-bounded-columns", parameters={**_LAWS, "epsilon": positive, "neighbours": relation}, problem=None)
def _bounded_columns(parameters: Record, problem: Record) -> Words:
    query = _plain(problem)
    laws = [filled(parameters[name]) for name in ("below", "above", "tilt", "steps")]
    if any(len(numbers) != query.columns for numbers in laws):
        raise ValueError("parameters: one law for each released number is needed")
    ends = ", ".join(f"-{below:.10g} to {above:.10g} in steps of {step:.6g}" for below, above, _, step in zip(*laws, strict=True))
    noise = condition(
        "every number is rounded to a grid of its own, and secret integers of a tabulated law are added, of weight {level:.10g}: {ends}",
        "drawn by inversion from tables of integers, without floating-point decisions; the stated delta is that of the tables",
        parameters,
        ends=ends,
    )
    return Words(BOUNDED_COLUMNS, (*entry_hypotheses(query, parameters), noise), unit=Unit.ENTRY)


@register_words("release-null-space-noise", parameters=None, problem=None)
def _null_space(parameters: Record, problem: Record) -> Words:
    needed = condition("scores of records need no protection", "by nothing")
    return Words(NULL_SPACE, (*entry_hypotheses(row_query(problem), parameters), needed))
