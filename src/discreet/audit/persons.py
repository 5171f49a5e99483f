"""Worst persons: how the rows of one person lie in an audit of what promises to hide whole persons.

    equal         all of them are one row, and as many again beyond those that are kept: together one record, which no bound can be far above
    spread        in directions from -60 to 60 degrees about one: gradients add up to less, Hessians reach more directions
    cancelling    every second one opposite: gradients cancel where slopes agree, Hessians do not

Which rows are kept is drawn. Of equal ones it makes no difference which, so that runs that share one draw are independent; of the others no more are
in the table than are kept.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons

_WIDEST = np.pi / 3.0
ARRANGED: dict[str, Callable[[int], Floats]] = {
    "equal": np.zeros,
    "spread": lambda rows: np.linspace(-_WIDEST, _WIDEST, rows) if rows > 1 else np.zeros(1),
    "cancelling": lambda rows: np.where(np.arange(rows) % 2, np.pi, 0.0),
}
"""Names -> angles (m,) of so many rows to the direction of the worst one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstPerson:
    """One person of the largest size. Raises InvalidInput for rows that lie in no known way."""

    rule: Persons
    lying: str = "equal"
    """One of ARRANGED."""

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.lying not in ARRANGED:
            raise InvalidInput(f"the rows of a worst person can be arranged as one of {', '.join(ARRANGED)}; {self.lying!r} was given.")

    @property
    def kept(self) -> Floats:
        """Angles of the rows that are kept, (M,)."""
        return ARRANGED[self.lying](self.rule.rows)

    @property
    def owned(self) -> Floats:
        """Angles of the rows in the table, (m,)."""
        return np.zeros(2 * self.rule.rows) if self.lying == "equal" else self.kept

    @property
    def words(self) -> str:
        """For reports."""
        rows = self.rule.rows
        if self.lying == "equal":
            return f"a person ({2 * rows} equal rows, {rows} of them kept)"
        return f"a person ({rows} {'row' if rows == 1 else 'rows'}, {self.lying})"


def directions(angles: Floats, *, turned: float = 0.0) -> Floats:
    """Unit vectors (m, 2) at these angles to the one at `turned`, those along the axes exactly so."""
    found = np.column_stack((np.cos(angles + turned), np.sin(angles + turned)))
    return np.where(np.abs(found) < 1e-15, 0.0, found)
