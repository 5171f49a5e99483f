"""Errors and R^2 of models that predict numbers: right, at the stated cost, for records, persons and blocks, and useless ones are called useless."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from discreet import GroupLasso, Lasso, LinearRegression, LogisticRegression, Schema
from discreet.certificates import Release
from discreet.core.errors import FileFormatError, InvalidInput, InvalidType
from discreet.data import Block, FunctionTable
from discreet.estimators import Model
from discreet.evaluation import NUMBER_METRICS, evaluate_privately, prepare, read_evaluation
from discreet.evaluation.outcomes import outcomes_of
from discreet.evaluation.private import read_report
from discreet.evaluation.stored import evaluation_from
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from tests.canary import CANARY, assert_carries_nothing, assert_silent
from tests.evaluation.people import SURE

BOUND = 2.0
"""Of errors: as far as targets between -1 and 1 are apart, so that none is cut."""


def people(records=4000, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-0.5, 0.5, (records, 3))
    return X, np.clip(X @ [1.0, -0.6, 0.2] + draw.normal(0.0, 0.1, records), -1.0, 1.0)


def fitted(X, y, kind=LinearRegression, **settings):
    return kind(epsilon=20.0, delta=1e-6, target_bound=1.0, **settings).fit(X, y)


def public(model, X, y):
    predicted = model.predict(X)
    return mean_squared_error(y, predicted), mean_absolute_error(y, predicted), r2_score(y, predicted)


def found(report):
    return report.mean_square, report.mean_absolute, report.r_squared


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("kind", [LinearRegression, *(pytest.param(kind, marks=pytest.mark.more) for kind in (Lasso, GroupLasso))])
def test_with_little_noise_the_measures_are_those_of_scikit_learn(kind, delta, neighbours):
    X, y = people(40_000)  # at 4,000 the noise of the mean square is two thirds of what it may be off by
    model = fitted(X, y, kind)
    report = evaluate_privately(model, X, y, epsilon=90.0, delta=delta, neighbours=neighbours, error_bound=BOUND, level=SURE)
    assert report.verify().ok
    for measure, true in zip(found(report), public(model, X, y), strict=True):
        assert measure.value == pytest.approx(true, rel=0.03, abs=3e-4)
        assert measure.noise_low <= true <= measure.noise_high
        assert measure.low <= measure.noise_low <= measure.noise_high <= measure.high  # equal where samples hardly differ
    assert report.target_variance == pytest.approx(np.var(y), rel=0.02)
    assert report.baseline.useless is False
    root = {short: one for short, _, one in report.measures}["RMSE"]
    assert root.value == pytest.approx(report.mean_square.value**0.5)


def test_a_model_that_answers_the_mean_is_called_no_better_and_a_worse_one_worse():
    X, y = people(20_000)
    for model, useless in ((Ridge().fit(X, np.zeros(len(X))), None), (Ridge().fit(X, -y), True), (Ridge().fit(X, y), False)):
        report = evaluate_privately(model, X[:2000], y[:2000], epsilon=20.0, target_bounds=(-1.0, 1.0), error_bound=BOUND)
        assert report.baseline.useless is useless
        assert ("o better than always predicting the mean of the targets" in str(report)) is (useless is True)
        assert ("Not shown to be better than always predicting" in str(report)) is (useless is None)


def rows_in_blocks(X, y, **persons):
    parts = np.array_split(np.arange(len(X)), 3)
    columns = {name: lambda part, of=of: of[parts[part]] for name, of in persons.items()}
    return FunctionTable(
        lambda part: Block(as_matrix(X[parts[part]]), y[parts[part]], None, *(column(part) for column in columns.values())),
        blocks=3,
        features=X.shape[1],
    )


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_table_in_blocks_gives_the_same_integers(neighbours):
    X, y = people(600)
    model = fitted(X, y)
    held, streamed = (
        evaluate_privately(model, *table, epsilon=1.0, delta=1e-6, neighbours=neighbours, random_state=3)
        for table in ((X, y), (rows_in_blocks(X, y),))
    )
    assert held.to_dict() == streamed.to_dict()


@pytest.mark.parametrize("weight", ["person", "row"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_persons_share_their_rows_and_the_measures_are_about_them(weight, neighbours):
    X, y = people(4000)
    model, ids = fitted(X, y), np.arange(4000) // 4
    report = evaluate_privately(
        model, X, y, epsilon=60.0, neighbours=neighbours, persons=ids, rows_per_person=4, person_weight=weight, error_bound=BOUND, level=SURE
    )
    assert report.verify().ok
    assert report.counted == ("Persons" if weight == "person" else "Rows kept")
    assert abs(report.records - (1000 if weight == "person" else 4000)) <= report.records_error + 0.01
    for measure, true in zip(found(report), public(model, X, y), strict=True):
        assert measure.noise_low <= true <= measure.noise_high


SCHEMA = Schema.from_dict(
    {
        "format": "discreet-schema/1",
        "name": "wages",
        "target": {"column": "wage", "lower": 0, "upper": 100, "outside": "clip"},
        "numeric": [{"name": "age", "lower": 0, "upper": 100}],
    }
)


def test_a_model_from_a_file_is_measured_in_the_unit_of_its_target(tmp_path):
    draw = np.random.default_rng(3)
    age = draw.uniform(0, 100, 3000)
    frame = pl.DataFrame({"age": age, "wage": 20.0 + 0.5 * age + draw.normal(0.0, 4.0, 3000)})
    encoded = SCHEMA.encode(frame, target=True)
    estimator = LinearRegression(epsilon=20.0, delta=1e-6, data_norm=SCHEMA.norm_bound).fit(encoded)
    model = Model.from_estimator(estimator, SCHEMA)
    of_model, of_file, of_estimator = (
        evaluate_privately(one, table, epsilon=40.0, random_state=4, level=0.9999)
        for one, table in ((model, frame), (model, encoded), (estimator, encoded))
    )
    assert np.array_equal(of_model.value, of_file.value)
    assert np.max(np.abs(of_model.value - of_estimator.value)) <= 3000 * 4  # a rounding of every record
    off = frame["wage"].to_numpy() - model.predict(frame)
    assert of_model.mean_absolute.noise_low <= np.mean(np.abs(off)) <= of_model.mean_absolute.noise_high
    assert of_model.survey.bound == 50.0
    assert of_estimator.r_squared.value == pytest.approx(of_model.r_squared.value, abs=1e-3)
    of_model.save(tmp_path / "evaluation.json")
    assert read_evaluation(tmp_path / "evaluation.json").to_dict() == of_model.to_dict()
    with pytest.raises(InvalidInput, match="leave target_bounds out"):
        evaluate_privately(model, frame, epsilon=1.0, target_bounds=(0.0, 1.0))


def test_a_file_that_says_anything_else_is_refused():
    X, y = people(300)
    document = json.loads(evaluate_privately(fitted(X, y), X, y, epsilon=1.0).to_json())
    for change in (
        lambda told: told["r2"].update(value=0.99),
        lambda told: told["baseline"].update(useless=True),
        lambda told: told["survey"]["target"].update(upper=2.0),
        lambda told: told["survey"].update(error_bound=0.5),
        lambda told: told["survey"].update(metrics=["mse"]),
        lambda told: told.update(target_variance=9.0),
    ):
        told = json.loads(json.dumps(document))
        change(told)
        with pytest.raises(FileFormatError):
            evaluation_from(json.dumps(told))


@pytest.mark.parametrize("kind", ["numbers", "classes"])
def test_a_report_of_another_public_number_of_records_is_refused_though_all_of_it_was_computed_from_it(kind):
    X, y = people(300)
    model, told = (fitted(X, y), y) if kind == "numbers" else (LogisticRegression(epsilon=5.0, classes=[False, True]).fit(X, y > 0), y > 0)
    found = evaluate_privately(model, X, told, epsilon=1.0, delta=1e-6)
    prepared = prepare(model, epsilon=1.0, delta=1e-6)
    release = Release(value=found.value, certificate=found.certificate)
    assert read_report(prepared, release, 300).to_json() == found.to_json() == evaluation_from(found.to_json()).to_json()
    with pytest.raises(FileFormatError, match="another number of records"):
        evaluation_from(read_report(prepared, release, 100).to_json())


def test_the_ledger_knows_the_table_again(tmp_path):
    X, y = people(300)
    ledger = Ledger.create(tmp_path / "a.ledger")
    for name in ("people", "others"):
        ledger.declare(name, epsilon=90.0, delta=1e-4)
    account = Account(str(tmp_path / "a.ledger"), "people")
    model = fitted(X, y, ledger=account)
    for table in ((X, y), (rows_in_blocks(X, y),)):
        with pytest.raises(InvalidInput, match="the ledger already has this table under the"):
            evaluate_privately(model, *table, epsilon=1.0, account=Account(str(tmp_path / "a.ledger"), "others"))
    evaluate_privately(model, X, y, epsilon=1.0, account=account)
    assert len(ledger.history("people")) == 2


def test_a_record_is_two_integers_that_no_other_record_changes():
    class Jittery(Ridge):
        """Its last bits depend on how many records there are."""

        def predict(self, X):
            return super().predict(X) + 0.01 * (len(X) % 7)

    X, y = people(60)
    survey = prepare(LinearRegression(target_bound=1.0).fit(X, y), epsilon=1.0).survey
    for model in (fitted(X, y), Jittery().fit(X, y)):
        (whole,) = survey.read(outcomes_of(model, X, y))
        for count in (1, 2, 3, 41):
            (part,) = survey.read(outcomes_of(model, X[:count], y[:count]))
            assert np.array_equal(part, whole[:count])


class Failing(Ridge):
    """Answers what is no number, or not at all."""

    def predict(self, X):
        if np.any(np.asarray(X) == CANARY):
            raise ValueError(f"what is {CANARY}?")
        return np.where(np.asarray(X)[:, 0] > 0.4, np.nan, super().predict(X))


def test_a_record_without_an_answer_is_off_by_as_much_as_can_be():
    X, y = people(50)
    model = Failing().fit(X, y)
    X[0] = CANARY
    survey = prepare(model, epsilon=1.0, target_bounds=(-1.0, 1.0)).survey
    (read,) = survey.read(outcomes_of(model, X, y))
    assert np.array_equal(read[:, 0] == survey.moments.levels, (X[:, 0] > 0.4) | (X[:, 0] == CANARY))
    report = evaluate_privately(model, X, y, epsilon=1.0, target_bounds=(-1.0, 1.0))
    for text in (report, repr(report), report.to_json()):
        assert_silent(text)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metrics": ()}, "some of"),
        ({"metrics": ("accuracy",)}, "predicts numbers are some of"),
        ({"metrics": ("mes",)}, "Did you mean 'mse'"),
        ({"error_bound": 0.0}, "error_bound must be a positive"),
        ({"error_bound": "wide"}, "error_bound"),
        ({"edges": [0.0]}, "predicts numbers"),
        ({"target_bounds": (1.0, 1.0)}, "two finite numbers"),
        ({"target_bounds": (0.0, float("inf"))}, "two finite numbers"),
        ({"target_bounds": 3.0}, "two finite numbers"),
        ({"error_bound": 1e200}, "error_bound must be a positive finite number, from"),
        ({"target_bounds": (0.0, 5e-324), "error_bound": 1.0}, "half the range of targets"),
        ({"target_bounds": (-1e200, 1e200)}, "half the range of targets"),
        ({"epsilon": 0.0}, "epsilon"),
    ],
)
def test_arguments_are_checked_before_a_record_is_read(settings, message):
    model = fitted(*people(50))
    with pytest.raises(InvalidInput, match=message):
        evaluate_privately(model, None, None, **{"epsilon": 1.0, **settings})


def test_bounds_of_targets_must_be_declared_and_classifiers_have_none():
    X, y = people(50)
    with pytest.raises(InvalidInput, match=r"target_bounds=\(lowest, highest\)"):
        evaluate_privately(Ridge().fit(X, y), X, y, epsilon=1.0)
    classifier = LogisticRegression(classes=[False, True]).fit(X, y > 0)
    with pytest.raises(InvalidInput, match="error_bound and target_bounds are for models that"):
        evaluate_privately(classifier, X, y > 0, epsilon=1.0, error_bound=1.0)
    with pytest.raises(InvalidType, match="fitted regression"):
        evaluate_privately(LinearRegression(target_bound=1.0), X, y, epsilon=1.0)


def test_a_model_that_is_always_far_off_is_not_called_better_where_its_errors_are_cut_soon():
    X, y = people(2000)
    far = Ridge().fit(X, y + 1000.0)
    report = evaluate_privately(far, X, y, epsilon=5.0, target_bounds=(-1.0, 1.0), error_bound=0.01)
    assert report.r_squared.low > 0.0  # of the cut errors
    assert report.baseline.useless is None
    assert "errors cut at 0.01" in report.baseline.words
    assert evaluate_privately(far, X, y, epsilon=5.0, target_bounds=(-1.0, 1.0)).baseline.useless is True


@pytest.mark.parametrize("table", [np.asarray, pd.DataFrame])
def test_a_foreign_regression_that_was_never_fitted_is_refused_before_it_costs_anything(table):
    X, y = people(50)
    with pytest.raises(InvalidType, match="Fit it first"):
        evaluate_privately(Ridge(), table(X), y, epsilon=1.0, target_bounds=(-1.0, 1.0))


@pytest.mark.parametrize("y", [["a"] * 50, [CANARY] * 49 + [float("nan")], [[CANARY, 1.0]] * 50, [CANARY] * 49, None])
def test_no_refusal_shows_a_target(y):
    X, own = people(50)
    with pytest.raises(InvalidInput) as refusal:
        evaluate_privately(fitted(X, own), X, y, epsilon=1.0)
    assert_carries_nothing(refusal.value)


@pytest.mark.parametrize("metric", NUMBER_METRICS)
def test_only_what_is_asked_for_is_released(metric):
    X, y = people(300)
    report = evaluate_privately(fitted(X, y), X, y, epsilon=1.0, metrics=metric)
    assert [one is not None for one in found(report)] == [name == metric for name in NUMBER_METRICS]
    assert len(report.value) == {"mse": 2, "mae": 2, "r2": 6}[metric]
