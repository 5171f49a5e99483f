"""With --json there is one document on standard output, whatever becomes of what a budget paid for; without, the sentence comes last."""

import json
from pathlib import Path

import pytest

from discreet.certificates import Check
from discreet.core.files import whole_file, whole_folder
from discreet.core.lazily import above
from discreet.ledger import Ledger
from discreet.releases.synthetic import drawing, publish
from tests.cli.conftest import SURVEY, discreet
from tests.cli.test_bounds import DRAFT
from tests.releases.synthetic.cases import by_hub

BUDGET = ("--epsilon", "1", "--delta", "1e-6")
PLANTED = Check("planted", False, "this check fails")
FAILED = f"the certificate does not hold. planted: {PLANTED.detail}"
SCHEMA = ("people.csv", "--schema", "people.toml", *BUDGET)
PAID = {
    "fit": ("fit", *SCHEMA, "--out", "new.json"),
    "fit with intervals": ("fit", *SCHEMA, "--out", "new.json", "--intervals", "i.json"),
    "tune": ("tune", *SCHEMA, "--grid", "alpha=0.1,1", "--out", "new.json"),
    "describe": ("describe", *SCHEMA, "--out", "new.json"),
    "evaluate": ("evaluate", "model.json", "people.csv", "--epsilon", "2", "--out", "new.json"),
    "intervals": ("intervals", "model.json", "people.csv", *BUDGET, "--out", "new.json"),
    "bounds": ("bounds", "people.csv", "--schema", "draft.toml", *BUDGET, "--out", "new.toml"),
    "release": ("release", "people.csv", "--schema", "survey.toml", *BUDGET, "--method", "moments", "--out", "new"),
    "synthetic rows": ("release", "people.csv", "--schema", "survey.toml", *BUDGET, "--method", "synthetic", "--out", "new"),
}
OF_OTHERS = {
    "randomise": ("randomise", "age=41", "hours=38", "--schema", "survey.toml", *BUDGET),
    "sign": ("sign", "model.json", "--key", "our.private.pem"),
}
"""Who calls these pays from no ledger, or pays nothing."""


@pytest.fixture
def all_of(model, monkeypatch):
    """A model, a table, its schema, one with open bounds and one of numbers, a key; and no process that fits distributions."""
    monkeypatch.setattr(drawing, "fitted", by_hub)
    for module in (publish, drawing):
        monkeypatch.setattr(module, "require_mbi", lambda: None)
    assert discreet("keygen", "our").code == 0
    (model / "draft.toml").write_text(DRAFT, encoding="utf-8")
    (model / "survey.toml").write_text(SURVEY, encoding="utf-8")
    return model


@pytest.fixture
def dishonest(monkeypatch):
    """Whatever is verified fails one check."""
    honest = above.checked
    monkeypatch.setattr(above, "checked", lambda stated: (*honest(stated), PLANTED))


@pytest.mark.parametrize("words", OF_OTHERS.values(), ids=OF_OTHERS)
def test_what_fails_its_check_leaves_nobody(all_of, dishonest, words):
    said = discreet(*words, "--json")
    assert (said.code, said.err) == (6, ""), said
    assert list(said.json) == ["error"]
    assert said.json["error"]["message"].startswith(FAILED)
    told = discreet(*words)
    assert (told.code, told.out) == (6, "")
    assert not list(Path().glob("*.sig"))


@pytest.mark.parametrize("words", PAID.values(), ids=PAID)
def test_what_fails_its_own_check_is_in_one_document_with_the_error(all_of, dishonest, words):
    said = discreet(*words, "--json")
    assert said.code == 6, said
    assert said.err == ""
    assert said.json["error"]["kind"] == "VerificationFailure"
    assert said.json["error"]["message"].startswith(FAILED)
    assert not said.json["verification"]["ok"]
    told = discreet(*words, "--overwrite")
    assert told.code == 6
    assert "NOT VALID: planted" in told.out
    assert told.err.splitlines()[-1].startswith(f"Error: {FAILED}")


@pytest.mark.parametrize("words", PAID.values(), ids=PAID)
def test_what_a_full_disk_does_not_take_is_in_one_document(all_of, monkeypatch, words):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(whole_file.os, "fsync", full)
    said = discreet(*words, "--json")
    assert said.code == 3, said
    assert "No space left on device" in said.json["error"]["message"]
    if words[0] != "release":  # whose rows are as many as a table has: room for them is looked for before
        assert "The budget is spent" in said.json["error"]["message"]
        kept = [one for one in said.json.values() if isinstance(one, dict) and "certificate" in json.dumps(one)]
        assert kept, said
    assert not list(Path().glob("new*"))


@pytest.mark.parametrize("words", PAID.values(), ids=PAID)
def test_a_disk_without_room_is_seen_before_anything_is_spent(all_of, monkeypatch, words):
    def full(*_):
        raise OSError(122, "Disk quota exceeded")

    Ledger.create("team.ledger").declare("people", epsilon=9.0, delta=1e-4)
    monkeypatch.setattr(whole_file, "try_bytes", full)
    monkeypatch.setattr(whole_folder, "try_bytes", full)
    said = discreet(*words, "--ledger", "team.ledger", "--json")
    assert said.code == 3, said
    assert any(words in said.json["error"]["message"] for words in ("Disk quota exceeded", "Nothing was spent"))
    assert Ledger("team.ledger").history("people") == ()
