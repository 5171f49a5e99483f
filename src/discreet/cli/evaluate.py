"""`discreet evaluate`: how good a model is on records that need no protection.

    error = share of records with the wrong class      log loss = mean of ln(1 + e^{-y f(x)})   (logistic regression)

Numbers computed on private records would leak: a certificate covers the model, not what is measured with it. So the user declares what the
records are.
"""

import click

from discreet.cli.output import answer, examples, json_option, step
from discreet.errors import InvalidInput

DECLARATIONS = {
    "public": "everyone may see these records",
    "non-private": "these records are about nobody, or their people agreed",
    "synthetic": "these records were invented",
}


@click.command(
    short_help="Measure a model on records that need no protection.",
    epilog=examples(
        "discreet evaluate model.json published.csv --data-is public",
        "discreet evaluate model.json volunteers.parquet --data-is non-private --json",
    ),
)
@click.argument("model_path", metavar="MODEL", type=click.Path())
@click.argument("table", type=click.Path())
@click.option(
    "--data-is",
    type=click.Choice(list(DECLARATIONS)),
    required=True,
    help="Your declaration that the records need no protection: numbers computed on private ones would leak.",
)
@json_option
def evaluate(*, model_path: str, table: str, data_is: str, as_json: bool) -> None:
    """Measure MODEL on TABLE, which must hold no private records: the numbers are exact and unprotected.

    TABLE needs the columns of the model's schema, the target's too; - is CSV on standard input.
    """
    from discreet.cli.measures import Measures  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.data import read_table  # noqa: PLC0415
    from discreet.data.labels import canonical  # noqa: PLC0415
    from discreet.estimators.model import Model  # noqa: PLC0415

    model = Model.load(model_path)
    with step("Reading the table"):
        frame = read_table(table, model.schema.columns(target=True))
    if frame.height == 0:
        raise InvalidInput(f"{table!r} has no record. At least one is needed to measure a model.")
    with step("Evaluating"):
        encoded = model.schema.encode(frame, target=True)
        measures = Measures.of(model, encoded)
    classes = [canonical(label) for label in model.schema.target.classes]
    document = {"command": "evaluate", "data_is": data_is, "declaration": DECLARATIONS[data_is], "classes": classes, **measures.to_dict()}
    corner = "actual / predicted"
    width = max(len(corner), *map(len, classes)) + 2
    lines = [
        f"Records      {measures.records}, declared {data_is} ({DECLARATIONS[data_is]}): these numbers are exact and not protected",
        f"Accuracy     {measures.accuracy:.4f}",
        f"Error        {measures.error:.4f} (always answering the commoner class: {measures.always_commoner:.4f})",
        *([] if measures.log_loss is None else [f"Log loss     {measures.log_loss:.4f}"]),
        "",
        f"{corner:<{width}}{classes[0]:>{width}}{classes[1]:>{width}}",
        *(f"{label:<{width}}{row[0]:>{width}}{row[1]:>{width}}" for label, row in zip(classes, measures.confusion, strict=True)),
    ]
    answer(document, lines, as_json=as_json)
