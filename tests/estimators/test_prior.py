"""A prior as estimators take it: what it may be, what it does, and where it is refused."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression as Ordinary
from sklearn.linear_model import LogisticRegression as Unprivate

from discreet import (
    ExpectileRegression,
    GammaRegression,
    HuberRegression,
    KernelClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    PoissonRegression,
    PrivateSearchCV,
    QuantileRegression,
    release_uncertainty,
)
from discreet.core.arrays import digest_of
from discreet.core.errors import InvalidInput

RNG = np.random.default_rng(3)
ROWS = RNG.uniform(-0.5, 0.5, (900, 3))
TWO = (ROWS[:, 0] > ROWS[:, 1]).astype(int)
THREE = np.argmax(ROWS, axis=1)
PUBLIC, OWN = slice(0, 300), slice(300, 900)


def fitted(targets, kind=LogisticRegression, **settings):
    return kind(**{"epsilon": 1.0, "classes": sorted(set(targets.tolist())), "random_state": 1, **settings}).fit(ROWS[OWN], targets[OWN])


@pytest.mark.parametrize("targets", [TWO, THREE], ids=["two", "three"])
def test_a_model_and_its_coefficients_are_the_same_prior(targets):
    public = Unprivate(C=100.0).fit(ROWS[PUBLIC], targets[PUBLIC])
    by_model = fitted(targets, prior=public)
    by_numbers = fitted(targets, prior=(public.coef_, public.intercept_))
    np.testing.assert_array_equal(by_model.weights_, by_numbers.weights_)
    assert np.linalg.norm(by_model.coef_ - public.coef_) < 0.5 * np.linalg.norm(fitted(targets).coef_ - public.coef_)
    stated = by_model.certificate_.problem["prior"]
    constants = public.intercept_[:, np.newaxis] / by_model.certificate_.problem["intercept_scale"]
    assert stated["digest"] == digest_of(np.concatenate([public.coef_, constants], axis=1).ravel())


def test_strong_regularisation_is_the_prior_itself():
    model = fitted(TWO, LinearSVC, prior=([3.0, -2.0, 1.0], 0.5), alpha=1e9, epsilon=np.inf)
    np.testing.assert_allclose(model.coef_[0], [3.0, -2.0, 1.0], rtol=1e-6)
    np.testing.assert_allclose(model.intercept_, [0.5], rtol=1e-6)


def test_what_is_planned_is_what_is_certified_and_verifies():
    made = LogisticRegression(epsilon=1.0, classes=[0, 1], prior=[1.0, -1.0, 0.0])
    planned = made.plan(features=3, records=600)
    made.fit(ROWS[OWN], TWO[OWN])
    assert made.certificate_.verify(made.weights_).ok
    assert (planned.problem, planned.parameters) == (made.certificate_.problem, made.certificate_.parameters)
    forged = replace(made.certificate_, problem={key: part for key, part in made.certificate_.problem.items() if key != "prior"})
    assert not forged.verify(made.weights_).ok


def test_a_search_takes_the_coefficients_of_a_prior_and_says_so_of_a_model_that_it_would_clone():
    numbers = ([1.0, -1.0, 0.0], 0.0)
    public = LogisticRegression(epsilon=np.inf, classes=[0, 1], alpha=1e-3).fit(ROWS[PUBLIC], TWO[PUBLIC])
    settings = {"alpha": [0.05, 0.2]}
    found = PrivateSearchCV(LogisticRegression(classes=[0, 1], prior=numbers), settings, epsilon=4.0, delta=1e-6).fit(ROWS, TWO)
    assert found.best_estimator_.prior == numbers
    with pytest.raises(InvalidInput, match=r"pass \(model.coef_, model.intercept_\)"):
        PrivateSearchCV(LogisticRegression(classes=[0, 1], prior=public), settings, epsilon=4.0, delta=1e-6).fit(ROWS, TWO)
    with pytest.raises(InvalidInput, match=r"pass \(model.coef_, model.intercept_\)"):
        clone(LogisticRegression(classes=[0, 1], prior=public)).fit(ROWS, TWO)


@pytest.mark.parametrize(
    ("prior", "settings", "match"),
    [
        ([1.0, 2.0], {}, "shape"),
        ([1.0, 2.0, np.nan], {}, "finite"),
        (["a", "b", "c"], {}, "prior must be"),
        (([1.0, 2.0, 3.0], 0.0, 1.0), {}, "prior must be"),
        (([1.0, 2.0, 3.0], 1.0), {"fit_intercept": False}, "fit_intercept=False"),
        ([1.0, 2.0, 3.0], {"data_norm": "private"}, "a prior needs rows in public units, and data_norm="),
    ],
)
def test_what_is_no_prior_is_refused_before_a_record_is_used(prior, settings, match):
    with pytest.raises(InvalidInput, match=match):
        fitted(TWO, prior=prior, **settings)


def test_a_regression_pulls_towards_its_prior_and_says_where_it_cannot():
    targets = ROWS @ [0.5, -0.4, 0.0] + 0.02 * RNG.standard_normal(len(ROWS))
    public = Ordinary().fit(ROWS[PUBLIC], targets[PUBLIC])
    settings = {"epsilon": 0.1, "delta": 1e-6, "random_state": 2}
    far, near = (LinearRegression(prior=prior, **settings, target_bound=1.0).fit(ROWS[OWN], targets[OWN]) for prior in (None, public))
    assert np.linalg.norm(near.coef_ - public.coef_) < 0.8 * np.linalg.norm(far.coef_ - public.coef_)
    own = LinearRegression(prior=(public.coef_, public.intercept_), epsilon=0.1, delta=1e-6, neighbours="add-remove", target_bound=1.0).fit(
        ROWS[OWN], targets[OWN]
    )
    assert own.certificate_.verify(own.weights_).ok
    assert own.certificate_.problem["prior"]["digest"] == near.certificate_.problem["prior"]["digest"]
    for wrong, match in (
        ({"mechanism": "moments"}, "leave it out, or use one of"),
        ({"epsilon": np.inf}, "without a ridge"),
        ({"data_norm": "private"}, "a prior needs rows in public units, and data_norm="),
    ):
        with pytest.raises(InvalidInput, match=match):
            LinearRegression(**{**settings, "prior": public, **wrong}, target_bound=1.0).fit(ROWS[OWN], targets[OWN])
    with pytest.raises(InvalidInput, match="in this order"):
        LinearRegression(prior=Unprivate().fit(ROWS, TWO), **settings, target_bound=1.0).fit(ROWS[OWN], targets[OWN])


def test_other_classes_and_kernels_say_why_not():
    with pytest.raises(InvalidInput, match="in this order"):
        LogisticRegression(epsilon=1.0, classes=[0, 1], prior=Unprivate().fit(ROWS, 1 + TWO)).fit(ROWS, TWO)
    with pytest.raises(InvalidInput, match="random features"):
        KernelClassifier(epsilon=1.0, classes=[0, 1], prior=[1.0]).fit(ROWS, TWO)


COUNTS = np.minimum(np.random.default_rng(4).poisson(np.exp(ROWS @ [1.0, -1.0, 0.3] + 0.5)) + 0.5, 12.0)
LINE = ROWS @ [0.5, -0.4, 0.0] + 0.02 * np.random.default_rng(5).standard_normal(len(ROWS))
OTHERS = {
    HuberRegression: (LINE, {"target_bound": 1.0}),
    QuantileRegression: (LINE, {"target_bound": 1.0}),
    ExpectileRegression: (LINE, {"target_bound": 1.0}),
    PoissonRegression: (COUNTS, {"target_bound": 12.0}),
    GammaRegression: (COUNTS, {"target_bound": 12.0, "typical": 3.0}),
}


@pytest.mark.parametrize("kind", [kind if kind is GammaRegression else pytest.param(kind, marks=pytest.mark.more) for kind in OTHERS])
def test_regressions_of_other_losses_pull_towards_a_prior_in_the_units_of_their_coefficients(kind):
    targets, settings = OTHERS[kind]
    public = kind(epsilon=np.inf, **settings).fit(ROWS[PUBLIC], targets[PUBLIC])
    model = kind(epsilon=1.0, alpha=100.0, prior=public, random_state=1, **settings).fit(ROWS[OWN], targets[OWN])
    np.testing.assert_allclose(model.coef_, public.coef_, atol=0.05)
    assert abs(model.intercept_ - public.intercept_) < 0.05
    model = kind(epsilon=1.0, prior=(public.coef_, public.intercept_), neighbours="add-remove", **settings).fit(ROWS[OWN], targets[OWN])
    assert model.certificate_.verify(model.weights_).ok
    forged = replace(model.certificate_, problem={key: part for key, part in model.certificate_.problem.items() if key != "prior"})
    assert not forged.verify(model.weights_).ok
    found = release_uncertainty(model, ROWS[OWN], targets[OWN], epsilon=1.0)
    assert found.certificate.verify(found.value).ok
    for wrong, match in (({"epsilon": np.inf}, "has no ridge"), ({"prior": [1.0, 2.0]}, "shape")):
        with pytest.raises(InvalidInput, match=match):
            kind(**{"epsilon": 1.0, "prior": public, **settings, **wrong}).fit(ROWS[OWN], targets[OWN])
    with pytest.raises(InvalidInput, match="several columns of y have no prior"):
        kind(epsilon=1.0, prior=public, **settings).fit(ROWS, np.column_stack((targets, targets)))


@pytest.mark.parametrize("kind", [PoissonRegression, GammaRegression])
def test_coefficients_alone_leave_the_intercept_of_a_logarithm_where_weights_of_0_have_it(kind):
    targets, settings = OTHERS[kind]
    model = kind(epsilon=np.inf, alpha=1e6, prior=[1.0, -1.0, 0.0], **settings).fit(ROWS, targets)
    np.testing.assert_allclose(model.coef_, [1.0, -1.0, 0.0], atol=1e-4)
    np.testing.assert_allclose(model.intercept_, np.log(settings.get("typical", 1.2)), atol=1e-4)
