"""Limited-memory BFGS directions for many columns at once, each with its own pairs, all with one initial inverse Hessian.

With steps s_i and gradient changes y_i = grad(w + s_i) - grad(w), rho_i = 1 / <s_i, y_i>, the two-loop recursion (Nocedal 1980) applies

    B^{-1}_{i+1} = (I - rho_i s_i y_i^T) B^{-1}_i (I - rho_i y_i s_i^T) + rho_i s_i s_i^T,    B^{-1}_0 = H_0^{-1}

to minus the gradient. <s, y> > 0 for strongly convex functions; a pair that rounding has spoilt is skipped (rho = 0).
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats

_MEMORY = 12


class SecantPairs:
    """The pairs of every column; arrays are (d, k)."""

    __slots__ = ("_inverse", "_pairs")

    def __init__(self, inverse: Callable[[Floats], Floats]) -> None:
        """`inverse` applies H_0^{-1} to (d, k)."""
        self._inverse = inverse
        self._pairs: list[tuple[Floats, Floats, Floats]] = []

    def directions(self, gradients: Floats) -> Floats:
        """-B^{-1} gradients, shape (d, k)."""
        residual = -gradients
        parts = []
        for step, change, rho in reversed(self._pairs):
            part = rho * _dots(step, residual)
            residual = residual - part * change
            parts.append(part)
        result = self._inverse(residual)
        for (step, change, rho), part in zip(self._pairs, reversed(parts), strict=True):
            result = result + (part - rho * _dots(change, result)) * step
        return result

    def add(self, steps: Floats, changes: Floats) -> None:
        """Remember a step and its change of gradient for every column; forget the oldest beyond the memory."""
        products = _dots(steps, changes)
        sound = products > 1e-14 * np.sqrt(_dots(steps, steps) * _dots(changes, changes))
        rho = np.where(sound, 1.0 / np.where(sound, products, 1.0), 0.0)
        self._pairs = [*self._pairs[-_MEMORY + 1 :], (steps, changes, rho)]

    def keep(self, columns: npt.NDArray[np.bool_]) -> None:
        """Forget all columns but these."""
        self._pairs = [(step[:, columns], change[:, columns], rho[columns]) for step, change, rho in self._pairs]


def _dots(left: Floats, right: Floats) -> Floats:
    return np.einsum("ij,ij->j", left, right)
