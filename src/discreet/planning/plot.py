"""Bounds and simulations over the number of records, as one SVG picture, written by hand; both axes are logarithmic."""

from collections.abc import Sequence

from discreet.core.errors import InvalidInput
from discreet.pages.svg import BLUE, LIGHT_BLUE, PALE, RED, LogAxis, path, picture, words
from discreet.planning.plan import PlannedBound
from discreet.planning.simulate import Simulated

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 760, 420, 84, 24, 112, 56
_PRIVATE, _ALONE, _SIMULATED = BLUE, LIGHT_BLUE, RED


def plan_plot(bounds: Sequence[PlannedBound], simulated: Sequence[Simulated], *, title: str, subtitle: str = "") -> str:
    """The picture as text, to be written to a file with the ending .svg. Raises InvalidInput for no bounds."""
    if not bounds:
        raise InvalidInput("a picture of a plan needs at least one bound.")
    seen = [(one.records, value) for one in bounds for value in (one.excess, one.without_privacy)]
    seen += [(one.records, value) for one in simulated for value in (one.mean, one.upper) if value > 0]
    across = LogAxis([x for x, _ in seen], _LEFT, _WIDTH - _RIGHT)
    up = LogAxis([y for _, y in seen], _HEIGHT - _BOTTOM, _TOP)
    lines = [
        f'<line x1="{across.place(tick):.1f}" x2="{across.place(tick):.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}" stroke="{PALE}"/>'
        + words(across.place(tick), _HEIGHT - _BOTTOM + 18, f"{tick:,.0f}", anchor="middle")
        for tick in across.ticks()
    ]
    lines += [
        f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{up.place(tick):.1f}" y2="{up.place(tick):.1f}" stroke="{PALE}"/>'
        + words(_LEFT - 8, up.place(tick) + 4, f"{tick:g}", anchor="end")
        for tick in up.ticks()
    ]
    ordered = sorted(bounds, key=lambda one: one.records)
    for values, colour, dashes in (
        ([(one.records, one.excess) for one in ordered], _PRIVATE, ""),
        ([(one.records, one.without_privacy) for one in ordered], _ALONE, ' stroke-dasharray="7 4"'),
    ):
        curve = path((across.place(x), up.place(y)) for x, y in values)
        lines.append(f'<path d="{curve}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
    for one in simulated:
        x, low = across.place(one.records), up.place(max(one.mean, up.low))
        high = up.place(max(one.upper, up.low))
        lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{_SIMULATED}" stroke-width="2"/>')
        lines.append(f'<circle cx="{x:.1f}" cy="{low:.1f}" r="4" fill="{_SIMULATED}"/>')
    legend = (("bound, private", _PRIVATE), ("bound without privacy", _ALONE), ("simulated: mean and upper quantile", _SIMULATED))
    for place, (name, colour) in enumerate(legend):
        x = _LEFT + (0, 150, 340)[place]
        lines.append(f'<rect x="{x}" y="{_TOP - 38}" width="12" height="12" fill="{colour}"/>' + words(x + 18, _TOP - 28, name))
    lines.append(words((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 14, "records", anchor="middle"))
    lines.append(words(_LEFT, _TOP - 12, "excess of expected loss"))
    lines.append(words(_LEFT, 46, subtitle))
    lines.insert(0, words(_LEFT, 26, title, size=15))
    return picture("\n".join(lines), width=_WIDTH, height=_HEIGHT, title=title)
