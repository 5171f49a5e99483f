"""`discreet tune`: a private search over settings, and the model file of the one that is kept.

The search is one release: `--epsilon` and `--delta` are for all of its fits, scores and its choice together, and the ledger gets one entry. What can
fail without a record fails before one is read; whether every setting has a fit with its share depends on the number of records, and is found out
before anything is drawn.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, refuse_same_file, step
from discreet.cli.report import check_report, report_option, told, written_report
from discreet.cli.saving import save_or_show
from discreet.cli.spending import account_from, ledger_options, left_after
from discreet.cli.tables import files_within, in_blocks, named_tables, opened, worker_options
from discreet.cli.training import Settings, estimator_named, standard_kind, warn_of_seed
from discreet.core.quiet import quietly

if TYPE_CHECKING:
    from discreet.estimators import PrivateSearchCV
    from discreet.estimators.model import Model
    from discreet.ledger import Account

_NAMES = {"alpha": "alpha", "loss": "loss", "mechanism": "mechanism", "intercept-scale": "intercept_scale"}
_TEXTS = ("loss", "mechanism")

_EXAMPLES = examples(
    "discreet tune people.csv --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --out model.json",
    "discreet tune people.csv --schema people.toml --model linear-svc --grid loss=softplus-hinge,huber-hinge --grid alpha=0.01,0.1 \\\n"
    "      --epsilon 2 --delta 1e-6 --out model.json --ledger team.ledger --data-set people",
    "discreet tune people/*.parquet --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --jobs 2 --out model.json",
)


@click.command(short_help="Try several settings privately and write the best model.", epilog=_EXAMPLES)
@click.argument("table", type=click.Path(), nargs=-1, required=True)
@click.option("--schema", "schema_path", type=click.Path(), required=True, help="What is public about the table, in TOML.")
@click.option("--grid", multiple=True, required=True, help=f"A setting and its values, NAME=V1,V2,...; NAME one of {', '.join(_NAMES)}. Repeatable.")
@click.option("--epsilon", type=NUMBER, required=True, help="Privacy loss that the whole search may cost, > 0.")
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
@click.option("--expected-runs", type=NUMBER, default=None, show_default="twice the settings", help="Mean of the secret number of fits.")
@click.option("--public-records", type=int, help="With add-remove: a number of records that you declare public, which alpha multiplies.")
@ledger_options
@worker_options
@click.option("--seed", type=int, help="Reproducible noise, for tests: the certificate is then not valid.")
@click.option("--out", type=click.Path(), required=True, help="The model file to write.")
@report_option
@click.option("--overwrite", is_flag=True, help="Replace the model file where it exists.")
@json_option
@click.pass_context
def tune(  # noqa: PLR0913 - one argument an option
    context: click.Context,
    *,
    table: tuple[str, ...],
    schema_path: str,
    grid: Sequence[str],
    epsilon: float,
    delta: float,
    neighbours: str,
    kind: str | None,
    expected_runs: float | None,
    public_records: int | None,
    ledger_path: str | None,
    data_set: str | None,
    part: str | None,
    jobs: int | None,
    dask: str | None,
    seed: int | None,
    out: str,
    report_path: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Fit TABLE with a secret random number of settings from a public grid, and write the best scored model with one certificate for all of it.

    TABLE is a .csv, .csv.gz, .tsv or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet, .arrow,
    .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    """
    values = _grid(grid)
    with step("Checking what can be checked without the records"):
        from discreet.core.files.whole_file import check_writable  # noqa: PLC0415
        from discreet.data import Schema  # noqa: PLC0415 - imports of the library wait until they are needed
        from discreet.estimators import PrivateSearchCV  # noqa: PLC0415
        from discreet.estimators.model import Model  # noqa: PLC0415

        schema = Schema.load(schema_path)
        chosen = kind or standard_kind(schema)
        tables = named_tables(table)
        sources = files_within(tables)
        refuse_same_file(out, *sources, schema_path, *([] if ledger_path is None else [ledger_path]))
        check_writable(out, overwrite=overwrite)
        check_report(report_path, *sources, schema_path, out, *([] if ledger_path is None else [ledger_path]), overwrite=overwrite)
        account = account_from(ledger_path, data_set, part)
        settings: Settings = {"neighbours": neighbours, "public_records": public_records}
        if blocks := in_blocks(tables, dask):
            settings["classes"] = list(schema.target.classes)
        search = PrivateSearchCV(
            estimator_named(chosen, schema, settings),
            values,
            epsilon=epsilon,
            delta=delta,
            expected_runs=expected_runs,
            ledger=account,
            n_jobs=jobs,
            random_state=seed,
        )
    warn_of_seed(seed)
    with opened(tables, schema, jobs=jobs, dask=dask, may_be_empty=False) as records:
        with step("Searching"):
            search.fit(records)
        del records
        if blocks:
            _declare(search)
        model = Model.from_estimator(search.best_estimator_, schema)
        code = save_or_show(model, "model", out, overwrite=overwrite, as_json=as_json)  # before a cluster is closed, which may fail
    if code != 0:
        context.exit(code)
    failure = written_report(search, report_path, account, name=out, overwrite=overwrite)
    _report(search, model, out, account, report_path=None if failure else report_path, as_json=as_json)
    if (code := told(failure, as_json=as_json)) != 0:
        context.exit(code)


def _declare(search: "PrivateSearchCV") -> None:
    """The schema declares the classes of a table in blocks, as it does of one in memory."""
    from discreet.statements.declared import by_schema  # noqa: PLC0415

    declared = by_schema(search.certificate_.declared)
    search.certificate_ = search.best_estimator_.certificate_ = replace(search.certificate_, declared=declared)


def _grid(given: Sequence[str]) -> dict[str, list[Any]]:
    """From NAME=V1,V2 to the search's grid."""
    values: dict[str, list[Any]] = {}
    for entry in given:
        name, equals, texts = entry.partition("=")
        if name not in _NAMES or not equals or not texts:
            raise click.UsageError(
                f"--grid needs NAME=V1,V2,... with NAME one of {', '.join(_NAMES)}; {entry!r} was given", click.get_current_context()
            )
        if _NAMES[name] in values:
            raise click.UsageError(f"--grid {name} was given twice; list all its values once", click.get_current_context())
        values[_NAMES[name]] = [text.strip() if name in _TEXTS else _number(name, text) for text in texts.split(",")]
    return values


def _number(name: str, text: str) -> float:
    return quietly(lambda: float(text), click.UsageError(f"--grid {name} needs numbers; {text!r} was given", click.get_current_context()))


def _report(search: "PrivateSearchCV", model: "Model", out: str, account: "Account | None", *, report_path: str | None, as_json: bool) -> None:
    """What was kept, what was spent, and what is left."""
    from discreet.cli import words  # noqa: PLC0415

    with step("Checking the certificate"):
        verification = model.verify()
    certificate = model.certificate
    stated = words.budget(certificate)
    left, ledger = (None, None) if account is None else left_after(account, certificate.ledger_entry)
    kept = ", ".join(f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in search.best_params_.items())
    records = certificate.problem.get("records")
    score = f"{100.0 * search.best_score_:.1f} % of the records" if isinstance(records, int) else f"{search.best_score_:.0f} records"
    document = {
        "command": "tune",
        "model": out,
        "kind": model.kind,
        "settings": len(search.candidates_),
        "kept": dict(search.best_params_),
        "score": search.best_score_,
        "guarantee": stated,
        "spent": {"epsilon": stated["epsilon"], "delta": stated["delta"]},
        "ledger": ledger,
        "noise": certificate.noise,
        "verification": verification.to_dict(),
        "report": report_path,
    }
    lines = [
        f"Model        {words.described(model)}",
        f"Kept         {kept}, of {len(search.candidates_)} settings",
        f"Score        about {score} right, on those that it was fitted on (with noise)",
        f"Spent        {words.spent(certificate)}",
        *([] if left is None else [f"Left         {left}"]),
        f"Noise        {certificate.noise}",
        f"Certificate  {words.verdict(verification)}",
        f"Written to   {out}",
        *([] if report_path is None else [f"Report       {report_path}"]),
    ]
    answer(document, lines, as_json=as_json)
    if stated["private"]:
        verification.require()
