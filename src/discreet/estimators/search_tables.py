"""The records of a search, in the form that fits and scores need: rows, labels, classes and parts; held, or read in blocks.

Of a table in blocks, scores are counted block by block, and parts are cut from every block.

Parts (Algorithm 4). A seed is drawn once; a block is cut in every pass by numbers that follow from the seed and the block's number alone. Under
add-remove every row throws a die of its own. Under replace-one, where numbers of rows are public, the rows of each block are put into a uniformly
random order, which goes on where that of the block before it ended, and its p-th row goes to part p mod count: parts are as long as those of a table
in memory, and every one gets its share of each block. Nothing that is as long as the table is kept.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data import Block, BlockTable, Domain, EncodedTable, FunctionTable, Reader, Records, class_codes
from discreet.data.stream import Stream
from discreet.estimators.inputs import distinct_classes, feature_rows, labels_and_classes
from discreet.matrices import Matrix, SparseMatrix
from discreet.noise import Integers, Noise
from discreet.noise.words import keyed_words, shuffled, uniform_below
from discreet.problems.summed_objective import WHOLE_RECORDS


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

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(n, d); n is private under add-remove."""

    @property
    def one_part(self) -> bool:
        """Whether a fit has nothing to spread over threads, so that several fits may."""
        return False

    @abstractmethod
    def content(self) -> Iterator[bytes]:
        """The bytes by which a ledger knows the table again: those of a single fit."""

    @abstractmethod
    def correct(self, model: Predicts) -> int:
        """How many labels `model` predicts; private."""

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

    @property
    def shape(self) -> tuple[int, int]:
        """See SearchTable."""
        return self.rows.shape

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
        return int(np.count_nonzero(model.predict(self.X) == self.given)) if len(self.given) else 0

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> list[SearchTable]:
        """See SearchTable. Raises InvalidInput for an encoded table."""
        if isinstance(self.X, EncodedTable):
            raise InvalidInput(
                "an encoded table cannot be cut into parts; use method='random-stopping', which needs none, or pass X and y as arrays."
            )
        records = len(self.given)
        if hidden:
            thrown = uniform_below(noise.words(), count, count=records)
            return [self._part(np.flatnonzero(thrown == part)) for part in range(count)]
        return [self._part(numbers) for numbers in np.array_split(shuffled(noise.words(), records), count)]

    def _part(self, numbers: npt.NDArray[np.integer]) -> SearchTable:
        compressed: bool = sp.issparse(self.X)
        X = self.X.tocsr()[numbers] if compressed else np.asarray(self.X)[numbers]
        return HeldTable(X=X, y=self.given[numbers], rows=feature_rows(X), given=self.given[numbers], classes=self.classes)


def held_table(X: Any, y: Any, *, classes: Any, name: str) -> HeldTable:
    """Check what was passed to `fit`, as an estimator does. Raises InvalidInput or InvalidType without any value of X or y."""
    if isinstance(X, EncodedTable):
        found = X.codes if X.signs is None else X.signs > 0
        if found is None or y is not None:
            raise InvalidInput("an encoded table brings its own targets: encode it with target=True, and leave y out.")
        declared = np.asarray(X.classes)
        return HeldTable(X=X, y=None, rows=X.rows, given=declared[np.asarray(found, dtype=np.intp)], classes=declared)
    rows = feature_rows(X)
    given, declared, _ = labels_and_classes(y, classes=classes, name=name, records=rows.shape[0])
    if declared.ndim != 1 or declared.size < 2:
        raise InvalidInput(
            f"two classes at least are needed, {declared.size} class(es) given. Declare all of them with the estimator's classes=[...]."
        )
    if not np.all(np.isin(given, declared)):
        raise InvalidInput(f"y holds a label outside the declared classes {declared.tolist()}; declare every class that may occur.")
    return HeldTable(X=X, y=given, rows=rows, given=given, classes=declared)


R = TypeVar("R")


@holds_records
class StreamedTable(SearchTable):
    """A table that is read in blocks; see SearchTable. The first use of its length or its labels reads it, and counts and checks every record."""

    __slots__ = ("X", "_bound", "_jobs", "_read", "classes")
    in_blocks = True
    y = None

    def __init__(self, table: BlockTable, bound: Reader, *, jobs: int) -> None:
        """Read nothing yet."""
        self.X, self.classes = table, np.asarray(bound.classes)
        self._bound, self._jobs = bound, jobs
        self._read: Stream[Records] | None = None

    @property
    def _stream(self) -> Stream[Records]:
        """Raises what reading raises, InvalidInput for records that are not what was declared."""
        if self._read is None:
            self._read = Stream(self.X, self._bound, self._jobs)
        return self._read

    @property
    def shape(self) -> tuple[int, int]:
        """See SearchTable."""
        return self._stream.records, self.X.features

    def content(self) -> Iterator[bytes]:
        """See SearchTable."""
        yield from Records.streamed(self._stream, domain=self._bound.domain, jobs=self._jobs).content()

    def correct(self, model: Predicts) -> int:
        """See SearchTable: one pass."""
        counted = self._stream.rebound(partial(_scored, model=model, classes=self.classes))
        return sum(counted.map(lambda _, block: block.correct, self._jobs))

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> list[SearchTable]:
        """See SearchTable, and the module docstring."""
        seed = noise.words()(4).tobytes()
        sizes = self._stream.lengths
        starts = None if hidden else (0, *accumulate(sizes))
        found: list[SearchTable] = []
        members = [np.bincount(_members(seed, starts, count, number, size), minlength=count) for number, size in enumerate(sizes)]
        for part in range(count):
            kept = [number for number, lengths in enumerate(members) if lengths[part]]
            cut = _Cut(seed=seed, starts=starts, parts=count, part=part)
            found.append(StreamedTable(_PartTable(self.X, cut, kept), self._bound, jobs=self._jobs) if kept else self._nothing())
        return found

    def _nothing(self) -> HeldTable:
        rows, given = sp.csr_array((0, self.X.features), dtype=np.float64), self.classes[:0]
        return HeldTable(X=rows, y=given, rows=SparseMatrix(rows), given=given, classes=self.classes)


def streamed_table(table: BlockTable, y: Any, *, classes: Any, max_weight: float | None, jobs: int) -> StreamedTable:
    """Check what was passed to `fit`, but for the records. Raises InvalidInput without any value of the table."""
    if y is not None:
        raise InvalidInput("a table that is read in blocks brings its own targets; leave y out.")
    if classes is None:
        raise InvalidInput("a table that is read in blocks needs its classes declared: classes=[...] of the estimator.")
    declared = distinct_classes(np.asarray(classes))
    # The rows are brought within a first domain, whose bounds do not matter: the pass counts and checks.
    first = Domain(features=table.features, norm_bound=1.0, classes=len(declared))
    return StreamedTable(table, Reader(domain=first, classes=declared, max_weight=max_weight), jobs=jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    records: int
    correct: int


def _scored(block: Block, *, model: Predicts, classes: npt.NDArray[Any]) -> _Scored:
    """How many records of a block `model` gets right: a block by itself is a table of one block."""
    if block.targets is None:
        raise InvalidInput("the table has no targets; a classifier needs the class of every record.")
    alone = FunctionTable(lambda _: block, blocks=1, features=block.rows.shape[1])
    right = class_codes(np.asarray(model.predict(alone)), classes) == class_codes(block.targets, classes)
    return _Scored(records=len(right), correct=int(np.count_nonzero(right)))


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
        chosen = np.flatnonzero(members == self.part)
        targets = None if block.targets is None else block.targets[chosen]
        return Block(block.rows.chosen(chosen), targets, None if block.weights is None else block.weights[chosen])


class _PartTable(BlockTable):
    """One part of `table`: those of its blocks that have rows of the part, cut."""

    __slots__ = ("_cut", "_places", "_table")

    def __init__(self, table: BlockTable, cut: _Cut, kept: Sequence[int]) -> None:
        super().__init__(table.features, remote=table.remote, slow=table.slow, rule=table.rule)
        self._table, self._cut = table, cut
        self._places = {number: place for place, number in enumerate(kept)}

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable."""
        cut, places = self._cut, self._places

        def on_part(number: int, block: Block) -> tuple[R, ...]:
            return (work(places[number], cut(number, block)),) if number in places else ()

        for result in self._table.map(on_part, jobs):
            yield from result
