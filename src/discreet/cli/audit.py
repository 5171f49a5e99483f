"""`discreet audit`: a lower bound on the epsilon of a mechanism, an estimator or a released model, beside what is claimed.

Exact where output laws are known, statistical elsewhere (docs/audit.md); and the mechanism is run, and the noise recovered from what leaves is
compared with the law that its certificate states. The tables are invented; a model file is audited by its certificate alone. No private record is
read, and no ledger records the runs. Exit code 6 where the claim is violated, or noise is drawn otherwise than stated.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, step, styled
from discreet.cli.report import check_report, report_option, told, written_report
from discreet.core.errors import InvalidInput, VerificationFailure
from discreet.core.files.lookup import exists

if TYPE_CHECKING:
    from discreet.audit import AuditReport
    from discreet.audit.drawn.report import DrawnReport
    from discreet.audit.named import NamedAudit
    from discreet.audit.statistical import Progress

_EXACT_DELTA, _STATISTICAL_DELTA = 1e-6, 0.01


@click.command(
    short_help="Look for a violation of what a mechanism or a model promises.",
    epilog=examples(
        "discreet audit --list",
        "discreet audit objective --epsilon 0.5 --delta 1e-6 --neighbours add-remove",
        "discreet audit logistic-regression --runs 10000 --plot laws.svg",
        "discreet audit model.json --json",
    ),
)
@click.argument("subject", metavar="[NAME|MODEL]", required=False)
@click.option("--list", "listed", is_flag=True, help="Show the names, and what each audits.")
@click.option("--epsilon", type=NUMBER, help="Claim to calibrate for and to audit; 1 if left out. A model file brings its own.")
@click.option(
    "--delta",
    type=NUMBER,
    help=f"Likewise; if left out, 0 for pure mechanisms, {_STATISTICAL_DELTA:g} for other statistical audits, {_EXACT_DELTA:g} for all others.",
)
@click.option("--neighbours", type=click.Choice(["replace-one", "add-remove"]), help="Which tables are neighbours; replace-one if left out.")
@click.option("--runs", type=int, help="Statistical audits: runs on each of the two tables; 2000 if left out.")
@click.option("--confidence", type=NUMBER, help="Statistical audits: probability that the bound is one; 0.999 if left out.")
@click.option("--plot", type=click.Path(), help="Write both output laws to this SVG file.")
@report_option
@click.option("--overwrite", is_flag=True, help="Replace these files where they exist.")
@json_option
def audit(
    *,
    subject: str | None,
    listed: bool,
    plot: str | None,
    report_path: str | None,
    overwrite: bool,
    as_json: bool,
    **settings: Any,  # noqa: ANN401 - the numbers of the audit, which click has checked
) -> None:
    """Bound from below the epsilon of NAME, a mechanism or estimator of this library, or of the MODEL in a file.

    NAME is calibrated for --epsilon and --delta and run on the worst pair of neighbouring tables that is known for it. MODEL is audited by its
    certificate: which epsilon the recorded noise has on such a pair. A bound above the claim refutes it, and the exit code is 6; one below it proves
    nothing. Whether NAME draws the noise that its certificates state is tested on what leaves; if not, the exit code is 6 too.
    """
    context = click.get_current_context()
    with step("Loading"):
        from discreet.audit.named import CATALOGUE  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.cli.audit_estimators import ESTIMATORS  # noqa: PLC0415
        from discreet.core.files.whole_file import check_writable, write_whole  # noqa: PLC0415
    known = {**CATALOGUE, **ESTIMATORS}
    if listed:
        _list(known, as_json=as_json)
        return
    if subject is None:
        raise click.UsageError("a name (see --list) or a model file is needed", context)
    if plot is not None:
        check_writable(plot, overwrite=overwrite)
    check_report(report_path, *([] if plot is None else [plot]), *([] if subject in known else [subject]), overwrite=overwrite)
    found = _named(known[subject], settings) if subject in known else _model(subject, known, settings)
    if plot is not None:
        write_whole(plot, found.plot(), overwrite=overwrite)
    lines = [_coloured(line, violated=found.violated) for line in str(found).splitlines()]
    if plot is not None:
        lines.append(f"Written      {plot}")
    failure = written_report(found, report_path, None, name=None, overwrite=overwrite)
    page = None if failure else report_path
    if page is not None:
        lines.append(f"Report       {page}")
    answer({"command": "audit", "name": subject, **found.to_dict(), "plot": plot, "report": page}, lines, as_json=as_json)
    code = told(failure, as_json=as_json)
    if found.violated or code != 0:
        context.exit(VerificationFailure.exit_code if found.violated else code)


def _list(known: "dict[str, NamedAudit]", *, as_json: bool) -> None:
    width = max(map(len, known)) + 2
    rows = [f"{one.name:<{width}}{one.method:<13}{one.summary}" for one in known.values()]
    document = {"command": "audit", "audits": [{"name": one.name, "method": one.method, "summary": one.summary} for one in known.values()]}
    answer(document, rows, as_json=as_json)


def _named(entry: "NamedAudit", settings: dict[str, Any]) -> "AuditReport | DrawnReport":
    from discreet.audit.target import Target  # noqa: PLC0415
    from discreet.core.neighbours import Neighbours  # noqa: PLC0415

    statistical = entry.method == "statistical"
    if not statistical and (given := [name for name in ("runs", "confidence") if settings[name] is not None]):
        raise InvalidInput(f"--{given[0]} belongs to a statistical audit; that of {entry.name!r} is not one (method {entry.method}).")
    delta = settings["delta"]
    if delta is None:
        delta = 0.0 if entry.pure else _STATISTICAL_DELTA if statistical else _EXACT_DELTA
    if entry.pure and delta > 0:
        raise InvalidInput(f"{entry.name!r} is private with delta 0; leave --delta out.")
    with _progress(f"Auditing {entry.name}") as progress:
        return entry.report(
            Target(
                epsilon=1.0 if settings["epsilon"] is None else settings["epsilon"],
                delta=delta,
                neighbours=Neighbours(settings["neighbours"] or "replace-one"),
                runs=2000 if settings["runs"] is None else settings["runs"],
                confidence=0.999 if settings["confidence"] is None else settings["confidence"],
                progress=progress,
            )
        )


def _model(path: str, known: "dict[str, NamedAudit]", settings: dict[str, Any]) -> "AuditReport":
    from discreet.audit.certified import certificate_audit  # noqa: PLC0415
    from discreet.core.words import did_you_mean  # noqa: PLC0415
    from discreet.estimators.model import Model  # noqa: PLC0415

    if not exists(path):
        raise InvalidInput(f"there is no audit and no file called {path!r}.{did_you_mean(path, list(known))} See discreet audit --list.")
    if given := [name for name, value in settings.items() if value is not None]:
        raise InvalidInput(f"a model file brings its own claim and is audited exactly; leave --{given[0]} out.")
    with step("Auditing the certificate"):
        return certificate_audit(Model.load(path).certificate)


@contextmanager
def _progress(text: str) -> "Iterator[Progress | None]":
    """A bar on standard error while runs are made; nothing where it is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only a terminal needs it
    from rich.progress import Progress as Bar  # noqa: PLC0415

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _coloured(line: str, *, violated: bool) -> str:
    if not line.startswith("Verdict"):
        return line
    head, words = line[:13], line[13:]
    return head + styled(words, fg="red" if violated else "green")
