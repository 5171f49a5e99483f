"""The noise against the signal: how far the noise alone moves the released weights, beside how long they are. Public numbers only."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from discreet.accounting import ApproximateDP, PureDP
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError
from discreet.core.privacy import Privacy
from discreet.data import Domain
from discreet.estimators import (
    ConstrainedERM,
    GroupLasso,
    KernelClassifier,
    LinearSVC,
    LogisticRegression,
    MatrixRegression,
    Model,
    SimplexRegression,
)
from discreet.estimators.explanation import Explanation, Setting, explain
from discreet.losses import loss_named
from discreet.losses.regularisers import L2
from discreet.mechanisms.learning import (
    GaussianObjectivePerturbation,
    GaussianOutputPerturbation,
    PureObjectivePerturbation,
    PureOutputPerturbation,
    calibrate,
)
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.pages import Block, Facts, Section, Text
from discreet.problems import RegularisedRisk

_NAMES = {"logistic-regression": "LogisticRegression", "linear-svc": "LinearSVC"}
_NEAR = 1e-6
"""The noise that is found again agrees to this."""


Explained: TypeAlias = LogisticRegression | LinearSVC | KernelClassifier | ConstrainedERM | GroupLasso | SimplexRegression | MatrixRegression
"""Estimators that say why they are set up as they are."""


def signal_of_estimator(estimator: Explained, certificate: Certificate, weights: Floats) -> Section | None:
    """From a fitted estimator; None where it cannot be said."""
    records = certificate.problem.get("records")
    try:
        explanation = estimator.explain(records=records if isinstance(records, int) else None)
    except DiscreetError:
        return None
    return Section(title="The noise against the signal", blocks=list(_blocks(explanation, weights)))


def signal_of_model(model: Model) -> Section | None:
    """From a model file: the mechanism is calibrated again from the certificate's numbers. None where these are not those of a single fit."""
    setting = _setting_of(model)
    if setting is None:
        return None
    try:
        explanation = explain(setting)
    except DiscreetError:
        return None
    explanation = replace(explanation, reasons=tuple(reason for reason in explanation.reasons if reason.choice not in {"alpha", "delta"}))
    return Section(title="The noise against the signal", blocks=list(_blocks(explanation, model.weights)))


def _blocks(explanation: Explanation, weights: Floats) -> Iterator[Block]:
    moved = next((reason.numbers["weight_noise"] for reason in explanation.reasons if "weight_noise" in reason.numbers), None)
    length = float(np.linalg.norm(weights))
    if isinstance(moved, float) and moved > 0:
        rows = [
            ("Length of the released weights", f"{length:.3g}"),
            ("How far the noise alone moves them, about", f"{moved:.3g}"),
            ("Ratio", f"{length / moved:.2g}"),
        ]
        yield Facts(caption="Public numbers", rows=rows)
        if length < 2.0 * moved:
            words = (
                "The weights are about as long as the noise, so much of what they say may be noise. "
                "More records, a larger epsilon or fewer features help."
            )
        else:
            words = "The weights are clearly longer than what the noise accounts for."
        yield Text(words=f"{words} The length holds the noise as well, and it says nothing about single weights.")
    yield Facts(caption=explanation.title, rows=[(reason.choice, reason.text) for reason in explanation.reasons])


def _setting_of(model: Model) -> Setting | None:
    """Only of two classes, where the tight calibration for these numbers gives the very noise that the certificate records."""
    certificate, guarantee = model.certificate, model.certificate.guarantee
    stated, name = certificate.problem, certificate.mechanism
    ridge, loss, given, records = stated.get("ridge"), stated.get("loss"), stated.get("loss_parameters"), stated.get("records")
    single = model.kind in _NAMES and certificate.releases == 1 and stated.get("max_weight", 1.0) == 1.0 and len(model.classes) == 2
    if not (single and isinstance(guarantee, PureDP | ApproximateDP) and isinstance(ridge, float) and isinstance(loss, str)):
        return None
    epsilon = _asked_for(guarantee.epsilon)
    parameters = {key: float(value) for key, value in given.items() if isinstance(value, int | float)} if isinstance(given, dict) else {}

    delta = _asked_for(guarantee.delta_at_epsilon) if isinstance(guarantee, ApproximateDP) else 0.0

    def calibrated(problem: RegularisedRisk, privacy: Privacy, mechanism: str) -> tuple[RegularisedRisk, LearningMechanism[Any]]:
        return problem, calibrate(problem, mechanism=mechanism, calibration="tight", **privacy.target)

    try:
        domain = Domain(
            features=model.schema.features,
            norm_bound=model.data_norm,
            intercept_scale=model.intercept_scale,
            records=records if isinstance(records, int) else None,
            classes=2,
        )
        setting = Setting(
            name=_NAMES[model.kind],
            problem=RegularisedRisk(loss=loss_named(loss, parameters), regulariser=L2(strength=ridge), domain=domain),
            privacy=Privacy(epsilon=epsilon, delta=delta, neighbours=guarantee.neighbours),
            mechanism="objective" if "objective" in name else "output",
            chosen=False,
            calibrated=calibrated,
        )
        again = calibrated(setting.problem, setting.privacy, setting.mechanism)[1]
    except DiscreetError:
        return None
    return setting if again.name == name and _same_noise(again, certificate) else None


def _asked_for(stated: float) -> float:
    """What is stated is what was asked for less rounding: the round number beside it, if there is one."""
    short = float(f"{stated:.4g}")
    return short if abs(short - stated) <= 1e-5 * stated else stated


def _same_noise(again: LearningMechanism[Any], certificate: Certificate) -> bool:
    match again:
        case PureObjectivePerturbation(rate=size) | PureOutputPerturbation(rate=size):
            stated = certificate.parameters.get("rate")
        case GaussianObjectivePerturbation(scale=size) | GaussianOutputPerturbation(scale=size):
            stated = certificate.parameters.get("scale")
        case _:
            return False
    return isinstance(stated, float) and abs(stated - size) <= _NEAR * size
