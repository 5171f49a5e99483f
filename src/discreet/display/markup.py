"""The one way in which words become markup: Jinja templates that escape whatever they are given (folder `templates`).

No template marks a value as safe (tests/display/test_markup.py), so a class that is called `<script>` is shown as that, wherever it stands. And
every word is `visible` before it is escaped: what cannot be seen, or could disguise what can, is shown as U+FFFD. That is control characters, marks
that change the direction of writing, halves of surrogate pairs, and what is not a character.
"""

import unicodedata

from jinja2 import Environment, PackageLoader, StrictUndefined

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
_BLANKS = str.maketrans("\t\n\r", "   ")


def visible(words: str) -> str:
    """One line of characters that can be seen."""
    return "".join("\ufffd" if unicodedata.category(one) in _HIDDEN else one for one in words.translate(_BLANKS))


def _finalized(value: object) -> object:
    """What a template writes out: markup of another template as it is, words made visible."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else visible(value)


_TEMPLATES = Environment(
    loader=PackageLoader("discreet.display"),
    autoescape=True,
    finalize=_finalized,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


_TEX = {"\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"} | {one: f"\\{one}" for one in "&%$#_{}"}


def _texed(value: object) -> object:
    """What a template of TeX writes out: words made visible, and nothing in them a command."""
    return "".join(_TEX.get(one, one) for one in visible(value)) if isinstance(value, str) else value


_TEX_TEMPLATES = Environment(
    loader=PackageLoader("discreet.display"),
    autoescape=False,  # noqa: S701 - it is not HTML; every value passes `_texed`
    finalize=_texed,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def rendered_tex(template: str, **values: object) -> str:
    """A template of TeX with these values in it."""
    return _TEX_TEMPLATES.get_template(template).render(**values)


def rendered(template: str, **values: object) -> str:
    """A template with these values in it."""
    return _TEMPLATES.get_template(template).render(**values)
