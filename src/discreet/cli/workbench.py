"""`discreet workbench`: the same work at a page in the browser, served by this machine to itself."""

import signal
import webbrowser

import click

from discreet.cli.output import answer, examples, json_option


@click.command(
    short_help="A page in the browser, from a table to a verified model.",
    epilog=examples(
        "discreet workbench --open",
        "discreet workbench --ledger team.ledger --data-set people --folder results",
        "discreet workbench --port 8765   # and elsewhere: ssh -L 8765:127.0.0.1:8765 this-machine",
    ),
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default="any free one", help="Port on the loopback address 127.0.0.1.")
@click.option("--open", "open_", is_flag=True, help="Open the page in the standard browser.")
@click.option("--folder", type=click.Path(), default="workbench", show_default=True, help="Where models and releases are written, one folder a run.")
@click.option("--ledger", "ledger_path", type=click.Path(), envvar="DISCREET_LEDGER", show_envvar=True, help="The ledger that the page begins with.")
@click.option("--data-set", envvar="DISCREET_DATA_SET", show_envvar=True, help="Name of the table in the ledger.")
@json_option
def workbench(*, port: int, open_: bool, folder: str, ledger_path: str | None, data_set: str | None, as_json: bool) -> None:
    """Serve a page on which a table is described, a trade-off explored, and a model fitted or a table released.

    Only this machine can reach it, and only a browser that opens the link that is printed, which works once. Ctrl-C ends it. A run is the command
    `discreet fit` or `discreet release`, which the page shows. Trade-offs are explored on invented rows, never on the table.
    """
    from pathlib import Path  # noqa: PLC0415 - imports wait until they are needed

    from discreet.cli.spending import opened  # noqa: PLC0415
    from discreet.display.workbench import Workbench  # noqa: PLC0415

    if ledger_path is not None:
        ledger_path = str(opened(ledger_path).path)
    page = Workbench(port=port, folder=folder, ledger=ledger_path, data_set=data_set)
    document = {"command": "workbench", "link": page.link, "folder": str(Path(folder).absolute())}
    lines = [
        f"Workbench    {page.link}",
        "             Open this link in a browser on this machine; it works once. Elsewhere: docs/workbench.md tells how to tunnel.",
        f"Results      {document['folder']}",
        "End          Ctrl-C",
    ]
    for name in ("SIGTERM", "SIGHUP"):  # a closed terminal ends it as Ctrl-C does, so that uploads never stay behind
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        answer(document, lines, as_json=as_json)
        if open_:
            webbrowser.open(page.doorstep().as_uri())
        page.serve()
    except KeyboardInterrupt:
        pass
    finally:
        page.close()
