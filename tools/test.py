"""Sets up and runs the tests from a bare Python: `python3 tools/test.py`.

Makes a new virtual environment in a temporary folder (or the one given with --venv, which is then kept and reused), installs the package with its
development tools by uv (by pip where that fails), and runs ruff, the formatter's check and the import contracts, then pytest on every core, and
mypy beside them. Every step runs even if one before it failed; the exit code is 0 only if all passed. Arguments that are not listed below go to
pytest.

A test that fails runs once more, alone, and is named at the end either way. Noise fails a test less than once in ten million runs: one that passes
the second time is a fault that waits to be mended.

How much is tested is said in tests/conftest.py: without an option the quick tests, with `--all` every combination of parameters, with `--slow`
the slow ones too. These two also build the documentation site, and install everything that tests use where it is there: Dask, mbi, tabmat, and
torch's build for processors; what an index does not have is named at the end.

`--turn` runs slow tests of one more group after the others, the one that waited longest, for some minutes (tools/slow.py).

`--oldest` installs the package as a user does (built, not editable) with the oldest supported versions of tools/oldest.txt, and runs pytest only:
this also shows that the built package holds every file that it needs.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SITE = ["python", "tools/docs.py"]
CHECKS = [["mypy"], ["ruff", "check", "."], ["ruff", "format", "--check", "."], ["lint-imports"]]
OPTIONAL = [
    ["--editable", ".[gpu,synthetic,tabmat]"],
    # The build for processors, the only one there is for macOS: elsewhere the plain release is some gigabytes for GPUs.
    ["torch==2.13.0" + ("" if sys.platform == "darwin" else "+cpu")],
]
"""What `--all` tests besides, as arguments of pip."""
MANY = 30
"""Tests that failed, of which a second run keeps every core busy too."""


def main(arguments: list[str] | None = None) -> int:
    """Run the steps; the exit code."""
    parser = argparse.ArgumentParser(description="Set up and run all tests.", epilog="Further arguments go to pytest, for instance: -k noise -x")
    parser.add_argument("--venv", type=Path, metavar="DIR", help="virtual environment to make or reuse (default: a new one, removed afterwards)")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="interpreter of a new environment (default: this one)")
    parser.add_argument("--oldest", action="store_true", help="the oldest supported versions; pytest only")
    parser.add_argument("--all", action="store_true", help="every combination of parameters, and everything optional that can be installed")
    parser.add_argument("--slow", action="store_true", help="as --all, and the tests marked slow")
    parser.add_argument("--turn", action="store_true", help="afterwards the slow tests whose turn it is")
    options, for_pytest = parser.parse_known_args(arguments)
    sizes = [f"--{size}" for size in ("all", "slow") if vars(options)[size]]
    for_pytest = [*sizes, *for_pytest]
    if options.venv is not None:
        return run_all(options, for_pytest, options.venv.resolve())
    with tempfile.TemporaryDirectory(prefix="discreet-test-") as folder:
        return run_all(options, for_pytest, Path(folder) / "venv")


def run_all(options: argparse.Namespace, for_pytest: list[str], venv: Path) -> int:
    """Install into `venv`, then check and test."""
    new = not venv.exists()
    if new and step("environment", [options.python, "-m", "venv", str(venv)]):
        return 1
    scripts = venv / ("Scripts" if os.name == "nt" else "bin")
    python = str(scripts / "python")
    what = ["--constraint", "tools/oldest.txt", ".[dask,test]"] if options.oldest else ["--editable", ".[dev]"]
    # Of thousands of modules a run imports a fifth: they are compiled when they are.
    install = [python, "-m", "pip", "install", "--no-compile", "--quiet", "--disable-pip-version-check"]
    # uv installs in a third of pip's time. It knows nothing of pip's own settings, so where it cannot, pip does.
    quickly = [str(scripts / "uv"), "pip", "install", "--python", python, "--quiet"]
    if (step("uv", [*install, "uv"]) or step("install", [*quickly, *what])) and step("install by pip", [*install, *what]):
        return 1
    whole = options.all or options.slow
    optional = OPTIONAL if whole and not options.oldest else []
    absent = [wanted[-1] for wanted in optional if step(f"install {wanted[-1]}", [*install, *wanted])]
    checks = [] if options.oldest else [*([SITE] if whole else []), *(one for one in CHECKS if one != ["mypy"] or is_oldest_python(python))]
    if checks and ["mypy"] not in checks:
        print("--- mypy is left out: types are checked on Python 3.11, the oldest one; newer releases of NumPy describe theirs for newer ones only")
    with ThreadPoolExecutor(max_workers=2) as both:
        asked = [both.submit(step, " ".join(command), [str(scripts / command[0]), *command[1:]], aside=True) for command in checks]
        wait(asked[1:])  # the first takes longest, and is not waited for
        # In a new checkout each worker would compile every test, and every module that they import, for itself.
        collected = new and step("collection", [python, "-m", "pytest", "--collect-only", "-qq", *for_pytest], aside=True, quiet=True)
        tested = collected or twice([python, "-m", "pytest", *for_pytest], [f"--numprocesses={cores() + 1}", "--dist=worksteal"])
    failed = [command[0] for command, one in zip(checks, asked, strict=True) if one.result()]
    if failed:
        print(f"--- failed beside the tests: {', '.join(failed)}", flush=True)
    if tested:
        failed.append("pytest")
    if options.turn and step("slow tests whose turn it is", [python, "tools/slow.py", "next", "--minutes", "8"]):
        failed.append("slow tests")
    if absent:
        print(f"--- could not be installed, and is not tested: {', '.join(absent)}", flush=True)
    return 1 if failed else 0


def twice(command: list[str], spread: list[str]) -> int:
    """Run pytest on every core, then once more what failed; the exit code.

    A plugin that repeats a test at once keeps every worker waiting for an answer after every test, which took as long as the tests of some folders.
    """
    with tempfile.TemporaryDirectory(prefix="discreet-test-") as folder:
        command = [*command, "-o", f"cache_dir={folder}"]
        tested = step("pytest", [*command, *spread])
        kept = Path(folder) / "v" / "cache" / "lastfailed"
        failed = list(json.loads(kept.read_text(encoding="utf-8"))) if kept.exists() else []
        if tested != 1 or not failed:
            return tested
        again = step("pytest once more", [*command, "--last-failed", *(spread if len(failed) > MANY else [])])
        print("\n".join(["--- failed the first time:", *(f"    {name}" for name in failed)]), flush=True)
        return again


def cores() -> int:
    """How many this process may use. One worker more than that keeps them busy while tests wait for other processes, which many do."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def is_oldest_python(python: str) -> bool:
    """Whether the interpreter is the oldest supported one."""
    code = "import sys; sys.exit(sys.version_info[:2] != (3, 11))"
    return subprocess.run([python, "-c", code], stdin=subprocess.DEVNULL, check=False).returncode == 0


def step(name: str, command: list[str], *, aside: bool = False, quiet: bool = False) -> int:
    """Run one step in the repository root, with nothing of the caller's Python settings and no standard input; its exit code.

    What a step says that runs beside another is shown at its end; of a quiet one, only where it fails.
    """
    if not aside:
        print(f"--- {name}", flush=True)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON") and key != "VIRTUAL_ENV"}
    environment["PYTHONNOUSERSITE"] = "1"
    begin = time.monotonic()
    out, err = (subprocess.PIPE, subprocess.STDOUT) if aside else (None, None)
    ended = subprocess.run(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False)
    words = ended.stdout.decode(errors="replace") if aside and (ended.returncode or not quiet) else ""
    said = f"--- {name}\n{words}" if aside else ""
    verdict = "ok" if ended.returncode == 0 else f"FAILED (exit code {ended.returncode})"
    print(f"{said}    {verdict}, {time.monotonic() - begin:.0f} s", flush=True)
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
