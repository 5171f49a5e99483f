"""`discreet plan over SET`: what is proved of every mechanism beside what is simulated, from public numbers alone."""

import pytest

from tests.cli.conftest import discreet

OVER = ("plan", "over", "l1-ball", "--features", "8", "--entry-bound", "1", "--epsilon", "1")
NUMBERS = (*OVER, "--target-bound", "1")


def test_it_says_which_excess_is_proved_for_these_records(folder):
    outcome = discreet(*OVER, "--delta", "1e-6", "--records", "3000", "--loss", "logistic")
    assert (outcome.code, outcome.err) == (0, "")
    assert "logistic over l1-ball of radius 1, 8 features, |x_j| <= 1; epsilon 1, delta 1e-06, replace-one" in outcome.out
    assert "with 3,000 records the expected excess of the mean loss is at most" in outcome.out
    assert "Auto         takes objective-perturbation-set" in outcome.out
    for mechanism in ("objective-perturbation-set", "mirror-descent", "frank-wolfe-gaussian", "frank-wolfe-polytope"):
        assert f"\n{mechanism} " in outcome.out
    assert "a bound holds for every table" in outcome.out


def test_the_numbers_are_those_of_the_simulation_too(folder):
    document = discreet(*NUMBERS, "--delta", "0", "--records", "1000", "--json").json
    assert document["bound"]["mechanism"] == document["bound"]["auto"] == "frank-wolfe-polytope"
    assert [one["records"] for one in document["simulated"]] == [10, 100, 1000]
    assert all(one["mean"] + one["error"] < one["own_risk"] for one in document["simulated"])
    others = [one for one in document["bound"]["mechanisms"] if one["mechanism"] != "frank-wolfe-polytope"]
    assert all(one["risk"] is None and one["remark"] for one in others)
    assert document["needed"] == []


@pytest.mark.more
def test_both_questions_agree(folder):
    shared = (*NUMBERS, "--delta", "1e-6", "--neighbours", "add-remove", "--no-simulation", "--json")
    asked = discreet(*shared, "--excess", "0.2").json
    back = discreet(*shared, "--records", asked["bound"]["records"]).json
    assert back["bound"] == asked["bound"]
    assert back["bound"]["risk"] <= 0.2
    assert asked["needed"][0]["records"] == asked["bound"]["records"]
    assert asked["simulated"] == []


def test_it_says_how_many_records_are_enough_in_the_simulation(folder):
    outcome = discreet(*NUMBERS, "--delta", "1e-6", "--excess", "0.2")
    assert "are provably enough for an expected excess of the mean loss of 0.2" in outcome.out
    assert "records were enough for an excess of 0.2." in outcome.out


def test_an_intercept_is_one_more_coordinate_of_the_set(folder):
    line = (
        "plan",
        "over",
        "simplex",
        "--features",
        "3",
        "--data-norm",
        "2",
        "--entry-bound",
        "0.5",
        "--target-bound",
        "1",
        "--epsilon",
        "1",
        "--delta",
        "1e-5",
    )
    document = discreet(*line, "--records", "100", "--loss", "absolute", "--intercept", "--radius", "2", "--steps", "20", "--json").json
    assert document["plan"]["features"] == 3
    assert document["plan"]["intercept_scale"] == 0.5
    assert document["bound"]["steps"] == 20
    assert document["bound"]["auto"] == "mirror-descent"


def test_the_seed_repeats_the_simulation(folder):
    runs = [discreet(*NUMBERS, "--records", "200", "--seed", seed).out for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("--entry-bound 1", 2, "either --excess"),
        ("--entry-bound 1 --excess 0.1 --records 5", 2, "not both"),
        ("--records 5", 2, "--entry-bound, --data-norm, or both"),
        ("--entry-bound 1 --loss logistic --excess 0", 3, "excess"),
        ("--entry-bound 1 --target-bound 1 --excess 1e-9", 4, "at best"),
        ("--entry-bound 1 --target-bound 1 --records 0", 3, "records"),
        ("--entry-bound 1 --records 10", 3, "needs target_bound"),
        ("--entry-bound 1 --records 10 --loss logistic --radius -1", 3, "radius"),
        ("--entry-bound -1 --records 10", 3, "entry_bound"),
        ("--entry-bound 1 --target-bound 1 --records 10 --delta 2", 3, "delta"),
        ("--entry-bound 1 --target-bound 1 --records 10 --steps 0", 3, "steps"),
        ("--entry-bound 1 --records 10 --loss hinge --delta 0", 4, "delta > 0"),
        ("--entry-bound 1 --records 10 --loss logistic --target-bound 2", 3, "target_bound must be 1"),
        ("--entry-bound 1 --records 10 --loss magic", 3, "magic"),
    ],
)
def test_mistakes_are_told(folder, line, code, message):
    outcome = discreet("plan", "over", "l1-ball", "--features", "8", "--epsilon", "1", "--no-simulation", *line.split())
    assert outcome.code == code
    assert message in outcome.error
    assert code != 2 or "Try 'discreet plan over --help'." in outcome.error


def test_sets_and_features_that_there_are_not_are_told(folder):
    assert "'l1-ball', 'l2-ball'" in discreet("plan", "over", "cube", "--features", "3").error
    assert "features" in discreet("plan", "over", "l1-ball", "--features", "0", "--entry-bound", "1", "--records", "5", "--epsilon", "1").error
    assert "over" in discreet("plan", "--epsilon", "1", "--features", "3", "--norm", "2", "--records", "5", "over").error
