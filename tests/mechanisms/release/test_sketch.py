"""Sketches: the noise they need, the law of what is released, arithmetic, a private eigenvalue, and bits about entries."""

import math

import mpmath
import numpy as np
import pytest

from discreet.accounting import ApproximateDP, MutualInformation, Unit
from discreet.core.errors import InfeasibleTarget, InvalidInput, SolverFailure
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.core.parts import module_of
from discreet.data import Domain
from discreet.mechanisms.release import ClearTargetSketch, EigenvalueSketch, GaussianSketch, InformationSketch
from discreet.mechanisms.release.answers import exact_moments, rows_read
from discreet.mechanisms.release.arithmetic import Arithmetic
from discreet.mechanisms.release.profiles import largest, replace_delta, zero_out_delta
from discreet.mechanisms.release.sketch_information import coherent_bits, divergence_bits
from discreet.noise import SystemNoise
from discreet.queries import SecondMoments
from tests.mechanisms.release.tables import BALL, BOX, invented, of


@pytest.mark.parametrize(("neighbours", "most", "exact"), [(ADD_REMOVE, 87.7, 87.60801), (REPLACE_ONE, 117.9, 117.85226)])
@pytest.mark.parametrize(("features", "records"), [(10, 10**6), (100, 10**6), (784, 12_000)])
def test_a_sketch_of_a_thousand_rows_needs_the_noise_of_the_exact_curve_and_hardly_more(neighbours, most, exact, features, records):
    query = SecondMoments(domain=Domain(features=features, norm_bound=1.0, target_bound=1.0), most_records=records)
    made = GaussianSketch.calibrate(query, rows=1000, epsilon=1.0, delta=1e-5, neighbours=neighbours)
    assert exact <= made.noise_variance(query) / query.norm**2 <= most
    stated = made.guarantee(query)
    assert isinstance(stated, ApproximateDP)
    assert stated.delta_at_epsilon <= 1e-5
    assert stated.secret


def test_rows_of_the_release_have_the_covariance_of_the_table_and_the_noise():
    query, data = SecondMoments(domain=BOX, most_records=5000), invented(BOX, 4000)
    made = GaussianSketch.calibrate(query, rows=40_000, epsilon=5.0, delta=1e-3, neighbours=ADD_REMOVE)
    release = made.run(query, data, SystemNoise())
    rows = np.concatenate([block for _, block in rows_read(query, data)])
    wanted = rows.T @ rows + made.noise_variance(query) * np.eye(4)
    root = np.linalg.inv(np.linalg.cholesky(wanted))
    white = release.value @ root.T
    assert np.all(np.abs(white.T @ white / 40_000 - np.eye(4)) < 6 * math.sqrt(2 / 40_000))
    assert np.all(np.abs((white**4).mean(axis=0) - 3) < 6 * math.sqrt(96 / 40_000))
    assert release.verify().ok
    less = wanted - 0.5 * made.noise_variance(query) * np.eye(4)
    seen = release.value @ np.linalg.inv(np.linalg.cholesky(less)).T
    assert not np.all(np.abs(seen.T @ seen / 40_000 - np.eye(4)) < 6 * math.sqrt(2 / 40_000)), "half the noise would be seen"


def test_nothing_released_depends_on_the_number_of_records_but_through_second_moments():
    query = SecondMoments(domain=BALL, most_records=100)
    made = GaussianSketch.calibrate(query, rows=7, epsilon=1.0, delta=1e-5, neighbours=ADD_REMOVE)
    assert {made.run(query, invented(BALL, count), SystemNoise()).value.shape for count in (0, 1, 100)} == {(7, 4)}
    with pytest.raises(InvalidInput, match="the table has more"):
        made.run(query, invented(BALL, 101), SystemNoise())


def test_declared_eigenvalues_lower_the_noise_by_as_much_and_are_named():
    query = SecondMoments(domain=BALL, most_records=1000)
    plain = GaussianSketch.calibrate(query, rows=50, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    less = GaussianSketch.calibrate(query, rows=50, epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE, least_eigenvalue=40.0)
    saved = query.unit**2 * (plain.variance - less.variance)
    assert 39.9 < saved <= 40.0 * (1 + 1e-3)
    certificate = less.run(query, invented(BALL, 500), SystemNoise()).certificate
    assert "eigenvalue below 40" in certificate.declared[0]
    assert certificate.verify().ok


@pytest.mark.parametrize("columns", [1, 3, 12])
def test_the_factor_is_as_exact_as_the_lemma_says(columns):
    draw = np.random.default_rng(0)
    rows = np.trunc(draw.standard_normal((200, columns)) * 2.0**18)
    moments, variance = (rows.T @ rows).astype(np.int64), 2**34
    trace = float(np.trace(moments)) + columns * variance
    bounds = Arithmetic(rows=10, columns=columns, trace=trace, floor=float(variance))
    lower = bounds.factor(moments, variance)
    with mpmath.workdps(60):
        exact = mpmath.matrix(columns)
        for i in range(columns):
            for j in range(columns):
                exact[i, j] = mpmath.fsum(mpmath.mpf(lower[i, k]) * mpmath.mpf(lower[j, k]) for k in range(columns)) - int(moments[i, j])
            exact[i, i] -= variance
        assert mpmath.mnorm(exact, "f") <= bounds.eta * variance
    assert 0 < bounds.closeness < math.inf


def test_a_factor_that_is_not_exact_enough_is_not_released():
    bounds = Arithmetic(rows=10, columns=2, trace=1e3, floor=1.0)
    with pytest.raises(SolverFailure, match="factorised"):
        bounds.factor(np.array([[10**17 + 1, 3], [3, 10**17 + 5]]), 1)
    with pytest.raises(SolverFailure, match="factorised"):
        bounds.factor(np.array([[1, 2], [2, 1]]), 0)
    assert Arithmetic(rows=10, columns=2, trace=1e20, floor=1.0).closeness == math.inf


def test_a_computed_sketch_is_as_close_as_the_radius_says():
    draw = np.random.default_rng(1)
    lower, normals = np.tril(draw.standard_normal((5, 5))) * 1e6, draw.standard_normal((5, 8))
    bounds = Arithmetic(rows=8, columns=5, trace=float(np.sum(lower**2)), floor=1.0)
    with mpmath.workdps(60):
        exact = mpmath.matrix(lower.tolist()) * mpmath.matrix(normals.tolist())
        apart = mpmath.mnorm(exact - mpmath.matrix((lower @ normals).tolist()), "f")
    assert apart <= bounds.radius / 100


def test_tables_too_long_for_the_target_are_refused():
    query = SecondMoments(domain=Domain(features=50, norm_bound=1.0, target_bound=1.0), most_records=1 << 40)
    with pytest.raises(InfeasibleTarget, match="smaller most_records"):
        GaussianSketch.calibrate(query, rows=10, epsilon=90.0, delta=0.5, neighbours=ADD_REMOVE)


def spread(count):
    domain = Domain(features=10, entry_bound=1.0, target_bound=1.0)
    draw = np.random.default_rng(2)
    return domain, of(draw.uniform(-1, 1, (count, 10)), draw.uniform(-1, 1, count), domain)


@pytest.mark.more
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_a_private_eigenvalue_saves_all_noise_on_a_long_table_and_none_on_a_short_one(neighbours):
    for count, saves in ((2000, False), (20_000, True)):
        domain, data = spread(count)
        query = SecondMoments(domain=domain, most_records=count)
        made = EigenvalueSketch.calibrate(query, rows=100, epsilon=1.0, delta=1e-6, neighbours=neighbours)
        if neighbours is REPLACE_ONE:
            assert query.unit**2 * made.floor == pytest.approx(496, rel=2e-3)
        plain = GaussianSketch.calibrate(query, rows=100, epsilon=1.0, delta=1e-6, neighbours=neighbours)
        assert 1.0 < made.floor / plain.variance < 1.05  # as a sum of epsilons and deltas, 1.31
        certificate = made.run(query, data, SystemNoise()).certificate
        assert (certificate.parameters["variance"] == 0) is saves
        assert certificate.guarantee.delta_at_epsilon <= 1e-6
        assert certificate.verify().ok


def test_the_released_eigenvalue_is_below_the_true_one():
    domain, data = spread(20_000)
    query = SecondMoments(domain=domain, most_records=20_000)
    made = EigenvalueSketch.calibrate(query, rows=5, epsilon=1.0, delta=1e-10, neighbours=REPLACE_ONE)  # above it with a tenth of delta
    true = np.linalg.eigvalsh(exact_moments(query, data).astype(float))[0]
    for _ in range(20):
        noisy = made.run(query, data, SystemNoise()).certificate.parameters["noisy_eigenvalue"]
        assert made.eigenvalue_step * (noisy - made.quantile - 0.5) < true
        assert made.variance_for(query, noisy) >= 0
    assert made.variance_for(query, -(10**9)) == made.floor


def test_bits_have_the_reference_values():
    assert round(divergence_bits(100, 100.0, 1.0, 10.0), 8) == 0.06853988
    assert round(divergence_bits(1000, 746.5, 1.0, 800.0), 8) == 0.50001812
    assert coherent_bits(1000, 1000.0, 1.0) == 0.5


def test_equation_16_improves_nothing_and_agrees_for_short_sketches_alone():
    """Showkatbakhsh et al. 2018, remark 1, f^2 = n / 3; that S is secret helps by another bound."""
    for rows in (1, 2, 30, 1000):
        for hidden in (0.3, 10.0, 1e5):
            assert module_of("papers").showkatbakhsh_16(rows, hidden) >= coherent_bits(rows, hidden, 1.0) * (1 - 1e-12)
    ratios = [module_of("papers").showkatbakhsh_16(rows, 1e6 / 3) / coherent_bits(rows, 1e6 / 3, 1.0) for rows in (100, 1_000_000)]
    assert ratios == pytest.approx([1.0, 3 / math.log(4)], rel=3e-4)
    assert divergence_bits(100, 100.0, 1.0, 10.0) < 0.14 * coherent_bits(100, 100.0, 1.0)


@pytest.mark.parametrize(("rows", "features", "noise"), [(1000, 5, 86), (1000, 30, 195), (1000, 800, 747), (4000, 800, 1786)])
def test_half_a_bit_needs_the_noise_of_the_theory(rows, features, noise):
    query = SecondMoments(domain=Domain(features=features, entry_bound=1.0, target_bound=1.0), most_records=20_000)
    made = InformationSketch.calibrate(query, rows=rows, bits=0.5)
    assert made.noise_variance(query) == pytest.approx(noise, rel=6e-3)
    stated = made.guarantee(query)
    assert isinstance(stated, MutualInformation)
    assert 0.498 < stated.bits <= 0.5
    assert stated.unit is Unit.ENTRY


@pytest.mark.parametrize("seed", range(5))
def test_no_table_exceeds_the_bits_about_an_entry(seed):
    """The divergence of N(0, A_u) from N(0, A_0), for random other records and entries."""
    draw = np.random.default_rng(seed)
    beta, rows, columns = 5.0, 10, 4
    others = draw.uniform(-1, 1, (draw.integers(0, 6), columns))
    base = beta * np.eye(columns) + others.T @ others
    record = draw.uniform(-1, 1, columns)
    zero = record.copy()
    zero[0] = 0.0
    ratio = np.linalg.solve(base + np.outer(zero, zero), base + np.outer(record, record))
    found = 0.5 * rows * (np.trace(ratio) - columns - np.linalg.slogdet(ratio)[1]) / math.log(2)
    assert found <= divergence_bits(rows, beta, 1.0, columns - 1.0)
    assert found > -1e-12


def test_bits_are_refused_where_rows_are_shortened_as_a_whole():
    with pytest.raises(InvalidInput, match="entry_bound alone"):
        InformationSketch.calibrate(SecondMoments(domain=BALL), rows=10, bits=0.5)


@pytest.mark.parametrize(
    ("arguments", "words"), [({"epsilon": 0.0}, "epsilon"), ({"rows": 0}, "number of rows"), ({"least_eigenvalue": -1.0}, "least eigenvalue")]
)
def test_what_no_sketch_can_have_is_refused(arguments, words):
    with pytest.raises(InvalidInput, match=words):
        GaussianSketch.calibrate(SecondMoments(domain=BALL), **{"rows": 5, "epsilon": 1.0, "delta": 1e-5, "neighbours": ADD_REMOVE, **arguments})


def test_the_curve_of_one_relation_does_not_do_for_the_other():
    for rows in (50, 1000):
        add = largest(lambda ratio, k=rows: zero_out_delta(1.0, k, ratio), 1e-5)
        assert replace_delta(1.0, rows, add).value > 5e-5


def test_a_target_without_noise_costs_the_published_noise_with_nothing_subtracted():
    for rows, bits in ((1000, 0.5), (20, 0.1), (4000, 2.0)):
        query = SecondMoments(domain=Domain(features=30, entry_bound=1.0, target_bound=1.0), most_records=20_000)
        made = ClearTargetSketch.calibrate(query, rows=rows, bits=bits)
        assert made.noise_variance(query) == pytest.approx(rows / math.expm1(2 * bits * math.log(2)), rel=1e-2)
        assert 0.99 * bits < made.guarantee(query).bits <= bits
    with pytest.raises(InvalidInput, match="last column"):
        ClearTargetSketch.calibrate(SecondMoments(domain=BOX, target="omitted"), rows=5, bits=0.5)


@pytest.mark.parametrize(("records", "most"), [(20_000, 1.003), (100_000, 1.02), (1_000_000, 1.12)])
def test_rounding_of_many_wide_records_costs_a_target_without_noise_little(records, most):
    query = SecondMoments(domain=Domain(features=800, entry_bound=1.0, target_bound=1.0), most_records=records)
    made = ClearTargetSketch.calibrate(query, rows=1000, bits=0.5)
    assert 1.0 <= made.noise_variance(query) * math.expm1(2 * 0.5 * math.log(2)) / 1000 < most
    assert 0.999 * 0.5 < made.guarantee(query).bits <= 0.5


@pytest.mark.parametrize("seed", range(5))
def test_a_factor_of_nearly_the_covariance_is_near_a_factor_of_it(seed):
    """Lemma 2, with the perturbation as large as it allows, in the directions in which the covariance is least."""
    draw, size, eta = np.random.default_rng(seed), 12, 2.0**-10
    basis = np.linalg.qr(draw.standard_normal((size, size)))[0]
    covariance = (basis * np.append(np.ones(size // 2), 10.0 ** draw.uniform(0, 6, size // 2))) @ basis.T
    error = draw.standard_normal((size, size)) if seed else basis[:, :1] @ basis[:, :1].T
    error = (error + error.T) * eta / np.linalg.norm(error + error.T)
    lower = np.linalg.cholesky(covariance + error)
    inverse = np.linalg.inv(lower)
    values, vectors = np.linalg.eigh(-inverse @ error @ inverse.T)
    exact = lower @ (vectors * np.sqrt(1.0 + values)) @ vectors.T
    assert np.allclose(exact @ exact.T, covariance, rtol=0, atol=1e-9 * np.linalg.norm(covariance))
    assert np.linalg.norm(lower - exact) <= 0.51 * eta
    if seed == 0:
        assert np.linalg.norm(lower - exact) > 0.49 * eta  # the bound has no room for half of it


@pytest.mark.parametrize("fit", [0.0, 0.999])
def test_a_sketch_with_its_target_in_clear_has_the_law_of_s_times_the_table(fit):
    draw = np.random.default_rng(3)
    columns = draw.uniform(-1, 1, (1000, 3))
    target = np.clip(fit * columns[:, 0] + (1 - fit) * draw.uniform(-1, 1, 1000), -1, 1)
    query, data = SecondMoments(domain=BOX, most_records=1000), of(columns, target, BOX)
    made = ClearTargetSketch.calibrate(query, rows=40_000, bits=8.0)
    release = made.run(query, data, SystemNoise())
    assert release.verify().ok
    table = np.concatenate([block for _, block in rows_read(query, data)])
    wanted = table.T @ table + np.diag([made.noise_variance(query)] * 3 + [0.0])
    white = release.value @ np.linalg.inv(np.linalg.cholesky(wanted)).T
    assert np.all(np.abs(white.T @ white / 40_000 - np.eye(4)) < 6 * math.sqrt(2 / 40_000))


def test_targets_of_zero_are_sketched_as_zero():
    query, data = SecondMoments(domain=BOX, most_records=10), of(np.ones((5, 3)), np.zeros(5), BOX)
    release = ClearTargetSketch.calibrate(query, rows=6, bits=1.0).run(query, data, SystemNoise())
    assert np.array_equal(release.value[:, 3], np.zeros(6))
