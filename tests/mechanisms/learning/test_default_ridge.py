"""The default lambda: feasible whatever the problem, of the right units, and the rule that its module states."""

import math
from dataclasses import replace

import pytest

from discreet.accounting import PureDP, gaussian_mu
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.data import Domain
from discreet.losses import HuberHinge, Logistic, SmoothedHinge, SoftplusHinge
from discreet.mechanisms.learning import calibrate, default_ridge
from discreet.mechanisms.learning.choose import default_temperature
from discreet.mechanisms.learning.margin import MARGIN
from discreet.problems import MultinomialRisk, OneVsRestRisk
from tests.mechanisms.learning.problems import problem

LOSSES = [Logistic(), SoftplusHinge(), SoftplusHinge(temperature=0.01), HuberHinge(), SmoothedHinge()]


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("loss", LOSSES, ids=repr)
@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-3])
@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 10.0])
def test_every_default_is_feasible_and_spends_no_more_than_the_target(neighbours, loss, delta, epsilon):
    for shape in ({"features": 1}, {"features": 2000, "norm": 7.0, "intercept": 2.0}):
        public = problem(loss, ridge=1.0, **shape)
        public = replace(public, ridge=default_ridge(public, epsilon=epsilon, delta=delta, neighbours=neighbours))
        claim = calibrate(public, mechanism="auto", calibration="tight", epsilon=epsilon, delta=delta, neighbours=neighbours).guarantee(public)
        assert claim.epsilon <= epsilon
        assert claim.delta(epsilon) <= delta


def test_the_rule_is_the_formula_of_its_module():
    public = problem(SoftplusHinge(temperature=0.25), ridge=1.0, features=784, norm=2.0)
    for neighbours, moved in ((ADD_REMOVE, 1.0), (REPLACE_ONE, 2.0)):
        for delta, noise in ((1e-6, moved / gaussian_mu(0.5, 1e-6)), (0.0, moved * 28.0 / 0.5)):
            for records, few in ((None, 1.0), (10**6, 1.0), (1_600, 2.5 ** (1 / 3)), (30, 2.0)):
                known = replace(public, domain=replace(public.domain, records=records))
                found = default_ridge(known, epsilon=0.5, delta=delta, neighbours=neighbours)
                assert found == pytest.approx(few * 4.0 * noise**1.25 * 7.84**0.4 / 4, rel=1e-12)


def test_the_default_does_not_depend_on_the_problems_own_lambda_and_a_secret_n_changes_nothing():
    public = problem(Logistic(), ridge=1.0, features=50)
    known = [
        replace(public, domain=replace(public.domain, records=records), ridge=ridge) for records, ridge in ((None, 1.0), (None, 123.0), (10**6, 7.0))
    ]
    assert len({default_ridge(each, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE) for each in known}) == 1


def test_units_lambda_grows_with_the_square_of_the_norm_and_with_the_weights():
    def ridge(**shape):
        return default_ridge(problem(Logistic(), ridge=1.0, features=50, **shape), epsilon=0.3, delta=1e-6, neighbours=ADD_REMOVE)

    assert ridge(norm=3.0) == pytest.approx(9.0 * ridge(norm=1.0))
    heavy = replace(problem(Logistic(), ridge=1.0, features=50), max_weight=5.0)
    assert default_ridge(heavy, epsilon=0.3, delta=1e-6, neighbours=ADD_REMOVE) == pytest.approx(5.0 * ridge())


@pytest.mark.parametrize(("epsilon", "share"), [(0.004, 0.45 / 1.001), (4.0, 0.225), (1e3, 0.1)])
def test_the_floor_is_a_share_of_what_is_slack_free_that_falls_with_epsilon(epsilon, share):
    public = problem(SoftplusHinge(temperature=1e-5), ridge=1.0, features=3, records=None)
    free = MARGIN.comfortable_ridge(public, epsilon=epsilon, delta=0.0, neighbours=ADD_REMOVE)
    assert default_ridge(public, epsilon=epsilon, delta=0.0, neighbours=ADD_REMOVE) == pytest.approx(share * free)


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 4.0, 30.0])
def test_the_floor_costs_less_than_two_fifths_more_noise(neighbours, epsilon):
    """Output perturbation, whose noise the curvature of the records never shrinks, stays out of its way."""
    public = problem(Logistic(), ridge=1.0, features=3)
    asked = {"epsilon": epsilon, "neighbours": neighbours}
    free = MARGIN.comfortable_ridge(public, delta=0.0, **asked)
    ridge = default_ridge(public, delta=0.0, **asked)
    sizes = []
    for each in (replace(public, ridge=ridge), replace(public, ridge=free)):
        chosen = calibrate(each, mechanism="auto", calibration="tight", delta=0.0, **asked)
        assert chosen.name == "objective-perturbation-pure"
        sizes.append(chosen.weight_noise(each) * each.ridge)
    assert sizes[0] <= 1.4 * sizes[1]


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("delta", [0.0, 1e-9])
@pytest.mark.parametrize(("features", "epsilon"), [(2, 1.0), (8, 0.1), (30, 4.0), (105, 1.0), (800, 0.1)])
def test_the_temperature_is_where_the_floor_meets_the_rule_within_its_limits(neighbours, delta, features, epsilon):
    asked = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    public = problem(SoftplusHinge(), ridge=1.0, features=features, norm=3.0, records=None)
    found = default_temperature(public, mechanism="auto", **asked)
    ridge, flat = (default_ridge(replace(public, loss=SoftplusHinge(temperature=t)), mechanism="auto", **asked) for t in (found, 1e9))
    of_theorem = 0.0 if features < 105 else delta  # the shorter noise
    half = 0.5 * MARGIN.comfortable_ridge(replace(public, loss=SoftplusHinge(temperature=1.0)), **{**asked, "delta": of_theorem})
    assert 0.35 <= found <= 1.0
    assert found == 1.0 or ridge == flat  # no floor is in the way any more
    assert found == pytest.approx(min(1.0, max(0.35, half / flat)), abs=0.0051)
    assert (found == 0.35) == (features >= 105)


def test_the_temperature_of_noise_in_the_output_is_its_own_and_that_of_hardly_any_noise_is_that_of_none():
    public = problem(SoftplusHinge(), ridge=1.0, features=2)
    for epsilon, expected in ((10.0, 1.0), (1e3, 0.35), (1e300, 0.35), (math.inf, 0.35)):
        assert default_temperature(public, epsilon=epsilon, delta=0.0, neighbours=ADD_REMOVE) == expected
        assert default_temperature(public, epsilon=epsilon, delta=0.0, neighbours=ADD_REMOVE, mechanism="output") == 0.25


EPSILONS = (0.1, 0.5, 1.0, 4.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e6, 1e8)


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("shape", [{"features": 10}, {"features": 300, "norm": 7.0, "records": 2000}, {"features": 60, "classes": 4}], ids=str)
def test_more_epsilon_is_never_less_of_a_fit_and_infinity_is_its_limit(shape, delta, neighbours):
    """lambda and the noise in the objective fall; the last stage, which hides tau / lambda, never moves an answer by more than a tenth."""
    two = problem(Logistic(), ridge=1.0, **{name: value for name, value in shape.items() if name != "classes"})
    public = two if "classes" not in shape else MultinomialRisk(ridge=1.0, domain=replace(two.domain, classes=shape["classes"]))
    asked, before = {"delta": delta, "neighbours": neighbours}, (math.inf, math.inf)
    for epsilon in EPSILONS:
        chosen = replace(public, ridge=default_ridge(public, epsilon=epsilon, **asked))
        made = calibrate(chosen, mechanism="auto", calibration="tight", epsilon=epsilon, **asked)
        now = chosen.ridge, made.weight_noise(chosen) * chosen.ridge
        assert now[0] <= before[0]
        assert now[1] <= before[1]
        assert made.grid.step * made.grid.scale * chosen.domain.radius <= 0.1
        before = now
    assert default_ridge(public, epsilon=math.inf, **asked) == before[0]


def test_lambda_of_noise_in_the_output_has_the_same_limit():
    public = problem(Logistic(), ridge=1.0, features=10)
    asked = {"delta": 1e-6, "neighbours": ADD_REMOVE}
    names = ("output", "objective")
    output, objective = ([default_ridge(public, epsilon=epsilon, mechanism=name, **asked) for epsilon in EPSILONS] for name in names)
    assert output == sorted(output, reverse=True)
    assert output[-1] == objective[-1] == default_ridge(public, epsilon=math.inf, mechanism="output", **asked)


def test_in_few_dimensions_a_pure_guarantee_needs_less_noise_and_auto_takes_it():
    few, many = (problem(Logistic(), ridge=50.0, features=features) for features in (3, 300))
    claims = [
        calibrate(public, mechanism="auto", calibration="tight", epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE).guarantee(public)
        for public in (few, many)
    ]
    assert isinstance(claims[0], PureDP)
    assert not isinstance(claims[1], PureDP)


def test_auto_takes_the_output_only_where_slack_has_more_than_doubled_the_noise():
    least = 0.25 / math.expm1(0.5)
    for ridge, expected in ((1.05 * least, "output"), (1.5 * least, "objective"), (100.0 * least, "objective")):
        public = problem(Logistic(), ridge=ridge, features=100)
        chosen = calibrate(public, mechanism="auto", calibration="tight", epsilon=0.5, delta=1e-6, neighbours=ADD_REMOVE)
        assert chosen.name == f"{expected}-perturbation-gaussian"


@pytest.mark.more
@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize("loss", [Logistic(), HuberHinge()], ids=repr)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-9), (4.0, 1e-3), (4.0, 0.2)])
def test_auto_chooses_as_a_comparison_of_all_four_does(neighbours, loss, epsilon, delta):
    """It leaves Gaussian noise in the objective uncalibrated where it cannot be the shortest: never where it would have been."""
    target, kinds = {"epsilon": epsilon, "neighbours": neighbours}, set()
    crossing = (epsilon / gaussian_mu(epsilon, delta)) ** 2  # in so many dimensions both kinds of noise are about as long
    for features in {1, max(1, round(0.8 * crossing)), max(1, round(crossing)), math.ceil(1.02 * crossing), math.ceil(1.5 * crossing)}:
        least = MARGIN.least_ridge(problem(loss, ridge=1.0, features=features), epsilon)
        for factor in (1.02, 1.5, 30.0):
            public = problem(loss, ridge=factor * least, features=features)
            objective, output = (
                min(
                    (calibrate(public, mechanism=name, calibration="tight", delta=each, **target) for each in (delta, 0.0)),
                    key=lambda made: made.weight_noise(public),
                )
                for name in ("objective", "output")
            )
            expected = output if output.weight_noise(public) < 0.5 * objective.weight_noise(public) else objective
            assert calibrate(public, mechanism="auto", calibration="tight", delta=delta, **target) == expected
            kinds.add(isinstance(objective.guarantee(public), PureDP))
    assert kinds == {True, False}, "both kinds are the shorter one somewhere"


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (0.1, 1e-6), (4.0, 0.0), (4.0, 1e-9)])
def test_defaults_of_many_classes_are_feasible(neighbours, epsilon, delta):
    domain = Domain(features=30, norm_bound=2.0, intercept_scale=0.6, classes=7)
    softmax = MultinomialRisk(ridge=1.0, domain=domain)
    target = {"epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    separate = OneVsRestRisk(loss=SoftplusHinge(), ridge=1.0, domain=domain)
    for undecided in (softmax, separate):
        public = replace(undecided, ridge=default_ridge(undecided, **target))
        claim = calibrate(public, mechanism="auto", calibration="tight", **target).guarantee(public)
        assert claim.epsilon <= epsilon
        assert claim.delta(epsilon) <= delta


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_a_delta_that_is_of_no_use_changes_nothing_of_what_auto_takes(epsilon):
    public = problem(SoftplusHinge(), ridge=1.0, features=5)
    target = {"epsilon": epsilon, "neighbours": REPLACE_ONE}
    found = [default_ridge(public, delta=delta, mechanism="auto", **target) for delta in (0.0, 1e-9)]
    assert found[0] == found[1]
    chosen = replace(public, ridge=found[0])
    claims = [calibrate(chosen, mechanism="auto", calibration="tight", delta=delta, **target).guarantee(chosen) for delta in (0.0, 1e-9)]
    assert all(isinstance(claim, PureDP) for claim in claims)
    assert default_ridge(public, delta=1e-9, mechanism="objective", **target) > found[0]
