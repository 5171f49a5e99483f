"""SVG written by hand: words, lines, axes and the frame of a picture, in one set of colours.

Every picture stands by itself: it has a title, a white ground and no reference to anything else. Pages in dark colours replace the colours below by
their partners in `PALETTE` (module `style`).
"""

import math
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

from discreet.pages.visible import visible

INK, PALE, PAPER = "#222222", "#d9d9d9", "#ffffff"
BLUE, LIGHT_BLUE, PALE_BLUE, RED, SAND = "#2f6690", "#6b9bc0", "#c9dcea", "#a3263a", "#ecd58a"
PALETTE = {
    INK: "#e6e8ec",
    PALE: "#3a414b",
    PAPER: "#15181d",
    BLUE: "#6db1e4",
    LIGHT_BLUE: "#4f86b0",
    PALE_BLUE: "#28455c",
    RED: "#f0849a",
    SAND: "#8f7a35",
    # of the figures of studies
    "#e2e2e2": "#3a414b",
    "#c8553d": "#ef8a72",
    "#3a7d44": "#74bf80",
    "#8e5572": "#cf96b3",
    "#6b4226": "#c2977a",
    "#5f6b73": "#a5b1ba",
}
"""Colour on white -> colour in the dark."""

Point = tuple[float, float]


def words(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12) -> str:
    """Words at a place; they are made safe here."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{escape(visible(text))}</text>'


def line(start: Point, end: Point, *, colour: str = PALE, dashed: bool = False, width: float = 1.0) -> str:
    """A straight line."""
    thick = "" if width == 1.0 else f' stroke-width="{width:g}"'
    dashes = ' stroke-dasharray="7 4"' if dashed else ""
    return f'<line x1="{start[0]:.1f}" x2="{end[0]:.1f}" y1="{start[1]:.1f}" y2="{end[1]:.1f}" stroke="{colour}"{thick}{dashes}/>'


def path(points: Iterable[Point]) -> str:
    """The `d` of a path along these points."""
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in points)


def picture(body: str, *, width: float, height: float, title: str) -> str:
    """The whole picture, to be shown in a page or written to a file with the ending .svg."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'font-family="Helvetica, Arial, sans-serif" font-size="12" fill="{INK}">\n<title>{escape(visible(title))}</title>\n'
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>\n{body}\n</svg>\n'
    )


def even_ticks(highest: float) -> list[float]:
    """Round numbers from 0 to `highest` > 0, four to eight of them."""
    rough = highest / 5.0
    base = 10.0 ** math.floor(math.log10(rough))
    size = base * min(step for step in (1.0, 2.0, 5.0, 10.0) if step * base >= 0.8 * rough)
    return [float(f"{size * place:.12g}") for place in range(int(highest / size * (1.0 + 1e-12)) + 1)]


class LogAxis:
    """A logarithmic axis over positive values, from `start` to `end` in the picture; at most so many decades, the largest ones."""

    __slots__ = ("_end", "_start", "high", "low")

    def __init__(self, values: Sequence[float], start: float, end: float, *, decades: int = 5) -> None:
        """Raises ValueError for no values."""
        self.high = 1.15 * max(values)
        self.low = max(0.85 * min(values), self.high / 10.0**decades)
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
