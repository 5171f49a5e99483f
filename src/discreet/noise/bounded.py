"""Laws of noise of bounded support: the lowest state of a convex potential, tabulated as integers and drawn by inversion.

    masses proportional to u(k)^2 at integers k,     -4 (u(k - 1) - 2 u(k) + u(k + 1)) / weight + (level k^2 + tilt k) u(k) = E u(k),     E the least

u is zero at both ends. Masses are integers that sum to nearly 2^62, and what is sampled is that table, exactly. Where these laws come from, and what
they promise, is in the proof note fisher_noise.md of released rows.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.lazily import lazily
from discreet.noise.laws import Law, scores_of_masses

if TYPE_CHECKING:
    from discreet.noise import words
    from discreet.noise.source import Noise
    from discreet.noise.words import Integers
else:
    words = lazily("discreet.noise.words")

linalg = lazily("scipy.linalg")
LEAST_CELLS = 1 << 11
"""Steps in half the width of a law, at least."""
_TOTAL = 2.0**62


@dataclass(frozen=True, slots=True, eq=False)
class Tabulated(Law):
    """Independent integers, `least` and those that follow it, with probabilities proportional to whole numbers (`table`)."""

    least: int
    table: "Integers"
    name: ClassVar[str] = "tabulated"

    def __str__(self) -> str:
        """See Law."""
        return f"tabulated from {self.least} to {self.least + len(self.table) - 1}"

    @property
    def masses(self) -> Floats:
        """Probabilities of the integers, in their order."""
        return self.table / float(self.table.sum())

    def variance(self, dimension: int = 1) -> float:  # noqa: ARG002 - the same for any number of them
        """See Law; the mean is 0 up to 1e-9."""
        return float(self.masses @ np.square(np.arange(self.least, self.least + len(self.table))))

    def draw(self, noise: "Noise", dimension: int, draws: int) -> "Integers":
        """See Law."""
        ends = np.cumsum(self.table)
        uniform = words.uniform_below(noise.words(), int(ends[-1]), count=dimension * draws)
        return (np.searchsorted(ends, uniform, side="right") + self.least).reshape(dimension, draws)

    def resized(self, factor: float) -> "Tabulated":
        """See Law: of whole numbers no law of another size follows. Raises ValueError."""
        raise ValueError(f"a table has no law of {factor:g} times its size")

    def log_mass(self, values: npt.ArrayLike) -> Floats:
        """See Law."""
        places = np.rint(np.asarray(values, dtype=np.float64)).astype(np.int64) - self.least
        inside = (places >= 0) & (places < len(self.table))
        with np.errstate(divide="ignore"):
            return np.where(inside, np.log(self.table[np.clip(places, 0, len(self.table) - 1)].astype(np.float64)), -np.inf)

    def normal_scores(self, values: npt.ArrayLike, uniform: Callable[[tuple[int, ...]], Floats]) -> Floats:
        """See Law."""
        places = np.clip(np.rint(np.asarray(values, dtype=np.float64)).astype(np.int64) - self.least, 0, len(self.table) - 1)
        return scores_of_masses(places, self.masses, np.arange(len(self.table)), uniform)


def step_of(half_width: float) -> float:
    """The step of the grid of a law, a power of two, in the unit of half its width."""
    return 2.0 ** math.floor(math.log2(half_width / LEAST_CELLS))


@lru_cache(maxsize=8)
def symmetric(half_width: float, level: float, weight: float) -> Tabulated:
    """The law inside of +-half_width, without a tilt, in steps of a grid."""
    last = int(np.ceil(half_width)) - 1
    _, lowest = ground_state(half_width, level, weight, points=2 * last + 1, spacing=1.0)
    return Tabulated(-last, in_integers(lowest))


def between(below: float, above: float, step: float) -> tuple[int, int]:
    """The least and the last integer whose multiple of `step` is inside of -below and above."""
    return 1 - math.ceil(below / step), math.ceil(above / step) - 1


def tilted(below: float, above: float, step: float, *, level: float, tilt: float) -> Tabulated:
    """The law inside of -below and above, in steps of a grid, of weight 1; `level` and `tilt` are those of numbers, not of steps."""
    return _tilted(*between(below, above, step), level * step**4, tilt * step**3)


@lru_cache(maxsize=64)
def _tilted(least: int, last: int, level: float, tilt: float) -> Tabulated:
    return Tabulated(least, in_integers(lowest_state(least, last, level, tilt)))


def in_integers(state: Floats) -> "Integers":
    """Integers that sum to nearly 2^62, proportional to the squares of a state."""
    counts: Integers = np.maximum(np.rint(np.square(state) * (_TOTAL / np.sum(np.square(state)) * (1.0 - 1e-9))), 0.0).astype(np.int64)
    counts.setflags(write=False)
    return counts


def ground_state(half_width: float, level: float, weight: float, *, points: int, spacing: float | None = None) -> tuple[float, Floats]:
    """(E, u at `points` inner points of [-half_width, half_width]), u of unit length; equally spaced, at `spacing` around 0 if it is given."""
    gap = 2.0 * half_width / (points + 1) if spacing is None else spacing
    places = gap * (np.arange(points) - (points - 1) / 2.0)
    diagonal = 8.0 / (weight * gap**2) + level * np.square(places)
    values, vectors = linalg.eigh_tridiagonal(diagonal, np.full(points - 1, -4.0 / (weight * gap**2)), select="i", select_range=(0, 0))
    return float(values[0]), np.abs(vectors[:, 0])


def lowest_state(least: int, last: int, level: float, tilt: float) -> Floats:
    """u at the integers from `least` to `last`, of unit length, for a weight of 1."""
    places = np.arange(least, last + 1, dtype=np.float64)
    potential = level * np.square(places) + tilt * places
    diagonal = 8.0 + potential - potential.min()
    return np.abs(linalg.eigh_tridiagonal(diagonal, np.full(len(places) - 1, -4.0), select="i", select_range=(0, 0))[1][:, 0])
