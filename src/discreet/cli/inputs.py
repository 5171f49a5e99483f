"""What a command works on, and what that costs: the records that it was given, and the account that it spends on, in words afterwards.

Records are one table in memory, or files that are read in blocks, here or by the workers of a cluster. A folder, several files, a pattern, an Arrow
file and every table for --dask are read in blocks; all columns are found by name and encoded by the schema, in whatever order a file has them.

Whose rows are whose, asked where nobody has said: in the schema once and for all, or among the options for one run.

    rows_per_person = 1        [person]                     neither
                               column = "patient id"
                               rows = 7
    --rows-per-person 1        --person "patient id"        one warning on standard error: what follows protects single rows
                               --rows-per-person 7

Nothing waits for an answer: a pipe, a script and a terminal are told the same.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from glob import glob
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import click

import discreet
from discreet.cli.options import ARGUMENT, File, Option, flag, usage_error
from discreet.cli.output import labelled, step, styled, warn
from discreet.core.advice import LARGE_DELTA, weaknesses
from discreet.core.errors import DiscreetError, InvalidInput, SchemaError, quoted
from discreet.core.files.reading import exists, opened
from discreet.core.parts import module_of

NO_PRIVACY = "epsilon is infinite: this is an ordinary fit with no privacy. Protect the model as you protect the records."
_ARROW = (".arrow", ".feather", ".ipc")
_WAIT = "30 s"


@dataclass(frozen=True, kw_only=True)
class Records:
    """Which files, and who reads them."""

    table: Annotated[tuple[File, ...], ARGUMENT]
    jobs: Annotated[int | None, "Threads, or workers of --dask local; -1 for every processor.  [default: 1; with --dask local -1]"] = None
    dask: Annotated[str | None, "Address (tls://..) of a Dask scheduler whose workers read the files, or local to start workers here."] = None
    dask_insecure: Annotated[
        bool, "Accept a cluster without encryption. Anyone who can reach it can read the records and run programs as its owner."
    ] = False
    dask_deadline: Annotated[
        float | None,
        Option(
            metavar="SECONDS",
            type=click.FloatRange(min=0.0, min_open=True),
            help="Give up after this time without a finished task.  [default: 900]",
        ),
    ] = None

    @cached_property
    def paths(self) -> list[str]:
        """The files and folders that are meant, patterns replaced by what they match. Raises InvalidInput for one that matches nothing."""
        found: list[str] = []
        for table in self.table:
            if not any(mark in table for mark in "*?[") or Path(table).exists():
                found.append(table)
                continue
            matches = sorted(glob(table))  # noqa: PTH207 - as the shell has it
            if not matches:
                raise InvalidInput(f"no file matches {table!r}. Check the path.")
            found += matches
        return found

    @property
    def files(self) -> list[str]:
        """The files that are read, those of folders one by one: none may be written over."""
        return [str(file) for table in self.paths for file in ([*Path(table).iterdir()] if Path(table).is_dir() else [table])]

    @property
    def in_blocks(self) -> bool:
        """Whether they are read in blocks."""
        first = self.paths[0]
        return len(self.paths) > 1 or self.dask is not None or first.lower().endswith(_ARROW) or Path(first).is_dir()

    def open_table(
        self, schema: "discreet.Schema", *, may_be_empty: bool, persons: bool = True
    ) -> "discreet.EncodedTable | discreet.data.BlockTable":
        """The records, encoded by `schema`: private. Raises what reading raises, InvalidInput where no cluster is to be had.

        With `persons` they bring what the schema says of whose rows are whose.
        """
        if not self.in_blocks:
            frame = _held(self.paths[0], schema, may_be_empty=may_be_empty, persons=persons)
            with step("Encoding"):
                return schema.encode(frame, target=True, persons=persons)
        table, cluster = discreet.data.schema_files(self.paths, schema, persons=persons), self.cluster()
        return table if cluster is None else table.on(cluster)

    def reopened(
        self, schema: "discreet.Schema", *, may_be_empty: bool
    ) -> "Callable[[discreet.Schema], discreet.EncodedTable | discreet.data.BlockTable]":
        """From schemas that name no more columns than this one to the records, of which one that is in memory is read once. Raises as `opened`."""
        if self.in_blocks:
            return lambda one: self.open_table(one, may_be_empty=may_be_empty)
        frame = _held(self.paths[0], schema, may_be_empty=may_be_empty, persons=True)
        return lambda one: one.encode(frame, target=True)

    def cluster(self) -> Any | None:
        """The cluster that --dask asks for, or None: that of a scheduler's address, or for "local" one that is started on this machine.

        It is closed when the command has said everything, since closing may fail. Raises InvalidInput where none is to be had, or none encrypted.
        """
        return None if self.dask is None else click.get_current_context().with_resource(self._connected(self.dask))

    @contextmanager
    def _connected(self, address: str) -> Iterator[Any]:
        try:
            from distributed import Client  # an optional dependency
        except ImportError:
            raise InvalidInput("--dask needs Dask: pip install 'discreet[dask]'.") from None
        from discreet.core.validate import job_count

        part = module_of("cluster")
        if address != "local":
            part.check_address(address, insecure=self.dask_insecure)
        failed = InvalidInput(
            f"no Dask cluster with workers answered at {address!r} within {_WAIT}. Check the address and, for tls://, the certificates of "
            "Dask's "
            "configuration, or use --dask local."
        )
        with ExitStack() as stack:
            stack.enter_context(part.quiet())
            client = None
            try:
                with step("Connecting to the cluster"):
                    if address == "local":
                        client = stack.enter_context(part.local_cluster(job_count(-1 if self.jobs is None else self.jobs)))
                    else:
                        client = stack.enter_context(Client(address, timeout=_WAIT))
                    client.wait_for_workers(1, timeout=30)
            except InvalidInput:
                raise
            except (OSError, RuntimeError, ValueError, TypeError):  # a timeout is an OSError, an address that is none a ValueError
                client = None
            if client is None:
                raise failed
            yield part.Cluster(
                client=client, insecure=self.dask_insecure, deadline=part.DEADLINE if self.dask_deadline is None else self.dask_deadline
            )


@contextmanager
def lines_in(path: str) -> Iterator[Iterator[str]]:
    """Lines of text, of standard input for "-". Raises OSError where there are none to read, UnicodeDecodeError for what is not UTF-8."""
    with click.open_file(path, encoding="utf-8") if path == "-" else TextIOWrapper(opened(path), encoding="utf-8") as found:
        yield iter(found)


def read(path: str, columns: Sequence[str], dialect: "discreet.data.Dialect | None" = None) -> Any:  # a frame of polars
    """These columns of a table: private."""
    with step("Reading the table"):
        return discreet.read_table(path, columns, dialect)


def _held(path: str, schema: "discreet.Schema", *, may_be_empty: bool, persons: bool) -> Any:  # a frame of polars
    frame = read(path, schema.columns(target=True, persons=persons), schema.file)
    if frame.height == 0 and not may_be_empty:
        raise InvalidInput("the table has no records; under replace-one at least one is needed.")
    return frame


@dataclass(frozen=True, kw_only=True)
class Spending:
    """Where a command that spends does so."""

    ledger: Annotated[File | None, Option(variable="DISCREET_LEDGER", help="Charge this ledger. It refuses to exceed its total.")] = None
    data_set: Annotated[str | None, Option(variable="DISCREET_DATA_SET", help="Name of the data set in the ledger.  [default: the only one]")] = None
    part: Annotated[str | None, "Which part of the data set this table is, if the ledger declares parts."] = None
    group_rows: Annotated[
        int | None,
        "If the ledger counts persons but the release protects single rows: charge for groups of this many rows. You state that no person "
        "has more and, with replace-one, that each person's number of rows is public.",
    ] = None

    purpose: Annotated[str | None, "What the release is for. The text is public, and the ledger keeps it."] = None

    def account(self, made: str, *files: str | None) -> "discreet.ledger.Account | None":
        """The account that is meant, after a look whether it is there; None where there is no --ledger.

        The ledger keeps what is `made`, and the names of the files, without their folders, beside the purpose.
        """
        if self.ledger is None:
            for name in ("data_set", "part", "group_rows", "purpose"):
                if getattr(self, name) is not None:
                    raise usage_error(f"{flag(name)} needs --ledger (or DISCREET_LEDGER)")
            return None
        opened = open_ledger(self.ledger)
        name = data_set_of(opened, self.data_set)
        named = ", ".join([made, *(Path(file).name for file in files if file is not None)])
        why = named if self.purpose is None else f"{self.purpose}: {named}"
        if len(why) > 120 or not named.isprintable():
            why = self.purpose or made
        account = discreet.ledger.Account(self.ledger, name, part=self.part, group_rows=self.group_rows, why=why)
        opened.spent(name, part=self.part)
        return account


def data_set_of(ledger: "discreet.ledger.Ledger", name: str | None) -> str:
    """The data set that is meant: the only one where none is named. Raises a usage error where there are others."""
    if name is not None:
        return name
    known = [one.name for one in ledger.data_sets()]
    if len(known) != 1:
        raise usage_error(f"--data-set (or DISCREET_DATA_SET) is needed: the ledger has {quoted(known) if known else 'no data set'}")
    return known[0]


def open_ledger(path: str) -> "discreet.ledger.Ledger":
    """The ledger in this file. Raises InvalidInput where there is none: a mistyped path never becomes a new one."""
    if not exists(path):
        raise InvalidInput(f"there is no ledger {path!r}. Check the path, or make one with `discreet budget new`.")
    ledger = discreet.ledger.Ledger(path)
    if exposed := ledger.exposed:
        warn(exposed)
    return ledger


def check_fits(account: "discreet.ledger.Account | None", guarantee: "discreet.accounting.Guarantee") -> None:
    """Raise what reserving `guarantee` would raise now, and warn where it promises little.

    It reserves nothing: others may spend in the meantime, so the reservation decides.
    """
    warn_of_weakness(guarantee, None)
    if account is not None:
        account.check_fits(guarantee)


def warn_of_weakness(guarantee: "discreet.accounting.Guarantee", records: int | None) -> None:
    """The warnings of every page, before anything is spent; with a public number of records what is said with it alone. None in a document."""
    if click.get_current_context().params.get("as_json"):
        return
    stated, unit = guarantee.to_dict(), guarantee.unit
    epsilon, delta = stated.get("epsilon"), stated.get("delta", 0.0)
    if isinstance(epsilon, float) and isinstance(delta, float) and not (records is not None and delta > LARGE_DELTA):
        for words in weaknesses(epsilon if records is None else 0.0, delta, records, one=unit.one, many=unit.counted):
            warn(words)


def warn_of_little(outlook: "discreet.mechanisms.learning.Outlook | None") -> None:
    """What is said of a classifier that cannot be expected to beat one answer for everybody, before anything is spent. None in a document."""
    if outlook is not None and outlook.little and not click.get_current_context().params.get("as_json"):
        warn(outlook.words)


def _left_after(account: "discreet.ledger.Account | None", entry: str | None) -> tuple[str | None, dict[str, object] | None]:
    """What is left once the release is made, in words and as JSON. A ledger that cannot be read any more is no reason to fail then."""
    if account is None:
        return None, None
    document: dict[str, object] = {"ledger": account.path, "data_set": account.name, "part": account.part, "entry": entry}
    where = repr(account.name) if account.part is None else f"part {account.part!r} of {account.name!r}"
    try:
        left = account.left
    except DiscreetError as error:
        return f"not known on {where}: {error}", document | {"left": None}
    return f"{left} on {where} (entry {entry})", document | {"left": left.to_dict()}


def guarantee_of(certificate: "discreet.Certificate") -> dict[str, object]:
    """(epsilon, delta), null and 1 where there is no privacy, and the relation."""
    stated = certificate.guarantee.to_dict()
    return {
        "private": certificate.noise_private and stated["kind"] != "none",
        "epsilon": stated.get("epsilon"),
        "delta": 1.0 if stated["kind"] == "none" else stated.get("delta", 0.0),
        "neighbours": str(certificate.guarantee.neighbours),
        "unit": str(certificate.guarantee.unit),
    }


def short(certificate: "discreet.Certificate") -> str:
    """The guarantee in a few signs."""
    stated = guarantee_of(certificate)
    if stated["epsilon"] is None:
        return "epsilon infinite"
    return f"epsilon {stated['epsilon']:.6g}, delta {stated['delta']:.3g} for one {stated['unit']}, {stated['neighbours']}"


def receipt(
    certificate: "discreet.Certificate", verification: "discreet.Verification", account: "discreet.ledger.Account | None", *, spent: bool = True
) -> "tuple[dict[str, object], list[str], discreet.Verification | None]":
    """What a release cost, what it left in the ledger, and whether its certificate holds: for programs, for people, and as what has to hold.

    Nothing has to where the noise was no secret, or there was none: that is said, and was asked for.
    """
    left, ledger = _left_after(account, certificate.ledger_entry)
    stated = guarantee_of(certificate)
    cost = NO_PRIVACY if stated["epsilon"] is None else f"{short(certificate)}. Other releases about the same people add to this."
    lines = labelled(("Spent", cost if spent else None), ("Left", left), ("Noise", certificate.noise), ("Certificate", verdict(verification)))
    document: dict[str, object] = {"guarantee": stated, "ledger": ledger, "noise": certificate.noise, "verification": verification.to_dict()}
    return document, lines, verification if stated["private"] else None


def verdict(verification: "discreet.Verification") -> str:
    """One line for all checks."""
    failed = [check for check in verification.checks if not check.ok]
    if not failed:
        return f"{styled('verified', fg='green')} ({len(verification.checks)} checks, the guarantee recomputed by another method)"
    return f"{styled('NOT VALID', fg='red')}: " + "; ".join(f"{check.name}: {check.detail}" for check in failed)


TWO_LINES = (
    'rows_per_person = 1 if each person has one row, or, if some may have more, a table [person] with column = "..." and rows = M '
    "(at most M rows of each person are kept)"
)


@dataclass(frozen=True, kw_only=True)
class Whose:
    """What the options say of it; they add to the schema of a run, with which it is kept."""

    person: Annotated[str | None, Option(metavar="COLUMN", help="Column of person ids, if the schema names none. Use with --rows-per-person.")] = None
    rows_per_person: Annotated[int | None, "1: each person has one row. With --person: the largest number of rows kept per person."] = None

    def check(self) -> None:
        """Raise a usage error where one needs the other."""
        if self.person is not None and self.rows_per_person is None:
            raise usage_error("--person needs --rows-per-person, the largest number of rows kept per person")
        if self.person is None and self.rows_per_person is not None and self.rows_per_person != 1:
            raise usage_error(f"--rows-per-person {self.rows_per_person} needs --person, the column of person ids")

    def schema(self, path: str) -> "discreet.Schema":
        """The schema in this file with what the options say.

        Raises SchemaError where the two say different things, and as `Schema.load` does.
        """
        self.check()
        schema = discreet.Schema.load(path)
        if self.rows_per_person is None:
            return schema
        if schema.persons is None:
            if self.person is None:
                return replace(schema, rows_per_person=1)
            return replace(schema, person=discreet.data.PersonColumn(column=self.person, rows=self.rows_per_person))
        own = (None, 1) if schema.person is None else (schema.person.column, schema.person.rows)
        if (self.person, self.rows_per_person) != own:
            raise SchemaError(f"the schema {path} says {said(schema)}, and the options contradict it. Leave --person and --rows-per-person out.")
        return schema


def ask(schema: "discreet.Schema", path: str, *, run: bool = False) -> None:
    """Warn where a schema says nothing about persons, `run` where options could, and where nothing can be learnt from its rows."""
    from discreet.data.row_lengths import meaningless

    if (words := meaningless(schema)) is not None:
        warn(words)
    if schema.persons is None:
        here = " For this run alone, in the same cases: --rows-per-person 1, or --person COLUMN --rows-per-person M." if run else ""
        warn(
            "whether a person may have several rows is not stated, so single rows are protected, and a person with several rows is "
            f"protected less than these numbers say. Add to {path}: {TWO_LINES}.{here}"
        )


def said(schema: "discreet.Schema") -> str:
    """What a schema that says something says, in words."""
    if schema.person is None:
        return "that each person has one row"
    each = "each person counts once" if schema.person.weight == "person" else "every row counts alike"
    return f"that {schema.person.column!r} holds the person ids, with at most {schema.person.rows} rows kept per person ({each})"
