"""Pages as PDF: printed by a browser of this machine, without a window and without a network, where there is one."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from discreet.core.errors import InvalidInput

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge", "microsoft-edge")
_SECONDS = 600
"""After which a browser that hangs is ended."""


def browser() -> str | None:
    """The first that is found on the path."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


def is_pdf(path: str | Path) -> bool:
    """Whether a page under this name is printed: it ends in .pdf, and there is a browser."""
    return str(path).lower().endswith(".pdf") and browser() is not None


def printed(html: str) -> bytes:
    """The page as PDF. Raises InvalidInput where no browser is found, or it does not print."""
    program, made = browser(), b""
    failed = InvalidInput("no browser was found that could print the PDF. Write an .html page, open it in a browser and print it from there.")
    if program is None:
        raise failed
    # The superuser has no sandbox; the page holds neither scripts nor anything from elsewhere.
    rights = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with TemporaryDirectory(prefix="discreet-") as folder:
        page, out = Path(folder, "page.html"), Path(folder, "page.pdf")
        page.write_text(html, encoding="utf-8")
        options = ["--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}/profile", f"--print-to-pdf={out}"]
        try:
            subprocess.run([program, *rights, *options, page.as_uri()], capture_output=True, check=False, timeout=_SECONDS, stdin=subprocess.DEVNULL)  # noqa: S603 - a browser of this machine
            made = out.read_bytes()
        except (OSError, subprocess.TimeoutExpired):
            made = b""
    if not made.startswith(b"%PDF"):
        raise failed
    return made
