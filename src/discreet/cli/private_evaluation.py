"""`discreet evaluate --epsilon`: a model measured on private records, as a release with its own certificate.

Everything that can fail without a record fails before one is read: arguments, the model file, the calibration, the path of the picture (tried), and
what is left in the ledger. After the release the budget is spent, so the numbers are printed even where the picture cannot be saved.
"""

from typing import TYPE_CHECKING

import click

from discreet.cli.output import answer, refuse, refuse_same_file, step, warn
from discreet.cli.report import check_report, same_path, told, written_report
from discreet.cli.saving import save_or_show
from discreet.cli.spending import account_from, check_would_fit, left_after
from discreet.cli.tables import files_within, named_tables, opened
from discreet.cli.training import warn_of_seed
from discreet.core.errors import DiscreetError, InvalidInput

if TYPE_CHECKING:
    from discreet.evaluation import Estimate, PrivateEvaluation
    from discreet.ledger import Account


def evaluate_private(  # noqa: PLR0913 - one argument an option
    context: click.Context,
    *,
    model_path: str,
    table: tuple[str, ...],
    epsilon: float,
    jobs: int | None,
    dask: str | None,
    delta: float | None,
    neighbours: str | None,
    metrics: str | None,
    bins: int | None,
    log_loss_bound: float | None,
    out: str | None,
    plot: str | None,
    report_path: str | None,
    overwrite: bool,
    ledger_path: str | None,
    data_set: str | None,
    part: str | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Release measures of MODEL on the private records of TABLE."""
    with step("Checking what can be checked without the records"):
        from discreet.core.files.whole_file import check_writable  # noqa: PLC0415
        from discreet.core.workers import job_count  # noqa: PLC0415
        from discreet.data import BlockTable  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.estimators.model import Model  # noqa: PLC0415
        from discreet.evaluation import prepare  # noqa: PLC0415
        from discreet.evaluation.outcomes import outcomes_of  # noqa: PLC0415
        from discreet.evaluation.private import measure, measure_blocks  # noqa: PLC0415
        from discreet.noise import SeededNoise, SystemNoise  # noqa: PLC0415

        model = Model.load(model_path)
        tables, threads = named_tables(table), job_count(jobs)
        sources = [*files_within(tables), model_path, *([] if ledger_path is None else [ledger_path])]
        relation = neighbours or "replace-one"
        prepared = prepare(
            model,
            epsilon=epsilon,
            delta=delta or 0.0,
            neighbours=relation,
            metrics=_metrics(metrics),
            bins=20 if bins is None else bins,
            log_loss_bound=5.0 if log_loss_bound is None else log_loss_bound,
        )
        if plot is not None:
            if not {"roc", "calibration"} & set(prepared.survey.metrics):
                raise InvalidInput("--plot draws the curves of --metrics roc and calibration; ask for one of them, or leave --plot out.")
            refuse_same_file(plot, *sources)
            check_writable(plot, overwrite=overwrite)
        written = [path for path in (out, plot) if path is not None]
        if out is not None:
            refuse_same_file(out, *sources)
            check_writable(out, overwrite=overwrite)
            if same_path(out, plot):
                raise InvalidInput("--out and --plot name the same file. Give each its own.")
        check_report(report_path, *sources, *written, overwrite=overwrite)
        account = account_from(ledger_path, data_set, part)
        if account is not None:
            check_would_fit(account, prepared.guarantee)
    warn_of_seed(seed)
    noise = SystemNoise() if seed is None else SeededNoise(seed)
    with opened(tables, model.schema, jobs=jobs, dask=dask, may_be_empty=relation != "replace-one") as records:
        with step("Evaluating"):
            if isinstance(records, BlockTable):
                report = measure_blocks(prepared, model, records, noise, account=account, jobs=threads)
            else:
                report = measure(prepared, outcomes_of(model, records, wanted=prepared.survey.wanted), noise, account=account)
        # Before a cluster is closed, which may fail.
        if out is not None and (code := save_or_show(report, "evaluation", out, overwrite=overwrite, as_json=as_json)) != 0:
            context.exit(code)
        page = written_report(report, report_path, account, name=out, overwrite=overwrite)
        code = _report(report, plot, account, out=out, page=None if page else report_path, overwrite=overwrite, as_json=as_json)
    code = told(page, as_json=as_json) or code
    if code != 0:
        context.exit(code)


def _report(
    report: "PrivateEvaluation",
    plot: str | None,
    account: "Account | None",
    *,
    out: str | None,
    page: str | None,
    overwrite: bool,
    as_json: bool,
) -> int:
    """What was found, what it cost, what is left; the exit code."""
    from discreet.cli import words  # noqa: PLC0415
    from discreet.core.files.whole_file import write_whole  # noqa: PLC0415

    certificate, verification = report.certificate, report.verify()
    left, ledger = (None, None) if account is None else left_after(account, certificate.ledger_entry)
    failure: DiscreetError | None = None
    if plot is not None:
        try:
            write_whole(plot, report.plot(), overwrite=overwrite)
        except DiscreetError as error:
            failure = error
    saved = plot if failure is None else None
    document = {
        "command": "evaluate",
        "private": True,
        **report.to_dict(),
        "guarantee": words.budget(certificate),
        "ledger": ledger,
        "verification": verification.to_dict(),
        "written": out,
        "plot": saved,
        "report": page,
    }
    lines = [
        *evaluation_lines(report),
        f"Spent        {words.spent(certificate)}",
        *([] if left is None else [f"Left         {left}"]),
        f"Noise        {certificate.noise}",
        f"Certificate  {words.verdict(verification)}",
        *([] if out is None else [f"Written to   {out}"]),
        *([] if saved is None else [f"Curves       written to {saved}"]),
        *([] if page is None else [f"Report       {page}"]),
    ]
    answer(document, lines, as_json=as_json)
    if failure is not None:
        if as_json:
            warn(f"{failure} The numbers above are complete.")
            return failure.exit_code
        return refuse(type(failure).__name__, f"{failure} The numbers above are complete.", as_json=False, code=failure.exit_code)
    return 0


def evaluation_lines(report: "PrivateEvaluation") -> list[str]:
    """What was measured, and how exactly."""
    from discreet.data.labels import canonical  # noqa: PLC0415

    counted = "public" if report.records_error == 0.0 else f"with noise (+- {report.records_error:.0f})"
    return [
        f"Records      {report.records:.0f}, {counted}; what follows was read from noisy counts, and protects their people",
        *_measures(report),
        *_confusion(report, [canonical(label) for label in report.classes]),
        "",
        f"Intervals    {100 * report.level:g} % each; noise and sampling error together, for the population that the records are drawn from",
    ]


def _measures(report: "PrivateEvaluation") -> list[str]:
    shown: list[tuple[str, Estimate | None, str]] = [
        ("Accuracy", report.accuracy, ""),
        ("Log loss", report.log_loss, f", losses cut at {report.survey.log_loss_bound:g}"),
        ("AUC", None if report.roc is None else report.roc.area, ", approximate interval"),
    ]
    return [f"{name:<13}{estimate.value:.4f} ({estimate.low:.4f} to {estimate.high:.4f}){note}" for name, estimate, note in shown if estimate]


def _confusion(report: "PrivateEvaluation", classes: list[str]) -> list[str]:
    if report.confusion is None:
        return []
    corner = "actual / predicted"
    width = max(len(corner), *map(len, classes)) + 2
    header = f"{corner:<{width}}" + "".join(f"{label:>{width}}" for label in classes)
    rows = [f"{label:<{width}}" + "".join(f"{count:>{width}.0f}" for count in row) for label, row in zip(classes, report.confusion, strict=True)]
    return ["", header, *rows, f"(noisy counts, each within {report.confusion_error:.0f} of the true one, {100 * report.level:g} %)"]


def _metrics(text: str | None) -> tuple[str, ...]:
    if text is None:
        return ("accuracy", "confusion")
    return tuple(dict.fromkeys(name.strip().replace("-", "_") for name in text.split(",")))
