"""`discreet randomise`: one record, by its owner, into one line that may leave.

The record comes on standard input, as a JSON object or as CSV with a header and one line, or as NAME=VALUE arguments (which other users of the
machine may see while the command runs, and shells keep).
"""

import csv
import io
import sys
from collections.abc import Sequence

import click

from discreet.cli.numbers import NUMBER
from discreet.cli.output import answer, examples, json_option, step
from discreet.cli.training import warn_of_seed
from discreet.core.errors import InvalidInput

_LONGEST = 1 << 20

_EXAMPLES = examples(
    "discreet randomise --schema people.toml --epsilon 4 --delta 1e-6 < me.json >> records.jsonl",
    "discreet randomise age=41 hours=38 answer=yes --schema people.toml --epsilon 4 --delta 1e-6",
    "discreet release records.jsonl --schema people.toml --method local --out collected",
)


@click.command(short_help="Randomise one record at its owner's.", epilog=_EXAMPLES)
@click.argument("cells", metavar="[NAME=VALUE]...", nargs=-1)
@click.option("--schema", "schema_path", type=click.Path(), required=True, help="What is public about the records, in TOML; the same for all owners.")
@click.option("--epsilon", type=NUMBER, required=True, help="Privacy loss of this record, > 0.")
@click.option("--delta", type=NUMBER, required=True, help="Probability that the loss is exceeded.")
@click.option(
    "--target",
    type=click.Choice(["noisy", "clear", "omitted"]),
    default="noisy",
    show_default=True,
    help="The target's column: protected like the others, released as it is, or left out.",
)
@click.option("--seed", type=int, help="Reproducible noise, for tests: the certificate is then not valid.")
@json_option
def randomise(*, cells: Sequence[str], schema_path: str, epsilon: float, delta: float, target: str, seed: int | None, as_json: bool) -> None:
    """Randomise one record, which nobody else ever sees, and print it as one line of JSON with its certificate.

    The record is a JSON object or CSV with a header on standard input, or NAME=VALUE arguments. Lines of many owners are collected by
    `discreet release --method local`. Whoever answers twice spends twice.
    """
    from discreet.data import Schema  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.noise import SeededNoise, SystemNoise  # noqa: PLC0415
    from discreet.queries import Target  # noqa: PLC0415
    from discreet.releases import LocalSurvey  # noqa: PLC0415

    survey = LocalSurvey.planned(Schema.load(schema_path), epsilon=epsilon, delta=delta, target=Target(target))
    warn_of_seed(seed)
    record = _arguments(cells) if cells else _standard_input()
    with step("Randomising"):
        made = survey.randomise(record, SystemNoise() if seed is None else SeededNoise(seed))
    answer(made.to_dict(), [made.to_line()], as_json=as_json)


def _arguments(cells: Sequence[str]) -> dict[str, object]:
    record: dict[str, object] = {}
    for cell in cells:
        name, equals, value = cell.partition("=")
        if not equals or not name or name in record:
            raise click.UsageError("a record is given as NAME=VALUE, each column once", click.get_current_context())
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
    from discreet.core.files.strict_json import read_object  # noqa: PLC0415 - imports of the library wait until they are needed

    found = read_object(text, what="a record")
    flat = all(isinstance(cell, str | int | float | bool | None) for cell in found.values())
    return found if flat else None


def _csv_record(text: str) -> dict[str, object] | None:
    lines = [line for line in csv.reader(io.StringIO(text), strict=True, skipinitialspace=True) if line]
    if len(lines) != 2 or len(lines[0]) != len(lines[1]) or len(set(lines[0])) != len(lines[0]):
        return None
    return dict(zip(lines[0], lines[1], strict=True))
