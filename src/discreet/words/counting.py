"""Declarations of releases of integers: counts and sums, the curvature of a model, chosen bounds."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from discreet.accounting import Json
from discreet.core.fields import count, finite, flag, not_negative, text, whole
from discreet.core.neighbours import ADD_REMOVE, PARTS, Neighbours, Persons
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace
from discreet.problems.made_rows import MadeRows
from discreet.statements.base import (
    SHARED,
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
    persons_of,
    read_fields,
)
from discreet.statements.spec import Count, Positive, Positives, Relation, Spec, Whole, absent, declared, problem_with
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


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsSpec(Spec[Record]):
    """Integers that are answers to public queries, with integer noise of one law; a scale for each query."""

    law_of: ClassVar[type[DiscreteLaplace | DiscreteGaussian]] = DiscreteGaussian
    law_in_words: ClassVar[str] = GAUSSIAN_LAW
    several = SHARED
    problem_of = staticmethod(problem_with({"queries": _queries}))

    scales: Positives
    """Of the noise, for each query."""
    neighbours: Relation
    records: Whole | None = absent()
    """How many they are, where what is released is read with it: then it is public."""

    def statement(self, problem: Record) -> Words:
        """See Spec. Raises ValueError where a secret number of records is stated."""
        queries = _queries(problem["queries"])
        if self.records is not None and self.neighbours is ADD_REMOVE:
            raise ValueError("parameters: a secret number of records is stated")
        if len(self.scales) != len(queries):
            raise ValueError("one scale a query is needed")
        moves = [moves_of(query, self.neighbours) for query in queries]
        shared = persons_of(problem).several
        kept = "; what is computed from the answers uses the released numbers only" if self.neighbours is ADD_REMOVE else ""
        moved = condition(
            "one record moves the exact answers by at most: {moved}",
            "each record is one integer in a public range, found from it alone; out of range is refused; integers add exactly",
            moved="; ".join(f"{coordinates} of {size} numbers by at most {step}" for coordinates, size, step in moves)
            + (f"; answers count in parts of 1 / {WHOLE}, rows as many as their weight allows, rounded down" if shared else ""),
        )
        drawn = condition(
            f"the noise is secret and {self.law_in_words} = {{scales}}",
            "integers drawn anew for every release, without a floating-point decision",
            scales=", ".join(f"{scale:.10g}" for scale in self.scales),
        )
        return Words(self.theorem, (counted(self.neighbours, kept, records=self.records), *_public_edges(queries), moved, drawn))


@declared
class LaplaceCounts(CountsSpec):
    """Counting queries with pure epsilon."""

    __slots__ = ()

    name = "counting-laplace"
    theorem = COUNTING_LAPLACE
    law_of = DiscreteLaplace
    law_in_words = LAPLACE_LAW


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianCounts(CountsSpec):
    """Counting queries with (epsilon, delta)."""

    name = "counting-gaussian"
    theorem = COUNTING_GAUSSIAN

    epsilon: Positive
    """At which delta is stated."""


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


def _curved_problem(problem: Record) -> Record:
    """The problem of a model, and the digest of its weights."""
    fields = MANY_CLASSES if "scheme" in problem else OF_PREDICTIONS if "target_bound" in problem else TWO_CLASSES
    whose: Fields = {"persons": Persons.from_dict} if "persons" in problem else {}
    scheme: Fields = {"scheme": among("multinomial", "one-vs-rest")} if "scheme" in problem else {}
    several: Fields = TARGET_UNITS if "target_units" in problem else {}
    made: Fields = {"made_rows": MadeRows.stated} if "made_rows" in problem else {}
    read_fields("problem", problem, {**fields, **scheme, **whose, **several, **made, "weights": text})
    return problem


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class CurvatureSpec(Spec[Record]):
    """The curvature of a model at its released weights, in integers with noise."""

    name = "curvature-gaussian"
    theorem = CURVATURE
    several = SHARED
    problem_of = staticmethod(_curved_problem)

    scale: Positive
    """s, in units of the integers."""
    epsilon: Positive
    """At which delta is stated."""
    neighbours: Relation
    unit: Whole
    """Parts of the longest row."""
    levels: Whole
    """Parts of the largest curvature and squared slope."""

    @property
    def law(self) -> DiscreteGaussian:
        """The law of the noise in every entry."""
        return DiscreteGaussian(self.scale)

    def statement(self, problem: Record) -> Words:
        """See Spec."""
        parameters = self.parameters()
        added = condition(
            "a record adds to the {integers} integers a vector of bounded length: its row in {unit} parts of the longest, its curvature and squared "
            "slope in {levels} parts of the largest",
            "each record is turned into integers by itself, of bounded length; longer ones would count as zero; integers add exactly",
            parameters,
            integers=curvature_integers(problem),
        )
        noise = noise_hypothesis(f"{GAUSSIAN_LAW} = {{scale:.10g}}, in every entry", parameters)
        weights = "the weights at which the curvature is taken: a release of their own, whose cost adds to this one"
        return Words(self.theorem, (*_curved(parameters, problem), added, noise), (weights,))


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


def _grids(value: Json) -> list[Json]:
    for column in filled(value):
        match column:
            case {"name": str(), "lower": list(lower), "upper": list(upper), **rest} if not rest:
                for bound in (*lower, *upper):
                    finite(bound)
            case _:
                raise ValueError
    return filled(value)


@declared
@dataclass(frozen=True, slots=True, kw_only=True)
class BoundsSpec(Spec[Record]):
    """Bounds of columns, each chosen among public candidates."""

    name = "bounds-choice"
    theorem = BOUNDS_CHOICE
    several = SHARED
    problem_of = staticmethod(problem_with({"columns": _grids}))

    rate: Positive
    """Per record outside; also the range of one choice."""
    toll: Count
    """Records that one step outwards must save."""
    neighbours: Relation
    epsilon: Positive | None = None
    """At which delta is stated; None for a pure guarantee."""

    def statement(self, problem: Record) -> Words:
        """See Spec."""
        columns, parameters, added = _grids(problem["columns"]), self.parameters(), self.neighbours is ADD_REMOVE
        public = condition(
            "the {outwards} candidates for {columns} columns are public (SHA-256 {digest})",
            "by the caller: written down before the records are read",
            outwards=sum(len(side) for column in columns if isinstance(column, dict) for side in column.values() if isinstance(side, list)),
            columns=len(columns),
            digest=digest_of_record(columns),
        )
        shared = persons_of(problem).several
        scores = condition(
            "one record moves the scores of one side in one direction by 0 or 1" + (", and those of one side only" if added else ""),
            "scores count the records beyond each candidate, in integers; candidates step outwards from a common centre, for a toll of {toll} "
            "records a step"
            + f"; rows count in parts of 1 / {WHOLE}, as many as their weight allows, rounded down, and move scores by parts of 1"
            * shared,
            parameters,
        )
        noise = noise_hypothesis("P(j) proportional to exp(-{rate:.10g} z_j), exactly (selection in integer arithmetic)", parameters)
        hypotheses = (counted(self.neighbours, "; scores count records outside, never inside"), public, scores, noise)
        return Words(self.theorem, hypotheses, ("the columns and their candidates for bounds",))
