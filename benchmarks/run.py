"""This library beside scikit-learn, diffprivlib, OpenDP and dp-accounting, in one run: times, ratios, memory; and the page of results.

    python benchmarks/run.py [--quick] [--peers FOLDER] [--only fits ...] [--rounds 5] [--json FILE] [--page FILE]
    python benchmarks/run.py --from FILE --page FILE          write the page again, from an earlier run

FOLDER is the environment of diffprivlib, OpenDP and dp-accounting, and is made if it is not there; without it they are left out. Parts: fits (one
private fit from end to end), small (200 rows), shapes (wide tables, classes, threads), floors (fits beside the sweeps they make, checks, lengths
where layouts change), digits (ten classes, 60,000 x 784), seeds (500 at once), noise, calibration, large (1,000,000 rows), answers (predictions and
private evaluations of as many), released (as many rows, with noise, in a folder), commands (each a process), memory. Contestants take turns, on one
thread each, and on as many as users have in answers, commands and a row of shapes; medians of processor time are shown, with the load of the machine.
About ten minutes on a quiet machine; a minute with --quick. What is found is written after each part, and a part that fails is named, and left out.
"""

import argparse
import json
import os
import platform
import subprocess
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")  # before NumPy is imported

from compared.answers import answers  # noqa: E402
from compared.calibration import calibration  # noqa: E402
from compared.commands import commands  # noqa: E402
from compared.digits import digits  # noqa: E402
from compared.fits import fits  # noqa: E402
from compared.floors import floors  # noqa: E402
from compared.large import large  # noqa: E402
from compared.link import Link, environment  # noqa: E402
from compared.measured import Table, as_json, printed  # noqa: E402
from compared.memory import memory  # noqa: E402
from compared.noise import noise  # noqa: E402
from compared.page import page  # noqa: E402
from compared.released import released  # noqa: E402
from compared.seeds import seeds  # noqa: E402
from compared.shapes import shapes  # noqa: E402
from compared.small import small  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402 - as above

from discreet.core.errors import PrivacyAdvice  # noqa: E402

COUNT, LONG, COLUMNS, MODELS, PICTURES = 45_222, 1_000_000, 50, 500, 60_000
PARTS = (
    "fits",
    "small",
    "shapes",
    "floors",
    "digits",
    "seeds",
    "noise",
    "calibration",
    "large",
    "answers",
    "released",
    "commands",
    "memory",
)


def parts(link: Link | None, peers: Path | None, *, quick: bool, rounds: int) -> dict[str, Callable[[], Table]]:
    """What each part does."""
    less = 10 if quick else 1
    return {
        "fits": lambda: fits(link, count=COUNT // less, rounds=rounds),
        "small": lambda: small(rounds=rounds),
        "shapes": lambda: shapes(less=less, rounds=min(rounds, 3)),
        "floors": lambda: floors(count=COUNT // less, less=less, rounds=rounds),
        "digits": lambda: digits(count=PICTURES // less),
        "seeds": lambda: seeds(link, count=COUNT // less, models=MODELS // less, few=10, rounds=min(rounds, 3)),
        "noise": lambda: noise(link, count=1_000_000 // less, rounds=rounds),
        "calibration": lambda: calibration(link, rounds=rounds),
        "large": lambda: large(link, count=LONG // less, columns=COLUMNS, rounds=min(rounds, 3)),
        "answers": lambda: answers(count=LONG // less, columns=COLUMNS, rounds=min(rounds, 3)),
        "released": lambda: released(count=LONG // less, columns=2 * COLUMNS, rounds=min(rounds, 3)),
        "commands": lambda: commands(rounds=min(rounds, 3)),
        "memory": lambda: memory(peers, count=LONG // less, columns=COLUMNS),
    }


def machine() -> str:
    """The processor, and how many cores."""
    names = Path("/proc/cpuinfo")
    lines = names.read_text(encoding="utf-8").splitlines() if names.exists() else []
    model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def commit() -> str:
    """The working tree's, and whether it differs from it."""
    where = Path(__file__).parent

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=where, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603, S607

    changed = " with changes" if git("status", "--porcelain", "--untracked-files=no", "--", "../src") else ""
    return f"{git('rev-parse', '--short', 'HEAD') or 'unknown'}{changed}"


def run(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """All parts, printed as they come; after each, everything that was found so far."""
    start = time.monotonic()
    versions = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    with ExitStack() as stack:
        peers = None if options.peers is None else environment(options.peers)
        link = None if peers is None else stack.enter_context(Link(peers))
        beside = {} if link is None else link.versions
        print(f"{machine()}\n{versions}\nothers: {beside or 'left out, since no --peers was given'}")
        found: dict[str, Any] = {
            "format": "discreet-benchmarks/1",
            "date": datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
            "commit": commit(),
            "machine": machine(),
            "versions": versions,
            "peers": beside,
            "rounds": options.rounds,
            "quick": options.quick,
            "tables": [],
            "failed": [],
        }
        for name, part in parts(link, peers, quick=options.quick, rounds=options.rounds).items():
            if name in (options.only or PARTS):
                try:
                    table = part()
                except Exception:  # noqa: BLE001 - whatever it is, the other parts are worth having
                    print(f"\n{name} FAILED\n{traceback.format_exc()}", flush=True)
                    found["failed"].append(name)
                else:
                    table = replace(table, claims=[]) if options.quick else table  # aims are for the full size
                    print(printed(table), flush=True)
                    found["tables"].append(as_json(table))
                yield {**found, "seconds": time.monotonic() - start}


def write(found: dict[str, Any], options: argparse.Namespace) -> None:
    """The files that were asked for."""
    if options.json is not None:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if options.page is not None:
        options.page.write_text(page(found), encoding="utf-8")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the size")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="environment of the others; made if it is not there")
    parser.add_argument("--only", action="append", choices=PARTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page of results")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="earlier", help="take the figures of an earlier run")
    options = parser.parse_args()
    if options.earlier is not None:
        write(json.loads(options.earlier.read_text(encoding="utf-8")), options)
        return
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyAdvice)  # tables are made, and fitted many times
        for found in run(options):
            write(found, options)  # after each part, so that a run that is cut short leaves what it found


if __name__ == "__main__":
    main()
