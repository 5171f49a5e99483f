"""Three classes at the command line: schema, fit, show, verify, predict, evaluate."""

import csv
import io

import pytest

from tests.cli.conftest import SCHEMA, csv_text, discreet, rows

THREE = SCHEMA.replace('classes = ["no", "yes"]', 'classes = ["no", "perhaps", "yes"]')
FIT = ("fit", "three.csv", "--schema", "three.toml", "--epsilon", "5", "--delta", "1e-6", "--out", "model.json")


@pytest.fixture
def three(folder):
    """The folder with a table of three answers and its schema."""
    table = [(age, hours, city, answer if i % 4 else "perhaps") for i, (age, hours, city, answer) in enumerate(rows())]
    (folder / "three.csv").write_text(csv_text(table), encoding="utf-8")
    (folder / "three.toml").write_text(THREE, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "extra",
    [
        (),
        ("--multi-class", "one-vs-rest"),
        *(pytest.param(one, marks=pytest.mark.more) for one in (("--model", "linear-svc"), ("--neighbours", "add-remove"))),
    ],
)
def test_three_classes_from_the_table_to_measures(three, extra):
    checked = discreet("schema", "check", "three.toml", "three.csv")
    assert checked.code == 0
    assert "Classes      'no', 'perhaps' and 'yes'" in checked.out or "Classes      'no', 'perhaps', 'yes'" in checked.out
    outcome = discreet(*FIT, *extra)
    assert outcome.code == 0, outcome.err
    assert "3 classes" in outcome.out
    assert discreet("verify", "model.json").code == 0
    assert "'no', 'perhaps', 'yes'" in discreet("show", "model.json").out
    table = list(csv.reader(io.StringIO(discreet("predict", "model.json", "three.csv", "--probabilities").out)))
    assert table[0] == ["prediction", "probability of no", "probability of perhaps", "probability of yes"]
    for prediction, *chances in table[1:]:
        values = [float(chance) for chance in chances]
        assert sum(values) == pytest.approx(1.0)
        assert ("no", "perhaps", "yes")[values.index(max(values))] == prediction
    document = discreet("evaluate", "model.json", "three.csv", "--data-is", "synthetic", "--json").json
    assert [sum(row) for row in document["confusion"]] == [answers(three).count(label) for label in ("no", "perhaps", "yes")]
    assert document["accuracy"] == sum(document["confusion"][k][k] for k in range(3)) / 300
    assert document["log_loss"] > 0
    text = discreet("evaluate", "model.json", "three.csv", "--data-is", "synthetic").out
    assert text.count("perhaps") == 2


def answers(folder):
    return [row[-1] for row in list(csv.reader(io.StringIO((folder / "three.csv").read_text(encoding="utf-8"))))[1:]]


def test_what_needs_two_classes_is_refused_before_the_table_is_read(three):
    (three / "three.csv").unlink()
    outcome = discreet(*FIT, "--mechanism", "output")
    assert outcome.code == 3
    assert "more than two classes need mechanism='objective'" in outcome.error
    assert discreet(*FIT, "--multi-class", "all-pairs").code == 3
