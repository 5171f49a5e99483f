"""Rows in the coordinates of a public metric: the map, each row by itself, the ridge and the noise that follow, and what they go with."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from discreet import ArrayModel, LogisticRegression, PublicMetric
from discreet.core.errors import InvalidInput, PrivacyAdvice
from discreet.data import Block, FunctionTable
from discreet.estimators import advice
from discreet.matrices import DenseMatrix

DRAW = np.random.default_rng(0)
MIXING = np.array([[1.0, 0.9, 0.0], [0.0, 0.3, 0.2], [0.0, 0.0, 0.05]])
PUBLIC = DRAW.normal(size=(2000, 3)) @ MIXING
ROWS = DRAW.normal(size=(1500, 3)) @ MIXING
LABELS = (ROWS @ np.linalg.solve(PUBLIC.T @ PUBLIC / 2000, [0.5, -0.3, 0.2]) + 0.3 * DRAW.normal(size=1500) > 0).astype(int)
SETTINGS = {"data_norm": 1.0, "classes": [0, 1], "fit_intercept": False}


def metric(power=-0.5, **settings):
    return PublicMetric.of_rows(PUBLIC, power=power, **{"floor": 1e-6, "share": 0.5} | settings)


def test_half_a_negative_power_whitens_and_none_changes_lengths_alone():
    seen = metric().transform(PUBLIC)
    moments = seen.T @ seen / len(seen)
    assert moments == pytest.approx(moments[0, 0] * np.eye(3), abs=1e-3 * moments[0, 0])
    assert np.median(np.linalg.norm(seen, axis=1)) == pytest.approx(1.0)
    plain = metric(power=0.0)
    assert plain.transform(PUBLIC) == pytest.approx(PUBLIC / plain.norm)


def test_a_row_becomes_the_same_whatever_stands_beside_it():
    made, order = metric(), DRAW.permutation(1500)
    whole = made.transform(ROWS)
    assert np.array_equal(made.transform(np.asfortranarray(ROWS[order])), whole[order])
    assert np.array_equal(np.vstack([made.transform(ROWS[part]) for part in (slice(0, 7), slice(7, 1500))]), whole)


def test_rows_far_out_are_answered_as_their_direction_is():
    made, near = metric(), np.array([[3e3, -1e3, 2e2]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        far = made.transform(1e300 * near)
    directions = [one / np.linalg.norm(one) for one in (made.transform(near), far)]
    assert np.linalg.norm(far) > 1.0
    assert directions[1] == pytest.approx(directions[0])


def test_the_ridge_is_that_of_the_metric():
    """The minimiser in the other coordinates is stationary in the first ones, with the ridge w' (A A')^-1 w."""
    made = metric(share=0.999)
    kept = np.linalg.norm(made.transform(ROWS), axis=1) <= 1.0
    rows, labels = ROWS[kept], LABELS[kept]
    model = LogisticRegression(epsilon=np.inf, alpha=0.01, **SETTINGS).fit(made.transform(rows), labels)
    coef = made.coefficients(model.coef_)[0]
    assert made.moved(coef) == pytest.approx(model.coef_[0])
    assert model.decision_function(made.transform(rows)) == pytest.approx(rows @ coef)
    signs = 2.0 * labels - 1.0
    loss = rows.T @ (-signs / (1.0 + np.exp(signs * (rows @ coef)))) / len(rows)
    square = np.linalg.matrix_power(np.linalg.inv(made.coefficients(np.eye(3))), 2)
    assert loss + 0.01 * square @ coef == pytest.approx(np.zeros(3), abs=1e-8)


def test_a_fit_on_it_verifies_takes_a_prior_and_is_saved(tmp_path):
    made = metric()
    point = made.moved(LogisticRegression(epsilon=np.inf, alpha=0.01, **SETTINGS).fit(PUBLIC, (PUBLIC[:, 0] > 0).astype(int)).coef_)
    model = LogisticRegression(epsilon=1.0, prior=point, **SETTINGS).fit(made.transform(ROWS), LABELS)
    assert model.certificate_.verify(model.weights_).ok
    model.save(tmp_path / "model.json")
    again = ArrayModel.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(made.transform(ROWS)), model.predict(made.transform(ROWS)))


def test_a_pipeline_with_it_is_not_advised_against():
    advice.forget()  # other tests fit on these rows
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrivacyAdvice)
        steps = make_pipeline(metric(), LogisticRegression(epsilon=1.0, **SETTINGS)).fit(ROWS, LABELS)
    assert steps.score(ROWS, LABELS) > 0.5
    assert clone(metric()).transform(ROWS) == pytest.approx(metric().transform(ROWS))


def test_a_table_in_blocks_is_fitted_as_one_that_is_held():
    made = metric()

    def block(number):
        part = slice(500 * number, 500 * (number + 1))
        return Block(DenseMatrix(ROWS[part]), LABELS[part])

    blocks = made.table(FunctionTable(block, blocks=3, features=3))
    fits = [LogisticRegression(epsilon=1.0, random_state=0, **SETTINGS).fit(*records) for records in ((blocks,), (made.transform(ROWS), LABELS))]
    assert fits[0].weights_ == pytest.approx(fits[1].weights_, abs=1e-6)
    assert fits[0].certificate_.guarantee == fits[1].certificate_.guarantee


def test_it_is_worth_having_where_columns_vary_unlike():
    """A direction of little variance tells: without the metric the ridge and the noise drown it."""
    errors = []
    for rows in (ROWS / 4.0, metric().transform(ROWS)):
        fits = LogisticRegression(epsilon=1.0, random_state=0, neighbours="add-remove", **SETTINGS).fit_many(rows, LABELS, count=20)
        errors.append(float(np.mean((rows @ fits.coef.T > 0).T != LABELS)))
    assert errors[1] < 0.7 * errors[0]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (PublicMetric(np.ones((2, 3))), "square"),
        (PublicMetric([[1.0, 0.5], [0.0, 1.0]]), "symmetric"),
        (PublicMetric([[1.0, 2.0], [2.0, 1.0]]), "negative eigenvalue"),
        (PublicMetric(np.eye(2), power=3.0), "power"),
        (PublicMetric(np.eye(2), floor=0.0), "floor"),
        (PublicMetric(np.eye(2), norm=1e12), "lengths"),
        (PublicMetric(np.eye(3)), "rows with 2"),
    ],
)
def test_what_is_no_metric_is_refused(made, says):
    with pytest.raises(InvalidInput, match=says):
        made.transform(np.ones((4, 2)))


def test_public_rows_that_say_nothing_are_refused():
    for rows in (np.zeros((5, 2)), np.zeros((0, 2))):
        with pytest.raises(InvalidInput):
            PublicMetric.of_rows(rows)
    with pytest.raises(InvalidInput, match="share"):
        PublicMetric.of_rows(PUBLIC, share=1.0)
