"""The lower bound's instances have the properties that its proof uses."""

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.sets import L1Ball
from studies.talwar.fingerprinting import fingerprinting_lasso


def instance(seed=0, users=24, columns=200, tardos_columns=20):
    return fingerprinting_lasso(users=users, columns=columns, tardos_columns=tardos_columns, generator=np.random.default_rng(seed))


def test_the_features_are_signs_and_the_common_columns_orthogonal():
    problem = instance()
    features, targets = problem.records(3)
    assert features.shape == (24 + 256, 200)
    assert set(np.unique(features)) == {-1, 1}
    common = features[targets == 0.0].astype(int)
    assert np.array_equal(common.T @ common, 256 * np.eye(200, dtype=int))
    assert np.array_equal(features[targets == 1.0], np.delete(problem.code, 3, axis=0))


def test_consensus_columns_are_those_where_all_agree():
    problem = instance()
    for left_out in range(25):
        signs = problem.consensus(left_out)
        rows = np.delete(problem.code, left_out, axis=0).astype(int)
        assert np.array_equal(np.abs(rows.sum(axis=0)) == 24, signs != 0)
        assert np.array_equal(np.sign(rows.sum(axis=0))[signs != 0], signs[signs != 0])
        assert np.count_nonzero(signs) >= 180


def test_padding_has_both_signs_alike_and_tardos_columns_have_the_arcsine_law():
    problem = fingerprinting_lasso(users=400, columns=3000, tardos_columns=2000, generator=np.random.default_rng(1))
    shares = (problem.code == 1).mean(axis=0)
    assert np.count_nonzero(shares == 1.0) >= 500
    assert np.count_nonzero(shares == 0.0) >= 500
    # r = arcsin sqrt(p) is uniform, up to cut-offs of 0.003 and binomial noise of 1 / (2 sqrt 401).
    padded = np.sort(shares)[500:-500]
    assert np.abs(np.arcsin(np.sqrt(padded)) / (np.pi / 2) - (np.arange(2000) + 0.5) / 2000).max() < 0.05


def test_neighbouring_problems_differ_in_one_record():
    problem = instance()
    first, second = problem.records(0).features, problem.records(1).features
    assert np.count_nonzero((first != second).any(axis=1)) == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_reference_is_in_the_ball_and_has_the_claimed_squares(seed):
    problem = instance(seed)
    theta = problem.reference(2)
    features, targets = problem.records(2)
    assert L1Ball(dimension=200).contains(theta, 1e-12)
    direct = np.sum(np.square(targets - features @ theta))
    assert direct == pytest.approx(problem.reference_squares(2), rel=1e-12)
    assert problem.squares(theta, 2) == pytest.approx(direct, rel=1e-12)
    assert problem.agreement(theta, 2) == np.count_nonzero(problem.consensus(2))


@pytest.mark.parametrize("seed", range(5))
def test_small_squares_force_agreement(seed):
    """Claim 2 on mixtures of the reference with random points, where it says something, and for the best point of the ball."""
    problem, generator = instance(seed, users=64), np.random.default_rng(seed)
    ball, theta, useful = L1Ball(dimension=200), problem.reference(0), 0
    for _ in range(200):
        other = ball.project(generator.standard_normal(200) * 0.02) * generator.choice([-1.0, 1.0])
        share = generator.random()
        hidden = np.where(generator.random(200) < generator.random(), theta, 0.0)
        for weights in (share * theta + (1.0 - share) * other, hidden, -theta):
            bound = problem.least_agreement(problem.squares(weights, 0), 0)
            useful += bound > 0
            assert problem.agreement(weights, 0) >= bound
    assert useful > 100
    assert problem.least_agreement(problem.reference_squares(0), 0) > 0.75 * 200


def test_a_lemma_without_the_disputed_columns_would_be_false():
    """The planted fault: weights on disputed columns only have small squares and no agreement at all."""
    problem = fingerprinting_lasso(users=2, columns=64, tardos_columns=60, generator=np.random.default_rng(7))
    signs, rows = problem.consensus(0), problem.code[1:]
    weights = np.where(signs == 0, rows[0], 0) / 64.0
    assert problem.agreement(weights, 0) == 0
    assert problem.least_agreement(problem.squares(weights, 0), 0) <= 0
    assert np.count_nonzero(signs == 0) > 0


def test_the_same_seed_gives_the_same_problem():
    assert np.array_equal(instance(5).code, instance(5).code)
    assert not np.array_equal(instance(5).code, instance(6).code)


@pytest.mark.parametrize("change", [{"users": 1}, {"columns": 1}, {"tardos_columns": 200}, {"tardos_columns": -1}, {"columns": 2**15 + 1}])
def test_sizes_that_do_not_fit_are_refused(change):
    with pytest.raises(InvalidInput, match="needs users"):
        instance(**change)


@pytest.mark.parametrize("left_out", [-1, 25])
def test_only_people_of_the_code_can_be_left_out(left_out):
    with pytest.raises(InvalidInput, match="from 0 to 24"):
        instance().consensus(left_out)
