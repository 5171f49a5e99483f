"""The records of a search, in the form that fits and scores need: rows, labels, classes and parts; held, or read in blocks.

Of a table in blocks, scores are counted block by block, and parts are cut from every block.

Parts (Algorithm 4). A seed is drawn once; a block is cut in every pass by numbers that follow from the seed and the block's number alone. Under
add-remove every row throws a die of its own. Under replace-one, where numbers of rows are public, the rows of each block are put into a uniformly
random order, which goes on where that of the block before it ended, and its p-th row goes to part p mod count: parts are as long as those of a table
in memory, and every one gets its share of each block. Nothing that is as long as the table is kept.

Persons. Where rows are told apart by persons, n counts these, a part gets all rows of a person or none, and a die, or a place in a uniformly random
order, is that of a person; in blocks too, where a number a row is kept for that. Of every person the rows that count in scores are drawn once, when
the table is made; a row counts as many parts of a record as its share of the weight allows. Every fit draws the rows that it keeps by itself.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data import Block, BlockTable, Domain, EncodedTable, FunctionTable, Reader, Records, class_codes
from discreet.data.blocks.cut import CutTable
from discreet.data.blocks.shared import Kept, kept_blocks
from discreet.data.persons import weights_of
from discreet.data.records import WHOLE_RECORDS
from discreet.data.stream import Stream
from discreet.estimators.inputs import distinct_classes, feature_rows, labels_and_classes
from discreet.matrices import Matrix, SparseMatrix
from discreet.mechanisms.counting.queries import shares_of
from discreet.mechanisms.persons import Owners, drawn_beside
from discreet.noise import Integers, Noise
from discreet.noise.source import keyed_words
from discreet.noise.words import shuffled, uniform_below


class Predicts(Protocol):
    """A fitted model."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """A class for each row by itself."""


class SearchTable(ABC):
    """Private rows and labels, and the public classes."""

    __slots__ = ()
    in_blocks: ClassVar[bool] = False
    """Whether X is a BlockTable."""
    X: Any
    """What a fit takes."""
    y: Any
    """What a fit takes next to X: labels, or None where X brings them."""
    classes: npt.NDArray[Any]
    """(K,)."""
    persons: Any
    """What a fit takes next to them: ids, or None where there are none, or X brings them."""

    @property
    @abstractmethod
    def rule(self) -> Persons | None:
        """Whose rows are whose; None where the unit is a row."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(n, d); n is private under add-remove, and counts persons where they are told apart."""

    @property
    @abstractmethod
    def weight(self) -> int:
        """What all records count in scores, in parts of a record."""

    @property
    def one_part(self) -> bool:
        """Whether a fit has nothing to spread over threads, so that several fits may."""
        return False

    @abstractmethod
    def content(self) -> Iterator[bytes]:
        """The bytes by which a ledger knows the table again: those of a single fit."""

    @abstractmethod
    def correct(self, model: Predicts) -> int:
        """What the records count whose label `model` predicts; private."""

    @abstractmethod
    def parts(self, count: int, noise: Noise, *, hidden: bool) -> "list[SearchTable]":
        """The records cut into `count` parts, decided without looking at any: see the module docstring."""

    def __repr__(self) -> str:
        """Nothing of the records."""
        return f"{type(self).__name__}(...)"


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HeldTable(SearchTable):
    """Rows in memory; see SearchTable."""

    X: Any
    y: Any
    rows: Matrix
    given: npt.NDArray[Any]
    """Labels (n,), for scores."""
    classes: npt.NDArray[Any]
    owners: Owners
    persons: Any = None

    @property
    def rule(self) -> Persons | None:
        """See SearchTable."""
        return self.owners.rule

    @property
    def shape(self) -> tuple[int, int]:
        """See SearchTable."""
        return self.owners.number, self.rows.shape[1]

    @property
    def weight(self) -> int:
        """See SearchTable."""
        return self._counted(np.ones(len(self.given), dtype=bool))

    @property
    def one_part(self) -> bool:
        """See SearchTable."""
        return self.rows.shape[0] <= WHOLE_RECORDS

    def content(self) -> Iterator[bytes]:
        """See SearchTable."""
        yield from self.rows.content()
        codes = np.argmax(self.given[:, np.newaxis] == self.classes, axis=1)
        yield codes.astype(np.int64).tobytes() if len(self.classes) > 2 else np.where(codes == 1, 1.0, -1.0).tobytes()

    def correct(self, model: Predicts) -> int:
        """See SearchTable."""
        return self._counted(model.predict(self.X) == self.given) if len(self.given) else 0

    def _counted(self, which: npt.NDArray[np.bool_]) -> int:
        (kept,), weights = self.owners.kept([which])
        shares = shares_of(self.rule, weights)
        return int(np.count_nonzero(kept)) if shares is None else int(np.sum(shares[kept], dtype=np.int64))

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> list[SearchTable]:
        """See SearchTable. Raises InvalidInput for an encoded table."""
        if isinstance(self.X, EncodedTable):
            raise InvalidInput(
                "an encoded table cannot be cut into parts; use method='random-stopping', which needs none, or pass X and y as arrays."
            )
        codes = self.owners.codes
        if codes is not None:
            of_person = _parts_of(self.owners.number, count, noise, hidden=hidden)
            return [self._part(np.flatnonzero((of_person == part)[codes]), int(np.count_nonzero(of_person == part))) for part in range(count)]
        records = len(self.given)
        if hidden:
            thrown = uniform_below(noise.words(), count, count=records)
            return [self._part(np.flatnonzero(thrown == part)) for part in range(count)]
        return [self._part(numbers) for numbers in np.array_split(shuffled(noise.words(), records), count)]

    def _part(self, numbers: npt.NDArray[np.integer], persons: int | None = None) -> SearchTable:
        compressed: bool = sp.issparse(self.X)
        X = self.X.tocsr()[numbers] if compressed else np.asarray(self.X)[numbers]
        own, number = self.owners, len(numbers) if persons is None else persons
        codes, weights = (None if column is None else column[numbers] for column in (own.codes, own.weights))
        owners = Owners(rule=own.rule, number=number, codes=codes, weights=weights)
        given = self.given[numbers]
        return HeldTable(X=X, y=given, rows=feature_rows(X), given=given, classes=self.classes, owners=owners, persons=codes)


def held_table(X: Any, y: Any, *, classes: Any, name: str, owners_of_rows: Callable[[int], Owners] | None = None, ids: Any = None) -> HeldTable:
    """Check what was passed to `fit`, as an estimator does. Raises InvalidInput or InvalidType without any value of X or y.

    `owners_of_rows` says whose rows are whose, from their number, and `ids` are theirs, if X brings none.
    """
    whose = owners_of_rows or (lambda count: Owners(rule=None, number=count))
    if isinstance(X, EncodedTable):
        found = X.codes if X.signs is None else X.signs > 0
        if found is None or y is not None:
            raise InvalidInput("an encoded table brings its own targets: encode it with target=True, and leave y out.")
        declared = np.asarray(X.classes)
        given = declared[np.asarray(found, dtype=np.intp)]
        return HeldTable(X=X, y=None, rows=X.rows, given=given, classes=declared, owners=whose(len(given)))
    rows = feature_rows(X)
    given, declared, _ = labels_and_classes(y, classes=classes, name=name, records=rows.shape[0])
    if declared.ndim != 1 or declared.size < 2:
        raise InvalidInput(
            f"two classes at least are needed, {declared.size} class(es) given. Declare all of them with the estimator's classes=[...]."
        )
    if not np.all(np.isin(given, declared)):
        raise InvalidInput(f"y holds a label outside the declared classes {declared.tolist()}; declare every class that may occur.")
    owners = whose(rows.shape[0])
    return HeldTable(X=X, y=given, rows=rows, given=given, classes=declared, owners=owners, persons=None if ids is None else owners.codes)


def _parts_of(persons: int, count: int, noise: Noise, *, hidden: bool) -> Integers:
    """The part of every person, (P,): see the module docstring."""
    if hidden:
        return uniform_below(noise.words(), count, count=persons)
    found = np.empty(persons, dtype=np.int64)
    for part, numbers in enumerate(np.array_split(shuffled(noise.words(), persons), count)):
        found[numbers] = part
    return found


R = TypeVar("R")


@holds_records
class StreamedTable(SearchTable):
    """A table that is read in blocks; see SearchTable. The first use of its length or its labels reads it, and counts and checks every record."""

    __slots__ = ("X", "_bound", "_jobs", "_kept", "_noise", "_read", "_rule", "classes")
    in_blocks = True
    y = None
    persons = None

    def __init__(
        self, table: BlockTable, bound: Reader, *, jobs: int, rule: Persons | None = None, noise: Noise | None = None, kept: Kept | None = None
    ) -> None:
        """Read nothing yet. Where persons are told apart, `noise` draws whose rows count in scores, if they are not `kept` already."""
        self.X, self.classes = table, np.asarray(bound.classes)
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
            return self._stream.records
        return sum(_in_parts(weights_of(counts[counts > 0], self._rule), self._rule) for counts in whose.counts)

    def content(self) -> Iterator[bytes]:
        """See SearchTable."""
        yield from Records.streamed(self._stream, domain=self._bound.domain, jobs=self._jobs).content()

    def correct(self, model: Predicts) -> int:
        """See SearchTable: one pass."""
        whose, bound = self._whose, partial(_scored, model=model, classes=self.classes, rule=self._rule)
        counted = self._stream.rebound(bound) if whose is None else Stream.counted(whose.table, bound, whose.rows)
        return sum(counted.map(lambda _, block: block.correct, self._jobs))

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> list[SearchTable]:
        """See SearchTable, and the module docstring."""
        whose = self._whose
        if whose is not None:
            of_person = _parts_of(whose.persons, count, noise, hidden=hidden).astype(np.min_scalar_type(count))
            return [self._part_of_persons(whose, of_person == part) for part in range(count)]
        seed = noise.words()(4).tobytes()
        sizes = self._stream.lengths
        starts = None if hidden else (0, *accumulate(sizes))
        found: list[SearchTable] = []
        members = [np.bincount(_members(seed, starts, count, number, size), minlength=count) for number, size in enumerate(sizes)]
        for part in range(count):
            kept = [number for number, lengths in enumerate(members) if lengths[part]]
            cut = _Cut(seed=seed, starts=starts, parts=count, part=part)
            found.append(StreamedTable(CutTable(self.X, cut, kept), self._bound, jobs=self._jobs, rule=self._rule) if kept else self._nothing())
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
        return StreamedTable(table, self._bound, jobs=self._jobs, rule=self._rule, kept=kept)

    def _nothing(self) -> HeldTable:
        rows, given = sp.csr_array((0, self.X.features), dtype=np.float64), self.classes[:0]
        told = self._rule is not None and self._rule.told_apart
        codes = np.zeros(0, dtype=np.int64) if told else None
        owners = Owners(rule=self._rule, number=0, codes=codes, weights=np.zeros(0) if told else None)
        return HeldTable(X=rows, y=given, rows=SparseMatrix(rows), given=given, classes=self.classes, owners=owners, persons=codes)


def streamed_table(
    table: BlockTable, y: Any, *, classes: Any, max_weight: float | None, jobs: int, rule: Persons | None = None, noise: Noise | None = None
) -> StreamedTable:
    """Check what was passed to `fit`, but for the records. Raises InvalidInput without any value of the table.

    `rule` says whose rows are whose, and `noise` draws those that count in scores.
    """
    if y is not None:
        raise InvalidInput("a table that is read in blocks brings its own targets; leave y out.")
    if classes is None:
        raise InvalidInput("a table that is read in blocks needs its classes declared: classes=[...] of the estimator.")
    declared = distinct_classes(np.asarray(classes))
    # The rows are brought within a first domain, whose bounds do not matter: the pass counts and checks.
    first = Domain(features=table.features, norm_bound=1.0, classes=len(declared))
    return StreamedTable(table, Reader(domain=first, classes=declared, max_weight=max_weight), jobs=jobs, rule=rule, noise=noise)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    records: int
    correct: int


def _in_parts(weights: Floats, rule: Persons) -> int:
    """What rows of these shares of a record's weight count together, in parts of a record where persons have several."""
    shares = shares_of(rule, weights) if rule.several else None
    return len(weights) if shares is None else int(np.sum(shares, dtype=np.int64))


def _scored(block: Block, *, model: Predicts, classes: npt.NDArray[Any], rule: Persons | None) -> _Scored:
    """How much of a block `model` gets right: a block by itself is a table of one block."""
    if block.targets is None:
        raise InvalidInput("the table has no targets; a classifier needs the class of every record.")
    alone = FunctionTable(lambda _: block, blocks=1, features=block.rows.shape[1])
    right = class_codes(np.asarray(model.predict(alone)), classes) == class_codes(block.targets, classes)
    return _Scored(
        records=len(right), correct=int(np.count_nonzero(right)) if rule is None or block.shares is None else _in_parts(block.shares[right], rule)
    )


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
