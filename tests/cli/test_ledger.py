"""Spending in a ledger from the command line: what is recorded, what is refused, and what happens when something fails in between."""

import json
import re
import sqlite3

import pytest

from discreet.core.errors import SolverFailure
from discreet.core.files import whole_file
from discreet.data import read_table
from discreet.display import printing as browser
from discreet.estimators import LinearSVC, Model
from discreet.ledger import Ledger
from discreet.mechanisms.learning import PureObjectivePerturbation
from tests.cli.conftest import FIT, csv_text, discreet, rows

SPEND = ("--ledger", "team.ledger", "--data-set", "people")


@pytest.fixture(autouse=True)
def _sparing_the_disk(monkeypatch):
    monkeypatch.setattr("discreet.ledger.file._SYNCHRONOUS", "OFF")


@pytest.fixture
def ledger(folder):
    """A total that one fit of FIT fits into, and a second does not."""
    made = Ledger.create(folder / "team.ledger", patience=20.0)
    made.declare("people", epsilon=1.5, delta=1.0e-6)
    return made


def states(ledger, name="people"):
    return [str(entry.state) for entry in ledger.history(name)]


def not_to_be_read(*_):
    pytest.fail("the table was read")


def test_a_fit_spends_and_says_what_is_left(folder, ledger):
    outcome = discreet(*FIT, *SPEND)
    assert (outcome.code, outcome.more) == (0, "")
    (entry,) = ledger.history("people")
    assert states(ledger) == ["settled"]
    assert re.search(rf"^Left +epsilon 0.5, .* on 'people' \(entry {entry.id}\)$", outcome.out, flags=re.MULTILINE)
    certificate = Model.load("model.json").certificate
    assert certificate.ledger_entry == entry.id
    assert entry.guarantee == certificate.guarantee
    assert entry.id in discreet("show", "model.json").out


def test_what_is_left_is_part_of_the_json(ledger):
    document = discreet(*FIT, *SPEND, "--json").json["ledger"]
    (entry,) = ledger.history("people")
    assert document.pop("left")["epsilon"] == pytest.approx(0.5)
    assert document == {"ledger": str(ledger.path), "data_set": "people", "part": None, "entry": entry.id}


def test_a_fit_without_a_ledger_says_so(folder):
    assert discreet(*FIT, "--json").json["ledger"] is None
    assert "no ledger was in use" in discreet("show", "model.json").out


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_the_second_of_two_fits_is_refused_before_the_table_is_read(folder, ledger, monkeypatch, as_json):
    assert discreet(*FIT, *SPEND).code == 0
    first = (folder / "model.json").read_bytes()
    monkeypatch.setattr("discreet.read_table", not_to_be_read)
    outcome = discreet(*FIT, *SPEND, "--overwrite", *as_json)
    assert outcome.code == 7
    assert "epsilon 0.5" in outcome.error
    assert "Nothing was recorded" in outcome.error
    assert states(ledger) == ["settled"]
    assert (folder / "model.json").read_bytes() == first
    if as_json:
        assert outcome.json["error"]["kind"] == "BudgetExceeded"
        assert outcome.err == ""


def test_the_total_is_used_up_to_its_end(folder, ledger):
    ledger.declare("twice", epsilon=2.0, delta=2.0e-6)
    for expected in (0, 0, 7):
        outcome = discreet(*FIT, "--overwrite", "--ledger", "team.ledger", "--data-set", "twice")
        assert outcome.code == expected, outcome
    assert ledger.left("twice").epsilon == 0.0


def test_the_reservation_decides_where_others_spend_in_the_meantime(folder, ledger, monkeypatch):
    def read_and_let_others_spend(*arguments):
        monkeypatch.undo()
        monkeypatch.chdir(folder)
        assert discreet(*FIT[:-1], "other.json", *SPEND).code == 0
        return read_table(*arguments)

    monkeypatch.setattr("discreet.read_table", read_and_let_others_spend)
    assert discreet(*FIT, *SPEND).code == 7
    assert states(ledger) == ["settled"]
    assert not (folder / "model.json").exists()


def test_a_refused_table_spends_nothing(folder, ledger):
    (folder / "people.csv").write_text("age,hours,city,answer\n131,40,north,no\n", encoding="utf-8")
    assert discreet(*FIT, *SPEND).code == 3
    (folder / "people.csv").write_text("age,hours,city,answer\n", encoding="utf-8")
    assert "no records" in discreet(*FIT, *SPEND).error
    assert states(ledger) == []


def test_a_plan_spends_nothing(folder, ledger):
    for _ in range(2):
        assert discreet(*FIT[:1], "absent.csv", *FIT[2:], *SPEND).code == 3
    assert states(ledger) == []


REFUSED = [
    (("--data-set", "people"), 2, "--data-set needs --ledger"),
    (("--part", "north"), 2, "--part needs --ledger"),
    (("--ledger", "absent.ledger", "--data-set", "people"), 3, "there is no ledger 'absent.ledger'"),
    (("--ledger", "team.ledger", "--data-set", "peple"), 3, "has no data set 'peple'; it has ['people']"),
    ((*SPEND, "--part", "north"), 3, "has no part 'north'"),
    ((*SPEND, "--neighbours", "add-remove"), 3, "is for replace-one, one record"),
    ((*SPEND, "--epsilon", "inf"), 7, "epsilon is infinite"),
    ((*SPEND, "--epsilon", "1.6"), 7, "Nothing was recorded"),
    (("--ledger", "people.csv", "--data-set", "people"), 3, "Restore a copy, and import an export of what was"),
    (("--ledger", ".", "--data-set", "people"), 8, "cannot be opened"),
    ((*SPEND, "--out", "team.ledger", "--overwrite"), 3, "which this command reads"),
]


@pytest.mark.parametrize(("more", "code", "words"), REFUSED, ids=lambda value: " ".join(value) if isinstance(value, tuple) else None)
@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_spending_that_cannot_be_is_refused_before_the_table_is_read(folder, ledger, monkeypatch, more, code, words, as_json):
    monkeypatch.setattr("discreet.read_table", not_to_be_read)
    before = contents(ledger)
    outcome = discreet(*FIT, *more, *as_json)
    assert (outcome.code, words in outcome.error) == (code, True), outcome
    assert contents(ledger) == before
    assert not (folder / "model.json").exists()
    assert not (folder / "absent.ledger").exists()


def contents(ledger):
    """An export without its date."""
    return {key: value for key, value in json.loads(ledger.export()).items() if key != "written"}


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_a_locked_ledger_has_an_exit_code_of_its_own(folder, ledger, monkeypatch, as_json):
    monkeypatch.setitem(Ledger.__init__.__kwdefaults__, "patience", 0.1)
    connection = sqlite3.connect(ledger.path, isolation_level=None)
    try:
        connection.execute("BEGIN EXCLUSIVE")
        outcome = discreet(*FIT, *SPEND, *as_json)
    finally:
        connection.close()
    assert outcome.code == 8
    assert "was locked by another process for more than" in outcome.error
    assert states(ledger) == []
    if as_json:
        assert outcome.json["error"]["kind"] == "LedgerUnavailable"


def full_disk(*_):
    raise OSError(28, "No space left on device")


def test_the_ledger_counts_a_fit_whose_model_cannot_be_saved(folder, ledger, monkeypatch):
    monkeypatch.setattr(whole_file.os, "fsync", full_disk)
    outcome = discreet(*FIT, *SPEND)
    assert outcome.code == 3
    assert "The budget is spent" in outcome.err
    (entry,) = ledger.history("people")
    assert states(ledger) == ["settled"]
    assert Model.from_json(outcome.out).certificate.ledger_entry == entry.id


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SolverFailure("the solver did not reach tau = 1e-9."), RuntimeError("918273.645")])
def test_a_fit_that_fails_after_its_reservation_stays_counted(folder, ledger, monkeypatch, error):
    def draw(*_):
        raise error

    monkeypatch.setattr(PureObjectivePerturbation, "draw", draw)
    assert discreet(*FIT, *SPEND).code in (1, 5, 130)
    assert states(ledger) == ["reserved"]
    assert "a release still running, or a crash" in discreet("budget", "show", "team.ledger").out


def test_a_failure_before_the_reservation_spends_nothing(folder, ledger, monkeypatch):
    def fit(self, *_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(LinearSVC, "fit", fit)
    assert discreet(*FIT, *SPEND).code == 130
    assert states(ledger) == []


def test_a_ledger_that_vanishes_during_the_fit_loses_no_model(folder, ledger, monkeypatch):
    saved = Model.save

    def save_and_remove(self, *arguments, **options):
        ledger.path.unlink()
        saved(self, *arguments, **options)

    monkeypatch.setattr(Model, "save", save_and_remove)
    outcome = discreet(*FIT, *SPEND)
    assert outcome.code == 0
    assert "not known on 'people': there is no ledger" in outcome.out
    assert discreet("verify", "model.json").code == 0


def test_the_environment_names_the_ledger(folder, ledger, monkeypatch):
    monkeypatch.setenv("DISCREET_LEDGER", "team.ledger")
    monkeypatch.setenv("DISCREET_DATA_SET", "people")
    assert discreet(*FIT).code == 0
    assert discreet(*FIT, "--overwrite").code == 7
    monkeypatch.setenv("DISCREET_LEDGER", "")
    assert "needs --ledger" in discreet(*FIT, "--overwrite").error
    monkeypatch.setenv("DISCREET_DATA_SET", "")
    assert discreet(*FIT, "--overwrite").code == 0
    assert states(ledger) == ["settled"]


def test_a_part_is_spent_on_by_itself(folder, ledger):
    ledger.declare("visits", epsilon=1.0, neighbours="add-remove", parts=["north", "south"])
    line = (*FIT[:6], "--delta", "0", *FIT[8:], "--overwrite", "--neighbours", "add-remove", "--ledger", "team.ledger", "--data-set", "visits")
    assert [discreet(*line, "--part", part).code for part in ("north", "south", "south")] == [0, 0, 7]
    assert ledger.left("visits").epsilon == pytest.approx(0.0, abs=1e-9)


def test_the_same_table_under_another_name_is_refused(folder, ledger):
    ledger.declare("others", epsilon=5.0, delta=1e-5)
    assert discreet(*FIT, *SPEND).code == 0
    outcome = discreet(*FIT, "--overwrite", "--ledger", "team.ledger", "--data-set", "others")
    assert outcome.code == 3
    assert states(ledger, "others") == []
    (folder / "people.csv").write_text(csv_text(rows(200)), encoding="utf-8")
    assert discreet(*FIT, "--overwrite", "--ledger", "team.ledger", "--data-set", "others").code == 0


def test_the_folder_holds_nothing_else(folder, ledger):
    before = set(folder.iterdir())
    assert discreet(*FIT, *SPEND).code == 0
    assert set(folder.iterdir()) == before | {folder / "model.json"}


def test_a_ledger_of_persons_refuses_rows_before_the_table_is_read_unless_groups_are_charged(folder, ledger, monkeypatch):
    """Three rows a person: three times epsilon, and a delta that grows with e^epsilon."""
    ledger.declare("visits", epsilon=1.5, delta=1.0e-5, unit="person")
    visits = ("--ledger", "team.ledger", "--data-set", "visits")
    with monkeypatch.context() as patched:
        patched.setattr("discreet.read_table", not_to_be_read)
        outcome = discreet(*of_rows(), *visits)
        assert (outcome.code, "rows_per_person = 1" in outcome.error, "--group-rows" in outcome.error) == (3, True, True)
        assert discreet(*of_rows(), "--group-rows", "3").code == 2
    assert discreet(*of_rows(), *visits, "--group-rows", "3").code == 0
    (entry,) = ledger.history("visits")
    certificate = Model.load("model.json").certificate
    assert (str(entry.guarantee.unit), str(certificate.guarantee.unit)) == ("person", "record")
    assert entry.guarantee.epsilon == pytest.approx(3.0 * certificate.guarantee.epsilon)


def of_rows():
    """A fit at a smaller epsilon."""
    at = FIT.index("--epsilon")
    return (*FIT[: at + 1], "0.3", *FIT[at + 2 :])


def test_a_data_set_is_named_only_where_there_are_others(folder, ledger):
    assert discreet(*FIT, "--ledger", "team.ledger").code == 0
    assert discreet("budget", "history", "team.ledger").out.count("settled") == 1
    ledger.declare("others", epsilon=1.0)
    for arguments in ((*FIT, "--ledger", "team.ledger", "--overwrite"), ("budget", "history", "team.ledger")):
        refused = discreet(*arguments)
        assert refused.code == 2
        assert "the ledger has 'others', 'people'" in refused.error


def test_a_total_is_changed_with_its_reason(folder, ledger):
    assert discreet(*FIT, *SPEND, "--epsilon", "1.6").code == 7
    amended = discreet("budget", "amend", "team.ledger", "--epsilon", "2", "--reason", "a second study")
    assert amended.code == 0, amended.err
    assert "was epsilon 1.5" in amended.out
    assert ledger.data_set("people").total.delta > 0
    assert "a second study" in discreet("budget", "export", "team.ledger").out
    assert discreet(*FIT, *SPEND, "--epsilon", "1.6").code == 0
    assert discreet("budget", "amend", "team.ledger", "--epsilon", "2").code == 2


def test_the_history_says_which_model_and_why_and_how_the_total_changed(folder, ledger):
    assert discreet(*FIT, *SPEND, "--purpose", "the ward's study", "--epsilon", "1").code == 0
    ledger.amend("people", epsilon=2.0, delta=1e-6, reason="a second study")
    first, second, *_ = discreet("budget", "history", "team.ledger").out.splitlines()
    assert "the ward's study: linear-svc, model.json (objective-perturbation-pure)" in first
    assert second.endswith("people  total changed to epsilon 2, delta 1e-06: a second study")
    assert [one["reason"] for one in json.loads(discreet("budget", "history", "team.ledger", "--json").out)["amendments"]] == ["a second study"]
    assert discreet(*FIT, "--overwrite", "--purpose", "nothing").code == 2
    long = discreet(*FIT, *SPEND, "--overwrite", "--purpose", "x" * 121)
    assert long.code == 3
    assert "at most 120 characters" in long.error


@pytest.mark.parametrize("arguments", [("report", "model.json", "--out", "page.pdf"), ("show", "model.json", "--plot", "curves.png")])
def test_a_name_of_another_kind_of_file_is_refused(folder, arguments, monkeypatch):
    monkeypatch.setattr(browser, "browser", lambda: None)
    assert discreet(*FIT).code == 0
    refused = discreet(*arguments)
    assert refused.code == 3
    assert "has an ending that is not supported. Pages end in" in refused.error
    assert not (folder / arguments[-1]).exists()
