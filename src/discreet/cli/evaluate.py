"""`discreet evaluate`: how good a model is, exactly or privately; `discreet intervals`: intervals for its coefficients, from a release of its own.

Numbers computed on private records leak: a certificate covers the model, not what is measured with it. So the user either declares what the records
are (--data-is), or gives the measurement a budget of its own (--epsilon): then it is a release with its own certificate. Everything that can fail
without a record fails before one is read; after the release the budget is spent, so the numbers are printed even where the picture cannot be saved.
"""

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import discreet
from discreet.cli.any_model import ArrayRecords, Measured, OfArrays, load_model_of_schema, read_array_records
from discreet.cli.exact import confusion_lines, figure, measured, parts_of
from discreet.cli.inputs import Records, Spending, check_fits, read, receipt
from discreet.cli.options import ARGUMENT, Argument, File, Hidden, Report, Seed, command, flag, noise_of, usage_error
from discreet.cli.output import Outcome, as_text, check_output, check_report, keep, labelled, same_path, step, table, written, written_report
from discreet.core.errors import InvalidInput
from discreet.core.files.whole_file import write_whole
from discreet.core.neighbours import DELTA

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

    delta: Annotated[float | None, f"With --epsilon: probability that the loss is exceeded.  [default: {DELTA:g}]"] = None
    neighbours: Annotated[
        Hidden | None, "With --epsilon: what is hidden: the content of one record, or also whether it is in the table.  [default: replace-one]"
    ] = None
    metrics: Annotated[
        str | None,
        "With --epsilon: measures, separated by commas. For classes: accuracy, confusion, log_loss, roc, calibration, and distance if ordered "
        "(default: accuracy,confusion). For numbers: mse, mae, r2; for times: log_loss, concordance (default: all).",
    ] = None
    bins: Annotated[
        int | None, "With --epsilon: number of bins of the probability for roc and calibration (even), or of the time for concordance.  [default: 20]"
    ] = None
    log_loss_bound: Annotated[float | None, "With --epsilon: the loss of a record is cut here.  [default: 5]"] = None
    error_bound: Annotated[
        float | None,
        "With --epsilon, for numbers: an error is cut here, in the target's unit; choose it without the records.  [default: half the target's range]",
    ] = None


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
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False
    spending: Spending
    records: Records
    of_arrays: OfArrays
    seed: Annotated[int | None, "With --epsilon: reproducible noise, for tests only: the certificate is then not valid."] = None


@command(
    "Measure a model, exactly on public records or privately.",
    "discreet evaluate model.json published.csv --data-is public",
    "discreet evaluate model.json volunteers.parquet --data-is non-private --json",
    "discreet evaluate model.json held-out.csv --epsilon 0.5 --delta 1e-6",
    "discreet evaluate model.json held-out.csv --epsilon 1 --metrics accuracy,roc,calibration --plot curves.svg",
    "discreet evaluate prices.json held-out.csv --epsilon 1 --metrics mse,r2 --error-bound 50000",
    "discreet evaluate model.json held-out.csv --epsilon 0.5 --out evaluation.json --ledger team.ledger --data-set people",
    "discreet evaluate model.json held-out/*.parquet --epsilon 0.5 --delta 1e-6 --jobs 2",
    "discreet evaluate of-arrays.json held-out.csv --target price --rows-per-person 1 --epsilon 0.5",
)
def evaluate(given: _Evaluate) -> Outcome:
    """Measure MODEL on TABLE.

    With --data-is, TABLE must contain no private records: the numbers are exact and unprotected. With --epsilon the records are protected: the
    numbers are released with noise, error bars and a certificate, and cost that much privacy.

    TABLE needs the columns of the model's schema, including the target; - is CSV on standard input. Several .parquet, .arrow, .feather or .ipc
    files, a
    folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory. For a model of arrays it needs
    the columns of X by name; if the names are not known, TABLE has those columns in order, plus what --target, --event and --person
    name.
    """
    if (given.data_is is None) == (given.epsilon is None):
        raise usage_error("give --data-is if the records need no protection, or --epsilon, the privacy loss to spend on them, not both")
    if given.epsilon is not None:
        return _private(given, given.epsilon)
    of_private = {**vars(given.private), "plot": given.plot, "report": given.report, "part": given.spending.part, "seed": given.seed}
    if alone := [name for name, value in of_private.items() if value is not None]:
        raise usage_error(f"{flag(alone[0])} is for private measurements, which need --epsilon")
    if given.overwrite and given.out is None:
        raise usage_error("--overwrite needs --out, or a private measurement with --epsilon")
    return _public(given, str(given.data_is))


def _public(given: _Evaluate, data_is: str) -> Outcome:
    """Exact numbers."""
    from discreet.core.validate import job_count

    model = given.of_arrays.measured(given.model, given.records)
    threads = job_count(given.records.jobs)
    check_output(given.out, *given.records.files, given.model, overwrite=given.overwrite)
    records = _opened(given, model, may_be_empty=True, persons=False)
    with step("Evaluating"):
        measures = measured(model, records, jobs=threads)
    held: dict[str, object] = {"format": FORMAT, "data_is": data_is, "declaration": DECLARATIONS[data_is], **asdict(measures)}
    if given.out is not None:
        write_whole(given.out, as_text(held) + "\n", overwrite=given.overwrite)
    declared = f"declared {data_is} ({DECLARATIONS[data_is]}): these numbers are exact and unprotected"
    lines = [
        *labelled(("Records", f"{measures.records}, {declared}")),
        *measures.lines,
        *([] if given.out is None else ["", f"Written to   {given.out}"]),
    ]
    return Outcome(document={**held, "written": given.out}, lines=lines)


def _private(given: _Evaluate, epsilon: float) -> Outcome:
    """Numbers with noise, as a release."""
    with step("Checking what can be checked without the records"):
        from discreet.core.validate import job_count
        from discreet.evaluation.outcomes import outcomes_of
        from discreet.evaluation.private import measure, measure_blocks, prepare

        model = given.of_arrays.measured(given.model, given.records)
        threads, said = job_count(given.records.jobs), given.private
        sources = [*given.records.files, given.model, given.spending.ledger]
        relation = said.neighbours or "replace-one"
        prepared = prepare(
            model,
            epsilon=epsilon,
            delta=DELTA if said.delta is None else said.delta,
            neighbours=relation,
            metrics=_metrics(said.metrics),
            bins=20 if said.bins is None else said.bins,
            log_loss_bound=5.0 if said.log_loss_bound is None else said.log_loss_bound,
            error_bound=said.error_bound,
            persons=given.of_arrays.rule,
        )
        unfit = [name for name in ("bins", "log_loss_bound") if getattr(said, name) is not None]
        if unfit and isinstance(prepared.survey, discreet.evaluation.NumberSurvey):
            raise usage_error(f"{flag(unfit[0])} is for models of classes or times; {given.model} predicts numbers. Leave it out")
        if given.plot is not None and not {"roc", "calibration"} & set(prepared.survey.metrics):
            raise InvalidInput("--plot draws the roc and calibration curves: add one of them to --metrics, or leave --plot out.")
        for path in (given.plot, given.out):
            check_output(path, *sources, overwrite=given.overwrite)
        if same_path(given.out, given.plot):
            raise InvalidInput("--out and --plot name the same file. Give each its own name.")
        check_report(given.report, *sources, given.out, given.plot, overwrite=given.overwrite)
        account = given.spending.account("evaluation", given.model)
        check_fits(account, prepared.guarantee)
    noise = noise_of(given.seed)
    if isinstance(model, discreet.ArrayModel):
        given.of_arrays.ask()
    records = _opened(given, model, may_be_empty=relation != "replace-one")
    with step("Evaluating"):
        if isinstance(records, discreet.data.BlockTable):
            found = measure_blocks(prepared, model, records, noise, account=account, jobs=threads)
        else:
            X, y = parts_of(records)
            found = measure(prepared, outcomes_of(model, X, y, wanted=prepared.survey.wanted), noise, account=account, persons=records.persons)
    if given.out is not None:
        keep(found, "evaluation", given.out, overwrite=given.overwrite)
    page = written_report(found, given.report, account, name=given.out, overwrite=given.overwrite)
    failure = None if given.plot is None else written((given.plot, found.plot), overwrite=given.overwrite)
    plot = given.plot if failure is None else None
    document, paid, checked = receipt(found.certificate, found.verify(), account)
    files = labelled(("Written to", given.out), ("Curves", plot and f"written to {plot}"), ("Report", page.path))
    return Outcome(
        document={"private": True, **found.to_dict(), **document, "written": given.out, "plot": plot, "report": page.path},
        lines=[*evaluation_lines(found), *paid, *files],
        checked=checked,
        lost=[(failure, "The numbers above are complete."), page.lost],
    )


def _opened(
    given: _Evaluate, model: Measured, *, may_be_empty: bool, persons: bool = True
) -> "discreet.EncodedTable | discreet.data.BlockTable | ArrayRecords":
    """The records, with what is true of them: private."""
    if isinstance(model, discreet.ArrayModel):
        return read_array_records(model, given.records.paths[0], given.of_arrays, may_be_empty=may_be_empty)
    return given.records.open_table(model.schema, may_be_empty=may_be_empty, persons=persons)


def evaluation_lines(report: "discreet.PrivateEvaluation") -> list[str]:
    """What was measured, and how exactly."""
    counted = "public" if report.records_error == 0.0 else f"with noise (+- {report.records_error:.0f})"
    counts: list[str] = []
    if report.confusion is not None:
        noisy = f"(noisy counts, each within {report.confusion_error:.0f} of the true one, {100 * report.level:g} %)"
        counts = [*confusion_lines([discreet.data.labels.canonical(label) for label in report.classes], report.confusion), noisy]
    cut = {"Log loss": "log_loss_bound", **dict.fromkeys(("MSE", "RMSE", "MAE", "R^2"), "bound")}
    notes = {
        name: f"{', cut' if name == 'Log loss' else ', errors cut'} at {figure(getattr(report.survey, field))}"
        for name, field in cut.items()
        if hasattr(report.survey, field)
    }
    notes |= dict.fromkeys(("AUC", "Concordance"), ", approximate interval")
    shown = ((name, f"{figure(one.value)} ({figure(one.low)} to {figure(one.high)}){notes.get(name, '')}") for name, _, one in report.measures)
    drawn = "records" if report.survey.persons is None else "persons"
    useful = [] if report.baseline is None else [f"{report.baseline.words}."]
    return [
        f"{report.counted:<13}{report.records:.0f}, {counted}; the measures below come from noisy counts, which protect these people",
        *labelled(*shown),
        *useful,
        *counts,
        "",
        f"Intervals    {100 * report.level:g} % each; they count noise and sampling error, for the population that the {drawn} were drawn from",
    ]


def _metrics(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
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
    delta: Annotated[float, "Probability that the loss is exceeded, > 0; well below 1 / records."] = DELTA,
    level: Annotated[float, "Coverage of each interval."] = 0.95,
    target: Annotated[
        Literal["penalised", "unpenalised"], "What the intervals cover: the population's weights with the fit's penalty, or without."
    ] = "penalised",
    prior: Annotated[File | None, "For a model fitted with --prior: the same model file."] = None,
    out: Annotated[File | None, "Write intervals and certificate to this JSON file."] = None,
    overwrite: Annotated[bool, "Overwrite that file if it exists."] = False,
    spending: Spending,
    seed: Seed = None,
) -> Outcome:
    """Release intervals for the coefficients of MODEL, which was fitted on TABLE.

    They count the noise of privacy and the sampling of records. That takes a second release from the same records, whose cost adds to the model's.
    TABLE needs the columns of the model's schema, including the target; - is CSV on standard input.
    """
    with step("Checking what can be checked without the records"):
        from discreet.estimators.files.to_sklearn import prior_in
        from discreet.estimators.intervals.uncertainty import check_target
        from discreet.estimators.two_part.fit_with_intervals import interval_labels, measure_uncertainty, prepare_uncertainty, table_records

        if not 0 < level < 1:
            raise InvalidInput(f"--level must lie between 0 and 1; {level!r} was given.")
        fitted = load_model_of_schema(model)
        pulled = None if prior is None else prior_in(load_model_of_schema(prior), fitted.schema)
        prepared = prepare_uncertainty(fitted, epsilon=epsilon, delta=delta, prior=pulled)
        check_target(prepared.query.problem, target)
        check_output(out, table, model, prior, spending.ledger, overwrite=overwrite)
        account = spending.account("intervals", model)
        check_fits(account, prepared.guarantee)
    noise = noise_of(seed)
    frame = read(table, fitted.schema.columns(target=True), fitted.schema.file)
    with step("Releasing the curvature"):
        records = table_records(prepared, fitted, frame, noise)
        del frame
        found = measure_uncertainty(prepared, *records, noise, account=account, coding=fitted.schema.coding)
    names, labels = tuple(fitted.schema.feature_names), interval_labels(fitted)
    held = discreet.estimators.IntervalFile(uncertainty=found, names=names, level=level, target=target, labels=labels)
    if out is not None:
        keep(held, "interval file", out, overwrite=overwrite)
    document, paid, checked = receipt(held.certificate, held.verify(), account)
    per_unit = None if out is None else f"discreet show {model} --intervals {out} prints them in the units of the columns"
    return Outcome(
        document={**held.to_dict(), **document, "written": out},
        lines=[*interval_lines(held), *paid, *labelled(("Written to", out), ("Per unit", per_unit))],
        checked=checked,
    )


def interval_lines(held: "discreet.estimators.IntervalFile") -> list[str]:
    """The intervals as a table, and what they are for."""
    width, references = max(len(name) for name, *_ in held.rows()) + 2, held.references
    cells = ((name, f"{middle:.4f}", f"{low:.4f}", f"{high:.4f}") for name, low, middle, high in held.rows())
    covered = f"{100 * held.level:g} % each; they count noise and sampling error, for the {held.target} weights of the population"
    others = f"{', '.join(references)}: 0; the other categories of a column are measured from it" if references else None
    return [*table((-width, 12, 12, 12), ("", "estimate", "low", "high"), *cells), "", *labelled(("Intervals", covered), ("Reference", others))]
