"""ConstrainedERM and the regressions over sets: scikit-learn's manners, the choice of a mechanism, and what it is explained by."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone

from discreet import ConstrainedERM, GroupLasso, MatrixRegression, SimplexRegression
from discreet.core.errors import DiscreetError, InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.data.blocks import Block, FunctionTable
from discreet.losses.predictions import Absolute, Pinball, SmoothPinball
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained import calibrate_over_set, candidates
from discreet.sets import ConvexHull, KSupportBall, L1Ball, L2Ball, NuclearBall
from tests.canary import CANARY, assert_silent
from tests.mechanisms.constrained.mirror_problems import regression


def table(records=4000, *, features=6, seed=0):
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(records, features))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows, rows @ np.array([0.5, 0.3, 0.2, 0.0, 0.0, 0.0][:features])


@pytest.mark.parametrize(
    "model",
    [
        ConstrainedERM(constraint=KSupportBall(dimension=6, support=2), target_bound=1.0),
        ConstrainedERM(loss="absolute", constraint=L1Ball(dimension=6), n_iter=400, target_bound=1.0),
        ConstrainedERM(constraint=ConvexHull(vertices=np.eye(6)), neighbours="add-remove", public_records=4000, target_bound=1.0),
        GroupLasso(groups=[3, 3], target_bound=1.0),
        GroupLasso(groups=2, target_bound=1.0),
        SimplexRegression(target_bound=1.0),
        MatrixRegression(shape=(2, 3), target_bound=1.0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_models_are_learnt_and_their_certificates_verify(model):
    rows, targets = table()
    fitted = clone(model).set_params(epsilon=2.0).fit(rows, targets)
    fitted.certificate_.verify(fitted.weights_).require()
    assert np.mean((fitted.predict(rows) - targets) ** 2) < 0.5 * np.mean(targets**2)


def test_the_shapes_of_sets_show_in_their_models():
    rows, targets = table()
    simplex = SimplexRegression(radius=0.7, target_bound=1.0).fit(rows, targets)
    assert simplex.coef_.min() >= 0
    assert simplex.coef_.sum() == pytest.approx(0.7)
    matrix = MatrixRegression(shape=(2, 3), target_bound=1.0).fit(rows, targets)
    assert matrix.matrix_.shape == (2, 3)
    assert NuclearBall(rows=2, columns=3).contains(matrix.coef_)


def test_classes_are_predicted_with_the_true_hinge_and_an_intercept():
    rows, targets = table()
    words = np.where(targets > 0.1, "yes", "no")
    model = ConstrainedERM(
        loss="hinge", constraint=L2Ball(dimension=7, radius=10.0), fit_intercept=True, classes=["no", "yes"], epsilon=4.0, n_iter=500
    )
    model.fit(rows, words)
    assert np.mean(model.predict(rows) == words) > 0.85
    assert model.coef_.shape == (6,)
    assert model.intercept_ < 0
    with pytest.raises(InvalidInput, match="only the logistic loss has"):
        model.predict(rows, threshold=0.3)


@pytest.mark.more
@pytest.mark.parametrize("quantile", [0.1, pytest.param(0.9, marks=pytest.mark.more)])
@pytest.mark.parametrize(
    "loss", [pytest.param(Pinball, id="pinball"), pytest.param(partial(SmoothPinball, width=0.01), id="smooth-pinball", marks=pytest.mark.more)]
)
def test_as_many_targets_lie_below_the_prediction_as_the_quantile_says(loss, quantile):
    """Koenker and Bassett: the mean pinball loss is least at the quantile."""
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1.0, 1.0, (5_000, 1))
    targets = 0.5 * rows[:, 0] + rng.exponential(0.2, 5_000) - 0.2
    model = ConstrainedERM(
        loss=loss(quantile=quantile),
        constraint=L2Ball(dimension=2),
        fit_intercept=True,
        epsilon=2.0,
        delta=1e-6,
        data_norm=1.0,
        random_state=0,
        target_bound=1.0,
    )
    below = np.mean(targets < model.fit(rows, targets).predict(rows))
    assert abs(below - quantile) < 0.04
    assert abs(model.coef_[0] - 0.5) < 0.1


def test_the_chosen_mechanism_has_the_smallest_bound():
    for constraint in (L1Ball(dimension=5), L2Ball(dimension=5)):
        for epsilon, delta in ((0.5, 1e-6), (8.0, 1e-6)):
            problem, _ = regression(constraint, ConstrainedERM(target_bound=1.0)._loss(), records=500)
            found = candidates(problem, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE)
            assert [each.risk for each in found] == sorted(each.risk for each in found)
            assert calibrate_over_set(problem, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE).name == found[0].name
            for each in found:
                if each.risk < math.inf:
                    assert calibrate_over_set(problem, mechanism=each.name, epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE).name == each.name


def test_without_delta_the_vertices_are_left_and_without_them_nothing():
    rows, targets = table(200)
    model = ConstrainedERM(delta=0.0, constraint=L1Ball(dimension=6), target_bound=1.0).fit(rows, targets)
    assert model.certificate_.mechanism == "frank-wolfe-polytope"
    with pytest.raises(InfeasibleTarget, match="delta > 0"):
        ConstrainedERM(delta=0.0, target_bound=1.0).fit(rows, targets)
    problem, _ = regression(L1Ball(dimension=5), Absolute(), records=50)
    with pytest.raises(InfeasibleTarget, match="delta > 0"):
        calibrate_over_set(problem, epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE)


def test_an_explanation_needs_no_data_and_names_the_choice():
    model = ConstrainedERM(constraint=L1Ball(dimension=20), target_bound=1.0)
    shown = model.explain(features=20, records=10_000)
    chosen = [reason.choice for reason in shown.reasons if reason.text.startswith("chosen")]
    assert chosen == ["mirror-descent"]
    risks = {reason.choice: reason.numbers["risk"] for reason in shown.reasons if "risk" in reason.numbers}
    assert risks["mirror-descent"] == min(risk for risk in risks.values() if risk is not None)
    assert "10,000 records" in str(shown)
    with pytest.raises(InvalidInput, match="features=d"):
        model.explain()
    assert "mirror-descent" in model.explain(features=20).to_dict()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ConstrainedERM(constraint="l1", target_bound=1.0), "l1-ball:3"),
        (ConstrainedERM(constraint=3, target_bound=1.0), "a set of discreet.sets"),
        (ConstrainedERM(constraint=L1Ball(dimension=5), target_bound=1.0), "The two must agree"),
        (ConstrainedERM(loss="cubic", target_bound=1.0), "cubic"),
        (ConstrainedERM(loss=3, target_bound=1.0), "type int"),
        (ConstrainedERM(mechanism="magic", target_bound=1.0), "mechanism must be one of"),
        (GroupLasso(groups=4, target_bound=1.0), "do not divide"),
        (GroupLasso(groups=[1, 2], target_bound=1.0), "add up"),
        (MatrixRegression(shape=(2, 2), target_bound=1.0), "entries"),
        (SimplexRegression(loss="hinge", target_bound=1.0), "loss must be one for numeric targets"),
        (SimplexRegression(radius=-1.0, target_bound=1.0), "radius"),
    ],
)
def test_bad_arguments_are_refused_in_words(model, words):
    with pytest.raises(InvalidInput, match=words):
        model.fit(*table(30))


def test_a_canary_stays_silent():
    rows, targets = table(30)
    rows[0, 0], targets[1] = CANARY, CANARY
    for model in (ConstrainedERM(n_iter=3, target_bound=1.0), SimplexRegression(n_iter=3, target_bound=1.0)):
        fitted = model.fit(rows, targets)
        assert_silent(fitted)
        assert_silent(fitted.certificate_)
        assert_silent(fitted.explain())
        with pytest.raises(InvalidInput) as caught:
            model.fit(rows, [CANARY])
        assert_silent(caught.value)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_alpha_is_the_ridge_of_the_mean_objective(neighbours):
    X, y = table(400)
    model = ConstrainedERM(
        alpha=0.1, delta=1e-6, neighbours=neighbours, public_records=400, mechanism="objective-perturbation-set", target_bound=1.0
    ).fit(X, y)
    assert model.certificate_.parameters["ridge"] == pytest.approx(40.0)
    model.certificate_.verify(model.weights_).require()
    walked = clone(model).set_params(n_iter=3, mechanism="auto").fit(X, y).certificate_
    assert (walked.parameters["schedule"], walked.parameters["step_size"]) == ("strongly-convex", pytest.approx(40.0))
    without = [clone(model).set_params(epsilon=np.inf, alpha=alpha).fit(X, y) for alpha in (None, 0.5)]
    assert np.linalg.norm(without[1].coef_) < 0.9 * np.linalg.norm(without[0].coef_)
    np.testing.assert_allclose(without[1].coef_, np.linalg.solve(2.0 * X.T @ X + 200.0 * np.eye(6), 2.0 * X.T @ y), atol=2e-3)
    without[1].certificate_.verify(without[1].weights_)
    with pytest.raises(InvalidInput, match="takes no alpha"):
        clone(model).set_params(mechanism="frank-wolfe-gaussian").fit(X, y)


def test_alpha_needs_a_public_number_of_records():
    X, y = table(50)
    with pytest.raises(InvalidInput, match="alpha multiplies the number of records"):
        ConstrainedERM(alpha=0.1, delta=1e-6, neighbours="add-remove", target_bound=1.0).fit(X, y)


def test_a_mirror_map_is_the_callers_choice():
    X, y = table(200)
    model = ConstrainedERM(constraint="simplex", delta=1e-6, mirror_map="entropy", n_iter=4, target_bound=1.0).fit(X, y)
    assert (model.certificate_.mechanism, model.certificate_.parameters["mirror_map"]) == ("mirror-descent", "entropy")
    regularised = clone(model).set_params(alpha=0.1).fit(X, y).certificate_
    assert (regularised.parameters["mirror_map"], regularised.parameters["schedule"]) == ("entropy", "composite")
    assert "chosen" in str(model.explain(records=200))
    with pytest.raises(InvalidInput, match="mirror_map must be one of"):
        clone(model).set_params(mirror_map="p-norm").fit(X, y)
    with pytest.raises(InvalidInput, match="takes no mirror_map"):
        clone(model).set_params(mechanism="frank-wolfe-gaussian").fit(X, y)


def test_published_noise_is_the_papers_and_its_certificate_verifies():
    X, y = table(200)
    model = ConstrainedERM(constraint="l1-ball", delta=1e-6, calibration="published", n_iter=4, target_bound=1.0).fit(X, y)
    tight = clone(model).set_params(calibration="tight", mechanism="mirror-descent").fit(X, y)
    assert model.certificate_.parameters["scale"] > 5.0 * tight.certificate_.parameters["scale"]
    model.certificate_.verify(model.weights_).require()
    assert "as printed" in str(model.explain(records=200))


def of_three(records=3000):
    rows, targets = table(records)
    return rows, np.digitize(targets, [-0.2, 0.2])


@pytest.mark.parametrize("mechanism", ["objective-perturbation-set", "mirror-descent", "frank-wolfe-gaussian", "frank-wolfe-polytope"])
def test_many_classes_are_learnt_by_every_mechanism_and_forged_numbers_do_not_verify(mechanism):
    rows, codes = of_three()
    settings = {"loss": "logistic", "constraint": "l1-ball:12", "classes": [0, 1, 2], "n_iter": None if "objective" in mechanism else 20}
    model = ConstrainedERM(epsilon=4.0, delta=1e-6, fit_intercept=True, mechanism=mechanism, **settings, target_bound=1.0).fit(rows, codes)
    model.certificate_.verify(model.weights_).require()
    assert (model.coef_.shape, model.intercept_.shape, model.weights_.shape) == ((3, 6), (3,), (21,))
    assert model.score(rows, codes) > 0.45
    np.testing.assert_allclose(model.predict_proba(rows).sum(axis=1), 1.0)
    np.testing.assert_allclose(model.decision_function(rows[:5]), rows[:5] @ model.coef_.T + model.intercept_)
    assert model.plan(features=6, records=3000).guarantee == model.certificate_.guarantee
    assert "softmax: a record adds at most" in str(model.explain(records=3000))
    assert "softmax over the set l1-ball" in str(model.summary())
    problem = dict(model.certificate_.problem)
    for changed in (
        {"loss_parameters": {"classes": 2}},
        {"loss_parameters": {"classes": 4}},
        {"target_bound": 1.0},
        {"norm_bound": 2.0},
        {"max_slope": 0.1},
        {"constraint_parameters": {"dimension": 21, "radius": 40.0}},
    ):
        assert not replace(model.certificate_, problem=problem | changed).verify(model.weights_).ok, changed


def test_persons_and_blocks_of_many_classes_and_what_is_refused():
    rows, codes = of_three(600)
    settings = {"loss": "logistic", "constraint": "l2-ball:4", "classes": [0, 1, 2], "n_iter": 5, "mechanism": "mirror-descent"}
    model = ConstrainedERM(delta=1e-6, epsilon=8.0, **settings, target_bound=1.0)
    apart = clone(model).set_params(rows_per_person=2).fit(rows, codes, persons=np.repeat(np.arange(300), 2))
    apart.certificate_.verify(apart.weights_).require()
    shared = clone(model).set_params(random_state=3)
    parts = (slice(0, 250), slice(250, 600))
    blocks = shared.fit(
        FunctionTable(lambda number: Block(as_matrix(rows[parts[number]]), codes[parts[number]], None), blocks=2, features=6)
    ).weights_
    np.testing.assert_allclose(shared.fit(rows, codes).weights_, blocks, atol=1e-9)
    exact = clone(model).set_params(epsilon=math.inf, n_iter=2000, constraint="l2-ball:1", mechanism="auto").fit(rows, codes)
    assert np.linalg.norm(exact.weights_) == pytest.approx(1.0, abs=1e-6)
    with pytest.raises(InvalidInput, match="max_slope"):
        clone(model).set_params(max_slope=0.5).fit(rows, codes)
    with pytest.raises(InvalidInput, match="Only binary"):
        clone(model).set_params(loss="hinge").fit(rows, codes)
    with pytest.raises(InvalidInput, match="18 coefficients"):
        clone(model).set_params(constraint=L2Ball(dimension=6)).fit(rows, codes)


def test_a_penalty_factor_pulls_one_coefficient_and_not_the_others():
    X, y = table(600)
    y = np.clip(y + X[:, 1], -1.0, 1.0)
    factors = [1.0, 1e5, 1.0, 1.0, 1.0, 1.0]
    model = ConstrainedERM(constraint="l1-ball:2", delta=1e-6, epsilon=8.0, fit_intercept=True, penalty_factor=factors, target_bound=1.0).fit(X, y)
    model.certificate_.verify(model.weights_).require()
    assert model.certificate_.mechanism == "objective-perturbation-set"
    assert model.certificate_.parameters["factors"] == [*factors, 1.0]  # the intercept's
    assert abs(model.coef_[1]) < 0.1 < abs(model.coef_[0])
    without = ConstrainedERM(constraint="l2-ball:5", epsilon=np.inf, alpha=0.5, penalty_factor=factors, target_bound=1.0).fit(X, y)
    np.testing.assert_allclose(without.coef_, np.linalg.solve(2.0 * X.T @ X + 300.0 * np.diag(factors), 2.0 * X.T @ y), atol=1e-6)
    softmax = ConstrainedERM(loss="logistic", classes=["a", "b", "c"], delta=1e-6, penalty_factor=factors)
    assert softmax.fit(X, np.array(["a", "b", "c"])[np.arange(600) % 3]).certificate_.parameters["factors"] == factors * 3
    for changes, words in (
        ({"penalty_factor": [1.0, 2.0]}, "6 numbers from 1 on"),
        ({"penalty_factor": "1"}, "6 numbers from 1 on"),
        ({"penalty_factor": [0.5, *factors[1:]]}, "between 1 and"),
        ({"epsilon": np.inf, "penalty_factor": factors}, "Set alpha too"),
        ({"penalty_factor": factors, "mechanism": "mirror-descent"}, "takes no penalty_factor"),
        ({"penalty_factor": factors, "loss": "absolute"}, "needs a smooth loss"),
        ({"penalty_factor": factors, "calibration": "published"}, "leave alpha and penalty_factor out"),
    ):
        with pytest.raises(DiscreetError, match=words):
            ConstrainedERM(**({"delta": 1e-6} | changes), target_bound=1.0).fit(X, y)
