"""`discreet plan`: what is proved beside what is simulated, from public numbers alone."""

import xml.etree.ElementTree as ET

import pytest

from tests.cli.conftest import discreet

PLAN = ("plan", "--epsilon", "1", "--features", "3", "--norm", "2")


def test_it_says_how_many_records_are_enough_and_how_loose_that_is(folder):
    outcome = discreet(*PLAN, "--delta", "1e-6", "--excess", "0.1", "--plot", "plan.svg")
    assert (outcome.code, outcome.err) == (0, "")
    assert "are proved to be enough for an excess of 0.1, with probability 95 %" in outcome.out
    assert "C unspecified" in outcome.out
    assert "records were enough for an excess of 0.1." in outcome.out
    ET.fromstring((folder / "plan.svg").read_text())  # noqa: S314 - it is ours


def test_it_says_which_excess_is_proved_for_these_records(folder):
    document = discreet(*PLAN, "--records", "2000", "--json").json
    assert document["bound"]["records"] == 2000
    simulated = {one["records"]: one for one in document["simulated"]}
    assert sorted(simulated) == [20, 200, 2000]
    proved = {one["records"]: one["excess"] for one in document["bounds"]}
    assert all(one["upper"] < proved[records] for records, one in simulated.items())
    assert document["simulated_enough"] is None
    assert document["printed_theorem"]["number"] == 4


def test_both_questions_agree(folder):
    asked = discreet(*PLAN, "--excess", "0.2", "--no-simulation", "--json").json
    back = discreet(*PLAN, "--records", asked["bound"]["records"], "--no-simulation", "--json").json
    assert back["bound"] == asked["bound"]
    assert back["bound"]["excess"] <= 0.2
    assert asked["records_without_privacy"] < asked["bound"]["records"]
    assert asked["simulated"] == []


def test_the_seed_repeats_the_simulation(folder):
    runs = [discreet(*PLAN, "--records", "300", "--seed", seed).out for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]


def test_other_plans_are_told_apart(folder):
    outcome = discreet(
        *PLAN,
        "--records",
        "500",
        "--mechanism",
        "output",
        "--loss",
        "softplus-hinge",
        "--no-intercept",
        "--neighbours",
        "add-remove",
        "--data-norm",
        "2",
    )
    assert outcome.code == 0, outcome
    assert "softplus-hinge, 3 features, |f0| <= 2, |x| <= 2; epsilon 1, delta 0, add-remove, output perturbation" in outcome.out
    assert "theorem 3" in outcome.out
    assert "may be negative" in outcome.out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("", 2, "either --excess"),
        ("--excess 0.1 --records 5", 2, "not both"),
        ("--excess 0", 3, "excess"),
        ("--excess 1e-9", 4, "10^15"),
        ("--records 0", 3, "records"),
        ("--records 10 --norm -1", 3, "norm"),
        ("--records 10 --failure 1", 3, "failure"),
        ("--records 10 --delta 2", 3, "delta"),
        ("--records 10 --plot absent/plan.svg", 3, "no folder"),
    ],
)
def test_mistakes_are_told(folder, line, code, message):
    outcome = discreet(*PLAN, "--no-simulation", *line.split())
    assert outcome.code == code
    assert message in outcome.error
