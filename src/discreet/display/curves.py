"""The curves of a model: a picture with one panel a column, the most important first, in notebooks, in reports and as a file.

All panels share the scale upwards, so that a flat curve is a column that matters little. A number is a curve over its values, with the band behind
it; where many points lie in a small part of the range, as with incomes, the axis is logarithmic away from zero. A category is a bar with its
interval; of many categories those that contribute most are drawn.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from discreet.core.arrays import Floats
from discreet.display.pages import Block, Picture, Section, Table, Text, Tone, view_html
from discreet.display.plots import BLUE, INK, PALE_BLUE, Axis, Drawing, Panel, Shape, even_ticks, line, svg, words
from discreet.estimators import Model
from discreet.estimators.curves import NOISE, Contribution, Curves

_ACROSS, _SIDE, _HEIGHT = 3, 250, 190
_LEFT, _TOP, _GAP, _BELOW = 62, 96, 62, 124
_MOST_BARS = 10
_MOST_LISTED = 40
_LONGEST = 15
"""Letters of a category that are drawn."""
_CROWDED = 0.05
"""The share of the range within which a quarter of the points lie where an axis is logarithmic."""
_UNIT = 1e-3


def view(curves: Curves) -> str:
    """HTML for notebooks."""
    return view_html(f"What {curves.title} adds up", *blocks(curves))


def plot(curves: Curves, most: int) -> str:
    """The picture as text, to be written to a file with the ending .svg."""
    return svg(drawing(curves, most))


def section(model: Model) -> list[Section]:
    """For reports: nothing for a model that is no sum of contributions, or has curves for each of many classes."""
    kinds = ("logistic-regression", "linear-svc", "linear-regression")
    if model.kind not in kinds or len(model.classes) > 2:
        return []
    return [Section("What each column adds", blocks(model.curves()))]


def blocks(curves: Curves) -> list[Block]:
    """The picture, what its band is, and how much each column matters."""
    listed = curves.contributions[:_MOST_LISTED]
    rows = [(one.column, f"{one.importance:.3g}", f"{one.contribution.min():.3g}", f"{one.contribution.max():.3g}") for one in listed]
    header = ("Column", "Standard deviation over its values", "Least", "Most")
    caption = (
        f"What each column adds to the answer, the most important first: upwards is towards {curves.towards}. "
        f"Of {len(curves.contributions)} columns, {min(len(curves.contributions), _most(curves))} are drawn."
    )
    found: list[Block] = [Picture(drawing(curves, _most(curves)), caption), Text(_band_words(curves), Tone.NOTE)]
    return [*found, Table("Contributions, each with mean 0 over the values of its column", header, rows, {1, 2, 3})]


def drawing(curves: Curves, most: int) -> Drawing:
    """The picture."""
    shown = curves.contributions[: max(1, most)]
    largest = 1.1 * max(float(np.max(np.abs(one.contribution))) for one in shown) or 1.0
    rows = -(-len(shown) // _ACROSS)
    title = f"{curves.title}: what each column adds, towards {curves.towards}"
    shapes = [words(_LEFT, 28, title, size=15), words(_LEFT, 48, _band_words(curves).partition(". ")[0].removesuffix("."))]
    for place, one in enumerate(shown):
        left = float(_LEFT + (place % _ACROSS) * (_SIDE + _GAP))
        top = float(_TOP + (place // _ACROSS) * (_HEIGHT + _BELOW))
        shapes += (_bars if one.categories else _curve)(one, left, top, largest)
    width = _LEFT + min(len(shown), _ACROSS) * (_SIDE + _GAP) - _GAP + 28
    return Drawing(title=title, width=max(width, 560), height=_TOP + rows * (_HEIGHT + _BELOW) - 10, shapes=shapes)


def _most(curves: Curves) -> int:
    return min(12, len(curves.contributions))


def _band_words(curves: Curves) -> str:
    """What the band counts."""
    if curves.band is None:
        return "No band is drawn: the law of the error of these weights is not known."
    level = f"{100 * curves.level:g} %"
    if curves.band == NOISE:
        return (
            f"The band holds the noise of privacy, {level} at each point: an upper bound, which takes the records to have no curvature. "
            "Sampling is not counted; `discreet intervals` spends a budget on both."
        )
    return f"The band counts the noise of privacy and the sample, {level} at each point."


def _panel(one: Contribution, top: float, largest: float, across: Axis) -> tuple[Panel, list[Shape]]:
    up = Axis(low=-largest, high=largest, start=top + _HEIGHT, end=top, ticks=even_ticks(-largest, largest), label="{:g}".format)
    panel = Panel(across=across, up=up)
    return panel, panel.frame(name=_short(one.column, 30))


def _curve(one: Contribution, left: float, top: float, largest: float) -> Iterator[Shape]:
    values = np.asarray(one.values, dtype=np.float64)
    places, across = _places(values, left)
    panel, frame = _panel(one, top, largest, across)
    yield from frame
    if one.low is not None and one.high is not None:
        low, high = (_along(places, end, stepped=one.stepped) for end in (one.low, one.high))
        yield panel.area([*low, *reversed(high)], PALE_BLUE)
    yield panel.dashed((across.low, 0.0), (across.high, 0.0), INK)
    yield panel.curve(_along(places, one.contribution, stepped=one.stepped), BLUE)


def _along(places: Floats, heights: Floats, *, stepped: bool) -> list[tuple[float, float]]:
    points = list(zip(places.tolist(), heights.tolist(), strict=True))
    if not stepped:
        return points
    steps = [points[0]]
    for (_, height), (place, after) in pairwise(points):
        steps += [(place, height), (place, after)]
    return [*steps, (1.0, points[-1][1])]


def _places(values: Floats, left: float) -> tuple[Floats, Axis]:
    """Where values stand on an axis from 0 to 1, and that axis, with ticks at round values."""
    low, high = float(values[0]), float(values[-1])
    width = high - low
    crowded = len(values) > 4 and float(np.quantile(values, 0.25)) - low < _CROWDED * width
    unit = _UNIT * width if crowded else 0.0

    def scale(value: Floats) -> Floats:
        return np.sign(value) * np.log1p(np.abs(value) / unit) if crowded else value

    ends = scale(np.array([low, high]))
    ticks = np.array(_round_ticks(low, high, unit) if crowded else even_ticks(low, high))
    places = (scale(values) - ends[0]) / (ends[1] - ends[0])
    stands = (scale(ticks) - ends[0]) / (ends[1] - ends[0])
    names = dict(zip(stands.tolist(), ticks.tolist(), strict=True))
    axis = Axis(low=0.0, high=1.0, start=left, end=left + _SIDE, ticks=list(names), label=lambda place: _number(names[place]))
    return places, axis


def _round_ticks(low: float, high: float, unit: float) -> list[float]:
    """Zero and powers of ten."""
    first = int(np.ceil(np.log10(3.0 * unit)))
    powers = [10.0**power for power in range(first, int(np.floor(np.log10(max(abs(low), abs(high))))) + 1)]
    every = max(1, len(powers) // 3)
    kept = powers[::-1][::every][::-1]
    return [tick for tick in (*(-power for power in reversed(kept)), 0.0, *kept) if low <= tick <= high] or [low, high]


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:g}"


def _bars(one: Contribution, left: float, top: float, largest: float) -> Iterator[Shape]:
    order = np.argsort(-np.abs(one.contribution), kind="stable")[:_MOST_BARS]
    order = order[np.argsort(-one.contribution[order], kind="stable")]
    size = 1.0 / len(order)
    across = Axis(low=0.0, high=1.0, start=left, end=left + _SIDE, ticks=(), label=str)
    panel, frame = _panel(one, top, largest, across)
    yield from frame
    for place, which in enumerate(order.tolist()):
        middle, height = (place + 0.5) * size, float(one.contribution[which])
        yield panel.bar((middle - 0.36 * size, min(height, 0.0)), (middle + 0.36 * size, max(height, 0.0)), BLUE)
        if one.low is not None and one.high is not None:
            yield line(panel.at((middle, float(one.low[which]))), panel.at((middle, float(one.high[which]))), colour=INK)
    yield panel.dashed((0.0, 0.0), (1.0, 0.0), INK)
    yield from _names([str(one.values[which]) for which in order.tolist()], panel, size)


def _names(labels: Sequence[str], panel: Panel, size: float) -> Iterator[Shape]:
    """Below the panel, turned where they are long."""
    for place, label in enumerate(labels):
        x = panel.across.place((place + 0.5) * size)
        if len(labels) * max(map(len, labels)) * 7 < _SIDE:
            yield words(x, panel.up.start + 18, label, anchor="middle")
        else:
            yield words(x + 4, panel.up.start + 8, _short(label, _LONGEST), anchor="end", size=11, upwards=True)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
