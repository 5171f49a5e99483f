"""Records with real targets: private, like `Dataset`, and a type of its own.

A Dataset has classes, as signs or codes, and rows bounded in Euclidean norm. Here targets are numbers, and rows may be bounded entry by entry; no
mechanism takes both kinds, so that neither type has fields that the other one leaves empty. The door is the same: rows and targets are brought
within the domain's bounds one record at a time, the caller's table is neither copied nor changed, and nothing prints, pickles or copies.

What is done to a record depends on this record alone, to the last bit: entries are clipped, squares are added up in the order of the columns
(matrices/ordered.py), and one factor min(1, bound / |x|) a row shortens it. So two data sets that share a record share its clipped form, which proofs
about losses with a kink need. A data set that is read in blocks is a sequence of small ones (see `Dataset`), and so is a long one that is held: where
it is cut depends on its shape alone, so that sums over its blocks are the same for any number of threads.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.core.workers import map_in_order
from discreet.data.real_domain import RealDomain
from discreet.data.stream import NOT_HELD, Stream, column_bytes
from discreet.matrices import Design
from discreet.matrices.bounded import shortened_in_order
from discreet.matrices.clipped import clip_entries
from discreet.matrices.cut import cache_cuts, cuts, rows_of, thread_cuts
from discreet.matrices.near import check_finite

R = TypeVar("R")

_PIECE_NUMBERS = 1 << 16
_FEWEST_ROWS = 1 << 10
"""Of a piece of held records, where results are as large as what they are made of."""


@holds_records
class RealDataset:
    """Clipped rows with their clipped targets.

    Parameters: `rows` a Design of shape (n, domain.features); `targets` (n,) real numbers. Raises InvalidInput when shapes disagree with each
    other or with the domain, or a number is not finite.
    """

    __slots__ = ("_design", "_given", "_pieces", "_stream", "_targets", "domain", "jobs", "records")

    records: int
    """n; private under add-remove."""
    jobs: int
    """How many threads work on it."""

    def __init__(self, *, rows: Design, targets: Floats, domain: RealDomain, jobs: int = 1) -> None:
        """Bring every record within the bounds, and append the intercept's constant feature, lazily."""
        count, features = rows.shape
        if features != domain.features:
            raise InvalidInput(f"the domain declares {domain.features} features; rows with {features} were given.")
        if targets.shape != (count,):
            raise InvalidInput("rows and targets must have the same length.")
        if not np.all(np.isfinite(targets)):
            raise InvalidInput("targets must be finite numbers.")
        check_finite(rows)
        clipped = np.clip(targets, -domain.target_bound, domain.target_bound)
        self._hold(bounded_rows(rows, domain, jobs=jobs), clipped, domain, jobs, given=(rows, targets))

    def _hold(self, design: Design, targets: Floats, domain: RealDomain, jobs: int, *, given: tuple[Design, Floats] | None) -> None:
        self.domain, self.jobs, self.records = domain, jobs, design.shape[0]
        self._design: Design | None = design
        self._targets: Floats | None = targets
        self._given = given
        self._stream: Stream[RealDataset] | None = None
        self._pieces: list[tuple[int, RealDataset]] | None = None

    @classmethod
    def streamed(cls, stream: "Stream[RealDataset]", *, domain: RealDomain, jobs: int = 1) -> "RealDataset":
        """A data set whose rows stay where `stream` has them; see `Dataset`."""
        data = cls.__new__(cls)
        data.domain, data.jobs, data.records = domain, jobs, stream.records
        data._design = data._targets = data._given = data._pieces = None
        data._stream = stream
        return data

    @property
    def in_memory(self) -> bool:
        """Whether it holds its rows."""
        return self._design is not None

    @property
    def blocks(self) -> int:
        """How many blocks `map` visits."""
        return len(self._held()) if self._stream is None else self._stream.blocks

    @property
    def slow(self) -> bool:
        """Whether getting at a row takes longer than computing with it."""
        return self._stream is not None and self._stream.slow

    @property
    def remote(self) -> bool:
        """Whether its blocks are worked on outside this process."""
        return self._stream is not None and self._stream.remote

    @property
    def design(self) -> Design:
        """The rows within the bounds, with their constant feature. Raises InvalidInput where they are not held."""
        if self._design is None:
            raise InvalidInput(NOT_HELD)
        return self._design

    @property
    def targets(self) -> Floats:
        """The targets within the bounds, (n,); where they are not held, one pass gathers them, and they are kept."""
        if self._targets is None:
            self._targets = np.concatenate(list(self.map(lambda _, block: block.targets)))
        return self._targets

    def map(self, work: "Callable[[int, RealDataset], R]") -> Iterator[R]:
        """work(number of its first row, block) for blocks of records that are held, in order, by `jobs` threads.

        A data set that holds up to 65,536 records is one block, itself.
        """
        if self._stream is not None:
            yield from self._stream.map(work, self.jobs)
        elif len(self._held()) == 1:
            yield work(0, self)
        else:
            yield from map_in_order(lambda piece: work(*piece), self._held(), self.jobs)

    def parts(self) -> "list[RealDataset]":
        """The held records in order, cut so that a part fits the processor's caches; views, not copies."""
        cut = cache_cuts(self.design)
        return [self] if len(cut) == 1 else [self._part(rows) for rows in cut]

    def changed(self, change: "Callable[[RealDataset], RealDataset]", domain: RealDomain) -> "RealDataset":
        """The records of every block as `change` makes them, each from the same record alone, within `domain`; a table is not read for that."""
        if self._stream is not None:
            return RealDataset.streamed(self._stream.then(change), domain=domain, jobs=self.jobs)
        other = change(self)
        other.jobs = self.jobs
        return other

    def _held(self) -> "list[tuple[int, RealDataset]]":
        if self._pieces is None:
            cut = thread_cuts(self.design)
            self._pieces = [(0, self)] if len(cut) == 1 else [(rows.start, self._part(rows)) for rows in cut]
        return self._pieces

    def _part(self, rows: slice) -> "RealDataset":
        part = RealDataset.__new__(RealDataset)
        part._hold(rows_of(self.design, rows), self.targets[rows], self.domain, 1, given=None)
        return part

    def map_rows(self, work: "Callable[[int, RealDataset], R]") -> Iterator[R]:
        """As `map`, for results as large as the blocks: few exist at a time. A data set that is held is cut, by its shape alone, into blocks too."""
        if self._stream is not None:
            yield from self._stream.map_rows(work, self.jobs)
            return
        places = cuts(self.records, max(_PIECE_NUMBERS // self.domain.features, _FEWEST_ROWS))
        yield from map_in_order(lambda place: work(place.start, self._part(place)), places, self.jobs)

    def content(self) -> Iterator[bytes]:
        """Rows and targets as they were given, as bytes, for a ledger's keyed digest; private."""
        if self._stream is None:
            rows, _ = self.given
            yield from rows.content()
            yield self.target_column().tobytes()
            return
        remote = self._stream.remote
        yield from self._stream.content(self.jobs)
        yield from self._stream.map(lambda _, block: column_bytes(block.target_column(), remote=remote), self.jobs)

    @property
    def given(self) -> tuple[Design, Floats]:
        """Rows and targets as they were given."""
        if self._given is None:
            raise InvalidInput(NOT_HELD)
        return self._given

    def target_column(self) -> Floats:
        """The targets as they were given: what a ledger's digest sees."""
        return np.asarray(self.given[1], dtype=np.float64)

    def __repr__(self) -> str:
        """The domain only: not even the number of rows, which add-remove keeps private."""
        return f"RealDataset({self.domain!r})"


def bounded_rows(rows: Design, domain: RealDomain, *, jobs: int = 1) -> Design:
    """Rows (n, domain.features) within the bounds, with the constant feature, lazily: what models are fitted on and applied to."""
    clipped = rows if domain.entry_bound is None else clip_entries(rows, domain.entry_bound)
    return shortened_in_order(clipped, bound=domain.norm_bound, constant=domain.intercept_scale, jobs=jobs)
