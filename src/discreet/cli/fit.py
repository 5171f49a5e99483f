"""`discreet fit`: train on a table of people and write the model file.

Everything that can fail without a record fails before one is read: arguments, schema, the output path (tried), the calibration, what is left in the
ledger (the reservation inside the fit decides).
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Literal

import discreet
from discreet.cli.inputs import Records, Spending, check_classes, check_fits
from discreet.cli.model_file import ModelFile
from discreet.cli.models import Settings, estimator_named, planned, standard_kind, train
from discreet.cli.options import Delta, Kind, Neighbours, Option, SchemaFile, command, warn_of_seed
from discreet.cli.output import Outcome, labelled, step
from discreet.cli.persons import Whose, ask
from discreet.core.errors import quoted
from discreet.core.neighbours import DELTA


@dataclass(frozen=True, kw_only=True)
class Training:
    """By the names that they have in an estimator, but for `kind` and `no_intercept`."""

    epsilon: Annotated[float, "Privacy loss that the model may cost, > 0; inf is a fit without privacy."]
    delta: Delta = DELTA
    neighbours: Neighbours = "replace-one"
    kind: Kind = None
    alpha: Annotated[float | None, "Strength of regularisation, of |w|^2 / 2 in the mean objective; chosen from public numbers if left out."] = None
    loss: Annotated[str | None, "Loss of a linear-svc: softplus-hinge (standard), huber-hinge or smoothed-hinge."] = None
    mechanism: Annotated[str, "auto (by public numbers), objective or output."] = "auto"
    calibration: Annotated[str, "tight, or published: as printed in the papers."] = "tight"
    multi_class: Annotated[
        Literal["multinomial", "one-vs-rest"] | None,
        "With more than two classes: multinomial (standard for logistic regression, least noise) or one-vs-rest.",
    ] = None
    no_intercept: Annotated[bool, "Fit no intercept."] = False
    intercept_scale: Annotated[
        float | None, Option(default="0.3 times the row norm bound", help="Size of the intercept's constant feature; it counts in the norm.")
    ] = None
    public_records: Annotated[int | None, "With add-remove: a number of records that you declare public, which --alpha multiplies."] = None


@command(
    "Train on a table and write a model file.",
    "discreet fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json",
    "discreet fit people.parquet --schema people.toml --epsilon 0.5 --model linear-svc --out model.json",
    "discreet fit people.csv --schema people.toml --epsilon 1 --out model.json --ledger team.ledger --data-set people",
    "discreet fit people/*.parquet --schema people.toml --epsilon 1 --jobs 2 --out model.json",
    "discreet fit people/ --schema people.toml --epsilon 1 --dask tls://scheduler:8786 --out model.json",
    "unzip -p people.zip | discreet fit - --schema people.toml --epsilon 1 --out model.json",
)
def fit(
    *,
    schema: SchemaFile,
    whose: Whose,
    training: Training,
    spending: Spending,
    records: Records,
    device: Annotated[str | None, "Where to compute, cuda or cuda:1: rows are moved there, blocks one at a time. Needs torch or CuPy."] = None,
    cuts: Annotated[
        Literal["schema", "private"],
        "Where numeric columns are cut: as the schema says, or privately where their records are: those whose cuts it calls private, "
        "which is so without this option too; where it calls none so, all whose cuts it does not give.",
    ] = "schema",
    cuts_share: Annotated[float, "Share of the budget for cuts that are private, here or in the schema."] = 0.1,
    file: ModelFile,
) -> Outcome:
    """Train a private classifier on TABLE and write a model file with its certificate.

    TABLE is a .csv, .csv.gz, .tsv or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet, .arrow,
    .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    Arguments, schema, the output path and what is left in the ledger are checked before a record is read.
    """
    settings: Settings = asdict(training) | {"n_jobs": records.jobs, "device": device, "random_state": file.seed}
    settings["fit_intercept"] = not settings.pop("no_intercept")
    with step("Checking what can be checked without the records"):
        from discreet.mechanisms.cuts.choose import public_cuts
        from discreet.mechanisms.cuts.columns import called_private, columns_to_cut, cut_schema

        public = whose.schema(schema)
        check_classes(public, "discreet fit")
        kind = settings.pop("kind") or standard_kind(public)
        file.check(*records.files, schema, spending.ledger)
        account = spending.account()
        chosen = columns_to_cut(public) if cuts == "private" or called_private(public) else []
        shown = cut_schema(public, {column.name: public_cuts(column.lower, column.upper) for column in chosen})
        check_fits(account, planned(kind, shown, settings).guarantee)
        if device is not None:
            _check_device(device)
    ask(public, schema, run=True)
    warn_of_seed(file.seed)
    may_be_empty, settings["ledger"] = training.neighbours != "replace-one", account
    if chosen:
        model, found = _train_with_cuts(kind, public, settings, records.reopened(public, may_be_empty=may_be_empty), cuts_share)
    else:
        model, found = train(kind, public, settings, records.open_table(public, may_be_empty=may_be_empty)), []
    outcome = file.outcome(model, model, account, {"features": model.schema.features}, found)
    following = f"Next: discreet show {file.out}, discreet verify {file.out}, discreet predict {file.out} TABLE"
    return replace(outcome, lines=[*outcome.lines, "", following])


def _check_device(device: str) -> None:
    """Raise InvalidInput where rows cannot be moved there, by moving one number."""
    import numpy as np

    from discreet.matrices.move import on_device

    on_device(discreet.matrices.as_matrix(np.zeros((1, 1))), device)


def _train_with_cuts(
    kind: str,
    schema: "discreet.Schema",
    settings: Settings,
    records: "Callable[[discreet.Schema], discreet.EncodedTable | discreet.data.BlockTable]",
    share: float,
) -> "tuple[discreet.Model, list[str]]":
    """As `train`, columns cut for a share of the budget, and what to say of that."""
    with step("Choosing cuts and fitting"):
        fitted = discreet.estimators.fit_with_cuts(estimator_named(kind, schema, settings), records, schema, share=share)
    if fitted.cuts is None:
        said = "none, but curves at public steps: with so few records, or so small an epsilon, cuts would not pay, and nothing was spent on them"
    else:
        said = f"of {quoted(list(fitted.cuts.cuts))} chosen privately, for a share of {share:g} of the budget; the model's schema has them"
    return discreet.Model.from_estimator(fitted.model, fitted.schema), labelled(("Cuts", said))
