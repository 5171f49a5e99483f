"""Descriptions of tables: the table of a paper, histograms and shares with their intervals, as blocks of a page, as a picture and in notebooks.

A column of numbers is a histogram: bars of the share of records in each bin, or a line for each group, and a stroke for each interval. A column of
categories has a bar for each category and group, the most frequent ones first where they are many.
"""

from collections.abc import Iterator

from discreet.accounting.base import guarantee_words
from discreet.descriptions import Description, Part
from discreet.descriptions.asked import Column
from discreet.descriptions.report import date_words
from discreet.display.pages import Block, Facts, Picture, Pictures, Table, Text, view_html
from discreet.display.plots import BLUE, INK, LIGHT_BLUE, ORANGE, RED, SAND, Axis, Drawing, Panel, Shape, box, even_ticks, key, line, svg, words

_COLOURS = (BLUE, ORANGE, SAND, RED)
_WIDTH, _HEIGHT, _LEFT, _TOP, _FOOT = 440.0, 300.0, 64.0, 44.0, 56.0
_MOST = 12
"""Categories of a picture."""
_BAR, _NAMES = 14.0, 150.0


def found(description: Description) -> list[Block]:
    """Everything that was found: the table, the pictures, and tables of pairs."""
    head, *rows = description.rows()
    level = f"{100 * description.level:g} %"
    caption = (
        f"Each interval covers its true value with probability {level}, one at a time. Those of shares, means, deviations and quantiles are "
        f"for the population and count noise and sampling error; those of counts are for these {description.counted.lower()} and count "
        "noise alone"
    )
    blocks: list[Block] = [Table(caption, ("Column", *head[1:]), [[_indented(cell) for cell in row] for row in rows], range(1, len(head)))]
    blocks.append(Pictures([Picture(_column(description, column), _seen(description, column)) for column in description.asked.described]))
    for first, second in description.asked.pair_columns():
        for part in description.parts:
            cells = part.pairs[first.name, second.name]
            table = [
                (label, *(f"{one.count:,} ({one.low:,.0f} to {one.high:,.0f})" for one in row))
                for label, row in zip(first.labels, cells, strict=True)
            ]
            of_group = f", {description.asked.by} {part.name}" if part.name else ""
            blocks.append(
                Table(
                    f"{first.name} by {second.name}{of_group}: counts, {level}", (first.name, *second.labels), table, range(1, len(second.labels) + 1)
                )
            )
    return blocks


def facts(description: Description) -> Facts:
    """How much was described, and at what price."""
    records = description.whole.records
    exact = ", which is public" if description.records is not None else f" ({records.low:,.0f} to {records.high:,.0f})"
    rows = [
        (description.counted, f"{records.count:,}{exact}"),
        ("Columns", f"{len(description.asked.described):,}"),
        ("Groups", "none" if description.asked.by is None else f"{len(description.asked.groups)}, by {description.asked.by}"),
        ("Privacy", guarantee_words(description.guarantee.to_dict())),
    ]
    return Facts("What was described, and what it cost", rows)


def view(description: Description) -> str:
    """HTML for notebooks."""
    return view_html("Private description", facts(description), *found(description))


def plot(description: Description) -> str:
    """All columns below each other as one picture, to be written to a file with the ending .svg."""
    shapes: list[Shape] = []
    height = 8.0
    for column in description.asked.described:
        drawn = _column(description, column)
        shapes += [_lowered(shape, height) for shape in drawn.shapes]
        height += drawn.height
    return svg(Drawing(title="Private description of a table", width=_WIDTH, height=height, shapes=shapes))


def _lowered(shape: Shape, by: float) -> Shape:
    """The same shape further down."""
    moved = f"translate(0 {by:.1f})"
    turned = shape.attributes.get("transform")
    return Shape(shape.tag, {**shape.attributes, "transform": moved if turned is None else f"{moved} {turned}"}, shape.words, shape.tip)


def _column(description: Description, column: Column) -> Drawing:
    parts = _drawn(description)
    shapes, height = _numbers(description, column, parts) if column.numeric else _categories(column, parts)
    return Drawing(title=column.name, width=_WIDTH, height=height, shapes=shapes)


def _drawn(description: Description) -> list[tuple[Part, str]]:
    """The groups with their colours, or the whole table where there are none, or too many."""
    groups = description.parts[:-1]
    if not groups or len(groups) > len(_COLOURS):
        return [(description.whole, BLUE)]
    return list(zip(groups, _COLOURS, strict=False))


def _keys(parts: list[tuple[Part, str]], top: float) -> Iterator[Shape]:
    if len(parts) > 1:
        left = _LEFT
        for part, colour in parts:
            yield from key(left, top, colour, part.name)
            left += 40.0 + 7.0 * len(part.name)


def _numbers(description: Description, column: Column, parts: list[tuple[Part, str]]) -> tuple[list[Shape], float]:
    edges = description.asked.bins_of(column)
    shares = [(part, colour, [one.share for one in part.numbers[column.name].bins if one.share is not None]) for part, colour in parts]
    most = max(0.01, 1.05 * max(share.value for _, _, each in shares for share in each))
    label = date_words if column.kind == "date" else "{:,g}".format
    ticks = [edges[0], 0.5 * (edges[0] + edges[-1]), edges[-1]] if column.kind == "date" else even_ticks(edges[0], edges[-1])
    across = Axis(low=edges[0], high=edges[-1], start=_LEFT, end=_WIDTH - 24.0, ticks=ticks, label=label)
    percent = "{:.0%}".format if most > 0.1 else "{:.1%}".format
    up = Axis(low=0.0, high=most, start=_HEIGHT - _FOOT, end=_TOP + 22.0, ticks=even_ticks(0.0, most), label=percent)
    panel = Panel(across=across, up=up)
    shapes = [words(_LEFT, 22, column.name, size=15), *_keys(parts, _TOP), *panel.frame(up="share of records")]
    for place, (_, colour, each) in enumerate(shares):
        if len(shares) == 1:
            shapes += [panel.bar((start, 0.0), (end, one.value), LIGHT_BLUE) for start, end, one in zip(edges[:-1], edges[1:], each, strict=True)]
        else:
            points = [point for start, end, one in zip(edges[:-1], edges[1:], each, strict=True) for point in ((start, one.value), (end, one.value))]
            shapes.append(panel.curve([(edges[0], 0.0), *points, (edges[-1], 0.0)], colour))
        for start, end, one in zip(edges[:-1], edges[1:], each, strict=True):
            middle = start + (end - start) * (place + 1.0) / (len(shares) + 1.0)
            ink = INK if len(shares) == 1 else colour
            shapes.append(line(panel.at((middle, min(one.low, most))), panel.at((middle, min(one.high, most))), colour=ink, width=1.5))
    return shapes, _HEIGHT


def _categories(column: Column, parts: list[tuple[Part, str]]) -> tuple[list[Shape], float]:
    shares = [(colour, [one.share for one in part.categories[column.name] if one.share is not None]) for part, colour in parts]
    order = list(range(len(column.labels)))
    if len(column.labels) > _MOST:
        often = [sum(each[place].value for _, each in shares) for place in order]
        order = sorted(order, key=lambda place: -often[place])[:_MOST]
    most = max(0.01, *(one.high for _, each in shares for one in each))
    across = Axis(low=0.0, high=most, start=_NAMES, end=_WIDTH - 24.0, ticks=even_ticks(0.0, most), label="{:.0%}".format)
    shapes = [words(_LEFT, 22, column.name, size=15), *_keys(parts, _TOP)]
    top = _TOP + 22.0
    thick = _BAR if len(shares) == 1 else _BAR * 0.7
    floor = top + len(order) * (thick * len(shares) + 8.0)
    for tick in across.ticks:
        x = across.place(tick)
        shapes += [line((x, top), (x, floor)), words(x, floor + 18.0, across.label(tick), anchor="middle")]
    for place in order:
        label = column.labels[place]
        shapes.append(words(_NAMES - 8.0, top + 0.5 * thick * len(shares) + 4.0, label if len(label) <= 21 else f"{label[:20]}...", anchor="end"))
        for colour, each in shares:
            one, middle = each[place], top + 0.5 * thick
            shapes.append(box(across.start, top, across.place(one.value) - across.start, thick - 2.0, LIGHT_BLUE if len(shares) == 1 else colour))
            shapes.append(line((across.place(one.low), middle - 1.0), (across.place(one.high), middle - 1.0), colour=INK, width=1.5))
            top += thick
        top += 8.0
    return shapes, floor + 34.0


def _seen(description: Description, column: Column) -> str:
    """What is to be seen, in words."""
    told = []
    for part, _ in _drawn(description):
        who = f"{part.name}: " if part.name else ""
        if column.numeric:
            bins = part.numbers[column.name].bins
            most = max(bins, key=lambda one: one.count)
            told.append(f"{who}most often {most.label}")
        else:
            most = max(part.categories[column.name], key=lambda one: one.count)
            told.append(f"{who}most often {most.label}")
        if most.share is not None:
            told[-1] += f", {100 * most.share.value:.0f} %"
    few = f"; the {_MOST} most frequent of {len(column.labels)} categories" if len(column.labels) > _MOST else ""
    return f"{column.name}: {'; '.join(told)}{few}. Strokes are intervals."


def _indented(cell: str) -> str:
    """Blanks in front are not shown on a page: categories are told apart from columns by a dash."""
    return f"- {cell.strip()}" if cell.startswith("  ") else cell


def section_text(description: Description) -> Text:
    """What a page says of consistency."""
    return Text(
        "Counts are rounded so that they add up: categories to the records of their group, groups to the whole table, tables of two columns to "
        f"the counts of each. Everything here was computed from {len(description.value):,} noisy integers, under one guarantee."
    )
