"""The report on an audit: the largest epsilon that was refuted, beside the one that is claimed."""

import math
from collections.abc import Sequence

from discreet.audit import AuditReport
from discreet.pages import Block, Bullets, Facts, Page, Picture, Section, Table, Text, Tone
from discreet.reports.odds import percent
from discreet.reports.release_report import public_foot


def audit_page(report: AuditReport) -> Page:
    """The page."""
    claimed = f"epsilon {report.claim.epsilon:.6g}, delta {report.claim.delta:.3g}"
    sure = "exactly" if report.confidence is None else f"with confidence {100 * report.confidence:.6g} %"
    bound = "infinity" if math.isinf(report.bound) else f"{report.bound:.4g}"
    if report.violated:
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
    found: list[Block] = [Facts(caption="The audit", rows=rows), *_events(report)]
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
