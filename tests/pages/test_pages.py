"""Pages: words stay words, whatever they are, in HTML, in Markdown and in pictures."""

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.pages import Bullets, Code, Facts, Page, Picture, Pictures, Section, Table, Text, Tone, page_html, page_markdown, svg, view_html
from discreet.pages.markdown import plain
from discreet.pages.visible import visible
from tests.pages.reading import read, read_page, said

NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><b>",
    "a & b &amp; c",
    "'\"`",
    "]](http://x)",
    "| a | b |\n# h",
    "<!--",
    "\u202egpj",
)


def full(words):
    """A page that holds `words` in every place."""
    drawn = svg.picture(svg.words(0, 10, words), width=10, height=10, title=words)
    blocks = [
        *(Text(words=words, tone=tone) for tone in Tone),
        Bullets(items=[words]),
        Facts(caption=words, rows=[(words, words)]),
        Table(caption=words, header=(words, "n"), rows=[(words, words)], numbers=frozenset({1})),
        Picture(svg=drawn, caption=words),
        Pictures(pictures=[Picture(svg=drawn, caption=words)]),
        Code(lines=[words]),
    ]
    return Page(title=words, lead=blocks, sections=[Section(title=words, blocks=blocks) for _ in range(3)], foot=words)


@pytest.mark.parametrize("words", NASTY)
def test_words_stay_words_in_html(words):
    page = full(words)
    reader = read_page(page_html(page))
    assert reader.count("b") == reader.count("img") == reader.count("script") == 0
    shown = " ".join(visible(words).split())
    # The title of the tab and of the page, seven texts and nine other places in each of four groups of blocks, at least.
    assert said(page_html(page)).count(shown) >= 2 + 4 * 14
    read(view_html(words, page.lead))


@given(st.text(max_size=40))
def test_any_text_makes_a_sound_page(words):
    page = Page(title=words, lead=[Text(words=words)], sections=[Section(title=words, blocks=[Facts(caption=words, rows=[(words, words)])])])
    read_page(page_html(page))
    assert page_html(page).encode()


@given(st.text(max_size=40))
def test_any_text_is_one_line_of_markdown(words):
    shown = plain(words)
    assert "\n" not in shown
    assert "<" not in shown
    unescaped = shown.replace("\\\\", "")
    for mark in "|`*[]":
        assert unescaped.count(mark) == unescaped.count(f"\\{mark}")


@pytest.mark.parametrize("words", NASTY)
def test_markdown_holds_no_markup_of_names(words):
    text = page_markdown(full(words))
    outside = [line for line in text.split("\n") if not line.startswith("    ")]
    assert not any("<script" in line or "<img" in line for line in outside)
    tables = [line for line in outside if line.startswith("|") and "---" not in line]
    assert tables
    assert all(line.replace("\\\\", "").replace("\\|", "").count("|") == 3 for line in tables), "a name adds no column"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("# a", "\\# a"),
        ("- a", "\\- a"),
        ("1. a", "1\\. a"),
        ("0.5", "0.5"),
        ("-3", "-3"),
        ("--", "\\--"),
        ("snake_case", "snake_case"),
        ("_a_", "\\_a\\_"),
    ],
)
def test_markdown_at_the_start_of_a_line(words, shown):
    assert plain(words) == shown


def test_what_cannot_be_seen_is_shown():
    assert visible("a\u202eb\x00c\ud800\u200bd\n") == "a\ufffdb\ufffdc\ufffd\ufffdd "


def test_a_table_needs_its_cells():
    with pytest.raises(InvalidInput, match="needs 2 cells"):
        Table(caption="x", header=("a", "b"), rows=[("a",)])


def test_a_view_has_no_ids_and_fits_any_notebook():
    reader = read(view_html("Ledger", [Facts(caption="c", rows=[("a", "b")])]))
    assert reader.ids == []
    assert reader.count("table") == 1


def test_pictures_are_xml_of_their_own():
    body = svg.line((0, 0), (1, 1), dashed=True) + svg.words(0, 0, "<&>")
    found = ET.fromstring(svg.picture(body, width=3, height=4, title="a < b"))  # noqa: S314 - ours
    assert found.get("viewBox") == "0 0 3 4"
    assert found.find("{http://www.w3.org/2000/svg}title").text == "a < b"


@pytest.mark.parametrize("highest", [1e-9, 0.3, 1.0, 1.25, 3.0, 7.7, 9.99, 40.0, 123456.0])
def test_even_ticks_are_round_and_few(highest):
    ticks = svg.even_ticks(highest)
    assert ticks[0] == 0
    assert 4 <= len(ticks) <= 8
    assert highest * 0.7 < ticks[-1] <= highest * (1 + 1e-9)
    assert all(len(f"{tick:g}".strip("0").replace(".", "")) <= 4 or "e" in f"{tick:g}" for tick in ticks)


def test_a_logarithmic_axis_keeps_order_and_its_largest_decades():
    axis = svg.LogAxis([1e-9, 1.0, 100.0], 0.0, 10.0)
    places = [axis.place(value) for value in (1e-9, 0.01, 1.0, 100.0)]
    assert places == sorted(places)
    assert places[0] == 0.0
    assert axis.low == pytest.approx(axis.high / 1e5)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks())


def test_every_colour_has_a_partner_in_the_dark():
    text = page_html(Page(title="t", lead=[], sections=[]))
    for light, dark in svg.PALETTE.items():
        assert f'[fill="{light}"] {{ fill: {dark}; }}' in text
    assert {svg.INK, svg.PALE, svg.PAPER, svg.BLUE, svg.LIGHT_BLUE, svg.PALE_BLUE, svg.RED, svg.SAND} <= svg.PALETTE.keys()
