"""`discreet fit`: train on a table of people and write the model file.

Everything that can fail without a record fails before one is read: arguments, schema, the output path (tried), the calibration, what is left in the
ledger (the reservation inside the fit decides). After the fit the budget is spent, so the model is not lost whatever happens: where it cannot be
saved, its JSON goes to standard output.
"""

from typing import TYPE_CHECKING

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, refuse_same_file, step
from discreet.cli.report import check_report, report_option, told, written_report
from discreet.cli.saving import save_or_show
from discreet.cli.spending import account_from, check_would_fit, ledger_options, left_after
from discreet.cli.tables import files_within, named_tables, opened, worker_options
from discreet.cli.training import Settings, rehearse, standard_kind, train, warn_of_seed

if TYPE_CHECKING:
    from discreet.estimators.model import Model
    from discreet.ledger import Account

_EXAMPLES = examples(
    "discreet fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json",
    "discreet fit people.parquet --schema people.toml --epsilon 0.5 --model linear-svc --out model.json",
    "discreet fit people.csv --schema people.toml --epsilon 1 --out model.json --ledger team.ledger --data-set people",
    "discreet fit people/*.parquet --schema people.toml --epsilon 1 --jobs 2 --out model.json",
    "discreet fit people/ --schema people.toml --epsilon 1 --dask tls://scheduler:8786 --out model.json",
    "unzip -p people.zip | discreet fit - --schema people.toml --epsilon 1 --out model.json",
)


@click.command(short_help="Train on a table and write a model file.", epilog=_EXAMPLES)
@click.argument("table", type=click.Path(), nargs=-1, required=True)
@click.option("--schema", "schema_path", type=click.Path(), required=True, help="What is public about the table, in TOML.")
@click.option("--epsilon", type=NUMBER, required=True, help="Privacy loss that the model may cost, > 0; inf is a fit without privacy.")
@click.option("--delta", type=NUMBER, default=0.0, show_default=True, help="Probability that the loss is exceeded; well below 1 / records.")
@click.option(
    "--neighbours",
    type=click.Choice(["replace-one", "add-remove"]),
    default="replace-one",
    show_default=True,
    help="What is hidden: the content of one record, or also whether it is there at all.",
)
@click.option(
    "--model",
    "kind",
    type=click.Choice(["logistic-regression", "linear-svc"]),
    show_default="linear-svc for two classes, logistic-regression for more: the least error",
    default=None,
)
@click.option("--alpha", type=NUMBER, help="Strength of regularisation, of |w|^2 / 2 in the mean objective; chosen from public numbers if left out.")
@click.option("--loss", help="Loss of a linear-svc: softplus-hinge (standard), huber-hinge or smoothed-hinge.")
@click.option("--mechanism", default="auto", show_default=True, help="auto (by public numbers), objective or output.")
@click.option("--calibration", default="tight", show_default=True, help="tight, or published: as printed in the papers.")
@click.option(
    "--multi-class",
    type=click.Choice(["multinomial", "one-vs-rest"]),
    help="With more than two classes: multinomial (standard for logistic regression, least noise) or one-vs-rest.",
)
@click.option("--no-intercept", is_flag=True, help="Fit no intercept.")
@click.option(
    "--intercept-scale",
    type=NUMBER,
    default=None,
    show_default="0.3 times the row norm bound",
    help="Size of the intercept's constant feature; it counts in the norm.",
)
@click.option("--public-records", type=int, help="With add-remove: a number of records that you declare public, which --alpha multiplies.")
@ledger_options
@worker_options
@click.option("--device", help="Where to compute, cuda or cuda:1: rows are moved there, blocks one at a time. Needs torch or CuPy.")
@click.option("--seed", type=int, help="Reproducible noise, for tests: the certificate is then not valid.")
@click.option("--out", type=click.Path(), required=True, help="The model file to write.")
@report_option
@click.option("--overwrite", is_flag=True, help="Replace the model file where it exists.")
@json_option
@click.pass_context
def fit(  # noqa: PLR0913 - one argument an option
    context: click.Context,
    *,
    table: tuple[str, ...],
    schema_path: str,
    epsilon: float,
    delta: float,
    neighbours: str,
    kind: str | None,
    alpha: float | None,
    loss: str | None,
    mechanism: str,
    calibration: str,
    multi_class: str | None,
    no_intercept: bool,
    intercept_scale: float | None,
    public_records: int | None,
    ledger_path: str | None,
    data_set: str | None,
    part: str | None,
    jobs: int | None,
    dask: str | None,
    device: str | None,
    seed: int | None,
    out: str,
    report_path: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Train a private classifier on TABLE and write a model file with its certificate.

    TABLE is a .csv, .csv.gz, .tsv or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet, .arrow,
    .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    Arguments, schema, the output path and what is left in the ledger are checked before a record is read.
    """
    settings: Settings = {
        "epsilon": epsilon,
        "delta": delta,
        "neighbours": neighbours,
        "alpha": alpha,
        "loss": loss,
        "mechanism": mechanism,
        "calibration": calibration,
        "multi_class": multi_class,
        "fit_intercept": not no_intercept,
        "intercept_scale": intercept_scale,
        "public_records": public_records,
        "n_jobs": jobs,
        "device": device,
        "random_state": seed,
    }
    with step("Checking what can be checked without the records"):
        from discreet.core.files.whole_file import check_writable  # noqa: PLC0415
        from discreet.data import Schema  # noqa: PLC0415 - imports of the library wait until they are needed

        schema = Schema.load(schema_path)
        chosen = kind or standard_kind(schema)
        tables = named_tables(table)
        sources = files_within(tables)
        refuse_same_file(out, *sources, schema_path, *([] if ledger_path is None else [ledger_path]))
        check_writable(out, overwrite=overwrite)
        check_report(report_path, *sources, schema_path, out, *([] if ledger_path is None else [ledger_path]), overwrite=overwrite)
        account = account_from(ledger_path, data_set, part)
        rehearsed = rehearse(chosen, schema, settings)
        if account is not None:
            check_would_fit(account, rehearsed.guarantee)
    warn_of_seed(seed)
    with opened(tables, schema, jobs=jobs, dask=dask, may_be_empty=neighbours != "replace-one") as records:
        model = train(chosen, schema, settings | {"ledger": account}, records)
        del records
        code = save_or_show(model, "model", out, overwrite=overwrite, as_json=as_json)  # before a cluster is closed, which may fail
    if code != 0:
        context.exit(code)
    failure = written_report(model, report_path, account, name=out, overwrite=overwrite)
    _report(model, out, account, report_path=None if failure else report_path, as_json=as_json)
    if (code := told(failure, as_json=as_json)) != 0:
        context.exit(code)


def _report(model: "Model", out: str, account: "Account | None", *, report_path: str | None, as_json: bool) -> None:
    """What was spent, what for, what is left, and what to do next."""
    from discreet.cli import words  # noqa: PLC0415

    with step("Checking the certificate"):
        verification = model.verify()
    certificate = model.certificate
    stated = words.budget(certificate)
    left, ledger = (None, None) if account is None else left_after(account, certificate.ledger_entry)
    document = {
        "command": "fit",
        "model": out,
        "kind": model.kind,
        "features": model.schema.features,
        "guarantee": stated,
        "spent": {"epsilon": stated["epsilon"], "delta": stated["delta"]},
        "ledger": ledger,
        "noise": certificate.noise,
        "verification": verification.to_dict(),
        "report": report_path,
    }
    lines = [
        f"Model        {words.described(model)}",
        f"Spent        {words.spent(certificate)}",
        *([] if left is None else [f"Left         {left}"]),
        f"Noise        {certificate.noise}",
        f"Certificate  {words.verdict(verification)}",
        f"Written to   {out}",
        *([] if report_path is None else [f"Report       {report_path}"]),
        "",
        f"Next: discreet show {out}, discreet verify {out}, discreet predict {out} TABLE",
    ]
    answer(document, lines, as_json=as_json)
    if stated["private"]:
        verification.require()
