"""The curve of Gaussian objective perturbation for losses whose slopes take both signs (proof note ../regression/objective.md; theorem 1).

A loss l(<x, w> - y) with |l'| <= a and l'' = kappa(|l'|) has, next to losses of the margin with the same a and kappa, one thing more: a record may
push the noise along x or against it. Each of the signs is a case of theorem T1 (learning/objective_perturbation.md), and the privacy loss is at most
the largest over them, so that

    add-remove     delta(epsilon) <= 2 delta_T1(epsilon);  one row a person: max(2 delta_G(epsilon; s), W(epsilon)) too (T3, `one_direction`)
    replace-one    delta(epsilon) <= 2 delta_T1(epsilon)     if (epsilon - c)^2 / (4 s^2) - s^2 >= 1, c = max J, s = a R / sigma; else 4 delta_T1

delta_T1 is that of the half of the loss, l(min(m, 0)), which is one of the margin with the same slopes and curvatures. The two is attained: a record
with target 0 pulls the weights in from both ends.

    log-cosh   l' = a tanh(r / a)         kappa(q) = 1 - (q / a)^2      lambda = 2 R^2 / epsilon: no slack but the two (add-remove)
    huber      l' = clip(r, -a, a)        kappa(q) = 1                  squares with clipped slopes; replace-one pays the Jacobian term in full

Persons with several rows (theorem 2): twice what theorem P states for the half of the loss, under replace-one with its first bound; four times with
its second one.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from discreet.accounting import gaussian_delta, gaussian_mu
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget, InvalidInput, quietly
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons, Privacy
from discreet.core.remembered import remembered
from discreet.core.rounding import raising
from discreet.data import Domain
from discreet.losses.base import MarginLoss
from discreet.losses.predictions import HuberLoss, LogCosh, PredictionLoss
from discreet.mechanisms.learning.base import last_part
from discreet.mechanisms.learning.margin import MARGIN, jacobian_corners, person_replaced, worst_outcome
from discreet.mechanisms.learning.one_direction import one_direction
from discreet.mechanisms.learning.perturbation import GaussianPlan, gaussian_plan, least_scale
from discreet.problems import RegularisedRisk

LOSSES = ("log-cosh", "huber")
_UP = raising(4_096)


def prediction_loss(name: str, width: float) -> PredictionLoss:
    """The loss of this name with slopes up to `width`. Raises InvalidInput for others."""
    match name:
        case "log-cosh":
            return LogCosh(width=width)
        case "huber":
            return HuberLoss(half_width=width)
        case _:
            raise InvalidInput(f"objective perturbation of residuals takes one of {list(LOSSES)}; {name!r} was given.")


def curvature_at(name: str, width: float, slopes: Floats) -> Floats:
    """kappa(|slopes|), elementwise: l'' where l' has this value (for huber, 1 inside and 0 where the slope is clipped)."""
    share = np.minimum(np.abs(slopes) / width, 1.0)
    return 1.0 - np.square(share) if name == "log-cosh" else (share < 1.0).astype(np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Half(MarginLoss):
    """l(min(m, 0)) as a loss of the margin m."""

    name = "half"
    loss: str
    width: float

    @property
    def lipschitz(self) -> float:
        """a."""
        return self.width

    @property
    def smoothness(self) -> float:
        """1, at m = 0."""
        return 1.0

    @property
    def slope_curvature_ratio(self) -> float:
        """None: the curvature does not vanish with the slope."""
        return math.inf

    def value(self, margins: Floats) -> Floats:
        """l(min(m, 0))."""
        return prediction_loss(self.loss, self.width).value(np.minimum(margins, 0.0), np.zeros_like(margins))

    def slope(self, margins: Floats) -> Floats:
        """l'(min(m, 0)) <= 0."""
        return prediction_loss(self.loss, self.width).slope(np.minimum(margins, 0.0), np.zeros_like(margins))

    def curvature(self, margins: Floats) -> Floats:
        """l'', at the kink m = 0 the larger one."""
        found: Floats = np.where(margins <= 0.0, curvature_at(self.loss, self.width, self.slope(margins)), 0.0)
        return found

    def curvature_on_slopes(self, low: Floats, high: Floats) -> Floats:  # noqa: ARG002 - kappa does not increase
        """kappa(low)."""
        return curvature_at(self.loss, self.width, np.asarray(low)) if self.loss == "log-cosh" else np.ones_like(np.asarray(low, dtype=np.float64))


def half_problem(*, loss: str, width: float, radius: float, ridge: float, dimension: int, persons: Persons | None = None) -> RegularisedRisk:
    """The problem of the margin whose curve is doubled."""
    return RegularisedRisk(
        loss=Half(loss=loss, width=width),
        ridge=ridge,
        domain=Domain(features=dimension, norm_bound=radius, classes=2, persons=persons),
    )


def two_signed_delta(half: RegularisedRisk, *, scale: float, epsilon: float, neighbours: Neighbours) -> float:
    """Upper bound of delta(epsilon); see the module docstring."""
    return two_signed_profile(half, neighbours)(scale, epsilon)


@remembered
def two_signed_profile(half: RegularisedRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
    """`two_signed_delta` of (scale, epsilon), with its last values; what depends on the problem alone is computed once."""
    return lru_cache(maxsize=64)(_profile(half, neighbours))


def two_signed_plan(
    half: RegularisedRisk,
    privacy: Privacy,
    *,
    curvature: float,
    tolerance: Callable[[float], float],
    radius: Callable[[float, float], float],
    beside: float = 0.0,
) -> GaussianPlan:
    """The least noise for this total, see `gaussian_plan`; `curvature` is about that of the whole objective in one direction."""
    profile = two_signed_profile(half, privacy.neighbours)
    return gaussian_plan(
        epsilon=privacy.epsilon,
        delta=privacy.delta,
        dimension=half.domain.dimension,
        scale=lambda part, least: two_signed_scale(half, epsilon=part, delta=least, neighbours=privacy.neighbours),
        curve=lambda scale: partial(profile, scale),
        tolerance=tolerance,
        radius=radius,
        part=lambda last, scale: last_part(last * curvature / scale),
        beside=beside,
    )


def _profile(half: RegularisedRisk, neighbours: Neighbours) -> Callable[[float, float], float]:
    if half.several and neighbours is not ADD_REMOVE:
        bounds = person_replaced(half)

        def of_persons(scale: float, epsilon: float) -> float:
            mixed, coupled = bounds(half.gradient_bound / scale, epsilon)
            return min(1.0, 2.0 * mixed, 4.0 * coupled)

        return of_persons
    if neighbours is ADD_REMOVE and not half.several:
        return _along(half)
    profile = MARGIN.profile(half, neighbours)

    def delta(scale: float, epsilon: float) -> float:
        factor = 2.0
        if neighbours is not ADD_REMOVE:
            s = half.gradient_bound / scale * _UP
            left = epsilon - math.log1p(half.curvature_bound / half.ridge) * _UP
            if not (left > 0 and (left / (2.0 * s)) ** 2 - s * s >= 1.0 + 1e-9):
                factor = 4.0
        return min(1.0, factor * profile(scale, epsilon))

    return delta


def _along(half: RegularisedRisk) -> Callable[[float, float], float]:
    """T3, where the Jacobian term leaves room for noise, and T1."""
    worst, corners = worst_outcome(half), jacobian_corners(half)
    most = float(np.max(corners.bounds)) * _UP
    along = lru_cache(maxsize=4)(partial(one_direction, *corners))

    def delta(scale: float, epsilon: float) -> float:
        s = half.gradient_bound / scale * _UP
        of_one = max(2.0 * gaussian_delta(epsilon, s), float(along(s)(epsilon))) if most < epsilon else 1.0
        return min(1.0, 2.0 * worst(scale, epsilon), of_one)

    return delta


def two_signed_scale(half: RegularisedRisk, *, epsilon: float, delta: float, neighbours: Neighbours) -> float:
    """The least sigma (to 1e-8, rounded up) with `two_signed_delta` <= delta.

    Raises InfeasibleTarget where the Jacobian term leaves no room: lambda is too small.
    """
    target = delta * (1.0 - 1e-6)
    above = half.gradient_bound * (1.0 if neighbours is ADD_REMOVE else 2.0) / gaussian_mu(epsilon, target)
    refusal = InfeasibleTarget(f"objective perturbation at epsilon={epsilon:g} needs a ridge above {half.ridge:.3g}; take a larger one, or epsilon.")

    profile = two_signed_profile(half, neighbours)
    return quietly(
        lambda: least_scale(lambda scale: profile(scale, epsilon), above=above, target=target, step=1e-2, precision=1e-8), refusal, InfeasibleTarget
    )
