"""Pages as HTML: one file without scripts and without anything from elsewhere, and small views for notebooks.

Every word passes `safe`.
"""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from discreet.pages.blocks import Block, Bullets, Code, Facts, Page, Picture, Pictures, Section, Table, Text, Tone
from discreet.pages.style import PAGE_STYLE, VIEW_STYLE
from discreet.pages.visible import visible


def safe(words: str) -> str:
    """Words as HTML text, or as the value of an attribute in quotation marks."""
    return escape(visible(words), quote=True)


def page_html(page: Page) -> str:
    """The whole file."""
    title = safe(page.title)
    lead = "\n".join(_blocks(page.lead))
    contents = "".join(f'<li><a href="#part-{number}">{safe(section.title)}</a></li>' for number, section in enumerate(page.sections, 1))
    body = "\n".join(_section(section, number) for number, section in enumerate(page.sections, 1))
    parts = f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n' if len(page.sections) > 2 else ""
    foot = f"<footer><p>{safe(page.foot)}</p></footer>\n" if page.foot else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f'<title>{title}</title>\n<style>{PAGE_STYLE}</style>\n</head>\n<body class="discreet">\n'
        f"<header>\n<h1>{title}</h1>\n{lead}\n{parts}</header>\n<main>\n{body}\n</main>\n{foot}</body>\n</html>\n"
    )


def view_html(title: str, blocks: Sequence[Block]) -> str:
    """A part of a notebook's page: a title and blocks, in the notebook's own colours."""
    return (
        f'<style>{VIEW_STYLE}</style>\n<div class="discreet discreet-view"><p class="name">{safe(title)}</p>\n'
        + "\n".join(_blocks(blocks))
        + "\n</div>"
    )


def _section(section: Section, number: int) -> str:
    body = "\n".join(_blocks(section.blocks))
    return f'<section aria-labelledby="part-{number}">\n<h2 id="part-{number}">{safe(section.title)}</h2>\n{body}\n</section>'


def _blocks(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Text(words=words, tone=tone):
                yield _text(words, tone)
            case Bullets(items=items):
                yield "<ul>" + "".join(f"<li>{safe(item)}</li>" for item in items) + "</ul>"
            case Facts(caption=caption, rows=rows):
                cells = "".join(f'<tr><th scope="row">{safe(name)}</th><td>{safe(value)}</td></tr>' for name, value in rows)
                yield f'<div class="wide"><table class="facts"><caption>{safe(caption)}</caption><tbody>{cells}</tbody></table></div>'
            case Table():
                yield _table(block)
            case Picture():
                yield _figure(block)
            case Pictures(pictures=pictures):
                yield '<div class="beside">\n' + "\n".join(_figure(one) for one in pictures) + "\n</div>"
            case Code(lines=lines):
                text = "\n".join(safe(line) for line in lines)
                yield f'<pre tabindex="0"><code>{text}</code></pre>'


def _figure(picture: Picture) -> str:
    return f"<figure>\n{picture.svg.strip()}\n<figcaption>{safe(picture.caption)}</figcaption>\n</figure>"


def _text(words: str, tone: Tone) -> str:
    mark = {Tone.GOOD: "<strong>Passed.</strong> ", Tone.BAD: "<strong>Careful.</strong> "}.get(tone, "")
    kind = "" if tone is Tone.PLAIN else f' class="{tone}"'
    return f"<p{kind}>{mark}{safe(words)}</p>"


def _table(table: Table) -> str:
    def classes(column: int) -> str:
        return ' class="number"' if column in table.numbers else ""

    head = "".join(f'<th scope="col"{classes(column)}>{safe(name)}</th>' for column, name in enumerate(table.header))
    rows = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{safe(cell)}</th>' if column == 0 else f"<td{classes(column)}>{safe(cell)}</td>" for column, cell in enumerate(row)
        )
        + "</tr>"
        for row in table.rows
    )
    return f'<div class="wide"><table><caption>{safe(table.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
