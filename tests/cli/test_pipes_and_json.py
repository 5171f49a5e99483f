"""Pipes, JSON and what only a real process shows."""

import csv
import io
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from discreet import SystemNoise
from discreet.cli.program import PACKAGES
from discreet.data import Domain
from discreet.estimators.files.model import Model
from discreet.releases import publish
from tests.cli.conftest import FIT, csv_text, discreet, rows, without_few


def python(*arguments, stdin="", cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "discreet", *arguments],
        input=stdin,
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def test_a_table_may_come_through_a_pipe(folder):
    text = csv_text(rows())
    fitted = discreet("fit", "-", *FIT[2:], stdin=text)
    assert (fitted.code, fitted.more) == (0, "")
    predicted = discreet("predict", "model.json", "-", stdin=text)
    assert predicted.out == discreet("predict", "model.json", "people.csv").out
    assert discreet("evaluate", "model.json", "-", "--data-is", "synthetic", stdin=text).code == 0
    assert discreet("schema", "check", "people.toml", "-", stdin=text).code == 0
    assert discreet("schema", "new", "-", stdin=text).out.startswith("# What is public")


def test_predictions_are_those_of_the_model(model):
    written = discreet("predict", "model.json", "people.csv", "--probabilities", "--out", "predictions.csv")
    assert written.out == "Written to predictions.csv\n"
    with (model / "predictions.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    loaded = Model.load("model.json")
    frame = {name: list(values) for name, values in zip(("age", "hours", "city", "answer"), zip(*rows(), strict=True), strict=True)}
    assert [row["prediction"] for row in table] == loaded.predict(frame).tolist()
    assert [float(row["probability of yes"]) for row in table] == loaded.probabilities(frame)[:, 1].tolist()
    document = discreet("predict", "model.json", "people.csv", "--probabilities", "--json").json
    assert document["predictions"] == loaded.predict(frame).tolist()
    assert document["probabilities"] == loaded.probabilities(frame).tolist()


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes of files")
def test_predictions_are_their_owner_s_alone_from_the_first_byte(model, monkeypatch):
    opened, modes = os.open, []
    monkeypatch.setattr(os, "open", lambda path, flags, *mode, **more: modes.append((str(path), mode)) or opened(path, flags, *mode, **more))
    (model / "predictions.csv").write_text("older and open to all", encoding="utf-8")
    assert discreet("predict", "model.json", "people.csv", "--out", "predictions.csv", "--overwrite").code == 0
    assert [mode for path, mode in modes if path.endswith(".part")][-1] == (0o600,)  # the one before is empty: whether it can be written
    assert (model / "predictions.csv").stat().st_mode & 0o777 == 0o600


def test_predicting_needs_no_target_and_no_records(model):
    assert discreet("predict", "model.json", "-", stdin="age,hours,city\n30,40,north\n").out in ("prediction\nno\n", "prediction\nyes\n")
    assert discreet("predict", "model.json", "-", stdin="age,hours,city\n").out == "prediction\n"


FORMULAS = {"=1+2": "'=1+2", "@SUM(A1)": "'@SUM(A1)", "+cmd": "'+cmd", "-cmd": "'-cmd", "-1": "-1", "+1.5": "+1.5", "a=b": "a=b"}
"""A class, and what a cell of a CSV file for spreadsheets says for it."""


@pytest.mark.parametrize("label", FORMULAS)
def test_a_class_and_an_id_are_written_as_they_are_and_for_a_spreadsheet_as_no_formula(model, label):
    (model / "model.json").write_text((model / "model.json").read_text(encoding="utf-8").replace('"yes"', f'"{label}"'), encoding="utf-8")
    header, *lines = csv_text(rows()).splitlines()
    table = "\n".join([f"{header},{label}", *(f"{line},{label}" for line in lines)])
    asked = ("predict", "model.json", "-", "--keep", label)
    for more, written in (((), label), (("--for-spreadsheet",), FORMULAS[label])):
        told = list(csv.reader(io.StringIO(discreet(*asked, *more, stdin=table).out)))
        assert {row[0] for row in told} == {written}
        assert {row[1] for row in told[1:]} == {"no", written}
    assert set(discreet("predict", "model.json", "people.csv", "--json").json["predictions"]) == {"no", label}


@pytest.mark.parametrize(
    "words",
    [
        ("show", "model.json"),
        ("describe", "people.csv", "--schema", "people.toml", "--epsilon", "1"),
        ("inspect", "."),
        ("frequencies", "-", "--schema", "people.toml"),
    ],
)
def test_for_spreadsheet_asks_for_the_file_that_it_is_about(model, words):
    refused = discreet(*words, "--for-spreadsheet")
    assert refused.code == 2
    assert "--for-spreadsheet is about the file of --" in refused.error


@pytest.mark.parametrize("command", ["show", "predict", "verify"])
def test_a_model_whose_class_commands_the_terminal_is_refused(model, command):
    (model / "model.json").write_text((model / "model.json").read_text(encoding="utf-8").replace('"yes"', r'"yes\u001b[2J"'), encoding="utf-8")
    outcome = discreet(command, "model.json", *(["people.csv"] if command == "predict" else []))
    assert outcome.code == 3
    assert "control character" in outcome.error
    assert "\x1b" not in outcome.out + outcome.err


def test_measures_of_predictions_counted_by_hand(model):
    document = discreet("evaluate", "model.json", "people.csv", "--data-is", "synthetic", "--json").json
    predicted = list(csv.reader(io.StringIO(discreet("predict", "model.json", "people.csv").out)))[1:]
    pairs = [(actual, guess[0]) for (*_, actual), guess in zip(rows(), predicted, strict=True)]
    assert document["confusion"] == [[pairs.count((actual, guess)) for guess in ("no", "yes")] for actual in ("no", "yes")]
    assert document["accuracy"] == sum(actual == guess for actual, guess in pairs) / 300
    assert document["error"] == pytest.approx(1 - document["accuracy"])
    assert document["always_commoner"] == min(sum(actual == label for actual, _ in pairs) for label in ("no", "yes")) / 300
    assert document["records"] == 300
    assert (document["data_is"], document["declaration"]) == ("synthetic", "these records were invented")


def test_a_support_vector_machine_has_classes_but_no_probabilities(folder):
    assert discreet(*FIT, "--model", "linear-svc", "--loss", "huber-hinge").code == 0
    assert discreet("predict", "model.json", "people.csv").code == 0
    assert discreet("evaluate", "model.json", "people.csv", "--data-is", "public", "--json").json["log_loss"] is None
    refused = discreet("predict", "model.json", "people.csv", "--probabilities")
    assert refused.code == 3
    assert 'a linear-svc with the "huber-hinge" loss has no probabilities' in refused.error


@pytest.mark.parametrize(
    "line",
    [
        "schema new people.csv --json",
        "schema new people.csv --target answer --out stub.toml --json",
        "schema check people.toml --json",
        "schema check people.toml people.csv --json",
        " ".join((*FIT, "--overwrite", "--json")),
        "predict model.json people.csv --json",
        "predict model.json people.csv --out predictions.csv --json",
        "evaluate model.json people.csv --data-is public --json",
        "verify model.json --json",
        "show model.json --json",
    ],
)
def test_json_is_one_document_and_nothing_else(model, line):
    outcome = discreet(*line.split())
    assert (outcome.code, outcome.err) == (0, "")
    assert line.startswith(outcome.json["command"])


def test_schema_check_tells_what_follows_from_the_schema(folder):
    document = discreet("schema", "check", "people.toml", "people.csv", "--json").json
    assert (document["features"], document["norm_bound"], document["unused_columns"]) == (5, 1.0, ["nickname"])
    (folder / "other.csv").write_text("age,hours,answer\n", encoding="utf-8")
    refused = discreet("schema", "check", "people.toml", "other.csv")
    assert refused.code == 3
    assert "'other.csv' lacks the columns 'city'" in refused.error


def test_the_number_of_records_is_not_told_where_it_is_private(folder):
    (folder / "people.csv").write_text(csv_text(rows(271)), encoding="utf-8")
    outcome = discreet(*FIT, "--neighbours", "add-remove")
    assert outcome.code == 0
    assert "271" not in outcome.out + outcome.err
    assert Model.load("model.json").certificate.problem["records"] is None


def test_version_names_the_parts():
    outcome = discreet("--version")
    assert outcome.code == 0
    assert [line.split()[0] for line in outcome.out.splitlines()] == ["discreet", "Python", *PACKAGES]
    assert "not installed" not in outcome.out


@pytest.mark.more
def test_a_process_of_its_own_goes_through_fit(folder):
    fitted = python(*FIT, "--rows-per-person", "1", cwd=folder)
    assert (fitted.returncode, without_few(fitted.stderr)) == (0, "")
    assert "\x1b" not in fitted.stdout


def test_a_pipe_that_is_closed_ends_a_process_in_silence(model):
    many = "age,hours,city\n" + "30,40,north\n" * 50_000
    with subprocess.Popen(
        [sys.executable, "-m", "discreet", "predict", "model.json", "-"],
        cwd=model,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        process.stdin.write(many)
        process.stdin.close()
        said = process.stderr.read()
        code = process.wait(timeout=600)
    assert said == ""
    assert code == 141


def test_shell_completion_knows_commands_and_options(folder):
    commands = python(_DISCREET_COMPLETE="bash_complete", COMP_WORDS="discreet ", COMP_CWORD="1", cwd=folder)
    assert {line.partition(",")[2] for line in commands.stdout.splitlines()} >= {"budget", "demo", "fit", "predict", "schema", "verify"}
    options = discreet("fit", "--help").out
    assert "--epsilon" in options


HEAVY = {"sklearn", "scipy", "polars", "numpy", "rich", "sqlite3"}
USAGE = [("--help",), ("--version",), ("fit", "--help"), ("fit",), ("budget", "new", "--help"), ("budget", "show")]


LISTED = """
import atexit, runpy, sys
atexit.register(lambda: print("modules", *sys.modules, file=sys.stderr))
runpy.run_module("discreet", run_name="__main__")
"""


def modules_imported(*arguments):
    """The modules that the real entry point imports, `python -m discreet`, and the packages that they are of."""
    process = subprocess.run([sys.executable, "-c", LISTED, *arguments], capture_output=True, text=True, check=False, timeout=600)
    _, *modules = process.stderr.splitlines()[-1].split()
    return {*modules, *(module.partition(".")[0] for module in modules)}


@cache
def needed_by(name):
    """The modules that another package's module imports: SciPy's special functions come with its optimisers in some versions."""
    code = f"import {name}; import sys; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600).stdout.split())


@pytest.mark.parametrize("arguments", USAGE)
def test_help_version_and_usage_errors_import_nothing_heavy(arguments):
    modules = modules_imported(*arguments)
    assert {"click", "discreet"} <= modules
    assert not HEAVY & modules


def test_a_command_that_computes_is_seen_to_import_what_is_heavy(folder):
    assert modules_imported("schema", "check", "people.toml", "people.csv") >= {"numpy", "discreet.data.schema"}


OWN_MODULES = 113
"""Of ours that a model takes to be verified: it took 111 when this was written down, folders counted."""
MODEL = Path(__file__).parent.parent / "goldens" / "files" / "model.json"


@pytest.mark.at_most(1)
@pytest.mark.parametrize("command", ["verify", "show"])
def test_a_model_is_verified_and_shown_without_what_fits_one_and_what_reads_tables(command):
    modules = modules_imported(command, str(MODEL))
    assert {"numpy", "discreet.estimators.files.model"} <= modules
    if command == "verify":
        assert not {"scipy", "importlib.metadata"} & modules
    modules -= needed_by("scipy.special")
    assert not (HEAVY - {"numpy", "scipy"}) & modules
    for part in ("scipy.stats", "scipy.optimize", "scipy.sparse", "cryptography", "discreet.mechanisms", "discreet.solvers", "discreet.ledger"):
        assert part not in modules
    light = {"files", "intervals", "known_errors", "model", "model_kinds", "noise_share", "prediction_rules", "released_noise", "stated_model"}
    light |= {"summaries", "summarise", "summary", "summary_source"}
    assert {module.rpartition(".")[2] for module in modules if module.startswith("discreet.estimators.")} <= light
    assert sum(module.startswith("discreet.") for module in modules) <= OWN_MODULES


@pytest.mark.at_most(2)
@pytest.mark.parametrize("file", ["evaluation.json", "intervals.json", "release"])
def test_what_was_released_is_verified_without_statistics_and_without_what_fits_models(file):
    modules = modules_imported("verify", str(MODEL.parent / file))
    assert {"numpy", "discreet.verification"} <= modules
    assert not {"scipy.stats", "scipy.signal", "sklearn", "discreet.estimators.models.margin_classifiers"} & modules


RELEASE_MODULES = 127
"""Of ours that a released folder takes to be verified: it took 124 when this was written down, and 281 before it was looked at."""


@pytest.mark.at_most(1)
@pytest.mark.parametrize("command", ["verify", "inspect", "show"])
def test_a_release_is_verified_and_shown_without_what_makes_one(command):
    modules = modules_imported(command, str(MODEL.parent / "release"))
    assert {"numpy", "discreet.releases.release", "discreet.verification"} <= modules or command != "verify"
    assert "polars" not in modules or command == "verify"  # this folder's files are compressed, as those of earlier versions
    assert not {"scipy", "sklearn", "cryptography"} & modules
    for part in ("mechanisms", "ledger", "solvers", "estimators", "sets", "releases.publication", "releases.synthetic", "releases.local"):
        assert f"discreet.{part}" not in modules
    assert sum(module.startswith("discreet.") for module in modules) <= RELEASE_MODULES


@pytest.mark.parametrize("method", ["additive", "moments"])
def test_a_folder_of_plain_files_is_verified_without_what_reads_tables(method, tmp_path):
    domain = Domain(features=2, entry_bound=1.0, target_bound=1.0)
    publish(np.zeros((9, 2)), tmp_path / "rows", SystemNoise(), domain=domain, y=np.zeros(9), method=method, epsilon=1.0, delta=1e-6)
    modules = modules_imported("verify", str(tmp_path / "rows"))
    assert "discreet.releases.parts" in modules
    assert sum(module.startswith("discreet.") for module in modules) <= RELEASE_MODULES
    assert not {"polars", "scipy.special", "importlib.metadata"} & modules


def test_a_synthetic_table_is_read_without_scipy():
    modules = needed_by("discreet.releases.synthetic.folder")
    assert "discreet.words.constrained" in modules
    assert not {"scipy", "discreet.sets", "discreet.data.records", "discreet.mechanisms.cuts.columns"} & modules


def test_a_description_is_verified_without_statistics(folder):
    assert discreet("describe", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--columns", "age", "--out", "d.json").code == 0
    assert not {"scipy.stats", "scipy.signal", "sklearn", "discreet.estimators"} & modules_imported("verify", "d.json")


FITTED_MODULES = 199
"""Of ours that a fit of two classes takes: it took 196 when this was written down, folders counted, and 311 before it was looked at."""


def test_a_fit_imports_no_other_model_and_nothing_for_what_was_not_asked_of_it(folder):
    modules = modules_imported("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--out", "model.json")
    assert {"sklearn", "discreet.estimators.models.margin_classifiers", "discreet.verification.learning"} <= modules
    others = ("models.kernel_classifier", "models.linear_regression", "search", "two_part")
    unneeded = (*(f"estimators.{name}" for name in others), "mechanisms.cuts", "mechanisms.counting", "mechanisms.regression", "kernels", "sets")
    assert not {f"discreet.{part}" for part in unneeded} & modules
    assert sum(module.startswith("discreet.") for module in modules) <= FITTED_MODULES


DEFINED_MODULES = 139
"""Of ours that `discreet.LinearSVC` takes before it is fitted: it took 127 when this was written down, and 314 before it was looked at."""


def test_an_estimator_is_defined_without_what_fits_it():
    everything = needed_by("discreet; discreet.LinearSVC")
    modules = {module for module in everything if module.startswith("discreet.")}
    assert "discreet.estimators.models.margin_classifiers" in modules
    assert not (everything - needed_by("sklearn.base")) & {"sklearn.metrics", "sklearn.pipeline"}
    unneeded = ("solvers", "kernels", "sets", "bounds", "mechanisms.learning", "mechanisms.regression", "ledger.ledger", "estimators.intervals")
    assert not {f"discreet.{part}" for part in unneeded} & modules
    assert len(modules) <= DEFINED_MODULES


SWEPT = """
import atexit, gc, sys
before = gc.get_threshold()
atexit.register(lambda: print(gc.isenabled(), before[:2] == gc.get_threshold()[:2], gc.get_threshold()[2] > before[2], file=sys.stderr))
from discreet.cli import main
main()
"""


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python collects in steps there")
def test_a_command_seldom_looks_through_what_was_imported_and_collects_what_is_young_as_ever():
    process = subprocess.run([sys.executable, "-c", SWEPT, "--version"], capture_output=True, text=True, check=False, timeout=600)
    assert process.stderr.split() == ["True", "True", "True"]
