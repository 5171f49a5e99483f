"""Exact sums with discrete Gaussian noise: what regressions and releases of second moments share (proof notes refined.md and moments.md).

Discrete Gaussian integers instead of rounded normal ones cost what `discrete_delta` says for the least of their scales (lemma 2 of residual_stage.md,
whose proof holds with one scale per coordinate).
"""

from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from discreet.accounting import ApproximateDP, NoGuarantee, discrete_delta, gaussian_mu
from discreet.core.errors import InfeasibleTarget
from discreet.core.neighbours import Neighbours
from discreet.noise import Integers, Noise

LEAST_SCALE, LARGEST_SCALE = 64.0, 2.0**52

M = TypeVar("M")


class Bounded(Protocol):
    """A public problem with a bound of the number of records."""

    @property
    def most_records(self) -> int:
        """For which sums are exact."""


def integers(noise: Noise, scale: float, count: int) -> Integers:
    """`count` independent discrete Gaussian integers."""
    return noise.discrete_gaussian(scale=scale, dimension=count, draws=1)[:, 0] if count else np.zeros(0, dtype=np.int64)


def noisy_products(exact: Integers, noise: Noise, *, diagonal: float, off: float) -> Integers:
    """A symmetric matrix (m, m) with independent noise of these deviations on its diagonal and above it."""
    size = len(exact)
    upper = np.triu_indices(size, 1)
    products = np.zeros((size, size), dtype=np.int64)
    products[upper] = exact[upper] + integers(noise, off, len(upper[0]))
    products += products.T
    products[np.diag_indices(size)] = np.diag(exact) + integers(noise, diagonal, size)
    return products


def composed_delta(epsilon: float, mu: float, *, integers: int, stages: int, least_scale: float) -> float:
    """delta of all stages with discrete noise; 1 where the lemma does not apply."""
    return 1.0 if least_scale < LEAST_SCALE else discrete_delta(epsilon, mu, integers=integers, scale=least_scale, stages=stages)


def least_noise(made: Callable[[float], M], fits: Callable[[M], bool], *, epsilon: float, delta: float, problem: Bounded) -> M:
    """The mechanism `made` for a mu that `fits`, as near as may be to that of (epsilon, delta).

    Raises InfeasibleTarget where the integers have no room for the noise.
    """
    mu = gaussian_mu(epsilon, delta)
    for _ in range(60):
        found = made(mu)
        if fits(found):
            return found
        mu *= 1.0 - 1e-7
    raise InfeasibleTarget(
        f"epsilon={epsilon:g}, delta={delta:g} needs more noise than 64-bit integers can hold for up to {problem.most_records} records. "
        "Declare a smaller most_records, or use a larger budget."
    )


def stated(epsilon: float, delta: float, neighbours: Neighbours, theorem: str, *, secret: tuple[str, ...] = ()) -> ApproximateDP | NoGuarantee:
    """The guarantee of this delta; none where it reaches 1."""
    if not delta < 1:
        return NoGuarantee(theorem=f"{theorem}: delta reaches 1 at epsilon = {epsilon:g}", neighbours=neighbours, secret=secret)
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, neighbours=neighbours, theorem=theorem, secret=secret)
