"""Second moments: exact sums with the number of records among them, and noise that hides what any record or person may move."""

import numpy as np
import pytest

from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Domain, Records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.release import GaussianMoments
from discreet.mechanisms.release.answers import exact_moments
from discreet.mechanisms.release.moments import moments_reach
from discreet.noise import SystemNoise
from discreet.queries import SecondMoments

DRAW = np.random.default_rng(5)
BOX = Domain(features=3, entry_bound=1.0, target_bound=2.0)
SMALL = Domain(features=2, norm_bound=0.003, target_bound=0.001)
PRIVATE = {"epsilon": 1.0, "delta": 1e-6}


def table(domain, count, *, weights=None):
    rows, targets = DRAW.uniform(-1, 1, (count, domain.features)), DRAW.uniform(-3, 3, count)
    return Records(rows=DenseMatrix(rows), targets=targets, domain=domain, weights=weights)


def whole(data):
    """Rows (1, x, y) as the records' door left them."""
    return np.column_stack((np.ones(data.records), data.matrix.entries(slice(None)), data.targets))


@pytest.mark.parametrize("domain", [BOX, SMALL])
def test_without_noise_it_is_the_number_the_sums_and_the_products(domain, monkeypatch):
    query, data = SecondMoments(domain=domain, most_records=1000, counted=True), table(domain, 50)
    made = GaussianMoments.calibrate(query, **PRIVATE, neighbours=ADD_REMOVE)
    monkeypatch.setattr(SystemNoise, "discrete_gaussian", lambda self, *, scale, dimension, draws: np.zeros((dimension, draws), dtype=np.int64))
    found = made.run(query, data, SystemNoise()).value
    assert found[0, 0] == 50
    assert np.array_equal(found, found.T)
    assert np.allclose(found, whole(data).T @ whole(data), atol=50 * 4 * query.unit * query.norm / min(1.0, query.constant))


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("domain", [BOX, SMALL])
def test_no_pair_of_records_or_persons_moves_farther_than_the_noise_is_for(domain, neighbours):
    """In units of the integers, with the weights in which the noise is of one size; persons with several rows that share a weight among them."""
    query = SecondMoments(domain=domain, most_records=1000, counted=True)
    weights = None
    limit = moments_reach(neighbours) * (query.norm / query.unit) ** 2
    several = SecondMoments(domain=Domain(**bounds_of(domain), persons=Persons(rows=4)), most_records=1000, counted=True)
    longest = 0.0
    for _ in range(40):
        pair = []
        for asked in (query, several):
            rows = 1 if asked is query else 4
            weights = None if rows == 1 else DRAW.dirichlet(np.ones(4)) * (1.0 - 1e-12)
            sign = DRAW.choice([-1.0, 1.0], (rows, domain.features)) * 10.0
            data = Records(rows=DenseMatrix(sign), targets=DRAW.choice([-9.0, 9.0], rows), domain=asked.domain, weights=weights)
            pair.append(exact_moments(asked, data).astype(float))
        for first, second in ((pair[0], pair[1]), (pair[1], 0.0 * pair[0])):
            moved = np.linalg.norm(first - (0.0 if neighbours is ADD_REMOVE else second))
            longest = max(longest, moved)
            assert moved <= limit
    assert longest > 0.9 * limit / moments_reach(neighbours)


def bounds_of(domain):
    bounds = {"entry_bound": domain.entry_bound} if domain.norm_bound == np.inf else {"norm_bound": domain.norm_bound}
    return {"features": domain.features, "target_bound": domain.target_bound, **bounds}


def test_a_constant_costs_an_eighth_of_noise_up_to_a_power_of_two():
    for bound in np.geomspace(1e-3, 1e3, 50):
        for domain in (Domain(features=7, norm_bound=bound), Domain(features=7, entry_bound=bound)):
            plain = SecondMoments(domain=domain, target="omitted")
            assert 1.0 + 1 / 16.1 < (SecondMoments(domain=domain, target="omitted", counted=True).norm / plain.norm) ** 2 < 1.2501


def test_the_number_of_records_is_released_as_it_is_only_where_neighbours_share_it():
    for persons, neighbours, exact in (
        (None, REPLACE_ONE, True),
        (None, ADD_REMOVE, False),
        (Persons(rows=1, weight="declared"), REPLACE_ONE, True),
        (Persons(rows=1), REPLACE_ONE, False),
        (Persons(rows=3), REPLACE_ONE, False),
    ):
        domain = Domain(features=2, norm_bound=1.0, target_bound=1.0, persons=persons)
        query = SecondMoments(domain=domain, most_records=1000, counted=True)
        weights = None if persons is None or not persons.told_apart else np.full(20, 1.0 / persons.rows)
        made = GaussianMoments.calibrate(query, **PRIVATE, neighbours=neighbours)
        values = [made.run(query, table(domain, 20, weights=weights), SystemNoise()).value[0, 0] for _ in range(3)]
        assert (values == [20.0] * 3) is exact


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidInput, match="counted=True"):
        GaussianMoments.calibrate(SecondMoments(domain=BOX), **PRIVATE, neighbours=ADD_REMOVE)
    with pytest.raises(InfeasibleTarget, match="smaller most_records"):
        GaussianMoments.calibrate(SecondMoments(domain=BOX, most_records=8, counted=True), epsilon=1e-8, delta=1e-9, neighbours=REPLACE_ONE)
