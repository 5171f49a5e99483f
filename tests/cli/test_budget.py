"""`discreet budget`: ledgers made, looked at, drawn and moved; files written whole or not at all."""

import json
import xml.etree.ElementTree as ET

import pytest

from discreet.accounting import NoGuarantee, PureDP, Unit
from discreet.core.files import whole_file
from discreet.core.neighbours import REPLACE_ONE
from discreet.ledger import Ledger
from tests.cli.conftest import discreet

NEW = ("budget", "new", "team.ledger", "--data-set", "people", "--epsilon", "2", "--delta", "1e-6")
HALF = PureDP(epsilon=0.5, neighbours=REPLACE_ONE, unit=Unit.RECORD, theorem="stated by a test")


@pytest.fixture(autouse=True)
def _sparing_the_disk(monkeypatch):
    monkeypatch.setattr("discreet.ledger.file._SYNCHRONOUS", "OFF")


@pytest.fixture
def ledger(folder):
    """With one settled and one open entry of epsilon 0.5."""
    assert discreet(*NEW).code == 0
    made = Ledger(folder / "team.ledger")
    with made.spending("people", HALF, purpose="a table of means"):
        pass
    made.reserve("people", HALF, purpose="a model")
    return made


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_new_makes_a_file_and_declares(folder):
    document = discreet(*NEW, "--json").json
    assert (document["made"], document["declared"]) == (True, True)
    assert document["data_set"]["left"] == {"epsilon": 2.0, "delta": 1e-6}
    again = discreet(*NEW, "--json").json
    assert (again["made"], again["declared"]) == (False, False)
    other = discreet("budget", "new", "team.ledger", "--data-set", "visits", "--epsilon", "1", "--neighbours", "add-remove", "--json").json
    assert (other["made"], other["declared"]) == (False, True)
    assert [each.name for each in Ledger("team.ledger").data_sets()] == ["people", "visits"]


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (("--epsilon", "0"), 3, "0 < epsilon < infinity"),
        (("--epsilon", "inf"), 3, "0 < epsilon < infinity"),
        (("--delta", "1"), 3, "0 <= delta < 1"),
        (("--data-set", " "), 3, "the name of a data set must be a text"),
        (("--part", "north"), 3, "at least two labels"),
        (("--part", "north", "--part", "south"), 3, "part_of_a_record_stays"),
        (("--accountant", "own"), 2, "'own' is not one of"),
        (("--epsilon", "much"), 2, "not a valid float"),
    ],
)
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_refused_declaration_makes_no_file(folder, more, code, words, as_json):
    before = files(folder)
    outcome = discreet(*NEW, *more, *as_json)
    assert (outcome.code, words in outcome.error) == (code, True), outcome
    assert files(folder) == before


def test_new_keeps_what_was_declared_otherwise(ledger, folder):
    before = files(folder)
    assert "declared with a total of epsilon 2" in discreet(*NEW, "--epsilon", "3").error
    assert discreet("budget", "new", "people.csv", "--data-set", "people", "--epsilon", "1").code == 3
    assert discreet("budget", "new", "absent/team.ledger", "--data-set", "people", "--epsilon", "1").code == 3
    assert files(folder) == before


def test_show_adds_up(ledger):
    (document,) = discreet("budget", "show", "team.ledger", "--json").json["data_sets"]
    assert (document["spent"], document["left"]) == ({"epsilon": 1.0, "delta": 0.0}, {"epsilon": 1.0, "delta": 1e-6})
    assert (document["releases"], document["never_settled"]) == (2, 1)
    ledger.link("alias", to="people")
    ledger.amend("people", epsilon=3.0, reason="agreed on")
    text = discreet("budget", "show", "team.ledger", "--data-set", "alias").out
    for words in ("people, also alias", "amended from epsilon 2, delta 1e-06", "Left       epsilon 2, delta 1e-06\n", "Unsettled  1:"):
        assert words in text


def test_show_of_an_empty_ledger_and_of_a_spending_without_privacy(folder):
    made = Ledger.create("empty.ledger")
    assert "no data set is declared" in discreet("budget", "show", "empty.ledger").out
    made.declare("people", epsilon=1.0)
    Ledger.create("other.ledger").declare("people", epsilon=1.0)
    made.reserve("people", HALF, purpose="")
    record = json.loads(made.export())
    record["entries"][0]["guarantee"] = NoGuarantee(neighbours=REPLACE_ONE, unit=Unit.RECORD, theorem="stated by a test").to_dict()
    assert discreet("budget", "import", "other.ledger", "-", stdin=json.dumps(record)).code == 0
    (document,) = discreet("budget", "show", "other.ledger", "--json").json["data_sets"]
    assert document["spent"] == {"epsilon": None, "delta": 1.0}
    assert document["left"] == {"epsilon": 0.0, "delta": 0.0}
    assert "Spent      epsilon inf" in discreet("budget", "show", "other.ledger").out


def test_history_lists_every_entry(ledger):
    document = discreet("budget", "history", "team.ledger", "--data-set", "people", "--json").json
    assert [(entry["purpose"], entry["state"]) for entry in document["entries"]] == [("a table of means", "settled"), ("a model", "reserved")]
    assert [entry["id"] for entry in document["entries"]] == [entry.id for entry in ledger.history("people")]
    text = discreet("budget", "history", "team.ledger", "--data-set", "people").out
    assert all(str(entry) in text for entry in ledger.history("people"))


@pytest.mark.parametrize(
    ("line", "out"),
    [
        ("budget history team.ledger --data-set people --plot OUT", "people.svg"),
        ("budget plot team.ledger --data-set people --out OUT", "people.svg"),
        ("budget export team.ledger --out OUT", "report.json"),
    ],
)
class TestWriting:
    def test_writes_the_file(self, ledger, folder, line, out):
        document = discreet(*line.replace("OUT", out).split(), "--json").json
        assert document["written"] == out
        text = (folder / out).read_text(encoding="utf-8")
        if out.endswith(".svg"):
            assert ET.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"  # noqa: S314 - our own picture
        else:
            assert json.loads(text)["format"] == "discreet-ledger/1"
        assert f"Written to {out}" in discreet(*line.replace("OUT", out).split(), "--overwrite").out

    def test_never_writes_over_a_file_unasked_nor_over_the_ledger(self, ledger, folder, line, out):
        (folder / out).write_text("kept", encoding="utf-8")
        before = files(folder)
        refused = discreet(*line.replace("OUT", out).split())
        assert (refused.code, "exists already" in refused.error) == (3, True)
        refused = discreet(*line.replace("OUT", "team.ledger").split(), "--overwrite")
        assert (refused.code, "which this command reads" in refused.error) == (3, True)
        assert files(folder) == before

    def test_leaves_nothing_where_the_disk_is_full(self, ledger, folder, monkeypatch, line, out):
        def full_disk(*_):
            raise OSError(28, "No space left on device")

        before = files(folder)
        monkeypatch.setattr(whole_file.os, "fsync", full_disk)
        refused = discreet(*line.replace("OUT", out).split())
        assert (refused.code, "No space left on device" in refused.error) == (3, True)
        assert files(folder) == before


def test_an_export_is_imported_once(ledger, folder):
    text = discreet("budget", "export", "team.ledger").out
    assert json.loads(text)["entries"] == discreet("budget", "export", "team.ledger", "--json").json["export"]["entries"]
    assert discreet("budget", "new", "copy.ledger", "--data-set", "people", "--epsilon", "0.1").code == 0
    (folder / "report.json").write_text(text, encoding="utf-8")
    for expected in (2, 0):
        outcome = discreet("budget", "import", "copy.ledger", "report.json", "--json")
        assert outcome.json == {"command": "budget import", "ledger": "copy.ledger", "new_entries": expected}
    assert discreet("budget", "import", "copy.ledger", "-", stdin=text).out == "0 new entries in copy.ledger\n"
    assert Ledger("copy.ledger").spent("people").epsilon == 1.0


@pytest.mark.parametrize(
    ("content", "words"), [(b"", "one JSON object"), (b"{}", "discreet-ledger/1"), (b"\xff", "not UTF-8"), (None, "cannot be read (No such file")]
)
def test_what_is_no_export_is_refused_and_changes_nothing(ledger, folder, content, words):
    if content is not None:
        (folder / "report.json").write_bytes(content)
    before = files(folder)
    outcome = discreet("budget", "import", "team.ledger", "report.json")
    assert (outcome.code, words in outcome.error) == (3, True), outcome
    assert files(folder) == before


@pytest.mark.parametrize(
    "line",
    [
        "budget show absent.ledger",
        "budget history absent.ledger --data-set people",
        "budget plot absent.ledger --data-set people --out people.svg",
        "budget export absent.ledger",
        "budget import absent.ledger people.csv",
    ],
)
def test_a_mistyped_path_never_becomes_a_ledger(folder, line):
    outcome = discreet(*line.split())
    assert (outcome.code, "there is no ledger 'absent.ledger'" in outcome.error) == (3, True)
    assert not (folder / "absent.ledger").exists()


@pytest.mark.parametrize("command", ["show", "history", "plot --out people.svg"])
def test_an_unknown_data_set_is_named(ledger, command):
    name, *more = command.split()
    outcome = discreet("budget", name, "team.ledger", "--data-set", "peple", *more)
    assert (outcome.code, "Declare it first, with its total" in outcome.error) == (3, True)


@pytest.mark.parametrize("command", ["new", "show", "history", "plot", "export", "import"])
def test_a_missing_argument_is_a_usage_error(folder, command):
    outcome = discreet("budget", command, "--json")
    assert (outcome.code, outcome.json["error"]["kind"]) == (2, "UsageError")


def test_a_folder_is_no_ledger(folder):
    assert discreet("budget", "show", ".").code == 8
