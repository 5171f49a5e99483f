"""Guarantees of every kind for the tests, and independent ways to compute what they promise."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import strategies as st
from scipy.stats import binom

from discreet.accounting import (
    ApproximateDP,
    ConcentratedDP,
    CramerRaoBound,
    GaussianDP,
    MutualInformation,
    NoGuarantee,
    PureDP,
    RenyiDP,
    to_profile,
    to_renyi,
)
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE

HERE = {"neighbours": ADD_REMOVE, "theorem": "test"}
EPSILONS = np.concatenate((np.linspace(0.0, 3.0, 31), np.linspace(3.5, 12.0, 18)))


def pure(epsilon, **scope):
    return PureDP(epsilon=epsilon, **{**HERE, **scope})


def approximate(epsilon, delta, **scope):
    return ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **{**HERE, **scope})


def gaussian(mu, **scope):
    return GaussianDP(mu=mu, **{**HERE, **scope})


def concentrated(rho, **scope):
    return ConcentratedDP(rho=rho, **{**HERE, **scope})


def renyi(rho, **scope):
    return to_renyi(concentrated(rho, **scope))


def profile(mu, **scope):
    return to_profile(gaussian(mu, **scope))


def bits(number, **scope):
    return MutualInformation(bits=number, **{**HERE, "neighbours": REPLACE_ONE, **scope})


def cramer_rao(variance, *, prior=None):
    prior_information = ((1.0 / prior, 0.0), (0.0, 1.0 / prior)) if prior else ()
    information = ((1.0 / variance, 0.0), (0.0, 1.0 / variance))
    return CramerRaoBound(information=information, prior_information=prior_information, neighbours=REPLACE_ONE, theorem="test")


PRIVATE = st.one_of(
    st.floats(0.01, 3.0).map(pure),
    st.tuples(st.floats(0.01, 3.0), st.floats(1e-12, 0.05)).map(lambda pair: approximate(*pair)),
    st.floats(0.02, 2.0).map(gaussian),
    st.floats(1e-3, 1.0).map(concentrated),
    st.floats(1e-3, 1.0).map(renyi),
    st.floats(0.1, 2.0).map(profile),
)
"""Any differential privacy."""
POINTS = st.one_of(st.floats(0.0, 5.0).map(pure), st.tuples(st.floats(0.0, 5.0), st.floats(1e-9, 0.1)).map(lambda pair: approximate(*pair)))
EVERY = {
    "pure": pure(0.7),
    "local": pure(0.7, neighbours=REPLACE_ONE, local=True),
    "approximate": approximate(0.7, 1e-6, secret=("the seed of the sketch",)),
    "gaussian": gaussian(0.4),
    "concentrated": concentrated(0.05),
    "renyi": renyi(0.05),
    "profile": profile(0.4),
    "mutual-information": bits(0.01),
    "cramer-rao": cramer_rao(2.0, prior=1.0),
    "none": NoGuarantee(**HERE),
}


def agree(first, second, *, rel=1e-9):
    for epsilon in EPSILONS:
        assert first.delta(epsilon) == pytest.approx(second.delta(epsilon), rel=rel, abs=1e-14)


def exact_delta(parts, epsilon):
    """delta of independent pure and approximate parts together, by going through all outcomes of their worst pairs."""
    outcomes = []
    for part in parts:
        truth = 1.0 / (1.0 + math.exp(-part.epsilon))
        lost = getattr(part, "delta_at_epsilon", 0.0)
        outcomes.append([(part.epsilon, (1 - lost) * truth), (-part.epsilon, (1 - lost) * (1 - truth)), (math.inf, lost)])
    total = 0.0
    for combination in itertools.product(*outcomes):
        loss = sum(loss for loss, _ in combination)
        total += math.prod(mass for _, mass in combination) * -math.expm1(min(0.0, epsilon - loss))
    return total


def witness(part):
    """The exact curve of a mechanism that has this guarantee: nothing that follows from the guarantee may be below it."""
    match part:
        case ConcentratedDP(rho=rho):
            return gaussian(math.sqrt(2 * rho))
        case RenyiDP():
            return gaussian(math.sqrt(2 * min(np.divide(part.divergences, part.orders))) * (1 - 1e-9))
        case _:
            return part


def repeated_response(epsilon, count, at):
    """delta(at) of `count` randomised responses (Kairouz, Oh, Viswanath 2015, theorem 3.3)."""
    truths = np.arange(count + 1)
    losses = (2 * truths - count) * epsilon
    return float(np.sum(binom.pmf(truths, count, 1.0 / (1.0 + math.exp(-epsilon))) * np.maximum(0.0, -np.expm1(at - losses))))
