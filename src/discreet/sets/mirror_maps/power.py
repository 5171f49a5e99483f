"""The separable map of Ben-Tal and Nemirovski (2013, section 5.3.3) for l1 balls and group-LASSO balls.

    Psi(x) = r^2 omega(x / r),   omega(x) = (1 / (gamma p)) sum_i t_i(x)^p,   t the m magnitudes (spectra.py)
    p = 2 for m <= 2, else 1 + 1 / ln m;    gamma = 1, 1/2 or 1 / (e ln m) for m = 1, 2 or more

    norm sum_i t_i (that of the set at r = 1),  Delta = 1 on the set,  R = r^2 / (gamma p) <= e r^2 ln m,  |Q|_2 = 1,  G_Q = the set's width at r = 1

Strong convexity, m >= 3: along h, with s_i the block norms of h, the second derivative of omega at |x| <= 1 is at least ((p - 1) / gamma)
sum t_i^{p-2} s_i^2 >= ((p - 1) / gamma) (sum s_i)^2 / sum t_i^{2-p} (Cauchy and Schwarz), and sum t_i^{2-p} <= m^{p-1} (sum t_i)^{2-p} <= e.
PNormMap's bound of risk is usually smaller, by its smaller range; this map's step needs no power of a norm, and its norm is the set's own.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidType
from discreet.sets import Constraint, GroupL2Ball, L1Ball
from discreet.sets.base import outward
from discreet.sets.mirror_maps.spectra import SpectralMap


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerMap(SpectralMap):
    """The sum of powers of magnitudes."""

    name = "power"
    constraint: L1Ball | GroupL2Ball
    """C."""

    def __post_init__(self) -> None:
        """Refuse other sets."""
        if not self.serves(self.constraint):
            raise InvalidType(
                f"PowerMap needs an L1Ball or a GroupL2Ball; a {type(self.constraint).__name__} was given. PNormMap takes a NuclearBall."
            )

    @staticmethod
    def serves(constraint: Constraint) -> bool:
        """Sets whose norm is a sum of magnitudes that can be told one by one."""
        return isinstance(constraint, L1Ball | GroupL2Ball)

    @property
    def exponent(self) -> float:
        """p."""
        return 2.0 if self._spectrum.count <= 2 else 1.0 + 1.0 / math.log(self._spectrum.count)

    @property
    def range(self) -> float:
        """From the centre to where one magnitude has all."""
        return outward(self._spectrum.radius**2 / (self._gamma * self.exponent), self.constraint.dimension)

    @property
    def norm_l1_radius(self) -> float:
        """1 where magnitudes are the coordinates themselves."""
        return 1.0 if isinstance(self.constraint, L1Ball) else super(PowerMap, self).norm_l1_radius

    @property
    def norm_width(self) -> float:
        """The width of the set at radius 1."""
        return self.constraint.gaussian_width / self.constraint.radius

    @property
    def _gamma(self) -> float:
        count = self._spectrum.count
        return 1.0 / count if count <= 2 else 1.0 / (math.e * math.log(count))

    def _unbounded(self, magnitudes: Floats) -> tuple[Floats, float]:
        """One threshold before the power leaves none above r."""
        top = float(magnitudes.max())
        most = min(top, self._spectrum.radius / self._gamma)
        return self._inverse(np.maximum(most - (top - magnitudes), 0.0)), most

    def norm(self, difference: Floats) -> float:
        """The sum of magnitudes."""
        return float(self._spectrum.split(difference).magnitudes.sum())

    def value(self, state: Floats) -> float:
        """Psi."""
        magnitudes, radius = self._spectrum.split(state).magnitudes, self._spectrum.radius
        return float(np.sum((magnitudes / radius) ** self.exponent)) * radius**2 / (self._gamma * self.exponent)

    def _slopes(self, magnitudes: Floats) -> Floats:
        """(r / gamma) (t / r)^{p-1}."""
        radius = self._spectrum.radius
        return (magnitudes / radius) ** (self.exponent - 1.0) * (radius / self._gamma)

    def _inverse(self, magnitudes: Floats) -> Floats:
        """r (gamma w / r)^{1/(p-1)}."""
        radius = self._spectrum.radius
        return (magnitudes * (self._gamma / radius)) ** (1.0 / (self.exponent - 1.0)) * radius
