"""Calibrations as printed in the papers, for comparison: each carries the guarantee that holds for its noise, none where what is printed is false.

    tu_theorem_1       Tu 2013, theorem 1, a fixed projection:  sigma = B sigma_p sqrt(k + 2 sqrt(k ln(2/delta)) + 2 ln(2/delta))
                                                                        sqrt(2 (ln(1/(2 delta)) + epsilon)) / epsilon
    tu_factor_2        Tu 2013, theorem 2:  sigma = B sigma_p sqrt(4 ln(k/delta)^2 + 2 e_1 ln(2k/delta)) / e_1
    farokhi_theorem_5  Farokhi 2020, theorem 2.5:  level^{1/4} |Pi^{1/4}|_{inf,2} (1 + sqrt(2 ln(1/delta))) = epsilon

What is wrong with each is in the proof notes. The rule of Showkatbakhsh et al. 2018, eq. 13, has a module of its own: its noise depends on
the records, so it promises nothing at all.

What was published about the privacy of Gaussian sketches, to compare the exact curves of module `profiles` with; no mechanism uses it.

k rows of S Z + sigma N, records of norm at most 1, gamma = 1 + sigma^2 (or sigma^2 + lambda_min(Z'Z) where that is credited), zero-out neighbours:

    Lev et al. 2025, lemma 1    Renyi divergence of order alpha in (1, gamma):
                                phi = k alpha / (2 (alpha - 1)) ln(1 - 1/gamma) - k / (2 (alpha - 1)) ln(1 - alpha/gamma)
    and its conversion          epsilon = min over alpha of  phi + ln(1 - 1/alpha) - ln(alpha delta) / (alpha - 1)
    Sheffet, as coded publicly  sigma^2 = 4 (sqrt(2 k ln(8/delta)) + ln(8/delta)) / epsilon

phi is the divergence of the worst pair, so the first loses in the conversion only: 6 to 13 per cent of the noise. The second is sound, and loses a
factor of about 8. (The original texts of Sheffet 2017 and 2019 were not at hand: the constant is that of code that accompanies Lev et al.)
"""

import math

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from discreet.accounting import ApproximateDP, Guarantee
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.mechanisms.release.fisher_noise import FisherNoise
from discreet.mechanisms.release.profiles import require_rows
from discreet.mechanisms.release.rows import GaussianRelease
from discreet.queries import Projection, WeightedRows


def tu_factor_1(epsilon: float, delta: float, width: int) -> float:
    """sigma / (B sigma_p) of theorem 1 as printed, the radical ending before the last factor."""
    _checked(epsilon, delta)
    longest = math.sqrt(width + 2.0 * math.sqrt(width * math.log(2.0 / delta)) + 2.0 * math.log(2.0 / delta))
    return longest * math.sqrt(2.0 * (math.log(0.5 / delta) + epsilon)) / epsilon


def tu_factor_2(epsilon: float, delta: float, width: int) -> float:
    """sigma / (B sigma_p) of theorem 2 as printed: epsilon = sqrt(2 k ln(2/delta)) e_1 + k e_1 (e^{e_1} - 1), e^x - 1 <= 2 x."""
    _checked(epsilon, delta)
    root = math.sqrt(2.0 * width * math.log(2.0 / delta))
    each = (math.sqrt(root**2 + 8.0 * width * epsilon) - root) / (4.0 * width)
    logs = math.log(width / delta)
    return math.sqrt(4.0 * logs**2 + 2.0 * each * math.log(2.0 * width / delta)) / each


def tu_theorem_1(query: Projection, *, epsilon: float, delta: float) -> GaussianRelease:
    """Theorem 1 for a fixed projection with N(0, 1 / width) entries, replace-one."""
    longest = 2.0 * query.read.norm
    deviation = longest * tu_factor_1(epsilon, delta, query.columns) / math.sqrt(query.columns)
    made = GaussianRelease.of_deviation(query, deviation=deviation, epsilon=epsilon, neighbours=REPLACE_ONE)
    return made if _true(made.guarantee(query), delta) else made.with_reason(_tu_reason(made.delta(query, epsilon), epsilon, delta))


def farokhi_theorem_5(query: WeightedRows, *, epsilon: float, delta: float) -> FisherNoise:
    """Theorem 2.5 with equality, replace-one. |T|_{inf,2}, the largest |T x| over |x|_inf <= 1, is exact for diagonal weights, bounded for others."""
    _checked(epsilon, delta)
    root = query.map.matrix
    longest = math.sqrt(float(np.sum(np.abs(root.T @ root))))
    level = (epsilon / (longest * (1.0 + math.sqrt(2.0 * math.log(1.0 / delta))))) ** 4
    made = FisherNoise.of_level(query, level=level, epsilon=epsilon)
    if _true(made.guarantee(query), delta):
        return made
    why = (
        f"as printed (Farokhi 2020, theorem 2.5) this noise claims delta = {delta:g} at epsilon = {epsilon:g}. That assumes numbers that "
        f"differ by at most 1, and small epsilon. On the declared domain delta is {made.inner.delta(query, epsilon):.3g}. Nothing is promised"
    )
    return made.with_reason(why)


def lev_divergence(order: float, rows: int, gamma: float) -> float:
    """phi; `order` is alpha. Raises InvalidInput unless 1 < alpha < gamma."""
    require_rows(rows)
    if not 1 < order < gamma < math.inf:
        raise InvalidInput(f"lemma 1 needs 1 < alpha < gamma; alpha={order!r}, gamma={gamma!r} were given.")
    half = 0.5 * rows / (order - 1.0)
    return half * order * math.log1p(-1.0 / gamma) - half * math.log1p(-order / gamma)


def lev_epsilon(rows: int, gamma: float, delta: float) -> float:
    """epsilon at `delta`, over orders of at least 1.0001."""
    if not (0 < delta < 1 and gamma > 1.001):
        raise InvalidInput(f"the conversion needs 0 < delta < 1 and gamma > 1.001; delta={delta!r}, gamma={gamma!r} were given.")

    def at(log: float) -> float:
        order = 1.0 + math.exp(log)
        return lev_divergence(order, rows, gamma) + math.log1p(-1.0 / order) - math.log(order * delta) / (order - 1.0)

    found = minimize_scalar(at, bounds=(math.log(1e-4), math.log(gamma - 1.0 - 1e-9)), method="bounded", options={"xatol": 1e-10})
    return float(found.fun)


def lev_gamma(rows: int, epsilon: float, delta: float) -> float:
    """The least gamma for (epsilon, delta); compare gamma - 1 with sigma^2."""
    return math.exp(brentq(lambda log: lev_epsilon(rows, math.exp(log), delta) - epsilon, math.log(1.01), math.log(1e9), xtol=1e-9))


def sheffet_variance(rows: int, epsilon: float, delta: float) -> float:
    """sigma^2 as coded."""
    require_rows(rows)
    if not (epsilon > 0 and 0 < delta < 1):
        raise InvalidInput(f"the formula needs epsilon > 0 and 0 < delta < 1; epsilon={epsilon!r}, delta={delta!r} were given.")
    log = math.log(8.0 / delta)
    return 4.0 * (math.sqrt(2.0 * rows * log) + log) / epsilon


def _tu_reason(exact: float, epsilon: float, delta: float) -> str:
    return (
        f"as printed (Tu 2013, theorem 1) this noise claims delta = {delta:g} at epsilon = {epsilon:g}. The proof covers each pair of records "
        "with high probability over the projection, but whoever sees the projection can look for the pair that it stretches most, and that one is "
        f"protected less: delta is {exact:.3g}. Nothing is promised"
    )


def _true(stated: Guarantee, delta: float) -> bool:
    return isinstance(stated, ApproximateDP) and stated.delta_at_epsilon <= delta


def _checked(epsilon: float, delta: float) -> None:
    if not (0 < epsilon < 100 and 0 < delta < 0.5):
        raise InvalidInput(f"the published formulas need 0 < epsilon < 100 and 0 < delta < 1/2; epsilon={epsilon!r}, delta={delta!r} were given.")
