"""What the mechanisms for linear classifiers have in common: minimisers to a tolerance, weights with noise, and several of them in one release.

The minimiser of the (perturbed) objective is never exact. Every proof here asks for |grad G(f)|_2 <= tau, rounding errors included, with tau a
function of public numbers, fixed before the data are seen; then |f - argmin G| <= tau / lambda by strong convexity, and noise for that distance is
paid for (proof note residual_stage.md). The solver certifies its gradient norm or raises: tau is never loosened, and the noise is never drawn again.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from discreet.accounting import Guarantee, Json, compose
from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.workers import map_in_order
from discreet.data import Records
from discreet.ledger import Account
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.noise import Noise
from discreet.problems import AnyRisk, MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.problems.summed_objective import WHOLE_RECORDS
from discreet.solvers import Objective, solve, solve_many
from discreet.solvers.many import COLUMNS

_UNIT_ROUNDOFF = 2.0**-53
_NOMINAL_RECORDS = 1_000_000
"""Size for which tau is chosen where the number of records is private; a larger table works as long as the solver can still certify tau."""

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

    def draw(self, problem: R, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return Drawn.of(self.columns(problem, data, noise, 1)[:, 0])

    def run_many(self, problem: R, data: Records, noise: Noise, count: int, *, account: Account | None = None) -> Release:
        """As `run`: `count` independent releases as columns (dimension, count), one certificate for all of them; epsilon and delta add up."""
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
        """That of each."""
        return self.each.name

    @property
    def neighbours(self) -> Neighbours:  # type: ignore[override] # that of each
        """That of each."""
        return self.each.neighbours

    @property
    def releases(self) -> int:
        """See Mechanism."""
        return self.count

    def parameters(self) -> dict[str, Json]:
        """Those of each."""
        return self.each.parameters()

    def promise(self, problem: R) -> Guarantee:
        """All together."""
        return compose([self.each.promise(problem)] * self.count)

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

    For one-vs-rest problems `tolerance` is that of each class. Where the records are one part, in memory, `data.jobs` threads share the draws or the
    classes, whichever are more; else they share the parts.
    """
    jobs = data.jobs if data.in_memory and data.records <= WHOLE_RECORDS else 1
    match problem:
        case MultinomialRisk():
            whole = problem.objective(data)
            found = map_in_order(lambda linear: solve(whole.with_linear(linear), tolerance=tolerance, by_products=True).weights, linears.T, jobs)
            return np.column_stack(list(found))
        case OneVsRestRisk():
            parts = zip(problem.objectives(data), np.split(linears, problem.classes), strict=True)
            inner = jobs if linears.shape[1] > COLUMNS * problem.classes else 1
            return np.concatenate(list(map_in_order(lambda part: _one_model(*part, tolerance, inner), parts, jobs if inner == 1 else 1)))
        case _:
            return _one_model(problem.objective(data), linears, tolerance, jobs)


def _one_model(objective: Objective, linears: Floats, tolerance: float, jobs: int) -> Floats:
    if linears.shape[1] == 1:
        return solve(objective.with_linear(linears[:, 0]), tolerance=tolerance).weights[:, np.newaxis]
    return solve_many(objective, linears, tolerance=tolerance, jobs=jobs)[0]


def default_tolerance(problem: AnyRisk, noise_size: float) -> float:
    """tau: a small multiple of the rounding error that a gradient of this size cannot avoid, from public numbers.

    `noise_size` is the typical norm of the linear term. The weights have norm at most W = 2 |b| / lambda + sqrt(2 n l(0) / lambda), since G
    there is no larger than at 0.
    """
    records = float(problem.domain.records or _NOMINAL_RECORDS)
    weights = 2.0 * noise_size / problem.ridge + math.sqrt(2.0 * records * problem.value_at_zero / problem.ridge)
    sums = 1100.0 * records * problem.gradient_bound
    margins = (problem.domain.dimension + 8.0) * records * problem.curvature_bound * weights
    linear = 16.0 * (noise_size + problem.ridge * weights)
    return 4.0 * _UNIT_ROUNDOFF * (sums + margins + linear)


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
