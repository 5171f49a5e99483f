"""The release behind the intervals of a model: the curvature of its records at its weights, with a budget of its own.

    estimator, X, y        the records of the fit, through the same door as in `fit`
    Model, table           a model file and the table it was fitted on, through the model's schema

What is released, and what it costs: module `mechanisms.curvature`. What follows from it, for free: module `uncertainty`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.accounting import Guarantee
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.validate import number, positive
from discreet.data import EncodedTable
from discreet.data.coding import Coding
from discreet.estimators.linear_classifier import LinearClassifier
from discreet.estimators.model import Model
from discreet.estimators.uncertainty import Uncertainty, problem_of
from discreet.ledger import Account
from discreet.matrices import Matrix
from discreet.mechanisms.curvature import CurvatureQuery, CurvatureRecords, GaussianCurvature
from discreet.noise import Noise, SeededNoise, SystemNoise


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedUncertainty:
    """Everything that the release needs, settled before a record is read; public."""

    query: CurvatureQuery
    mechanism: GaussianCurvature
    model_certificate: Certificate

    @property
    def guarantee(self) -> Guarantee:
        """What the release will cost."""
        return self.mechanism.guarantee(self.query)


def prepare_uncertainty(model: LinearClassifier | Model, *, epsilon: float, delta: float) -> PreparedUncertainty:
    """The calibrated release. Raises InvalidInput for a model that there are no intervals for, or a target that there is no noise for."""
    if isinstance(model, Model):
        weights, certificate = model.weights, model.certificate
    elif isinstance(model, LinearClassifier) and "weights_" in vars(model):
        weights, certificate = model.weights_, model.certificate_
        if model._privacy().neighbours is not certificate.guarantee.neighbours:  # noqa: SLF001
            raise InvalidInput("the model's parameters were changed after the fit. Fit again, or set them back.")
    else:
        raise InvalidInput("intervals need a fitted LogisticRegression or LinearSVC, or a model read from a file.")
    query = CurvatureQuery(problem=problem_of(certificate), weights=weights)
    mechanism = GaussianCurvature.calibrate(
        query, epsilon=positive(epsilon, "epsilon"), delta=number(delta, "delta"), neighbours=certificate.guarantee.neighbours
    )
    return PreparedUncertainty(query=query, mechanism=mechanism, model_certificate=certificate)


def measure_uncertainty(
    prepared: PreparedUncertainty,
    rows: Matrix,
    signs: Floats,
    record_weights: Floats | None,
    noise: Noise,
    *,
    account: Account | None = None,
    coding: Coding | None = None,
) -> Uncertainty:
    """Spend, and release. `rows` (n, d) as the fit got them, `signs` (n,) of +1.0 and -1.0, `record_weights` (n,) or None; `coding` of a schema."""
    query, mechanism = prepared.query, prepared.mechanism
    if rows.shape[1] != query.problem.domain.features:
        raise InvalidInput(f"the model was fitted on {query.problem.domain.features} features; rows with {rows.shape[1]} were given.")
    records = CurvatureRecords(rows=rows, signs=signs, record_weights=record_weights, table=_content(rows, signs))
    release = mechanism.run(query, records, noise, account=account)
    return Uncertainty(
        problem=query.problem,
        weights=query.weights,
        matrices=query.read(release.value, mechanism.scale),
        model_certificate=prepared.model_certificate,
        certificate=release.certificate,
        value=release.value,
        coding=Coding() if coding is None else coding,
    )


def release_uncertainty(
    model: LinearClassifier | Model,
    X: Any,
    y: Any = None,
    *,
    epsilon: float,
    delta: float,
    sample_weight: Any = None,
    ledger: Account | None = None,
    random_state: int | None = None,
) -> Uncertainty:
    """Spend (epsilon, delta), besides what the model cost, on the curvature at its weights; all intervals follow from it for free.

    `model` a fitted LogisticRegression or LinearSVC of two classes, X, y and sample_weight the records of the fit, as `fit` takes them; or a `Model`,
    and X the table with its target. `ledger` an account, else that of the estimator, or the ledger in use; `random_state` an integer for tests: the
    certificate then never verifies.

    Raises InvalidInput for another model or input, or delta = 0, BudgetExceeded before anything is drawn.
    """
    prepared = prepare_uncertainty(model, epsilon=epsilon, delta=delta)
    noise = SystemNoise() if random_state is None else SeededNoise(random_state)
    if isinstance(model, Model):
        if y is not None or sample_weight is not None:
            raise InvalidInput("a model read from a file takes a table with its target; leave y and sample_weight out.")
        rows, signs = table_records(model, X)
        return measure_uncertainty(prepared, rows, signs, None, noise, account=ledger, coding=model.schema.coding)
    rows = model._rows(X, reset=False)  # noqa: SLF001 - the same door as in fit
    classes, codes, _ = model._targets(X, y, rows.shape[0], model.classes_)  # noqa: SLF001
    if classes.tolist() != model.classes_.tolist():
        raise InvalidInput("the classes differ from those of the fit. Pass the records of the fit, and declare classes.")
    weights, largest = model._weights(sample_weight, codes, classes)  # noqa: SLF001
    if largest > prepared.query.problem.max_weight:
        raise InvalidInput("a record weighs more than in the fit. Pass the sample_weight of the fit, or declare max_sample_weight.")
    account = model._account() if ledger is None else ledger  # noqa: SLF001
    coding = X.coding if isinstance(X, EncodedTable) else None
    return measure_uncertainty(prepared, rows, np.where(codes == 1, 1.0, -1.0), weights, noise, account=account, coding=coding)


def table_records(model: Model, frame: Any) -> tuple[Matrix, Floats]:
    """Rows and signs of the table (or EncodedTable) that a model was fitted on. Raises InvalidInput for a model whose records had weights."""
    if model.certificate.problem.get("max_weight") != 1.0:
        raise InvalidInput("the records of this model had weights, which its file does not hold. Use the estimator that was fitted.")
    encoded = frame if isinstance(frame, EncodedTable) else model.schema.encode(frame, target=True)
    if encoded.signs is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True.")
    return encoded.rows, encoded.signs


def _content(rows: Matrix, signs: Floats) -> Iterator[bytes]:
    yield from rows.content()
    yield signs.tobytes()
