"""The words of releases of integers: counts and sums, the curvature of a model, chosen bounds."""

import hashlib
import json
from collections.abc import Iterator

from discreet.accounting import Json
from discreet.core.fields import count, finite, flag, not_negative, positive, text, whole
from discreet.core.neighbours import ADD_REMOVE, PARTS, Neighbours, Persons
from discreet.problems.made_rows import MadeRows
from discreet.statements.base import (
    Fields,
    Hypothesis,
    Record,
    Words,
    among,
    condition,
    counted,
    counted_by_fit,
    filled,
    mapping,
    noise_hypothesis,
    optional,
    persons_of,
    read_fields,
    register_words,
    relation,
    relation_of,
)
from discreet.words.constrained import declared_bounds
from discreet.words.learning import MANY_CLASSES, TWO_CLASSES, made_hypothesis, problem_hypotheses, target_units
from discreet.words.regression import OF_PREDICTIONS, TARGET_UNITS, convex_prediction, prediction_problem, targets_apart

COUNTING_LAPLACE = "counting queries, discrete Laplace noise"
COUNTING_GAUSSIAN = "counting queries, discrete Gaussian noise"
WHOLE = PARTS
"""What one record counts where rows of one person share its weight: each counts WHOLE times its weight, rounded down."""
ERRORS = ("absolute", "square", "fourth")
"""Powers of an error whose sums are asked for."""
LEAST_BITS, MOST_BITS = 8, 20
"""An error has 2^8 to 2^20 levels."""
NUMBER_BITS = 20
"""A number of a summary has 2^20 levels on either side of 0."""
MOST_COLUMNS = 1 << 12
"""That are counted in one query; a certificate of more does not verify."""
CURVATURE = "curvature, discrete Gaussian noise"
BOUNDS_CHOICE = "the exponential mechanism for bounds"
LAPLACE_LAW = "discrete Laplace, P(k) proportional to exp(-|k| / t), t"
GAUSSIAN_LAW = "discrete Gaussian, P(k) proportional to exp(-k^2 / (2 s^2)), s"


def _scales(value: Json) -> list[float]:
    return [positive(scale) for scale in filled(value)]


def moves_of(query: Json, neighbours: Neighbours) -> tuple[int, int, int]:
    """How many of how many integers one record moves, and by how much."""
    match query:
        case {"kind": "histogram", "cells": cells, **rest} if not rest:
            return (1 if neighbours is ADD_REMOVE else 2, whole(cells), 1)
        case {"kind": "bounded-sum", "largest": largest, **rest} if not rest:
            return (1, 1, whole(largest))
        case {"kind": "moments", "errors": errors, "targets": targets, "counted": counted, "bits": bits, **rest} if not rest:
            terms = flag(counted) + len([among(*ERRORS)(name) for name in _each(errors)]) + 4 * flag(targets)
            if not (terms and LEAST_BITS <= whole(bits) <= MOST_BITS):
                raise ValueError
            return (terms, terms, 1 << whole(bits))
        case {"kind": "column-histograms", "columns": columns, **rest} if not rest:
            sizes = [_cells(column) for column in filled(columns)]
            return ((1 if neighbours is ADD_REMOVE else 2) * len(sizes), sum(sizes), 1)
        case {"kind": "scored-classes", "bins": bins, **rest} if not rest.keys() - {"classes"}:
            return (2 if neighbours is ADD_REMOVE else 4, _classes(query) + 2 * whole(bins), 1)
        case {"kind": "summary", "groups": groups, "tables": list(tables), "sums": list(sums), "asked": str(), **rest} if not rest:
            sizes, weights = summary_terms(tables, sums)
            return ((1 if neighbours is ADD_REMOVE else 2) * len(weights), whole(groups) * sum(sizes), max(weights))
    raise ValueError


def summary_terms(tables: list[Json], sums: list[Json]) -> tuple[list[int], list[int]]:
    """How many answers of a group each term has, and its weight: of every level of a table, and of numbers and their squares.

    Raises ValueError for what is none, and for none at all.
    """
    sizes, weights = [], []
    for table in tables:
        stated = mapping(table)
        if stated.keys() != {"cells", "levels"}:
            raise ValueError
        for level in filled(stated["levels"]):
            width, weight = filled(level)
            sizes.append(-(-whole(stated["cells"]) // whole(width)))
            weights.append(whole(weight))
    for pair in sums:
        first, second = filled(pair)
        sizes += [1, 1]
        weights += [whole(first), whole(second)]
    if not weights:
        raise ValueError
    return sizes, weights


def _each(errors: Json) -> list[Json]:
    """Powers of an error, each once. Raises ValueError for anything else."""
    if not isinstance(errors, list) or len({text(name) for name in errors}) < len(errors):
        raise ValueError
    return errors


_COLUMN: Fields = {"name": text, "lower": finite, "upper": finite, "steps": whole, "halvings": count, "cells": whole}


def _cells(column: Json) -> int:
    """Of a column that is counted; a record is in one of at least two."""
    read_fields("columns", mapping(column), _COLUMN)
    if whole(mapping(column)["cells"]) < 2:
        raise ValueError
    return whole(mapping(column)["cells"])


def _classes(query: Json) -> int:
    """That are counted by a score: two where nothing is said."""
    stated = mapping(query)
    if whole(stated.get("classes", 3)) < 3:
        raise ValueError
    return whole(stated.get("classes", 2))


def _queries(value: Json) -> list[Json]:
    for query in filled(value):
        moves_of(query, ADD_REMOVE)
    return filled(value)


def _counting(parameters: Record, problem: Record, fields: Fields, theorem: str, law: str) -> Words:
    """`records` is stated where what is released is read with it, which a secret number cannot be."""
    known = "records" in parameters
    read_fields("parameters", parameters, {**fields, "records": whole} if known else fields)
    neighbours, scales, queries = relation_of(parameters), _scales(parameters["scales"]), _queries(problem["queries"])
    if known and neighbours is ADD_REMOVE:
        raise ValueError("parameters: a secret number of records is stated")
    if len(scales) != len(queries):
        raise ValueError("one scale a query is needed")
    moves = [moves_of(query, neighbours) for query in queries]
    shared = persons_of(problem).several
    kept = "; what is computed from the answers uses the released numbers only" if neighbours is ADD_REMOVE else ""
    moved = condition(
        "one record moves the exact answers by at most: {moved}",
        "each record is one integer in a public range, found from it alone; out of range is refused; integers add exactly",
        moved="; ".join(f"{coordinates} of {size} numbers by at most {step}" for coordinates, size, step in moves)
        + (f"; answers count in parts of 1 / {WHOLE}, rows as many as their weight allows, rounded down" if shared else ""),
    )
    drawn = condition(
        f"the noise is secret and {law} = {{scales}}",
        "integers drawn anew for every release, without a floating-point decision",
        scales=", ".join(f"{scale:.10g}" for scale in scales),
    )
    return Words(theorem, (counted(neighbours, kept, records=parameters.get("records")), *_public_edges(queries), moved, drawn))


def _public_edges(queries: list[Json]) -> Iterator[Hypothesis]:
    """Of histograms of columns, and of summaries."""
    for query in queries:
        if isinstance(query, dict) and "columns" in query:
            yield condition(
                "the cells of {columns} columns, one of each for every record, are public (SHA-256 of what gives them {digest})",
                "by the caller: they are functions of a schema, which is written down before the records are read",
                columns=len(filled(query["columns"])),
                digest=digest_of_record(query["columns"]),
            )
        if isinstance(query, dict) and "asked" in query:
            yield condition(
                "the cells of {tables} tables, the bounds of {sums} columns of numbers and the {groups} groups are public (SHA-256 of the "
                "query, which names what gives them, {digest})",
                "by the caller: they are functions of a schema, which is written down before the records are read",
                tables=len(query["tables"]) if isinstance(query["tables"], list) else 0,
                sums=len(query["sums"]) if isinstance(query["sums"], list) else 0,
                groups=whole(query["groups"]),
                digest=digest_of_record(query),
            )


def digest_of_record(value: Json) -> str:
    """SHA-256 of a part of a problem, by which conditions name it."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


_COUNTED: Fields = {"scales": _scales, "neighbours": relation}


@register_words("counting-laplace", parameters=None, problem={"queries": _queries}, shared=True)
def _laplace(parameters: Record, problem: Record) -> Words:
    return _counting(parameters, problem, _COUNTED, COUNTING_LAPLACE, LAPLACE_LAW)


@register_words("counting-gaussian", parameters=None, problem={"queries": _queries}, shared=True)
def _gaussian(parameters: Record, problem: Record) -> Words:
    return _counting(parameters, problem, {**_COUNTED, "epsilon": positive}, COUNTING_GAUSSIAN, GAUSSIAN_LAW)


_CURVATURE: Fields = {"scale": positive, "epsilon": positive, "neighbours": relation, "unit": whole, "levels": whole}


@register_words("curvature-gaussian", parameters=_CURVATURE, problem=None, shared=True)
def _curvature(parameters: Record, problem: Record) -> Words:
    fields = MANY_CLASSES if "scheme" in problem else OF_PREDICTIONS if "target_bound" in problem else TWO_CLASSES
    whose: Fields = {"persons": Persons.from_dict} if "persons" in problem else {}
    scheme: Fields = {"scheme": among("multinomial", "one-vs-rest")} if "scheme" in problem else {}
    several: Fields = TARGET_UNITS if "target_units" in problem else {}
    made: Fields = {"made_rows": MadeRows.stated} if "made_rows" in problem else {}
    read_fields("problem", problem, {**fields, **scheme, **whose, **several, **made, "weights": text})
    added = condition(
        "a record adds to the {integers} integers a vector of bounded length: its row in {unit} parts of the longest, its curvature and squared "
        "slope in {levels} parts of the largest",
        "each record is turned into integers by itself, of bounded length; longer ones would count as zero; integers add exactly",
        parameters,
        integers=curvature_integers(problem),
    )
    noise = noise_hypothesis(f"{GAUSSIAN_LAW} = {{scale:.10g}}, in every entry", parameters)
    weights = "the weights at which the curvature is taken: a release of their own, whose cost adds to this one"
    return Words(CURVATURE, (*_curved(parameters, problem), added, noise), (weights,))


def _curved(parameters: Record, problem: Record) -> tuple[Hypothesis, ...]:
    """Conditions on the records and on the loss."""
    if "target_bound" not in problem:
        return (*problem_hypotheses(parameters, problem), *made_hypothesis(problem))
    made = prediction_problem(problem)
    bounded = condition(
        "rows of {features} features have Euclidean norm at most {radius:.10g}, the constant feature included, targets at most {target_bound:.10g} "
        "in size; the bounds are public",
        "rows and targets are brought within the declared bounds ({bounds}), record by record; where the bounds come from is the caller's word",
        problem,
        radius=made.domain.radius,
        bounds=declared_bounds(problem),
    )
    apart = (targets_apart(problem, "at weights of their own"),) if "target_units" in problem else ()
    return counted_by_fit(parameters, problem), bounded, convex_prediction(made), *apart


def rows_made(problem: Record) -> int:
    """M of a problem of rows that are made of a record."""
    return MadeRows.stated(problem["made_rows"]).rows


def curvature_integers(problem: Record) -> int:
    """How many integers a curvature has: two for each pair of weights of one function, and of several at once for each pair of functions too.

    Of rows that are made of a record: one for each row, and for each pair of rows, of each pair of its own features and their constant.
    """
    each = whole(problem["features"]) + (not_negative(problem["intercept_scale"]) > 0)
    if "made_rows" in problem:
        rows = rows_made(problem)
        return (rows + rows * (rows + 1) // 2) * (each - rows) * (each - rows + 1) // 2
    functions = whole(problem.get("classes", 1)) * (len(target_units(problem)) or 1)
    factors = functions * (functions + 1) if problem.get("scheme") == "multinomial" else 2 * functions
    return factors * each * (each + 1) // 2


_CHOICE: Fields = {"rate": positive, "toll": count, "neighbours": relation, "epsilon": optional(positive)}


def _grids(value: Json) -> list[Json]:
    for column in filled(value):
        match column:
            case {"name": str(), "lower": list(lower), "upper": list(upper), **rest} if not rest:
                for bound in (*lower, *upper):
                    finite(bound)
            case _:
                raise ValueError
    return filled(value)


@register_words("bounds-choice", parameters=_CHOICE, problem={"columns": _grids}, shared=True)
def _bounds_choice(parameters: Record, problem: Record) -> Words:
    neighbours, columns = relation_of(parameters), _grids(problem["columns"])
    public = condition(
        "the {outwards} candidates for {columns} columns are public (SHA-256 {digest})",
        "by the caller: written down before the records are read",
        outwards=sum(len(side) for column in columns if isinstance(column, dict) for side in column.values() if isinstance(side, list)),
        columns=len(columns),
        digest=digest_of_record(columns),
    )
    shared = persons_of(problem).several
    scores = condition(
        "one record moves the scores of one side in one direction by 0 or 1" + (", and those of one side only" if neighbours is ADD_REMOVE else ""),
        "scores count the records beyond each candidate, in integers; candidates step outwards from a common centre, for a toll of {toll} records a "
        "step"
        + (f"; rows count in parts of 1 / {WHOLE}, as many as their weight allows, rounded down, and move scores by parts of 1" if shared else ""),
        parameters,
    )
    noise = noise_hypothesis("P(j) proportional to exp(-{rate:.10g} z_j), exactly (selection in integer arithmetic)", parameters)
    hypotheses = (counted(neighbours, "; scores count records outside, never inside"), public, scores, noise)
    return Words(BOUNDS_CHOICE, hypotheses, ("the columns and their candidates for bounds",))
