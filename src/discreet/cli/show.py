"""`discreet show`: what a file or folder is, and its certificate in readable text."""

import click

from discreet.cli.artefacts import read_artefact
from discreet.cli.output import answer, examples, json_option


@click.command(
    short_help="Print what carries a certificate, and the certificate.",
    epilog=examples("discreet show model.json", "discreet show evaluation.json --json", "discreet show intervals.json"),
)
@click.argument("path", metavar="FILE", type=click.Path())
@json_option
def show(*, path: str, as_json: bool) -> None:
    """Print what FILE is and what its certificate promises, under which conditions. To check it, use `discreet verify`.

    FILE is a model, an evaluation, intervals, a certificate, a randomised record, or the folder of a release.
    """
    from discreet.cli import words  # noqa: PLC0415 - imports of the library wait until they are needed

    found = read_artefact(path)
    certificate = found.certificate
    lines, stated = found.kind.shown(found.value)
    document = {"command": "show", "path": path, **stated, "guarantee": words.budget(certificate), "certificate": certificate.to_dict()}
    answer(document, [*lines, "", str(certificate)], as_json=as_json)
