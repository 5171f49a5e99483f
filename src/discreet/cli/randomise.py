"""`discreet randomise`: one record, by its owner, into one line that may leave.

The record comes on standard input, as a JSON object or as CSV with a header and one line, or as NAME=VALUE arguments (which other users of the
machine may see while the command runs, and shells keep).
"""

import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from discreet.cli.options import Argument, File, Seed, Target, command, noise_of, usage_error
from discreet.cli.output import Outcome, step
from discreet.core.errors import InvalidInput

_LONGEST = 1 << 20


@dataclass(frozen=True, kw_only=True)
class _Randomise:
    cells: Annotated[tuple[str, ...], Argument(metavar="[NAME=VALUE]...")] = ()
    schema: Annotated[File, "What is public about the records, in TOML; the same for all owners."]
    epsilon: Annotated[float, "Privacy loss of this record, > 0."]
    delta: Annotated[float, "Probability that the loss is exceeded."]
    target: Target = "noisy"
    seed: Seed = None


@command(
    "Randomise one record at its owner's.",
    "discreet randomise --schema people.toml --epsilon 4 --delta 1e-6 < me.json >> records.jsonl",
    "discreet randomise age=41 hours=38 answer=yes --schema people.toml --epsilon 4 --delta 1e-6",
    "discreet release records.jsonl --schema people.toml --method local --out collected",
)
def randomise(given: _Randomise) -> Outcome:
    """Randomise one record, which nobody else ever sees, and print it as one line of JSON with its certificate.

    The record is a JSON object or CSV with a header on standard input, or NAME=VALUE arguments. Lines of many owners are collected by
    `discreet release --method local`. Whoever answers twice spends twice.
    """
    from discreet.data import Schema
    from discreet.queries import Target
    from discreet.releases import LocalSurvey

    survey = LocalSurvey.planned(Schema.load(given.schema), epsilon=given.epsilon, delta=given.delta, target=Target(given.target))
    noise = noise_of(given.seed)
    record = _arguments(given.cells) if given.cells else _standard_input()
    with step("Randomising"):
        made = survey.randomise(record, noise)
    return Outcome(named=False, document=made.to_dict(), lines=[made.to_line()])


def _arguments(cells: Sequence[str]) -> dict[str, object]:
    record: dict[str, object] = {}
    for cell in cells:
        name, equals, value = cell.partition("=")
        if not equals or not name or name in record:
            raise usage_error("a record is given as NAME=VALUE, each column once")
        record[name] = value
    return record


def _standard_input() -> dict[str, object]:
    """One record. No message repeats any of it, and none is chained to one that does."""
    refusal = InvalidInput("one record is needed on standard input: a JSON object, or CSV with a header and one line.")
    try:
        text = sys.stdin.buffer.read(_LONGEST).decode("utf-8-sig")
        record = _json_record(text) if text.lstrip().startswith("{") else _csv_record(text)
    except (UnicodeDecodeError, ValueError, RecursionError, csv.Error):
        record = None
    if record is None:
        raise refusal
    return record


def _json_record(text: str) -> dict[str, object] | None:
    from discreet.core.files.strict_json import read_object

    found = read_object(text, what="a record")
    flat = all(isinstance(cell, str | int | float | bool | None) for cell in found.values())
    return found if flat else None


def _csv_record(text: str) -> dict[str, object] | None:
    lines = [line for line in csv.reader(io.StringIO(text), strict=True, skipinitialspace=True) if line]
    if len(lines) != 2 or len(lines[0]) != len(lines[1]) or len(set(lines[0])) != len(lines[0]):
        return None
    return dict(zip(lines[0], lines[1], strict=True))
