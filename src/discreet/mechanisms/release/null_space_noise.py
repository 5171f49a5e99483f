"""Noise that leaves a given support vector machine unchanged (Farokhi 2020, theorem 2.10): NOT private; for comparison (fisher_noise.md).

    W = sqrt(variance) (I - c c') G (I - a a'),    G normal (n, d),  a the machine's weights, c_i proportional to omega_i y_i, both of length 1

Rows keep their inner product with a, and sum_i omega_i y_i x_i is kept: so the machine that is trained on x_i + w_i is the same. That is the leak: it
tells every record's <a, x_i> exactly, and whoever knows all records but one support vector computes this one. The noise depends on the records.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.accounting import NoGuarantee, Unit
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.data import Records
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.mechanisms.release.answers import answers
from discreet.noise import Noise
from discreet.queries import Rows, Target
from discreet.solvers.soft_margin import solve_soft_margin
from discreet.words.rows import NullSpaceRows


@dataclass(frozen=True, slots=True, kw_only=True)
class NullSpaceNoise(NullSpaceRows, Mechanism[Rows, Records]):
    """Correlated noise; targets, which must be +1 and -1, are released in clear as the last column."""

    def __post_init__(self) -> None:
        """Refuse sizes that are none."""
        if not all(is_finite(size) and size > 0 for size in (self.variance, self.rho, self.theta)):
            raise InvalidInput("null-space noise needs a positive finite variance, rho and theta.")

    def promise(self, query: Rows) -> NoGuarantee:
        """NoGuarantee, with the reason in its theorem."""
        if query.target is not Target.CLEAR:
            raise InvalidInput("null-space noise needs the targets without noise. Use target='clear'.")
        return NoGuarantee(neighbours=REPLACE_ONE, unit=Unit.FEATURES, theorem=self.theorem)

    def require(self, query: Rows, data: Records) -> None:
        """See Mechanism; also for targets that are no signs."""
        query.read.require(data)
        if not np.all(np.abs(data.targets) == 1.0):
            raise InvalidInput("null-space noise needs targets +1 and -1.")

    def draw(self, query: Rows, data: Records, noise: Noise) -> Drawn:
        """See Mechanism. Raises SolverFailure where the machine cannot be solved to 1e-9."""
        rows = np.concatenate([np.zeros((0, query.columns)), *(block for _, block in answers(query, data))])
        found = solve_soft_margin(rows, data.targets, rho=self.rho, theta=self.theta)
        normals = noise.gaussian(scale=math.sqrt(self.variance), dimension=len(rows), draws=query.columns)
        across, along = _unit(found.multipliers * data.targets), _unit(found.weights)
        normals = normals - np.outer(across, across @ normals)
        normals = normals - np.outer(normals @ along, along)
        return Drawn((len(rows), query.columns + 1), iter((np.column_stack((rows + normals, data.targets)),)))


def _unit(vector: Floats) -> Floats:
    """Of length 1; zero stays zero."""
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0 else vector
