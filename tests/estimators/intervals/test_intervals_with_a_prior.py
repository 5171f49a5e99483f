"""Intervals of fits with a prior: those of the same fit in weights less the prior, in one budget too, in files, and with no other prior."""

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet import LinearRegression, LogisticRegression
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.estimators import IntervalFile, fit_with_intervals, release_uncertainty

PRIOR = np.array([0.4, -0.3, 0.2])
SPENT = {"epsilon": 2.0, "delta": 1e-6}


def table(records=4000):
    draw = np.random.default_rng(0)
    X = draw.uniform(-0.5, 0.5, (records, 3))
    return X, np.clip(X @ [0.5, -0.2, 0.1] + draw.normal(0.0, 0.1, records), -0.7, 0.7)


@pytest.mark.parametrize("target", ["penalised", "unpenalised"])
def test_squares_around_a_prior_have_the_intervals_of_residuals_moved_by_it(target):
    """Residuals of w on (x, y) are those of w - w0 on (x, y - <x, w0>), so that fit, curvature and intervals are the same but for w0."""
    X, y = table()
    given = {"mechanism": "objective-huber", "fit_intercept": False, "random_state": 1, "data_norm": 1.0, **SPENT}
    moved = LinearRegression(**given, target_bound=1.0).fit(X, y - X @ PRIOR)
    around = LinearRegression(prior=PRIOR, **given, target_bound=1.0).fit(X, y)
    assert around.coef_ - PRIOR == pytest.approx(moved.coef_, abs=1e-6)
    first, second = (
        release_uncertainty(one, X, given, random_state=2, **SPENT).coef_interval(target=target)
        for one, given in ((moved, y - X @ PRIOR), (around, y))
    )
    for end in ("low", "estimate", "high"):
        assert getattr(second, end) - PRIOR == pytest.approx(getattr(first, end), abs=2e-4)
    assert np.all(second.high - second.low < 0.5)


def test_a_pull_towards_zero_is_what_it_was():
    """A prior of zeros changes no interval; towards the weights themselves there is no pull, and no step that takes the penalty off."""
    X, y = table(1500)
    model = LogisticRegression(classes=[0, 1], fit_intercept=False, data_norm=1.0, alpha=0.05, random_state=1, **SPENT).fit(X, y > 0)
    found = release_uncertainty(model, X, y > 0, random_state=2, **SPENT)
    zeros, own = (replace(found, prior=prior) for prior in (np.zeros(3), found.weights))
    for target in ("penalised", "unpenalised"):
        assert np.array_equal(zeros.coef_interval(target=target).high, found.coef_interval(target=target).high)
    assert own.coef_interval(target="unpenalised").estimate == pytest.approx(found.weights)
    assert np.all(own.coef_interval().high >= found.coef_interval().high)  # less is known of the gradient's mean


@pytest.mark.parametrize("labels", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_one_budget_files_and_other_priors(labels, tmp_path):
    X, y = table(2500)
    codes = np.digitize(y, [0.0] if labels == 2 else [-0.1, 0.1])
    coef = np.outer(np.linspace(-1.0, 1.0, labels), PRIOR) if labels > 2 else PRIOR
    model = LogisticRegression(classes=list(range(labels)), prior=(coef, np.zeros(labels) if labels > 2 else 0.0), data_norm=1.0, **SPENT)
    together = fit_with_intervals(model, X, codes)
    found = together.uncertainty
    assert together.model.certificate_.verify(together.model.weights_).ok
    assert found.paid_with_the_model
    assert found.prior.shape == found.weights.shape
    names = ("a", "b", "c")
    file = IntervalFile(uncertainty=found, names=names, labels=() if labels == 2 else tuple("012"))
    assert file.verify().ok
    file.save(tmp_path / "intervals.json")
    assert IntervalFile.load(tmp_path / "intervals.json").to_dict() == file.to_dict()
    for change in (lambda told: told.pop("prior"), lambda told: told["prior"].__setitem__(0, 9.0)):
        told = json.loads(file.to_json())
        change(told)
        with pytest.raises(FileFormatError):
            IntervalFile.from_json(json.dumps(told))


def test_the_prior_is_that_of_the_fit_or_is_refused():
    X, y = table(600)
    held = {"classes": [0, 1], "data_norm": 1.0, "fit_intercept": False, **SPENT}
    around, plain = LogisticRegression(prior=PRIOR, **held).fit(X, y > 0), LogisticRegression(**held).fit(X, y > 0)
    with pytest.raises(InvalidInput, match="not the prior of the fit"):
        release_uncertainty(around.set_params(prior=2.0 * PRIOR), X, y > 0, **SPENT)
    with pytest.raises(InvalidInput, match="this model was fitted with a prior, whose numbers are"):
        release_uncertainty(around.set_params(prior=None), X, y > 0, **SPENT)
    assert release_uncertainty(around, X, y > 0, prior=PRIOR, **SPENT).prior == pytest.approx(PRIOR)
    with pytest.raises(InvalidInput, match="without a prior"):
        release_uncertainty(plain, X, y > 0, prior=PRIOR, **SPENT)
