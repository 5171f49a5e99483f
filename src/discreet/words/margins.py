"""The words of releases of contingency tables in rounds."""

from itertools import combinations
from math import prod

from discreet.accounting import Json
from discreet.core.fields import count, flag, positive, sha256, text, whole
from discreet.core.neighbours import ADD_REMOVE
from discreet.statements.base import (
    Fields,
    Record,
    Words,
    condition,
    counted,
    filled,
    mapping,
    optional,
    persons_of,
    read_fields,
    register_words,
    relation,
    relation_of,
)
from discreet.words.counting import GAUSSIAN_LAW, WHOLE

MARGINS = "contingency tables in rounds, discrete Gaussian noise"
LARGEST_EPSILON = 100.0
LEAST_DELTA = 1e-30
MOST_CELLS = 1 << 24
"""Of all tables of a round."""


def _listed(value: Json) -> list[Json]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _scales(value: Json) -> list[float]:
    return [positive(scale) for scale in filled(value)]


def _columns(value: Json) -> list[int]:
    for column in filled(value):
        read_fields("columns", mapping(column), {"name": text, "cells": whole})
    return [whole(mapping(column)["cells"]) for column in filled(value)]


def _table(value: Json) -> tuple[int, ...]:
    found = tuple(count(place) for place in _listed(value))
    if list(found) != sorted(set(found)):
        raise ValueError("a table has each column once, in their order")
    return found


def _tables(value: Json) -> list[tuple[int, ...]]:
    return [_table(table) for table in filled(value)]


def _pairs(value: Json) -> list[tuple[int, ...]]:
    return [_table(pair) for pair in _listed(value)]


_PROBLEM: Fields = {"columns": _columns, "tables": _tables, "linked": _table, "hub": optional(count), "most": count, "largest": whole}
_PARAMETERS: Fields = {"scales": _scales, "neighbours": relation, "epsilon": positive, "pairs": _pairs}


def _cuts(value: Json) -> list[tuple[int, int, int, list[int]]]:
    """Column, that of its fine cells, whether missing values have a cell, and the fine cells that public bins begin with."""
    fields: Fields = {"column": count, "fine": count, "gap": flag, "starts": filled}
    found = []
    for one in map(mapping, filled(value)):
        read_fields("cut", one, fields)
        found.append((count(one["column"]), count(one["fine"]), int(flag(one["gap"])), [count(start) for start in filled(one["starts"])]))
    return found


def cuts_of(problem: Record) -> list[str]:
    """Names of columns whose bins are chosen. Raises ValueError where these, or their fine cells, are none of the columns'."""
    found, columns, tables = _cuts(problem["cut"]) if "cut" in problem else [], _columns(problem["columns"]), _tables(problem["tables"])
    for column, fine, gap, starts in found:
        bins = columns[column] - gap if column < len(columns) else 0
        rising = starts[0] == 0 and starts == sorted(set(starts)) and len(starts) == bins
        if (fine,) not in tables or fine == column or not rising or starts[-1] >= columns[fine] - gap:
            raise ValueError("a column that is cut does not belong to its fine cells")
    if len({column for column, *_ in found}) < len(found):
        raise ValueError("a column is cut twice")
    return [text(mapping(filled(problem["columns"])[column])["name"]) for column, *_ in found]


def rounds_of(problem: Record, parameters: Record) -> tuple[int, int, int]:
    """Tables of the first round, candidates and chosen pairs. Raises ValueError for tables, pairs or scales that are none of the columns'."""
    columns, tables, linked = _columns(problem["columns"]), _tables(problem["tables"]), _table(problem["linked"])
    most, pairs = count(problem["most"]), _pairs(parameters["pairs"])
    candidates = list(combinations(linked, 2))
    fit = all(table and table[-1] < len(columns) for table in tables) and (not linked or linked[-1] < len(columns))
    hub = problem["hub"]
    fit = fit and (hub is None or count(hub) < len(columns)) and sum(prod(columns[one] for one in table) for table in tables) <= MOST_CELLS
    fit &= len(set(pairs)) == len(pairs) <= most <= len(candidates) and set(pairs) <= set(candidates) and (most > 0) is bool(linked)
    if not fit or len(_scales(parameters["scales"])) != len(tables) + (2 if linked else 0):
        raise ValueError("tables, pairs or scales do not belong to the columns")
    cuts_of(problem)
    return len(tables), len(candidates), most


@register_words("margins-gaussian", parameters=_PARAMETERS, problem=_PROBLEM, sometimes={"cut": _cuts, "asked": sha256}, shared=True)
def _margins(parameters: Record, problem: Record) -> Words:
    neighbours = relation_of(parameters)
    tables, candidates, most = rounds_of(problem, parameters)
    cut = cuts_of(problem)
    several = persons_of(problem).several
    named = f" (SHA-256 of what gives them {sha256(problem['asked'])})" if "asked" in problem else ""
    cells = condition(
        f"the cells of {{columns}} columns are public{named}, and a record is in exactly one of each",
        "by the caller: they are functions of a schema, which is written down before the records are read; a cell is found from its record alone",
        columns=len(_columns(problem["columns"])),
    )
    moved = condition(
        "one record moves {cells} of each of {tables} tables by 1"
        + (", each of {candidates} scores by at most 1, and {cells} of each of q chosen tables by 1, q at most {most}" if candidates else ""),
        f"counts are exact integers, in parts of 1 / {WHOLE} of a record{', rows as many as their weight allows, rounded down' if several else ''}",
        cells="one cell" if neighbours is ADD_REMOVE else "two cells",
        tables=tables,
        candidates=candidates,
        most=most,
    )
    rounds = condition(
        "what is asked later depends on the records through what was released before, and not otherwise",
        "expected counts and chosen pairs are functions of released integers"
        + (f", and so are the bins of {', '.join(cut)}, which the counts of their fine cells choose" if cut else ""),
    )
    scales = ", ".join(f"{scale:.10g}" for scale in _scales(parameters["scales"]))
    noise = condition(
        f"the noise is secret and {GAUSSIAN_LAW} = {{scales}}, of each table in turn"
        + (", of scores and, times the root of q, of chosen tables" if candidates else ""),
        "integers drawn anew for every release, without a floating-point decision",
        scales=scales,
    )
    return Words(MARGINS, (counted(neighbours, ""), cells, moved, rounds, noise), ("the columns and their cells",))
