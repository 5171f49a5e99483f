"""Exact audits of the mechanisms that release one linear model of two classes: the density of the minimiser on the worst pairs.

    objective perturbation   density nu(b(f)) det H(f), in one dimension under add-remove and in two under replace-one
    output perturbation      two noise laws, as far apart as the two exact minimisers are

More dimensions change nothing for Gaussian noise, whose other coordinates are independent and of one law on both tables, and nothing for the largest
loss of spherical noise, which lies on the line. The law is that of the exact minimiser (or of its noisy output) before the last stage, whose share
of the budget is between 0.1 % and 5 %: `exact_learning_audit` takes the whole guarantee as the claim, so it forgives that share.
"""

from dataclasses import dataclass

import numpy as np

from discreet.audit.claim import Claim
from discreet.audit.densities import Counted, gaussian_losses, minimiser, shifted_gaussian, shifted_spherical, spherical_losses
from discreet.audit.exact import PrivacyLoss, exact_audit, worst_of
from discreet.audit.pairs import Pair, worst_pairs
from discreet.audit.report import AuditReport
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.losses import MarginLoss
from discreet.mechanisms.learning import (
    GaussianObjectivePerturbation,
    GaussianOutputPerturbation,
    PureObjectivePerturbation,
    PureOutputPerturbation,
)
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.problems import RegularisedRisk

_NODES = {1: 41, 2: 101}
"""Of the quadrature, by dimension; `gaussian_losses` takes 60 times as many on a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What decides the law of a released minimiser: everything that a fault can be planted in."""

    loss: MarginLoss
    ridge: float
    """lambda."""
    noise: float
    """Standard deviation of Gaussian noise, or rate of spherical noise."""
    gaussian: bool
    objective: bool
    """Whether the noise goes into the objective; otherwise onto its minimiser."""
    unpenalised: tuple[int, ...] = ()
    """Coordinates that the ridge leaves out: none of ours, and the intercept in some libraries. They get a ridge of 1e-6 here, so that laws exist."""

    @property
    def spread(self) -> float:
        """About how far the noise moves the minimiser along any direction."""
        if not self.objective:
            return 0.0
        return (self.noise if self.gaussian else 1.0 / self.noise) / self.ridge

    def losses(self, first: Counted, second: Counted) -> PrivacyLoss:
        """The privacy loss of `first` over `second`."""
        ridge = np.full(first.rows.shape[1], self.ridge)
        ridge[list(self.unpenalised)] = 1e-6
        if self.objective and self.gaussian:
            return gaussian_losses(first, second, loss=self.loss, ridge=ridge, scale=self.noise, nodes=_NODES[first.rows.shape[1]])
        if self.objective:
            return spherical_losses(first, second, loss=self.loss, ridge=ridge, rate=self.noise)
        zero = np.zeros((1, first.rows.shape[1]))
        here, there = (minimiser(zero, records, self.loss, ridge) for records in (first, second))
        distance = float(np.linalg.norm(here - there))
        return shifted_gaussian(distance / self.noise) if self.gaussian else shifted_spherical(distance * self.noise)


def release_of(problem: RegularisedRisk, mechanism: LearningMechanism[RegularisedRisk]) -> Release:
    """The law of a mechanism of ours. Raises InvalidInput for a mechanism whose law is not written down here."""
    match mechanism:
        case GaussianObjectivePerturbation(scale=scale):
            noise, gaussian, objective, extra = scale, True, True, 0.0
        case PureObjectivePerturbation(rate=rate, extra_ridge=more):
            noise, gaussian, objective, extra = rate, False, True, more
        case GaussianOutputPerturbation(scale=scale):
            noise, gaussian, objective, extra = scale, True, False, 0.0
        case PureOutputPerturbation(rate=rate):
            noise, gaussian, objective, extra = rate, False, False, 0.0
        case _:
            raise InvalidInput(f"no exact law is known here of the mechanism {mechanism.name!r}; audit its runs with discreet.audit.audit.")
    return Release(loss=problem.loss, ridge=problem.strong_convexity + extra, noise=noise, gaussian=gaussian, objective=objective)


def exact_learning_audit(
    problem: RegularisedRisk,
    mechanism: LearningMechanism[RegularisedRisk],
    *,
    claim: Claim | None = None,
    neighbours: Neighbours | None = None,
    subject: str = "",
) -> AuditReport:
    """The worst of the pairs of module `pairs`; `claim` None is the mechanism's own guarantee, `neighbours` None its relation."""
    stated = Claim.of(mechanism.guarantee(problem)) if claim is None else claim
    relation = mechanism.neighbours if neighbours is None else neighbours
    law = release_of(problem, mechanism)
    radius = problem.domain.radius * problem.max_weight
    pairs = worst_pairs(radius=radius, ridge=law.ridge, neighbours=relation, spread=law.spread * radius)
    return audit_release(law, pairs, stated, subject=subject or f"{mechanism.name}, {relation}")


def audit_release(law: Release, pairs: tuple[Pair, ...], claim: Claim, *, subject: str) -> AuditReport:
    """The worst report over `pairs` of signed records."""
    return worst_of(
        [
            exact_audit(law.losses(pair.first, pair.second), law.losses(pair.second, pair.first), claim, subject=subject, described=pair.words)
            for pair in pairs
        ]
    )
