"""How far a linear map takes a record: nothing the bounds allow exceeds it, it is reached, all corners come near, and a stranger finds the same."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.core.neighbours import REPLACE_ONE
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import GaussianRelease
from discreet.mechanisms.release.answers import answers
from discreet.queries import Projection
from discreet.queries.farthest import Reach, farthest
from discreet.statements.base import Hypothesis
from discreet.verification.farthest import farthest as recheck


def ascended(matrix, reach, rng):
    """The longest z T that ascents from some places come to, from z on to the allowed one with the largest product with z T T'."""
    best = 0.0
    for _ in range(8):
        z = rng.standard_normal(len(matrix))
        for _ in range(400):
            along = matrix @ (z @ matrix)
            z = np.sign(along) * reach.along(np.maximum(np.abs(along), 1e-12 * np.abs(along).max()))
        best = max(best, float(np.linalg.norm(z @ matrix)))
    return best


def allowed(reach, rng):
    z = np.clip(3.0 * rng.standard_normal((400, len(reach.entries))), -1.0, 1.0) * reach.entries
    own = np.linalg.norm(z[:, : reach.features], axis=1)
    z[:, : reach.features] *= np.minimum(1.0, reach.ball / own)[:, np.newaxis]
    return z


def check_none_farther():
    """No record moves a projection, a ball with a target mixed in, farther than is counted, and one moves it as far."""
    domain = Domain(features=4, norm_bound=1.0, target_bound=3.0)
    query = Projection.of(domain, np.random.default_rng(7).standard_normal((5, 3)), target="noisy")
    matrix, target = query.map.matrix[:-1], 3.0 * query.map.matrix[-1]
    x = np.ones(4)
    for _ in range(400):
        x = matrix @ (x @ matrix + target)
        x /= np.linalg.norm(x)
    pair = Records(rows=as_matrix(np.array([x, -x])), targets=np.array([3.0, -3.0]), domain=domain)
    first, second = np.concatenate([rows for _, rows in answers(query, pair)])
    assert 0.9999 * query.sensitivity(REPLACE_ONE) <= np.linalg.norm(first - second) <= query.sensitivity(REPLACE_ONE)


def test_a_ball_with_a_target_mixed_in_is_known_exactly():
    check_none_farther()


@pytest.mark.at_most(2)
@pytest.mark.parametrize("room", [0.7, 1.6, 2.4])
@pytest.mark.parametrize("target", [0, 1])
def test_balls_and_balls_in_boxes_are_reached_and_never_exceeded_whatever_the_sizes(room, target):
    rng = np.random.default_rng(int(10 * room) + target)
    for _ in range(6):
        features = int(rng.integers(6, 12))
        matrix = rng.standard_normal((features + target, 4)) * np.exp(rng.standard_normal((features + target, 1)))
        reach = Reach(entries=np.append(np.ones(features), np.full(target, 2.0)), features=features, ball=room)
        bound = farthest(matrix, reach)
        assert np.linalg.norm(allowed(reach, rng) @ matrix, axis=1).max() <= bound
        found = ascended(matrix, reach, rng)
        assert found <= bound
        assert found >= (0.9998 if room < 1 else 0.93) * bound


def test_all_corners_of_a_box_come_near_and_the_sum_of_products_is_farther():
    rng = np.random.default_rng(3)
    shares, before = [], []
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=9)))
    for _ in range(12):
        matrix = rng.standard_normal((9, 4))
        bound = farthest(matrix, Reach(entries=np.ones(9), features=9, ball=3.0))
        most = np.linalg.norm(corners @ matrix, axis=1).max()
        assert bound >= most
        shares.append(bound / most)
        before.append(min(3.0 * np.linalg.norm(matrix, 2), math.sqrt(np.abs(matrix @ matrix.T).sum())) / most)
    assert max(shares) < 1.1
    assert np.mean(shares) < 1.03
    assert np.mean(before) > 1.05


def test_a_diagonal_map_of_a_box_and_one_singular_vector_of_a_ball_are_exact():
    diagonal = np.diag([1.0, 4.0, 0.0, 9.0])
    box = Reach(entries=np.array([2.0, 1.0, 5.0, 0.5]), features=4, ball=math.inf)
    assert farthest(diagonal, box) == pytest.approx(math.sqrt(4.0 + 16.0 + 20.25), rel=3e-5)
    ball = Reach(entries=np.full(4, 2.0), features=4, ball=2.0)
    assert farthest(1e-200 * diagonal, ball) == pytest.approx(18e-200, rel=3e-5)


def test_a_stranger_finds_no_more_and_next_to_no_less():
    rng = np.random.default_rng(5)
    for _ in range(40):
        features, target = int(rng.integers(1, 12)), int(rng.integers(0, 2))
        matrix = rng.standard_normal((features + target, int(rng.integers(1, 9)))) * np.exp(rng.standard_normal((features + target, 1)))
        ball = float(rng.choice([0.5, 1.3, math.sqrt(features)]))
        stated = farthest(matrix, Reach(entries=np.append(np.full(features, min(1.0, ball)), [7.0] * target), features=features, ball=ball))
        again = recheck(matrix, np.full(features, min(1.0, ball)), ball, 7.0 * target)
        assert stated * (1.0 - 5e-5) <= again <= stated


def test_a_certificate_may_state_the_bound_of_before_this_one_and_no_other():
    """It is as true, and delta is computed anew from neither."""
    query = Projection.from_public_seed(Domain(features=4, norm_bound=1.0, entry_bound=0.6, target_bound=3.0), width=3, seed=1, target="noisy")
    made = GaussianRelease.calibrate(query, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    certificate = made.planned(query, shape=(5, 3))
    *others, grid = certificate.hypotheses
    earlier, now = (f"at most {bound(REPLACE_ONE):.10g} apart" for bound in (query.sensitivity_before, query.sensitivity))
    assert earlier != now

    def verifies(apart):
        stated = Hypothesis(required=grid.required.replace(now, apart), enforced=grid.enforced)
        checks = replace(certificate, hypotheses=(*others, stated)).verify().checks
        return {check.name: check.ok for check in checks}["hypotheses"]

    assert verifies(now)
    assert verifies(earlier)
    assert not verifies("at most 99 apart")
    assert not verifies("at most 0.1 apart")
