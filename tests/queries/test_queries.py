"""Queries: how far a record moves a computed answer, and answers that are exact functions of single records."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import Unit
from discreet.core.errors import InvalidInput, SolverFailure
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release.answers import answers, exact_moments, rows_read
from discreet.queries import LinearMap, Projection, RowQuery, Rows, SecondMoments, Target, WeightedRows
from discreet.queries.linear import resolution
from discreet.queries.record import query_from_record

BOX = Domain(features=3, entry_bound=2.0, target_bound=0.5)
BALL = Domain(features=3, norm_bound=1.5, target_bound=0.5)
BOTH = Domain(features=3, entry_bound=1.0, norm_bound=1.2, target_bound=1.0)
TARGETS = (Target.OMITTED, Target.NOISY, Target.CLEAR)


def table(domain, rows, seed=0):
    draw = np.random.default_rng(seed)
    return Records(rows=as_matrix(draw.standard_normal((rows, domain.features)) * 3), targets=draw.standard_normal(rows), domain=domain)


def whole(query, data):
    return np.concatenate([block for _, block in answers(query, data)])


def queries(domain, target):
    count = domain.features + (target is Target.NOISY)
    draw = np.random.default_rng(1)
    return [
        Rows(domain=domain, target=target),
        Projection.from_public_seed(domain, width=2, seed=5, target=target),
        Projection.of(domain, draw.standard_normal((count, 6)), target=target),
        WeightedRows.of(domain, weights=np.linspace(0.5, 4.0, count), target=target),
    ]


EACH = [(domain, target, place) for domain in (BOX, BALL, BOTH) for target in TARGETS for place in range(4)]


@pytest.fixture(params=EACH, ids=lambda value: f"{value[0].entry_bound}-{value[0].norm_bound} {value[1]} {value[2]}")
def query(request):
    domain, target, place = request.param
    return queries(domain, target)[place]


def test_no_record_moves_an_answer_farther_than_the_sensitivity_says(query):
    rows = whole(query, table(query.read.domain, 400))
    distances = np.linalg.norm(rows[:, None] - rows[None], axis=2)
    assert distances.max() <= query.sensitivity(REPLACE_ONE)
    assert np.linalg.norm(rows, axis=1).max() <= query.sensitivity(ADD_REMOVE)
    assert query.sensitivity(REPLACE_ONE) == pytest.approx(2 * query.sensitivity(ADD_REMOVE), rel=1e-5)
    assert isinstance(query, RowQuery)


def test_the_answer_for_a_record_does_not_change_when_others_join_to_the_last_bit(query):
    domain = query.read.domain
    draw = np.random.default_rng(7)
    X, y = draw.standard_normal((1500, 3)) * 2, draw.standard_normal(1500)
    more = whole(query, Records(rows=as_matrix(X), targets=y, domain=domain))
    for kept in (slice(1, None), slice(0, 1), slice(3, 1100), slice(None, None, 7)):
        fewer = whole(query, Records(rows=as_matrix(X[kept]), targets=y[kept], domain=domain))
        assert np.array_equal(more[kept], fewer)


def test_the_sensitivity_of_a_ball_is_reached_along_the_largest_singular_vector():
    domain = Domain(features=40, norm_bound=1.0, target_bound=1.0)
    query = Projection.from_public_seed(domain, width=10, seed=1)
    direction = np.linalg.svd(query.map.matrix)[0][:, 0]
    rows = whole(query, Records(rows=as_matrix(np.array([direction, -direction])), targets=np.zeros(2), domain=domain))
    assert np.linalg.norm(rows[0] - rows[1]) >= (1 - 1e-5) * query.sensitivity(REPLACE_ONE)


def test_the_sensitivity_of_a_box_is_reached_at_a_corner_where_weights_are_diagonal():
    domain = Domain(features=3, entry_bound=2.0, target_bound=1.0)
    query = WeightedRows.of(domain, weights=np.array([1.0, 16.0, 81.0]), target="omitted")
    assert query.sensitivity(REPLACE_ONE) == pytest.approx(4.0 * math.sqrt(1 + 4 + 9), rel=3e-5)
    assert Rows(domain=domain).sensitivity(REPLACE_ONE) == pytest.approx(4.0 * math.sqrt(3), rel=1e-9)


@given(seed=st.integers(0, 10_000), features=st.integers(1, 6), ball=st.booleans())
def test_a_box_and_a_target_never_exceed_the_bound_of_a_random_map(seed, features, ball):
    domain = Domain(features=features, target_bound=3.0, **({"norm_bound": 1.0} if ball else {"entry_bound": 0.7}))
    draw = np.random.default_rng(seed)
    query = Projection.of(domain, draw.standard_normal((features + 1, 3)), target="noisy")
    corners = draw.choice([-1.0, 1.0], (60, features))
    data = Records(rows=as_matrix(corners * (0.7 if not ball else 5.0)), targets=draw.choice([-3.0, 3.0], 60), domain=domain)
    rows = whole(query, data)
    assert np.linalg.norm(rows[:, None] - rows[None], axis=2).max() <= query.sensitivity(REPLACE_ONE)


@given(seed=st.integers(0, 10_000), features=st.integers(1, 6), bound=st.sampled_from([0.01, 1.0, 300.0]))
def test_a_target_beside_a_projection_moves_by_itself_and_no_pair_exceeds_the_bound(seed, features, bound):
    domain = Domain(features=features, norm_bound=1.0, target_bound=bound)
    query = Projection.from_public_seed(domain, width=3, seed=seed, target="noisy", beside=True)
    longest = np.linalg.svd(query.matrix)[0][:, 0]  # the worst pair: along the largest singular vector, with targets at both ends
    data = Records(rows=as_matrix(np.array([longest, -longest])), targets=np.array([bound, -bound]), domain=domain)
    rows = whole(query, data)
    assert rows[:, -1] == pytest.approx(query.weight * data.targets, rel=1e-4)
    assert 0.7 <= query.weight * bound <= 1.5
    moved, allowed = float(np.linalg.norm(rows[0] - rows[1])), query.sensitivity(REPLACE_ONE)
    assert 0.999 * allowed <= moved <= allowed
    assert query_from_record(query.to_dict()).to_dict() == query.to_dict()


def test_a_target_beside_a_projection_is_a_noisy_one():
    with pytest.raises(InvalidInput, match="noise of its own"):
        Projection.from_public_seed(Domain(features=2, norm_bound=1.0, target_bound=1.0), width=2, seed=1, target="clear", beside=True)


def test_products_are_those_of_integers():
    domain = Domain(features=5, norm_bound=1.0, target_bound=1.0)
    query = Projection.from_public_seed(domain, width=3, seed=2)
    data = table(domain, 10)
    rows = np.concatenate([block for _, block in rows_read(query, data)])
    q, columns = resolution(query.read), query.map.matrix.T
    integers = [[int(np.rint(value / q)) for value in row] for row in rows]
    factors = [[int(np.rint(value / query.map.grid)) for value in column] for column in columns]
    by_hand = [[sum(a * b for a, b in zip(row, column, strict=True)) for column in factors] for row in integers]
    assert np.array_equal(whole(query, data), np.array(by_hand, dtype=float) * q * query.map.grid)


def test_a_matrix_beyond_exact_arithmetic_is_refused():
    wild = LinearMap.on_grid(np.array([[1.0, 2.0**40], [1.0, 0.0]]), grid=2.0**-20)
    with pytest.raises(SolverFailure, match="rescale"):
        wild.apply(np.array([[1.0, 1.0]]), 2.0**-25)


def test_the_unit_is_what_is_not_in_clear():
    assert [Rows(domain=BOX, target=target).read.unit for target in TARGETS] == [Unit.RECORD, Unit.RECORD, Unit.FEATURES]


@pytest.mark.parametrize("domain", [BOX, BALL, BOTH])
def test_second_moments_are_exact_and_in_any_order_the_same(domain):
    query, data = SecondMoments(domain=domain, most_records=3000), table(domain, 2500)
    got = exact_moments(query, data)
    rows = np.concatenate([block for _, block in rows_read(query, data)])
    integers = np.trunc(rows / query.unit).astype(object).astype(int).astype(object)
    assert np.array_equal(got.astype(object), integers.T @ integers)
    assert np.all(np.linalg.norm(np.trunc(rows / query.unit), axis=1) * query.unit <= query.norm)
    turned = np.random.default_rng(0).permutation(2500)
    draw = np.random.default_rng(0)
    X, y = draw.standard_normal((2500, 3)) * 3, draw.standard_normal(2500)
    assert np.array_equal(exact_moments(query, Records(rows=as_matrix(X[turned]), targets=y[turned], domain=domain)), got)
    assert np.allclose(got * query.unit**2, rows.T @ rows, rtol=1e-3, atol=0.05)


def test_sums_of_the_longest_table_fit_64_bits():
    for most in (1, 1000, 10**7, 1 << 40):
        query = SecondMoments(domain=Domain(features=2, norm_bound=1.0, target_bound=1.0), most_records=most)
        assert most * (query.norm / query.unit) ** 2 < 2.0**62.1
        assert BLOCK * (query.norm / query.unit) ** 2 < 2.0**53


BLOCK = 1024


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Rows(domain=Domain(features=2, norm_bound=1.0, intercept_scale=1.0, target_bound=1.0)), "intercept"),
        (lambda: Rows(domain=BOX, target="hidden"), "omitted"),
        (lambda: Projection.of(BOX, np.ones((2, 2))), "3 rows"),
        (lambda: Projection.of(BOX, np.zeros((3, 2))), "not all zero"),
        (lambda: Projection.from_public_seed(BOX, width=0, seed=1), "positive integer"),
        (lambda: WeightedRows.of(BOX, weights=np.array([1.0, -1.0, 1.0])), "positive"),
        (lambda: WeightedRows.of(BOX, weights=np.array([1.0])), "3 numbers"),
        (lambda: SecondMoments(domain=BOX, target="clear"), "noisy"),
        (lambda: SecondMoments(domain=BOX, most_records=0), "most_records"),
        (lambda: whole(Rows(domain=BOX), table(BALL, 3)), "different domain"),
        (lambda: exact_moments(SecondMoments(domain=BOX, most_records=3), table(BOX, 4)), "second moments are exact for at most"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_sentence(make, words):
    with pytest.raises(InvalidInput, match=words):
        make()
