"""Mechanisms: their totals, the printed formulas, the residual stage, and runs on real objectives."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import gaussian_delta, gaussian_mu
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.core.parts import module_of
from discreet.data import Records
from discreet.losses import HuberHinge, Logistic, MarginLoss, SmoothedHinge, SoftplusHinge
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning import (
    GaussianObjectivePerturbation,
    GaussianOutputPerturbation,
    NonPrivate,
    PureObjectivePerturbation,
    PureOutputPerturbation,
    calibrate,
)
from discreet.mechanisms.learning.margin import MARGIN, jacobian_corners
from discreet.noise import SeededNoise, SystemNoise
from discreet.objectives import objective_of
from discreet.problems import RegularisedRisk
from tests.mechanisms.learning.problems import problem

LOSSES = [Logistic(), SoftplusHinge(), HuberHinge(), SmoothedHinge()]


def comfortable(loss: MarginLoss, epsilon: float, delta: float, neighbours: Neighbours, **shape: float) -> RegularisedRisk:
    ridge = MARGIN.comfortable_ridge(problem(loss, ridge=1.0, **shape), epsilon=epsilon, delta=delta, neighbours=neighbours)
    return problem(loss, ridge=ridge, **shape)


def data(public: RegularisedRisk, records: int = 200) -> Records:
    draw = np.random.default_rng(0)
    rows = draw.standard_normal((records, public.domain.features))
    return Records(rows=DenseMatrix(rows), targets=np.sign(rows[:, 0]), domain=public.domain)


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (0.1, 1e-6), (2.0, 0.0), (2.0, 1e-8)])
@pytest.mark.parametrize("mechanism", ["objective", "output"])
def test_the_guarantee_is_the_target_and_almost_all_of_it(
    neighbours: Neighbours, loss: MarginLoss, epsilon: float, delta: float, mechanism: str
) -> None:
    public = comfortable(loss, epsilon, delta, neighbours, features=20, norm=2.0, intercept=0.5)
    calibrated = calibrate(public, mechanism=mechanism, calibration="tight", epsilon=epsilon, delta=delta, neighbours=neighbours)
    claim = calibrated.guarantee(public)
    assert claim.epsilon <= epsilon
    assert claim.epsilon == pytest.approx(epsilon, rel=1e-9)
    assert claim.delta(epsilon) <= delta
    assert claim.delta(epsilon) == pytest.approx(delta, rel=1e-3)


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 1e-300), (1.0, 1e-26), (650.0, 1e-100), (1000.0, 1e-6), (0.01, 0.9)])
def test_beyond_what_a_composition_reaches_both_stages_add_up(epsilon: float, delta: float) -> None:
    public = comfortable(Logistic(), epsilon, delta, ADD_REMOVE)
    found = GaussianObjectivePerturbation.calibrate(public, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    claim = found.guarantee(public)
    assert claim.epsilon <= epsilon * (1.0 + 1e-12)
    assert claim.delta(epsilon) <= delta
    assert found.scale <= 1.06 / gaussian_mu(epsilon, delta)


def test_without_slack_the_noise_is_that_of_one_mechanism() -> None:
    for neighbours, gradients in ((ADD_REMOVE, 1.0), (REPLACE_ONE, 2.0)):
        public = comfortable(Logistic(), 1.0, 1e-6, neighbours)
        gaussian = GaussianObjectivePerturbation.calibrate(public, epsilon=1.0, delta=1e-6, neighbours=neighbours)
        assert gaussian.scale == pytest.approx(gradients / gaussian_mu(1.0, 1e-6), rel=3e-3)
        public = comfortable(Logistic(), 1.0, 0.0, neighbours)
        pure = PureObjectivePerturbation.calibrate(public, epsilon=1.0, neighbours=neighbours)
        assert pure.rate == pytest.approx(1.0 / gradients, rel=3e-3)


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("share", [0.6, 1.0, 5.0])
def test_under_replacement_no_line_above_the_jacobian_term_gives_much_less(loss: MarginLoss, share: float) -> None:
    public = problem(loss, ridge=share * MARGIN.comfortable_ridge(problem(loss, ridge=1.0), epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE))
    t, corners = jacobian_corners(public)
    for scale in (3.0, 10.0, 30.0):
        s = public.gradient_bound / scale
        alone = MARGIN.delta(public, scale=scale, epsilon=1.0, neighbours=ADD_REMOVE)
        both = MARGIN.delta(public, scale=scale, epsilon=1.0, neighbours=REPLACE_ONE) - alone
        for start in np.linspace(corners[-1], corners.max(), 200):
            slope = max(0.0, float(np.max((corners[:-1] - start) / (1.0 - t[:-1]))))
            bound = gaussian_delta(1.0 - start, 2.0 * s) + gaussian_delta(1.0 - start - slope, s)
            assert both <= 1.5 * bound + 1e-12  # 49 lines are tried there, 200 here


def test_the_published_algorithms_are_as_printed() -> None:
    ridge, epsilon, c = 129.0, 0.1, 0.25
    public = problem(Logistic(), ridge=ridge)
    assert module_of("papers").published_output(public, epsilon=epsilon, delta=0.0, neighbours=REPLACE_ONE).rate == ridge * epsilon / 2
    first = module_of("papers").published_objective(public, epsilon=epsilon, delta=0.0, neighbours=REPLACE_ONE)
    assert first.rate == pytest.approx((epsilon - math.log(1 + 2 * c / ridge + c**2 / ridge**2)) / 2, rel=1e-14)
    assert first.extra_ridge == 0.0
    second = module_of("papers").published_objective(problem(Logistic(), ridge=4.0), epsilon=epsilon, delta=0.0, neighbours=REPLACE_ONE)
    assert second.rate == epsilon / 4
    assert second.extra_ridge == pytest.approx(c / math.expm1(epsilon / 4) - 4.0)
    for mechanism, ridge_given in ((first, ridge), (second, 4.0)):
        claim = mechanism.guarantee(problem(Logistic(), ridge=ridge_given)).epsilon
        assert 0.6 * epsilon < claim <= epsilon


@pytest.mark.parametrize("norm", [0.5, 1.0])
def test_published_output_perturbation_states_the_cost_of_its_last_stage(norm: float) -> None:
    public = problem(Logistic(), ridge=10.0, norm=norm)
    mechanism = module_of("papers").published_output(public, epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE)
    assert mechanism.guarantee(public).epsilon == pytest.approx(norm + 0.001, rel=1e-9)


def test_the_published_calibration_refuses_what_the_paper_does_not_cover() -> None:
    public = problem(Logistic(), ridge=10.0)
    for settings in ({"delta": 1e-6, "neighbours": REPLACE_ONE}, {"delta": 0.0, "neighbours": ADD_REMOVE}):
        for algorithm in (module_of("papers").published_objective, module_of("papers").published_output):
            with pytest.raises(InvalidInput):
                algorithm(public, epsilon=1.0, **settings)
    with pytest.raises(InvalidInput, match="norm at most 1"):
        module_of("papers").published_objective(problem(Logistic(), ridge=10.0, intercept=0.1), epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE)


def test_too_little_regularisation_is_refused_with_what_would_do() -> None:
    public = problem(Logistic(), ridge=1e-3)
    for delta in (0.0, 1e-6):
        with pytest.raises(InfeasibleTarget, match=r"alpha > 0.00238 at epsilon=0.1 .*alpha=1e-06 was given"):
            calibrate(public, mechanism="objective", calibration="tight", epsilon=0.1, delta=delta, neighbours=REPLACE_ONE)
    assert isinstance(
        calibrate(public, mechanism="output", calibration="tight", epsilon=0.1, delta=0.0, neighbours=REPLACE_ONE), PureOutputPerturbation
    )


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 10.0, 1000.0])
def test_calibration_needs_no_data_and_works_over_all_scales(epsilon: float) -> None:
    for neighbours in Neighbours:
        for delta in (0.0, 1e-12, 1e-3):
            public = comfortable(Logistic(), epsilon, delta, neighbours, features=1000, records=10_000_000)
            mechanism = calibrate(public, mechanism="objective", calibration="tight", epsilon=epsilon, delta=delta, neighbours=neighbours)
            assert mechanism.guarantee(public).delta(epsilon) <= delta


@pytest.mark.parametrize(
    ("kind", "delta"),
    [
        (PureObjectivePerturbation, None),
        (GaussianObjectivePerturbation, 1e-6),
        (PureOutputPerturbation, None),
        (GaussianOutputPerturbation, 1e-6),
    ],
)
def test_runs_release_what_they_certify(kind: type, delta: float | None) -> None:
    public = comfortable(Logistic(), 1.0, delta or 0.0, REPLACE_ONE, features=4, records=200)
    settings = {} if delta is None else {"delta": delta}
    mechanism = kind.calibrate(public, epsilon=1.0, neighbours=REPLACE_ONE, **settings)
    release = mechanism.run(public, data(public), SystemNoise())
    assert release.value.shape == (4,)
    assert release.verify().ok
    many = mechanism.run_many(public, data(public), SystemNoise(), 5)
    assert many.value.shape == (4, 5)
    assert many.verify().ok
    assert np.unique(many.value).size == 20


@pytest.mark.parametrize("width", [1e-4, 1e-3, 2e-3, 0.037])
def test_a_bend_however_narrow_is_seen_by_the_recheck(width: float) -> None:
    public = comfortable(HuberHinge(half_width=width), 1.0, 1e-6, ADD_REMOVE)
    made = GaussianObjectivePerturbation.calibrate(public, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE)
    right, wrong = (one.run(public, data(public), SystemNoise()).certificate for one in (made, replace(made, scale=0.6 * made.scale)))
    failed = [[check.name for check in one.verify().checks if not check.ok] for one in (right, replace(wrong, guarantee=right.guarantee))]
    assert failed == [["declared"], ["delta", "declared"]], "classes are declared by an estimator"


def test_many_runs_solve_the_same_equation_as_single_ones() -> None:
    """With the same noise, the columns of run_many are the minimisers that single solves find."""
    public = comfortable(Logistic(), 1.0, 1e-6, REPLACE_ONE, features=4, records=200)
    mechanism = GaussianObjectivePerturbation.calibrate(public, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    many = mechanism.columns(public, data(public), SeededNoise(1), 6)
    noise = SeededNoise(1)
    linears = noise.gaussian(scale=mechanism.scale, dimension=4, draws=6)
    integers = noise.discrete_gaussian(scale=mechanism.grid.scale, dimension=4, draws=6)
    objective = objective_of(public, data(public))
    for column in range(6):
        point = many[:, column] - integers[:, column] * mechanism.grid.step
        assert objective.with_linear(linears[:, column]).certified_gradient_norm(point) <= 2.0 * mechanism.tolerance + 1e-9


def test_the_spread_of_output_perturbation_is_its_noise() -> None:
    public = problem(Logistic(), ridge=5.0, features=3, records=200)
    mechanism = GaussianOutputPerturbation.calibrate(public, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE)
    draws = mechanism.run_many(public, data(public), SystemNoise(), 20_000).value
    np.testing.assert_allclose(draws.std(axis=1), mechanism.scale, rtol=0.04)


def test_without_privacy_there_is_no_noise_and_no_guarantee() -> None:
    public = problem(Logistic(), ridge=5.0, features=3, records=200)
    mechanism = calibrate(public, mechanism="objective", calibration="tight", epsilon=math.inf, delta=0.0, neighbours=REPLACE_ONE)
    assert isinstance(mechanism, NonPrivate)
    first, second = (mechanism.run(public, data(public), SystemNoise()) for _ in range(2))
    assert np.array_equal(first.value, second.value)
    assert not first.verify().ok


@pytest.mark.parametrize("loss", LOSSES, ids=repr)
def test_the_comfortable_ridge_falls_no_faster_than_one_over_epsilon(loss: MarginLoss) -> None:
    """Otherwise a huge epsilon would leave the solver without strong convexity."""
    for neighbours in Neighbours:
        public = problem(loss, ridge=1.0)
        ridges = [
            MARGIN.comfortable_ridge(public, epsilon=epsilon, delta=0.0, neighbours=neighbours) * epsilon for epsilon in (1.0, 10.0, 100.0, 1000.0)
        ]
        assert min(ridges) >= loss.smoothness * (1 - 1e-12)


@given(rate=st.floats(1e-6, 1e6), norm=st.floats(1e-3, 1e3), ridge=st.floats(-3.0, 9.0), neighbours=st.sampled_from(Neighbours))
def test_epsilon_of_a_rate_is_rounded_up_in_every_branch(rate: float, norm: float, ridge: float, neighbours: Neighbours) -> None:
    """Against exact fractions: never below the slack-free part, which every branch contains."""
    public = problem(Logistic(), ridge=10.0**ridge, norm=norm, intercept=0.3)
    exact = Fraction(rate) ** 2 * (Fraction(norm) ** 2 + Fraction(0.3) ** 2) * (1 if neighbours is ADD_REMOVE else 4)
    assert Fraction(MARGIN.epsilon(public, rate=rate, neighbours=neighbours)) ** 2 >= exact
