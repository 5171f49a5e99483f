"""What the mechanisms for linear classifiers have in common: minimisers to a tolerance, weights with noise, and several of them in one release.

The minimiser of the (perturbed) objective is never exact. Every proof here asks for |grad G(f)|_2 <= tau, rounding errors included, with tau a
function of public numbers, fixed before the data are seen; then |f - argmin G| <= tau / lambda by strong convexity, and noise for that distance is
paid for (proof note residual_stage.md). The solver certifies its gradient norm or raises: tau is never loosened, and the noise is never drawn again.

The last stage of every one of them is exact integers on a public grid. What a computer calls the output of a mechanism is only near its ideal real
output: the solver stops at a tolerance, the noise was rounded, sums are in floating point. Let `radius` be a sure public bound on that distance. The
computed point is rounded to the grid of step w (a power of two) and an exact discrete random integer is added to every coordinate:

    release w (round(f / w) + K),    |round(f / w) - round(f' / w)|_2 <= D_2 = 2 radius / w + sqrt(d),    |.|_1 <= D_1 = 2 sqrt(d) radius / w + d

for two computed points f, f' whose ideals are equal. A point that is a sum, f + N, is never rounded to one float: both terms go to the grid, and the
fractions of a step that are left over are added there, with an error below 2^-53 steps that the factor `_UP` of D_1 and D_2 covers.

    pure       K discrete Laplace of scale t:     epsilon = D_1 / t
    Gaussian   K discrete Gaussian of scale s:    delta of `discrete_delta` for d integers and mu = D_2 / s (lemma 2 of the note); after a release
                                                  with the curve delta_1, the composition of both curves (theorem 3), which is less than a sum

Only these integers are released, so the output is on the grid whatever the records are, and every float error is inside the radius.
"""

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np

from discreet.accounting import Guarantee, Json, before_gaussian, beyond, closeness, discrete_delta, gaussian_mu, n_fold
from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput, SolverFailure
from discreet.core.neighbours import PARTS, Neighbours
from discreet.core.rounding import lowering, raising
from discreet.core.workers import map_in_order
from discreet.data import Records
from discreet.data.records import WHOLE_RECORDS
from discreet.ledger import Account
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.noise import Integers, Noise, drawable, least_drawable, spherical_error
from discreet.objectives import objective_of, objectives_of
from discreet.problems import AnyRisk, MultinomialRisk, OneVsRestRisk, Prior, RegularisedRisk
from discreet.solvers import Objective, solve, solve_many
from discreet.solvers.many import COLUMNS

_UNIT_ROUNDOFF = 2.0**-53
_NOMINAL_RECORDS = 1_000_000
"""Size for which tau is chosen where the number of records is private; a larger table works as long as the solver can still certify tau."""

_FINENESS = 32.0
"""radius / (w sqrt(d)), at least: rounding adds at most 1 / 64 to the distance."""
_UP, _DOWN = raising(4_096), lowering(450)
_LEAST_SCALE = 2.0**12
_LARGEST = 2.0**61
_SMALLEST = 1e-280

R = TypeVar("R", bound=AnyRisk)


class LearningMechanism(Mechanism[R, Records]):
    """A mechanism whose value is the weights of a linear classifier, (dimension,); of K classes, one after the other."""

    __slots__ = ()

    @abstractmethod
    def weight_noise(self, problem: R) -> float:
        """About how far the noise alone moves the weights, in Euclidean norm; at most that far for noise in the objective. Public, in no proof."""

    @abstractmethod
    def columns(self, problem: R, data: Records, noise: Noise, count: int) -> Floats:
        """`count` independent outputs as columns, (dimension, count). Raises SolverFailure, having spent."""

    @abstractmethod
    def several(self, problem: R, count: int) -> Guarantee:
        """What `count` releases promise together."""

    def draw(self, problem: R, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return Drawn.of(self.columns(problem, data, noise, 1)[:, 0])

    def run_many(self, problem: R, data: Records, noise: Noise, count: int, *, account: Account | None = None) -> Release:
        """As `run`: `count` independent releases as columns (dimension, count), one certificate for all of them.

        Of Gaussian noise whole curves are composed; pure epsilons add up.
        """
        return Repeated(each=self, count=count).run(problem, data, noise, account=account)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated(Mechanism[R, Records], Generic[R]):
    """`count` independent releases of one mechanism, as columns (dimension, count). Raises InvalidInput for a count below 1."""

    each: LearningMechanism[R]
    count: int

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.count < 1:
            raise InvalidInput(f"the number of releases must be at least 1; {self.count!r} was given.")

    @property
    def name(self) -> str:
        """The name of one of the releases."""
        return self.each.name

    @property
    def neighbours(self) -> Neighbours:  # type: ignore[override] # that of each
        """The relation of each of the releases."""
        return self.each.neighbours

    @property
    def releases(self) -> int:
        """See Mechanism."""
        return self.count

    def parameters(self) -> dict[str, Json]:
        """The parameters of each of the releases."""
        return self.each.parameters()

    def promise(self, problem: R) -> Guarantee:
        """What all releases together promise."""
        return self.each.several(problem, self.count)

    def draw(self, problem: R, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return Drawn.of(self.each.columns(problem, data, noise, self.count))


def one_of(problem: AnyRisk) -> RegularisedRisk | MultinomialRisk:
    """The problem that one solver solves: of one-vs-rest, that of one class."""
    return problem.each if isinstance(problem, OneVsRestRisk) else problem


def solved_apart(problem: AnyRisk) -> int:
    """How many of them there are."""
    return problem.classes if isinstance(problem, OneVsRestRisk) else 1


def minimisers(problem: AnyRisk, data: Records, linears: Floats, tolerance: float) -> Floats:
    """argmin G + <b_j, .> for every column b_j of `linears` (dimension, draws), each to gradient norm `tolerance`; raises SolverFailure.

    A prior is a linear term more, the same for every table.

    For one-vs-rest problems `tolerance` is that of each class. Where the records are one part, in memory, `data.jobs` threads share the draws or the
    classes, whichever are more; else they share the parts.
    """
    if problem.prior is not None:
        linears = linears - problem.prior.pull(problem.ridge)[:, np.newaxis]
    jobs = data.jobs if data.in_memory and data.records <= WHOLE_RECORDS else 1
    match problem:
        case MultinomialRisk():
            whole = objective_of(problem, data)
            products = not whole.has_cheap_hessian
            found = map_in_order(lambda linear: solve(whole.with_linear(linear), tolerance=tolerance, by_products=products).weights, linears.T, jobs)
            return np.column_stack(list(found))
        case OneVsRestRisk():
            parts = zip(objectives_of(problem, data), np.split(linears, problem.classes), strict=True)
            inner = jobs if linears.shape[1] > COLUMNS * problem.classes else 1
            return np.concatenate(list(map_in_order(lambda part: _one_model(*part, tolerance, inner), parts, jobs if inner == 1 else 1)))
        case _:
            return _one_model(objective_of(problem, data), linears, tolerance, jobs)


def _one_model(objective: Objective, linears: Floats, tolerance: float, jobs: int) -> Floats:
    if linears.shape[1] == 1:
        return solve(objective.with_linear(linears[:, 0]), tolerance=tolerance).weights[:, np.newaxis]
    return solve_many(objective, linears, tolerance=tolerance, jobs=jobs)[0]


def default_tolerance(problem: AnyRisk, noise_size: float) -> float:
    """tau: a small multiple of the rounding error that a gradient of this size cannot avoid, from public numbers.

    `noise_size` is the typical norm of the noise in it. The weights have norm at most W = |w0| + 2 |b| / lambda + sqrt(2 n l / lambda), with l the
    most that a record adds at the prior w0, since G there is no larger than at w0.
    """
    away = 0.0 if problem.prior is None else problem.prior.norm
    records = float(problem.domain.records or _NOMINAL_RECORDS)
    most = problem.value_at_zero + problem.gradient_bound * away
    weights = away + 2.0 * noise_size / problem.ridge + math.sqrt(2.0 * records * most / problem.ridge)
    sums = 1100.0 * records * problem.gradient_bound
    margins = (problem.domain.dimension + 8.0) * records * problem.curvature_bound * weights
    linear = 16.0 * (noise_size + problem.ridge * (away + weights))
    return 4.0 * _UNIT_ROUNDOFF * (sums + margins + linear)


def computed_radius(prior: Prior | None, *, gradient: float, error: float, ridge: float) -> float:
    """How far a computed minimiser under drawn noise in the objective may be from the ideal one.

    `gradient` is the certified norm of the gradient, `error` the distance e of the noise from its ideal. With a prior, noise less p is rounded: by at
    most 2^-53 (|noise| + |p|), where 2^-53 |noise| <= e (noise/source.py) and |p| / lambda is next to |w0|.
    """
    return (gradient + error) / ridge if prior is None else (gradient + 2.0 * error) / ridge + 2.0**-51 * prior.norm


def weight_reach(problem: AnyRisk) -> float:
    """About how much a linear term is divided by before it reaches the weights.

    That is lambda, plus the most that n records of this size can add to the Hessian, spread over all directions.
    """
    records = float(problem.domain.records or _NOMINAL_RECORDS)
    return problem.ridge + problem.curvature_bound * records / problem.domain.dimension


def last_share(ratio: float) -> float:
    """The share of the budget for the last stage that about minimises the total noise.

    `ratio` is the size of the last stage's noise if it had the whole budget, over that of the first stage's. A share x costs the first stage a
    factor 1 + x and gives the last one a size ratio / x: sqrt((1 + x)^2 + (ratio / x)^2) is least near ratio^(2/3).
    """
    return min(max(ratio ** (2.0 / 3.0), 1e-3), 0.05)


def last_part(ratio: float) -> float:
    """The same of mu^2, for stages of Gaussian noise, which are composed: sqrt(1 / (1 - x) + ratio^2 / x) is least at ratio / (1 + ratio).

    At most .03, which makes the first stage's noise 1.5 % larger: `ratio` counts on more records than most tables have.
    """
    return min(max(ratio / (1.0 + ratio), 1e-4), MOST_OF_LAST)


MOST_OF_LAST = 0.03


def grid_step(radius: float, dimension: int) -> float:
    """The power of two below radius / (32 sqrt(d)). Raises InfeasibleTarget for a radius that float64 cannot divide like this."""
    if not _SMALLEST < radius < 1.0 / _SMALLEST:
        raise InfeasibleTarget("the noise of this budget, or the solver's tolerance for it, is beyond float64: use an epsilon nearer to 1.")
    return 2.0 ** math.floor(math.log2(radius / (_FINENESS * math.sqrt(dimension))))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceGrid:
    """Discrete Laplace noise on a grid: pure privacy for a sure radius."""

    step: float
    """w, a power of two."""
    scale: float
    """t, in steps."""

    @classmethod
    def calibrate(cls, *, radius: float, dimension: int, epsilon: float) -> Self:
        """The least noise that hides a radius with this epsilon. Raises InfeasibleTarget, before anything is reserved, for more than can be drawn."""
        step = grid_step(radius, dimension)
        return cls(step=step, scale=drawable(_manhattan(radius, step, dimension) / epsilon * _UP))

    def epsilon(self, *, radius: float, dimension: int) -> float:
        """What hiding this radius costs."""
        return _manhattan(radius, self.step, dimension) / self.scale * _UP

    def release(self, points: Floats, noise: Noise, *, added: Floats | None = None) -> Floats:
        """Points (dimension, draws), plus what is `added` to them, on the grid, with noise."""
        nearest = _on_grid(points, added, self.step)
        dimension, draws = nearest.shape
        return _scaled(nearest + noise.discrete_laplace(scale=self.scale, dimension=dimension, draws=draws), self.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianGrid:
    """Discrete Gaussian noise on a grid: (epsilon, delta) for a sure radius."""

    step: float
    """w, a power of two."""
    scale: float
    """s, in steps."""
    epsilon: float
    """At which delta is stated."""

    @classmethod
    def calibrate(cls, *, radius: float, dimension: int, epsilon: float, delta: float) -> Self:
        """The least noise (to 1e-6) that hides a radius with (epsilon, delta). Raises as LaplaceGrid does."""
        step = grid_step(radius, dimension)
        distance = _euclidean(radius, step, dimension)
        first = max(_LEAST_SCALE, distance / gaussian_mu(epsilon, delta))

        def enough(scale: float) -> bool:
            return cls(step=step, scale=scale, epsilon=epsilon).delta(radius=radius, dimension=dimension) <= delta

        return cls(step=step, scale=least_drawable(first, enough), epsilon=epsilon)

    @classmethod
    def composed(cls, *, radius: float, dimension: int, mu: float, epsilon: float) -> Self:
        """Noise that hides a radius with mu-GDP but for what integers cost; `epsilon` is its part of a total. Raises as LaplaceGrid does."""
        step = grid_step(radius, dimension)
        return cls(step=step, scale=drawable(max(_LEAST_SCALE, _euclidean(radius, step, dimension) / mu)), epsilon=epsilon)

    def delta_after(self, first: Callable[[Floats], Floats], epsilon: float, *, radius: float, dimension: int, beside: float = 0.0) -> float:
        """delta at a total of `epsilon` for hiding this radius after a release with the curve `first`, composed with it; 1 where no lemma applies.

        `beside` is the mu of one more discrete Gaussian number that leaves, in steps at least `PARTS` to the move that it hides.
        """
        apart = closeness(dimension + (beside > 0), self.scale if not beside else min(self.scale, PARTS / beside))
        left = (epsilon - apart.total) * _DOWN
        if self.scale < _LEAST_SCALE or not left > 0 or beside * _LEAST_SCALE > PARTS:
            return 1.0
        found = before_gaussian(first, epsilon=left, mu=self.mu(radius=radius, dimension=dimension, beside=beside))
        return min(1.0, math.exp(apart.upper) * (found + beyond(left)) * _UP)

    def mu(self, *, radius: float, dimension: int, beside: float = 0.0) -> float:
        """How many scales rounded points may move, and a number that leaves beside them."""
        return math.hypot(_euclidean(radius, self.step, dimension) / self.scale, beside) * _UP

    def delta(self, *, radius: float, dimension: int) -> float:
        """delta at a total of `epsilon` for hiding this radius; 1 where the lemma does not apply."""
        mu = _euclidean(radius, self.step, dimension) / self.scale
        return 1.0 if self.scale < _LEAST_SCALE else discrete_delta(self.epsilon, mu, integers=dimension, scale=self.scale)

    def release(self, points: Floats, noise: Noise, *, added: Floats | None = None) -> Floats:
        """Points (dimension, draws), plus what is `added` to them, on the grid, with noise."""
        nearest = _on_grid(points, added, self.step)
        dimension, draws = nearest.shape
        return _scaled(nearest + noise.discrete_gaussian(scale=self.scale, dimension=dimension, draws=draws), self.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class SphericalPerturbation(LearningMechanism[R]):
    """Spherical noise, of density proportional to exp(-beta |b|_2), and such a grid: epsilon-private."""

    rate: float
    """beta of each noise vector: its norm is about its dimension / beta."""
    tolerance: float
    """tau, the largest gradient norm of each minimiser."""
    noise_error: float
    """e, the largest distance of one drawn noise vector from its ideal."""
    grid: LaplaceGrid
    """The last stage of each: step of the grid, and scale of the exact discrete noise in steps."""
    neighbours: Neighbours

    def several(self, problem: R, count: int) -> Guarantee:
        """See LearningMechanism."""
        return n_fold(self.promise(problem), count)

    def _noise(self, problem: R, noise: Noise, count: int) -> Floats:
        width = one_of(problem).dimension
        return np.concatenate([noise.spherical(rate=self.rate, dimension=width, draws=count) for _ in range(solved_apart(problem))])

    def _last(self, problem: R, radius: Callable[[float, float], float]) -> float:
        """epsilon_2 of one noise vector."""
        width = one_of(problem).dimension
        error = max(self.noise_error, spherical_error(rate=self.rate, dimension=width))
        return self.grid.epsilon(radius=radius(self.tolerance, error), dimension=width)


def _euclidean(radius: float, step: float, dimension: int) -> float:
    return (2.0 * radius / step + math.sqrt(dimension)) * _UP


def _manhattan(radius: float, step: float, dimension: int) -> float:
    return (2.0 * math.sqrt(dimension) * radius / step + dimension) * _UP


def _on_grid(points: Floats, added: Floats | None, step: float) -> Integers:
    """round((points + added) / step) of the exact sum: quotients by a power of two, their whole numbers and what is left are exact."""
    whole, rest = _split(points, step)
    if added is not None:
        more, remainder = _split(added, step)
        whole, rest = whole + more, rest + remainder
    return whole + np.rint(rest).astype(np.int64)


def _split(points: Floats, step: float) -> tuple[Integers, Floats]:
    """The nearest whole number of steps, and what is left, in steps, both exact."""
    scaled = points / step
    whole = np.rint(scaled)
    if not np.all(np.abs(scaled) < _LARGEST):
        raise SolverFailure("the weights exceed the grid for which the noise was calibrated; raise alpha.")
    return whole.astype(np.int64), scaled - whole


def _scaled(integers: Integers, step: float) -> Floats:
    """The last product rounds what is already private."""
    return integers.astype(np.float64) * step
