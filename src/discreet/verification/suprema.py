"""A record among K classes, by the supremum over probabilities itself: what a stranger computes of theorem M5 (multinomial_perturbation.md).

Where a record comes or goes its loss is at most Z = sup_p { sum_j p_j A_j + b (1 - |p|^2) }, and with any theta Z > z says

    S > x,     S = sum over K - 1 of (g_j + nu)_+^2,     nu = s - g_y - (z - theta b) / s,     x s^2 = 4 (theta - 1) b^2 - (theta b - z)_+^2

The calibration convolves the squares on a grid. Here the law of S is its Laplace transform's inverse along a parabola that avoids the cut up to -1/2,

    E e^{-q (g + nu)_+^2} = Phi(-nu) + e^{-nu^2 / 2} w(i v) / (2 r),     r = sqrt(1 + 2 q),     v = -nu / (r sqrt 2),

w the Faddeeva function, and the expectation of the hockey stick a Gauss-Legendre sum over nu, with the last stage's normal loss l under it: of l
beyond `_FAR` of its deviations the probability is added.
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.lazily import lazily
from discreet.core.normal import log_ndtr, ndtr
from discreet.verification.numerics import hinge, panels

special = lazily("scipy.special")
_THETAS = (1.1, 1.2, 1.35, 1.5, 1.7)
_FAR = 9.0
_LEAST, _MOST = 1e-3, 5e3
"""Thresholds x between which the transform is inverted."""
_FIRST, _LAST = -10.0, 8.0
_NEAR = 0.1 * 0.5 ** np.arange(6.0)
_WIDTHS = np.concatenate(([0.15, 0.22, 0.29, 0.36, 0.68, 0.8, 1.0, 2.0, 4.0], 0.5 - _NEAR, 0.5 + _NEAR))
"""m of parabolas q = -1/2 + m (1 + i u)^2: to the right of the pole at 0 from 1/2 on. Near it x is near the mean of S: farther off, terms as large
as e^{(m - 1/2) x} would have to cancel."""
_DEARER = np.where(np.abs(_WIDTHS - 0.5) > 0.11, 0.0, 6.0)
"""The logarithm of what is lost to rounding before one near the pole is taken, where steps are short."""
_STEP, _SMALL = 0.03, 42.0
"""In u, at most, and the power of 1 / e at which sums along it end."""
_AWAY, _CLEAR = np.linspace(0.02, 0.9, 45), 36.0
"""A sum in steps of h is off by e^{-2 pi d / h} times what terms become at u = -i d or i d: at the best such d by so many powers of 1 / e at most."""
_BLOCK = 32
"""Places along it whose transforms are kept together."""


class Suprema(NamedTuple):
    """One record among classes, with lines above its Jacobian term."""

    classes: int
    s: float
    lines: tuple[tuple[float, float], ...]
    """(slope, height) with the term at most height + slope (1 - |p|^2)."""
    best: dict[float, tuple[float, float, float]]
    """Of epsilons that were searched at: slope, height and theta."""

    @classmethod
    def of(cls, classes: int, s: float, ratio: float, shares: Floats, dets: Floats) -> "Suprema":
        """From the term at many 1 - |p|^2; slopes from that where all classes are equally likely on, in increasing order."""
        slopes = np.linspace(ratio / (1.0 + ratio / classes), ratio, 49)
        return cls(classes, s, tuple((float(slope), max(0.0, float(np.max(dets - slope * shares)))) for slope in slopes), {})

    def delta(self, near: float, epsilon: float, mu: float) -> float:
        """E (1 - e^{epsilon - Z - l})_+, at most, with the line and theta that are best at the epsilon `near`."""
        if near not in self.best:
            best = (*self.lines[len(self.lines) // 2], _THETAS[len(_THETAS) // 2])
            for _ in range(2):  # along the lines, then along theta: where the other is not far off, each has one least value
                best = min(((*line, best[2]) for line in self.lines[::6]), key=lambda each: self._at(each, near, 0.0, roughly=True))
                best = min(((*best[:2], theta) for theta in _THETAS), key=lambda each: self._at(each, near, 0.0, roughly=True))
            place = self.lines.index(best[:2])
            around = self.lines[max(0, place - 4) : place + 5 : 2]
            self.best[near] = min(((*line, best[2]) for line in around), key=lambda each: self._at(each, near, 0.0, roughly=True))
        return self._at(self.best[near], epsilon, mu)

    def _at(self, which: tuple[float, float, float], epsilon: float, mu: float, *, roughly: bool = False) -> float:
        slope, height, theta = which
        bend = max(0.0, slope - 0.5 * self.s * self.s)
        return supremum_integral(self.classes, self.s, bend, epsilon - height, mu, theta, roughly=roughly)


def supremum_integral(classes: int, s: float, bend: float, epsilon: float, mu: float, theta: float, *, roughly: bool = False) -> float:
    """E (1 - e^{epsilon - Z - l})_+, at most, l ~ N(mu^2 / 2, mu^2); 1 where this theta says nothing. `roughly` is for comparisons only."""
    if epsilon <= 0:
        return 1.0
    rare = min(epsilon, mu * (0.5 * mu + _FAR))
    x = (4.0 * (theta - 1.0) * bend**2 - max(theta * bend - epsilon + rare, 0.0) ** 2) / (s * s)
    if not _LEAST < x < _MOST:
        return 1.0
    nu, weight = panels(np.linspace(_FIRST, _LAST, 3 if roughly else 13))
    sigma = math.hypot(s, mu)
    mean = s * s - s * nu - epsilon + theta * bend + 0.5 * mu * mu
    density = s * np.exp(0.5 * sigma * sigma - mean + log_ndtr(mean / sigma - sigma))
    total = float(weight @ (density * squares_beyond(classes - 1, nu, x, step=2.0 * _STEP if roughly else _STEP)))
    total += float(squares_beyond(classes - 1, np.array([_FIRST]), x)[0]) + float(hinge(mean[-1:], sigma)[0])
    return min(1.0, total + (float(ndtr(0.5 * mu - rare / mu)) if mu else 0.0))


def squares_beyond(count: int, nu: Floats, x: float, *, step: float = _STEP) -> Floats:
    """P(sum of `count` (g_j + nu)_+^2 > x), elementwise: for each nu along the parabola on which the transform is least at the real axis."""
    key = nu.tobytes()
    sizes = (_WIDTHS - 0.5) * x + count * _at_real(key) - np.log(np.abs(_WIDTHS - 0.5)) + _DEARER
    best = np.argmin(sizes, axis=1)
    left = (_WIDTHS[best] < 0.5) | (np.min(sizes, axis=1) > -_CLEAR)  # elsewhere it is 1 to the last bit
    found = np.ones(len(nu))
    for width in np.unique(best[left]).tolist():
        rows, m = left & (best == width), float(_WIDTHS[width])
        steep = count * max(float(nu[rows].max()), 0.0) ** 2 / (4.0 * m)  # e^{steep / (1 + i u)^2} is what the transform is like
        ways = (m * x * _AWAY * (2.0 + _AWAY) + _CLEAR) / _AWAY, (steep * ((1.0 - _AWAY) ** -2 - 1.0) + _CLEAR) / _AWAY
        clear = 2.0 * math.pi / max(*(float(np.min(way)) for way in ways), _CLEAR / abs(1.0 - math.sqrt(0.5 / m)))
        halved = math.ceil(math.log2(_STEP / min(step, clear)))
        apart = math.ldexp(_STEP, -halved)
        total: Floats = np.zeros(int(rows.sum()))
        for block in range(math.ceil((math.sqrt(_SMALL / (m * x)) + 1.0) / (apart * _BLOCK))):
            aside, q = _along(width, halved, block)
            values = (np.exp(q * x + count * _logs(key, width, halved, block)[rows]) * (aside / q)).real
            total += values.sum(axis=1) - (0.5 * values[:, 0] if block == 0 else 0.0)
        inverse = 2.0 * m * apart / math.pi * total
        found[rows] = 1.0 - inverse if m > 0.5 else -inverse
    return np.clip(found, 0.0, 1.0)


def _along(width: int, halved: int, block: int) -> tuple[np.ndarray, np.ndarray]:
    """1 + i u and q of a parabola, at `_BLOCK` places one after another."""
    aside = 1.0 + 1j * math.ldexp(_STEP, -halved) * (_BLOCK * block + np.arange(_BLOCK))
    return aside, float(_WIDTHS[width]) * aside * aside - 0.5


@lru_cache(maxsize=8)
def _at_real(nu: bytes) -> Floats:
    """ln of the transform on the real axis, at each nu and every parabola; infinite where no double says it."""
    with np.errstate(over="ignore"):
        found: Floats = np.log(_transform(np.frombuffer(nu)[:, np.newaxis], np.sqrt(_WIDTHS) + 0j).real)
    return np.where(np.isfinite(found), found, np.inf)


@lru_cache(maxsize=256)
def _logs(nu: bytes, width: int, halved: int, block: int) -> np.ndarray:
    """ln of the transform there, at each nu: what is asked for at many x is computed once."""
    aside, _ = _along(width, halved, block)
    return np.log(_transform(np.frombuffer(nu)[:, np.newaxis], math.sqrt(float(_WIDTHS[width])) * aside))


def _transform(nu: Floats, root: np.ndarray) -> np.ndarray:
    """E e^{-q (g + nu)_+^2} where 1 + 2 q = 2 root^2."""
    r = math.sqrt(2.0) * root
    found: np.ndarray = ndtr(-nu) + np.exp(-0.5 * nu * nu) * special.wofz(-1j * nu / (r * math.sqrt(2.0))) / (2.0 * r)
    return found
