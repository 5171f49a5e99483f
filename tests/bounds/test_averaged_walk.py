"""The walk with equal shares: its bound follows from the recursion of each step, holds on a table, and is least where it is said to be."""

import math

import numpy as np
import pytest

from discreet.bounds.averaged_walk import MOST_STEPS, averaged_frank_wolfe, averaged_steps
from discreet.core.errors import InvalidInput
from discreet.data import Domain, Records
from discreet.losses.predictions import Squared
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained.walk import Walk
from discreet.problems import ConstrainedRisk
from discreet.sets import L1Ball


@pytest.mark.parametrize("regret", [0.0, 0.3, 5.0])
@pytest.mark.parametrize("steps", [1, 2, 19, 500])
def test_the_recursion_of_the_steps_never_exceeds_the_bound(regret, steps):
    excess = 123.0  # after a first step of share 1 it does not matter
    for taken in range(1, steps + 1):
        excess = (1.0 - 1.0 / taken) * excess + regret / taken + 7.0 / (2.0 * taken**2)
    bound = averaged_frank_wolfe(curvature=7.0, regret=regret, steps=steps)
    assert excess <= bound * (1.0 + 1e-12)
    assert excess >= 0.6 * bound  # and the bound is not idle


def test_the_walk_without_noise_stays_below_its_bound():
    rng = np.random.default_rng(0)
    domain = Domain(features=6, entry_bound=1.0, records=50, target_bound=1.0)
    problem = ConstrainedRisk(loss=Squared(), constraint=L1Ball(dimension=6), domain=domain)
    rows = rng.choice([-1.0, 1.0], (50, 6))
    targets = rows @ [0.4, -0.3, 0.0, 0.0, 0.3, 0.0]  # of norm 1: the least value is 0
    objective = problem.objective(Records(rows=as_matrix(rows), targets=targets, domain=domain))
    walk = Walk.from_start(objective, problem.constraint)
    for taken in range(1, 200):
        walk.towards(problem.constraint.linear_minimiser(walk.gradient()))
        assert objective.value(walk.point) <= averaged_frank_wolfe(curvature=50 * problem.curvature, regret=0.0, steps=taken)


@pytest.mark.parametrize("power", [0.5, 1.0])
@pytest.mark.parametrize("regret", [1e-9, 0.01, 1.0, 1e3])
def test_the_number_of_steps_is_the_best_one(power, regret):
    def bound(steps):
        return averaged_frank_wolfe(curvature=100.0, regret=regret * steps**power, steps=steps)

    found = averaged_steps(curvature=100.0, regret=regret, power=power)
    assert 1 <= found <= MOST_STEPS
    assert bound(found) <= 1.001 * min(bound(steps) for steps in range(1, MOST_STEPS + 1))


def test_the_printed_shares_have_less_from_eleven_steps_on():
    for steps, less in ((10, False), (11, True), (20, True), (1000, True)):
        assert (2.0 / (steps + 2.0) < averaged_frank_wolfe(curvature=1.0, regret=0.0, steps=steps)) is less


@pytest.mark.parametrize("wrong", [{"curvature": -1.0}, {"regret": math.nan}, {"steps": 0}])
def test_numbers_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        averaged_frank_wolfe(**{"curvature": 1.0, "regret": 1.0, "steps": 1, **wrong})
