"""Numbers of records that the theorems of Chaudhuri et al. (2011), sections 4 and 5, ask for, as printed.

With f0 any reference predictor, e_g the excess of expected loss over its, e_p the epsilon of privacy, |l'| <= 1, l' c-Lipschitz and |x| <= 1, n
records suffice if n is larger than

    theorem 3 (output)      C max( |f0|^2 ln(1/delta) / e_g^2,  d ln(d/delta) |f0| / (e_g e_p),  d ln(d/delta) sqrt(c) |f0|^2 / (e_g^(3/2) e_p) )
    theorem 4 (objective)   C max( |f0|^2 ln(1/delta) / e_g^2,  c |f0|^2 / (e_g e_p),  d ln(d/delta) |f0| / (e_g e_p) )
    theorem 6 (kernels)     C max( A^2 sqrt(ln(1/delta)) / (e_p e_g^2) ln( A ln(1/delta) / (e_g delta Gamma(d/2 + 1)) ),  c e_g / (e_p ln(1/delta)) )
    theorem 7 (kernels)     the same with |f0|_H^4 zeta^2 Vol^2 / e_g^4 for A^2 / e_g^2, and |f0|_H zeta Vol for A in the logarithm

with probability at least 1 - 2 delta (3, 4) or 1 - 4 delta (6, 7); A = |f0|_inf zeta Vol(X), zeta the bound of the feature functions, Vol(X) that of
the records' domain, pi^(d/2) / Gamma(d/2 + 1) for the unit ball.

Theorem 9 (tuning, Algorithm 4) has no C: among m settings that make z_1 .. z_m mistakes on the part that is held back, the one that is drawn with
probability proportional to e^{-epsilon z / 2} makes at most z_min + 2 ln(m / delta) / epsilon, with probability at least 1 - delta. The least number
of which this is true for every table is `most_mistakes`: the worst is one setting with z_min and m - 1 with t more, one of which is drawn with
probability (m - 1) e^{-epsilon t / 2} / (1 + (m - 1) e^{-epsilon t / 2}).

**C is unspecified in the paper**: it exists, and that is all that is proved of it. It is an argument here, without a default. Use these for how n
scales, and module `localised` for numbers. For the Huber hinge c = 1 / (2 h), also in the paper's corollary 6(2), which prints 1/4.
"""

import math

from discreet.core.arrays import as_float
from discreet.core.validate import each, not_negative, positive, probability, whole


def theorem_3(*, norm: float, excess: float, epsilon: float, dimension: int, smoothness: float, delta: float, constant: float) -> float:
    """Records for output perturbation; `norm` is |f0|, `constant` the unspecified C."""
    _check(norm, excess, epsilon, delta, constant, smoothness)
    whole(dimension, "dimension")
    noise = dimension * math.log(dimension / delta)
    return constant * max(
        norm**2 * math.log(1.0 / delta) / excess**2,
        noise * norm / (excess * epsilon),
        noise * math.sqrt(smoothness) * norm**2 / (excess**1.5 * epsilon),
    )


def theorem_4(*, norm: float, excess: float, epsilon: float, dimension: int, smoothness: float, delta: float, constant: float) -> float:
    """Records for objective perturbation; arguments as in theorem_3."""
    _check(norm, excess, epsilon, delta, constant, smoothness)
    whole(dimension, "dimension")
    return constant * max(
        norm**2 * math.log(1.0 / delta) / excess**2,
        smoothness * norm**2 / (excess * epsilon),
        dimension * math.log(dimension / delta) * norm / (excess * epsilon),
    )


def theorem_6(
    *, sup_norm: float, excess: float, epsilon: float, dimension: int, smoothness: float, delta: float, constant: float, spread: float | None = None
) -> float:
    """Records for kernel machines by random features against f0 of sup norm |f0|_inf; `spread` is zeta Vol(X), None 1 times the unit ball's."""
    _check(sup_norm, excess, epsilon, delta, constant, smoothness)
    reach = sup_norm * (unit_ball_volume(dimension) if spread is None else as_float(spread))
    first = (reach / excess) ** 2 * _logarithm(reach, excess, dimension, delta) / epsilon
    return constant * max(first, smoothness * excess / (epsilon * math.log(1.0 / delta)))


def theorem_7(
    *, space_norm: float, excess: float, epsilon: float, dimension: int, smoothness: float, delta: float, constant: float, spread: float | None = None
) -> float:
    """The same against f0 of norm |f0|_H in the kernel's Hilbert space."""
    _check(space_norm, excess, epsilon, delta, constant, smoothness)
    reach = space_norm * (unit_ball_volume(dimension) if spread is None else as_float(spread))
    first = (reach * space_norm / excess**2) ** 2 * _logarithm(reach, excess, dimension, delta) / epsilon
    return constant * max(first, smoothness * excess / (epsilon * math.log(1.0 / delta)))


def theorem_9(*, settings: int, epsilon: float, delta: float) -> float:
    """Mistakes beyond those of the best of m = `settings`, as printed: 2 ln(m / delta) / epsilon.

    Raises InvalidInput for numbers outside their range.
    """
    whole(settings, "settings")
    positive(epsilon, "epsilon")
    probability(delta, "delta")
    return 2.0 * math.log(settings / delta) / epsilon


def most_mistakes(*, settings: int, epsilon: float, delta: float) -> float:
    """The least number of which theorem 9 is true: (2 / epsilon) ln((m - 1)(1 - delta) / delta), at least 0; arguments as in theorem_9."""
    theorem_9(settings=settings, epsilon=epsilon, delta=delta)
    others = (settings - 1) * (1.0 - delta) / delta
    return 2.0 * math.log(others) / epsilon if others > 1.0 else 0.0


def unit_ball_volume(dimension: int) -> float:
    """pi^(d/2) / Gamma(d/2 + 1)."""
    whole(dimension, "dimension")
    return math.exp(0.5 * dimension * math.log(math.pi) - math.lgamma(0.5 * dimension + 1.0))


def _logarithm(reach: float, excess: float, dimension: int, delta: float) -> float:
    """sqrt(ln(1/delta)) ln( A ln(1/delta) / (e_g delta Gamma(d/2 + 1)) ), at least 0."""
    positive(reach, "spread")
    failure = math.log(1.0 / delta)
    return math.sqrt(failure) * max(0.0, math.log(reach * failure / (excess * delta)) - math.lgamma(0.5 * dimension + 1.0))


def _check(norm: float, excess: float, epsilon: float, delta: float, constant: float, smoothness: float) -> None:
    each(positive, norm=norm, excess=excess, epsilon=epsilon, constant=constant)
    probability(delta, "delta")
    not_negative(smoothness, "smoothness")
