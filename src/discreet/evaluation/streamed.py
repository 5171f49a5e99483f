"""What a model says about a table that is read in blocks: one pass that adds up the answers of the blocks.

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

from discreet.core.private import holds_records
from discreet.data.blocks.base import Block, BlockTable
from discreet.data.stream import Stream, column_bytes
from discreet.evaluation.outcomes import actual_classes, class_column, outcomes_of_block
from discreet.evaluation.survey import Survey
from discreet.noise import Integers


class _Classes(NamedTuple):
    """Of the records of a block: what a ledger's digest sees."""

    records: int
    column: npt.NDArray[Any]


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Answered:
    """Exact answers to the queries of a survey; private. `content` reads the table again, for a ledger."""

    records: int
    answers: list[Integers]
    content: Iterator[bytes]


def answered(survey: Survey, model: Any, table: BlockTable, *, jobs: int) -> Answered:  # noqa: ANN401 - whatever predicts
    """Read the table once, by at most `jobs` threads. Raises what `outcomes_of` raises."""
    queries = survey.queries()

    def ask(_: int, block: Block) -> tuple[int, list[Integers]]:
        count = block.rows.shape[0]
        columns = survey.read(outcomes_of_block(model, block, wanted=survey.wanted)) if count else [np.zeros(0, dtype=np.int64) for _ in queries.each]
        return count, [query.answer(column) for query, column in zip(queries.each, columns, strict=True)]

    counts: list[int] = []
    total = [np.zeros(query.size, dtype=np.int64) for query in queries.each]
    for count, answers in table.map(ask, jobs):
        counts.append(count)
        total = [sum_ + answer for sum_, answer in zip(total, answers, strict=True)]
    return Answered(records=sum(counts), answers=total, content=_content(model, table, counts, jobs))


def _content(model: Any, table: BlockTable, counts: list[int], jobs: int) -> Iterator[bytes]:  # noqa: ANN401 - as above
    """As of the same records in memory. Raises InvalidInput where the table is no longer the one that was counted."""

    def classes(block: Block) -> _Classes:
        return _Classes(block.rows.shape[0], class_column(actual_classes(model, block), model))

    stream: Stream[_Classes] = Stream.counted(table, classes, counts)
    remote = table.remote
    yield from stream.content(jobs)
    yield from stream.map(lambda _, found: column_bytes(found.column, remote=remote), jobs)
