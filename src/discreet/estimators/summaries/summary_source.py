"""What a summary is about: a fitted model, and the words for its coefficients, its facts and what was paid for it; all of it public."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.accounting import ApproximateDP, NoGuarantee, PureDP
from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import real
from discreet.data import NumberTargets, Schema
from discreet.data.targets import counted_or_not
from discreet.data.toml_text import AnyTarget
from discreet.estimators.intervals.released_noise import fit_within
from discreet.estimators.prediction_rules import BoundedForm, Form, KernelForm, MadeForm
from discreet.losses.predictions import prediction_loss_named
from discreet.problems.made_rows import MadeRows

if TYPE_CHECKING:
    from discreet.estimators.intervals.uncertainty import Uncertainty
    from discreet.mechanisms.regression import Equations


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """What a summary is of: everything is public."""

    name: str
    weights: Floats
    """(m,), or (K m,) with the classes one after the other."""
    certificate: Certificate
    form: Form
    labels: tuple[str, ...]
    """Of the classes; none for numbers."""
    schema: Schema | None = None
    names: tuple[str, ...] | None = None
    """Of the features, where no schema tells them."""
    unit: float = 1.0
    """What rows are divided by before the model sees them."""
    equations: "Equations | None" = None
    """What the mechanism released about the least squares of the population."""
    probabilities: bool = False
    """Whether decisions are logarithms of odds."""

    @property
    def functions(self) -> int:
        """How many there are, whose weights stand one after the other."""
        return len(self.labels) if len(self.labels) > 2 and self.made is None else len(self.units) or 1

    @property
    def units(self) -> tuple[float, ...]:
        """Of several targets; none of one."""
        return self.form.units if isinstance(self.form, BoundedForm) and not self.labels else ()

    @property
    def made(self) -> MadeRows | None:
        """What rows are made of a record, of a model of times or of ordered classes."""
        return self.form.made if isinstance(self.form, MadeForm) else None

    @property
    def linked(self) -> bool:
        """Whether the answer is another function of the decision than itself, as of counts it is the exponential."""
        problem = self.certificate.problem
        name, parameters = problem.get("loss"), problem.get("loss_parameters", {})
        if self.labels or self.made is not None or not isinstance(name, str) or not isinstance(parameters, dict):
            return False
        places = np.array([-0.5, 0.25])
        try:
            return not np.array_equal(prediction_loss_named(name, parameters).answer(places), places)
        except InvalidInput:
            return False


def targets_of(subject: Subject) -> Sequence[AnyTarget | None]:
    """What each function is of, as a schema says it."""
    if subject.schema is None:
        return [None] * len(towards_of(subject))
    target = subject.schema.target
    return target.parts if isinstance(target, NumberTargets) else [target] * len(towards_of(subject))


def names_of(subject: Subject, features: int) -> Sequence[str]:
    """Of the features, in the order of the weights."""
    if subject.schema is not None:
        return [legible(name) for name in subject.schema.feature_names]
    return [legible(name) for name in subject.names] if subject.names is not None else [f"x{number}" for number in range(features)]


def towards_of(subject: Subject) -> list[str]:
    """What a larger number of each function speaks for."""
    if subject.made is not None:
        column = "" if subject.schema is None else f" of {subject.schema.one_target.column}"
        return [f"an earlier end{column}" if subject.made.ends else f"a higher class{column}"]
    if len(subject.labels) > 2:
        return [legible(label) for label in subject.labels]
    if subject.labels:
        return [legible(subject.labels[1])]
    told = "the logarithm of the answer" if subject.linked else ""
    if subject.schema is not None and isinstance(subject.schema.target, NumberTargets):
        return [f"{told or 'a larger'}{' for' if told else ''} {column}" for column in subject.schema.target.columns]
    if subject.units or told:
        return [f"{told or 'target'} {number}" for number in range(len(subject.units))] or [told]
    return ["" if subject.schema is None else f"a larger {subject.schema.one_target.column}"]


def answers_of(subject: Subject) -> str:
    """What the model answers, in words."""
    target = None if subject.schema is None else subject.schema.target
    what = "" if subject.schema is None else f"{', '.join(subject.schema.answers)}: "
    number = "numbers" if isinstance(target, NumberTargets) else "a time" if subject.made else counted_or_not(target)
    return f"{what}{', '.join(map(legible, subject.labels))}" if subject.labels else f"{what}{number}"


def facts_of(subject: Subject) -> Iterator[tuple[str, str]]:
    """What is public about the fit, by its name."""
    problem, form = subject.certificate.problem, subject.form
    records, loss, ridge, (_, chosen, _) = problem.get("records"), problem.get("loss"), problem.get("ridge"), fit_within(subject.certificate)
    unit, counted = subject.certificate.guarantee.unit.counted, chosen.get("counted")
    told = "not public"
    if isinstance(counted, int | float):
        told += f"; {max(0.0, counted):,.0f} by a count with noise of deviation {real(chosen['count_scale']):,.0f}"
    yield unit.capitalize(), f"{records:,}" if isinstance(records, int) else told
    features = form.features if isinstance(form, MadeForm) else len(subject.weights) // subject.functions - (form.intercept_scale > 0)
    yield "Random features" if isinstance(form, KernelForm) else "Features", f"{features:,}{' and an intercept' if form.intercept_scale > 0 else ''}"
    if math.isfinite(form.data_norm):
        where = "" if subject.schema is None or subject.schema.metric is None else " in the coordinates of a public metric"
        yield "Row norm", f"at most {form.data_norm * subject.unit:.4g}{where}: longer rows are shortened"
    if isinstance(loss, str):
        over = problem.get("constraint")
        yield "Loss", f"{loss}{f' over the set {over}' if isinstance(over, str) else ''}"
    if isinstance(ridge, int | float):
        alpha = f", alpha = {ridge / records:.3g}" if isinstance(records, int) and records > 0 else ""
        yield "Penalty", f"lambda = {ridge + real(chosen.get('extra_ridge', 0.0)):.4g} on the sum of losses{alpha}"


def paid_for(certificate: Certificate, uncertainty: "Uncertainty | None") -> Iterator[tuple[str, str]]:
    """What was paid for, by its name."""
    guarantee = certificate.guarantee
    if isinstance(guarantee, NoGuarantee):
        yield "Guarantee", "none: the fit had no noise"
    else:
        match guarantee:
            case PureDP(epsilon=epsilon):
                said = f"epsilon {epsilon:.6g}, delta 0"
            case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
                said = f"epsilon {epsilon:.6g}, delta {delta:.3g}"
            case _:
                said = "a curve of its own"
        seeded = "" if certificate.noise_private else "; void, since the noise was seeded"
        yield "Guarantee", f"{said} for one {guarantee.unit}, {guarantee.neighbours}{seeded}"
    if uncertainty is not None:
        beside = uncertainty.certificate.guarantee.to_dict()
        counted = "within it" if uncertainty.paid_with_the_model else "besides"
        yield "Intervals", f"epsilon {beside.get('epsilon', 0):.6g}, delta {beside.get('delta', 0):.3g} {counted}"
    yield "Mechanism", certificate.mechanism
    yield "Ledger", "no entry" if certificate.ledger_entry is None else f"entry {certificate.ledger_entry}"


def legible(name: str) -> str:
    """A name in one line, with nothing that a terminal would obey."""
    return name if name.isprintable() else ascii(name)
