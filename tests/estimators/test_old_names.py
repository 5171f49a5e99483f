"""What was pickled when its module had another name is read."""

import importlib
import pickle

import pytest

import discreet
from discreet.estimators import ArrayModel, LinearRegression, LinearSVC, PrivateSearchCV

OLD = {
    "discreet.estimators.models.margin_classifiers": "discreet.estimators.margin_classifiers",
    "discreet.estimators.models.linear_regression": "discreet.estimators.linear_regression",
    "discreet.estimators.search.search": "discreet.estimators.search",
    "discreet.estimators.files.array_model": "discreet.estimators.array_model",
    "discreet.estimators.prediction_rules": "discreet.estimators.forms",
}
ROWS = [[0.0, 0.9], [0.8, 0.1]] * 500


def as_before(value):
    """Its pickle, with the names that modules had; protocol 0 is text."""
    text = pickle.dumps(value, protocol=0)
    for new, old in OLD.items():
        text = text.replace(f"c{new}\n".encode(), f"c{old}\n".encode())
    return text


@pytest.mark.parametrize(
    "made",
    [
        lambda: LinearSVC(classes=[0, 1], random_state=0).fit(ROWS, [0, 1] * 500),
        lambda: LinearRegression(target_bound=1.0, delta=1e-6, random_state=0).fit(ROWS, [0.0, 1.0] * 500),
        lambda: PrivateSearchCV(LinearSVC(classes=[0, 1]), {"alpha": [0.1]}, random_state=0),
        lambda: ArrayModel.from_estimator(LinearSVC(classes=[0, 1], random_state=0).fit(ROWS, [0, 1] * 500)),
    ],
)
def test_a_pickle_of_an_earlier_version_is_read(made):
    value = made()
    before = as_before(value)
    assert before != pickle.dumps(value, protocol=0)
    again = pickle.loads(before)  # noqa: S301 - our own
    assert type(again) is type(value)
    if hasattr(value, "predict") and not isinstance(value, PrivateSearchCV):
        assert again.predict(ROWS).tolist() == value.predict(ROWS).tolist()


def test_an_old_name_is_the_module_itself_and_no_second_one():
    assert importlib.import_module("discreet.estimators.margin_classifiers").LinearSVC is discreet.LinearSVC
    assert importlib.import_module("discreet.estimators.base") is importlib.import_module("discreet.estimators.door.private_estimator")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("discreet.estimators.no_module_ever")
