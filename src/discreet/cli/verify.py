"""`discreet verify`: every check of a file or folder with a certificate, with its verdict; exit code 6 when one fails."""

import click

from discreet.cli.artefacts import read_artefact
from discreet.cli.output import answer, examples, json_option, step, styled
from discreet.errors import VerificationFailure

UNSIGNED = "Nothing is signed: this shows that the file is consistent, not who wrote it or that the noise was drawn."
ALONE = "Only the certificate was given: whether something is what it was issued for was not checked."


@click.command(
    short_help="Check whatever carries a certificate.",
    epilog=examples("discreet verify model.json", "discreet verify evaluation.json --json && publish evaluation.json", "discreet verify noisy"),
)
@click.argument("path", metavar="FILE", type=click.Path())
@json_option
@click.pass_context
def verify(context: click.Context, *, path: str, as_json: bool) -> None:
    """Check FILE: recompute the guarantee from its public parameters, compare what was released with its digest, and recompute what follows from it.

    FILE is a model, an evaluation, intervals, a certificate, a randomised record, or the folder of a release: then its files and its manifest are
    checked too. What cannot be recomputed, such as the secrecy of the noise, is listed by `discreet show`. Exit code 6 when a check fails.
    """
    found = read_artefact(path)
    with step("Checking"):
        verification = found.verify()
    width = max(len(check.name) for check in verification.checks) + 2
    lines = [
        f"{styled('ok  ', fg='green') if check.ok else styled('FAIL', fg='red')}  {check.name:<{width}}{check.detail}"
        for check in verification.checks
    ]
    failed = sum(not check.ok for check in verification.checks)
    summary = "Verified: every check passed." if verification.ok else f"NOT VALID: {failed} of {len(verification.checks)} checks failed."
    limits = [*([] if found.kind.whole else [ALONE]), UNSIGNED]
    document = {"command": "verify", "path": path, "kind": found.kind.name, **verification.to_dict(), "limits": limits}
    answer(document, [*lines, "", summary, *limits], as_json=as_json)
    if not verification.ok:
        context.exit(VerificationFailure.exit_code)
