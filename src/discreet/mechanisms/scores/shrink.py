"""From noisy counts of classes by score to how far the score is to be believed: a function of what was released, and so free.

    log odds'(x) = a L(x) + (1 - a) B,      0 <= a <= 1:   a = 1 leaves the model as it is, a = 0 answers the base rate, exp(B) : 1

L are the log odds that the model tells through its link, in five bins. B and a have a prior: B normal of deviation 2.5, a uniform on 0, .05, .., 1
with e^2 times the weight on either end, a fifth each. Given both, the count of a bin's second class less its share of the bin's count is noise of
known variance, of what is added and of sampling; so is that of all records for B. The posterior is summed over a grid of both; the mean of the chance
that it gives at the middle of every bin is what a reader of the counts believes there, the noise integrated out. Weights cannot say five numbers, but
their best line: the least squares of decisions at these chances on decisions at the middles, its slope brought within [0, 1].

The records that are counted are those that the score was fitted on, and look better by it than others would: the sum of (y - s) L over them is above
that over as many fresh ones by tr H (H + lambda)^-1, for logistic losses, H their curvature at the weights, whatever noise the fit had. Of H no more
is public than about its trace, n s (1 - s) R^2, s the share of the second class. With equal eigenvalues h in d dimensions the trace is
d h / (h + lambda); those of tables are unequal, and

    learnt = (3/4) d h / (2 h + lambda),      h = n s (1 - s) R^2 / d

with n and s from the noisy counts, is taken from what is counted, over the bins in proportion to what each holds times its distance from the mean.
On 2,000 records of Lending Club and online shoppers, at eight budgets, the true excess was 5 to 117 records, and by this formula 1 to 88.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit

from discreet.core.arrays import Floats

EDGES = (-2.0, -0.7, 0.7, 2.0)
"""Log odds between the bins: public."""
_MIDDLES = np.array([-3.0, -1.3, 0.0, 1.3, 3.0])
_SLOPES = np.linspace(0.0, 1.0, 21)[:, np.newaxis]
_RATES = np.linspace(-5.0, 5.0, 61)[np.newaxis, :]
_ENDS, _SPREAD = 2.0, 2.5
_CERTAIN = 1e-6
_LEARNT = 0.75


class Shrinkage(NamedTuple):
    """Every decision times `slope`, and `shift` more; public."""

    slope: float
    shift: float | tuple[float, ...]
    """One number for each class, where there are more than two."""


class Fitted(NamedTuple):
    """What a fit could learn of its own records depends on; public."""

    dimension: int
    longest: float
    """R, the norm bound of a record with its constant feature."""
    ridge: float
    """lambda, with what a mechanism added to it."""

    def learnt(self, information: float) -> float:
        """See the module docstring; `information` is n s (1 - s)."""
        each = information * self.longest**2 / self.dimension
        return _LEARNT * self.dimension * each / (2.0 * each + self.ridge)


Link: TypeAlias = Callable[[Floats], Floats]
"""From decisions to log odds: public, odd and rising."""


def places_of(decisions: Floats, codes: npt.NDArray[np.intp], odds: Link) -> npt.NDArray[np.int64]:
    """What ScoredClasses counts, (n,), of decisions (n,) and classes 0 or 1 (n,): each from its own record, by comparisons with public edges."""
    return np.asarray(codes * (len(EDGES) + 1) + np.searchsorted(decisions_at(np.array(EDGES), odds), decisions), dtype=np.int64)


def shrunk(counts: Floats, *, deviation: float, odds: Link, fit: Fitted) -> Shrinkage:
    """From the noisy counts (12,), in records, their noise of this deviation, the link of the model, and how it was fitted."""
    bins = len(_MIDDLES)
    totals, lower, upper = counts[:2], counts[2 : 2 + bins], counts[2 + bins :]
    rate = expit(_RATES)
    score = likelihood(totals[1], totals[0], rate, deviation, max(1.0, float(totals.sum()))) - 0.5 * np.square(_RATES / _SPREAD)
    score = score + np.where((_SLOPES == 0.0) | (_SLOPES == 1.0), _ENDS, 0.0)
    chances = expit(_SLOPES[..., np.newaxis] * _MIDDLES + ((1.0 - _SLOPES) * _RATES)[..., np.newaxis])
    learnt = _learnt_by_bin(totals, lower + upper, fit)
    score = score + np.sum(likelihood(upper - learnt, lower + learnt, chances, deviation, np.maximum(lower + upper, 0.0)), axis=-1)
    weights = np.exp(score - score.max())
    believed = np.clip(np.tensordot(weights / weights.sum(), chances, axes=2), _CERTAIN, 1.0 - _CERTAIN)
    sure = believed * (1.0 - believed)
    at, wanted = decisions_at(_MIDDLES, odds), decisions_at(logit(believed), odds)
    middle, target = float(sure @ at / sure.sum()), float(sure @ wanted / sure.sum())
    slope = float(sure @ ((at - middle) * (wanted - target)) / (sure @ np.square(at - middle)))
    slope = min(1.0, max(0.0, slope))
    return Shrinkage(slope, target - slope * middle)


def _learnt_by_bin(totals: Floats, held: Floats, fit: Fitted) -> Floats:
    """By how many records the second class is too many in each bin, (5,), from both classes' counts (2,) and those of bins (5,)."""
    count = max(1.0, float(totals.sum()))
    share = min(1.0, max(0.0, float(totals[1]) / count))
    held = np.maximum(held, 1.0)
    apart = _MIDDLES - held @ _MIDDLES / held.sum()
    found: Floats = fit.learnt(count * share * (1.0 - share)) * held * apart / (held @ np.square(apart))
    return found


def decisions_at(odds_wanted: Floats, odds: Link) -> Floats:
    """Decisions whose log odds these are, by bisection."""
    low, high = np.full_like(odds_wanted, -64.0), np.full_like(odds_wanted, 64.0)
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = odds(middle) < odds_wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return 0.5 * (low + high)


def likelihood(second: Floats | float, first: Floats | float, chance: Floats, deviation: float, count: Floats | float) -> Floats:
    """Log likelihood of noisy counts of both classes, where the second has this chance, but for a constant."""
    variance = deviation**2 * (np.square(1.0 - chance) + np.square(chance)) + count * chance * (1.0 - chance) + 1.0
    found: Floats = -0.5 * (np.square(second * (1.0 - chance) - first * chance) / variance + np.log(variance))
    return found
