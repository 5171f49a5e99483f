"""`discreet tune`: a private search over settings, and the model file of the one that is kept.

The search is one release: `--epsilon` and `--delta` are for all of its fits, scores and its choice together, and the ledger gets one entry. What can
fail without a record fails before one is read; whether every setting has a fit with its share depends on the number of records, and is found out
before anything is drawn.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from discreet.cli.fit import ModelFile, Settings, declared_by_schema, estimator_named, standard_kind
from discreet.cli.options import Delta, Kind, Neighbours, Option, SchemaFile, command, usage_error, warn_of_seed
from discreet.cli.output import Outcome, labelled, step
from discreet.cli.spending import Spending, check_fits
from discreet.cli.tables import Records, check_classes
from discreet.core.privacy import DELTA
from discreet.core.quiet import quietly

if TYPE_CHECKING:
    from discreet.accounting import Guarantee

_NAMES = {"alpha": "alpha", "loss": "loss", "mechanism": "mechanism", "intercept-scale": "intercept_scale"}
_TEXTS = ("loss", "mechanism")


@dataclass(frozen=True, kw_only=True)
class _Tune:
    schema: SchemaFile
    grid: Annotated[tuple[str, ...], f"A setting and its values, NAME=V1,V2,...; NAME one of {', '.join(_NAMES)}. Repeatable."]
    epsilon: Annotated[float, "Privacy loss that the whole search may cost, > 0."]
    delta: Delta = DELTA
    neighbours: Neighbours = "replace-one"
    kind: Kind = None
    expected_runs: Annotated[float | None, Option(default="twice the settings", help="Mean of the secret number of fits.")] = None
    public_records: Annotated[int | None, "With add-remove: a number of records that you declare public, which alpha multiplies."] = None
    spending: Spending
    records: Records
    file: ModelFile


@command(
    "Try several settings privately and write the best model.",
    "discreet tune people.csv --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --out model.json",
    "discreet tune people.csv --schema people.toml --model linear-svc --grid loss=softplus-hinge,huber-hinge --grid alpha=0.01,0.1 \\\n"
    "      --epsilon 2 --delta 1e-6 --out model.json --ledger team.ledger --data-set people",
    "discreet tune people/*.parquet --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --jobs 2 --out model.json",
)
def tune(given: _Tune) -> Outcome:
    """Fit TABLE with a secret random number of settings from a public grid, and write the best scored model with one certificate for all of it.

    TABLE is a .csv, .csv.gz, .tsv or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet, .arrow,
    .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    """
    values = _grid(given.grid)
    with step("Checking what can be checked without the records"):
        from discreet.data import Schema
        from discreet.estimators import PrivateSearchCV
        from discreet.estimators.model import Model

        schema = Schema.load(given.schema)
        check_classes(schema, "discreet tune")
        given.file.check(*given.records.files, given.schema, given.spending.ledger)
        account = given.spending.account()
        if 0 < given.epsilon < math.inf and 0 <= given.delta < 1:  # the search refuses others, and says why
            check_fits(account, _promised(given))
        settings: Settings = {"neighbours": given.neighbours, "public_records": given.public_records}
        if given.records.in_blocks:
            settings["classes"] = list(schema.target.classes)
        search = PrivateSearchCV(
            estimator_named(given.kind or standard_kind(schema), schema, settings),
            values,
            epsilon=given.epsilon,
            delta=given.delta,
            expected_runs=given.expected_runs,
            ledger=account,
            n_jobs=given.records.jobs,
            random_state=given.file.seed,
        )
    warn_of_seed(given.file.seed)
    records = given.records.opened(schema, may_be_empty=False)
    with step("Searching"):
        search.fit(records)
    del records
    if given.records.in_blocks:
        search.certificate_ = search.best_estimator_.certificate_ = declared_by_schema(search.certificate_)
    model = Model.from_estimator(search.best_estimator_, schema)
    kept = ", ".join(f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in search.best_params_.items())
    known = isinstance(model.certificate.problem.get("records"), int)
    score = f"{100.0 * search.best_score_:.1f} % of the records" if known else f"{search.best_score_:.0f} records"
    count = len(search.candidates_)
    return given.file.outcome(
        model,
        search,
        account,
        {"settings": count, "kept": dict(search.best_params_), "score": search.best_score_},
        labelled(("Kept", f"{kept}, of {count} settings"), ("Score", f"about {score} right, on those that it was fitted on (with noise)")),
    )


def _promised(given: _Tune) -> "Guarantee":
    """What the whole search will promise and reserve: exactly what was asked for."""
    from discreet.accounting import ApproximateDP, PureDP
    from discreet.core.neighbours import neighbours_of

    neighbours, theorem = neighbours_of(given.neighbours), "as asked for"
    if given.delta == 0:
        return PureDP(epsilon=given.epsilon, neighbours=neighbours, theorem=theorem)
    return ApproximateDP(epsilon=given.epsilon, delta_at_epsilon=given.delta, neighbours=neighbours, theorem=theorem)


def _grid(given: Sequence[str]) -> dict[str, list[Any]]:
    """From NAME=V1,V2 to the search's grid."""
    values: dict[str, list[Any]] = {}
    for entry in given:
        name, equals, texts = entry.partition("=")
        if name not in _NAMES or not equals or not texts:
            raise usage_error(f"--grid needs NAME=V1,V2,... with NAME one of {', '.join(_NAMES)}; {entry!r} was given")
        if _NAMES[name] in values:
            raise usage_error(f"--grid {name} was given twice; list all its values once")
        values[_NAMES[name]] = [text.strip() if name in _TEXTS else _number(name, text) for text in texts.split(",")]
    return values


def _number(name: str, text: str) -> float:
    return quietly(lambda: float(text), usage_error(f"--grid {name} needs numbers; {text!r} was given"))
