"""The small benchmarks of this folder on two commits, in turns on this machine.

    python benchmarks/history/compare.py OLD NEW [--turns 3] [-k logistic]

OLD and NEW are commits; `.` is the working tree. Their sources are unpacked into a temporary folder, and the benchmarks of the working tree run on
them. Shown: for each benchmark the least processor time of all turns on both, and its ratio. A benchmark that fails on a commit is left out there.
About half a minute a turn and commit.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def source(commit: str, folder: Path) -> Path:
    """The folder `src` of a commit."""
    if commit == ".":
        return ROOT / "src"
    made = folder / commit.replace("/", "-")
    archive = subprocess.run(["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S603, S607
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(made, filter="data")
    return made / "src"


def turn(sources: Path, out: Path, chosen: str | None) -> dict[str, float]:
    """Least seconds of each benchmark in one run."""
    command = [sys.executable, "-m", "pytest", str(HERE), "-q", "-p", "no:cacheprovider", "--benchmark-timer=time.process_time"]
    command += [f"--benchmark-json={out}", "--benchmark-max-time=0.5", "--benchmark-disable-gc", *([] if chosen is None else ["-k", chosen])]
    one_thread = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    setting = {**os.environ, **one_thread, "PYTHONPATH": str(sources), "DISCREET_SOURCE": str(sources.parent)}
    shown = subprocess.run(command, cwd=ROOT, env=setting, capture_output=True, text=True, check=False)  # noqa: S603
    if not out.exists():
        sys.exit(shown.stdout + shown.stderr)
    return {one["name"].removeprefix("test_"): float(one["stats"]["min"]) for one in json.loads(out.read_text(encoding="utf-8"))["benchmarks"]}


def main() -> None:
    """Run both in turns and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("-k", dest="chosen", help="only benchmarks of such names, as in pytest")
    options = parser.parse_args()
    least: tuple[dict[str, float], dict[str, float]] = ({}, {})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = [source(options.old, folder / "old"), source(options.new, folder / "new")]
        for number in range(options.turns):
            for side, sources in enumerate(sides):
                found = turn(sources, folder / f"{number}-{side}.json", options.chosen)
                for benchmark, seconds in found.items():
                    least[side][benchmark] = min(seconds, least[side].get(benchmark, seconds))
    print(
        f"load average {os.getloadavg()[0]:.2f}; least processor time of {options.turns} turns\n{'':34s}{options.old:>14s}{options.new:>14s}   ratio"
    )
    for benchmark in sorted({*least[0], *least[1]}):
        cells = [f"{1e3 * side[benchmark]:11.3f} ms" if benchmark in side else f"{'fails':>14s}" for side in least]
        ratio = f"{least[1][benchmark] / least[0][benchmark]:8.2f}" if all(benchmark in side for side in least) else ""
        print(f"{benchmark:34s}{''.join(cells)}{ratio}")


if __name__ == "__main__":
    main()
