"""From numbers of a stated law to normal scores: z = Phi^{-1}(F(x)), standard normal if x has the law F.

Where x is a whole number, F(x - 1) + V p(x) with V uniform on (0, 1) and independent is uniform, exactly. V comes from the operating system. Laws are
written down here anew, from their formulas: nothing of the samplers or of a calibration takes part.

    gaussian            N(0, scale^2), each number by itself
    spherical           density prop. to exp(-rate |b|) on R^d: |b| Gamma(d), and x_j / root mean square of the later ones Student of d - j degrees
    discrete_gaussian   P(k) prop. to exp(-k^2 / (2 s^2)): summed up to s = 64; beyond, (k + V - 1/2) / sqrt(s^2 + 1/12), off by less than 1e-5
    discrete_laplace    P(k) prop. to exp(-|k| / t)
    chosen              masses of finitely many outcomes, the likeliest first: a wrong rate moves them all one way
"""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.special import gammainc, ndtri, stdtr

from discreet.audit.drawn.parts import Part
from discreet.core.arrays import Floats
from discreet.noise import SystemNoise

_SUMMED = 64.0
_REACH = 12
_LEAST = 2.0**-53


def gaussian(what: str, values: Floats, *, scale: float, words: str = "Gaussian, standard deviation") -> Part:
    """`values` (runs, numbers)."""
    return Part(what=what, stated=f"{words} {scale:.6g}", scores=np.asarray(values) / scale)


def spherical(what: str, values: Floats, *, rate: float) -> Part:
    """`values` (runs, d), a vector of each run."""
    dimension = values.shape[1]
    scores = [_score(gammainc(dimension, rate * np.linalg.norm(values, axis=1)))]
    for place in range(dimension - 1):
        later = np.sqrt(np.mean(np.square(values[:, place + 1 :]), axis=1))
        scores.append(_score(stdtr(dimension - place - 1, values[:, place] / later)))
    scores.append(_score(0.5 * ((values[:, -1] > 0) + _uniform(len(values)))))
    return Part(what=what, stated=f"density proportional to exp(-{rate:.6g} |b|)", scores=np.column_stack(scores))


def discrete_gaussian(what: str, integers: npt.ArrayLike, *, scale: float) -> Part:
    """`integers` (runs, numbers)."""
    drawn = np.asarray(integers, dtype=np.float64)
    stated = f"discrete Gaussian of scale {scale:.6g}"
    if scale > _SUMMED:
        spread = np.rint(drawn) + _uniform(drawn.shape) - 0.5
        return Part(what=what, stated=stated, scores=spread / math.sqrt(scale**2 + 1.0 / 12.0))
    reach = math.ceil(_REACH * scale) + 1
    k = np.arange(-reach, reach + 1)
    masses = np.exp(-0.5 * np.square(k / scale))
    places = np.clip(np.rint(drawn), -reach, reach).astype(np.int64) + reach
    return Part(what=what, stated=stated, scores=_of_masses(places, masses / masses.sum(), np.arange(len(masses))))


def discrete_laplace(what: str, integers: npt.ArrayLike, *, scale: float) -> Part:
    """`integers` (runs, numbers)."""
    drawn = np.rint(np.asarray(integers, dtype=np.float64))
    ratio = math.exp(-1.0 / scale)
    tail = np.exp(-np.abs(drawn) / scale) / (1.0 + ratio)  # P(K <= -|k|)
    mass = tail * -math.expm1(-1.0 / scale)
    lower = np.where(drawn <= 0, tail - mass, 1.0 - tail)
    return Part(what=what, stated=f"discrete Laplace of scale {scale:.6g}", scores=_score(lower + _uniform(drawn.shape) * mass))


def chosen(what: str, stated: str, places: npt.ArrayLike, masses: Floats) -> Part:
    """`places` (runs, numbers): which of the outcomes, whose `masses` need not add up to 1."""
    return Part(
        what=what, stated=stated, scores=_of_masses(np.asarray(places, dtype=np.int64), masses / np.sum(masses), np.argsort(-masses, kind="stable"))
    )


def of_law(what: str, stated: str, values: Floats, below: Callable[[Floats], Floats]) -> Part:
    """`values` (runs, numbers) of a continuous law with distribution function `below`."""
    return Part(what=what, stated=stated, scores=_score(below(values)))


def _of_masses(places: npt.NDArray[np.int64], masses: Floats, order: npt.NDArray[np.integer]) -> Floats:
    """Of outcomes in this order."""
    lower = np.zeros(len(masses))
    lower[order[1:]] = np.cumsum(masses[order])[:-1]
    return _score(lower[places] + _uniform(places.shape) * masses[places])


def _score(below: npt.ArrayLike) -> Floats:
    """Phi^{-1}, of numbers kept off 0 and 1 by a rounding error."""
    return np.asarray(ndtri(np.clip(np.asarray(below, dtype=np.float64), _LEAST, 1.0 - _LEAST)), dtype=np.float64)


def _uniform(shape: int | tuple[int, ...]) -> Floats:
    """Uniform numbers on (0, 1)."""
    count = int(np.prod(shape))
    return ((SystemNoise().words()(count) >> np.uint64(11)).astype(np.float64) + 0.5).reshape(shape) * 2.0**-53
