"""Reads a page as a strict reader does: what it is made of, what is wrong with it."""

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input", "line", "rect", "circle"}
_FRAME = "html head meta title style body header nav main section footer div h1 h2 h3 p strong ol ul li a pre code figure figcaption"
_TABLE = "table caption thead tbody tr th td"
_PICTURE = "svg rect line path circle text g"
ALLOWED = {*_FRAME.split(), *_TABLE.split(), *_PICTURE.split()}
"""Nothing that runs, nothing that loads."""


class Reader(HTMLParser):
    """Everything that is said, and every fault."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.tags, self.words, self.ids, self.links, self.styles = [], [], [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in ALLOWED:
            self.faults.append(f"the tag {tag}")
        for name, value in attrs:
            if name.startswith("on") or name in {"src", "srcset", "data", "action", "formaction", "background", "style"}:
                self.faults.append(f"the attribute {name}")
            if name == "href":
                self.links.append(value)
                if not value.startswith("#"):
                    self.faults.append(f"a link to {value}")
            if name == "id":
                self.ids.append(value)
        if tag == "svg" and attributes.get("role") != "img":
            self.faults.append("a picture without its role")
        if tag == "th" and attributes.get("scope") not in {"row", "col"}:
            self.faults.append("a heading of a table without its scope")
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        (self.styles if "style" in self.open else self.words).append(data)

    def count(self, tag):
        """How often a tag occurs."""
        return self.tags.count(tag)


def read(text):
    """The reader of a fragment, which has no fault."""
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert not reader.faults, reader.faults
    assert not reader.open, reader.open
    assert reader.count("table") == reader.count("caption")
    assert not re.search(r"@import|url\(|expression\(|https?:", " ".join(reader.styles))
    return reader


def read_page(text):
    """The reader of a whole page, which has no fault and what accessibility asks for."""
    reader = read(text)
    assert text.startswith('<!doctype html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in text
    assert 'name="viewport"' in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert [reader.count(tag) for tag in ("html", "head", "body", "main", "h1")] == [1, 1, 1, 1, 1]
    assert reader.count("title") == 1 + reader.count("svg"), "a page and each of its pictures have a title"
    assert reader.count("section") == reader.count("h2") + reader.count("h3")
    assert reader.count("figure") == reader.count("figcaption") == reader.count("svg")
    assert len(set(reader.ids)) == len(reader.ids)
    assert {link[1:] for link in reader.links} <= set(reader.ids)
    return reader


def said(text):
    """The words of a page, with single blanks."""
    return " ".join(" ".join(read(text).words).split())
