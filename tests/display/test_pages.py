"""Pages: words stay words, whatever they are, in HTML, in Markdown and in pictures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.core.errors import InvalidInput
from discreet.display import plots
from discreet.display.markup import visible
from discreet.display.pages import (
    Bullets,
    Code,
    Facts,
    Page,
    Picture,
    Pictures,
    Section,
    Table,
    Text,
    Tone,
    page_html,
    page_markdown,
    plain,
    view_html,
)
from tests.display.reading import read, read_page, said

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
    picture = Picture(plots.Drawing(title=words, width=10, height=10, shapes=[plots.words(0, 10, words)]), words)
    blocks = [
        *(Text(words, tone) for tone in Tone),
        Bullets([words]),
        Facts(words, [(words, words)]),
        Table(words, (words, "n"), [(words, words)], {1}),
        picture,
        Pictures([picture]),
        Code([words]),
    ]
    return Page(words, blocks, [Section(words, blocks) for _ in range(3)], words)


def test_commands_in_backticks_are_code_and_an_odd_backtick_is_itself():
    told = view_html("a view", Text("Ask `discreet show <b>`, then decide."), Bullets(["`a`", "it`s"]))
    assert "Ask <code>discreet show &lt;b&gt;</code>, then decide." in told
    assert "<li><code>a</code></li><li>it`s</li>" in told


@pytest.mark.parametrize("words", NASTY)
def test_words_stay_words_in_html(words):
    page = full(words)
    reader = read_page(page_html(page))
    assert reader.count("b") == reader.count("img") == reader.count("script") == 0
    shown = " ".join(visible(words).split())
    # The title of the tab and of the page, seven texts and nine other places in each of four groups of blocks, at least.
    assert said(page_html(page)).count(shown) >= 2 + 4 * 14
    read(view_html(words, *page.lead))


@given(st.text(max_size=40))
def test_any_text_makes_a_sound_page(words):
    page = Page(words, [Text(words)], [Section(words, [Facts(words, [(words, words)])])])
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
        Table("x", ("a", "b"), [("a",)])


def test_a_view_has_no_ids_and_fits_any_notebook():
    reader = read(view_html("Ledger", Facts("c", [("a", "b")])))
    assert reader.ids == []
    assert reader.count("table") == 1


def test_every_colour_has_a_partner_in_the_dark():
    text = page_html(Page("t", [], []))
    for light, dark in plots.PALETTE.items():
        assert f'[fill="{light}"] {{ fill: {dark}; }}' in text
    assert {plots.INK, plots.PALE, plots.PAPER, plots.BLUE, plots.LIGHT_BLUE, plots.PALE_BLUE, plots.RED, plots.SAND} <= plots.PALETTE.keys()
