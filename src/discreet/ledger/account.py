"""Where to spend, as a small value, and the context in which mechanisms find it.

An Account is a path and a name: it can be compared, copied, pickled and be the parameter of an estimator, and holds no connection and no budget.
`using` makes one current for the mechanisms that run in its block. A context is not handed on to new threads, nor to worker processes. In a thread of
a process where some `using` block is open elsewhere, `current` therefore raises instead of finding nothing; a worker process cannot know, and needs
an Account as an argument.
"""

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.accounting import Guarantee, Unit, to_persons
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.validate import whole
from discreet.ledger.accountants import Amount
from discreet.ledger.entries import public_text

if TYPE_CHECKING:
    from discreet.ledger import ledger as ledgers
else:
    ledgers = lazily("discreet.ledger.ledger")

_LONGEST = 120
"""Characters of a purpose; a mechanism's name is added to it."""


@dataclass(frozen=True, slots=True)
class Account:
    """A data set in a ledger file. The file is opened for each use; see Ledger for the errors of its methods."""

    path: str
    """Of the ledger file; made absolute, since workers may have another working folder."""
    name: str
    part: str | None = field(default=None, kw_only=True)
    group_rows: int | None = field(default=None, kw_only=True)
    """For a data set of persons: what is private for one record is charged as what it promises to groups of so many, all rows of one person.

    Whoever gives it states that nobody owns more rows and, under replace-one, that the number of rows of each person is public and stays.
    """

    why: str = field(default="", kw_only=True, repr=False)
    """What releases here are and what they are for, in words that anybody may read: the ledger keeps them with the mechanism's name."""

    def __post_init__(self) -> None:
        """Make the path absolute. Raises InvalidInput for a group that is none, and for words that no line shows."""
        public_text(self.why, "the purpose of a release", empty=True)
        if len(self.why) > _LONGEST:
            raise InvalidInput(f"the purpose of a release may have at most {_LONGEST} characters; {len(self.why)} were given.")
        object.__setattr__(self, "path", os.path.abspath(self.path))  # noqa: PTH100 - Path.absolute keeps "..", which has to compare equal
        if self.group_rows is not None:
            whole(self.group_rows, "group_rows")

    @property
    def ledger(self) -> "ledgers.Ledger":
        """The ledger, opened."""
        return ledgers.Ledger(self.path)

    @property
    def left(self) -> Amount:
        """The budget that is left."""
        return self.ledger.left(self.name, part=self.part)

    def charged(self, guarantee: Guarantee) -> Guarantee:
        """What a guarantee costs here: itself, or what follows from it for persons, if `group_rows` is set. Raises as `to_persons`."""
        if self.group_rows is None or guarantee.unit is Unit.PERSON:
            return guarantee
        return to_persons(guarantee, self.group_rows, numbers_are_public=True)

    def check_fits(self, guarantee: Guarantee) -> None:
        """`Ledger.check_fits` here."""
        self.ledger.check_fits(self.name, self.charged(guarantee), part=self.part)

    @contextmanager
    def spending(self, guarantee: Guarantee, *, purpose: str, table: Iterable[bytes] | None = None) -> Iterator["ledgers.Reservation"]:
        """`Ledger.spending` for this data set; `table` is the content of the table, read for its digest."""
        ledger, charged = self.ledger, self.charged(guarantee)
        digest = None if table is None else ledger.digest(table)
        said = f"{self.why} ({purpose})" if self.why else purpose
        with ledger.spending(self.name, charged, purpose=said, part=self.part, digest=digest) as reservation:
            _last.set((self, reservation.id))
            yield reservation


class _Word(Enum):
    NOTHING = "no using block has been entered"


_last: ContextVar[tuple[Account, str] | None] = ContextVar("discreet_last_reservation", default=None)
_current: ContextVar[Account | _Word | None] = ContextVar("discreet_account", default=_Word.NOTHING)
_blocks = 0
_counting = threading.Lock()


def last_reservation() -> tuple[Account, str] | None:
    """The account and the entry of this context's last reservation: after an interruption, it tells what was spent."""
    return _last.get()


@contextmanager
def using(ledger: "ledgers.Ledger | str | Path", name: str, *, part: str | None = None, group_rows: int | None = None) -> Iterator[Account]:
    """Within the block, charge this data set wherever no account is given.

    Raises InvalidInput if it is not in the ledger. Blocks nest; the innermost applies.
    """
    opened = ledger if isinstance(ledger, ledgers.Ledger) else ledgers.Ledger(ledger)
    account = Account(str(opened.path), name, part=part, group_rows=group_rows)
    opened.spent(name, part=part)
    with _becoming(account):
        yield account


@contextmanager
def without_ledger() -> Iterator[None]:
    """Within the block, charge nothing: for simulated or public records, beside or inside a `using` block."""
    with _becoming(None):
        yield


def current() -> Account | None:
    """The account of the innermost `using` block of this context; None outside of all blocks.

    Raises InvalidInput in a thread without a context while a block is open in another one.
    """
    found = _current.get()
    if not isinstance(found, _Word):
        return found
    if _blocks:
        raise InvalidInput(
            "a ledger is in use in this process, but not in this thread, so spending would not be recorded. Pass the account explicitly, "
            "run the thread in a copy of the context (contextvars.copy_context().run), or use without_ledger() if nothing needs recording."
        )
    return None


@contextmanager
def spending_on(
    account: Account | None, guarantee: Guarantee, *, purpose: str, table: Iterable[bytes] | None = None
) -> Iterator["ledgers.Reservation | None"]:
    """For mechanisms: charge `account`, or the current one; without either, it yields None and records nothing."""
    chosen = current() if account is None else account
    if chosen is None:
        yield None
        return
    with chosen.spending(guarantee, purpose=purpose, table=table) as reservation:
        yield reservation


def check_may_travel(account: Account | None) -> None:
    """Raise InvalidInput where something without an account of its own is about to leave a process in which a `using` block is open.

    joblib pickles in a thread of its own, so a block of another thread counts as well.
    """
    found = _current.get()
    if account is None and (isinstance(found, Account) or (found is _Word.NOTHING and _blocks)):
        raise InvalidInput(
            "a ledger is in use here, but other processes would not know of it. Pass the estimator its account: ledger=Account(path, name)."
        )


@contextmanager
def _becoming(account: Account | None) -> Iterator[None]:
    token = _current.set(account)
    _count(1 if account is not None else 0)
    try:
        yield
    finally:
        _count(-1 if account is not None else 0)
        _current.reset(token)


def _count(change: int) -> None:
    global _blocks  # noqa: PLW0603 - how many blocks are open in this process is a fact about the process
    with _counting:
        _blocks += change
