"""The exact counts of a table's cells, of records or of persons, in memory or in blocks: private, and nowhere but in the mechanism that asks."""

from collections.abc import Sequence
from math import prod

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data import Block, EncodedTable
from discreet.data.labels import label_array
from discreet.data.shared_table import NOT_TOLD
from discreet.mechanisms.counting.queries import counted, shares_of
from discreet.mechanisms.cuts.columns import Whose
from discreet.mechanisms.margins.problem import Cut, Table
from discreet.noise import Integers
from discreet.releases.synthetic.cells import Coder, Codes, cut_columns
from discreet.words.counting import WHOLE


@holds_records
class TableCounts:
    """Counts of the bins of all columns, and of the fine cells of some (a `Counts` of the margins)."""

    def __init__(self, whose: Whose, coder: Coder, sizes: Sequence[int], *, target: bool, jobs: int, cut: Sequence[Cut] = ()) -> None:
        """`sizes` are the cells of the coded columns; the table is one of the coder's schema, `target` where its targets are asked for."""
        self._cut = tuple(cut)
        self._whose, self._coder, self._sizes, self._target, self._jobs = whose, coder, tuple(sizes), target, jobs
        rule = whose.rule
        self._part = 1 if rule is not None and rule.several else WHOLE
        table = whose.table
        self._codes = coder.bins_and_fine(table.rows, _targets(table) if target else None) if isinstance(table, EncodedTable) else None

    def of(self, tables: Sequence[Table]) -> list[Integers]:
        """See Counts."""
        if self._codes is not None:
            return self._counted(self._codes, tables, self._whose.shares)
        table, rule = self._whose.table, self._whose.rule
        if isinstance(table, EncodedTable):
            raise InvalidInput("a table in blocks is needed.")

        def of_block(_: int, block: Block) -> Integers:
            if block.persons is not None:
                raise InvalidInput(NOT_TOLD)
            codes = self._coder.bins_and_fine(block.rows, block.targets if self._target else None)
            shares = shares_of(rule, block.shares) if rule is not None and rule.several else None
            return np.concatenate(self._counted(codes, tables, shares))

        ends = np.cumsum([prod(self._sizes[one] for one in each) for each in tables])
        total = sum(table.map(of_block, self._jobs), start=np.zeros(int(ends[-1]), dtype=np.int64))
        return list(np.split(total, ends[:-1]))

    def binned(self, begins: Sequence[tuple[int, ...]]) -> "TableCounts":
        """See Counts."""
        cut = cut_columns(self._coder.columns, self._cut, begins)
        return TableCounts(self._whose, Coder(self._coder.schema, cut), self._sizes, target=self._target, jobs=self._jobs)

    def _counted(self, codes: list[Codes], tables: Sequence[Table], shares: Integers | None) -> list[Integers]:
        found = []
        for table in tables:
            shape = tuple(self._sizes[one] for one in table)
            places = np.ravel_multi_index(tuple(codes[one] for one in table), shape)
            found.append(self._part * counted(places, prod(shape), shares))
        return found


def _targets(table: EncodedTable) -> np.ndarray:
    if (numbers := table.one_number) is not None:
        return numbers
    codes = table.codes if table.signs is None else (table.signs > 0).astype(np.intp)
    if codes is None:
        raise InvalidInput("the table has no targets.")
    return label_array(table.classes)[codes]
