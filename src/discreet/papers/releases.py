"""Calibrations as printed in the papers, for comparison: each carries the guarantee that holds for its noise, none where what is printed is false.

    tu_theorem_1       Tu 2013, theorem 1, a fixed projection:  sigma = B sigma_p sqrt(k + 2 sqrt(k ln(2/delta)) + 2 ln(2/delta))
                                                                        sqrt(2 (ln(1/(2 delta)) + epsilon)) / epsilon
    tu_factor_2        Tu 2013, theorem 2:  sigma = B sigma_p sqrt(4 ln(k/delta)^2 + 2 e_1 ln(2k/delta)) / e_1
    farokhi_theorem_5  Farokhi 2020, theorem 2.5:  level^{1/4} |Pi^{1/4}|_{inf,2} (1 + sqrt(2 ln(1/delta))) = epsilon
    showkatbakhsh_16   Showkatbakhsh et al. 2018, eq. 16:  bits about an entry <= k log2(1 + 1 / (sigma^2 + f^2)) / 2

What is wrong with each is in the proof notes. The rule of Showkatbakhsh et al. 2018, eq. 13, has a module of its own: its noise depends on
the records, so it promises nothing at all.
"""

import math

import numpy as np

from discreet.accounting import ApproximateDP, Guarantee
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.mechanisms.release.fisher_noise import FisherNoise
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


def showkatbakhsh_16(rows: int, hidden: float) -> float:
    """Bits about an entry by equation 16 as printed, `hidden` being sigma^2 + f^2 (sketch.md, section 7)."""
    return 0.5 * rows * math.log1p(1.0 / hidden) / math.log(2.0)


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
