"""The privacy curve of discrete Gaussian noise on integers, exactly up to rounding that only raises it (proof note counting.md, theorem 2).

A component moves `coordinates` integers, each up or down, by `step`, under noise P(k) proportional to exp(-k^2 / (2 s^2)).
Its privacy loss is a function of one integer T:

    1 coordinate    loss = (D^2 - 2 D T) / (2 s^2),   P(T) prop. to e^{-T^2 / (2 s^2)}
    2, step 1       loss = (1 - T) / s^2,             P(T) prop. to e^{-T^2 / (4 s^2)} sum over u = T mod 2 of e^{-u^2 / (4 s^2)}
    m, step 1       loss = (m - 2 T) / (2 s^2),       T the sum of m such integers: P(T) prop. to e^{-T^2 / (2 m s^2)} from s = 3 on, but for
                                                      1e-30 of itself (counting.md, lemma 4); below, convolved

    one component     delta(epsilon) = sum over T of P(T) (1 - e^{epsilon - loss(T)})_+
    two components    delta(epsilon) = sum over T of P(T) delta_2(epsilon - loss(T)),
                      delta_2(e) = F(m) - e^e F(m - D),  m = floor((D^2 - 2 s^2 e) / (2 D)),  F the distribution function

From s = 4096 on a component is bounded by the Gaussian curve instead (counting.md, lemma 3): no sum gets long, and rows of one person may move
integers by any parts of a step, whose squares add up to no more. Terms are positive or, in delta_2,
differences whose rounding errors are added; what lies beyond 14 s (probability below 2 e^{-98}) is added.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.accounting import beyond_each, closeness, gaussian_deltas
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising

WIDE = 4096.0
_SMOOTH = 3.0
_REACH = 14.0
_BEYOND = 1e-41
"""More than the probability of |k| > 14 s + 12, four times (Canonne, Kamath, Steinke 2020, proposition 25)."""
_TOLD = 1e9
"""A loss at which neighbours are told apart: where what is beyond the reach of several sums is put."""
_UP = raising(45_000)
_SLACK = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """`coordinates` integers that move by `step`, up or down, under discrete Gaussian noise of this scale."""

    coordinates: int
    step: int
    scale: float
    spread: int = 0
    """How many integers may move where they share that move, as rows of one person do, and powers of an error; 0 where they do not."""

    @property
    def moved(self) -> int:
        """How many integers may move."""
        return max(self.coordinates, self.spread)

    @property
    def mu(self) -> float:
        """Of the Gaussian mechanism that this is close to."""
        return math.sqrt(self.coordinates) * self.step / self.scale


def divergence(components: Sequence[Component], epsilon: float) -> float:
    """An upper bound of the hockey-stick divergence, for one or two components; in two, one must move a single coordinate."""
    narrow = [one for one in components if one.scale < WIDE]
    wide = [one for one in components if one.scale >= WIDE]
    if any(one.spread for one in narrow):
        raise InvalidInput(f"noise on shares of persons and on sums of errors must be wider than {WIDE:g} parts; use a smaller epsilon.")
    if not narrow:
        return float(_wide(components, np.array([epsilon]))[0])
    if len(components) == 1:
        losses, masses = lattice(narrow[0])
        gaps = losses - epsilon + _SLACK * (1.0 + np.abs(losses) + abs(epsilon))
        return _rounded(float(np.sum(masses * -np.expm1(-np.maximum(gaps, 0.0)))))
    if len(components) > 2:
        raise InvalidInput(f"the curve is known for one or two queries together; {len(components)} were given. Release them one after the other.")
    inner = wide[0] if wide else min(narrow, key=lambda one: (one.coordinates, -one.scale))
    outer = next(one for one in components if one is not inner)
    losses, masses = lattice(outer)
    shifted = epsilon - losses - _SLACK * (1.0 + np.abs(losses) + abs(epsilon))
    curve = _wide([inner], shifted) if wide else _threshold_curve(inner, shifted)
    return _rounded(float(masses @ curve))


def lattice(component: Component) -> tuple[Floats, Floats]:
    """Losses and their probabilities for every T within reach."""
    scale = component.scale
    if component.coordinates == 1:
        numbers = _numbers(scale)
        return _losses(component, numbers), _normalised(numbers, scale)
    if component.step != 1:
        raise InvalidInput("a component moves one integer, or several by 1.")
    if component.coordinates > 2:
        return _lattice_of_many(component)
    numbers = _numbers(math.sqrt(2.0) * scale)
    weights = np.exp(-np.square(numbers / (2.0 * scale)))
    even = numbers % 2 == 0
    thetas = np.where(even, np.sum(weights[even]), np.sum(weights[~even]))
    joint = weights * thetas
    return (1.0 - numbers) / scale**2, joint / np.sum(joint)


def _lattice_of_many(component: Component) -> tuple[Floats, Floats]:
    """Three coordinates and more: T is the sum of all of them, each turned the way it moves."""
    count, scale = component.coordinates, component.scale
    wide = math.sqrt(count) * scale
    numbers = _numbers(wide)
    masses = _normalised(numbers, wide) if scale >= _SMOOTH else _convolved(_normalised(_numbers(scale), scale), count, len(numbers))
    losses = (count - 2.0 * numbers) / (2.0 * scale**2)
    return np.append(losses, _TOLD), np.append(masses, count * _BEYOND)


def _convolved(masses: Floats, count: int, size: int) -> Floats:
    """The law of the sum of `count` of them at the middle `size` places; all terms are positive, and what is cut off is beyond reach."""
    total, power = np.ones(1), masses
    while count:
        if count % 2:
            total = _middle(np.convolve(total, power), size)
        count //= 2
        if count:
            power = _middle(np.convolve(power, power), size)
    return np.pad(total, (size - len(total)) // 2)


def _middle(masses: Floats, size: int) -> Floats:
    over = max(0, (len(masses) - size) // 2)
    return masses[over : len(masses) - over]


def _threshold_curve(component: Component, epsilons: Floats) -> Floats:
    """delta_2 of the module docstring, for any real epsilons."""
    if component.coordinates != 1:
        raise InvalidInput("of two queries together one must be a sum or a count.")
    numbers, step, scale = _numbers(component.scale), component.step, component.scale
    below = np.concatenate(([0.0], np.cumsum(_normalised(numbers, scale))))
    last = int(numbers[-1])
    thresholds = np.floor((step**2 - 2.0 * scale**2 * epsilons) / (2.0 * step))

    def distribution(points: Floats) -> Floats:
        values: Floats = below[np.clip(points + last + 1, 0, len(numbers)).astype(np.int64)]
        return values

    first = distribution(thresholds)
    second = np.exp(np.minimum(epsilons, 700.0)) * distribution(thresholds - step)
    # Where nothing within reach lies below the threshold, what lies beyond does not either but for _BEYOND.
    curve: Floats = np.minimum(np.maximum(first - second, 0.0) + 1e-10 * first + _BEYOND, 1.0)
    return curve


def _wide(components: Sequence[Component], epsilons: Floats) -> Floats:
    """Lemma 3: a Gaussian's curve, at an epsilon smaller by what separates the discrete law from the rounded normal one."""
    apart = [closeness(one.moved, one.scale) for one in components]
    up, total = (sum(sizes) * _UP for sizes in zip(*((each.upper, each.total) for each in apart), strict=True))
    mu = math.sqrt(sum(one.mu**2 for one in components)) * _UP
    tails = beyond_each(epsilons, stages=len(components))
    curve: Floats = np.minimum(1.0, math.exp(up) * (gaussian_deltas(epsilons - total, mu) + tails) * _UP)
    return curve


def _numbers(scale: float) -> Floats:
    last = math.ceil(_REACH * scale) + 12
    return np.arange(-last, last + 1, dtype=np.float64)


def _normalised(numbers: Floats, scale: float) -> Floats:
    weights = np.exp(-0.5 * np.square(numbers / scale))
    masses: Floats = weights / np.sum(weights)
    return masses


def _losses(component: Component, numbers: Floats) -> Floats:
    losses: Floats = component.step * (component.step - 2.0 * numbers) / (2.0 * component.scale**2)
    return losses


def _rounded(total: float) -> float:
    return min(1.0, total * _UP + _BEYOND)
