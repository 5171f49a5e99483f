"""How the blocks of a table become records: by public numbers alone, each block by itself, checked once before anything is spent.

Where the blocks say whose rows are whose, the pass that checks them brings keys of ids to where the run is, which rows are kept is drawn there, and
what was drawn goes back with the blocks (modules `persons` and `shared_table`). The draw is that of the same rows in memory.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.neighbours import Persons
from discreet.core.short import short_repr
from discreet.data.block_table import Block, BlockTable
from discreet.data.domain import Domain
from discreet.data.persons import Source, times
from discreet.data.records import Records, class_codes, record_weights
from discreet.data.shared_table import NOT_TOLD, kept_blocks
from discreet.data.stream import Stream, column_bytes
from discreet.data.target_table import TargetTable
from discreet.data.targets import period_numbers


def on_scale(numbers: Floats, span: tuple[float, float] | None) -> Floats:
    """Numbers of any shape, brought within `span`, whose ends are -1 and 1; as they are for None. What is not finite stays so, to be refused."""
    if span is None:
        return numbers
    within: Floats = np.where(np.isfinite(numbers), np.clip(numbers, *span), numbers)
    return (within - span[0]) * (2.0 / (span[1] - span[0])) - 1.0


def class_numbers(codes: npt.NDArray[Any], classes: int) -> Floats:
    """Classes as the targets of a domain of numbers, (n,): -1 and +1 of two, 0 .. K - 1 of more."""
    return np.where(codes == 1, 1.0, -1.0) if classes == 2 else np.asarray(codes, dtype=np.float64)


def as_known(numbers: Floats, classes: int) -> npt.NDArray[Any]:
    """What a ledger's digest sees of `class_numbers`, in every use of the table: more than two are whole."""
    return numbers.astype(np.int64) if classes > 2 else numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How the blocks of a table become records: public numbers only."""

    domain: Domain
    classes: npt.NDArray[Any] | None = None
    """(K,), the labels in order, different from each other; of a domain of numbers their `class_numbers` are the targets. None for numbers."""
    ends: tuple[float, ...] = ()
    """Of the periods of times, whose `period_numbers` are read as classes; () where targets are none."""
    max_weight: float | None = None
    """What larger weights of records are cut to; None where the table has no weights."""
    class_weights: Floats | None = None
    """(K,), public weights of the classes, or None for ones."""
    needed: str = ""
    """What to say of a table of numbers without targets; "" reads zeros there."""
    omitted: bool = False
    """Whether zeros stand for the targets, whatever they are."""
    span: tuple[float, float] | None = None
    """The numbers that -1 and 1 stand for, of targets that are brought to that scale; None for targets as they are."""
    units: tuple[float, ...] = ()
    """(m,) of several targets, of which the one at `place` is read, within its unit times the domain's bound and in that unit; () for one."""
    place: int = 0

    __repr__ = short_repr

    def __call__(self, block: Block) -> Records:
        """Some records that are held. Raises InvalidInput for blocks that are not what was declared."""
        if block.persons is not None:
            raise InvalidInput(NOT_TOLD)
        if self.domain.classes:
            return self._classified(block)
        if block.weights is not None and self.domain.largest_weight is None:
            raise InvalidInput("weights are not possible here: leave them out of the table, or declare max_sample_weight if the model has it.")
        said = None if self.domain.kind == "none" else self._numbers(block)
        targets = None if said is None else self._one_of(on_scale(said, self.span))
        known = None if said is None else as_known(said, 0 if self.classes is None else len(self.classes))
        weights, shares = self._relative(block), block.shares
        if shares is not None:
            weights = shares if weights is None else times(shares, weights)
        return Records(rows=block.rows, targets=targets, domain=self.domain, weights=weights, kept=shares is not None, said=known)

    def read(self, table: BlockTable, jobs: int = 1, *, noise: Source | None = None) -> tuple[int, Callable[[Domain], Records]]:
        """The number of records, after reading the table once, and what makes them records of a domain that may tell that number.

        Where the domain has persons whose rows are told apart, it is the number of persons, and `noise` draws which rows are kept.
        Raises InvalidInput for a table that does not say whose rows are whose.
        """
        count, stream = self._checked_stream(table, jobs, noise)
        return count, lambda domain: Records.streamed(stream.rebound(replace(self, domain=domain)), domain=domain, jobs=jobs)

    def read_several(self, table: BlockTable, jobs: int = 1, *, noise: Source | None = None) -> tuple[int, Callable[[Domain], TargetTable]]:
        """As `read`, of a table with several targets, in `units`."""
        count, stream = self._checked_stream(table, jobs, noise)

        def data_of(domain: Domain) -> TargetTable:
            each = (replace(self, domain=domain, place=place) for place in range(len(self.units)))
            return TargetTable(
                each=tuple(Records.streamed(stream.rebound(one), domain=domain, jobs=jobs) for one in each),
                given=lambda: several_content(stream.whole, jobs),
            )

        return count, data_of

    def _checked_stream(self, table: BlockTable, jobs: int, noise: Source | None) -> tuple[int, Stream[Records]]:
        """After the pass that counts and checks."""
        if table.features != self.domain.features:
            raise InvalidInput(f"the domain declares {self.domain.features} features; rows with {table.features} were given.")
        if table.targets != (len(self.units) or 1) and not (self.omitted or self.domain.kind == "none"):
            raise InvalidInput(f"the table has {table.targets} targets for each record, and the model learns {len(self.units) or 1}.")
        persons = self.domain.persons
        if persons is None or not persons.told_apart:
            stream: Stream[Records] = Stream(table, self, jobs)
            count = stream.records
        elif noise is None:
            raise ValueError("the rows kept per person are drawn at random, so a noise source is needed; none was given.")
        else:
            count, stream = self._shared(table, persons, noise, jobs)
        return count, stream

    @property
    def anonymous(self) -> "_Anonymous":
        """What reads blocks as if nobody said whose rows are whose."""
        return _Anonymous(replace(self, domain=replace(self.domain, persons=None)))

    def _shared(self, table: BlockTable, persons: Persons, noise: Source, jobs: int) -> tuple[int, Stream[Records]]:
        """The number of persons, and the rows that are kept."""
        alone = self.anonymous
        kept = kept_blocks(table, persons, noise, jobs=jobs, check=alone)
        whole = Stream.counted(table, alone, kept.lengths)
        return kept.persons, Stream.counted(kept.table, self, kept.rows, whole=whole)

    def _classified(self, block: Block) -> Records:
        if block.targets is None or (self.classes is None and not self.ends):
            raise InvalidInput(f"the table has no targets; {self.needed or 'a classifier needs the class of every record.'}")
        codes = period_numbers(block.targets, ends=self.ends) if self.classes is None else class_codes(block.targets, self.classes)
        weights = self._checked(block)
        if self.class_weights is not None:
            weights = self.class_weights[codes] if weights is None else weights * self.class_weights[codes]
        if block.shares is not None:
            weights = block.shares if weights is None else times(block.shares, weights)
        # The rows of persons are kept already: one whose own weight is 0 stays, as how many there are was counted before weights were read.
        return Records(rows=block.rows, targets=codes, domain=self.domain, weights=weights, kept=block.shares is not None)

    def _checked(self, block: Block) -> Floats | None:
        return None if block.weights is None else record_weights(block.weights, block.rows.shape[0], self.max_weight)

    def _relative(self, block: Block) -> Floats | None:
        """Of numbers: over the largest one; 1 where a block brings none, as in memory."""
        found, largest = self._checked(block), self.domain.largest_weight
        if largest is None:
            return None
        return np.full(block.rows.shape[0], min(1.0, largest) / largest) if found is None else found / largest

    def _numbers(self, block: Block) -> Floats:
        if self.omitted:
            return np.zeros(block.rows.shape[0])
        if block.targets is None and (self.needed or self.classes is not None):
            raise InvalidInput(f"the table has no targets; {self.needed or 'a classifier needs the class of every record.'}")
        if block.targets is None:
            return np.zeros(block.rows.shape[0])
        if self.classes is not None:
            return class_numbers(class_codes(block.targets, self.classes), len(self.classes))
        return quietly(lambda: np.asarray(block.targets, dtype=np.float64), InvalidInput("targets must be finite numbers."))

    def _one_of(self, found: Floats) -> Floats:
        """The target at `place`, of numbers (b,) or (b, m)."""
        if found.shape[1:] != ((len(self.units),) if self.units else ()):
            wanted, said = (f"shape (b, {len(self.units)})", len(self.units)) if self.units else ("one dimension", 1)
            raise InvalidInput(f"the table declares {said} target(s), so the targets of a block of b records must be numbers of {wanted}.")
        if not self.units:
            return found
        if not np.all(np.isfinite(found)):
            raise InvalidInput("targets must be finite numbers.")
        unit = self.units[self.place]
        most = unit * self.domain.target_bound
        within: Floats = np.clip(found[:, self.place], -most, most) / unit
        return within


@dataclass(frozen=True, slots=True)
class _Anonymous:
    """Blocks as `read` reads them where nobody says whose rows are whose: how a table is checked before rows are drawn, and known to a ledger."""

    read: Reader

    def __call__(self, block: Block) -> Records:
        return self.read(block._replace(persons=None))


class _Given(NamedTuple):
    """Of the records of a block: what a ledger's digest sees."""

    records: int
    targets: Floats


def _all_given(block: Block) -> _Given:
    return _Given(block.rows.shape[0], np.asarray(block.targets, dtype=np.float64))


def several_content(whole: Stream[Any], jobs: int) -> Iterator[bytes]:
    """All targets of a table with several, after its rows: the bytes of the same table in memory."""
    if whole.records == 0:
        return
    remote, stream = whole.remote, whole.rebound(_all_given)
    yield from whole.content(jobs)
    yield from stream.map(lambda _, block: column_bytes(block.targets, remote=remote), jobs)


def streamed_records(
    table: BlockTable, *, domain: Domain, classes: npt.NDArray[Any] | None = None, jobs: int = 1, noise: Source | None = None
) -> Records:
    """Records read from `table` in every pass, by `jobs` threads where they are worked on in this process.

    `classes` (K,), different from each other, are the declared labels in order; None for numbers, zeros where the table has none. `noise` where the
    domain has persons whose rows are told apart. Reads the table once; raises InvalidInput for rows that are not finite, labels not declared,
    and whatever else Records refuse.
    """
    return Reader(domain=domain, classes=classes).read(table, jobs, noise=noise)[1](domain)
