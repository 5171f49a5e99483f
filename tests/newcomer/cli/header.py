"""`discreet header`: the columns of a table, and nothing of its records."""

from typing import Annotated

import discreet.data
from discreet.cli.options import Argument, File, command
from discreet.cli.output import Outcome


@command("Say which columns a table has.", "discreet header people.csv")
def header(*, table: Annotated[File, Argument(metavar="TABLE")]) -> Outcome:
    """Say which columns TABLE has; no record is read."""
    names = discreet.data.read_header(table)
    return Outcome(document={"columns": names}, lines=names)
