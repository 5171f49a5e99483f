"""`discreet verify`: every check of the certificate of a model or a release with its verdict; exit code 6 when one fails."""

from typing import TYPE_CHECKING

import click

from discreet.cli.output import answer, examples, json_option, step, styled
from discreet.errors import VerificationFailure
from discreet.files.lookup import is_folder

if TYPE_CHECKING:
    from discreet.certificates import Verification


@click.command(
    short_help="Check the certificate of a model or a release.",
    epilog=examples("discreet verify model.json", "discreet verify model.json --json && publish model.json", "discreet verify noisy"),
)
@click.argument("model_path", metavar="MODEL", type=click.Path())
@json_option
@click.pass_context
def verify(context: click.Context, *, model_path: str, as_json: bool) -> None:
    """Check the certificate of MODEL: recompute the guarantee from its public parameters, compare the weights with their digest.

    MODEL is a model file, or the folder of a release: then its files and its manifest are checked too. What cannot be recomputed, such as the secrecy
    of the noise, is listed by `discreet show` and `discreet inspect`. Exit code 6 when a check fails.
    """
    verification = _verified(model_path)
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


def _verified(path: str) -> "Verification":
    """Of the release in a folder, or of the model in a file."""
    if is_folder(path):
        from discreet.publications import read_release  # noqa: PLC0415 - imports of the library wait until they are needed

        release = read_release(path)
        with step("Checking the release"):
            return release.verify()
    from discreet.estimators.model import Model  # noqa: PLC0415

    model = Model.load(path)
    with step("Checking the certificate"):
        return model.verify()
