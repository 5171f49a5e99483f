"""A secret Gaussian sketch of the records,  S Z + sigma N,  by its exact law (proof note sketch.md).

    k rows, independent, N(0, Z'Z + sigma^2 I):  one pass for the second moments, a Cholesky factor, k m normal numbers; S (k, n) is never formed

With |z_i| <= C, beta = sigma^2 + lambda_0 (lambda_0 a declared lower bound of the least eigenvalue of Z'Z without any one record; 0 by default) and
h = C^2 / beta the worst pairs of neighbours are two laws of k normal rows, and their curves are exact (module `profiles`): one record more or less,
N(0, 1 + h) and N(0, 1); one replaced, N(0, diag(1 + h, 1)) and N(0, diag(1, 1 + h)). Where persons own several rows, which share one record's
weight, that is nearly the worst that they can do (module `shared_profiles`): noise is larger by .02 to 4 percent, whatever their number. Noise is on
ALL columns, the target's included: with a target sketched without noise nothing protects a row. S and N stay secret.

What is charged on top: twice the closeness of the computed covariance to the exact one, and the last stage on a grid (module `arithmetic`).

    epsilon = epsilon_1 + 2 closeness + epsilon_2,    delta = e^closeness delta_1(epsilon_1) + 2 e^(epsilon - epsilon_2) e^-100 + delta_2
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from discreet.accounting import ApproximateDP, NoGuarantee, Profile
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.remembered import remembered
from discreet.core.rounding import lowering
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.learning.base import GaussianGrid
from discreet.mechanisms.release.answers import exact_moments
from discreet.mechanisms.release.arithmetic import CLOSENESS_DELTA, Arithmetic
from discreet.mechanisms.release.profiles import Bounded, largest, replace_delta, require_rows, zero_out_delta
from discreet.mechanisms.release.rows import LARGEST_SCALE
from discreet.mechanisms.release.shared_profiles import shared_replace_delta, shared_zero_out_delta
from discreet.noise import Integers, Noise
from discreet.queries import SecondMoments
from discreet.queries.base import UP
from discreet.words.sketch import SECRET, GaussianSketchSpec, SketchSpec

_SHARES = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 5e-2)
_DELTA_SHARE = 1e-4
_LARGEST = 1 << 61
_POINTS = 200
"""Of the curve of a released sketch."""


class Sketch(SketchSpec, Mechanism[SecondMoments, Records]):
    """k random combinations of the records, with noise of a variance fixed before they are read, and a last stage on a grid (`SketchSpec`)."""

    __slots__ = ()

    @property
    def grid(self) -> GaussianGrid:
        """The last stage; what it promises at an epsilon is for those to say who state one."""
        return GaussianGrid(step=self.step, scale=self.scale, epsilon=1.0)

    def arithmetic(self, query: SecondMoments) -> Arithmetic:
        """The bounds of rounding errors."""
        return arithmetic_of(query, self.rows, self.variance, self.variance)

    def draw(self, query: SecondMoments, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return sketched(query, self.arithmetic(query), exact_moments(query, data), int(self.variance), self.grid, noise)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianSketch(GaussianSketchSpec, Sketch):
    """k noisy random combinations of the records."""

    @classmethod
    def calibrate(
        cls, query: SecondMoments, *, rows: int, epsilon: float, delta: float, neighbours: Neighbours, least_eigenvalue: float = 0.0
    ) -> Self:
        """The least noise for (epsilon, delta), over a few shares of the last stage.

        Raises InfeasibleTarget where rounding errors cannot be hidden: fewer records, or a larger epsilon.
        """
        check_target(epsilon, rows)
        if not (math.isfinite(least_eigenvalue) and least_eigenvalue >= 0):
            raise InvalidInput(f"the declared least eigenvalue must be finite and not negative; {least_eigenvalue!r} was given.")
        credit = eigenvalue_credit(query, least_eigenvalue)
        found: Self | None = None
        for share in _SHARES:
            parts = solve(query, rows, epsilon * (1.0 - share), delta * (1.0 - _DELTA_SHARE), neighbours)
            if parts is None:
                continue
            floor, arithmetic = parts
            grid = GaussianGrid.calibrate(
                radius=arithmetic.radius, dimension=rows * query.columns, epsilon=share * epsilon, delta=_DELTA_SHARE * delta
            )
            made = cls(
                rows=rows,
                variance=max(math.ceil(floor - credit), 1),
                step=grid.step,
                scale=grid.scale,
                neighbours=neighbours,
                epsilon=epsilon,
                last_epsilon=share * epsilon,
                least_eigenvalue=least_eigenvalue,
            )
            if (
                grid.scale < LARGEST_SCALE
                and made.delta(query) <= delta
                and (found is None or made.noise_variance(query) < found.noise_variance(query))
            ):
                found = made
        if found is None:
            raise InfeasibleTarget(TOO_ROUGH.format(rows=rows, records=query.most_records))
        return found

    def promise(self, query: SecondMoments) -> ApproximateDP | NoGuarantee:
        """See the module docstring."""
        return promised(self.theorem, self.delta(query), self.epsilon, self.neighbours)

    def delta(self, query: SecondMoments) -> float:
        """delta at `epsilon`; 1 where a lemma does not apply."""
        floor = self.variance + eigenvalue_credit(query, self.least_eigenvalue)
        first = sketch_delta(query, self.arithmetic(query), self.epsilon - self.last_epsilon, floor, self.neighbours)
        return min(1.0, (first + self.grid.delta(radius=self.arithmetic(query).radius, dimension=self.rows * query.columns)) * UP)

    @property
    def grid(self) -> GaussianGrid:
        """The last stage, at its epsilon."""
        return GaussianGrid(step=self.step, scale=self.scale, epsilon=self.last_epsilon)

    def arithmetic(self, query: SecondMoments) -> Arithmetic:
        """The bounds of rounding errors."""
        return arithmetic_of(query, self.rows, self.variance, self.variance + eigenvalue_credit(query, self.least_eigenvalue))


def promised(theorem: str, delta: float, epsilon: float, neighbours: Neighbours) -> ApproximateDP | NoGuarantee:
    """What a sketch of this delta promises about a record."""
    if not delta < 1:
        return NoGuarantee(theorem=f"{theorem}: delta reaches 1 at epsilon = {epsilon:g}", neighbours=neighbours, secret=SECRET)
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, neighbours=neighbours, theorem=theorem, secret=SECRET)


def sketched(query: SecondMoments, bounds: Arithmetic, moments: Integers, variance: int, grid: GaussianGrid, noise: Noise) -> Drawn:
    """k rows of N(0, moments + variance I), through the last stage."""
    factor = bounds.factor(moments, variance)

    def rows() -> Iterator[Floats]:
        for count in batches(query, bounds.rows):
            normals = noise.gaussian(scale=1.0, dimension=query.columns, draws=count)
            yield grid.release(factor @ normals, noise).T * query.unit

    return Drawn((bounds.rows, query.columns), rows())


def batches(query: SecondMoments, rows: int) -> Iterator[int]:
    """How many rows of a sketch are drawn at a time, about a million numbers."""
    size = max(1, (1 << 20) // query.columns)
    for start in range(0, rows, size):
        yield min(size, rows - start)


def sketch_delta(query: SecondMoments, arithmetic: Arithmetic, epsilon: float, floor: float, neighbours: Neighbours) -> float:
    """delta of the computed sketch, its last stage not counted, at epsilon = epsilon_1 + 2 closeness."""
    first = epsilon - 2.0 * arithmetic.closeness
    if not (first > 0 and floor > 0):
        return 1.0
    ratio = (query.norm / query.unit) ** 2 / floor * UP
    exact = curve(query, neighbours, first, arithmetic.rows, ratio).up
    return min(1.0, (math.exp(arithmetic.closeness) * exact + 2.0 * math.exp(min(epsilon, 300.0)) * CLOSENESS_DELTA) * UP)


@lru_cache(maxsize=32)
def sketch_profile(
    query: SecondMoments, arithmetic: Arithmetic, grid: GaussianGrid, floor: float, neighbours: Neighbours, epsilon: float, theorem: str
) -> Profile:
    """The whole curve of a released sketch, its last stage `grid` included, at points up to three times `epsilon`.

    At 0 from the first point: P - Q <= (P - e^x Q) + (e^x - 1) Q.
    """
    last = grid.delta(radius=arithmetic.radius, dimension=arithmetic.rows * query.columns)
    points = np.linspace(0.0, 3.0 * epsilon, _POINTS)
    found = [sketch_delta(query, arithmetic, point - grid.epsilon, floor, neighbours) for point in points[1:].tolist()]
    deltas = np.minimum(1.0, (np.array(found) + last) * UP)
    first = min(1.0, (float(deltas[0]) + math.expm1(float(points[1]))) * UP)
    return Profile(
        epsilons=tuple(points.tolist()),
        deltas_at=(first, *np.minimum.accumulate(np.minimum(deltas, first)).tolist()),
        neighbours=neighbours,
        theorem=theorem,
        secret=SECRET,
    )


def curve(query: SecondMoments, neighbours: Neighbours, epsilon: float, rows: int, ratio: float) -> Bounded:
    """The exact curve of the relation; an upper bound of it, about as low, where a neighbour changes several rows that share a weight."""
    if query.read.rows > 1:
        return (shared_zero_out_delta if neighbours is ADD_REMOVE else shared_replace_delta)(epsilon, rows, ratio)
    return zero_out_delta(epsilon, rows, ratio) if neighbours is ADD_REMOVE else replace_delta(epsilon, rows, ratio)


@remembered
def solve(query: SecondMoments, rows: int, epsilon: float, delta: float, neighbours: Neighbours) -> tuple[float, Arithmetic] | None:
    """The least floor of A's eigenvalues (in q^2) with which a computed sketch is (epsilon, delta)-private; None where rounding is too rough."""
    norm = (query.norm / query.unit) ** 2
    closeness, floor, arithmetic = 0.0, math.nan, None
    for _ in range(4):
        if not epsilon - 2.0 * closeness > 0.5 * epsilon:
            return None
        first, allowed = epsilon - 2.0 * closeness, delta * math.exp(-closeness) * (1.0 - 1e-9)
        floor = norm / largest(lambda ratio, at=first: curve(query, neighbours, at, rows, ratio), allowed) * (1.0 + 1e-9)  # type: ignore[misc]
        if floor >= _LARGEST:
            return None
        arithmetic = arithmetic_of(query, rows, math.ceil(floor), floor)
        closeness = arithmetic.closeness * (1.0 + 1e-6)
    return None if arithmetic is None or not math.isfinite(closeness) else (floor, arithmetic)


def arithmetic_of(query: SecondMoments, rows: int, variance: float, floor: float) -> Arithmetic:
    """Bounds for tables of at most `most_records` records."""
    trace = (query.most_records * (query.norm / query.unit) ** 2 + query.columns * variance) * UP
    return Arithmetic(rows=rows, columns=query.columns, trace=trace, floor=floor)


def eigenvalue_credit(query: SecondMoments, least: float) -> float:
    """lambda_0 in q^2, after every number is rounded towards zero by less than q: a singular value moves by at most q sqrt(n m)."""
    if least == 0:
        return 0.0
    root = math.sqrt(least) / query.unit - math.sqrt(query.most_records * query.columns) * UP
    return max(root, 0.0) ** 2 * lowering(4_096)


def check_target(epsilon: float, rows: int) -> None:
    """Raise InvalidInput for what no sketch can have."""
    if not 0 < epsilon <= 100:
        raise InvalidInput(f"a sketch needs 0 < epsilon <= 100; {epsilon!r} was given.")
    require_rows(rows)


TOO_ROUGH = "a sketch of {rows} rows cannot hide the rounding errors of up to {records} records at this target; declare a smaller most_records."
