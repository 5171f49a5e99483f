"""Bounds and simulations over the number of records, as one SVG picture, written by hand; both axes are logarithmic."""

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from discreet.errors import InvalidInput
from discreet.planning.plan import PlannedBound
from discreet.planning.simulate import Simulated

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 420, 84, 24, 112, 56
_PRIVATE, _ALONE, _SIMULATED, _INK, _PALE = "#2f6690", "#6b9bc0", "#a3263a", "#222222", "#d9d9d9"
_DECADES = 5


def plan_plot(bounds: Sequence[PlannedBound], simulated: Sequence[Simulated], *, title: str, subtitle: str = "") -> str:
    """The picture as text, to be written to a file with the ending .svg. Raises InvalidInput for no bounds."""
    if not bounds:
        raise InvalidInput("a picture of a plan needs at least one bound.")
    seen = [(one.records, value) for one in bounds for value in (one.excess, one.without_privacy)]
    seen += [(one.records, value) for one in simulated for value in (one.mean, one.upper) if value > 0]
    across = _Axis([x for x, _ in seen], _LEFT, _WIDTH - _RIGHT)
    up = _Axis([y for _, y in seen], _HEIGHT - _BOTTOM, _TOP)
    lines = [
        f'<line x1="{across.place(tick):.1f}" x2="{across.place(tick):.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="{_PALE}"/>'
        + _text(across.place(tick), _HEIGHT - _BOTTOM + 18, f"{tick:,.0f}", anchor="middle")
        for tick in across.ticks()
    ]
    lines += [
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up.place(tick):.1f}" y2="{up.place(tick):.1f}" stroke="{_PALE}"/>'
        + _text(_LEFT - 8, up.place(tick) + 4, f"{tick:g}", anchor="end")
        for tick in up.ticks()
    ]
    ordered = sorted(bounds, key=lambda one: one.records)
    for values, colour, dashes in (
        ([(one.records, one.excess) for one in ordered], _PRIVATE, ""),
        ([(one.records, one.without_privacy) for one in ordered], _ALONE, ' stroke-dasharray="7 4"'),
    ):
        path = " L".join(f"{across.place(x):.1f} {up.place(y):.1f}" for x, y in values)
        lines.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
    for one in simulated:
        x, low = across.place(one.records), up.place(max(one.mean, up.low))
        high = up.place(max(one.upper, up.low))
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{_SIMULATED}" stroke-width="2"/>')
        lines.append(f'<circle cx="{x:.1f}" cy="{low:.1f}" r="4" fill="{_SIMULATED}"/>')
    legend = (("bound, private", _PRIVATE), ("bound without privacy", _ALONE), ("simulated: mean and upper quantile", _SIMULATED))
    for place, (words, colour) in enumerate(legend):
        x = _LEFT + (0, 150, 340)[place]
        lines.append(f'<rect x="{x}" y="{_TOP - 38}" width="12" height="12" fill="{colour}"/>' + _text(x + 18, _TOP - 28, words))
    lines.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 14, "records", anchor="middle"))
    lines.append(_text(_LEFT, _TOP - 12, "excess of expected loss"))
    lines.append(_text(_LEFT, 46, subtitle))
    body = "\n".join(lines)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}" role="img" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{_INK}">\n<title>{escape(title)}</title>\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>\n{_text(_LEFT, 26, title, size=15)}\n{body}\n</svg>\n'
    )


class _Axis:
    """A logarithmic axis over positive values; at most five decades, the largest ones."""

    __slots__ = ("_end", "_start", "high", "low")

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.high = 1.15 * max(values)
        self.low = max(0.85 * min(values), self.high / 10.0**_DECADES)
        self._start, self._end = start, end

    def place(self, value: float) -> float:
        """In the picture."""
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return self._start + (self._end - self._start) * share

    def ticks(self) -> list[float]:
        """1, and 3 times powers of ten where there is room."""
        steps = (1.0, 3.0) if self.high / self.low < 2000 else (1.0,)
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        return [step * 10.0**power for power in powers for step in steps if self.low <= step * 10.0**power <= self.high]


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 12) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(words)}</text>'
