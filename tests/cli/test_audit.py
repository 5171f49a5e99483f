"""The command `audit`: names, model files, refusals, and the exit code of a violation."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from discreet.estimators.files.model import Model
from tests.cli.conftest import discreet
from tests.cli.test_goldens import compare


def test_the_list_of_audits_word_for_word():
    compare("audit-list.txt", discreet("audit", "--list").out)
    names = [one["name"] for one in discreet("audit", "--list", "--json").json["audits"]]
    assert len(names) == len(set(names)) > 10


def test_an_exact_audit_word_for_word():
    outcome = discreet("audit", "counting-laplace", "--epsilon", "0.5", "--neighbours", "add-remove")
    assert (outcome.code, outcome.err) == (0, "")
    compare("audit-exact.txt", outcome.out)


def test_a_statistical_audit_reports_in_json_and_draws_its_laws(folder):
    outcome = discreet("audit", "logistic-regression", "--runs", "200", "--confidence", "0.99999999", "--plot", "laws.svg", "--json")
    document = outcome.json
    assert outcome.code == 0
    assert document["violated"] is False
    assert (document["runs"], document["method"], document["claim"]) == (200, "statistical", {"epsilon": 1.0, "delta": 0.01})
    assert ET.parse(folder / "laws.svg").getroot().tag.endswith("svg")  # noqa: S314 - our own picture
    assert discreet("audit", "rows", "--runs", "200", "--plot", "laws.svg").code == 3


def test_a_model_is_audited_by_its_certificate_and_a_false_claim_is_refuted(folder, model):
    outcome = discreet("audit", "model.json", "--json")
    assert outcome.code == 0
    assert 0.3 < outcome.json["bound"] <= outcome.json["claim"]["epsilon"]
    document = json.loads(Path("model.json").read_text(encoding="utf-8"))
    document["certificate"]["guarantee"]["epsilon"] /= 2
    Path("forged.json").write_text(json.dumps(document), encoding="utf-8")
    outcome = discreet("audit", "forged.json")
    assert outcome.code == 6
    assert "Verdict      violated" in outcome.out


def test_a_model_of_several_classes_is_refused_in_one_sentence(folder, model):
    loaded = Model.load("model.json")
    other = replace(loaded, certificate=replace(loaded.certificate, mechanism="somebody-elses"))
    other.save("other.json")
    outcome = discreet("audit", "other.json")
    assert outcome.code == 3
    assert "no exact output distribution is known here for the mechanism 'somebody-elses'" in outcome.error


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "a name (see --list) or a model file is needed"),
        (("objectiv",), 3, "Did you mean 'objective'?"),
        (("objective", "--runs", "500"), 3, "is for statistical audits"),
        (("exponential", "--delta", "0.1"), 3, "private with delta 0"),
        (("rows", "--neighbours", "add-remove"), 3, "so this audit needs replace-one"),
        (("rows", "--runs", "5"), 3, "at least 100 runs"),
        (("objective", "--epsilon", "-1"), 3, "epsilon"),
    ],
)
def test_refusals_say_what_to_do(folder, arguments, code, words):
    outcome = discreet("audit", *arguments)
    assert outcome.code == code
    assert words in outcome.error


def test_a_model_file_brings_its_own_claim(folder, model):
    assert "leave --epsilon out" in discreet("audit", "model.json", "--epsilon", "2").error
