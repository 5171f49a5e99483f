"""Templates: they escape whatever they are given, and none may say otherwise."""

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from discreet.display import markup

TEMPLATES = sorted((Path(markup.__file__).parent / "templates").iterdir())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_trusts_a_value_or_runs_anything(path):
    text = path.read_text(encoding="utf-8")
    for told in re.findall(r"\{[{%].*?[}%]\}", text, re.DOTALL):
        assert not re.search(r"\bsafe\b|autoescape|Markup|__", told), told
    assert not re.search(r"<script|javascript:|\bon\w+=|https?://(?!www\.w3\.org/2000/svg)", text)


def test_every_value_is_made_visible_and_escaped():
    text = markup.rendered("view.html", title="<b>\u202e'\"&", blocks=[])
    assert '<p class="name">&lt;b&gt;\ufffd&#39;&#34;&amp;</p>' in text


def test_a_value_that_was_forgotten_is_an_error():
    with pytest.raises(UndefinedError):
        markup.rendered("view.html", blocks=[])
