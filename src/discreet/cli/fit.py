"""`discreet fit`: train on a table of people and write the model file; and training for the other commands that do it.

Everything that can fail without a record fails before one is read: arguments, schema, the output path (tried), the calibration, what is left in the
ledger (the reservation inside the fit decides). After the fit the budget is spent, so the model is not lost whatever happens: where it cannot be
saved, its JSON goes to standard output.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, Literal, TypeAlias

import discreet
from discreet.cli.inputs import Records, Spending, check_classes, check_fits, guarantee_of, receipt
from discreet.cli.options import Delta, File, Kind, Neighbours, Option, Report, SchemaFile, Seed, command, warn_of_seed
from discreet.cli.output import Outcome, check_output, check_report, keep, labelled, step, written_report
from discreet.cli.persons import Whose, ask
from discreet.core.errors import InvalidInput, quoted
from discreet.core.neighbours import DELTA

Settings: TypeAlias = dict[str, Any]
"""Arguments of an estimator, without its data_norm."""


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


@dataclass(frozen=True, kw_only=True)
class ModelFile:
    """The file of a model, and the page about it."""

    seed: Seed = None
    out: Annotated[File, "The model file to write."]
    report: Report = None
    overwrite: Annotated[bool, "Replace the model file where it exists."] = False

    def check(self, *sources: str | None) -> None:
        """Raise InvalidInput unless they could be written now; neither is read or the other one."""
        check_output(self.out, *sources, overwrite=self.overwrite)
        check_report(self.report, *sources, self.out, overwrite=self.overwrite)

    def outcome(
        self,
        model: "discreet.Model",
        subject: "discreet.display.reports.Subject",
        account: "discreet.ledger.Account | None",
        stated: dict[str, object],
        found: list[str],
    ) -> Outcome:
        """Save the model, and say what was spent on it, what for, and what is left; the page is on `subject`, and `found` are further lines."""
        keep(model, "model", self.out, overwrite=self.overwrite)
        page = written_report(subject, self.report, account, name=self.out, overwrite=self.overwrite)
        with step("Checking the certificate"):
            verification = model.verify()
        document, paid = receipt(model.certificate, verification, account)
        guarantee = guarantee_of(model.certificate)
        spent = {"epsilon": guarantee["epsilon"], "delta": guarantee["delta"]}
        return Outcome(
            document={"model": self.out, "kind": model.kind, **stated, **document, "spent": spent, "report": page.path},
            lines=[*labelled(("Model", described(model))), *found, *paid, *labelled(("Written to", self.out), ("Report", page.path))],
            checked=verification if guarantee["private"] else None,
            lost=[page.lost],
        )


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


def estimator_named(kind: str, schema: "discreet.Schema", settings: Settings) -> "discreet.LogisticRegression | discreet.LinearSVC":
    """An estimator for rows of this schema."""
    made = {"logistic-regression": discreet.LogisticRegression, "linear-svc": discreet.LinearSVC}[kind]
    whose: Settings = {} if schema.persons is None else schema.persons.as_declared
    return made(data_norm=schema.norm_bound, **whose, **settings)


def standard_kind(schema: "discreet.Schema") -> str:
    """The kind of model with the least error at a budget (docs/defaults.md)."""
    return "linear-svc" if len(schema.target.classes) == 2 else "logistic-regression"


def planned(kind: str, schema: "discreet.Schema", settings: Settings) -> "discreet.Certificate":
    """What a fit with these settings will promise and spend; raises whatever it would raise on any table. No real record has been read yet.

    What depends on the number of records is left to the fit itself, which also raises it before anything is spent.
    """
    public, alpha = dict(settings), settings.get("alpha")
    if public["neighbours"] == "replace-one" and alpha is not None:
        if not (isinstance(alpha, float) and 0 < alpha < float("inf")):
            raise InvalidInput(f"alpha must be a positive finite number; {alpha!r} was given.")
        public["alpha"] = None
    estimator = estimator_named(kind, schema, public | {"classes": list(schema.target.classes)})
    return estimator.plan(features=schema.features, told_apart=schema.person is not None)


def train(kind: str, schema: "discreet.Schema", settings: Settings, table: "discreet.EncodedTable | discreet.data.BlockTable") -> "discreet.Model":
    """Fit, and keep what may be published. `table` was encoded by `schema`, or its blocks are."""
    blocks = isinstance(table, discreet.data.BlockTable)
    with step("Fitting"):
        estimator = estimator_named(kind, schema, settings | ({"classes": list(schema.target.classes)} if blocks else {})).fit(table)
    if blocks:
        estimator.certificate_ = declared_by_schema(estimator.certificate_)
    return discreet.Model.from_estimator(estimator, schema)


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


def declared_by_schema(certificate: "discreet.Certificate") -> "discreet.Certificate":
    """The schema declares the classes of a table in blocks, as it does of one in memory."""
    from discreet.statements.base import by_schema

    return replace(certificate, declared=by_schema(certificate.declared))


def described(model: "discreet.Model") -> str:
    """A model in one line."""
    target, names = model.schema.target, [discreet.data.labels.canonical(label) for label in model.classes]
    if isinstance(target, discreet.data.NumberTarget):
        which = f"a number from {target.lower:.10g} to {target.upper:.10g}"
    elif len(names) > 2:
        which = f"{len(names)} classes ({model.certificate.problem.get('scheme')}): {quoted(names)}"
    else:
        which = f"classes {quoted(names[:1])} (negative) and {quoted(names[1:])} (positive)"
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    return f"{model.kind.replace('-', ' ')}, {model.schema.features} features{intercept}, {which}"
