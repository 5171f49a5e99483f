"""`discreet tune`: try several settings on a table of people privately, and write the file of the best scored model.

A search is one release: `--epsilon` and `--delta` are for all of its fits, scores and its choice together, and the ledger gets one entry. Whether
every setting has a fit with its share depends on the number of records, and is found out before anything is drawn.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import discreet
from discreet.cli.inputs import Records, Spending, Whose, ask, check_fits
from discreet.cli.models import ModelFile, Settings, declared_by_schema, estimator_named, standard_kind
from discreet.cli.options import Delta, Kind, Neighbours, Option, SchemaFile, command, usage_error, warn_of_seed
from discreet.cli.output import Outcome, labelled, step
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.neighbours import DELTA

if TYPE_CHECKING:
    from discreet.core import validate
else:
    validate = lazily("discreet.core.validate")


@command(
    "Try several settings privately and write the best model.",
    "discreet tune people.csv --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --out model.json",
    "discreet tune people.csv --schema people.toml --model linear-svc --grid loss=softplus-hinge,huber-hinge --grid alpha=0.01,0.1 \\\n"
    "      --epsilon 2 --delta 1e-6 --out model.json --ledger team.ledger --data-set people",
    "discreet tune flats.csv --schema flats.toml --model lasso --grid radius=1,2,4 --grid loss=squared,huber --epsilon 1 --out model.json",
    "discreet tune people/*.parquet --schema people.toml --grid alpha=0.001,0.01,0.1 --epsilon 1 --delta 1e-6 --jobs 2 --out model.json",
)
def tune(
    *,
    schema: SchemaFile,
    whose: Whose,
    grid: Annotated[tuple[str, ...], "A setting and its values, NAME=V1,V2,...; one value fixes it. `discreet models KIND` lists NAMEs. Repeatable."],
    epsilon: Annotated[float, "Privacy loss that the whole search may cost, > 0."],
    delta: Delta = DELTA,
    neighbours: Neighbours = "replace-one",
    kind: Kind = None,
    scoring: Annotated[
        Literal["absolute-error", "squared-error"] | None, "For numeric targets: the error to minimise.  [default: absolute-error]"
    ] = None,
    error_bound: Annotated[
        float | None,
        "For numeric targets: errors are clipped here, in the target's unit (default: half its range). For times: log losses, in nats (default: 5).",
    ] = None,
    expected_runs: Annotated[float | None, Option(default="twice the settings", help="Mean of the secret number of fits.")] = None,
    public_records: Annotated[int | None, "With add-remove: a number of records that you declare public; alpha is multiplied by it."] = None,
    spending: Spending,
    records: Records,
    file: ModelFile,
) -> Outcome:
    """Fit TABLE with a secret random number of settings from a public grid, and write the model with the best score.

    One certificate covers the whole search.

    TABLE is a .csv, .csv.gz, .tsv, .xlsx or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet,
    .arrow, .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    """
    with step("Checking what can be checked without the records"):
        public = whose.schema(schema)
        named = kind or standard_kind(public)
        values = _grid(grid, named)
        file.check(*records.files, schema, spending.ledger)
        account = spending.account(f"search for {named}", file.out)
        if 0 < epsilon < math.inf and 0 <= delta < 1:  # the search refuses others, and says why
            check_fits(account, _promised(epsilon, delta, discreet.Neighbours(neighbours), persons=public.persons is not None))
        settings: Settings = {"neighbours": neighbours, "public_records": public_records, **{name: one[0] for name, one in values.items()}}
        search = discreet.PrivateSearchCV(
            estimator_named(named, public, settings, declared=records.in_blocks),
            values,
            epsilon=epsilon,
            delta=delta,
            expected_runs=expected_runs,
            scoring=scoring,
            error_bound=None if error_bound is None else validate.positive(error_bound, "--error-bound") / _half_range(public),
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
    count = len(search.candidates_)
    return file.outcome(
        model,
        search,
        account,
        {"settings": count, "kept": dict(search.best_params_), "score": search.best_score_},
        labelled(("Kept", f"{kept}, of {count} settings"), ("Score", f"about {_scored(search, model)}, on the training records (with noise)")),
    )


def _promised(epsilon: float, delta: float, neighbours: "discreet.Neighbours", *, persons: bool) -> "discreet.accounting.Guarantee":
    """What the whole search will promise and reserve: exactly what was asked for."""
    scope: dict[str, Any] = {"neighbours": neighbours, "theorem": "as asked for"}
    scope |= {"unit": discreet.accounting.Unit.PERSON} if persons else {}
    if delta == 0:
        return discreet.accounting.PureDP(epsilon=epsilon, **scope)
    return discreet.accounting.ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **scope)


def _half_range(schema: "discreet.Schema") -> float:
    """Of the target, in its unit; encoded targets have 1, and log losses of times a unit of their own. Raises a usage error for classes."""
    target = schema.target
    if isinstance(target, discreet.data.TimeTarget):
        return 1.0
    if isinstance(target, discreet.data.NumberTargets):
        raise usage_error("--error-bound is in the unit of one target. Leave it out: each of several is cut at half its own range")
    if not isinstance(target, discreet.data.NumberTarget):
        raise usage_error("--error-bound is for a target that is one number; the schema declares another kind")
    return 0.5 * (target.upper - target.lower)


def _scored(search: "discreet.PrivateSearchCV", model: "discreet.Model") -> str:
    """What was noisily counted, in words."""
    parameters, many = model.certificate.parameters, "records" if model.schema.persons is None else "persons"
    known = isinstance(model.certificate.problem.get("records"), int)
    by_rows = model.schema.persons is not None and model.schema.persons.by_rows
    if "scored" not in parameters:
        return f"{100.0 * search.best_score_:.1f} % of the {many} correct" if known else f"{search.best_score_:.0f} {many} right"
    error = str(parameters["scored"]).replace("-", " ")
    if not known or by_rows:
        return f"{search.best_score_:.0f} {many}, each scored 1 minus its {error} over a bound"
    if isinstance(model.schema.target, discreet.data.TimeTarget):
        return f"a mean log loss of {-search.best_score_:.4g} nats"
    if isinstance(model.schema.target, discreet.data.NumberTargets):
        return f"a mean {error} of {-search.best_score_:.4g} over all targets, in half ranges of each"
    half = _half_range(model.schema)
    return f"a mean {error} of {-search.best_score_ * (half if error.startswith('absolute') else half**2):.4g}"


def _grid(given: Sequence[str], kind: str) -> dict[str, list[Any]]:
    """From NAME=V1,V2 to the search's grid. Raises a usage error for one that is none."""
    from discreet.estimators.model_kinds import grid_of

    try:
        return grid_of(given, kind)
    except InvalidInput as error:
        refusal = usage_error(str(error).rstrip("."))
    raise refusal
