"""`discreet predict`: the model's answer for every record of a table, as CSV."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import discreet
from discreet.cli.any_model import AnyModel, load_model, read_rows
from discreet.cli.options import ARGUMENT, Argument, File, ForSpreadsheet, Option, command, usage_error
from discreet.cli.output import Outcome, check_output, step
from discreet.core.comma_separated import comma_separated
from discreet.core.files.whole_file import write_whole


@command(
    "Predict the class, number or time of every record of a table.",
    "discreet predict model.json people.csv > predictions.csv",
    "discreet predict model.json people.parquet --probabilities --out predictions.csv",
    "discreet predict model.json people.csv --threshold 0.05 --out predictions.csv",
    "discreet predict model.json people.csv --keep id --keep name --out predictions.csv",
    "cat people.csv | discreet predict model.json -",
)
def predict(
    *,
    model: Annotated[File, Argument(metavar="MODEL")],
    table: Annotated[File, ARGUMENT],
    probabilities: Annotated[
        bool, "Also print the probability of each class (not for losses with flat parts), or of a time beyond each end."
    ] = False,
    threshold: Annotated[
        float | None,
        "Predict the second class if its probability is above this: the cost of a false positive, divided by that plus the cost of a false negative.",
    ] = None,
    keep: Annotated[tuple[str, ...], Option(metavar="COLUMN", help="Copy this column of TABLE beside the answers, such as an id. Repeatable.")] = (),
    out: Annotated[File | None, "The CSV file to write. Default: standard output."] = None,
    for_spreadsheet: ForSpreadsheet = False,
    overwrite: Annotated[bool, "Overwrite that file if it exists."] = False,
) -> Outcome:
    """Predict the class of every record of TABLE, or its number or mean time in the unit of the target: one line per record, in order.

    TABLE needs the columns of the model's schema, without the target; - is CSV on standard input. For a model of arrays it needs the columns of X by
    name; if the names are not known, TABLE has those columns in order, plus what --keep names. For times, the median is printed too, unless it is
    beyond the last end. Predicting spends nothing, but predictions are about the people in TABLE: protect them as you protect TABLE. Only you can
    read the file of --out.
    """
    found = load_model(model)
    times = found.made is not None and not found.classes
    if probabilities and not times:
        found.require_probabilities()
    check_output(out, table, model, overwrite=overwrite)
    targets = _targets(found)
    answers = [f"prediction {one}" for one in targets] or _answers(found, probabilities=probabilities)
    if twice := next((column for place, column in enumerate(keep) if column in answers or column in keep[:place]), None):
        raise usage_error(f"--keep {twice} would appear twice in the header; rename the column of TABLE, or leave it out")
    with step("Predicting"):
        frame, rows = read_rows(found, table, keep)
        labels = found.predict(rows, threshold=threshold).tolist()
        medians = [[end if end < math.inf else None] for end in found.median_time(rows).tolist()] if times else None
        chances = (found.survival(rows) if times else found.probabilities(rows)).tolist() if probabilities else None
    canonical = discreet.data.labels.canonical
    kept = {column: [_text(cell) for cell in frame.get_column(column).to_list()] for column in keep}
    beside = [[*first, *second] for first, second in zip(medians or [[]] * len(labels), chances or [[]] * len(labels), strict=True)]
    first = labels
    if targets:
        first, beside = [one for one, *_ in labels], [rest for _, *rest in labels]
    rows_of_answers = _rows(kept, [canonical(label) for label in first], beside, answers)
    text = comma_separated(rows_of_answers, for_spreadsheet=for_spreadsheet)
    document: dict[str, Any] = {"classes": [canonical(label) for label in found.classes], "written": out}
    if out is None:
        document |= {"kept": kept} if keep else {}
        answered = {"probabilities": chances} if medians is None else {"median_times": [one for (one,) in medians], "survival": chances}
        return Outcome(document=document | {"predictions": labels} | answered, lines=[text.removesuffix("\n")])
    write_whole(out, text, overwrite=overwrite, mode=0o600)
    return Outcome(document=document, lines=[f"Written to {out}"])


def _targets(model: AnyModel) -> Sequence[str]:
    """The names of the targets of a model of several."""
    if isinstance(model, discreet.Model):
        return [f"of {column}" for column in model.schema.answers] if model.units else []
    return [str(number) for number in range(len(model.units))]


def _answers(model: AnyModel, *, probabilities: bool) -> list[str]:
    """What the columns of the answers are called."""
    canonical = discreet.data.labels.canonical
    if model.made is not None and not model.classes:
        return ["prediction", "median time", *(f"survival at {end:g}" for end in model.made.ends if probabilities)]
    return ["prediction", *(f"probability of {canonical(label)}" for label in model.classes if probabilities)]


def _text(cell: Any) -> str:
    """Of a table, as it stands there; a missing one is empty."""
    return "" if cell is None else str(cell)


def _rows(
    kept: Mapping[str, Sequence[str]], predictions: Sequence[str], beside: Sequence[Sequence[float | None]], answers: Sequence[str]
) -> Iterator[list[object]]:
    """A header and one line a record."""
    yield [*kept, *answers]
    for place, label in enumerate(predictions):
        yield [*(cells[place] for cells in kept.values()), label, *beside[place]]
