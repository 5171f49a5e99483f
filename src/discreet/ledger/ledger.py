"""The ledger: what has been spent on which data set, in a file that outlives estimators, processes and crashes.

Spending is two steps. `reserve` adds the guarantee to the file, or refuses with BudgetExceeded, before any noise is drawn; `settle` marks it as done.
Whatever goes wrong in between leaves the reservation counted: the ledger can count too much, never too little.

    noise drawn  =>  reserve has returned  =>  its transaction is on the disk  =>  every later sum contains it

The sum and the insertion are one transaction under the write lock of the file, so two processes that ask at the same time see each other.
"""

import hmac
import os
import sqlite3
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from discreet.accounting import Guarantee, Unit
from discreet.core.errors import InvalidInput
from discreet.core.files.picture import Svg, pictured
from discreet.core.neighbours import DELTA, Neighbours
from discreet.core.showing import html_of
from discreet.core.told import Told
from discreet.ledger import exchange, records
from discreet.ledger.accountants import BASIC, Amount, total
from discreet.ledger.entries import Amendment, DataSet, Entry, State, declaration, now, public_text
from discreet.ledger.file import LedgerFile, LedgerUnavailable, create_file
from discreet.ledger.seals import sums

PATIENCE = 60.0
"""Seconds to wait for others by default."""
_LONGEST_PATIENCE = 1e9


@dataclass(frozen=True, slots=True, init=False)
class Ledger:
    """An existing ledger file. A Ledger can be copied, compared and sent to other processes, because it holds no connection.

    All methods raise LedgerUnavailable (locked, read-only, disk full), FileFormatError (damaged, of an unknown version), or InvalidInput (no such
    file, data set or entry). Make a new file with `Ledger.create`.

    Examples
    --------
    >>> from discreet import LogisticRegression
    >>> from discreet.ledger import Ledger, using
    >>> ledger = Ledger.create("team.ledger")
    >>> patients = ledger.declare("patients", epsilon=2.0, delta=1e-5)
    >>> model = LogisticRegression(epsilon=0.5, classes=[0, 1])
    >>> with using(ledger, "patients"):
    ...     model = model.fit([[0.0, 0.9], [0.8, 0.1]] * 500, [0, 1] * 500)
    >>> round(ledger.left("patients").epsilon, 6)
    1.5
    """

    path: Path
    """Absolute."""
    patience: float = field(repr=False)
    """Seconds to wait for other threads and processes."""

    def __init__(self, path: str | Path, *, patience: float = PATIENCE) -> None:
        """Look whether it is a sound ledger, of an older version perhaps, which is renewed. Warns where others than the owner can use the file."""
        object.__setattr__(self, "path", Path(os.path.abspath(path)))  # noqa: PTH100 - Path.absolute keeps "..", which has to compare equal
        object.__setattr__(self, "patience", _seconds(patience))
        self._file.check_once()
        if self.exposed:
            warnings.warn(self.exposed, stacklevel=2)

    @classmethod
    def create(cls, path: str | Path, *, patience: float = PATIENCE) -> "Ledger":
        """Create a new, empty ledger. Raises InvalidInput if the file exists or the folder is not writable."""
        create_file(Path(os.path.abspath(path)), now())  # noqa: PTH100 - as above
        return cls(path, patience=patience)

    @property
    def exposed(self) -> str | None:
        """A sentence, with the remedy, if anyone but its owner can read or write the file."""
        return self._file.exposed()

    def check(self) -> None:
        """Check the whole file. Raises FileFormatError unless its pages, references and seals are intact."""
        self._file.check()

    def declare(  # noqa: PLR0913 - each is a part of what is promised
        self,
        name: str,
        *,
        epsilon: float,
        delta: float = DELTA,
        neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
        unit: Unit | str = Unit.RECORD,
        parts: Sequence[str] = (),
        part_of_a_record_stays: bool = False,
        accountant: str = BASIC,
        digest: str | None = None,
    ) -> DataSet:
        """Declare a data set and its total. Declaring it again with the same numbers changes nothing; with other numbers it raises InvalidInput.

        `parts` are labels of disjoint parts; under replace-one the caller must state `part_of_a_record_stays` (see `accountants`). `accountant` is
        one of the names in `accountants`, or registered. `digest` is `self.digest` of the table.
        """
        new = declaration(
            name,
            epsilon=epsilon,
            delta=delta,
            neighbours=neighbours,
            unit=unit,
            parts=parts,
            part_of_a_record_stays=part_of_a_record_stays,
            accountant=accountant,
        )
        return self.add(new, digest=digest)

    def add(self, new: DataSet, *, digest: str | None = None) -> DataSet:
        """`declare`, of what `declaration` made."""
        with self._file.writing() as connection:
            found = records.find(connection, new.name)
            if found is None:
                records.add_data_set(connection, new)
                found = new
            records.check_declared_alike(found, new)
            if digest is not None:
                records.remember_table(connection, digest, found)
        return found

    def link(self, alias: str, *, to: str) -> None:
        """Make `alias` another name for the data set `to`: one total, one history.

        Raises InvalidInput if the alias is already used for something else.
        """
        alias = public_text(alias, "the name of a data set")
        with self._file.writing() as connection:
            target, found = records.get(connection, to), records.find(connection, alias)
            if found is not None and found.name != target.name:
                raise InvalidInput(f"{alias!r} already names the data set {found.name!r}; only a new name can be linked.")
            if found is None:
                records.add_alias(connection, alias, target)

    def amend(self, name: str, *, epsilon: float, delta: float | None = None, reason: str) -> DataSet:
        """Change the total of a data set from now on, larger or smaller; the reason stays in the file and in exports. Without `delta` it stays."""
        why = public_text(reason, "the reason of an amendment")
        with self._file.writing() as connection:
            data_set = records.get(connection, name)
            new = total(epsilon, data_set.total.delta if delta is None else delta)
            records.add_amendment(connection, Amendment(id=str(uuid4()), data_set=data_set.name, total=new, reason=why, created=now()))
            return records.get(connection, name)

    def amendments(self, name: str) -> tuple[Amendment, ...]:
        """The later totals of a data set; the last one applies."""
        with self._file.reading() as connection:
            return records.amendments_of(connection, records.get(connection, name).name)

    def data_set(self, name: str) -> DataSet:
        """The data set of this name or alias."""
        with self._file.reading() as connection:
            return records.get(connection, name)

    def data_sets(self) -> tuple[DataSet, ...]:
        """All data sets, sorted by name."""
        with self._file.reading() as connection:
            return tuple(records.get(connection, name) for name in records.names(connection))

    def digest(self, blocks: Iterable[bytes]) -> str | None:
        """HMAC-SHA-256 of the blocks in order, under the key of this file: hexadecimal, and independent of how the bytes are divided into blocks.

        None if there are no bytes, as for a table without records: all such tables are alike, and refusing one for that reason would reveal that it
        has no record, which add-remove keeps private.
        """
        with self._file.reading() as connection:
            key = sums(connection).key
        code = hmac.new(key, digestmod="sha256")
        read = 0
        for block in blocks:
            code.update(block)
            read += len(block)
        return code.hexdigest() if read else None

    def check_fits(self, name: str, guarantee: Guarantee, *, part: str | None = None) -> None:
        """Raise what `reserve` would raise now. Nothing is reserved: others may spend in the meantime, so only the reservation decides."""
        with self._file.reading() as connection:
            self._fitting(connection, name, guarantee, _part(part))

    def reserve(self, name: str, guarantee: Guarantee, *, purpose: str, part: str | None = None, digest: str | None = None) -> "Reservation":
        """Subtract `guarantee` from what is left, on disk, before any noise is drawn.

        With `digest` (from `self.digest`), the ledger recognises the table under another name; it is stored with this one. Raises BudgetExceeded,
        having recorded nothing; InvalidInput for another neighbouring relation or unit, an undeclared part, or a table known under another name.
        """
        purpose, part = public_text(purpose, "the purpose", empty=True), _part(part)
        with self._file.writing() as connection:
            data_set = self._fitting(connection, name, guarantee, part)
            if digest is not None:
                records.remember_table(connection, digest, data_set)
            entry = records.reserve(connection, data_set, guarantee, purpose=purpose, part=part)
        return Reservation(ledger=self, id=entry.id)

    @contextmanager
    def spending(
        self, name: str, guarantee: Guarantee, *, purpose: str, part: str | None = None, digest: str | None = None
    ) -> Iterator["Reservation"]:
        """Reserve, run the block, settle.

        If the block raises, the reservation still counts, unless the block has cancelled it. If the ledger cannot be written at the end, the entry
        stays reserved and still counts, so that a release that is paid for is not lost.
        """
        reservation = self.reserve(name, guarantee, purpose=purpose, part=part, digest=digest)
        yield reservation
        with suppress(LedgerUnavailable), self._file.writing() as connection:
            if records.get_entry(connection, reservation.id).state is State.RESERVED:
                records.settle(connection, reservation.id)

    def settle(self, entry: str) -> None:
        """Mark the entry with this id as done; doing so again changes nothing.

        Settling a cancelled entry makes it count again and raises InvalidInput: noise was drawn after all.
        """
        with self._file.writing() as connection:
            before = records.settle(connection, entry)
        if before is State.CANCELLED:
            raise InvalidInput(
                "a cancelled reservation was settled, so noise was drawn after all and it counts as spent again. Cancel only releases that "
                "never started."
            )

    def cancel(self, entry: str, *, no_noise_was_drawn: bool) -> None:
        """Cancel a reservation; the caller confirms that no noise was drawn for it.

        Raises InvalidInput without that confirmation, or for a settled entry.
        """
        if no_noise_was_drawn is not True:
            raise InvalidInput(
                "cancelling a reservation needs no_noise_was_drawn=True, for which the caller is responsible; otherwise it counts as spent."
            )
        with self._file.writing() as connection:
            records.cancel(connection, entry)

    def entry(self, entry: str) -> Entry:
        """The entry of this id."""
        with self._file.reading() as connection:
            return records.get_entry(connection, entry)

    def history(self, name: str) -> tuple[Entry, ...]:
        """All entries of a data set, in the order in which they were reserved here or imported."""
        with self._file.reading() as connection:
            return records.entries_of(connection, records.get(connection, name).name)

    def spent(self, name: str, *, part: str | None = None) -> Amount:
        """What is reserved or settled; with parts, the largest over all parts, or that of one part."""
        return self._account(name, part)[0]

    def left(self, name: str, *, part: str | None = None) -> Amount:
        """The current total minus what is spent, at least zero."""
        spent, data_set = self._account(name, part)
        return spent.left_of(data_set.total)

    def export(self) -> str:
        """Everything except the digests and their key, as JSON."""
        with self._file.reading() as connection:
            return exchange.exported(connection, now())

    def import_(self, text: str) -> int:
        """Import what `export` wrote, here or elsewhere; returns the number of new entries.

        All or nothing; importing twice is the same as once. Entries count even beyond a total, because they happened. Raises FileFormatError for text
        that is not an export of a known version, and InvalidInput if it contradicts this ledger.
        """
        with self._file.writing() as connection:
            return exchange.imported(connection, text)

    def standing(self, name: str) -> tuple[DataSet, Amount, Amount, int]:
        """A data set, what is spent, what is left, and how many entries it has."""
        with self._file.reading() as connection:
            data_set = records.get(connection, name)
            spent = records.taken(data_set, records.counted(connection, data_set))
            return data_set, spent, spent.left_of(data_set.total), records.count_of(connection, data_set.name)

    def spendings(self, name: str) -> tuple[DataSet, list[records.Spending]]:
        """A data set and, for each entry that counts, its time, whether it is settled, its part, and its stored guarantee."""
        with self._file.reading() as connection:
            data_set = records.get(connection, name)
            return data_set, records.spendings(connection, data_set.name)

    def plot(self, name: str) -> Svg:
        """Spending over time and the total, as a self-contained SVG picture."""
        return pictured("ledger.plot", self, name)

    def __str__(self) -> str:
        """Every data set with what is spent and left now. Raises LedgerUnavailable where it cannot be read."""
        found = [self.standing(one.name) for one in self.data_sets()]
        rows = [(one.name, str(one.total), str(spent), str(left), f"{count:,}") for one, spent, left, count in found]
        header = ("Data set", "Total", "Spent", "Left", "Entries")
        return str(Told(title=f"Ledger {self.path.name}", header=header, rows=rows, texts=(1, 2, 3)))

    _repr_html_ = html_of("ledger.view")

    @staticmethod
    def _fitting(connection: sqlite3.Connection, name: str, guarantee: Guarantee, part: str | None) -> DataSet:
        data_set = records.get(connection, name)
        records.check_relation(data_set, guarantee, part)
        records.check_fits(data_set, records.counted(connection, data_set), guarantee, part=part)
        return data_set

    def _account(self, name: str, part: str | None) -> tuple[Amount, DataSet]:
        with self._file.reading() as connection:
            data_set = records.get(connection, name)
            counted = records.counted(connection, data_set)
        part = _part(part)
        if part is not None and part not in data_set.parts:
            raise InvalidInput(f"{name!r} has no part {part!r}; its parts are {list(data_set.parts)}.")
        return records.taken(data_set, counted, part=part), data_set

    @property
    def _file(self) -> LedgerFile:
        return LedgerFile(self.path, self.patience)


def _seconds(patience: float) -> float:
    if isinstance(patience, bool) or not isinstance(patience, int | float) or not patience <= _LONGEST_PATIENCE:
        raise InvalidInput(f"patience must be a number of seconds up to {_LONGEST_PATIENCE:g}; {patience!r} was given.")
    return patience


def _part(given: str | None) -> str | None:
    return None if given is None else public_text(given, "the label of a part")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """The result of `reserve`: the right to draw noise once for the reserved guarantee."""

    ledger: Ledger
    id: str
    """Of the entry; certificates may name it."""

    def settle(self) -> None:
        """See Ledger.settle."""
        self.ledger.settle(self.id)

    def cancel(self, *, no_noise_was_drawn: bool) -> None:
        """See Ledger.cancel."""
        self.ledger.cancel(self.id, no_noise_was_drawn=no_noise_was_drawn)
