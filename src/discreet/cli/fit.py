"""`discreet fit`: train on a table of people and write the model file.

Everything that can fail without a record fails before one is read: arguments, schema, the output path (tried), the calibration, what is left in the
ledger (the reservation inside the fit decides).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, make_dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

import discreet
from discreet.cli.any_model import load_model_of_schema
from discreet.cli.inputs import Records, Spending, Whose, ask, check_fits, warn_of_little, warn_of_weakness
from discreet.cli.models import (
    ModelFile,
    Settings,
    declared_by_schema,
    estimator_named,
    outlook_of,
    planned,
    setting_options,
    settings_given,
    standard_kind,
    train,
)
from discreet.cli.options import LATER, Delta, File, Kind, Neighbours, SchemaFile, command, usage_error, warn_of_seed
from discreet.cli.output import Outcome, check_output, labelled, same_path, step
from discreet.core.errors import InvalidInput, quoted
from discreet.core.neighbours import DELTA

if TYPE_CHECKING:
    from discreet.mechanisms.cuts import Interval


@dataclass(frozen=True, kw_only=True)
class Training:
    """By the names that they have in an estimator, but for `kind`."""

    epsilon: Annotated[float, "Privacy loss of the model, > 0; inf fits without privacy."]
    delta: Delta = DELTA
    neighbours: Neighbours = "replace-one"
    kind: Kind = None
    public_records: Annotated[int | None, "With add-remove: a number of records that you declare public. Defaults follow from it."] = None


def _options(typed: Sequence[str]) -> tuple[type, str]:
    """Those of the model that is named; those of all models where an option is none of the command's own, so that a refusal can say whose it is."""
    named = next((after for word, after in pairwise((*typed, "")) if word == "--model"), None)
    named = next((word.partition("=")[2] for word in typed if word.startswith("--model=")), named)
    wants_help = {"--help", "-h"} & set(typed)
    if named and wants_help:
        return setting_options(named)
    own = {option for one in fit.params for option in (*one.opts, *one.secondary_opts)}
    strange = [word for word in typed if word.startswith("--") and word.partition("=")[0] not in own]
    if strange and not wants_help:
        return setting_options(None)
    return make_dataclass("Settings", []), "Each kind of model has further options: `discreet fit --model lasso --help`; `discreet models` lists all."


@command(
    "Train on a table and write a model file.",
    "discreet fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json",
    "discreet fit people.parquet --schema people.toml --epsilon 0.5 --model linear-svc --out model.json",
    "discreet fit flats.csv --schema flats.toml --epsilon 1 --model lasso --radius 2 --out model.json",
    "discreet fit people.csv --schema people.toml --epsilon 1 --out model.json --ledger team.ledger --data-set people",
    "discreet fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json --intervals intervals.json",
    "discreet fit people.csv --schema people.toml --epsilon 0.1 --delta 1e-6 --calibrate --out model.json",
    "discreet fit people.csv --schema people.toml --epsilon 1 --metric volunteers.csv --metric-power -0.5 --out model.json",
    "discreet fit people/*.parquet --schema people.toml --epsilon 1 --jobs 2 --out model.json",
    "discreet fit people/ --schema people.toml --epsilon 1 --dask tls://scheduler:8786 --out model.json",
    "unzip -p people.zip | discreet fit - --schema people.toml --epsilon 1 --out model.json",
    later=_options,
)
def fit(
    *,
    schema: SchemaFile,
    whose: Whose,
    training: Training,
    options: Annotated[Any, LATER],
    spending: Spending,
    records: Records,
    device: Annotated[str | None, "Device to compute on, such as cuda or cuda:1. Rows are moved there block by block. Needs torch or CuPy."] = None,
    cuts: Annotated[
        Literal["schema", "private"],
        "Where numeric columns are cut: as the schema says, or chosen privately. The latter applies to the columns whose cuts the schema calls "
        "private (with or without this option), or if there are none, to all columns for which it gives no cuts.",
    ] = "schema",
    cuts_share: Annotated[float, "Share of the budget spent on private cuts."] = 0.1,
    prior: Annotated[
        File | None,
        "A model file with the same schema, from public records or already released: coefficients shrink towards it instead of towards zero, with no "
        "extra noise, and less bias if it is close.",
    ] = None,
    metric: Annotated[
        File | None,
        "Public rows with the schema's columns, such as volunteers: noise and ridge are scaled by their covariance, at no cost in privacy.",
    ] = None,
    metric_power: Annotated[
        float, "With --metric: below 0, directions that vary little count more (-0.5: all alike, for many records); above 0, less (0.25: for few)."
    ] = -0.25,
    intervals: Annotated[
        File | None,
        "Also release intervals for the coefficients, in this JSON file, within the same epsilon and delta. For linear models without a set.",
    ] = None,
    calibrate: Annotated[
        bool,
        "Also count the classes by the model's score, for 2 to 20 % of the budget (of three classes or more up to 40 %), and shrink probabilities "
        "towards the base rate as far as these noisy counts suggest. For few records, a weak signal or a rare class.",
    ] = False,
    file: ModelFile,
) -> Outcome:
    """Train a private classifier or regression on TABLE and write a model file with its certificate.

    TABLE is a .csv, .csv.gz, .tsv, .xlsx or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet,
    .arrow, .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    Arguments, schema, the output path and the remaining budget are checked before a record is read.
    """
    settings: Settings = asdict(training) | {"n_jobs": records.jobs, "random_state": file.seed}
    with step("Checking what can be checked without the records"):
        public = whose.schema(schema)
        public = public if metric is None else _in_metric(public, metric, metric_power)
        kind = settings.pop("kind") or standard_kind(public)
        settings |= settings_given(kind, options, public) | _placed(kind, device) | _pulled(kind, prior, public)
        file.check(*records.files, schema, spending.ledger, prior, metric)
        check_output(intervals, *records.files, schema, spending.ledger, overwrite=file.overwrite)
        if same_path(intervals, file.out) or same_path(intervals, file.report):
            raise InvalidInput("--intervals names the file of --out or --report. Give each its own.")
        account = spending.account(kind, file.out)
        private = cuts == "private" or any(one.to_be_chosen for column in public.numeric for one in column.encoding)
        chosen, shown = _to_be_cut(public, {"--prior": prior, "--metric": metric}) if private else ([], public)
        promised = planned(kind, shown, settings)
        if intervals is not None:
            _check_intervals(promised, training, public=not chosen and not records.in_blocks)
        foreseen = None if calibrate else outlook_of(kind, public, settings)
        if calibrate:
            _check_calibrated(kind, public, settings, alone=intervals is None)
        check_fits(account, promised.guarantee)
    warn_of_little(foreseen if training.neighbours == "add-remove" else None)
    ask(public, schema, run=True)
    warn_of_seed(file.seed)
    may_be_empty, settings["ledger"] = training.neighbours != "replace-one", account
    bought: list[tuple[discreet.estimators.IntervalFile, str]] = []
    if chosen:
        reopened = records.reopened(public, may_be_empty=may_be_empty)
        model, found = _train_with_cuts(kind, public, settings, reopened, cuts_share, calibrate=calibrate)
    elif intervals is not None:
        from discreet.estimators.two_part.fit_with_intervals import interval_labels

        with step("Fitting, and releasing the curvature"):
            table = records.open_table(public, may_be_empty=may_be_empty)
            both = discreet.estimators.fit_with_intervals(estimator_named(kind, public, settings), table)
        model = discreet.Model.from_estimator(both.model, public)
        held = discreet.estimators.IntervalFile(uncertainty=both.uncertainty, names=tuple(public.feature_names), labels=interval_labels(model))
        found = labelled(("Intervals", f"written to {intervals}; discreet show {file.out} --intervals {intervals} prints them"))
        bought = [(held, intervals)]
    elif calibrate:
        model, found = _calibrated(kind, public, settings, records.open_table(public, may_be_empty=may_be_empty))
    else:
        opened = records.open_table(public, may_be_empty=may_be_empty)
        if (public.persons is None or public.persons.rows == 1) and training.neighbours == "replace-one":
            _warn_of_few(opened, promised, foreseen)
        model, found = train(kind, public, settings, opened), []
    from discreet.data.row_lengths import length_words

    stated: dict[str, object] = {"features": model.schema.features, "rows": model.schema.rows, "intervals": intervals}
    found = [*labelled(("Rows", length_words(model.schema))), *found]
    outcome = file.outcome(model, model, account, stated, found, beside=[(held, "interval file", path) for held, path in bought])
    following = f"Next: discreet show {file.out}, discreet verify {file.out}, discreet predict {file.out} TABLE"
    return replace(outcome, lines=[*outcome.lines, "", following])


def _to_be_cut(schema: "discreet.Schema", beside: Mapping[str, str | None]) -> "tuple[list[Interval], discreet.Schema]":
    """The columns that are cut privately, and a schema of as many features as they will have.

    Raises InvalidInput where none could be cut, and for an option `beside` that is stated in features of public cuts.
    """
    from discreet.mechanisms.cuts.choose import public_cuts
    from discreet.mechanisms.cuts.columns import columns_to_cut, cut_schema

    chosen = columns_to_cut(schema)
    for option, given in beside.items():
        if given is not None:
            raise InvalidInput(f"{option} needs public cuts, because it is stated in their features. Leave out either {option} or the private cuts.")
    return chosen, cut_schema(schema, {column.name: public_cuts(column.lower, column.upper) for column in chosen})


def _check_intervals(promised: "discreet.Certificate", training: Training, *, public: bool) -> None:
    """Raise InvalidInput where a fit with intervals would refuse whatever the records are; `public` of what it does not go with."""
    from discreet.estimators.intervals.uncertainty import problem_of
    from discreet.estimators.two_part.fit_with_intervals import OF_KERNELS, require_gaussian

    require_gaussian(training.epsilon, training.delta)
    if not public:
        raise InvalidInput("--intervals needs a table in memory and public cuts. Leave it out, and run `discreet intervals` on the model afterwards.")
    if "feature_map" in promised.problem:
        raise InvalidInput(OF_KERNELS)
    problem_of(promised)


def _check_calibrated(kind: str, schema: "discreet.Schema", settings: Settings, *, alone: bool) -> None:
    """Raise InvalidInput where a calibrated fit would refuse whatever the records are; `alone` of what it does not go with."""
    from discreet.estimators.two_part.fit_with_calibration import require_calibrated

    require_calibrated(estimator_named(kind, schema, settings))
    if not alone:
        raise InvalidInput("--calibrate and --intervals do not go together: intervals need the weights of the fit itself. Leave out one of them.")


def _warn_of_few(
    table: "discreet.EncodedTable | discreet.data.BlockTable",
    promised: "discreet.Certificate",
    foreseen: "discreet.mechanisms.learning.Outlook | None",
) -> None:
    """What a public number of records says, where it is known before a fit."""
    if isinstance(table, discreet.EncodedTable):
        records = table.rows.shape[0]
        warn_of_weakness(promised.guarantee, records)
        warn_of_little(None if foreseen is None else replace(foreseen, records=records))


def _kinds_with(parameter: str) -> list[str]:
    """The models that have it."""
    from discreet.estimators.door.private_estimator import PrivateModel

    return [name for name, made in PrivateModel.models.items() if any(one.name == parameter and one.init for one in fields(made))]


def _placed(kind: str, device: str | None) -> Settings:
    """Where to compute, tried with one number. Raises InvalidInput where rows cannot be moved there, and a usage error for models that move none."""
    if device is None:
        return {}
    import numpy as np

    if kind not in (having := _kinds_with("device")):
        raise usage_error(f"a {kind} runs on the CPU only; leave --device out, or choose one of {', '.join(having)}")
    discreet.matrices.as_matrix(np.zeros((1, 1)), device)
    return {"device": device}


def _pulled(kind: str, path: str | None, schema: "discreet.Schema") -> Settings:
    """The point in a model file that the ridge pulls towards. Raises a usage error for models that take none, InvalidInput for another schema's."""
    if path is None:
        return {}
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.estimators.files.to_sklearn import prior_in
    from discreet.estimators.models.prediction_models import LogLinkModel
    from discreet.estimators.prediction_rules import KernelForm

    having = [name for name in _kinds_with("prior") if PrivateModel.models[name].form is not KernelForm]
    if kind not in having:
        raise usage_error(f"a {kind} does not support a prior; leave --prior out, or choose one of {', '.join(having)}")
    found = load_model_of_schema(path)
    shape = ("numeric", "date", "categorical", "cross", "rows", "target")
    if different := [part for part in shape if getattr(found.schema, part) != getattr(schema, part)]:
        raise InvalidInput(f"the --prior model has another schema: {quoted(different)} differ. Fit it on public records with this schema.")
    if isinstance(found.form, KernelForm) or found.linked is not issubclass(PrivateModel.models[kind], LogLinkModel):
        raise InvalidInput(f"--prior is a {found.kind}, whose weights do not fit a {kind}; give a linear model of the same target.")
    return {"prior": prior_in(found, schema)}


def _in_metric(schema: "discreet.Schema", path: str, power: float) -> "discreet.Schema":
    """The schema with the metric of a table of public rows. Raises as a fit does for a table that is none of the schema's."""
    frame = discreet.read_table(path, schema.columns(target=False), schema.file)
    return discreet.PublicMetric.of_rows(schema.encode(frame, target=False), power=power).on(schema)


def _calibrated(
    kind: str, schema: "discreet.Schema", settings: Settings, table: "discreet.EncodedTable | discreet.data.BlockTable"
) -> "tuple[discreet.Model, list[str]]":
    """As `train`, probabilities corrected by private counts, and what to say of that."""
    blocks = isinstance(table, discreet.data.BlockTable)
    with step("Fitting, and counting classes by score"):
        fitted = discreet.estimators.fit_with_calibration(estimator_named(kind, schema, settings, declared=blocks), table)
    if blocks:
        fitted.model.certificate_ = declared_by_schema(fitted.model.certificate_)
    return discreet.Model.from_estimator(fitted.model, schema), labelled(("Calibrated", _shrunk(fitted.shrinkage)))


def _shrunk(shrinkage: tuple[float, float | tuple[float, ...]]) -> str:
    slope, shift = shrinkage
    more = f"and {shift:+.3g}" if isinstance(shift, float) else f"and by class {', '.join(f'{one:+.3g}' for one in shift)}"
    return f"by private counts: decisions times {slope:.3g}, {more}"


def _train_with_cuts(
    kind: str,
    schema: "discreet.Schema",
    settings: Settings,
    records: "Callable[[discreet.Schema], discreet.EncodedTable | discreet.data.BlockTable]",
    share: float,
    *,
    calibrate: bool,
) -> "tuple[discreet.Model, list[str]]":
    """As `train`, columns cut for a share of the budget, and what to say of that."""
    with step("Choosing cuts and fitting"):
        fitted = discreet.estimators.fit_with_cuts(estimator_named(kind, schema, settings), records, schema, share=share, calibrate=calibrate)
    if fitted.cuts is None:
        said = (
            "none; curves at public steps were used instead: with so few records, or so small an epsilon, private cuts would not pay. "
            "Nothing was spent on them"
        )
    else:
        said = f"of {quoted(list(fitted.cuts.cuts))} chosen privately with {share:g} of the budget; the model's schema contains them"
    calibrated = [] if fitted.shrinkage is None else [("Calibrated", _shrunk(fitted.shrinkage))]
    return discreet.Model.from_estimator(fitted.model, fitted.schema), labelled(("Cuts", said), *calibrated)
