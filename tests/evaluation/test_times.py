"""Measures of models of times and of ordered classes: right, at the stated cost, of each record by itself, and useless ones are called useless."""

import json
from functools import cache
from itertools import product

import numpy as np
import pytest

from discreet import LinearRegression, LinearSVC, OrdinalRegression, SurvivalModel
from discreet.core.errors import FileFormatError, InvalidInput, InvalidType
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Block, FunctionTable
from discreet.data.targets import period_numbers
from discreet.estimators import ArrayModel
from discreet.evaluation import evaluate_privately, prepare
from discreet.evaluation.concordance import _derivative, concordance
from discreet.evaluation.intervals import NoiseLaw
from discreet.evaluation.outcomes import Outcomes, outcomes_of
from discreet.evaluation.stored import evaluation_from
from discreet.evaluation.times import TimeSurvey
from discreet.matrices import as_matrix
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace
from tests.canary import CANARY, assert_carries_nothing

ENDS = (1.0, 2.0, 4.0)
QUIET = NoiseLaw.of(DiscreteGaussian(0.05))


@cache
def people(records=6000):
    draw = np.random.default_rng(0)
    X = draw.uniform(-0.5, 0.5, (records, 2))
    happens, leaves = draw.exponential(2.5 * np.exp(3.0 * X[:, 0] - X[:, 1])), draw.exponential(6.0, records)
    return X, np.column_stack((np.minimum(happens, leaves), happens <= leaves))


@cache
def fitted():
    X, y = people()
    return SurvivalModel(epsilon=np.inf, ends=ENDS).fit(X, y)


def right_pairs(counts):
    """Pairs in the right order, and all that can be compared, one after the other."""
    right = pairs = 0.0
    records = [(code, place) for code, place in np.ndindex(counts.shape) for _ in range(int(counts[code, place]))]
    for (code, place), (other, there) in product(records, records):
        if code % 2 == 1 and other >= code + 1:
            right, pairs = right + (place < there) + 0.5 * (place == there), pairs + 1.0
    return right, pairs


def test_the_share_of_pairs_is_that_of_all_pairs_and_its_derivative_of_every_cell():
    draw = np.random.default_rng(1)
    for shape in ((3, 2), (7, 4)):
        counts = draw.integers(1, 5, shape).astype(float)
        right, pairs = right_pairs(counts)
        assert concordance(counts, QUIET, level=0.95).value == pytest.approx(right / pairs)
        beyond = np.cumsum(counts[::-1], axis=0)[::-1][2::2]
        slope, flat = _derivative(counts[1::2], beyond)
        for cell in np.ndindex(shape):
            one = counts.copy()
            one[cell] += 1.0
            more = right_pairs(one)
            assert (slope[cell], flat[cell]) == pytest.approx((more[0] - right, more[1] - pairs))
    assert concordance(np.zeros((3, 2)), QUIET, level=0.95).high == 1.0


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_with_little_noise_the_measures_are_those_of_the_records(delta, neighbours):
    X, y = people()
    report = evaluate_privately(fitted(), X, y, epsilon=90.0, delta=delta, neighbours=neighbours, bins=200, level=0.9999)
    assert report.verify().ok
    codes, survival = period_numbers(y, ends=ENDS), np.column_stack((np.ones(len(X)), fitted().predict_survival(X)))
    seen, each = codes // 2, np.arange(len(X))
    likely = survival[each, seen] - np.where(codes % 2 == 1, survival[each, np.minimum(seen + 1, 3)], 0.0)
    assert report.log_loss.value == pytest.approx(-np.mean(np.log(likely)), abs=0.004)
    places = np.argsort(np.argsort(fitted().predict(X)))
    counts = np.zeros((7, 12))
    np.add.at(counts, (codes, places * 12 // len(X)), 1.0)
    events, beyond = counts[1::2], np.cumsum(counts[::-1], axis=0)[::-1][2::2]
    above = np.cumsum(beyond[:, ::-1], axis=1)[:, ::-1] - 0.5 * beyond
    assert report.concordance.value == pytest.approx(np.sum(events * above) / np.sum(events.sum(1) * beyond.sum(1)), abs=0.01)
    assert report.concordance.low < report.concordance.noise_low < report.concordance.noise_high < report.concordance.high
    assert report.baseline.useless is False
    assert "Orders pairs better than chance" in str(report)
    assert report.records == pytest.approx(len(X), abs=20)


def test_one_that_orders_the_wrong_way_is_no_better_than_chance():
    X, y = people()
    report = evaluate_privately(fitted(), -X, y, epsilon=4.0)
    assert report.baseline.useless is True
    assert "Orders pairs no better than chance" in str(report)


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_no_record_moves_the_answers_farther_than_the_noise_is_for(neighbours):
    """All pairs of what may be known and of survival curves, sure and impossible ones too; the farthest reach what is stated."""
    survey = TimeSurvey(metrics=("log_loss", "concordance"), neighbours=neighbours, ends=ENDS, bins=4)
    curves = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.9, 0.5, 0.5], [1.0, 1.0, 0.0], [1e-9, 1e-9, 1e-12]])
    codes, places = (column.ravel() for column in np.meshgrid(np.arange(7), np.arange(len(curves))))
    known = Outcomes(classes=(), actual=codes, predicted=None, probabilities=None, decision=None, survival=curves[places])
    columns, queries = survey.read(known), survey.queries()
    for query, column, stated in zip(queries.each, columns, queries.sensitivities(neighbours), strict=True):
        answers = np.array([query.answer(column[place : place + 1]) for place in range(len(codes))]).astype(float)
        apart = answers[:, np.newaxis] - answers if neighbours is REPLACE_ONE else answers
        reached = float(np.max(np.linalg.norm(apart, axis=-1)))
        assert 0.7 * np.sqrt(stated.squared) <= reached <= np.sqrt(stated.squared)


def test_blocks_arrays_and_files_say_the_same(tmp_path):
    X, y = people()
    model = fitted()
    model.save(tmp_path / "model.json")
    table = FunctionTable(lambda part: Block(as_matrix(X[part::3]), y[part::3], None), blocks=3, features=2)
    tables = ((model, X, y), (model, table), (ArrayModel.load(tmp_path / "model.json"), X, y), (ArrayModel.from_estimator(model), table))
    first, *others = (evaluate_privately(one, *given, epsilon=1.0, delta=1e-6, random_state=1).to_dict() for one, *given in tables)
    assert all(other == first for other in others)
    text = json.dumps(first)
    assert evaluation_from(text).to_dict() == first
    for change in (
        lambda told: told["concordance"].update(value=0.99),
        lambda told: told["baseline"].update(useless=True),
        lambda told: told["survey"].update(ends=[1.0, 2.0]),
        lambda told: told["survey"].update(bins=19),
        lambda told: told["survey"].update(log_loss_bound=4.0),
        lambda told: told["survey"].update(metrics=["log_loss"]),
    ):
        told = json.loads(text)
        change(told)
        with pytest.raises(FileFormatError):
            evaluation_from(json.dumps(told))


def test_no_records_are_an_answer_under_add_remove_alone():
    none = np.zeros((0, 2))
    report = evaluate_privately(fitted(), none, none, epsilon=1.0, neighbours="add-remove")
    assert abs(report.records) < 400
    with pytest.raises(InvalidInput, match="at least one is needed"):
        evaluate_privately(fitted(), none, none, epsilon=1.0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"metrics": ["accuracy"]}, "metrics of a model of times"),
        ({"bins": 1}, "bins"),
        ({"log_loss_bound": 0.0}, "log_loss_bound"),
        ({"error_bound": 1.0}, "edges, error_bound and target_bounds do not apply to"),
        ({"rows_per_person": 3, "persons": np.arange(6000)}, "a model of times needs one record per person, without"),
    ],
)
def test_what_cannot_be_measured_is_refused(settings, message):
    with pytest.raises(InvalidInput, match=message):
        evaluate_privately(fitted(), *people(), epsilon=1.0, **settings)


def test_what_is_not_fitted_and_what_are_no_times_is_refused_without_a_value():
    X, _ = people()
    with pytest.raises(InvalidType, match="Fit it first"):
        evaluate_privately(SurvivalModel(), *people(), epsilon=1.0)
    falling = Curves()
    falling.ends_ = (2.0, 1.0)
    with pytest.raises(InvalidInput, match="increasing"):
        evaluate_privately(falling, *people(), epsilon=1.0)
    for given in (None, np.full(len(X), np.nan), np.full((len(X), 3), CANARY)):
        with pytest.raises(InvalidInput) as refused:
            evaluate_privately(fitted(), X, given, epsilon=1.0)
        assert_carries_nothing(refused.value)


class Curves:
    """A model of somebody else's."""

    ends_ = (1.0, 2.0)
    classes_ = ()

    def predict(self, X):
        return np.asarray(X)[:, 0]

    def predict_survival(self, X):
        if np.any(np.asarray(X) == CANARY):
            raise ValueError(f"what is {CANARY}?")
        first = np.clip(0.5 + np.asarray(X)[:, 0], 0.0, 1.0)
        return np.column_stack((first, 0.5 * first))


def test_a_foreign_model_is_asked_about_one_record_after_the_other_and_a_failure_counts_as_the_worst():
    X, y = people()
    X, y = X[:40].copy(), y[:40]
    X[7] = CANARY
    survey = prepare(Curves(), epsilon=1.0, metrics=("log_loss", "concordance")).survey
    places, losses = survey.read(outcomes_of(Curves(), X, y))
    assert losses[7, 0] == 1 << 20
    assert places[7] % survey.bins == min(places % survey.bins) == 4  # half of the first of two periods


def test_the_distance_of_ordered_classes_is_that_of_their_places():
    X, _ = people()
    draw = np.random.default_rng(3)
    labels = np.array(["bad", "fair", "good", "best"])
    codes = np.digitize(X[:, 0] + 0.2 * draw.normal(size=len(X)), [-0.3, 0.0, 0.3])
    model = OrdinalRegression(epsilon=20.0, delta=1e-6, classes=labels, random_state=0).fit(X, labels[codes])
    off = np.abs([list(labels).index(one) for one in model.predict(X)] - codes)
    for one in (model, ArrayModel.from_estimator(model)):
        report = evaluate_privately(one, X, labels[codes], epsilon=40.0, level=0.9999)
        assert report.distance.noise_low <= off.mean() <= report.distance.noise_high
        assert report.distance.value == pytest.approx(off.mean(), abs=0.01)
        assert evaluation_from(report.to_json()).to_dict() == report.to_dict()
    plain = LinearSVC(epsilon=20.0, delta=1e-6, classes=labels, random_state=0).fit(X, labels[codes])
    assert evaluate_privately(plain, X, labels[codes], epsilon=1.0).distance is None
    assert evaluate_privately(plain, X, labels[codes], epsilon=1.0, metrics="distance").distance.value < 1.5


def test_the_law_of_a_weighted_sum_of_noise_is_enumerated():
    single = NoiseLaw.of(DiscreteLaplace(0.7))
    found = NoiseLaw.together([(1, single), (3, single)])
    masses = {}
    for (one, first), (other, second) in product(*(list(zip(single.values, single.masses, strict=True)),) * 2):
        masses[one + 3 * other] = masses.get(one + 3 * other, 0.0) + first * second
    assert found.deviation == pytest.approx(single.deviation * 10**0.5)
    assert all(mass == pytest.approx(masses[value], abs=1e-9) for value, mass in zip(found.values, found.masses, strict=True))
    assert found.over(4.0).quantile(0.1) == pytest.approx(found.quantile(0.1) / 4.0)


def test_a_model_of_arrays_is_measured_as_its_estimator_is():
    X, y = people()
    target = np.clip(X[:, 0] + 0.2, -1.0, 1.0)
    for model, given in (
        (LinearSVC(epsilon=20.0, delta=1e-6, classes=["no", "yes"], random_state=0), np.where(y[:, 1] > 0, "yes", "no")),
        (LinearRegression(epsilon=20.0, delta=1e-6, target_bound=2.0, random_state=0), target),
    ):
        model.fit(X, given)
        first, second = (
            evaluate_privately(one, X, given, epsilon=1.0, random_state=2).to_dict() for one in (model, ArrayModel.from_estimator(model))
        )
        assert first == second
