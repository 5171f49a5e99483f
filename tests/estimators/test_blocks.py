"""Estimators on tables that are read in blocks, and by several threads."""

import numpy as np
import polars as pl
import pytest

from discreet import KernelClassifier, LinearSVC, LogisticRegression
from discreet.core.errors import InvalidInput
from discreet.data import Block, FunctionTable, Schema, numeric_files, schema_files
from discreet.matrices import DenseMatrix
from tests.canary import CANARY, assert_silent
from tests.properties.block_tables import records
from tests.schemas import schema_text

ROWS, LABELS = records(1500)
WORDS = np.where(LABELS == 1, "yes", "no")
NAMES = [f"x{j}" for j in range(ROWS.shape[1])]
SCHEMA = schema_text("people", "paid", {"age": {"lower": 0, "upper": 100, "outside": "clip"}, "city": ["Bonn", "Ulm"]})


@pytest.fixture
def table(tmp_path):
    frame = pl.DataFrame(dict(zip(NAMES, ROWS.T, strict=True)) | {"y": WORDS, "w": np.where(ROWS[:, 0] > 0, 1.0, 0.5)})
    frame.write_parquet(tmp_path / "table.parquet", row_group_size=400)
    return tmp_path / "table.parquet"


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
@pytest.mark.parametrize("settings", [{}, {"class_weight": {"yes": 2.0}}, {"neighbours": "add-remove", "delta": 1e-6, "n_jobs": 2}], ids=str)
def test_a_model_of_blocks_is_the_model_of_the_array(kind, settings, table):
    blocks = numeric_files(table, features=NAMES, target="y", rows_in_block=500)
    streamed = kind(classes=["no", "yes"], random_state=1, **settings).fit(blocks)
    held = kind(classes=["no", "yes"], random_state=1, **settings).fit(ROWS, WORDS)
    # Sums differ in their last bits, and weights are rounded to a grid in the end: a number may land one step away.
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=1e-6)
    assert streamed.certificate_.guarantee == held.certificate_.guarantee
    assert streamed.certificate_.declared == ("the classes",)
    assert streamed.n_features_in_ == len(NAMES)
    np.testing.assert_array_equal(streamed.predict(blocks), streamed.predict(ROWS))
    if kind is LogisticRegression:
        np.testing.assert_allclose(streamed.predict_proba(blocks), streamed.predict_proba(ROWS))


def test_weights_of_records_come_with_the_blocks(table):
    blocks = numeric_files(table, features=NAMES, target="y", weights="w", rows_in_block=500)
    settings = {"classes": ["no", "yes"], "max_sample_weight": 1.0, "random_state": 1}
    held = LogisticRegression(**settings).fit(ROWS, WORDS, np.where(ROWS[:, 0] > 0, 1.0, 0.5))
    streamed = LogisticRegression(**settings).fit(blocks)
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=1e-6)
    assert streamed.certificate_.declared == held.certificate_.declared
    with pytest.raises(InvalidInput, match="sample_weight needs max_sample_weight"):
        LogisticRegression(classes=["no", "yes"]).fit(blocks)
    settings["max_sample_weight"] = 0.7  # heavier records count as that much
    cut = LogisticRegression(**settings).fit(ROWS, WORDS, np.where(ROWS[:, 0] > 0, 0.7, 0.5))
    np.testing.assert_allclose(LogisticRegression(**settings).fit(blocks).weights_, cut.weights_, atol=1e-6)


def test_what_a_table_in_blocks_lacks_is_said(table):
    blocks = numeric_files(table, features=NAMES, target="y")
    with pytest.raises(InvalidInput, match="for a table read in blocks, declare the classes"):
        LogisticRegression().fit(blocks)
    with pytest.raises(InvalidInput, match="y contains a label that is not one of the declared"):
        LogisticRegression(classes=["no", "perhaps"]).fit(blocks)
    with pytest.raises(InvalidInput, match="leave y and sample_weight out"):
        LogisticRegression(classes=["no", "yes"]).fit(blocks, WORDS)
    with pytest.raises(InvalidInput, match="has no targets"):
        LogisticRegression(classes=["no", "yes"]).fit(numeric_files(table, features=NAMES))
    with pytest.raises(InvalidInput, match="was fitted on 6 features"):
        LogisticRegression(classes=["no", "yes"]).fit(blocks).predict(numeric_files(table, features=NAMES[:3]))


def test_kernel_machines_refuse_what_they_cannot_map(table):
    blocks = numeric_files(table, features=NAMES, target="y")
    model = KernelClassifier(classes=["no", "yes"], n_features=10).fit(blocks)
    with pytest.raises(InvalidInput, match="was fitted on 6 features"):
        model.predict(numeric_files(table, features=NAMES[:3]))
    with pytest.raises(InvalidInput, match="was fitted on 6 features"):
        model.random_features(numeric_files(table, features=NAMES[:3]))
    with pytest.raises(InvalidInput, match="for a table read in blocks, declare the classes"):
        KernelClassifier().fit(blocks)
    for bad in (np.nan, np.inf):
        with pytest.raises(InvalidInput, match="rows must be finite"):
            KernelClassifier(classes=[0, 1]).fit(
                FunctionTable(lambda _, bad=bad: Block(DenseMatrix(np.array([[bad, 1.0]])), LABELS[:1]), blocks=1, features=2)
            )


@pytest.mark.parametrize("n_jobs", [0, 1.5, "two", True])
def test_numbers_of_threads_that_mean_nothing_are_refused(n_jobs):
    with pytest.raises(InvalidInput, match="n_jobs"):
        LogisticRegression(n_jobs=n_jobs, classes=[0, 1]).fit(ROWS, LABELS)


def test_long_tables_give_the_same_bits_for_any_number_of_threads():
    rows, labels = records(70_000, 3)
    found = [LogisticRegression(random_state=0, n_jobs=jobs, classes=[0, 1]).fit(rows, labels).weights_ for jobs in (None, 3, -1)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_a_schema_encodes_block_by_block(tmp_path):
    frame = pl.DataFrame({"age": (20 + 50 * (ROWS[:, 0] > 0)).astype(int), "city": np.where(ROWS[:, 1] > 0, "Ulm", "Bonn"), "paid": WORDS})
    frame.write_parquet(tmp_path / "people.parquet", row_group_size=400)
    schema = Schema.from_toml(SCHEMA)
    blocks = schema_files(tmp_path / "people.parquet", schema, rows_in_block=500)
    streamed = LogisticRegression(classes=["no", "yes"], random_state=2).fit(blocks)
    held = LogisticRegression(random_state=2).fit(schema.encode(frame, target=True))
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=1e-6)


def test_a_canary_stays_silent():
    def make(number):
        rows = np.full((5, 2), CANARY * 1e300)
        rows[0] = np.inf
        return Block(DenseMatrix(rows), np.full(5, CANARY))

    for classes in ([0, 1], [CANARY, 1.0]):
        with pytest.raises(InvalidInput) as refused:
            LogisticRegression(classes=classes).fit(FunctionTable(make, blocks=2, features=2))
        if classes == [0, 1]:
            assert_silent(refused.value)
