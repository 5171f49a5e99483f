"""What a stranger computes from the certificate of cuts and a fit on them: the guarantee of each again, then that of both, independently.

The parts are rechecked by the rechecks of their own mechanisms. The calibration discretises the curves of both; here the curve of the fit is averaged
over the privacy loss of the counts, whose law is that of a sum of integers; between knots it is read on chords, which lie above it.
"""

import math
from collections.abc import Iterator

import numpy as np

from discreet.accounting import ApproximateDP, PureDP
from discreet.core.fields import Json
from discreet.statements.base import mapping
from discreet.verification.base import Check, Stated, covers, epsilon_check, part_of, recheck, register_recheck
from discreet.verification.counting import divergence_of_counts, losses_of_counts
from discreet.verification.selection import AGREEMENT_OF_CURVES, at_every_epsilon, curve_of_setting

_LAPLACE, _GAUSSIAN = "counting-laplace", "counting-gaussian"
_BEYOND = 1e-42
"""More than the probability of counts whose loss is not summed."""


@register_recheck("cuts-then-fit")
def _cuts_then_fit(stated: Stated) -> Iterator[Check]:
    parts = {name: part_of(stated, stated.parameters[name]) for name in ("cuts", "fit")}
    sound = True
    for name, part in parts.items():
        failed = [f"{check.name}: {check.detail}" for check in recheck(part) if not check.ok]
        related = part.guarantee.neighbours is stated.guarantee.neighbours
        sound = sound and related and not failed
        yield Check(name, related and not failed, "; ".join(failed) or f"{part.mechanism}, rechecked")
    cuts, fit = parts["cuts"], parts["fit"]
    exact = all(_as_written(stated.parameters[name], part) for name, part in parts.items())
    same = exact and dict(fit.problem) == dict(stated.problem) and cuts.mechanism in (_LAPLACE, _GAUSSIAN) and stated.releases == 1
    yield Check("parts", same, "counts of columns, and a fit whose problem is the one that is stated, once")
    if not (sound and same):
        return
    total = stated.guarantee
    if isinstance(total, PureDP | ApproximateDP):
        named = (total.epsilon, total.delta(total.epsilon)) == (stated.parameters["epsilon"], stated.parameters["delta"])
        yield Check("total", named, f"stated epsilon {total.epsilon:.10g}, and the record says what was paid for")
    if isinstance(total, PureDP):
        epsilons = [part.guarantee.epsilon if isinstance(part.guarantee, PureDP) else math.inf for part in (cuts, fit)]
        yield epsilon_check(stated, sum(epsilons), "both together")
        return
    if not isinstance(total, ApproximateDP):
        yield Check("delta", False, "a pure or an (epsilon, delta) guarantee was expected")
        return
    if cuts.mechanism != _GAUSSIAN:
        yield Check("delta", False, "counts with Laplace noise are part of pure guarantees alone")
        return
    losses, masses = losses_of_counts(cuts)
    of_fit = at_every_epsilon(curve_of_setting(fit, 2.0 * total.epsilon))
    composed = float(masses @ of_fit(total.epsilon - losses)) + _BEYOND
    alone = (divergence_of_counts(cuts, total.epsilon), float(of_fit(np.array([total.epsilon]))[0]))
    computed = max(composed, *alone)
    ok = covers(total.delta_at_epsilon, computed, room=AGREEMENT_OF_CURVES)
    said = f"stated {total.delta_at_epsilon:.6g} at epsilon {total.epsilon:.6g}"
    yield Check("delta", bool(ok), f"{said}, recomputed {computed:.6g} (the curve of the fit over the loss of the counts)")


def _as_written(record: Json, part: Stated) -> bool:
    """Whether the record of a part says nothing else."""
    stated = mapping(record)
    return stated.keys() == {"mechanism", "parameters", "problem", "guarantee"} and stated["guarantee"] == part.guarantee.to_dict()
