"""The words of categories that owners randomise."""

from discreet.accounting import Json
from discreet.core.fields import text, whole
from discreet.core.neighbours import REPLACE_ONE
from discreet.statements.base import Record, Words, among, condition, counted, filled, mapping, read_fields, register_words, relation, relation_of
from discreet.words.counting import digest_of_record

CATEGORIES = "k-ary response and unary encoding, exact integers (categories.md)"
RESPONSE, UNARY = "response", "unary"
UNIT = 1 << 40
"""b: probabilities are multiples of 1 over a sum of a and b."""
MOST_CATEGORIES = 1 << 12


def asked_columns(value: Json) -> list[int]:
    """Numbers of categories. Raises KeyError, TypeError or ValueError for what are no columns of at least two."""
    sizes = []
    for column in filled(value):
        read_fields("categories", mapping(column), {"name": text, "cells": whole})
        sizes.append(whole(mapping(column)["cells"]))
    if not all(2 <= cells <= MOST_CATEGORIES for cells in sizes):
        raise ValueError("problem: 2 to 4096 categories a column")
    return sizes


def laws_of(value: Json) -> list[str]:
    """The checked names of the laws of the columns."""
    return [str(among(RESPONSE, UNARY)(law)) for law in filled(value)]


def kept_of(value: Json) -> list[int]:
    """a of the columns: even integers above b, of at most 53 bits."""
    found = [whole(one) for one in filled(value)]
    if not all(UNIT < one < 1 << 53 and one % 2 == 0 for one in found):
        raise ValueError("parameters: 'kept' are even integers above 'unit'")
    return found


def _unit(value: Json) -> int:
    if whole(value) != UNIT:
        raise ValueError("parameters: 'unit' is 2^40")
    return UNIT


@register_words(
    "release-categories",
    parameters={"laws": laws_of, "kept": kept_of, "unit": _unit, "neighbours": relation},
    problem={"categories": asked_columns},
)
def _categories(parameters: Record, problem: Record) -> Words:
    sizes, laws, kept = asked_columns(problem["categories"]), laws_of(parameters["laws"]), kept_of(parameters["kept"])
    if relation_of(parameters) is not REPLACE_ONE:
        raise ValueError("parameters: an owner who randomises a record cannot hide that it exists")
    if not len(sizes) == len(laws) == len(kept):
        raise ValueError("parameters: one law a column is needed")
    asked = condition(
        "every record is in one category of each of {columns} columns, of {sizes} categories, which are public (SHA-256 {digest})",
        "a cell that is in none is refused at its owner's; the categories come from the schema, which all owners are given",
        columns=len(sizes),
        sizes=", ".join(map(str, sizes)),
        digest=digest_of_record(problem["categories"]),
    )
    ways = ", ".join(f"{law} a = {one}" for law, one in zip(laws, kept, strict=True))
    drawn = condition(
        "each column is answered by itself, by its owner, with secret odds a to b = {unit}: {ways}",
        "a uniform integer is compared with integers, drawn anew for every report, without a floating-point decision",
        unit=UNIT,
        ways=ways,
    )
    return Words(CATEGORIES, (counted(REPLACE_ONE), asked, drawn), local=True)
