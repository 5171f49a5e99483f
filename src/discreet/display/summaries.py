"""Summaries of models: in notebooks, in reports, and as tables for a paper."""

from typing import Any

from discreet.core.errors import DiscreetError
from discreet.core.told import Range
from discreet.display.markup import rendered_tex
from discreet.display.pages import Block, Facts, Picture, Section, Table, Text, Tone, view_html
from discreet.display.told import ranges
from discreet.estimators import Model
from discreet.estimators.summaries.summary import Part, Summary


def view(summary: Summary) -> str:
    """HTML for notebooks."""
    paid = Facts("What it cost", summary.paid)
    return view_html(summary.title, Facts("What was fitted", summary.facts), paid, *blocks(summary), *pictures(summary))


def pictures(summary: Summary) -> list[Picture]:
    """The intervals of each part that has them."""
    return [one for part in summary.parts if (one := _intervals(summary, part))]


def _intervals(summary: Summary, part: Part) -> Picture | None:
    found = [
        Range(name=one.name, low=one.low, middle=one.coefficient, high=one.high) for one in part.lines if one.low is not None and one.high is not None
    ]
    towards = f", towards {part.towards}" if part.towards else ""
    return ranges(found, f"Coefficients with {100 * summary.level:g} % intervals{towards}")


def latex(summary: Summary) -> str:
    """A tabular a part, for the package booktabs."""
    parts = [(part, summary.rows(part)) for part in summary.parts]
    return rendered_tex("summary.tex", summary=summary, parts=parts, columns="r" * len(summary.header))


def section(model: Model, **bought: Any) -> list[Section]:  # noqa: ANN401 - a summary's settings
    """For reports, `bought` as `IntervalFile.beside`; nothing where it cannot be said."""
    try:
        summary = model.summary(**bought)
    except DiscreetError:
        return []
    return [Section("What the model says", blocks(summary))]


def blocks(summary: Summary) -> list[Block]:
    """A table a part, and what its numbers are."""
    found: list[Block] = []
    for part in summary.parts:
        more = f"; {part.left_out} less important ones are omitted" if part.left_out else ""
        towards = f", towards {part.towards}" if part.towards else ""
        caption = f"Coefficients{towards}{more}"
        header = ("Coefficient of", *(name.capitalize() for name in summary.header))
        found.append(Table(caption, header, summary.rows(part), set(range(1, len(header)))))
    return [*found, *([Text(" ".join(summary.notes), Tone.NOTE)] if summary.notes else [])]
