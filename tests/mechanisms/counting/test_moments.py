"""Sums of powers of errors and targets: how far one record moves them, exactly, and that certificates and noise go by that."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.mechanisms.counting import GaussianCounting, LaplaceCounting, Moments, Queries
from discreet.noise import SystemNoise
from tests.mechanisms.counting.claims import is_kept_and_nearly_reached, verifies_and_lies_do_not

EVERYTHING = Moments(targets=True, counted=True, bits=8)
SOME = [
    EVERYTHING,
    Moments(targets=True, bits=8),
    Moments(errors=("square", "fourth"), targets=True, bits=8),
    Moments(errors=("absolute", "square"), bits=8),
    Moments(errors=(), targets=True, bits=8),
]


def every_record(query, errors=None):
    """What each record adds, (records, size): of all pairs of levels, or of those with an error at an end."""
    first = np.arange(query.levels + 1) if errors is None else np.array(errors)
    pairs = np.stack(np.meshgrid(first, np.arange(-query.levels, query.levels + 1), indexing="ij"), axis=-1).reshape(-1, 2)
    return np.array([query.answer(pair[np.newaxis]) for pair in pairs])


def farthest(query, neighbours, norm):
    """By brute force: errors rise in every term, so those of the farthest pair are 0 and L."""
    low, high = (every_record(query, [end]).astype(float) for end in (0, query.levels))
    alone = float(np.max(np.linalg.norm(high, norm, axis=1)))
    if neighbours is ADD_REMOVE:
        return alone
    return max(alone, *(float(np.max(np.linalg.norm(high - row, norm, axis=1))) for row in low))


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize("query", SOME, ids=lambda query: "-".join(query.terms))
def test_no_record_moves_the_sums_farther_and_some_nearly_as_far(query, neighbours):
    stated = query.sensitivity(neighbours)
    for norm, bound in ((2, stated.step), (1, stated.manhattan)):
        reached = farthest(query, neighbours, norm)
        assert reached <= bound <= reached + 10  # eight levels of room for what is rounded, of 256
    assert stated.squared == stated.step**2
    assert stated.spread == query.size


def test_errors_rise_in_every_term():
    query = Moments(bits=8)
    added = np.array([query.answer(np.array([[error, 0]])) for error in range(query.levels + 1)])
    assert np.all(np.diff(added, axis=0) >= 0)


def test_replaced_targets_move_less_than_their_terms_one_by_one():
    together = Moments(errors=(), targets=True).sensitivity(REPLACE_ONE)
    assert together.squared / 2.0**40 == pytest.approx(1.5988, abs=1e-3)
    assert math.sqrt(1.0 + 1.0 + 0.25 + 0.25) * 2**20 > 1.2 * together.step


def calibrated(query, neighbours, delta, persons=None):
    queries = Queries([query], persons)
    if delta:
        return queries, GaussianCounting.calibrate(queries, epsilon=1.0, delta=delta, neighbours=neighbours)
    return queries, LaplaceCounting.calibrate(queries, epsilon=1.0, neighbours=neighbours)


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_the_worst_pair_keeps_the_claim_and_nearly_reaches_it_and_half_the_noise_is_caught(neighbours):
    query = replace(SOME[1], bits=20, counted=neighbours is ADD_REMOVE)
    queries, made = calibrated(query, neighbours, 1e-3)
    target = round(0.1485 * query.levels)  # about where a target and -0.9985 are farthest apart
    first, second = ([[query.levels, query.levels]], [[0, -target]])
    (here,) = queries.answers([np.array(first)])
    (there,) = queries.answers([np.array(second if neighbours is REPLACE_ONE else first)[:0] if neighbours is ADD_REMOVE else np.array(second)])
    is_kept_and_nearly_reached(queries, made, here, there)


@pytest.mark.parametrize("persons", [None, Persons(rows=3), Persons(rows=3, weight="row")], ids=["records", "persons", "rows"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_certificates_verify_and_lies_do_not(neighbours, delta, persons):
    queries, made = calibrated(replace(EVERYTHING, bits=18), neighbours, delta, persons)
    records = np.array([[5, -7], [2**18, 2**18], [0, -(2**18)]])
    weights = None if persons is None else np.array([0.3, 0.3, 0.4])
    release = made.run(queries, queries.answered([records], weights=weights), SystemNoise())
    lies = [
        ("fewer powers", lambda problem: problem.update(errors=["absolute"])),
        ("no targets", lambda problem: problem.update(targets=False)),
        ("finer levels", lambda problem: problem.update(bits=19)),
        ("a power twice", lambda problem: problem.update(errors=["square", "square"])),
        ("an unknown power", lambda problem: problem.update(errors=["cube"])),
    ]
    verifies_and_lies_do_not(release, lies)


@pytest.mark.parametrize(
    "settings", [{"errors": ()}, {"errors": ("square", "absolute")}, {"errors": ("cube",)}, {"bits": 7}, {"bits": 21}, {"bits": 8.0}]
)
def test_other_sums_are_refused(settings):
    with pytest.raises(InvalidInput):
        Moments(**settings)


@pytest.mark.parametrize("records", [[[-1, 0]], [[257, 0]], [[0, 257]], [[0, -257]], [[0, 0, 0]], [0, 0], [[0.5, 0.0]]])
def test_records_out_of_range_are_refused_without_a_value(records):
    with pytest.raises(InvalidInput) as refusal:
        EVERYTHING.answer(np.array(records))
    assert "-1" not in str(refusal.value)
    assert "257" not in str(refusal.value)


def test_answers_are_sums_over_records_and_over_parts_of_them():
    draw = np.random.default_rng(0)
    records = np.stack((draw.integers(0, 257, 50), draw.integers(-256, 257, 50)), axis=1)
    whole = EVERYTHING.answer(records)
    assert np.array_equal(whole, EVERYTHING.answer(records[:20]) + EVERYTHING.answer(records[20:]))
    assert np.array_equal(3 * whole, EVERYTHING.answer(records, np.full(50, 3)))
    x, t = (records / 256).T
    exact = [np.full(50, 1.0), x, x**2, x**4, t, t**2, t**3, t**4]
    for term, answer, true in zip(EVERYTHING.terms, whole, exact, strict=True):
        assert abs(answer / EVERYTHING.unit(term) - true.sum()) <= 50 * 3 / EVERYTHING.unit(term)
    assert EVERYTHING.answer(records[:0]).tolist() == [0] * 8
