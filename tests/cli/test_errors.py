"""Every way to go wrong: one line that says what is needed, the exit code of its kind, and nothing left behind."""

import json
import os
import re
from pathlib import Path

import pytest

from discreet.cli import program
from discreet.core.errors import SolverFailure
from discreet.core.files import whole_file
from discreet.estimators import LinearSVC
from tests.cli.conftest import FIT, SCHEMA, discreet


def fit_with(**changes):
    """The arguments of the standard fit with some options changed; None leaves one out, True makes it a flag."""
    options = {"schema": "people.toml", "epsilon": "1", "delta": "1e-6", "out": "model.json", **changes}
    table = options.pop("table", "people.csv")
    flags = [part for name, value in options.items() if value is not None for part in ([f"--{name}"] if value is True else [f"--{name}", str(value)])]
    return ["fit", table, *flags]


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


REFUSED_FITS = [
    ({"epsilon": "0"}, 3, "epsilon must be greater than 0; 0.0 was given"),
    ({"epsilon": "-1"}, 3, "epsilon must be greater than 0; -1.0 was given"),
    ({"epsilon": "nan"}, 3, "epsilon must be greater than 0; nan was given"),
    ({"epsilon": "much"}, 2, "'much' is not a valid float"),
    ({"epsilon": None}, 2, "Missing option '--epsilon'"),
    ({"out": None}, 2, "Missing option '--out'"),
    ({"delta": "1"}, 3, "delta must be at least 0 and less than 1; 1.0 was given"),
    ({"alpha": "-1"}, 3, "alpha must be a positive finite number; -1.0 was given"),
    ({"epsilon": "0.1", "alpha": "1e-9"}, 4, "1e-09"),
    ({"neighbours": "neither"}, 2, "'neither' is not one of"),
    ({"neighbours": "add-remove", "alpha": "0.1"}, 3, "public_records"),
    ({"loss": "hinge", "model": "linear-svc"}, 3, "the hinge loss has a kink"),
    ({"loss": "huber-hinge", "model": "logistic-regression"}, 3, "LogisticRegression minimises the logistic loss"),
    ({"mechanism": "magic"}, 3, "mechanism must be one of"),
    ({"calibration": "magic"}, 3, "calibration must be one of"),
    ({"intercept-scale": "0"}, 3, "intercept_scale must be a positive finite number"),
    ({"table": "absent.csv"}, 3, "there is no file 'absent.csv'"),
    ({"table": "people.xls"}, 3, "must end in .csv"),
    ({"table": "."}, 3, "holds no .parquet file"),
    ({"schema": "absent.toml"}, 3, "there is no schema file 'absent.toml'"),
    ({"out": "absent/model.json"}, 3, "there is no folder 'absent'"),
    ({"out": "-"}, 3, "is not possible here, because the file is written"),
    ({"out": "people.csv", "overwrite": True}, 3, "which this command reads"),
    ({"out": "people.toml", "overwrite": True}, 3, "which this command reads"),
    ({"out": "x" * 300}, 3, "cannot be written"),
    ({"out": ".", "overwrite": True}, 3, "is not an ordinary file, so it is not overwritten"),
]


@pytest.mark.parametrize(("changes", "code", "words"), REFUSED_FITS, ids=lambda value: " ".join(value) if isinstance(value, dict) else None)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_fit_that_cannot_be_is_refused_and_changes_nothing(folder, changes, code, words, as_json):
    (folder / "people.xls").write_text("no table", encoding="utf-8")
    before = contents(folder)
    outcome = discreet(*fit_with(**changes), *(["--json"] if as_json else []))
    assert outcome.code == code
    assert words in outcome.error
    assert contents(folder) == before
    if as_json:
        assert set(outcome.json) == {"error"}
        assert set(outcome.json["error"]) == {"kind", "message"}
        assert outcome.err == ""


BROKEN_TABLES = {
    "wrong column": ("age,hours,town,answer\n30,40,north,no\n", "lacks the columns 'city'"),
    "value outside": ("age,hours,city,answer\n131,40,north,no\n", "numeric column 'age' has a value outside its bounds [0.0, 100.0]"),
    "missing value": ("age,hours,city,answer\n,40,north,no\n", "numeric column 'age' has a missing value"),
    "no number": ("age,hours,city,answer\nold,40,north,no\n", "numeric column 'age' must hold numbers"),
    "undeclared class": ("age,hours,city,answer\n30,40,north,perhaps\n", "has a value that is not one of its declared"),
    "ragged": ("age,hours,city,answer\n30,40,north\n", "a row with more or fewer fields"),
    "open quote": ('age,hours,city,answer\n30,40,"north,no\n', "is not valid CSV"),
    "empty": ("", "is empty"),
    "no record": ("age,hours,city,answer\n", "under replace-one at least one is needed"),
}


@pytest.mark.parametrize("case", BROKEN_TABLES)
def test_a_broken_table_is_refused_in_one_line(folder, case):
    text, words = BROKEN_TABLES[case]
    (folder / "people.csv").write_text(text, encoding="utf-8")
    before = contents(folder)
    outcome = discreet(*FIT)
    assert outcome.code == 3
    assert words in outcome.error
    assert contents(folder) == before


@pytest.mark.parametrize("name", ["broken.csv", "broken.csv.gz", "broken.parquet"])
def test_a_corrupt_file_is_refused_in_one_line(folder, name):
    (folder / name).write_bytes(b"PAR1\xff\xfe\x00broken")
    outcome = discreet(*fit_with(table=name))
    assert outcome.code == 3
    assert name in outcome.error
    assert not (folder / "model.json").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "format"),
        ("= no TOML", "not valid TOML"),
        (SCHEMA.replace("discreet-schema/1", "discreet-schema/9"), "discreet-schema/9"),
        (SCHEMA.replace("upper = 100", "upper = -1"), "lower must be below upper"),
        (SCHEMA.replace("[target]", "[targets]"), "unknown key 'targets'"),
        ("\xff", "not UTF-8"),
    ],
)
def test_a_broken_schema_is_refused_in_one_line(folder, text, words):
    (folder / "people.toml").write_bytes(text.encode("latin-1"))
    for arguments in (FIT, ("schema", "check", "people.toml")):
        outcome = discreet(*arguments)
        assert outcome.code == 3
        assert words in outcome.error


def test_the_schema_is_read_before_the_table_and_the_table_s_header_before_its_records(folder):
    (folder / "people.csv").write_text("age,hours,town,answer\n30,40\n", encoding="utf-8")
    (folder / "people.toml").write_text("= no TOML", encoding="utf-8")
    assert "TOML" in discreet(*FIT).error
    (folder / "people.toml").write_text(SCHEMA, encoding="utf-8")
    assert "lacks the columns" in discreet(*FIT).error


def test_nothing_is_read_where_the_output_cannot_be_written(folder, monkeypatch):
    monkeypatch.setattr("discreet.read_table", lambda *_: pytest.fail("the table was read"))
    (folder / "model.json").write_text("kept", encoding="utf-8")
    outcome = discreet(*FIT)
    assert outcome.code == 3
    assert "'model.json' exists already" in outcome.error
    assert (folder / "model.json").read_text(encoding="utf-8") == "kept"


@pytest.mark.skipif(os.name == "nt" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs folders that this user cannot write to")
def test_an_unwritable_folder_is_found_before_the_table_is_read(folder, monkeypatch):
    monkeypatch.setattr("discreet.read_table", lambda *_: pytest.fail("the table was read"))
    (folder / "locked").mkdir(mode=0o555)
    assert "cannot be written" in discreet(*fit_with(out="locked/model.json")).error


def test_a_folder_that_refuses_new_files_is_found_before_the_table_is_read(folder, monkeypatch):
    def refuses(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("discreet.read_table", lambda *_: pytest.fail("the table was read"))
    monkeypatch.setattr(whole_file, "try_bytes", refuses)
    outcome = discreet(*FIT)
    assert outcome.code == 3
    assert "'model.json' cannot be written (Permission denied)" in outcome.error


def test_overwriting_must_be_asked_for(model):
    assert discreet(*FIT).code == 3
    assert discreet(*FIT, "--overwrite").code == 0


def full_disk(*_):
    raise OSError(28, "No space left on device")


def test_a_model_that_cannot_be_saved_is_printed(folder, monkeypatch):
    monkeypatch.setattr(whole_file.os, "fsync", full_disk)
    before = contents(folder)
    outcome = discreet(*FIT)
    assert outcome.code == 3
    assert "No space left on device" in outcome.err
    assert "The budget is spent" in outcome.err
    assert contents(folder) == before
    monkeypatch.undo()
    os.chdir(folder)
    Path("rescued.json").write_text(outcome.out, encoding="utf-8")
    assert discreet("verify", "rescued.json").code == 0


def test_a_model_that_cannot_be_saved_is_part_of_the_json_error(folder, monkeypatch):
    monkeypatch.setattr(whole_file.os, "fsync", full_disk)
    outcome = discreet(*FIT, "--json")
    assert outcome.code == 3
    assert outcome.json["model"]["format"] == "discreet-model/1"
    assert "No space left" in outcome.json["error"]["message"]
    assert outcome.err == ""


def test_an_interrupt_while_saving_loses_nothing(folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(whole_file.os, "fsync", interrupted)
    before = contents(folder)
    outcome = discreet(*FIT)
    assert outcome.code == 130
    assert json.loads(outcome.out)["format"] == "discreet-model/1"
    assert contents(folder) == before


def raising(error):
    def fit(self, *_, **__):
        raise error

    return fit


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (MemoryError("918273.645"), 1, "an unexpected MemoryError"),
        (RuntimeError("918273.645"), 1, "an unexpected RuntimeError"),
        (SolverFailure("the solver did not reach tau = 1e-9."), 5, "tau = 1e-9"),
    ],
)
@pytest.mark.parametrize("as_json", [False, True])
def test_a_fit_that_fails_leaves_no_file_and_shows_no_value(folder, monkeypatch, error, code, words, as_json):
    monkeypatch.setattr(LinearSVC, "fit", raising(error))
    before = contents(folder)
    outcome = discreet(*FIT, *(["--json"] if as_json else []))
    assert outcome.code == code
    assert words in outcome.error
    assert "918273" not in outcome.out + outcome.err
    assert contents(folder) == before


def test_the_traceback_is_shown_only_where_it_is_asked_for(folder, monkeypatch, capsys):
    def broken(*given, **named):
        raise RuntimeError("918273.645")

    def said():
        with pytest.raises(SystemExit) as end:
            program.main([*FIT, "--rows-per-person", "1"], prog_name="discreet")
        assert end.value.code == 1
        return capsys.readouterr()

    monkeypatch.setattr("discreet.read_table", broken)
    quiet = said()
    monkeypatch.setenv("DISCREET_DEBUG", "1")
    loud = said()
    assert quiet.err.count("\n") == 1
    assert "918273" not in quiet.err + quiet.out
    assert "The traceback below may contain private values" in loud.err
    assert "918273.645" in loud.err


BROKEN_MODELS = {
    "truncated": lambda text: text[: len(text) // 2],
    "not JSON": lambda _: "hello",
    "not an object": lambda _: "[1, 2]",
    "unknown version": lambda text: text.replace("discreet-model/1", "discreet-model/2"),
    "unknown certificate": lambda text: text.replace("discreet-certificate/2", "discreet-certificate/7"),
    "infinite": lambda text: text.replace('"data_norm": 1.0', '"data_norm": 1e999'),
    "contradiction": lambda text: text.replace('"data_norm": 1.0', '"data_norm": 2.0'),
    "empty": lambda _: "",
}


@pytest.mark.parametrize("case", BROKEN_MODELS)
@pytest.mark.parametrize("command", ["predict MODEL people.csv", "evaluate MODEL people.csv --data-is public", "verify MODEL", "show MODEL"])
def test_a_broken_model_is_refused_in_one_line(model, fitted_model, case, command):
    broken = BROKEN_MODELS[case](fitted_model)
    assert broken != fitted_model
    (model / "model.json").write_text(broken, encoding="utf-8")
    outcome = discreet(*command.replace("MODEL", "model.json").split())
    assert outcome.code == 3
    assert re.search("'model.json' is not a usable (model file|file with a certificate)", outcome.error)


@pytest.mark.parametrize("command", ["predict MODEL people.csv", "verify MODEL", "show MODEL", "verify MODEL --json"])
def test_a_model_that_is_not_there_is_named(folder, command):
    outcome = discreet(*command.replace("MODEL", "absent.json").split())
    assert outcome.code == 3
    assert re.search("there is no (model )?file 'absent.json'", outcome.error)


def test_evaluating_needs_the_declaration(model):
    outcome = discreet("evaluate", "model.json", "people.csv")
    assert outcome.code == 2
    assert "--data-is" in outcome.error
    assert discreet("evaluate", "model.json", "people.csv", "--data-is", "private").code == 2


def test_an_unknown_command_or_option_is_a_usage_error(folder):
    assert discreet("predicted").code == 2
    outcome = discreet("verify", "--jsn", "--json")
    assert outcome.code == 2
    assert outcome.json["error"]["kind"] == "UsageError"
    assert "'--C': C is called alpha here" in discreet("fit", "people.csv", "--C", "1").err


def test_a_tampered_model_does_not_verify(model, fitted_model):
    record = json.loads(fitted_model)
    record["weights"][0] += 1e-12
    (model / "model.json").write_text(json.dumps(record), encoding="utf-8")
    outcome = discreet("verify", "model.json")
    assert outcome.code == 6
    assert "FAIL  released value" in outcome.out
    assert outcome.out.count("FAIL") == 1
    assert "NOT VALID: 1 of " in outcome.out
    document = discreet("verify", "model.json", "--json")
    assert document.code == 6
    assert [check["name"] for check in document.json["checks"] if not check["ok"]] == ["released value"]


def test_a_smaller_epsilon_than_the_noise_supports_does_not_verify(model, fitted_model):
    record = json.loads(fitted_model)
    record["certificate"]["guarantee"]["epsilon"] = 0.5
    (model / "model.json").write_text(json.dumps(record), encoding="utf-8")
    assert discreet("verify", "model.json").code == 6


def test_a_seeded_model_warns_and_does_not_verify(folder):
    outcome = discreet(*FIT, "--seed", "1")
    assert outcome.code == 0
    assert outcome.err.startswith("Warning: --seed")
    assert "NOT VALID" in outcome.out
    assert discreet("verify", "model.json").code == 6


def test_no_privacy_is_said_plainly(folder):
    outcome = discreet(*fit_with(epsilon="inf"))
    assert outcome.code == 0
    assert "Protect the model as you protect the records" in outcome.out
    assert discreet("verify", "model.json").code == 6
    document = discreet(*fit_with(epsilon="inf", overwrite=True), "--json").json
    assert document["guarantee"] == {"private": False, "epsilon": None, "delta": 1.0, "neighbours": "replace-one", "unit": "record"}
