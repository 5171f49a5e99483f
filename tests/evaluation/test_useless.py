"""A classifier is compared with the best constant answer, from the counts that were released anyway."""

import numpy as np
import pytest

from discreet.evaluation import NoiseLaw, evaluate_privately
from discreet.evaluation.means import Total, difference_of
from discreet.noise.laws import DiscreteLaplace
from tests.chance import fewest
from tests.evaluation.people import SURE


class Fixed:
    """Answers a class for every value of the first column."""

    classes_ = np.array(["a", "b", "c"])

    def __init__(self, answers):
        self.answers = np.array(answers)

    def predict(self, X):
        return self.answers[np.asarray(X)[:, 0].astype(int)]


def people(records, shares=(0.7, 0.2, 0.1)):
    actual = np.repeat(np.arange(3), np.round(np.array(shares) * records).astype(int))
    return actual[:, np.newaxis].astype(float), np.array(["a", "b", "c"])[actual]


@pytest.mark.parametrize(("delta", "neighbours"), [(0.0, "replace-one"), (1e-6, "add-remove")])
def test_a_constant_is_useless_and_said_to_answer_one_class(delta, neighbours):
    X, y = people(2000)
    report = evaluate_privately(Fixed(["a", "a", "a"]), X, y, epsilon=4.0, delta=delta, neighbours=neighbours, level=SURE)
    assert report.baseline.answer == "a"
    assert report.baseline.only == "a"
    assert report.baseline.useless is None
    assert report.baseline.share == pytest.approx(0.7, abs=0.03)
    assert report.baseline.gain.low <= 0.0 <= report.baseline.gain.high
    assert report.balanced.low <= 1.0 / 3.0 <= report.balanced.high
    assert "predicts only 'a'" in str(report)


@pytest.mark.parametrize(
    ("answers", "useless", "gain"), [(["a", "b", "c"], False, 0.3), (["a", "b", "a"], False, 0.2), (["b", "b", "c"], True, -0.4)]
)
def test_what_is_gained_is_the_difference_of_accuracies(answers, useless, gain):
    X, y = people(2000)
    report = evaluate_privately(Fixed(answers), X, y, epsilon=4.0, level=SURE)
    assert report.baseline.gain.noise_low - 1e-9 <= gain <= report.baseline.gain.noise_high + 1e-9
    assert report.baseline.useless is useless
    assert report.baseline.only is None
    expected = np.mean([answer == own for answer, own in zip(answers, "abc", strict=True)])
    assert report.balanced.noise_low - 1e-9 <= expected <= report.balanced.noise_high + 1e-9


@pytest.mark.parametrize("gain", [0.6, -0.6])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_noise_of_a_secret_number_of_records_is_in_the_noise_of_a_gain(gain, side):
    """What was released is exact but for the number, which is as far off as it is once in twenty times."""
    law = NoiseLaw.of(DiscreteLaplace(20.0))
    size = Total(200.0 + side * law.quantile(0.05), law)
    found = difference_of(Total(gain * 200.0, None), Total(120.0, None), size, level=0.95)
    assert found.noise_low - 1e-9 <= gain <= found.noise_high + 1e-9
    blind = difference_of(Total(gain * 200.0, None), Total(120.0, None), Total(size.value, None), level=0.95)
    assert not blind.noise_low - 1e-9 <= gain <= blind.noise_high + 1e-9


def test_it_is_there_wherever_a_confusion_table_is():
    X, y = people(200)
    for metrics, there in (("accuracy", False), ("confusion", True), (("accuracy", "confusion"), True)):
        report = evaluate_privately(Fixed(["a", "b", "a"]), X, y, epsilon=4.0, metrics=metrics)
        assert (report.baseline is not None) is there
        assert (report.balanced is not None) is there


@pytest.mark.slow
def test_the_gain_is_covered_as_often_as_it_says():
    """Five per cent are answered better than by the constant, four worse."""
    draw, covered = np.random.default_rng(1), []
    for run in range(400):
        kind = draw.choice(5, 1500, p=[0.80, 0.04, 0.05, 0.06, 0.05])
        actual = np.array(["a", "a", "b", "b", "c"])[kind]
        report = evaluate_privately(
            Fixed(["a", "b", "b", "a", "a"]), kind[:, np.newaxis].astype(float), actual, epsilon=1.0, delta=1e-6 * (run % 2), metrics="confusion"
        )
        covered.append(report.baseline.gain.low <= 0.01 <= report.baseline.gain.high)
    assert sum(covered) >= fewest(400, 0.97)  # of 150 tables it held in 149
