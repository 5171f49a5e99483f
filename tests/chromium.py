"""A headless Chromium on a wire: as much of the DevTools protocol and of WebSockets (RFC 6455) as the tests need, with the standard library alone."""

import base64
import http.client
import itertools
import json
import os
import secrets
import shutil
import socket
import struct
import subprocess
import time
from contextlib import suppress

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 300.0


def installed():
    """The path of a Chromium, or None."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """One page in a browser of its own. Use it as a context."""

    def __init__(self, folder):
        self._folder = folder
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking"]
        flags += ["--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-port=0"]
        log = (folder / "browser.log").open("wb")
        self._process = subprocess.Popen(
            [installed(), *flags, f"--user-data-dir={folder / 'profile'}", "about:blank"], stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        log.close()
        self.events = []
        self._numbers = itertools.count(1)

    def __enter__(self):
        try:
            port = self._port()
            targets = self._pages(port)
            self._socket = WebSocket("127.0.0.1", port, "/" + targets[0]["webSocketDebuggerUrl"].split("/", 3)[3])
            for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with suppress(AttributeError, OSError):
            self._socket.close()

    def _port(self):
        path = self._folder / "profile" / "DevToolsActivePort"
        for _ in range(int(PATIENCE * 10)):
            with suppress(OSError, IndexError, ValueError):
                return int(path.read_text().splitlines()[0])
            time.sleep(0.1)
        raise TimeoutError("the browser did not start")

    def _pages(self, port):
        for _ in range(200):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request("GET", "/json/list")
            found = [one for one in json.loads(connection.getresponse().read()) if one["type"] == "page"]
            connection.close()
            if found:
                return found
            time.sleep(0.1)
        raise TimeoutError("the browser has no page")

    def call(self, method, **params):
        """One command of the protocol; what happens meanwhile is kept in `events`."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.receive())
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.events.append(message)

    def go(self, url):
        self.call("Page.navigate", url=url)

    def run(self, code):
        """The value of a JavaScript expression."""
        found = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True, userGesture=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, code, patience=PATIENCE):
        """Wait until the expression is true; its value."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = self.run(f"(() => {{ try {{ return !!({code}) }} catch {{ return false }} }})()")
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"never true: {code}; the page says {self.text('#alert')!r}")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})?.textContent")

    def click(self, selector):
        """With the mouse, where the element is."""
        name = json.dumps(selector)
        self.until(f"document.querySelector({name}).offsetParent && !document.querySelector({name}).disabled")
        box = self.run(
            f"(() => {{ const e = document.querySelector({name}); e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def fill(self, selector, text):
        """Replace what the field holds, as a keyboard does."""
        name = json.dumps(selector)
        self.until(f"document.querySelector({name})")
        self.run(f"(() => {{ const e = document.querySelector({name}); e.scrollIntoView({{block: 'center'}}); e.focus(); e.select(); }})()")
        self.call("Input.insertText", text=text)

    def choose(self, selector, value):
        code = f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.value = {json.dumps(value)};"
        self.run(code + " e.dispatchEvent(new Event('input', {bubbles: true})); e.dispatchEvent(new Event('change', {bubbles: true})); })()")

    def press(self, key, *, text="", code=0):
        for kind in ("keyDown", "keyUp"):
            shown = {"text": text} if kind == "keyDown" and text else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **shown)

    def attach(self, selector, path):
        """Put a file into a file field."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def look(self, *, width, dark, height=900):
        """The size of the window, and its colours."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path):
        """The whole page as a PNG."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))

    def complaints(self):
        """What the browser's console complains of: exceptions, blocked content, failed requests."""
        self.run("1")
        thrown = [one["params"]["exceptionDetails"] for one in self.events if one.get("method") == "Runtime.exceptionThrown"]
        entries = [one["params"]["entry"] for one in self.events if one.get("method") == "Log.entryAdded"]
        return thrown + [entry for entry in entries if entry["level"] in ("error", "warning")]

    def requested(self):
        """Every address that was asked for."""
        return [one["params"]["request"]["url"] for one in self.events if one.get("method") == "Network.requestWillBeSent"]


class WebSocket:
    """A client of text messages."""

    def __init__(self, host, port, path):
        self._socket = socket.create_connection((host, port), timeout=PATIENCE)
        key = base64.b64encode(secrets.token_bytes(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}:{port}", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}"]
        self._socket.sendall(("\r\n".join([*lines, "Sec-WebSocket-Version: 13", "", ""])).encode())
        self._file = self._socket.makefile("rb")
        assert b" 101 " in self._file.readline()
        while self._file.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x81, 0x80 | size]) if size < 126 else bytes([0x81, 0xFE]) + struct.pack(">H", size) if size < 65536 else None
        head = head if head is not None else bytes([0x81, 0xFF]) + struct.pack(">Q", size)
        self._socket.sendall(head + mask + bytes(byte ^ mask[place % 4] for place, byte in enumerate(data)))

    def receive(self):
        """The next text message, put together from its frames."""
        message = b""
        while True:
            first, second = self._file.read(2)
            size = second & 0x7F
            if size == 126:
                size = struct.unpack(">H", self._file.read(2))[0]
            elif size == 127:
                size = struct.unpack(">Q", self._file.read(8))[0]
            data = self._file.read(size)
            if first & 0x0F in (0, 1):
                message += data
                if first & 0x80:
                    return message.decode()
            elif first & 0x0F == 8:
                raise ConnectionError("the browser closed the connection")

    def close(self):
        self._file.close()
        self._socket.close()
