"""Rows with independent noise, for bits about single entries instead of (epsilon, delta) about records (proof note rows.md, theorem 3).

    bits = log2((U^2 + s^2 + 1/12) / s^2) / 2,     U = entry bound / w + 1/2,    about any one entry, all others known, for every prior

So the noise is about U / sqrt(2^(2 bits) - 1), whatever the number of columns: far less than a record needs, for a far weaker promise. Entries are
bounded one by one; a record's numbers add up. (Showkatbakhsh, Karakus, Diggavi 2018, lemma 1, which holds as printed, on a grid.)
"""

import math
import sys
from dataclasses import dataclass
from typing import Self

from discreet.accounting import Json, MutualInformation
from discreet.core.arrays import is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.data import Records
from discreet.mechanisms.release.base import Drawn, ReleaseMechanism
from discreet.mechanisms.release.rows import LARGEST_SCALE, GaussianRelease
from discreet.noise import Noise
from discreet.queries import Rows

_LEAST_SCALE = 4096.0
"""From which on theorem 3 is proved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationRelease(ReleaseMechanism[Rows]):
    """Gaussian noise of one size on every released number, for bits."""

    inner: GaussianRelease
    """The noise."""
    neighbours: Neighbours = REPLACE_ONE

    @property
    def name(self) -> str:
        """See ReleaseMechanism."""
        return "release-information-rows"

    @classmethod
    def calibrate(cls, query: Rows, *, bits: float) -> Self:
        """The least noise (to 1e-6) for at most `bits` bits about any entry. Raises InvalidInput for rows that are shortened as a whole,

        InfeasibleTarget for so few bits that no noise on a grid is enough.
        """
        if not (is_finite(bits) and 0 < bits <= 100):
            raise InvalidInput(f"bits must be positive and at most 100; {bits!r} was given.")
        bound = float(max(query.read.entries))
        deviation = bound / math.sqrt(max(math.expm1(2.0 * math.log(2.0) * bits), sys.float_info.min))
        made = cls._of(query, deviation)
        while made.inner.scale < LARGEST_SCALE and made.guarantee(query).bits > bits:
            deviation *= 1.0 + 1e-6
            made = cls._of(query, deviation)
        if made.inner.scale >= LARGEST_SCALE:
            raise InfeasibleTarget(f"{bits!r} bits ask for more noise than numbers on a grid can have; raise bits.")
        return made

    @classmethod
    def _of(cls, query: Rows, deviation: float) -> Self:
        return cls(inner=GaussianRelease.of_deviation(query, deviation=deviation, epsilon=1.0, neighbours=REPLACE_ONE))

    def guarantee(self, query: Rows) -> MutualInformation:
        """See module docstring."""
        return self.inner.information(query)

    def parameters(self) -> dict[str, Json]:
        """See ReleaseMechanism."""
        return {"step": self.inner.step, "scale": self.inner.scale, "neighbours": str(self.neighbours)}

    def draw(self, query: Rows, data: Records, noise: Noise) -> Drawn:
        """See ReleaseMechanism."""
        return self.inner.draw(query, data, noise)
