"""No message recommends a declaration that may be false of the table at hand: it says what would have to be true.

A promise is what a guarantee rests on and no code can check: that a person has one row, that a number is public, that records need no protection.
(Rules such as outside = "clip" or data_norm are none: they are carried out, whatever the records are.) Whoever does as a message says, without
knowing more, must not make a promise. So a sentence that names one has its condition in it.
"""

import ast
import re
from pathlib import Path

import pytest

from tests.test_architecture import FILES, nodes, parsed

PROMISES = re.compile(
    r"rows_per_person ?= ?1\b|--rows-per-person 1\b|public[_-]records|numbers_are_public|part_of_a_record_stays|group[_-]rows|--data-is|data_is|"
    r"public_labels|widen the bounds|\bcomplete \{"
)
"""Names of declarations that must be true."""
CONDITIONS = re.compile(r"\b(if|where|whether|unless|in the same cases|says that|does each person)\b", re.IGNORECASE)
SENTENCES = re.compile(r"(?<=[.;?])\s+(?=\S)")
IMPERATIVES = re.compile(
    r"(?:^|[,;:] |\b(?:or|and|otherwise|to) )(?:add|give|set|pass|say|state|declare|take|use|keep|leave|write|charge|widen|complete)\b", re.IGNORECASE
)


def texts(source):
    """(line, text) of every text of a module but for docstrings, with what a format string fills in left out."""
    tree = parsed(source)
    inner = {id(part) for node in nodes(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    inner |= {id(node.value) for node in nodes(tree) if isinstance(node, ast.Expr)}
    for node in nodes(tree):
        if id(node) in inner:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def unconditional(text):
    """Sentences that tell a reader to declare what may not be true."""
    found = SENTENCES.split(text)
    return [one for one in found if PROMISES.search(one) and IMPERATIVES.search(one) and not CONDITIONS.search(one)]


def test_no_message_recommends_what_may_be_false():
    told = {f"{file}:{line}": faults for file, source in FILES.items() for line, text in texts(source) if (faults := unconditional(text))}
    assert not told


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("it needs one record per person. Set rows_per_person = 1, in the schema.", True),
        ("it needs one record per person. If each has one, set rows_per_person = 1.", False),
        ("the table has more. Declare their rough number as public_records.", True),
        ("Pass public_records, a number that you declare public, or alpha=None.", True),
        ("give either --data-is (the records need no protection) or --epsilon", True),
        ('a value outside its bounds. Add outside = "clip", or widen the bounds.', True),
        ('a value outside its bounds. Add outside = "clip".', False),
        ("Is it true? rows_per_person = 1", False),
    ],
)
def test_each_such_message_is_seen(text, seen):
    assert bool(unconditional(text)) is seen


def test_every_command_line_of_an_extra_can_be_typed_into_any_shell():
    """In zsh, brackets without quotes are a pattern of files that do not exist."""
    root = Path(__file__).parents[1]
    pages = {str(page): page.read_text(encoding="utf-8") for page in [*root.glob("*.md"), *root.glob("docs/**/*.md")]}
    lines = [line for text in (FILES | pages).values() for line in text.splitlines() if re.search(r"pip install [^`]*discreet\[", line)]
    assert len(lines) > 10
    assert not [line for line in lines if re.search(r"pip install [^`]*(?<!')discreet\[", line)]
