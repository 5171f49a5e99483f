"""The soft-margin support vector machine with a strictly convex cost (Farokhi 2020, eq. (2)), with its multipliers, to high accuracy.

    minimise over a, b, xi:   |a|^2 / 2 + rho (b^2 + |xi|^2) / 2 + theta sum xi_i,      y_i (<a, x_i> + b) >= 1 - xi_i,  xi_i >= 0
    maximise over omega >= 0: sum omega_i - omega' K omega / 2 - sum ((omega_i - theta)_+)^2 / (2 rho),   K_ij = y_i y_j (<x_i, x_j> + 1 / rho)

    a = sum omega_i y_i x_i,  b = sum omega_i y_i / rho,  xi_i = (omega_i - theta)_+ / rho        (eq. (15b) prints 1 for theta)

Columns are brought to a root mean square of 1, with the penalty that this needs: features in any units are no obstacle. With the kink of the cost at
margin 1 rounded over a width h, Newton steps find the minimum, h going down. Each time the rows are sorted into those beyond the kink (omega = 0), on
it (margin 1, omega in [0, theta], unknown) or short of it (omega = theta + rho xi), and the equations of this sorting are solved. The answer
is certified: no condition of optimality is violated by more than `tolerance`, margins absolutely, both sums relative to the sum of their terms'
sizes (multipliers are rounded, so with long rows no computed ones can do better). Cost n d min(n, d), memory n d.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, SolverFailure

_WIDTHS = tuple(10.0**-power for power in range(-3, 13))
_STEPS = 60
_SORTINGS = 30


Mask: TypeAlias = npt.NDArray[np.bool_]


class SoftMargin(NamedTuple):
    """The solution of both problems."""

    weights: Floats
    """a, (d,)."""
    intercept: float
    """b."""
    slacks: Floats
    """xi, (n,)."""
    multipliers: Floats
    """omega, (n,); where records of margin 1 are linearly dependent (equal ones, say) some of several solutions."""


def solve_soft_margin(rows: Floats, signs: Floats, *, rho: float = 1e-2, theta: float = 1.0, tolerance: float = 1e-9) -> SoftMargin:
    """For rows (n, d) and signs (n,) of +1 and -1. Raises SolverFailure where `tolerance` is not reached."""
    if rows.ndim != 2 or signs.shape != (len(rows),) or not np.all(np.abs(signs) == 1.0) or not (rho > 0 and theta > 0):
        raise InvalidInput("a soft-margin machine needs rows (n, d), a sign of +1 or -1 for each, and positive rho and theta.")
    basis, short = _turned(rows)
    scales = np.sqrt(np.mean(short**2, axis=0)) if len(short) else np.ones(short.shape[1])
    scales = np.where(scales > 0, scales, 1.0)
    problem = _Problem(np.column_stack((short / scales, np.ones(len(rows)))) * signs[:, np.newaxis], np.append(scales**-2.0, rho), rho, theta)
    point = np.zeros(len(scales) + 1)
    for width in _WIDTHS:
        point = problem.descended(point, width)
        found = problem.sorted_out(point, width, tolerance)
        if found is not None:
            point, omega = found
            weights = point[:-1] / scales
            return SoftMargin(weights if basis is None else basis @ weights, float(point[-1]), np.maximum(omega - theta, 0.0) / rho, omega)
    raise SolverFailure("the soft-margin machine was not solved to the asked tolerance; scale the features, or raise rho.")


def _turned(rows: Floats) -> tuple[Floats | None, Floats]:
    """Rows with more columns than there are rows, in coordinates of their span, and a basis of it; other rows as they are, with None."""
    if rows.shape[1] <= len(rows):
        return None, rows
    basis, short = np.linalg.qr(rows.T)
    return basis, short.T


class _Problem(NamedTuple):
    """minimise c' P c / 2 + sum h(1 - <g_i, c>), h(t) = theta t_+ + rho t_+^2 / 2; c = (scaled weights, b), g_i = y_i (scaled row, 1), P diagonal."""

    rows: Floats
    penalty: Floats
    rho: float
    theta: float

    def value(self, point: Floats, width: float) -> tuple[float, Floats]:
        """The cost with the kink rounded over a width, and 1 - <g_i, c>."""
        gaps = 1.0 - self.rows @ point
        over = np.maximum(gaps, 0.0)
        bent = np.where(over < width, over * over / (2.0 * width), over - 0.5 * width)
        return float(0.5 * (self.penalty * point) @ point + self.theta * bent.sum() + 0.5 * self.rho * float(over @ over)), gaps

    def descended(self, point: Floats, width: float) -> Floats:
        """Newton steps with halving, from a point."""
        here, gaps = self.value(point, width)
        for _ in range(_STEPS):
            over = np.maximum(gaps, 0.0)
            curvature = np.where(gaps > 0, self.rho, 0.0) + np.where((gaps > 0) & (gaps < width), self.theta / width, 0.0)
            gradient = self.penalty * point - self.rows.T @ (self.theta * np.minimum(over / width, 1.0) + self.rho * over)
            hessian = (self.rows.T * curvature) @ self.rows
            hessian[np.diag_indices_from(hessian)] += self.penalty
            step = _step(hessian, gradient)
            fall, length = float(gradient @ step), 1.0
            there, next_gaps = self.value(point - step, width)
            while there > here - 1e-4 * length * fall and length > 1e-9:
                length *= 0.5
                there, next_gaps = self.value(point - length * step, width)
            if not there < here:
                return point
            point, gain, gaps, here = point - length * step, here - there, next_gaps, there
            if gain <= 1e-15 * abs(here):
                break
        return point

    def sorted_out(self, point: Floats, width: float, tolerance: float) -> tuple[Floats, Floats] | None:
        """The certified solution (c, omega) by sorting the rows, begun from a point; None where no sorting fits."""
        gaps = 1.0 - self.rows @ point
        short, kink = gaps >= width, (gaps > 0) & (gaps < width)
        for _ in range(_SORTINGS):
            if np.count_nonzero(kink) > 2 * len(point) + 20:
                return None  # the width is too large to tell the rows apart
            point, omega = self._equations(short, kink)
            gaps = 1.0 - self.rows @ point
            admissible = np.where(short, np.maximum(omega, self.theta), np.clip(omega, 0.0, self.theta))
            if self._certified(point, gaps, admissible, tolerance):
                return point, admissible
            longer, shorter = kink & (omega < 0), kink & (omega > self.theta)
            arriving = (short & (gaps < 0)) | (~short & ~kink & (gaps > 0))
            short = (short | shorter) & ~arriving
            kink = (kink | arriving) & ~longer & ~shorter
        return None

    def _equations(self, short: Mask, kink: Mask) -> tuple[Floats, Floats]:
        """c and omega with margin 1 on the kink and omega = theta + rho (1 - margin) short of it."""
        size, many = len(self.penalty), int(np.count_nonzero(kink))
        before, on = self.rows[short], self.rows[kink]
        matrix = np.zeros((size + many, size + many))
        matrix[:size, :size] = self.rho * before.T @ before + np.diag(self.penalty)
        matrix[:size, size:], matrix[size:, :size] = -on.T, -on
        wanted = np.concatenate([(self.theta + self.rho) * before.sum(axis=0), -np.ones(many)])
        solution = _solved(matrix, wanted)
        solution = solution + _solved(matrix, wanted - matrix @ solution)
        point = solution[:size]
        omega = np.where(short, self.theta + self.rho * (1.0 - self.rows @ point), 0.0)
        omega[kink] = solution[size:]
        return point, omega

    def _certified(self, point: Floats, gaps: Floats, omega: Floats, tolerance: float) -> bool:
        """Whether (c, omega >= 0) satisfies all conditions."""
        margins = gaps - np.maximum(omega - self.theta, 0.0) / self.rho
        sums = omega @ self.rows - self.penalty * point
        sizes = omega @ np.abs(self.rows) + self.penalty * np.abs(point)
        return bool(
            np.all(np.isfinite(point))
            and np.all(np.abs(margins[omega > 0]) <= tolerance)
            and np.all(margins[omega == 0] <= tolerance)
            and np.all(np.abs(sums) <= tolerance * sizes)
        )


def _step(hessian: Floats, gradient: Floats) -> Floats:
    """A Newton step; where columns are so nearly dependent that rounding makes the matrix indefinite, one with a ridge, which descends too."""
    ridge, size = 0.0, float(np.trace(hessian)) / len(hessian)
    while True:
        try:
            return np.asarray(cho_solve(cho_factor(hessian + ridge * np.eye(len(hessian))), gradient))
        except LinAlgError:
            ridge = max(10.0 * ridge, 1e-15 * size)


def _solved(matrix: Floats, wanted: Floats) -> Floats:
    """Rows that are equal, or too many on the kink, make the equations singular; then the shortest solution."""
    try:
        found: Floats = np.asarray(np.linalg.solve(matrix, wanted), dtype=np.float64)
    except np.linalg.LinAlgError:
        found = np.full(len(wanted), np.nan)
    if np.all(np.isfinite(found)) and float(np.max(np.abs(matrix @ found - wanted))) <= 1e-6 * (1.0 + float(np.max(np.abs(wanted)))):
        return found
    return np.asarray(np.linalg.lstsq(matrix, wanted, rcond=None)[0], dtype=np.float64)
