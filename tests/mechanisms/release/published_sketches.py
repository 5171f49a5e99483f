"""What was published about the privacy of Gaussian sketches, to compare the exact curves of module `profiles` with; no mechanism uses it.

k rows of S Z + sigma N, records of norm at most 1, gamma = 1 + sigma^2 (or sigma^2 + lambda_min(Z'Z) where that is credited), zero-out neighbours:

    Lev et al. 2025, lemma 1    Renyi divergence of order alpha in (1, gamma):
                                phi = k alpha / (2 (alpha - 1)) ln(1 - 1/gamma) - k / (2 (alpha - 1)) ln(1 - alpha/gamma)
    and its conversion          epsilon = min over alpha of  phi + ln(1 - 1/alpha) - ln(alpha delta) / (alpha - 1)
    Sheffet, as coded publicly  sigma^2 = 4 (sqrt(2 k ln(8/delta)) + ln(8/delta)) / epsilon

phi is the divergence of the worst pair, so the first loses in the conversion only: 6 to 13 per cent of the noise. The second is sound, and loses a
factor of about 8. (The original texts of Sheffet 2017 and 2019 were not at hand: the constant is that of code that accompanies Lev et al.)
"""

import math

from scipy.optimize import brentq, minimize_scalar


def lev_divergence(order, rows, gamma):
    """phi; `order` is alpha, 1 < alpha < gamma."""
    half = 0.5 * rows / (order - 1.0)
    return half * order * math.log1p(-1.0 / gamma) - half * math.log1p(-order / gamma)


def lev_epsilon(rows, gamma, delta):
    """epsilon at `delta`, over orders of at least 1.0001."""

    def at(log):
        order = 1.0 + math.exp(log)
        return lev_divergence(order, rows, gamma) + math.log1p(-1.0 / order) - math.log(order * delta) / (order - 1.0)

    found = minimize_scalar(at, bounds=(math.log(1e-4), math.log(gamma - 1.0 - 1e-9)), method="bounded", options={"xatol": 1e-10})
    return float(found.fun)


def lev_gamma(rows, epsilon, delta):
    """The least gamma for (epsilon, delta); compare gamma - 1 with sigma^2."""
    return math.exp(brentq(lambda log: lev_epsilon(rows, math.exp(log), delta) - epsilon, math.log(1.01), math.log(1e9), xtol=1e-9))


def sheffet_variance(rows, epsilon, delta):
    """sigma^2 as coded."""
    log = math.log(8.0 / delta)
    return 4.0 * (math.sqrt(2.0 * rows * log) + log) / epsilon
