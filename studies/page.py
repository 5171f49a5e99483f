"""The page of a study: one HTML file that needs no network, with figures inline and a table "printed / published calibration / ours".

Every number that a paper prints has a row. A row that is not reproduced gives the reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from html import escape

from discreet.core.errors import InvalidInput


class Verdict(Enum):
    """What became of a printed number or claim."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    UNPRINTED = "not printed"
    """The paper gives a curve or nothing: ours is for the record."""
    MISSING = "not run"
    """A table is missing, or quick settings leave it out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One row: what the paper prints, what its own calibration gives here, what ours gives."""

    what: str
    printed: str
    published: str
    """By the published calibration, run here; "" where there is none."""
    ours: str
    """By the sound calibration."""
    verdict: Verdict
    """Of the printed against the published."""
    reason: str = ""

    def __post_init__(self) -> None:
        """Raise InvalidInput for a number that is not reproduced without a reason."""
        if self.verdict is Verdict.NOT_REPRODUCED and not self.reason:
            raise InvalidInput(f"{self.what!r} is not reproduced, and no reason is given.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure with its number in the paper, or "ours"."""

    title: str
    svg: str
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a study says. Paragraphs are plain text."""

    summary: Sequence[str]
    comparisons: Sequence[Comparison]
    figures: Sequence[Figure]
    notes: Sequence[str] = ()


def numbers(value: float, error: float | None = None, *, digits: int = 3) -> str:
    """A number with its standard error, "-" for NaN."""
    if value != value:  # noqa: PLR0124 - NaN
        return "-"
    bar = "" if error is None or error != error or error == 0 else f" +- {error:.2g}"  # noqa: PLR0124 - as above
    return f"{value:.{digits}g}{bar}"


def render(page: Page, *, title: str, paper: str, facts: Mapping[str, str], missing: Sequence[str] = ()) -> str:
    """The whole file. `facts` says how it was run; `missing` which parts were left out, in sentences."""
    body = "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            f"<p class=paper>{escape(paper)}</p>",
            *(f"<p>{escape(text)}</p>" for text in page.summary),
            *(f"<p class=missing>{escape(text)}</p>" for text in missing),
            *_table(page.comparisons),
            *_figures(page.figures),
            *_notes(page.notes),
            "<h2>How it was run</h2>",
            "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items()) + "</dl>",
        ]
    )
    head = f"<meta charset=utf-8>\n<title>{escape(title)}</title>\n<style>{_STYLE}</style>"
    return f"<!doctype html>\n<html lang=en>\n<head>\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"


def _table(rows: Sequence[Comparison]) -> Iterator[str]:
    if not rows:
        return
    yield "<h2>Printed, published calibration, ours</h2>"
    yield "<table><thead><tr><th>what</th><th>printed</th><th>published, run here</th><th>ours (sound)</th><th></th><th>why</th></tr></thead><tbody>"
    for row in rows:
        cells = "".join(f"<td>{escape(text)}</td>" for text in (row.what, row.printed, row.published, row.ours))
        kind = row.verdict.name.lower().replace("_", "-")
        yield f'<tr>{cells}<td class="{kind}">{escape(row.verdict.value)}</td><td>{escape(row.reason)}</td></tr>'
    yield "</tbody></table>"


def _figures(figures: Sequence[Figure]) -> Iterator[str]:
    for one in figures:
        yield f"<h2>{escape(one.title)}</h2>\n<figure>\n{one.svg}\n<figcaption>{escape(one.caption)}</figcaption>\n</figure>"


def _notes(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield "<h2>Notes</h2>\n<ul>" + "".join(f"<li>{escape(note)}</li>" for note in notes) + "</ul>"


_STYLE = """
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #222; max-width: 1340px; margin: 2em auto; padding: 0 1.5em; }
p, ul, dl { max-width: 62em; } h1 { font-size: 24px; line-height: 1.25; margin-bottom: .2em; } h2 { font-size: 18px; margin-top: 2em; }
.paper { color: #555; margin-top: 0; } p.missing { background: #fff4d6; padding: .5em .8em; }
table { border-collapse: collapse; font-size: 13px; line-height: 1.35; } th, td { text-align: left; vertical-align: top; padding: .35em .7em; }
th { border-bottom: 2px solid #222; } td:first-child { min-width: 15em; } td:last-child { min-width: 16em; } td { border-bottom: 1px solid #e2e2e2; }
.reproduced { color: #2c6e37; } .not-reproduced { color: #a3261a; } .unprinted { color: #666; } td[class] { white-space: nowrap; }
figure { margin: 0; } figure svg { max-width: 100%; height: auto; } figcaption { color: #555; font-size: 13px; max-width: 62em; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1em 1.2em; font-size: 13px; } dt { color: #555; } dd { margin: 0; }
"""
