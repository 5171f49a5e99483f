"""Audits: the output laws as a picture, and the report: what was refuted beside what is claimed, and whether noise is drawn as certificates state.

The picture is what an adversary sees who tries to tell the tables apart. Both laws are histograms over one number: the score of the best event where
laws were sampled, the privacy loss where they are known. Dashed lines mark where the event begins, or the claimed epsilon on either side.
"""

import math
from collections.abc import Sequence

from discreet.audit import AuditReport, DrawnReport
from discreet.audit.parts import FALSE_ALARM, Watch
from discreet.audit.report import number
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.display.pages import PUBLIC_FOOT, Block, Bullets, Facts, Page, Picture, Section, Table, Text, Tone, view_html
from discreet.display.plots import BLUE, INK, ORANGE, QUARTERS, Axis, Drawing, Panel, even_ticks, key, svg, words
from discreet.display.promise import percent

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _RIGHT = 560, 260, 66, 96, 62, 28
_LONGEST_TITLE = 52


def plot(report: AuditReport) -> str:
    """The picture as text, to be written to a file with the ending .svg. Raises InvalidInput for a report without laws."""
    return svg(_laws(report))


def _laws(report: AuditReport) -> Drawing:
    law = report.picture
    if law is None:
        raise InvalidInput("this report has no output distributions to draw: an audit of canaries in one run only counts guesses.")
    subject = report.subject if len(report.subject) <= _LONGEST_TITLE else f"{report.subject[: _LONGEST_TITLE - 3]}..."
    title = f"{subject}: {report.verdict}"
    low, high = float(law.edges[0]), float(law.edges[-1])
    most = _round_above(max(float(law.first.max()), float(law.second.max()), 1e-12))
    panel = Panel(
        across=Axis(low=low, high=high, start=_LEFT, end=_LEFT + _WIDTH, ticks=even_ticks(low, high), label="{:.4g}".format),
        up=Axis(low=0.0, high=most, start=_TOP + _HEIGHT, end=_TOP, ticks=[share * most for share in QUARTERS], label="{:.3g}".format),
    )
    about = f"epsilon >= {number(report.bound)} at delta {report.claim.delta:.3g}; claimed: {report.claim}"
    shapes = [words(_LEFT, 26, title, size=15), words(_LEFT, 46, about)]
    shapes += [*key(_LEFT, 72, BLUE, "first table"), *key(_LEFT + 110, 72, ORANGE, "second table")]
    shapes += panel.frame(across=law.label, up="share of runs")
    shapes += [panel.area(_steps(law.edges, shares), colour, pale=True) for shares, colour in ((law.first, BLUE), (law.second, ORANGE))]
    shapes += [panel.dashed((at, 0.0), (at, most), INK) for at in law.thresholds if low <= at <= high]
    return Drawing(title=title, width=_LEFT + _WIDTH + _RIGHT, height=_TOP + _HEIGHT + _BOTTOM, shapes=shapes)


def _steps(edges: Floats, shares: Floats) -> list[tuple[float, float]]:
    bins = zip(edges[:-1].tolist(), edges[1:].tolist(), shares.tolist(), strict=True)
    return [(float(edges[0]), 0.0), *(corner for left, right, share in bins for corner in ((left, share), (right, share))), (float(edges[-1]), 0.0)]


def _round_above(most: float) -> float:
    unit = 10.0 ** math.floor(math.log10(most))
    return next(step * unit for step in (1.0, 2.0, 4.0, 5.0, 8.0, 10.0) if step * unit >= most)


def view(report: AuditReport | DrawnReport) -> str:
    """HTML for notebooks."""
    made = page(report)
    return view_html(made.title, *made.lead, *made.sections[0].blocks)


def page(report: AuditReport | DrawnReport) -> Page:
    """The report."""
    if isinstance(report, DrawnReport):
        sentence = f"The results of {report.subject} have the noise that its certificates state, as far as tests of many runs can tell."
        verdict = _otherwise(report.subject) if report.violated else Text(sentence, Tone.LEAD)
        found, limits = _drawn(report.watches), _LIMITS_OF_WATCHES
    else:
        verdict, found, limits = _verdict(report), _found(report), _LIMITS
    sections = [Section("What was found", found), Section("What it does not say", [Bullets(limits)])]
    return Page(f"Audit: {report.subject}", [verdict], sections, PUBLIC_FOOT)


_LIMITS = (
    (
        "An audit covers only the tables and tests that were tried. A bound below the claim proves nothing; only the theorem named in the "
        "certificate does."
    ),
    "A bound above the claim means that the mechanism, its implementation or the claim is wrong, up to the stated confidence.",
)
_LIMITS_OF_WATCHES = (
    (
        "The audit shows whether the noise is as large as certificates state, not whether that is large enough; the theorem named in the "
        "certificate shows that."
    ),
    f"The tests reject correct noise with probability at most {FALSE_ALARM:g}; a fault too small for them goes unseen.",
)


def _claimed(report: AuditReport) -> str:
    return f"epsilon {report.claim.epsilon:.6g}, delta {report.claim.delta:.3g}"


def _sure(report: AuditReport) -> str:
    return "exactly" if report.confidence is None else f"with confidence {100 * report.confidence:.6g} %"


def _verdict(report: AuditReport) -> Text:
    subject, claimed, shown = report.subject, _claimed(report), f"{_sure(report)} that epsilon is at least {number(report.bound)}"
    if not all(watch.as_stated for watch in report.drawn):
        return _otherwise(subject)
    if report.violated:
        return Text(f"The claim is wrong. {subject} claims {claimed}; the audit shows {shown}. Do not publish it.", Tone.BAD)
    cannot = "an audit cannot show that epsilon is as small as claimed."
    return Text(f"The audit found nothing against the claim of {subject}: {claimed}. It shows {shown}; {cannot}", Tone.LEAD)


def _otherwise(subject: str) -> Text:
    return Text(f"The noise of {subject} does not have the distribution that its certificates state. Do not use it.", Tone.BAD)


def _found(report: AuditReport) -> list[Block]:
    rows = [
        ("What was audited", report.subject),
        ("Two neighbouring tables", report.pair),
        ("Method", report.method + ("" if report.runs is None else f", {report.runs:,} runs")),
        ("Claimed", _claimed(report)),
        ("Refuted below", f"epsilon {number(report.bound)}, {_sure(report)}"),
        ("Advantage of the best test found", f"{percent(report.advantage)} (the claim allows {percent(report.claim.advantage)})"),
    ]
    blocks: list[Block] = [Facts("The audit", rows)]
    if report.events:
        events = [(one.description, one.likelier, f"{one.share:.4g}", f"{one.other_share:.4g}", number(one.bound)) for one in report.events]
        header = ("Event", "Likelier on", "Share there", "Share on the other", "Epsilon at least")
        blocks.append(Table("Events that distinguish the tables", header, events, {2, 3, 4}))
    blocks += _drawn(report.drawn)
    if report.picture is not None:
        caption = (
            f"The output distributions for the two tables, along {report.picture.label}. The more they differ, the easier it is to tell the "
            "tables apart."
        )
        blocks.append(Picture(_laws(report), caption))
    return blocks


def _drawn(watches: Sequence[Watch]) -> list[Block]:
    rows = [
        (part.what, part.stated, f"{part.scores.size:,}", "no" if part in watch.odd else "yes", f"{part.spread:.3g}")
        for watch in watches
        for part in watch.parts
    ]
    header = ("Noise", "Law of the certificate", "Numbers", "Drawn so", "Observed spread / stated spread")
    return [Table("Observed noise beside the noise that certificates state", header, rows, {2, 4})] if watches else []
