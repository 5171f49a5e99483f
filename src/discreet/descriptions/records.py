"""From a table to the integers that are counted: the group of every record, its cell of every table, and its numbers in levels.

Every record by itself, from the schema alone. Of a table in blocks the answers of the blocks add up: the same integers, wherever it is cut.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data import EncodedTable, Schema, Target, class_codes
from discreet.data.encodings import Linear
from discreet.data.labels import label_array
from discreet.descriptions.asked import Asked, Column
from discreet.matrices import Matrix
from discreet.mechanisms.counting import MISSING, Summary
from discreet.mechanisms.cuts.columns import Whose, sums_of
from discreet.noise import Integers

_NUDGE = 1e-12
"""Values on an edge of a cell may come back a rounding error below it, and count as larger by so much of the width."""


@holds_records
class Counted(NamedTuple):
    """Private."""

    answer: Integers
    """(size,) of the query, exact."""
    records: int
    """Rows; persons where they are told apart."""


def plain_schema(asked: Asked) -> Schema:
    """The schema that encodes what is asked for as it is: numbers from 0 to 1, categories as they are."""
    schema, wanted = asked.schema, {column.name for column in asked.described} | {asked.by}
    kept = {name for name in (column.name for column in schema.layout.own) if name in wanted}
    names = kept or {schema.layout.own[0].name}  # a schema has a feature
    return replace(
        schema,
        numeric=tuple(replace(one, encoding=(Linear(),), scale="unit") for one in schema.numeric if one.name in names),
        date=tuple(replace(one, encoding=(Linear(),)) for one in schema.date if one.name in names),
        categorical=tuple(one for one in schema.categorical if one.name in names),
        cross=(),
        rows="bound",
    )


def counted(asked: Asked, plain: Schema, whose: Whose, *, jobs: int) -> Counted:
    """The exact answer of a table that `plain`, the schema of `plain_schema`, encodes."""
    reading = _Reading(asked, plain)
    found = sums_of(whose, reading, asked.query.size + 1, jobs=jobs)
    return Counted(answer=found[:-1], records=int(found[-1]) if whose.persons is None else whose.persons)


class _Reading:
    """From rows of the plain schema, and their targets, to the answer and the number of rows; holds what is public."""

    def __init__(self, asked: Asked, plain: Schema) -> None:
        self.asked, self.targets = asked, plain.targets
        self.query: Summary = asked.query
        self.wanted: set[str | None] = {asked.by, *(column.name for column in asked.described)}
        self.cells = {column.name: asked.cells_of(column) for column in asked.numbers}
        names = plain.feature_names
        own = (*plain.numeric, *plain.date)
        self.numbers = {column.name: (names.index(column.names[0]), names.index(column.names[-1]) if column.indicated else None) for column in own}
        self.categories, start = {}, sum(len(column.names) for column in own)
        for column in plain.categorical:
            self.categories[column.name] = slice(start, start + len(column.categories))
            start += len(column.categories)

    def __call__(self, rows: Matrix, targets: npt.NDArray[Any] | EncodedTable | None, shares: Integers | None) -> Integers:
        """(size + 1,): the answer of these rows, and how many they are."""
        of_target = self._of_target(targets)
        total = np.zeros(self.query.size + 1, dtype=np.int64)
        for part, entries in rows.chunks():
            integers = self._integers(entries, None if of_target is None else of_target[part])
            total[:-1] += self.query.answer(integers, None if shares is None else shares[part])
            total[-1] += len(entries)
        return total

    def _of_target(self, targets: npt.NDArray[Any] | EncodedTable | None) -> npt.NDArray[Any] | None:
        """Codes of the classes, or numbers from 0 to 1, (n, m)."""
        if isinstance(targets, EncodedTable):
            if targets.numbers is None:
                codes = targets.codes if targets.signs is None else (targets.signs > 0).astype(np.int64)
                return None if codes is None else codes[:, np.newaxis]
            targets = targets.numbers
        if targets is None:
            return None
        (first, *_), many = self.targets, targets if targets.ndim > 1 else targets[:, np.newaxis]
        return class_codes(targets, label_array(first.classes))[:, np.newaxis] if isinstance(first, Target) else 0.5 * (many + 1.0)

    def _integers(self, entries: Floats, target: npt.NDArray[Any] | None) -> Integers:
        """(b, columns of the query)."""
        found: dict[str, npt.NDArray[Any]] = {}
        for name, (place, gap) in self.numbers.items():
            found[name] = entries[:, place] if gap is None else np.where(entries[:, gap] > 0, np.nan, entries[:, place])
        for name, places in self.categories.items():
            found[name] = np.argmax(entries[:, places], axis=1)
        for place, one in enumerate(self.targets):
            if target is not None:
                found[one.column] = target[:, place]
            elif one.column in self.wanted:
                raise InvalidInput(f"the table has no target column {one.column!r}. Give it, or leave it out of columns.")
        asked, level = self.asked, 1 << Summary.bits
        columns = [np.zeros(len(entries), dtype=np.int64) if asked.by is None else found[asked.by]]
        columns += [self._cells(column, found[column.name]) for column in asked.described]
        columns += [found[first.name] * len(second.labels) + found[second.name] for first, second in asked.pair_columns()]
        for column in asked.numbers:
            share = found[column.name]
            missing = np.isnan(share)
            columns.append(np.where(missing, MISSING, np.rint((2.0 * np.where(missing, 0.0, share) - 1.0) * level).astype(np.int64)))
        return np.stack(columns, axis=1).astype(np.int64)

    def _cells(self, column: Column, values: npt.NDArray[Any]) -> Integers:
        if not column.numeric:
            return values.astype(np.int64)
        return self.cells[column.name].cells_of(column.lower + (values + _NUDGE) * (column.upper - column.lower))
