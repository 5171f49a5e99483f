"""Private evaluation where persons have several rows: one moves the answers as one record does, and intervals are about persons."""

import json
from functools import cache

import numpy as np
import pytest
from scipy.stats import binom

from discreet.accounting import Unit
from discreet.certificates import Certificate
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.neighbours import Persons
from discreet.data import Block, FunctionTable
from discreet.evaluation import evaluate_privately, proportion_interval
from discreet.evaluation.intervals import NoiseLaw
from discreet.evaluation.shares import most_expected, share_interval
from discreet.evaluation.stored import evaluation_from
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from discreet.mechanisms.persons import Owners
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace
from discreet.words.counting import WHOLE
from tests.evaluation.people import SURE, Oracle, drawn
from tests.parts import table_elsewhere

EVERYTHING = ("accuracy", "confusion", "log_loss", "roc", "calibration")
RELATIONS = ["replace-one", "add-remove"]
ROWS, LABELS = drawn(6000)
OWNERS = np.repeat(np.arange(2000), [1, 2, 6, 3] * 500)
"""Of 12 rows four persons have 1, 2, 6 and 3."""


def of_persons(X=ROWS, y=LABELS, persons=OWNERS, *, rows_per_person=4, **settings):
    return evaluate_privately(Oracle(), X, y, persons=persons, rows_per_person=rows_per_person, **{"epsilon": 1.0, **settings})


def exact_weights(weight):
    """a_i of all rows where six rows of a person are kept."""
    return np.full(6000, 1.0 / 6.0) if weight == "row" else np.repeat(1.0 / np.array([1, 2, 6, 3] * 500), [1, 2, 6, 3] * 500)


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("weight", ["person", "row"])
@pytest.mark.parametrize(
    "metrics", [*(pytest.param((one,), marks=[] if one == "confusion" else [pytest.mark.more]) for one in EVERYTHING), EVERYTHING], ids=str
)
def test_measures_are_those_of_weighted_rows(neighbours, delta, weight, metrics):
    settings = {"neighbours": neighbours, "delta": delta, "metrics": metrics, "person_weight": weight, "level": SURE, "epsilon": 4.0}
    report = of_persons(rows_per_person=6, **settings)
    assert report.verify().ok, report.verify()
    assert report.certificate.guarantee.unit is Unit.PERSON
    weights, right = exact_weights(weight), Oracle().predict(ROWS) == LABELS
    assert report.counted == ("Persons" if weight == "person" else "Rows kept")
    assert (report.records_error == 0.0) is (neighbours == "replace-one" and weight == "person")
    assert abs(report.records - (2000 if weight == "person" else 6000)) <= report.records_error + 0.01
    share = float(weights @ right / weights.sum())
    if report.accuracy is not None:
        assert report.accuracy.noise_low <= share <= report.accuracy.noise_high
        assert report.accuracy.low <= 0.75 <= report.accuracy.high
        assert report.accuracy.low <= report.accuracy.noise_low
        assert report.accuracy.noise_high <= report.accuracy.high
    if report.confusion is not None:
        units = weights if weight == "person" else np.ones(6000)
        wrong_no = float(units @ (~right & (LABELS == "no")))
        assert abs(report.confusion[0][1] - wrong_no) <= report.confusion_error + 0.01
    if report.log_loss is not None:
        assert report.log_loss.low <= 0.5 <= report.log_loss.high
        losses = np.minimum(-np.log(np.where(LABELS == "yes", ROWS[:, 0], 1.0 - ROWS[:, 0])), 5.0)
        assert report.log_loss.noise_low - 0.003 <= float(weights @ losses / weights.sum()) <= report.log_loss.noise_high + 0.003
        assert report.log_loss.noise_high - report.log_loss.noise_low < 0.6
    if report.roc is not None:
        assert report.roc.area.low <= 5 / 6 <= report.roc.area.high
        for (low, high), edge in zip(report.roc.hit_band, report.roc.thresholds, strict=True):
            assert low <= 1.0 - edge**2 <= high
    if report.calibration is not None:
        assert all(one.share.low <= 0.5 * (one.lowest + one.highest) <= one.share.high for one in report.calibration.bins if one.share is not None)
        assert any(one.share is not None for one in report.calibration.bins)
    again = evaluation_from(report.to_json())
    assert again.to_dict() == report.to_dict()


MOVES = [("replace-one", ("accuracy",), 1), ("replace-one", ("confusion",), 2), ("add-remove", ("accuracy",), 1), ("add-remove", ("roc",), 1)]


def move_of_one(neighbours, metrics):
    """How far the released integers move, in records, where one person's four rows change, or are there: under a seed noise is the same."""
    settings = {"neighbours": neighbours, "metrics": metrics, "delta": 1e-6, "random_state": 3}
    X, y, owners = np.append(ROWS[:36, 0], [0.9] * 4)[:, np.newaxis], np.append(LABELS[:36], ["yes"] * 4), np.arange(40) // 4
    there = of_persons(X, y, owners, **settings).value
    if neighbours == "replace-one":
        elsewhere = of_persons(X, np.append(y[:36], ["no"] * 4), owners, **settings).value
    else:
        elsewhere = of_persons(X[:36], y[:36], owners[:36], **settings).value
    return float(np.abs(there - elsewhere).sum()) / WHOLE


@pytest.mark.parametrize(("neighbours", "metrics", "most"), MOVES)
def test_one_person_moves_the_answers_as_one_record_and_rows_that_count_whole_are_caught(monkeypatch, neighbours, metrics, most):
    assert 0.9 * most <= move_of_one(neighbours, metrics) <= most
    monkeypatch.setattr(Owners, "kept", lambda self, columns: (list(columns), np.ones(len(columns[0]))))  # the fault: rows are counted, not persons
    assert move_of_one(neighbours, metrics) > 3.0 * most


def in_blocks(kind, persons=OWNERS):
    def block(number):
        some = slice(2500 * number, min(2500 * (number + 1), 6000))
        return Block(DenseMatrix(ROWS[some]), LABELS[some], None, None if persons is None else persons[some])

    if kind == "blocks":
        return FunctionTable(block, blocks=3, features=1)
    return table_elsewhere([block(number) for number in range(3)], features=1)


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("weight", ["person", "row"])
@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("kind", ["blocks", "dask"])
def test_blocks_with_persons_scattered_over_them_give_what_memory_gives(neighbours, weight, rows, kind):
    shuffled = np.random.default_rng(0).permutation(OWNERS)
    settings = {"neighbours": neighbours, "person_weight": weight, "rows_per_person": rows, "metrics": EVERYTHING, "delta": 1e-6, "random_state": 8}
    held = of_persons(persons=shuffled, **settings)
    read = evaluate_privately(Oracle(), in_blocks(kind, shuffled), epsilon=1.0, **settings)
    np.testing.assert_array_equal(read.value, held.value)
    assert read.to_dict() == held.to_dict()


@pytest.mark.more
def test_one_row_a_person_is_measured_as_rows_are():
    settings = {"epsilon": 1.0, "metrics": EVERYTHING, "random_state": 1}
    plain = evaluate_privately(Oracle(), ROWS, LABELS, **settings)
    declared = evaluate_privately(Oracle(), ROWS, LABELS, rows_per_person=1, **settings)
    twice = of_persons(np.tile(ROWS, (2, 1)), np.tile(LABELS, 2), np.tile(np.arange(6000), 2), rows_per_person=1, **settings)
    np.testing.assert_array_equal(declared.value, plain.value)
    np.testing.assert_array_equal(twice.value, plain.value)
    assert twice.accuracy == declared.accuracy == plain.accuracy
    assert declared.certificate.guarantee.unit is twice.certificate.guarantee.unit is Unit.PERSON
    assert (plain.counted, declared.counted) == ("Records", "Persons")


def test_what_does_not_say_whose_rows_are_whose_is_refused_before_anything_is_spent(tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=2.5, delta=1e-4, unit=Unit.PERSON)
    account = Account(str(tmp_path / "ledger"), "people")
    for persons, rows, says in (
        (OWNERS, None, "person ids were given, but not the number of rows to"),
        (None, 3, "If each person has one row, pass rows_per_person=1"),
        (OWNERS[1:], 3, "one id for each row"),
    ):
        with pytest.raises(InvalidInput, match=says):
            of_persons(persons=persons, rows_per_person=rows, account=account)
    with pytest.raises(InvalidInput, match="the table has a column of person ids, but this method"):
        evaluate_privately(Oracle(), in_blocks("blocks"), epsilon=1.0, account=account)
    with pytest.raises(InvalidInput, match="needs a column of person ids"):
        evaluate_privately(Oracle(), in_blocks("blocks", None), epsilon=1.0, rows_per_person=3, account=account)
    with pytest.raises(InvalidInput, match="leave persons out"):
        evaluate_privately(Oracle(), in_blocks("blocks"), epsilon=1.0, rows_per_person=3, persons=OWNERS, account=account)
    assert not Ledger(account.path).history("people")
    of_persons(account=account)
    assert len(Ledger(account.path).history("people")) == 1


NONE = (0.0, 0.0)


@pytest.mark.parametrize("persons", [20, 100])
@pytest.mark.parametrize("chance", [0.02, 0.5, 0.9])
def test_intervals_of_persons_whose_rows_are_alike_cover_and_those_of_rows_do_not(persons, chance):
    """The worst persons: all rows right or all wrong, so that R is binomial. The fault: their ten rows counted as ten records."""
    right = np.arange(persons + 1)
    masses = binom.pmf(right, persons, chance)
    found = [share_interval(float(k), float(persons), lambda _: NONE, persons=persons, rows=10, level=0.95) for k in right]
    missed = float(sum(mass for mass, one in zip(masses, found, strict=True) if not one.low <= chance <= one.high))
    assert missed <= 0.05
    assert missed > 0 or chance == 0.02
    law = NoiseLaw.of(DiscreteGaussian(0.05))
    as_rows = [proportion_interval(10.0 * k, 10 * persons, law) for k in right]
    assert sum(mass for mass, one in zip(masses, as_rows, strict=True) if not one.low <= chance <= one.high) > 0.2


@pytest.mark.more
def test_intervals_hold_for_persons_of_every_size_where_right_ones_have_more_rows():
    """Rows of a person as alike as can be, and who has many is right more often; the number of rows is secret, as with noise on both."""
    draw, law, missed, widest = np.random.default_rng(4), NoiseLaw.of(DiscreteLaplace(3.0)), 0, 0.0
    truth = (0.5 * 0.2 * 1 + 0.5 * 0.8 * 6) / (0.5 * 1 + 0.5 * 6)
    for _ in range(400):
        many = draw.uniform(size=200) < 0.5
        held = np.where(many, 6, 1) / 6.0
        right = held * (draw.uniform(size=200) < np.where(many, 0.8, 0.2))
        yes, total = float(right.sum()) + draw.laplace(scale=3.0), float(held.sum()) + draw.laplace(scale=3.0)

        def widths(error):
            return law.quantile(0.5 * error), law.quantile(0.5 * error)

        found = share_interval(yes, total, widths, persons=None, rows=6, level=0.9)
        missed += not found.low <= truth <= found.high
        assert found.low <= found.noise_low <= found.noise_high <= found.high
        widest = max(widest, found.high - found.low)
    assert missed <= 40 + 3 * 6
    assert widest < 0.75


@pytest.mark.parametrize("total", [0.0, 0.3, 7.0, 1e4])
def test_the_expected_weight_is_bounded_as_poisson_is(total):
    bound = most_expected(total, 0.01)
    assert bound - total + (total * np.log(total / bound) if total else 0.0) == pytest.approx(np.log(100.0), rel=1e-5)


@pytest.mark.parametrize(("yes", "total"), [(-4.0, 10.0), (14.0, 10.0), (3.0, -2.0), (0.0, 0.0)])
def test_noise_beyond_what_is_possible_gives_an_interval_all_the_same(yes, total):
    found = share_interval(yes, total, lambda _: (6.0, 6.0), persons=None, rows=3, level=0.95)
    assert 0.0 <= found.low <= found.noise_low <= found.noise_high <= found.high <= 1.0


def test_a_survey_of_persons_says_who_they_are():
    report = of_persons(metrics=("accuracy",))
    assert report.survey.persons == Persons(rows=4)
    assert str(report).startswith("Persons      2000, which is public")
    assert "Persons" in report._repr_html_()


@cache
def unchanged(delta):
    report = of_persons(metrics=("confusion",), delta=delta)
    assert report.verify().ok
    return report.to_json()


@pytest.mark.at_most(3)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["guarantee"].update(unit="record"),
        lambda d: d["problem"].pop("persons"),
        lambda d: d["problem"]["persons"].update(rows=5),
        lambda d: d["problem"]["persons"].update(weight="row"),
        lambda d: d["parameters"].update(scales=[0.9 * scale for scale in d["parameters"]["scales"]]),
        lambda d: d["parameters"].update(scales=[scale / WHOLE for scale in d["parameters"]["scales"]]),
    ],
)
def test_a_measurement_whose_persons_were_changed_does_not_verify(delta, change):
    document = json.loads(unchanged(delta))["certificate"]
    change(document)
    assert not Certificate.from_dict(document).verify().ok


def test_a_file_that_says_another_rule_contradicts_itself():
    record = json.loads(of_persons(metrics=("accuracy",)).to_json())
    record["certificate"]["problem"]["persons"]["weight"] = "row"
    with pytest.raises(FileFormatError):
        evaluation_from(json.dumps(record))
