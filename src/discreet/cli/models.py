"""Models by their names: the estimator that is meant, what it will promise, and its fit."""

from dataclasses import replace
from typing import Any, TypeAlias

import discreet
from discreet.cli.output import step
from discreet.core.errors import InvalidInput

Settings: TypeAlias = dict[str, Any]
"""Arguments of an estimator, without its data_norm."""


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


def declared_by_schema(certificate: "discreet.Certificate") -> "discreet.Certificate":
    """The schema declares the classes of a table in blocks, as it does of one in memory."""
    from discreet.statements.base import by_schema

    return replace(certificate, declared=by_schema(certificate.declared))
