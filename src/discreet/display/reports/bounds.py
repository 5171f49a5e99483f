"""Where the bounds of a schema come from: written down by the data's owner, or chosen privately from the records by a release of its own."""

from discreet.core.words import quoted
from discreet.data import Schema

_MOST = 20
"""Columns that are named."""


def chosen_bounds(schema: Schema, *, what: str) -> str | None:
    """What a page says of the columns whose bounds `discreet bounds` chose, None where it chose none; `what` was made with them ("this model")."""
    chosen = [column.name for column in schema.numeric if column.released is not None]
    if not chosen:
        return None
    return (
        f"The bounds of {quoted(chosen, most=_MOST)} were chosen privately from the records, in a release of its own with its own certificate; "
        f"its cost adds to that of {what}."
    )
