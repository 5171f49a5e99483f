"""Kernels with a spectral measure that is drawn in a line or two: normal, Cauchy, Laplace, Student."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.kernels.base import Kernel, checked_scale

distance, special = lazily("scipy.spatial.distance"), lazily("scipy.special")
_ROUGHEST, _SMOOTHEST = 0.25, 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian(Kernel):
    """The Gaussian kernel.

        k(x, x') = exp(-gamma |x - x'|_2^2),   w ~ N(0, 2 gamma I)

    Chaudhuri, Monteleoni and Sarwate (2011), equation (88); Rahimi and Recht (2007). Features x of size about 1 each: gamma near 1 / d.
    """

    name = "gaussian"
    rotation_invariant = True
    gamma: float = 1.0
    """One over the square of a length, > 0."""

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """Normal with variance 2 gamma in every coordinate."""
        return np.sqrt(2.0 * self.gamma) * generator.standard_normal((count, features))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel."""
        return np.exp(-self.gamma * distance.cdist(rows, others, "sqeuclidean"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Laplacian(Kernel):
    """The Laplacian kernel.

        k(x, x') = exp(-gamma |x - x'|_1),   w_k = gamma c_k,  c_k independent standard Cauchy

    Rahimi and Recht (2007), figure 1. Its functions are rough, so it wants more features than a smooth kernel.
    """

    name = "laplacian"
    rotation_invariant = False
    gamma: float = 1.0
    """One over a length, > 0."""

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """Cauchy of scale gamma in every coordinate."""
        return self.gamma * generator.standard_cauchy((count, features))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel."""
        return np.exp(-self.gamma * distance.cdist(rows, others, "cityblock"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cauchy(Kernel):
    """The Cauchy kernel.

        k(x, x') = prod_k 1 / (1 + gamma^2 (x_k - x'_k)^2),   w_k = gamma l_k,  l_k independent standard Laplace (density e^{-|l|} / 2)

    Rahimi and Recht (2007), figure 1 (there without normalisation: their factor 2 would make k(x, x) = 2^d).
    """

    name = "cauchy"
    rotation_invariant = False
    gamma: float = 1.0
    """One over a length, > 0."""

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """Laplace of scale gamma in every coordinate."""
        return self.gamma * generator.laplace(size=(count, features))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel."""
        product = np.ones((len(rows), len(others)))
        for left, right in zip(rows.T, others.T, strict=True):
            product /= 1.0 + np.square(self.gamma * (left[:, np.newaxis] - right))
        return product


@dataclass(frozen=True, slots=True, kw_only=True)
class Matern(Kernel):
    """The Matern kernel of smoothness nu and length scale L.

        k(x, x') = 2^{1 - nu} / Gamma(nu) * s^nu K_nu(s),   s = sqrt(2 nu) |x - x'|_2 / L,   gamma = 1 / (2 L^2)
        w = z / sqrt(u),   z ~ N(0, 2 gamma I),  u ~ Gamma(nu, 1 / nu) independent: multivariate Student with 2 nu degrees of freedom

    (Rasmussen and Williams 2006, section 4.2.1.) nu = 1/2 is exp(-|x - x'| / L); as nu grows, u tends to 1 and k to the Gaussian kernel of the same
    gamma, which is why the scale is written so.

    `Matern.of_length(0.3)` for a length scale in place of gamma.
    """

    name = "matern"
    rotation_invariant = True
    gamma: float = 1.0
    """1 / (2 L^2), L the length scale; > 0."""
    nu: float = 1.5
    """Smoothness, from 0.25 (below, frequencies have no usable range) to 50 (above, it is the Gaussian kernel): 0.5, 1.5 and 2.5 are usual."""

    def __post_init__(self) -> None:
        """Refuse a scale that is none, and a smoothness out of range."""
        Kernel.__post_init__(self)
        if not _ROUGHEST <= self.nu <= _SMOOTHEST:
            raise InvalidInput(
                f"the matern kernel needs a smoothness nu from {_ROUGHEST:g} to {_SMOOTHEST:g}; {self.nu!r} was given. Try 1.5, or 'gaussian'."
            )

    @classmethod
    def of_length(cls, length_scale: float, *, nu: float = 1.5) -> Self:
        """The kernel of this length scale, > 0."""
        checked_scale(length_scale, "matern", what="length scale")
        return cls(gamma=0.5 / length_scale**2, nu=nu)

    def frequencies(self, generator: np.random.Generator, *, features: int, count: int) -> Floats:
        """A normal vector over the root of one Gamma number a frequency."""
        normal = np.sqrt(2.0 * self.gamma) * generator.standard_normal((count, features))
        return normal / np.sqrt(generator.gamma(self.nu, 1.0 / self.nu, size=(count, 1)))

    def value(self, rows: Floats, others: Floats) -> Floats:
        """See Kernel; below s = 1e-9 the kernel is 1 to many digits, while K_nu overflows at 0."""
        s = np.maximum(2.0 * math.sqrt(self.gamma * self.nu) * distance.cdist(rows, others), 1e-9)
        logarithm = (1.0 - self.nu) * math.log(2.0) - special.gammaln(self.nu) + self.nu * np.log(s)
        bessel = special.kv(self.nu, s)
        known = np.isfinite(bessel)
        return np.where(known, np.exp(logarithm) * np.where(known, bessel, 0.0), 1.0)
