"""Models and explanations in notebooks, and the noise against the signal: how far the noise alone moves the weights, beside how long they are.

Public numbers only.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.accounting import ApproximateDP, PureDP
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError
from discreet.core.neighbours import Privacy
from discreet.data import Domain, NumberTarget, NumberTargets, TimeTarget
from discreet.data.labels import canonical
from discreet.data.toml_text import AnyTarget
from discreet.display import certificates
from discreet.display.pages import Block, Facts, Section, Text, view_html
from discreet.estimators import ArrayModel, Model
from discreet.estimators.base import PrivateModel
from discreet.estimators.explanation import Explanation, Setting, explain
from discreet.estimators.linear_classifier import LinearClassifier
from discreet.estimators.set_model import ByComparison
from discreet.losses import loss_named
from discreet.mechanisms.learning import (
    GaussianObjectivePerturbation,
    GaussianOutputPerturbation,
    PureObjectivePerturbation,
    PureOutputPerturbation,
    calibrate,
)
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.problems import RegularisedRisk

_NAMES = {"logistic-regression": "LogisticRegression", "linear-svc": "LinearSVC"}
_LEFT_OVER = 1e-3
"""Of its delta, what a plan of composed stages may leave over."""
_NEAR = 1e-4
"""The noise that is found again agrees to this: so do scales at deltas that differ by `_LEFT_OVER`."""


def target_words(target: AnyTarget) -> str:
    """The target's column and what its values are."""
    match target:
        case NumberTarget():
            values = f"numbers from {target.lower:g} to {target.upper:g}"
        case NumberTargets(parts=parts):
            return "; ".join(f"{part.column}: numbers from {part.lower:g} to {part.upper:g}" for part in parts)
        case TimeTarget():
            values = f"times, told apart at {', '.join(f'{end:g}' for end in target.ends)}"
        case _:
            values = ", ".join(map(canonical, target.classes)) + (", in this order" if target.ordered else "")
    return f"{target.column}: {values}"


def model_view(model: Model) -> str:
    """HTML of a model: what it is, and its certificate."""
    return certificates.view(model.certificate, f"Model {model.kind} of {model.schema.name}", model.weights.shape)


def array_model_view(model: ArrayModel) -> str:
    """HTML of a model of arrays."""
    return certificates.view(model.certificate, f"Model {model.kind} of {model.features:,} features", model.weights.shape)


def explanation_view(explanation: Explanation) -> str:
    """HTML of every choice."""
    return view_html(explanation.title, _reasons(explanation, "Every choice, from public numbers"))


def _reasons(explanation: Explanation, caption: str) -> Facts:
    return Facts(caption, [(reason.choice, reason.text) for reason in explanation.reasons])


def signal_of_estimator(estimator: PrivateModel, certificate: Certificate, weights: Floats) -> list[Section]:
    """From a fitted estimator; nothing where it cannot be said."""
    if not isinstance(estimator, LinearClassifier | ByComparison):
        return []
    records = certificate.problem.get("records")
    try:
        explanation = estimator.explain(records=records if isinstance(records, int) else None)
    except DiscreetError:
        return []
    return [_signal(explanation, weights)]


def signal_of_model(model: Model) -> list[Section]:
    """From a model file: the mechanism is calibrated again from the certificate's numbers. Nothing where these are not those of a single fit."""
    setting = _setting_of(model)
    try:
        explanation = None if setting is None else explain(setting)
    except DiscreetError:
        return []
    if explanation is None:
        return []
    kept = tuple(reason for reason in explanation.reasons if reason.choice not in {"alpha", "delta"})
    return [_signal(replace(explanation, reasons=kept), model.weights)]


def _signal(explanation: Explanation, weights: Floats) -> Section:
    moved = next((reason.numbers["weight_noise"] for reason in explanation.reasons if "weight_noise" in reason.numbers), None)
    length = float(np.linalg.norm(weights))
    blocks: list[Block] = []
    if isinstance(moved, float) and moved > 0:
        rows = [
            ("Length of the released weights", f"{length:.3g}"),
            ("How far noise alone moves them, about", f"{moved:.3g}"),
            ("Ratio", f"{length / moved:.2g}"),
        ]
        noisy = "The weights are about as long as the noise, so they may be mostly noise. More records, a larger epsilon or fewer features help."
        found = noisy if length < 2.0 * moved else "The weights are clearly longer than noise alone would make them."
        blocks = [Facts("Public numbers", rows), Text(f"{found} The length includes the noise, and says nothing about single weights.")]
    return Section("The noise against the signal", [*blocks, _reasons(explanation, explanation.title)])


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

    delta = _asked_for(guarantee.delta_at_epsilon, near=_LEFT_OVER) if isinstance(guarantee, ApproximateDP) else 0.0

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
            problem=RegularisedRisk(loss=loss_named(loss, parameters), ridge=ridge, domain=domain),
            privacy=Privacy(epsilon=epsilon, delta=delta, neighbours=guarantee.neighbours),
            mechanism="objective" if "objective" in name else "output",
            chosen=False,
            calibrated=calibrated,
        )
        again = calibrated(setting.problem, setting.privacy, setting.mechanism)[1]
    except DiscreetError:
        return None
    return setting if again.name == name and _same_noise(again, certificate) else None


def _asked_for(stated: float, *, near: float = 1e-5) -> float:
    """The number of fewest digits within `near` of what is stated: what was asked for, less rounding and what a plan left over."""
    rounded = (float(f"{stated:.{digits}g}") for digits in range(1, 5))
    return next((short for short in rounded if abs(short - stated) <= near * stated), stated)


def _same_noise(again: LearningMechanism[Any], certificate: Certificate) -> bool:
    match again:
        case PureObjectivePerturbation(rate=size) | PureOutputPerturbation(rate=size):
            stated = certificate.parameters.get("rate")
        case GaussianObjectivePerturbation(scale=size) | GaussianOutputPerturbation(scale=size):
            stated = certificate.parameters.get("scale")
        case _:
            return False
    return isinstance(stated, float) and abs(stated - size) <= _NEAR * size
