"""Whose rows are whose: at most M rows of a person are kept, and those that are kept share the weight of one record.

    r_i       priorities, independent and uniform, drawn for all rows in the order of the table, whoever owns them
    kept      of every person the M rows with the least priorities, m <= M of them: M rows drawn uniformly, or all
    a_i       1 / m or 1 / M, rounded down to a multiple of 2^-53, for a row that is kept; 0 for the others

Theorem (proof note persons.md of the learning mechanisms, where "Setting" is). If a_i >= 0, sum a_i <= 1 over the rows of every person, and the rows
and weights of a person are functions of this person's own rows and of randomness that is independent of everybody's rows, then a weighted sum over
the rows of one person is a convex combination of what one row may do, and to add or remove a person is to add or remove that combination.

Why any rule will do that looks at a person's own rows and at independent randomness alone: fix the priorities of everybody else's rows. They are as
likely with person u as without, since they are drawn for every row whoever owns it, and u's rows have no part in the others' rule: with or without
u, the others keep the same rows with the same weights. What is proved for every value of u's own priorities holds for their mixture, as delta is
convex. A rule that looked at other people's rows, at the most rows that anybody has for example, would not do.

Weights are multiples of 2^-53, and so are their partial sums up to 1: floating point adds up those of a person exactly, in any order, to at most 1.

Ids are compared as text, as labels are (module `labels`): 17, 17.0, "17" and "17.0" are one person, in memory and in files, and "017" is another
one. An id is what the table holds. A number of 2^53 and more in floating point may have lost digits before it came here, and two persons with it what
told them apart; nothing in the table says so, and a refusal would tell of one cell.

Rows in blocks, which may lie in other processes. A block sends `keyed` ids: 16 bytes a row, BLAKE2b (RFC 7693) under a key of 32 bytes that is drawn
for the run and kept nowhere, so that what travels tells nobody an id who does not take part. Equal ids have equal keys whichever block they are in.
Two of P persons share a key, and are then taken for one, with a probability of at most P^2 / 2^129: 1.5e-21 for a billion. Where the run is, a row
takes 24 bytes, its key and its priority, and about as much again while keys are sorted; afterwards the number m of its person, 1 to 4 bytes.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias
from uuid import UUID

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.frameless import frameless
from discreet.core.lazily import lazily
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.data.cells import as_labels, cell_texts, without_markers
from discreet.data.dialect import Dialect
from discreet.data.frames import cell_text, column_series, object_texts
from discreet.data.labels import UNREADABLE

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazily("polars")

PersonCodes: TypeAlias = npt.NDArray[np.integer]
"""Whose a row is, (n,): 0, 1, .., one number a person."""
Keys: TypeAlias = npt.NDArray[np.uint64]
"""The same under a key, (n, 2)."""
Counts: TypeAlias = npt.NDArray[np.unsignedinteger]
"""How many rows of its person are kept, (n,); 0 for a row that is not."""

KEY_WORDS = 4
"""Of 64 bits."""
PERSON_BYTES = 32
"""Of an id in a block that is kept: an integer, or a text of up to 16 letters."""
_WHOLE = 2.0**53
_SHORT = frozenset({"Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32"})
_UNREAD = "person ids must be integers, texts or dates; something else was given. Write every id as text."
_MISSING = "a person id is missing. Every row needs one: fill in the ids, or drop rows beforehand by a rule that looks at one row at a time."


class Source(Protocol):
    """Randomness: a Noise."""

    def words(self) -> Callable[[int], npt.NDArray[np.uint64]]:
        """A new stream of uniform words."""


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Shares:
    """What one run makes of whose rows are whose; private."""

    counts: Counts
    """m of every row, (n,); 0 for a row that is not kept."""
    weights: Floats
    """(n,), 0 for a row that is not kept."""
    persons: int
    """Their number, n of every formula; private under add-remove."""


class Draw:
    """The randomness of one run: a key for ids, then priorities of rows. The same for a seed, whether rows are in memory or in blocks."""

    __slots__ = ("_words", "key")

    def __init__(self, noise: Source) -> None:
        """Draw the key."""
        self._words = noise.words()
        self.key: bytes = self._words(KEY_WORDS).tobytes()

    def shares(self, codes: PersonCodes, persons: Persons) -> Shares:
        """Once, for all rows: see `row_weights`."""
        if persons.weight == "declared":
            raise InvalidInput(
                "each person was declared to have one row, so ids are not used: leave them out, or declare that a person may have several rows."
            )
        counts, number = _kept(codes, int(persons.rows), self._words(len(codes)))
        return Shares(counts=counts, weights=weights_of(counts, persons), persons=number)


def row_weights(codes: PersonCodes, persons: Persons, noise: Source) -> Shares:
    """Weights of rows whose persons are `codes` (n,), non-negative integers of `person_codes`: see the module docstring.

    Raises InvalidInput where `persons` declares that nobody is told apart.
    """
    return Draw(noise).shares(codes, persons)


def weights_of(counts: Counts, persons: Persons) -> Floats:
    """a_i (n,), from the numbers of rows that are kept: a row by itself, so that blocks and whole tables have the same."""
    if persons.weight == "row":
        return np.where(counts > 0, (2**53 // int(persons.rows)) * 2.0**-53, 0.0)
    sizes = counts.astype(np.int64)
    return np.where(sizes > 0, (2**53 // np.maximum(sizes, 1)) * 2.0**-53, 0.0)


def times(shares: Floats, factors: Floats) -> Floats:
    """a_i c_i (n,), rounded down where a_i is a fraction: for c_i in [0, c] they add up to at most c over the rows of a person."""
    products = shares * factors
    return np.where(shares < 1.0, np.nextafter(products, 0.0), products)


@frameless
def person_codes(ids: Any, *, dialect: Dialect | None = None) -> PersonCodes:  # noqa: ANN401 - a column of any library
    """Whose a row is, (n,): the same number for equal ids, and for no others.

    `ids`: a list, an array, or a column of polars, pandas or pyarrow, of integers, texts, dates or objects; the `dialect` of a schema says which
    texts stand for a missing id. Raises InvalidInput for a missing id, for numbers that are not whole, and for what cannot be read; no message
    tells an id, a row or a count.
    """
    return _grouped(person_ids(ids, dialect=dialect))[0]


@frameless
def keyed(ids: Any, key: bytes) -> Keys:  # noqa: ANN401 - as above
    """Keys of ids (n, 2): 16 bytes of keyed BLAKE2b a row. Raises as `person_codes` does."""
    codes, known = _grouped(person_ids(ids))
    digests = b"".join([hashlib.blake2b(str(one).encode(), digest_size=16, key=key).digest() for one in known])
    return np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)[codes]


def key_codes(keys: Keys) -> PersonCodes:
    """Whose a row is, from keys (n, 2)."""
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    new = np.empty(len(keys), dtype=bool)
    new[:1] = False
    for word in (0, 1):
        column = keys[order, word]
        new[1:] = (new[1:] if word else False) | (column[1:] != column[:-1])
    codes = np.empty(len(keys), dtype=np.int64)
    codes[order] = np.cumsum(new)
    return codes


def person_ids(ids: Any, *, dialect: Dialect | None = None) -> "pl.Series":  # noqa: ANN401 - as above
    """Ids (n,) as what they are compared by, integers of 64 bits or texts. Raises as `person_codes` does."""
    series = quietly(lambda: column_series(ids, "person", text=_id_text), InvalidInput(_UNREAD))
    if isinstance(series.dtype, pl.Decimal | pl.Object):
        series = object_texts("person", series.to_list(), text=_id_text)
    if series.dtype.is_float():
        series = _of_floats(series)
    written = Dialect() if dialect is None else dialect
    if str(series.dtype) not in _SHORT or written.missing:
        series = quietly(lambda: without_markers(as_labels(cell_texts(series)), written), InvalidInput(_UNREAD))
    if series.null_count():
        raise InvalidInput(_MISSING)
    if series.dtype == pl.String and (series == UNREADABLE).any():
        raise InvalidInput(_UNREAD)
    return series if series.dtype == pl.String else series.cast(pl.Int64)


def _id_text(cell: object) -> str | None:
    """As `cell_text`, of what has one exact text."""
    match cell:
        case Decimal():
            return None if cell.is_nan() else f"{cell.normalize():f}"
        case UUID():
            return str(cell)
        case _:
            return cell_text(cell)


def _of_floats(series: "pl.Series") -> "pl.Series":
    """Integers where all are, else texts."""
    numbers = series.cast(pl.Float64).fill_nan(None)
    whole = (numbers.is_null() | ((numbers.abs() < _WHOLE) & (numbers == numbers.floor()))).all()
    return numbers.cast(pl.Int64) if whole else object_texts(series.name, numbers.to_list())


def _grouped(ids: "pl.Series") -> tuple[PersonCodes, list[int | str]]:
    """Codes (n,), and the id of every code."""
    if ids.dtype == pl.Int64:
        unique, codes = np.unique(ids.to_numpy(), return_inverse=True)
        return codes, unique.tolist()
    known = ids.unique()
    numbers = pl.Series(np.arange(len(known)))
    return (ids.replace_strict(known, numbers) if len(known) else numbers).to_numpy(), known.to_list()


def _kept(codes: PersonCodes, most: int, priorities: npt.NDArray[np.uint64]) -> tuple[Counts, int]:
    """How many rows of its person are kept, for every row that is, and how many persons there are."""
    sizes = np.bincount(codes)
    counts = np.minimum(sizes, most).astype(np.min_scalar_type(most))[codes]
    crowded = np.flatnonzero(sizes[codes] > most)
    if len(crowded):
        order = crowded[np.lexsort((priorities[crowded], codes[crowded]))]
        owners = codes[order]
        first = np.flatnonzero(np.concatenate(([True], owners[1:] != owners[:-1])))
        place = np.arange(len(order)) - np.repeat(first, np.diff(np.append(first, len(order))))
        counts[order[place >= most]] = 0
    return counts, int(np.count_nonzero(sizes))
