"""Private Frank-Wolfe from the outside: certificates, ledger, the law of a choice, the walk, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from discreet.accounting import NoGuarantee, PureDP
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.losses.predictions import Hinge, HuberLoss, OfMargin, Squared
from discreet.matrices import as_matrix
from discreet.mechanisms.constrained import GaussianFrankWolfe, NonPrivateFrankWolfe, PolytopeFrankWolfe, calibrate_frank_wolfe
from discreet.mechanisms.constrained.choose import better
from discreet.mechanisms.constrained.frank_wolfe import Walk, scores_on_grid
from discreet.noise import SeededNoise, SystemNoise
from discreet.objectives import sum_over_set
from discreet.problems import ConstrainedRisk
from discreet.sets import ConvexHull, L1Ball, L2Ball, Simplex
from tests.canary import CANARY, assert_silent

RELATIONS = [REPLACE_ONE, ADD_REMOVE]
SETS = {
    "l1 ball": lambda d: L1Ball(dimension=d, radius=2.0),
    "simplex": lambda d: Simplex(dimension=d),
    "hull": lambda d: ConvexHull(vertices=np.random.default_rng(5).normal(size=(12, d))),
    "l2 ball": lambda d: L2Ball(dimension=d),
}


def problem_over(kind="l1 ball", loss=None, features=8, **bounds):
    domain = Domain(features=features, target_bound=1.0, **(bounds or {"entry_bound": 1.0}))
    return ConstrainedRisk(loss=loss or Squared(), constraint=SETS[kind](domain.dimension), domain=domain)


def records_of(problem, count=2000, change=np.asarray):
    draw = np.random.default_rng(1)
    X = draw.uniform(-1.0, 1.0, (count, problem.domain.features))
    y = np.where(0.5 * X[:, 0] - 0.3 * X[:, 2] + 0.1 * draw.normal(size=count) > 0, 1.0, -1.0)
    return Records(rows=as_matrix(change(X)), targets=y, domain=problem.domain)


def mechanisms_for(problem, neighbours):
    yield GaussianFrankWolfe.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=neighbours, steps=5)
    if problem.constraint.name != "l2-ball":
        yield PolytopeFrankWolfe.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=neighbours, steps=5)
        yield PolytopeFrankWolfe.calibrate(problem, epsilon=1.0, delta=0.0, neighbours=neighbours, steps=5)


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("kind", SETS)
@pytest.mark.parametrize("loss", [Squared(), OfMargin()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("bounds", [{"entry_bound": 1.0}, {"norm_bound": 1.0, "intercept_scale": 0.3}], ids=["entries", "norms"])
def test_a_release_lies_in_the_set_and_its_certificate_verifies(kind, loss, bounds, neighbours):
    problem = problem_over(kind, loss, **bounds)
    for mechanism in mechanisms_for(problem, neighbours):
        release = mechanism.run(problem, records_of(problem), SystemNoise())
        assert problem.constraint.contains(release.value)
        release.verify().require()
        assert release.certificate.guarantee == mechanism.guarantee(problem)
        assert release.certificate.guarantee.delta(1.0) <= 1e-6


FAULTS = {
    "polytope": [{"rate": 1.03}, {"steps": 2}, {"epsilon": 0.9}],
    "gaussian": [{"scale": 0.97}, {"steps": 2}, {"epsilon": 0.9}],
}


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize(("kind", "fault"), [(kind, fault) for kind, faults in FAULTS.items() for fault in faults])
def test_a_certificate_with_other_numbers_does_not_verify(kind, fault, neighbours):
    problem = problem_over()
    calibrated = {"polytope": PolytopeFrankWolfe, "gaussian": GaussianFrankWolfe}[kind].calibrate(
        problem, epsilon=1.0, delta=1e-6, neighbours=neighbours, steps=20
    )
    release = calibrated.run(problem, records_of(problem), SystemNoise())
    ((name, factor),) = fault.items()
    honest = release.certificate
    value = honest.parameters[name] * factor
    wrong = replace(honest, parameters={**honest.parameters, name: value})
    assert honest.verify(release.value).ok
    assert not wrong.verify(release.value).ok


@pytest.mark.parametrize(
    ("name", "value"), [("entry_bound", 1.1), ("target_bound", 1.1), ("constraint", "l2-ball"), ("loss", "absolute"), ("features", None)]
)
def test_a_certificate_of_another_problem_does_not_verify(name, value):
    problem = problem_over()
    release = PolytopeFrankWolfe.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, steps=5).run(
        problem, records_of(problem), SystemNoise()
    )
    wrong = replace(release.certificate, problem={**release.certificate.problem, name: value})
    assert not wrong.verify(release.value).ok


def test_the_certificate_of_a_seeded_run_does_not_verify():
    problem = problem_over()
    for mechanism in mechanisms_for(problem, REPLACE_ONE):
        assert not mechanism.run(problem, records_of(problem), SeededNoise(1)).verify().ok


def test_without_noise_there_is_no_guarantee_and_the_minimum_is_near():
    problem = problem_over(loss=HuberLoss())
    mechanism = calibrate_frank_wolfe(problem, epsilon=np.inf, delta=0.0, neighbours=REPLACE_ONE)
    assert isinstance(mechanism, NonPrivateFrankWolfe)
    data = records_of(problem)
    release = mechanism.run(problem, data, SystemNoise())
    assert isinstance(release.certificate.guarantee, NoGuarantee)
    assert not release.verify().ok
    objective = sum_over_set(problem, data)
    gradient = objective.gradient(release.value)
    gap = gradient @ (release.value - problem.constraint.linear_minimiser(gradient))
    assert 0.0 <= gap <= 2000 * problem.curvature * 8.0 / mechanism.steps  # the duality gap, of order Gamma / T


def test_a_choice_has_the_probabilities_of_the_exponential_mechanism():
    problem = problem_over(features=3)
    data = records_of(problem, count=30)
    mechanism = PolytopeFrankWolfe.calibrate(problem, epsilon=2.0, delta=0.0, neighbours=ADD_REMOVE, steps=1)
    scores = scores_on_grid(problem.constraint, Walk.from_start(sum_over_set(problem, data), problem.constraint).gradient(), mechanism.grid_step)
    expected = np.exp(-mechanism.rate * (scores - scores.min()))
    expected /= expected.sum()
    noise, objective, count = SeededNoise(3), sum_over_set(problem, data), 1500
    found = np.zeros(6)
    for _ in range(count):
        value = mechanism.point(problem, objective, noise)
        found[int(np.flatnonzero(value)[0]) + (3 if value.sum() < 0 else 0)] += 1
    chi_square = float((np.square(found - count * expected) / (count * expected)).sum())
    assert chi_square < 20.5  # P < 0.001 for five degrees of freedom
    assert float((np.square(found - count / 6) / (count / 6)).sum()) > 40.0, "the test cannot tell these probabilities from equal ones"


@pytest.mark.parametrize("change", [np.asarray, sp.csr_array, np.asfortranarray], ids=["dense", "sparse", "columns first"])
def test_predictions_walk_along(change):
    problem = problem_over(entry_bound=0.8, norm_bound=1.2, intercept_scale=0.5)
    walk = Walk.from_start(sum_over_set(problem, records_of(problem, change=change)), problem.constraint)
    for index in (0, 3, 8, 12, 3, 17):
        walk.towards(problem.constraint.vertex(index))
        assert np.allclose(walk.predictions, walk.objective.data.matrix.matvec(walk.point), atol=1e-14)
        assert np.allclose(walk.gradient(), walk.objective.gradient(walk.point), atol=1e-9)
    assert np.allclose(walk.point, np.mean([problem.constraint.vertex(index) for index in (0, 3, 8, 12, 3, 17)], axis=0))


def test_walking_predictions_of_a_record_do_not_depend_on_other_records():
    problem = problem_over(entry_bound=0.8, norm_bound=1.2)
    data = records_of(problem, count=1500)
    X, y = np.random.default_rng(1).uniform(-1.0, 1.0, (1500, 8)), np.ones(1500)
    walks = [
        Walk.from_start(sum_over_set(problem, Records(rows=as_matrix(X[rows]), targets=y[rows], domain=data.domain)), problem.constraint)
        for rows in (slice(None), slice(1, None))
    ]
    for index in (1, 9, 4, 4, 15):
        for walk in walks:
            walk.towards(problem.constraint.vertex(index))
        assert np.array_equal(walks[0].predictions[1:], walks[1].predictions)


@pytest.mark.more
def test_the_number_of_steps_is_a_function_of_public_numbers():
    problem = problem_over()
    hidden = PolytopeFrankWolfe.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE)
    assert hidden.steps == PolytopeFrankWolfe.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE).steps
    declared = replace(problem, domain=replace(problem.domain, records=1_000_000))
    assert PolytopeFrankWolfe.calibrate(declared, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE).steps > 4 * hidden.steps


def test_the_better_method_follows_the_geometry_of_the_rows():
    assert better(problem_over(features=1000, entry_bound=1.0), delta=1e-6) == "frank-wolfe-polytope"
    assert better(problem_over(features=1000, norm_bound=1.0), delta=1e-6) == "frank-wolfe-gaussian"
    assert better(problem_over(features=1000, norm_bound=1.0), delta=0.0) == "frank-wolfe-polytope"
    assert better(problem_over("l2 ball", features=10), delta=1e-6) == "frank-wolfe-gaussian"


def test_what_cannot_be_done_is_refused_with_a_remedy():
    relation = {"epsilon": 1.0, "delta": 1e-6, "neighbours": REPLACE_ONE}
    with pytest.raises(InvalidInput, match=r"kink.*mirror descent"):
        calibrate_frank_wolfe(problem_over(loss=Hinge()), **relation)
    with pytest.raises(InvalidInput, match="frank-wolfe-gaussian"):
        calibrate_frank_wolfe(problem_over("l2 ball"), mechanism="frank-wolfe-polytope", **relation)
    with pytest.raises(InvalidInput, match="pass delta > 0"):
        calibrate_frank_wolfe(problem_over("l2 ball"), **{**relation, "delta": 0.0})
    with pytest.raises(InvalidInput, match="mechanism must be one of"):
        calibrate_frank_wolfe(problem_over(), mechanism="laplace", **relation)
    for wrong in ({"epsilon": 0.0}, {"epsilon": np.nan}, {"delta": 1.0}, {"delta": -1e-9}):
        with pytest.raises(InvalidInput, match="epsilon"):
            calibrate_frank_wolfe(problem_over(), **{**relation, **wrong})
    for steps in (0, -1, 2.5, True, 10**6):
        with pytest.raises(InvalidInput, match="number of steps"):
            PolytopeFrankWolfe.calibrate(problem_over(), steps=steps, **relation)


def test_the_ledger_is_asked_before_anything_is_drawn(tmp_path):
    class Refusing(SystemNoise):
        def words(self):
            raise AssertionError("noise was drawn")

    path = tmp_path / "spent.ledger"
    Ledger.create(path).declare("people", epsilon=1.5, delta=1e-5, neighbours=REPLACE_ONE)
    account = Account(path, "people")
    problem = problem_over()
    mechanism = PolytopeFrankWolfe.calibrate(problem, epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE, steps=5)
    mechanism.run(problem, records_of(problem), SystemNoise(), account=account)
    with pytest.raises(BudgetExceeded):
        mechanism.run(problem, records_of(problem), Refusing(), account=account)


def test_pure_epsilon_is_the_sum_of_the_ranges():
    problem = problem_over()
    mechanism = PolytopeFrankWolfe.calibrate(problem, epsilon=1.0, delta=0.0, neighbours=REPLACE_ONE, steps=7)
    guarantee = mechanism.guarantee(problem)
    assert isinstance(guarantee, PureDP)
    assert 1.0 - 1e-9 <= guarantee.epsilon <= 1.0


def test_nothing_of_a_record_is_said():
    problem = problem_over(features=2)
    data = Records(rows=as_matrix(np.full((4, 2), CANARY)), targets=np.full(4, CANARY), domain=problem.domain)
    for mechanism in mechanisms_for(problem, REPLACE_ONE):
        release = mechanism.run(problem, data, SystemNoise())
        assert_silent(str(release.certificate) + repr(release) + repr(data) + repr(problem))
