"""The neighbouring relation: which two data sets a guarantee cannot tell apart.

`REPLACE_ONE`: equal but for the content of one record; the number of records n is public.
`ADD_REMOVE`: one record more or less; n is itself private.
A mechanism that is epsilon-private under `ADD_REMOVE` is 2 epsilon-private under `REPLACE_ONE`, never the other way round.
"""

from enum import StrEnum

from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly


class Neighbours(StrEnum):
    """Neighbouring relation of a guarantee; the values are the names used in files and on the command line."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


def neighbours_of(given: object) -> Neighbours:
    """The relation that a caller names. Raises InvalidInput for what is none."""
    refusal = InvalidInput(f"neighbours must be one of {[str(kind) for kind in Neighbours]}; {given!r} was given.")
    return quietly(lambda: Neighbours(given), refusal)  # type: ignore[arg-type]


REPLACE_ONE = Neighbours.REPLACE_ONE
ADD_REMOVE = Neighbours.ADD_REMOVE
