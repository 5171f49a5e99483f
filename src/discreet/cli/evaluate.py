"""`discreet evaluate`: how good a model is, exactly or privately; `discreet intervals`: intervals for its coefficients, from a release of its own.

    error = share of records with another class than the chosen one      log loss = mean of -ln(probability of the record's own class)

Numbers computed on private records leak: a certificate covers the model, not what is measured with it. So the user either declares what the records
are (--data-is), or gives the measurement a budget of its own (--epsilon): then it is a release with its own certificate. Everything that can fail
without a record fails before one is read; after the release the budget is spent, so the numbers are printed even where the picture cannot be saved.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

import discreet
from discreet.cli.inputs import Records, Spending, check_classes, check_fits, read, receipt
from discreet.cli.options import ARGUMENT, Argument, File, Hidden, Report, Seed, command, flag, noise_of, usage_error
from discreet.cli.output import Outcome, as_text, check_output, check_report, keep, labelled, same_path, step, table, written, written_report
from discreet.core.errors import InvalidInput
from discreet.core.files.whole_file import write_whole

FORMAT = "discreet-measures/1"
"""The format of exact measures, which carry no certificate and are read by nothing here."""
DECLARATIONS = {
    "public": "everyone may see these records",
    "non-private": "these records are about nobody, or their people agreed",
    "synthetic": "these records were invented",
}


@dataclass(frozen=True, kw_only=True)
class _Private:
    """What belongs to a private measurement alone."""

    delta: Annotated[float | None, "With --epsilon: probability that the loss is exceeded; 0 if left out."] = None
    neighbours: Annotated[
        Hidden | None, "With --epsilon: what is hidden, the content of one record (replace-one, standard) or also whether it is there at all."
    ] = None
    metrics: Annotated[
        str | None, "With --epsilon: some of accuracy, confusion, log_loss, roc, calibration, with commas between; accuracy,confusion if left out."
    ] = None
    bins: Annotated[int | None, "With --epsilon: bins of the probability for roc and calibration, an even number; 20 if left out."] = None
    log_loss_bound: Annotated[float | None, "With --epsilon: where the loss of a record is cut; 5 if left out."] = None


@dataclass(frozen=True, kw_only=True)
class _Evaluate:
    model: Annotated[File, Argument(metavar="MODEL")]
    data_is: Annotated[
        Literal["public", "non-private", "synthetic"] | None,
        "Your declaration that the records need no protection: numbers computed on private ones would leak.",
    ] = None
    epsilon: Annotated[float | None, "Protect the records: privacy loss that the measurement may cost, > 0."] = None
    private: _Private
    out: Annotated[File | None, "Write the measures to this JSON file; with --epsilon also their certificate."] = None
    plot: Annotated[File | None, "With --epsilon: write the curves to this SVG file."] = None
    report: Report = None
    overwrite: Annotated[bool, "Replace these files where they exist."] = False
    spending: Spending
    records: Records
    seed: Annotated[int | None, "With --epsilon: reproducible noise, for tests: the certificate is then not valid."] = None


@command(
    "Measure a model, exactly on public records or privately.",
    "discreet evaluate model.json published.csv --data-is public",
    "discreet evaluate model.json volunteers.parquet --data-is non-private --json",
    "discreet evaluate model.json held-out.csv --epsilon 0.5 --delta 1e-6",
    "discreet evaluate model.json held-out.csv --epsilon 1 --metrics accuracy,roc,calibration --plot curves.svg",
    "discreet evaluate model.json held-out.csv --epsilon 0.5 --out evaluation.json --ledger team.ledger --data-set people",
    "discreet evaluate model.json held-out/*.parquet --epsilon 0.5 --delta 1e-6 --jobs 2",
)
def evaluate(given: _Evaluate) -> Outcome:
    """Measure MODEL on TABLE.

    With --data-is, TABLE must hold no private records: the numbers are exact and unprotected. With --epsilon the records are protected: the numbers
    are released with noise, error bars and a certificate, and cost that much privacy.

    TABLE needs the columns of the model's schema, the target's too; - is CSV on standard input. Several .parquet, .arrow, .feather or .ipc files, a
    folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    """
    if (given.data_is is None) == (given.epsilon is None):
        raise usage_error("either --data-is (the records need no protection) or --epsilon (they are protected, at this cost) is needed, and not both")
    if given.epsilon is not None:
        return _private(given, given.epsilon)
    of_private = {**vars(given.private), "plot": given.plot, "report": given.report, "part": given.spending.part, "seed": given.seed}
    if alone := [name for name, value in of_private.items() if value is not None]:
        raise usage_error(f"{flag(alone[0])} belongs to a private measurement, which needs --epsilon")
    if given.overwrite and given.out is None:
        raise usage_error("--overwrite needs --out, or a private measurement with --epsilon")
    return _public(given, str(given.data_is))


def _public(given: _Evaluate, data_is: str) -> Outcome:
    """Exact numbers."""
    from discreet.core.validate import job_count

    model = discreet.Model.load(given.model)
    check_classes(model.schema, "discreet evaluate")
    threads = job_count(given.records.jobs)
    check_output(given.out, *given.records.files, given.model, overwrite=given.overwrite)
    records = given.records.open_table(model.schema, may_be_empty=True, persons=False)
    with step("Evaluating"):
        measures = measured(model, records, jobs=threads)
    classes = [discreet.data.labels.canonical(label) for label in model.schema.target.classes]
    held = {"format": FORMAT, "data_is": data_is, "declaration": DECLARATIONS[data_is], "classes": classes, **asdict(measures)}
    if given.out is not None:
        write_whole(given.out, as_text(held) + "\n", overwrite=given.overwrite)
    error = f"{measures.error:.4f} (always answering the commoner class: {measures.always_commoner:.4f})"
    declared = f"declared {data_is} ({DECLARATIONS[data_is]}): these numbers are exact and not protected"
    lines = [
        *labelled(
            ("Records", f"{measures.records}, {declared}"),
            ("Accuracy", f"{measures.accuracy:.4f}"),
            ("Error", error),
            ("Log loss", None if measures.log_loss is None else f"{measures.log_loss:.4f}"),
        ),
        *_confusion(classes, measures.confusion),
        *([] if given.out is None else ["", f"Written to   {given.out}"]),
    ]
    return Outcome(document={**held, "written": given.out}, lines=lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Exact, unprotected numbers."""

    records: int
    accuracy: float
    error: float
    log_loss: float | None
    """None for a model without probabilities."""
    confusion: list[list[int]]
    """confusion[actual][predicted], in the order of the declared classes: negative first where they are two."""
    always_commoner: float
    """Error of always answering the commoner class of these records."""


def measured(model: "discreet.Model", table: "discreet.EncodedTable | discreet.data.BlockTable", *, jobs: int = 1) -> Measures:
    """Of a table that was encoded with its target, or whose blocks are, read once. Raises InvalidInput for one without records."""
    import numpy as np

    labels = model.schema.target.classes

    def encoded(block: "discreet.data.Block") -> "discreet.EncodedTable":
        """As what it was before it was a block."""
        codes = None if block.targets is None else discreet.data.class_codes(block.targets, np.asarray(labels)).astype(np.int32)
        return model.schema.encoded(block.rows, codes=codes)

    found = (
        table.map(lambda _, block: _counted(model, encoded(block)), jobs) if isinstance(table, discreet.data.BlockTable) else [_counted(model, table)]
    )
    parts = list(found)
    confusion = sum((counts for counts, _ in parts), np.zeros((len(labels), len(labels)), dtype=np.int64))
    total, right = int(confusion.sum()), int(np.trace(confusion))
    if total == 0:
        raise InvalidInput("the table has no record. At least one is needed to measure a model.")
    return Measures(
        records=total,
        accuracy=right / total,
        error=(total - right) / total,
        log_loss=math.fsum(losses for _, losses in parts) / total if model.has_probabilities else None,
        confusion=confusion.tolist(),
        always_commoner=(total - int(confusion.sum(axis=1).max())) / total,
    )


def _counted(model: "discreet.Model", table: "discreet.EncodedTable") -> tuple[Any, float]:
    """Counts of actual and predicted classes, and the sum of the logarithmic losses, 0 for a model without probabilities."""
    import numpy as np

    from discreet.estimators.forms import chosen_codes

    codes = table.codes if table.signs is None else (table.signs > 0).astype(np.intp)
    if codes is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True to measure a model.")
    classes = len(model.schema.target.classes)
    confusion = np.bincount(codes * classes + chosen_codes(model.decision(table)), minlength=classes * classes).reshape(classes, classes)
    losses = -float(np.sum(model.log_probabilities(table)[np.arange(len(codes)), codes])) if model.has_probabilities else 0.0
    return confusion, losses


def _private(given: _Evaluate, epsilon: float) -> Outcome:
    """Numbers with noise, as a release."""
    with step("Checking what can be checked without the records"):
        from discreet.core.validate import job_count
        from discreet.evaluation.outcomes import outcomes_of
        from discreet.evaluation.private import measure, measure_blocks, prepare

        model = discreet.Model.load(given.model)
        check_classes(model.schema, "discreet evaluate")
        threads, said = job_count(given.records.jobs), given.private
        sources = [*given.records.files, given.model, given.spending.ledger]
        relation = said.neighbours or "replace-one"
        prepared = prepare(
            model,
            epsilon=epsilon,
            delta=said.delta or 0.0,
            neighbours=relation,
            metrics=_metrics(said.metrics),
            bins=20 if said.bins is None else said.bins,
            log_loss_bound=5.0 if said.log_loss_bound is None else said.log_loss_bound,
        )
        if given.plot is not None and not {"roc", "calibration"} & set(prepared.survey.metrics):
            raise InvalidInput("--plot draws the curves of --metrics roc and calibration; ask for one of them, or leave --plot out.")
        for path in (given.plot, given.out):
            check_output(path, *sources, overwrite=given.overwrite)
        if same_path(given.out, given.plot):
            raise InvalidInput("--out and --plot name the same file. Give each its own.")
        check_report(given.report, *sources, given.out, given.plot, overwrite=given.overwrite)
        account = given.spending.account()
        check_fits(account, prepared.guarantee)
    noise = noise_of(given.seed)
    records = given.records.open_table(model.schema, may_be_empty=relation != "replace-one")
    with step("Evaluating"):
        if isinstance(records, discreet.data.BlockTable):
            found = measure_blocks(prepared, model, records, noise, account=account, jobs=threads)
        else:
            found = measure(prepared, outcomes_of(model, records, wanted=prepared.survey.wanted), noise, account=account, persons=records.persons)
    if given.out is not None:
        keep(found, "evaluation", given.out, overwrite=given.overwrite)
    page = written_report(found, given.report, account, name=given.out, overwrite=given.overwrite)
    failure = None if given.plot is None else written((given.plot, found.plot), overwrite=given.overwrite)
    plot = given.plot if failure is None else None
    document, paid = receipt(found.certificate, found.verify(), account)
    files = labelled(("Written to", given.out), ("Curves", plot and f"written to {plot}"), ("Report", page.path))
    return Outcome(
        document={"private": True, **found.to_dict(), **document, "written": given.out, "plot": plot, "report": page.path},
        lines=[*evaluation_lines(found), *paid, *files],
        lost=[(failure, "The numbers above are complete."), page.lost],
    )


def evaluation_lines(report: "discreet.PrivateEvaluation") -> list[str]:
    """What was measured, and how exactly."""
    counted = "public" if report.records_error == 0.0 else f"with noise (+- {report.records_error:.0f})"
    counts: list[str] = []
    if report.confusion is not None:
        noisy = f"(noisy counts, each within {report.confusion_error:.0f} of the true one, {100 * report.level:g} %)"
        counts = [*_confusion([discreet.data.labels.canonical(label) for label in report.classes], report.confusion), noisy]
    measures = (
        ("Accuracy", report.accuracy, ""),
        ("Log loss", report.log_loss, f", losses cut at {report.survey.log_loss_bound:g}"),
        ("AUC", None if report.roc is None else report.roc.area, ", approximate interval"),
    )
    drawn = "records" if report.survey.persons is None else "persons"
    shown = ((name, f"{one.value:.4f} ({one.low:.4f} to {one.high:.4f}){note}") for name, one, note in measures if one)
    return [
        f"{report.counted:<13}{report.records:.0f}, {counted}; what follows was read from noisy counts, and protects their people",
        *labelled(*shown),
        *counts,
        "",
        f"Intervals    {100 * report.level:g} % each; noise and sampling error together, for the population that the {drawn} are drawn from",
    ]


def _confusion(classes: Sequence[str], counts: Sequence[Sequence[float]]) -> list[str]:
    """Counts of actual and predicted classes as a table."""
    corner = "actual / predicted"
    width = max(len(corner), *map(len, classes)) + 2
    rows = ([label, *(f"{count:.0f}" for count in row)] for label, row in zip(classes, counts, strict=True))
    return ["", *table((-width, *(width for _ in classes)), [corner, *classes], *rows)]


def _metrics(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ("accuracy", "confusion")
    return tuple(dict.fromkeys(name.strip().replace("-", "_") for name in text.split(",")))


@command(
    "Intervals for coefficients, privately.",
    "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6",
    "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6 --level 0.9 --out intervals.json",
    "discreet intervals model.json people.csv --epsilon 0.5 --delta 1e-6 --ledger team.ledger --data-set people",
)
def intervals(
    *,
    model: Annotated[File, Argument(metavar="MODEL")],
    table: Annotated[File, ARGUMENT],
    epsilon: Annotated[float, "Privacy loss that the intervals may cost, besides the model, > 0."],
    delta: Annotated[float, "Probability that the loss is exceeded, > 0."],
    level: Annotated[float, "How often each interval should cover."] = 0.95,
    target: Annotated[
        Literal["penalised", "unpenalised"], "What to cover: the population's weights with the fit's penalty, or without any."
    ] = "penalised",
    out: Annotated[File | None, "Write intervals and certificate to this JSON file."] = None,
    overwrite: Annotated[bool, "Replace that file where it exists."] = False,
    spending: Spending,
    seed: Seed = None,
) -> Outcome:
    """Release intervals for the coefficients of MODEL, which was fitted on TABLE.

    They count the noise of privacy and the sampling of records. That takes a second release from the same records, whose cost adds to the model's.
    TABLE needs the columns of the model's schema, the target's too; - is CSV on standard input.
    """
    with step("Checking what can be checked without the records"):
        from discreet.estimators.intervals import measure_uncertainty, prepare_uncertainty, table_records

        if not 0 < level < 1:
            raise InvalidInput(f"--level lies between 0 and 1; {level!r} was given.")
        fitted = discreet.Model.load(model)
        prepared = prepare_uncertainty(fitted, epsilon=epsilon, delta=delta)
        check_output(out, table, model, spending.ledger, overwrite=overwrite)
        account = spending.account()
        check_fits(account, prepared.guarantee)
    noise = noise_of(seed)
    frame = read(table, fitted.schema.columns(target=True))
    with step("Releasing the curvature"):
        records = table_records(prepared, fitted, frame, noise)
        del frame
        found = measure_uncertainty(prepared, *records, noise, account=account, coding=fitted.schema.coding)
    held = discreet.estimators.IntervalFile(uncertainty=found, names=tuple(fitted.schema.feature_names), level=level, target=target)
    document, paid = receipt(held.certificate, held.verify(), account)
    if out is not None:
        keep(held, "interval file", out, overwrite=overwrite)
    return Outcome(document={**held.to_dict(), **document, "written": out}, lines=[*interval_lines(held), *paid, *labelled(("Written to", out))])


def interval_lines(held: "discreet.estimators.IntervalFile") -> list[str]:
    """The intervals as a table, and what they are for."""
    width, references = max(len(name) for name, *_ in held.rows()) + 2, held.references
    cells = ((name, f"{middle:.4f}", f"{low:.4f}", f"{high:.4f}") for name, low, middle, high in held.rows())
    covered = f"{100 * held.level:g} % each; noise and sampling error together, for the {held.target} weights of the population"
    others = f"{', '.join(references)}: 0; the other categories of a column are relative to it" if references else None
    return [*table((-width, 12, 12, 12), ("", "estimate", "low", "high"), *cells), "", *labelled(("Intervals", covered), ("Reference", others))]
