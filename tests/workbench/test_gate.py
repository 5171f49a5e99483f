"""Who may speak with the workbench, and who may not."""

import pytest

from tests.workbench.conftest import Client

ASKED = ["state", "table", "check", "load", "save", "point", "plan", "run", "status", "stop", "ledger", "declare"]


def test_the_token_opens_once(stranger):
    first = stranger.enter()
    assert first.status == 200
    assert first.headers["Set-Cookie"].endswith("; HttpOnly; SameSite=Strict; Path=/")
    assert stranger.ask("state").status == 200
    again = Client(stranger.page).ask("enter", {"token": stranger.page.gate.token})
    assert again.status == 403
    assert "already used" in again.error
    assert "Set-Cookie" not in again.headers


@pytest.mark.parametrize("token", ["", "x", "a" * 43, 7, None])
def test_another_token_does_not_open(stranger, token):
    assert stranger.ask("enter", {"token": token}).status in (400, 403)
    assert stranger.enter().status == 200


@pytest.mark.parametrize("name", ASKED)
def test_nothing_is_answered_before_entering(stranger, name):
    assert stranger.ask(name).status == 401


@pytest.mark.parametrize("name", ASKED)
def test_cookie_and_key_are_needed_both(client, name):
    whole = client.headers
    for missing in ("Cookie", "X-Discreet-Key"):
        left = {name: value for name, value in whole.items() if name != missing}
        assert client.send("POST", f"/api/{name}", b"{}", left).status == 401
        assert client.send("POST", f"/api/{name}", b"{}", left | {missing: "discreet-workbench-1=x"}).status == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:{port}", "[::1]:{port}", "", "localhost.evil:{port}"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT"])
def test_another_host_name_is_refused_whatever_it_asks(client, host, method):
    headers = client.headers | {"Host": host.format(port=client.port)}
    for path in ("/", "/api/state", "/api/upload", "/assets/page.js", "/runs/1/model.json"):
        answer = client.send(method, path, b"{}", headers)
        assert answer.status == 403
        assert "answers to" in answer.error


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://127.0.0.1:{port}.evil.example"]
)
def test_another_origin_is_refused(client, origin):
    headers = {name: value for name, value in client.headers.items() if name != "Origin"}
    if origin is not None:
        headers["Origin"] = origin.format(port=client.port)
    assert client.send("POST", "/api/state", b"{}", headers).status == 403
    assert client.send("POST", "/api/enter", b"{}", headers).status == 403
    assert client.send("PUT", "/api/upload", b"a\nb\n", headers | {"X-Discreet-Name": "a.csv"}).status == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_asked_for_is_refused(client, site):
    assert client.ask("state", **{"Sec-Fetch-Site": site}).status == 403
    assert client.send("GET", "/", headers={"Sec-Fetch-Site": site}).status == 403


def test_localhost_is_a_name_of_this_machine(client):
    headers = client.headers | {"Host": f"localhost:{client.port}", "Origin": f"http://localhost:{client.port}"}
    assert client.send("POST", "/api/state", b"{}", headers).status == 200


def test_a_header_that_decides_may_not_be_given_twice(client):
    import socket

    lines = [f"POST /api/state HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\nHost: evil.example\r\nContent-Length: 2\r\n\r\n{{}}"]
    with socket.create_connection(("127.0.0.1", client.port), timeout=300) as wire:
        wire.sendall("".join(lines).encode())
        assert wire.recv(100).startswith(b"HTTP/1.0 400")


def test_a_file_needs_the_cookie(client):
    assert client.send("GET", "/runs/1/model.json").status == 401
    assert client.send("GET", "/runs/1/model.json", headers={"Cookie": client.cookie}).status == 404


@pytest.mark.parametrize("path", ["/", "/assets/page.js", "/assets/style.css", "/nothing", "/runs/1/x"])
def test_every_answer_says_what_a_browser_may_do_with_it(client, path):
    headers = client.send("GET", path).headers
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Server"].strip() == "discreet"
    assert "Access-Control-Allow-Origin" not in headers


def test_it_listens_on_the_loopback_address_alone(stranger):
    assert stranger.page._server.server_address[0] == "127.0.0.1"


def test_the_token_stands_where_no_browser_sends_it(stranger):
    address, _, secret = stranger.page.link.partition("#")
    assert stranger.page.gate.token not in address
    assert secret == f"token={stranger.page.gate.token}"


def test_the_doorstep_is_for_this_user_alone(stranger):
    path = stranger.page.doorstep()
    assert path.stat().st_mode & 0o077 == 0
    assert stranger.page.link in path.read_text()


def test_the_reason_of_a_refusal_arrives_whatever_was_sent_with_it(stranger):
    """A server that closes while bytes are unread resets the connection, and a browser then shows no reason."""
    for _ in range(20):
        assert stranger.send("POST", "/api/table", b"x" * 2_000_000, stranger.headers).status == 401
        assert stranger.send("PUT", "/api/upload", b"x" * 2_000_000, stranger.headers).status == 401
