"""A model of arrays answers as the estimator that it was made from, and refuses what contradicts it."""

import json

import numpy as np
import pytest

from discreet import ArrayModel, LinearRegression, LogisticRegression, Model
from discreet.core.errors import FileFormatError, InvalidInput, InvalidType
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.model_kinds import kind_named

CASES = [(kind, learnt) for kind, made in sorted(PrivateModel.models.items()) for learnt in made.targets]
DRAW = np.random.default_rng(0)
X = DRAW.uniform(-1, 1, (300, 4))
TARGETS = {"numbers": 0.4 * X[:, 0] + 0.2, "two classes": np.where(X[:, 0] > 0, "yes", "no"), "more classes": np.digitize(X[:, 0], [-0.3, 0.3])}
TARGETS["several numbers"] = np.column_stack((TARGETS["numbers"], 0.2 - 0.3 * X[:, 1]))
TARGETS |= {"ordered classes": TARGETS["more classes"], "times": 2.0 + 2.0 * X[:, 0], "counts": np.rint(0.5 + 0.5 * X[:, 0])}
NUMBERS = {"numbers", "several numbers", "times", "counts"}


def fitted(kind, learnt, **settings):
    made = kind_named(kind)(epsilon=20.0, delta=1e-3, random_state=1)
    known = made.get_params()
    if learnt not in NUMBERS and "classes" in known:
        settings["classes"] = np.unique(TARGETS[learnt]).tolist()
    if "target_bound" in known:
        settings["target_bound"] = 1.0
    if learnt != "numbers" and kind == "constrained-erm":
        settings["loss"] = "logistic"
    return made.set_params(**settings).fit(X, TARGETS[learnt])


@pytest.mark.at_most(10)
@pytest.mark.parametrize(("kind", "learnt"), CASES)
def test_it_is_saved_and_read_and_answers_as_the_estimator_does(kind, learnt, tmp_path):
    estimator = fitted(kind, learnt)
    estimator.save(tmp_path / "model.json")
    model = ArrayModel.load(tmp_path / "model.json")
    new = 3.0 * X[:50]  # beyond the bounds too
    if learnt in NUMBERS:
        np.testing.assert_allclose(model.predict(new), estimator.predict(new), rtol=1e-9, atol=1e-12)
    else:
        assert model.predict(new).tolist() == estimator.predict(new).tolist()
    assert [check.name for check in model.verify().checks if not check.ok] == ["noise source"]
    if model.labels and learnt != "ordered classes":
        np.testing.assert_array_equal(model.decision(new), estimator.decision_function(new))
    if model.has_probabilities and hasattr(estimator, "predict_proba"):
        np.testing.assert_array_equal(model.probabilities(new), estimator.predict_proba(new))
        if len(model.classes) == 2:
            np.testing.assert_array_equal(model.predict(new, threshold=0.3), estimator.predict(new, threshold=0.3))


@pytest.mark.parametrize("made", [pytest.param(LogisticRegression, marks=pytest.mark.more), LinearRegression])
def test_a_norm_that_was_chosen_in_the_fit_is_kept(made, tmp_path):
    target = TARGETS["numbers" if made is LinearRegression else "more classes"]
    declared = {"target_bound": 1.0} if made is LinearRegression else {"classes": [0, 1, 2]}
    estimator = made(epsilon=20.0, delta=1e-3, data_norm="private", random_state=1, **declared).fit(8.0 * X, target)
    assert estimator.data_norm_ != 1.0
    estimator.save(tmp_path / "model.json")
    new = 30.0 * X[:50]
    np.testing.assert_allclose(ArrayModel.load(tmp_path / "model.json").decision(new), _decisions(estimator, new), rtol=1e-12)
    record = json.loads((tmp_path / "model.json").read_text()) | {"unit": 1.0}
    with pytest.raises(FileFormatError, match="divides rows by 1"):
        ArrayModel.from_json(json.dumps(record))


def _decisions(estimator, rows):
    return estimator.predict(rows) if isinstance(estimator, LinearRegression) else estimator.decision_function(rows)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "discreet-model/1"}, "Model.load reads those"),
        ({"classes": ["yes"]}, "has 1 classes"),
        ({"features": 3}, "states more|states 4|states"),
        ({"names": ["a"]}, "names"),
        ({"kind": "lasso"}, "do not belong together"),
        ({"weights": [1.0]}, "weights"),
        ({"unit": 2.0}, "divides rows by 2"),
        ({"unit": "much"}, "must be"),
        ({"extra": 1}, "extra"),
        ({"span": [0.0, 1.0]}, "it has both classes and a range of targets"),
        ({"classes": [], "span": [-1e308, 1e308]}, "span must be"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(changes, words, tmp_path):
    fitted("linear-svc", "two classes").save(tmp_path / "model.json")
    record = json.loads((tmp_path / "model.json").read_text()) | changes
    with pytest.raises(FileFormatError, match=words):
        ArrayModel.from_json(json.dumps(record))


def test_rows_of_other_columns_are_refused(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    estimator = LinearRegression(epsilon=20.0, delta=1e-3, random_state=1, target_bound=1.0).fit(frame, TARGETS["numbers"])
    estimator.save(tmp_path / "model.json")
    model = ArrayModel.load(tmp_path / "model.json")
    assert model.names == ("a", "b", "c", "d")
    np.testing.assert_array_equal(model.predict(frame), estimator.predict(frame))
    with pytest.raises(InvalidInput, match="in this order"):
        model.predict(frame[list("dcba")])
    with pytest.raises(InvalidInput, match="4 features; rows with 3"):
        model.predict(X[:, :3])
    with pytest.raises(InvalidInput, match="not fitted"):
        LinearRegression(target_bound=1.0).save(tmp_path / "other.json")
    with pytest.raises(InvalidType):
        ArrayModel.from_estimator(object())
    with pytest.raises(FileFormatError, match="discreet-model/1"):
        Model.load(tmp_path / "model.json")
