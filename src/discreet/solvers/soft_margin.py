"""The soft-margin support vector machine with a strictly convex cost (Farokhi 2020, eq. (2)), by its dual, to high accuracy.

    minimise over a, b, xi:   |a|^2 / 2 + rho (b^2 + |xi|^2) / 2 + theta sum xi_i,      y_i (<a, x_i> + b) >= 1 - xi_i,  xi_i >= 0
    maximise over omega >= 0: sum omega_i - omega' K omega / 2 - sum ((omega_i - theta)_+)^2 / (2 rho),   K_ij = y_i y_j (<x_i, x_j> + 1 / rho)

    a = sum omega_i y_i x_i,  b = sum omega_i y_i / rho,  xi_i = (omega_i - theta)_+ / rho        (eq. (15b) prints 1 for theta)

Coordinate ascent comes near; then Newton steps on the multipliers that are not 0, an active-set method (the objective is concave with a continuous
gradient). What is returned is certified: no gradient violates the conditions of optimality by more than `tolerance`.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.arrays import Floats
from discreet.errors import InvalidInput, SolverFailure

_EPOCHS = 50
_STEPS = 20
_RIDGE = 1e-14


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
    """omega, (n,)."""


def solve_soft_margin(rows: Floats, signs: Floats, *, rho: float = 1e-2, theta: float = 1.0, tolerance: float = 1e-9) -> SoftMargin:
    """For rows (n, d) and signs (n,) of +1 and -1; memory n^2. Raises SolverFailure where `tolerance` is not reached."""
    if rows.ndim != 2 or signs.shape != (len(rows),) or not np.all(np.abs(signs) == 1.0) or not (rho > 0 and theta > 0):
        raise InvalidInput("a soft-margin machine needs rows (n, d), a sign of +1 or -1 for each, and positive rho and theta.")
    kernel = np.outer(signs, signs) * (rows @ rows.T + 1.0 / rho)
    omega = np.zeros(len(rows))
    _ascend(kernel, omega, rho, theta)
    free = omega > 0
    for _ in range(_STEPS * (len(rows) + 10)):
        gradient = _gradient(kernel, omega, rho, theta)
        if float(np.max(np.abs(gradient[free]), initial=0.0)) <= 0.5 * tolerance:
            outside = np.where(free, -np.inf, gradient)
            if not np.any(outside > tolerance):
                slacks = np.maximum(omega - theta, 0.0) / rho
                return SoftMargin((omega * signs) @ rows, float(omega @ signs) / rho, slacks, omega)
            free[int(np.argmax(outside))] = True
        _step(kernel, omega, free, rho, theta)
    raise SolverFailure("the soft-margin machine was not solved to the asked tolerance; scale the features, or raise rho.")


def _gradient(kernel: Floats, omega: Floats, rho: float, theta: float) -> Floats:
    gradient: Floats = 1.0 - kernel @ omega - np.maximum(omega - theta, 0.0) / rho
    return gradient


def _ascend(kernel: Floats, omega: Floats, rho: float, theta: float) -> None:
    """Exact maximisation of one coordinate after the other, in place."""
    diagonal = np.diag(kernel).copy()
    product = kernel @ omega
    for _ in range(_EPOCHS):
        for i in range(len(omega)):
            rest = 1.0 - product[i] + diagonal[i] * omega[i]
            best = max(0.0, rest / diagonal[i])
            if best > theta:
                best = max(theta, (rest + theta / rho) / (diagonal[i] + 1.0 / rho))
            if best != omega[i]:
                product += kernel[:, i] * (best - omega[i])
                omega[i] = best


def _step(kernel: Floats, omega: Floats, free: Mask, rho: float, theta: float) -> None:
    """One Newton step on the free multipliers, in place: to the maximum along it, or to where the first one reaches 0, which is free no longer."""
    bent = np.where(omega > theta, 1.0 / rho, 0.0)[free]
    matrix = kernel[np.ix_(free, free)] + np.diag(bent)
    # The ridge makes directions that do not bend the objective very long, so that they end at a boundary.
    matrix[np.diag_indices_from(matrix)] += _RIDGE * np.trace(matrix) / len(matrix)
    direction = np.zeros_like(omega)
    direction[free] = np.linalg.solve(matrix, _gradient(kernel, omega, rho, theta)[free])
    falling = np.flatnonzero(direction < 0)
    limits = -omega[falling] / direction[falling]
    longest = float(np.min(limits, initial=1.0))

    def slope(length: float) -> float:
        return float(_gradient(kernel, omega + length * direction, rho, theta) @ direction)

    low, high = 0.0, longest
    if slope(high) < 0:
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    omega += high * direction
    np.maximum(omega, 0.0, out=omega)
    if high == longest and longest < 1.0:
        blocked = falling[limits <= longest]
        omega[blocked] = 0.0
        free[blocked] = False
