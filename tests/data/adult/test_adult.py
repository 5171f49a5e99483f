import hashlib
from importlib import resources

import numpy as np
import polars as pl
import pytest

from discreet.data.adult import adult_cms, adult_schema, load_adult


@pytest.fixture(scope="module")
def table():
    return load_adult()


def test_every_row_of_both_source_files_is_there(table):
    assert table.shape == (48_842, 16)
    assert table.get_column("test").sum() == 16_281
    assert table.null_count().sum_horizontal().item() == 0


def test_the_content_is_that_of_the_repository(table):
    """The source files' own lines, written again from the embedded table."""
    for test, name, digest in (
        (False, "adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
        (True, "adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
    ):
        rows = table.filter(pl.col("test") == test).drop("test").rows()
        lines = [", ".join(map(str, row)) + ("." if test else "") for row in rows]
        text = ("|1x3 Cross validator\n" if test else "") + "\n".join(lines) + "\n\n"
        assert hashlib.sha256(text.encode()).hexdigest() == digest, name


def test_the_schema_covers_the_table(table):
    schema = adult_schema()
    assert schema.features == 108
    assert "workclass=Never-worked" in schema.feature_names
    assert "native-country=Holand-Netherlands" in schema.feature_names
    encoded = schema.encode(table, target=True)
    assert encoded.rows.shape == (48_842, 108)
    assert (encoded.signs > 0).sum() == 11_687
    np.testing.assert_allclose(encoded.rows.row_norms(), 1.0, rtol=1e-14)


def test_the_schema_says_what_missing_cells_count_as(table):
    assert {column.name: column.missing for column in adult_schema().categorical if column.missing} == dict.fromkeys(
        ("workclass", "occupation", "native-country"), "unknown"
    )
    texts = table.select(pl.col(pl.String))
    assert {name for name in texts.columns if (texts.get_column(name) == "?").any()} == {"workclass", "occupation", "native-country"}


def test_the_preparation_of_2011_has_its_shape_and_its_class_frequency():
    rows, signs = adult_cms()
    assert rows.shape == (45_222, 105)
    assert signs.shape == (45_222,)
    assert (signs > 0).sum() == 11_208
    np.testing.assert_allclose(np.sqrt(rows.multiply(rows).sum(axis=1)), 1.0, rtol=1e-14)
    numbers = rows[:, :6] * np.sqrt(8 + 0 * signs)[:, None]
    assert numbers.min() >= 0
    empty = np.flatnonzero(np.diff(rows.tocsc().indptr) == 0)
    assert empty.tolist() == [6 + 7]  # Never-worked


def test_the_first_row_of_the_preparation_is_that_of_the_table():
    rows, signs = adult_cms()
    first = rows[[0]].toarray()[0]
    numbers = np.array([39 / 90, 77_516 / 1_490_400, 13 / 16, 2_174 / 99_999, 0, 40 / 99])
    np.testing.assert_allclose(first[:6], numbers / np.sqrt(numbers @ numbers + 8), rtol=1e-14)
    assert np.count_nonzero(first[6:]) == 8
    assert signs[0] == -1.0


def test_the_attribution_is_shipped():
    text = resources.files("discreet.data.adult").joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")
    for needed in ("Becker", "Kohavi", "1996", "10.24432/C5XW20", "CC BY 4.0", "Changes made"):
        assert needed in text
