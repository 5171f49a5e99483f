"""Regressions of several columns of y: one certificate, answers in the unit of each, the same from a file, and what is refused."""

import numpy as np
import polars as pl
import pytest

from discreet import (
    ArrayModel,
    ExpectileRegression,
    GammaRegression,
    HuberRegression,
    Lasso,
    LinearRegression,
    PoissonRegression,
    PrivateSearchCV,
    QuantileRegression,
    evaluate_privately,
)
from discreet.core.errors import InvalidInput
from discreet.data import Block, FunctionTable, NpyTable, numeric_files
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.matrices import DenseMatrix
from tests.canary import CANARY, assert_silent
from tests.cli.conftest import discreet

COEF = np.array([[0.5, -0.3, 0.0], [5.0, 2.0, -4.0]])
INTERCEPT = np.array([0.1, -2.0])
BOUNDS = [1.0, 12.0]


def table(records=6_000, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-1.0, 1.0, (records, 3))
    return X, X @ COEF.T + INTERCEPT + draw.standard_normal((records, 2)) * [0.1, 1.0]


def fitted(X, Y, kind=LinearRegression, **settings):
    return kind(**{"data_norm": 3**0.5, "target_bound": BOUNDS, "random_state": 0, **settings}).fit(X, Y)


def test_coefficients_are_in_the_unit_of_each_target_and_a_file_answers_the_same(tmp_path):
    X, Y = table()
    found = fitted(X, Y, neighbours="add-remove")
    assert found.coef_.shape == (2, 3)
    assert np.allclose(found.coef_, COEF, atol=[[0.06], [0.8]])
    assert np.allclose(found.intercept_, INTERCEPT, atol=[0.06, 0.8])
    predicted = found.predict(X)
    assert np.allclose(predicted, X @ found.coef_.T + found.intercept_)
    assert found.score(X, Y) > 0.8
    found.save(tmp_path / "model.json")
    read = ArrayModel.load(tmp_path / "model.json")
    assert np.array_equal(read.predict(X), predicted)
    shown = str(found.summary())
    assert "target 0" in shown
    assert "target 1" in shown
    first, second = found.summary().parts
    assert [line.coefficient for line in second.lines] == pytest.approx([found.intercept_[1], *found.coef_[1]])
    assert second.lines[1].noise == pytest.approx(12.0 * first.lines[1].noise)
    assert "2 minimisers" in str(found.explain(records=6_000, targets=2))


def test_predictions_of_a_file_are_a_column_a_target(tmp_path):
    X, Y = table(300)
    found = fitted(X, Y)
    found.save(tmp_path / "model.json")
    np.savetxt(tmp_path / "rows.csv", X[:5], delimiter=",", header="a,b,c", comments="", fmt="%.17g")
    lines = discreet("predict", tmp_path / "model.json", tmp_path / "rows.csv").out.splitlines()
    assert lines[0] == "prediction 0,prediction 1"
    assert np.allclose([[float(cell) for cell in line.split(",")] for line in lines[-5:]], found.predict(X[:5]))


def test_the_certificate_is_the_planned_one_and_a_ledger_counts_it_once(tmp_path):
    X, Y = table(500)
    account = Account(tmp_path / "spent.ledger", "people")
    Ledger.create(account.path).declare("people", epsilon=1.5, delta=1e-4)
    found = fitted(X, Y, random_state=None, ledger=account)
    with pytest.raises(BudgetExceeded):
        fitted(X, Y, random_state=None, ledger=account)
    planned = LinearRegression(data_norm=3**0.5, target_bound=BOUNDS).plan(features=3, records=500, targets=2)
    for name in ("parameters", "problem", "guarantee"):
        assert getattr(planned, name) == getattr(found.certificate_, name), name
    assert found.certificate_.verify(found.weights_).ok
    assert found.certificate_.guarantee.epsilon <= 1.0


@pytest.mark.parametrize("kind", [HuberRegression, ExpectileRegression, QuantileRegression, PoissonRegression, GammaRegression])
def test_every_loss_of_predictions_learns_several_targets(kind):
    X, Y = table(300)
    found = fitted(X, np.abs(Y), kind, target_bound=12.0, random_state=None)
    assert found.predict(X).shape == Y.shape
    assert np.shape(found.intercept_) == (2,)
    assert found.certificate_.verify(found.weights_).ok


def test_without_privacy_each_target_is_that_of_an_ordinary_fit():
    X, Y = table(200)
    found = fitted(X, Y, epsilon=np.inf, target_bound=[1e3, 1e3])
    ordinary = np.linalg.lstsq(np.column_stack((X, np.ones(200))), Y, rcond=None)[0].T
    assert np.allclose(np.column_stack((found.coef_, found.intercept_)), ordinary, rtol=1e-8)
    assert not found.certificate_.verify(found.weights_).ok


def test_one_record_far_beyond_its_bound_counts_as_the_bound_whatever_the_unit():
    X, Y = table(50)
    near, far = Y.copy(), Y.copy()
    near[0, 1], far[0, 1] = 1e-9, 1e308
    for one in (near, far):
        assert np.all(np.isfinite(fitted(X, one, target_bound=[1.0, 1e-9]).coef_))
    assert np.array_equal(fitted(X, near, target_bound=[1.0, 1e-9]).weights_, fitted(X, far, target_bound=[1.0, 1e-9]).weights_)


def test_weights_and_single_rows_of_persons_are_taken():
    X, Y = table(400)
    weighted = LinearRegression(data_norm=3**0.5, target_bound=BOUNDS, max_sample_weight=2.0).fit(X, Y, np.full(400, 0.5))
    assert weighted.certificate_.verify(weighted.weights_).ok
    assert weighted.certificate_.problem["max_weight"] == 2.0
    persons = LinearRegression(data_norm=3**0.5, target_bound=BOUNDS, rows_per_person=1).fit(X, Y, persons=np.arange(400) // 2)
    assert persons.certificate_.verify(persons.weights_).ok
    assert str(persons.certificate_.guarantee.unit) == "person"


@pytest.mark.parametrize("kind", [LinearRegression, PoissonRegression])
def test_targets_in_blocks_are_those_in_memory_to_the_bit(kind, tmp_path):
    X, Y = table(900)
    settings = {"target_bound": 12.0} if kind is PoissonRegression else {}
    held = fitted(X, Y, kind, **settings)
    parts = [slice(0, 250), slice(250, 900)]
    read = FunctionTable(lambda number: Block(DenseMatrix(X[parts[number]]), Y[parts[number]]), blocks=2, features=3, targets=2)
    frame = pl.DataFrame(np.column_stack((X, Y)), schema=["a", "b", "c", "first", "second"])
    frame.write_parquet(tmp_path / "table.parquet", row_group_size=250)
    of_file = numeric_files(tmp_path / "table.parquet", features=["a", "b", "c"], target=["first", "second"])
    np.save(tmp_path / "rows.npy", X)
    np.save(tmp_path / "targets.npy", Y)
    for blocks in (read, of_file, NpyTable(tmp_path / "rows.npy", tmp_path / "targets.npy", rows_in_block=400)):
        found = fitted(blocks, None, kind, **settings)
        assert np.array_equal(found.weights_, held.weights_)
        assert found.certificate_.problem == held.certificate_.problem
        assert np.array_equal(found.predict(blocks), held.predict(X))


def blocks_of(X, Y):
    return FunctionTable(lambda _: Block(rows=DenseMatrix(X), targets=Y[:, 0]), blocks=1, features=2)


REFUSED = {
    "one_target": lambda X, Y: LinearRegression(target_bound=BOUNDS).fit(X, Y[:, 0]),
    "of_blocks": lambda X, Y: LinearRegression(target_bound=BOUNDS).fit(blocks_of(X, Y)),
    "blocks_that_do_not_say_so": lambda X, Y: LinearRegression(target_bound=1.0).fit(
        FunctionTable(lambda _: Block(rows=DenseMatrix(X), targets=Y), blocks=1, features=2)
    ),
    "blocks_over_sets": lambda X, Y: Lasso(radius=1.0, target_bound=1.0).fit(
        FunctionTable(lambda _: Block(rows=DenseMatrix(X), targets=Y), blocks=1, features=2, targets=2)
    ),
    "three_bounds": lambda X, Y: LinearRegression(target_bound=[1.0, 2.0, 3.0]).fit(X, Y),
    "a_mechanism_of_moments": lambda X, Y: LinearRegression(mechanism="refined", target_bound=1.0).fit(X, Y),
    "a_norm_to_choose": lambda X, Y: LinearRegression(data_norm="private", target_bound=1.0).fit(X, Y),
    "a_set": lambda X, Y: Lasso(radius=1.0, target_bound=1.0).fit(X, Y),
    "a_width_in_no_unit": lambda X, Y: HuberRegression(width=0.1, target_bound=BOUNDS).fit(X, Y),
    "a_search_over_sets": lambda X, Y: PrivateSearchCV(Lasso(target_bound=1.0), {"radius": [1.0]}).fit(X, Y),
    "an_evaluation": lambda X, Y: evaluate_privately(fitted(*table(50)), X, Y, epsilon=1.0, target_bounds=(-1.0, 1.0)),
    "a_range_of_its_own": lambda X, Y: PoissonRegression(target_bound=BOUNDS).fit(X, Y),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_takes_one_target_says_so_without_any_number_of_the_records(what):
    X, Y = np.full((6, 2), 0.1), np.full((6, 2), CANARY)
    with pytest.raises(InvalidInput) as refusal:
        REFUSED[what](X, Y)
    assert_silent(refusal.value)


@pytest.mark.parametrize("model", [HuberRegression(epsilon=1.0, delta=1e-6, target_bound=1.0), PoissonRegression(epsilon=1.0, delta=1e-6)])
def test_several_targets_are_explained_as_they_are_planned(model):
    said = str(model.explain(features=4, records=2_000, targets=3))
    assert "several targets" in said
    assert said != str(model.explain(features=4, records=2_000))
    with pytest.raises(InvalidInput, match="learns one target"):
        Lasso(radius=1.0, epsilon=1.0, delta=1e-6, target_bound=1.0).explain(features=4, records=2_000, targets=3)
