"""Which of the two private Frank-Wolfe methods, from public numbers (learning notes, A4: the geometry rule).

At the same T and budget mu the expected regret of a step is at most

    exponential mechanism over the vertices S     (k B spread / 2) ln|S| sqrt(T) / mu
    Gaussian noise on the gradient                 k B R_2 G_C sqrt(T) / mu

so over the l1 ball the first wins when R_inf ln(2 d) < R_2 sqrt(2 ln 2 d): entries bounded one by one, rows long. Rows that are bounded in
Euclidean norm only are the other case, by a factor of sqrt(ln(2 d) / 2). Without delta, or with one below 1e-300, there is the first only.
"""

import math

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.mechanisms.constrained.base import checked_steps
from discreet.mechanisms.constrained.general import GaussianFrankWolfe
from discreet.mechanisms.constrained.non_private import NonPrivateFrankWolfe
from discreet.mechanisms.constrained.polytope import PolytopeFrankWolfe
from discreet.problems import ConstrainedRisk
from discreet.sets import Polytope

AUTO = "auto"
_BY_NAME = {"frank-wolfe-polytope": PolytopeFrankWolfe, "frank-wolfe-gaussian": GaussianFrankWolfe}


def frank_wolfe_names() -> tuple[str, ...]:
    """What `mechanism` may be."""
    return (AUTO, *_BY_NAME)


def calibrate_frank_wolfe(
    problem: ConstrainedRisk, *, mechanism: str = AUTO, epsilon: float, delta: float, neighbours: Neighbours, steps: int | None = None
) -> PolytopeFrankWolfe | GaussianFrankWolfe | NonPrivateFrankWolfe:
    """The mechanism of this name, or the better one, calibrated; without noise for epsilon = infinity.

    Raises InvalidInput for unknown names and numbers out of range.
    """
    if mechanism not in frank_wolfe_names():
        raise InvalidInput(f"mechanism must be one of {list(frank_wolfe_names())}; {mechanism!r} was given.")
    if epsilon == math.inf:
        return (
            NonPrivateFrankWolfe(neighbours=neighbours) if steps is None else NonPrivateFrankWolfe(neighbours=neighbours, steps=checked_steps(steps))
        )
    chosen = better(problem, delta=delta) if mechanism == AUTO else mechanism
    if chosen == "frank-wolfe-polytope":
        return PolytopeFrankWolfe.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)
    return GaussianFrankWolfe.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)


def better(problem: ConstrainedRisk, *, delta: float) -> str:
    """The name of the method with the smaller regret."""
    vertices, gaussian = regrets(problem)
    if delta == 0 and math.isinf(vertices):
        raise InvalidInput(f"without delta this needs a polytope with a list of vertices, and {problem.constraint.name!r} has none; pass delta > 0.")
    return "frank-wolfe-polytope" if delta == 0 or vertices <= gaussian else "frank-wolfe-gaussian"


def regrets(problem: ConstrainedRisk) -> tuple[float, float]:
    """The two regrets of the module docstring, in units of k sqrt(T) / mu; infinity where there is no list of vertices."""
    gaussian = problem.gradient_bound * problem.constraint.gaussian_width
    if not isinstance(problem.constraint, Polytope):
        return math.inf, gaussian
    return 0.5 * problem.score_spread * math.log(max(2, problem.constraint.vertex_count)), gaussian
