"""What no private method can do better (proof note any_method.md): a lower bound on the excess of every one, from public numbers.

Whatever an (epsilon, delta)-private method makes of n records with rows of norm at most R and two classes, there is a law of records under which,
with a probability of more than `failure`, its expected loss exceeds that of the best predictor of norm at most B by at least

    max over k <= d, M' <= R B / sqrt(k), p of  tau D (err(p) - failure),      tau = p k / g <= 1,

    g = (b - a) / (b + a), a = -l'(M'), b = -l'(-M')         how much likelier than not a label is, so that M' is the best margin
    D = l(0) - (1 + g) / 2 l(M') - (1 - g) / 2 l(-M')        what a wrong sign costs on a row that has something to tell
    err(p) >= E (1 - delta_{cN})_+ / (1 + e^{c epsilon N}), N ~ Bin(n, p)    c = 1, or 2 under add-remove
              with delta_m = delta (e^{m epsilon} - 1) / (e^epsilon - 1)
    err(p) >= (1 - sqrt(1 - h^{2n})) / 2                     h = 1 - p (1 - sqrt(1 - g^2)) / g: what n records tell without privacy

Sums and expectations are cut off where that makes them smaller.
"""

import math

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Privacy
from discreet.core.validate import each, positive, probability, whole
from discreet.losses import MarginLoss

_CHANGED = 3_000
"""Records that change, beyond which nothing is counted."""
_PLACES, _DIRECTIONS = 97, 40
_MARGINS = np.array([1.0, 0.7, 0.5, 0.35, 0.2, 0.1, 0.05, 0.02, 0.01])
_FARTHEST, _DOWN = 30.0, 1.0 - 1e-6


def least_excess(loss: MarginLoss, *, records: int, features: int, norm: float, data_norm: float, privacy: Privacy, failure: float) -> float:
    """The excess that every private method has at the least, under some law; see module docstring.

    Raises InvalidInput for numbers outside their range.
    """
    epsilon, delta = privacy.epsilon, privacy.delta
    each(positive, norm=norm, data_norm=data_norm, epsilon=epsilon)
    each(whole, records=records, features=features)
    probability(failure, "failure")
    steps = 2 if privacy.neighbours is ADD_REMOVE else 1
    places = np.geomspace(1e-2, min(float(records), 0.5 * _CHANGED), _PLACES) / records
    private = np.array([private_error(records, place, epsilon=steps * epsilon, delta=_of_steps(delta, epsilon, steps)) for place in places])
    best = 0.0
    for k in np.unique(np.geomspace(1, features, _DIRECTIONS).round()):
        margins = np.minimum(data_norm * norm / math.sqrt(k), _FARTHEST) * _MARGINS
        steep, gentle = -loss.slope(-margins), -loss.slope(margins)
        lean = (steep - gentle) / (steep + gentle)
        costs = loss.value(np.zeros(1)) - 0.5 * (1.0 + lean) * loss.value(margins) - 0.5 * (1.0 - lean) * loss.value(-margins)
        for g, cost in zip(lean.tolist(), costs.tolist(), strict=True):
            shares = places * k / g if g > 0 else np.full(_PLACES, 2.0)
            errors = np.maximum(private, plain_error(records, places, g)) if g > 0 else private
            found = np.where(shares <= 1.0, shares * cost * (errors - failure), 0.0)
            best = max(best, float(found.max()))
    return best * _DOWN


def _of_steps(delta: float, epsilon: float, steps: int) -> float:
    """delta of a group of so many."""
    return delta if steps == 1 else min(1.0, delta * (1.0 + math.exp(min(epsilon, 700.0))))


def private_error(records: int, place: float, *, epsilon: float, delta: float) -> float:
    """The least mean error of a private decision between two laws, where N ~ Bin(records, place) records differ (any_method.md, lemma 1)."""
    changed = np.arange(min(records, _CHANGED) + 1, dtype=np.float64)
    if place < 1:
        growth = np.log((records - changed[:-1]) / changed[1:] * (place / (1.0 - place)))
        masses = np.exp(records * math.log1p(-place) + np.append(0.0, np.cumsum(growth)))
    else:
        masses = np.where(changed == records, 1.0, 0.0)
    exponents = np.minimum(epsilon * changed, 700.0)
    failed = delta * np.expm1(exponents) / math.expm1(min(epsilon, 700.0))
    return float(masses @ (np.maximum(0.0, 1.0 - failed) / (1.0 + np.exp(exponents)))) * _DOWN


def plain_error(records: int, places: Floats, lean: float) -> Floats:
    """The least mean error of any decision between them, from their affinity (lemma 2)."""
    apart = places * lean / (1.0 + math.sqrt(max(0.0, 1.0 - lean * lean)))
    with np.errstate(divide="ignore"):  # laws that no record is possible under both of
        kept = np.exp(2.0 * records * np.log1p(-np.minimum(apart, 1.0)))
    return np.asarray(0.5 * (1.0 - np.sqrt(1.0 - kept)) * _DOWN)
