"""LinearRegression on tables that are read in blocks: what they must bring, what is noticed, and what is spent."""

import numpy as np
import polars as pl
import pytest

from discreet import ConstrainedERM, Lasso, LinearRegression, LogisticRegression
from discreet.core.errors import InvalidInput
from discreet.data import Block, Domain, FunctionTable, Records, Schema, schema_files
from discreet.ledger import Account, Ledger
from discreet.losses.predictions import LogCosh
from discreet.matrices import DenseMatrix
from discreet.mechanisms.regression import LeastSquares
from discreet.mechanisms.regression.objective_minimiser import accurate_gradient, evaluated
from tests.canary import CANARY, assert_silent
from tests.schemas import schema_text

RNG = np.random.default_rng(0)
ROWS = RNG.uniform(-0.5, 0.5, (3000, 4))
TARGETS = ROWS @ np.array([0.8, -0.5, 0.0, 0.3]) + 0.1 + 0.05 * RNG.standard_normal(3000)
SCHEMA = schema_text(
    "people",
    {"column": "pay", "lower": -1, "upper": 1, "outside": "clip"},
    {"age": {"lower": 0, "upper": 100, "outside": "clip"}, "city": ["Bonn", "Ulm"]},
)


def table(targets=TARGETS, weights=None, features=4):
    def make(number):
        part = slice(700 * number, 700 * (number + 1))
        block = None if targets is None else targets[part]
        return Block(DenseMatrix(ROWS[part, :features]), block, weights)

    return FunctionTable(make, blocks=5, features=features)


def test_what_a_table_in_blocks_must_bring():
    with pytest.raises(InvalidInput, match="leave y and sample_weight out"):
        LinearRegression(target_bound=1.0).fit(table(), TARGETS)
    with pytest.raises(InvalidInput, match="has no targets"):
        LinearRegression(target_bound=1.0).fit(table(None))
    with pytest.raises(InvalidInput, match="has no targets"):
        Lasso(target_bound=1.0).fit(table(None))
    with pytest.raises(InvalidInput, match="weights are not possible here"):
        LinearRegression(target_bound=1.0).fit(table(weights=np.ones(700)))
    with pytest.raises(InvalidInput, match="targets must be finite numbers"):
        LinearRegression(target_bound=1.0).fit(table(np.array(["a"] * 3000)))
    with pytest.raises(InvalidInput, match="n_jobs"):
        LinearRegression(n_jobs=0, target_bound=1.0).fit(table())
    model = LinearRegression(random_state=1, target_bound=1.0).fit(table())
    with pytest.raises(InvalidInput, match="4 features; rows with 2"):
        model.predict(table(features=2))
    assert model.predict(table(None)).shape == (3000,)


@pytest.mark.parametrize(
    "make",
    [
        lambda account: LogisticRegression(ledger=account, classes=[0, 1]),
        lambda account: LinearRegression(ledger=account, target_bound=1.0),
        lambda account: LinearRegression(ledger=account, mechanism="refined", n_jobs=2, target_bound=1.0),
        lambda account: LinearRegression(ledger=account, mechanism="mixing", target_bound=1.0),
        lambda account: Lasso(ledger=account, n_iter=3, target_bound=1.0),
        lambda account: ConstrainedERM(ledger=account, n_iter=3, mechanism="mirror-descent", n_jobs=2, target_bound=1.0),
    ],
    ids=["classes", "objective", "refined", "mixing", "lasso", "descent"],
)
@pytest.mark.parametrize(("passes", "spent"), [(2, 0.0), (3, 1.0)])
def test_a_table_that_changes_is_noticed_and_the_ledger_is_right(tmp_path, make, passes, spent):
    """The first pass counts, two more tell the ledger which table it is, before anything is spent; then noise is drawn, and it counts as spent."""
    made = []

    def block(number):
        made.append(number)
        rows = ROWS[:500] if len(made) <= 3 * passes else ROWS[:400]
        targets = TARGETS[: len(rows)]
        return Block(DenseMatrix(rows), (targets > 0).astype(int) if isinstance(model, LogisticRegression) else targets)

    Ledger.create(tmp_path / "ledger").declare("people", epsilon=2.0, delta=1e-5)
    account = Account(str(tmp_path / "ledger"), "people")
    model = make(account)
    with pytest.raises(InvalidInput, match="the table changed while it was being read"):
        model.fit(FunctionTable(block, blocks=3, features=4))
    assert account.ledger.spent("people").epsilon == pytest.approx(spent)


def test_a_schema_encodes_block_by_block(tmp_path):
    frame = pl.DataFrame({"age": (20 + 50 * (ROWS[:, 0] > 0)).astype(int), "city": np.where(ROWS[:, 1] > 0, "Ulm", "Bonn"), "pay": TARGETS})
    frame.write_parquet(tmp_path / "people.parquet", row_group_size=400)
    schema = Schema.from_toml(SCHEMA)
    blocks = schema_files(tmp_path / "people.parquet", schema, rows_in_block=500)
    encoded = schema.encode(frame, target=True)
    rows = encoded.rows.matvec(np.eye(encoded.rows.shape[1]))
    for mechanism in ("objective", "refined"):
        settings = {"mechanism": mechanism, "data_norm": 2.0, "random_state": 2, "target_bound": 1.0}
        found, expected = LinearRegression(**settings).fit(blocks), LinearRegression(**settings).fit(rows, encoded.numbers)
        np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-6)
        np.testing.assert_allclose(found.predict(blocks), expected.predict(rows), atol=1e-6)


def test_public_numbers_of_records_make_room_for_long_tables():
    domain = Domain(features=2, norm_bound=1.0, target_bound=1.0)
    assert LeastSquares(domain=domain).most_records == 10_000_000
    parameters = []
    for public in (3000, 40_000_000):
        settings = {"neighbours": "add-remove", "mechanism": "refined", "public_records": public}
        parameters.append(LinearRegression(**settings, target_bound=1.0).fit(table()).certificate_.problem["most_records"])
    assert parameters == [10_000_000, 80_000_000]


def test_sums_over_any_blocks_are_sums_over_the_records():
    domain, point = Domain(features=4, norm_bound=1.0, intercept_scale=0.3, target_bound=1.0), np.array([0.5, -0.2, 0.1, 0.0, 0.3])
    few = Records(rows=DenseMatrix(ROWS), targets=TARGETS, domain=domain)
    long = Records(rows=DenseMatrix(np.tile(ROWS, (30, 1))), targets=np.tile(TARGETS, 30), domain=domain, jobs=2)
    assert (few.blocks, long.blocks > 1) == (1, True)
    settings = {"loss": LogCosh(width=0.3), "curvature": lambda slopes: 1.0 - np.square(slopes / 0.3)}
    one, many = (evaluated(data, point, hessian=True, **settings) for data in (few, long))
    assert many.value == pytest.approx(30.0 * one.value, rel=1e-12)
    np.testing.assert_allclose(many.gradient, 30.0 * one.gradient, rtol=1e-11)
    np.testing.assert_allclose(many.hessian, 30.0 * one.hessian, rtol=1e-11)
    assert evaluated(few, point, hessian=False, **settings).hessian is None
    gradients = [accurate_gradient(data, point, loss=settings["loss"]) for data in (few, long)]
    np.testing.assert_allclose(gradients[1], 30.0 * gradients[0], rtol=1e-13)


def test_a_canary_stays_silent():
    def make(number):
        rows = np.full((5, 2), CANARY * 1e300)
        rows[0] = np.inf
        return Block(DenseMatrix(rows), np.full(5, CANARY))

    with pytest.raises(InvalidInput) as refused:
        LinearRegression(target_bound=1.0).fit(FunctionTable(make, blocks=2, features=2))
    assert_silent(refused.value)
    far = FunctionTable(lambda _: Block(DenseMatrix(np.full((200, 2), CANARY)), np.full(200, CANARY)), blocks=2, features=2)
    model = LinearRegression(target_bound=1.0).fit(far)
    assert_silent(repr(model) + str(model.certificate_) + str(vars(model)))
