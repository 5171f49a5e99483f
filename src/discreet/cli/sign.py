"""`discreet keygen`: a key pair; `discreet sign`: vouch for a file or folder with a certificate by it. The signature is a file beside that."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from discreet.cli.artefacts import read_artefact
from discreet.cli.files import refuse_same_file, within
from discreet.cli.options import ARGUMENT, Argument, File, command
from discreet.cli.output import Outcome, labelled, step, warn
from discreet.core.errors import InvalidInput


@dataclass(frozen=True, kw_only=True)
class _Keygen:
    name: Annotated[File, ARGUMENT]


@dataclass(frozen=True, kw_only=True)
class _Sign:
    path: Annotated[File, Argument(metavar="FILE")]
    key: Annotated[File, "Your private key, as `discreet keygen` writes it."]
    out: Annotated[File | None, "Where to write the signature.  [default: FILE.sig]"] = None
    overwrite: Annotated[bool, "Replace that file where it exists."] = False


@command("Make a key pair to sign with.", "discreet keygen custodian", "discreet sign model.json --key custodian.private.pem")
def keygen(given: _Keygen) -> Outcome:
    """Write NAME.private.pem, which signs and which only you can read, and NAME.public.pem, which everyone may have (Ed25519).

    Publish the public key and its id once, where people know that it is you who writes there: a signature says no more than that the owner of the
    private key made it. Keep the private key as you keep passwords; existing files are never written over. Needs `pip install discreet[sign]`.
    """
    from discreet.signing import new_key

    private, public = f"{given.name}.private.pem", f"{given.name}.public.pem"
    key = new_key(private, public)
    return Outcome(
        document={"private": private, "public": public, "key": key},
        lines=labelled(("Private key", f"{private} (keep it to yourself)"), ("Public key", f"{public} (publish it)"), ("Key id", key)),
    )


@command(
    "Sign what carries a certificate.",
    "discreet sign model.json --key custodian.private.pem",
    "discreet sign noisy --key custodian.private.pem",
    "discreet verify model.json --key custodian.public.pem",
)
def sign(given: _Sign) -> Outcome:
    """Sign FILE: a model, an evaluation, intervals, a certificate, a randomised record, or the folder of a release.

    FILE is verified first, and what does not hold is not signed. It stays as it is; the signature covers all that it says, not its blanks and line
    breaks, and of a release every file, by the digests of its manifest. Needs `pip install discreet[sign]`.
    """
    from discreet import signing

    where = signature_of(given.path) if given.out is None else given.out
    refuse_same_file(where, given.path, given.key)
    if within(where, given.path):
        raise InvalidInput(f"{where!r} would be written into the release itself, which would not verify then. Choose a path outside of it.")
    found = read_artefact(given.path)
    with step("Checking"):
        found.verify().require()
    _warn_of_mode(given.key)
    made = signing.sign(found.document, given.key)
    made.save(where, overwrite=given.overwrite)
    return Outcome(
        document={"path": given.path, "kind": found.kind.name, "key": made.key, "written": where},
        lines=labelled(("Signed", f"{given.path} ({found.kind.what})"), ("Key id", made.key), ("Written to", where)),
    )


def signature_of(path: str) -> str:
    """Where the signature of a file or folder is looked for: beside it."""
    target = Path(path)
    if target.name in {"", ".."}:
        target = target.resolve()
    if not target.name:
        raise InvalidInput(f"{path!r} has no name for a signature to be beside. Give the path of a file or folder.")
    return f"{target}.sig"


def _warn_of_mode(key: str) -> None:
    """A private key that others can read is not one."""
    try:
        open_to_others = os.name == "posix" and stat.S_IMODE(Path(key).stat().st_mode) & 0o077
    except (OSError, ValueError):
        return
    if open_to_others:
        warn(f"others on this machine can read the private key {key!r}: chmod 600 it.")
