"""`discreet plan`: what is proved beside what is simulated, from public numbers alone."""

import xml.etree.ElementTree as ET

import pytest

from tests.cli.conftest import discreet
from tests.cli.test_report import page
from tests.display.reading import said

PLAN = ("plan", "--epsilon", "1", "--features", "3", "--norm", "2")


def test_it_says_how_many_records_are_enough_and_how_loose_that_is(folder):
    outcome = discreet(*PLAN, "--delta", "1e-6", "--excess", "0.1", "--plot", "plan.svg")
    assert (outcome.code, outcome.err) == (0, "")
    assert "are provably enough for an excess of 0.1, with probability 95 %" in outcome.out
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
    assert "softplus-hinge, 3 features, |f0| <= 2, |x| <= 2; epsilon 1, delta 1e-06, add-remove, output perturbation" in outcome.out
    assert "theorem 3" in outcome.out
    assert "may be negative" in outcome.out


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("", 2, "two of --excess, --records and --epsilon"),
        ("--excess 0.1 --records 5", 2, "give exactly two of --excess, --records and --epsilon"),
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


ASKED = ("plan", "--features", "3", "--norm", "2", "--delta", "1e-6")


def test_it_says_which_epsilon_is_needed_and_agrees_with_the_other_questions(folder):
    asked = discreet(*ASKED, "--excess", "0.5", "--records", "5000", "--no-simulation", "--json").json
    needed = asked["epsilon_needed"]
    assert asked["plan"]["epsilon"] == needed
    back = discreet(*ASKED, "--epsilon", repr(needed), "--records", "5000", "--no-simulation", "--json").json
    assert back["bound"] == asked["bound"]
    assert asked["bound"]["excess"] <= 0.5
    less = discreet(*ASKED, "--epsilon", repr(0.997 * needed), "--records", "5000", "--no-simulation", "--json").json
    assert less["bound"]["excess"] > 0.5
    assert asked["simulated"] == []
    assert {one["epsilon"] for one in asked["epsilons"]} >= {0.02, needed, 10.0}


@pytest.mark.more
def test_the_epsilon_that_is_needed_is_simulated_and_reported(folder):
    outcome = discreet(*ASKED, "--excess", "2", "--records", "300", "--report", "plan.html", "--plot", "plan.svg")
    assert (outcome.code, outcome.err) == (0, ""), outcome
    assert "is enough for an excess of 2 with 300 records, with probability 95 %" in outcome.out
    assert "In the simulation, for a mean excess of 2, none that was tried was shown to be too small, and epsilon 0.02 was enough." in outcome.out
    words = said((folder / "plan.html").read_text())
    assert "The epsilon that is needed" in words
    assert "none was shown to be too small" in words
    ET.fromstring((folder / "plan.svg").read_text())  # noqa: S314 - it is ours


def test_too_many_records_to_simulate_are_told(folder):
    outcome = discreet(*ASKED, "--excess", "0.1", "--records", "100000", "--report", "plan.md")
    assert outcome.code == 0
    assert "Not simulated: with so many features, only up to 30,000 records" in outcome.out
    assert "is proved to be enough for an expected loss" in (folder / "plan.md").read_text()


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("--excess 0.1", 2, "two of --excess, --records and --epsilon"),
        ("--excess 0.05 --records 2000", 4, "the bound does not reach an excess of"),
        ("--excess 0.1 --records 0", 3, "records"),
        ("--excess -1 --records 10", 3, "excess"),
    ],
)
def test_an_epsilon_that_cannot_be_found_is_told(folder, line, code, message):
    outcome = discreet(*ASKED, "--no-simulation", *line.split())
    assert outcome.code == code
    assert message in outcome.error


def test_a_plan_of_persons_says_what_their_rows_cost_and_how_many_are_kept():
    asked = ("plan", "--records", "2000", "--epsilon", "1", "--features", "3", "--norm", "2", "--rows-per-person", "7", "--no-simulation")
    outcome = discreet(*asked, "--row-counts", "1:600,3:300,15:100")
    assert outcome.code == 0
    assert "at most 7 rows a person" in outcome.out
    assert "with 2,000 persons the excess" in outcome.out
    assert "33.3 % with 1," in outcome.out
    assert "73.3 % with 7," in outcome.out
    document = discreet(*asked, "--row-counts", "1:600,3:300,15:100", "--json").json["persons"]
    assert [one["rows"] for one in document["ways"]] == [4400, 4400, 2000]
    assert discreet(*asked, "--json").json["persons"]["ways"][0]["rows"] is None
    assert "persons" not in discreet(*asked[:-3], "--no-simulation", "--json").json


@pytest.mark.parametrize("counts", ["1", "1:2:3", "a:b", "1:-2", ""])
def test_counts_that_are_none_are_a_usage_error(counts):
    asked = ("plan", "--records", "2000", "--epsilon", "1", "--features", "3", "--norm", "2", "--rows-per-person", "7", "--no-simulation")
    assert discreet(*asked, "--row-counts", counts).code == 2
    assert discreet(*asked[:-3], "--row-counts", "1:600").code == 2


def test_a_schema_says_what_it_knows_of_a_plan(folder):
    numbers = ("--records", "2000", "--epsilon", "1", "--norm", "2", "--no-simulation", "--json")
    found = discreet("plan", "--schema", "people.toml", *numbers)
    assert found.code == 0, found.err
    assert found.json["bound"] == discreet("plan", "--features", "5", "--data-norm", "1", *numbers).json["bound"]
    persons = '[person]\ncolumn = "id"\nrows = 3\n'
    (folder / "persons.toml").write_text((folder / "people.toml").read_text(encoding="utf-8") + persons, encoding="utf-8")
    assert discreet("plan", "--schema", "persons.toml", *numbers).json["plan"]["rows_per_person"] == 3
    for more, words in (((), "--features is needed"), (("--schema", "people.toml", "--data-norm", "2"), "comes from the schema")):
        refused = discreet("plan", *numbers, *more)
        assert refused.code == 2
        assert words in refused.error


def test_plans_write_pages(folder):
    plan = ("plan", "--records", "1000", "--epsilon", "1", "--features", "3", "--norm", "2", "--no-simulation")
    assert discreet(*plan, "--report", "plan.html").code == 0
    assert "The mechanisms side by side" in page(folder / "plan.html")
    assert discreet(*plan, "--report", "plan.html").code == 3
    over = ("plan", "over", "l2-ball", "--features", "3", "--data-norm", "1", "--records", "300", "--epsilon", "1", "--delta", "1e-6", "--steps", "9")
    assert discreet(*over, "--loss", "logistic", "--no-simulation", "--report", "over.html").code == 0
    assert "mirror-descent" in page(folder / "over.html")
