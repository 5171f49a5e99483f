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
from scipy.optimize import brentq

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidType
from discreet.sets import Constraint, GroupL2Ball, L1Ball
from discreet.sets.checks import outward, vector
from discreet.sets.mirror_maps.base import MirrorMap
from discreet.sets.mirror_maps.spectra import Spectrum, spectrum_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerMap(MirrorMap):
    """The sum of powers of magnitudes."""

    name = "power"
    norm_radius = 1.0
    """|.|_2 is at most the sum of magnitudes."""
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
    def _spectrum(self) -> Spectrum:
        return spectrum_of(self.constraint)

    @property
    def _gamma(self) -> float:
        count = self._spectrum.count
        return 1.0 / count if count <= 2 else 1.0 / (math.e * math.log(count))

    def start(self) -> Floats:
        """The origin."""
        return np.zeros(self.constraint.dimension)

    def step(self, state: Floats, direction: Floats) -> Floats:
        """Magnitudes shrunk by one threshold before the power, which leaves none above r."""
        direction = vector(direction, self.constraint.dimension, "the direction")
        magnitudes, frame = self._spectrum.split(self.gradient(state) - direction)
        radius, top = self._spectrum.radius, float(magnitudes.max())
        gaps = top - magnitudes

        def inverse(kept: float) -> Floats:
            return self._inverse(np.maximum(kept - gaps, 0.0))

        most = min(top, radius / self._gamma)
        found = inverse(most)
        if found.sum() > radius:
            found = inverse(brentq(lambda kept: float(inverse(kept).sum()) - radius, 0.0, most, xtol=1e-300, rtol=8.9e-16, maxiter=2000))
            found *= radius / found.sum()
        return self._spectrum.join(found, frame)

    def norm(self, difference: Floats) -> float:
        """The sum of magnitudes."""
        return float(self._spectrum.split(difference).magnitudes.sum())

    def value(self, state: Floats) -> float:
        """Psi."""
        magnitudes, radius = self._spectrum.split(state).magnitudes, self._spectrum.radius
        return float(np.sum((magnitudes / radius) ** self.exponent)) * radius**2 / (self._gamma * self.exponent)

    def gradient(self, state: Floats) -> Floats:
        """Magnitudes (r / gamma) (t / r)^{p-1}."""
        magnitudes, frame = self._spectrum.split(state)
        radius = self._spectrum.radius
        return self._spectrum.join((magnitudes / radius) ** (self.exponent - 1.0) * (radius / self._gamma), frame)

    def conjugate_gradient(self, dual: Floats) -> Floats:
        """Magnitudes r (gamma w / r)^{1/(p-1)}."""
        magnitudes, frame = self._spectrum.split(dual)
        return self._spectrum.join(self._inverse(magnitudes), frame)

    def _inverse(self, magnitudes: Floats) -> Floats:
        radius = self._spectrum.radius
        return (magnitudes * (self._gamma / radius)) ** (1.0 / (self.exponent - 1.0)) * radius
