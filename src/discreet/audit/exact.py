"""An exact audit: the privacy loss of two known output laws, and the least epsilon that they allow.

    delta(epsilon) = sum over outputs of (P - e^epsilon P')_+ = E_P (1 - e^{epsilon - L})_+,    L = ln(P / P')

and the least epsilon at a given delta is where this falls to delta; at delta = 0 it is the largest loss. A law is a list of masses under P with the
loss at each: all outputs where they are discrete, nodes of a quadrature where they have densities. Nothing of a calibration takes part; a sum over
nodes is off by about 1e-5 of delta, so a violation is only spoken of beyond a relative 1e-4 of delta, or of epsilon where delta is 0.

Exact laws of integers, choices, transcripts and sketches: the privacy losses of everything here that has a discrete or a chi-square law.

counts          k + K, K discrete Laplace or Gaussian, in several places at once
a choice        P(i) proportional to exp(-rate z_i)
a transcript    what an adversary sees who watches every step of a Frank-Wolfe or mirror walk: choices of vertices, noisy gradients
a sketch        k rows N(0, 1 + h) against k rows N(0, 1), or N(0, diag(1 + h, 1)) against N(0, diag(1, 1 + h))
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.signal import fftconvolve
from scipy.stats import binom

from discreet.audit.claim import Claim
from discreet.audit.report import AuditReport, Event, LawPicture
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.short import short_repr
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace

_ROOM = 1e-4
_BINS = 48
_REACH = 9.5
"""Standard deviations beyond which a normal number has next to no mass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyLoss:
    """Masses under P, (m,), with ln(P / P') at each, (m,); a loss may be infinite."""

    masses: Floats
    losses: Floats

    __repr__ = short_repr

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
        """The smallest epsilon >= 0 with delta(epsilon) <= delta; infinity if there is none."""
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
    """The audit of two known distributions: `first` is P of the first table relative to P' of the second, `second` the reverse."""
    if not (len(first.masses) and len(second.masses)):
        raise InvalidInput("a distribution needs at least one output.")
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


def gaussian_integers(shift: float, scale: float, *, times: int = 1) -> PrivacyLoss:
    """`times` integers k_t + K_t, K_t discrete Gaussian, where all k_t differ by `shift` between P and P'.

    The loss is a function of the sum of the integers: sum_t (2 K_t shift + shift^2) / (2 scale^2) under P, with the law of the sum by convolution.
    """
    _, law = DiscreteGaussian(scale).masses()
    total = law
    for _ in range(times - 1):
        total = np.maximum(fftconvolve(total, law), 0.0)
    sums = np.arange(len(total)) - (len(total) - 1) // 2
    return PrivacyLoss(masses=total, losses=np.asarray((2.0 * sums * shift + times * shift**2) / (2.0 * scale**2)))


def laplace_integers(shifts: tuple[int, ...], scale: float) -> PrivacyLoss:
    """Integers k_j + K_j, K_j discrete Laplace, where k_j differs by shifts[j] between P and P'."""
    masses, losses = np.ones(1), np.zeros(1)
    k, law = DiscreteLaplace(scale).masses()
    for shift in shifts:
        one = DiscreteLaplace(scale).log_ratio(k, shift)
        levels, place = np.unique(np.round(one, 12), return_inverse=True)  # few different losses, many integers
        of_level = np.bincount(place.ravel(), weights=law)
        masses, losses = np.outer(masses, of_level).ravel(), (losses[:, np.newaxis] + levels).ravel()
    return PrivacyLoss(masses=masses, losses=losses)


def choice(scores: Floats, other_scores: Floats, rate: float) -> PrivacyLoss:
    """One index, drawn with probability proportional to exp(-rate score)."""
    here, there = (np.exp(-rate * (np.asarray(z, dtype=float) - np.min(z))) for z in (scores, other_scores))
    return PrivacyLoss.of_masses(here / here.sum(), there / there.sum())


def two_outcomes(odds: float, other_odds: float, steps: int) -> PrivacyLoss:
    """`steps` independent choices of two outcomes with these log odds under P and P'."""
    ones = np.arange(steps + 1)
    p, q = 1.0 / (1.0 + np.exp(-odds)), 1.0 / (1.0 + np.exp(-other_odds))
    here = binom.pmf(ones, steps, p)
    seen = here > 0
    losses = binom.logpmf(ones, steps, p) - binom.logpmf(ones, steps, q)
    return PrivacyLoss(masses=here[seen], losses=losses[seen])


def sketch(rows: int, ratio: float, *, removed: bool, nodes: int = 20_001) -> tuple[PrivacyLoss, PrivacyLoss]:
    """The loss of a Gaussian sketch in both orders: |z|^2 / beta = `ratio` is what one record adds to the variance along it.

    `removed`: the record is there or not; otherwise it is replaced by one at a right angle. Quadrature over chi_k, in two dimensions for the latter.
    """
    if removed:
        radius, masses = _chi(rows, nodes)
        total = 0.5 * rows * np.log1p(ratio)
        squares = np.square(radius)
        return (
            PrivacyLoss(masses=masses, losses=0.5 * ratio * squares - total),
            PrivacyLoss(masses=masses, losses=total - 0.5 * ratio / (1.0 + ratio) * squares),
        )
    radius, masses = _chi(rows, 701)
    squares = np.square(radius)
    gain = 0.5 * ratio / (1.0 + ratio)
    losses = gain * ((1.0 + ratio) * squares[:, np.newaxis] - squares)
    one = PrivacyLoss(masses=np.outer(masses, masses).ravel(), losses=losses.ravel())
    return one, one


def _chi(degrees: int, nodes: int) -> tuple[Floats, Floats]:
    """Nodes and masses of the length of a standard Gaussian vector."""
    radius = np.linspace(max(1e-6, np.sqrt(max(degrees - 1.0, 0.0)) - _REACH), np.sqrt(degrees) + _REACH, nodes)
    logs = (degrees - 1.0) * np.log(radius) - 0.5 * np.square(radius)
    masses = np.exp(logs - logs.max())
    return radius, masses / masses.sum()
