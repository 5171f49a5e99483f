"""Intervals of a model: the release behind them, the curvature of its records at its weights, with a budget of its own or together with the fit.

    estimator, X, y        the records of the fit, through the same door as in `fit`
    Model, table           a model file and the table it was fitted on, through the model's schema

What is released, and what it costs: module `mechanisms.curvature`. What follows from it, for free: module `uncertainty`.

In one go, under one guarantee and with one entry in a ledger:

    (epsilon, delta) -> a fit, and the curvature of its records at its weights: `share` of mu^2 for the latter

The total is reserved, then the fit is drawn, then the curvature (mechanisms/curvature/with_fit.py). What fails afterwards has been paid for. Bought
afterwards, with `release_uncertainty`, the same intervals would add their epsilon to that of the fit.
"""

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.accounting import Guarantee
from discreet.certificates import Certificate
from discreet.core.advice import REPRODUCIBLE, caller
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, InvalidType, PrivacyAdvice
from discreet.core.frameless import frameless
from discreet.core.neighbours import DELTA
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.core.validate import number, positive
from discreet.data import BlockTable, EncodedTable, NumberTargets
from discreet.data.coding import Coding
from discreet.data.labels import canonical
from discreet.data.targets import period_numbers
from discreet.estimators.door.fit_input import HeldRecords
from discreet.estimators.door.private_estimator import account_of
from discreet.estimators.files.model import Model
from discreet.estimators.inputs import is_private
from discreet.estimators.intervals.released_noise import fit_within
from discreet.estimators.intervals.uncertainty import Uncertainty, problem_of
from discreet.estimators.models.kernel_classifier import KernelClassifier
from discreet.estimators.models.linear_classifier import LinearClassifier
from discreet.estimators.models.person_period import Questions
from discreet.estimators.models.regression_model import RegressionModel
from discreet.estimators.models.survival_ordinal import PersonRows
from discreet.estimators.prediction_rules import KernelForm
from discreet.estimators.prior import made_prior, prior_again
from discreet.estimators.summaries.summary_source import legible
from discreet.estimators.two_part.two_part_fit import FitWithQuery
from discreet.ledger import Account, spending_on, without_ledger
from discreet.matrices import Matrix
from discreet.mechanisms.curvature import CurvatureQuery, CurvatureRecords, GaussianCurvature
from discreet.mechanisms.curvature.with_fit import settled
from discreet.mechanisms.persons import owners_of
from discreet.noise import Noise, SeededNoise, SystemNoise
from discreet.problems import MadeRisk, MadeRows, SeveralTargets
from discreet.problems.made_rows import ORDERED, TIMES
from discreet.problems.prior import Prior
from discreet.statements.base import CURVATURE_WITH_FIT

OF_KERNELS = (
    "coefficients of random features mean nothing by themselves, so there is no file of their intervals. For intervals of decisions, use "
    "Python after the fit: release_uncertainty(estimator, X, y, ...).decisions(estimator.random_features(rows))."
)
SHARE = 0.3
"""Of mu^2 for intervals, where nobody says otherwise: coefficients lose a sixth of their epsilon."""
Learnable: TypeAlias = LinearClassifier | RegressionModel | PersonRows
"""Estimators that intervals may be released for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PreparedUncertainty:
    """Everything that the release needs, settled before a record is read; public."""

    query: CurvatureQuery
    mechanism: GaussianCurvature
    model_certificate: Certificate
    prior: Floats | None = None
    """The point that the ridge of the fit pulls towards; None for zero."""

    @property
    def guarantee(self) -> Guarantee:
        """What the release will cost."""
        return self.mechanism.guarantee(self.query)


def prepare_uncertainty(model: Learnable | Model, *, epsilon: float, delta: float = DELTA, prior: Any = None) -> PreparedUncertainty:
    """The calibrated release. Raises InvalidInput for a model that there are no intervals for, or a target that there is no noise for.

    `prior` of a Model that was fitted with one: the same. An estimator has its own.
    """
    if isinstance(model, Model):
        weights, certificate = model.weights, model.certificate
        if isinstance(model.form, KernelForm):
            raise InvalidInput(OF_KERNELS)
    elif isinstance(model, Learnable) and "weights_" in vars(model):
        weights, certificate, prior = model.weights_, model.certificate_, vars(model).get("prior") if prior is None else prior
        if model._privacy().neighbours is not certificate.guarantee.neighbours:  # noqa: SLF001
            raise InvalidInput("the model's parameters were changed after the fit. Fit again, or set them back.")
    else:
        raise InvalidInput("intervals need a fitted classifier, a fitted regression without a constraint set, or a model read from a file.")
    query = CurvatureQuery(problem=problem_of(certificate), weights=weights)
    pulled = pulled_towards(query, certificate, prior, of=model)
    mechanism = GaussianCurvature.calibrate(
        query, epsilon=positive(epsilon, "epsilon"), delta=number(delta, "delta"), neighbours=certificate.guarantee.neighbours
    )
    point = None if pulled is None else pulled.point
    return PreparedUncertainty(query=query, mechanism=mechanism, model_certificate=certificate, prior=point)


def pulled_towards(query: CurvatureQuery, certificate: Certificate, prior: Any, *, of: Learnable | Model) -> Prior | None:
    """The prior of a fit: as `prior` says it again, or, of rows that are made of a record, that of the model. Raises as `prior_again`."""
    stated = fit_within(certificate)[2]
    if not isinstance(query.problem, MadeRisk):
        level = of.intercept_level if isinstance(of, RegressionModel | Model) else 0.0
        return prior_again(stated, prior, query.problem.domain, level)
    if prior is not None:
        raise InvalidInput("the prior of this model follows from its certificate; leave prior out.")
    return made_prior(stated["prior"], query.problem)


def measure_uncertainty(
    prepared: PreparedUncertainty,
    rows: Matrix,
    targets: npt.NDArray[Any],
    record_weights: Floats | None,
    noise: Noise,
    *,
    account: Account | None = None,
    coding: Coding | None = None,
    said: npt.NDArray[Any] | None = None,
) -> Uncertainty:
    """Spend, and release.

    `rows` (n, d) as the fit got them, `targets` (n,) signs, codes or numbers, (n, m) of several, which a ledger sees unless some are `said`.
    """
    query, mechanism = prepared.query, prepared.mechanism
    if rows.shape[1] != query.problem.domain.features:
        raise InvalidInput(f"the model was fitted on {query.problem.domain.features} features; rows with {rows.shape[1]} were given.")
    fitted, given = (len(query.problem.units) if isinstance(query.problem, SeveralTargets) else 1), (*targets.shape, 1)[1]
    if fitted != given and not isinstance(query.problem, MadeRisk):
        raise InvalidInput(f"the model was fitted on {fitted} target(s); {given} were given. Pass the targets of the fit.")
    records = CurvatureRecords(
        rows=rows,
        targets=np.asarray(targets, dtype=np.float64),
        record_weights=record_weights,
        table=content_of(rows, targets if said is None else said),
    )
    release = mechanism.run(query, records, noise, account=account)
    return Uncertainty(
        problem=query.problem,
        weights=query.weights,
        matrices=query.read(release.value, mechanism.scale),
        model_certificate=prepared.model_certificate,
        certificate=release.certificate,
        value=release.value,
        coding=Coding() if coding is None else coding,
        prior=prepared.prior,
    )


@frameless
def release_uncertainty(
    model: Learnable | Model,
    X: Any,
    y: Any = None,
    *,
    epsilon: float,
    delta: float = DELTA,
    sample_weight: Any = None,
    persons: Any = None,
    ledger: Account | None = None,
    random_state: int | None = None,
    prior: Any = None,
) -> Uncertainty:
    """Release the curvature at the model's weights, for (epsilon, delta) on top of the cost of the model; all intervals then follow for free.

    `model` is a fitted classifier with any number of classes, or a regression, without a constraint set; X, y, sample_weight and persons are those
    of the fit. Or it is a `Model`, and X is the table with its target. For a KernelClassifier, only intervals of decisions at random features are
    meaningful. `ledger` is an account, by default that of the estimator or the ledger in use; `random_state` is an integer for tests: the
    certificate then never verifies. `prior`, for a Model that was fitted with one, is the same coefficients and intercept, because its file contains
    only their digest. Raises InvalidInput for another model or input, or delta = 0, and BudgetExceeded before noise is drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import LogisticRegression, release_uncertainty
    >>> draw = np.random.default_rng(0)
    >>> X = draw.uniform(-1.0, 1.0, (20_000, 1))
    >>> y = draw.random(20_000) < 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    >>> model = LogisticRegression(epsilon=1.0, delta=1e-6, classes=[False, True]).fit(X, y)
    >>> found = release_uncertainty(model, X, y, epsilon=1.0, delta=1e-6)  # a second release from the same records
    >>> found.coef_interval(0.95).low.shape, round(found.guarantee.epsilon, 6)  # of both releases
    ((1,), 2.0)
    """
    prepared = prepare_uncertainty(model, epsilon=epsilon, delta=delta, prior=prior)
    noise = SystemNoise() if random_state is None else SeededNoise(random_state)
    if random_state is not None:
        warnings.warn(REPRODUCIBLE, PrivacyAdvice, stacklevel=caller())
    if isinstance(model, Model):
        if y is not None or sample_weight is not None or persons is not None:
            raise InvalidInput("for a model read from a file, pass a table that contains the target; leave y, sample_weight and persons out.")
        return measure_uncertainty(prepared, *table_records(prepared, model, X, noise), noise, account=ledger, coding=model.schema.coding)
    again = records_again(prepared, model, X, y, sample_weight, persons, noise)
    account = model._account() if ledger is None else ledger  # noqa: SLF001
    return measure_uncertainty(
        prepared, again.rows, again.numbers, again.weights, noise, account=account, coding=again.coding, said=again.targets.said
    )


def records_again(prepared: PreparedUncertainty, model: Learnable, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise) -> HeldRecords:
    """The records of the fit of this model. Raises InvalidInput for other ones."""
    _require_equal_weights(model, sample_weight)
    again = model.held_records(X, y, sample_weight, persons, noise, classes=vars(model).get("classes_"), reset=False)
    if again.largest > getattr(prepared.query.problem, "max_weight", 1.0):
        raise InvalidInput("a record has a larger weight than in the fit. Pass the sample_weight of the fit, or declare max_sample_weight.")
    if again.owners.rule != prepared.query.problem.persons:
        raise InvalidInput(_OTHERS)
    return again


def _require_equal_weights(model: object, sample_weight: object) -> None:
    if sample_weight is not None and isinstance(model, RegressionModel):
        raise InvalidInput("intervals of a regression need records of equal weight; leave sample_weight out.")


def table_records(prepared: PreparedUncertainty, model: Model, frame: Any, noise: Noise) -> tuple[Matrix, npt.NDArray[Any], Floats | None]:
    """Rows, targets and weights of the table (or EncodedTable) that a model was fitted on.

    `noise` draws which rows of a person are kept. Raises InvalidInput for a model whose records had weights, and for persons of whom the model's
    schema does not tell.
    """
    if model.certificate.problem.get("max_weight", 1.0) != 1.0:
        raise InvalidInput("the records of this model had weights, which its file does not hold. Use the estimator that was fitted.")
    encoded = frame if isinstance(frame, EncodedTable) else model.schema.encode(frame, target=True)
    if model.made is not None:
        return encoded.rows, _signs_of(model.made, encoded, model.classes), None
    kinds = (encoded.signs, encoded.codes, encoded.numbers)
    targets = next((np.asarray(one) for one in kinds if one is not None), None)
    if targets is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True.")
    rule = prepared.query.problem.persons
    if (encoded.rule if encoded.persons is not None else None) != (None if rule is None or not rule.told_apart else rule):
        raise InvalidInput(_OTHERS)
    return encoded.rows, targets, owners_of(encoded.persons, rule=rule, rows=encoded.rows.shape[0], noise=noise).weights


def _signs_of(made: MadeRows, encoded: EncodedTable, classes: Sequence[Any]) -> Floats:
    """Of the rows that are made of each record."""
    codes: npt.NDArray[Any] | None
    if made.of == TIMES:
        codes = None if encoded.times is None else period_numbers(encoded.times, ends=made.ends)
    else:
        codes = encoded.codes if encoded.signs is None else np.asarray(encoded.signs > 0, dtype=np.intp)
    if codes is None or (made.of == ORDERED and len(encoded.classes) != len(classes)):
        raise InvalidInput("the table was encoded without the target of this model; encode it with target=True.")
    return Questions.of(made).signs(np.asarray(codes, dtype=np.intp))


_OTHERS = "the fit declared persons differently. Pass the same persons as in the fit, or none if it had none."


def content_of(rows: Matrix, targets: npt.NDArray[Any]) -> Iterator[bytes]:
    """Rows and targets as bytes, for a ledger's keyed digest; private."""
    yield from rows.content()
    yield targets.tobytes()


def interval_labels(model: Model) -> tuple[str, ...]:
    """The labels of an IntervalFile: those of more than two classes, or of several targets."""
    declared = model.schema.target
    if model.made is not None:
        return ()
    if isinstance(declared, NumberTargets):
        return tuple(map(legible, declared.columns))
    return tuple(map(canonical, model.classes)) if len(model.classes) > 2 else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalFit:
    """The result; public."""

    model: Any
    """Fitted; its certificate states what fit and intervals promise together."""
    uncertainty: Uncertainty
    """From which all intervals follow: `coef_interval`, `decisions`, `model.summary(uncertainty=...)`."""

    __repr__ = short_repr
    _repr_html_ = html_of("told.interval_fit_view")


def require_gaussian(epsilon: float, delta: float) -> None:
    """Raise InvalidInput for a budget that a fit with intervals cannot be drawn for."""
    if not (is_finite(epsilon) and delta > 0):
        raise InvalidInput("a fit with intervals needs a finite epsilon and a positive delta, since the noise on the curvature is Gaussian.")


@frameless
def fit_with_intervals(
    estimator: Learnable, X: Any, y: Any = None, *, share: float = SHARE, sample_weight: Any = None, persons: Any = None
) -> IntervalFit:
    """Fit a copy of `estimator` and release what its intervals need; its epsilon and delta cover both.

    `estimator` is a LogisticRegression or LinearSVC with declared classes, or a regression without a constraint set, whose mechanism is objective
    perturbation; X, y, sample_weight and persons are as for its `fit`, in memory; `share` is the part of mu^2 for the intervals. Raises InvalidType
    for another estimator, InvalidInput and InfeasibleTarget before anything is spent, BudgetExceeded before noise is drawn, and what a fit raises,
    after spending.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import LogisticRegression
    >>> from discreet.estimators import fit_with_intervals
    >>> draw = np.random.default_rng(0)
    >>> X = draw.uniform(-1.0, 1.0, (20_000, 1))
    >>> y = draw.random(20_000) < 1.0 / (1.0 + np.exp(-2.0 * X[:, 0]))
    >>> both = fit_with_intervals(LogisticRegression(epsilon=1.0, delta=1e-6, classes=[False, True]), X, y)
    >>> both.model.certificate_.guarantee.epsilon  # of fit and intervals together
    1.0
    >>> both.uncertainty.coef_interval(0.95).low.shape
    (1,)
    """
    if isinstance(estimator, KernelClassifier):
        raise InvalidType(OF_KERNELS)
    if not isinstance(estimator, Learnable):
        raise InvalidType(
            "a fit with intervals needs LogisticRegression, LinearSVC, LinearRegression or another regression without a constraint set; "
            f"{type(estimator).__name__} was given."
        )
    privacy = estimator._privacy()  # noqa: SLF001 - of this package
    require_gaussian(privacy.epsilon, privacy.delta)
    if is_private(estimator.data_norm) or isinstance(X, BlockTable):
        raise InvalidInput('a fit with intervals needs a declared data_norm (not "private") and a table in memory (not in blocks).')
    classes = vars(estimator).get("classes")
    if "classes" in vars(estimator) and classes is None and not isinstance(X, EncodedTable):
        raise InvalidInput("a fit with intervals needs its classes declared: classes=[negative, positive].")
    _require_equal_weights(estimator, sample_weight)
    beside = FitWithQuery.of(estimator, X, y, sample_weight, persons, classes=classes)
    given, noise = beside.held, beside.noise
    both = settled(**privacy.target, share=share, planned=beside.planned, problem=problem_of)
    account, table = account_of(estimator.ledger), given.content()
    with spending_on(account, both.guarantee, purpose=CURVATURE_WITH_FIT, table=table) as reservation, without_ledger():
        model = beside.fitted(both)
        fit: Certificate = model.certificate_
        both = replace(both, choice=both.choice.at(model.weights_))
        pulled = pulled_towards(both.choice.problem, fit, vars(estimator).get("prior"), of=estimator)
        point = None if pulled is None else pulled.point
        prepared = PreparedUncertainty(query=both.choice.problem, mechanism=both.choice.mechanism, model_certificate=fit, prior=point)
        again = records_again(prepared, model, X, y, sample_weight, persons, noise)
        bought = measure_uncertainty(prepared, again.rows, again.numbers, again.weights, noise, coding=again.coding)
    model.certificate_ = beside.issued(both, fit, fit.digest, entry=None if reservation is None else reservation.id)
    own = replace(bought.certificate, ledger_entry=model.certificate_.ledger_entry)
    return IntervalFit(model=model, uncertainty=replace(bought, model_certificate=model.certificate_, certificate=own))
