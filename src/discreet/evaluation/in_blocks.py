"""A table that is read in blocks: one pass that adds up the answers of the blocks.

    answer(all records) = sum over blocks of answer(records of the block)

Answers are integers, so the sum is exact and the same for any blocks and any number of threads: that of the same records in memory. Scores are put
into their public bins block by block, and none is kept: memory does not grow with the table, for curves neither. Where blocks are on other
machines the model travels there and a few counts come back.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data.block_table import Block, BlockTable
from discreet.data.shared_table import NOT_TOLD, kept_blocks
from discreet.data.stream import Stream, column_bytes
from discreet.evaluation.asked import Asked
from discreet.evaluation.outcomes import outcomes_of_block, silenced, target_column
from discreet.mechanisms.persons import drawn_beside
from discreet.noise import Integers, Noise


class _Targets(NamedTuple):
    """Of the records of a block: what a ledger's digest sees."""

    records: int
    column: npt.NDArray[Any]


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Answered:
    """Exact answers to the queries of a survey; private. `content` reads the table again, for a ledger."""

    records: int
    """Persons, where they have several rows or one of them is kept."""
    answers: list[Integers]
    content: Iterator[bytes]


def answered(survey: Asked, model: Any, table: BlockTable, noise: Noise, *, jobs: int) -> Answered:  # noqa: ANN401 - whatever predicts
    """Read the table once, by at most `jobs` threads, and once before for whose rows are whose, of which `noise` draws those that are kept.

    Raises what `outcomes_of` raises.
    """
    queries, several = survey.queries(), survey.shared
    rule = survey.persons
    kept = kept_blocks(table, rule, drawn_beside(noise), jobs=jobs) if rule is not None and rule.told_apart else None

    def ask(_: int, block: Block) -> tuple[int, list[Integers]]:
        if block.persons is not None:
            raise InvalidInput(NOT_TOLD)
        count = block.rows.shape[0]
        columns = survey.read(outcomes_of_block(model, block, wanted=survey.wanted)) if count else survey.nothing()
        return count, queries.answers(columns, block.shares if several else None)

    counts: list[int] = []
    total = [np.zeros(query.size, dtype=np.int64) for query in queries.each]
    with silenced(model):
        for count, answers in (table if kept is None else kept.table).map(ask, jobs):
            counts.append(count)
            total = [sum_ + answer for sum_, answer in zip(total, answers, strict=True)]
    lengths = counts if kept is None else kept.lengths
    return Answered(records=sum(counts) if kept is None else kept.persons, answers=total, content=_content(model, table, lengths, jobs))


def _content(model: Any, table: BlockTable, counts: list[int], jobs: int) -> Iterator[bytes]:  # noqa: ANN401 - as above
    """As of the same records in memory. Raises InvalidInput where the table is no longer the one that was counted."""

    def targets(block: Block) -> _Targets:
        return _Targets(block.rows.shape[0], target_column(model, block))

    stream: Stream[_Targets] = Stream.counted(table, targets, counts)
    remote = table.remote
    if stream.records == 0:
        return
    yield from stream.content(jobs)
    yield from stream.map(lambda _, found: column_bytes(found.column, remote=remote), jobs)
