"""The noise of mechanisms over a set, recovered from released points, or from what the set was asked, and an invented table.

    objective over a set   b = -grad G(w) at a released w inside of the set;   K = w / step with a loud last stage
    Frank-Wolfe            the set is asked for a point down every noisy gradient y_t: y_t - grad F(theta_t) is the noise of step t
    mirror descent         the Euclidean map asks the set to project theta_t - eta y_t: y_t follows
    chosen vertices        two steps: the law of the pair of vertices, the second given the first

Questions to a set come after the noise, and the guarantee covers them: a set that keeps them, `WatchedBall`, is an adversary who sees all steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from discreet.accounting import Json
from discreet.audit.claim import Target
from discreet.audit.drawn.learning import margin_gradient
from discreet.audit.drawn.persons import Owned, owned_rows
from discreet.audit.parts import Part, Watch, chosen, last_stage, of_noise
from discreet.core.arrays import Floats
from discreet.core.fields import real
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Domain, Records
from discreet.losses import Logistic
from discreet.losses.predictions import OfMargin, Squared
from discreet.matrices import DenseMatrix
from discreet.mechanisms.constrained import (
    GaussianFrankWolfe,
    GaussianSteps,
    NoisyMirrorDescent,
    ObjectivePerturbationOverSet,
    PolytopeFrankWolfe,
    SampledMirrorDescent,
)
from discreet.mechanisms.constrained.base import ConstrainedMechanism
from discreet.mechanisms.constrained.mirror_descent import SMOOTH
from discreet.mechanisms.constrained.mirror_sampled import RATE_BITS
from discreet.noise import SystemNoise
from discreet.noise.laws import Normal
from discreet.objectives import sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import GroupL2Ball, L2Ball, Simplex

_ROWS: Floats = np.array([[0.9, -0.2], [-0.1, 0.8], [0.5, 0.5], [0.7, -0.6]])
_TARGETS: Floats = np.array([1.0, -1.0, 1.0, 1.0])
_LOSS = OfMargin(loss=Logistic())


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedBall(L2Ball):
    """A Euclidean ball that keeps what it is asked: directions to minimise along, and points to project."""

    asked: list[Floats] = field(default_factory=list, compare=False)

    @property
    def parameters(self) -> dict[str, object]:
        """Those of the ball."""
        return self.quiet.parameters

    @property
    def quiet(self) -> L2Ball:
        """The same ball, that keeps nothing."""
        return L2Ball(dimension=self.dimension, radius=self.radius)

    def project(self, point: Floats) -> Floats:
        """The nearest point of the ball."""
        self.asked.append(point.copy())
        return L2Ball.project(self, point)

    def linear_minimiser(self, direction: Floats) -> Floats:
        """The point of the ball with the least inner product with `direction`."""
        self.asked.append(direction.copy())
        return L2Ball.linear_minimiser(self, direction)


def over_set(target: Target) -> Watch:
    """Objective perturbation, in a ball so wide that the minimiser is inside."""
    if target.person is None:
        owned, domain, data = Owned(rows=_ROWS, signs=_TARGETS, ids=np.arange(4), shares=np.ones(4)), _domain(), _table()
    else:
        owned = owned_rows(target.person.rule)
        domain = Domain(features=2, norm_bound=1.0, target_bound=1.0, records=owned.persons, persons=target.person.rule)
        data = owned.records(domain)
    problem = ConstrainedRisk(loss=_LOSS, constraint=L2Ball(dimension=2, radius=1e4), domain=domain)
    made = ObjectivePerturbationOverSet.calibrate(problem, **target.target)
    stated, points = _released(problem, data, made, 200)
    linears = -np.array([margin_gradient(point, owned.rows, owned.signs, real(stated["ridge"]), owned.shares) for point in points])
    loud = replace(made, grid=replace(made.grid, step=2.0**-20, scale=2.0**28))
    of_grid, points = _released(problem, data, loud, 100)
    parts = (
        of_noise("linear term of the objective", linears, Normal(real(stated["scale"]))),
        last_stage(of_grid, points),
    )
    return Watch(mechanism=made.name, parts=parts)


def residuals_over_set(target: Target) -> Watch:
    """Objective perturbation of clipped squares, over a group ball so wide that the minimiser is inside."""
    domain, slope = _domain(), 0.02
    problem = ConstrainedRisk(loss=Squared(), constraint=GroupL2Ball(sizes=(1, 1), radius=1e4), domain=domain, max_slope=slope)
    made = ObjectivePerturbationOverSet.calibrate(problem, **target.target)
    stated, points = _released(problem, _table(), made, 200)

    def clipped(point: Floats) -> Floats:
        return np.clip(2.0 * (_ROWS @ point - _TARGETS), -slope, slope) @ _ROWS + real(stated["ridge"]) * point

    linears = -np.array([clipped(point) for point in points])
    return Watch(mechanism=made.name, parts=(of_noise("linear term of the objective", linears, Normal(real(stated["scale"]))),))


def frank_wolfe(target: Target) -> Watch:
    """Noisy gradients of three steps."""
    ball, problem = _watched_problem()
    made = GaussianFrankWolfe.calibrate(problem, **target.target, steps=3)
    stated, _ = _released(problem, _table(), made, 150)
    noise = []
    for first in range(0, len(ball.asked), 3):
        point = np.zeros(2)
        for step, noisy in enumerate(ball.asked[first : first + 3], start=1):
            noise.append(noisy - gradient(point))
            point = point + (ball.quiet.linear_minimiser(noisy) - point) / step
    return Watch(mechanism=made.name, parts=(_of_gradients(noise, stated),))


def mirror_descent(target: Target) -> Watch:
    """Noisy gradients of three steps."""
    ball, problem = _watched_problem()
    made = NoisyMirrorDescent.calibrate(problem, **target.target, steps=3, mirror_map="euclidean")
    stated, _ = _released(problem, _table(), made, 150)
    noise, asked_of_runs = [], ball.asked[-4 * 150 :]  # the calibration asked too
    for first in range(0, len(asked_of_runs), 4):
        point, *shifted = asked_of_runs[first : first + 4]  # the start, and three points to project
        for moved in shifted:
            noise.append((point - moved) / real(stated["step_size"]) - gradient(point))
            point = ball.quiet.project(moved)
    return Watch(mechanism=made.name, parts=(_of_gradients(noise, stated),))


def sampled(target: Target) -> Watch:
    """Poisson batches, one step: who takes part where the noise is next to nothing, and the noise where it is as calibrated."""
    count = 8
    domain = Domain(features=count, norm_bound=1.0, target_bound=1.0)
    data = Records(rows=DenseMatrix(np.eye(count)), targets=np.ones(count), domain=domain)
    problem = ConstrainedRisk(loss=_LOSS, constraint=L2Ball(dimension=count, radius=1e9), domain=domain)
    made = SampledMirrorDescent.calibrate(
        problem, epsilon=target.epsilon, delta=target.delta, rate=0.25, steps=1, neighbours=ADD_REMOVE, mirror_map="euclidean"
    )
    step = made.noise_steps
    silent = replace(made, noise_steps=GaussianSteps(count=1, step=step.step * 2.0**-30, scale=step.scale))

    stated, points = _released(problem, data, made, 300)
    share = real(stated["rate"]) / 2.0**RATE_BITS
    points_averaged = 1.0 if made.plan.schedule == SMOOTH else 2.0  # of them the start, which is 0
    sums = -share * points_averaged / real(stated["step_size"])
    batches = np.array([silent.point(problem, sum_over_set(problem, data), SystemNoise()) for _ in range(300)])
    took_part = np.rint(batches * sums / -0.5).astype(np.int64)
    noisy = points * sums
    # The batch's own spread, of 1/2 times a coin, is next to nothing beside the noise, and counted.
    total = float(np.hypot(_deviation(stated), 0.5 * np.sqrt(share * (1.0 - share))))
    parts = (
        chosen("records of a batch", f"each takes part with probability {share:.6g}", took_part, np.array([1.0 - share, share])),
        of_noise("noise on the gradient of a batch", noisy + 0.5 * share, Normal(total), words="discrete Gaussian of deviation"),
    )
    return Watch(mechanism=made.name, parts=parts)


def polytope(target: Target) -> Watch:
    """Two chosen vertices of a simplex: their mean is released, so which two, and not in which order."""
    problem = ConstrainedRisk(loss=_LOSS, constraint=Simplex(dimension=3, radius=2.0), domain=_domain(features=3))
    rows = np.array([[0.9, -0.9, 0.0], [0.8, 0.1, -0.7]] * 2)
    data = Records(rows=DenseMatrix(rows), targets=np.ones(4), domain=problem.domain)
    made = PolytopeFrankWolfe.calibrate(problem, epsilon=8.0 * target.epsilon, delta=target.delta, neighbours=target.neighbours, steps=2)
    stated, points = _released(problem, data, made, 800)
    vertices = 2.0 * np.eye(3)

    def law(point: Floats) -> Floats:
        slope = rows.T @ _LOSS.slope(rows @ point, np.ones(4))
        scores = np.rint(vertices @ slope / real(stated["grid_step"]))
        odds: Floats = np.exp(-real(stated["rate"]) * (scores - scores.min()))
        return odds / odds.sum()

    start = law(np.full(3, 2.0 / 3.0))  # the point of the simplex that is nearest to 0
    outcomes: dict[tuple[int, ...], float] = {}
    for first, second in product(range(3), repeat=2):
        pair = tuple(sorted((first, second)))
        outcomes[pair] = outcomes.get(pair, 0.0) + float(start[first] * law(vertices[first])[second])
    places = list(outcomes)
    seen = [[places.index(_pair(point))] for point in points]
    rate = real(stated["rate"])
    words = f"vertex i with probability proportional to exp(-{rate:.6g} z_i)"
    return Watch(mechanism=made.name, parts=(chosen("two vertices", words, seen, np.array(list(outcomes.values()))),))


def gradient(point: Floats) -> Floats:
    """grad F at a point, (2,)."""
    slope: Floats = _ROWS.T @ _LOSS.slope(_ROWS @ point, _TARGETS)
    return slope


def _pair(mean: Floats) -> tuple[int, ...]:
    """The two vertices of which this is the mean."""
    return tuple(int(place) for place, times in enumerate(np.rint(mean)) for _ in range(int(times)))


def _released(problem: ConstrainedRisk, data: Records, made: ConstrainedMechanism, count: int) -> tuple[Mapping[str, Json], Floats]:
    """What a certificate states, and `count` points (count, d). Only the first run computes the guarantee: the others are what `run` draws."""
    release = made.run(problem, data, SystemNoise())
    objective = sum_over_set(problem, data)
    return release.certificate.parameters, np.array([release.value, *(made.point(problem, objective, SystemNoise()) for _ in range(count - 1))])


def _watched_problem() -> tuple[WatchedBall, ConstrainedRisk]:
    ball = WatchedBall(dimension=2, radius=0.5)
    return ball, ConstrainedRisk(loss=_LOSS, constraint=ball, domain=_domain())


def _of_gradients(noise: list[Floats], stated: Mapping[str, Json]) -> Part:
    """Of three steps a run, two numbers each."""
    return of_noise("noise on three gradients", np.reshape(noise, (-1, 6)), Normal(_deviation(stated)), words="discrete Gaussian of deviation")


def _domain(features: int = 2) -> Domain:
    return Domain(features=features, norm_bound=2.0, target_bound=1.0, records=4)


def _table() -> Records:
    return Records(rows=DenseMatrix(_ROWS), targets=_TARGETS, domain=_domain())


def _deviation(stated: Mapping[str, Json]) -> float:
    return real(stated["scale"]) * real(stated["grid_step"])
