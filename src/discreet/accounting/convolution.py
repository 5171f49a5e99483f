"""The curve of many discretised mechanisms together, by tilted Fourier transforms, with every error added to delta.

The loss of independent (or adaptive, see the note composition.md) mechanisms is the sum of their losses, and

    delta(epsilon) = [mass that is infinite] + sum over losses l > epsilon of c(l) (1 - e^{epsilon - l}),       c = the convolution of all masses

c is computed from the tilted masses p_i(l) e^{theta l} / M_i(theta), M_i their sum, so that the numbers of interest are near the middle of
the transformed sequence and keep their relative accuracy far out in the tail. With K = sum of log M_i:

- wrapping round. The transform has finite length N; what lies outside the window comes back inside it. Masses are non-negative, so the
  window only gains. What lies above it is lost there, and its mass is added: at most min over t of e^{K(t) - t top} (Chernoff).
- rounding. A transform of length N commits at most C u log2 N of the norm of its input (Higham 2002, theorem 24.2, where C is about 7; 24 is
  used). Each tilted factor has transform at most 1 in modulus, so n factors, their powers and products, and the transform back commit E = 24 u (log2
  N + 2)(n + 2) in Euclidean norm. By Cauchy and Schwarz this changes delta(epsilon) by at most E e^{K - theta epsilon} sqrt(sum over k >= 0 of
  (e^{-theta k h} (1 - e^{-k h}))^2), which is added.

Three or four values of theta serve all epsilon: each result is valid, and the smallest is taken.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.rounding import raising

fft = lazily("scipy.fft")
_DEEPEST = 1e-24
"""Mass above the window, in order of magnitude."""
_LEVELS = (0.1, 2.0, 18.0)
"""-log of the probabilities at which the tilts are centred."""
_SHARES = (0.002, 0.02, 0.3, 0.9)
"""The same as shares of the largest there is, where it is smaller."""
_NARROW = 800
_LONGEST = 1 << 22
_CELLS = 1 << 24
"""Numbers of a matrix of tilts by losses that is held at a time."""
_ROUNDING = 24.0 * float(np.finfo(np.float64).eps)
_TILTS, _SHALLOWEST = 72, 0.5


@dataclass(frozen=True, slots=True)
class Masses:
    """Probabilities under P of the losses (first + i) step, i = 0, 1, ...; the loss is infinite with probability `infinite`."""

    first: int
    finite: Floats
    infinite: float


def curve_together(parts: Sequence[tuple[Masses, int]], *, step: float) -> tuple[Floats, Floats]:
    """Grid epsilons >= 0 and upper bounds of delta there, for (masses, how many times) in composition.

    Raises InvalidInput when the grid is too fine for the spread of the losses.
    """
    infinite, parts = _infinite(parts), _joined(parts)
    sigma = math.sqrt(sum(count * _spread(masses) for masses, count in parts)) * step or step
    # Of a law that is hardly spread beside its largest loss, e^{theta l} of that one has to be a number first.
    steepest = min(60.0 / sigma, 600.0 / (step * max(_farthest(masses) for masses, _ in parts)))
    tilts = np.geomspace(min(0.02 / sigma, _SHALLOWEST * steepest), steepest, _TILTS)
    log_moments, slopes = np.sum([count * _log_moments(masses, tilts, step) for masses, count in parts], axis=0)
    top = min(float(np.min((log_moments - math.log(_DEEPEST)) / tilts)) / step, float(sum(count * _highest(masses) for masses, count in parts)))
    last = max(1, math.ceil(top))
    length = 1 << math.ceil(math.log2(1.6 * last + 64))
    if length > _LONGEST:
        raise InvalidInput(f"numerical composition would need {length} grid points; at most {_LONGEST} are allowed. Use a coarser step.")
    beyond = float(np.exp(np.min(log_moments - tilts * (last * step)))) if last < sum(count * _highest(masses) for masses, count in parts) else 0.0
    levels = tilts * slopes - log_moments
    # Where the losses are bounded the levels stay below that of their greatest sum; a tilt far beyond it would drown the rest in rounding errors.
    most = float(np.max(levels))
    wanted = _LEVELS if most > _LEVELS[-1] else [share * most for share in _SHARES]
    chosen = {int(np.argmax(levels >= level)) for level in wanted}
    finite = np.minimum.reduce([_one_tilt(parts, float(tilts[index]), step=step, last=last, length=length) for index in chosen])
    inflation = 1.0 + 1e-8 + 1e-12 * sum(count for _, count in parts)
    deltas = np.minimum.accumulate(np.minimum(1.0, (finite + beyond) * inflation + infinite))
    epsilons: Floats = step * np.arange(last + 1, dtype=np.float64)
    return epsilons, deltas


def _one_tilt(parts: Sequence[tuple[Masses, int]], tilt: float, *, step: float, last: int, length: int) -> Floats:
    """Upper bounds of the finite part of delta at 0, step, ..., last step."""
    spectrum = np.ones(length // 2 + 1, dtype=np.complex128)
    log_moment, factors = 0.0, 0
    for masses, count in parts:
        losses = masses.first + np.arange(len(masses.finite))
        tilted = masses.finite * np.exp(tilt * step * losses)
        moment = float(np.sum(tilted))
        sequence = np.zeros(length)
        if len(tilted) <= length:
            sequence[losses % length] = tilted / moment
        else:
            np.add.at(sequence, losses % length, tilted / moment)
        transform = fft.rfft(sequence)
        spectrum *= transform if count == 1 else transform**count
        log_moment += count * math.log(moment)
        factors += count
    together = np.maximum(fft.irfft(spectrum, length), 0.0)
    window = together[: last + 1]
    index = np.arange(last + 1)
    # delta at grid point j is the sum over i >= j of (g_{i+1} - g_i) times the mass of Q above i; all terms are positive. Scaled by e^{tilt j step}.
    error = _ROUNDING * (math.log2(length) + 2.0) * (factors + 2.0) * _norm(tilt, step)
    shift = log_moment - tilt * step * index
    likely = np.append(window[1:], 0.0)
    above = _backward(likely * math.exp(-(tilt + 1.0) * step), math.exp(-(tilt + 1.0) * step))
    finite = _backward(above * math.expm1(step), math.exp(-tilt * step))
    bound: Floats = (finite + error) * np.exp(np.minimum(shift, 700.0))
    return bound


def _backward(terms: Floats, factor: float) -> Floats:
    """s_j = terms_j + factor s_{j+1}, for terms >= 0 and 0 < factor < 1, by doubling: all sums are of positive numbers."""
    sums = terms.copy()
    reach, weight = 1, factor
    while reach < len(sums) and weight > 0:
        sums[:-reach] += weight * sums[reach:]
        reach, weight = 2 * reach, weight * weight
    return sums


def _norm(tilt: float, step: float) -> float:
    """sqrt(sum over k >= 0 of (e^{-tilt k h} (1 - e^{-k h}))^2), from above: 1 - e^{-k h} <= min(1, k h)."""
    decay = math.exp(-2.0 * tilt * step)
    small = step * step * decay * (1.0 + decay) / -(math.expm1(-2.0 * tilt * step) ** 3)
    return math.sqrt(min(abs(small), 1.0 / -math.expm1(-2.0 * tilt * step))) * (1.0 + 1e-9)


def _infinite(parts: Sequence[tuple[Masses, int]]) -> float:
    """Product of all totals less the product of the finite ones."""
    log_total = sum(count * math.log(float(np.sum(masses.finite)) + masses.infinite) for masses, count in parts)
    log_share = 0.0
    for masses, count in parts:
        total = float(np.sum(masses.finite)) + masses.infinite
        log_share += count * (math.log1p(-masses.infinite / total) if masses.infinite < total else -math.inf)
    return -math.expm1(log_share) * math.exp(log_total) * (1.0 + 1e-9)


def _joined(parts: Sequence[tuple[Masses, int]]) -> list[tuple[Masses, int]]:
    """Convolve single narrow sequences directly (sums of positive products, so nearly exact), to save transforms."""
    joined: list[tuple[Masses, int]] = []
    pending: Masses | None = None
    for masses, count in sorted(parts, key=lambda part: len(part[0].finite)):
        if count > 1 or len(masses.finite) > _NARROW:
            joined.append((masses, count))
        elif pending is None:
            pending = masses
        else:
            finite = np.convolve(pending.finite, masses.finite) * raising(4_096)
            pending = Masses(first=pending.first + masses.first, finite=finite, infinite=0.0)
            if len(finite) > _NARROW:
                joined.append((pending, 1))
                pending = None
    return joined if pending is None else [*joined, (pending, 1)]


def _log_moments(masses: Masses, tilts: Floats, step: float) -> Floats:
    """log M and its derivative at every tilt, shape (2, tilts)."""
    losses = step * (masses.first + np.arange(len(masses.finite)))
    weighted, found = masses.finite * losses, []
    together = max(1, _CELLS // len(losses))
    for start in range(0, len(tilts), together):
        powers = np.exp(np.multiply.outer(tilts[start : start + together], losses))
        moments = powers @ masses.finite
        found.append(np.stack((np.log(moments), powers @ weighted / moments)))
    return np.concatenate(found, axis=1)


def _spread(masses: Masses) -> float:
    losses = masses.first + np.arange(len(masses.finite))
    total = float(np.sum(masses.finite)) or 1.0
    mean = float(losses @ masses.finite) / total
    return float(np.square(losses - mean) @ masses.finite) / total


def _highest(masses: Masses) -> int:
    return masses.first + len(masses.finite) - 1


def _farthest(masses: Masses) -> int:
    return max(1, abs(masses.first), abs(_highest(masses)))
