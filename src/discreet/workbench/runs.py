"""Runs: the command that reads the records and spends, as a process of its own, with its steps, its end, and a way to stop it.

    discreet fit TABLE --schema=... --epsilon=...        what is started, in words that can be typed again; a script and a notebook do the same

    running -> done | failed        running -> stopping -> cancelled | done

Stopping sends the process the interrupt of a terminal (SIGINT). What the ledger then holds is right by the order inside the command: a reservation is
on the disk before noise is drawn, and stays counted unless the release was made. A process that was stopped before it reserved has spent nothing.

The process says its steps on standard error and its result, or its refusal, as one JSON document on standard output. Nothing else that it may write
is kept or shown. It gets none of the variables that would change the command or make it talkative.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from discreet.core.errors import DiscreetError, FileFormatError
from discreet.core.files.reading import whole_text
from discreet.core.files.strict_json import read_object
from discreet.core.files.whole_file import write_whole
from discreet.ledger import Ledger
from discreet.workbench.jobs import Job
from discreet.workbench.scripts import notebook, script

SCHEMA, CERTIFICATE, PACKED = "schema.toml", "certificate.json", "release.zip"
_STEP, _PAGE = "step: ", "--report"
_NOT_RECORDED = "Nothing was recorded"
_FREE = ("Checking what", "Checking the method", "Reading", "Encoding", "Connecting", "Loading", "Predicting")
"""The steps in which no budget is reserved and no noise is drawn; any other may."""
_PATIENCE = 30.0
"""Seconds between the interrupt and the end of a process that does not listen."""
_AGAIN = 0.5
"""Seconds between interrupts of a process that has said nothing yet."""
_PROGRAM = (
    sys.executable,
    "-P",
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from discreet.cli import main; main()",
)
"""As `python -m discreet`, and to be interrupted even where the workbench runs in the background, whose processes ignore SIGINT by inheritance."""
_SHOWN = frozenset(
    [
        "guarantee",
        "spent",
        "ledger",
        "noise",
        "verification",
        "kind",
        "features",
        "protects",
        "does_not_protect",
        "shape",
        "noise_variance",
        "settings",
        "kept",
        "mostly_noise",
        "score",
        "bounds",
        "schema",
        "parts",
        "level",
        "records",
        "coefficients",
        "covers",
        "guarantee_with_the_model",
        "classes",
        "accuracy",
        "balanced_accuracy",
        "confusion",
        "baseline",
        "mse",
        "rmse",
        "mae",
        "r2",
        "log_loss",
        "method",
        "columns",
    ]
)
"""What the page shows of a released document."""
_BESIDE = (PACKED, CERTIFICATE, SCHEMA, "run.sh", "run.py", "run.ipynb")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is run, in public words."""

    job: Job
    chosen: str = ""
    """A kind of model, or a method of release."""
    table: str
    """Absolute path."""
    folder: Path
    """Where schema and outputs are."""
    model: str | None = None
    """Absolute path of the model that is used."""
    words: tuple[str, ...] = ()
    """Budget and options, as on the command line."""
    more: Mapping[str, str] = field(default_factory=dict)
    """Further files, by their options."""
    ledger: str | None = None
    """Absolute path."""
    data_set: str | None = None
    again: bool = False
    """Written beside the first result, which has its place already."""

    @property
    def output(self) -> Path:
        """The file or the folder that is made."""
        return self._place(self.job.result)

    @property
    def schema(self) -> Path | None:
        """What the table is described by, where the command wants to know."""
        return self.folder / SCHEMA if self.job.needs_schema else None

    def arguments(self) -> list[str]:
        """Of the program `discreet`, but for the report. Values stand behind = so that none of them can be read as an option."""
        words = [self.job.command, *([] if self.model is None else [self.model]), self.table]
        words += [f"--schema={self.schema}"] if self.schema is not None else []
        words += [f"{self.job.chosen_by}={self.chosen}"] if self.chosen else []
        words += self.words
        if self.ledger is not None and self.data_set is not None:
            words += [f"--ledger={self.ledger}", f"--data-set={self.data_set}"]
        files = {flag: name for flag, name in (*self.job.files.items(), *self.more.items()) if flag != _PAGE}
        return [*words, *(f"{flag}={self._place(name)}" for flag, name in files.items())]

    def command(self) -> str:
        """For a shell, written to another place, since the first one is taken."""
        return shlex.join(["discreet", *replace(self, again=True).arguments()])

    def script(self) -> str:
        """Python that does the same, written to another place."""
        again = replace(self, again=True)
        return script(self.job, again.arguments(), again.output)

    def notebook(self) -> str:
        """The same in cells."""
        again = replace(self, again=True)
        return notebook(self.job, again.arguments(), again.output)

    def _place(self, name: str) -> Path:
        stem, dot, suffix = name.partition(".")
        return self.folder / (f"{stem}-again{dot}{suffix}" if self.again else name)


class Run:
    """One run. `start` it once; `record` may be asked for at any time, from any thread."""

    def __init__(self, number: int, recipe: Recipe) -> None:
        """Nothing happens yet."""
        self.number = number
        self.recipe = recipe
        self.state = "running"
        self._steps: list[str] = []
        self._message = ""
        self._document: dict[str, Any] = {}
        self._files: tuple[str, ...] = ()
        self._began = time.monotonic()
        self._seconds: float | None = None
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._thread = threading.Thread(target=self._follow, name=f"discreet-run-{number}", daemon=True)

    def start(self) -> None:
        """Start the process, and a thread that follows it."""
        self._before = self._entries()
        self._process = subprocess.Popen(  # noqa: S603 - this very program
            [*_PROGRAM, *self.recipe.arguments(), *self._page(), "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env=environment(),
            start_new_session=True,
        )
        self._thread.start()

    def _page(self) -> list[str]:
        name = self.recipe.job.files.get(_PAGE)
        return [] if name is None else [f"{_PAGE}={self.recipe.folder / name}"]

    def stop(self) -> None:
        """Interrupt it, as Ctrl-C does. Nothing happens where it is over."""
        with self._lock:
            if self.state != "running" or self._process is None:
                return
            self.state = "stopping"
        self._interrupt()
        threading.Thread(target=self._insist, name=f"discreet-stop-{self.number}", daemon=True).start()

    def wait(self, seconds: float | None = None) -> None:
        """Until it is over."""
        self._thread.join(seconds)

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state not in ("running", "stopping")

    def file(self, name: str) -> Path | None:
        """One of its files, where it is there."""
        return self.recipe.folder / name if self.over and name in self._files else None

    def record(self) -> dict[str, object]:
        """For the page."""
        with self._lock:
            return {
                "number": self.number,
                "state": self.state,
                "job": self.recipe.job.name,
                "title": self.recipe.job.title,
                "chosen": self.recipe.chosen,
                "table": self.recipe.table,
                "output": str(self.recipe.output),
                "spends": self.recipe.job.spends,
                "steps": list(self._steps),
                "seconds": round(self._seconds if self._seconds is not None else time.monotonic() - self._began, 1),
                "message": self._message,
                "files": list(self._files),
                "folder": str(self.recipe.folder),
                "command": self.recipe.command(),
                "script": self.recipe.script(),
                "result": {} if self.recipe.job.private else _public(self._document),
            }

    def _interrupt(self) -> None:
        if self._process is not None:
            with suppress(OSError, ValueError):
                self._process.send_signal(signal.SIGINT if os.name == "posix" else signal.SIGTERM)

    def _insist(self) -> None:
        """Again while it has not begun to speak: where SIGINT is ignored by inheritance, an interrupt of its first moments is lost. Then kill it."""
        until = time.monotonic() + _PATIENCE
        while self._thread.is_alive() and time.monotonic() < until:
            self._thread.join(_AGAIN)
            if self._thread.is_alive() and not self._steps:
                self._interrupt()
        if self._thread.is_alive() and self._process is not None:
            self._process.kill()

    def _follow(self) -> None:
        """Read what it says until it ends, then settle what became of it."""
        process = self._process
        if process is None or process.stdout is None or process.stderr is None:
            return
        listening = threading.Thread(target=self._listen, args=(process.stderr,), daemon=True)
        listening.start()
        text = process.stdout.read()
        code = process.wait()
        listening.join()
        process.stdout.close()
        process.stderr.close()
        try:
            self._settle(code, _document(text))
        except Exception as error:  # noqa: BLE001 - a run must end, and the text of an unexpected error may hold what nobody may see
            self._end("failed", f"The run ended, but its result could not be read ({type(error).__name__}). Count its budget as spent.")

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            if line.startswith(_STEP):
                with self._lock:
                    self._steps.append(line.removeprefix(_STEP).strip())

    def _settle(self, code: int, document: dict[str, Any]) -> None:
        output = self.recipe.output
        held = next((value for name, value in document.items() if name != "error" and isinstance(value, dict)), None)
        if "error" in document and held is not None and not output.exists():  # paid for, and then not saved: it must not be lost
            write_whole(output, json.dumps(held, indent=2, ensure_ascii=False) + "\n", overwrite=False)
        made = output.exists()
        if made:
            self._keep()
        error = document.get("error")
        said = error["message"] if isinstance(error, dict) and isinstance(error.get("message"), str) else ""
        self._document = document if "error" not in document else {}
        if code == 0 and made:
            self._end("done", "")
            return
        cancelled = self.state == "stopping"
        if not cancelled and not said:
            said = "the run ended without an answer."
        if not made:
            self._sweep()
        lead = "The run was stopped." if cancelled else said[:1].upper() + said[1:]
        spent = self._spent(made=made)
        if spent.startswith(_NOT_RECORDED) and _NOT_RECORDED in lead:  # the ledger's own words
            spent = "Nothing is spent."
        self._end("cancelled" if cancelled else "failed", f"{lead} {spent}".strip())

    def _spent(self, *, made: bool) -> str:
        """What became of the budget, in one sentence."""
        if not self.recipe.job.spends:
            return "Nothing was spent."
        if made:
            return "The result had already been written, and the budget is spent."
        began = any(not step.startswith(_FREE) for step in self._steps)
        if self.recipe.ledger is None:
            return "Noise may have been drawn: count its budget as spent." if began else "No noise was drawn: nothing is spent."
        after = self._entries()
        if self._before is None or after is None:
            return "The ledger cannot be read now: check it before you run again."
        if after - self._before:
            return "The ledger had already reserved the budget, so it counts as spent."
        return f"{_NOT_RECORDED} in the ledger: nothing is spent."

    def _entries(self) -> set[str] | None:
        """The entries of the ledger that count; None where it cannot be read."""
        if self.recipe.ledger is None or self.recipe.data_set is None:
            return set()
        try:
            return {entry.id for entry in Ledger(self.recipe.ledger).history(self.recipe.data_set) if entry.state.counts}
        except DiscreetError:
            return None

    def _keep(self) -> None:
        """Write what belongs to the result: the certificate by itself, the recipe, a release as one file."""
        folder, job = self.recipe.folder, self.recipe.job
        again = "Running it again spends the budget again." if job.spends else "It spends nothing."
        write_whole(folder / "run.sh", f"#!/bin/sh\n# {again}\n{self.recipe.command()}\n", overwrite=True)
        write_whole(folder / "run.py", self.recipe.script(), overwrite=True)
        write_whole(folder / "run.ipynb", self.recipe.notebook(), overwrite=True)
        output = self.recipe.output
        if output.is_dir():
            pack(output, folder / PACKED)
            with suppress(OSError, ValueError):
                self._certificate(read_object(whole_text(output / "manifest.json"), what="a manifest"))
        elif output.suffix == ".json":
            self._certificate(read_object(whole_text(output), what="a result"))
        made = [] if job.private else [*job.files.values(), *self.recipe.more.values()]
        self._files = tuple(dict.fromkeys(name for name in (*made, *_BESIDE) if (folder / name).is_file()))

    def _certificate(self, record: dict[str, Any]) -> None:
        found = record.get("certificate", record.get("discreet:certificate"))
        if isinstance(found, dict):
            text = json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
            write_whole(self.recipe.folder / CERTIFICATE, text, overwrite=True)

    def _sweep(self) -> None:
        """Leave nothing of a run without a result, nor the halves of files of a process that had to be killed. The folder was made for this run."""
        shutil.rmtree(self.recipe.folder, ignore_errors=True)

    def _end(self, state: str, message: str) -> None:
        with self._lock:
            self.state, self._message = state, message
            self._seconds = time.monotonic() - self._began


def environment() -> dict[str, str]:
    """Of the process: what this one has, but for variables that would add to the command or show tracebacks."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DISCREET_")}
    return kept | {"DISCREET_STEPS": "1", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"}


def pack(folder: Path, archive: Path) -> None:
    """The folder of a release as one file. Parquet is compressed already."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                packed.write(path, f"{folder.name}/{path.relative_to(folder)}")


def _document(text: str) -> dict[str, Any]:
    """The JSON document on standard output; empty where there is none."""
    try:
        return read_object(text, what="the answer of a command")
    except FileFormatError:
        return {}


def _public(document: dict[str, Any]) -> dict[str, object]:
    """What the page shows of the result; all of it is in the files as well."""
    return {name: value for name, value in document.items() if name in _SHOWN}
