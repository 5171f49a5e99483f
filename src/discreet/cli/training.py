"""Training for the commands that do it: the estimator, a rehearsal that finds what is wrong with its settings, and the fit with its progress."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.cli.output import step, warn
from discreet.core.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.certificates import Certificate
    from discreet.data import BlockTable, EncodedTable, Schema
    from discreet.estimators import LinearSVC, LogisticRegression
    from discreet.estimators.model import Model

Settings: TypeAlias = dict[str, Any]
"""Arguments of an estimator, without its data_norm."""


def estimator_named(kind: str, schema: "Schema", settings: Settings) -> "LogisticRegression | LinearSVC":
    """An estimator for rows of this schema."""
    from discreet.estimators import LinearSVC, LogisticRegression  # noqa: PLC0415 - takes a second; see the package's docstring

    types: dict[str, type[LogisticRegression | LinearSVC]] = {"logistic-regression": LogisticRegression, "linear-svc": LinearSVC}
    return types[kind](data_norm=schema.norm_bound, **settings)


def standard_kind(schema: "Schema") -> str:
    """The kind of model with the least error at a budget (docs/defaults.md)."""
    return "linear-svc" if len(schema.target.classes) == 2 else "logistic-regression"


def rehearse(kind: str, schema: "Schema", settings: Settings) -> "Certificate":
    """Raise whatever a fit with these settings would raise on any table, by fitting one invented record: no real one has been read yet.

    The certificate of that fit states what the real one will spend; no ledger records it. What depends on the number of records is left to the fit
    itself, which also raises it before anything is spent.
    """
    import numpy as np  # noqa: PLC0415 - see above

    from discreet.data import EncodedTable  # noqa: PLC0415
    from discreet.ledger import without_ledger  # noqa: PLC0415
    from discreet.matrices import as_design  # noqa: PLC0415

    public = dict(settings)
    alpha = settings.get("alpha")
    if public["neighbours"] == "replace-one" and alpha is not None:
        if not (isinstance(alpha, float) and 0 < alpha < float("inf")):
            raise InvalidInput(f"alpha must be a positive finite number; {alpha!r} was given.")
        public["alpha"] = None
    two = len(schema.target.classes) == 2
    invented = EncodedTable(
        rows=as_design(np.zeros((1, schema.features))),
        signs=np.array([1.0]) if two else None,
        codes=None if two else np.array([0]),
        classes=schema.target.classes,
        schema=schema.name,
        numeric=len(schema.numeric),
        categorical=len(schema.categorical),
    )
    with without_ledger():
        return estimator_named(kind, schema, public | {"ledger": None}).fit(invented).certificate_


def train(kind: str, schema: "Schema", settings: Settings, table: "EncodedTable | BlockTable") -> "Model":
    """Fit, and keep what may be published. `table` was encoded by `schema`, or its blocks are."""
    from discreet.data import BlockTable  # noqa: PLC0415
    from discreet.estimators.model import Model  # noqa: PLC0415
    from discreet.statements.declared import by_schema  # noqa: PLC0415

    blocks = isinstance(table, BlockTable)
    with step("Fitting"):
        estimator = estimator_named(kind, schema, settings | ({"classes": list(schema.target.classes)} if blocks else {})).fit(table)
    if blocks:
        estimator.certificate_ = replace(estimator.certificate_, declared=by_schema(estimator.certificate_.declared))
    return Model.from_estimator(estimator, schema)


def warn_of_seed(seed: int | None) -> None:
    """A seed is for tests and demonstrations."""
    if seed is not None:
        warn("--seed makes the noise reproducible, so it protects nobody: the certificate is not valid. Leave it out to publish.")
