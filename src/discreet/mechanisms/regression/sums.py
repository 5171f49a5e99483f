"""Exact sums over the records for least squares, as integers; noisy answers about them; and the curve of these (proof note refined.md).

    A = sum x x',   b = sum x y,   s = sum y^2          x in units of q_x, y in units of q_y, rounded towards zero, record by record
    g = sum x r,    r = clip(y - <x, theta>, G / |x|),   |x r|_2 <= G

q_x, q_y, and the unit q_r of r are powers of two. With most_records n and 2 b + log2(n) <= 62 bits all sums fit 64 bits; products of a thousand rows
are taken in floating point with partial sums below 2^53, so exactly, and added up as integers. theta is rounded to 2^-30 of its length, so <x, theta>
is exact too, and r is made from it by elementwise operations, each of which IEEE 754 defines. So what a record contributes is a function of this
record alone, to the last bit: neighbouring tables differ by the contributions of one record, exactly. And a table gives the same sums whatever its
blocks are, wherever they are, and however many threads work on them.

How far one record moves the sums. In units R = B = 1 the released vector is  T(x, y) = (x x', a x y, g y^2),  x x' in Frobenius norm, summed over the
records. For 0 < a^2 <= 2

    add-remove     sup |T(z)|^2          = 1 + a^2 + g^2                                     at |x| = |y| = 1
    replace-one    sup |T(z) - T(z')|^2  = max(2 + 2 a^2 + a^4 / 2,  2 + a^2 + g^2)          at |x| = |x'| = 1, y = -y', <x, x'> = a^2 / 2

so under replace-one the sum of squares costs nothing while g^2 <= a^2 + a^4 / 2. A gradient with contributions of length at most G moves by G or 2 G.
With noise sigma on T and nu G on each of T gradients everything together is one Gaussian answer, mu^2 = sup^2 / sigma^2 + T (1 or 2)^2 / nu^2
(Dong, Roth and Su 2022, corollary 3.3: also if each question depends on the answers before).

Rows of one person share one record's weight (Records.weights): with t = floor(2^26 sqrt(a)) the integers n of a row become trunc(n t / 2^26),
exactly, and its contribution to a gradient is clipped to (t / 2^26)^2 G. So a row contributes t^2 / 2^52 times what some record would, and sum t^2 is
at most 2^52 over a person: what a person contributes is a convex combination of those of records and of 0, which is one of them. The suprema are the
same.

Discrete Gaussian integers instead of rounded normal ones cost what `discrete_delta` says for the least of their scales (lemma 2 of residual_stage.md,
whose proof holds with one scale per coordinate).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.data import Domain, Records
from discreet.data.domain import OverDomain
from discreet.mechanisms.noisy_sums import integers, noisy_products
from discreet.noise import Integers, Noise
from discreet.problems import Prior

MOST_BITS = 20
MOST_RECORDS = 1 << 40
_WEIGHT_BITS = 30
_ROOT_BITS = 26
CAP = 16.0
"""Residuals are also clipped to this many times G / R: it bounds the integers, and touches records shorter than R / 16 only."""
UP = raising(65_536)
"""More than the rounding errors of a formula of a few terms, clipped lengths included."""


class Moments(NamedTuple):
    """Integers: A / q_x^2 (m, m), b / (q_x q_y) (m,), s / q_y^2."""

    products: Integers
    targets: Integers
    squares: int


class Gradient(NamedTuple):
    """g / (q_x q_r), (m,), and q_r."""

    sums: Integers
    unit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastSquares(OverDomain):
    """The public problem: records of `domain`, at most `most_records` of them, and the squared error of a linear prediction."""

    domain: Domain
    most_records: int = 10_000_000
    """A public bound; longer tables are refused. It costs resolution of the integers, and no noise worth mentioning."""
    prior: Prior | None = None
    """The public point that a ridge pulls towards; None for zero."""

    def __post_init__(self) -> None:
        """Refuse a bound that the integers cannot hold."""
        self.domain.require("number")
        if isinstance(self.most_records, bool) or not isinstance(self.most_records, int) or not 1 <= self.most_records <= MOST_RECORDS:
            raise InvalidInput(f"most_records must be an integer from 1 to 2^40; {self.most_records!r} was given.")
        if self.prior is not None:
            self.prior.require(self.dimension)

    @property
    def total_weight(self) -> int | None:
        """The sum of all weights of records, where it is public: n, unless rows of persons count alike."""
        alike = self.persons is not None and self.persons.by_rows
        return None if alike else self.domain.records

    @property
    def bits(self) -> int:
        """Of an integer that stands for a number of a record."""
        return min(MOST_BITS, (62 - math.ceil(math.log2(self.most_records))) // 2)

    @property
    def row_unit(self) -> float:
        """q_x."""
        return _power_of_two(self.domain.radius) * 2.0**-self.bits

    @property
    def target_unit(self) -> float:
        """q_y."""
        return _power_of_two(self.domain.target_bound) * 2.0**-self.bits

    def require(self, data: Records) -> None:
        """Raise InvalidInput for records of another domain, and for more than `most_records` of them."""
        if data.domain != self.domain:
            raise InvalidInput("the problem was made for a different domain from that of these records; make it for data.domain.")
        if data.records > self.most_records:
            raise InvalidInput(
                f"sums are exact for at most {self.most_records} rows, and the table has more. If it is public about how many records "
                "there are, pass that as public_records, or raise most_records of the problem."
            )

    def moments(self, data: Records) -> Moments:
        """See module docstring; one pass. Raises InvalidInput as `require` does."""
        self.require(data)
        size = self.domain.dimension + 1
        total = np.zeros((size, size), dtype=np.int64)
        for part in data.map(partial(_moments, row_unit=self.row_unit, target_unit=self.target_unit)):
            total += part
        return Moments(total[:-1, :-1], total[:-1, -1], int(total[-1, -1]))

    def gradient(self, data: Records, weights: Floats, length: float) -> Gradient:
        """The clipped gradient at public weights (m,); `length` is G; one pass. Raises SolverFailure for weights that are not finite."""
        self.require(data)
        integers, grid = rounded_weights(weights)
        cap = min(CAP * length / self.domain.radius, self.domain.target_bound + self.domain.radius * float(np.linalg.norm(weights)) * 1.01)
        step = _Step(integers, grid, length, cap, _power_of_two(cap) * 2.0**-self.bits)
        total = np.zeros(len(weights), dtype=np.int64)
        for part in data.map(partial(_gradient, step=step, row_unit=self.row_unit, target_unit=self.target_unit)):
            total += part
        return Gradient(total, step.unit)

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        domain = self.domain
        return {
            "loss": "squared",
            **domain.record(),
            "intercept_scale": domain.intercept_scale,
            "records": domain.records,
            "most_records": self.most_records,
            **({} if self.prior is None else {"prior": self.prior.to_dict()}),
        }


def noisy_moments(problem: LeastSquares, exact: Moments, noise: Noise, scales: Sequence[float]) -> tuple[Floats, Floats]:
    """A~ (m, m) and b~ (m,) with noise of these `moment_scales`."""
    diagonal, off, target = scales
    products = noisy_products(exact.products, noise, diagonal=diagonal, off=off)
    targets = exact.targets + integers(noise, target, problem.domain.dimension)
    row, of_target = problem.row_unit, problem.target_unit
    return np.asarray(products * row**2, dtype=np.float64), np.asarray(targets * (row * of_target), dtype=np.float64)


def noisy_gradient(problem: LeastSquares, data: Records, noise: Noise, weights: Floats, *, length: float, deviation: float) -> Floats:
    """g~ at public weights (m,), with contributions of at most `length` and noise of this `deviation` on each coordinate."""
    exact = problem.gradient(data, weights, length)
    unit = problem.row_unit * exact.unit
    noisy = exact.sums + integers(noise, deviation / unit, len(weights))
    return np.asarray(noisy * unit, dtype=np.float64)


def moment_reach(neighbours: Neighbours, *, target_weight: float, square_weight: float) -> float:
    """The supremum of the module docstring, rounded up; infinity outside its hypothesis."""
    a, g = target_weight**2, square_weight**2
    if not 0 < a <= 2:
        return math.inf
    if neighbours is ADD_REMOVE:
        return math.sqrt(1.0 + a + g) * UP
    return math.sqrt(max(2.0 + 2.0 * a + a * a / 2.0, 2.0 + a + g)) * UP


def step_reach(neighbours: Neighbours) -> float:
    """How many times G one record moves a gradient, rounded up."""
    return (1.0 if neighbours is ADD_REMOVE else 2.0) * UP


def total_mu(reach: float, moment_noise: float, neighbours: Neighbours, steps: int, step_noise: float) -> float:
    """mu of moments and gradients together."""
    return math.hypot(reach / moment_noise, math.sqrt(steps) * step_reach(neighbours) / step_noise if steps else 0.0) * UP


def moment_scales(problem: LeastSquares, moment_noise: float, target_weight: float) -> tuple[float, float, float]:
    """Deviations of noisy moments in units of their integers: A's diagonal, A off it, b."""
    row, target = problem.domain.radius / problem.row_unit, problem.domain.target_bound / problem.target_unit
    diagonal = moment_noise * row**2
    return diagonal, diagonal / math.sqrt(2.0), moment_noise * row * target / target_weight


def step_scales(problem: LeastSquares, step_noise: float) -> tuple[float, float]:
    """The least and the largest deviation of noise of a gradient, in units of its integers: by its lengths over its units."""
    largest = step_noise * problem.domain.radius / problem.row_unit * 2.0**problem.bits
    return largest / (2.0 * CAP), largest


def whole_steps(steps: int | None, *, usual: int, least: int) -> int:
    """A number of gradients, `usual` for None. Raises InvalidInput unless it is an integer from `least` to 1000."""
    count = usual if steps is None else steps
    if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= 1000:
        raise InvalidInput(f"the number of steps, n_iter, must be an integer from {least} to 1000; {steps!r} was given.")
    return count


class _Step(NamedTuple):
    """What a gradient is taken at and clipped to: public numbers."""

    integers: Floats
    """theta in units of `grid`, (m,)."""
    grid: float
    length: float
    """G."""
    cap: float
    unit: float
    """q_r."""


def _moments(_: int, block: Records, *, row_unit: float, target_unit: float) -> Integers:
    """Sums of products of the numbers of a record, the target's last, over records that are held."""
    size = block.domain.dimension + 1
    total = np.zeros((size, size), dtype=np.int64)
    roots = _roots(block.weights)
    for rows, entries in block.matrix.chunks():
        record = np.column_stack((np.trunc(entries / row_unit), np.trunc(block.targets[rows] / target_unit)))
        if roots is not None:
            record = np.trunc(record * roots[rows, np.newaxis])
        total += (record.T @ record).astype(np.int64)
    return total


def _gradient(_: int, block: Records, *, step: _Step, row_unit: float, target_unit: float) -> Integers:
    """Sums of clipped contributions over records that are held."""
    total = np.zeros(len(step.integers), dtype=np.int64)
    roots = _roots(block.weights)
    for rows, entries in block.matrix.chunks():
        record, target = np.trunc(entries / row_unit), np.trunc(block.targets[rows] / target_unit)
        length: Floats | float = step.length
        if roots is not None:
            record, target = np.trunc(record * roots[rows, np.newaxis]), np.trunc(target * roots[rows])
            length = step.length * np.square(roots[rows])
        predicted = (record @ step.integers) * (row_unit * step.grid)
        residual = target * target_unit - predicted
        lengths = np.sqrt(np.einsum("ij,ij->i", record, record)) * row_unit
        limit = np.minimum(length / np.maximum(lengths, row_unit), step.cap)
        clipped = np.trunc(np.clip(residual, -limit, limit) / step.unit)
        total += (clipped @ record).astype(np.int64)
    return total


def _roots(weights: Floats | None) -> Floats | None:
    """Square roots of weights (n,) in [0, 1], multiples of 2^-53, rounded down to multiples of 2^-26, so that no square is above its weight."""
    if weights is None:
        return None
    steps = np.floor(np.sqrt(weights) * 2.0**_ROOT_BITS)
    steps -= np.square(steps) > weights * 4.0**_ROOT_BITS  # both sides are exact
    found: Floats = steps * 2.0**-_ROOT_BITS
    return found


def rounded_weights(weights: Floats) -> tuple[Floats, float]:
    """Integers (m,) of at most 31 bits in length, and their unit, a power of two. The prediction that residuals are taken from is theirs."""
    longest = float(np.linalg.norm(weights))
    if not math.isfinite(longest):
        raise SolverFailure("the noisy normal equations have no finite solution; raise epsilon.")
    grid = _power_of_two(max(longest, 1e-200)) * 2.0**-_WEIGHT_BITS
    return np.rint(weights / grid), grid


def _power_of_two(size: float) -> float:
    """The least power of two at or above a positive number."""
    return 2.0 ** math.ceil(math.log2(size))
