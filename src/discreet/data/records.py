"""The records: the only private type of the library.

Rows and targets are brought within the domain's bounds at the door, one record at a time, lazily, and beside the caller's matrix, which is neither
copied nor changed. What is done to a record depends on this record alone. Nothing here prints, pickles or copies: `repr` shows the domain only.

Rows of classes are shortened by a factor min(1, bound / |x|), known up to rounding, which the certificate of a minimiser counts
(objectives/objective.py). Rows of numbers, and of records without targets, are the same to the last bit whatever the others are: entries are clipped,
and squares added up in the order of the columns (matrices/base.py). So two tables that share a record share its clipped form, which proofs about
losses with a kink need, and releases of rows.

Records are held, or stay in a table of row blocks (`discreet.data.blocks`) that are brought within the domain one by one in every pass: each is a
few records that are held. What needs all rows at once refuses records that are not held. A long table that is held is worked on in blocks too: where
it is cut depends on its shape alone, so that sums over its blocks are the same for any number of threads.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.frameless import frameless
from discreet.core.private import holds_records
from discreet.core.workers import map_in_order
from discreet.data.domain import Domain
from discreet.data.stream import NOT_HELD, Stream, column_bytes
from discreet.matrices import Matrix
from discreet.matrices.base import cuts
from discreet.matrices.bounded import check_finite, clip_entries, shortened, shortened_in_order

Codes: TypeAlias = npt.NDArray[np.integer]
"""Numbers of classes, from 0."""
Targets: TypeAlias = npt.NDArray[np.integer] | npt.NDArray[np.floating]
R = TypeVar("R")

WHOLE_RECORDS = 1 << 16
"""Up to so many records that are held an objective is one part, which keeps vectors as long as the table between passes."""
_PIECE_NUMBERS = 1 << 16
_FEWEST_ROWS = 1 << 10
"""Of a piece of held records, where results are as large as what they are made of."""


@holds_records
class Records:
    """Bounded rows, their targets and non-negative weights, which are as private as the rows.

    Parameters: `rows` a Matrix of shape (n, domain.features); `targets` (n,) as the domain declares them: of kind sign +1.0 and -1.0, or integers 1
    and 0; of kind code integers in 0..K-1; of kind number real numbers; of kind none None. `weights` (n,) or None for ones: of classes, of numbers
    whose domain has a largest weight (over it, at most 1), and where the domain has persons, of whose rows those of weight 0 are left out (see
    `persons`), times weights of records if there are any.
    Raises InvalidInput when shapes disagree with each other or with the domain, a number is not finite, or persons are told apart and rows have no
    weights.
    """

    __slots__ = ("_given", "_matrix", "_pieces", "_stream", "_targets", "_weights", "domain", "jobs", "records")

    records: int
    """How many there are; private under add-remove, and where persons have several."""
    jobs: int
    """How many threads work on it."""

    def __init__(
        self,
        *,
        rows: Matrix,
        targets: Targets | None = None,
        domain: Domain,
        weights: Floats | None = None,
        jobs: int = 1,
        kept: bool = False,
        said: npt.NDArray[Any] | None = None,
    ) -> None:
        """Bring every record within the bounds, and append the intercept's constant feature, lazily; `kept` where all rows are kept already.

        `said`: targets as the table has them, by which a ledger knows it, where `targets` are on another scale.
        """
        count, features = rows.shape
        if features != domain.features:
            raise InvalidInput(f"the domain declares {domain.features} features; rows with {features} were given.")
        if (targets is None) != (domain.kind == "none"):
            raise InvalidInput(f"the domain declares targets of kind {domain.kind}, and {'none' if targets is None else 'some'} were given.")
        if any(column is not None and column.shape != (count,) for column in (targets, weights)):
            raise InvalidInput("rows, targets and weights must have the same length.")
        owned = domain.persons is not None and domain.persons.told_apart
        if weights is not None and not domain.classes and not owned and domain.largest_weight is None:
            raise InvalidInput("records without targets, and numeric targets without a largest weight, take no weights.")
        if weights is None and domain.persons is not None and (domain.persons.several or (owned and not kept)):
            raise InvalidInput("with person ids, every row needs a weight; none was given.")
        bounded = _bounded_targets(targets, domain)
        if not domain.classes:
            check_finite(rows)
        given = rows, said if said is not None else bounded if domain.classes or targets is None else np.asarray(targets, dtype=np.float64)
        if owned and not kept and weights is not None and not np.all(weights):
            places = np.flatnonzero(weights)
            rows, weights, bounded = rows.chosen(places), weights[places], None if bounded is None else bounded[places]
        self._hold(bounded_rows(rows, domain, jobs=jobs), bounded, _needed_weights(weights, domain), domain, jobs, given=given)

    def _hold(
        self,
        matrix: Matrix,
        targets: Targets | None,
        weights: Floats | None,
        domain: Domain,
        jobs: int,
        *,
        given: tuple[Matrix, Targets | None] | None,
    ) -> None:
        self.domain, self.jobs, self.records = domain, jobs, matrix.shape[0]
        self._matrix: Matrix | None = matrix
        self._targets, self._weights, self._given = targets, weights, given
        self._stream: Stream[Records] | None = None
        self._pieces: list[tuple[int, Records]] | None = None

    @classmethod
    def streamed(cls, stream: "Stream[Records]", *, domain: Domain, jobs: int = 1) -> "Records":
        """Records whose rows stay where `stream` has them."""
        data = cls.__new__(cls)
        data.domain, data.jobs, data.records = domain, jobs, stream.records
        data._matrix = data._targets = data._weights = data._given = data._pieces = None
        data._stream = stream
        return data

    @property
    def in_memory(self) -> bool:
        """Whether its rows are held."""
        return self._matrix is not None

    @property
    def one_part(self) -> bool:
        """Whether an objective is whole on them: few records that are held, or records on a device."""
        return self._matrix is not None and (self.records <= WHOLE_RECORDS or self._matrix.own_arrays)

    @property
    def slow(self) -> bool:
        """Whether getting at a row takes longer than computing with it."""
        return self._stream.slow if self._stream is not None else self.matrix.computed

    @property
    def remote(self) -> bool:
        """Whether its blocks are worked on outside this process."""
        return self._stream is not None and self._stream.remote

    @property
    def blocks(self) -> int:
        """How many blocks `map` visits."""
        return len(self._held()) if self._stream is None else self._stream.blocks

    @property
    def matrix(self) -> Matrix:
        """The rows within the bounds, with their constant feature. Raises InvalidInput where they are not held."""
        if self._matrix is None:
            raise InvalidInput(NOT_HELD)
        return self._matrix

    @property
    def weights(self) -> Floats | None:
        """Weights (n,), or None for ones; private. Raises InvalidInput where records are not held."""
        _ = self.matrix
        return self._weights

    @property
    def targets(self) -> Floats:
        """Numbers within the bound, (n,); where they are not held, one pass gathers them, and they are kept."""
        self.domain.require("number")
        if self._targets is None:
            self._targets = np.concatenate(list(self.map(lambda _, block: block.targets)))
        return np.asarray(self._targets, dtype=np.float64)

    @property
    def signs(self) -> Floats:
        """+1.0 for the second class, -1.0 for the first, (n,). Raises InvalidInput where there are more than two classes."""
        if self.domain.classes != 2:
            raise InvalidInput(f"signs are for two classes; the domain declares {self.domain.classes}.")
        return np.asarray(self._classes(), dtype=np.float64)

    @property
    def codes(self) -> Codes:
        """Numbers of the classes, (n,), from 0."""
        targets = self._classes()
        return (targets > 0).astype(np.intp) if self.domain.kind == "sign" else np.asarray(targets, dtype=np.intp)

    @property
    def given(self) -> tuple[Matrix, Targets | None]:
        """Rows and targets as they were given."""
        if self._given is None:
            raise InvalidInput(NOT_HELD)
        return self._given

    def map(self, work: "Callable[[int, Records], R]") -> Iterator[R]:
        """work(number of its first row, block) for blocks of records that are held, in order, by `jobs` threads.

        Up to 65,536 records that are held are one block.
        """
        if self._stream is not None:
            yield from self._stream.map(work, self.jobs)
        elif len(self._held()) == 1:
            yield work(0, self)
        else:
            yield from map_in_order(lambda piece: work(*piece), self._held(), self.jobs)

    def map_rows(self, work: "Callable[[int, Records], R]") -> Iterator[R]:
        """As `map`, for results as large as the blocks: few exist at a time. Records that are held are cut, by their shape alone, into blocks too."""
        if self._stream is not None:
            yield from self._stream.map_rows(work, self.jobs)
            return
        places = cuts(self.records, max(_PIECE_NUMBERS // self.domain.features, _FEWEST_ROWS))
        yield from map_in_order(lambda place: work(place.start, self._part(place)), places, self.jobs)

    def changed(self, change: "Callable[[Records], Records]", domain: Domain) -> "Records":
        """The records of every block as `change` makes them, each from the same record alone, within `domain`; a table is not read for that."""
        if self._stream is not None:
            return Records.streamed(self._stream.then(change), domain=domain, jobs=self.jobs)
        other = change(self)
        other.jobs = self.jobs
        return other

    def sample(self) -> "list[Records]":
        """Some of the records of blocks, held, the same in every pass; empty where there is no quick way to them, or they are held anyway."""
        return [] if self._stream is None else self._stream.sample(self.jobs)

    def few(self, every: int) -> "Records | None":
        """The records of blocks 0, every, 2 every, ..; None where these are not reached without the others."""
        stream = None if self._stream is None else self._stream.few(every)
        return None if stream is None else Records.streamed(stream, domain=self.domain, jobs=self.jobs)

    def parts(self) -> "list[Records]":
        """The held records in order, cut so that a part fits the processor's caches; views, not copies."""
        found = self.runs(1)
        return [self] if len(found) == 1 else found

    def runs(self, length: int) -> "list[Records]":
        """The held records in order, cut into pieces of `length` such parts."""
        return [self._part(rows) for rows in cuts(self.records, length * self.matrix.cache_rows) or [slice(0, 0)]]

    def _held(self) -> "list[tuple[int, Records]]":
        if self._pieces is None:
            cut = self.matrix.thread_cuts()
            self._pieces = [(0, self)] if len(cut) == 1 else [(rows.start, self._part(rows)) for rows in cut]
        return self._pieces

    def _classes(self) -> Targets:
        self.domain.require("sign", "code")
        if self._targets is None:
            raise InvalidInput(NOT_HELD)
        return self._targets

    def _part(self, rows: slice) -> "Records":
        part = Records.__new__(Records)
        targets = None if self._targets is None else self._targets[rows]
        weights = None if self._weights is None else self._weights[rows]
        part._hold(self.matrix.rows(rows), targets, weights, self.domain, 1, given=None)
        return part

    def content(self) -> Iterator[bytes]:
        """Rows and targets as they were given, as bytes, for a ledger's keyed digest; private."""
        if self._stream is None:
            rows, _ = self.given
            yield from rows.content()
            yield self.target_column().tobytes()
            return
        whole, remote = self._stream.whole, self._stream.remote
        if whole.records == 0:
            return
        yield from whole.content(self.jobs)
        yield from whole.map(lambda _, block: column_bytes(block.target_column(), remote=remote), self.jobs)

    def target_column(self) -> npt.NDArray[np.generic]:
        """What a ledger's digest sees of the targets: signs of two classes, codes of more, numbers as they were given, zeros where there are none.

        Of rows made of records, what is known of these.
        """
        rows, targets = self.given
        if rows.known is not None:
            return rows.known
        if targets is None:
            return np.zeros(rows.shape[0])
        return np.asarray(targets, dtype=np.int64 if np.issubdtype(targets.dtype, np.integer) else np.float64)

    def __repr__(self) -> str:
        """The domain only: not even the number of rows, which add-remove keeps private."""
        return f"Records({self.domain!r})"


@frameless
def bounded_rows(rows: Matrix, domain: Domain, *, jobs: int = 1) -> Matrix:
    """Rows (n, domain.features) within the bounds, with the constant feature, lazily: what models are fitted on and applied to."""
    if domain.classes:
        return shortened(rows, bound=domain.norm_bound, constant=domain.intercept_scale)
    clipped = rows if domain.entry_bound == math.inf else clip_entries(rows, domain.entry_bound)
    bound = None if domain.entries_alone else domain.norm_bound
    return shortened_in_order(clipped, bound=bound, constant=domain.intercept_scale, jobs=jobs)


def _needed_weights(weights: Floats | None, domain: Domain) -> Floats | None:
    """Those that are not all 1: None for numbers where one row of each person is kept. Raises InvalidInput where such a row weighs less."""
    if weights is None or domain.classes or domain.largest_weight is not None or (domain.persons is not None and domain.persons.several):
        return weights
    if not np.all(weights == 1.0):
        raise InvalidInput("with one row per person, every row has weight 1.")
    return None


def _bounded_targets(targets: Targets | None, domain: Domain) -> Targets | None:
    """Those of a kind: signs, codes, or numbers within their bound. Raises InvalidInput for what is no target of this kind."""
    if targets is None:
        return None
    if domain.kind == "number":
        if not np.all(np.isfinite(targets)):
            raise InvalidInput("targets must be finite numbers.")
        return np.asarray(np.clip(targets, -domain.target_bound, domain.target_bound))
    if not np.issubdtype(targets.dtype, np.integer):
        if domain.kind == "code":
            raise InvalidInput(f"signs are for two classes; the domain declares {domain.classes}. Pass codes.")
        return targets
    if not np.all((targets >= 0) & (targets < domain.classes)):
        raise InvalidInput(f"codes must be integers in 0..{domain.classes - 1}, the declared classes.")
    return np.where(targets == 1, 1.0, -1.0) if domain.kind == "sign" else targets


@frameless
def class_codes(labels: npt.NDArray[Any], classes: npt.NDArray[Any]) -> Codes:
    """The number of the class of every label, (n,), from 0. Raises InvalidInput for a label that is not declared."""
    codes = np.full(len(labels), -1, dtype=np.intp)
    for code, label in enumerate(classes):
        codes += (code + 1) * (labels == label)  # faster than to assign where they are equal; classes differ from each other
    if np.any(codes < 0):
        raise InvalidInput(
            f"y contains a label that is not one of the declared classes {classes.tolist()}; declare every class that may occur, or map "
            "other labels to one of these."
        )
    return codes


def record_weights(weights: npt.ArrayLike, records: int, largest: float | None) -> Floats:
    """Weights (n,) of records, of one number for all or one for each, brought within [0, largest] one by one, like rows within their bound.

    They may be private, so `largest` is asked for whenever there are weights: the largest one that occurs would tell of its record.
    Raises InvalidInput where it is not declared, and for what are no finite weights, without any of them.
    """
    if largest is None:
        raise InvalidInput(
            "sample_weight needs max_sample_weight, the largest weight that a record may have. The noise is calibrated to it, and taking "
            "it from the data would leak. Pass max_sample_weight=..., chosen without the records; larger weights are cut to it."
        )
    given: Floats = quietly(lambda: np.asarray(weights, dtype=np.float64), InvalidInput("sample_weight must be an array of numbers."))
    if given.ndim == 0:
        given = np.full(records, float(given))
    if given.ndim != 1:
        raise InvalidInput("Sample weights must be 1D array or scalar")
    if given.shape[0] != records:
        raise InvalidInput("sample_weight must have one weight for each row of X.")
    if not np.all(np.isfinite(given)):
        raise InvalidInput("every sample weight must be a finite number.")
    return np.clip(given, 0.0, largest)
