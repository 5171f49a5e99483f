"""Tables of the yes-or-no rows that are made of records, held or in blocks: what models of times and of ordered classes are fitted on.

    (x, y)   ->   rows (x, a, c e_t), t = 1 .. m(y), with answers b_t(y)         module `problems.made_rows`

m and b are public tables of what may be known of a record, so that its rows are a function of this record alone. A record that nothing is known of
has a row of zeros, which says nothing and counts it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data import Block, EncodedTable, TransformedTable, class_codes
from discreet.data.coding import Coding
from discreet.estimators.door.fit_input import HeldRecords, Targets
from discreet.matrices import AugmentedMatrix, DenseMatrix, Matrix, shortening
from discreet.matrices.bounded import brought_near
from discreet.matrices.levels import LevelMatrix
from discreet.mechanisms.persons import Owners
from discreet.problems import MadeRows
from discreet.problems.made_rows import ORDERED

Codes = npt.NDArray[np.intp]
"""Numbers of what is known of records."""


@dataclass(frozen=True, slots=True)
class Questions:
    """Which yes-or-no rows a record has, by the number of what is known of it: public."""

    made: MadeRows
    counts: Codes
    """(C,), of its rows, the first ones."""
    answers: npt.NDArray[np.bool_]
    """(C, M)."""

    @classmethod
    def of(cls, made: MadeRows) -> Self:
        """Of times, 2 T + 1 things may be known: seen through s periods, or that the event happened in the next one. Of classes, which it is."""
        if made.of == ORDERED:
            classes = made.rows + 1
            return cls(made, np.full(classes, made.rows), np.arange(classes)[:, np.newaxis] > np.arange(made.rows))
        seen, event = np.divmod(np.arange(2 * made.rows + 1), 2)
        return cls(made, seen + event, (np.arange(made.rows) == seen[:, np.newaxis]) & (event == 1)[:, np.newaxis])

    def signs(self, codes: Codes) -> Floats:
        """(n, M): +1 and -1, the answers of the rows that a record has, and 0."""
        there = np.arange(self.made.rows) < self.counts[:, np.newaxis]
        found: Floats = np.where(there, np.where(self.answers, 1.0, -1.0), 0.0)[codes]
        return found

    def column(self, codes: Codes) -> npt.NDArray[Any]:
        """What a ledger's digest sees of the targets, in every use of the table: numbers of what is known, signs of two classes."""
        two = self.made.of == ORDERED and self.made.rows == 1
        return np.where(codes == 1, 1.0, -1.0) if two else codes.astype(np.int64)

    def table(self, rows: Matrix, codes: Codes) -> tuple[LevelMatrix, Codes, npt.NDArray[np.bool_]]:
        """Of rows (n, d) and their numbers (n,): the made rows, whose they are, and their answers. A record without any has a row of zeros."""
        near = brought_near(DenseMatrix(np.asarray(rows.plain())) if rows.on_device else rows, self.made.bound)
        within = AugmentedMatrix(near, scale=shortening(near.ordered_row_norms(), self.made.bound), constant=0.0, given=rows)
        each = np.maximum(self.counts[codes], 1)
        owners = np.repeat(np.arange(len(codes)), each)
        levels = np.arange(len(owners)) - np.repeat(np.cumsum(each) - each, each)
        answers = self.answers[codes[owners], levels]
        levels[self.counts[codes[owners]] == 0] = -1
        made = LevelMatrix(
            within, owners, levels, count=self.made.rows, constant=self.made.constant, step=self.made.signed_step, known=self.column(codes)
        )
        return made, owners, answers


class Known(NamedTuple):
    """What a fit is told of its records; targets are private."""

    made: MadeRows
    targets: Any
    """Of held records, else None."""
    read: Callable[[Any], Codes]
    """Makes numbers of targets."""
    declared: tuple[str, ...]
    classes: npt.NDArray[Any] | None
    """Of ordered classes, from the lowest."""


@dataclass(frozen=True, slots=True)
class OfBlocks:
    """The same of a block, wherever it is."""

    questions: Questions
    read: Callable[[Any], Codes]

    def __call__(self, block: Block, first: int) -> Block:
        """The made rows; `first` is the number of the first record."""
        if block.targets is None:
            raise InvalidInput("the table has no targets; every record needs a time or a class.")
        if block.weights is not None or block.persons is not None:
            raise InvalidInput("here each record is one person and counts once: leave out sample weights and person ids.")
        rows, owners, answers = self.questions.table(block.rows, self.read(block.targets))
        return Block(rows, answers.astype(np.intp), None, first + owners)


@holds_records
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Asked:
    """A fit's questions and its records, which are private."""

    known: Known
    questions: Questions
    table: EncodedTable | TransformedTable
    """Of the made rows."""
    rows: Matrix | None
    """(n, d), as given; None of blocks."""
    codes: Codes | None

    @property
    def records(self) -> int | None:
        """n; None of blocks, which nobody has counted."""
        return None if self.codes is None else len(self.codes)

    def held(self, coding: Coding | None) -> HeldRecords:
        """The records as they were given, with the answers of their rows. Raises InvalidInput for a table in blocks."""
        if self.rows is None or self.codes is None:
            raise InvalidInput("intervals of this model need records in memory.")
        classes = np.zeros(0) if self.known.classes is None else self.known.classes
        targets = Targets(self.questions.signs(self.codes), classes, self.known.declared, self.questions.column(self.codes))
        owners = Owners(rule=Persons(rows=self.questions.made.rows, weight="row"), number=len(self.codes), weights=None)
        return HeldRecords(rows=self.rows, targets=targets, weights=None, owners=owners, coding=coding)


def held_table(questions: Questions, rows: Matrix, codes: Codes) -> EncodedTable:
    """As a table of two classes that says whose rows are whose."""
    made_rows, owners, answers = questions.table(rows, codes)
    return EncodedTable(
        rows=made_rows,
        signs=np.where(answers, 1.0, -1.0),
        classes=(0, 1),
        schema="",
        numeric=0,
        categorical=0,
        rule=Persons(rows=questions.made.rows, weight="row"),
        persons=pl.Series("", owners),
    )


def class_numbers(labels: Any, *, classes: npt.NDArray[Any]) -> Codes:
    """Of labels (n,). Raises InvalidInput for a label outside the classes."""
    return np.asarray(class_codes(np.asarray(labels), classes), dtype=np.intp)
