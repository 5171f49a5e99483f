"""Generalisation with explicit constants: from empirical excess to expected excess (proof note localised.md).

    Jbar(f) = E l(y f.x) + (Lambda / 2) |f|^2,   f_rtr its minimiser;   J the same on n independent records,   f* its minimiser
    |l'| <= L, |x| <= R, l convex

Theorem. For a number e >= 0 fixed in advance, with probability at least 1 - delta over the records, every f with J(f) - J(f*) <= e has

    Jbar(f) - Jbar(f_rtr) <= T(e),     T = e + K sqrt(T),     K = L R (2 + sqrt(2 ln(1 / delta))) sqrt(2 / (Lambda n))

so that sqrt(T) = (K + sqrt(K^2 + 4 e)) / 2 <= sqrt(e) + K. Then, for every f0 of norm at most B (Chaudhuri et al. 2011, (45)),

    L(f_priv) <= L(f0) + T(e) + (Lambda / 2) B^2        with probability at least 1 - delta - (what e fails with)

It implies, for a fixed e and every a > 0, T <= (1 + a) e + 8 (1 + 1/a) L^2 R^2 (32 + ln(1/delta)) / (Lambda n), which is how Sridharan,
Shalev-Shwartz and Srebro (2008), theorem 1, is remembered here (their constants were not checked against the paper; nothing rests on them).
"""

import math
from dataclasses import dataclass

from discreet.core.rounding import raising
from discreet.core.validate import each, not_negative, positive, probability


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcessBound:
    """An upper bound of L(f_priv) - L(f0), and its parts."""

    total: float
    empirical: float
    """e, the excess of J that the noise leaves."""
    generalisation: float
    """T(e) - e."""
    regularisation: float
    """(Lambda / 2) B^2."""
    ridge: float
    """Lambda."""


def localised_excess(empirical: float, *, records: float, ridge: float, failure: float, lipschitz: float = 1.0, radius: float = 1.0) -> float:
    """T(e) of the module docstring; `failure` is its delta."""
    not_negative(empirical, "empirical")
    each(positive, records=records, ridge=ridge, lipschitz=lipschitz, radius=radius)
    probability(failure, "failure")
    slope = lipschitz * radius * (2.0 + math.sqrt(2.0 * math.log(1.0 / failure))) * math.sqrt(2.0 / (ridge * records))
    return 0.25 * (slope + math.sqrt(slope**2 + 4.0 * empirical)) ** 2 * raising(4_096)


def excess_risk(
    empirical: float, *, records: float, ridge: float, norm: float, failure: float, lipschitz: float = 1.0, radius: float = 1.0
) -> ExcessBound:
    """The bound on L(f_priv) - L(f0) for |f0| <= `norm`."""
    positive(norm, "norm")
    reached = localised_excess(empirical, records=records, ridge=ridge, failure=failure, lipschitz=lipschitz, radius=radius)
    regularisation = 0.5 * ridge * norm**2
    return ExcessBound(
        total=reached + regularisation,
        empirical=empirical,
        generalisation=reached - empirical,
        regularisation=regularisation,
        ridge=ridge,
    )


def excess_risk_sridharan(
    empirical: float, *, records: float, ridge: float, norm: float, failure: float, lipschitz: float = 1.0, radius: float = 1.0
) -> float:
    """The same by the theorem of 2008 as it is remembered (see above), least over a > 0: (sqrt(e) + sqrt(M))^2 + (Lambda / 2) B^2.

    For comparison only: it is never below `excess_risk`.
    """
    positive(norm, "norm")
    not_negative(empirical, "empirical")
    each(positive, records=records, ridge=ridge, lipschitz=lipschitz, radius=radius)
    probability(failure, "failure")
    room = 8.0 * (lipschitz * radius) ** 2 * (32.0 + math.log(1.0 / failure)) / (ridge * records)
    return (math.sqrt(empirical) + math.sqrt(room)) ** 2 + 0.5 * ridge * norm**2


def best_objective_ridge(
    length: float, *, records: float, norm: float, failure: float, least: float = 0.0, lipschitz: float = 1.0, radius: float = 1.0
) -> float:
    """The Lambda of at least `least` with the least bound for objective perturbation with |b| <= `length`, e = length^2 / (2 n^2 Lambda).

    T(e) = t / (n Lambda) with sqrt(t) = (k + sqrt(k^2 + 2 length^2 / n)) / 2 and k = L R (2 + sqrt(2 ln(1/failure))) sqrt(2), so the bound is convex
    in Lambda and its minimum B sqrt(2 t / n) at Lambda = sqrt(2 t / n) / B.
    """
    each(not_negative, length=length, least=least)
    each(positive, records=records, norm=norm, lipschitz=lipschitz, radius=radius)
    probability(failure, "failure")
    k = lipschitz * radius * (2.0 + math.sqrt(2.0 * math.log(1.0 / failure))) * math.sqrt(2.0)
    root = 0.5 * (k + math.sqrt(k**2 + 2.0 * length**2 / records))
    return max(least, root * math.sqrt(2.0 / records) / norm)
