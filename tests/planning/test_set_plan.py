"""Plans over sets: bounds cover the mechanisms as they are calibrated and hold in simulations; both questions agree; auto is what a fit takes."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet import ConstrainedERM
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Records
from discreet.ledger import Ledger, using
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained import GaussianFrankWolfe, PolytopeFrankWolfe
from discreet.mechanisms.constrained.excess import averaged_frank_wolfe
from discreet.noise import SeededNoise
from discreet.objectives import sum_over_set
from discreet.planning import SetPlan, simulate_over_set
from discreet.planning.set_simulate import invented_over_set, least_over_set, model_over_set
from discreet.sets import GroupL2Ball, L1Ball, L2Ball, LInfinityBall, Simplex

PLANS = {
    "lasso": SetPlan(constraint=L1Ball(dimension=12), epsilon=1.0, delta=1e-6, entry_bound=1.0, target_bound=1.0),
    "pure lasso": SetPlan(constraint=L1Ball(dimension=12), epsilon=1.0, entry_bound=1.0, neighbours=ADD_REMOVE, target_bound=1.0),
    "logistic": SetPlan(constraint=L2Ball(dimension=4, radius=3.0), loss="logistic", epsilon=0.5, delta=1e-5, data_norm=1.0),
    "intercept": SetPlan(constraint=LInfinityBall(dimension=4), loss="logistic", epsilon=1.0, delta=1e-5, data_norm=1.0, intercept_scale=1.0),
    "svm": SetPlan(constraint=L2Ball(dimension=3, radius=2.0), loss="hinge", epsilon=1.0, delta=1e-5, data_norm=1.0, steps=60),
    "mixture": SetPlan(
        constraint=Simplex(dimension=5), loss="absolute", epsilon=2.0, delta=1e-5, entry_bound=1.0, neighbours=ADD_REMOVE, steps=60, target_bound=1.0
    ),
    "groups": SetPlan(constraint=GroupL2Ball(sizes=(2, 2)), loss="huber", epsilon=1.0, delta=1e-5, data_norm=1.0, entry_bound=0.8, target_bound=1.0),
}
plans = pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)


@pytest.mark.at_most(3)
@plans
def test_no_simulated_mean_exceeds_what_is_proved(plan):
    for one in simulate_over_set(plan, [60, 500], SeededNoise(0), tables=2, draws=3):
        assert one.repeats == 6
        assert -one.error - 1e-12 <= one.mean <= one.largest
        assert one.mean + one.error < one.own_risk
        assert one.error < 0.02
        assert one.own_risk == plan.bound(one.records).of(one.mechanism).own_risk


@pytest.mark.at_most(3)
@plans
def test_bounds_fall_with_epsilon_and_with_records_while_work_is_no_limit(plan):
    risks = [plan.bound(records).best.risk for records in (100, 1000, 10_000)]
    assert risks == sorted(risks, reverse=True)
    assert replace(plan, epsilon=2 * plan.epsilon).bound(1000).best.risk < risks[1]
    assert all(math.isinf(one.risk) or one.risk <= one.own_risk for one in plan.bound(1000).mechanisms)


@pytest.mark.more
@plans
def test_both_questions_agree(plan):
    excess = 1.01 * plan.bound(3000).best.risk
    found = plan.records_for(excess)
    assert found.best.risk <= excess
    assert found.records <= 3000
    assert plan.bound(math.floor(0.998 * found.records) - 1).best.risk > excess
    fewest = plan.needed(excess)[0]
    assert found.records == fewest.records
    for one in plan.needed(excess):
        if one.records is None:
            assert one.remark
        else:
            assert plan.bound(one.records).of(one.mechanism).risk <= excess


@pytest.mark.at_most(2)
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-3), (1.0, 1e-6), (8.0, 1e-9), (1.0, 0.0)])
@pytest.mark.parametrize("steps", [2, 30, 200])
def test_the_noise_that_is_reckoned_with_is_that_of_the_calibrated_mechanisms(neighbours, epsilon, delta, steps):
    plan = SetPlan(
        constraint=L1Ball(dimension=20), epsilon=epsilon, delta=delta, entry_bound=1.0, neighbours=neighbours, steps=steps, target_bound=1.0
    )
    problem, shared = plan.problem(500), {"epsilon": epsilon, "delta": delta, "neighbours": neighbours, "steps": steps}
    vertices = PolytopeFrankWolfe.calibrate(problem, **shared)
    # Choices with probability proportional to e^{-rate z} have E z <= min z + ln k / rate (McSherry and Talwar 2007), z in steps of the grid.
    regrets = {"frank-wolfe-polytope": vertices.grid_step * (math.log(40) / vertices.rate + 1.0)}
    if delta > 0:
        regrets["frank-wolfe-gaussian"] = GaussianFrankWolfe.calibrate(problem, **shared).noise_steps.deviation * problem.constraint.gaussian_width
    for name, regret in regrets.items():
        exact = averaged_frank_wolfe(curvature=500 * problem.curvature, regret=regret, steps=steps) / 500
        found = plan.bound(500).of(name)
        assert (found.steps, found.own_steps) == (steps, steps)
        assert exact <= found.risk <= (1.2 if steps == 200 else 3.0) * exact


@plans
def test_auto_is_what_a_fit_takes(plan):
    features = plan.problem(1).domain.features
    model = ConstrainedERM(
        loss=plan.loss,
        constraint=plan.constraint,
        epsilon=plan.epsilon,
        delta=plan.delta,
        neighbours=str(plan.neighbours),
        data_bound=plan.entry_bound,
        data_norm=plan.data_norm,
        fit_intercept=plan.intercept_scale > 0,
        n_iter=plan.steps,
        public_records=80,
        classes=[-1, 1] if plan.problem(1).loss.signed_targets else None,
        random_state=0,
        target_bound=1.0,
    )
    rng = np.random.default_rng(0)
    model.fit(rng.uniform(-0.2, 0.2, (80, features)), np.tile([-1, 1], 40))
    own = plan.bound(80).of(plan.bound(80).auto)
    assert model.certificate_.mechanism == own.mechanism
    assert model.certificate_.parameters.get("steps") == own.own_steps


def test_invented_records_are_what_a_plan_declares():
    signs, targets = invented_over_set(PLANS["lasso"], 400, SeededNoise(0))
    assert np.unique(signs).tolist() == [-1.0, 1.0]
    assert np.std(targets - signs @ model_over_set(PLANS["lasso"])) == pytest.approx(0.1, rel=0.2)
    rows, classes = invented_over_set(PLANS["logistic"], 4000, SeededNoise(0))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    assert np.unique(classes).tolist() == [-1.0, 1.0]
    assert np.corrcoef(rows @ model_over_set(PLANS["logistic"]), classes)[0, 1] > 0.2
    both, _ = invented_over_set(PLANS["groups"], 50, SeededNoise(0))
    assert np.linalg.norm(both, axis=1).max() <= 1.0 + 1e-12
    assert np.abs(both).max() <= 0.8
    for plan in PLANS.values():
        assert plan.constraint.contains(model_over_set(plan))
    assert model_over_set(PLANS["lasso"])[:3] == pytest.approx([0.5, 0.3, 0.2])


@plans
def test_least_values_are_as_near_as_they_say(plan):
    problem = plan.problem(200)
    rows, targets = invented_over_set(plan, 200, SeededNoise(1))
    objective = sum_over_set(problem, Records(rows=as_matrix(rows), targets=targets, domain=problem.domain))
    value, error = least_over_set(problem, objective)
    assert 0 <= error < 200 * 0.01
    rng = np.random.default_rng(0)
    for _ in range(300):
        point = plan.constraint.project(model_over_set(plan) + 0.2 * rng.standard_normal(plan.constraint.dimension))
        assert value <= objective.value(point) + error


def test_least_values_of_small_problems_are_known():
    plan = SetPlan(constraint=L2Ball(dimension=1), loss="absolute", epsilon=1.0, delta=1e-5, entry_bound=1.0, target_bound=1.0)
    problem = plan.problem(3)
    data = Records(rows=as_matrix(np.ones((3, 1))), targets=np.array([-0.5, 0.25, 1.0]), domain=problem.domain)
    value, error = least_over_set(problem, sum_over_set(problem, data))
    assert value == pytest.approx(1.5, abs=0.01)
    assert value - error <= 1.5


def test_a_simulation_is_repeated_by_its_seed_and_spends_on_no_ledger(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.0)
    with using(ledger, "people"):
        first, second = (simulate_over_set(PLANS["logistic"], [50], SeededNoise(1), tables=1, draws=2) for _ in range(2))
    assert first == second
    assert ledger.history("people") == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"entry_bound": None}, "public bound"),
        ({"entry_bound": -1.0}, "entry_bound"),
        ({"target_bound": 0.0}, "target_bound"),
        ({"loss": "magic"}, "magic"),
        ({"loss": "logistic", "target_bound": 2.0}, "target_bound must be 1"),
        ({"steps": 0}, "number of steps"),
        ({"constraint": Simplex(dimension=1)}, "single point"),
    ],
)
def test_plans_of_nothing_are_refused(changes, message):
    with pytest.raises(InvalidInput, match=message):
        replace(PLANS["lasso"], **changes)


def test_questions_without_an_answer_are_told():
    with pytest.raises(InvalidInput, match="records"):
        PLANS["lasso"].bound(0)
    with pytest.raises(InvalidInput, match="no mechanism runs on more"):
        PLANS["lasso"].bound(10**13)
    with pytest.raises(InfeasibleTarget, match="delta > 0"):
        replace(PLANS["logistic"], delta=0.0).bound(10)
    with pytest.raises(InfeasibleTarget, match="number of steps"):
        PLANS["svm"].records_for(1e-6)
    with pytest.raises(InvalidInput, match="excess"):
        PLANS["lasso"].needed(0.0)
    with pytest.raises(InvalidInput, match="mechanism must be one of"):
        PLANS["lasso"].bound(10).of("magic")


def test_a_plan_over_a_set_asks_for_the_range_of_its_targets():
    with pytest.raises(InvalidInput, match="needs target_bound"):
        SetPlan(constraint=L1Ball(dimension=2), epsilon=1.0, entry_bound=1.0)
    assert SetPlan(constraint=L1Ball(dimension=2), loss="logistic", epsilon=1.0, entry_bound=1.0).problem(1).domain.target_bound == 1.0
