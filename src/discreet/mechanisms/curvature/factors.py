"""What multiplies x x' in the curvature of a record: integers that are read from public tables (proof note curvature.md).

    two classes            (h, g) at the margin y f, f the prediction
    predictions            (h, g) at (f, y), or at f - y for a loss of residuals
    one against the rest   (h_k, g_k) of each class k, at its own margin
    several targets        (h_k, g_k) of each target k, at its own prediction
    multinomial            S(p) and (p - e_y)(p - e_y)', p the softmax
    M made rows            h_t / sqrt(M) of each, and s_t s_u / M of each pair, s_t = b_t l' / L at <row_t, w>; 0 of rows that a record does not have

h and g are l'' and l'^2 in parts of the largest value that they may have. A prediction and a target are each brought to one of a few thousand public
places, by elementwise operations on exact integer products; tables over all places are made once, the same whatever records there are. The softmax is
sums, quotients and products, which IEEE 754 defines, of exponentials that are read from such a table. So the factors of a record are a function of
this record and of public numbers, to the last bit.

Of made rows, |(h_t / sqrt(M))|^2 + |(s_t s_u / M)|^2 = mean h_t^2 + (mean s_t^2)^2 <= mean (h_t^2 + s_t^4), so that they are no longer than the
factors of one row; entries off the diagonal of the second count sqrt(2) times, and inner products are not negative but for rounding.

With S = diag(p) - p p', q = p_y, r = 1 - q and A the sum of squares of the other shares over r^2, and A^2 at most that of third powers over r^3,

    |S|_F^2 <= q^2 r^2 + r^2 A (1 + 2 q^2) - r^3 A^2 (2 - r),      |p - e_y|^2 = r^2 (1 + A),      0 <= A <= 1

so that |(2 S, (p - e_y)(p - e_y)' / 2)| is at most the root of the largest value of 4 times the first bound and a quarter of the second
squared, over a square of two numbers; an entry off the diagonal of such a matrix counts sqrt(2) times, as it stands there twice.
"""

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import AnyFloats, Floats
from discreet.core.errors import InvalidInput
from discreet.core.rounding import raising
from discreet.mechanisms.curvature.tables import HALF, LEVELS, MARGINS, Factors, Table, of_margins, of_predictions
from discreet.problems import MadeRisk, PredictionRisk, RegularisedRisk, SeveralTargets
from discreet.problems.regularised_risk import MultinomialRisk, OneVsRestRisk

CurvedRisk: TypeAlias = RegularisedRisk | PredictionRisk | SeveralTargets | OneVsRestRisk | MultinomialRisk | MadeRisk
"""A problem whose curvature can be released."""
_SQUARE = 2049


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Beside(Factors):
    """Functions that know nothing of each other: each class against the others, or each of several targets, with the factors of its own problem."""

    functions: int
    each: Table
    numbers: bool
    """Whether they are targets, a column each, and not classes."""

    @property
    def scales(self) -> tuple[float, float]:
        """See Factors."""
        return self.each.scales

    @property
    def length(self) -> float:
        """See Factors: no function knows of the others."""
        return math.sqrt(self.functions) * self.each.length * raising(4)

    @property
    def powers(self) -> tuple[int, ...]:
        """See Factors."""
        return self.each.powers * self.functions

    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """See Factors; `targets` are codes, or numbers (n, K)."""
        each = list(targets.T) if self.numbers else [np.where(targets == code, 1.0, -1.0) for code in range(self.functions)]
        return [factor for place, own in enumerate(each) for factor in self.each.of(products[:, place : place + 1], unit, own)]

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
        return _apart(self.rounded / self.length)

    @property
    def powers(self) -> tuple[int, ...]:
        """See Factors."""
        pairs = self.functions * (self.functions + 1) // 2
        return (1,) * pairs + (2,) * pairs

    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """See Factors; `targets` are codes. Columns are added up in order, so that a record's sum does not depend on the others'."""
        places = np.rint(products * (unit * HALF / MARGINS))
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Made(Factors):
    """All rows that are made of a record."""

    functions: int
    problem: MadeRisk
    each: Table
    """Of one row; its second table is of l' / L."""
    top: int

    @property
    def scales(self) -> tuple[float, float]:
        """See Factors."""
        curved, steep = self.each.scales
        return curved / math.sqrt(self.functions), steep / self.functions

    @property
    def spread(self) -> float:
        """See Factors: the norm of sum_t T_t T_t' is at most M + r^2, that of one T_t T_t' at most 1 + r^2."""
        ratio = (self.problem.made.step / self.problem.made.bound) ** 2
        return math.sqrt((self.functions + ratio) * (1.0 + ratio))

    @property
    def _rounded(self) -> float:
        return 0.51 * math.sqrt(len(self.powers))

    @property
    def length(self) -> float:
        """See Factors."""
        return self.each.length + self._rounded

    @property
    def apart(self) -> float:
        """See Factors, and `_Softmax`."""
        return _apart(self._rounded / self.length)

    @property
    def powers(self) -> tuple[int, ...]:
        """See Factors."""
        return (1,) * self.functions + (2,) * (self.functions * (self.functions + 1) // 2)

    def of(self, products: Floats, unit: float, targets: Floats) -> list[Floats]:
        """See Factors; `targets` (n, M) are +1 and -1, and 0 of a row that a record does not have."""
        found = [self.each.of(products[:, row : row + 1], unit, targets[:, row]) for row in range(self.functions)]
        slopes = [steep * own for (_, steep), own in zip(found, targets.T, strict=True)]
        bends = [np.abs(own) * bend for (bend, _), own in zip(found, targets.T, strict=True)]
        one, pair = self.top / math.sqrt(self.functions), self.top / self.functions
        pairs = zip(*np.triu_indices(self.functions), strict=True)
        beside = [(pair * (1.0 if row == other else math.sqrt(2.0))) * (slopes[row] * slopes[other]) for row, other in pairs]
        return [one * bend for bend in bends] + beside

    def joined(self, parts: list[AnyFloats]) -> tuple[AnyFloats, AnyFloats]:
        """See Factors: of the weights of all rows."""
        placed = [self.problem.placed(row) for row in range(self.functions)]
        curvature = sum(at @ part @ at.T for at, part in zip(placed, parts[: self.functions], strict=True))
        variation: AnyFloats = np.zeros_like(curvature)
        for (row, other), part in zip(zip(*np.triu_indices(self.functions), strict=True), parts[self.functions :], strict=True):
            beside = placed[row] @ part @ placed[other].T / (1.0 if row == other else math.sqrt(2.0))
            variation += beside if row == other else beside + beside.T
        return np.asarray(curvature), variation


@lru_cache(maxsize=8)
def factors_of(problem: CurvedRisk) -> Factors:
    """The tables of a problem. Raises InvalidInput for a loss whose derivatives are not what it declares, or whose curvature has no bound."""
    top = level_count(problem)
    if isinstance(problem, MultinomialRisk):
        count, rows = problem.classes * (problem.classes + 1), problem.persons.rows if problem.several and problem.persons is not None else 0
        return _Softmax(functions=problem.classes, weight=problem.max_weight, top=top, rounded=math.sqrt(count) * max(0.51, 1.01 * rows))
    if isinstance(problem, MadeRisk):
        return _of_made(problem, top)
    if isinstance(problem, OneVsRestRisk):
        return _Beside(functions=problem.classes, each=of_margins(problem.each, top), numbers=False)
    if isinstance(problem, SeveralTargets):
        return _Beside(functions=problem.targets, each=of_predictions(problem.each, top), numbers=True)
    return of_predictions(problem, top) if isinstance(problem, PredictionRisk) else of_margins(problem, top)


def level_count(problem: CurvedRisk) -> int:
    """2^10 F, F >= M a power of two, where M is the most rows of a person; of made rows 2^11 F, F <= sqrt(M), so that sums of products are exact."""
    if isinstance(problem, MadeRisk):
        return 2 * LEVELS << ((problem.made.rows.bit_length() - 1) // 2)
    return LEVELS << (problem.persons.rows - 1).bit_length() if problem.persons is not None else LEVELS


def _of_made(problem: MadeRisk, top: int) -> _Made:
    one, loss = of_margins(problem.of_rows, top), problem.of_rows.loss
    margins: Floats = np.arange(-HALF, HALF + 1, dtype=np.float64) * one.step
    bend, slope = np.minimum(loss.curvature(margins) / loss.smoothness, 1.0), np.clip(loss.slope(margins) / loss.lipschitz, -1.0, 1.0)
    if top * float(np.max(np.hypot(bend, np.square(slope)))) > one.length:
        raise InvalidInput("the derivatives of this loss exceed the bounds that it declares, so nothing can be released about them.")
    return _Made(functions=problem.made.rows, problem=problem, each=replace(one, levels=(bend, slope)), top=top)


def _apart(rounded: float) -> float:
    """Of two vectors of length 1, whose inner product is not negative but for rounding that moves each by so much."""
    return math.sqrt(4.0 - 2.0 * (1.0 - rounded) ** 2) * raising(16)


@lru_cache(maxsize=1)
def _exponentials() -> npt.NDArray[np.float64]:
    """e^-t at the public places of t, from 0."""
    found: Floats = np.exp(-np.arange(2 * HALF + 1, dtype=np.float64) * (MARGINS / HALF))
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
