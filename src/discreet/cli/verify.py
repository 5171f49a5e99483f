"""`discreet verify`: every check of a file or folder with a certificate, with its verdict; `discreet show`: what it is, in readable text."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from discreet.cli.artefacts import Artefact, read_artefact
from discreet.cli.options import Argument, File, command, usage_error
from discreet.cli.output import Outcome, step, styled
from discreet.cli.sign import signature_of
from discreet.cli.spending import guarantee_of
from discreet.core.errors import VerificationFailure
from discreet.core.files.lookup import is_file

if TYPE_CHECKING:
    from discreet.certificates import Check

_LIMITS = "this shows that the file is consistent, not who wrote it or that the noise was drawn."
UNSIGNED = f"Nothing is signed: {_LIMITS}"
ALONE = "Only the certificate was given: whether something is what it was issued for was not checked."


@dataclass(frozen=True, kw_only=True)
class _Show:
    path: Annotated[File, Argument(metavar="FILE")]


@dataclass(frozen=True, kw_only=True)
class _Verify:
    path: Annotated[File, Argument(metavar="FILE")]
    key: Annotated[File | None, "The signer's public key: check the signature too."] = None
    signature: Annotated[File | None, "With --key: the file with the signature.  [default: FILE.sig]"] = None


@command(
    "Print what carries a certificate, and the certificate.",
    "discreet show model.json",
    "discreet show evaluation.json --json",
    "discreet show intervals.json",
)
def show(given: _Show) -> Outcome:
    """Print what FILE is and what its certificate promises, under which conditions. To check it, use `discreet verify`.

    FILE is a model, an evaluation, intervals, a certificate, a randomised record, or the folder of a release.
    """
    found = read_artefact(given.path)
    lines, stated = found.kind.shown(found.value)
    promised = {"guarantee": guarantee_of(found.certificate), "certificate": found.certificate.to_dict()}
    return Outcome(document={"path": given.path, "kind": found.kind.name, **stated, **promised}, lines=[*lines, "", str(found.certificate)])


@command(
    "Check whatever carries a certificate.",
    "discreet verify model.json",
    "discreet verify evaluation.json --json && publish evaluation.json",
    "discreet verify noisy --key custodian.public.pem",
)
def verify(given: _Verify) -> Outcome:
    """Check FILE: recompute the guarantee from its public parameters, compare what was released with its digest, and recompute what follows from it.

    FILE is a model, an evaluation, intervals, a certificate, a randomised record, or the folder of a release: then its files and its manifest are
    checked too. What cannot be recomputed, such as the secrecy of the noise, is listed by `discreet show`. Exit code 6 when a check fails.

    With --key, the signature that `discreet sign` wrote is checked as well (`pip install discreet[sign]`).
    """
    if given.key is None and given.signature is not None:
        raise usage_error("--signature needs --key, the public key of the signer")
    found = read_artefact(given.path)
    with step("Checking"):
        verification = found.verify()
        where = signature_of(given.path) if given.signature is None else given.signature
        signer, limit = _unchecked(where) if given.key is None else _signed(found, where, given.key)
    if signer is not None:
        verification = type(verification)(checks=(*verification.checks, signer))
    checks = verification.checks
    width = max(len(check.name) for check in checks) + 2
    failed = sum(not check.ok for check in checks)
    limits = [*([] if found.kind.whole else [ALONE]), *([] if limit is None else [limit])]
    return Outcome(
        document={
            "path": given.path,
            "kind": found.kind.name,
            **verification.to_dict(),
            "signed": signer is not None and signer.ok,
            "limits": limits,
        },
        lines=[
            *(f"{styled('ok  ', fg='green') if one.ok else styled('FAIL', fg='red')}  {one.name:<{width}}{one.detail}" for one in checks),
            "",
            f"NOT VALID: {failed} of {len(checks)} checks failed." if failed else "Verified: every check passed.",
            *limits,
        ],
        code=VerificationFailure.exit_code if failed else 0,
    )


def _unchecked(where: str) -> tuple[None, str]:
    """What is to be said where no key was given."""
    return None, f"The signature {where!r} was not checked (--key does): {_LIMITS}" if is_file(where) else UNSIGNED


def _signed(found: Artefact, where: str, key: str) -> "tuple[Check, str | None]":
    """The verdict on the signature, and what it does not say. Raises InvalidInput where there is no signature, or no such key."""
    from discreet.certificates import Check
    from discreet.signing import Signature, check

    signature = Signature.load(where)
    verdict = check(found.document, signature, key)
    words = f"Signed with the key {signature.key}: its owner vouches for this file, and that the noise was drawn as recorded rests on their word."
    return Check("signature", verdict.ok, verdict.detail), words if verdict.ok else None
