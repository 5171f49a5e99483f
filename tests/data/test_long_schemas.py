"""A schema takes work in proportion to its length, whoever wrote it, and what would take more is refused by limits that are said."""

import sys

import pytest

from discreet import Schema
from discreet.core.errors import FileFormatError, SchemaError
from discreet.data.labels import texts_of
from discreet.data.toml_text import LARGEST

HEAD = 'format = "discreet-schema/1"\nname = "t"\n'
TARGET = '[target]\ncolumn = "y"\nclasses = ["no", "yes"]\n'
ALIAS, LINEAR = 'a{0}="c{0}"', '"linear"'
NUMBER = "[numeric.a]\nlower = 0\nupper = 1\n"


def texts(count, form='"c{}"'):
    return ",".join(form.format(number) for number in range(count))


LONG = {
    "numbers": lambda count: TARGET + "".join(f"[numeric.a{one}]\nlower=0\nupper=1\n" for one in range(count)),
    "categories": lambda count: f"{TARGET}[categorical.a]\ncategories=[{texts(count)}]\n",
    "aliases": lambda count: f"{TARGET}[categorical.a]\ncategories=[{texts(count)}]\naliases={{{texts(count, ALIAS)}}}\n",
    "missing": lambda count: f"missing_values=[{texts(count)}]\n{TARGET}{NUMBER}",
    "encodings": lambda count: f"{TARGET}{NUMBER}encoding=[{texts(count, LINEAR)}]\n",
    "targets": lambda count: "".join(f'[[target]]\ncolumn="y{one}"\nlower=0\nupper=1\n' for one in range(count)) + NUMBER,
}


def steps(text):
    """How many lines are run to read a schema and to look at its columns."""
    seen = 0

    def count(*_):
        nonlocal seen
        seen += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        schema = Schema.from_toml(HEAD + text)
        assert schema.feature_names
        for column in schema.categorical:
            texts_of(column.categories, column.aliases)
    finally:
        sys.settrace(before)
    return seen


@pytest.mark.parametrize("long", LONG.values(), ids=LONG)
def test_what_is_twice_as_long_takes_twice_the_work(long):
    steps(long(4))
    assert steps(long(400)) < 2.5 * steps(long(200))


DEEP = {
    "a name": "{deep} = 1",
    "a table": "[{deep}]",
    "tables in a list": "[[{deep}]]",
    "within a table": "x = {{b = 1, {deep} = 1}}",
    "behind a text that ends with a quote": 'x = ["""a"""", {{{deep} = 1}}]',
    "behind a text with a comment": "x = ['#', {{{deep} = 1}}]",
    "behind a comment with a quote": "# it's\n{deep} = 1",
    "behind a long text": "x = '''\n''\n'''\n{deep} = 1",
}


@pytest.mark.parametrize("form", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("part", ["a.", '"a b" . ', "'.'\t."])
def test_a_name_of_many_parts_is_refused_before_it_is_read(form, part):
    with pytest.raises(SchemaError, match="a name has more than 8 parts"):
        Schema.from_toml(HEAD + form.format(deep=part * 8 + "a") + "\n")


@pytest.mark.parametrize("text", ["a.b.c.d.e.f.g.h.i", "1.2.3.4.5.6.7.8.9.10"])
def test_dots_in_texts_and_comments_are_no_parts(text):
    written = TARGET.replace('"yes"', f'"{text}"') + f"# {text}\n[numeric.'{text}']\nlower = 0.5\nupper = 1.5\n"
    assert Schema.from_toml(HEAD + written).numeric[0].name == text


def test_a_file_larger_than_a_schema_may_be_is_refused(tmp_path):
    path = tmp_path / "s.toml"
    for size, error, words in ((LARGEST, SchemaError, "is missing"), (LARGEST + 1, FileFormatError, "is larger than the 4 MiB")):
        path.write_text(HEAD + "#" * (size - len(HEAD)))
        with pytest.raises(error, match=words):
            Schema.load(path)


def test_a_long_text_is_not_compared_with_every_other():
    """Which takes the square of its length where its letters are many."""
    long = "".join(chr(0x4E00 + place % 300) for place in range(3_000))
    with pytest.raises(SchemaError) as refused:
        Schema.from_toml(HEAD + TARGET + f'[categorical.a]\ncategories = ["{long}", "b"]\nother = "{long[1:]}"\n')
    assert "Did you mean" not in str(refused.value)
