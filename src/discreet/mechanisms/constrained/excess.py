"""Risk of private learning over a convex set C, with every constant: the theorems of Talwar, Thakurta and Zhang (2014).

F(theta) = sum_i l(<x_i, theta>; y_i) over n records; every bound is one of E F(released) - min_C F, so divide by n for the mean loss. A mirror map
on C has a potential of range R that is Delta-strongly convex in a norm with unit ball Q; |Q|_2 and G_Q are Q's l2 radius and Gaussian width, and

    W = sqrt(G_Q^2 + |Q|_2^2)        the dual norm of N(0, I_d) has second moment at most W^2 (its mean, and the Gaussian Poincare inequality)
    G = n g, beta = n c              bounds of the dual norm of grad F and of its Lipschitz constant in the norm; g and c are those of one record
    sigma = S sqrt(T) / mu           noise on each of T gradients of l2 sensitivity S; T Gaussian steps are one of mu (exact composition)

theorem 3.2     R / (eta T) + (eta / (2 Delta)) (G + sigma W)^2;   least at eta = sqrt(2 Delta R / T) / (G + sigma W), where it is
                sqrt(2 R / Delta) (G / sqrt(T) + S W / mu)         any convex loss (in a Hilbert space with G^2 + sigma^2 W^2 for the square)
3.2, smooth     R / (eta T) + eta sigma^2 W^2 / (2 (Delta - eta beta));   least where it is
                R beta / (Delta T) + sqrt(2 R / Delta) S W / mu
theorem A.1     2 (G + sigma W)^2 / (Delta lambda (T + 1))         F + lambda Psi, steps 2 / (lambda (t + 1)), weights proportional to t: no log T
theorem 4.1     min(s G_C, s^2 W^2 / (2 m)) + zeta D^2 / 2          objective perturbation with noise s, ridge zeta, m-strongly convex in all
theorem B.2     2 Gamma / (T + 2) + sigma G_C                      Frank-Wolfe with Gaussian noise
theorem 5.5     2 Gamma / (T + 2) + S' sqrt(T) ln k / (2 mu)       Frank-Wolfe over k vertices, exponential mechanism of range eps_1 = 2 mu / sqrt(T)

The printed theorems differ from these by constants, by log(n / delta) (they compose with the strong composition theorem), and in 3.2 by |a + b|^2 <=
2 |a|^2 + 2 |b|^2. The smooth version is that of Lan (2012) with the noise of privacy; the weights of A.1 are those of Lacoste-Julien, Schmidt and
Bach (2012). Proofs: mechanisms/constrained/mirror_descent.md.

Risk of the Frank-Wolfe walk with equal shares, as it is run (mechanisms/constrained/frank_wolfe.py): the mean of T private choices.

    F(theta) - min F <= Gamma (1 + ln T) / (2 T) + r        r = a T^p the mean of the regrets of the T choices

in expectation, p = 1/2 when the budget is shared by exact composition and p = 1 when ranges simply add up (delta = 0). Theorems 5.5 and B.2 of
Talwar, Thakurta and Zhang (2014) have 2 Gamma / (T + 2) in the first place, for other shares; from T = 11 on that is less than what is proved here.
"""

import math

import numpy as np

from discreet.core.validate import each, not_negative, positive, whole


def private_noise(*, sensitivity: float, mu: float, steps: int) -> float:
    """sigma = S sqrt(T) / mu."""
    each(positive, sensitivity=sensitivity, mu=mu)
    whole(steps, "steps")
    return sensitivity * math.sqrt(steps) / mu


def mirror_descent(
    *, range_: float, strong_convexity: float, gradient: float, width: float, noise: float, steps: int, step_size: float, hilbert: bool = False
) -> float:
    """Theorem 3.2 for any sigma = `noise`, eta = `step_size` and T = `steps` points; `gradient` is G."""
    each(positive, range_=range_, strong_convexity=strong_convexity, width=width, step_size=step_size)
    each(not_negative, gradient=gradient, noise=noise)
    whole(steps, "steps")
    return range_ / (step_size * steps) + step_size / (2.0 * strong_convexity) * second_moment(gradient, noise * width, hilbert=hilbert)


def second_moment(gradient: float, noise: float, *, hilbert: bool) -> float:
    """Of the dual norm of a gradient of norm `gradient` with independent noise of mean square `noise`^2."""
    return gradient**2 + noise**2 if hilbert else (gradient + noise) ** 2


def mirror_descent_step(
    *, range_: float, strong_convexity: float, gradient: float, width: float, noise: float, steps: int, hilbert: bool = False
) -> float:
    """The eta of theorem 3.2's least value."""
    each(positive, range_=range_, strong_convexity=strong_convexity, width=width)
    each(not_negative, gradient=gradient, noise=noise)
    whole(steps, "steps")
    return math.sqrt(2.0 * strong_convexity * range_ / (steps * second_moment(gradient, noise * width, hilbert=hilbert)))


def smooth_mirror_descent(
    *, range_: float, strong_convexity: float, smoothness: float, width: float, noise: float, steps: int, step_size: float
) -> float:
    """Theorem 3.2 for a smooth F; `smoothness` is beta. Infinity from eta = Delta / beta on, where nothing is proved."""
    each(positive, range_=range_, strong_convexity=strong_convexity, width=width, step_size=step_size)
    each(not_negative, smoothness=smoothness, noise=noise)
    whole(steps, "steps")
    room = strong_convexity - step_size * smoothness
    return range_ / (step_size * steps) + step_size * (noise * width) ** 2 / (2.0 * room) if room > 0 else math.inf


def smooth_mirror_descent_step(*, range_: float, strong_convexity: float, smoothness: float, width: float, noise: float, steps: int) -> float:
    """1 / (beta / Delta + 1 / gamma), gamma = sqrt(2 Delta R / T) / (sigma W): the bound is R beta / (Delta T) + sigma W sqrt(2 R / (Delta T))."""
    each(positive, range_=range_, strong_convexity=strong_convexity, width=width, noise=noise)
    not_negative(smoothness, "smoothness")
    whole(steps, "steps")
    return 1.0 / (smoothness / strong_convexity + noise * width / math.sqrt(2.0 * strong_convexity * range_ / steps))


def strongly_convex_mirror_descent(
    *, strong_convexity: float, ridge: float, gradient: float, width: float, noise: float, steps: int, hilbert: bool = False
) -> float:
    """Theorem A.1 with weights proportional to t; `gradient` is that of F + lambda Psi, lambda = `ridge`. A bound of that sum's excess."""
    each(positive, strong_convexity=strong_convexity, ridge=ridge, width=width)
    each(not_negative, gradient=gradient, noise=noise)
    whole(steps, "steps")
    return 2.0 * second_moment(gradient, noise * width, hilbert=hilbert) / (strong_convexity * ridge * (steps + 1.0))


def composite_mirror_descent(
    *, range_: float, strong_convexity: float, ridge: float, gradient: float, width: float, noise: float, steps: int, hilbert: bool = False
) -> float:
    """Theorem A.1 for F + lambda (Psi - min Psi), Psi itself in every step; `gradient` is that of F alone. A bound of that sum's excess.

    (2 / (m (m + 3))) (lambda R m + (G + sigma W)^2 (m + 1 + ln m) / (lambda Delta)) for m = `steps` points, lambda = `ridge`.
    """
    each(positive, range_=range_, strong_convexity=strong_convexity, ridge=ridge, width=width)
    each(not_negative, gradient=gradient, noise=noise)
    whole(steps, "steps")
    moved = second_moment(gradient, noise * width, hilbert=hilbert) * (steps + 1.0 + math.log(steps)) / (ridge * strong_convexity)
    return 2.0 * (ridge * range_ * steps + moved) / (steps * (steps + 3.0))


def theorem_a_1(*, strong_convexity: float, ridge: float, gradient: float, width: float, noise: float, steps: int) -> float:
    """Theorem A.1 as printed: steps 1 / (lambda t), plain average, (G + sigma W)^2 (1 + ln T) / (2 Delta lambda T)."""
    each(positive, strong_convexity=strong_convexity, ridge=ridge, width=width)
    each(not_negative, gradient=gradient, noise=noise)
    whole(steps, "steps")
    return second_moment(gradient, noise * width, hilbert=False) * (1.0 + math.log(steps)) / (2.0 * strong_convexity * ridge * steps)


def theorem_3_2(
    *,
    range_: float,
    strong_convexity: float,
    gradient: float,
    width: float,
    sensitivity: float,
    mu: float,
    smoothness: float = math.inf,
    steps: int | None = None,
) -> float:
    """The least of theorem 3.2 and its smooth version at the best step size, for T = `steps`; None for T to infinity, what privacy alone costs."""
    each(positive, range_=range_, strong_convexity=strong_convexity, width=width, sensitivity=sensitivity, mu=mu)
    not_negative(gradient, "gradient")
    price = math.sqrt(2.0 * range_ / strong_convexity) * sensitivity * width / mu
    if steps is None:
        return price
    whole(steps, "steps")
    convex = math.sqrt(2.0 * range_ / strong_convexity) * gradient / math.sqrt(steps)
    return price + min(convex, range_ * smoothness / (strong_convexity * steps))


def enough_steps(
    *, range_: float, strong_convexity: float, gradient: float, width: float, sensitivity: float, mu: float, smoothness: float, share: float = 1.0
) -> float:
    """T from which the other term of theorem 3.2 is at most `share` of the price of privacy."""
    price = share * theorem_3_2(range_=range_, strong_convexity=strong_convexity, gradient=gradient, width=width, sensitivity=sensitivity, mu=mu)
    return min(2.0 * range_ / strong_convexity * (gradient / price) ** 2, range_ * smoothness / (strong_convexity * price))


def objective_perturbation(
    *, noise: float, width: float, ridge: float, spread: float, strong_convexity: float = 0.0, dual_width: float = 0.0
) -> float:
    """Theorem 4.1: theta = argmin_C F + (zeta / 2) |theta - theta_0|^2 + <b, theta>, b ~ N(0, s^2 I), s = `noise`, zeta = `ridge`.

    (1) s G_C + zeta D^2 / 2, G_C = `width`, D = `spread` >= |theta - theta_0| on C: the excess of the regularised sum is at most
    <b, theta* - theta> <= <b, theta*> + sup_C <-b, .>, and E <b, theta*> = 0. (2) where that sum is m-strongly convex in a norm, m =
    `strong_convexity`, the excess is also at most <b, theta* - theta> - (m / 2) |theta - theta*|^2 <= |b|_dual^2 / (2 m), s^2 W^2 / (2 m) on
    average, W = `dual_width`. The smaller of the two.
    """
    each(positive, noise=noise, width=width)
    each(not_negative, ridge=ridge, spread=spread, strong_convexity=strong_convexity, dual_width=dual_width)
    fast = (noise * dual_width) ** 2 / (2.0 * strong_convexity) if strong_convexity > 0 and dual_width > 0 else math.inf
    return min(noise * width, fast) + 0.5 * ridge * spread**2


def gaussian_frank_wolfe(*, curvature: float, width: float, noise: float, steps: int) -> float:
    """Theorem B.2: 2 Gamma / (T + 2) + sigma G_C."""
    positive(width, "width")
    each(not_negative, curvature=curvature, noise=noise)
    whole(steps, "steps")
    return 2.0 * curvature / (steps + 2.0) + noise * width


def polytope_frank_wolfe(*, curvature: float, spread: float, mu: float, vertices: int, steps: int) -> float:
    """Theorem 5.5: 2 Gamma / (T + 2) + S' sqrt(T) ln k / (2 mu); `spread` S' bounds how far one neighbour moves differences of scores."""
    each(positive, spread=spread, mu=mu)
    not_negative(curvature, "curvature")
    each(whole, vertices=vertices, steps=steps)
    return 2.0 * curvature / (steps + 2.0) + spread * math.sqrt(steps) * math.log(vertices) / (2.0 * mu)


MOST_STEPS = 100_000


def averaged_frank_wolfe(*, curvature: float, regret: float, steps: int) -> float:
    """Gamma (1 + ln T) / (2 T) + r, for F a sum; `curvature` is Gamma, `regret` r. Raises InvalidInput for numbers outside their range."""
    each(not_negative, curvature=curvature, regret=regret)
    whole(steps, "steps")
    return curvature * (1.0 + math.log(steps)) / (2.0 * steps) + regret


def averaged_steps(*, curvature: float, regret: float, power: float) -> int:
    """T up to MOST_STEPS where the bound is least (to 0.1 %), for choices of regret a T^p: a = `regret`, p = `power`."""
    each(positive, curvature=curvature, regret=regret, power=power)
    counts = np.unique(np.geomspace(1.0, MOST_STEPS, 5000).round())
    totals = curvature * (1.0 + np.log(counts)) / (2.0 * counts) + regret * counts**power
    return int(counts[np.argmin(totals)])
