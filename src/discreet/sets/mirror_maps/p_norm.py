"""Half the squared p-norm of magnitudes, for l1 balls, group-LASSO balls and nuclear-norm balls.

    Psi(x) = |t(x)|_p^2 / (2 (p - 1)),   p = 1 + 1 / ln m,   q = p / (p - 1) = 1 + ln m     (p = 2 for m <= 2; m magnitudes t, see spectra.py)

    norm |t(x)|_p,  Delta = 1,  R = r^2 / (2 (p - 1)) = r^2 ln(m) / 2,  |Q|_2 = 1 (p <= 2),  G_Q = E |t(g)|_q
    step(a, v): the magnitudes of z = grad Psi(a) - v are shrunk by the lambda >= 0 that brings the sum of magnitudes of conjugate_gradient down to r

Strong convexity: |t(.)|_p^2 / 2 is (p - 1)-strongly convex in its own norm for 1 < p <= 2, in l_p and in the Schatten classes (Ball, Carlen and Lieb
1994), and in l_p(l_2), which embeds isometrically in L_p. In terms of the l1 norm of magnitudes, |t|_p >= m^(-1/q) |t|_1, Delta is m^(-2/q), just
above e^-2. Step: the optimality condition grad Psi(b) + lambda sign(b) = z, lambda > 0 only where sum t(b) = r, means that b is conjugate_gradient of
z shrunk by lambda.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.sets import Constraint, GroupL2Ball, L1Ball, NuclearBall
from discreet.sets.base import outward
from discreet.sets.mirror_maps.spectra import SpectralMap, spectrum_of
from discreet.sets.norm_balls import norm as lp_norm


@dataclass(frozen=True, slots=True, kw_only=True)
class PNormMap(SpectralMap):
    """Half the squared p-norm of magnitudes over p - 1."""

    name = "p-norm"

    def __post_init__(self) -> None:
        """Refuse other sets."""
        spectrum_of(self.constraint)

    @staticmethod
    def serves(constraint: Constraint) -> bool:
        """Sets with magnitudes."""
        return isinstance(constraint, L1Ball | GroupL2Ball | NuclearBall)

    @property
    def exponent(self) -> float:
        """p."""
        return 1.0 + 1.0 / max(math.log(self._spectrum.count), 1.0)

    @property
    def range(self) -> float:
        """From the centre to where one magnitude has all."""
        return outward(self._spectrum.radius**2 / (2.0 * (self.exponent - 1.0)), self.constraint.dimension)

    @property
    def norm_l1_radius(self) -> float:
        """Smaller where magnitudes are the coordinates themselves."""
        if isinstance(self.constraint, L1Ball):
            return float(self.constraint.dimension) ** (1.0 - 1.0 / self.exponent)
        return super(PNormMap, self).norm_l1_radius

    @property
    def norm_width(self) -> float:
        """The mean dual norm of noise, from above."""
        return self._spectrum.noise(self._dual)

    @property
    def _dual(self) -> float:
        return self.exponent / (self.exponent - 1.0)

    def norm(self, difference: Floats) -> float:
        """The p-norm of magnitudes."""
        return lp_norm(self._spectrum.split(difference).magnitudes, self.exponent)

    def value(self, state: Floats) -> float:
        """Psi."""
        return self.norm(state) ** 2 / (2.0 * (self.exponent - 1.0))

    def _slopes(self, magnitudes: Floats) -> Floats:
        """|t|_p^{2-p} t^{p-1} / (p - 1)."""
        length = lp_norm(magnitudes, self.exponent)
        if length == 0.0:
            return np.zeros(magnitudes.size)
        return (magnitudes / length) ** (self.exponent - 1.0) * (length / (self.exponent - 1.0))

    def _inverse(self, magnitudes: Floats) -> Floats:
        """(p - 1) |w|_q^{2-q} w^{q-1}."""
        length = lp_norm(magnitudes, self._dual)
        if length == 0.0:
            return np.zeros(magnitudes.size)
        return (magnitudes / length) ** (self._dual - 1.0) * (length * (self.exponent - 1.0))
