"""The same cells are the same table in a file of every kind and in memory: the same records, the same missing ones, the same refusals."""

from datetime import date, datetime, time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet import Schema
from discreet.core.errors import InvalidInput
from discreet.data import read_header, read_table, schema_files
from discreet.data.persons import keyed
from discreet.data.table_file import READERS
from tests.data.test_odd_cells import COLUMNS, RULED
from tests.odd_cells import WRITERS, write_table

LABELS = RULED.replace('classes = ["no", "yes"]', 'classes = [7, "no", true]').replace('missing = "yes"', "missing = true")
STRICT = "\n".join(line for line in RULED.splitlines() if not line.startswith(("missing =", "outside", "other", "unreadable")))
IN_BLOCKS = (".parquet", ".arrow")
texts = st.sampled_from(
    ["", " ", "7", "7.0", " no", "yes ", "north", "true", "1990-01-31", "1.5", 'a"b', "x,y", "a\nb", "a\r\nb", "é\x1a", "?", "_x0041_", "\ufeffa"]
)
kinds = [
    st.integers(-(2**62), 2**62) | st.integers(0, 9),
    st.floats(allow_nan=False, allow_infinity=False) | st.integers(0, 9).map(float),
    st.booleans(),
    texts,
    st.dates(date(1900, 3, 1)),
    st.datetimes(datetime.fromisoformat("1900-03-01")).map(lambda moment: moment.replace(microsecond=0)),
    st.times().map(lambda moment: moment.replace(microsecond=0)),
]


@st.composite
def tables(draw):
    rows = draw(st.integers(0, 4))
    columns = {name: draw(st.sampled_from(kinds).flatmap(lambda kind: st.lists(st.none() | kind, min_size=rows, max_size=rows))) for name in COLUMNS}
    if draw(st.booleans()):
        columns["person"] = list(range(rows))
    return columns


def outcome(read, schema):
    """What a fit sees of it: rows, targets and who is who, or the words of a refusal."""
    try:
        table = schema.encode(read(), target=True)
    except InvalidInput as refusal:
        return str(refusal)
    targets = table.codes if table.codes is not None else table.signs
    return list(zip(dense(table.rows), targets.tolist(), keyed(table.persons, bytes(32)).tolist(), strict=True))


def dense(rows):
    return rows.rmatvec(np.eye(rows.shape[0])).T.tolist()


def outcome_of_blocks(path, schema):
    """The same of a table in blocks, without its targets."""
    try:
        blocks = list(schema_files(path, schema).map(lambda _, block: block, 1))
    except InvalidInput as refusal:
        return str(refusal)
    return [one for block in blocks for one in zip(dense(block.rows), keyed(block.persons, bytes(32)).tolist(), strict=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("same")


def test_every_reader_has_a_writer_here():
    """So that the law holds for each reader to come."""
    assert WRITERS.keys() >= READERS.keys() | set(IN_BLOCKS)


@pytest.mark.parametrize("text", [RULED, LABELS, STRICT], ids=["every rule", "other labels", "no rule"])
@settings(max_examples=2 if settings.default.max_examples < 100 else 60)
@example({name: [None] * 3 for name in COLUMNS} | {"person": [1, 2, 3]})
@example({"class": ["no", None, None, None], "person": [1, None, 2, None], "number": [None] * 4, "day": [None] * 4, "label": [None] * 4})
@given(tables())
def test_the_same_cells_are_the_same_table_whatever_they_are_read_from(folder, text, columns):
    schema = Schema.from_toml(text)
    expected = outcome(lambda: columns, schema)
    for suffix in READERS:
        path = write_table(folder / f"t{suffix}", columns)
        assert read_header(path) == list(columns)
        assert outcome(lambda path=path: read_table(path, schema.columns(target=True), schema.file), schema) == expected, suffix
    for suffix in IN_BLOCKS:
        found = outcome_of_blocks(write_table(folder / f"b{suffix}", columns), schema)
        assert found == (expected if isinstance(expected, str) else [(rows, person) for rows, _, person in expected]), suffix


@pytest.mark.parametrize("suffix", READERS)
def test_a_record_is_one_whatever_it_holds(folder, suffix):
    """Where a file has one column too, whose empty cell is an empty line of text."""
    for columns in ({"x": ["1", None, "2", None]}, {"x": [None, None], "y": [None, None]}, {"x": [time(12)], "y": [None]}):
        path = write_table(folder / f"n{suffix}", columns)
        assert read_table(path, ["x"]).height == len(columns["x"])


def test_an_empty_line_is_a_record_of_one_cell_and_none_of_several(folder):
    path = folder / "lines.csv"
    for content, rows in (("\n,,\n x ,,\n1,,\n\n,,\n\n", ["1", ""]), ("\nx\n1\n\n\n", ["1", "", ""]), ("x,\n\n", []), ("x\n", [])):
        path.write_text(content)
        assert read_header(path) == ["x"]
        assert read_table(path, ["x"])["x"].to_list() == rows
