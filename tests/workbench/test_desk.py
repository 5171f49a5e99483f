"""What the page may ask for, and that no answer to it holds a record."""

import gzip
import json
import os
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from discreet.data import Dialect, Schema
from discreet.estimators import Model
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.ledger import Ledger
from discreet.releases import read_release
from discreet.releases.synthetic import publish
from discreet.workbench.runs import environment
from tests.canary import CANARY, assert_silent
from tests.parts import LACKING
from tests.workbench.conftest import BUDGET, FORM, JOB


def form(**changes):
    return json.loads(json.dumps(FORM)) | changes


def test_a_table_is_its_header(client, people):
    found = client.ask("table", {"path": str(people)}).json
    written = found.pop("file")
    assert found == {"path": str(people), "name": "people", "columns": ["age", "hours", "nickname", "city", "answer"], "plain": True}
    assert (written["separator"], written["encoding"]) == ("", "utf-8")


@pytest.mark.parametrize(
    "path",
    ["", "people", "/nowhere/people.csv", "/dev/stdin", "/dev/zero", "/proc/self/environ", "/", "\u0000", "/" + "a" * 300 + ".csv"],
)
def test_what_is_no_table_is_refused(client, path):
    answer = client.ask("table", {"path": path})
    assert answer.status in (400, 422)


def test_a_pipe_is_not_waited_for(client, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert client.ask("table", {"path": str(tmp_path / "pipe.csv")}).status == 422


def test_an_upload_is_kept_for_this_user_alone(client, people):
    found = client.upload("people.csv", people.read_bytes())
    assert found.json["columns"][0] == "age"
    from pathlib import Path

    kept = Path(found.json["path"])
    assert kept.read_bytes() == people.read_bytes()
    assert kept.parent.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["", "x", ".csv", "x.exe", "a%0Ab.csv", "a" * 300 + ".csv"])
def test_an_upload_of_another_name_leaves_nothing(client, name):
    assert client.upload(name, b"a,b\n1,2\n").status == 422
    assert not list(client.page._uploads.rglob("*"))


def test_a_name_cannot_lead_out_of_the_folder(client, people):
    found = client.upload("..%2F..%2Fpeople.csv", people.read_bytes())
    assert found.json["path"].startswith(str(client.page._uploads))


def test_an_upload_that_unpacks_to_one_endless_line_is_refused_before_it_is_held(client):
    """Of a gigabyte, packed to one megabyte; that it is not held is in `tests/data/test_long_lines.py`."""
    found = client.upload("people.csv.gz", 1024 * gzip.compress(b"x" * (1 << 20)))
    assert found.status == 422
    assert "million characters" in found.error
    assert not list(client.page._uploads.rglob("*"))


def test_an_upload_that_is_no_table_leaves_nothing(client):
    assert client.upload("x.csv", b"1,2\n3,4\n").status == 422
    assert client.upload("x.parquet", b"nothing").status == 422
    assert not list(client.page._uploads.rglob("*"))


def test_a_complete_form_is_the_schema(client):
    found = client.ask("check", {"schema": FORM}).json
    assert found["problems"] == []
    assert found["features"] == 5
    schema = Schema.from_toml(found["toml"])
    assert schema.categorical[0].other == "other"
    assert schema.numeric[1].outside == "clip"


@pytest.mark.parametrize(
    ("place", "changes", "where", "says"),
    [
        (0, {"upper": ""}, "age", "is not filled in yet"),
        (0, {"upper": "abc"}, "age", "'abc' was typed"),
        (0, {"upper": "-1"}, "age", "lower must be below upper"),
        (0, {"upper": "inf"}, "age", "finite"),
        (0, {"missing": "200"}, "age", "must lie between"),
        (2, {"categories": ["north"]}, "city", "at least 2 labels"),
        (2, {"categories": ["north", "north"]}, "city", "north"),
        (2, {"other": "west"}, "city", "west"),
    ],
)
def test_a_mistake_is_said_where_it_was_made(client, place, changes, where, says):
    schema = form()
    schema["columns"][place] |= changes
    (problem,) = client.ask("check", {"schema": schema}).json["problems"]
    assert problem["where"] == where
    assert says in problem["message"]


@pytest.mark.parametrize(
    ("persons", "says"),
    [
        ({"kind": ""}, "say whether a person may have several rows"),
        ({"kind": "several", "column": "", "rows": "7", "weight": "person"}, "choose the column"),
        ({"kind": "several", "column": "nickname", "rows": "", "weight": "person"}, "the largest number of rows kept per person"),
        ({"kind": "several", "column": "nickname", "rows": "-1", "weight": "person"}, "the largest number of rows kept per person"),
        ({"kind": "several", "column": "nickname", "rows": "0", "weight": "person"}, "whole number from 1"),
    ],
)
def test_nobody_goes_on_without_saying_whose_rows_are_whose(client, persons, says):
    (problem,) = client.ask("check", {"schema": form(persons=persons)}).json["problems"]
    assert problem["where"] == "persons"
    assert says in problem["message"]


def test_a_schema_that_says_nothing_of_persons_is_asked_when_it_is_loaded(client, tmp_path):
    path = tmp_path / "people.toml"
    client.ask("save", {"schema": form(persons={"kind": "rows"}), "path": str(path)})
    assert Schema.load(path).persons is None
    loaded = client.ask("load", {"path": str(path)}).json["schema"]
    assert client.ask("check", {"schema": loaded}).json["problems"][0]["where"] == "persons"


@pytest.mark.more
def test_visits_are_fitted_for_persons_on_a_ledger_of_persons(client, people, tmp_path):
    header, *lines = people.read_text(encoding="utf-8").splitlines()
    visits = tmp_path / "visits.csv"
    visits.write_text("\n".join([f"{header},patient", *(f"{line},p{place // 6}" for place, line in enumerate(lines))]) + "\n", encoding="utf-8")
    ledger = {"path": str(tmp_path / "team.ledger"), "data_set": "visits", "epsilon": 3, "delta": 1e-5, "neighbours": "replace-one", "unit": "person"}
    assert client.ask("declare", ledger).json["data_sets"][0]["unit"] == "person"
    schema = form(persons={"kind": "several", "column": "patient", "rows": "4", "weight": "row"})
    wanted = {"schema": schema, **JOB, "budget": BUDGET, "table": str(visits), "ledger": ledger["path"], "data_set": "visits"}
    record = client.finished(wanted)
    assert record["state"] == "done", record
    assert record["result"]["guarantee"]["unit"] == "person"
    model = Model.load(Path(record["folder"]) / "model.json")
    assert model.certificate.problem["persons"] == {"rows": 4, "weight": "row"}
    assert "all rows of one person" in (Path(record["folder"]) / "report.html").read_text(encoding="utf-8")


def test_mistakes_of_the_whole_are_said_of_the_whole(client):
    schema = form(columns=[])
    assert client.ask("check", {"schema": schema}).json["problems"][0]["where"] == "schema"
    schema = form(target={"column": "", "kind": "classes", "classes": []})
    assert client.ask("check", {"schema": schema}).json["problems"][0]["where"] == "target"


def test_a_schema_is_saved_and_loaded_again(client, tmp_path):
    path = tmp_path / "people.toml"
    assert client.ask("save", {"schema": FORM, "path": str(path)}).json == {"path": str(path)}
    assert "exists" in client.ask("save", {"schema": FORM, "path": str(path)}).error
    assert client.ask("save", {"schema": FORM, "path": str(path), "overwrite": True}).status == 200
    loaded = client.ask("load", {"path": str(path)}).json["schema"]
    assert Schema.from_toml(client.ask("check", {"schema": loaded}).json["toml"]) == Schema.load(path)


def test_a_schema_that_says_more_than_the_form_keeps_it(client, tmp_path):
    path = tmp_path / "people.toml"
    client.ask("save", {"schema": FORM, "path": str(path)})
    path.write_text(path.read_text().replace("upper = 100", 'upper = 100\nscale = "symmetric"') + '\n[file]\nseparator = ";"\ndecimal = ","\n')
    loaded = client.ask("load", {"path": str(path)}).json["schema"]
    assert loaded["file"]["separator"] == ";"
    assert Schema.from_toml(client.ask("check", {"schema": loaded}).json["toml"]) == Schema.load(path)


def test_what_a_schema_file_predicts_decides_which_models_are_offered(client, tmp_path):
    """A form shows one target; what it cannot show is known from the schema."""
    path = tmp_path / "two.toml"
    targets = "".join(f'[[target]]\ncolumn = "{name}"\nlower = 0\nupper = 9\n' for name in ("rent", "heating"))
    path.write_text(
        f'format = "discreet-schema/1"\nname = "two"\nrows = "bound"\nrows_per_person = 1\n{targets}[numeric.size]\nlower = 0\nupper = 9\n'
    )
    loaded = client.ask("load", {"path": str(path)}).json["schema"]
    assert loaded["target"]["kind"] == "file"
    learnt = client.ask("check", {"schema": loaded}).json["learnt"]
    fit = next(job for job in client.ask("state").json["jobs"] if job["name"] == "fit")
    able = [one["name"] for one in fit["choices"] if learnt in one["learns"]]
    assert "linear-regression" in able
    assert "survival-model" not in able
    assert client.ask("check", {"schema": FORM}).json["learnt"] == "two classes"


@pytest.mark.more
@pytest.mark.parametrize("what", ["linear-regression", "lasso", "kernel-classifier"])
def test_a_point_of_any_model_is_measured_on_invented_rows(client, what):
    number = {"column": "answer", "kind": "number", "lower": "0", "upper": "10", "clip": True}
    schema = FORM if what == "kernel-classifier" else form(target=number, rows="bound")
    question = {"schema": schema, "job": "fit", "chosen": what, "options": {}, "records": 1000, "best": "easy"}
    near, far = (client.ask("point", question | {"budget": BUDGET | {"epsilon": epsilon}}).json for epsilon in (10.0, 0.05))
    assert near["measure"] == ("share of errors" if schema is FORM else "root mean square error")
    assert near["best"] - 0.03 < near["mean"] < far["mean"]
    assert near["mean"] < near["guessing"]
    assert near["low"] <= near["mean"] <= near["high"]
    assert far["spread"] > near["spread"] > 0


def test_the_page_begins_with_every_kind_of_model(client):
    (fit,) = [one for one in client.ask("state", {}).json["jobs"] if one["name"] == "fit"]
    listed = {one["name"]: one for one in fit["choices"]}
    assert sorted(listed) == sorted(PrivateModel.models)
    assert all(set(one["learns"]) <= set(PrivateModel.models[kind].targets) and one["says"] for kind, one in listed.items())


@pytest.mark.parametrize("what", ["linear-svc", pytest.param("logistic-regression", marks=pytest.mark.more)])
def test_a_point_is_measured_on_invented_rows(client, what):
    found = client.ask(
        "point", {"schema": FORM, "job": "fit", "chosen": what, "options": {}, "budget": BUDGET, "records": 2000, "best": "middling"}
    ).json
    assert found["best"] == pytest.approx(0.15, abs=0.01)
    assert found["best"] - 0.03 < found["without_privacy"] <= found["mean"] + 0.02 < 0.4
    assert found["low"] <= found["mean"] <= found["high"]
    assert 0 < found["spread"] < 2
    weaker = client.ask(
        "point",
        {"schema": FORM, "job": "fit", "chosen": what, "options": {}, "budget": BUDGET | {"epsilon": 0.02}, "records": 2000, "best": "middling"},
    ).json
    assert weaker["spread"] > 3 * found["spread"]


@pytest.mark.skipif("planning" in LACKING, reason="this copy plans nothing")
@pytest.mark.parametrize("what", ["linear-svc", pytest.param("logistic-regression", marks=pytest.mark.more)])
def test_what_is_proved_stands_below_the_curves(client, what):
    plan = client.ask("plan", {"schema": FORM, "what": what, "budget": BUDGET, "records": 2000, "norm": 2.0, "excess": 0.1}).json
    assert plan["excess"] > plan["without_privacy"] > 0
    assert plan["needed"] > plan["needed_without_privacy"] > 1000


@pytest.mark.more
def test_a_point_of_many_classes(client):
    schema = form(target={"column": "answer", "kind": "classes", "classes": ["no", "yes", "maybe"]})
    question = {"schema": schema, **JOB, "chosen": "logistic-regression", "budget": BUDGET, "records": 3000, "best": "easy"}
    found = client.ask("point", question).json
    assert found["norm"] is None
    assert found["mean"] < found["guessing"]
    assert (
        "two classes"
        in client.ask("plan", {key: question[key] for key in ("schema", "budget", "records")} | {"what": "linear-svc", "norm": 1, "excess": 1}).error
    )


def test_the_noise_of_a_release_needs_no_rows(client):
    sizes = [
        client.ask(
            "point", {"schema": FORM, "job": "release", "chosen": "additive", "options": {}, "budget": BUDGET | {"epsilon": epsilon}, "records": 100}
        ).json["noise"]
        for epsilon in (0.5, 1.0, 5.0)
    ]
    assert sizes == sorted(sizes, reverse=True)
    sketch = {"schema": FORM, "job": "release", "chosen": "sketch", "options": {"--rows": "50"}, "records": 100}
    sketch |= {"budget": BUDGET | {"neighbours": "add-remove"}}
    assert client.ask("point", sketch).json["what"] == "second moments"


def test_the_private_table_is_never_its_own_sample(client, people, tmp_path):
    question = {"schema": FORM, **JOB, "budget": BUDGET, "records": 100, "table": str(people)}
    link = tmp_path / "sample.csv"
    link.symlink_to(people)
    copy = client.upload("people.csv", people.read_bytes()).json["path"]
    for sample in (people, link, copy):
        assert "private table itself" in client.ask("point", question | {"sample": str(sample)}).error
    other = tmp_path / "public.csv"
    other.write_text(people.read_text() + "30,30,x,north,no\n")
    assert client.ask("point", question | {"sample": str(other)}).json["mean"] < 0.5


@pytest.mark.more
def test_a_table_of_a_spreadsheet_is_read_as_its_first_line_shows(client, people, tmp_path):
    written = tmp_path / "semicolons.csv"
    written.write_text(people.read_text(encoding="utf-8").replace(",", ";"), encoding="utf-8")
    assert client.ask("table", {"path": str(written)}).json["columns"] == client.ask("table", {"path": str(people)}).json["columns"]
    question = {"schema": FORM, **JOB, "budget": BUDGET}
    assert client.ask("point", question | {"records": 100, "sample": str(written)}).json["mean"] < 0.5
    record = client.ask("run", question | {"table": str(written)}).json
    assert client.waited(record)["state"] == "done", record
    assert Schema.load(Path(record["folder"]) / "schema.toml").file == Dialect(separator=";", decimal=",")


def test_exploring_never_opens_the_table(client, people):
    """The table is taken away after its header was read: everything up to the run works without it."""
    client.ask("table", {"path": str(people)})
    people.unlink()
    question = {"schema": FORM, **JOB, "budget": BUDGET, "records": 500, "best": "easy", "table": str(people)}
    assert client.ask("point", question).status == 200
    assert client.ask("check", {"schema": FORM}).status == 200


def test_a_target_that_is_a_number_is_for_regressions_and_releases(client):
    schema = form(target={"column": "answer", "kind": "number", "lower": "0", "upper": "10", "clip": True}, rows="bound")
    assert client.ask("check", {"schema": schema}).json["problems"] == []
    assert (
        client.ask("point", {"schema": schema, "job": "release", "chosen": "additive", "options": {}, "budget": BUDGET, "records": 100}).json["noise"]
        > 0
    )
    answer = client.ask("point", {"schema": schema, **JOB, "budget": BUDGET, "records": 100, "best": "easy"})
    assert (answer.status, "a linear-svc learns two or more classes, but the schema declares a number" in answer.error) == (422, True)


@pytest.fixture
def ledger(client, tmp_path):
    path = tmp_path / "team.ledger"
    declared = {"path": str(path), "data_set": "people", "epsilon": 2, "delta": 1e-5, "neighbours": "replace-one", "unit": "person"}
    assert client.ask("declare", declared).json["data_sets"][0]["left"] == {"epsilon": 2.0, "delta": 1e-5}
    return path


def assert_nothing_shows_the_canary(client):
    """Neither an answer nor a file of a run."""
    for answer in client.heard:
        assert_silent(answer.body.decode())
        assert_silent(answer.headers)
    for kept in client.page.desk.folder.rglob("*"):
        if kept.is_file():
            assert_silent(kept.read_text())


def test_from_a_table_to_a_verified_model_in_the_ledger(client, people, ledger):
    """The canary stands in a record that the schema covers."""
    with people.open("a") as file:
        file.write(f"50,{CANARY},x,{CANARY},yes\n")
    question = {"schema": FORM, **JOB, "budget": BUDGET, "table": str(people), "ledger": str(ledger), "data_set": "people"}
    record = client.finished(question)
    assert (record["state"], record["message"]) == ("done", "")
    assert record["steps"][:2] == ["Checking what can be checked without the records", "Reading the table"]
    assert record["result"]["verification"]["ok"]
    assert record["files"] == ["model.json", "report.html", "certificate.json", "schema.toml", "run.sh", "run.py", "run.ipynb"]
    got = {name: client.send("GET", f"/runs/1/{name}", headers={"Cookie": client.cookie}) for name in record["files"]}
    assert all(answer.status == 200 for answer in got.values())
    model = Model.from_json(got["model.json"].body.decode())
    model.verify().require()
    assert json.loads(got["certificate.json"].body) == model.certificate.to_dict()
    assert got["report.html"].headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert got["model.json"].headers["Content-Disposition"] == 'attachment; filename="model.json"'
    assert Ledger(ledger).left("people").epsilon == pytest.approx(1.0)
    entry = client.ask("ledger", {"path": str(ledger)}).json["data_sets"][0]["entries"][0]
    assert (entry["state"], entry["cost"][:8]) == ("settled", "epsilon ")
    assert_nothing_shows_the_canary(client)


@pytest.mark.more
def test_rows_are_not_fitted_on_a_ledger_of_persons(client, people, tmp_path):
    ledger = {"path": str(tmp_path / "team.ledger"), "data_set": "visits", "epsilon": 3, "delta": 1e-5, "neighbours": "replace-one", "unit": "person"}
    client.ask("declare", ledger)
    wanted = {**JOB, "budget": BUDGET, "table": str(people), "ledger": ledger["path"], "data_set": "visits"}
    rows = client.finished(wanted | {"schema": form(persons={"kind": "rows"})})
    assert rows["state"] == "failed"
    assert "[person] in the schema" in rows["message"]


@pytest.mark.slow
def test_the_command_line_of_a_run_does_it_again_until_the_ledger_refuses(client, people, ledger):
    question = {"schema": FORM, **JOB, "budget": BUDGET, "table": str(people), "ledger": str(ledger), "data_set": "people"}
    record = client.finished(question)
    model = Model.load(client.page.desk.folder / "run-1" / "model.json")
    words = shlex.split(record["command"])
    assert words[0] == "discreet"
    done = subprocess.run([sys.executable, "-m", "discreet", *words[1:]], env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    second = Path(words[-1].removeprefix("--out="))
    again = Model.load(second)
    again.verify().require()
    assert again.certificate.problem == model.certificate.problem
    assert again.certificate.guarantee == model.certificate.guarantee
    assert Ledger(ledger).left("people").epsilon == pytest.approx(0.0, abs=1e-6)
    second.unlink()  # the script writes where the command line did
    refused = subprocess.run([sys.executable, "-c", record["script"]], env=environment(), capture_output=True, text=True, check=False)
    assert "is left on 'people'" in refused.stderr
    assert not second.exists()
    third = client.finished(question)
    assert third["state"] == "failed"
    assert "is left on 'people'" in third["message"]
    assert third["message"].endswith("Nothing is spent.")
    assert sorted(path.name for path in client.page.desk.folder.iterdir()) == ["run-1"]


@pytest.mark.slow
def test_the_script_makes_the_same_model_but_for_its_noise(client, people):
    record = client.finished({"schema": FORM, **JOB, "chosen": "logistic-regression", "budget": BUDGET, "table": str(people)})
    assert record["state"] == "done"
    done = subprocess.run([sys.executable, "-c", record["script"]], env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    first, again = (Model.load(client.page.desk.folder / "run-1" / name) for name in ("model.json", "model-again.json"))
    assert (first.kind, first.schema, first.certificate.problem, first.certificate.guarantee) == (
        again.kind,
        again.schema,
        again.certificate.problem,
        again.certificate.guarantee,
    )
    assert first != again


def options(name):
    """The least that a job of this name needs, and something of its own."""
    given = {"tune": {"--grid": ["alpha=0.01,0.1"]}, "fit": {"--alpha": "0.1", "--intercept": "off"}, "describe": {"--columns": "age,city"}}
    return given.get(name, {})


def asked_of(name, people, tmp_path, model=""):
    """A question that runs a job on a table with the canary in a column that nobody reads, and in one that is clipped."""
    table = tmp_path / "with-canary.csv"
    table.write_text(people.read_text() + f"50,{CANARY},{CANARY},{CANARY},yes\n")
    schema = form(columns=[FORM["columns"][0] | {"open": True}, *FORM["columns"][1:]]) if name == "bounds" else FORM
    chosen = {"fit": "linear-svc", "tune": "linear-svc", "release": "moments"}.get(name, "")
    return {"job": name, "chosen": chosen, "options": options(name), "schema": schema, "budget": BUDGET, "table": str(table), "model": model}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tune", "describe", "release", "bounds", "evaluate", "intervals", "predict"])
def test_every_job_runs_and_shows_no_record(client, people, ledger, tmp_path, name):
    spending = {"ledger": str(ledger), "data_set": "people"}
    model = ""
    if name in ("evaluate", "intervals", "predict"):
        fitted = client.finished(asked_of("fit", people, tmp_path) | spending)
        assert fitted["state"] == "done", fitted["message"]
        assert "--alpha=0.1" in fitted["command"]
        model = fitted["output"]
    record = client.finished(asked_of(name, people, tmp_path, model) | spending)
    assert record["state"] == "done", record["message"]
    spent = Ledger(ledger).spent("people").epsilon
    assert spent == pytest.approx({"predict": 1.0, "evaluate": 2.0, "intervals": 2.0}.get(name, 1.0), abs=1e-6)
    assert ("verification" in record["result"]) is (name != "predict")
    for file in record["files"]:
        client.send("GET", f"/runs/{record['number']}/{file}", headers={"Cookie": client.cookie})
    if name == "predict":
        assert record["result"] == {}
        assert "predictions.csv" not in record["files"]
        assert client.send("GET", f"/runs/{record['number']}/predictions.csv", headers={"Cookie": client.cookie}).status == 404
        assert Path(record["output"]).stat().st_mode & 0o077 == 0
    for answer in client.heard:
        assert_silent(answer.body.decode("utf-8", "replace"))
    if name == "bounds":
        assert client.ask("load", {"path": record["output"]}).json["schema"]["columns"][0]["upper"] == "100"
    if name in ("describe", "predict"):  # and the script does it again
        done = subprocess.run([sys.executable, "-c", record["script"]], env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_what_is_to_be_weighed_stands_before_the_run(client, people, ledger, monkeypatch):
    question = {"schema": FORM, **JOB, "budget": BUDGET, "table": str(people)}
    assert client.ask("foresee", question).json["weighed"] == ["No ledger: nothing adds this to other releases about the same people."]
    kept = question | {"ledger": str(ledger), "data_set": "people"}
    (worth,) = (foreseen := client.ask("foresee", kept).json).pop("said")
    assert "than always giving the commonest class from about" in worth[1]
    assert foreseen == {"weighed": [], "refused": []}
    much = client.ask("foresee", kept | {"budget": BUDGET | {"epsilon": 9.0, "delta": 1e-3}, "records": 300}).json
    assert [line.split()[0] for line in much["weighed"]] == ["Epsilon", "Delta"]
    assert "is left on 'people'" in much["refused"][0]
    rows = client.ask("foresee", question | {"schema": form(persons={"kind": "rows"})}).json["weighed"]
    assert rows[0].startswith("Single rows of 'people' are protected")
    other = form(target={"column": "verdict", "kind": "classes", "classes": ["no", "yes"]})
    assert client.ask("foresee", question | {"schema": other}).json["refused"] == ["The table has no column 'verdict' of the description."]
    moments = question | {"job": "release", "chosen": "moments"}
    assert client.ask("foresee", moments).json["said"]
    monkeypatch.setattr(publish, "require_mbi", lambda: None)
    invented = client.ask("foresee", question | {"job": "synthetic", "chosen": "", "options": {"--whole": "age"}, "records": 300}).json
    assert invented["refused"] == []
    assert ["Mean", "of 300 rows"] in [[label, words.split(",")[0]] for label, words in invented["said"]]
    described = question | {"job": "describe", "chosen": "", "options": {"--columns": "age,city", "--quantiles": "0.1,0.5"}}
    assert [label for label, _ in client.ask("foresee", described).json["said"]] == ["Noise", "Mean", "Median", "Less"]
    wrong = client.ask("foresee", described | {"options": {"--by": "age", "--columns": "city"}}).json
    assert "groups are made of columns of categories" in wrong["refused"][0]
    assert "numbers with commas" in client.ask("foresee", described | {"options": {"--quantiles": "half"}}).json["refused"][0]
    clear = client.ask("foresee", moments | {"options": {"--target": "clear"}}).json
    assert any("not protected" in line for line in clear["weighed"])
    assert Ledger(ledger).spent("people").epsilon == 0.0


def test_a_total_is_amended_with_its_reason(client, ledger):
    question = {"path": str(ledger), "data_set": "people", "epsilon": 3, "delta": 1e-5}
    assert client.ask("amend", question).json == {"error": "The reason is needed.", "field": "reason"}
    assert client.ask("amend", question | {"reason": "a second study"}).json["data_sets"][0]["total"]["epsilon"] == 3.0
    assert Ledger(ledger).left("people").epsilon == 3.0


def test_a_file_is_chosen_among_names_alone(client, people, tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / ".hidden.csv").write_text("a,b\n")
    (tmp_path / "notes.docx").write_text("")
    found = client.ask("browse", {"path": str(people), "kind": "table"}).json
    assert (found["folder"], found["folders"], found["files"]) == (str(tmp_path), ["inner"], ["people.csv"])
    assert client.ask("browse", {"path": "/nowhere/at/all", "kind": "table"}).status == 422
    assert client.ask("browse", {"path": str(people), "kind": "secrets"}).status == 422


@pytest.mark.slow
def test_a_table_is_released(client, people, tmp_path):
    schema = form(rows="bound")
    record = client.finished(
        {"schema": schema, "job": "release", "chosen": "additive", "options": {}, "budget": BUDGET | {"epsilon": 5.0}, "table": str(people)}
    )
    assert record["state"] == "done", record["message"]
    assert record["files"] == ["report.html", "release.zip", "certificate.json", "schema.toml", "run.sh", "run.py", "run.ipynb"]
    packed = tmp_path / "release.zip"
    packed.write_bytes(client.send("GET", "/runs/1/release.zip", headers={"Cookie": client.cookie}).body)
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(tmp_path / "unpacked")
    release = read_release(tmp_path / "unpacked" / "release")
    release.verify().require()
    done = subprocess.run([sys.executable, "-c", record["script"]], env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    again = read_release(client.page.desk.folder / "run-1" / "release-again")
    assert again.certificate.guarantee == release.certificate.guarantee


def stopped_beside_the_reservation(client, question, site, monkeypatch, *, before):
    """The run of a process that waits right before or after the reservation, where it is interrupted."""
    site.mkdir()
    (site / "sitecustomize.py").write_text(
        "import sys, time\n"
        "from discreet.ledger import ledger as module\n"
        "reserve = module.Ledger.reserve\n"
        "def wait():\n"
        "    print('step: waiting', file=sys.stderr, flush=True)\n"
        "    time.sleep(600)\n"
        "def slow(*args, **kwargs):\n"
        f"    if {before}: wait()\n"
        "    found = reserve(*args, **kwargs)\n"
        "    wait()\n"
        "    return found\n"
        "module.Ledger.reserve = slow\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(site), *sys.path]))
    started = client.ask("run", question).json
    assert "Another run" in client.ask("run", question).error
    run = client.page.desk._runs[0]
    for _ in range(6000):
        if "waiting" in run.record()["steps"]:
            break
        run.wait(0.1)
    client.ask("stop", {"number": started["number"]})
    run.wait(600)
    record = client.ask("status", {"number": 1}).json
    assert record["state"] == "cancelled"
    return record["message"]


@pytest.mark.more
@pytest.mark.parametrize("before", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_run_that_is_stopped_leaves_nothing_but_what_the_ledger_counts(client, people, ledger, monkeypatch, tmp_path, before):
    question = {"schema": FORM, **JOB, "budget": BUDGET, "table": str(people), "ledger": str(ledger), "data_set": "people"}
    message = stopped_beside_the_reservation(client, question, tmp_path / "site", monkeypatch, before=before)
    if before:
        assert message == "The run was stopped. Nothing was recorded in the ledger: nothing is spent."
    else:
        assert "counts as spent" in message
    assert Ledger(ledger).spent("people").epsilon == pytest.approx(0.0 if before else 1.0)
    assert not list(client.page.desk.folder.iterdir())


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"table": "/nowhere/people.csv"}, "no file"),
        ({"data_set": "people"}, "needs a ledger"),
        ({"ledger": "/nowhere/team.ledger", "data_set": "people"}, "no ledger"),
        ({"budget": BUDGET | {"epsilon": -1}}, "more than 0"),
        ({"budget": BUDGET | {"delta": 0.9}}, "at most 0.5"),
        ({"job": "release", "chosen": "sketch"}, "Rows"),
    ],
)
def test_a_run_that_cannot_be_is_refused_in_one_sentence(client, people, changes, says):
    answer = client.ask("run", {"schema": FORM, **JOB, "budget": BUDGET, "table": str(people)} | changes)
    message = answer.error if answer.status != 200 else client.waited(answer.json)["message"]
    assert says in message


BAD = [
    f"{CANARY},1,x,north,yes",
    pytest.param(f"1,{CANARY},x,north,{CANARY}", marks=pytest.mark.slow),
    pytest.param(f"{CANARY}x,1,x,north,yes", marks=pytest.mark.slow),
    pytest.param(f"1,1,x,{CANARY},{CANARY},{CANARY}", marks=pytest.mark.slow),
]


@pytest.mark.parametrize("bad", BAD)
def test_no_answer_shows_a_value_of_the_table(client, people, tmp_path, bad):
    """The canary stands in some record, and a run fails over it."""
    path = tmp_path / "bad.csv"
    path.write_text(people.read_text() + bad)
    client.ask("table", {"path": str(path)})
    client.ask("load", {"path": str(path)})
    client.ask("ledger", {"path": str(path)})
    client.upload("bad.csv", path.read_bytes())
    client.upload("headerless.csv", f"{CANARY},2\n3,4\n".encode())
    client.ask("point", {"schema": FORM, **JOB, "budget": BUDGET, "records": 50, "sample": str(path)})
    assert client.finished({"schema": FORM, **JOB, "budget": BUDGET, "table": str(path)})["state"] == "failed"
    assert_nothing_shows_the_canary(client)
