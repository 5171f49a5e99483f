"""How large targets may be is asked of whoever fits numbers: no estimator has a bound of its own, by which every larger target would be clipped."""

import inspect

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from discreet import Schema, estimators
from discreet.core.errors import InvalidInput
from discreet.data import FunctionTable, numeric_files, schema_files
from discreet.data.block_table import Block
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from tests.schemas import schema_text

X = np.random.default_rng(0).uniform(-0.5, 0.5, (60, 2))
PRICES = 1e5 + 1e5 * X[:, 0]
ASKED = {
    name: made
    for name in estimators.__all__
    if isinstance(made := getattr(estimators, name), type) and "target_bound" in inspect.signature(made).parameters
}
FLATS = Schema.from_toml(schema_text("flats", {"column": "rent", "lower": 0, "upper": 2e5}, {"size": (0, 200), "floor": (0, 9)}, rows="bound"))
FRAME = {"size": 100.0 + 100.0 * X[:, 0], "floor": 4.0 + 8.0 * X[:, 1], "rent": PRICES}


def few(kind, **settings):
    return kind(**({"n_iter": 3} if "radius" in inspect.signature(kind).parameters or kind is estimators.ConstrainedERM else {}), **settings)


def doors(kind, folder):
    """Everywhere that numbers come in without a schema that says their range."""
    yield lambda account: few(kind, ledger=account).fit(X, PRICES)
    yield lambda account: few(kind, ledger=account).fit(FunctionTable(lambda _: Block(as_matrix(X), PRICES), blocks=1, features=2))
    yield lambda account: make_pipeline(FLATS.transformer(), few(kind, ledger=account)).fit(FRAME, PRICES)
    yield lambda account: estimators.PrivateSearchCV(few(kind), {"data_norm": [1.0, 2.0]}, ledger=account, expected_runs=2.0, error_bound=1.0).fit(
        X, PRICES
    )


def test_every_regression_is_among_them():
    assert {"LinearRegression", "HuberRegression", "QuantileRegression", "ExpectileRegression", "Lasso", "ConstrainedERM"} <= ASKED.keys()


@pytest.mark.parametrize("kind", ASKED.values(), ids=ASKED)
def test_no_estimator_of_numbers_has_a_bound_of_its_own_and_each_asks_before_anything_is_spent(kind, tmp_path):
    assert inspect.signature(kind).parameters["target_bound"].default is None
    Ledger.create(tmp_path / "ledger").declare("flats", epsilon=10.0, delta=1e-3)
    account = Account(tmp_path / "ledger", "flats")
    for door in doors(kind, tmp_path):
        with pytest.raises(InvalidInput, match=rf"^{kind.__name__} needs target_bound, [^.]*\.$"):
            door(account)
    assert not Ledger(tmp_path / "ledger").history("flats")


@pytest.mark.parametrize("kind", ASKED.values(), ids=ASKED)
def test_a_schema_says_the_range_in_memory_and_in_blocks(kind, tmp_path):
    import polars as pl

    pl.DataFrame(FRAME).write_parquet(tmp_path / "flats.parquet")
    for table in (FLATS.encode(FRAME, target=True), schema_files(tmp_path / "flats.parquet", FLATS)):
        assert few(kind, epsilon=1.0).fit(table).target_range == (-1.0, 1.0)
    with pytest.raises(InvalidInput, match="needs target_bound"):
        few(kind).fit(numeric_files(tmp_path / "flats.parquet", features=["size", "floor"], target="rent"))
