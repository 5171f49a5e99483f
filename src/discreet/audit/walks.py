"""Exact audits of transcripts: what an adversary learns who watches every step of a private walk, on the worst instance of one dimension.

The instance: weights in [-r, r], a loss that is linear over them, so that a record pushes every step alike, wherever the walk is. D and D' differ in
one record: the gradient is -1 or +1 (replace-one), or 1/2 and -1/2 (add-remove). A choice of a vertex is one of two outcomes with known odds; a noisy
gradient is an integer with discrete Gaussian noise, and its transcript's loss depends on the sum of the integers alone.
"""

import numpy as np

from discreet.audit.claim import Claim
from discreet.audit.exact import exact_audit, gaussian_integers, two_outcomes
from discreet.audit.report import AuditReport
from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.data import Domain, Records
from discreet.losses import HuberHinge
from discreet.losses.predictions import OfMargin
from discreet.matrices import DenseMatrix
from discreet.mechanisms.constrained import GaussianSteps, PolytopeFrankWolfe
from discreet.mechanisms.constrained.frank_wolfe import Walk, scores_on_grid
from discreet.objectives import sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import L1Ball

_COARSE = 1024.0
PAIRS: dict[Neighbours, tuple[list[float], list[float]]] = {REPLACE_ONE: ([1.0], [-1.0]), ADD_REMOVE: ([-0.5, 1.0], [-0.5])}
"""Entries of the records of D and D'."""


def line_problem() -> ConstrainedRisk:
    """The instance."""
    domain = Domain(features=1, entry_bound=1.0, target_bound=1.0)
    return ConstrainedRisk(loss=OfMargin(loss=HuberHinge(half_width=0.5)), constraint=L1Ball(dimension=1, radius=0.25), domain=domain)


def gradient(problem: ConstrainedRisk, entries: list[float]) -> Floats:
    """At the start of the walk, as the mechanism computes it, (1,)."""
    rows = np.array(entries)[:, np.newaxis]
    data = Records(rows=DenseMatrix(rows), targets=np.ones(len(rows)), domain=problem.domain)
    return Walk.from_start(sum_over_set(problem, data), problem.constraint).gradient()


def polytope_walk(made: PolytopeFrankWolfe, claim: Claim, neighbours: Neighbours, *, steps: int | None = None) -> AuditReport:
    """The audit of the vertices chosen in all steps; `steps` that are really made, where they are not those that are counted."""
    problem = line_problem()

    def odds(entries: list[float]) -> float:
        scores = scores_on_grid(problem.constraint, gradient(problem, entries), made.grid_step)  # type: ignore[arg-type]
        return float(made.rate * (scores[1] - scores[0]))

    count = made.steps if steps is None else steps
    here, there = (odds(entries) for entries in PAIRS[neighbours])
    laws = two_outcomes(here, there, count), two_outcomes(there, here, count)
    return exact_audit(*laws, claim, subject=f"{made.name}, {neighbours}", described=_words(neighbours, count))


def gaussian_walk(noise: GaussianSteps, claim: Claim, neighbours: Neighbours, *, subject: str, steps: int | None = None) -> AuditReport:
    """The audit of the noisy gradients of all steps, on a coarser grid of the same ratio of distance to noise, where laws can be summed."""
    problem = line_problem()
    first, second = (float(np.rint(gradient(problem, entries)[0] / noise.step)) for entries in PAIRS[neighbours])
    count = noise.count if steps is None else steps
    # The sum of T integers whose noise has scale s is one integer that moves by T times as much with noise of scale s sqrt(T), up to e^(-s^2).
    law = gaussian_integers(abs(first - second) * _COARSE * np.sqrt(count) / noise.scale, _COARSE)
    return exact_audit(law, law, claim, subject=f"{subject}, {neighbours}", described=_words(neighbours, count))


def _words(neighbours: Neighbours, steps: int) -> str:
    change = "one record of the largest entry replaced by its negative" if neighbours is REPLACE_ONE else "one record more, against half a record"
    return f"{change}; an adversary who sees all {steps} steps"
