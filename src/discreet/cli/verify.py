"""What is done with files and folders that carry a certificate: `discreet verify`, `show`, `sign` (and `keygen`) and `report`.

`verify` gives every check with its verdict, `show` says what it is. A signature is a file beside what it is of. The page of `report` is for people
who are not cryptographers, and may be on a ledger too.
"""

import os
import stat
from pathlib import Path
from typing import Annotated

import discreet
from discreet.cli.artefacts import Artefact, is_ledger, read_artefact, shown_model
from discreet.cli.inputs import guarantee_of, open_ledger
from discreet.cli.options import ARGUMENT, Argument, File, ForSpreadsheet, Option, check_spreadsheet, command, usage_error
from discreet.cli.output import Outcome, check_output, check_report, labelled, refuse_same_file, same_path, step, styled, warn, within
from discreet.core.errors import InvalidInput, InvalidType, VerificationFailure, quoted
from discreet.core.files.reading import is_file
from discreet.core.files.whole_file import write_whole

_LIMITS = "verification shows that the file is consistent, not who wrote it or that the noise was really drawn."
UNSIGNED = f"Nothing is signed: {_LIMITS}"
ALONE = "Only the certificate was given, so nobody checked what it was issued for."


@command(
    "Print a file and its certificate.",
    "discreet show model.json",
    "discreet show evaluation.json --json",
    "discreet show model.json --intervals intervals.json",
    "discreet show model.json --plot curves.svg",
    "discreet show model.json --coefficients coefficients.csv",
)
def show(
    *,
    path: Annotated[File, Argument(metavar="FILE")],
    plot: Annotated[File | None, "For a linear model: write what each column adds, as curves, to this SVG file."] = None,
    label: Annotated[str | None, "With --plot, for more than two classes or several targets: which one to draw."] = None,
    coefficients: Annotated[File | None, "For a model: write all coefficients with all digits to this CSV file."] = None,
    intervals: Annotated[File | None, "For a model: the file of its intervals. Coefficients and curves then count sampling error too."] = None,
    for_spreadsheet: ForSpreadsheet = False,
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False,
) -> Outcome:
    """Print what FILE is, and what its certificate guarantees under which conditions. To check it, use `discreet verify`.

    FILE is a model, an evaluation, a description, intervals, a certificate, a randomised record, or the folder of a release.
    """
    if label is not None and plot is None:
        raise usage_error("--label chooses whose curves --plot draws: add --plot")
    if plot is not None and same_path(plot, coefficients):
        raise usage_error("--plot and --coefficients name the same file")
    check_spreadsheet("--coefficients", coefficients, asked=for_spreadsheet)
    for written in (plot, coefficients):
        check_output(written, path, intervals, overwrite=overwrite)
    found = read_artefact(path)
    options = (("--plot", "draws the curves", plot), ("--coefficients", "writes those", coefficients), ("--intervals", "adds those", intervals))
    for option, does, asked in options:
        if asked is not None and found.kind.name != "model":
            raise InvalidType(f"{option} {does} of a model; {path!r} does not contain one. Leave {option} out.")
    bought = {} if intervals is None else _intervals_in(intervals).beside
    lines, stated = shown_model(found.value, **bought) if bought else found.kind.shown(found.value)
    if coefficients is not None:
        summary = found.value.summary(most=max(1, found.value.weights.size), **bought)
        if not summary.parts:
            raise InvalidInput(f"--coefficients writes those of a linear model. {summary.notes[0]}")
        write_whole(coefficients, summary.to_csv(for_spreadsheet=for_spreadsheet), overwrite=overwrite)
        stated, lines = {**stated, "coefficients": coefficients}, [*lines, *labelled(("Coefficients", f"written to {coefficients}"))]
    if plot is not None:
        write_whole(plot, found.value.curves(label=_label(found.value, label), **bought).plot(), overwrite=overwrite)
        stated, lines = {**stated, "plot": plot}, [*lines, *labelled(("Picture", f"written to {plot}"))]
    promised = {"guarantee": guarantee_of(found.certificate), "certificate": found.certificate.to_dict()}
    return Outcome(document={"path": path, "kind": found.kind.name, **stated, **promised}, lines=[*lines, "", str(found.certificate)])


def _intervals_in(path: str) -> "discreet.estimators.IntervalFile":
    """Of the file. Raises InvalidType for one of another kind, and as `read_artefact`."""
    found = read_artefact(path)
    if found.kind.name != "intervals":
        raise InvalidType(f"--intervals takes a file of `discreet intervals` or `discreet fit --intervals`; {path!r} is a {found.kind.what}.")
    held: discreet.estimators.IntervalFile = found.value
    return held


def _label(model: "discreet.Model", name: str | None) -> "discreet.data.labels.Label | None":
    """The class of this name. Raises InvalidInput where a class is needed and none, or none of the model's, is named."""
    if len(targets := model.schema.answers) > 1:
        if name not in targets:
            given = "none" if name is None else repr(name)
            raise InvalidInput(f"a model of several targets has curves for each: set --label to one of {quoted(targets)}; {given} was given.")
        return name
    known = {discreet.data.labels.canonical(label): label for label in model.classes}
    if model.made is not None and name is None:
        return None
    if (len(known) > 2 and name is None) or (name is not None and name not in known):
        given = "none" if name is None else repr(name)
        raise InvalidInput(f"a model of {len(known)} classes has curves for each: set --label to one of {quoted(list(known))}; {given} was given.")
    return None if name is None else known[name]


@command(
    "Check a file that carries a certificate.",
    "discreet verify model.json",
    "discreet verify evaluation.json --json && publish evaluation.json",
    "discreet verify noisy --key custodian.public.pem",
)
def verify(
    *,
    path: Annotated[File, Argument(metavar="FILE")],
    key: Annotated[File | None, "The signer's public key: check the signature too."] = None,
    signature: Annotated[File | None, "With --key: the file with the signature.  [default: FILE.sig]"] = None,
) -> Outcome:
    """Check FILE: recompute the guarantee from its public parameters, compare what was released with its digest, and recompute what follows from it.

    FILE is a model, an evaluation, a description, intervals, a certificate, a randomised record, or the folder of a release: then its files and its
    manifest are checked too. What cannot be recomputed, such as the secrecy of the noise, is listed by `discreet show`. Exit code 6 when a check
    fails.

    With --key, the signature that `discreet sign` wrote is checked as well.
    """
    if key is None and signature is not None:
        raise usage_error("--signature needs --key, the public key of the signer")
    found = read_artefact(path)
    with step("Checking"):
        verification = found.verify()
        where = _signature_of(path) if signature is None else signature
        unchecked = f"The signature {where!r} was not checked (--key does): {_LIMITS}" if is_file(where) else UNSIGNED
        signer, limit = (None, unchecked) if key is None else _signed(found, where, key, holds=verification.ok)
    if signer is not None:
        verification = type(verification)(checks=(*verification.checks, signer))
    checks = verification.checks
    width = max(len(check.name) for check in checks) + 2
    limits = [*([] if found.kind.whole else [ALONE]), *([] if limit is None else [limit])]
    return Outcome(
        document={
            "path": path,
            "kind": found.kind.name,
            **verification.to_dict(),
            "signed": signer is not None and verification.ok,
            "limits": limits,
        },
        lines=[
            *(f"{styled('ok  ', fg='green') if one.ok else styled('FAIL', fg='red')}  {one.name:<{width}}{one.detail}" for one in checks),
            "",
            verification.verdict,
            *limits,
        ],
        code=0 if verification.ok else VerificationFailure.exit_code,
    )


@command("Make a key pair to sign with.", "discreet keygen custodian", "discreet sign model.json --key custodian.private.pem")
def keygen(*, name: Annotated[File, ARGUMENT]) -> Outcome:
    """Write NAME.private.pem, which signs and which only you can read, and NAME.public.pem, which everyone may have (Ed25519).

    Publish the public key and its id once, in a place that people know to be yours: a signature says only that the owner of the private key made it.
    Keep the private key as you keep passwords; existing files are never written over.
    """
    private, public = f"{name}.private.pem", f"{name}.public.pem"
    key = discreet.signing.new_key(private, public)
    return Outcome(
        document={"private": private, "public": public, "key": key},
        lines=labelled(("Private key", f"{private} (keep it to yourself)"), ("Public key", f"{public} (publish it)"), ("Key id", key)),
    )


@command(
    "Sign a file that carries a certificate.",
    "discreet sign model.json --key custodian.private.pem",
    "discreet sign noisy --key custodian.private.pem",
    "discreet verify model.json --key custodian.public.pem",
)
def sign(
    *,
    path: Annotated[File, Argument(metavar="FILE")],
    key: Annotated[File, "Your private key, as `discreet keygen` writes it."],
    out: Annotated[File | None, "Where to write the signature.  [default: FILE.sig]"] = None,
    overwrite: Annotated[bool, "Overwrite that file if it exists."] = False,
) -> Outcome:
    """Sign FILE: a model, an evaluation, a description, intervals, a certificate, a randomised record, or the folder of a release.

    FILE is verified first, and what does not hold is not signed. It stays as it is; the signature covers all that it says, not its blanks and line
    breaks, and of a release every file, by the digests of its manifest.
    """
    where = _signature_of(path) if out is None else out
    refuse_same_file(where, path, key)
    if within(where, path):
        raise InvalidInput(f"{where!r} is inside the release, which would then no longer verify. Choose a path outside it.")
    found = read_artefact(path)
    with step("Checking"):
        found.verify().require()
    _warn_of_mode(key)
    made = discreet.signing.sign(found.document, key)
    made.save(where, overwrite=overwrite)
    return Outcome(
        document={"path": path, "kind": found.kind.name, "key": made.key, "written": where},
        lines=labelled(("Signed", f"{path} ({found.kind.what})"), ("Key id", made.key), ("Written to", where)),
    )


@command(
    "Write a readable page about a model, release or ledger.",
    "discreet report model.json --out model.html",
    "discreet report model.json --out model.html --card card.md --ledger team.ledger",
    "discreet report model.json --out model.pdf --purpose 'Which patients come back?' --owner 'City Hospital' --evaluation measures.json",
    "discreet report team.ledger --out budget.html",
)
def report(
    *,
    source: Annotated[File, ARGUMENT],
    out: Annotated[File, Option(metavar="PAGE", help="The page to write: HTML; .md is Markdown; .pdf is printed by a browser, if there is one.")],
    purpose: Annotated[str, "What the release is for; printed on the page."] = "",
    owner: Annotated[str, "Who is responsible for it; printed on the page."] = "",
    evaluation: Annotated[File | None, "Private measurements of the model, from `discreet evaluate --out`."] = None,
    intervals: Annotated[File | None, "Intervals of the model's coefficients, from `discreet intervals --out` or `discreet fit --intervals`."] = None,
    ledger: Annotated[File | None, "The ledger that paid for it, to show the budget before and after."] = None,
    card: Annotated[File | None, Option(metavar="CARD", help="Also write the model's card, HTML or Markdown (.md).")] = None,
    overwrite: Annotated[bool, "Overwrite these files if they exist."] = False,
) -> Outcome:
    """Write a page that says in plain words what SOURCE guarantees, to whom, why you can believe it, and what it does not say.

    SOURCE is a model, an evaluation, a description, intervals, a certificate, a randomised record, a ledger, or the folder of a release. The page is
    one file, needs no network and prints well: it begins with what a board needs to know, and ends with an appendix for experts. It contains public
    numbers only: those of SOURCE, and what follows from them.
    """
    from discreet.display.reports import About, card_of, page_of, write_page

    if same_path(card, out):
        raise usage_error("--out and --card name the same file")
    for path in (out, card):
        if path is not None and within(path, source):
            raise InvalidInput(f"{path!r} is inside the release, which would then no longer verify. Choose a path outside {source!r}.")
        check_report(path, source, ledger, evaluation, intervals, overwrite=overwrite)
    with step("Reading and checking"):
        found = None if is_ledger(source) else read_artefact(source)
        if card is not None and (found is None or found.kind.name != "model"):
            raise InvalidType(f"--card writes the card of a model; {source!r} is not a model. Leave --card out.")
        payer = None if ledger is None else open_ledger(ledger)
        measured = None if evaluation is None else read_artefact(evaluation)
        if measured is not None and (measured.kind.name != "evaluation" or found is None or found.kind.name != "model"):
            raise InvalidType("--evaluation takes a file of private measurements, in the report of a model. Leave it out, or give such a file.")
        if intervals is not None and (found is None or found.kind.name != "model"):
            raise InvalidType(f"--intervals adds intervals to the report of a model; {source!r} is not a model. Leave --intervals out.")
        bought = None if intervals is None else _intervals_in(intervals)
        if bought is not None:
            bought.verify().require()
        about = About(purpose=purpose, owner=owner, evaluation=None if measured is None else measured.value, intervals=bought)
        page = page_of(open_ledger(source)) if found is None else page_of(found.value, ledger=payer, name=found.path, about=about)
        pages = [(page, out), *([] if card is None or found is None else [(card_of(found.value), card)])]
    for one, path in pages:
        with step("Writing"):
            write_page(one, path, overwrite=overwrite)
    return Outcome(
        document={"source": source, "title": page.title, "written": out, "card": card},
        lines=labelled(("Written to", out), ("Card", card)),
    )


def _signed(found: Artefact, where: str, key: str, *, holds: bool) -> "tuple[discreet.certificates.Check, str | None]":
    """The verdict on the signature, and what it does not say. Raises InvalidInput where there is no signature, or no such key.

    `holds` is whether everything else does: a signature is of what a file or a manifest says, and its owner does not vouch for what is not that.
    """
    signature = discreet.signing.Signature.load(where)
    verdict = discreet.signing.check(found.document, signature, key)
    covered = "the manifest of the release" if found.kind.name == "release" else "the text of the file"
    if not verdict.ok:
        words = None
    elif holds:
        words = f"Signed with the key {signature.key}: its owner vouches for this file. That the noise was drawn as recorded rests on their word."
    else:
        words = f"The signature covers {covered} alone, and what is here is not what that says: the owner of the key does not vouch for this content."
    return discreet.certificates.Check("signature", verdict.ok, verdict.detail if holds else f"{verdict.detail}, for {covered}"), words


def _signature_of(path: str) -> str:
    """Where the signature of a file or folder is looked for: beside it."""
    target = Path(path)
    if target.name in {"", ".."}:
        target = target.resolve()
    if not target.name:
        raise InvalidInput(f"{path!r} has no name to put a signature beside. Give the path of a file or folder.")
    return f"{target}.sig"


def _warn_of_mode(key: str) -> None:
    """A private key that others can read is not one."""
    try:
        open_to_others = os.name == "posix" and stat.S_IMODE(Path(key).stat().st_mode) & 0o077
    except (OSError, ValueError):
        return
    if open_to_others:
        warn(f"other users of this machine can read the private key {key!r}. Run chmod 600 on it.")
