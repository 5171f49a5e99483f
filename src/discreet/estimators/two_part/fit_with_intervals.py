"""A model and the intervals of its coefficients in one go, under one guarantee and with one entry in a ledger.

    (epsilon, delta) -> a fit, and the curvature of its records at its weights: `share` of mu^2 for the latter

The total is reserved, then the fit is drawn, then the curvature (mechanisms/curvature/with_fit.py). What fails afterwards has been paid for. Bought
afterwards, with `release_uncertainty`, the same intervals would add their epsilon to that of the fit.
"""

from dataclasses import dataclass, replace
from typing import Any

from discreet.certificates import Certificate
from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.frameless import frameless
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.data import BlockTable, EncodedTable
from discreet.estimators.door.private_estimator import account_of
from discreet.estimators.inputs import is_private
from discreet.estimators.intervals.uncertainty import Uncertainty, problem_of
from discreet.estimators.models.kernel_classifier import KernelClassifier
from discreet.estimators.two_part.release_uncertainty import (
    OF_KERNELS,
    Learnable,
    PreparedUncertainty,
    measure_uncertainty,
    pulled_towards,
    records_again,
)
from discreet.estimators.two_part.two_part_fit import FitBeside
from discreet.ledger import spending_on, without_ledger
from discreet.mechanisms.curvature.with_fit import settled
from discreet.statements.base import CURVATURE_WITH_FIT

SHARE = 0.3
"""Of mu^2 for intervals, where nobody says otherwise: coefficients lose a sixth of their epsilon."""


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
    beside = FitBeside.of(estimator, X, y, sample_weight, persons, classes=classes)
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
