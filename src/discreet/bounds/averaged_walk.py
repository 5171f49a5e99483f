"""Risk of the Frank-Wolfe walk with equal shares, as it is run (mechanisms/constrained/walk.py): the mean of T private choices.

    F(theta) - min F <= Gamma (1 + ln T) / (2 T) + r        r = a T^p the mean of the regrets of the T choices

in expectation, p = 1/2 when the budget is shared by exact composition and p = 1 when ranges simply add up (delta = 0). Theorems 5.5 and B.2 of
Talwar, Thakurta and Zhang (2014) have 2 Gamma / (T + 2) in the first place, for other shares; from T = 11 on that is less than what is proved here.
"""

import math

import numpy as np

from discreet.core.validate import each, not_negative, positive, whole

MOST_STEPS = 100_000


def averaged_frank_wolfe(*, curvature: float, regret: float, steps: int) -> float:
    """Gamma (1 + ln T) / (2 T) + r, for F a sum; `curvature` is Gamma, `regret` r. Raises InvalidInput for numbers out of range."""
    each(not_negative, curvature=curvature, regret=regret)
    whole(steps, "steps")
    return curvature * (1.0 + math.log(steps)) / (2.0 * steps) + regret


def averaged_steps(*, curvature: float, regret: float, power: float) -> int:
    """T up to MOST_STEPS where the bound is least (to 0.1 %), for choices of regret a T^p: a = `regret`, p = `power`."""
    each(positive, curvature=curvature, regret=regret, power=power)
    counts = np.unique(np.geomspace(1.0, MOST_STEPS, 5000).round())
    totals = curvature * (1.0 + np.log(counts)) / (2.0 * counts) + regret * counts**power
    return int(counts[np.argmin(totals)])
