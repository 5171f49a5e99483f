"""`discreet sign`: vouch for a file or folder with a certificate; the signature is a file beside it."""

import os
import stat
from pathlib import Path

import click

from discreet.cli.artefacts import read_artefact
from discreet.cli.output import answer, examples, json_option, refuse_same_file, step, warn
from discreet.core.errors import InvalidInput


@click.command(
    short_help="Sign what carries a certificate.",
    epilog=examples(
        "discreet sign model.json --key custodian.private.pem",
        "discreet sign noisy --key custodian.private.pem",
        "discreet verify model.json --key custodian.public.pem",
    ),
)
@click.argument("path", metavar="FILE", type=click.Path())
@click.option("--key", type=click.Path(), required=True, help="Your private key, as `discreet keygen` writes it.")
@click.option("--out", type=click.Path(), help="Where to write the signature.  [default: FILE.sig]")
@click.option("--overwrite", is_flag=True, help="Replace that file where it exists.")
@json_option
def sign(*, path: str, key: str, out: str | None, overwrite: bool, as_json: bool) -> None:
    """Sign FILE: a model, an evaluation, intervals, a certificate, a randomised record, or the folder of a release.

    FILE is verified first, and what does not hold is not signed. It stays as it is; the signature covers all that it says, not its blanks and line
    breaks, and of a release every file, by the digests of its manifest. Needs `pip install discreet[sign]`.
    """
    from discreet import signing  # noqa: PLC0415 - imports of the library wait until they are needed

    where = signature_of(path) if out is None else out
    refuse_same_file(where, path, key)
    found = read_artefact(path)
    with step("Checking"):
        found.verify().require()
    _warn_of_mode(key)
    made = signing.sign(found.document, key)
    made.save(where, overwrite=overwrite)
    lines = [f"Signed       {path} ({found.kind.what})", f"Key id       {made.key}", f"Written to   {where}"]
    answer({"command": "sign", "path": path, "kind": found.kind.name, "key": made.key, "written": where}, lines, as_json=as_json)


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
