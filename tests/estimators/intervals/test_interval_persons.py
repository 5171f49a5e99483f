"""Intervals where persons have several rows: they count the spread of persons, or there are none, which is said before anything is spent."""

import numpy as np
import pytest

from discreet import Lasso, LinearRegression, LinearSVC, release_uncertainty
from discreet.core.errors import InvalidInput

PERSONS, EACH = 150, 6
OWNERS = np.repeat(np.arange(PERSONS), EACH)


def alike(draw):
    """All rows of a person are equal, and so is what chance adds to them: the worst case for rows that are taken for independent ones."""
    X = np.repeat(draw.uniform(-0.6, 0.6, (PERSONS, 2)), EACH, axis=0)
    return X, X @ np.array([0.5, -0.3]) + np.repeat(draw.uniform(-0.3, 0.3, PERSONS), EACH)


def missed(runs, **settings):
    """How often an interval of 90 % does not hold a coefficient of the population, of two a run."""
    draw, count = np.random.default_rng(3), 0
    for seed in range(runs):
        X, y = alike(draw)
        persons = OWNERS if "rows_per_person" in settings else None
        model = LinearRegression(
            mechanism="moments", epsilon=100.0, delta=0.9, data_norm=1.0, target_bound=1.0, fit_intercept=True, random_state=seed, **settings
        )
        found = model.fit(X, y, persons=persons).coef_interval(level=0.9)
        count += int(np.sum((found[:, 0] > [0.5, -0.3]) | (found[:, 1] < [0.5, -0.3])))
    return count


@pytest.mark.parametrize("weight", ["person", "row"])
def test_intervals_of_a_regression_hold_for_persons_whose_rows_are_alike(weight):
    assert missed(60, rows_per_person=EACH, person_weight=weight) <= 12 + 3 * 3.3


def test_rows_that_are_taken_for_persons_are_caught():
    assert missed(60) > 40


X = np.random.default_rng(0).uniform(-0.5, 0.5, (300, 3))
WHOSE = np.arange(300) // 3


@pytest.mark.parametrize(
    ("model", "y", "says"),
    [
        (
            LinearSVC(classes=[0, 1], data_norm="private", rows_per_person=3, neighbours="add-remove"),
            np.arange(300) % 2,
            "intervals need a declared data_norm",
        ),
        (Lasso(radius=1.0, rows_per_person=3, target_bound=1.0), X[:, 0], "intervals need a fitted classifier, a fitted"),
        (
            LinearRegression(mechanism="mixing", data_norm=1.0, target_bound=1.0, rows_per_person=3),
            X[:, 0],
            "the distribution of the noise in single weights is",
        ),
    ],
)
def test_models_without_intervals_say_so(model, y, says):
    fitted = model.fit(X, y, persons=WHOSE)
    with pytest.raises(InvalidInput, match=says):
        release_uncertainty(fitted, X, y, epsilon=1.0, delta=1e-6, persons=WHOSE)


def test_a_regression_whose_error_is_not_known_has_no_intervals():
    fitted = LinearRegression(data_norm=1.0, target_bound=1.0, rows_per_person=3).fit(X, X[:, 0], persons=WHOSE)
    with pytest.raises(InvalidInput, match="whose error is known"):
        fitted.coef_interval()
