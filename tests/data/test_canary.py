"""A canary record runs through every way in which a table can be refused: its digits may appear nowhere."""

import gzip
import io
import logging
import sys
from datetime import date

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.core.errors import DiscreetError
from discreet.data import CategoricalColumn, NumericColumn, Schema, Target, read_header, read_table, schema_stub
from tests.canary import DIGITS, assert_carries_nothing

CANARY = "918273.645"

SCHEMA = Schema(
    name="clinic",
    target=Target(column="ill", classes=("no", "yes")),
    numeric=(NumericColumn(name="age", lower=0, upper=120),),
    categorical=(CategoricalColumn(name="group", categories=("A", "B")),),
)
GOOD = {"age": ["20", "30"], "group": ["A", "B"], "ill": ["no", "yes"]}

TABLES = {
    "number outside": {**GOOD, "age": ["20", CANARY]},
    "typed number outside": {**GOOD, "age": [20.0, float(CANARY)]},
    "no number": {**GOOD, "age": ["20", f"x{CANARY}"]},
    "number missing beside it": {**GOOD, "age": [None, CANARY]},
    "undeclared category": {**GOOD, "group": ["A", CANARY]},
    "typed undeclared category": {**GOOD, "group": [1.0, float(CANARY)]},
    "category missing beside it": {**GOOD, "group": [None, CANARY]},
    "undeclared class": {**GOOD, "ill": ["no", CANARY]},
    "typed undeclared class": {**GOOD, "ill": [0.0, float(CANARY)]},
}
MAPPINGS = {
    **TABLES,
    "mixed objects": {**GOOD, "age": [object(), float(CANARY)]},
    "a type of the owner's": {**GOOD, "group": [date(2020, 1, 1), CANARY]},
    "lists": {**GOOD, "group": [[CANARY], [CANARY]]},
    "lengths": {**GOOD, "age": [CANARY]},
    "absent columns": {"Age": [CANARY], CANARY: [1]},
    "no column": {**GOOD, "age": float(CANARY)},
    "text for a column": {**GOOD, "age": CANARY},
}
FILES = {
    "short row": f"age,group,ill\n{CANARY}\n".encode(),
    "long row": f"age,group,ill\n1,A,no,{CANARY}\n".encode(),
    "open quote": f'age,group,ill\n1,A,"{CANARY}\n'.encode(),
    "quote inside": f'age,group,ill\n"{CANARY}"1,A,no\n'.encode(),
    "long field": f"age,group,ill\n{CANARY * 20_000},A,no\n".encode(),
    "not UTF-8": f"age,group,ill\n{CANARY}\xff,A,no\n".encode("latin-1"),
    "no header": f"{CANARY},A,no\n{CANARY},B,no\n".encode(),
    "no header, spelt like the schema": f"{CANARY},age,age\n".encode(),
    "no header, the same twice": f"{CANARY},{CANARY},no\n".encode(),
}


def assert_silent(caught, capfd, caplog, given=()):
    assert_carries_nothing(caught.value)
    assert not [text for text in (*capfd.readouterr(), caplog.text) for digits in DIGITS if digits in text]


@pytest.fixture(autouse=True)
def listening(caplog):
    caplog.set_level(logging.DEBUG)


def encoders():
    for name, table in MAPPINGS.items():
        yield pytest.param(table, id=f"mapping: {name}")
    for name, table in TABLES.items():
        yield pytest.param(pl.DataFrame(table), id=f"polars: {name}")
        yield pytest.param(pl.LazyFrame(table), id=f"lazy: {name}")
        yield pytest.param(pd.DataFrame(table), id=f"pandas: {name}")
        yield pytest.param(pd.DataFrame(table).astype("category"), id=f"categories: {name}")
        yield pytest.param(pa.table(table), id=f"pyarrow: {name}")
    yield pytest.param(pl.LazyFrame({"age": [f"x{CANARY}"]}).with_columns(pl.col("age").cast(pl.Int64)), id="lazy: absent columns")
    yield pytest.param(pl.LazyFrame({**GOOD, "age": [f"x{CANARY}"] * 2}).with_columns(pl.col("age").cast(pl.Int64)), id="lazy: its own failure")
    yield pytest.param(pd.DataFrame([[CANARY] * 4], columns=["age", "age", "group", "ill"]), id="pandas: repeated columns")
    yield pytest.param([[CANARY]], id="no table")
    yield pytest.param(pd.DataFrame({**GOOD, "age": pd.to_datetime(["2020-01-01"] * 2)}), id="pandas: dates")


@pytest.mark.parametrize("frame", list(encoders()))
def test_no_refusal_of_a_table_tells_a_cell(frame, capfd, caplog):
    with pytest.raises(DiscreetError) as caught:
        SCHEMA.encode(frame, target=True)
    assert_silent(caught, capfd, caplog, frame)


@pytest.mark.parametrize("content", FILES.values(), ids=FILES.keys())
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "stdin"])
def test_no_refusal_of_a_file_tells_a_cell(content, suffix, tmp_path, monkeypatch, capfd, caplog):
    path = tmp_path / f"t.{suffix}"
    if suffix == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        path = "-"
    else:
        path.write_bytes(gzip.compress(content) if suffix == "csv.gz" else content)
    with pytest.raises(DiscreetError) as caught:
        SCHEMA.encode(read_table(path, SCHEMA.columns(target=True)), target=True)
    assert_silent(caught, capfd, caplog)


@pytest.mark.parametrize("content", [content for name, content in FILES.items() if name.startswith("no header")])
def test_a_record_does_not_pass_for_a_header(content, tmp_path, capfd, caplog):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(DiscreetError) as caught:
        read_header(path)
    assert_silent(caught, capfd, caplog)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_no_record_has_any_influence_on_a_stub(suffix, tmp_path):
    stubs = []
    for cell in (CANARY, "1"):
        path = tmp_path / f"t.{suffix}"
        frame = pl.DataFrame({"age": [float(cell)], "group": [cell]})
        frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
        stubs.append(schema_stub(read_header(path), name="clinic"))
    assert stubs[0] == stubs[1]
    assert not [digits for digits in DIGITS if digits in stubs[0]]


def test_a_table_passed_for_a_schema_is_not_quoted(tmp_path, capfd, caplog):
    for content in (f"age,group,ill\n{CANARY},A,no\n", f"{CANARY},A,no\n", f"age = {CANARY}\n", f"{CANARY}\n"):
        path = tmp_path / "t.csv"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(DiscreetError) as caught:
            Schema.load(path)
        assert_silent(caught, capfd, caplog)


def test_an_encoded_canary_is_not_shown():
    schema = Schema.from_dict({**SCHEMA.to_dict(), "numeric": [{"name": "age", "lower": 0, "upper": 1e6}]})
    encoded = schema.encode({**GOOD, "age": [CANARY, CANARY]}, target=True)
    assert not [digits for digits in DIGITS if digits in repr(encoded) + str(encoded) + repr(schema) + schema.to_toml()]
