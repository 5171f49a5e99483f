"""`discreet workbench` as a process: what it prints, and what is left of it at its end."""

import http.client
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from discreet.workbench.runs import environment
from tests.cli.conftest import discreet
from tests.interrupts import interruptible


@pytest.mark.parametrize("ending", [signal.SIGTERM, *(pytest.param(one, marks=pytest.mark.more) for one in (signal.SIGINT, signal.SIGHUP))])
def test_it_prints_its_link_serves_and_leaves_no_upload_behind(tmp_path, people, ending):
    made = subprocess.Popen(
        [sys.executable, "-m", "discreet", "workbench", "--json", "--folder", str(tmp_path / "results")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment() | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"},
        preexec_fn=interruptible,  # noqa: PLW1509 - the child starts no thread before it
    )
    lines = []
    while not lines or lines[-1] != "}\n":
        lines.append(made.stdout.readline())
        assert lines[-1], made.stderr.read()
    link = urlsplit(json.loads("".join(lines))["link"])
    assert (link.scheme, link.hostname) == ("http", "127.0.0.1")

    def send(method, path, body, **headers):
        connection = http.client.HTTPConnection(link.netloc, timeout=600)
        connection.request(method, path, body, headers | {"Origin": f"http://{link.netloc}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer, json.loads(answer.read())

    answer, found = send("POST", "/api/enter", json.dumps({"token": link.fragment.removeprefix("token=")}))
    session = {"Cookie": answer.getheader("Set-Cookie").split(";")[0], "X-Discreet-Key": found["key"]}
    _, found = send("PUT", "/api/upload", people.read_bytes(), **session, **{"X-Discreet-Name": "people.csv"})
    assert Path(found["path"]).exists()
    made.send_signal(ending)
    out, err = made.communicate(timeout=600)
    assert (made.returncode, out, err) == (0, "", "")
    assert not list(tmp_path.glob("discreet-workbench-*"))


def test_a_ledger_that_is_not_there_is_refused_before_anything_is_served(tmp_path):
    outcome = discreet("workbench", "--ledger", tmp_path / "absent.ledger")
    assert outcome.code == 3
    assert "there is no ledger" in outcome.error


def test_steps_are_told_to_a_program_that_asks_for_them(tmp_path, monkeypatch):
    from tests.cli.conftest import SCHEMA

    (tmp_path / "people.toml").write_text(SCHEMA)
    (tmp_path / "people.csv").write_text("age,hours,city,answer\n")
    monkeypatch.setenv("DISCREET_STEPS", "1")
    assert discreet("schema", "check", tmp_path / "people.toml", tmp_path / "people.csv").err == "step: Reading the header\n"
    monkeypatch.delenv("DISCREET_STEPS")
    assert discreet("schema", "check", tmp_path / "people.toml", tmp_path / "people.csv").err == ""


def test_a_run_sees_none_of_the_variables_that_change_commands(monkeypatch):
    for name in ("DISCREET_LEDGER", "DISCREET_DATA_SET", "DISCREET_DEBUG"):
        monkeypatch.setenv(name, "x")
    assert {name for name in environment() if name.startswith("DISCREET")} == {"DISCREET_STEPS"}
    assert environment()["PATH"] == os.environ["PATH"]
