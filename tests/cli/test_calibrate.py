"""`discreet fit --calibrate`: one model, one entry in the ledger, and what it does not go with is refused before a record is read."""

import json

import pytest

from discreet.ledger import Ledger
from tests.cli.conftest import discreet

FIT = ["people.csv", "--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--out", "model.json", "--overwrite", "--calibrate"]


def test_the_model_is_written_paid_for_once_verified_and_used(folder):
    Ledger.create("a.ledger").declare("people", epsilon=1.0, delta=1e-6)
    outcome = discreet("fit", *FIT, "--json", "--ledger", "a.ledger", "--data-set", "people")
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["spent"] == {"epsilon": 1.0, "delta": 1e-6}
    (entry,) = Ledger("a.ledger").history("people")
    assert entry.purpose == "linear-svc, model.json (scores-with-fit)"
    assert discreet("verify", "model.json").code == 0
    assert discreet("predict", "model.json", "people.csv", "--out", "said.csv").code == 0
    assert "decisions times" in discreet("fit", *FIT).out


def test_three_classes_are_calibrated_shown_and_verified(folder):
    (folder / "three.toml").write_text((folder / "people.toml").read_text().replace('["no", "yes"]', '["no", "yes", "unknown"]'))
    outcome = discreet("fit", "people.csv", "--schema", "three.toml", *FIT[3:], "--delta", "0")  # whose recheck is quick
    assert outcome.code == 0, outcome.err
    (said,) = [line for line in outcome.out.splitlines() if line.startswith("Calibrated")]
    assert said.count(", ") == 3, "a shift for each class"
    assert discreet("verify", "model.json").code == 0
    assert discreet("show", "model.json").code == 0
    assert discreet("predict", "model.json", "people.csv", "--out", "said.csv").code == 0


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--intervals", "intervals.json"], "--calibrate and --intervals do not go together"),
        (["--model", "lasso-classifier", "--radius", "1"], "calibrated probabilities need a LogisticRegression or a LinearSVC"),
    ],
)
def test_what_it_does_not_go_with_is_refused_before_a_record_is_read(folder, more, says):
    (folder / "people.csv").write_text("no table at all")
    outcome = discreet("fit", *FIT, *more)
    assert outcome.code != 0
    assert says in " ".join(outcome.err.split())


def test_files_in_blocks_give_the_calibrated_model_of_the_table(parts):
    said = []
    for table in ("people.csv", "people"):
        outcome = discreet("fit", table, *FIT[1:], "--seed", "1")
        assert outcome.code == 0, outcome.err
        said.append([line for line in outcome.out.splitlines() if line.startswith("Calibrated")])
        declared = json.loads((parts / "model.json").read_text())["certificate"]["declared"]
        assert not any("classes" in line and "schema" not in line for line in declared)
    assert said[0] == said[1]
    assert len(said[0]) == 1


def test_what_little_can_be_learnt_is_said_before_a_fit_that_does_not_count_classes(folder):
    def said(*words):
        outcome = discreet("fit", *FIT[:-1], *words)
        assert outcome.code == 0, outcome.err
        return "not expected to be better than always giving the commonest class" in " ".join(outcome.err.split())

    assert said("--epsilon", "0.01", "--rows-per-person", "1")
    for relation in ("add-remove", "replace-one"):
        assert said("--epsilon", "0.01", "--neighbours", relation)
        assert not said("--epsilon", "0.01", "--neighbours", relation, "--calibrate")
        assert not said("--epsilon", "4", "--neighbours", relation)
