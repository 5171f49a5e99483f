"""Factors of one prediction: read from tables over public places of a margin, a residual, or a prediction and a target (proof note curvature.md).

The largest length of the factors is scanned, and every entry of a table is compared with it before it is used.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.losses import MarginLoss
from discreet.losses.predictions import PredictionLoss
from discreet.problems import PredictionRisk, RegularisedRisk

LEVELS, HALF = 1 << 10, 1 << 15
MARGINS = 64.0
_RESIDUALS = 8.0
"""Residuals beyond this many times the bound of targets count as these."""
_PLANE, _PREDICTIONS = 1 << 10, 16.0
"""Places on either side of 0 of a prediction and of a target, where each counts by itself; predictions beyond this many bounds count as it."""
_LEAST_PLACES = 32
"""Of margins or residuals, within a bend: half a place at either end is counted with it, or not, which is 3 % of the curvature."""
_ALONE = 1.02
"""Of the largest level: a length below it is that of curvature or slope alone, as in the log-cosh loss."""
_UP = 1.0 + 1e-6


class Factors(ABC):
    """The factors of both matrices of one problem: public numbers."""

    functions: int = 1
    """K: predictions of a record."""

    @property
    @abstractmethod
    def scales(self) -> tuple[float, float]:
        """What the largest level of the curvature and of the squared slope stand for."""

    @property
    @abstractmethod
    def length(self) -> float:
        """U: the largest Euclidean norm of a record's factors, rounding included."""

    @property
    def apart(self) -> float:
        """How far two records may be apart, in units of U: sqrt(2) where no factor is negative."""
        return math.sqrt(2.0)

    @property
    def spread(self) -> float:
        """Noise of deviation 1 on the matrices of the factors is no more than this on H, in any direction."""
        return 1.0

    @property
    @abstractmethod
    def powers(self) -> tuple[int, ...]:
        """Of a record's weight, for each factor: 1 of the curvature's, 2 of the squared slope's."""

    @abstractmethod
    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """Factors (n,) each, of predictions products (n, K) times `unit`, and targets (n,), signs, numbers or codes; (n, K) of several."""

    @abstractmethod
    def joined(self, parts: list[AnyFloats]) -> tuple[AnyFloats, AnyFloats]:
        """H and J (K d, K d) in units of their levels, from the matrices (d, d) of the factors."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table(Factors):
    """One prediction: both factors from a table."""

    scales: tuple[float, float]
    length: float
    levels: tuple[Floats, Floats]
    step: float
    """Between margins, residuals or predictions."""
    kind: str
    """"margin", "residual" or "plane"."""
    bound: float = 1.0
    """Of targets."""

    @property
    def powers(self) -> tuple[int, ...]:
        """See Factors."""
        return (1, 2)

    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """See Factors: a multiplication, rounding, and the place of what comes out."""
        places = np.rint(products[:, 0] * (unit / self.step))
        half = HALF
        match self.kind:
            case "margin":
                places = places * targets
            case "residual":
                places = places - np.rint(np.clip(targets, -self.bound, self.bound) / self.step)
            case _:
                half = _PLANE
        found = (np.clip(places, -half, half) + half).astype(np.int64)
        if self.kind == "plane":
            found = found * (2 * half + 1) + (np.rint(np.clip(targets / self.bound, -1.0, 1.0) * half) + half).astype(np.int64)
        return [level[found] for level in self.levels]

    def joined(self, parts: list[AnyFloats]) -> tuple[AnyFloats, AnyFloats]:
        """See Factors."""
        return parts[0], parts[1]


def of_margins(problem: RegularisedRisk, top: int) -> Table:
    """Of two classes; `top` is what the largest levels are. Raises InvalidInput for derivatives that are not what the loss declares."""
    loss, heaviest = problem.loss, problem.max_weight
    width = max([1.0, *loss.parameters.values()])
    reach = MARGINS * width
    step = reach / HALF
    _require_wide(loss.name, float(np.ptp(loss.slope(np.array([-reach, reach])))) / loss.smoothness, step)
    margins: Floats = np.arange(-HALF, HALF + 1, dtype=np.float64) * step
    scan = np.concatenate((np.linspace(-reach, reach, 200_001), np.linspace(-8.0, 8.0, 400_001) * width, margins))
    length = top * float(np.max(np.hypot(*_relative(loss, scan)))) * _UP + 1.0
    h, g = (np.rint(top * factor) for factor in _relative(loss, margins))
    if float(np.max(np.hypot(h, g))) > length:
        raise InvalidInput("the derivatives of this loss exceed the bounds that it declares, so nothing can be released about them.")
    scales = heaviest * loss.smoothness, (heaviest * loss.lipschitz) ** 2
    return Table(scales=scales, length=length, levels=(h, g), step=step, kind="margin")


def _require_wide(name: str, bend: float, step: float) -> None:
    """Raise InvalidInput for a loss that bends within so few places that records beside the bend would be counted with it; public."""
    if bend < _LEAST_PLACES * step:
        least = _LEAST_PLACES * step
        raise InvalidInput(
            f"the loss {name!r} changes its slope within a width of {bend:.3g}; intervals need at least {least:.3g}. Fit with a wider one."
        )


def _relative(loss: MarginLoss, margins: Floats) -> tuple[Floats, Floats]:
    """l'' and l'^2 relative to their largest values."""
    return np.minimum(loss.curvature(margins) / loss.smoothness, 1.0), np.minimum(np.square(loss.slope(margins) / loss.lipschitz), 1.0)


def of_predictions(problem: PredictionRisk, top: int) -> Table:
    """The same of numbers; also for a loss whose curvature has no bound."""
    loss, bound, steepest, most = problem.loss, problem.domain.target_bound, problem.slope_bound, problem.smoothness
    if not math.isfinite(most):
        raise InvalidInput(f"the loss {loss.name!r} has a kink, so its curvature has no bound. Use its smooth version.")
    if loss.of_residuals:
        step, kind = _RESIDUALS * bound / HALF, "residual"
        places: Floats = np.arange(-HALF, HALF + 1, dtype=np.float64) * step
        _require_wide(loss.name, float(np.ptp(loss.slope(places[[0, -1]], np.zeros(2)))) / most, step)
        h, g = _levels_at(loss, places, np.zeros_like(places), most, steepest, top)
    else:
        step, kind = _PREDICTIONS * max(1.0, bound) / _PLANE, "plane"
        targets: Floats = np.arange(-_PLANE, _PLANE + 1, dtype=np.float64) * (bound / _PLANE)
        rows = [_levels_at(loss, np.full_like(targets, place * step), targets, most, steepest, top) for place in range(-_PLANE, _PLANE + 1)]
        h, g = (np.concatenate([row[number] for row in rows]) for number in (0, 1))
    # Where a slope is steep at a corner of the curvature both are largest at once, and the corner may lie between two places.
    seen = float(np.max(np.hypot(h, g)))
    length = (seen if seen < _ALONE * top else math.sqrt(2.0) * top) * _UP + 1.0
    return Table(scales=(most, steepest**2), length=length, levels=(h, g), step=step, kind=kind, bound=bound)


def _levels_at(loss: PredictionLoss, predictions: Floats, targets: Floats, most: float, steepest: float, top: int) -> tuple[Floats, Floats]:
    curved = np.clip(loss.curvature(predictions, targets) / most, 0.0, 1.0)
    steep = np.minimum(np.square(loss.slope(predictions, targets) / steepest), 1.0)
    return np.rint(top * curved), np.rint(top * steep)
