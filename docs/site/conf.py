"""Settings of the documentation site, which `tools/docs.py` builds from README, docs/, the proof notes and the docstrings.

Docstrings of this library are plain text with formulas. They become markup here: an indented line is a formula or code, the rest are paragraphs
and lists, in which only `code` means anything.
"""

import inspect
import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from typing import Any

from tools import reference

project = "Discreet"
author = "The Discreet contributors"
copyright = "The Discreet contributors, Apache-2.0"  # noqa: A001 - Sphinx's name
try:
    release = metadata.version("discreet")
except metadata.PackageNotFoundError:
    release = "source"
version = release

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
root_doc = "index"
highlight_language = "text"
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
autodoc_typehints = "none"  # signatures show names and defaults; the words say shapes and units
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
add_module_names = False
maximum_signature_line_length = 100
toc_object_entries = False
smartquotes = False  # l'' is a second derivative

html_theme = "furo"
html_title = f"Discreet {release}"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]

_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_ENUMERATOR = re.compile(r"\(?\w{1,4}[.)] ")
_FIELD = re.compile(r"(\w[\w, ]*) : ")
_PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")


def plain(text: str) -> str:
    """Prose as markup: `code` stays code, and no other character means anything."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick without its partner
        parts = ["'".join(parts)]
    out = ""
    for position, part in enumerate(parts):
        if position % 2 and part.strip() == part != "":
            out += f"{'' if not out or out[-1].isspace() else chr(92) + ' '}``{part}``"
            following = parts[position + 1][:1]
            out += "" if not following or following.isspace() else "\\ "
        else:
            out += linked(part)
    return out


def linked(text: str) -> str:
    """Prose without code as markup; the name of a page becomes a link to it."""
    words = _PAGE.split(text)
    pages = [f"\\ :doc:`/docs/{name}`\\ " for name in words[1::2]]
    bare = [re.sub(r"([\\*|_<>\[\]:])", r"\\\1", part) for part in words[::2]]
    return "".join(part for pair in zip(bare, [*pages, ""], strict=True) for part in pair)


def paragraphs(lines: Iterable[str]) -> Iterator[list[str]]:
    """Runs of lines with nothing between them, each all prose or all indented."""
    run: list[str] = []
    for line in [*lines, ""]:
        indented = line.startswith((" ", "\t"))
        within_item = indented and run and (_ITEM.match(run[0]) or set(run[min(1, len(run) - 1)]) == {"-"})
        called = run and line.startswith(">>>") and not run[0].startswith(">>>") and set(run[-1]) != {"-"}
        if run and (called or not line.strip() or (indented != run[0].startswith(" ") and not within_item)):
            yield run
            run = []
        if line.strip():
            run.append(line)


def fields(lines: Iterable[str]) -> list[str]:
    """Lines `name : words`, each perhaps followed by indented ones, as a list of names with their words."""
    entries: list[list[str]] = []
    for line in lines:
        if _FIELD.match(line) and not line.startswith(" "):
            name, _, words = line.partition(" : ")
            entries.append([name, words])
        elif entries:
            entries[-1][1] += f" {line.strip()}"
        else:
            entries.append(["", line.strip()])
    out = []
    for name, words in entries:
        out += [f"``{name}``", f"    {plain(words)}", ""] if name else [plain(words), ""]
    return out


def marked_up(lines: Iterable[str]) -> list[str]:
    """A docstring as lines of markup."""
    out: list[str] = []
    for run in paragraphs([line.rstrip() for line in lines]):
        if len(run) > 1 and set(run[1]) == {"-"}:
            out += [f".. rubric:: {plain(run[0])}", "", *(run[2:] if run[2:3] and run[2].startswith(">>>") else fields(run[2:]))]
        elif run[0].startswith(">>>"):
            out += run
        elif run[0].startswith(" "):
            out += [".. code-block:: text", "", *(f"   {line}" for line in run)]
        elif _ITEM.match(run[0]):
            items: list[str] = []
            for line in run:
                if _ITEM.match(line):
                    items.append(line)
                else:
                    items[-1] += f" {line.strip()}"
            for item in items:
                marker, _, words = item.partition(" ")
                out.append(f"{'-' if marker == '*' else marker} {plain(words)}")
        else:
            words = plain(" ".join(run))
            out.append(f"\\{words}" if _ENUMERATOR.match(words) else words)
        out.append("")
    return out


def documented(thing: object, lines: Iterable[str]) -> list[str]:
    """The docstring of a class or a function as markup: what it says of parameters and errors stands in tables, before its further sections."""
    rows = reference.parameters(thing)
    text, errors = reference.raised(without_parameters("\n".join(lines), thing, {row.name for row in rows}))
    tables = [*reference.parameter_table(rows, plain), *reference.error_table(errors, plain)]
    words = marked_up(text.splitlines())
    place = next((position for position, line in enumerate(words) if line.startswith(".. rubric::")), len(words))
    return [*words[:place], "", *tables, *words[place:]]


def without_parameters(text: str, thing: object, names: set[str]) -> str:
    """A docstring without what its table says."""
    text = re.sub(r"Parameters and attributes are those of (\w+), (?:except|but for)(.*?)(?=\n\n\w+\n---|\Z)", _attributes, text, flags=re.DOTALL)
    text = re.sub(r"^Parameters\n-+\n", "", text, flags=re.MULTILINE)
    if reference.prose_entries(thing):
        text = re.sub(r"^Parameters: .*?(?=\n\s*\n|\Z)", "", text, flags=re.DOTALL | re.MULTILINE)
    kept: list[str] = []
    dropping = False
    for line in text.splitlines():
        entry = _FIELD.match(line)
        if entry:
            dropping = set(entry.group(1).split(", ")) <= names
        elif not line.strip():
            dropping = False
        if not dropping:
            kept.append(line)
    return "\n".join(kept)


def _attributes(match: re.Match[str]) -> str:
    """What follows, and the attributes of the class that is referred to."""
    other = reference.class_called(match.group(1))
    found = re.search(r"^Attributes\n-+\n.*?(?=\n\n|\Z)", inspect.getdoc(other) or "", flags=re.DOTALL | re.MULTILINE)
    return match.group(2) if found is None else f"{match.group(2)}\n\n{found.group(0)}"


def _process(_app: object, what: str, _name: str, thing: object, _options: object, lines: list[str]) -> None:
    lines[:] = documented(thing, lines) if what in {"class", "exception", "function", "method"} else marked_up(lines)


def _sign(_app: object, what: str, _name: str, thing: object, _options: object, signature: str | None, returned: str | None) -> Any:  # noqa: ANN401
    """Nobody calls a protocol, or makes a member of an enumeration; and a property of the class is no default of the field that replaces it."""
    if signature is None:
        return ("", None) if reference.never_called(thing) and what == "class" else None
    return ("", None) if reference.never_called(thing) else (signature.replace("=<property object>", ""), returned)


def setup(app: Any) -> None:  # noqa: ANN401 - Sphinx is here only where the site is built
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    app.connect("autodoc-process-signature", _sign)
