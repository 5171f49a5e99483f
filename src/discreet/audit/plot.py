"""The two output laws of an audit as one SVG picture, written by hand: what an adversary sees who tries to tell the tables apart.

Both laws are histograms over one number: the score of the best event where laws were sampled, the privacy loss where they are known. Dashed lines
mark where the event begins, or the claimed epsilon on either side.
"""

import math
from xml.sax.saxutils import escape

from discreet.audit.report import AuditReport, LawPicture, number
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _RIGHT = 560, 260, 66, 96, 62, 28
_TITLE = 52
_FIRST, _SECOND, _LINE, _INK, _PALE = "#2f6690", "#c8553d", "#222222", "#222222", "#d9d9d9"


def laws_plot(report: AuditReport) -> str:
    """The picture as text, to be written to a file with the ending .svg. Raises InvalidInput for a report without laws."""
    picture = report.picture
    if picture is None:
        raise InvalidInput("this report has no output laws to draw: an audit of canaries in one run counts guesses only.")
    width, height = _LEFT + _WIDTH + _RIGHT, _TOP + _HEIGHT + _BOTTOM
    title = f"{_short(report.subject)}: {report.verdict}"
    sub = f"epsilon >= {number(report.bound)} at delta {report.claim.delta:.3g}; claimed: {report.claim}"
    body = "\n".join((*_axes(picture), *_laws(picture), *_marks(picture)))
    legend = "\n".join(
        f'<rect x="{_LEFT + offset}" y="62" width="12" height="12" fill="{colour}" fill-opacity="0.45" stroke="{colour}"/>\n'
        + _text(_LEFT + offset + 18, 72, words)
        for offset, colour, words in ((0, _FIRST, "first table"), (110, _SECOND, "second table"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{_INK}">\n<title>{escape(title)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{_text(_LEFT, 26, title, size=15)}\n{_text(_LEFT, 46, sub)}\n{legend}\n'
        f'<g transform="translate({_LEFT} {_TOP})">\n{body}\n</g>\n</svg>\n'
    )


def _axes(picture: LawPicture) -> list[str]:
    top = _top(picture)
    lines = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y = _HEIGHT * (1.0 - share)
        lines += [f'<line x1="0" x2="{_WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_PALE}"/>', _text(-8, y + 4, f"{share * top:.3g}", anchor="end")]
    for tick in _ticks(float(picture.edges[0]), float(picture.edges[-1])):
        lines.append(_text(_across(picture, tick), _HEIGHT + 18, f"{tick:.4g}", anchor="middle"))
    lines += [
        _text(_WIDTH / 2, _HEIGHT + 42, picture.label, anchor="middle"),
        f'<g transform="translate(-50 {_HEIGHT / 2:.1f}) rotate(-90)">{_text(0, 0, "share of runs", anchor="middle")}</g>',
    ]
    return lines


def _laws(picture: LawPicture) -> list[str]:
    drawn = []
    for shares, colour in ((picture.first, _FIRST), (picture.second, _SECOND)):
        drawn.append(f'<path d="{_steps(picture, shares)} Z" fill="{colour}" fill-opacity="0.3" stroke="{colour}" stroke-width="1.5"/>')
    return drawn


def _marks(picture: LawPicture) -> list[str]:
    inside = [at for at in picture.thresholds if picture.edges[0] <= at <= picture.edges[-1]]
    return [
        f'<line x1="{_across(picture, at):.1f}" x2="{_across(picture, at):.1f}" y1="0" y2="{_HEIGHT}" stroke="{_LINE}" stroke-dasharray="6 4"/>'
        for at in inside
    ]


def _steps(picture: LawPicture, shares: Floats) -> str:
    top = _top(picture)
    corners = [(_across(picture, float(picture.edges[0])), float(_HEIGHT))]
    for left, right, share in zip(picture.edges[:-1], picture.edges[1:], shares, strict=True):
        y = _HEIGHT * (1.0 - float(share) / top)
        corners += [(_across(picture, float(left)), y), (_across(picture, float(right)), y)]
    corners.append((_across(picture, float(picture.edges[-1])), float(_HEIGHT)))
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in corners)


def _across(picture: LawPicture, value: float) -> float:
    low, high = float(picture.edges[0]), float(picture.edges[-1])
    return _WIDTH * (value - low) / (high - low)


def _top(picture: LawPicture) -> float:
    """A round number above all shares."""
    most = max(float(picture.first.max()), float(picture.second.max()), 1e-12)
    unit = 10.0 ** math.floor(math.log10(most))
    return next(step * unit for step in (1.0, 2.0, 4.0, 5.0, 8.0, 10.0) if step * unit >= most)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers in the range, about six."""
    rough = (high - low) / 6.0
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * unit for factor in (1.0, 2.0, 5.0, 10.0) if factor * unit >= rough)
    start = math.ceil(low / step)
    return [round(index * step, 12) + 0.0 for index in range(start, math.floor(high / step) + 1)]


def _short(words: str) -> str:
    """What fits into the title's line."""
    return words if len(words) <= _TITLE else f"{words[: _TITLE - 3]}..."


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'
