"""Every format that is written has its place in the documentation, and whatever reads it refuses another version."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from discreet.certificates import Certificate
from discreet.core.errors import DiscreetError
from discreet.data import Schema
from discreet.descriptions.stored import description_from
from discreet.estimators import ArrayModel, IntervalFile, LinearRegression, Model
from discreet.evaluation.stored import evaluation_from
from discreet.ledger import Ledger
from discreet.releases import read_release
from discreet.releases.local import RandomisedRecord
from discreet.signing import Signature, new_key, sign
from studies.journal import Journal
from studies.registry import study_named
from tests.cli.conftest import SCHEMA, discreet

ROOT = Path(__file__).parents[1]
READ = {"schema", "model", "arraymodel", "certificate", "release", "record", "ledger", "study", "evaluation", "description"}
READ |= {"intervals", "signature", "synthetic"}
RESULTS = {"measures"}


def written() -> set[str]:
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.js"), *(ROOT / "studies").rglob("*.py")]
    return {found for path in files for found in re.findall(r"discreet-([a-z]+)/\d+", path.read_text(encoding="utf-8"))}


def test_every_format_that_the_sources_name_is_tested_here():
    assert written() == READ | RESULTS


def test_every_format_is_documented_with_its_version():
    page = (ROOT / "docs" / "concepts" / "formats.md").read_text()
    for path in [*(ROOT / "src").rglob("*.py"), *(ROOT / "studies").rglob("*.py")]:
        for format_ in re.findall(r"discreet-[a-z]+/\d+", path.read_text(encoding="utf-8")):
            assert f"`{format_}`" in page, format_


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """One file of each kind, by the program."""
    base = tmp_path_factory.mktemp("made")
    (base / "people.csv").write_text("age,hours,city,answer\n" + "".join(f"{20 + i},{i},north,{('no', 'yes')[i % 2]}\n" for i in range(40)))
    (base / "people.toml").write_text(SCHEMA)
    (base / "bound.toml").write_text(SCHEMA.replace("normalise", "bound"))
    budget = ("--epsilon", "1", "--delta", "1e-6")
    commands = [
        ("fit", base / "people.csv", "--schema", base / "people.toml", *budget, "--out", base / "model.json"),
        ("release", base / "people.csv", "--schema", base / "bound.toml", "--method", "additive", *budget, "--out", base / "release"),
        ("evaluate", base / "model.json", base / "people.csv", *budget, "--out", base / "evaluation.json"),
        ("describe", base / "people.csv", "--schema", base / "people.toml", *budget, "--out", base / "description.json"),
        ("intervals", base / "model.json", base / "people.csv", *budget, "--out", base / "intervals.json"),
        ("budget", "new", base / "team.ledger", "--data-set", "people", *budget),
        ("budget", "export", base / "team.ledger", "--out", base / "export.json"),
    ]
    for command in commands:
        assert discreet(*command).code == 0, command
    owner = discreet("randomise", "age=41", "hours=38", "city=north", "answer=yes", "--schema", base / "bound.toml", *budget)
    assert owner.code == 0, owner
    (base / "record.json").write_text(owner.out)
    return base


def raised(content: str, kind: str) -> str:
    """The text with its version raised by one."""
    other = re.sub(rf"discreet-{kind}/(\d+)", lambda found: f"discreet-{kind}/{int(found.group(1)) + 1}", content)
    assert other != content
    return other


def test_another_version_of_a_model_of_arrays_is_refused(tmp_path):
    LinearRegression(random_state=1, target_bound=1.0).fit([[0.5], [-0.5]] * 20, [0.5, -0.5] * 20).save(tmp_path / "model.json")
    with pytest.raises(DiscreetError, match="discreet-arraymodel/1"):
        ArrayModel.from_json(raised((tmp_path / "model.json").read_text(encoding="utf-8"), "arraymodel"))


def test_another_version_of_a_schema_is_refused():
    assert Schema.from_toml(SCHEMA)
    with pytest.raises(DiscreetError, match="discreet-schema/1"):
        Schema.from_toml(raised(SCHEMA, "schema"))


def test_another_version_of_a_model_is_refused(made):
    text = (made / "model.json").read_text()
    assert Model.from_json(text).verify().ok
    with pytest.raises(DiscreetError, match="discreet-model/1"):
        Model.from_json(raised(text, "model"))


def test_another_version_of_a_certificate_is_refused(made):
    text = json.dumps(json.loads((made / "model.json").read_text())["certificate"])
    assert Certificate.from_dict(json.loads(text))
    with pytest.raises(DiscreetError, match="discreet-certificate/2"):
        Certificate.from_dict(json.loads(raised(text, "certificate")))


def test_another_version_of_a_release_is_refused(made):
    manifest = made / "release" / "manifest.json"
    text = manifest.read_text()
    assert read_release(made / "release").verify().ok
    manifest.write_text(raised(text, "release"))
    with pytest.raises(DiscreetError, match="discreet-release/1"):
        read_release(made / "release")
    manifest.write_text(text)


def test_another_version_of_a_signature_is_refused(tmp_path):
    new_key(tmp_path / "private.pem", tmp_path / "public.pem")
    path = tmp_path / "thing.sig"
    sign({"a": 1}, tmp_path / "private.pem").save(path)
    assert Signature.load(path)
    path.write_text(raised(path.read_text(), "signature"))
    with pytest.raises(DiscreetError, match="discreet-signature/1"):
        Signature.load(path)


@pytest.mark.parametrize(
    ("kind", "read"), [("evaluation", evaluation_from), ("description", description_from), ("intervals", IntervalFile.from_json)]
)
def test_another_version_of_a_measurement_is_refused(made, kind, read):
    text = (made / f"{kind}.json").read_text()
    assert read(text).verify().ok
    with pytest.raises(DiscreetError, match=rf"discreet-{kind}/\d"):
        read(raised(text, kind))


def test_another_version_of_a_randomised_record_is_refused(made):
    line = (made / "record.json").read_text()
    assert RandomisedRecord.from_line(line)
    with pytest.raises(DiscreetError, match="discreet-record/1"):
        RandomisedRecord.from_line(raised(line, "record"))


def test_another_version_of_an_exported_ledger_is_refused(made):
    text = (made / "export.json").read_text()
    ledger = Ledger(made / "team.ledger")
    ledger.import_(text)
    with pytest.raises(DiscreetError, match="discreet-ledger/1"):
        ledger.import_(raised(text, "ledger"))


def test_another_version_of_a_ledger_is_refused(made, tmp_path):
    path = tmp_path / "team.ledger"
    path.touch(mode=0o600)
    path.write_bytes((made / "team.ledger").read_bytes())
    assert Ledger(path).left("people")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 3")
    connection.close()
    with pytest.raises(DiscreetError, match="version 3"):
        Ledger(path).left("people")


def test_another_version_of_a_journal_is_refused(tmp_path):
    study = study_named("tu")
    path = tmp_path / "cells.jsonl"
    Journal(path, study, quick=True, resume=False, overwrite=False)
    Journal(path, study, quick=True, resume=True, overwrite=False)
    path.write_text(raised(path.read_text(), "study"))
    with pytest.raises(DiscreetError, match="journal"):
        Journal(path, study, quick=True, resume=True, overwrite=False)
