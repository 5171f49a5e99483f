"""Expected regret of one of T private choices of a Frank-Wolfe walk, from public numbers: what its bound of risk is made of.

    vertices    S' (ln k / e + fine)     e the range of one of T choices, as the Renyi curve proves it (epsilon / T for delta = 0)
    gaussian    sigma G_C                sigma the deviation of the discrete noise on the gradient

S' = k' B spread bounds how far one neighbour moves differences of scores (k' = 1 add-remove, 2 replace-one). The mechanism's own range, by the
optimal recursion, is a little larger, so its regret a little less. Mechanisms: `polytope.py`, `general.py`; proof: frank_wolfe.md.
"""

import math
from functools import lru_cache, partial

from discreet.accounting import bounded_range_width
from discreet.bounds.averaged_walk import averaged_frank_wolfe, averaged_steps
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.mechanisms.constrained.general import GaussianFrankWolfe
from discreet.problems import ConstrainedRisk
from discreet.sets import Polytope

GRID = 1.004
"""What rounding scores to the grid adds to the spread, at most."""
FINE = 2.0**-10
"""The largest step of the grid, as a share of the spread."""
TRIED = 100
"""The number of steps at which the factor of the power law is read off."""


def vertex_regret(problem: ConstrainedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int) -> float:
    """Of each of T = `steps` choices among the vertices, for F a sum."""
    count = problem.constraint.vertex_count if isinstance(problem.constraint, Polytope) else 2
    spread = problem.score_spread * (1.0 if neighbours is ADD_REMOVE else 2.0)
    width = epsilon / steps if delta == 0 else _range(epsilon, delta, steps)
    return spread * (GRID * math.log(max(2, count)) / width + FINE)


def gaussian_regret(problem: ConstrainedRisk, *, epsilon: float, delta: float, neighbours: Neighbours, steps: int) -> float:
    """Of each of T = `steps` steps with a noisy gradient, for F a sum."""
    made = GaussianFrankWolfe.calibrate(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, steps=steps)
    return made.noise_steps.deviation * problem.constraint.gaussian_width


def least_walk(problem: ConstrainedRisk, *, vertices: bool, records: int, epsilon: float, delta: float, neighbours: Neighbours) -> tuple[float, int]:
    """The bound of the excess of the sum at the T where it is about least, and that T."""
    curvature, power = records * problem.curvature, 1.0 if vertices and delta == 0 else 0.5
    regret = partial(vertex_regret if vertices else gaussian_regret, problem, epsilon=epsilon, delta=delta, neighbours=neighbours)
    steps = averaged_steps(curvature=curvature, regret=regret(steps=TRIED) / TRIED**power, power=power)
    return averaged_frank_wolfe(curvature=curvature, regret=regret(steps=steps), steps=steps), steps


@lru_cache(maxsize=4096)
def _range(epsilon: float, delta: float, steps: int) -> float:
    return bounded_range_width(epsilon, delta * (1.0 - 1e-9), count=steps, optimal=False)
