"""The table that `discreet fit` or `discreet tune` was given: one in memory, or files that are read in blocks, here or by the workers of a cluster.

A folder, several files, a pattern, an Arrow file and every table for --dask are read in blocks; all columns are found by name and encoded by the
schema, in whatever order a file has them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.cli.output import step
from discreet.core.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.data import Cluster, EncodedTable, Schema
    from discreet.data.blocks import BlockTable

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_ARROW = (".arrow", ".feather", ".ipc")
_WAIT = "30 s"


def worker_options(command: Decorated) -> Decorated:
    """`--jobs` and `--dask` of commands that go over a table in blocks, and the terms of a cluster, which `cluster_of` takes from the context."""
    options = (
        click.option("--jobs", type=int, help="Threads, or workers of --dask local; -1 for every processor.  [default: 1; with --dask local -1]"),
        click.option("--dask", help="Address (tls://..) of a Dask scheduler whose workers read the files, or local to start workers here."),
        click.option(
            "--dask-insecure",
            is_flag=True,
            expose_value=False,
            callback=_kept,
            help="Take a cluster without encryption: whoever reaches it reads the records and runs programs as its owner.",
        ),
        click.option(
            "--dask-deadline",
            type=click.FloatRange(min=0.0, min_open=True),
            metavar="SECONDS",
            expose_value=False,
            callback=_kept,
            help="Give up when a cluster has finished nothing for so long.  [default: 900]",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _kept(context: click.Context, option: click.Parameter, value: object) -> None:
    """Into the context, since every command of this kind would only pass it on."""
    context.meta[f"{__name__}.{option.name}"] = value


def named_tables(tables: Sequence[str]) -> list[str]:
    """The files and folders that are meant, patterns replaced by what they match. Raises InvalidInput for one that matches nothing."""
    found: list[str] = []
    for table in tables:
        if not any(mark in table for mark in "*?[") or Path(table).exists():
            found.append(table)
            continue
        matches = sorted(glob(table))  # noqa: PTH207 - as the shell has it
        if not matches:
            raise InvalidInput(f"nothing matches {table!r}. Check the path.")
        found += matches
    return found


def files_within(tables: Sequence[str]) -> list[str]:
    """The files that are read, those of folders one by one: none may be written over."""
    return [str(file) for table in tables for file in ([*Path(table).iterdir()] if Path(table).is_dir() else [table])]


def in_blocks(tables: Sequence[str], dask: str | None) -> bool:
    """Whether they are read in blocks."""
    return len(tables) > 1 or dask is not None or tables[0].lower().endswith(_ARROW) or Path(tables[0]).is_dir()


@contextmanager
def opened(
    tables: Sequence[str], schema: "Schema", *, jobs: int | None, dask: str | None, may_be_empty: bool
) -> Iterator["EncodedTable | BlockTable"]:
    """The records, encoded by `schema`: private. Raises what reading raises, InvalidInput where no cluster is to be had."""
    if not in_blocks(tables, dask):
        yield _whole(tables[0], schema, may_be_empty=may_be_empty)
        return
    from discreet.data import schema_files  # noqa: PLC0415 - imports of the library wait until they are needed

    table = schema_files(tables, schema)
    if dask is None:
        yield table
        return
    with _cluster(dask, jobs) as cluster:
        yield table.on(cluster)


def _whole(path: str, schema: "Schema", *, may_be_empty: bool) -> "EncodedTable":
    from discreet.data import read_table  # noqa: PLC0415

    with step("Reading the table"):
        frame = read_table(path, schema.columns(target=True))
    if frame.height == 0 and not may_be_empty:
        raise InvalidInput("the table has no records; at least one is needed when their number is public.")
    with step("Encoding"):
        return schema.encode(frame, target=True)


@contextmanager
def cluster_of(dask: str | None, jobs: int | None) -> Iterator["Cluster | None"]:
    """The cluster that --dask asks for, or None. Raises InvalidInput where none is to be had, or none that is encrypted."""
    if dask is None:
        yield None
        return
    with _cluster(dask, jobs) as cluster:
        yield cluster


@contextmanager
def _cluster(address: str, jobs: int | None) -> Iterator["Cluster"]:
    """The cluster of the scheduler at `address`, or one that is started on this machine for "local", with a worker a processor or `jobs` of them."""
    try:
        from distributed import Client  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise InvalidInput("--dask needs Dask: pip install discreet[dask].") from None
    from discreet.core.workers import job_count  # noqa: PLC0415
    from discreet.data import Cluster, local_cluster  # noqa: PLC0415
    from discreet.data.blocks import DEADLINE, check_address, quiet  # noqa: PLC0415

    said = click.get_current_context().meta
    insecure, deadline = bool(said.get(f"{__name__}.dask_insecure")), said.get(f"{__name__}.dask_deadline")
    if address != "local":
        check_address(address, insecure=insecure)
    failed = InvalidInput(
        f"no Dask cluster with a worker answered at {address!r} within {_WAIT}. Check the address and, for tls://, the certificates of Dask's "
        "configuration, or use --dask local."
    )
    with ExitStack() as stack:
        stack.enter_context(quiet())
        client = None
        try:
            with step("Connecting to the cluster"):
                if address == "local":
                    client = stack.enter_context(local_cluster(job_count(-1 if jobs is None else jobs)))
                else:
                    client = stack.enter_context(Client(address, timeout=_WAIT))
                client.wait_for_workers(1, timeout=30)
        except InvalidInput:
            raise
        except (OSError, RuntimeError, ValueError, TypeError):  # a timeout is an OSError, an address that is none a ValueError
            client = None
        if client is None:
            raise failed
        yield Cluster(client=client, insecure=insecure, deadline=DEADLINE if deadline is None else deadline)
