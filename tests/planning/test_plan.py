"""Plans: bounds that hold in simulations, fall with records and epsilon, and are the bounds of the calibrated mechanism itself."""

import math
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from discreet.bounds import GammaNorm, least_excess, lemma_4
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Privacy
from discreet.ledger import Ledger, using
from discreet.losses import Logistic, SoftplusHinge
from discreet.noise import SeededNoise
from discreet.planning import Plan, SetPlan, simulate, simulate_epsilons, simulate_over_set, views
from discreet.planning.simulation import invented, usual_ridge
from discreet.sets import L1Ball
from tests.properties.test_parallel_fits import JOBS, same

KINDS = [
    {"mechanism": mechanism, "delta": delta, "neighbours": neighbours}
    for mechanism in ("objective", "output")
    for delta in (0.0, 1e-6)
    for neighbours in (ADD_REMOVE, REPLACE_ONE)
]


def plan(**settings):
    return Plan(**{"epsilon": 1.0, "features": 10, "norm": 3.0, **settings})


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_bounds_fall_with_records_and_epsilon_and_have_their_parts(kind):
    bounds = [plan(**kind).bound(records) for records in (100, 1000, 10_000, 100_000)]
    excesses = [one.excess for one in bounds]
    assert excesses == sorted(excesses, reverse=True)
    for one in bounds:
        assert one.excess == pytest.approx(one.parts.total + one.last_stage)
        assert one.without_privacy < one.excess
        assert one.last_stage < 0.05 * one.excess
        assert one.alpha == pytest.approx(one.ridge / one.records)
    for epsilon, harder in ((0.1, 1.0), (1.0, 4.0)):
        assert plan(**kind, epsilon=epsilon).bound(1000).excess > plan(**kind, epsilon=harder).bound(1000).excess


@pytest.mark.at_most(3)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_records_for_an_excess_are_the_fewest(kind):
    made = plan(**kind)
    found = made.records_for(0.1)
    assert found.excess <= 0.1
    assert made.bound(math.floor(0.998 * found.records)).excess > 0.1
    assert made.records_without_privacy(0.1) < found.records


def test_records_without_privacy_invert_the_bound_without_privacy():
    made = plan()
    alone = made.records_without_privacy(0.1)
    assert made.bound(alone).without_privacy == pytest.approx(0.1, rel=1e-4)
    assert made.bound(alone).without_privacy <= 0.1 * (1 + 1e-9)


def test_the_printed_lemmas_are_never_below_the_exact_quantiles():
    for mechanism in ("objective", "output"):
        for features in (1, 10, 100):
            found = plan(mechanism=mechanism, features=features, delta=0.0).bound(1000)
            assert found.published >= found.excess
    assert plan().bound(1000).published == math.inf
    found = plan(features=100, delta=0.0).bound(1000)
    rate = plan(features=100, delta=0.0).calibrated(1000, found.ridge).rate
    failure = 0.05 * (0.5 - 1e-3)
    assert found.parts.empirical == pytest.approx(GammaNorm(dimension=101, rate=rate).quantile(failure) ** 2 / (2 * 1000 * found.ridge))
    assert found.published > found.excess + 0.1 * lemma_4(101, 1 / rate, failure) ** 2 / (1000 * found.ridge)


@pytest.mark.at_most(3)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_no_simulated_fit_exceeds_its_bound(kind):
    made = plan(**kind, features=4)
    for one in simulate(made, [60, 400], SeededNoise(0), tables=3, draws=10):
        assert one.upper < made.bound(one.records).excess
        assert one.repeats == 30
        assert one.alpha == pytest.approx(made.bound(one.records).alpha)


def test_simulated_excesses_fall_and_are_never_far_below_the_best_predictor():
    few, many = simulate(plan(features=4, epsilon=2.0), [100, 10_000], SeededNoise(0), ridge=usual_ridge(plan(features=4, epsilon=2.0)))
    assert -1e-3 < many.mean < 0.2 * few.mean
    assert few.mean <= few.upper


def test_invented_records_are_what_a_plan_declares():
    made = plan(features=5, norm=4.0, data_norm=2.0)
    rows, signs = invented(made, 40_000, SeededNoise(3))
    assert np.linalg.norm(rows[:, :5], axis=1) == pytest.approx(2.0)
    assert np.all(rows[:, 5] == 0.6)
    chance = 1 / (1 + np.exp(-4 * rows[:, 0]))
    assert np.mean(signs > 0) == pytest.approx(0.5, abs=0.02)
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (chance >= low) & (chance < low + 0.2)
        assert np.mean(signs[inside] > 0) == pytest.approx(np.mean(chance[inside]), abs=6 * 0.5 / math.sqrt(inside.sum()))


def test_a_simulation_is_repeated_by_its_seed_and_spends_on_no_ledger(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=1.0)
    with using(ledger, "people"):
        first, second = (simulate(plan(features=2), [50], SeededNoise(1), tables=1, draws=2) for _ in range(2))
    assert first == second
    assert ledger.history("people") == ()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": 0.0}, "epsilon"),
        ({"epsilon": math.inf}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"features": 0}, "features"),
        ({"norm": -1.0}, "norm"),
        ({"data_norm": 0.0}, "data_norm"),
        ({"intercept_scale": -1.0}, "intercept_scale"),
        ({"loss": "hinge"}, "loss"),
        ({"mechanism": "magic"}, "mechanism must be one of"),
        ({"failure": 1.0}, "failure"),
    ],
)
def test_numbers_that_plan_nothing_are_refused(settings, message):
    with pytest.raises(InvalidInput, match=message):
        plan(**settings)


def test_an_excess_that_nothing_reaches_is_infeasible():
    with pytest.raises(InfeasibleTarget, match="10\\^15"):
        plan().records_for(1e-9)
    for excess in (0.0, -1.0, math.nan):
        with pytest.raises(InvalidInput, match="excess"):
            plan().records_for(excess)
    with pytest.raises(InvalidInput, match="records"):
        plan().bound(0)


def test_pictures_are_well_formed_and_hold_every_point():
    made = plan(features=3)
    simulated = simulate(made, [50, 200], SeededNoise(0), tables=1, draws=2)
    picture = ET.fromstring(views.plot([made.bound(n) for n in (50, 200, 5000)], simulated, title="a < b", subtitle="c & d"))  # noqa: S314 - ours
    svg = "{http://www.w3.org/2000/svg}"
    words = [element.text for element in picture.iter(f"{svg}text")]
    assert {"a < b", "c & d", "records"} <= set(words)
    assert len(list(picture.iter(f"{svg}circle"))) == 2
    paths = [path.get("d") for path in picture.iter(f"{svg}path")]
    assert [path.count("L") for path in paths] == [2, 2]
    heights = [float(corner.split()[1]) for corner in paths[0].replace("M", "").split(" L")]
    assert heights == sorted(heights)
    with pytest.raises(InvalidInput):
        views.plot([], simulated, title="")


def test_any_number_of_threads_gives_the_same_simulations():
    plan = Plan(epsilon=1.0, delta=1e-6, features=3, norm=2.0)
    same(*([np.array(simulate(plan, [50, 80], SeededNoise(2), tables=3, draws=2, n_jobs=jobs))] for jobs in JOBS))
    over_set = SetPlan(constraint=L1Ball(dimension=4, radius=2.0), loss="logistic", epsilon=1.0, delta=1e-6, data_norm=1.0)
    same(*([np.array(simulate_over_set(over_set, [60], SeededNoise(2), tables=3, draws=2, n_jobs=jobs))] for jobs in JOBS))
    same(*([np.array(simulate_epsilons(plan, 60, SeededNoise(2), epsilons=(0.5, 2.0), repeats=4, n_jobs=jobs))] for jobs in JOBS))


@pytest.mark.parametrize("loss", [Logistic(), SoftplusHinge()])
def test_what_is_proved_is_above_what_no_method_can_do_better(loss):
    privacy = Privacy(epsilon=0.3, delta=1e-6, neighbours=REPLACE_ONE)
    least = least_excess(loss, records=5_000, features=20, norm=3.0, data_norm=1.0, privacy=privacy, failure=0.05)
    assert least <= Plan(epsilon=0.3, features=20, norm=3.0, loss=loss.name).bound(5_000).excess
