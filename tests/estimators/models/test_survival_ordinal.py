"""Survival in discrete time and ordered classes: logistic regressions of rows that share a person's weight; found, certified, refused."""

import math
import pickle
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Plain

from discreet import OrdinalRegression, SurvivalModel
from discreet.accounting import Unit
from discreet.core.errors import InvalidInput, PrivacyWarning
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.ledger import Account, Ledger, using

ENDS = [1.0, 2.0, 4.0, 8.0]


def times(records, seed=0):
    """Rows, times and whether the event happened then: hazards of .2 e^x a unit of time, about one in five censored."""
    draw = np.random.default_rng(seed)
    X = draw.uniform(-0.5, 0.5, (records, 2))
    event = draw.exponential(1.0 / (0.2 * np.exp(2.0 * X[:, 0])))
    seen = draw.uniform(0.5, 20.0, records)
    return X, np.column_stack((np.minimum(event, seen), event <= seen))


def grades(records, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-0.5, 0.5, (records, 2))
    return X, np.searchsorted([-1.0, 0.5, 1.5], X @ [4.0, -2.0] + draw.logistic(size=records))


def plain(rows, answers):
    """Logistic regression without a ridge."""
    return Plain(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=10_000).fit(np.array(rows), np.array(answers))


def test_without_privacy_it_is_the_logistic_regression_of_person_periods():
    X, y = times(500)
    ends = np.array(ENDS)
    ours = SurvivalModel(epsilon=math.inf, alpha=1e-11, ends=ENDS).fit(X, y)
    rows, answers = [], []
    for features, (time, happened) in zip(X, y, strict=True):
        for place, end in enumerate(ends):
            here = happened and (ends[place - 1] if place else 0.0) < time <= end
            if not here and time < end:
                break
            rows.append(np.concatenate((features, np.eye(4)[place])))
            answers.append(here)
            if here:
                break
    theirs = plain(rows, answers)
    assert np.allclose(ours.coef_, theirs.coef_[0, :2], atol=1e-6)
    hazard = ours.predict_hazard(X[:5])
    assert np.allclose(hazard[:, 1], theirs.predict_proba(np.column_stack((X[:5], np.tile(np.eye(4)[1], (5, 1)))))[:, 1], atol=1e-6)
    assert np.allclose(ours.predict_survival(X[:5])[:, 2], np.prod(1.0 - hazard[:, :3], axis=1))


def test_without_privacy_two_ordered_classes_are_logistic_regression_and_more_are_a_row_for_each_threshold():
    X, y = grades(800)
    two = OrdinalRegression(epsilon=math.inf, alpha=1e-11, classes=[0, 1]).fit(X, (y > 1).astype(int))
    rows = np.column_stack((X, -np.ones(len(X))))
    theirs = plain(rows, y > 1)
    assert np.allclose([*two.coef_, *two.thresholds_], theirs.coef_[0], atol=1e-6)
    assert np.allclose(two.predict_proba(X), theirs.predict_proba(rows), atol=1e-6)
    more = OrdinalRegression(epsilon=math.inf, alpha=1e-11, classes=[0, 1, 2, 3]).fit(X, y)
    stacked = np.concatenate([np.column_stack((X, -np.tile(np.eye(3)[place], (len(X), 1)))) for place in range(3)])
    assert np.allclose([*more.coef_, *more.thresholds_], plain(stacked, np.concatenate([y > k for k in range(3)])).coef_[0], atol=1e-6)


def test_where_noise_rules_what_is_told_is_the_public_guess():
    X, y = times(40)
    told = SurvivalModel(epsilon=1e-3, alpha=1e6, ends=ENDS, typical=0.2).fit(X, y)
    assert np.allclose(told.predict_survival(X)[:, -1], 0.8, atol=0.01)
    even = OrdinalRegression(epsilon=1e-3, alpha=1e6, classes=["a", "b", "c"]).fit(X, np.array(["a", "c"])[y[:, 1].astype(int)])
    assert np.allclose(even.predict_proba(X), 1 / 3, atol=0.01)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_survival_is_found_and_its_certificate_is_one_of_persons(neighbours, tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=4.0, delta=1e-5, unit=Unit.PERSON, neighbours=neighbours)
    X, y = times(20_000, seed=1)
    model = SurvivalModel(epsilon=4.0, ends=ENDS, neighbours=neighbours, ledger=Account(str(tmp_path / "ledger"), "people")).fit(X, y)
    certificate = model.certificate_
    assert certificate.verify(model.weights_).ok, certificate.verify(model.weights_)
    assert certificate.problem["persons"] == {"rows": 4, "weight": "row"}
    assert certificate.problem["records"] == (20_000 if neighbours == "replace-one" else None)
    assert certificate.guarantee.unit is Unit.PERSON
    assert certificate.guarantee.epsilon == pytest.approx(4.0)
    rows = np.array([[-0.4, 0.0], [0.4, 0.0]])
    exact = np.exp(-0.2 * np.exp(2.0 * rows[:, :1]) * ENDS)
    assert np.allclose(model.predict_survival(rows), exact, atol=0.06)
    assert np.all(np.diff(model.predict(rows)) < 0)
    assert model.plan(features=2, records=20_000 if neighbours == "replace-one" else None).parameters == certificate.parameters


def test_ordered_classes_are_found_with_probabilities_that_add_up():
    X, y = grades(20_000, seed=1)
    names = np.array(["poor", "fair", "good", "best"])
    model = OrdinalRegression(epsilon=4.0, classes=names.tolist()).fit(X, names[y])
    assert model.certificate_.verify(model.weights_).ok
    assert np.allclose(model.coef_, [4.0, -2.0], atol=0.8)
    assert np.allclose(model.thresholds_, [-1.0, 0.5, 1.5], atol=0.4)
    chances = model.predict_proba(X)
    assert np.all(chances >= 0)
    assert np.allclose(chances.sum(axis=1), 1.0)
    assert model.score(X, names[y]) > 0.42
    with pytest.warns(PrivacyWarning, match="which labels occur"):
        model.set_params(classes=None).fit(X[:300], names[y[:300]])


def test_a_person_who_was_never_at_risk_counts_as_one():
    X, y = times(60)
    y[:30] = [0.1, 0.0]  # censored within the first period
    model = SurvivalModel(ends=ENDS, random_state=0).fit(X, y)
    assert model.certificate_.problem["records"] == 60
    assert SurvivalModel(ends=ENDS).fit(X, np.column_stack((np.full(60, 0.1), np.zeros(60)))).weights_.shape == (7,)


@pytest.mark.parametrize("model", [SurvivalModel(), OrdinalRegression(classes=[0, 1])])
def test_an_unfitted_model_does_not_leave_a_process_whose_ledger_is_in_use(model, tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=4.0, delta=1e-5, unit=Unit.PERSON)
    with using(tmp_path / "ledger", "people"), pytest.raises(InvalidInput, match="a ledger is in use"):
        pickle.dumps(model)
    assert type(pickle.loads(pickle.dumps(model))) is type(model)  # noqa: S301 - it is ours


def test_a_time_below_zero_counts_as_zero_in_an_array():
    X, y = times(60)
    early, none = y.copy(), y.copy()
    early[7], none[7] = [-3.0, 1.0], [0.0, 1.0]
    found, same = (SurvivalModel(ends=ENDS, random_state=0).fit(X, given).weights_ for given in (early, none))
    assert np.array_equal(found, same)


@pytest.mark.parametrize("kind", [kind for kind in PrivateModel.models.values() if kind.makes_rows], ids=lambda kind: kind.saved_as)
def test_a_refusal_of_persons_promises_nothing_for_them_and_names_models_that_take_them(kind):
    X, y = times(60)
    with pytest.raises(InvalidInput, match=r"If each person has one row, .* If a person may have more, ") as refused:
        kind(rows_per_person=6).fit(X, y, persons=np.arange(60) // 6)
    named = re.findall(r"[a-z]+-[a-z]+", str(refused.value).rpartition("may have more")[2])
    assert named
    for name in named:
        PrivateModel.models[name](classes=[False, True], epsilon=4.0, delta=1e-4, rows_per_person=6).fit(X, y[:, 0] > 1, persons=np.arange(60) // 6)


def test_what_has_no_meaning_is_refused_in_words():
    X, y = times(50)
    for model, given, words in (
        (SurvivalModel(ends=[2.0, 1.0]), y, "increasing"),
        (SurvivalModel(ends=[]), y, "increasing"),
        (SurvivalModel(rows_per_person=2), y, "expands each record into several rows, so it needs"),
        (SurvivalModel(typical=1.0), y, "a probability"),
        (SurvivalModel(), np.column_stack((y, y)), "y must give, for each row of X, a time of at least 0"),
        (SurvivalModel(), ["late"] * 50, "y must give, for each row of X, a time of at least 0"),
        (OrdinalRegression(classes=[0, 1]), np.arange(50) % 3, "y contains a label that is not one of the declared"),
        (OrdinalRegression(classes=[0]), np.zeros(50, dtype=int), "two or more"),
    ):
        with pytest.raises(InvalidInput, match=words):
            model.fit(X, given)
    with pytest.raises(InvalidInput, match="classes declared"):
        OrdinalRegression().plan(features=2)
