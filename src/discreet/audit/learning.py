"""Exact audits of the mechanisms that release one linear model of two classes: the density of the minimiser on the worst pairs.

    objective perturbation   density nu(b(f)) det H(f), in one dimension under add-remove and in two under replace-one
    output perturbation      two noise laws, as far apart as the two exact minimisers are

More dimensions change nothing for Gaussian noise, whose other coordinates are independent and of one law on both tables, and nothing for the largest
loss of spherical noise, which lies on the line. The law is that of the exact minimiser (or of its noisy output) before the last stage, whose share
of the budget is between 0.1 % and 5 %: `exact_learning_audit` takes the whole guarantee as the claim, so it forgives that share.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.audit.claim import Claim
from discreet.audit.densities import Counted, Pair, gaussian_losses, minimiser, shifted_gaussian, shifted_spherical, spherical_losses, worst_pairs
from discreet.audit.exact import PrivacyLoss, exact_audit, worst_of
from discreet.audit.persons import WorstPerson
from discreet.audit.report import AuditReport
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput, quietly
from discreet.core.fields import finite, numbers
from discreet.core.neighbours import Neighbours
from discreet.losses import MarginLoss, loss_named
from discreet.mechanisms.learning.base import LearningMechanism
from discreet.noise.laws import Normal
from discreet.problems import RegularisedRisk
from discreet.words.fits import FitSpec, GaussianObjectiveFit, GaussianOutputFit, PureObjectiveFit, PureOutputFit

_AUDITED: dict[str, type[FitSpec]] = {spec.name: spec for spec in (GaussianObjectiveFit, PureObjectiveFit, GaussianOutputFit, PureOutputFit)}
"""Declarations of mechanisms whose output has a law that is known here."""
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

    @classmethod
    def of(cls, mechanism: str, parameters: Mapping[str, Json], *, loss: MarginLoss, ridge: float) -> "Release":
        """The law of an audited mechanism with these parameters, as certificates state them; `ridge` without what the mechanism adds to it.

        Raises TypeError for other parameters.
        """
        spec = quietly(lambda: _AUDITED[mechanism].read(parameters), TypeError("parameters"), TypeError, ValueError)
        law = spec.law
        noise = law.scale if isinstance(law, Normal) else law.rate
        return cls(loss=loss, ridge=ridge + spec.added_ridge, noise=noise, gaussian=isinstance(law, Normal), objective=spec.in_objective)

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


def exact_learning_audit(
    problem: RegularisedRisk,
    mechanism: LearningMechanism[RegularisedRisk],
    *,
    claim: Claim | None = None,
    neighbours: Neighbours | None = None,
    subject: str = "",
    person: WorstPerson | None = None,
) -> AuditReport:
    """The worst of the pairs of module `densities`; `claim` None is the mechanism's own guarantee, `neighbours` None its relation.

    `person` in the place of one record, where the problem's domain has persons.
    """
    stated = Claim.of(mechanism.guarantee(problem)) if claim is None else claim
    relation = mechanism.neighbours if neighbours is None else neighbours
    _require_law(mechanism.name)
    law = Release.of(mechanism.name, mechanism.parameters(), loss=problem.loss, ridge=problem.ridge)
    radius = problem.domain.radius * problem.max_weight
    pairs = _pairs(law, radius, relation, person)
    return audit_release(law, pairs, stated, subject=subject or f"{mechanism.name}, {relation}")


def certificate_audit(certificate: Certificate) -> AuditReport:
    """The exact audit of one released model of two classes: which epsilon the recorded noise really has, for the recorded problem.

    A recheck (package verification) bounds epsilon from above, from what is recorded; this bounds it from below, from the same numbers and
    the exact law of the released minimiser. Between the two lies the truth. Neither sees the records. Of persons with several rows the worst one is
    audited, whose rows are equal: together they are one record.

    Raises InvalidInput where no exact law is known of the mechanism, where several releases share the certificate, and where nothing is promised.
    """
    _require_law(certificate.mechanism)
    if certificate.releases != 1:
        raise InvalidInput(f"the certificate covers {certificate.releases} releases together; an audit is of one.")
    problem, guarantee = certificate.problem, certificate.guarantee

    def read() -> tuple[Release, float]:
        loss = loss_named(str(problem["loss"]), numbers(problem["loss_parameters"]))
        radius = math.hypot(finite(problem["data_norm"]), finite(problem["intercept_scale"])) * finite(problem["max_weight"])
        return Release.of(certificate.mechanism, certificate.parameters, loss=loss, ridge=finite(problem["ridge"])), radius

    law, radius = quietly(read, InvalidInput("a parameter of the certificate is no finite number."), TypeError)
    pairs = _pairs(law, radius, guarantee.neighbours)
    return audit_release(law, pairs, Claim.of(guarantee), subject=f"{certificate.mechanism} as certified, {guarantee.neighbours}")


def _require_law(mechanism: str) -> None:
    if mechanism not in _AUDITED:
        raise InvalidInput(
            f"no exact output distribution is known here for the mechanism {mechanism!r}, only for {', '.join(_AUDITED)}. "
            "Audit its runs on two tables with discreet.audit.audit."
        )


def _pairs(law: Release, radius: float, neighbours: Neighbours, person: WorstPerson | None = None) -> tuple[Pair, ...]:
    return worst_pairs(radius=radius, ridge=law.ridge, neighbours=neighbours, spread=law.spread * radius, person=person)


def audit_release(law: Release, pairs: tuple[Pair, ...], claim: Claim, *, subject: str) -> AuditReport:
    """The worst report over `pairs` of signed records."""
    return worst_of(
        [
            exact_audit(law.losses(pair.first, pair.second), law.losses(pair.second, pair.first), claim, subject=subject, described=pair.words)
            for pair in pairs
        ]
    )
