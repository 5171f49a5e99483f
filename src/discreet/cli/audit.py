"""`discreet audit`: a lower bound on the epsilon of a mechanism, an estimator or a released model, beside what is claimed.

Exact where output laws are known, statistical elsewhere (docs/audit.md); and the mechanism is run, and the noise recovered from what leaves is
compared with the law that its certificate states. The tables are invented; a model file is audited by its certificate alone. No private record is
read, and no ledger records the runs. Exit code 6 where the claim is violated, or noise is drawn otherwise than stated.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import discreet
from discreet.cli.options import Argument, File, Hidden, Option, Report, command, flag, usage_error
from discreet.cli.output import Outcome, check_output, check_report, labelled, step, styled, table, written_report
from discreet.core.errors import InvalidInput, VerificationFailure, did_you_mean
from discreet.core.files.reading import exists
from discreet.core.files.whole_file import write_whole
from discreet.core.neighbours import DELTA

_STATISTICAL_DELTA = 0.01
"""What so few runs can tell from nothing."""


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """What is audited and how; a model file brings its own."""

    epsilon: Annotated[float | None, "Claim to calibrate for and to audit; 1 if left out. A model file brings its own."] = None
    delta: Annotated[
        float | None,
        f"Likewise; if left out, 0 for pure mechanisms, {_STATISTICAL_DELTA:g} for other statistical audits, {DELTA:g} for all others.",
    ] = None
    neighbours: Annotated[Hidden | None, "Which tables are neighbours; replace-one if left out."] = None
    runs: Annotated[int | None, "Statistical audits: runs on each of the two tables; 2000 if left out."] = None
    confidence: Annotated[float | None, "Statistical audits: probability that the bound holds.  [default: 0.999]"] = None
    rows_per_person: Annotated[int | None, "Audit the protection of persons with at most this many kept rows, on a worst case."] = None
    person_weight: Annotated[str | None, "With --rows-per-person, what a kept row weighs: person (a person counts once) or row (rows alike)."] = None
    person_rows: Annotated[
        str | None, "With --rows-per-person, how the rows of the worst person lie: equal (with as many again to be left out), spread or cancelling."
    ] = None


@command(
    "Look for violations of a privacy claim.",
    "discreet audit --list",
    "discreet audit objective --epsilon 0.5 --delta 1e-6 --neighbours add-remove",
    "discreet audit logistic-regression --runs 10000 --plot laws.svg",
    "discreet audit logistic-regression --rows-per-person 5 --person-rows cancelling",
    "discreet audit model.json --json",
)
def audit(
    *,
    subject: Annotated[str | None, Argument(metavar="[NAME|MODEL]")] = None,
    listed: Annotated[bool, Option(name="--list", help="Show the names, and what each audits.")] = False,
    claim: _Claim,
    plot: Annotated[File | None, "Write both output distributions to this SVG file."] = None,
    report: Report = None,
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False,
) -> Outcome:
    """Compute a lower bound on the epsilon of NAME, a mechanism or estimator of this library, or of the MODEL in a file.

    NAME is calibrated for --epsilon and --delta, and run on the worst pair of neighbouring tables that is known for it. MODEL is audited by its
    certificate: the audit finds the epsilon of the recorded noise on such a pair. A bound above the claim refutes it, with exit code 6; one below it
    proves nothing. The output is also tested for the noise that certificates of NAME state, again with exit code 6 if it fails.
    """
    with step("Loading"):
        from discreet.audit.drawn.named import CATALOGUE
        from discreet.cli.audit_estimators import ESTIMATORS
    known = {**CATALOGUE, **ESTIMATORS}
    if listed:
        widths = (-max(map(len, known)) - 2, -13, -1)
        audits = [{"name": one.name, "method": one.method, "summary": one.summary} for one in known.values()]
        return Outcome(document={"audits": audits}, lines=table(widths, *(tuple(one.values()) for one in audits)))
    if subject is None:
        raise usage_error("a name (see --list) or a model file is needed")
    file = None if subject in known else subject
    check_output(plot, file, overwrite=overwrite)
    check_report(report, plot, file, overwrite=overwrite)
    found = _named(known[subject], claim) if subject in known else _model(subject, known, claim)
    if plot is not None:
        write_whole(plot, found.plot(), overwrite=overwrite)
    page = written_report(found, report, name=None, overwrite=overwrite)
    lines = [_coloured(line, violated=found.violated) for line in str(found).splitlines()]
    return Outcome(
        document={"name": subject, **found.to_dict(), "plot": plot, "report": page.path},
        lines=[*lines, *labelled(("Written", plot), ("Report", page.path))],
        lost=[page.lost],
        code=VerificationFailure.exit_code if found.violated else 0,
    )


def _named(entry: "discreet.audit.drawn.named.NamedAudit", claim: _Claim) -> "discreet.audit.AuditReport | discreet.audit.DrawnReport":
    statistical = entry.method == "statistical"
    if not statistical and (given := [name for name in ("runs", "confidence") if getattr(claim, name) is not None]):
        raise InvalidInput(f"--{given[0]} is for statistical audits; the audit of {entry.name!r} is not one (method {entry.method}).")
    delta = claim.delta
    if delta is None:
        delta = 0.0 if entry.pure else _STATISTICAL_DELTA if statistical else DELTA
    if entry.pure and delta > 0:
        raise InvalidInput(f"{entry.name!r} is private with delta 0; leave --delta out.")
    numbers = {name: getattr(claim, name) for name in ("epsilon", "runs", "confidence")}
    said = {"epsilon": 1.0, "runs": 2000, "confidence": 0.999} | {name: value for name, value in numbers.items() if value is not None}
    said |= {"delta": delta, "neighbours": discreet.Neighbours(claim.neighbours or "replace-one"), "person": _person(claim)}
    with _progress(f"Auditing {entry.name}") as progress:
        return entry.report(discreet.audit.claim.Target(**said, progress=progress))


def _person(claim: _Claim) -> "discreet.audit.persons.WorstPerson | None":
    if claim.rows_per_person is None:
        if claim.person_weight is not None or claim.person_rows is not None:
            raise usage_error("--person-weight and --person-rows need --rows-per-person, the largest number of rows kept per person")
        return None
    from discreet.mechanisms.persons import declared_rule

    rule = declared_rule(claim.rows_per_person, claim.person_weight or "person", told_apart=True)
    return None if rule is None else discreet.audit.persons.WorstPerson(rule=rule, lying=claim.person_rows or "equal")


def _model(path: str, known: "dict[str, discreet.audit.drawn.named.NamedAudit]", claim: _Claim) -> "discreet.audit.AuditReport":
    if not exists(path):
        raise InvalidInput(f"there is no audit and no file called {path!r}.{did_you_mean(path, list(known))} See discreet audit --list.")
    if given := [name for name, value in vars(claim).items() if value is not None]:
        raise InvalidInput(f"a model file states its own claim and is audited exactly; leave {flag(given[0])} out.")
    with step("Auditing the certificate"):
        return discreet.audit.learning.certificate_audit(discreet.Model.load(path).certificate)


@contextmanager
def _progress(text: str) -> "Iterator[discreet.audit.claim.Progress | None]":
    """A bar on standard error while runs are made; nothing where it is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # only a terminal needs it
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _coloured(line: str, *, violated: bool) -> str:
    if not line.startswith("Verdict"):
        return line
    head, words = line[:13], line[13:]
    return head + styled(words, fg="red" if violated else "green")
