"""The tables that a command was given: one in memory, or files that are read in blocks, here or by the workers of a cluster.

A folder, several files, a pattern, an Arrow file and every table for --dask are read in blocks; all columns are found by name and encoded by the
schema, in whatever order a file has them.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from discreet.cli.options import ARGUMENT, File, Option
from discreet.cli.output import step
from discreet.core.errors import InvalidInput, SchemaError

if TYPE_CHECKING:
    from discreet.data import Cluster, EncodedTable, Schema
    from discreet.data.blocks import BlockTable

_ARROW = (".arrow", ".feather", ".ipc")
_WAIT = "30 s"


@dataclass(frozen=True, kw_only=True)
class Records:
    """Which files, and who reads them."""

    table: Annotated[tuple[File, ...], ARGUMENT]
    jobs: Annotated[int | None, "Threads, or workers of --dask local; -1 for every processor.  [default: 1; with --dask local -1]"] = None
    dask: Annotated[str | None, "Address (tls://..) of a Dask scheduler whose workers read the files, or local to start workers here."] = None
    dask_insecure: Annotated[bool, "Take a cluster without encryption: whoever reaches it reads the records and runs programs as its owner."] = False
    dask_deadline: Annotated[
        float | None,
        Option(
            metavar="SECONDS",
            type=click.FloatRange(min=0.0, min_open=True),
            help="Give up when a cluster has finished nothing for so long.  [default: 900]",
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
                raise InvalidInput(f"nothing matches {table!r}. Check the path.")
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

    def opened(self, schema: "Schema", *, may_be_empty: bool) -> "EncodedTable | BlockTable":
        """The records, encoded by `schema`: private. Raises what reading raises, InvalidInput where no cluster is to be had."""
        if not self.in_blocks:
            return _whole(self.paths[0], schema, may_be_empty=may_be_empty)
        from discreet.data import schema_files

        table, cluster = schema_files(self.paths, schema), self.cluster()
        return table if cluster is None else table.on(cluster)

    def cluster(self) -> "Cluster | None":
        """The cluster that --dask asks for, or None: that of a scheduler's address, or for "local" one that is started on this machine.

        It is closed when the command has said everything, since closing may fail. Raises InvalidInput where none is to be had, or none encrypted.
        """
        return None if self.dask is None else click.get_current_context().with_resource(self._connected(self.dask))

    @contextmanager
    def _connected(self, address: str) -> Iterator["Cluster"]:
        try:
            from distributed import Client  # an optional dependency
        except ImportError:
            raise InvalidInput("--dask needs Dask: pip install discreet[dask].") from None
        from discreet.core.workers import job_count
        from discreet.data import Cluster, local_cluster
        from discreet.data.blocks import DEADLINE, check_address, quiet

        if address != "local":
            check_address(address, insecure=self.dask_insecure)
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
                        client = stack.enter_context(local_cluster(job_count(-1 if self.jobs is None else self.jobs)))
                    else:
                        client = stack.enter_context(Client(address, timeout=_WAIT))
                    client.wait_for_workers(1, timeout=30)
            except InvalidInput:
                raise
            except (OSError, RuntimeError, ValueError, TypeError):  # a timeout is an OSError, an address that is none a ValueError
                client = None
            if client is None:
                raise failed
            yield Cluster(client=client, insecure=self.dask_insecure, deadline=DEADLINE if self.dask_deadline is None else self.dask_deadline)


def check_classes(schema: "Schema", command: str) -> None:
    """Raise SchemaError for a schema whose target is a number, where a command is for classes."""
    from discreet.data import NumberTarget

    if isinstance(schema.target, NumberTarget):
        raise SchemaError(
            f"{command} is for classes, and the schema declares that {schema.target.where} is a number; regressions are fitted in Python."
        )


def _whole(path: str, schema: "Schema", *, may_be_empty: bool) -> "EncodedTable":
    from discreet.data import read_table

    with step("Reading the table"):
        frame = read_table(path, schema.columns(target=True))
    if frame.height == 0 and not may_be_empty:
        raise InvalidInput("the table has no records; at least one is needed when their number is public.")
    with step("Encoding"):
        return schema.encode(frame, target=True)
