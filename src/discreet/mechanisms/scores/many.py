"""From noisy counts of three classes or more to how far a model's probabilities are to be believed: a function of what was released, and so free.

    ln p'_k(x) = a ln p_k(x) + (1 - a) ln s_k + constant,    0 <= a <= 1:   a = 1 leaves the model as it is, a = 0 answers shares s of classes

A model tells a class, the one of its largest probability p. A record is counted in its class, and in a cell: whether its class was told, and the bin
of ln(p / (1 - p)). Given a, the told class is right with log odds near a ln(p / (1 - p)) + (1 - a) ln(s / (1 - s)), s its share. Which class was told
is not counted: each as often as it is, or nearly always the most frequent one, both as likely. a has a uniform prior on 0, .05, .., 1, with e^5 times
the weight on 0: where counts say little a model of many classes is seldom worth more than their shares. The slope is the mean of the posterior, the
noise integrated out.

Shares have a prior that is log-normal about equal ones, its deviation one of five, found from the counts of all classes together: shares are shrunk
where they look alike, and rare classes stay rare where they do not. Each is the mean of its posterior.
"""

from collections.abc import Callable
from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, logsumexp, softmax

from discreet.core.arrays import Floats
from discreet.mechanisms.scores.shrink import Shrinkage, likelihood

TOLD_EDGES = (0.0, 1.5)
"""Log odds of the told class between the bins: public."""
_MIDDLES = np.array([-0.6, 0.75, 2.5])
_SLOPES = np.linspace(0.0, 1.0, 21)
_NONE = 5.0
_POWERS = np.array([1.0, 16.0])
"""Of shares: how often a class is told."""
_SPREADS = np.array([0.2, 0.5, 1.0, 1.6, 2.4])
_LEAST, _NODES = 1e-6, 161
_FARTHEST = 5.0

Telling: TypeAlias = Callable[[Floats], Floats]
"""From shares of classes to the decisions that tell them."""


def places_of_told(values: Floats, codes: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """What ScoredClasses counts, (n,), of logarithms of probabilities, each row up to a constant, (n, K), and classes (n,): each from its own record.

    Sums over classes are taken in their order, whatever other records stand beside.
    """
    told, every = values.argmax(axis=1), np.arange(len(values))
    apart = np.exp(values - values[every, told][:, np.newaxis])
    apart[every, told] = 0.0
    against: Floats = reduce(np.add, apart.T)  # (1 - p) / p
    bins = len(TOLD_EDGES) + 1
    place = np.sum(against[:, np.newaxis] < np.exp(-np.array(TOLD_EDGES)), axis=1)
    return np.asarray((2 * codes + (codes == told)) * bins + place, dtype=np.int64)


def shrunk_classes(counts: Floats, *, deviation: float, telling: Telling) -> Shrinkage:
    """From the noisy counts (K + 6,), in records, and their noise of this deviation."""
    bins = len(_MIDDLES)
    shares, (wrong, right) = shares_of(counts[: -2 * bins], deviation), counts[-2 * bins :].reshape(2, bins)
    odds = np.multiply.outer(_SLOPES, _MIDDLES)[..., np.newaxis] + np.multiply.outer(1.0 - _SLOPES, logit(shares))[:, np.newaxis]
    chances = expit(odds) @ softmax(np.multiply.outer(np.log(shares), _POWERS), axis=0)
    right, wrong = right[:, np.newaxis], wrong[:, np.newaxis]
    score = logsumexp(np.sum(likelihood(right, wrong, chances, deviation, np.maximum(right + wrong, 0.0)), axis=1), axis=1)
    weights = softmax(score + np.where(_SLOPES == 0.0, _NONE, 0.0))
    slope = float(np.clip(weights @ _SLOPES, 0.0, 1.0))
    return Shrinkage(slope, tuple(((1.0 - slope) * telling(shares)).tolist()))


def shares_of(counts: Floats, deviation: float) -> Floats:
    """Positive shares (K,) of noisy counts (K,) with this deviation: see the module docstring."""
    total = max(float(counts.sum()), deviation, 1.0)
    around = np.clip(counts[:, np.newaxis] + deviation * np.linspace(-_FARTHEST, _FARTHEST, _NODES), _LEAST * total, total)
    places = np.sort(np.concatenate((np.tile(np.geomspace(_LEAST, 1.0, _NODES) * total, (len(counts), 1)), around), axis=1), axis=1)
    logs = np.log(places * (len(counts) / total))
    steps = np.diff(logs, axis=1)
    widths = np.pad(steps, ((0, 0), (0, 1))) + np.pad(steps, ((0, 0), (1, 0)))
    with np.errstate(divide="ignore"):
        fit = np.log(widths) - 0.5 * np.square((counts[:, np.newaxis] - places) / deviation)
    spread = _SPREADS[:, np.newaxis, np.newaxis]
    joint = fit - 0.5 * np.square(logs / spread + 0.5 * spread) - np.log(spread)  # of mean total / K
    evidence = logsumexp(joint, axis=2)
    means = np.exp(logsumexp(joint, b=places, axis=2) - evidence)
    belief = evidence.sum(axis=1)
    found: Floats = np.exp(belief - logsumexp(belief)) @ means
    return found / found.sum()
