"""`discreet verify`: every check of a file or folder with a certificate, with its verdict; exit code 6 when one fails."""

from typing import TYPE_CHECKING

import click

from discreet.cli.artefacts import Artefact, read_artefact
from discreet.cli.output import answer, examples, json_option, step, styled
from discreet.cli.sign import signature_of
from discreet.core.errors import VerificationFailure
from discreet.core.files.lookup import is_file

if TYPE_CHECKING:
    from discreet.certificates import Check

_LIMITS = "this shows that the file is consistent, not who wrote it or that the noise was drawn."
UNSIGNED = f"Nothing is signed: {_LIMITS}"
ALONE = "Only the certificate was given: whether something is what it was issued for was not checked."


@click.command(
    short_help="Check whatever carries a certificate.",
    epilog=examples(
        "discreet verify model.json",
        "discreet verify evaluation.json --json && publish evaluation.json",
        "discreet verify noisy --key custodian.public.pem",
    ),
)
@click.argument("path", metavar="FILE", type=click.Path())
@click.option("--key", type=click.Path(), help="The signer's public key: check the signature too.")
@click.option("--signature", "signature_path", type=click.Path(), help="With --key: the file with the signature.  [default: FILE.sig]")
@json_option
@click.pass_context
def verify(context: click.Context, *, path: str, key: str | None, signature_path: str | None, as_json: bool) -> None:
    """Check FILE: recompute the guarantee from its public parameters, compare what was released with its digest, and recompute what follows from it.

    FILE is a model, an evaluation, intervals, a certificate, a randomised record, or the folder of a release: then its files and its manifest are
    checked too. What cannot be recomputed, such as the secrecy of the noise, is listed by `discreet show`. Exit code 6 when a check fails.

    With --key, the signature that `discreet sign` wrote is checked as well (`pip install discreet[sign]`).
    """
    if key is None and signature_path is not None:
        raise click.UsageError("--signature needs --key, the public key of the signer", context)
    found = read_artefact(path)
    with step("Checking"):
        verification = found.verify()
        where = signature_of(path) if signature_path is None else signature_path
        signer, limit = _unchecked(where) if key is None else _signed(found, where, key)
    if signer is not None:
        verification = type(verification)(checks=(*verification.checks, signer))
    width = max(len(check.name) for check in verification.checks) + 2
    lines = [
        f"{styled('ok  ', fg='green') if check.ok else styled('FAIL', fg='red')}  {check.name:<{width}}{check.detail}"
        for check in verification.checks
    ]
    failed = sum(not check.ok for check in verification.checks)
    summary = "Verified: every check passed." if verification.ok else f"NOT VALID: {failed} of {len(verification.checks)} checks failed."
    limits = [*([] if found.kind.whole else [ALONE]), *([] if limit is None else [limit])]
    document = {
        "command": "verify",
        "path": path,
        "kind": found.kind.name,
        **verification.to_dict(),
        "signed": signer is not None and signer.ok,
        "limits": limits,
    }
    answer(document, [*lines, "", summary, *limits], as_json=as_json)
    if not verification.ok:
        context.exit(VerificationFailure.exit_code)


def _unchecked(where: str) -> tuple[None, str]:
    """What is to be said where no key was given."""
    return None, f"The signature {where!r} was not checked (--key does): {_LIMITS}" if is_file(where) else UNSIGNED


def _signed(found: Artefact, where: str, key: str) -> "tuple[Check, str | None]":
    """The verdict on the signature, and what it does not say. Raises InvalidInput where there is no signature, or no such key."""
    from discreet.certificates import Check  # noqa: PLC0415 - imports of the library wait until they are needed
    from discreet.signing import Signature, check  # noqa: PLC0415

    signature = Signature.load(where)
    verdict = check(found.document, signature, key)
    words = f"Signed with the key {signature.key}: its owner vouches for this file, and that the noise was drawn as recorded rests on their word."
    return Check("signature", verdict.ok, verdict.detail), words if verdict.ok else None
