"""`discreet predict`: the model's answer for every record of a table, as CSV."""

import csv
import io
from typing import TYPE_CHECKING, Any

import click

from discreet.cli.output import answer, examples, json_option, refuse_same_file, step

if TYPE_CHECKING:
    import numpy.typing as npt

    from discreet.core.arrays import Floats

_EXAMPLES = examples(
    "discreet predict model.json people.csv > predictions.csv",
    "discreet predict model.json people.parquet --probabilities --out predictions.csv",
    "cat people.csv | discreet predict model.json -",
)


@click.command(short_help="Predict the class of every record of a table.", epilog=_EXAMPLES)
@click.argument("model_path", metavar="MODEL", type=click.Path())
@click.argument("table", type=click.Path())
@click.option("--probabilities", is_flag=True, help="Also the probability of each class (not for losses with flat parts).")
@click.option("--out", type=click.Path(), help="The CSV file to write; standard output if left out.")
@click.option("--overwrite", is_flag=True, help="Replace that file where it exists.")
@json_option
def predict(*, model_path: str, table: str, probabilities: bool, out: str | None, overwrite: bool, as_json: bool) -> None:
    """Predict the class of every record of TABLE, in its order, one line each.

    TABLE needs the columns of the model's schema, the target's not; - is CSV on standard input. Predicting spends nothing, but predictions are about
    the people in TABLE: protect them as you protect TABLE. The file of --out is yours alone to read.
    """
    from discreet.core.files.whole_file import check_writable, write_whole  # noqa: PLC0415
    from discreet.data import read_table  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.data.labels import canonical  # noqa: PLC0415
    from discreet.estimators.model import Model  # noqa: PLC0415

    model = Model.load(model_path)
    if probabilities:
        model.require_probabilities()
    if out is not None:
        refuse_same_file(out, table, model_path)
        check_writable(out, overwrite=overwrite)
    with step("Reading the table"):
        frame = read_table(table, model.schema.columns(target=False))
    with step("Predicting"):
        rows = model.schema.encode(frame, target=False)
        labels, chances = model.predict(rows), model.probabilities(rows) if probabilities else None
    classes = [canonical(label) for label in model.schema.target.classes]
    document: dict[str, object] = {"command": "predict", "classes": classes, "written": out}
    if out is not None:
        write_whole(out, _csv(labels, chances, classes), overwrite=overwrite, mode=0o600)
        answer(document, [f"Written to {out}"], as_json=as_json)
    elif as_json:
        document |= {"predictions": labels.tolist(), "probabilities": None if chances is None else chances.tolist()}
        answer(document, [], as_json=True)
    else:
        click.echo(_csv(labels, chances, classes), nl=False)


def _csv(labels: "npt.NDArray[Any]", chances: "Floats | None", classes: list[str]) -> str:
    """A header and one line a record."""
    from discreet.data.labels import canonical  # noqa: PLC0415

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    predictions = [_plain(canonical(label)) for label in labels.tolist()]
    if chances is None:
        writer.writerow(["prediction"])
        writer.writerows([label] for label in predictions)
    else:
        writer.writerow(["prediction", *(f"probability of {label}" for label in classes)])
        writer.writerows([label, *pair] for label, pair in zip(predictions, chances.tolist(), strict=True))
    return text.getvalue()


def _plain(label: str) -> str:
    """The label as spreadsheets read it as a text: one that would be a formula to them begins with an apostrophe, unless it is a number."""
    if not label.startswith(("=", "+", "-", "@")):
        return label
    try:
        float(label)
    except ValueError:
        return f"'{label}"
    return label
