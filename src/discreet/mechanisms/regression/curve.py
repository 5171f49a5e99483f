"""How far one record moves the moments, and the curve of noisy moments followed by noisy gradients (proof note refined.md).

In units R = B = 1 the released vector is  T(x, y) = (x x', a x y, g y^2),  x x' in Frobenius norm, summed over the records. For 0 < a^2 <= 2

    add-remove     sup |T(z)|^2          = 1 + a^2 + g^2                                     at |x| = |y| = 1
    replace-one    sup |T(z) - T(z')|^2  = max(2 + 2 a^2 + a^4 / 2,  2 + a^2 + g^2)          at |x| = |x'| = 1, y = -y', <x, x'> = a^2 / 2

so under replace-one the sum of squares costs nothing while g^2 <= a^2 + a^4 / 2. A gradient with contributions of length at most G moves by G or 2 G.
With noise sigma on T and nu G on each of T gradients everything together is one Gaussian answer, mu^2 = sup^2 / sigma^2 + T (1 or 2)^2 / nu^2
(Dong, Roth and Su 2022, corollary 3.3: also if each question depends on the answers before).

Discrete Gaussian integers instead of rounded normal ones cost what `discrete_delta` says for the least of their scales (lemma 2 of residual_stage.md,
whose proof holds with one scale per coordinate).
"""

import math

from discreet.accounting import ApproximateDP, NoGuarantee, discrete_delta
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.mechanisms.regression.sums import LeastSquares

UP = raising(65_536)
"""More than the rounding errors of a formula of a few terms, clipped lengths included."""
LEAST_SCALE, LARGEST_SCALE = 64.0, 2.0**52


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


def composed_delta(epsilon: float, mu: float, *, integers: int, stages: int, least_scale: float) -> float:
    """delta of all stages with discrete noise; 1 where the lemma does not apply."""
    return 1.0 if least_scale < LEAST_SCALE else discrete_delta(epsilon, mu, integers=integers, scale=least_scale, stages=stages)


def moment_scales(problem: LeastSquares, moment_noise: float, target_weight: float) -> tuple[float, float, float]:
    """Deviations of noisy moments in units of their integers: A's diagonal, A off it, b."""
    row, target = problem.domain.radius / problem.row_unit, problem.domain.target_bound / problem.target_unit
    diagonal = moment_noise * row**2
    return diagonal, diagonal / math.sqrt(2.0), moment_noise * row * target / target_weight


def stated(epsilon: float, delta: float, neighbours: Neighbours, theorem: str, *, secret: tuple[str, ...] = ()) -> ApproximateDP | NoGuarantee:
    """The guarantee of this delta; none where it reaches 1."""
    if not delta < 1:
        return NoGuarantee(theorem=f"{theorem}: delta reaches 1 at epsilon = {epsilon:g}", neighbours=neighbours, secret=secret)
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, neighbours=neighbours, theorem=theorem, secret=secret)
