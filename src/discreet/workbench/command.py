"""`discreet workbench`: the same work at a page in the browser, served by this machine to itself."""

import signal
import webbrowser
from pathlib import Path
from typing import Annotated

import click

from discreet.cli.inputs import open_ledger
from discreet.cli.options import File, Option, command
from discreet.cli.output import Outcome, labelled, present


@command(
    "Work in the browser, from a table to a verified model.",
    "discreet workbench --open",
    "discreet workbench --ledger team.ledger --data-set people --folder results",
    "discreet workbench --port 8765   # and elsewhere: ssh -L 8765:127.0.0.1:8765 this-machine",
)
def workbench(
    *,
    port: Annotated[int, Option(type=click.IntRange(0, 65535), default="any free one", help="Port on the loopback address 127.0.0.1.")] = 0,
    open: Annotated[bool, "Open the page in the standard browser."] = False,  # noqa: A002 - the name of the option
    folder: Annotated[str, Option(type=click.Path(), help="Where to write models and releases, one folder per run.")] = "workbench",
    ledger: Annotated[File | None, Option(variable="DISCREET_LEDGER", help="The ledger that the page begins with.")] = None,
    data_set: Annotated[str | None, Option(variable="DISCREET_DATA_SET", help="Name of the data set in the ledger.")] = None,
) -> None:
    """Serve a page where you describe a table, explore trade-offs, fit models and publish data.

    Only this machine can reach the page, and only through the printed link, which works once. Ctrl-C ends it. Each run is a command such as
    `discreet fit`, which the page shows. Trade-offs are explored on invented rows, never on the table.
    """
    from discreet.workbench import Workbench
    from discreet.workbench.command_jobs import CommandJobs

    path = None if ledger is None else str(open_ledger(ledger).path)
    page = Workbench(CommandJobs(), port=port, folder=folder, ledger=path, data_set=data_set)
    results = str(Path(folder).absolute())
    how = "Open this link in a browser on this machine; it works once. For another machine, docs/workbench.md explains how to tunnel."
    for name in ("SIGTERM", "SIGHUP"):  # a closed terminal ends it as Ctrl-C does, so that uploads never stay behind
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        present(
            Outcome(
                document={"link": page.link, "folder": results},
                lines=labelled(("Workbench", page.link), ("", how), ("Results", results), ("End", "Ctrl-C")),
            )
        )
        if open:
            webbrowser.open(page.doorstep().as_uri())
        page.serve()
    except KeyboardInterrupt:
        pass
    finally:
        page.close()
