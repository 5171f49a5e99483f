"""What is still to be drawn from counts that are released: public, and all that it takes besides the counts to go on."""

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from discreet.core.fields import count

GO_ON = "`resume_synthetic`, or the same command with --resume, draws them and spends nothing."


class Pending(NamedTuple):
    """How the rows are to be drawn."""

    rows: int | None
    """Of a table; None for about as many as there are records."""
    tables: int
    records: int | None
    """Their number, where it is public."""
    row_seed: int | None
    """A public seed for the drawing."""

    @classmethod
    def from_dict(cls, stated: Mapping[str, Any]) -> Self:
        """As a manifest has it. Raises KeyError, TypeError or ValueError for anything else."""
        rows, records, seed = (None if stated[name] is None else count(stated[name]) for name in ("rows", "records", "row_seed"))
        return cls(rows=rows, tables=count(stated["tables"]), records=records, row_seed=seed)
