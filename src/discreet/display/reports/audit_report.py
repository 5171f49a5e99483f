"""The report on an audit: the largest epsilon that was refuted beside the one that is claimed, and whether noise is drawn as certificates state."""

import math
from collections.abc import Sequence

from discreet.audit import AuditReport, DrawnReport
from discreet.audit.drawn.parts import FALSE_ALARM, Watch
from discreet.display.reports.odds import percent
from discreet.display.reports.release_report import public_foot
from discreet.pages import Block, Bullets, Facts, Page, Picture, Section, Table, Text, Tone


def audit_page(report: AuditReport | DrawnReport) -> Page:
    """The page."""
    if isinstance(report, DrawnReport):
        return _drawn_page(report)
    claimed = f"epsilon {report.claim.epsilon:.6g}, delta {report.claim.delta:.3g}"
    sure = "exactly" if report.confidence is None else f"with confidence {100 * report.confidence:.6g} %"
    bound = "infinity" if math.isinf(report.bound) else f"{report.bound:.4g}"
    if not all(watch.as_stated for watch in report.drawn):
        verdict = _otherwise(report.subject)
    elif report.violated:
        words = f"The claim is wrong. {report.subject} claims {claimed}; the audit shows {sure} that epsilon is at least {bound}. Do not publish it."
        verdict = Text(words=words, tone=Tone.BAD)
    else:
        words = (
            f"The audit found nothing against the claim of {report.subject}: {claimed}. It shows {sure} that epsilon is at least {bound}; "
            "whether it is as small as claimed an audit cannot show."
        )
        verdict = Text(words=words, tone=Tone.LEAD)
    rows = [
        ("What was audited", report.subject),
        ("Two neighbouring tables", report.pair),
        ("Method", report.method + ("" if report.runs is None else f", {report.runs:,} runs")),
        ("Claimed", claimed),
        ("Refuted below", f"epsilon {bound}, {sure}"),
        ("Advantage of the best test that was found", f"{percent(report.advantage)} (the claim allows {percent(report.claim.advantage)})"),
    ]
    found: list[Block] = [Facts(caption="The audit", rows=rows), *_events(report), *_drawn(report.drawn)]
    if report.picture is not None:
        caption = (
            f"What leaves on either of the two tables, along {report.picture.label}. The more the two differ, the easier they are to tell apart."
        )
        found.append(Picture(svg=report.plot(), caption=caption))
    sections = [Section(title="What was found", blocks=found), Section(title="What it does not say", blocks=[Bullets(items=_LIMITS)])]
    return Page(title=f"Audit: {report.subject}", lead=[verdict], sections=sections, foot=public_foot())


_LIMITS = (
    "An audit is about the tables and the tests that were tried. A bound below the claim proves nothing: only the theorem of the certificate does.",
    "A bound above the claim is a fault of the mechanism, of its implementation or of the claim, up to the stated confidence.",
)


def _drawn_page(report: DrawnReport) -> Page:
    """What a watch of the noise alone found."""
    words = f"What leaves {report.subject} has the noise that its certificates state, as far as tests of what left many runs can tell."
    verdict = _otherwise(report.subject) if report.violated else Text(words=words, tone=Tone.LEAD)
    sections = [
        Section(title="What was found", blocks=_drawn(report.watches)),
        Section(title="What it does not say", blocks=[Bullets(items=_LIMITS_OF_WATCHES)]),
    ]
    return Page(title=f"Audit: {report.subject}", lead=[verdict], sections=sections, foot=public_foot())


_LIMITS_OF_WATCHES = (
    "That the noise is as large as certificates state says nothing about whether it is large enough: that is the theorem of the certificate.",
    f"The tests call noise of the stated law odd with a probability of at most {FALSE_ALARM:g}; a fault that is too small for them stays unseen.",
)


def _otherwise(subject: str) -> Text:
    words = f"The noise that leaves {subject} does not have the law that its certificates state. Do not use it."
    return Text(words=words, tone=Tone.BAD)


def _drawn(watches: Sequence[Watch]) -> Sequence[Block]:
    if not watches:
        return []
    rows = [
        (part.what, part.stated, f"{part.scores.size:,}", "no" if part in watch.odd else "yes", f"{part.spread:.3g}")
        for watch in watches
        for part in watch.parts
    ]
    header = ("Noise", "Law of the certificate", "Numbers", "Drawn so", "Spread over the stated one")
    return [Table(caption="What left, beside what certificates state", header=header, rows=rows, numbers=frozenset({2, 4}))]


def _events(report: AuditReport) -> Sequence[Block]:
    if not report.events:
        return []
    rows = [
        (
            one.description,
            one.likelier,
            f"{one.share:.4g}",
            f"{one.other_share:.4g}",
            "infinity" if math.isinf(one.bound) else f"{one.bound:.4g}",
        )
        for one in report.events
    ]
    header = ("Event", "Likelier on", "Share there", "Share on the other", "Epsilon at least")
    return [Table(caption="Events that tell the tables apart", header=header, rows=rows, numbers=frozenset({2, 3, 4}))]
