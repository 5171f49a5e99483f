"""Figures of studies as SVG, written by hand: panels side by side with lines, error bars and points, and one legend.

A line keeps its colour in all panels of a figure: colours belong to names, in the order in which names first appear, and can be fixed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from discreet.core.errors import InvalidInput

COLOURS = ("#2f6690", "#c8553d", "#3a7d44", "#8e5572", "#c99700", "#4d9de0", "#6b4226", "#5f6b73")
"""Blue, red, green, purple, ochre, light blue, brown, slate: readable by the colour-blind beside their marks and dashes."""
INK, _PALE = "#222222", "#e2e2e2"
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 440, 300, 66, 16, 34, 50
_LEGEND_ROW, _LETTER = 20, 6.4
_DECADES = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Points (x, y), joined or not; a y of None or NaN leaves a gap."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    error: Sequence[float | None] | None = None
    """Half the length of a bar at each point; a standard error, say."""
    colour: str | None = None
    dashed: bool = False
    joined: bool = True
    marked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One pair of axes."""

    title: str
    across: str
    up: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    """What is outside is drawn at the border."""


def figure(panels: Sequence[Panel], *, title: str, columns: int = 2) -> str:
    """The picture as text: `columns` panels a row under one legend. Raises InvalidInput for no panel."""
    if not panels:
        raise InvalidInput("a figure needs at least one panel.")
    colours = _colours(panels)
    columns = min(columns, len(panels))
    width = columns * _WIDTH
    legend, below = _legend(panels, colours, width)
    height = below + math.ceil(len(panels) / columns) * _HEIGHT
    parts = [legend]
    for place, panel in enumerate(panels):
        x, y = place % columns * _WIDTH, below + place // columns * _HEIGHT
        parts.append(f'<g transform="translate({x} {y})">\n' + "\n".join(_panel(panel, colours)) + "\n</g>")
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{INK}">\n<title>{escape(title)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>'
    )


class _Axis:
    """Values to places, linear or logarithmic."""

    __slots__ = ("_end", "_log", "_start", "high", "low")

    def __init__(self, values: Sequence[float], start: float, end: float, *, log: bool, given: tuple[float, float] | None = None) -> None:
        self._log, self._start, self._end = log, start, end
        seen = [value for value in values if math.isfinite(value) and (value > 0 or not log)] or [1.0]
        self.low, self.high = given or (min(seen), max(seen))
        if given is None and log:
            self.high *= 1.25
            self.low = max(0.8 * self.low, self.high / 10.0**_DECADES)
        elif given is None:
            room = 0.06 * (self.high - self.low) or 0.1 * abs(self.high) or 1.0
            self.low, self.high = self.low - room, self.high + room

    def place(self, value: float) -> float:
        """In the panel, at the border for what is outside."""
        inside = min(max(value, self.low), self.high)
        share = math.log(inside / self.low) / math.log(self.high / self.low) if self._log else (inside - self.low) / (self.high - self.low)
        return self._start + (self._end - self._start) * share

    def ticks(self) -> list[tuple[float, str]]:
        """Values and their names."""
        if self._log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            span = math.log10(self.high / self.low)
            steps = (1.0,) if span > 2.5 else (1.0, 3.0) if span > 1 else (1.0, 2.0, 3.0, 5.0, 7.0)
            every = max(1, math.ceil(span / 8))
            found = [step * 10.0**power for power in powers if power % every == 0 for step in steps]
        else:
            rough = (self.high - self.low) / 5
            base = 10.0 ** math.floor(math.log10(rough))
            size = base * min((step for step in (1.0, 2.0, 5.0, 10.0) if step * base >= rough), default=10.0)
            first = math.ceil(self.low / size)
            found = [size * (first + place) for place in range(8)]
        return [(value, f"{0.0 if abs(value) < 1e-12 else value:.6g}") for value in found if self.low <= value <= self.high * (1 + 1e-12)]


def _panel(panel: Panel, colours: dict[str, str]) -> Iterator[str]:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    points = [(x, y, error) for line in panel.lines for x, y, error in _points(line)]
    across = _Axis([x for x, _, _ in points], _LEFT, right, log=panel.log_x)
    up = _Axis([y + sign * error for _, y, error in points for sign in (-1, 1)], bottom, _TOP, log=panel.log_y, given=panel.y_range)
    yield _text(_LEFT, _TOP - 12, panel.title, size=13, weight="bold")
    for value, name in across.ticks():
        x = across.place(value)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{bottom}" stroke="{_PALE}"/>' + _text(x, bottom + 16, name, anchor="middle", size=11)
    for value, name in up.ticks():
        y = up.place(value)
        yield f'<line x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_PALE}"/>' + _text(_LEFT - 6, y + 4, name, anchor="end", size=11)
    yield f'<path d="M{_LEFT} {_TOP} V{bottom} H{right}" fill="none" stroke="{INK}"/>'
    yield _text((_LEFT + right) / 2, bottom + 36, panel.across, anchor="middle")
    yield f'<g transform="translate(14 {(_TOP + bottom) / 2:.1f}) rotate(-90)">{_text(0, 0, panel.up, anchor="middle")}</g>'
    for line in panel.lines:
        yield from _drawn(line, colours[line.name], across, up)


def _drawn(line: Line, colour: str, across: _Axis, up: _Axis) -> Iterator[str]:
    dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
    if line.joined:
        for run in _runs(line):
            path = " L".join(f"{across.place(x):.1f} {up.place(y):.1f}" for x, y, _ in run)
            yield f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'
    for x, y, error in _points(line):
        here = across.place(x)
        if error > 0:
            yield f'<line x1="{here:.1f}" x2="{here:.1f}" y1="{up.place(y - error):.1f}" y2="{up.place(y + error):.1f}" stroke="{colour}"/>'
        if line.marked:
            yield f'<circle cx="{here:.1f}" cy="{up.place(y):.1f}" r="{3 if line.joined else 2.4}" fill="{colour}"/>'


def _points(line: Line) -> Iterator[tuple[float, float, float]]:
    for run in _runs(line):
        yield from run


def _runs(line: Line) -> list[list[tuple[float, float, float]]]:
    """Points (x, y, half a bar) without gaps between them, in order."""
    runs: list[list[tuple[float, float, float]]] = [[]]
    for place, (x, y) in enumerate(zip(line.x, line.y, strict=True)):
        if y is None or not math.isfinite(y):
            runs.append([])
        else:
            bar = line.error[place] if line.error is not None else None
            runs[-1].append((float(x), float(y), bar if bar is not None and math.isfinite(bar) else 0.0))
    return [run for run in runs if run]


def _colours(panels: Sequence[Panel]) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in (line for panel in panels for line in panel.lines):
        if line.name not in found:
            found[line.name] = line.colour or COLOURS[len(found) % len(COLOURS)]
    return found


def _legend(panels: Sequence[Panel], colours: dict[str, str], width: int) -> tuple[str, int]:
    """The names beside their marks, in rows, and where they end."""
    first = {line.name: line for panel in reversed(panels) for line in reversed(panel.lines)}
    parts, x, y = [], 12.0, 14
    for name, colour in colours.items():
        line, length = first[name], 34 + _LETTER * len(name) + 18
        if x + length > width and x > 12:
            x, y = 12.0, y + _LEGEND_ROW
        dashes = ' stroke-dasharray="6 4"' if line.dashed else ""
        if line.joined:
            parts.append(f'<line x1="{x:.1f}" x2="{x + 26:.1f}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"{dashes}/>')
        if line.marked:
            parts.append(f'<circle cx="{x + 13:.1f}" cy="{y}" r="3" fill="{colour}"/>')
        parts.append(_text(x + 32, y + 4, name))
        x += length
    return "\n".join(parts), y + 16


def _text(x: float, y: float, words: str, *, anchor: str = "start", size: int = 12, weight: str = "normal") -> str:
    bold = ' font-weight="bold"' if weight == "bold" else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"{bold}>{escape(words)}</text>'
