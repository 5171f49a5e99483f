"""Audits end to end: what is released for the worst pair of tables is told apart as well as the guarantee says, and better with less noise."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.mechanisms.release import FreshProjection, GaussianRelease, GaussianSketch
from discreet.noise import SystemNoise
from discreet.queries import Rows, SecondMoments
from tests.mechanisms.release.tables import of

EPSILON, DELTA = 0.5, 0.05
DOMAIN = Domain(features=2, norm_bound=1.0, target_bound=1.0)


def told_apart(released, loss, tables, runs):
    """The hockey-stick divergence at the event that the loss exceeds epsilon, and its standard error."""
    over = [np.array([loss(released(table)) > EPSILON for _ in range(runs)]) for table in tables]
    return over[0].mean() - math.exp(EPSILON) * over[1].mean(), math.sqrt((over[0].var() + math.exp(2 * EPSILON) * over[1].var()) / runs)


def sketch_case(neighbours):
    query = SecondMoments(domain=DOMAIN, target="omitted", most_records=1)
    first = of([[1.0, 0.0]], [0.0], DOMAIN)
    second = of(np.zeros((0, 2)), [], DOMAIN) if neighbours is ADD_REMOVE else of([[0.0, 1.0]], [0.0], DOMAIN)
    made = GaussianSketch.calibrate(query, rows=4, epsilon=EPSILON, delta=DELTA, neighbours=neighbours)

    def loss(value, variance):
        squares = np.square(value).sum(axis=0)
        ratio = 1.0 / variance
        gain = 0.5 * ratio / (1 + ratio) / variance
        if neighbours is ADD_REMOVE:
            return gain * squares[0] - 2 * math.log1p(ratio)
        return gain * (squares[0] - squares[1])

    return query, made, (first, second), loss


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_sketches_of_the_worst_pair_keep_their_claim_and_a_quarter_of_the_noise_breaks_it(neighbours):
    query, made, tables, loss = sketch_case(neighbours)
    for mechanism, holds in ((made, True), (replace(made, variance=made.variance // 4), False)):
        variance = mechanism.noise_variance(query)
        found, error = told_apart(
            lambda table, mechanism=mechanism: mechanism.run(query, table, SystemNoise()).value,
            lambda value, variance=variance: loss(value, variance),
            tables,
            8000,
        )
        if holds:
            assert abs(found - DELTA) < 5 * error, "kept, and reached"
        else:
            assert found > DELTA + 5 * error


@pytest.mark.slow
@pytest.mark.parametrize("fresh", [False, True])
def test_rows_of_the_worst_pair_keep_their_claim_and_half_the_noise_breaks_it(fresh):
    query = Rows(domain=DOMAIN)
    tables = of([[1.0, 0.0]], [0.0], DOMAIN), of([[-1.0, 0.0]], [0.0], DOMAIN)
    if fresh:
        made = FreshProjection.calibrate(query, width=2, epsilon=EPSILON, delta=DELTA, neighbours=REPLACE_ONE)
    else:
        made = GaussianRelease.calibrate(query, epsilon=EPSILON, delta=DELTA, neighbours=REPLACE_ONE)
    for mechanism, holds in ((made, True), (replace(made, scale=0.5 * made.scale), False)):

        def loss(value, deviation=mechanism.deviation):
            centre = value[0] if fresh else np.array([1.0, 0.0])
            row = value[-1]
            return (np.sum((row + centre) ** 2) - np.sum((row - centre) ** 2)) / (2 * deviation**2)

        found, error = told_apart(lambda table, mechanism=mechanism: mechanism.run(query, table, SystemNoise()).value, loss, tables, 8000)
        if holds:
            assert abs(found - DELTA) < 5 * error
        else:
            assert found > DELTA + 5 * error
