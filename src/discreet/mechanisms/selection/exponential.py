"""The exponential mechanism over a public list of candidates with integer scores, the smallest the best (proof note exponential.md).

    P(i) = exp(-rate z_i) / sum_j exp(-rate z_j),    rate = epsilon / (2 Delta), or epsilon / Delta for monotone scores

z_i integers, each of which one record moves by at most Delta, the sensitivity. Monotone: under add-remove, adding a record moves all of them in one
direction, as numbers of mistakes do. epsilon-private (McSherry, Talwar 2007, theorem 6). Drawn exactly, by noise/choice.py: the rate is the rational
number that it is, and no floating-point number takes part.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.accounting import Json, PureDP
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.mechanisms.base import Drawn, Mechanism, Numbers
from discreet.noise import Noise
from discreet.noise.choice import select
from discreet.words.selection import EXPONENTIAL

ALGORITHM_4 = "algorithm-4"
"""Name in certificates of the search by parts (exponential.md)."""
_ROUNDING = 1e-15


@dataclass(frozen=True, slots=True)
class Candidates:
    """The public problem: how many candidates there are."""

    count: int

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {"candidates": self.count}

    def require(self, data: Numbers[npt.NDArray[np.integer]]) -> None:
        """Raise InvalidInput unless there is a score for each."""
        if data.held.shape != (self.count,):
            raise InvalidInput(f"each of {self.count} candidates needs its score.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExponentialMechanism(Mechanism[Candidates, Numbers[npt.NDArray[np.integer]]]):
    """One of several public candidates, by private integer scores: its index, shape (1,). Raises InvalidInput for numbers that promise nothing."""

    name = "exponential-mechanism"
    rate: float
    """Per unit of the score."""
    sensitivity: int
    """The most that one record moves one score."""
    monotone: bool
    """Whether one record moves all scores in the same direction; add-remove only."""
    neighbours: Neighbours

    def __post_init__(self) -> None:
        """See class docstring."""
        _check_sensitivity(self.sensitivity)
        if not 0 < self.rate < float("inf"):
            raise InvalidInput(f"the exponential mechanism needs a positive finite rate; {self.rate!r} was given.")
        if self.monotone and self.neighbours is not ADD_REMOVE:
            raise InvalidInput("replacing a record may raise one score and lower another: scores are monotone under add-remove only.")

    @classmethod
    def calibrate(cls, *, epsilon: float, sensitivity: int, neighbours: Neighbours, monotone: bool = False) -> "ExponentialMechanism":
        """The mechanism that spends epsilon, or a rounding error less."""
        if not 0 < epsilon < float("inf"):
            raise InvalidInput(f"the exponential mechanism needs a positive finite epsilon; {epsilon!r} was given.")
        _check_sensitivity(sensitivity)
        rate = epsilon / (sensitivity * (1 if monotone else 2)) * (1.0 - 4.0 * _ROUNDING)
        return cls(rate=rate, sensitivity=sensitivity, monotone=monotone, neighbours=neighbours)

    def promise(self, problem: Candidates) -> PureDP:  # noqa: ARG002 - the same for any number of candidates
        """See the module docstring."""
        epsilon = self.rate * self.sensitivity * (1 if self.monotone else 2) * (1.0 + _ROUNDING)
        return PureDP(epsilon=epsilon, neighbours=self.neighbours, theorem=EXPONENTIAL)

    def chosen(self, scores: npt.NDArray[np.integer], noise: Noise, *, parts: int = 1) -> int:
        """The index of one candidate, by scores in so many parts."""
        return int(select(noise.words(), scores, rate=Fraction(self.rate) / parts, count=1)[0])

    def draw(self, problem: Candidates, data: Numbers[npt.NDArray[np.integer]], noise: Noise) -> Drawn:  # noqa: ARG002 - the scores say how many
        """See Mechanism; `data` holds scores (m,), integers of the declared sensitivity."""
        return Drawn.of(np.array([float(self.chosen(data.held, noise))]))


def _check_sensitivity(given: int) -> None:
    if isinstance(given, bool) or not isinstance(given, int) or given < 1:
        raise InvalidInput(f"the sensitivity of integer scores must be a positive integer; {given!r} was given.")
