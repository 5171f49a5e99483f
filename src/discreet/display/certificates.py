"""Certificates, checks and releases in notebooks; and the report on anything that was released with a certificate.

The report is a page for who decides (promise, warnings, what was released, the budget, whether it was checked) and an appendix for experts: odds,
limits, guarantee, conditions with what enforces each, and checks. Those on models, measurements and data add to both.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import quote
from typing import Protocol, runtime_checkable

from discreet.accounting import Json
from discreet.accounting.groups import is_to_persons
from discreet.certificates import Certificate, Release, Verification
from discreet.core.errors import InvalidInput, quoted
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Schema
from discreet.display.guarantee import guarantee_section, guarantee_words
from discreet.display.ledger import picture
from discreet.display.pages import FOOT, Block, Bullets, Code, Facts, Page, Section, Table, Text, Tone, view_html
from discreet.display.promise import limits, odds, promise, protection, stated
from discreet.estimators import IntervalFile
from discreet.evaluation import PrivateEvaluation
from discreet.ledger import Ledger, State
from discreet.ledger.entries import priced
from discreet.ledger.records import counted_of, taken

_MOST = 20
"""Columns that are named."""


def view(certificate: Certificate, name: str = "Certificate", shape: tuple[int, ...] | None = None, *, first: Block | None = None) -> str:
    """HTML of a certificate, which begins with its promise, and with what comes `first`; of a release with its shape."""
    blocks: list[Block] = [*([] if first is None else [first]), *(Text(sentence) for sentence in certificate.promise)]
    if not certificate.noise_private:
        blocks.append(Text("Not valid: the noise was seeded, so anyone who knows the seed can subtract it.", Tone.BAD))
    rows = [] if shape is None else [("Released", f"an array of {' x '.join(f'{size:,}' for size in shape) or 'one number'}")]
    rows += [
        ("Mechanism", certificate.mechanism),
        ("Proof", certificate.guarantee.theorem),
        ("Noise", certificate.noise),
        ("Conditions, and how each is enforced", str(len(certificate.hypotheses))),
        ("Declared public by the caller", "; ".join(certificate.declared) or "nothing beyond the problem"),
        ("Ledger entry", certificate.ledger_entry or "none: nothing adds this to other releases"),
        ("Digest (SHA-256)", certificate.digest),
    ]
    return view_html(name, *blocks, Facts("print(...) shows everything, verify() checks it", rows))


def release_view(release: Release) -> str:
    """HTML of the certificate of a release, with the shape of its value."""
    return view(release.certificate, "Release", release.value.shape)


def verification_view(verification: Verification) -> str:
    """HTML of all checks."""
    passed = Text(f"All {len(verification.checks)} checks passed.")
    verdict = passed if verification.ok else Text("The certificate does not hold.", Tone.BAD)
    return view_html("Verification", verdict, _checks(verification, "Checks"))


def _checks(verification: Verification, caption: str) -> Table:
    rows = [("passed" if check.ok else "FAILED", check.name, check.detail) for check in verification.checks]
    return Table(caption, ("Verdict", "Check", "Found"), rows)


@runtime_checkable
class Certified(Protocol):
    """Anything that was released with a certificate and can be checked against it: a Release, a published folder."""

    @property
    def certificate(self) -> Certificate:
        """What it promises."""

    def verify(self) -> Verification:
        """Every check with its verdict."""


@dataclass(frozen=True, slots=True)
class Alone:
    """A certificate without what it was issued for."""

    certificate: Certificate

    def verify(self) -> Verification:
        """Every check but that of a value."""
        return self.certificate.verify()


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What whoever makes a page says of it; "" for what they do not say."""

    purpose: str = ""
    owner: str = ""
    evaluation: PrivateEvaluation | None = None
    """Private measurements of the model."""
    intervals: IntervalFile | None = None
    """Intervals of its coefficients, which its summary and its curves then have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is said of one thing besides what every certificate says."""

    title: str
    what: str
    """ "this model", in the middle of a sentence."""
    subject: Certified
    check: str
    """What is typed to check it again, where it is in no file whose name is known."""
    facts: Sequence[tuple[str, str]] = ()
    """What was released, in a line or two."""
    lead: Sequence[Block] = ()
    first: Sequence[Section] = ()
    """On the first page, after the promise."""
    later: Sequence[Section] = ()
    """In the appendix, after the guarantee."""
    chosen: str | None = None
    """Which bounds were chosen privately from the records, as a sentence, where some were."""


def certified_page(report: Report, *, ledger: Ledger | None = None, name: str | None = None, about: About | None = None) -> Page:
    """The page: what a board has to know, and an appendix. Raises InvalidInput where the ledger does not hold the release."""
    certificate, said = report.subject.certificate, About() if about is None else about
    command, verified = report.check if name is None else f"discreet verify {quote(name)}", report.subject.verify()
    day = datetime.now(UTC)
    facts = [
        *([("Purpose", said.purpose)] if said.purpose else []),
        *([("Owner", said.owner)] if said.owner else []),
        ("Date of this page", f"{day.day} {day:%B %Y}"),
        *report.facts,
        ("Privacy", _privacy(certificate)),
    ]
    paid, over_time = _budget(certificate, ledger)
    sections = [*report.first, Section("The budget", paid), Section("Can this be checked?", [_verdict(verified), _repeat(command)])]
    appendix = [
        *odds(certificate),
        protection(certificate),
        limits(certificate),
        guarantee_section(certificate.guarantee),
        *report.later,
        *([Section("The budget over time", over_time)] if over_time else []),
        Section("What it rests on", list(_assumptions(certificate, report.chosen))),
        Section("Mechanism and public numbers", list(_numbers(certificate))),
        Section("How to check it", _checking(certificate, verified, command)),
    ]
    lead = [*promise(certificate, what=report.what), Facts("About this report", facts), *report.lead]
    return Page(report.title, lead, sections, FOOT, appendix)


def _privacy(certificate: Certificate) -> str:
    """The numbers in a line."""
    guarantee = certificate.guarantee
    named = stated(guarantee)
    if named is None:
        return guarantee_words(guarantee)
    relation = "one more or one less" if guarantee.neighbours is ADD_REMOVE else "one replaced by another"
    return f"epsilon {named[0]:.4g}, delta {named[1]:.3g}, per {guarantee.unit} ({relation})"


def _verdict(verification: Verification) -> Text:
    if verification.ok:
        return Text(f"All {len(verification.checks)} checks, the guarantee recomputed by a second method among them.", Tone.GOOD)
    return Text("The certificate does not hold: see the checks that failed.", Tone.BAD)


def _repeat(command: str) -> Text:
    """How anybody does it again."""
    return Text(f"Anyone who has the file can repeat them without the records: `{command.replace(chr(10), '; ')}`", Tone.NOTE)


def _budget(certificate: Certificate, ledger: Ledger | None) -> tuple[list[Block], list[Block]]:
    """What was in the ledger before this release, what it took and what was left, and what is left now; and the picture of it over time.

    Without a ledger, that nothing adds this release up. Raises InvalidInput where the ledger does not hold the certificate's entry.
    """
    entry = certificate.ledger_entry
    if entry is None:
        return [Text("No ledger was used, so nothing adds this release to others about the same people.", Tone.BAD)], []
    if ledger is None:
        words = "The budget was reserved in a ledger before any noise was drawn. The keeper of the ledger can say how much is left."
        return [Text(words), Facts("In the ledger", [("Entry", entry)])], []
    found = ledger.entry(entry)
    data_set, history = ledger.data_set(found.data_set), ledger.history(found.data_set)
    if found.guarantee.to_dict() != certificate.guarantee.to_dict() and not is_to_persons(found.guarantee, certificate.guarantee):
        raise InvalidInput(
            "the ledger's entry and the certificate state different guarantees, so they are not of the same release. Give the ledger of the fit."
        )
    place = next(number for number, one in enumerate(history) if one.id == entry)
    before, after, now = (taken(data_set, counted_of(history[:end]), part=found.part) for end in (place, place + 1, None))
    where = data_set.name if found.part is None else f"{data_set.name}, part {found.part}"
    rows = [
        ("Data set", f"{where}; {data_set.neighbours}, one {data_set.unit}"),
        ("Total agreed on", str(data_set.total)),
        ("Spent before this release", str(before)),
        ("Spent after it", str(after)),
        ("Left after it", str(after.left_of(data_set.total))),
        ("Left on the date of this page", str(now.left_of(data_set.total))),
    ]
    if found.guarantee.unit is not certificate.guarantee.unit:
        rows.insert(1, ("Charged as", f"{priced(found.guarantee)} for one person: {found.guarantee.theorem.split('; ')[-1]}"))
    cancelled = [Text("The ledger says that this release was cancelled, but it exists.", Tone.BAD)] if found.state is State.CANCELLED else []
    exceeded = [Text("More has been spent on this data set than its total allows.", Tone.BAD)] if now.exceeds(data_set.total) else []
    when = f"{found.id}, {found.reserved_at[:19].replace('T', ' ')} UTC"
    return [*cancelled, *exceeded, Facts("In the ledger", rows)], [Facts("In the ledger", [("Entry", when)]), picture(ledger, data_set)]


def _assumptions(certificate: Certificate, chosen: str | None) -> Iterator[Block]:
    """Hypotheses, each with how it is enforced, and what the caller answers for."""
    rows = [(part.required, part.enforced) for part in certificate.hypotheses]
    header = ("What must be true", "What makes it true")
    yield Table("Conditions of the theorem", header, rows) if rows else Text("The certificate names no conditions.")
    noise = f"{certificate.noise}; {'it cannot be replayed' if certificate.noise_private else 'it can be replayed, so it protects nobody'}"
    yield Facts("Noise", [("Where it came from", noise)])
    if certificate.declared:
        but = "" if chosen is None else ", but for the bounds named below"
        yield Text(f"The publisher declares that the following is public, that is, not learnt from the records{but}:")
        yield Bullets(certificate.declared)
    else:
        yield Text("Nothing was declared public beyond the numbers below.")
    if chosen is not None:
        yield Text(f"{chosen} A line above that says bounds were not taken from the records does not apply to these.", Tone.NOTE)


def _numbers(certificate: Certificate) -> Iterator[Block]:
    yield Facts(f"Mechanism: {certificate.mechanism}", list(_facts(certificate.parameters.items())))
    if certificate.problem:
        yield Facts("The problem, in public numbers", list(_facts(certificate.problem.items())))


def _checking(certificate: Certificate, verification: Verification, command: str) -> list[Block]:
    """The verdict of the checks when the page was written, and how to repeat them."""
    scope = (
        "A check recomputes the guarantee from the recorded public numbers, in lines of its own: it calls nothing of what chose the noise. Both use "
        "the same theorems and a short list of functions, such as the derivatives of losses, which the documentation of certificates names. "
        "It cannot see whether the release was made as recorded, whether the declared facts are really public, or whether the records are genuine."
    )
    identified = [
        ("Digest of what was released (SHA-256)", certificate.digest),
        ("Issued by", software(certificate.version)),
        ("Releases that the guarantee covers together", str(certificate.releases)),
    ]
    return [
        _verdict(verification),
        _checks(verification, "The checks when this page was written"),
        Text("Repeat them, on any computer that has discreet, without the records:"),
        Code(command.split("\n")),
        Text(scope, Tone.NOTE),
        Facts("What identifies the release", identified),
    ]


def _shown(value: Json) -> str:  # noqa: PLR0911 - one return a type
    """A value of a certificate in a few signs."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case int():
            return f"{value:,}" if abs(value) >= 10_000 else str(value)
        case None:
            return "none"
        case list():
            few = ", ".join(_shown(one) for one in value[:8])
            return few if len(value) <= 8 else f"{few}, and {len(value) - 8:,} more"
        case dict():
            return ", ".join(f"{name} {_shown(one)}" for name, one in value.items()) or "none"
        case _:
            return value


def _facts(items: Iterable[tuple[str, Json]]) -> Iterator[tuple[str, str]]:
    for name, value in items:
        yield name.replace("_", " "), "not published" if value is None and name == "records" else _shown(value)


def software(version: str) -> str:
    """The program that issued a certificate."""
    return "discreet, of a version that is not stated" if version in {"", "unknown"} else f"discreet {version}"


def chosen_bounds(schema: Schema, *, what: str) -> str | None:
    """What a page says of the columns whose bounds `discreet bounds` chose, None where it chose none; `what` was made with them ("this model")."""
    chosen = [column.name for column in schema.numeric if column.released is not None]
    if not chosen:
        return None
    return (
        f"The bounds of {quoted(chosen, most=_MOST)} were chosen privately from the records, in a separate release with its own "
        f"certificate; its cost adds to that of {what}."
    )
