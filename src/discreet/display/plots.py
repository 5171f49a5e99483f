"""Pictures as values: shapes, axes, and panels of two axes, in one set of colours; templates write them as SVG.

Every picture stands by itself: it has a title, a white ground and no reference to anything else. Pages in dark colours replace the colours below by
their partners in `PALETTE`.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from discreet.display.markup import rendered

INK, PALE, PAPER = "#222222", "#d9d9d9", "#ffffff"
BLUE, LIGHT_BLUE, PALE_BLUE, RED, SAND, ORANGE = "#2f6690", "#6b9bc0", "#c9dcea", "#a3263a", "#ecd58a", "#c8553d"
PALETTE = {
    INK: "#e6e8ec",
    PALE: "#3a414b",
    PAPER: "#15181d",
    BLUE: "#6db1e4",
    LIGHT_BLUE: "#4f86b0",
    PALE_BLUE: "#28455c",
    RED: "#f0849a",
    SAND: "#8f7a35",
    ORANGE: "#ef8a72",
}
"""Colour on white -> colour in the dark."""
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)

Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """An element of SVG."""

    tag: str
    attributes: Mapping[str, str]
    words: str = ""
    tip: str = ""
    """Said where a pointer rests on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A whole picture."""

    ink: ClassVar[str] = INK
    paper: ClassVar[str] = PAPER
    title: str
    width: float
    height: float
    shapes: Sequence[Shape]


def svg(drawing: Drawing) -> str:
    """The picture as text, to be shown in a notebook or written to a file with the ending .svg."""
    return rendered("picture.svg", drawing=drawing)


def words(x: float, y: float, text: str, *, anchor: str = "start", size: int = 12, upwards: bool = False) -> Shape:
    """Words at a place, or beginning there and going up."""
    turned = {"transform": f"rotate(-90 {x:.1f} {y:.1f})"} if upwards else {}
    return Shape("text", {"x": f"{x:.1f}", "y": f"{y:.1f}", "text-anchor": anchor, "font-size": str(size)} | turned, text)


def line(start: Point, end: Point, *, colour: str = PALE, width: float = 1.0, dashed: bool = False) -> Shape:
    """A straight line."""
    ends = {"x1": f"{start[0]:.1f}", "x2": f"{end[0]:.1f}", "y1": f"{start[1]:.1f}", "y2": f"{end[1]:.1f}"}
    return Shape("line", ends | _stroke(colour, width, dashed=dashed))


def box(x: float, y: float, width: float, height: float, colour: str) -> Shape:
    """A filled rectangle."""
    return Shape("rect", {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": f"{height:.1f}", "fill": colour})


def dot(place: Point, colour: str, *, radius: float = 4.0) -> Shape:
    """A filled circle."""
    return Shape("circle", {"cx": f"{place[0]:.1f}", "cy": f"{place[1]:.1f}", "r": f"{radius:g}", "fill": colour})


def key(x: float, y: float, colour: str, name: str) -> list[Shape]:
    """What a colour stands for."""
    return [box(x, y - 10, 12, 12, colour), words(x + 18, y, name)]


def _stroke(colour: str, width: float, *, dashed: bool) -> dict[str, str]:
    return {"stroke": colour} | ({} if width == 1.0 else {"stroke-width": f"{width:g}"}) | ({"stroke-dasharray": "7 4"} if dashed else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """Values from `low` to `high`, which lie from `start` to `end` in the picture; what is beyond is drawn at the border."""

    low: float
    high: float
    start: float
    end: float
    ticks: Sequence[float]
    label: Callable[[float], str]
    logarithmic: bool = False

    def place(self, value: float) -> float:
        """In the picture."""
        inside = min(max(value, self.low), self.high)
        share = math.log(inside / self.low) / math.log(self.high / self.low) if self.logarithmic else (inside - self.low) / (self.high - self.low)
        return self.start + (self.end - self.start) * share


def log_axis(values: Sequence[float], start: float, end: float, *, label: Callable[[float], str] = "{:g}".format) -> Axis:
    """A logarithmic axis over positive values, of at most five decades, the largest ones; ticks at 1, and 3 where there is room."""
    high = 1.15 * max(values)
    low = max(0.85 * min(values), high / 1e5)
    steps = (1.0, 3.0) if high / low < 2000 else (1.0,)
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**power for power in powers for step in steps if low <= step * 10.0**power <= high]
    return Axis(low=low, high=high, start=start, end=end, ticks=ticks, label=label, logarithmic=True)


def share_axis(start: float, end: float, *, label: Callable[[float], str] = "{:g}".format) -> Axis:
    """From 0 to 1."""
    return Axis(low=0.0, high=1.0, start=start, end=end, ticks=QUARTERS, label=label)


def even_ticks(low: float, high: float) -> list[float]:
    """Round numbers between two numbers, four to eight of them where one of the two is 0."""
    rough = (high - low) / 5.0
    base = 10.0 ** math.floor(math.log10(rough))
    size = base * min(step for step in (1.0, 2.0, 5.0, 10.0) if step * base >= 0.8 * rough)
    first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
    return [float(f"{size * place:.12g}") for place in range(first, last + 1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Two axes, and what is drawn in their units."""

    across: Axis
    up: Axis

    def frame(self, *, across: str = "", up: str = "", name: str = "") -> list[Shape]:
        """The grid with its labels, the names of the axes and that of the panel above it."""
        left, right, floor, top = self.across.start, self.across.end, self.up.start, self.up.end
        shapes = [words(left, top - 16, name, size=13)] if name else []
        for tick in self.up.ticks:
            y = self.up.place(tick)
            shapes += [line((left, y), (right, y)), words(left - 8, y + 4, self.up.label(tick), anchor="end")]
        for tick in self.across.ticks:
            x = self.across.place(tick)
            shapes += [line((x, floor), (x, top)), words(x, floor + 18, self.across.label(tick), anchor="middle")]
        shapes += [words((left + right) / 2, floor + 42, across, anchor="middle")] if across else []
        return shapes + ([words(left - 52, (floor + top) / 2, up, anchor="middle", upwards=True)] if up else [])

    def at(self, point: Point) -> Point:
        """A place in the picture."""
        return self.across.place(point[0]), self.up.place(point[1])

    def curve(self, points: Iterable[Point], colour: str, *, dashed: bool = False) -> Shape:
        """A line along these points."""
        return Shape("path", {"d": self._along(points), "fill": "none"} | _stroke(colour, 2.0, dashed=dashed))

    def dashed(self, start: Point, end: Point, colour: str, *, width: float = 1.0) -> Shape:
        """A straight line to compare with."""
        return line(self.at(start), self.at(end), colour=colour, width=width, dashed=True)

    def area(self, points: Iterable[Point], colour: str, *, pale: bool = False) -> Shape:
        """What lies within these points; `pale` is seen through, and has an outline."""
        outline = {"fill-opacity": "0.3"} | _stroke(colour, 1.5, dashed=False) if pale else {}
        return Shape("path", {"d": f"{self._along(points)} Z", "fill": colour} | outline)

    def bar(self, low: Point, high: Point, colour: str) -> Shape:
        """A rectangle between two corners."""
        (left, floor), (right, top) = self.at(low), self.at(high)
        return box(left, top, right - left, floor - top, colour)

    def _along(self, points: Iterable[Point]) -> str:
        return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in map(self.at, points))
