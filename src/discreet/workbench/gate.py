"""Who may speak with the workbench.

    Host              127.0.0.1:PORT or localhost:PORT      a name that was made to lead here (DNS rebinding) is refused
    Origin            that of the page itself               what another page sends is refused, and so is a change without an Origin
    Sec-Fetch-Site    same-origin, or none for a typed URL  the same, where the browser says it
    token             once                                  exchanged for a session; it stands behind the # of the URL, which is never sent
    session           a cookie (HttpOnly, SameSite=Strict)  every browser sends it to every port of this machine, so it is not enough:
    key               a header beside the cookie            kept by the page under its own origin, port included

Files that the page offers for download need the cookie alone: everything in them may be published.
"""

import hmac
import secrets
import threading
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie

from discreet.workbench.wire import Refused

KEY_HEADER = "X-Discreet-Key"


class Gate:
    """Token, cookie and key of one workbench. Raises Refused, with a status and a sentence."""

    __slots__ = ("_cookie", "_key", "_lock", "_used", "port", "token")

    def __init__(self, port: int) -> None:
        """Fresh secrets of 256 bits each."""
        self.port = port
        self.token, self._cookie, self._key = (secrets.token_urlsafe(32) for _ in range(3))
        self._used = False
        self._lock = threading.Lock()

    @property
    def hosts(self) -> tuple[str, ...]:
        """What a browser may call this server."""
        return (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    @property
    def cookie_name(self) -> str:
        """With the port, since cookies of one machine are shared by its ports."""
        return f"discreet-workbench-{self.port}"

    def check_host(self, headers: Mapping[str, str]) -> None:
        """Of every request, whatever it asks for."""
        if headers.get("Host") not in self.hosts:
            address = f"http://{self.hosts[0]}"
            raise Refused(403, f"This server answers to {address} only. Open it there; through a tunnel, with the same port on both sides.")
        if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            raise Refused(403, "The request came from another page. Open the workbench with the link that it printed.")

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Of everything but pages and downloads."""
        if headers.get("Origin") not in {f"http://{host}" for host in self.hosts}:
            raise Refused(403, "Only the workbench's own page may request this.")

    def enter(self, token: str) -> tuple[str, str]:
        """The key and the Set-Cookie line, for the token, once."""
        with self._lock:
            right = hmac.compare_digest(token.encode("utf-8", "replace"), self.token.encode())
            if not right or self._used:
                raise Refused(
                    403,
                    "This link was already used, or belongs to another workbench. Stop the workbench with Ctrl-C, start it again and "
                    "open its new link.",
                )
            self._used = True
        return self._key, f"{self.cookie_name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"

    def check_cookie(self, headers: Mapping[str, str]) -> None:
        """That the browser entered with the token."""
        try:
            found = SimpleCookie(headers.get("Cookie", "")).get(self.cookie_name)
        except CookieError:
            found = None
        if found is None or not hmac.compare_digest(found.value.encode("utf-8", "replace"), self._cookie.encode()):
            raise Refused(401, "This browser is not signed in. Open the link that `discreet workbench` printed.")

    def check_session(self, headers: Mapping[str, str]) -> None:
        """That the page entered with the token."""
        self.check_cookie(headers)
        if not hmac.compare_digest(headers.get(KEY_HEADER, "").encode("utf-8", "replace"), self._key.encode()):
            raise Refused(401, "This page is not signed in. Open the link that `discreet workbench` printed.")
