"""The records: the only private type of the library.

Rows are clipped to the domain's norm bound at the door, by a factor min(1, bound / |x|) a row that depends on this row alone and is kept beside the
caller's matrix, which is neither copied nor changed. Nothing here prints, pickles or copies: `repr` shows the domain only.

A data set holds its rows, or a table of row blocks (`discreet.data.blocks`) that are brought within the domain one by one in every pass: each is a
small data set that holds its rows. What needs all rows at once refuses a data set that does not hold them.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data.domain import Domain
from discreet.data.stream import NOT_HELD, Stream, column_bytes
from discreet.matrices import Design
from discreet.matrices.bounded import shortened
from discreet.matrices.computed import computed_rows
from discreet.matrices.cut import cache_rows, cuts, rows_of

Codes: TypeAlias = npt.NDArray[np.integer]
"""Numbers of classes, from 0."""
R = TypeVar("R")


@holds_records
class Dataset:
    """Clipped rows with their classes and non-negative weights, which are as private as the rows.

    Parameters: `rows` a Design of shape (n, domain.features); the classes either as `signs` (n,) of +1.0 and -1.0 or as `codes` (n,) of integers in
    0..K-1, K = domain.classes, exactly one of the two; `weights` (n,) or None for ones.
    The caller guarantees finite entries. Raises InvalidInput when shapes disagree with each other or with the domain.
    """

    __slots__ = ("_codes", "_design", "_signs", "_stream", "_weights", "domain", "jobs", "records")

    records: int
    """n; private under add-remove."""
    jobs: int
    """How many threads work on it."""

    def __init__(
        self,
        *,
        rows: Design,
        signs: Floats | None = None,
        codes: Codes | None = None,
        domain: Domain,
        weights: Floats | None = None,
        jobs: int = 1,
    ) -> None:
        """Clip the rows and append the intercept's constant feature, both lazily."""
        count, features = rows.shape
        if features != domain.features:
            raise InvalidInput(f"the domain declares {domain.features} features; rows with {features} were given.")
        if (signs is None) == (codes is None):
            raise InvalidInput("the classes of a data set are given either as signs or as codes, not both.")
        if any(column is not None and column.shape != (count,) for column in (signs, codes, weights)):
            raise InvalidInput("rows, targets and weights must have the same length.")
        if signs is not None and domain.classes != 2:
            raise InvalidInput(f"signs tell two classes apart; the domain declares {domain.classes}. Pass codes.")
        if codes is not None and not (np.issubdtype(codes.dtype, np.integer) and np.all((codes >= 0) & (codes < domain.classes))):
            raise InvalidInput(f"codes must be integers in 0..{domain.classes - 1}, the declared classes.")
        design = shortened(rows, bound=domain.norm_bound, constant=domain.intercept_scale)
        self._hold(design, signs, codes, weights, domain, jobs)

    def _hold(self, design: Design, signs: Floats | None, codes: Codes | None, weights: Floats | None, domain: Domain, jobs: int) -> None:
        self.domain, self.jobs, self.records = domain, jobs, design.shape[0]
        self._design: Design | None = design
        self._stream: Stream[Dataset] | None = None
        self._signs, self._codes, self._weights = signs, codes, weights

    @classmethod
    def streamed(cls, stream: "Stream[Dataset]", *, domain: Domain, jobs: int = 1) -> "Dataset":
        """A data set whose rows stay where `stream` has them; reads them once, to count them. Raises what reading raises."""
        data = cls.__new__(cls)
        data.domain, data.jobs = domain, jobs
        data._design = data._signs = data._codes = data._weights = None
        data._stream = stream
        data.records = stream.records
        return data

    @property
    def in_memory(self) -> bool:
        """Whether it holds its rows."""
        return self._design is not None

    @property
    def slow(self) -> bool:
        """Whether getting at a row takes longer than computing with it."""
        return self._stream.slow if self._stream is not None else computed_rows(self.design)

    @property
    def remote(self) -> bool:
        """Whether its blocks are worked on outside this process."""
        return self._stream is not None and self._stream.remote

    @property
    def blocks(self) -> int:
        """How many blocks `map` visits."""
        return 1 if self._stream is None else self._stream.blocks

    @property
    def design(self) -> Design:
        """The clipped rows with their constant feature. Raises InvalidInput where they are not held."""
        if self._design is None:
            raise InvalidInput(NOT_HELD)
        return self._design

    @property
    def weights(self) -> Floats | None:
        """Weights (n,), or None for ones; private."""
        _ = self.design
        return self._weights

    def map(self, work: "Callable[[int, Dataset], R]") -> Iterator[R]:
        """work(number of its first row, block) for blocks of records that are held, in order; for a data set that is held, of itself alone."""
        if self._stream is None:
            yield work(0, self)
        else:
            yield from self._stream.map(work, self.jobs)

    def sample(self) -> "list[Dataset]":
        """Some of the records of blocks, held, the same in every pass; empty where there is no quick way to them, or they are held anyway."""
        return [] if self._stream is None else self._stream.sample(self.jobs)

    def few(self, every: int) -> "Dataset | None":
        """The records of blocks 0, every, 2 every, ..; None where these are not reached without the others."""
        stream = None if self._stream is None else self._stream.few(every)
        return None if stream is None else Dataset.streamed(stream, domain=self.domain, jobs=self.jobs)

    def parts(self) -> "list[Dataset]":
        """The held records in order, cut so that a part fits the processor's caches; views, not copies."""
        return self.runs(1)

    def runs(self, length: int) -> "list[Dataset]":
        """The same, so many parts together."""
        return [self._part(rows) for rows in cuts(self.records, length * cache_rows(self.design)) or [slice(0, 0)]]

    def _part(self, rows: slice) -> "Dataset":
        part = type(self).__new__(type(self))
        signs = None if self._signs is None else self._signs[rows]
        codes = None if self._codes is None else self._codes[rows]
        weights = None if self._weights is None else self._weights[rows]
        part._hold(rows_of(self.design, rows), signs, codes, weights, self.domain, 1)
        return part

    @property
    def signs(self) -> Floats:
        """+1.0 for the second class, -1.0 for the first, (n,). Raises InvalidInput where there are more than two classes."""
        if self._signs is not None:
            return self._signs
        _ = self.design
        if self.domain.classes != 2:
            raise InvalidInput(f"signs tell two classes apart; the domain declares {self.domain.classes}.")
        return np.where(self.codes == 1, 1.0, -1.0)

    @property
    def codes(self) -> Codes:
        """Numbers of the classes, (n,), from 0."""
        return (self.signs > 0).astype(np.intp) if self._codes is None else self._codes

    def content(self) -> Iterator[bytes]:
        """Rows and classes as bytes, for a ledger's keyed digest; private."""
        if self._stream is None:
            yield from self.design.content()
            yield self.class_column().tobytes()
            return
        remote = self._stream.remote
        yield from self._stream.content(self.jobs)
        yield from self._stream.map(lambda _, block: column_bytes(block.class_column(), remote=remote), self.jobs)

    def class_column(self) -> npt.NDArray[np.generic]:
        """Signs for two classes, codes for more: what a ledger's digest sees."""
        return self.codes.astype(np.int64) if self.domain.classes > 2 else self.signs

    def __repr__(self) -> str:
        """The domain only: not even the number of rows, which add-remove keeps private."""
        return f"Dataset({self.domain!r})"
