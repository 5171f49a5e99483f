"""The parts of the documentation site that need no build; `tools/docs.py` builds it, and is a step of `tools/test.py`."""

import re
from pathlib import Path

import pytest

from tools import docs, pictures, reference

ROOT = Path(__file__).parents[1]
PACKAGES = docs.packages()


@pytest.fixture(scope="module")
def index():
    """The first page of the site, as its sources have it."""
    return docs.repository_pages()[Path("index.md")].decode()


def test_every_proof_note_is_on_the_site_by_existing(index):
    notes = [path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "src").rglob("*.md")]
    assert notes
    for note in notes:
        assert f"\n{note}\n" in index


def test_every_page_of_the_documentation_is_in_the_navigation(index):
    listed = index.splitlines()
    for page in (ROOT / "docs").rglob("*.md"):
        if page.parent.name != "site":
            assert page.relative_to(ROOT).with_suffix("").as_posix() in listed


def test_what_the_navigation_names_exists():
    index = (ROOT / "docs" / "site" / "index.md").read_text()
    names = [line for line in index.splitlines() if line.startswith("docs/")]
    assert len(names) > 30
    for name in names:
        assert (ROOT / f"{name}.md").exists(), name


def test_what_a_page_shows_of_a_file_begins_and_ends_at_lines_that_are_there():
    edges = 0
    for page in (ROOT / "docs").rglob("*.md"):
        for name, options in re.findall(r"^```\{literalinclude\} (\S+)\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE):
            lines = (page.parent / name).read_text().splitlines()
            for edge in re.findall(r"^:(?:start|end)-(?:at|before|after): (.*)$", options, flags=re.MULTILINE):
                assert any(edge.strip("'\"") in line for line in lines), f"{page.name}: no line of {name} holds {edge}"
                edges += 1
    assert edges > 10


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_has_words_in_the_reference(package):
    module = docs.importlib.import_module(package)
    assert module.__doc__
    for name in reference.public_names(module):
        thing = getattr(module, name)
        if not isinstance(thing, type) and not docs.inspect.isroutine(thing):
            assert [line for line in docs.value_words(module, name) if line.strip()], f"{package}.{name} needs a string after its assignment"


def test_a_name_is_documented_once():
    homes = docs.homes_of_names()
    assert homes["discreet.LinearSVC"] == "discreet.estimators.LinearSVC"
    assert all(homes[home] == home for home in homes.values())


PAGE = '<html><head><link rel="stylesheet" href="style.css"></head><body><h1 id="top">One</h1>{}</body></html>'


@pytest.mark.parametrize(
    "body",
    [
        '<a href="absent.html">x</a>',
        '<a href="#absent">x</a>',
        '<a href="two.html#absent">x</a>',
        '<script src="https://example.org/x.js"></script>',
        '<img src="//example.org/x.png">',
        '<link rel="stylesheet" href="https://example.org/x.css">',
    ],
)
def test_a_planted_fault_of_a_page_is_found(tmp_path, body):
    (tmp_path / "style.css").write_text("p { color: red }")
    (tmp_path / "two.html").write_text(PAGE.format('<a href="one.html#top">x</a>'))
    (tmp_path / "one.html").write_text(PAGE.format('<a href="two.html">x</a> <a href="#top">y</a> <a href="https://example.org">z</a>'))
    assert docs.faults_of_links(tmp_path) == []
    (tmp_path / "one.html").write_text(PAGE.format(body))
    assert docs.faults_of_links(tmp_path) != []


def test_a_style_sheet_that_fetches_something_is_found(tmp_path):
    (tmp_path / "style.css").write_text("@font-face { src: url(https://example.org/font.woff2) }")
    assert docs.faults_of_links(tmp_path) != []


ENTRY = '<dl><dt class="sig" id="discreet.some.Thing"><dl><dd>size</dd></dl></dt>\n<dd>{}</dd></dl>'


@pytest.mark.parametrize(("words", "found"), [("<p>What it is.</p>", True), ("", False), ("<dl><dt></dt></dl>", False)])
def test_an_entry_without_words_is_found(tmp_path, words, found):
    (tmp_path / "api").mkdir()
    (tmp_path / "api" / "discreet.some.html").write_text(ENTRY.format(words))
    assert (docs.missing_names(tmp_path, ["discreet.some.Thing"]) == []) == found
    assert docs.missing_names(tmp_path, ["discreet.some.Other"]) != []


@pytest.mark.parametrize(
    ("written", "markup"),
    [
        ("a `name` and coef_ * |x|", r"a ``name``\  and coef\_ \* \|x\|".replace(r"\  ", " ")),
        ("the slope of `f`'s value", r"the slope of ``f``\ 's value"),
        ("a ` alone", "a ' alone"),
        ("numbers (docs/defaults.md), a_b", r"numbers (\ :doc:`/docs/defaults`\ ), a\_b"),
    ],
)
def test_a_docstring_becomes_markup_in_which_only_code_means_anything(written, markup):
    assert docs.settings().plain(written) == markup


def test_sections_and_formulas_of_docstrings_are_kept():
    lines = docs.settings().marked_up(
        ["Words.", "", "    f(x) = x", "", "Parameters", "----------", "x : a number", "    or two.", "y : another", ""]
    )
    assert lines == [
        "Words.", "", ".. code-block:: text", "", "       f(x) = x", "", ".. rubric:: Parameters", "",
        "``x``", "    a number or two.", "", "``y``", "    another", "", "",
    ]  # fmt: skip


def test_attributes_are_said_where_a_docstring_refers_to_them():
    from discreet import LinearSVC

    lines = docs.settings().documented(LinearSVC, (LinearSVC.__doc__ or "").splitlines())
    assert "``coef_``" in lines
    assert "those of LogisticRegression" not in "\n".join(lines)


def test_every_parameter_of_an_estimator_has_a_meaning_in_its_table():
    for home in sorted(set(docs.homes_of_names().values())):
        if home.startswith("discreet.estimators.") and isinstance(thing := reference.thing_named(home), type) and hasattr(thing, "fit"):
            assert [row.name for row in reference.parameters(thing) if not row.words] == [], home


def test_a_table_of_parameters_says_types_defaults_and_inherited_meanings():
    rows = {row.name: row for row in reference.parameters(reference.thing_named("discreet.estimators.LinearSVC"))}
    assert (rows["epsilon"].kind, rows["epsilon"].default) == ("float", "1.0")
    assert rows["epsilon"].words  # said by LogisticRegression
    assert "hinge" in rows["loss"].words  # said by the class itself
    assert reference.raised("Fit. Raises InvalidInput for NaN, InfeasibleTarget when no noise is enough.") == (
        "Fit. ", [("InvalidInput", "for NaN"), ("InfeasibleTarget", "when no noise is enough")],
    )  # fmt: skip
    assert reference.raised("Raises what the mechanism raises.") == ("Raises what the mechanism raises.", [])


def test_what_the_theme_leaves_out_for_readers_of_screens_is_mended(tmp_path):
    (tmp_path / "page.html").write_text(
        '<p class="caption" role="heading">Start</p><pre>x</pre><article><h2>Search</h2></article><aside class="sidebar-drawer"></aside>'
        '<span class="pre">tests/a_very_long_name.py</span>'
    )
    docs.mend(tmp_path)
    text = (tmp_path / "page.html").read_text()
    assert 'aria-level="2"' in text
    assert '<span class="pre">tests/<wbr>a_<wbr>very_<wbr>long_<wbr>name.<wbr>py</span>' in text
    assert '<pre tabindex="0">' in text
    assert "<article><h1>Discreet</h1>" in text
    assert "<dl>" not in text


@pytest.mark.parametrize("picture", pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_every_picture_is_drawn_by_code_that_runs_and_is_shown(picture):
    name = pictures.file_of(picture)
    drawn, kept = (set(re.findall(r"<title>(.*?)</title>|<(\w+)", text)) for text in (picture(), (pictures.FOLDER / name).read_text()))
    assert drawn == kept
    assert f"(pictures/{name})" in (ROOT / "docs" / "gallery.md").read_text()


def test_every_picture_of_the_documentation_has_code_or_a_study():
    drawn = {pictures.file_of(picture) for picture in pictures.PICTURES} | {
        "adult-curves.svg",
        "persons.svg",
    }  # benchmarks: persons.py; docs/additive.md
    assert {path.name for path in pictures.FOLDER.glob("*.svg")} == drawn
    assert len(drawn) >= 15
