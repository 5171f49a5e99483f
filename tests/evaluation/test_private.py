"""Private evaluation: what is asked, what is found, what it costs, and that nothing private shows."""

import copy
import json
import logging
import pickle
import warnings
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression as ScikitLearns
from sklearn.svm import LinearSVC as ScikitLearnsSvm

from discreet import LinearSVC, LogisticRegression, Schema
from discreet.core.errors import DiscreetError, FileFormatError, InvalidInput, InvalidType, PrivateDataError
from discreet.data import Block, FunctionTable
from discreet.estimators import Model
from discreet.evaluation import evaluate_privately, prepare
from discreet.evaluation.outcomes import outcomes_of
from discreet.evaluation.stored import evaluation_from
from discreet.ledger import Account, BudgetExceeded, Ledger, using
from discreet.matrices import as_matrix
from discreet.mechanisms.counting import BoundedSum, Histogram
from discreet.noise import Noise, SeededNoise
from tests.canary import CANARY, assert_carries_nothing, assert_silent
from tests.evaluation.people import SURE, Oracle, drawn, outcomes

EVERYTHING = ("accuracy", "confusion", "log_loss", "roc", "calibration")


def asked(model=None, **settings):
    return prepare(model or Oracle(), epsilon=1.0, **settings).survey.queries().each


def test_one_histogram_and_one_sum_answer_everything():
    assert asked(metrics=EVERYTHING) == (Histogram(cells=40), BoundedSum(largest=1024))
    assert asked(metrics=("roc", "accuracy"), bins=10) == (Histogram(cells=20),)
    assert asked(metrics=("accuracy", "confusion")) == (Histogram(cells=4),)
    assert asked(metrics="accuracy") == (BoundedSum(largest=1),)
    assert asked(metrics=("accuracy",), neighbours="add-remove") == (Histogram(cells=2),)
    assert asked(metrics=("log_loss",)) == (BoundedSum(largest=1024),)
    assert asked(metrics=("log_loss",), neighbours="add-remove") == (Histogram(cells=1), BoundedSum(largest=1024))


@pytest.mark.more
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(
    "metrics", [*(pytest.param((one,), marks=[] if one == "accuracy" else [pytest.mark.more]) for one in EVERYTHING), EVERYTHING], ids=str
)
def test_measures_are_right_for_a_large_table(neighbours, delta, metrics):
    """The oracle is right in 75 %, has log loss 1/2 (losses beyond 5 nats cost 0.00005) and AUC 5/6."""
    X, y = drawn(20_000)
    report = evaluate_privately(Oracle(), X, y, epsilon=1.0, delta=delta, neighbours=neighbours, metrics=metrics, level=SURE)
    assert report.verify().ok
    assert (report.records_error == 0.0) is (neighbours == "replace-one")
    assert abs(report.records - 20_000) <= report.records_error
    if {"accuracy", "confusion", "roc", "calibration"} & set(metrics):
        assert report.accuracy.low <= 0.75 <= report.accuracy.high
        assert report.accuracy.noise_high - report.accuracy.noise_low < 0.06
    if report.confusion is not None:
        right = Oracle().predict(X) == y
        true = [[np.sum(right & (y == "no")), np.sum(~right & (y == "no"))], [np.sum(~right & (y == "yes")), np.sum(right & (y == "yes"))]]
        assert np.all(np.abs(np.array(report.confusion) - true) <= report.confusion_error)
    if report.log_loss is not None:
        assert report.log_loss.low <= 0.5 <= report.log_loss.high
        assert report.log_loss.noise_high - report.log_loss.noise_low < 0.1
    if report.roc is not None:
        assert report.roc.area.low <= 5 / 6 <= report.roc.area.high
    if report.calibration is not None:
        inside = [one.share.low <= 0.5 * (one.lowest + one.highest) <= one.share.high for one in report.calibration.bins]
        assert all(inside)
    for name in ("log_loss", "roc", "calibration"):
        assert (getattr(report, name) is not None) is (name in metrics)


@pytest.mark.parametrize(("neighbours", "delta"), [("replace-one", 0.0), ("add-remove", 1e-6)])
def test_it_costs_what_was_asked_for_and_no_delta_where_pure_noise_is_less(tmp_path, neighbours, delta):
    X, y = drawn(200)
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.2, delta=2e-6, neighbours=neighbours)
    with using(ledger, "people"):
        report = evaluate_privately(Oracle(), X, y, epsilon=1.0, delta=delta, neighbours=neighbours, metrics=EVERYTHING)
    (entry,) = ledger.history("people")
    assert report.certificate.ledger_entry == entry.id
    stated = report.certificate.guarantee
    assert (stated.epsilon, stated.delta(stated.epsilon)) == (pytest.approx(1.0), 0.0)
    with pytest.raises(BudgetExceeded):
        evaluate_privately(Oracle(), X, y, epsilon=1.0, delta=delta, neighbours=neighbours, account=Account(str(tmp_path / "a.ledger"), "people"))
    assert len(ledger.history("people")) == 1


def test_the_ledger_knows_the_table_again_under_another_name(tmp_path):
    X, y = drawn(200)
    ledger = Ledger.create(tmp_path / "a.ledger")
    for name in ("people", "others"):
        ledger.declare(name, epsilon=9.0)
    account = Account(str(tmp_path / "a.ledger"), "people")
    model = LogisticRegression(classes=["no", "yes"], ledger=account).fit(X, y)
    with pytest.raises(InvalidInput, match="the ledger already has this table under the"):
        evaluate_privately(model, X, y, epsilon=1.0, account=Account(str(tmp_path / "a.ledger"), "others"))
    evaluate_privately(model, X, y, epsilon=1.0, account=account)
    assert len(ledger.history("people")) == 2


def three_classes():
    draw = np.random.default_rng(2)
    X = draw.normal(size=(3000, 2))
    return X, np.array(["a", "b", "c"])[np.argmax(X @ [[1, 0, -1], [0, 1, -1]] + draw.normal(size=(3000, 3)), axis=1)]


@pytest.mark.parametrize("neighbours", ["replace-one", pytest.param("add-remove", marks=pytest.mark.more)])
def test_three_classes_are_measured_by_predictions_and_probabilities_alone(neighbours):
    X, y = three_classes()
    model = ScikitLearns().fit(X, y)
    report = evaluate_privately(model, X, y, epsilon=2.0, neighbours=neighbours, metrics=("accuracy", "confusion", "log_loss"), level=SURE)
    predicted = model.predict(X)
    true = np.array([[np.sum((y == a) & (predicted == b)) for b in "abc"] for a in "abc"])
    assert np.all(np.abs(np.array(report.confusion) - true) <= report.confusion_error)
    assert report.accuracy.noise_low <= np.mean(predicted == y) <= report.accuracy.noise_high
    losses = -np.log(model.predict_proba(X)[np.arange(3000), np.searchsorted(["a", "b", "c"], y)])
    assert report.log_loss.noise_low <= np.mean(np.minimum(losses, 5.0)) <= report.log_loss.noise_high
    with pytest.raises(InvalidInput, match="need two classes"):
        evaluate_privately(model, X, y, epsilon=1.0, metrics=("roc",))


def test_support_vector_machines_have_curves_of_decision_values_and_no_log_loss():
    X, y = drawn(4000)
    model = LinearSVC(epsilon=4.0, loss="huber-hinge", classes=["no", "yes"]).fit(X, y)
    report = evaluate_privately(model, X, y, epsilon=2.0, metrics=("accuracy", "roc"), level=SURE)
    assert report.survey.threshold == 0.0
    assert report.accuracy.noise_low <= model.score(X, y) <= report.accuracy.noise_high
    for metric in ("log_loss", "calibration"):
        with pytest.raises(InvalidInput, match="needs a model with probabilities"):
            evaluate_privately(model, X, y, epsilon=1.0, metrics=(metric,))
    foreign = evaluate_privately(ScikitLearnsSvm().fit(X, y), X, y, epsilon=2.0, metrics=("roc",), edges=[-0.5, 0.0, 0.5])
    assert len(foreign.roc.thresholds) == 3


SCHEMA = Schema.from_dict(
    {
        "format": "discreet-schema/1",
        "name": "people",
        "target": {"column": "answer", "classes": ["no", "yes"]},
        "numeric": [{"name": "age", "lower": 0, "upper": 100}],
    }
)


def test_a_model_from_a_file_measures_a_table_as_its_estimator_measures_the_encoded_one():
    draw = np.random.default_rng(3)
    age = draw.integers(0, 101, 2000)
    frame = pl.DataFrame({"age": age, "answer": np.where(age > 60, "yes", "no")})
    encoded = SCHEMA.encode(frame, target=True)
    estimator = LogisticRegression(epsilon=5.0, data_norm=SCHEMA.norm_bound).fit(encoded)
    model = Model.from_estimator(estimator, SCHEMA)
    reports = [
        evaluate_privately(one, table, epsilon=1.0, random_state=4, metrics=EVERYTHING)
        for one, table in ((model, frame), (model, encoded), (estimator, encoded))
    ]
    assert all(np.array_equal(report.value, reports[0].value) for report in reports)
    with pytest.raises(InvalidInput, match="leave y out"):
        evaluate_privately(model, encoded, ["no"] * 2000, epsilon=1.0)
    with pytest.raises(InvalidInput, match="without its target"):
        evaluate_privately(estimator, SCHEMA.encode(frame, target=False), epsilon=1.0)


@pytest.mark.parametrize(("epsilon", "delta"), [(1e4, 0.0), (100.0, 1e-6), (1e-4, 0.0), (1e-4, 1e-9), (1.0, 0.5)])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_extreme_budgets_give_extreme_noise_and_nothing_worse(epsilon, delta, neighbours):
    X, y = drawn(500)
    report = evaluate_privately(Oracle(), X, y, epsilon=epsilon, delta=delta, neighbours=neighbours, metrics=EVERYTHING, level=SURE)
    assert report.verify().ok
    assert json.loads(report.to_json())
    ET.fromstring(report.plot())  # noqa: S314 - it is ours
    if epsilon >= 100:
        assert report.accuracy.value == pytest.approx(np.mean(Oracle().predict(X) == y), abs=1e-9)
    if epsilon < 0.01:
        assert report.accuracy.high - report.accuracy.low > (0.9 if neighbours == "replace-one" else 0.5)


def test_a_seed_repeats_and_is_not_valid():
    X, y = drawn(300)
    first, second = (evaluate_privately(Oracle(), X, y, epsilon=1.0, random_state=7) for _ in range(2))
    assert first.to_dict() == second.to_dict()
    assert not first.verify().ok
    assert not np.array_equal(first.value, evaluate_privately(Oracle(), X, y, epsilon=1.0).value)


def test_files_hold_everything_and_pictures_are_well_formed():
    X, y = drawn(1000)
    report = evaluate_privately(Oracle(), X, y, epsilon=1.0, delta=1e-6, metrics=EVERYTHING, neighbours="add-remove")
    record = json.loads(report.to_json(), parse_constant=pytest.fail)
    assert record["format"] == "discreet-evaluation/2"
    assert record["accuracy"]["value"] == report.accuracy.value
    assert len(record["roc"]["hits"]) == 19
    assert len(record["calibration"]["bins"]) == 20
    picture = ET.fromstring(report.plot())  # noqa: S314 - it is ours
    words = [element.text for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert "Private evaluation: epsilon 1, delta 0, add-remove" in words
    assert any(word.startswith("ROC: AUC 0.") for word in words)
    assert "Accuracy" in str(report)
    with pytest.raises(InvalidInput, match="no curve"):
        evaluate_privately(Oracle(), X, y, epsilon=1.0).plot()


def test_classes_that_are_one_number_are_two_labels_and_the_same_one_twice_is_refused():
    text = evaluate_privately(Oracle(), *drawn(300), epsilon=1.0, delta=1e-6).to_json().replace('"no"', "1")
    assert list(map(type, evaluation_from(text.replace('"yes"', "true")).classes)) == [int, bool]
    with pytest.raises(FileFormatError, match="stands there twice"):
        evaluation_from(text.replace('"yes"', "1"))


def test_under_add_remove_nothing_but_noisy_counts_tells_the_number_of_records(caplog):
    """Two tables of different sizes and the same released integers give the same report."""
    from discreet.evaluation.private import measure

    class Given(SeededNoise):
        def discrete_laplace(self, *, scale, dimension, draws):
            return np.full((dimension, draws), self.seed)

    caplog.set_level(logging.DEBUG)
    prepared = prepare(Oracle(), epsilon=1.0, neighbours="add-remove", metrics=("accuracy",))
    rows = np.array([[0.9], [0.1]])
    labels = np.array(["yes", "yes"])
    small = measure(prepared, outcomes(rows, labels), Given(100))
    large = measure(prepared, outcomes(np.tile(rows, (51, 1)), np.tile(labels, 51)), Given(50))
    assert small.to_dict() == large.to_dict()
    assert not caplog.text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": float("inf")}, "epsilon"),
        ({"epsilon": "1"}, "epsilon must be a number"),
        ({"epsilon": 1e-10, "delta": 0.0}, "raise epsilon"),
        ({"epsilon": 1e-7, "delta": 0.0, "metrics": ("log_loss",)}, "raise epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"delta": -0.1}, "delta"),
        ({"neighbours": "twins"}, "neighbours must be one of"),
        ({"metrics": ()}, "metrics must be some of"),
        ({"metrics": ("acuracy",)}, "Did you mean 'accuracy'"),
        ({"metrics": ("roc",), "bins": 7}, "even"),
        ({"metrics": ("roc",), "edges": [0.2, 0.1]}, "the edges of score bins must be"),
        ({"metrics": ("roc",), "edges": [0.2, 0.4]}, "0.5 must be one of the edges"),
        ({"metrics": ("log_loss",), "log_loss_bound": 0.0}, "log_loss_bound"),
        ({"level": 1.0}, "level"),
        ({"random_state": "seed"}, "random_state"),
    ],
)
def test_arguments_are_checked_before_a_record_is_read(settings, message):
    with pytest.raises(InvalidInput, match=message):
        evaluate_privately(Oracle(), None, None, **{"epsilon": 1.0, **settings})


def test_what_is_no_fitted_classifier_is_refused():
    for model in (None, "model", object(), LogisticRegression()):
        with pytest.raises(InvalidType, match="fitted classifier"):
            evaluate_privately(model, [[1.0]], ["no"], epsilon=1.0)


class Leaky(Oracle):
    """Quotes what it is given."""

    def predict(self, X):
        raise ValueError(f"could not convert string to float: {np.asarray(X).tolist()}")


class Short(Oracle):
    def predict(self, X):
        return super().predict(X)[:0]


class Unsure(Oracle):
    def predict_proba(self, X):
        return np.full((len(X), 2), CANARY)


@pytest.mark.parametrize(
    ("model", "X", "y"),
    [
        (Oracle(), [[CANARY], [0.1]], ["no", CANARY]),
        (Oracle(), [[0.5], [0.1]], ["no", [CANARY]]),
        (Oracle(), [[0.5], [0.1]], [["no", CANARY]] * 2),
        (Oracle(), [[CANARY], [0.1]], ["no"]),
        (Oracle(), [[CANARY], [0.1]], None),
        (Leaky(), np.array([[CANARY], [0.1]]), ["no", "yes"]),
        (Short(), np.array([[CANARY], [0.1]]), ["no", "yes"]),
        (Unsure(), np.array([[CANARY], [0.1]]), ["no", "yes"]),
        (Oracle(), np.zeros((0, 1)), []),
    ],
)
def test_no_refusal_shows_a_value(model, X, y):
    with pytest.raises(DiscreetError) as refusal:
        evaluate_privately(model, X, y, epsilon=1.0, metrics=("accuracy", "log_loss"))
    assert_carries_nothing(refusal.value)


@pytest.mark.parametrize("model", [Leaky(), Short(), Unsure()])
def test_what_a_model_fails_on_in_a_list_is_counted_in_silence(model):
    """Of an array a row of zeros is asked about first, and refused; of a list nothing is known without its records."""
    report = evaluate_privately(model, [[CANARY], [0.1]], ["no", "yes"], epsilon=1.0, metrics=("accuracy", "log_loss"))
    for text in (report, repr(report), report.to_json()):
        assert_silent(text)


class Warner(Oracle):
    """Warns of what it is given."""

    def predict(self, X):
        warnings.warn(f"odd: {np.asarray(X).tolist()}", UserWarning, stacklevel=1)
        return super().predict(X)


@pytest.mark.parametrize("in_blocks", [False, True])
def test_a_models_own_warnings_tell_of_no_record(in_blocks):
    X, y = np.array([[CANARY], [0.1]]), np.array(["no", "yes"])
    table = (FunctionTable(lambda _: Block(as_matrix(X), y), blocks=1, features=1), None) if in_blocks else (X, y)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evaluate_privately(Warner(), *table, epsilon=1.0, metrics=("accuracy",))
    assert not [one for one in told if "odd" in str(one.message)]


def test_no_report_shows_a_value():
    X, y = np.array([[CANARY]] * 30 + [[0.3]] * 30), ["yes", "no"] * 30

    class Clipped(Oracle):
        def predict_proba(self, X):
            return super().predict_proba(np.clip(X, 0, 1))

    report = evaluate_privately(Clipped(), X, y, epsilon=1.0, metrics=EVERYTHING)
    for text in (report, repr(report), report.to_json(), report.plot(), repr(outcomes_of(Clipped(), X, y))):
        assert_silent(text)


def test_outcomes_are_neither_copied_nor_pickled():
    found = outcomes(*drawn(3))
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(PrivateDataError):
            take(found)


def test_noise_is_drawn_from_the_system_by_default():
    X, y = drawn(50)
    assert "operating system" in evaluate_privately(Oracle(), X, y, epsilon=1.0).certificate.noise
    assert issubclass(SeededNoise, Noise)
