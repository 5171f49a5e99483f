"""Quantiles, expectiles, robust lines, counts and amounts: equal to their library without privacy, found with it, kept, read and refused."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import GammaRegressor, HuberRegressor, PoissonRegressor, QuantileRegressor
from sklearn.metrics import mean_poisson_deviance

from discreet import ExpectileRegression, GammaRegression, HuberRegression, Model, PoissonRegression, QuantileRegression, Schema
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.data.blocks import Block, FunctionTable
from discreet.losses.predictions import HuberLoss
from discreet.matrices import as_matrix

COEF = np.array([1.5, -1.0, 0.3])
OURS = [
    HuberRegression(target_bound=4.0),
    ExpectileRegression(level=0.8, target_bound=4.0),
    QuantileRegression(quantile=0.8, target_bound=4.0),
    PoissonRegression(target_bound=12.0),
    GammaRegression(target_bound=12.0),
]
each_model = pytest.mark.parametrize("model", OURS, ids=lambda model: type(model).__name__)


def table(records=3000, seed=0):
    """Rows, counts, amounts, and numbers with heavy tails."""
    draw = np.random.default_rng(seed)
    X = draw.uniform(-0.5, 0.5, (records, 3))
    mean = np.exp(X @ COEF + 0.5)
    return X, draw.poisson(mean).astype(float), draw.gamma(2.0, mean / 2.0), X @ COEF + 0.3 * draw.standard_t(3, size=records)


X, COUNTS, AMOUNTS, NUMBERS = table()


def targets_of(model):
    return COUNTS if isinstance(model, PoissonRegression) else AMOUNTS if isinstance(model, GammaRegression) else NUMBERS


def agree(ours, theirs, tolerance=1e-6):
    assert np.allclose(ours.coef_, theirs.coef_, atol=tolerance)
    assert ours.intercept_ == pytest.approx(float(theirs.intercept_), abs=tolerance)


def test_without_privacy_counts_and_amounts_are_those_of_scikit_learn():
    exact = {"alpha": 0.0, "tol": 1e-10, "max_iter": 10_000}
    counts = PoissonRegression(epsilon=math.inf, target_bound=40.0).fit(X, COUNTS)
    theirs = PoissonRegressor(**exact).fit(X, COUNTS)
    agree(counts, theirs)
    assert np.allclose(counts.predict(X), theirs.predict(X), atol=1e-5)
    assert not counts.certificate_.verify(counts.weights_).ok
    agree(GammaRegression(epsilon=math.inf, target_bound=60.0, most_times=1e6, least=1e-6).fit(X, AMOUNTS), GammaRegressor(**exact).fit(X, AMOUNTS))
    ridge = {**exact, "alpha": 0.3, "fit_intercept": False}
    ours = PoissonRegression(epsilon=math.inf, target_bound=40.0, alpha=0.3 / 40.0, fit_intercept=False, typical=1.0).fit(X, COUNTS)
    assert np.allclose(ours.coef_, PoissonRegressor(**ridge).fit(X, COUNTS).coef_, atol=1e-6)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_without_privacy_quantiles_are_those_of_scikit_learn(quantile):
    rows, numbers = X[:600], NUMBERS[:600]
    ours = QuantileRegression(epsilon=math.inf, quantile=quantile, target_bound=50.0).fit(rows, numbers)
    agree(ours, QuantileRegressor(quantile=quantile, alpha=0.0).fit(rows, numbers))


def test_without_privacy_a_robust_line_is_that_of_scikit_learn_and_an_expectile_is_asymmetric_least_squares():
    theirs = HuberRegressor(epsilon=1.35, alpha=0.0, tol=1e-12, max_iter=10_000).fit(X, NUMBERS)
    ours = HuberRegression(epsilon=math.inf, width=1.35 * theirs.scale_, target_bound=50.0).fit(X, NUMBERS)
    agree(ours, theirs, 1e-4)  # theirs ends with a gradient of .006
    slopes = HuberLoss(half_width=1.35 * theirs.scale_).slope(ours.predict(X), NUMBERS)
    assert np.abs([*(X.T @ slopes), slopes.sum()]).max() < 1e-9
    ours = ExpectileRegression(epsilon=math.inf, level=0.9, width=1e3, target_bound=50.0).fit(X, NUMBERS)
    rows, weights = np.column_stack((X, np.ones(len(X)))), np.ones(len(X))
    for _ in range(100):
        found = np.linalg.solve(rows.T @ (rows * weights[:, None]), rows.T @ (weights * NUMBERS))
        weights = np.where(rows @ found < NUMBERS, 0.9, 0.1)
    assert np.allclose([*ours.coef_, ours.intercept_], found, atol=1e-8)


@each_model
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_with_privacy_coefficients_are_found_and_the_certificate_verifies(model, neighbours):
    rows, *columns = table(40_000, seed=1)
    given = dict(zip((COUNTS.tobytes(), AMOUNTS.tobytes(), NUMBERS.tobytes()), columns, strict=True))[targets_of(model).tobytes()]
    public = {"public_records": 40_000} if neighbours == "add-remove" else {}
    fitted = clone(model).set_params(epsilon=4.0, neighbours=neighbours, **public).fit(rows, given)
    assert np.allclose(fitted.coef_, COEF, atol=0.35)
    assert fitted.certificate_.verify(fitted.weights_).ok
    below = (given < fitted.predict(rows)).mean()
    assert not isinstance(model, QuantileRegression) or below == pytest.approx(0.8, abs=0.04)


SCHEMA = Schema.from_toml(
    'format = "discreet-schema/1"\nname = "visits"\nrows = "bound"\ntarget = { column = "visits", lower = 0, upper = 12 }\n'
    "[numeric.age]\nlower = 20\nupper = 80\n"
)


@each_model
def test_a_model_file_answers_in_the_unit_of_the_column(model, tmp_path):
    ages = np.random.default_rng(2).uniform(20.0, 80.0, 4000)
    frame = {"age": ages, "visits": np.random.default_rng(3).poisson(np.exp(ages / 80.0))}
    linear = "typical" not in model.get_params()
    fitted = clone(model).set_params(epsilon=8.0, target_bound=1.0 if linear else None, data_norm=SCHEMA.norm_bound)
    fitted.fit(SCHEMA.encode(frame, target=True))
    saved = Model.from_estimator(fitted, SCHEMA)
    saved.save(tmp_path / "model.json")
    read = Model.load(tmp_path / "model.json")
    assert read.verify().ok, read.verify()
    found = read.predict({"age": np.array([25.0, 50.0, 75.0])})
    assert np.all(np.diff(found) > 0)
    assert np.all((found > 0.3) & (found < 6.0))
    assert read.linked is not linear
    assert ("logarithm" in read.curves().towards) is not linear


@each_model
def test_blocks_give_the_same_model_as_the_table(model):
    given = targets_of(model)
    whole = clone(model).set_params(random_state=1).fit(X, given)
    blocks = FunctionTable(lambda k: Block(as_matrix(X[600 * k : 600 * k + 600]), given[600 * k : 600 * k + 600]), blocks=5, features=3)
    parts = clone(model).set_params(random_state=1).fit(blocks)
    assert np.allclose(whole.weights_, parts.weights_, atol=1e-6)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_target_that_is_as_far_off_as_floats_go_is_cut_in_silence_as_any_other():
    targets = np.zeros(40)
    targets[:2] = 1.7e308, -1.7e308
    rows, model = np.zeros((40, 1)), PoissonRegression(target_bound=0.5, data_norm=1.0, random_state=0)
    far = clone(model).fit(rows, targets)
    assert np.array_equal(far.weights_, clone(model).fit(rows, np.clip(targets, 0.0, 0.5)).weights_)
    table = FunctionTable(lambda _: Block(as_matrix(rows), targets), blocks=1, features=1)
    assert np.array_equal(far.weights_, clone(model).fit(table).weights_)
    with pytest.raises(InvalidInput, match="finite"):
        model.fit(rows, np.where(targets > 0, np.inf, targets))


def test_persons_share_a_weight_and_their_certificate_says_so():
    fitted = PoissonRegression(target_bound=12.0, epsilon=2.0, rows_per_person=3).fit(X, COUNTS, persons=np.arange(len(X)) // 4)
    assert fitted.certificate_.problem["persons"] == {"rows": 3, "weight": "person"}
    assert fitted.certificate_.verify(fitted.weights_).ok


def test_what_has_no_meaning_is_refused_in_words():
    for model, words in (
        (PoissonRegression(), "needs target_bound, the largest size of a target"),
        (PoissonRegression(target_bound=5.0, typical=50.0), "typical share"),
        (HuberRegression(mechanism="refined", target_bound=1.0), "leave n_iter out, and set mechanism to"),
        (QuantileRegression(quantile=1.2, target_bound=1.0), "quantile < 1"),
        (HuberRegression(neighbours="add-remove", alpha=0.1, target_bound=1.0), "public_records"),
        (HuberRegression(alpha=1e-6, target_bound=1.0), "alpha=None chooses"),
    ):
        with pytest.raises(DiscreetError, match=words):
            model.fit(X, COUNTS)
    with pytest.raises(InvalidInput, match="leave target_bound out"):
        PoissonRegression(target_bound=5.0).fit(SCHEMA.encode({"age": [30.0], "visits": [1]}, target=True))


@pytest.mark.parametrize(("neighbours", "worst"), [("replace-one", 1.6), ("add-remove", 1.28)])
def test_counts_with_little_signal_are_not_far_worse_than_one_count_for_everybody(neighbours, worst):
    """With that of a line they are: noise in a logarithm of the mean becomes a factor, and their deviance 3.0 and 1.4 times that of a constant."""
    drawn = np.random.default_rng(8)
    rows = drawn.standard_normal((6000, 60))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    counts = np.minimum(drawn.poisson(np.exp(0.5 + rows[:, :4] @ [1.0, -0.8, 0.6, 0.5])), 20)
    model = PoissonRegression(epsilon=0.5, neighbours=neighbours, target_bound=20.0, random_state=0).fit(rows[:4000], counts[:4000])
    held, same = counts[4000:], np.full(2000, counts[4000:].mean())
    assert mean_poisson_deviance(held, model.predict(rows[4000:])) < worst * mean_poisson_deviance(held, same)


@pytest.mark.parametrize(("kind", "share"), [(PoissonRegression, 1.5), (GammaRegression, 1.0)])
def test_the_ridge_of_a_logarithm_follows_features_and_relation(kind, share):
    def ridge(features, neighbours, **further):
        model = kind(epsilon=0.5, neighbours=neighbours, target_bound=20.0, fit_intercept=False, **further)
        return model.plan(features=features, records=1000).parameters["ridge"]

    smooth = 1.0 if kind is PoissonRegression else 4.0
    assert ridge(64, "add-remove") == pytest.approx(share * 10.0 * smooth)
    assert ridge(64, "replace-one") == pytest.approx(2.0 * share * 10.0 * smooth)
    assert ridge(2, "add-remove") == pytest.approx(5.0 * smooth)
    assert ridge(640, "add-remove") == pytest.approx(share * 10.0 * smooth * 10.0**0.6)
    assert ridge(64, "replace-one", alpha=0.02) == pytest.approx(20.0)
