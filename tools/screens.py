"""Takes the pictures of docs/workbench.md in a headless Chromium: `python tools/screens.py`, into docs/pictures.

The table is invented and messy, and the page is used as a test uses it (tests/workbench/messy.py): what the pictures show is what runs. Noise
is not seeded, so numbers differ from run to run.
"""

import argparse
import base64
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # run as a script too

from discreet.workbench import Workbench
from discreet.workbench.command_jobs import CommandJobs
from tests.chromium import Browser, installed
from tests.workbench.messy import Journey, messy_visits

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SHOWN = {"describe": ("#step-describe", 1100), "explore": ("#step-explore", 1200), "result": ("#step-run", 860)}
"""Picture -> what of the page it shows, and at most how many points of it from the top."""


def screen(browser: Browser, selector: str, most: int) -> bytes:
    """A part of the page as a PNG."""
    code = f"(() => {{ const b = document.querySelector('{selector}').getBoundingClientRect(); return [b.x, b.y + scrollY, b.width, b.height]; }})()"
    x, y, width, height = browser.run(code)
    clip = {"x": x - 16, "y": max(y - 16, 0), "width": width + 32, "height": min(height + 32, most), "scale": 1}
    return base64.b64decode(browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"])


def main(arguments: list[str] | None = None) -> int:
    """Take them; the exit code."""
    parser = argparse.ArgumentParser(description="Take the pictures of docs/workbench.md again.")
    parser.add_argument("--out", type=Path, default=FOLDER, metavar="DIR", help="where to (default: docs/pictures)")
    options = parser.parse_args(arguments)
    if installed() is None:
        print("no Chromium is installed: these pictures need one")
        return 1

    def look(name: str) -> None:
        if name in SHOWN:
            (options.out / f"workbench-{name}.png").write_bytes(screen(browser, *SHOWN[name]))

    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "visits.csv"
        messy_visits(table)
        with Workbench(CommandJobs(), folder=Path(place) / "results") as page, Browser(Path(place)) as browser:
            browser.look(width=1200, dark=False)
            journey = Journey(browser, look=look)
            journey.enter(page.link)
            journey.table(table)
            journey.describe()
            journey.choose()
            journey.explore()
            journey.run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
