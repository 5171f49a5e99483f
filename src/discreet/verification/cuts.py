"""What a stranger computes from the certificate of a choice and a fit on it: the guarantee of each again, then that of both, by other lines.

The parts are rechecked by the rechecks of their own mechanisms. The calibration discretises the curves of both; here the curve of the fit is averaged
over the privacy loss of the choice; between knots it is read on chords, which lie above it. The loss of counts is that of a sum of integers. That of
one choice of range w is in [t - w, t] for some t: the worst such law takes the two ends only, and t is scanned (bounds_choice.md, theorem 2).
"""

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from discreet.accounting import ApproximateDP, PureDP
from discreet.core.fields import Json, finite, positive, text, whole
from discreet.statements.base import filled, mapping
from discreet.verification.base import Check, Stated, covers, epsilon_check, part_of, recheck, register_recheck
from discreet.verification.counting import divergence_of_counts, losses_of_counts, losses_of_curvature
from discreet.verification.numerics import at_every_epsilon
from discreet.verification.selection import AGREEMENT_OF_CURVES, CURVES, Curve, curve_of_setting

_LAPLACE = "counting-laplace"
_COUNTS = (_LAPLACE, "counting-gaussian")
_CHOICES = {"cuts": _COUNTS, "norm": ("bounds-choice",), "curvature": ("curvature-gaussian",), "scores": _COUNTS}
"""Mechanisms that may be the part of this name."""
_SAID = {
    "cuts": "counts of columns",
    "norm": "a choice of a norm",
    "curvature": "the curvature at released weights",
    "scores": "counts of classes by score",
}
_PLACES = 257
_BEYOND = 1e-42
"""More than the probability of counts whose loss is not summed."""


@register_recheck("cuts-then-fit")
def _cuts_then_fit(stated: Stated) -> Iterator[Check]:
    yield from _then_fit(stated, "cuts", _of_counts)


@register_recheck("norm-then-fit")
def _norm_then_fit(stated: Stated) -> Iterator[Check]:
    part = part_of(stated, stated.parameters["norm"])
    bounds = dict(stated.problem).get("data_norm", dict(stated.problem).get("norm_bound"))
    columns = [mapping(column) for column in filled(part.problem["columns"])] if part.mechanism == "bounds-choice" else []
    lists = [(filled(column["lower"]), filled(column["upper"])) for column in columns]
    norm = positive(stated.parameters["data_norm"])
    known = len(lists) == 1 and len(lists[0][0]) == 1 and norm in lists[0][1] and math.frexp(norm)[0] == 0.5 and bounds == 1
    yield Check("chosen norm", known, f"{norm:.10g}, a power of two among the candidates for one norm, by which rows of a fit of norm 1 are divided")
    yield from _then_fit(stated, "norm", _of_one_choice)


@register_recheck("curvature-with-fit")
def _curvature_with_fit(stated: Stated) -> Iterator[Check]:
    asked = {**part_of(stated, stated.parameters["curvature"]).problem}
    same = asked.pop("weights", None) == stated.digest and asked == _of_the_loss(part_of(stated, stated.parameters["fit"]))
    yield Check("question", same, "the curvature is that of the problem of the fit, at the weights that it released")
    yield from _then_fit(stated, "curvature", _of_curvature)


@register_recheck("scores-with-fit")
def _scores_with_fit(stated: Stated) -> Iterator[Check]:
    queries = filled(part_of(stated, stated.parameters["scores"]).problem["queries"])
    classes = whole(stated.problem["classes"]) if "scheme" in stated.problem else 2
    asked = len(queries) == 1 and mapping(queries[0]).get("kind") == "scored-classes" and mapping(queries[0]).get("classes", 2) == classes
    shift = stated.parameters["shift"]
    moved = len(filled(shift)) if isinstance(shift, list) else 2
    within = moved == classes and 0.0 <= finite(stated.parameters["slope"]) <= 1.0
    said = f"{classes} classes by their score; weights are those of the fit times a number between 0 and 1"
    yield Check("question", asked and within, said)
    yield from _then_fit(stated, "scores", _of_counts)


def _of_the_loss(fit: Stated) -> dict[str, Json]:
    """The problem of a fit as that of its curvature, whose losses know of no prior: a regression by residuals states its loss elsewhere."""
    problem = {name: value for name, value in fit.problem.items() if name != "prior"}
    if fit.mechanism == "least-squares-objective":
        name = text(fit.parameters["loss"])
        width: Json = positive(fit.parameters["width"])
        problem |= {"loss": name, "loss_parameters": {"width" if name == "log-cosh" else "half_width": width}}
        problem.pop("most_records")
    return problem


def _curve_with_scores(stated: Stated, farthest: float) -> Curve:
    choice, fit = (part_of(stated, stated.parameters[part]) for part in ("scores", "fit"))
    of_fit = at_every_epsilon(curve_of_setting(fit, 2.0 * farthest))
    return lambda epsilons: np.array([min(1.0, _of_counts(choice, of_fit, epsilon)) for epsilon in epsilons.tolist()])


CURVES["scores-with-fit"] = _curve_with_scores


_Composed: TypeAlias = Callable[[Stated, Curve, float], float]
"""From the choice, the curve of the fit and epsilon to the delta of both together; raises ValueError for a choice that has none."""


def _then_fit(stated: Stated, name: str, composed: _Composed) -> Iterator[Check]:
    parts = {part: part_of(stated, stated.parameters[part]) for part in (name, "fit")}
    sound = True
    for part, its in parts.items():
        failed = [f"{check.name}: {check.detail}" for check in recheck(its) if not check.ok]
        related = its.guarantee.neighbours is stated.guarantee.neighbours
        sound = sound and related and not failed
        yield Check(part, related and not failed, "; ".join(failed) or f"{its.mechanism}, rechecked")
    choice, fit = parts[name], parts["fit"]
    exact = all(_as_written(stated.parameters[part], its) for part, its in parts.items())
    same = exact and dict(fit.problem) == dict(stated.problem) and choice.mechanism in _CHOICES[name] and stated.releases == 1
    yield Check("parts", same, f"{_SAID[name]}, and a fit whose problem is the one that is stated, once")
    if not (sound and same):
        return
    total = stated.guarantee
    if isinstance(total, PureDP | ApproximateDP):
        named = (total.epsilon, total.delta(total.epsilon)) == (stated.parameters["epsilon"], stated.parameters["delta"])
        yield Check("total", named, f"stated epsilon {total.epsilon:.10g}, and the record says what was paid for")
    if isinstance(total, PureDP):
        epsilons = [its.guarantee.epsilon if isinstance(its.guarantee, PureDP) else math.inf for its in (choice, fit)]
        yield epsilon_check(stated, sum(epsilons), "both together")
        return
    if not isinstance(total, ApproximateDP):
        yield Check("delta", False, "a pure or an (epsilon, delta) guarantee was expected")
        return
    if choice.mechanism == _LAPLACE:
        yield Check("delta", False, "counts with Laplace noise are part of pure guarantees alone")
        return
    of_fit = at_every_epsilon(curve_of_setting(fit, 2.0 * total.epsilon))
    computed = max(composed(choice, of_fit, total.epsilon), float(of_fit(np.array([total.epsilon]))[0]))
    ok = covers(total.delta_at_epsilon, computed, room=AGREEMENT_OF_CURVES)
    said = f"stated {total.delta_at_epsilon:.6g} at epsilon {total.epsilon:.6g}"
    yield Check("delta", bool(ok), f"{said}, recomputed {computed:.6g} (the curve of the fit over the loss of the {name})")


def _of_counts(choice: Stated, of_fit: Curve, epsilon: float) -> float:
    losses, masses = losses_of_counts(choice)
    return max(float(masses @ of_fit(epsilon - losses)) + _BEYOND, divergence_of_counts(choice, epsilon))


def _of_curvature(choice: Stated, of_fit: Curve, epsilon: float) -> float:
    losses, masses = losses_of_curvature(choice)
    return float(masses @ of_fit(epsilon - losses)) + _BEYOND


def _of_one_choice(choice: Stated, of_fit: Curve, epsilon: float) -> float:
    width = positive(choice.parameters["rate"])
    t = np.linspace(0.0, width, _PLACES)
    of_t = np.expm1(t - width) / np.expm1(-width)  # the probability of loss t, of which follows that e^-loss has mean 1; of t - w the rest
    return float(np.max(of_t * of_fit(epsilon - t) + (1.0 - of_t) * of_fit(epsilon - t + width)))


def _as_written(record: Json, part: Stated) -> bool:
    """Whether the record of a part says nothing else."""
    stated = mapping(record)
    return stated.keys() == {"mechanism", "parameters", "problem", "guarantee"} and stated["guarantee"] == part.guarantee.to_dict()
