"""Models as values: the same answers as their estimator, files that are whole or absent, and nothing that contradicts itself."""

import json
import math
import os
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from discreet import (
    ConstrainedERM,
    GroupLasso,
    KernelClassifier,
    Lasso,
    LassoClassifier,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    MatrixRegression,
    Schema,
    SimplexRegression,
    kernels,
)
from discreet.core.errors import FileFormatError, InvalidInput, InvalidType
from discreet.core.files import whole_file
from discreet.data import CategoricalColumn, NumberTarget, NumericColumn, Target
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.files.model import Model
from discreet.sets import L2Ball

COUNT = 120
TABLE = {
    "age": [20 + (7 * i) % 60 for i in range(COUNT)],
    "hours": [(11 * i) % 80 for i in range(COUNT)],
    "city": [("north", "south")[i % 2] for i in range(COUNT)],
    "answer": [("no", "yes")[(7 * i) % 60 + (11 * i) % 80 > 70] for i in range(COUNT)],
}


def schema_with(rows="normalise", classes=("no", "yes")):
    return Schema(
        name="people",
        rows=rows,
        target=Target(column="answer", classes=classes),
        numeric=(NumericColumn(name="age", lower=0, upper=100), NumericColumn(name="hours", lower=0, upper=80)),
        categorical=(CategoricalColumn(name="city", categories=("north", "south")),),
    )


def fitted(schema, kind=LogisticRegression, **settings):
    encoded = schema.encode(TABLE, target=True)
    return kind(**{"epsilon": 5.0, "data_norm": schema.norm_bound, **settings}).fit(encoded), encoded


@pytest.fixture(scope="module")
def model():
    schema = schema_with()
    return Model.from_estimator(fitted(schema)[0], schema)


@pytest.mark.parametrize("kind", [LogisticRegression, LinearSVC])
@pytest.mark.parametrize("rows", ["normalise", "bound"])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_model_answers_as_its_estimator(kind, rows, intercept):
    schema = schema_with(rows)
    estimator, encoded = fitted(schema, kind, fit_intercept=intercept, intercept_scale=0.7)
    model = Model.from_json(Model.from_estimator(estimator, schema).to_json())
    assert model.intercept_scale == (0.7 if intercept else 0)
    np.testing.assert_array_equal(model.decision(TABLE), estimator.decision_function(encoded))
    np.testing.assert_array_equal(model.decision(encoded), model.decision(TABLE))
    np.testing.assert_array_equal(model.predict(TABLE), estimator.predict(encoded))
    assert model.verify().ok
    np.testing.assert_array_equal(model.probabilities(TABLE), estimator.predict_proba(encoded))
    np.testing.assert_array_equal(model.log_probabilities(TABLE), estimator.predict_log_proba(encoded))


NUMBERS = {
    "linear-regression": LinearRegression(target_bound=1.0),
    "moments": LinearRegression(mechanism="moments", fit_intercept=False, target_bound=1.0),
    "lasso": Lasso(n_iter=5, target_bound=1.0),
    "constrained-erm": ConstrainedERM(fit_intercept=True, constraint=L2Ball(dimension=5), target_bound=1.0),
    "group-lasso": GroupLasso(groups=2, target_bound=1.0),
    "simplex-regression": SimplexRegression(target_bound=1.0),
    "matrix-regression": MatrixRegression(shape=(2, 2), target_bound=1.0),
}
CLASSES = {
    "kernel-classifier": KernelClassifier(n_features=8, fit_intercept=True),
    "kernel of three": KernelClassifier(n_features=8, kernel="cauchy", feature_seed=None),
    "lasso-classifier": LassoClassifier(n_iter=5),
    "constrained-erm of classes": ConstrainedERM(loss="logistic"),
    "constrained-erm of three": ConstrainedERM(loss="logistic", constraint="l1-ball:2", fit_intercept=True, delta=1e-6, n_iter=5),
}


def of_numbers(schema):
    return replace(schema, target=NumberTarget(column="hours", lower=-10, upper=90), numeric=schema.numeric[:1])


@pytest.mark.parametrize("estimator", NUMBERS.values(), ids=NUMBERS)
def test_a_model_of_numbers_answers_as_its_estimator(estimator, tmp_path):
    schema = of_numbers(replace(schema_with(), categorical=(CategoricalColumn(name="city", categories=("north", "south", "west")),)))
    encoded = schema.encode(TABLE, target=True)
    made = Model.from_estimator(clone(estimator).fit(encoded), schema)
    made.save(tmp_path / "model.json")
    model = Model.load(tmp_path / "model.json")
    assert model == made
    assert model.verify().ok
    assert model.classes == ()
    assert not model.has_probabilities
    predicted = clone(estimator).set_params(random_state=1).fit(encoded)
    again = Model.from_estimator(predicted, schema)
    np.testing.assert_array_equal(again.decision(TABLE), predicted.predict(encoded))
    np.testing.assert_allclose(again.predict(TABLE), 40.0 + 50.0 * predicted.predict(encoded))
    assert not again.verify().ok  # a seed protects nobody


@pytest.mark.parametrize("estimator", CLASSES.values(), ids=CLASSES)
def test_models_of_classes_over_sets_and_of_kernels_answer_as_their_estimator(estimator, tmp_path):
    three = estimator in (CLASSES["kernel of three"], CLASSES["constrained-erm of three"])
    schema = replace(schema_with(), target=Target(column="third", classes=(0, 1, 2))) if three else schema_with()
    encoded = schema.encode(TABLE | {"third": [i % 3 for i in range(COUNT)]}, target=True)
    fitted = clone(estimator).fit(encoded)
    Model.from_estimator(fitted, schema).save(tmp_path / "model.json")
    model = Model.load(tmp_path / "model.json")
    assert model.verify().ok
    np.testing.assert_array_equal(model.decision(TABLE), fitted.decision_function(encoded))
    np.testing.assert_array_equal(model.predict(TABLE), fitted.predict(encoded))
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_array_equal(model.probabilities(TABLE), fitted.predict_proba(encoded))


def test_a_kernel_model_with_frequencies_of_another_seed_is_refused():
    schema = schema_with()
    record = Model.from_estimator(CLASSES["kernel-classifier"].fit(schema.encode(TABLE, target=True)), schema).to_dict()
    record["certificate"]["problem"]["feature_map"]["seed"] = 7
    with pytest.raises(FileFormatError, match="other frequencies"):
        Model.from_json(json.dumps(record))


@pytest.mark.parametrize("features", [10**9, 10**400, 10**4299])
def test_a_file_that_states_more_features_than_it_can_hold_is_refused_before_anything_is_drawn(features, monkeypatch):
    schema = schema_with()
    cases = ((CLASSES["kernel-classifier"], schema), (LogisticRegression(data_norm=1.0), schema), (NUMBERS["lasso"], of_numbers(schema)))
    records = [Model.from_estimator(clone(estimator).fit(of.encode(TABLE, target=True)), of).to_dict() for estimator, of in cases]
    monkeypatch.setattr(kernels, "draw_frequencies", None)
    for record in records:
        record["certificate"]["problem"]["features"] = features
        with pytest.raises(FileFormatError, match=r"weights, but the model has|the certificate states "):
            Model.from_json(json.dumps(record))


@pytest.mark.parametrize(
    ("estimator", "other"),
    [("lasso", "linear-regression"), ("linear-regression", "lasso"), ("lasso", "group-lasso"), ("linear-regression", "linear-svc")],
)
def test_a_model_of_another_kind_is_refused(estimator, other):
    schema = of_numbers(schema_with())
    estimator = clone(NUMBERS[estimator]).fit(schema.encode(TABLE, target=True))
    with pytest.raises(InvalidInput, match=r"was stated, the certificate is for the loss|contradicts itself"):
        replace(Model.from_estimator(estimator, schema), kind=other)


def test_targets_of_another_kind_are_refused():
    classes, numbers = schema_with(), of_numbers(schema_with())
    with pytest.raises(InvalidInput, match="declare lower and upper of the target, or fit a"):
        LinearRegression().fit(classes.encode(TABLE, target=True))
    with pytest.raises(InvalidInput, match="without its target"):
        LinearRegression().fit(numbers.encode(TABLE, target=False))
    with pytest.raises(InvalidInput, match="leave y out"):
        Lasso().fit(numbers.encode(TABLE, target=True), TABLE["hours"])
    for classifier in (LassoClassifier(), LogisticRegression()):
        with pytest.raises(InvalidInput, match="s target is a number, but a classifier needs classes"):
            classifier.fit(numbers.encode(TABLE, target=True))
        with pytest.raises(InvalidInput, match="without its target"):
            classifier.fit(classes.encode(TABLE, target=False))
    fitted = LinearRegression().fit(numbers.encode(TABLE, target=True))
    with pytest.raises(InvalidInput, match="the schema declares the classes"):
        Model.from_estimator(fitted, classes)


def test_a_loss_with_flat_parts_has_no_probabilities():
    schema = schema_with()
    model = Model.from_estimator(fitted(schema, LinearSVC, loss="huber-hinge")[0], schema)
    assert not model.has_probabilities
    with pytest.raises(InvalidInput, match='a linear-svc with the "huber-hinge" loss has no probabilities'):
        model.probabilities(TABLE)


def test_predictions_by_hand():
    """|x| = 1 and w = (0, 0, 1, -1), so the city decides."""
    schema = schema_with("bound")
    estimator, _ = fitted(schema, fit_intercept=False)
    model = Model(kind="logistic-regression", schema=schema, weights=np.array([0.0, 0.0, -1.0, 1.0]), certificate=estimator.certificate_)
    table = {"age": [0, 0], "hours": [0, 0], "city": ["north", "south"]}
    assert model.decision(table).tolist() == [-1.0, 1.0]
    assert model.predict(table).tolist() == ["no", "yes"]
    assert model.probabilities(table)[:, 1] == pytest.approx([1 / (1 + math.e), math.e / (1 + math.e)])
    assert [check.name for check in model.verify().checks if not check.ok] == ["released value"]


@pytest.mark.parametrize("classes", [(0, 1), (False, True), ("no", 1)])
def test_classes_come_back_as_they_were_declared(classes):
    schema = schema_with(classes=classes)
    table = TABLE | {"answer": [classes[1] if answer == "yes" else classes[0] for answer in TABLE["answer"]]}
    estimator = LogisticRegression(epsilon=5.0).fit(schema.encode(table, target=True))
    model = Model.from_estimator(estimator, schema)
    model = Model.from_json(model.to_json())
    assert {type(label) for label in model.predict(table).tolist()} <= {type(label) for label in classes}
    assert set(model.predict(table).tolist()) <= set(classes)


def test_a_table_of_other_rows_is_refused(model):
    with pytest.raises(InvalidInput, match="lacks the columns 'city'"):
        model.predict({"age": [1], "hours": [1]})
    other = replace(schema_with(), categorical=())
    with pytest.raises(InvalidInput, match=r"fitted on 4 features; rows with 2"):
        model.decision(other.encode(TABLE, target=False))


def test_a_model_is_a_value(model):
    again = Model.from_json(model.to_json())
    assert again == model
    assert again != replace(model, weights=-model.weights)
    assert model != "model"
    with pytest.raises(ValueError, match="read-only"):
        model.weights[0] = 0.0
    with pytest.raises(AttributeError):
        model.kind = "linear-svc"


def test_a_kind_of_model_files_has_one_class(monkeypatch):
    monkeypatch.setattr(PrivateModel, "models", dict(PrivateModel.models))
    with pytest.raises(TypeError, match="of model file belongs to"):
        type("Own", (LinearSVC,), {"saved_as": "linear-svc"})
    assert PrivateModel.models["linear-svc"] is LinearSVC
    type("Silent", (LinearSVC,), {})
    first, again = (type("Own", (LinearSVC,), {"saved_as": "own-svc", "__module__": "__main__"}) for _ in range(2))
    assert PrivateModel.models["own-svc"] is again is not first, "a cell of a notebook that is run again"
    with pytest.raises(TypeError, match=r"belongs to __main__\.Own"):
        type("Own", (LinearSVC,), {"saved_as": "own-svc", "__module__": "elsewhere"})


def test_only_fitted_estimators_of_the_schema_make_models():
    schema = schema_with()
    estimator, _ = fitted(schema)
    with pytest.raises(InvalidInput, match="not fitted yet"):
        Model.from_estimator(LogisticRegression(), schema)
    with pytest.raises(InvalidType, match=r"one of .*LogisticRegression, LinearSVC, .*; dict was given"):
        Model.from_estimator({}, schema)
    with pytest.raises(InvalidInput, match=r"declares the classes \['yes', 'no'\]"):
        Model.from_estimator(estimator, schema_with(classes=("yes", "no")))
    with pytest.raises(InvalidInput, match=r"bounds rows by 1.7320508\d*, the certificate states 1"):
        Model.from_estimator(estimator, schema_with("bound"))
    with pytest.raises(InvalidInput, match="Take weights, schema and certificate from the"):
        Model.from_estimator(estimator, replace(schema, categorical=()))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "tree"}, "must be one of"),
        ({"kind": None}, "must be one of"),
        ({"weights": np.ones(4)}, "5 weights belong to this problem, the model holds a vector of 4"),
        ({"weights": np.ones((5, 1))}, "holds an array of 5"),
        ({"weights": np.full(5, np.nan)}, "finite"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(model, change, words):
    with pytest.raises(InvalidInput, match=words):
        replace(model, **change)


def test_a_logistic_regression_needs_a_logistic_certificate():
    schema = schema_with()
    model = Model.from_estimator(fitted(schema, LinearSVC)[0], schema)
    with pytest.raises(InvalidInput, match='certificate is for the loss "softplus-hinge"'):
        replace(model, kind="logistic-regression")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def edited(model, *path, value):
    record = json.loads(model.to_json())
    inner = record
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return json.dumps(record)


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("format",), "discreet-model/2", "this version reads the format 'discreet-model/1'"),
        (("kind",), 3, "must be one of"),
        (("classes",), ["yes", "no"], "the parts of the model do not belong together"),
        (("classes",), None, "the parts of the model do not belong together"),
        (("weights",), "1, 2", "its weights are not a list of numbers"),
        (("weights",), [True] * 5, "its weights are not a list of numbers"),
        (("weights",), ["1"] * 5, "its weights are not a list of numbers"),
        (("weights",), [10**400] * 5, "too large for float64"),
        (("weights",), [1.0] * 6, "5 weights belong to this problem"),
        (("weights",), [float("nan")] * 5, "it contains NaN"),
        (("weights",), [float("-inf")] * 5, "it contains -Infinity"),
        (("extra",), 1, "holds 'extra'"),
        (("schema",), [], "schema is not valid"),
        (("schema", "format"), "discreet-schema/9", "discreet-schema/9"),
        (("certificate",), 1, "certificate of format"),
        (("certificate", "version"), "1\x1b[2J", "control characters"),
        (("certificate", "problem", "features"), 7, "gives 4 features, but the certificate states 7"),
        (("certificate", "problem", "data_norm"), "1", "lacks its data_norm|bounds rows by"),
        (("certificate", "problem", "data_norm"), 2.0, "bounds rows by 1, the certificate states 2"),
        (("certificate", "problem", "intercept_scale"), None, "intercept_scale"),
        (("certificate", "problem", "loss"), "huber-hinge", "for the loss"),
        (("certificate", "guarantee", "kind"), "perfect", "which this version does not know"),
    ],
)
def test_a_file_that_is_wrong_in_one_place_is_refused_in_one_sentence(model, path, value, words):
    with pytest.raises(FileFormatError, match=words) as caught:
        Model.from_json(edited(model, *path, value=value))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["kind", "classes", "weights", "schema", "certificate", "format"])
def test_a_file_that_lacks_a_part_is_refused(model, key):
    record = json.loads(model.to_json())
    del record[key]
    with pytest.raises(FileFormatError, match=key):
        Model.from_json(json.dumps(record))


@pytest.mark.parametrize(
    ("text", "words"),
    [("1e999", "too large for float64"), ("{} {}", "not JSON"), ('{"a": 1, "a": 2}', "same key twice"), ("3", "a number was found")],
)
def test_a_file_that_is_no_strict_json_object_is_refused(text, words):
    with pytest.raises(FileFormatError, match=words):
        Model.from_json(text)


def test_a_saved_model_is_read_back_exactly(model, tmp_path):
    model.save(tmp_path / "model.json")
    again = Model.load(tmp_path / "model.json")
    assert again == model
    assert again.weights.tobytes() == model.weights.tobytes()
    assert json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["format"] == "discreet-model/1"
    assert names(tmp_path) == ["model.json"]


def test_saving_does_not_overwrite_unless_asked(model, tmp_path):
    path = tmp_path / "model.json"
    path.write_text("kept", encoding="utf-8")
    with pytest.raises(InvalidInput, match="exists already"):
        model.save(path)
    assert path.read_text(encoding="utf-8") == "kept"
    model.save(path, overwrite=True)
    assert Model.load(path) == model
    assert names(tmp_path) == ["model.json"]


def test_a_file_that_appears_while_writing_is_not_overwritten(model, tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    monkeypatch.setattr(whole_file.os, "fsync", lambda _: path.write_text("kept", encoding="utf-8"))
    with pytest.raises(InvalidInput, match="cannot be written"):
        model.save(path)
    assert path.read_text(encoding="utf-8") == "kept"
    assert names(tmp_path) == ["model.json"]


def test_a_file_system_without_links_is_written_to_all_the_same(model, tmp_path, monkeypatch):
    def no_links(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(whole_file.Path, "hardlink_to", no_links)
    model.save(tmp_path / "model.json")
    assert names(tmp_path) == ["model.json"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("place", ["fsync", "hardlink_to", "replace"])
@pytest.mark.parametrize("there", [True, False])
def test_no_failure_leaves_half_a_file(model, tmp_path, monkeypatch, error, place, there):
    def fail(*_):
        raise error

    path = tmp_path / "model.json"
    if there:
        path.write_text("kept", encoding="utf-8")
    if place != "fsync":
        monkeypatch.setattr(whole_file.Path, "hardlink_to", fail if place == "hardlink_to" else full_system)
        monkeypatch.setattr(whole_file.Path, "replace", fail)
    else:
        monkeypatch.setattr(whole_file.os, "fsync", fail)
    with pytest.raises((InvalidInput, KeyboardInterrupt, MemoryError)):
        model.save(path, overwrite=there)
    assert names(tmp_path) == (["model.json"] if there else [])
    assert not there or path.read_text(encoding="utf-8") == "kept"


def full_system(*_):
    raise OSError(28, "No space left on device")


def test_a_link_keeps_pointing_where_it_did(model, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "real.json").write_text("old", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "folder" / "real.json")
    model.save(tmp_path / "link.json", overwrite=True)
    assert (tmp_path / "link.json").is_symlink()
    assert Model.load(tmp_path / "folder" / "real.json") == model


@pytest.mark.skipif(os.name == "nt", reason="/dev/null is not there")
def test_a_device_is_never_replaced(model):
    with pytest.raises(InvalidInput, match="is not an ordinary file, so it is not overwritten"):
        model.save("/dev/null", overwrite=True)


@pytest.mark.parametrize(
    ("name", "words"), [("absent.json", "there is no model file"), (".", "cannot be read"), ("\0", "cannot be read"), ("latin.json", "not UTF-8")]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, name, words):
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match=words):
        Model.load(tmp_path / name)
