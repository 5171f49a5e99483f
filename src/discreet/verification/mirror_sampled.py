"""The recheck of mirror descent on Poisson batches: the privacy losses themselves, summed by one Fourier transform, in both directions.

Calibration connects upper bounds of the curve on a grid and composes them with tilts. Here x runs over a fine grid of the real line, the loss
ln(1 + q (e^{mu x - mu^2 / 2} - 1)) of every x is split between the nearest points of a grid ten times finer than the calibration's, so that means are
kept, and masses are transformed as they are: no bound, but the truth to about 0.01 %, which the stated delta must not be below.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee, Json, closeness
from discreet.core.fields import finite, whole
from discreet.core.neighbours import ADD_REMOVE
from discreet.core.rounding import raising
from discreet.verification.constrained_parts import public_numbers
from discreet.verification.parts import LEAST_SCALE, on_a_grid, same_relation
from discreet.verification.registry import Check, register_recheck

_SHARE = 2.0**-14
_AGREEMENT = 1e-9
_SPLIT = 64.0
_POINTS = 400_001
_MOST = 1 << 22


@register_recheck("mirror-descent-sampled")
def _sampled(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield on_a_grid(parameters)
    public = public_numbers(problem)
    steps, scale, epsilon = whole(parameters["steps"]), finite(parameters["scale"]), finite(parameters["epsilon"])
    rate, step = whole(parameters["rate"]) / 2.0**20, finite(parameters["grid_step"])
    root = math.sqrt(public.dimension)
    length = public.slope * public.radius / step
    apart = closeness(steps * public.dimension, scale, stages=steps)
    usable = scale >= LEAST_SCALE and rate <= 1 and guarantee.neighbours is ADD_REMOVE and apart.total < epsilon
    found = 1.0
    if usable:
        beside = 2.0 * (_SHARE * length + 0.5 * root) * math.sqrt(steps * _SPLIT) / scale
        found = composed(length / (scale * math.sqrt(1.0 - 1.0 / _SPLIT)), rate, steps, beside, epsilon - apart.total) * math.exp(apart.upper)
    stated = guarantee.delta_at_epsilon if isinstance(guarantee, ApproximateDP) else math.nan
    above = isinstance(guarantee, ApproximateDP) and epsilon <= guarantee.epsilon * raising(4_096)
    ok = releases == 1 and above and 0 <= found <= stated * (1.0 + _AGREEMENT)
    yield Check(
        "delta", bool(ok), f"stated {stated:.6g}, recomputed {found:.6g} ({steps} sampled Gaussian steps, losses summed by a Fourier transform)"
    )


def composed(mu: float, rate: float, steps: int, beside: float, epsilon: float) -> float:
    """The larger hockey-stick divergence of the two directions."""
    x = np.linspace(-12.0, 12.0 + mu, _POINTS)
    centred = np.exp(-0.5 * x * x) / math.sqrt(2.0 * math.pi) * (x[1] - x[0])
    losses = np.log1p(rate * np.expm1(mu * x - 0.5 * mu * mu))
    spread = rate * math.sqrt(math.expm1(min(mu * mu, 50.0)))
    total = math.sqrt(steps) * spread + beside
    cell = max(0.004 * spread, 40.0 * total / _MOST)
    size = 1 << min(22, max(12, math.ceil(math.log2((40.0 * total + 4.0 * steps * spread**2 + 2.0 * float(losses[-1])) / cell))))
    frequencies = np.arange(size // 2 + 1) * (2.0 * math.pi / (size * cell))
    gaussian = np.exp(-0.5 * np.square(beside * frequencies) - 1j * frequencies * 0.5 * beside**2)
    places = np.arange(size)
    sums = np.where(places >= size // 2, places - size, places) * cell
    worst = 0.0
    for masses, sign in ((centred * np.exp(losses), 1.0), (centred, -1.0)):
        place = np.floor(sign * losses / cell)
        share = sign * losses / cell - place
        first = place.astype(np.int64)
        table = np.bincount(first % size, weights=masses * (1.0 - share), minlength=size)
        table += np.bincount((first + 1) % size, weights=masses * share, minlength=size)
        law = np.maximum(np.fft.irfft(np.fft.rfft(table) ** steps * gaussian, size), 0.0)
        worst = max(worst, float(law @ np.maximum(0.0, -np.expm1(np.minimum(epsilon - sums, 0.0)))))
    return worst
