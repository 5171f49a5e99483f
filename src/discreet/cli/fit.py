"""`discreet fit`: train on a table of people and write the model file; and training for the other commands that do it.

Everything that can fail without a record fails before one is read: arguments, schema, the output path (tried), the calibration, what is left in the
ledger (the reservation inside the fit decides). After the fit the budget is spent, so the model is not lost whatever happens: where it cannot be
saved, its JSON goes to standard output.
"""

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from discreet.cli.files import check_output, check_report, keep, written_report
from discreet.cli.options import Delta, File, Kind, Neighbours, Option, Report, SchemaFile, Seed, command, warn_of_seed
from discreet.cli.output import Outcome, labelled, step
from discreet.cli.spending import Spending, check_fits, guarantee_of, receipt
from discreet.cli.tables import Records, check_classes
from discreet.core.errors import InvalidInput
from discreet.core.privacy import DELTA

if TYPE_CHECKING:
    from discreet.certificates import Certificate
    from discreet.data import BlockTable, EncodedTable, Schema
    from discreet.display.reports import Subject
    from discreet.estimators import LinearSVC, LogisticRegression
    from discreet.estimators.model import Model
    from discreet.ledger import Account

Settings: TypeAlias = dict[str, Any]
"""Arguments of an estimator, without its data_norm."""


@dataclass(frozen=True, kw_only=True)
class _Training:
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

    def outcome(self, model: "Model", subject: "Subject", account: "Account | None", stated: dict[str, object], found: list[str]) -> Outcome:
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


@dataclass(frozen=True, kw_only=True)
class _Fit:
    schema: SchemaFile
    training: _Training
    spending: Spending
    records: Records
    device: Annotated[str | None, "Where to compute, cuda or cuda:1: rows are moved there, blocks one at a time. Needs torch or CuPy."] = None
    file: ModelFile


@command(
    "Train on a table and write a model file.",
    "discreet fit people.csv --schema people.toml --epsilon 1 --delta 1e-6 --out model.json",
    "discreet fit people.parquet --schema people.toml --epsilon 0.5 --model linear-svc --out model.json",
    "discreet fit people.csv --schema people.toml --epsilon 1 --out model.json --ledger team.ledger --data-set people",
    "discreet fit people/*.parquet --schema people.toml --epsilon 1 --jobs 2 --out model.json",
    "discreet fit people/ --schema people.toml --epsilon 1 --dask tls://scheduler:8786 --out model.json",
    "unzip -p people.zip | discreet fit - --schema people.toml --epsilon 1 --out model.json",
)
def fit(given: _Fit) -> Outcome:
    """Train a private classifier on TABLE and write a model file with its certificate.

    TABLE is a .csv, .csv.gz, .tsv or .parquet file with the columns that the schema names, or - for CSV on standard input. Several .parquet, .arrow,
    .feather or .ipc files, a folder of .parquet files, and every table for --dask are read in blocks, so that they need not fit into memory.
    Arguments, schema, the output path and what is left in the ledger are checked before a record is read.
    """
    settings: Settings = asdict(given.training) | {"n_jobs": given.records.jobs, "device": given.device, "random_state": given.file.seed}
    settings["fit_intercept"] = not settings.pop("no_intercept")
    with step("Checking what can be checked without the records"):
        from discreet.data import Schema

        schema = Schema.load(given.schema)
        check_classes(schema, "discreet fit")
        kind = settings.pop("kind") or standard_kind(schema)
        given.file.check(*given.records.files, given.schema, given.spending.ledger)
        account = given.spending.account()
        check_fits(account, planned(kind, schema, settings).guarantee)
        if given.device is not None:
            _check_device(given.device)
    warn_of_seed(given.file.seed)
    records = given.records.opened(schema, may_be_empty=given.training.neighbours != "replace-one")
    model = train(kind, schema, settings | {"ledger": account}, records)
    del records
    outcome = given.file.outcome(model, model, account, {"features": model.schema.features}, [])
    following = f"Next: discreet show {given.file.out}, discreet verify {given.file.out}, discreet predict {given.file.out} TABLE"
    return replace(outcome, lines=[*outcome.lines, "", following])


def _check_device(device: str) -> None:
    """Raise InvalidInput where rows cannot be moved there, by moving one number."""
    import numpy as np

    from discreet.matrices import as_matrix
    from discreet.matrices.move import on_device

    on_device(as_matrix(np.zeros((1, 1))), device)


def estimator_named(kind: str, schema: "Schema", settings: Settings) -> "LogisticRegression | LinearSVC":
    """An estimator for rows of this schema."""
    from discreet.estimators import LinearSVC, LogisticRegression

    types: dict[str, type[LogisticRegression | LinearSVC]] = {"logistic-regression": LogisticRegression, "linear-svc": LinearSVC}
    return types[kind](data_norm=schema.norm_bound, **settings)


def standard_kind(schema: "Schema") -> str:
    """The kind of model with the least error at a budget (docs/defaults.md)."""
    return "linear-svc" if len(schema.target.classes) == 2 else "logistic-regression"


def planned(kind: str, schema: "Schema", settings: Settings) -> "Certificate":
    """What a fit with these settings will promise and spend; raises whatever it would raise on any table. No real record has been read yet.

    What depends on the number of records is left to the fit itself, which also raises it before anything is spent.
    """
    public, alpha = dict(settings), settings.get("alpha")
    if public["neighbours"] == "replace-one" and alpha is not None:
        if not (isinstance(alpha, float) and 0 < alpha < float("inf")):
            raise InvalidInput(f"alpha must be a positive finite number; {alpha!r} was given.")
        public["alpha"] = None
    estimator = estimator_named(kind, schema, public | {"classes": list(schema.target.classes)})
    return estimator.plan(features=schema.features)


def train(kind: str, schema: "Schema", settings: Settings, table: "EncodedTable | BlockTable") -> "Model":
    """Fit, and keep what may be published. `table` was encoded by `schema`, or its blocks are."""
    from discreet.data import BlockTable
    from discreet.estimators.model import Model

    blocks = isinstance(table, BlockTable)
    with step("Fitting"):
        estimator = estimator_named(kind, schema, settings | ({"classes": list(schema.target.classes)} if blocks else {})).fit(table)
    if blocks:
        estimator.certificate_ = declared_by_schema(estimator.certificate_)
    return Model.from_estimator(estimator, schema)


def declared_by_schema(certificate: "Certificate") -> "Certificate":
    """The schema declares the classes of a table in blocks, as it does of one in memory."""
    from discreet.statements.declared import by_schema

    return replace(certificate, declared=by_schema(certificate.declared))


def described(model: "Model") -> str:
    """A model in one line."""
    from discreet.core.words import quoted
    from discreet.data import NumberTarget
    from discreet.data.labels import canonical

    target, names = model.schema.target, [canonical(label) for label in model.classes]
    if isinstance(target, NumberTarget):
        which = f"a number from {target.lower:.10g} to {target.upper:.10g}"
    elif len(names) > 2:
        which = f"{len(names)} classes ({model.certificate.problem.get('scheme')}): {quoted(names)}"
    else:
        which = f"classes {quoted(names[:1])} (negative) and {quoted(names[1:])} (positive)"
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    return f"{model.kind.replace('-', ' ')}, {model.schema.features} features{intercept}, {which}"
