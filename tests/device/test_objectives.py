"""Objectives of rows on a device, here on the processor: the functions of module `objective`, and certificates that hold against sixty digits."""

import math

import numpy as np
import pytest
from mpmath import mp

from discreet.core.rounding import gamma
from discreet.data import Domain, Records
from discreet.device import matrix as device
from discreet.device import places
from discreet.device.places import There, tree_sum
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.matrices import as_matrix
from discreet.objectives import objective_of, objectives_of
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.solvers import solve, solve_many

pytest.importorskip("array_api_compat")
LIBRARIES = ["array_api_strict", "torch"]
LOSSES = [Logistic(), SoftplusHinge(temperature=0.3), HuberHinge(half_width=0.4), SmoothedHinge(half_width=0.7)]
each_library = pytest.mark.parametrize("library", LIBRARIES)
each_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)
RNG = np.random.default_rng(3)
COUNT, FEATURES = 2500, 4
ROWS = RNG.standard_normal((COUNT, FEATURES))
CODES = RNG.integers(0, 2, COUNT)
WEIGHTS = 0.5 + 0.5 * RNG.random(COUNT)
POINT, OTHER = RNG.standard_normal((2, FEATURES + 1))


def there(library, rows):
    return pytest.importorskip(library).asarray(np.array(rows))


def two(make, rows=ROWS, codes=CODES, weights=WEIGHTS, norm=2.0):
    """The objective of the rows on a device and in memory; `make` takes a domain."""
    domain = Domain(features=rows.shape[1], norm_bound=norm, intercept_scale=0.3, classes=int(codes.max()) + 1)
    return domain, [
        objective_of(make(domain), Records(rows=as_matrix(one), targets=codes, domain=domain, weights=weights)) for one in rows_twice(rows)
    ]


def rows_twice(rows, library="array_api_strict"):
    return there(library, rows), rows


def check_same(found, expected, point, other, *, hessians=True):
    """Every method of an objective, at two points."""
    margins, change = found.margins(point), found.margins(other)
    plain, moved = expected.margins(point), expected.margins(other)
    assert found.dimension == expected.dimension
    assert not found.hessian_at_hand
    for pair in (found, expected), (found.with_linear(other), expected.with_linear(other)):
        assert pair[0].value(point, margins) == pytest.approx(pair[1].value(point, plain), rel=1e-12)
        np.testing.assert_allclose(pair[0].gradient(point, margins), pair[1].gradient(point, plain), rtol=1e-11, atol=1e-10)
        assert pair[0].certified_gradient_norm(point) == pytest.approx(pair[1].certified_gradient_norm(point), rel=1e-9)
    assert found.slope_along(0.7, margins, change, 0.3, 0.2) == pytest.approx(expected.slope_along(0.7, plain, moved, 0.3, 0.2), rel=1e-11)
    there_, here_ = found.curvatures(margins), expected.curvatures(plain)
    np.testing.assert_allclose(found.hessian_product(there_, other), expected.hessian_product(here_, other), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(found.hessian_diagonal(there_), expected.hessian_diagonal(here_), rtol=1e-11)
    np.testing.assert_allclose(found.preconditioner(there_)(other), expected.preconditioner(here_)(other), rtol=1e-3)
    np.testing.assert_allclose(found.hessian(there_), expected.hessian(here_), rtol=1e-10, atol=1e-9)
    np.testing.assert_allclose(found.hessian(there_, single_precision=True), expected.hessian(here_), rtol=1e-3, atol=1e-2)
    points, linears = np.column_stack((point, other, 0 * point)), RNG.standard_normal((len(point), 3))
    for (gradients, norms), (wanted, bounds) in ((one.certified_gradients(points, linears) for one in (found, expected)),):
        np.testing.assert_allclose(gradients, wanted, rtol=1e-11, atol=1e-10)
        np.testing.assert_allclose(norms, bounds, rtol=1e-9)


@each_library
@each_loss
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["ones", "weights"])
def test_two_classes_are_the_function_in_memory(library, loss, weights):
    domain = Domain(features=FEATURES, norm_bound=2.0, intercept_scale=0.3, classes=2)
    risk = RegularisedRisk(loss=loss, ridge=0.7, domain=domain)
    found, expected = (
        objective_of(risk, Records(rows=as_matrix(rows), targets=CODES, domain=domain, weights=weights)) for rows in rows_twice(ROWS, library)
    )
    assert isinstance(found._place, There)
    check_same(found, expected, POINT, OTHER)
    check_same(found, expected, 1e4 * POINT, 1e4 * OTHER)  # margins in the tails, where the finer bound is used


@each_library
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["ones", "weights"])
def test_more_classes_are_the_function_in_memory(library, weights):
    domain = Domain(features=FEATURES, norm_bound=2.0, intercept_scale=0.3, classes=3)
    codes = CODES + (ROWS[:, 0] > 1)
    data = [Records(rows=as_matrix(rows), targets=codes, domain=domain, weights=weights) for rows in rows_twice(ROWS, library)]
    point, other = np.concatenate((POINT, OTHER, POINT - OTHER)), np.concatenate((OTHER, POINT, POINT))
    found, expected = (objective_of(MultinomialRisk(ridge=0.7, domain=domain), one) for one in data)
    assert isinstance(found._place, There)
    check_same(found, expected, point, other)
    risk = OneVsRestRisk(loss=Logistic(), ridge=0.7, domain=domain)
    for one, its in zip(*(objectives_of(risk, held) for held in data), strict=True):
        assert isinstance(one._place, There)
        check_same(one, its, POINT, OTHER)


def test_chunks_change_nothing_but_rounding(monkeypatch):
    monkeypatch.setattr(device, "CHUNK_BYTES", 1)
    _, (found, expected) = two(lambda domain: RegularisedRisk(loss=Logistic(), ridge=0.7, domain=domain))
    check_same(found, expected, POINT, OTHER)
    check_same(found, expected, 1e4 * POINT, 1e4 * OTHER)


def exact_norm(objective, point, slopes):
    """|sum_i s_i x_i + ridge w + linear| for exact slopes, columns of W one after the other."""
    rows = [[mp.mpf(float(x)) for x in row] for row in travelled(objective)]
    total = [mp.mpf(objective.ridge) * mp.mpf(float(one)) + mp.mpf(float(term)) for one, term in zip(point, objective.linear, strict=True)]
    width = len(rows[0])
    for row, at in zip(rows, slopes(rows), strict=True):
        for k, slope in enumerate(at):
            for j, x in enumerate(row):
                total[k * width + j] += slope * x
    return mp.sqrt(mp.fsum(one**2 for one in total))


def travelled(objective):
    """Rows as the floats stand for them: x_i times the scale as exact products, and the constant."""
    rows = objective.matrix
    table = np.array([[float(x) for x in row] for row in np.from_dlpack(rows.table)])
    scale = np.ones(len(table)) if rows.scale is None else np.array(np.from_dlpack(rows.scale))
    return [[*(mp.mpf(float(x)) * mp.mpf(float(s)) for x in row), mp.mpf(rows.constant)] for row, s in zip(table, scale, strict=True)]


@each_library
@each_loss
@pytest.mark.parametrize("scale", [1.0, 1e-4, 1e5])
def test_certified_norms_are_above_the_exact_ones(library, loss, scale):
    """At points where the gradient is almost all rounding error, over more than one block; large margins meet the finer bound."""
    count = device.BLOCK_ROWS + 30
    domain = Domain(features=2, norm_bound=1.5 * scale, intercept_scale=0.3, classes=2)
    rows, codes = scale * ROWS[:count, :2], CODES[:count]
    risk = RegularisedRisk(loss=loss, ridge=1e-3, domain=domain)
    objective = objective_of(risk, Records(rows=as_matrix(there(library, rows)), targets=codes, domain=domain))
    point = POINT[:3]
    balanced = objective.with_linear(-objective.gradient(point, objective.margins(point)))
    signs = np.where(codes == 1, 1.0, -1.0)

    def slopes(exact):
        for row, sign in zip(exact, signs, strict=True):
            margin = mp.mpf(sign) * mp.fsum(x * mp.mpf(float(w)) for x, w in zip(row, point, strict=True))
            yield (mp.mpf(sign) * exact_slope(loss, margin),)

    with mp.workdps(40):
        assert exact_norm(balanced, point, slopes) <= mp.mpf(balanced.certified_gradient_norm(point))
    assert balanced.certified_gradient_norm(point) < 1e-7 * max(scale, 1.0)


@each_library
def test_certified_norms_of_more_classes_are_above_the_exact_ones(library):
    count, domain = device.BLOCK_ROWS + 30, Domain(features=2, norm_bound=1.5, intercept_scale=0.3, classes=3)
    codes = CODES[:count] + (ROWS[:count, 0] > 1)
    risk = MultinomialRisk(ridge=1e-3, domain=domain)
    objective = objective_of(risk, Records(rows=as_matrix(there(library, ROWS[:count, :2])), targets=codes, domain=domain))
    point = RNG.standard_normal(9)
    balanced = objective.with_linear(-objective.gradient(point, objective.margins(point)))

    def slopes(exact):
        for row, code in zip(exact, codes, strict=True):
            powers = [mp.exp(mp.fsum(x * mp.mpf(float(w)) for x, w in zip(row, point[3 * k : 3 * k + 3], strict=True))) for k in range(3)]
            yield [power / mp.fsum(powers) - (k == code) for k, power in enumerate(powers)]

    with mp.workdps(40):
        assert exact_norm(balanced, point, slopes) <= mp.mpf(balanced.certified_gradient_norm(point))
    assert balanced.certified_gradient_norm(point) < 1e-8


def exact_slope(loss, margin):
    """l' in as many digits as mpmath has."""
    match loss:
        case Logistic():
            return -1 / (1 + mp.exp(margin))
        case SoftplusHinge():
            return -1 / (1 + mp.exp((margin - 1) / mp.mpf(loss.temperature)))
        case HuberHinge():
            half = mp.mpf(loss.half_width)
            return -min(max(1 + half - margin, mp.mpf(0)), 2 * half) / (2 * half)
        case _:
            t = min(max((1 - margin) / mp.mpf(loss.half_width), mp.mpf(-1)), mp.mpf(1))
            return -(mp.mpf(1) / 2 + mp.mpf(3) / 4 * t - t**3 / 4)


def check_slopes(library, loss):
    """Within 16 u L of l' at a margin within 4 u (1 + |m|): checked as 16 u L + 4 u c (1 + |m|)."""
    margins = np.concatenate([np.linspace(-40.0, 40.0, 1501), 1.0 + np.linspace(-2.0, 2.0, 501), [-800.0, 800.0, 1e300, -1e300, 0.0]])
    found = np.from_dlpack(loss.slope(there(library, margins)))
    with mp.workdps(40):
        for margin, slope in zip(margins, found, strict=True):
            room = 2.0**-53 * (16 * loss.lipschitz + 4 * loss.smoothness * (1 + abs(margin)))
            assert abs(mp.mpf(float(slope)) - exact_slope(loss, mp.mpf(float(margin)))) <= room


@each_library
@each_loss
def test_slopes_there_are_as_exact_as_certificates_ask(library, loss):
    check_slopes(library, loss)
    margins = np.concatenate([np.linspace(-40.0, 40.0, 1501), 1.0 + np.linspace(-2.0, 2.0, 501), [0.0]])
    for method in (loss.value, loss.curvature):
        np.testing.assert_allclose(np.from_dlpack(method(there(library, margins))), method(margins), rtol=1e-13, atol=1e-300)


def test_slopes_that_are_less_exact_are_found(monkeypatch):
    monkeypatch.setattr(Logistic, "slope", lambda _, margins: -1.0 / (1.0 + np.exp(np.minimum(np.asarray(margins), 700.0)) * (1 + 2.0**-45)))
    with pytest.raises(AssertionError):
        check_slopes("array_api_strict", Logistic())


def check_tree(library, parts):
    """Numbers of very different sizes that cancel: a plain sum loses all digits of them."""
    numbers = RNG.standard_normal((parts, 3, 2)) * 10.0 ** RNG.integers(-8, 9, (parts, 3, 2))
    if parts > 2:
        numbers[-1] -= numbers.sum(axis=0)
    high, low, sizes = (np.from_dlpack(one) for one in tree_sum(there(library, numbers), pytest.importorskip(library)))
    for place in np.ndindex(3, 2):
        column = numbers[(slice(None), *place)]
        with mp.workdps(60):
            error = abs(mp.fsum(mp.mpf(float(one)) for one in column) - mp.mpf(float(high[place])) - mp.mpf(float(low[place])))
        assert error <= gamma(2 * parts) ** 2 * math.fsum(np.abs(column))
        assert sizes[place] == pytest.approx(np.abs(column).sum())


@each_library
@pytest.mark.parametrize("parts", [1, 2, 3, 7, 64])
def test_a_tree_of_sums_keeps_what_rounding_takes(library, parts):
    check_tree(library, parts)


def test_a_tree_that_forgets_the_errors_of_its_additions_is_found(monkeypatch):
    monkeypatch.setattr(places, "two_sum", lambda left, right: (left + right, 0.0 * left))
    with pytest.raises(AssertionError):
        check_tree("array_api_strict", 64)


@each_library
def test_a_long_table_begins_at_a_sample(library, monkeypatch):
    monkeypatch.setattr(places, "WHOLE_RECORDS", 1000)
    domain = Domain(features=FEATURES, norm_bound=2.0, intercept_scale=0.3, classes=2)
    risk = RegularisedRisk(loss=Logistic(), ridge=3.2, domain=domain)
    found, expected = (
        objective_of(risk, Records(rows=as_matrix(rows), targets=CODES, domain=domain, weights=WEIGHTS)).with_linear(POINT)
        for rows in rows_twice(ROWS, library)
    )
    sample = found.sample()
    share = sample.matrix.shape[0] / COUNT
    assert sample.matrix.shape[0] == 16 * (COUNT // 256)
    assert sample.ridge == share * 3.2
    np.testing.assert_array_equal(sample.linear, share * POINT)
    assert sample.sample() is None
    first = sample.matrix.entries(slice(0, 9))
    np.testing.assert_array_equal(first, found.matrix.entries(slice(0, 9)))
    one, other = solve(found, tolerance=1e-9), solve(expected, tolerance=1e-9)
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-9)
    linears = RNG.standard_normal((5, 4))
    np.testing.assert_allclose(solve_many(found, linears, tolerance=1e-9)[0], solve_many(expected, linears, tolerance=1e-9)[0], atol=1e-9)


def test_a_long_table_of_more_classes_begins_at_a_sample(monkeypatch):
    monkeypatch.setattr(places, "WHOLE_RECORDS", 1000)
    codes = CODES + (ROWS[:, 0] > 1)
    _, (found, expected) = two(lambda domain: MultinomialRisk(ridge=3.2, domain=domain), codes=codes)
    assert found.sample().matrix.shape[0] == 16 * (COUNT // 256)
    one, other = (solve(objective, tolerance=1e-9, by_products=True) for objective in (found, expected))
    np.testing.assert_allclose(one.weights, other.weights, atol=1e-9)


@each_library
def test_many_blocks_are_added_in_groups_that_the_bound_knows(library, monkeypatch):
    """Of 2500 rows in blocks of 1024, two to a group; the certificate grows with the group and with nothing else."""
    domain = Domain(features=FEATURES, norm_bound=2.0, classes=2)
    risk = RegularisedRisk(loss=Logistic(), ridge=0.7, domain=domain)
    objective = objective_of(risk, Records(rows=as_matrix(there(library, ROWS)), targets=CODES, domain=domain))
    point = POINT[:FEATURES, np.newaxis]
    alone = objective.certified_sums(point)
    for group, additions in ((2, 4), (1, 6)):
        monkeypatch.setattr(places, "GROUP", group)
        found = objective.certified_sums(point)
        np.testing.assert_allclose(found.high + found.low, alone.high + alone.low, rtol=1e-13, atol=1e-13)
        assert found.additions == additions
        assert found.errors < alone.errors
    assert alone.additions == 2
