"""The neighbouring relation: which two data sets a guarantee cannot tell apart.

`REPLACE_ONE`: equal but for the content of one record; the number of records n is public.
`ADD_REMOVE`: one record more or less; n is itself private.
A mechanism that is epsilon-private under `ADD_REMOVE` is 2 epsilon-private under `REPLACE_ONE`, never the other way round.
"""

from enum import StrEnum


class Neighbours(StrEnum):
    """Neighbouring relation of a guarantee; the values are the names used in files and on the command line."""

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"


REPLACE_ONE = Neighbours.REPLACE_ONE
ADD_REMOVE = Neighbours.ADD_REMOVE
