"""`discreet show`: a model's certificate in readable text."""

import click

from discreet.cli.output import answer, examples, json_option


@click.command(short_help="Print a model's certificate.", epilog=examples("discreet show model.json", "discreet show model.json --json"))
@click.argument("model_path", metavar="MODEL", type=click.Path())
@json_option
def show(*, model_path: str, as_json: bool) -> None:
    """Print what MODEL is and what its certificate promises, under which conditions. To check it, use `discreet verify`."""
    from discreet.cli import words  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.estimators.model import Model  # noqa: PLC0415

    model = Model.load(model_path)
    schema = model.schema
    document = {
        "command": "show",
        "model": model_path,
        "kind": model.kind,
        "features": schema.features,
        "schema": schema.to_dict(),
        "guarantee": words.budget(model.certificate),
        "certificate": model.certificate.to_dict(),
    }
    answer(document, [f"Model: {words.described(model)}; schema {schema.name!r}", "", str(model.certificate)], as_json=as_json)
