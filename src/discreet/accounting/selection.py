"""The best of a random number of runs: what releasing the best scored of K runs promises (proof note selection.md).

A base mechanism returns an outcome with its score (a fitted model, its settings, a noisy number of correct records), and is itself private. It is run
K times, K drawn by a public law that does not depend on the records, and only the best scored outcome is released; K is not. Let f(z) = E z^K.

    Theorem. Let ln C >= ln f'(U) - ln f'(x) whenever (x, U) are the probabilities of one event under two neighbours. Then, for all a,
        pure      epsilon-DP                     ->  (epsilon + ln C)-DP
        profile   delta(a)                       ->  delta'(a + ln C) <= f(1) - f(1 - delta(a)) <= E K delta(a)
        Renyi     divergence D_lambda            ->  D'_lambda <= D_lambda + ln C + ln(E K) / (lambda - 1)              (K >= 1)
    and every point (e, d) of the base mechanism's curve gives such a C:
        ln C = max over x in {0, s, 1 - d} of ln f'(U(x)) - ln f'(x),   s = (1 - d) / (1 + e^e),   U = d, 1 - s, 1 there
    and so does each of its Renyi divergences, D_h of order h, for truncated negative binomial laws:
        ln C = (1 + eta) ((1 - 1/h) D_h + ln(1/gamma) / h)

Sources: Liu, Talwar 2019 (geometric); Papernot, Steinke 2022, theorems 2 and 6 (pure, Renyi); Koskela, Redberg, Wang 2024 (profiles). Pure and
truncated negative binomial: at most (2 + eta) epsilon. The least C over many points is taken, so one guarantee (epsilon, delta) is enough, and a
whole curve is better: the e at which C is least is far below the epsilon at which delta is small.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from discreet.accounting.base import ApproximateDP, Guarantee, NoGuarantee, PureDP, Statement, scope, together
from discreet.accounting.conversions import to_profile, to_renyi
from discreet.accounting.information import CramerRaoBound
from discreet.accounting.numerical import reach_of
from discreet.accounting.profile import Profile, hull
from discreet.accounting.renyi import ConcentratedDP, RenyiDP
from discreet.accounting.stopping import NegativeBinomialRuns, RunsLaw
from discreet.core.errors import InvalidInput
from discreet.core.rounding import up

_POINTS = 257
_ROUNDING = 1e-12
KEPT = "the number of runs"
_RULE = "selection by random stopping"

Selected = PureDP | Profile | RenyiDP | NoGuarantee


def selected(part: Guarantee, law: RunsLaw) -> Selected:
    """The guarantee for the best of K runs of a mechanism with the guarantee `part`.

    Pure stays pure, Renyi stays Renyi, anything else becomes a profile.

    A Renyi or concentrated guarantee needs a truncated negative binomial distribution. Raises InvalidInput for kinds that imply nothing.
    """
    if isinstance(part, CramerRaoBound):
        raise InvalidInput("nothing follows for a selection from a Cramer-Rao number, which guarantees no privacy.")
    shared = together([part], _RULE)
    shared = replace(shared, secret=tuple(dict.fromkeys([*shared.secret, KEPT])))
    match part:
        case NoGuarantee():
            return part
        case PureDP(epsilon=epsilon):
            return PureDP(epsilon=up(epsilon + log_tilt(law, epsilon, 0.0)), **scope(shared))
        case RenyiDP() | ConcentratedDP():
            return _renyi(to_renyi(part), law, shared)
    return _profile(part, law, shared)


def log_tilt(law: RunsLaw, epsilon: float, delta: float) -> float:
    """ln C from one point (epsilon, delta) of the base mechanism's curve, rounded up; see the module docstring."""
    share = (1.0 - delta) / (1.0 + math.exp(epsilon)) if epsilon < 700.0 else 0.0
    corners = ((1.0, 1.0 - delta), (1.0 - share, share), (delta, 0.0))
    steps = [(law.log_slope(reached * (1.0 - _ROUNDING)), law.log_slope(min(1.0, known * (1.0 + _ROUNDING)))) for known, reached in corners]
    return max(0.0, *(above - below + _ROUNDING * (abs(above) + abs(below)) for above, below in steps))


def least_log_tilt(law: RunsLaw, part: Guarantee) -> float:
    """The least ln C over points of a curve."""
    points = np.linspace(0.0, max(reach_of(part), 1e-9), _POINTS).tolist()
    if isinstance(part, PureDP | ApproximateDP):
        points.append(part.epsilon)
    # Of a profile all at once: its chords are laid anew each time.
    deltas = part.deltas(np.array(points)).tolist() if isinstance(part, Profile) else map(part.delta, points)
    return min(log_tilt(law, *point) for point in zip(points, deltas, strict=True))


def drawn_at_random(parts: Sequence[Guarantee]) -> PureDP | Profile | ApproximateDP | NoGuarantee:
    """The guarantee of running one of several mechanisms, picked uniformly by a public die, and saying which.

    The hockey-stick divergence of the mixture is the mean of those of its parts, so the mean of their curves bounds it; pure: the largest epsilon.
    """
    shared = scope(together(parts, "settings drawn at random"))
    for part in parts:
        if isinstance(part, NoGuarantee):
            return part
    pure = [part.epsilon for part in parts if isinstance(part, PureDP)]
    if len(pure) == len(parts):
        return PureDP(epsilon=max(pure), **shared)
    points = [part for part in parts if isinstance(part, ApproximateDP)]
    if len(points) == len(parts) and len({(part.epsilon, part.delta_at_epsilon) for part in points}) == 1:
        return ApproximateDP(epsilon=points[0].epsilon, delta_at_epsilon=points[0].delta_at_epsilon, **shared)
    curves = [to_profile(part) for part in parts]
    knots = np.unique(np.concatenate([curve.epsilons for curve in curves]))
    epsilons, deltas = hull(knots, np.mean([curve.deltas(knots) for curve in curves], axis=0) * (1.0 + _ROUNDING))
    return Profile(epsilons=epsilons, deltas_at=deltas, **shared)


def _profile(part: Guarantee, law: RunsLaw, shared: Statement) -> Profile:
    """Points a + ln C for a >= -ln C; below zero the curve is 1 - e^a + e^a delta(-a) (composition.md, 1b)."""
    tilt = least_log_tilt(law, part)
    curve = to_profile(part)
    known = np.asarray(curve.epsilons)
    between = np.linspace(0.0, known[-1], _POINTS)
    above = np.unique(np.concatenate((known, between)))
    below = np.linspace(tilt, 0.0, 33)[:-1] if tilt > 0 else np.empty(0)
    under = -np.expm1(-below) + np.exp(-below) * curve.deltas(below)
    base = np.minimum(1.0, np.concatenate((under, curve.deltas(above))) * (1.0 + _ROUNDING))
    deltas = np.array([min(1.0, law.reaching(float(delta)) * (1.0 + _ROUNDING)) for delta in base])
    points = np.concatenate((np.maximum(0.0, tilt - below), above + tilt))
    # A computed sum a + ln C may be a rounding error too small: points are moved up by more than that, except for the first, which is 0 by choice.
    points[1:] *= 1.0 + _ROUNDING
    epsilons, values = hull(points, deltas)
    return Profile(epsilons=epsilons, deltas_at=values, **scope(shared))


def _renyi(part: RenyiDP, law: RunsLaw, shared: Statement) -> RenyiDP:
    if not isinstance(law, NegativeBinomialRuns):
        raise InvalidInput("a Renyi curve needs a truncated negative binomial number of runs; convert it to a profile for other laws.")
    eta, spread = law.eta, -math.log(law.gamma)
    tilt = min((1.0 + eta) * ((1.0 - 1.0 / order) * size + spread / order) for order, size in zip(part.orders, part.divergences, strict=True))
    sizes = [up(size + tilt + math.log(law.mean) / (order - 1.0)) for order, size in zip(part.orders, part.divergences, strict=True)]
    return RenyiDP(orders=part.orders, divergences=tuple(sizes), **scope(shared))
