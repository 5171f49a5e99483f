"""The curves of a model: a picture with one panel a column, the most important first, in notebooks, in reports and as a file.

All panels share the scale upwards, so that a flat curve is a column that matters little. A number is a curve over its values, with the band behind
it; where many points lie in a small part of the range, as with incomes, the axis is logarithmic away from zero. A category is a bar with its
interval; of many categories those that contribute most are drawn. A cross is a map: a cell a pair, blue for more and red for less, the number in it
and its band where a pointer rests on it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.display.pages import Block, Picture, Section, Table, Text, Tone, view_html
from discreet.display.plots import BLUE, INK, PALE_BLUE, RED, Axis, Drawing, Panel, Shape, box, even_ticks, line, svg, words
from discreet.estimators import Model
from discreet.estimators.intervals.known_errors import AT_MOST, WHOLE
from discreet.estimators.summaries.curves import Contribution, CrossedSide, Curves, iso_date

_ACROSS, _SIDE, _HEIGHT = 3, 250, 190
_LEFT, _TOP, _GAP, _BELOW = 62, 96, 62, 124
_LEAST = 700
"""Width of a picture: that of the words above it."""
_MOST_BARS, _MOST_ORDERED = 10, 24
_MOST_ROWS, _MOST_ACROSS = 14, 8
"""Of a map."""
_INSET = 40
"""More room on the left of a map, for its rows' names."""
_STRONGEST = 0.7
"""How much of its colour the largest cell of a map has: words are read on it."""
_MOST_DATES = 4
"""That are written below an axis."""
_FURTHEST = 2.0
"""Times the largest contribution that a panel shows of bands."""
_MOST_LISTED = 40
_LONGEST = 15
"""Letters of a category that are drawn."""
_LONGEST_MOMENT = len("above 2015-01-01T12:00")
"""Of a row or a column of a map, in smaller letters."""
_CROWDED = 0.05
"""The share of the range within which a quarter of the points lie where an axis is logarithmic."""
_UNIT = 1e-3
_DAYS, _MONTHS = (1, 2, 5, 10, 20), (1, 2, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000, 24000)
"""Between dates below an axis."""
_NOTHING = "Nothing to draw: no column contributes to this model."


def view(curves: Curves) -> str:
    """HTML for notebooks."""
    return view_html(f"What {curves.title} adds up", *blocks(curves))


def plot(curves: Curves, most: int) -> str:
    """The picture as text, to be written to a file with the ending .svg."""
    return svg(drawing(curves, most))


def section(model: Model, **bought: Any) -> list[Section]:  # noqa: ANN401 - settings of curves
    """For reports, `bought` as `IntervalFile.beside`: nothing for a model that is no sum of contributions, or has curves for each of many classes."""
    if not model.form.additive or len(model.classes) > 2:
        return []
    if len(targets := model.schema.answers) > 1:
        return [Section(f"What each column adds to {target}", blocks(model.curves(label=target, **bought))) for target in targets]
    return [Section("What each column adds", blocks(model.curves(**bought)))]


def blocks(curves: Curves) -> list[Block]:
    """The picture, what its band is, and how much each column matters."""
    if not curves.contributions:
        return [Text(_NOTHING, Tone.NOTE)]
    listed = curves.contributions[:_MOST_LISTED]
    rows = [(one.column, f"{one.importance:.3g}", f"{one.contribution.min():.3g}", f"{one.contribution.max():.3g}") for one in listed]
    header = ("Column", "Standard deviation over its values", "Least", "Most")
    caption = (
        f"What each column adds to the prediction, the most important first; upwards is towards {curves.towards}. {_most(curves)} of "
        f"{len(curves.contributions)} contributions are drawn, and the largest parts of long lists."
    )
    found: list[Block] = [Picture(drawing(curves, _most(curves)), caption), Text(band_words(curves), Tone.NOTE)]
    return [*found, Table("Contributions, each with mean 0 over the values of its column", header, rows, {1, 2, 3})]


def drawing(curves: Curves, most: int) -> Drawing:
    """The picture. Raises InvalidInput where there is none."""
    if not curves.contributions:
        raise InvalidInput(_NOTHING)
    shown = curves.contributions[: max(1, most)]
    largest = 1.1 * _reach(shown) or 1.0
    rows = -(-len(shown) // _ACROSS)
    title = f"{curves.title}: what each column adds, towards {curves.towards}"
    shapes = [words(_LEFT, 28, title, size=15), words(_LEFT, 48, band_words(curves).partition(". ")[0].removesuffix("."))]
    for place, one in enumerate(shown):
        left = float(_LEFT + (place % _ACROSS) * (_SIDE + _GAP))
        top = float(_TOP + (place // _ACROSS) * (_HEIGHT + _BELOW))
        shapes += _panel_of(one, left, top, largest)
    width = _LEFT + min(len(shown), _ACROSS) * (_SIDE + _GAP) - _GAP + 28
    return Drawing(title=title, width=max(width, _LEAST), height=_TOP + rows * (_HEIGHT + _BELOW) - 10, shapes=shapes)


def _reach(shown: Sequence[Contribution]) -> float:
    """How far panels reach: to the largest contribution, and to the end of its band where that is not much further."""
    middle = max(float(np.max(np.abs(one.contribution))) for one in shown)
    bands = (float(np.max(np.abs(end))) for one in shown if one.sides is None for end in (one.low, one.high) if end is not None)
    return min(max((middle, *bands)), _FURTHEST * middle)


def _panel_of(one: Contribution, left: float, top: float, largest: float) -> Iterator[Shape]:
    if one.sides is not None:
        return _map(one, one.sides, left, top, largest)
    return (_bars if one.categories else _curve)(one, left, top, largest)


def _most(curves: Curves) -> int:
    return min(12, len(curves.contributions))


def band_words(curves: Curves) -> str:
    """What the band counts."""
    if curves.band is None:
        return f"No band is drawn. {curves.about}"
    level = f"{100 * curves.level:g} %"
    if curves.band != WHOLE:
        bound = "is an upper bound, computed as if the records added no curvature, and it " if curves.band == AT_MOST else ""
        return (
            f"The band counts the privacy noise, {level} at each point. It {bound}does not count sampling error; `discreet intervals` spends a "
            "budget to count both."
        )
    return f"The band counts privacy noise and sampling error, {level} at each point."


def _panel(one: Contribution, top: float, largest: float, across: Axis) -> tuple[Panel, list[Shape]]:
    up = Axis(low=-largest, high=largest, start=top + _HEIGHT, end=top, ticks=even_ticks(-largest, largest), label="{:g}".format)
    panel = Panel(across=across, up=up)
    return panel, panel.frame(name=_short(one.column, 30))


def _curve(one: Contribution, left: float, top: float, largest: float) -> Iterator[Shape]:
    values = np.asarray(one.values, dtype=np.float64)
    places, across = _dates(values, left) if one.dates else _places(values, left)
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


def _dates(values: Floats, left: float) -> tuple[Floats, Axis]:
    """As `_places`, of days since 1970-01-01."""
    low, width = float(values[0]), float(values[-1] - values[0])
    ticks = ((np.array(_date_ticks(low, low + width)) - low) / width).tolist()
    axis = Axis(low=0.0, high=1.0, start=left, end=left + _SIDE, ticks=ticks, label=lambda place: iso_date(low + width * place))
    return (values - low) / width, axis


def _date_ticks(low: float, high: float) -> list[float]:
    """Days: every few days, or the first of every few months, as often as there is room; the two ends where they are less than two days apart."""
    if high - low < 2.0:
        return [low, high]
    by_days = (np.arange(np.ceil(low), high + 1e-9, step) for step in _DAYS if high - low < step * _MOST_DATES)
    if (found := next(by_days, None)) is None:
        months = np.arange(np.datetime64(int(np.ceil(low)), "D").astype("M8[M]"), np.datetime64(int(high), "D").astype("M8[M]") + 1)
        numbers = months.astype(np.int64) + 12 * 1970
        every = [months[numbers % step == 0].astype("M8[D]").astype(np.float64) for step in _MONTHS]
        inside = [firsts[(firsts >= low) & (firsts <= high)] for firsts in every]
        found = next(firsts for firsts in inside if len(firsts) <= _MOST_DATES)
    kept: list[float] = found.tolist()
    return kept


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
    order = np.argsort(-np.abs(one.contribution), kind="stable")[: _MOST_ORDERED if one.ordered else _MOST_BARS]
    order = np.sort(order) if one.ordered else order[np.argsort(-one.contribution[order], kind="stable")]
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
    middles = [panel.across.place((place + 0.5) * size) for place in range(len(order))]
    yield from _below([str(one.values[which]) for which in order.tolist()], middles, panel.up.start, _SIDE)


def _map(one: Contribution, sides: tuple[CrossedSide, CrossedSide], left: float, top: float, largest: float) -> Iterator[Shape]:
    """The side of more labels upwards; of many the rows and columns that contribute most."""
    cells = np.arange(len(one.contribution)).reshape(len(sides[0].labels), len(sides[1].labels))
    up, across = sides
    if cells.shape[0] < cells.shape[1]:
        cells, up, across = cells.T, across, up
    sizes = np.abs(one.contribution[cells])
    rows, columns = _largest(sizes.max(axis=1), _MOST_ROWS), _largest(sizes.max(axis=0), _MOST_ACROSS)
    left, width = left + _INSET, (_SIDE - _INSET) / len(columns)
    height = _HEIGHT / len(rows)
    size = 10 if max(len(up.labels[row]) for row in rows) <= _LONGEST else 8
    yield words(left - _INSET, top - 16, _short(f"{one.column}: {up.column} up, {across.column} across", 40), size=13)
    for place, row in enumerate(rows):
        bottom = top + _HEIGHT - place * height
        yield words(left - 6, bottom - height / 2 + 4, _short(up.labels[row], _LONGEST_MOMENT), anchor="end", size=size)
        for beside, column in enumerate(columns):
            yield from _cell(one, int(cells[row, column]), (left + beside * width, bottom - height), (width, height), largest)
    labels = [across.labels[column] for column in columns]
    yield from _below(labels, [left + (place + 0.5) * width for place in range(len(labels))], top + _HEIGHT, _SIDE - _INSET, longest=_LONGEST_MOMENT)


def _largest(sizes: Floats, most: int) -> list[int]:
    """Where they are, in their order."""
    kept: list[int] = np.sort(np.argsort(-sizes, kind="stable")[:most]).tolist()
    return kept


def _cell(one: Contribution, which: int, at: tuple[float, float], size: tuple[float, float], largest: float) -> Iterator[Shape]:
    value = float(one.contribution[which])
    band = "" if one.low is None or one.high is None else f", from {one.low[which]:.3g} to {one.high[which]:.3g}"
    filled = box(*at, *size, BLUE if value >= 0 else RED)
    strength = {"fill-opacity": f"{_STRONGEST * min(1.0, abs(value) / largest):.3f}"}
    yield replace(filled, attributes={**filled.attributes, **strength}, tip=f"{one.values[which]}: {value:.3g}{band}")
    number = f"{value:.2f}" if abs(value) < 10 else f"{value:.0f}" if abs(value) < 1e4 else f"{value:.0e}"
    yield words(at[0] + size[0] / 2, at[1] + size[1] / 2 + 3, number, anchor="middle", size=9)


def _below(labels: Sequence[str], places: Sequence[float], floor: float, width: float, longest: int = _LONGEST) -> Iterator[Shape]:
    """Names below a panel, turned where they are long."""
    size = 11 if longest == _LONGEST or max(map(len, labels)) <= _LONGEST else 8
    turned = len(labels) * max(map(len, labels)) * 7 >= width
    for x, label in zip(places, labels, strict=True):
        if turned:
            yield words(x + 4, floor + 8, _short(label, longest), anchor="end", size=size, upwards=True)
        else:
            yield words(x, floor + 18, label, anchor="middle")


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
