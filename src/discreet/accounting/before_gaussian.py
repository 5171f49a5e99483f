"""A release whose curve is known, and Gaussian noise of another release after it: both together at one epsilon, without a transform.

    delta(epsilon) <= p_infinite + sum over losses l of p(l) delta_1(epsilon - l)

with delta_1 the curve of the first, in both directions, and p the discretised pair for mu-GDP of the second (composition.md, section 3: the last line
of the proof, with the second pair in the outer integral). The second may depend on what the first released. Below 0

    delta_1(x) = 1 - e^x (1 - delta_1(-x))

by complements (section 1b). delta_1 may cost much, so it is evaluated at few knots around epsilon (`near`), and lies below their chords in e^epsilon.

Numerics. Arguments epsilon - l are lowered by more than their rounding errors; sums are of positive numbers, and raised for 4,096 operations.
"""

from collections.abc import Callable

import numpy as np

from discreet.accounting.gaussian import gaussian_deltas
from discreet.accounting.numerical import pessimistic_masses
from discreet.accounting.profile import along_chords
from discreet.core.arrays import Floats
from discreet.core.rounding import raising

_REACH = 10.5
"""Deviations of the second loss, beyond which its curve is below 1e-25."""
_FINENESS, _COARSEST = 0.25, 0.25
"""The step of its grid, of its deviation, and at most: a variance of at most a quarter of the step's square is added to it."""
_KNOTS = np.array([-11.5, -7.0, -5.0, -3.5, *np.arange(-2.5, 4.5, 0.5), 5.25, 7.0, 11.5])
"""Deviations of it where the first curve is read: near each other where the product of density and curve is, which is largest a little above 0."""
_LOWER = 1e-15


def near(curve: Callable[[float], float], *, epsilon: float, mu: float) -> Callable[[Floats], Floats]:
    """Upper bounds of a curve at all numbers that `before_gaussian` asks for, from its values at about twenty."""
    spread = 0.5 * mu * mu + mu * _KNOTS
    highest = epsilon + float(spread[-1])
    places = np.unique(np.clip(np.append(epsilon - spread, highest), 0.0, None))
    return through(places, np.array([curve(place) for place in places.tolist()]))


def through(places: Floats, deltas: Floats) -> Callable[[Floats], Floats]:
    """Upper bounds of a curve from the first of increasing places on, from its values there."""
    falling = np.minimum.accumulate(np.minimum(deltas, 1.0))
    return lambda epsilons: np.where(epsilons < places[0], 1.0, along_chords(places, falling, epsilons))


def before_gaussian(curve: Callable[[Floats], Floats], *, epsilon: float, mu: float) -> float:
    """Upper bound of delta(epsilon), epsilon >= 0, of what has this curve at numbers >= 0, with mu-GDP after it."""
    step = min(_FINENESS * mu, _COARSEST)
    masses = pessimistic_masses(lambda at: gaussian_deltas(at, mu), step=step, reach=mu * (0.5 * mu + _REACH))
    losses = step * (masses.first + np.arange(len(masses.finite)))
    left = epsilon - losses - _LOWER * (epsilon + np.abs(losses))
    of_first = curve(np.abs(left))
    values = np.where(left >= 0, of_first, -np.expm1(np.minimum(left, 0.0)) + np.exp(np.minimum(left, 0.0)) * of_first)
    return min(1.0, (masses.infinite + float(masses.finite @ np.minimum(values, 1.0))) * raising(4_096))
