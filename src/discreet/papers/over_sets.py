"""The noise of Talwar, Thakurta and Zhang (2014) as printed, and what is proved of it (proof notes mirror_descent.md and objective_set.md).

On the sum of losses, of which one record moves the gradient by L = B R_2, n records, replace-one:

    Algorithms 1 and 5 (mirror descent, Frank-Wolfe)   sigma^2 = 32 L^2 T ln(n / delta)^2 / epsilon^2
    Algorithm 2 (objective perturbation)               sigma^2 = L^2 (8 ln(2 / delta) + 4 epsilon) / epsilon^2,    lambda = 2 c R_2^2 / epsilon
    Algorithm 4 (chosen vertices)                      refused: see below

The noise is as printed; what the certificate states is what our theorems prove of that noise, at the epsilon that was asked for, and where they prove
less than (epsilon, delta) the fit is refused. The constant of Algorithm 1 is legible in the proof only, which counts the sensitivity of one record
and not of a replaced one; it is several times what is needed either way. T, maps and step sizes are not printed with constants: they are those of
the plan that suits this noise, or `steps`. The constants of Algorithm 2 fit the gradient of one record, too: what is proved of them for a replaced
one reaches the claim for the logistic loss from epsilon = 2 on at delta = 1e-6, for log-cosh always, for squares nowhere up to epsilon = 8.

Algorithm 4 adds Laplace noise of scale L_1 |C|_1 sqrt(8 T ln(1 / delta)) / epsilon to scores and takes the least. The proof in the paper counts half
of how far a replaced record moves differences of scores: the true delta of 1000 steps is 2.2 times the claimed 1e-6 at epsilon = 10, 36 times at 16
(frank_wolfe.md). Nothing printed proves the claim at a smaller epsilon, so no certificate is written for it; `python -m studies run talwar` has it.
"""

import math

from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Privacy
from discreet.mechanisms.constrained.base import ConstrainedMechanism, GaussianSteps, checked_steps, fine_step, gradient_distance
from discreet.mechanisms.constrained.frank_wolfe import GaussianFrankWolfe, default_gaussian_steps
from discreet.mechanisms.constrained.mirror_descent import AUTO, NoisyMirrorDescent, plan
from discreet.mechanisms.constrained.objective_set import ObjectivePerturbationOverSet, require_certified
from discreet.noise import least_drawable
from discreet.problems import SetRisk

OF_PAPER = {"mirror-descent": "Algorithm 1", "objective-perturbation-set": "Algorithm 2", "frank-wolfe-gaussian": "Algorithm 5"}
"""Mechanisms whose printed noise is proved to be enough."""


def published_over_set(
    problem: SetRisk, privacy: Privacy, *, mechanism: str, steps: int | None = None, mirror_map: str = AUTO
) -> ConstrainedMechanism:
    """The mechanism of this name with the printed noise. "auto" is Algorithm 1.

    Raises InvalidInput where the paper prints none (add-remove, delta 0, persons, Algorithm 4), InfeasibleTarget where it is not proved to be enough.
    """
    chosen = "mirror-descent" if mechanism == AUTO else mechanism
    _require_printed(problem, chosen, privacy)
    epsilon, delta = privacy.epsilon, privacy.delta
    if chosen == "objective-perturbation-set":
        return _objective(problem, epsilon, delta)
    distance, records = gradient_distance(problem, REPLACE_ONE), problem.domain.records or 1

    def noise(count: int) -> float:
        return math.sqrt(32.0 * count) * problem.gradient_bound * math.log(records / delta) / epsilon

    made: NoisyMirrorDescent | GaussianFrankWolfe
    if chosen == "mirror-descent":
        mu = distance / noise(1)  # T steps are one Gaussian release of this mu, whatever T is
        found = plan(problem, sensitivity=distance, mu=mu, mirror_map=mirror_map, steps=None if steps is None else checked_steps(steps))
        spread = _grid(problem, distance, noise(found.noisy_gradients), found.noisy_gradients)
        made = NoisyMirrorDescent(noise_steps=spread, epsilon=epsilon, plan=found, neighbours=REPLACE_ONE)
    else:
        count = default_gaussian_steps(problem, epsilon, delta, REPLACE_ONE) if steps is None else checked_steps(steps)
        made = GaussianFrankWolfe(noise_steps=_grid(problem, distance, noise(count), count), epsilon=epsilon, neighbours=REPLACE_ONE)
    _require_proved(made.delta(problem), delta, chosen, epsilon)
    return made


def _require_printed(problem: SetRisk, name: str, privacy: Privacy) -> None:
    if name not in OF_PAPER:
        raise InvalidInput(
            f"calibration='published' takes one of {sorted(OF_PAPER)}; {name!r} was given. The Laplace noise that is printed for chosen vertices "
            "(Algorithm 4) is too small for its claim where epsilon is large, and not proved elsewhere: use calibration='tight'."
        )
    if privacy.neighbours is not REPLACE_ONE or problem.domain.records is None:
        raise InvalidInput("calibration='published' is Talwar et al. (2014): replace-one only; use calibration='tight' otherwise.")
    if problem.persons is not None:
        raise InvalidInput("calibration='published' is for one row per person; use calibration='tight', or leave persons out.")
    if not (privacy.adds_noise and privacy.delta > 0):
        given = f"epsilon={privacy.epsilon!r}, delta={privacy.delta!r} were given"
        raise InvalidInput(f"calibration='published' needs 0 < epsilon < infinity and 0 < delta < 1; {given}.")


def _require_proved(found: float, delta: float, name: str, epsilon: float) -> None:
    if found > delta:
        raise InfeasibleTarget(
            f"the noise that is printed for {OF_PAPER[name]} is not proved to be enough: delta is at most {found:.3g} at epsilon={epsilon:g}, and "
            f"{delta:.3g} was asked for. Use calibration='tight'."
        )


def _grid(problem: SetRisk, distance: float, deviation: float, count: int) -> GaussianSteps:
    """Noise of this deviation, on the grid of our own mechanisms."""
    step = fine_step(distance, problem.dimension)
    return GaussianSteps(count=count, step=step, scale=least_drawable(deviation / step, lambda _: True))


def _objective(problem: SetRisk, epsilon: float, delta: float) -> ObjectivePerturbationOverSet:
    """Algorithm 2; what its printed noise leaves of delta pays for the last stage, at the same epsilon."""
    ridge = 2.0 * problem.smoothness * problem.domain.radius**2 / epsilon
    scale = problem.gradient_bound * math.sqrt(8.0 * math.log(2.0 / delta) + 4.0 * epsilon) / epsilon
    require_certified(problem)
    made = ObjectivePerturbationOverSet.planned_for(
        problem, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE, ridge=ridge, scale=lambda _epsilon, _delta: scale
    )
    _require_proved(made.promise(problem).delta_at_epsilon, delta, "objective-perturbation-set", epsilon)
    return made
