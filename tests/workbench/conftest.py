"""A workbench that runs, and a page's way of speaking with it."""

import http.client
import json
import time
from typing import NamedTuple

import pytest

from discreet.workbench import Workbench
from discreet.workbench.command_jobs import CommandJobs
from tests.cli.conftest import csv_text, rows

FORM = {
    "name": "people",
    "rows": "normalise",
    "missing_values": [],
    "persons": {"kind": "one"},
    "target": {"column": "answer", "kind": "classes", "classes": ["no", "yes"]},
    "columns": [
        {"name": "age", "kind": "number", "lower": "0", "upper": "100"},
        {"name": "hours", "kind": "number", "lower": "0", "upper": "80", "clip": True},
        {"name": "city", "kind": "category", "categories": ["north", "south", "other"], "other": "other"},
        {"name": "nickname", "kind": "ignore"},
    ],
}
JOB = {"job": "fit", "chosen": "linear-svc", "options": {}}
BUDGET = {"epsilon": 1.0, "delta": 1e-6, "neighbours": "replace-one"}


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        return self.json["error"]


class Client:
    """Speaks as the page does, unless told otherwise; keeps every answer for the canary."""

    def __init__(self, page):
        self.page = page
        self.port = page.gate.port
        self.cookie = self.key = None
        self.heard = []

    def send(self, method, path, body=b"", headers=None):
        """Exactly these headers, beside Host and the length."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request(method, path, body, headers or {})
        got = connection.getresponse()
        answer = Answer(got.status, dict(got.getheaders()), got.read())
        connection.close()
        self.heard.append(answer)
        return answer

    @property
    def headers(self):
        found = {"Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
        if self.cookie:
            found["Cookie"] = self.cookie
        if self.key:
            found["X-Discreet-Key"] = self.key
        return found

    def enter(self):
        got = self.ask("enter", {"token": self.page.gate.token})
        self.key, self.cookie = got.json["key"], got.headers["Set-Cookie"].split(";")[0]
        return got

    def ask(self, name, question=None, **headers):
        body = json.dumps({} if question is None else question).encode()
        return self.send("POST", f"/api/{name}", body, self.headers | headers)

    def upload(self, name, body, **headers):
        return self.send("PUT", "/api/upload", body, self.headers | {"X-Discreet-Name": name} | headers)

    def finished(self, question):
        """Start a run and wait for its end; its record."""
        answer = self.ask("run", question)
        assert answer.status == 200, answer.body
        return self.waited(answer.json)

    def waited(self, record, patience=600.0):
        """The record of a run at its end."""
        end = time.monotonic() + patience
        while record["state"] in ("running", "stopping"):
            assert time.monotonic() < end
            time.sleep(0.1)
            record = self.ask("status", {"number": record["number"]}).json
        return record


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for variable in ("DISCREET_DEBUG", "DISCREET_LEDGER", "DISCREET_DATA_SET"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(csv_text(rows()), encoding="utf-8")
    return path


@pytest.fixture
def stranger(tmp_path):
    """A client that has not entered."""
    with Workbench(CommandJobs(), folder=tmp_path / "results") as page:
        yield Client(page)


@pytest.fixture
def client(stranger):
    stranger.enter()
    return stranger
