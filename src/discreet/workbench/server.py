"""Requests in, answers out: Python's own HTTP server on the loopback address, with every request through the gate and no log.

    GET    /  and  /assets/NAME     the page, which holds no secret        Host
    GET    /runs/NUMBER/NAME        a file to download                     Host, cookie
    POST   /api/enter               the token for a session                Host, Origin
    POST   /api/NAME                a question of `desk`                   Host, Origin, cookie, key
    PUT    /api/upload              the bytes of a table                   the same

Python's server parses requests and nothing else; sizes, headers and answers are decided here. An unexpected error answers with its type
alone, since its text could hold a value of the table.

Whoever has not entered can take little: a request of his is kept up to `LARGEST_ENTRY` bytes, must be there within `PATIENCE` seconds, and of
`MOST_CONNECTIONS` at a time the oldest of those gives way to a new one.
"""

import io
import json
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any, Self
from urllib.parse import unquote

from discreet.core.errors import DiscreetError, InvalidInput
from discreet.display.markup import rendered
from discreet.workbench.desk import Desk
from discreet.workbench.gate import KEY_HEADER, Gate
from discreet.workbench.jobs import Jobs
from discreet.workbench.wire import Fields, Refused, read_fields

LARGEST_REQUEST = 8 << 20
LARGEST_ENTRY = 1024
"""Bytes of a request before its sender has entered: a token, and nothing else."""
MOST_CONNECTIONS = 32
PATIENCE = 10.0
"""Seconds for a request to arrive, until its sender is known."""
_AT_HOME = 60.0
"""Seconds for each piece of what the page sends."""
_PIECE = 1 << 16
_DECIDING = ("Host", "Origin", "Cookie", "Content-Length", KEY_HEADER, "Sec-Fetch-Site")
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".toml": "application/toml; charset=utf-8",
    ".py": "text/x-python; charset=utf-8",
    ".sh": "text/x-shellscript; charset=utf-8",
    ".zip": "application/zip",
    ".csv": "text/csv; charset=utf-8",
    ".ipynb": "application/x-ipynb+json",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
_REPORT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""A report is a page of its own, with its style inside and without scripts."""
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}


class Workbench:
    """A running page. Use it as a context: its end stops what is under way and removes uploads.

    Raises InvalidInput where the port is taken.
    """

    def __init__(
        self, jobs: Jobs, *, port: int = 0, folder: str | Path = "workbench", ledger: str | None = None, data_set: str | None = None
    ) -> None:
        """Listen, on 127.0.0.1 only; `jobs` are what can be run; nothing is answered before `serve` or entering the context."""
        try:
            self._server = _Server(("127.0.0.1", port), _Handler)
        except (OSError, OverflowError) as error:
            refusal = InvalidInput(f"port {port} cannot be used ({type(error).__name__}). Choose another with --port, or 0 for any free one.")
        else:
            self._uploads = Path(tempfile.mkdtemp(prefix="discreet-workbench-"))
            self.gate = Gate(self._server.server_address[1])
            self.desk = Desk(jobs=jobs, folder=Path(folder).absolute(), uploads=self._uploads, ledger=ledger, data_set=data_set)
            self._server.workbench = self
            return
        raise refusal

    @property
    def address(self) -> str:
        """Without the token."""
        return f"http://{self.gate.hosts[0]}/"

    @property
    def link(self) -> str:
        """To be opened once."""
        return f"{self.address}#token={self.gate.token}"

    def doorstep(self) -> Path:
        """A file, readable for this user only, that leads to the link: arguments of a browser can be read by every user of the machine."""
        path = self._uploads / "open.html"
        path.touch(mode=0o600)
        path.write_text(rendered("doorstep.html", link=self.link), encoding="utf-8")
        return path

    def serve(self) -> None:
        """Answer until `close` is called, or the thread is interrupted."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """Stop what is under way, and remove uploads."""
        self.desk.close()
        self._server.server_close()
        shutil.rmtree(self._uploads, ignore_errors=True)

    def __enter__(self) -> Self:
        """Answer in a thread of its own."""
        threading.Thread(target=self.serve, name="discreet-workbench", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        """See `close`."""
        self._server.shutdown()
        self.close()


class _Server(ThreadingHTTPServer):
    """At most so many connections at a time; those whose senders are known never give way."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 32
    workbench: Workbench

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self._connections: dict[socket.socket, bool] = {}  # in the order they came, and whether their senders are known
        self._lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - http.server's signature
        """Answer in a thread, when there is room."""
        with self._lock:
            self._connections[request] = False
            full = len(self._connections) > MOST_CONNECTIONS
            oldest = next(one for one, known in self._connections.items() if not known) if full else None
            if oldest is not None:
                del self._connections[oldest]
                with suppress(OSError):
                    oldest.shutdown(socket.SHUT_RDWR)  # its thread finds nothing more to read, and ends
        if oldest is request:
            self.shutdown_request(request)
        else:
            super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - http.server's signature
        """Give its place back."""
        with self._lock:
            self._connections.pop(request, None)
        super().shutdown_request(request)

    def knows(self, connection: socket.socket) -> None:
        """Its sender has entered."""
        with self._lock:
            if connection in self._connections:
                self._connections[connection] = True

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - http.server's signature
        """Say nothing: a browser that went away is no news, and a traceback could show a value."""


class _Arriving(io.RawIOBase):
    """What a connection sends, until its time is over: a sender of one byte a minute keeps nobody waiting."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.only(PATIENCE)

    def only(self, seconds: float) -> None:
        """From now on."""
        self._end, self.known = time.monotonic() + seconds, False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - a buffer, as io has it
        left = _AT_HOME if self.known else self._end - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "discreet"
    sys_version = ""
    _unread = True

    def setup(self) -> None:
        """Read with patience that ends."""
        super().setup()
        self._arriving = _Arriving(self.connection)
        self.rfile = io.BufferedReader(self._arriving)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's signature
        """No log: paths and refusals are nobody's business."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - http.server's signature
        """What http.server refuses by itself, without repeating what was sent."""
        self.close_connection = True
        self._refuse(code, f"The request was refused: {HTTPStatus(code).phrase}.")

    def _answer(self) -> None:
        """The page, its assets and files of runs (GET), questions (POST), uploads (PUT). Every failure ends here, with a status and a sentence."""
        try:
            headers = self._deciding()
            self.server.workbench.gate.check_host(headers)
            {"GET": self._get, "POST": self._post, "PUT": self._put}[self.command](headers)
        except Refused as refusal:
            self._refuse(refusal.status, refusal.message, refusal.field)
        except DiscreetError as error:
            self._refuse(422, str(error))
        except (ConnectionError, TimeoutError, socket.timeout):  # noqa: UP041 - three names of a browser that went away
            self.close_connection = True
        except Exception as error:  # noqa: BLE001 - its text may hold a private value
            self._refuse(500, f"An unexpected {type(error).__name__}. Its text is not shown, since it may hold private values.")

    do_GET = do_POST = do_PUT = _answer  # noqa: N815 - http.server's names

    def _deciding(self) -> dict[str, str]:
        """The headers that decide, none of them given twice."""
        found: dict[str, str] = {}
        for name in _DECIDING:
            given = self.headers.get_all(name, [])
            if len(given) > 1:
                raise Refused(400, f"The header {name} was given twice.")
            if given:
                found[name] = str(given[0])
        return found

    def _get(self, headers: dict[str, str]) -> None:
        gate, desk = self.server.workbench.gate, self.server.workbench.desk
        match self.path.split("/"):
            case ["", ""] | ["", "index.html"]:
                self._asset("index.html")
            case ["", "assets", name] if name in _assets():
                self._asset(name)
            case ["", "runs", number, name] if number.isascii() and number.isdigit() and len(number) < 7:
                gate.check_cookie(headers)
                self._known()
                found = desk.file(int(number), name)
                if found is None:
                    raise Refused(404, "There is no such file.")
                self._file(found)
            case _:
                raise Refused(404, "There is no such page.")

    def _post(self, headers: dict[str, str]) -> None:
        gate = self.server.workbench.gate
        gate.check_origin(headers)
        name = self.path.removeprefix("/api/") if self.path.startswith("/api/") else ""
        if name == "enter":
            key, cookie = gate.enter(self._fields(LARGEST_ENTRY).only("token").text("token"))
            self._json({"key": key}, {"Set-Cookie": cookie})
            return
        self._check_session(headers)
        call = self._calls().get(name)
        if call is None:
            raise Refused(404, "There is no such question.")
        self._json(call(self._fields(LARGEST_REQUEST)))

    def _put(self, headers: dict[str, str]) -> None:
        gate = self.server.workbench.gate
        gate.check_origin(headers)
        self._check_session(headers)
        if self.path != "/api/upload":
            raise Refused(404, "There is no such question.")
        self._unread = False
        name = unquote(self.headers.get("X-Discreet-Name", ""), errors="replace")
        self._json(self.server.workbench.desk.upload(name, self._length(), self.rfile))

    def _check_session(self, headers: dict[str, str]) -> None:
        """That the page entered; from here on it has time and keeps its place."""
        self.server.workbench.gate.check_session(headers)
        self._known()

    def _known(self) -> None:
        self._arriving.known = True
        self.server.knows(self.connection)

    def _calls(self) -> dict[str, Callable[[Fields], dict[str, object]]]:
        desk = self.server.workbench.desk
        asked = (desk.state, desk.sheet, desk.browse, desk.table, desk.check, desk.load, desk.save, desk.point, desk.plan, desk.foresee, desk.run)
        return {call.__name__: call for call in (*asked, desk.status, desk.stop, desk.ledger, desk.declare, desk.amend)}

    def _fields(self, largest: int) -> Fields:
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, "A question is application/json.")
        length = self._length()
        if length > largest:
            raise Refused(413, "The request is too large.")
        body = self.rfile.read(length)
        self._unread = False
        if len(body) < length:
            raise Refused(400, "The request was cut off.")
        return read_fields(body)

    def _length(self) -> int:
        given = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (given.isascii() and given.isdigit() and len(given) < 15):
            raise Refused(411, "The request must state its length.")
        return int(given)

    def _asset(self, name: str) -> None:
        self._send(200, (files(__package__) / "assets" / name).read_bytes(), _TYPES[Path(name).suffix])

    def _file(self, path: Path) -> None:
        """A file to download; a report is shown."""
        report = path.suffix == ".html"
        shown = {"Content-Security-Policy": _REPORT_POLICY} if report else {"Content-Disposition": f'attachment; filename="{path.name}"'}
        with path.open("rb") as file:
            self._head(200, path.stat().st_size, _TYPES[path.suffix], shown)
            shutil.copyfileobj(file, self.wfile)

    def _json(self, document: Mapping[str, object], headers: Mapping[str, str] | None = None, status: int = 200) -> None:
        body = json.dumps(document, ensure_ascii=True, allow_nan=False).encode()
        self._send(status, body, "application/json", headers)

    def _refuse(self, status: int, message: str, field: str = "") -> None:
        self.close_connection = True
        try:
            self._json({"error": message} | ({"field": field} if field else {}), status=status)
            self._drain()
        except OSError:
            return

    def _drain(self) -> None:
        """Read a body that was refused unread: else the connection is reset, and the reason may never arrive."""
        given = self.headers.get("Content-Length", "") if self.command in ("POST", "PUT") else ""
        if self._unread and given.isascii() and given.isdigit() and len(given) < 15:
            self._arriving.only(2.0)
            left = min(int(given), LARGEST_REQUEST)
            while left > 0 and (piece := self.rfile.read(min(left, _PIECE))):
                left -= len(piece)

    def _send(self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        self._head(status, len(body), kind, headers or {})
        if self.command != "HEAD":
            self.wfile.write(body)

    def _head(self, status: int, length: int, kind: str, headers: Mapping[str, str]) -> None:
        self.connection.settimeout(_AT_HOME)
        self.send_response(status)
        for name, value in ({"Content-Security-Policy": _POLICY} | _HEADERS | dict(headers)).items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        self.end_headers()


def _assets() -> frozenset[str]:
    return frozenset(item.name for item in (files(__package__) / "assets").iterdir() if Path(item.name).suffix in _TYPES)
