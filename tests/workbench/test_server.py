"""What is no question of the page: no traceback, no detail, no file, and the next one is answered."""

import io
import json
import random
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from discreet.core.errors import InvalidInput
from discreet.workbench import Workbench, server
from discreet.workbench.command_jobs import CommandJobs
from tests.canary import CANARY, assert_silent
from tests.workbench.conftest import BUDGET, FORM, JOB

NAMES = [
    "state",
    "sheet",
    "browse",
    "table",
    "check",
    "load",
    "save",
    "point",
    "plan",
    "foresee",
    "run",
    "status",
    "stop",
    "ledger",
    "declare",
    "amend",
]
ODD = [
    None,
    True,
    0,
    -1,
    1e308,
    "",
    "x",
    "\u0000",
    "../../etc/passwd",
    "-",
    "--help",
    "a" * 5000,
    [],
    {},
    [[]],
    [None],
    {"": 1},
    2**70,
    "\u202e",
    "/dev/stdin",
]


def wire(port, data):
    """What comes back for raw bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=300) as connection:
        found = b""
        with suppress(OSError):  # what is far too long is cut off
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        with suppress(ConnectionError):
            while block := connection.recv(65536):
                found += block
    return found


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def check(answer):
    assert answer.status in (200, 400, 404, 409, 411, 413, 415, 422), answer
    if answer.status != 200:
        assert {"error"} <= set(answer.json) <= {"error", "field"}
        assert "Traceback" not in answer.error
        assert "unexpected" not in answer.error.lower()


def mutated(source, value):
    """The same question with one part replaced, dropped, or added."""
    found = json.loads(json.dumps(value))
    place, key = found, None
    while isinstance(place, dict | list) and place and source.random() < 0.75:
        key = source.choice(list(place)) if isinstance(place, dict) else source.randrange(len(place))
        if not isinstance(place[key], dict | list) or source.random() < 0.3:
            break
        place = place[key]
    odd = source.choice(ODD)
    if isinstance(place, dict):
        if key in place and source.random() < 0.2:
            del place[key]
        else:
            place[key if key in place else source.choice(["x", "path", "schema"])] = odd
    elif isinstance(place, list):
        place[key if isinstance(key, int) and key < len(place) else slice(0, 0)] = odd if isinstance(key, int) and key < len(place) else [odd]
    return found


def questions(people):
    shared = {"schema": FORM, "budget": BUDGET}
    return {
        "state": {},
        "table": {"path": str(people)},
        "check": {"schema": FORM},
        "load": {"path": str(people)},
        "save": {"schema": FORM | {"rows": "nonsense"}, "path": str(people.parent / "saved.toml")},
        "sheet": {"job": "fit", "chosen": "lasso"},
        "browse": {"path": str(people), "kind": "table"},
        "point": shared | {"job": "release", "chosen": "additive", "options": {}, "records": 50},
        "plan": shared | {"what": "linear-svc", "records": 100, "norm": 1.0, "excess": 9.0},
        "foresee": shared | JOB | {"table": str(people), "records": 100},
        "run": shared | JOB | {"table": str(people), "data_set": "without-a-ledger"},
        "amend": {"path": str(people), "data_set": "people", "epsilon": 1, "delta": 0, "reason": "why"},
        "status": {"number": 1},
        "stop": {"number": 1},
        "ledger": {"path": str(people)},
        "declare": {"path": str(people), "data_set": "people", "epsilon": 1, "delta": 0, "neighbours": "replace-one", "unit": "person"},
    }


@pytest.mark.parametrize("count", [500, pytest.param(2000, marks=pytest.mark.more), pytest.param(20_000, marks=pytest.mark.slow)])
def test_malformed_questions_are_refused_in_one_sentence(client, people, count, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))  # some questions are right: to declare a budget in a new ledger of an odd name
    source = random.Random(count)  # noqa: S311 - odd questions, no secrets
    asked = questions(people)
    before = files(people.parent)
    for _ in range(count):
        name = source.choice(NAMES)
        question = mutated(source, asked[name])
        if name == "run":
            question["data_set"] = question.get("data_set") or "without-a-ledger"  # a question that happens to be right must not start a run
            question["ledger"] = source.choice(["", "/nowhere/a.ledger"])
        if name == "save":
            question["path"] = source.choice(["", "x", 3, "/nowhere/x.toml", str(people)])
        check(client.ask(name, question))
    assert files(people.parent) == before
    assert client.ask("state").status == 200


def test_bodies_that_are_no_json_objects_are_refused(client):
    source = random.Random(8)  # noqa: S311 - odd questions, no secrets
    bodies = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        b'{"a":1,"a":2}',
        b'{"a":NaN}',
        b"[" * 100_000,
        b'{"a":1e999}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'"\\ud800"',
    ]
    bodies += [bytes(source.randrange(256) for _ in range(source.randrange(60))) for _ in range(300)]
    for body in bodies:
        answer = client.send("POST", "/api/table", body, client.headers)
        assert answer.status in (400, 422), answer
        check(answer)


def test_bytes_that_are_no_requests_are_refused_without_a_word_of_them(client):
    source = random.Random(9)  # noqa: S311 - odd questions, no secrets
    host = f"Host: 127.0.0.1:{client.port}\r\n".encode()
    requests = [
        b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"BREW / HTTP/1.1\r\n" + host + b"\r\n",
        b"GET /" + b"918273.645" * 10_000 + b" HTTP/1.1\r\n" + host + b"\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: 918273.645\r\n" % place for place in range(200)) + b"\r\n",
        b"POST /api/state HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n918273.645",
        b"POST /api/state HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n5\r\n91827\r\n",
        b"OPTIONS * HTTP/1.1\r\n" + host + b"\r\n",
        b"DELETE /918273.645 HTTP/1.1\r\n" + host + b"\r\n",
        *(bytes(source.randrange(256) for _ in range(source.randrange(1, 200))) + b"\r\n\r\n" for _ in range(300)),
    ]
    for data in requests:
        found = wire(client.port, data)
        assert b"Traceback" not in found
        assert b"918273" not in found
        assert b" 500 " not in found[:20]
    assert client.ask("state").status == 200


def test_a_request_that_says_too_much_or_nothing_of_its_length_is_refused(client):
    headers = "".join(f"{name}: {value}\r\n" for name, value in client.headers.items())
    begin = f"POST /api/state HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n{headers}"
    assert b" 411 " in wire(client.port, f"{begin}\r\n".encode())
    assert b" 413 " in wire(client.port, f"{begin}Content-Length: 99999999999\r\n\r\n".encode())
    assert b" 400 " in wire(client.port, f"{begin}Content-Length: 10\r\n\r\n{{}}".encode())


def held(port, *, length, sent=b""):
    """A connection that says how much it will send to the door, and sends less."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=300)
    head = f"Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    connection.sendall(f"POST /api/enter HTTP/1.1\r\n{head}".encode() + sent)
    return connection


def test_who_has_not_entered_is_not_listened_to_for_long(stranger):
    """A token is short: what is longer is refused before it is there."""
    with held(stranger.port, length=8 << 20) as connection:
        assert b" 413 " in connection.recv(20)
    assert stranger.ask("enter", {"token": "x" * server.LARGEST_ENTRY}).status == 413
    assert stranger.enter().status == 200


def test_a_refused_request_is_thrown_away_in_pieces(stranger, monkeypatch):
    """Read to its end, so that the reason arrives, and never kept."""
    pieces, read = [], io.BufferedReader.read

    class Counting(io.BufferedReader):
        def read(self, size=-1):
            pieces.append(size)
            return read(self, size)

    monkeypatch.setattr(server.io, "BufferedReader", Counting)
    assert stranger.send("POST", "/api/enter", b"x" * (3 << 20), stranger.headers).status == 413
    assert stranger.send("POST", "/api/state", b"x" * (3 << 20), stranger.headers).status == 401
    assert max(pieces) <= 1 << 16


def test_held_connections_give_way_to_the_page(stranger):
    """The oldest first; whoever has entered keeps its place, and a thread ends with its connection."""
    waiting = [held(stranger.port, length=100) for _ in range(3 * server.MOST_CONNECTIONS)]
    assert stranger.enter().status == 200
    assert waiting[0].recv(1) == b""
    assert threading.active_count() < 2 * server.MOST_CONNECTIONS
    assert stranger.ask("state").status == 200
    for connection in waiting:
        connection.close()


def test_a_connection_whose_sender_is_known_keeps_its_place(client, monkeypatch):
    monkeypatch.setattr(server, "MOST_CONNECTIONS", 1)
    begun, ended = threading.Event(), threading.Event()

    def state(_):
        begun.set()
        ended.wait(300)
        return {}

    monkeypatch.setattr(client.page.desk, "state", state)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.ask, "state")
        begun.wait(300)
        with held(client.port, length=100) as second, suppress(ConnectionError):
            assert second.recv(1) == b""
        ended.set()
        assert asked.result().status == 200


def test_a_slow_sender_is_not_waited_for(stranger, monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.05)
    for sent in (b"", b"{"):
        with held(stranger.port, length=100, sent=sent) as connection:
            assert connection.recv(1) == b""
    with socket.create_connection(("127.0.0.1", stranger.port), timeout=300) as connection:
        connection.sendall(b"POST /api/enter")
        assert connection.recv(1) == b""


def test_one_byte_after_another_does_not_begin_the_time_anew(monkeypatch):
    monkeypatch.setattr(server, "PATIENCE", 0.0)
    here, there = socket.socketpair()
    with here, there:
        there.sendall(b"two")
        arriving = server._Arriving(here)
        with pytest.raises(TimeoutError):
            arriving.readinto(bytearray(1))
        arriving.known = True
        assert arriving.readinto(bytearray(1)) == 1


def test_a_question_of_another_type_is_refused(client):
    """A form of another page can send these types without being asked whether it may."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert client.ask("state", **{"Content-Type": kind}).status == 415


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../gate.py",
        "/assets/%2e%2e/gate.py",
        "/assets/",
        "/assets/__init__.py",
        "/../etc/passwd",
        "/runs/1/../../x",
        "/runs/01/model.json",
        "/runs/999999/model.json",
        "//assets/../gate.py",
    ],
)
def test_only_what_is_listed_is_served(client, path):
    assert client.send("GET", path, headers={"Cookie": client.cookie}).status == 404


def test_an_unexpected_error_shows_its_type_alone(client, monkeypatch):
    def broken(_):
        raise RuntimeError(f"the value {CANARY}")

    broken.__name__ = "state"
    monkeypatch.setattr(client.page.desk, "state", broken)
    answer = client.ask("state")
    assert answer.status == 500
    assert "RuntimeError" in answer.error
    assert_silent(answer.body)


def test_nothing_is_logged(client, capfd):
    client.send("GET", "/")
    client.ask("table", {"path": "/nowhere/918273.645.csv"})
    wire(client.port, b"GET\r\n\r\n")
    out, err = capfd.readouterr()
    assert out == err == ""


def test_a_port_that_is_taken_is_said_in_one_sentence(stranger, tmp_path):
    with pytest.raises(InvalidInput, match="cannot be used"):
        Workbench(CommandJobs(), port=stranger.port, folder=tmp_path)


def test_uploads_are_gone_with_the_workbench(tmp_path):
    with Workbench(CommandJobs(), folder=tmp_path / "results") as page:
        folder = page._uploads
        assert folder.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_assets_come_from_nowhere_else():
    from importlib.resources import files as resources

    for item in (resources("discreet.workbench") / "assets").iterdir():
        text = item.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "innerHTML" not in text
        assert "eval(" not in text
        assert " style=" not in text
