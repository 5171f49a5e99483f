"""Models and explanations in notebooks, and the noise against the signal: how far the noise alone moves the weights, beside how long they are.

Public numbers only.
"""

from dataclasses import replace
from typing import Any

from discreet.accounting import ApproximateDP, PureDP
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError
from discreet.core.neighbours import Privacy
from discreet.data import Domain, NumberTarget, NumberTargets, TimeTarget
from discreet.data.labels import canonical
from discreet.data.toml_text import AnyTarget
from discreet.display import certificates
from discreet.display.pages import Block, Facts, Section, Text, Tone, view_html
from discreet.estimators import ArrayModel, Model
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.intervals.released_noise import NoiseShare, noise_share
from discreet.estimators.models.linear_classifier import LinearClassifier
from discreet.estimators.models.set_model import AutoMechanismMixin
from discreet.estimators.summaries.explanation import Explanation, Setting, explain
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
    return _view(model.certificate, f"Model {model.kind} of {model.schema.name}", model.weights)


def array_model_view(model: ArrayModel) -> str:
    """HTML of a model of arrays."""
    return _view(model.certificate, f"Model {model.kind} of {model.features:,} features", model.weights)


def fitted_view(certificate: Certificate, weights: Floats | None) -> str:
    """HTML below the diagram of a fitted estimator."""
    return certificates.view(certificate, first=None if weights is None else _noisy(certificate, weights))


def _view(certificate: Certificate, name: str, weights: Floats) -> str:
    return certificates.view(certificate, name, weights.shape, first=_noisy(certificate, weights))


def _noisy(certificate: Certificate, weights: Floats) -> Text | None:
    found = noise_share(certificate, weights)
    return None if found is None or found.words is None else Text(found.words, Tone.BAD)


def explanation_view(explanation: Explanation) -> str:
    """HTML of every choice."""
    return view_html(explanation.title, _reasons(explanation, "Every choice, from public numbers"))


def _reasons(explanation: Explanation, caption: str) -> Facts:
    return Facts(caption, [(reason.choice, reason.text) for reason in explanation.reasons])


def signal_of_estimator(estimator: PrivateModel, certificate: Certificate, weights: Floats) -> list[Section]:
    """From a fitted estimator; nothing where it cannot be said."""
    records, explanation = certificate.problem.get("records"), None
    if isinstance(estimator, LinearClassifier | AutoMechanismMixin):
        try:
            explanation = estimator.explain(records=records if isinstance(records, int) else None)
        except DiscreetError:
            explanation = None
    return _signal(explanation, noise_share(certificate, weights))


def signal_of_model(model: Model) -> list[Section]:
    """From a model file: for the choices the mechanism is calibrated again from the certificate's numbers, where these are of a single fit."""
    setting = _setting_of(model)
    try:
        explanation = None if setting is None else explain(setting)
    except DiscreetError:
        explanation = None
    if explanation is not None:
        kept = tuple(reason for reason in explanation.reasons if reason.choice not in {"alpha", "delta"})
        explanation = replace(explanation, reasons=kept)
    return _signal(explanation, noise_share(model.certificate, model.weights))


def _signal(explanation: Explanation | None, found: NoiseShare | None) -> list[Section]:
    blocks: list[Block] = []
    if found is not None:
        far = f"{found.most:.3g}" if found.least == found.most else f"between {found.least:.2g} and {found.most:.3g}" if found.least else None
        rows = [
            ("Length of the released weights", f"{found.length:.3g}"),
            ("How far noise alone moves them", far or f"at most {found.most:.3g}"),
        ]
        clear = "The weights are clearly longer than noise alone would make them."
        maybe = (
            "The weights are about as long as the noise can be, so they may be mostly noise. More records, a larger epsilon or fewer columns help."
        )
        said = found.words or (maybe if found.length < 2.0 * found.most else clear)
        blocks = [Facts("Public numbers", rows), Text(f"{said} The length includes the noise, and says nothing about single weights.")]
    if explanation is not None:
        blocks.append(_reasons(explanation, explanation.title))
    return [Section("The noise against the signal", blocks)] if blocks else []


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
        share = None if "count_scale" in certificate.parameters else 0.0
        return problem, calibrate(problem, mechanism=mechanism, calibration="tight", count_share=share, **privacy.target)

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
