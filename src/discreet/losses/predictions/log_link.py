"""Losses of a mean that is the exponential of the prediction: Poisson, for counts, and gamma, for amounts.

Targets are numbers in [-1, 1] that stand for shares of a public range, as in encoded tables: y for the share t = (y + 1) / 2 of it. A prediction f
says that the mean share is

    m(f) = u e^f,     u a public guess of a typical share, so that no prediction, f = 0, says something sensible

and both losses are half the deviance of their law, made Lipschitz by public numbers: the Poisson loss goes on as a line where the mean would lie
beyond the range, and slopes of the gamma loss are clipped. Both stay convex in f: slopes never fall.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.losses.predictions.base import PredictionLoss

_FARTHEST = 700.0
"""Predictions beyond say what those here say."""
_LEAST = 1e-6
"""Of a share."""


def _check_unit(name: str, unit: float) -> None:
    if not (is_finite(unit) and _LEAST <= unit <= 1.0):
        raise InvalidInput(f"the {name} loss needs a unit from {_LEAST:g} to 1, a typical share of their range; {unit!r} was given. Try 0.1.")


def _shares(targets: Floats) -> Floats:
    return np.clip(0.5 * (targets + 1.0), 0.0, 1.0)


def _ends(target_bound: float) -> tuple[float, float]:
    """The least and the largest share of targets within it."""
    return max(0.0, 0.5 * (1.0 - target_bound)), min(1.0, 0.5 * (1.0 + target_bound))


@dataclass(frozen=True, slots=True, kw_only=True)
class Poisson(PredictionLoss):
    """The Poisson loss with a log link, a line from where the mean reaches the end of the range.

        l(f; y) = m - t - t ln(m / t) + (1 - t) max(0, ln(u) + f),   m = min(u e^f, 1);     l' = m - t,   l'' = m below the end, 0 beyond

    So |l'| <= 1 and l'' <= 1: a count moves a gradient by its distance from the mean, in units of the largest count, and no prediction by more.
    """

    name = "poisson"
    unit: float = 0.1
    """u: what a prediction of 0 says, as a share of the range of targets."""

    def __post_init__(self) -> None:
        """Refuse what is no share."""
        _check_unit(self.name, self.unit)

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """The larger of m(r) - t at the least t and t - m(-r) at the largest one, rounded up."""
        least, largest = _ends(target_bound)
        far = min(reach, _FARTHEST)
        up, down = min(self.unit * math.exp(far), 1.0), min(self.unit * math.exp(-far), 1.0)
        return max(up - least, largest - down) * raising(8)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """1, where the mean reaches the end of the range."""
        return 1.0

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """Half the deviance, and the line."""
        shares = _shares(targets)
        logs = predictions + math.log(self.unit)
        near = np.minimum(logs, 0.0)
        of_shares = shares * np.log(np.where(shares > 0.0, shares, 1.0))
        return np.maximum(np.exp(near) - shares - shares * near + of_shares, 0.0) + (1.0 - shares) * (logs - near)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """m - t."""
        return self._mean(predictions) - _shares(targets)

    def answer(self, predictions: Floats) -> Floats:
        """The mean share as a number in [-1, 1]."""
        return 2.0 * self._mean(predictions) - 1.0

    def _mean(self, predictions: Floats) -> Floats:
        return np.minimum(self.unit * np.exp(np.minimum(predictions, _FARTHEST)), 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gamma(PredictionLoss):
    """The gamma loss with a log link, with slopes clipped where a target is many times its mean.

        l(f; y) = r - 1 - ln r,   r = t / m(f), below 1 + a;   beyond, a line;      l' = max(1 - r, -a),   l'' <= 1 + a

    So |l'| <= max(1, a): errors are relative, and a target of more than 1 + a times its mean counts as 1 + a times. t is at least a public share.
    """

    name = "gamma"
    unit: float = 0.1
    """u: what a prediction of 0 says, as a share of the range of targets."""
    steepest: float = 3.0
    """a."""
    least: float = 0.001
    """Smaller shares of targets count as this one: the logarithm of none is infinite."""

    def __post_init__(self) -> None:
        """Refuse what are no shares, and a bound of slopes that is none."""
        _check_unit(self.name, self.unit)
        if not (is_finite(self.steepest) and 0.0 < self.steepest <= 1e9):
            raise InvalidInput(f"the gamma loss needs 0 < steepest <= 1e9; {self.steepest!r} was given. Try 3.0.")
        if not (is_finite(self.least) and _LEAST <= self.least < 1.0):
            raise InvalidInput(f"the gamma loss needs a least share from {_LEAST:g} to 1; least={self.least!r} was given. Try 0.001.")

    def lipschitz(self, reach: float, target_bound: float) -> float:
        """The larger of 1 - r at the least ratio and min(r - 1, a) at the largest one, rounded up."""
        least, largest = (max(end, self.least) / self.unit for end in _ends(target_bound))
        far = min(reach, _FARTHEST)
        return max(1.0 - least * math.exp(-far), min(self.steepest, largest * math.exp(far) - 1.0)) * raising(16)

    def smoothness(self, target_bound: float) -> float:  # noqa: ARG002 - the same for all targets
        """1 + a, where slopes begin to be clipped."""
        return 1.0 + self.steepest

    def value(self, predictions: Floats, targets: Floats) -> Floats:
        """In logarithms e of ratios: expm1(e) - e, and the line."""
        logs = self._log_ratios(predictions, targets)
        near = np.minimum(logs, math.log1p(self.steepest))
        return np.maximum(np.expm1(near) - near, 0.0) + self.steepest * (logs - near)

    def slope(self, predictions: Floats, targets: Floats) -> Floats:
        """max(1 - r, -a)."""
        near = np.minimum(self._log_ratios(predictions, targets), math.log1p(self.steepest))
        return np.maximum(-np.expm1(near), -self.steepest)

    def answer(self, predictions: Floats) -> Floats:
        """The mean share, up to 1, as a number in [-1, 1]."""
        return 2.0 * np.minimum(self.unit * np.exp(np.minimum(predictions, _FARTHEST)), 1.0) - 1.0

    def _log_ratios(self, predictions: Floats, targets: Floats) -> Floats:
        found: Floats = np.log(np.maximum(_shares(targets), self.least) / self.unit) - predictions
        return found
