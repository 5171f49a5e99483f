"""An exact audit: the privacy loss of two known output laws, and the least epsilon that they allow.

    delta(epsilon) = sum over outputs of (P - e^epsilon P')_+ = E_P (1 - e^{epsilon - L})_+,    L = ln(P / P')

and the least epsilon at a given delta is where this falls to delta; at delta = 0 it is the largest loss. A law is a list of masses under P with the
loss at each: all outputs where they are discrete, nodes of a quadrature where they have densities. Nothing of a calibration takes part; a sum over
nodes is off by about 1e-5 of delta, so a violation is only spoken of beyond a relative 1e-4 of delta, or of epsilon where delta is 0.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.audit.claim import Claim
from discreet.audit.report import AuditReport, Event, LawPicture
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput

_ROOM = 1e-4
_BINS = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyLoss:
    """Masses under P, (m,), with ln(P / P') at each, (m,); a loss may be infinite."""

    masses: Floats
    losses: Floats

    @classmethod
    def of_masses(cls, here: Floats, there: Floats) -> "PrivacyLoss":
        """From the probabilities of all outputs under P and under P', of one shape."""
        here, there = np.ravel(here), np.ravel(there)
        seen = here > 0
        with np.errstate(divide="ignore"):
            return cls(masses=here[seen], losses=np.log(here[seen]) - np.log(there[seen]))

    def delta(self, epsilon: float) -> float:
        """See the module docstring."""
        return float(self.masses @ -np.expm1(np.minimum(epsilon - self.losses, 0.0)))

    def epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 with delta(epsilon) <= delta; infinity where there is none."""
        largest = max(0.0, float(self.losses.max()))
        if delta == 0 or self.delta(0.0) <= delta:
            return largest if delta == 0 else 0.0
        if self.delta(largest if math.isfinite(largest) else 700.0) > delta:
            return math.inf
        low, high = 0.0, largest if math.isfinite(largest) else 700.0
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.delta(middle) > delta else (low, middle)
        return low

    def event(self, epsilon: float) -> tuple[float, float]:
        """Probabilities of the event that the loss exceeds epsilon, under P and under P'."""
        over = self.losses > epsilon
        return float(self.masses[over].sum()), float(self.masses[over] @ np.exp(-self.losses[over]))


def exact_audit(first: PrivacyLoss, second: PrivacyLoss, claim: Claim, *, subject: str, described: str) -> AuditReport:
    """The audit of two known laws: `first` has P of the first table over P' of the second, `second` the other way round."""
    if not (len(first.masses) and len(second.masses)):
        raise InvalidInput("a law needs at least one output.")
    events = []
    for law, name in ((first, "the first"), (second, "the second")):
        bound = law.epsilon(claim.delta)
        level = min(bound, claim.epsilon) if claim.delta > 0 else bound * (1.0 - 1e-6)
        share, other = law.event(level)
        events.append(
            Event(
                description=f"privacy loss > {level:.4g}",
                likelier=name,
                hits=None,
                misses=None,
                share=min(1.0, share),
                other_share=min(1.0, other),
                bound=bound,
            )
        )
    if claim.delta > 0:
        violated = max(first.delta(claim.epsilon), second.delta(claim.epsilon)) > claim.delta * (1.0 + _ROOM)
    else:
        violated = max(event.bound for event in events) > claim.epsilon * (1.0 + _ROOM)
    return AuditReport(
        subject=subject,
        method="exact",
        claim=claim,
        bound=max(event.bound for event in events),
        violated=violated,
        pair=described,
        events=tuple(events),
        confidence=None,
        runs=None,
        advantage=min(1.0, max(first.delta(0.0), second.delta(0.0))),
        picture=_picture(first, second, claim),
    )


def worst_of(reports: list[AuditReport]) -> AuditReport:
    """The report with the largest bound, violations first: audits of several pairs are one audit of the worst."""
    return max(reports, key=lambda report: (report.violated, report.bound))


def _picture(first: PrivacyLoss, second: PrivacyLoss, claim: Claim) -> LawPicture:
    """The law of the loss ln(first / second) on either table."""
    near, far = np.clip(first.losses, -60.0, 60.0), np.clip(-second.losses, -60.0, 60.0)
    pooled, weights = np.concatenate((near, far)), np.concatenate((first.masses, second.masses))
    order = np.argsort(pooled)
    along = np.cumsum(weights[order]) / weights.sum()
    low, high = (float(pooled[order[min(len(order) - 1, int(np.searchsorted(along, share)))]]) for share in (0.001, 0.999))
    reach = 1.05 * max(abs(low), abs(high), 1.2 * claim.epsilon)
    edges = np.linspace(-reach, reach, _BINS + 1)
    shares = [np.histogram(np.clip(losses, -reach, reach), bins=edges, weights=law.masses)[0] for losses, law in ((near, first), (far, second))]
    return LawPicture(
        label="privacy loss, ln(likelihood on the first / on the second)",
        edges=edges,
        first=shares[0],
        second=shares[1],
        thresholds=(-claim.epsilon, claim.epsilon),
    )
