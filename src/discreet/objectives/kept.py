"""What passes over the parts of a table leave behind for the next ones: the last Hessian and certificate, and margins.

Whatever is found here is what a pass would find, up to rounding; nothing of it is certified but the sums of a certificate itself.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from discreet.core.arrays import Floats
from discreet.objectives.certified_sums import CertifiedSums

COSTLY = 8.0
"""As in the solvers: passes that a Hessian is always worth; where one costs more, margins are kept."""
_POINTS = 4
"""Whose margins are kept: of wide tables that are held, so that they are little beside these."""


class Margins(Protocol):
    """A part of a table."""

    def margins(self, point: Floats) -> Floats:
        """See Objective."""


class Memory:
    """What a pass found at the last point that it is kept for, without ridge and linear term: the Hessian in single precision, and perhaps more."""

    __slots__ = ("_hessian", "_point", "_sums", "empty")

    def __init__(self) -> None:
        """Nothing yet."""
        self.empty = True
        self._point: Floats | None = None
        self._hessian: Floats | None = None
        self._sums: CertifiedSums | None = None

    def keep(self, point: Floats, *, hessian: Floats, sums: CertifiedSums | None = None) -> None:
        """Hold these, and nothing else."""
        self.empty, self._point, self._hessian, self._sums = False, point.copy(), hessian, sums

    def drop(self) -> None:
        """Hold nothing, and want nothing any more."""
        self.empty, self._point, self._hessian, self._sums = False, None, None, None

    def hessian_at(self, point: Floats) -> Floats | None:
        """The Hessian, if it is the one at `point`."""
        return self._hessian if self._is_at(point) else None

    def sums_at(self, point: Floats) -> CertifiedSums | None:
        """The certified sums, if they are kept and those at `point`."""
        return self._sums if self._is_at(point) else None

    def _is_at(self, point: Floats) -> bool:
        return self._point is not None and np.array_equal(self._point, point)


class Products:
    """The margins of the last few points, by parts: a line search costs no pass then, nor does the gradient at its end more than one product."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        """None yet."""
        self._known: list[tuple[Floats, dict[int, Floats]]] = []

    def at(self, point: Floats) -> dict[int, Floats]:
        """What is known there, by the identity of a part, to be added to."""
        found = next((known for where, known in self._known if np.array_equal(where, point)), None)
        if found is None:
            found = {}
            self._known = [*self._known[1 - _POINTS :], (point.copy(), found)]
        return found

    def of(self, point: Floats) -> Callable[[Margins], Floats]:
        """Those of a part there, for the threads of a pass: which points are known is settled before it begins."""
        known = self.at(point)

        def found(part: Margins) -> Floats:
            if id(part) not in known:
                known[id(part)] = part.margins(point)
            return known[id(part)]

        return found
