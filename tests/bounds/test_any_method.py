"""What no private method can do better: beside the best private decision that there is, found by a linear program."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from discreet.bounds import least_excess
from discreet.bounds.any_method import _of_steps, plain_error, private_error
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Privacy
from discreet.losses import Logistic, SoftplusHinge

PAIRS = 100


def best_decision(records: int, lean: float, epsilon: float, delta: float) -> float:
    """The least mean error of a private decision whether labels of n records are + with (1 + lean) / 2 or (1 - lean) / 2.

    It may depend on the number of + alone (any other decision may be symmetrised); replacing a record moves that by one at most.
    """
    counts = np.arange(records + 1)
    plus, minus = (binom.pmf(counts, records, 0.5 * (1.0 + side * lean)) for side in (1, -1))
    rows, limits = [], []
    for here in counts:
        for there in (here - 1, here + 1):
            if 0 <= there <= records:
                for sign in (1.0, -1.0):  # P(+ | here) <= e^epsilon P(+ | there) + delta, and of the other decision
                    row = np.zeros(records + 1)
                    row[here], row[there] = sign, -sign * np.exp(epsilon)
                    rows.append(row)
                    limits.append(delta + (0.0 if sign > 0 else np.exp(epsilon) - 1.0))
    found = linprog(0.5 * (minus - plus), A_ub=np.array(rows), b_ub=np.array(limits), bounds=(0.0, 1.0))
    return 0.5 + found.fun


@pytest.mark.parametrize("seed", [7, *(pytest.param(seed, marks=pytest.mark.more) for seed in (8, 9))])
def test_no_private_decision_is_better_and_half_of_what_differs_would_claim_too_much(seed):
    draw, above = np.random.default_rng(seed), 0
    for _ in range(PAIRS):
        records, lean = int(draw.integers(1, 13)), float(draw.uniform(0.05, 1.0))
        epsilon, delta = float(10.0 ** draw.uniform(-1.5, 0.7)), float(10.0 ** draw.uniform(-8, -1))
        best = best_decision(records, lean, epsilon, delta)
        claimed = private_error(records, lean, epsilon=epsilon, delta=delta)
        assert claimed <= best + 1e-9
        assert plain_error(records, np.array([lean]), lean)[0] <= best + 1e-9
        above += private_error(records, 0.5 * lean, epsilon=epsilon, delta=delta) > best + 1e-6
    assert above > PAIRS // 10


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_randomised_response_attains_it(epsilon):
    assert private_error(1, 1.0, epsilon=epsilon, delta=0.0) == pytest.approx(1.0 / (1.0 + np.exp(epsilon)), rel=2e-6)
    assert best_decision(1, 1.0, epsilon, 0.0) == pytest.approx(1.0 / (1.0 + np.exp(epsilon)))


def test_a_record_that_is_replaced_is_two_steps_under_add_remove():
    assert _of_steps(1e-3, 0.5, 2) == pytest.approx(1e-3 * (1.0 + np.exp(0.5)))
    assert _of_steps(1e-3, 0.5, 1) == 1e-3


@pytest.mark.parametrize("loss", [Logistic(), SoftplusHinge()])
def test_what_is_necessary_is_below_what_is_proved_and_falls_with_records_and_epsilon(loss):
    def least(records=5_000, features=20, neighbours=REPLACE_ONE, epsilon=0.3, delta=1e-6):
        privacy = Privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)
        return least_excess(loss, records=records, features=features, norm=3.0, data_norm=1.0, privacy=privacy, failure=0.05)

    assert least(neighbours=ADD_REMOVE) <= least()
    assert 0 < least(records=50_000) < 0.2 * least()
    assert least(epsilon=3.0) <= least() < least(epsilon=0.03)
    assert least() < least(features=60)
    assert least(epsilon=50.0) == pytest.approx(least(epsilon=60.0)), "nothing but sampling is left"
    assert least(records=10**15) > 0
    assert least(records=1, delta=0.5, epsilon=90.0) >= 0
