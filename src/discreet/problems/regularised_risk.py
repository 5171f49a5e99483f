"""Regularised empirical risks over a public domain, as un-normalised sums: of two classes, of K classes together, and of each against the others.

    G(w) = sum_i c_i l(y_i <x_i, w>) + (lambda / 2) |w|^2,    0 <= c_i <= c_max, c_max public,  |x_i| <= R

The one place where the constants of a loss meet the bounds of the data:

    gradient of one record    <= c_max L R            (L Lipschitz constant of l)
    curvature of one record   <= c_max c R^2          (c smoothness of l)
    Jacobian term at slopes q <= ln(1 + c_max kappa(q) R^2 / lambda)          c_max kappa(q) R^2 / lambda where persons have several rows

A sum, not a mean: adding a record must change G by that record's loss and nothing else (Chaudhuri, Monteleoni, Sarwate 2011 write lambda = n Lambda).
For c_i <= c_max the bounds with c_max hold because kappa is concave: c kappa(u / c) does not decrease in c. The ridge covers all coordinates, that of
the constant feature too, so that G is lambda-strongly convex. Where there is a prior it is (lambda / 2) |w - w0|^2, w0 public (module `prior`):
objectives are those without it, and their solver gets its pull as a linear term.

Multinomial logistic risk of K classes:

    G(W) = sum_i c_i (ln sum_k e^{<w_k, x_i>} - <w_{y_i}, x_i>) + (lambda / 2) |W|_F^2

With p the softmax of W^T x and S(p) = diag(p) - p p^T, one record has gradient c x (p - e_y)^T and Hessian c S(p) (x) x x^T:

    gradient of one record    <= sqrt(2) c_max R       (Frobenius norm: |p - e_y| <= sqrt 2)
    curvature of one record   <= c_max R^2 / 2         (spectral norm: S <= I / 2)
    Jacobian term             <= ln det(I + a S(p)),   a = c_max R^2 / lambda

One-vs-rest, K risks of two classes, one for each class against all others, on the same records:

    G_k(w) = sum_i c_i l(y_ik <x_i, w>) + (lambda / 2) |w|^2,     y_ik = +1 where the class of record i is k, else -1

Every record is in every one of the K problems, so its K gradients add up in square: at most sqrt(K) c_max L R together.

Where a person has several rows, their weights c_i are a_i c'_i with c'_i <= c_max and sum a_i <= 1: the bounds of gradients and curvature are then
those of one person, and Jacobian terms are bounded by traces, which add up over rows where logarithms do not (proof note persons.md).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.data.domain import Domain, Held, OverDomain, check_scale
from discreet.losses import MarginLoss
from discreet.problems.prior import Prior


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(OverDomain, ABC):
    """A public problem: holds no data, and is known in full before any record is read. Raises InvalidInput for bounds that bound nothing."""

    ridge: float
    """lambda > 0, on the scale of an un-normalised sum of losses (alpha n in the notation of a mean): G is lambda-strongly convex."""
    domain: Domain
    max_weight: float = 1.0
    """c_max, the largest weight a record may have."""
    prior: Prior | None = None
    """The public point that the ridge pulls towards; None for zero."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if not (is_finite(self.ridge) and self.ridge > 0):
            raise InvalidInput(f"the ridge must be a positive finite number; {self.ridge!r} was given.")
        self.domain.require("sign", "code")
        check_scale(self.max_weight, "the largest weight of a record")
        if self.prior is not None:
            self.prior.require(self.dimension)

    @property
    def classes(self) -> int:
        """K, with one block of weights each where there are more than two."""
        return self.domain.classes

    @property
    @abstractmethod
    def gradient_bound(self) -> float:
        """The most one record moves the gradient, or all gradients together."""

    @property
    @abstractmethod
    def curvature_bound(self) -> float:
        """The most one record adds to a Hessian, in one direction."""

    @property
    @abstractmethod
    def value_at_zero(self) -> float:
        """The most one record adds to G(0)."""

    @abstractmethod
    def to_dict(self) -> dict[str, Json]:
        """For certificates: everything that a recheck needs to know of the problem."""

    @property
    def several(self) -> bool:
        """Whether somebody may have more than one row."""
        return self.persons is not None and self.persons.several

    def require(self, data: Held) -> None:
        """Raise InvalidInput for records of another domain."""
        if data.domain != self.domain:
            raise InvalidInput("the data set and the problem declare different domains.")

    def _record(self, loss: str, parameters: Mapping[str, float]) -> dict[str, Json]:
        domain = self.domain
        return {
            "loss": loss,
            "loss_parameters": dict(parameters),
            "ridge": self.ridge,
            "features": domain.features,
            "data_norm": domain.norm_bound,
            "intercept_scale": domain.intercept_scale,
            "records": domain.records,
            "max_weight": self.max_weight,
            **domain.unit(),
            **({} if self.prior is None else {"prior": self.prior.to_dict()}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RegularisedRisk(Risk):
    """Two classes, or one class against the others."""

    loss: MarginLoss

    @property
    def gradient_bound(self) -> float:
        """c_max L R."""
        return self.max_weight * self.loss.lipschitz * self.domain.radius

    @property
    def curvature_bound(self) -> float:
        """c_max c R^2."""
        return self.max_weight * self.loss.smoothness * self.domain.radius**2

    @property
    def value_at_zero(self) -> float:
        """c_max l(0)."""
        return self.max_weight * float(self.loss.value(np.zeros(1))[0])

    @property
    def slack_free_ratio(self) -> float:
        """a = c_max M R^2 / lambda, such that the Jacobian term is at most a t (1 - t), t = q / L; infinity for losses without such an M."""
        return self.max_weight * self.loss.lipschitz * self.loss.slope_curvature_ratio * self.domain.radius**2 / self.ridge

    def jacobian_term(self, low: Floats, high: Floats) -> Floats:
        """Upper bound of x, or ln(1 + x) where nobody has several rows, x = c_max kappa(q) R^2 / lambda, for low <= q / L <= high, elementwise."""
        scale = self.loss.lipschitz
        kappa = self.loss.curvature_on_slopes(np.asarray(low) * scale, np.asarray(high) * scale)
        trace = self.max_weight * kappa * self.domain.radius**2 / self.ridge
        return trace if self.several else np.log1p(trace)

    def to_dict(self) -> dict[str, Json]:
        """See Risk."""
        return self._record(self.loss.name, self.loss.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class MultinomialRisk(Risk):
    """Multinomial logistic regression. Its weights are the K columns of W one after the other."""

    @property
    def dimension(self) -> int:
        """Number of weights, K (d + 1) with an intercept."""
        return self.classes * self.domain.dimension

    @property
    def gradient_bound(self) -> float:
        """sqrt(2) c_max R."""
        return math.sqrt(2.0) * self.max_weight * self.domain.radius

    @property
    def curvature_bound(self) -> float:
        """c_max R^2 / 2."""
        return 0.5 * self.max_weight * self.domain.radius**2

    @property
    def value_at_zero(self) -> float:
        """c_max ln K."""
        return self.max_weight * math.log(self.classes)

    @property
    def jacobian_ratio(self) -> float:
        """a = c_max R^2 / lambda."""
        return self.max_weight * self.domain.radius**2 / self.ridge

    def to_dict(self) -> dict[str, Json]:
        """See Risk."""
        return {**self._record("multinomial-logistic", {}), "classes": self.classes, "scheme": "multinomial"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OneVsRestRisk(Risk):
    """K problems of two classes. Its weights are those of the K problems one after the other."""

    loss: MarginLoss

    @property
    def each(self) -> RegularisedRisk:
        """What the K problems share, their domain with its K classes included."""
        prior = None if self.prior is None else self.prior.without_point
        return RegularisedRisk(loss=self.loss, ridge=self.ridge, domain=self.domain, max_weight=self.max_weight, prior=prior)

    @property
    def dimension(self) -> int:
        """Number of weights, K (d + 1) with an intercept."""
        return self.classes * self.domain.dimension

    @property
    def gradient_bound(self) -> float:
        """sqrt(K) c_max L R."""
        return math.sqrt(self.classes) * self.each.gradient_bound

    @property
    def curvature_bound(self) -> float:
        """c_max c R^2: the most one record adds to one Hessian."""
        return self.each.curvature_bound

    @property
    def value_at_zero(self) -> float:
        """c_max K l(0): the most one record adds to all values at zero."""
        return self.classes * self.each.value_at_zero

    def to_dict(self) -> dict[str, Json]:
        """For certificates: what the K problems share, and K."""
        return {**self.each.to_dict(), "classes": self.classes, "scheme": "one-vs-rest"}


AnyRisk: TypeAlias = RegularisedRisk | MultinomialRisk | OneVsRestRisk
"""A risk of a linear classifier: of two classes, of several at once, or of each against the rest."""
