"""What a guarantee leaves to somebody who wants to know about one person: chances that a reader can weigh.

Let P and P' be the laws of what was released under two neighbours, and delta(e) the curve of the guarantee.

    best guess     which of the two it was, at even odds: right with probability at most (1 + delta(0)) / 2, whatever is computed from the release,
                   since delta(0) bounds the total variation distance, and no test does better
    detection      a test that gives false alarms with probability a detects with probability at most
                   min over e >= 0 of min(1, e^e a + delta(e), 1 - e^-e (1 - a - delta(e)))
                   (P(S) <= e^e P'(S) + delta(e) for the event and, with the roles of P and P' exchanged, for its complement)
    conviction     from probability p before to at most e^e p / (1 - p + e^e p) after, for (e, 0); for (e, delta) up to a probability delta that it
                   fails: the release can be computed from one that reveals all with probability delta, and else is (e, 0)
                   (Kairouz, Oh, Viswanath 2015, theorem 3.1 with section 3)

All numbers are upper bounds and are rounded up.
"""

import math
from collections.abc import Sequence

from discreet.accounting import ApproximateDP, Guarantee, PureDP

_GRID = 160


def stated(guarantee: Guarantee) -> tuple[float, float] | None:
    """The point (epsilon, delta) that the guarantee names, if it names one."""
    match guarantee:
        case PureDP(epsilon=epsilon):
            return epsilon, 0.0
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            return epsilon, delta
        case _:
            return None


def best_guess(guarantee: Guarantee) -> float:
    """Largest probability to guess right which of two neighbours it was, each being as likely as the other."""
    return 0.5 * (1.0 + min(1.0, guarantee.delta(0.0)))


def curve(guarantee: Guarantee, farthest: float) -> tuple[tuple[float, float], ...]:
    """Points (epsilon, delta) of the curve from 0 to `farthest`."""
    epsilons = [farthest * place / (_GRID - 1) for place in range(_GRID)]
    return tuple((epsilon, min(1.0, guarantee.delta(epsilon))) for epsilon in epsilons)


def detection(points: Sequence[tuple[float, float]], alarms: float) -> float:
    """Largest probability of detection of a test with this probability of false alarms, from points (epsilon, delta) that all hold."""
    most = 1.0
    for epsilon, delta in points:
        growth = math.exp(min(epsilon, 700.0))
        most = min(most, growth * alarms + delta, 1.0 - (1.0 - alarms - delta) / growth)
    return max(most, alarms)


def conviction(epsilon: float, before: float) -> float:
    """The probability after, from that before."""
    return 1.0 / (1.0 + (1.0 - before) / before * math.exp(-epsilon))


def percent(share: float) -> str:
    """A probability rounded up to a tenth of a per cent; "100 %" where nothing is excluded in any useful sense."""
    tenths = math.ceil(1000.0 * share - 1e-9)
    return f"{tenths / 10:g} %" if tenths < 1000 else "100 %"


def one_in(probability: float) -> str:
    """A small probability as "1 in 1,000,000", with at most three digits, rounded up."""
    if probability <= 0:
        return "0"
    inverse = 1.0 / probability
    if inverse < 10.0:
        return percent(probability)
    step = 10.0 ** max(0, math.floor(math.log10(inverse)) - 2)
    return f"1 in {math.floor(inverse / step * (1.0 + 1e-9)) * step:,.0f}" if inverse < 1e15 else f"less than 1 in {1e15:,.0f}"


def numbers_shown(value: float) -> str:
    """Four digits, or a dash for what there is not."""
    return f"{value:.4g}" if math.isfinite(value) else "-"
