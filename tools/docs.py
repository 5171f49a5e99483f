"""Builds the documentation site: `python tools/docs.py`, into build/site/html; warnings are errors.

The sources are README, docs/, CONTRIBUTING, CHANGELOG, SECURITY, every proof note beside the code (a new note is on the site by existing) and, for
the reference, every name in the `__all__` of a package. They are copied under build/site/source with the paths that they have in the repository, so
a link that works there works here. After the build the pages are read again: every link inside the site must lead to a page and a place on it,
nothing may be fetched from a network, and every public name must have its entry.

Needs the `docs` extra of pyproject.toml.
"""

import argparse
import ast
import importlib
import importlib.util
import inspect
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script too

from tools import reference
from tools.reference import homes_of_names, packages

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "LICENSE",
    "docs/**/*.md",
    "docs/pictures/*.svg",
    "docs/pictures/*.png",
    "src/discreet/**/*.md",
)
INCLUDED = ("src/discreet/**/*.py", "tests/**/*.py", "studies/**/*.py", "benchmarks/*.py", "tools/*", ".ci/run", "pyproject.toml")
"""Files that pages may show parts of."""


def main(arguments: list[str] | None = None) -> int:
    """Build and check; the exit code."""
    parser = argparse.ArgumentParser(description="Build the documentation site; warnings are errors.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", metavar="DIR", help="where to build (default: build/site)")
    options = parser.parse_args(arguments)
    source, pages = options.out / "source", options.out / "html"
    names = write_sources(source)
    code = build(source, pages, options.out / "doctrees")
    if code:
        print(f"the site was not built: Sphinx ended with {code}; its warnings are above", flush=True)
        return code
    mend(pages)
    faults = [*faults_of_links(pages), *missing_names(pages, names), *missing_notes(pages)]
    for fault in faults:
        print(fault, flush=True)
    print(f"{pages / 'index.html'}: {len(list(pages.rglob('*.html')))} pages, {len(names)} public names, {len(faults)} faults", flush=True)
    return 1 if faults else 0


def build(source: Path, pages: Path, doctrees: Path) -> int:
    """Sphinx, with warnings as errors; its exit code."""
    from sphinx.cmd.build import main as sphinx  # noqa: PLC0415 - only the build needs it

    shutil.rmtree(pages, ignore_errors=True)  # no page of yesterday answers for a link of today
    return sphinx(["-b", "html", "-W", "--keep-going", "-q", "-d", str(doctrees), str(source), str(pages)])


ASKING = """<form class="asking" role="search" aria-label="This site" action="search.html"><label for="asked">Search for</label>
<input id="asked" type="search" name="q"> <button>Search</button></form>
<p>This searches the guides, the commands, the reference of every public class and function with its parameters, and the proofs. A page is found if
all of your words occur on it; three letters of a word are enough. Try <em>ledger</em>, <em>LinearSVC</em> or <em>rows per person</em>.</p>
<div id="search-results"></div>"""
MENDED = (
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    ('<aside class="sidebar-drawer">', '<aside class="sidebar-drawer" aria-label="Pages of the site">'),
    ('<aside class="toc-drawer', '<aside aria-label="On this page" class="toc-drawer'),
    ('<th class="head"><p></p></th>', '<td class="head"></td>'),
    ("<pre>", '<pre tabindex="0">'),
    ('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper'),
    ('<div id="search-results"></div>', ASKING),
)
"""What the theme writes, and what stands in its place: with roles, names and keys for those who do not look, or do not point, and with words on the
page of searches, which is empty without a question."""


_SIGNATURE = re.compile(r"<dl>\n((?:<dd>.*?</dd>\n)+)</dl>")
"""A signature of several lines, which the theme writes as a list of definitions of nothing."""
_LONG, _WITHIN = re.compile(r'(?<=<span class="pre">)[^<\s]{20,}(?=</span>)'), re.compile(r"(?<=[_/.:(,=])(?=\w)")
"""Long names in a line, and where they may be broken."""


def _lines_of(signature: str) -> str:
    return signature.replace("<dd>", '<span class="line-of-signature">').replace("</dd>\n", "</span>")


def mend(folder: Path) -> None:
    """Make the pages of the theme accessible."""
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for written, mended in MENDED:
            text = text.replace(written, mended)
        text = _SIGNATURE.sub(lambda found: _lines_of(found.group(1)), text)
        text = _LONG.sub(lambda found: _WITHIN.sub("<wbr>", found.group()), text)
        if "<h1" not in text:
            title = re.search(r"<title>(.*?)(?: - .*)?</title>", text, flags=re.DOTALL)
            text = re.sub(r"(<article[^>]*>)", rf"\1<h1>{title.group(1) if title else 'Discreet'}</h1>", text, count=1)
        path.write_text(text, encoding="utf-8")


# The sources


def repository_pages() -> dict[Path, bytes]:
    """The sources but for the reference: pages and what they may show parts of, with the navigation of all of them."""
    wanted: dict[Path, bytes] = {}
    for pattern in (*PAGES, *INCLUDED):
        for path in sorted(ROOT.glob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                wanted[path.relative_to(ROOT)] = path.read_bytes()
    for path in sorted((ROOT / "docs" / "site").rglob("*")):
        wanted.pop(path.relative_to(ROOT), None)
        if path.is_file() and "__pycache__" not in path.parts:
            wanted[path.relative_to(ROOT / "docs" / "site")] = path.read_bytes()
    index = wanted[Path("index.md")].decode()
    wanted[Path("index.md")] = (index + further_pages(index, wanted)).encode()
    return wanted


def write_sources(folder: Path) -> list[str]:
    """Bring `folder` up to date with the repository; the public names that the reference has pages for."""
    wanted = repository_pages() | reference_pages(homes := homes_of_names())
    names = sorted(set(homes.values()))
    for path in [path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder) not in wanted]:
        path.unlink()
    for path, content in wanted.items():
        target = folder / path
        if not target.exists() or target.read_bytes() != content:  # Sphinx reads again only what is newer
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return names


def reference_pages(homes: dict[str, str]) -> dict[Path, bytes]:
    """The pages of the reference, as files."""
    pages = {Path("api.rst"): reference.contents_page()}
    for package in packages():
        pages[Path("api") / f"{package}.rst"] = reference.package_page(importlib.import_module(package), homes, value_words)
    for name in set(homes.values()):
        if reference.page_of(name) == name:
            pages[Path("api") / f"{name}.rst"] = reference.class_page(name)
    return {path: page.encode() for path, page in pages.items()}


def further_pages(index: str, wanted: dict[Path, bytes]) -> str:
    """Pages of docs/ and proof notes that the index does not list, as two more parts of it: none is left out by being forgotten."""
    listed = {line.strip().partition("<")[2].rstrip(">") or line.strip() for line in index.splitlines()}
    pages = [path.with_suffix("").as_posix() for path in wanted if path.suffix == ".md" and path.parts[0] in {"docs", "src"}]
    rest = sorted(page for page in pages if page not in listed)
    notes = [page for page in rest if page.startswith("src/")]
    more = [page for page in rest if page.startswith("docs/")]
    return toctree("Proofs", notes) + toctree("Further pages", more)


def toctree(caption: str, pages: list[str]) -> str:
    """A hidden list of pages in the markup of MyST; nothing if there are none."""
    return "\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(pages) + "\n```\n" if pages else ""


def value_words(module: ModuleType, name: str) -> list[str]:
    """What a public value says of itself: the string that follows its assignment in the source, or else the docstring of its own type."""
    thing = getattr(module, name)
    words = assigned_words(module, name)
    if not words and type(thing).__module__.startswith("discreet."):
        words = inspect.getdoc(thing) or ""
    return list(settings().marked_up(words.splitlines()))


def settings() -> ModuleType:
    """docs/site/conf.py, which knows how docstrings become markup."""
    specification = importlib.util.spec_from_file_location("discreet_site_settings", ROOT / "docs" / "site" / "conf.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def assigned_words(module: ModuleType, name: str) -> str:
    """The string after `name = ...`, followed through imports."""
    tree = ast.parse(inspect.getsource(module))
    for one, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            is_text = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant) and isinstance(following.value.value, str)
            return inspect.cleandoc(following.value.value) if is_text else ""
    for one in ast.walk(tree):
        if isinstance(one, ast.ImportFrom) and one.module and any((alias.asname or alias.name) == name for alias in one.names):
            return assigned_words(importlib.import_module(one.module), name)
    return ""


# What is checked of the built pages


class Page(HTMLParser):
    """What one page links to, what it loads, and the places that can be linked to."""

    def __init__(self) -> None:
        """With nothing read yet."""
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag brings."""
        have = {name: value or "" for name, value in attrs}
        self.places |= {have[name] for name in ("id", "name") if name in have}
        if tag == "a" and "href" in have:
            self.links.append(have["href"])
        if tag in {"script", "img", "iframe", "source", "video", "audio"} and "src" in have:
            self.loaded.append(have["src"])
        if tag == "link" and "href" in have and have.get("rel") not in {"canonical", "author", "next", "prev", "index", "search"}:
            self.loaded.append(have["href"])


def read_pages(folder: Path) -> dict[Path, Page]:
    """Every page of the site."""
    pages = {}
    for path in sorted(folder.rglob("*.html")):
        pages[path.resolve()] = page = Page()
        page.feed(path.read_text(encoding="utf-8"))
    return pages


def faults_of_links(folder: Path) -> list[str]:
    """Links inside the site that lead nowhere, and whatever a page or a style sheet would fetch from a network."""
    pages = read_pages(folder)
    faults = []
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loaded and parts.scheme != "data":
                    faults.append(f"{name}: loads {link}, and the site must need no network")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                faults.append(f"{name}: a link to {link}, which is not there")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                faults.append(f"{name}: a link to {link}, and the page has no such place")
    for path in folder.rglob("*.css"):
        fetched = re.findall(r"(?:@import|url\()\s*['\"]?(?:https?:)?//[^)'\"]+", path.read_text(encoding="utf-8"))
        faults += [f"{path.relative_to(folder)}: {one}, and the site must need no network" for one in fetched]
    return faults


def missing_names(folder: Path, names: list[str]) -> list[str]:
    """Public names without an entry of their own, with words, in the reference."""
    faults = []
    for name in names:
        page = folder / "api" / f"{reference.page_of(name)}.html"
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        _, _, entry = text.partition(f'id="{name}"')
        if not re.match(r"\s*<(p|div)\b", entry.partition("</dt>")[2].partition("<dd>")[2]):
            faults.append(f"{page.relative_to(folder)}: no entry with words for {name}")
    return faults


def missing_notes(folder: Path) -> list[str]:
    """Proof notes beside the code that are not on the site."""
    notes = [path.relative_to(ROOT) for path in (ROOT / "src").rglob("*.md")]
    return [f"{note}: not on the site" for note in notes if not (folder / note.with_suffix(".html")).exists()]


if __name__ == "__main__":
    sys.exit(main())
