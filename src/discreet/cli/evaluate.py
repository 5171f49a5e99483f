"""`discreet evaluate`: how good a model is, exactly on records that need no protection, or as a private release on records that do.

    error = share of records with the wrong class      log loss = mean of ln(1 + e^{-y f(x)})   (logistic regression)

Numbers computed on private records leak: a certificate covers the model, not what is measured with it. So the user either declares what the records
are (--data-is), or gives the measurement a budget of its own (--epsilon; module `private_evaluation`).
"""

from typing import Any

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, as_text, examples, json_option, refuse_same_file, step
from discreet.cli.private_evaluation import evaluate_private
from discreet.cli.report import report_option
from discreet.cli.spending import ledger_options
from discreet.cli.tables import files_within, named_tables, opened, worker_options

FORMAT = "discreet-measures/1"
"""The format of exact measures, which carry no certificate and are read by nothing here."""
DECLARATIONS = {
    "public": "everyone may see these records",
    "non-private": "these records are about nobody, or their people agreed",
    "synthetic": "these records were invented",
}


@click.command(
    short_help="Measure a model, exactly on public records or privately.",
    epilog=examples(
        "discreet evaluate model.json published.csv --data-is public",
        "discreet evaluate model.json volunteers.parquet --data-is non-private --json",
        "discreet evaluate model.json held-out.csv --epsilon 0.5 --delta 1e-6",
        "discreet evaluate model.json held-out.csv --epsilon 1 --metrics accuracy,roc,calibration --plot curves.svg",
        "discreet evaluate model.json held-out.csv --epsilon 0.5 --out evaluation.json --ledger team.ledger --data-set people",
        "discreet evaluate model.json held-out/*.parquet --epsilon 0.5 --delta 1e-6 --jobs 2",
    ),
)
@click.argument("model_path", metavar="MODEL", type=click.Path())
@click.argument("table", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--data-is",
    type=click.Choice(list(DECLARATIONS)),
    help="Your declaration that the records need no protection: numbers computed on private ones would leak.",
)
@click.option("--epsilon", type=NUMBER, help="Protect the records: privacy loss that the measurement may cost, > 0.")
@click.option("--delta", type=NUMBER, help="With --epsilon: probability that the loss is exceeded; 0 if left out.")
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    help="With --epsilon: what is hidden, the content of one record (replace-one, standard) or also whether it is there at all.",
)
@click.option(
    "--metrics", help="With --epsilon: some of accuracy, confusion, log_loss, roc, calibration, with commas between; accuracy,confusion if left out."
)
@click.option("--bins", type=int, help="With --epsilon: bins of the probability for roc and calibration, an even number; 20 if left out.")
@click.option("--log-loss-bound", type=NUMBER, help="With --epsilon: where the loss of a record is cut; 5 if left out.")
@click.option("--out", type=click.Path(), help="Write the measures to this JSON file; with --epsilon also their certificate.")
@click.option("--plot", type=click.Path(), help="With --epsilon: write the curves to this SVG file.")
@report_option
@click.option("--overwrite", is_flag=True, help="Replace these files where they exist.")
@ledger_options
@worker_options
@click.option("--seed", type=int, help="With --epsilon: reproducible noise, for tests: the certificate is then not valid.")
@json_option
def evaluate(  # noqa: PLR0913 - one argument an option
    *,
    model_path: str,
    table: tuple[str, ...],
    data_is: str | None,
    epsilon: float | None,
    jobs: int | None,
    dask: str | None,
    out: str | None,
    overwrite: bool,
    as_json: bool,
    **private: Any,  # noqa: ANN401 - the options of a private measurement, which click has checked
) -> None:
    """Measure MODEL on TABLE.

    With --data-is, TABLE must hold no private records: the numbers are exact and unprotected. With --epsilon the records are protected: the numbers
    are released with noise, error bars and a certificate, and cost that much privacy.

    TABLE needs the columns of the model's schema, the target's too; - is CSV on standard input. Several .parquet, .arrow, .feather or .ipc files, a
    folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    """
    context = click.get_current_context()
    if (data_is is None) == (epsilon is None):
        raise click.UsageError(
            "either --data-is (the records need no protection) or --epsilon (they are protected, at this cost) is needed, and not both", context
        )
    if epsilon is not None:
        where: dict[str, Any] = {"out": out, "overwrite": overwrite, "as_json": as_json}
        evaluate_private(context, model_path=model_path, table=table, epsilon=epsilon, jobs=jobs, dask=dask, **where, **private)
        return
    if given := [name for name, value in private.items() if value not in (None, False) and name not in {"ledger_path", "data_set"}]:
        option = given[0].removesuffix("_path").replace("_", "-")
        raise click.UsageError(f"--{option} belongs to a private measurement, which needs --epsilon", context)
    if overwrite and out is None:
        raise click.UsageError("--overwrite needs --out, or a private measurement with --epsilon", context)
    _evaluate_public(model_path, table, str(data_is), jobs=jobs, dask=dask, out=out, overwrite=overwrite, as_json=as_json)


def _evaluate_public(
    model_path: str, table: tuple[str, ...], data_is: str, *, jobs: int | None, dask: str | None, out: str | None, overwrite: bool, as_json: bool
) -> None:
    from discreet.cli.measures import Measures  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.core.files.whole_file import check_writable, write_whole  # noqa: PLC0415
    from discreet.core.workers import job_count  # noqa: PLC0415
    from discreet.data.labels import canonical  # noqa: PLC0415
    from discreet.estimators.model import Model  # noqa: PLC0415

    model = Model.load(model_path)
    threads, tables = job_count(jobs), named_tables(table)
    if out is not None:
        refuse_same_file(out, *files_within(tables), model_path)
        check_writable(out, overwrite=overwrite)
    with opened(tables, model.schema, jobs=jobs, dask=dask, may_be_empty=True) as records, step("Evaluating"):
        measures = Measures.of(model, records, jobs=threads)
    classes = [canonical(label) for label in model.schema.target.classes]
    held = {"format": FORMAT, "data_is": data_is, "declaration": DECLARATIONS[data_is], "classes": classes, **measures.to_dict()}
    if out is not None:
        write_whole(out, as_text(held) + "\n", overwrite=overwrite)
    document = {"command": "evaluate", **held, "written": out}
    corner = "actual / predicted"
    width = max(len(corner), *map(len, classes)) + 2
    lines = [
        f"Records      {measures.records}, declared {data_is} ({DECLARATIONS[data_is]}): these numbers are exact and not protected",
        f"Accuracy     {measures.accuracy:.4f}",
        f"Error        {measures.error:.4f} (always answering the commoner class: {measures.always_commoner:.4f})",
        *([] if measures.log_loss is None else [f"Log loss     {measures.log_loss:.4f}"]),
        "",
        f"{corner:<{width}}" + "".join(f"{label:>{width}}" for label in classes),
        *(f"{label:<{width}}" + "".join(f"{count:>{width}}" for count in row) for label, row in zip(classes, measures.confusion, strict=True)),
        *([] if out is None else ["", f"Written to   {out}"]),
    ]
    answer(document, lines, as_json=as_json)
