"""What multiplies x x' in the curvature of a record: integers that are read from public tables (proof note curvature.md).

    two classes            (h, g) at the margin y f, f the prediction
    predictions            (h, g) at (f, y), or at f - y for a loss of residuals
    one against the rest   (h_k, g_k) of each class k, at its own margin
    multinomial            S(p) and (p - e_y)(p - e_y)', p the softmax

h and g are l'' and l'^2 in parts of the largest value that they may have. A prediction and a target are each brought to one of a few thousand public
places, by elementwise operations on exact integer products; tables over all places are made once, the same whatever records there are. The softmax is
sums, quotients and products, which IEEE 754 defines, of exponentials that are read from such a table. So the factors of a record are a function of
this record and of public numbers, to the last bit.

With S = diag(p) - p p', q = p_y, r = 1 - q and A the sum of squares of the other shares over r^2, and A^2 at most that of third powers over r^3,

    |S|_F^2 <= q^2 r^2 + r^2 A (1 + 2 q^2) - r^3 A^2 (2 - r),      |p - e_y|^2 = r^2 (1 + A),      0 <= A <= 1

so that |(2 S, (p - e_y)(p - e_y)' / 2)| is at most the root of the largest value of 4 times the first bound and a quarter of the second
squared, over a square of two numbers; an entry off the diagonal of such a matrix counts sqrt(2) times, as it stands there twice.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.losses import MarginLoss
from discreet.losses.predictions import PredictionLoss
from discreet.problems import PredictionRisk, RegularisedRisk
from discreet.problems.regularised_risk import MultinomialRisk, OneVsRestRisk

CurvedRisk: TypeAlias = RegularisedRisk | PredictionRisk | OneVsRestRisk | MultinomialRisk
"""A problem whose curvature can be released."""
LEVELS, HALF = 1 << 10, 1 << 15
_MARGINS = 64.0
_RESIDUALS = 8.0
"""Residuals beyond this many times the bound of targets count as these."""
_PLANE, _PREDICTIONS = 1 << 10, 16.0
"""Places on either side of 0 of a prediction and of a target, where each counts by itself; predictions beyond this many bounds count as it."""
_LEAST_PLACES = 32
"""Of margins or residuals, within a bend: half a place at either end is counted with it, or not, which is 3 % of the curvature."""
_ALONE = 1.02
"""Of the largest level: a length below it is that of curvature or slope alone, as in the log-cosh loss."""
_UP = 1.0 + 1e-6
_SQUARE = 2049


class Factors(ABC):
    """Of one problem: public."""

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
    @abstractmethod
    def powers(self) -> tuple[int, ...]:
        """Of a record's weight, for each factor: 1 of the curvature's, 2 of the squared slope's."""

    @abstractmethod
    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """Factors (n,) each, of predictions products (n, K) times `unit`, and targets (n,): signs, numbers or codes."""

    @abstractmethod
    def joined(self, parts: list[AnyFloats]) -> tuple[AnyFloats, AnyFloats]:
        """H and J (K d, K d) in units of their levels, from the matrices (d, d) of the factors."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Table(Factors):
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rest(Factors):
    """Each class against the others: the factors of the two-class problem for every one."""

    functions: int
    each: _Table

    @property
    def scales(self) -> tuple[float, float]:
        """See Factors."""
        return self.each.scales

    @property
    def length(self) -> float:
        """See Factors: no class knows of the others."""
        return math.sqrt(self.functions) * self.each.length * raising(4)

    @property
    def powers(self) -> tuple[int, ...]:
        """See Factors."""
        return self.each.powers * self.functions

    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """See Factors; `targets` are codes."""
        signs = [np.where(targets == code, 1.0, -1.0) for code in range(self.functions)]
        return [factor for code, own in enumerate(signs) for factor in self.each.of(products[:, code : code + 1], unit, own)]

    def joined(self, parts: list[AnyFloats]) -> tuple[AnyFloats, AnyFloats]:
        """See Factors: blocks on the diagonal."""
        size = len(parts[0])
        found = np.zeros((2, self.functions, size, self.functions, size))
        for number, part in enumerate(parts):
            found[number % 2, number // 2, :, number // 2] = part
        whole = found.reshape(2, self.functions * size, self.functions * size)
        return whole[0], whole[1]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Softmax(Factors):
    """All classes together: S(p) and the square of the slope, on and above the diagonal."""

    functions: int
    weight: float
    top: int
    """What the largest levels are."""
    rounded: float
    """E: what rounding moves the factors of a record by, or of a person."""

    @property
    def scales(self) -> tuple[float, float]:
        """See Factors: S is at most 1/2 in Frobenius norm, p - e_y at most sqrt(2) long."""
        return 0.5 * self.weight, 2.0 * self.weight**2

    @property
    def length(self) -> float:
        """See Factors."""
        return self.top * _of_softmax() + self.rounded

    @property
    def apart(self) -> float:
        """See Factors: inner products are those of matrices without negative eigenvalues, but for rounding."""
        return math.sqrt(4.0 - 2.0 * (1.0 - self.rounded / self.length) ** 2) * raising(16)

    @property
    def powers(self) -> tuple[int, ...]:
        """See Factors."""
        pairs = self.functions * (self.functions + 1) // 2
        return (1,) * pairs + (2,) * pairs

    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """See Factors; `targets` are codes. Columns are added up in order, so that a record's sum does not depend on the others'."""
        places = np.rint(products * (unit * HALF / _MARGINS))
        below = np.clip(places.max(axis=1, keepdims=True) - places, 0, 2 * HALF).astype(np.int64)
        powers = _exponentials()[below]
        total = powers[:, 0].copy()
        for other in range(1, self.functions):
            total += powers[:, other]
        shares = [powers[:, number] / total for number in range(self.functions)]
        off = [share - (targets == number) for number, share in enumerate(shares)]
        curved, steep = [], []
        for first in range(self.functions):
            for second in range(first, self.functions):
                times = self.top * (1.0 if first == second else math.sqrt(2.0))
                curved.append((2.0 * times) * (shares[first] * ((first == second) - shares[second])))
                steep.append((0.5 * times) * (off[first] * off[second]))
        return curved + steep

    def joined(self, parts: list[AnyFloats]) -> tuple[AnyFloats, AnyFloats]:
        """See Factors."""
        size, pairs = len(parts[0]), len(parts) // 2
        found = np.zeros((2, self.functions, size, self.functions, size))
        upper = list(zip(*np.triu_indices(self.functions), strict=True))
        for number, part in enumerate(parts):
            first, second = upper[number % pairs]
            found[number // pairs, first, :, second] = found[number // pairs, second, :, first] = part if first == second else part / math.sqrt(2.0)
        whole = found.reshape(2, self.functions * size, self.functions * size)
        return whole[0], whole[1]


@lru_cache(maxsize=8)
def factors_of(problem: CurvedRisk) -> Factors:
    """The tables of a problem. Raises InvalidInput for a loss whose derivatives are not what it declares, or whose curvature has no bound."""
    top = level_count(problem)
    if isinstance(problem, MultinomialRisk):
        count, rows = problem.classes * (problem.classes + 1), problem.persons.rows if problem.several and problem.persons is not None else 0
        return _Softmax(functions=problem.classes, weight=problem.max_weight, top=top, rounded=math.sqrt(count) * max(0.51, 1.01 * rows))
    if isinstance(problem, OneVsRestRisk):
        return _Rest(functions=problem.classes, each=_of_margins(problem.each, top))
    return _of_predictions(problem, top) if isinstance(problem, PredictionRisk) else _of_margins(problem, top)


def level_count(problem: CurvedRisk) -> int:
    """2^10 F, F >= M a power of two, where M is the most rows of a person."""
    return LEVELS << (problem.persons.rows - 1).bit_length() if problem.persons is not None else LEVELS


def _of_margins(problem: RegularisedRisk, top: int) -> _Table:
    loss, heaviest = problem.loss, problem.max_weight
    width = max([1.0, *loss.parameters.values()])
    reach = _MARGINS * width
    step = reach / HALF
    _require_wide(loss.name, float(np.ptp(loss.slope(np.array([-reach, reach])))) / loss.smoothness, step)
    margins: Floats = np.arange(-HALF, HALF + 1, dtype=np.float64) * step
    scan = np.concatenate((np.linspace(-reach, reach, 200_001), np.linspace(-8.0, 8.0, 400_001) * width, margins))
    length = top * float(np.max(np.hypot(*_relative(loss, scan)))) * _UP + 1.0
    h, g = (np.rint(top * factor) for factor in _relative(loss, margins))
    if float(np.max(np.hypot(h, g))) > length:
        raise InvalidInput("the derivatives of this loss exceed the bounds that it declares, so nothing can be released about them.")
    scales = heaviest * loss.smoothness, (heaviest * loss.lipschitz) ** 2
    return _Table(scales=scales, length=length, levels=(h, g), step=step, kind="margin")


def _require_wide(name: str, bend: float, step: float) -> None:
    """Raise InvalidInput for a loss that bends within so few places that records beside the bend would be counted with it; public."""
    if bend < _LEAST_PLACES * step:
        least = _LEAST_PLACES * step
        raise InvalidInput(f"the loss {name!r} bends within {bend:.3g}, too narrow for intervals, which need {least:.3g}. Fit with a wider bend.")


def _relative(loss: MarginLoss, margins: Floats) -> tuple[Floats, Floats]:
    """l'' and l'^2 relative to their largest values."""
    return np.minimum(loss.curvature(margins) / loss.smoothness, 1.0), np.minimum(np.square(loss.slope(margins) / loss.lipschitz), 1.0)


def _of_predictions(problem: PredictionRisk, top: int) -> _Table:
    loss, bound, steepest, most = problem.loss, problem.domain.target_bound, problem.slope_bound, problem.smoothness
    if not math.isfinite(most):
        raise InvalidInput(f"the loss {loss.name!r} has a kink, so its curvature has no bound; take its smooth relative.")
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
    return _Table(scales=(most, steepest**2), length=length, levels=(h, g), step=step, kind=kind, bound=bound)


def _levels_at(loss: PredictionLoss, predictions: Floats, targets: Floats, most: float, steepest: float, top: int) -> tuple[Floats, Floats]:
    curved = np.clip(loss.curvature(predictions, targets) / most, 0.0, 1.0)
    steep = np.minimum(np.square(loss.slope(predictions, targets) / steepest), 1.0)
    return np.rint(top * curved), np.rint(top * steep)


@lru_cache(maxsize=1)
def _exponentials() -> npt.NDArray[np.float64]:
    """e^-t at the public places of t, from 0."""
    found: Floats = np.exp(-np.arange(2 * HALF + 1, dtype=np.float64) * (_MARGINS / HALF))
    return found


@lru_cache(maxsize=1)
def _of_softmax() -> float:
    """The root of the largest sum of squares, see module docstring: over a square of places, and what lies between them.

    Derivatives of the sum in both numbers are below 10 together there, and places at most half a step, 1/4096, away in each.
    """
    q, a = np.meshgrid(np.linspace(0.0, 1.0, _SQUARE), np.linspace(0.0, 1.0, _SQUARE))
    r = 1.0 - q
    curved = q**2 * r**2 + r**2 * a * (1.0 + 2.0 * q**2) - r**3 * a**2 * (2.0 - r)
    total = 4.0 * curved + 0.25 * (r**2 * (1.0 + a)) ** 2
    return math.sqrt(float(total.max()) + 10.0 / 4096.0)
