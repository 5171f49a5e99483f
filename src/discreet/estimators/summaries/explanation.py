"""Why a model was set up as it was: every choice from public numbers, with what the alternatives would have cost.

An explanation is computed without data: from the parameters of an estimator, the number of features and, where they are known, the number of records
and of classes. Its measure of noise is `weight_noise`, the length by which the noise alone can be expected to move the weights, at most.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.accounting import Json, Unit
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.fields import real
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Privacy
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.core.validate import whole
from discreet.estimators.intervals.released_noise import fit_within
from discreet.estimators.prediction_rules import Form
from discreet.problems import RegularisedRisk

if TYPE_CHECKING:
    from discreet.mechanisms import learning
else:
    learning = lazily("discreet.mechanisms.learning")

Calibrated = Callable[[RegularisedRisk, Privacy, str], tuple[Any, "learning.LearningMechanism[Any]"]]
"""From (problem of two classes, target, mechanism) to the problem that is solved and its calibrated mechanism."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One choice."""

    choice: str
    """What was chosen: "loss", "rows", "alpha", "mechanism", "relation", "delta"."""
    text: str
    """What, and why."""
    numbers: dict[str, Json]
    """The public numbers behind it."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All choices of one estimator; `print` it."""

    title: str
    reasons: tuple[Reason, ...]

    __repr__ = short_repr
    _repr_html_ = html_of("estimators.explanation_view")

    def __str__(self) -> str:
        """One paragraph a choice."""
        return "\n".join([self.title, *(f"  {reason.choice:<10} {reason.text}" for reason in self.reasons)])

    def to_dict(self) -> dict[str, Json]:
        """For JSON: the texts and the numbers."""
        return {"title": self.title, **{reason.choice: {"text": reason.text, **reason.numbers} for reason in self.reasons}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What an explanation is about."""

    name: str
    """Of the estimator."""
    problem: RegularisedRisk
    """Of two classes, with its lambda."""
    privacy: Privacy
    mechanism: str
    chosen: bool
    """Whether lambda is the default rule's."""
    calibrated: Calibrated


def explain(setting: Setting) -> Explanation:
    """The reasons, in the order in which the choices are made. Raises InfeasibleTarget where no noise reaches the target."""
    domain = setting.problem.domain
    records = "" if domain.records is None else f", {domain.records:,} {'records' if domain.persons is None else 'persons'}"
    many = "" if domain.classes == 2 else f", {domain.classes} classes"
    budget = f"epsilon {setting.privacy.epsilon:g}, delta {setting.privacy.delta:g}, {setting.privacy.neighbours}"
    return Explanation(title=f"{setting.name} on {domain.features:,} features{many}{records}: {budget}", reasons=tuple(_reasons(setting)))


def explained(certificate: Certificate, form: Form, *, name: str) -> Explanation:
    """What a certificate says was chosen, in the same words; no alternatives, for which an estimator is asked."""
    problem, guarantee = certificate.problem, certificate.guarantee
    loss, ridge, records, (_, chosen, _) = problem.get("loss"), problem.get("ridge"), problem.get("records"), fit_within(certificate)
    reasons = []
    if isinstance(loss, str):
        over = problem.get("constraint")
        reasons.append(Reason(choice="loss", text=f"{loss}{f' over the set {over}' if isinstance(over, str) else ''}.", numbers={"name": loss}))
    if np.isfinite(form.data_norm):
        constant = f"; the intercept is a constant feature of {form.intercept_scale:g}." if form.intercept_scale > 0 else "; no intercept."
        numbers: dict[str, Json] = {"data_norm": form.data_norm, "intercept_scale": form.intercept_scale}
        reasons.append(Reason(choice="rows", text=f"shortened to norm {form.data_norm:g}{constant}", numbers=numbers))
    if isinstance(ridge, int | float):
        per = f", alpha = lambda / n = {ridge / records:.3g}" if isinstance(records, int) and records > 0 else ""
        total = ridge + real(chosen.get("extra_ridge", 0.0))
        counted = f"; it follows from a noisy number of records, {real(chosen['counted']):,.0f}" if "counted" in chosen else ""
        text = f"lambda = {total:.3g} on the sum of losses{per}{counted}."
        reasons.append(Reason(choice="alpha", text=text, numbers={"lambda": total}))
    reasons.append(Reason(choice="mechanism", text=f"{certificate.mechanism}: {guarantee.theorem}.", numbers={"name": certificate.mechanism}))
    reasons.append(relation_words(guarantee.neighbours, persons=guarantee.unit is Unit.PERSON))
    return Explanation(title=f"{name}, one {guarantee.unit}, {guarantee.neighbours}", reasons=tuple(reasons))


def known_features(estimator: Any, features: int | None) -> int:
    """d as said, or of the fitted model. Raises InvalidInput where neither tells."""
    known = features if features is not None else vars(estimator).get("n_features_in_")
    if known is None:
        raise InvalidInput("explain needs the number of features: explain(features=d), or a fitted model.")
    return whole(known, "features")


def relation_words(neighbours: Neighbours, *, persons: bool) -> Reason:
    """What the relation hides."""
    return Reason(choice="relation", text=f"{neighbours}: {_hidden(persons)[neighbours]}.", numbers={"chosen": str(neighbours)})


def _hidden(persons: bool) -> dict[Neighbours, str]:  # noqa: FBT001 - of this module
    one, hidden = ("person", "all rows of a person are") if persons else ("record", "the content of a record is")
    return {
        REPLACE_ONE: f"{hidden} hidden, the number of {one}s is public",
        ADD_REMOVE: f"whether a {one} is there at all is hidden, and with it the number of {one}s",
    }


def _reasons(setting: Setting) -> Iterator[Reason]:
    problem, domain = setting.problem, setting.problem.domain
    solved, mechanism = setting.calibrated(problem, setting.privacy, setting.mechanism)
    noise = mechanism.weight_noise(solved)
    size = noise * solved.ridge
    yield _loss(problem)
    yield _rows(problem)
    yield _alpha(setting, solved.ridge, counts="count_scale" in mechanism.parameters())
    reach = "at most (less where the records curve the objective)" if "objective" in mechanism.name else "whatever the records"
    text = f"{mechanism.name}: the noise alone moves the weights by about {noise:.3g}, {reach}."
    numbers: dict[str, Json] = {"name": mechanism.name, "weight_noise": noise}
    if domain.classes == 2:
        other = "output" if "objective" in mechanism.name else "objective"
        size_of_other = _size_of(setting, setting.privacy, other)
        moved = None if size_of_other is None else size_of_other / solved.ridge
        numbers[other] = moved
        at_most = "cannot reach this target at this lambda" if moved is None else f"would move them by {moved:.3g}"
        at_most += "" if moved is None or other == "output" else " at most"
        text += f" {other.capitalize()} perturbation at this lambda {at_most}."
    yield Reason(choice="mechanism", text=text, numbers=numbers)
    yield _relation(setting, size)
    yield _delta(setting, size)


def _loss(problem: RegularisedRisk) -> Reason:
    loss = problem.loss
    stated = ", ".join([loss.name, *(f"{name} {value:g}" for name, value in loss.parameters.items())])
    signal = abs(float(loss.slope(_ZERO)[0])) / loss.lipschitz
    text = (
        f"{stated}: slope at most {loss.lipschitz:g}, which the noise must cover, and {signal:.2f} of it at the start, which the records contribute. "
        "The nearer this is to 1, the less the noise weighs while it is large (logistic 0.50, softplus hinge 0.73 to 0.95)."
    )
    return Reason(choice="loss", text=text, numbers={"name": loss.name, "slope_at_zero": signal, "curvature": loss.smoothness})


def _rows(problem: RegularisedRisk) -> Reason:
    domain = problem.domain
    extra = domain.radius / domain.norm_bound - 1.0
    text = f"shortened to norm {domain.norm_bound:g}"
    if domain.intercept_scale > 0:
        text += (
            f"; the intercept is a constant feature of {domain.intercept_scale:g}, so that R = {domain.radius:.4g}: {100 * extra:.1f} % more noise. "
            "A smaller one holds the intercept back, a larger one costs more noise."
        )
    else:
        text += "; no intercept."
    numbers: dict[str, Json] = {"data_norm": domain.norm_bound, "intercept_scale": domain.intercept_scale, "radius": domain.radius}
    return Reason(choice="rows", text=text, numbers=numbers)


def _alpha(setting: Setting, ridge: float, *, counts: bool) -> Reason:
    problem, records = setting.problem, setting.problem.domain.records
    numbers: dict[str, Json] = {"lambda": ridge, "chosen_from_public_numbers": setting.chosen}
    text = f"lambda = {ridge:.3g} on the sum of losses"
    if records is not None:
        numbers["alpha"] = ridge / records
        text += f", alpha = lambda / n = {ridge / records:.3g}"
    if setting.chosen:
        text += ", from epsilon, delta, R and d alone: more noise and more dimensions want more of it"
        if counts:
            text += ". Few records want up to twice as much: their number is secret, and is counted with noise for a small share of the budget"
    else:
        rule = learning.default_ridge(problem, mechanism=setting.mechanism, **setting.privacy.target)
        text += f", as given (alpha=None would take {rule:.3g})"
    if problem.domain.classes == 2:
        least = learning.MARGIN.least_ridge(problem, setting.privacy.epsilon)
        free = learning.MARGIN.comfortable_ridge(problem, **setting.privacy.target)
        numbers |= {"least": least, "slack_free": free}
        text += f". The theorem has no slack from {free:.3g} on, and no noise is enough at {least:.3g} or below"
    return Reason(choice="alpha", text=text + ".", numbers=numbers)


def _relation(setting: Setting, size: float) -> Reason:
    chosen = setting.privacy.neighbours
    other = REPLACE_ONE if chosen is ADD_REMOVE else ADD_REMOVE
    says = _hidden(setting.problem.domain.persons is not None)
    changed = _size_of(setting, replace(setting.privacy, neighbours=other), setting.mechanism)
    text = f"{chosen}: {says[chosen]}. {_against(str(other), changed, size)}"
    return Reason(choice="relation", text=text, numbers={"chosen": str(chosen), str(other): changed})


def _delta(setting: Setting, size: float) -> Reason:
    delta = setting.privacy.delta
    if delta > 0:
        pure = _size_of(setting, replace(setting.privacy, delta=0.0), setting.mechanism)
        text = f"{delta:g}: with this probability the guarantee of epsilon may fail; keep it well below 1 / n. {_against('delta 0', pure, size)}"
        return Reason(choice="delta", text=text, numbers={"delta": delta, "pure": pure})
    some = _size_of(setting, replace(setting.privacy, delta=1e-6), setting.mechanism)
    text = f"0: the guarantee of epsilon never fails. {_against('delta 1e-6', some, size)}"
    return Reason(choice="delta", text=text, numbers={"delta": 0.0, "delta_1e-6": some})


def _size_of(setting: Setting, privacy: Privacy, mechanism: str) -> float | None:
    """lambda times weight_noise under another choice, its lambda chosen anew if it was; None where no noise reaches the target."""
    problem = setting.problem
    if setting.chosen and privacy != setting.privacy:
        problem = replace(problem, ridge=learning.default_ridge(problem, mechanism=mechanism, **privacy.target))
    try:
        solved, calibrated = setting.calibrated(problem, privacy, mechanism)
    except InfeasibleTarget:
        return None
    return calibrated.weight_noise(solved) * solved.ridge


def _against(what: str, other: float | None, size: float) -> str:
    return f"{what} cannot be reached here." if other is None else f"{what} would take {other / size:.2g} times this noise."


_ZERO: Floats = np.zeros(1)
"""The margin of a record at weights zero."""
