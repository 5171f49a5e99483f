"""`discreet verify`: every check of a model's certificate with its verdict; exit code 6 when one fails."""

import click

from discreet.cli.output import answer, examples, json_option, step, styled
from discreet.errors import VerificationFailure


@click.command(
    short_help="Check a model's certificate.",
    epilog=examples("discreet verify model.json", "discreet verify model.json --json && publish model.json"),
)
@click.argument("model_path", metavar="MODEL", type=click.Path())
@json_option
@click.pass_context
def verify(context: click.Context, *, model_path: str, as_json: bool) -> None:
    """Check the certificate of MODEL: recompute the guarantee from its public parameters, compare the weights with their digest.

    What cannot be recomputed, such as the secrecy of the noise, is listed by `discreet show`. Exit code 6 when a check fails.
    """
    from discreet.estimators.model import Model  # noqa: PLC0415 - imports of the library wait until they are needed

    model = Model.load(model_path)
    with step("Checking the certificate"):
        verification = model.verify()
    width = max(len(check.name) for check in verification.checks) + 2
    lines = [
        f"{styled('ok  ', fg='green') if check.ok else styled('FAIL', fg='red')}  {check.name:<{width}}{check.detail}"
        for check in verification.checks
    ]
    failed = sum(not check.ok for check in verification.checks)
    summary = "Verified: every check passed." if verification.ok else f"NOT VALID: {failed} of {len(verification.checks)} checks failed."
    answer({"command": "verify", "model": model_path, **verification.to_dict()}, [*lines, "", summary], as_json=as_json)
    if not verification.ok:
        context.exit(VerificationFailure.exit_code)
