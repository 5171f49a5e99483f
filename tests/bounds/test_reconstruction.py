"""Squared errors of adversaries against simulation, and their order."""

import numpy as np
import pytest

from discreet.accounting import CramerRaoBound
from discreet.bounds import box_centre_error, class_mean_error, cramer_rao_error, linear_bayes_error, prior_mean_error
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE

PRIOR = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.3], [0.0, 0.3, 0.5]])
NOISE = np.diag([1.0, 4.0, 0.2])
WEIGHTS = np.array([1.0, 2.0, 0.5])


def records(law, count):
    draw = np.random.default_rng(0)
    root = np.linalg.cholesky(PRIOR)
    if law == "normal":
        return draw.standard_normal((count, 3)) @ root.T
    return draw.choice([-1.0, 1.0], (count, 3)) @ root.T


@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("law", ["normal", "signs"])
def test_the_best_linear_guess_has_the_stated_error_whatever_the_law(law, weights):
    """200,000 records: mean squared errors are known to about 0.5 %."""
    rows = records(law, 200_000)
    released = rows + np.random.default_rng(1).standard_normal(rows.shape) @ np.sqrt(NOISE)
    scale = np.ones(3) if weights is None else weights
    guess = released @ np.linalg.solve(PRIOR + NOISE, PRIOR)
    found = np.mean(np.square(guess - rows) @ scale)
    stated = linear_bayes_error(PRIOR, NOISE, weights=weights)
    assert found == pytest.approx(stated, rel=0.02)
    for other in (0.9 * guess, 1.1 * guess, released, 0.0 * released):
        assert np.mean(np.square(other - rows) @ scale) > stated
    assert np.mean(np.square(released - rows) @ scale) == pytest.approx(cramer_rao_error(NOISE, weights=weights), rel=0.02)
    assert np.mean(np.square(rows) @ scale) == pytest.approx(prior_mean_error(PRIOR, weights=weights), rel=0.02)


def test_it_is_the_van_trees_number_of_a_normal_prior():
    stated = CramerRaoBound(
        information=tuple(map(tuple, np.linalg.inv(NOISE))),
        prior_information=tuple(map(tuple, 0.5 * (np.linalg.inv(PRIOR) + np.linalg.inv(PRIOR).T))),
        neighbours=REPLACE_ONE,
        theorem="test",
    )
    assert linear_bayes_error(PRIOR, NOISE) == pytest.approx(stated.van_trees_mse)
    assert cramer_rao_error(NOISE) == pytest.approx(stated.unbiased_mse)


def test_limits():
    assert linear_bayes_error(PRIOR, 1e12 * np.eye(3)) == pytest.approx(prior_mean_error(PRIOR))
    assert linear_bayes_error(PRIOR, 1e-12 * np.eye(3)) == pytest.approx(0.0, abs=1e-9)
    assert linear_bayes_error(1e12 * np.eye(3), NOISE) == pytest.approx(cramer_rao_error(NOISE), rel=1e-3)
    assert linear_bayes_error(np.zeros((2, 2)), np.zeros((2, 2))) == 0.0
    assert class_mean_error([PRIOR, 0.1 * PRIOR], [0.25, 0.75]) == pytest.approx(0.325 * prior_mean_error(PRIOR))


def test_the_middle_of_a_box_is_never_farther_than_stated():
    ranges = np.array([1.0, 2.0, 4.0])
    rows = np.random.default_rng(0).uniform(-0.5, 0.5, (10_000, 3)) * ranges
    corners = 0.5 * ranges * np.array([[1, 1, 1], [1, -1, 1], [-1, 1, 1]])
    for weights in (None, WEIGHTS, PRIOR):
        matrix = np.eye(3) if weights is None else np.diag(weights) if np.ndim(weights) == 1 else weights
        stated = box_centre_error(ranges, weights=weights)
        assert np.max(np.einsum("ij,jk,ik->i", rows, matrix, rows)) <= stated
        assert np.max(np.einsum("ij,jk,ik->i", corners, matrix, corners)) == pytest.approx(stated), "and a corner reaches it"


def test_what_is_no_covariance_is_refused():
    with pytest.raises(InvalidInput, match="square"):
        linear_bayes_error(np.ones(3), NOISE)
    with pytest.raises(InvalidInput, match="with 3 rows"):
        linear_bayes_error(PRIOR, np.eye(2))
    with pytest.raises(InvalidInput, match="negative eigenvalues"):
        cramer_rao_error(-NOISE)
    with pytest.raises(InvalidInput, match="add up to 1"):
        class_mean_error([PRIOR], [0.5])
    with pytest.raises(InvalidInput, match="side lengths"):
        box_centre_error(np.array([-1.0]))
