"""The slow tests, one folder at a time: whose turn it is, and when each ran last (`docs/slow.md`).

    python tools/slow.py                 the turns, and when each ran last
    python tools/slow.py TURN ...        run the slow tests of these turns on every core, and write what came of them into the page
    python tools/slow.py next            the same for the turn that is due
    python tools/slow.py next --minutes 10      no test begins later than that, and the next commit begins with others

All slow tests take hours, so continuous integration takes one turn with each change that lands: the one that the page says ran longest ago, and where
changes land without a new row on the page, the next one after each commit. Running a turn here and committing the page therefore passes the turn on.
Seconds are those of the processor, of all processes that the tests started and waited for.
"""

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "slow.md"
TURNS = {
    "commands": ("cli", "ledger", "workbench"),
    "releases": ("releases", "consumers", "descriptions", "evaluation"),
    "studies": ("studies", "proofs"),
    "data": ("cluster", "data"),
    "fuzz": ("fuzz",),
    "mechanisms": ("mechanisms/regression", "mechanisms/release", "verification"),
    "learning": ("mechanisms/learning",),
    "audit": ("audit",),
    "properties": ("properties",),
    "estimators": ("estimators",),
}
"""Name -> folders of `tests`, in the order of the first round. A folder with a slow test belongs to exactly one (tests/test_slow.py)."""
NEXT = "next"
UNTIL, FIRST = "DISCREET_SLOW_UNTIL", "DISCREET_SLOW_FIRST"
"""In the environment of the tests (tests/conftest.py): when none begins any more, in seconds since 1970, and the number of the first."""
_ROW = re.compile(r"^\| (?P<turn>\w+) \| (?P<day>[\d-]+|never) \| (?P<commits>\d+) \|", re.MULTILINE)


class Outcome(NamedTuple):
    """What came of a turn."""

    tests: int
    failed: int
    skipped: int
    seconds: float


def next_turn(page: str, since: int) -> str:
    """The turn whose row of the page has the fewest commits, or the one `since` places behind it: so many commits came after the page was written."""
    commits = {row["turn"]: int(row["commits"]) for row in _ROW.finditer(page)}
    order = sorted(TURNS, key=lambda turn: commits.get(turn, 0))
    return order[since % len(order)]


def git(*arguments: str) -> str:
    """What git answers in this checkout; empty outside of one."""
    answer = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S607 - wherever it is
    return answer.stdout.strip() if answer.returncode == 0 else ""


def commits_since_page() -> int:
    """How many commits came after the last one that changed the page."""
    last = git("log", "-1", "--format=%H", "--", str(PAGE))
    return int(git("rev-list", "--count", f"{last}..HEAD") or 0) if last else 0


def run(turn: str, *, minutes: float = math.inf, first: int = 0) -> Outcome:
    """Run the slow tests of a turn, from the one of this number on; raises RuntimeError where pytest did not get to run them.

    Those that had not begun after so many `minutes` count as skipped.
    """
    with tempfile.TemporaryDirectory(prefix="discreet-slow-") as folder:
        report = Path(folder) / "report.xml"
        workers = str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
        before = sum(os.times()[:4])
        chosen = ["--slow", "-m", "slow", *(f"tests/{folder}" for folder in TURNS[turn])]
        command = [sys.executable, "-m", "pytest", "-q", "-n", workers, "--dist=worksteal", f"--junitxml={report}", *chosen]
        environment = os.environ | {UNTIL: str(time.time() + 60.0 * minutes), FIRST: str(first)}
        code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, env=environment, check=False).returncode
        if code not in (0, 1):
            raise RuntimeError(f"pytest ended with exit code {code} before the slow tests of {turn} had run")
        seconds = sum(os.times()[:4]) - before
        suite = next(ET.parse(report).getroot().iter("testsuite"))  # noqa: S314 - written by pytest a moment ago
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    return Outcome(int(suite.get("tests", 0)), failed, int(suite.get("skipped", 0)), seconds)


def with_row(page: str, turn: str, outcome: Outcome, *, day: str, commits: int) -> str:
    """The page with the row of a turn written anew."""
    passed = outcome.tests - outcome.failed - outcome.skipped
    folders = ", ".join(TURNS[turn])
    row = f"| {turn} | {day} | {commits} | {passed} | {outcome.failed} | {outcome.skipped} | {outcome.seconds:,.0f} | {folders} |"
    found, count = re.subn(rf"^\| {turn} \|.*$", row, page, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"{PAGE.name} needs exactly one row of {turn}, and has {count}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Show the turns, or run some; the exit code is 1 where a test failed."""
    parser = argparse.ArgumentParser(description="Run slow tests, one folder at a time.", epilog="Turns: " + ", ".join(TURNS))
    parser.add_argument("turns", nargs="*", metavar="TURN", help="run the slow tests of these, or of the next one")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no other test begins (default: all run)")
    asked = parser.parse_args(arguments)
    turns, commits = asked.turns, int(git("rev-list", "--count", "HEAD") or 0)
    if unknown := sorted(set(turns) - {*TURNS, NEXT}):
        parser.error(f"no turn is called {unknown[0]!r}; there are {', '.join([NEXT, *TURNS])}")
    page = PAGE.read_text(encoding="utf-8")
    upcoming = next_turn(page, commits_since_page())
    if not turns:
        print("\n".join(line for line in page.splitlines() if line.startswith("|")), f"\nnext: {upcoming}")
    failed = 0
    for turn in dict.fromkeys(upcoming if name == NEXT else name for name in turns):
        print(f"slow tests of {', '.join(TURNS[turn])}: the turn of {turn}, of {len(TURNS)}", flush=True)
        outcome = run(turn, minutes=asked.minutes, first=7 * commits)
        failed += outcome.failed
        when = {"day": f"{datetime.now(UTC):%Y-%m-%d}", "commits": commits}
        PAGE.write_text(with_row(PAGE.read_text(encoding="utf-8"), turn, outcome, **when), encoding="utf-8")
        print(f"{turn}: {outcome.tests} tests, {outcome.failed} failed, {outcome.skipped} skipped, {outcome.seconds:.0f} s", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
