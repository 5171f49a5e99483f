"""Weights of records in regressions: cut to their bound in memory and in blocks, as certificates say, and scikit-learn's without privacy."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn import linear_model

from discreet import LinearRegression, PoissonRegression, QuantileRegression, release_uncertainty
from discreet.core.errors import InvalidInput
from discreet.data import Block, FunctionTable
from discreet.estimators import ExpectileRegression, GammaRegression, HuberRegression
from discreet.matrices import as_matrix
from discreet.mechanisms.learning.two_signed import prediction_loss
from discreet.noise import SeededNoise

DRAW = np.random.default_rng(7)
X = DRAW.uniform(-0.5, 0.5, (400, 3))
Y = X @ [0.6, -0.4, 0.2] + 0.2 * DRAW.normal(size=400)
WILD = np.concatenate([[1e300, 7.0, -3.0, 5e-324, 0.0], DRAW.uniform(0.0, 3.0, 395)])
MOST = 2.0
OWNERS = np.arange(400) // 5
EVERY = {
    "linear": partial(LinearRegression, target_bound=1.0),
    "linear-huber": partial(LinearRegression, mechanism="objective-huber", target_bound=1.0),
    "huber": partial(HuberRegression, width=0.3, target_bound=1.0),
    "expectile": partial(ExpectileRegression, target_bound=1.0),
    "quantile": partial(QuantileRegression, width=0.3, target_bound=1.0),
    "poisson": partial(PoissonRegression, target_bound=2.0),
    "gamma": partial(GammaRegression, target_bound=2.0, most_times=1.0),
}


def in_memory(model, weights, persons=None):
    return model.fit(X, Y, weights, persons=persons)


def in_blocks(model, weights, persons=None):
    parts = np.split(np.arange(len(X)), [90, 95, 300])

    def block(number):
        rows = parts[number]
        return Block(as_matrix(X[rows]), Y[rows], weights[rows], None if persons is None else persons[rows])

    return model.fit(FunctionTable(block, blocks=len(parts), features=3))


DOORS = {"memory": in_memory, "blocks": in_blocks}


def check_weights(door):
    """The linear term, recovered from what leaves by the words of the certificate, is the one that was drawn."""
    weights = np.clip(WILD, 0.0, 40.0)
    model = door(LinearRegression(max_sample_weight=MOST, delta=1e-6, random_state=3, target_bound=1.0), weights)
    stated, drawn = model.certificate_.parameters, SeededNoise(3)
    rows = np.column_stack((X, np.full(len(X), model.certificate_.problem["intercept_scale"])))
    slopes = prediction_loss(stated["loss"], stated["width"]).slope(rows @ model.weights_, np.clip(Y, -1.0, 1.0))
    relative = np.clip(weights, 0.0, MOST) / model.certificate_.problem["max_weight"]
    linear = -(rows.T @ (relative * slopes)) - stated["ridge"] * model.weights_
    expected = drawn.gaussian(scale=stated["scale"], dimension=4, draws=1)[:, 0]
    assert np.max(np.abs(linear - expected)) < 1e-6 * stated["scale"]


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
@pytest.mark.parametrize("made", EVERY.values(), ids=EVERY)
def test_a_weight_is_cut_to_its_bound_and_certificates_say_so(made, door):
    models = [made(delta=1e-6, max_sample_weight=MOST, random_state=1) for _ in range(3)]
    wild, cut, light = (door(model, weights) for model, weights in zip(models, (WILD, np.clip(WILD, 0, MOST), np.zeros(400)), strict=True))
    assert np.array_equal(wild.weights_, cut.weights_)
    assert not np.array_equal(wild.weights_, light.weights_)
    assert wild.certificate_.parameters == light.certificate_.parameters
    assert wild.certificate_.problem["max_weight"] == MOST
    assert any("weighs more than 2" in each.required for each in wild.certificate_.hypotheses)
    plan = made(delta=1e-6, max_sample_weight=MOST).plan(features=3, records=400, weighted=True)
    assert (plan.parameters, plan.problem) == (wild.certificate_.parameters, wild.certificate_.problem)
    private = door(made(delta=1e-6, max_sample_weight=MOST), WILD)
    assert private.certificate_.verify(private.weights_).ok
    lie = {**private.certificate_.problem, "max_weight": -1.0}
    assert not replace(private.certificate_, problem=lie).verify().ok


def test_the_noise_is_that_of_a_record_of_the_largest_weight():
    """In the unit of weights: twice the noise and the ridge where the bound is twice as large, so that the same weights give half the slope."""
    one, two = (LinearRegression(delta=1e-6, max_sample_weight=most, random_state=1, target_bound=1.0) for most in (3.0, 6.0))
    weights = np.clip(WILD, 0.0, 3.0)
    assert np.array_equal(one.fit(X, Y, weights).weights_, two.fit(X, Y, 2.0 * weights).weights_)
    alike = LinearRegression(delta=1e-6, random_state=1, target_bound=1.0).fit(X, Y)
    full = one.fit(X, Y, np.full(400, 3.0))
    np.testing.assert_allclose(full.weights_, alike.weights_, rtol=1e-6)
    given = QuantileRegression(delta=1e-6, max_sample_weight=3.0, alpha=1.0, width=0.3, random_state=1, target_bound=1.0).fit(X, Y, weights)
    assert given.certificate_.parameters["ridge"] == pytest.approx(1.0 * 400 / 3.0)


@pytest.mark.parametrize("made", [EVERY["linear"], EVERY["poisson"]], ids=["linear", "poisson"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_rows_of_persons_have_their_weight_within_their_share(made, neighbours):
    settings = {"rows_per_person": 3, "max_sample_weight": MOST, "neighbours": neighbours, "delta": 1e-6}
    held = in_memory(made(**settings, random_state=5), WILD, OWNERS)
    read = in_blocks(made(**settings, random_state=5), WILD, OWNERS)
    np.testing.assert_allclose(held.weights_, read.weights_, rtol=0, atol=1e-9)
    assert held.certificate_.parameters == read.certificate_.parameters
    one = made(**{**settings, "rows_per_person": 1})
    for model in (in_memory(made(**settings), WILD, OWNERS), in_memory(one, WILD, OWNERS)):
        assert model.certificate_.verify(model.weights_).ok


@pytest.mark.parametrize("given", [(None, None), (WILD[:200], None)], ids=["no block", "one block of two"])
@pytest.mark.parametrize("made", [EVERY["linear"], EVERY["huber"]], ids=["linear", "huber"])
def test_records_of_a_block_without_weights_weigh_one(made, given):
    settings = {"epsilon": np.inf, "max_sample_weight": 10.0} | ({"alpha": 0.05} if "width" in made.keywords else {})
    halves = [Block(as_matrix(X[half]), Y[half], weights) for half, weights in zip((slice(200), slice(200, None)), given, strict=True)]
    found = made(**settings).fit(FunctionTable(halves.__getitem__, blocks=2, features=3))
    whole = np.concatenate([np.ones(200) if weights is None else weights for weights in given])
    np.testing.assert_allclose(found.coef_, made(**settings).fit(X, Y, whole).coef_, atol=1e-7)


def test_without_privacy_it_is_the_weighted_fit_of_scikit_learn():
    free = {"epsilon": np.inf, "max_sample_weight": MOST, "data_norm": 10.0, "target_bound": 10.0}
    weights, counts = np.clip(WILD, 0.0, MOST), np.round(2.0 * np.exp(X @ [1.0, -1.0, 0.5] + 0.3 * DRAW.normal(size=400)))
    pairs = [
        (LinearRegression(**free), linear_model.LinearRegression(), Y, 1e-9),
        (QuantileRegression(**free, quantile=0.7), linear_model.QuantileRegressor(quantile=0.7, alpha=0.0), Y, 1e-5),
        (PoissonRegression(**{**free, "target_bound": 100.0}), linear_model.PoissonRegressor(alpha=0.0, tol=1e-12, max_iter=10_000), counts, 1e-5),
    ]
    for model, other, targets, error in pairs:
        model.fit(X, targets, WILD)
        other.fit(X, targets, sample_weight=weights)
        np.testing.assert_allclose([*model.coef_, model.intercept_], [*other.coef_, other.intercept_], atol=error)
        assert not model.certificate_.verify(model.weights_).ok


def test_a_norm_that_is_chosen_goes_with_weights():
    model = in_memory(LinearRegression(delta=1e-6, data_norm="private", max_sample_weight=MOST, target_bound=1.0), WILD)
    assert model.certificate_.verify(model.weights_).ok
    assert model.certificate_.problem["max_weight"] == MOST


@pytest.mark.parametrize("mechanism", ["refined", "moments", "adassp", "mixing", "hessian-mixing"])
def test_other_mechanisms_say_that_they_take_no_weights(mechanism):
    for door in DOORS.values():
        with pytest.raises(InvalidInput, match="leave sample_weight and max_sample_weight out, or use"):
            door(LinearRegression(delta=1e-6, mechanism=mechanism, max_sample_weight=MOST, target_bound=1.0), WILD)


def test_what_weights_do_not_go_with_is_said():
    for door, words in ((in_memory, "sample_weight needs max_sample_weight"), (in_blocks, "declare max_sample_weight")):
        with pytest.raises(InvalidInput, match=words):
            door(LinearRegression(target_bound=1.0), WILD)
        for wrong, said in ((np.full(400, np.nan), "every sample weight must be a finite number"), (np.full(400, "x"), "an array of numbers")):
            with pytest.raises(InvalidInput, match=said):
                door(LinearRegression(delta=1e-6, max_sample_weight=MOST, target_bound=1.0), wrong)
    with pytest.raises(InvalidInput, match="leave y and sample_weight out"):
        LinearRegression(max_sample_weight=MOST, target_bound=1.0).fit(FunctionTable(lambda _: None, blocks=1, features=3), None, WILD)
    model = in_memory(LinearRegression(delta=1e-6, max_sample_weight=MOST, target_bound=1.0), WILD)
    with pytest.raises(InvalidInput, match="intervals of a regression need records of equal"):
        release_uncertainty(model, X, Y, epsilon=1.0, delta=1e-6)
    free = in_memory(LinearRegression(epsilon=np.inf, max_sample_weight=MOST, target_bound=1.0), WILD)
    with pytest.raises(InvalidInput, match="error is known"):
        free.predict_interval(X)
