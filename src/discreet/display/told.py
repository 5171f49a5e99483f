"""Tables in notebooks, with intervals drawn beside each other: a line from end to end and a dot in the middle, and 0 where it is among them."""

import math
from collections.abc import Sequence

from discreet.core.errors import InvalidInput
from discreet.core.told import Range, Told
from discreet.display.pages import Block, Facts, Picture, Table, Text, Tone, view_html
from discreet.display.plots import BLUE, LIGHT_BLUE, RED, Axis, Drawing, Panel, dot, even_ticks, line, svg, words
from discreet.estimators import IntervalFit

_LEFT, _WIDTH, _TOP, _STEP, _BOTTOM = 220, 760, 48, 22, 40
_MOST = 40
_LONGEST = 32


def view(told: Told) -> str:
    """HTML of what an object tells."""
    return view_html(told.title, *blocks(told))


def plot(told: Told) -> str:
    """The intervals alone. Raises InvalidInput where none has two ends."""
    found = ranges(told.ranges, told.caption or told.title)
    if found is None:
        raise InvalidInput("there is no interval to draw: none has two finite ends.")
    return svg(found.drawing)


def interval_fit_view(fit: IntervalFit) -> str:
    """HTML of a fit with intervals: those of its coefficients."""
    return view(fit.uncertainty.told())


def blocks(told: Told) -> list[Block]:
    """The same without the title."""
    found: list[Block] = [Facts("What it is", told.facts)] if told.facts else []
    if drawn := ranges(told.ranges, told.caption or told.title):
        found.append(drawn)
    if told.rows:
        found.append(Table(told.caption, told.header, told.rows, {place for place in range(1, len(told.header)) if place not in told.texts}))
    return [*found, *(Text(words, Tone.NOTE) for words in told.notes)]


def ranges(given: Sequence[Range], title: str) -> Picture | None:
    """Intervals below each other; None where none has two finite ends."""
    finite = [one for one in given if math.isfinite(one.low) and math.isfinite(one.high)]
    shown = finite[:_MOST]
    if not shown:
        return None
    low, high = min(one.low for one in shown), max(one.high for one in shown)
    low, high = min(low, 0.0) if low < high * 0.5 else low, max(high, 0.0)
    space = 0.04 * ((high - low) or max(abs(high), 1.0))
    low, high = low - space, high + space
    floor = _TOP + _STEP * len(shown)
    across = Axis(low=low, high=high, start=_LEFT, end=_WIDTH - 24, ticks=even_ticks(low, high), label="{:.4g}".format)
    panel = Panel(across=across, up=Axis(low=0.0, high=float(len(shown)), start=floor, end=_TOP, ticks=(), label=str))
    shapes = [words(24, 26, title if len(title) <= 90 else f"{title[:87]}...", size=15), *panel.frame()]
    if low < 0.0 < high:
        shapes.append(panel.dashed((0.0, 0.0), (0.0, float(len(shown))), RED))
    for place, one in enumerate(shown):
        height = len(shown) - place - 0.5
        name = one.name if len(one.name) <= _LONGEST else f"{one.name[: _LONGEST - 3]}..."
        shapes.append(words(_LEFT - 10, panel.up.place(height) + 4, name, anchor="end"))
        shapes.append(line(panel.at((one.low, height)), panel.at((one.high, height)), colour=LIGHT_BLUE, width=4.0))
        shapes.append(dot(panel.at((one.middle, height)), BLUE))
    left_out = len(given) - len(shown)
    more = f" {left_out:,} more are not drawn: without end, or beyond the first {_MOST}." if left_out else ""
    zero = "; the dashed line is 0" if low < 0.0 < high else ""
    caption = f"{len(shown)} intervals, each with its estimate{zero}.{more}"
    return Picture(Drawing(title=title, width=_WIDTH, height=floor + _BOTTOM, shapes=shapes), caption)
