"""`discreet tune`: try several settings on a table of people privately, and write the file of the best scored model.

A search is one release: `--epsilon` and `--delta` are for all of its fits, scores and its choice together, and the ledger gets one entry. Whether
every setting has a fit with its share depends on the number of records, and is found out before anything is drawn.
"""

import math
from collections.abc import Sequence
from typing import Annotated, Any

import discreet
from discreet.cli.inputs import Records, Spending, check_classes, check_fits
from discreet.cli.model_file import ModelFile
from discreet.cli.models import Settings, declared_by_schema, estimator_named, standard_kind
from discreet.cli.options import Delta, Kind, Neighbours, Option, SchemaFile, command, usage_error, warn_of_seed
from discreet.cli.output import Outcome, labelled, step
from discreet.cli.persons import Whose, ask
from discreet.core.errors import quietly
from discreet.core.neighbours import DELTA

_SEARCHED = {"alpha": "alpha", "loss": "loss", "mechanism": "mechanism", "intercept-scale": "intercept_scale"}
_TEXTS = ("loss", "mechanism")


@command(
    "Try several settings privately and write the best model.",
    "discreet tune people.csv --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --out model.json",
    "discreet tune people.csv --schema people.toml --model linear-svc --grid loss=softplus-hinge,huber-hinge --grid alpha=0.01,0.1 \\\n"
    "      --epsilon 2 --delta 1e-6 --out model.json --ledger team.ledger --data-set people",
    "discreet tune people/*.parquet --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --jobs 2 --out model.json",
)
def tune(
    *,
    schema: SchemaFile,
    whose: Whose,
    grid: Annotated[tuple[str, ...], f"A setting and its values, NAME=V1,V2,...; NAME one of {', '.join(_SEARCHED)}. Repeatable."],
    epsilon: Annotated[float, "Privacy loss that the whole search may cost, > 0."],
    delta: Delta = DELTA,
    neighbours: Neighbours = "replace-one",
    kind: Kind = None,
    expected_runs: Annotated[float | None, Option(default="twice the settings", help="Mean of the secret number of fits.")] = None,
    public_records: Annotated[int | None, "With add-remove: a number of records that you declare public, which alpha multiplies."] = None,
    spending: Spending,
    records: Records,
    file: ModelFile,
) -> Outcome:
    """Fit TABLE with a secret random number of settings from a public grid, and write the best scored model with one certificate for all of it.

    TABLE is a .csv, .csv.gz, .tsv or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet, .arrow,
    .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    """
    values = _grid(grid)
    with step("Checking what can be checked without the records"):
        public = whose.schema(schema)
        check_classes(public, "discreet tune")
        file.check(*records.files, schema, spending.ledger)
        account = spending.account()
        if 0 < epsilon < math.inf and 0 <= delta < 1:  # the search refuses others, and says why
            check_fits(account, _promised(epsilon, delta, discreet.Neighbours(neighbours)))
        settings: Settings = {"neighbours": neighbours, "public_records": public_records}
        if records.in_blocks:
            settings["classes"] = list(public.target.classes)
        search = discreet.PrivateSearchCV(
            estimator_named(kind or standard_kind(public), public, settings),
            values,
            epsilon=epsilon,
            delta=delta,
            expected_runs=expected_runs,
            ledger=account,
            n_jobs=records.jobs,
            random_state=file.seed,
        )
    ask(public, schema, run=True)
    warn_of_seed(file.seed)
    table = records.open_table(public, may_be_empty=False)
    with step("Searching"):
        search.fit(table)
    del table
    if records.in_blocks:
        search.certificate_ = search.best_estimator_.certificate_ = declared_by_schema(search.certificate_)
    model = discreet.Model.from_estimator(search.best_estimator_, public)
    kept = ", ".join(f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in search.best_params_.items())
    known = isinstance(model.certificate.problem.get("records"), int)
    many = "records" if model.schema.persons is None else "persons"
    score = f"{100.0 * search.best_score_:.1f} % of the {many}" if known else f"{search.best_score_:.0f} {many}"
    count = len(search.candidates_)
    return file.outcome(
        model,
        search,
        account,
        {"settings": count, "kept": dict(search.best_params_), "score": search.best_score_},
        labelled(("Kept", f"{kept}, of {count} settings"), ("Score", f"about {score} right, on those that it was fitted on (with noise)")),
    )


def _promised(epsilon: float, delta: float, neighbours: "discreet.Neighbours") -> "discreet.accounting.Guarantee":
    """What the whole search will promise and reserve: exactly what was asked for."""
    if delta == 0:
        return discreet.accounting.PureDP(epsilon=epsilon, neighbours=neighbours, theorem="as asked for")
    return discreet.accounting.ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, neighbours=neighbours, theorem="as asked for")


def _grid(given: Sequence[str]) -> dict[str, list[Any]]:
    """From NAME=V1,V2 to the search's grid."""
    values: dict[str, list[Any]] = {}
    for entry in given:
        name, equals, texts = entry.partition("=")
        if name not in _SEARCHED or not equals or not texts:
            raise usage_error(f"--grid needs NAME=V1,V2,... with NAME one of {', '.join(_SEARCHED)}; {entry!r} was given")
        if _SEARCHED[name] in values:
            raise usage_error(f"--grid {name} was given twice; list all its values once")
        values[_SEARCHED[name]] = [text.strip() if name in _TEXTS else _number(name, text) for text in texts.split(",")]
    return values


def _number(name: str, text: str) -> float:
    return quietly(lambda: float(text), usage_error(f"--grid {name} needs numbers; {text!r} was given"))
