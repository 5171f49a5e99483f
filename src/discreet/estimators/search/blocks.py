"""The records of a search in a table that is read in blocks: scores are counted block by block, and parts are cut from every block.

Parts (Algorithm 4). A seed is drawn once; a block is cut in every pass by numbers that follow from the seed and the block's number alone. Under
add-remove every row throws a die of its own. Under replace-one, where numbers of rows are public, the rows of each block are put into a uniformly
random order, which goes on where that of the block before it ended, and its p-th row goes to part p mod count: parts are as long as those of a table
in memory, and every one gets its share of each block. Nothing that is as long as the table is kept.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data import Block, BlockTable, Domain, FunctionTable, Reader, Records, class_codes
from discreet.data.blocks.cut import CutTable
from discreet.data.labels import label_array
from discreet.data.persons import weights_of
from discreet.data.reader import several_content
from discreet.data.shared_table import Kept, kept_blocks
from discreet.data.stream import Stream
from discreet.data.targets import period_numbers
from discreet.estimators.inputs import distinct_classes
from discreet.estimators.search.tables import HeldTable, Predicts, Scoring, SearchTable, parts_of_persons
from discreet.matrices import SparseMatrix
from discreet.mechanisms.counting.queries import shares_of
from discreet.mechanisms.persons import Owners, drawn_beside
from discreet.noise import Integers, Noise
from discreet.noise.chacha import keyed_words
from discreet.noise.words import shuffled, uniform_below


@holds_records
class StreamedTable(SearchTable):
    """A table that is read in blocks; see SearchTable. The first use of its length or its labels reads it, and counts and checks every record."""

    __slots__ = ("X", "_bound", "_jobs", "_kept", "_noise", "_read", "_rule", "classes", "scoring")
    in_blocks = True
    y = None
    persons = None

    def __init__(
        self,
        table: BlockTable,
        bound: Reader,
        *,
        jobs: int,
        rule: Persons | None = None,
        noise: Noise | None = None,
        kept: Kept | None = None,
        scoring: Scoring | None = None,
    ) -> None:
        """Read nothing yet. Where persons are told apart, `noise` draws whose rows count in scores, if they are not `kept` already."""
        self.X, self.classes = table, np.zeros(0) if bound.classes is None else label_array(bound.classes)
        self.scoring = scoring or Scoring()
        self._bound, self._jobs, self._rule, self._noise, self._kept = bound, jobs, rule, noise, kept
        self._read: Stream[Records] | None = None

    @property
    def rule(self) -> Persons | None:
        """See SearchTable."""
        return self._rule

    @property
    def _whose(self) -> Kept | None:
        """What was drawn of whose rows are whose, where persons are told apart."""
        if self._kept is None and self._rule is not None and self._rule.told_apart and self._noise is not None:
            self._kept = kept_blocks(self.X, self._rule, drawn_beside(self._noise), jobs=self._jobs, check=self._bound.anonymous)
        return self._kept

    @property
    def _stream(self) -> Stream[Records]:
        """Raises what reading raises, InvalidInput for records that are not what was declared."""
        if self._read is None and (whose := self._whose) is not None:
            self._read = Stream.counted(self.X, self._bound.anonymous, whose.lengths)
        elif self._read is None:
            self._read = Stream(self.X, self._bound, self._jobs)
        return self._read

    @property
    def shape(self) -> tuple[int, int]:
        """See SearchTable."""
        whose = self._whose
        return self._stream.records if whose is None else whose.persons, self.X.features

    @property
    def weight(self) -> int:
        """See SearchTable."""
        whose = self._whose
        if whose is None or self._rule is None:
            return self.scoring.all_of(self._stream.records, None)
        return sum(self._most(weights_of(counts[counts > 0], self._rule), self._rule) for counts in whose.counts)

    def _most(self, weights: Floats, rule: Persons) -> int:
        """What rows of these shares of a record's weight count at most."""
        return self.scoring.all_of(len(weights), shares_of(rule, weights) if rule.several else None)

    def content(self) -> Iterator[bytes]:
        """See SearchTable."""
        if self.scoring.units:
            yield from several_content(self._stream.whole, self._jobs)
            return
        yield from Records.streamed(self._stream, domain=self._bound.domain, jobs=self._jobs).content()

    def correct(self, model: Predicts) -> int:
        """See SearchTable: one pass."""
        whose, bound = self._whose, partial(_scored, model=model, classes=self.classes, rule=self._rule, scoring=self.scoring)
        counted = self._stream.rebound(bound) if whose is None else Stream.counted(whose.table, bound, whose.rows)
        return sum(counted.map(lambda _, block: block.correct, self._jobs))

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> list[SearchTable]:
        """See SearchTable, and the module docstring."""
        whose = self._whose
        if whose is not None:
            of_person = parts_of_persons(whose.persons, count, noise, hidden=hidden).astype(np.min_scalar_type(count))
            return [self._part_of_persons(whose, of_person == part) for part in range(count)]
        seed = noise.words()(4).tobytes()
        sizes = self._stream.lengths
        starts = None if hidden else (0, *accumulate(sizes))
        found: list[SearchTable] = []
        members = [np.bincount(_members(seed, starts, count, number, size), minlength=count) for number, size in enumerate(sizes)]
        for part in range(count):
            kept = [number for number, lengths in enumerate(members) if lengths[part]]
            cut = _Cut(seed=seed, starts=starts, parts=count, part=part)
            found.append(
                StreamedTable(CutTable(self.X, cut, kept), self._bound, jobs=self._jobs, rule=self._rule, scoring=self.scoring)
                if kept
                else self._nothing()
            )
        return found

    def _part_of_persons(self, whose: Kept, members: npt.NDArray[np.bool_]) -> SearchTable:
        """The rows of these persons, (P,)."""
        chosen = [members[codes] for codes in whose.codes]
        places = [number for number, rows in enumerate(chosen) if rows.any()]
        if not places or self._rule is None:
            return self._nothing()
        table = CutTable(self.X, _CutPersons({number: np.flatnonzero(chosen[number]) for number in places}), places)
        counts, codes = [whose.counts[number][chosen[number]] for number in places], [whose.codes[number][chosen[number]] for number in places]
        kept = Kept.of(table, self._rule, number=int(np.count_nonzero(members)), counts=counts, codes=codes)
        return StreamedTable(table, self._bound, jobs=self._jobs, rule=self._rule, kept=kept, scoring=self.scoring)

    def _nothing(self) -> HeldTable:
        rows, given = sp.csr_array((0, self.X.features), dtype=np.float64), self._no_targets()
        told = self._rule is not None and self._rule.told_apart
        codes = np.zeros(0, dtype=np.int64) if told else None
        owners = Owners(rule=self._rule, number=0, codes=codes, weights=np.zeros(0) if told else None)
        return HeldTable(
            X=rows, y=given, rows=SparseMatrix(rows), given=given, classes=self.classes, owners=owners, persons=codes, scoring=self.scoring
        )

    def _no_targets(self) -> npt.NDArray[Any]:
        units = self.scoring.units
        return np.zeros((0, len(units)) if units else 0) if self.scoring.of_numbers else self.classes[:0]


def streamed_table(
    table: BlockTable,
    y: Any,
    *,
    classes: Any,
    max_weight: float | None,
    jobs: int,
    rule: Persons | None = None,
    noise: Noise | None = None,
    scoring: Scoring | None = None,
    units: Callable[[int], tuple[float, ...]] | None = None,
) -> StreamedTable:
    """Check what was passed to `fit`, but for the records. Raises InvalidInput without any value of the table.

    `rule` says whose rows are whose, and `noise` draws those that count in scores; `units` as in `held_table`.
    """
    if y is not None:
        raise InvalidInput("a table read in blocks already contains its targets; leave y out.")
    # The rows are brought within a first domain, whose bounds do not matter: the pass counts and checks.
    if scoring is not None and scoring.of_numbers:
        if units is not None:
            scoring = replace(scoring, units=units(table.targets))
        elif table.targets > 1:
            raise InvalidInput("the table has several targets, and this model learns one: fit each separately, with a share of the budget.")
        numbers = Domain(features=table.features, norm_bound=1.0, target_bound=max(abs(scoring.lower), abs(scoring.upper)), largest_weight=max_weight)
        read = Reader(domain=numbers, needed="a regression needs a number for every record.", units=scoring.units, max_weight=max_weight)
        return StreamedTable(table, read, jobs=jobs, rule=rule, noise=noise, scoring=scoring)
    if scoring is not None and scoring.of_times:
        known = Domain(features=table.features, norm_bound=1.0, classes=2 * len(scoring.ends) + 1)
        times = Reader(domain=known, ends=scoring.ends, needed="a model of times needs the time of every record.", max_weight=max_weight)
        return StreamedTable(table, times, jobs=jobs, rule=rule, noise=noise, scoring=scoring)
    if classes is None:
        raise InvalidInput("for a table read in blocks, declare the classes: classes=[...] of the estimator.")
    declared = distinct_classes(label_array(classes))
    first = Domain(features=table.features, norm_bound=1.0, classes=len(declared))
    return StreamedTable(table, Reader(domain=first, classes=declared, max_weight=max_weight), jobs=jobs, rule=rule, noise=noise)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    records: int
    correct: int


def _scored(block: Block, *, model: Predicts, classes: npt.NDArray[Any], rule: Persons | None, scoring: Scoring) -> _Scored:
    """What the records of a block count by what `model` says of them: a block by itself is a table of one block."""
    if block.targets is None:
        raise InvalidInput("the table has no targets; the class or number of every record is needed.")
    alone = FunctionTable(lambda _: block, blocks=1, features=block.rows.shape[1])
    predicted = np.asarray(scoring.asked(model, alone))
    if scoring.of_numbers:
        counts = scoring.of(predicted, np.asarray(block.targets, dtype=np.float64))
    elif scoring.of_times:
        counts = scoring.of(predicted, period_numbers(block.targets, ends=scoring.ends))
    else:
        counts = scoring.of(class_codes(predicted, classes), class_codes(block.targets, classes))
    shares = None if rule is None or block.shares is None or not rule.several else shares_of(rule, block.shares)
    return _Scored(records=len(counts), correct=scoring.total(counts, shares))


def _members(seed: bytes, starts: Sequence[int] | None, parts: int, number: int, rows: int) -> Integers:
    """The part of every row of a block; see the module docstring."""
    words = keyed_words(hashlib.sha256(b"discreet parts of a table" + seed + number.to_bytes(8, "little")).digest())
    if starts is None:
        return uniform_below(words, parts, count=rows)
    return (starts[number] + shuffled(words, rows)) % parts


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """The rows of one part in a block: public numbers and a seed, so that it may travel to wherever the blocks are."""

    seed: bytes
    starts: tuple[int, ...] | None
    parts: int
    part: int

    def __call__(self, number: int, block: Block) -> Block:
        members = _members(self.seed, self.starts, self.parts, number, block.rows.shape[0])
        return block.chosen(np.flatnonzero(members == self.part))

    def only(self, numbers: Sequence[int]) -> "_Cut":  # noqa: ARG002 - it is the same for all blocks
        """See PerBlock."""
        return self


@dataclass(frozen=True, slots=True, repr=False)
class _CutPersons:
    """The rows of the persons of one part: private, a number a row."""

    chosen: Mapping[int, Integers]
    """By the number of the block."""

    def __call__(self, number: int, block: Block) -> Block:
        return block.chosen(self.chosen[number])

    def only(self, numbers: Sequence[int]) -> "_CutPersons":
        """See PerBlock."""
        return _CutPersons({number: self.chosen[number] for number in numbers if number in self.chosen})
