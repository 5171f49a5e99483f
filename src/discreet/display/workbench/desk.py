"""What the page may ask for, one method a question; all answers are public by construction.

table, upload            the header of a table                     no record is interpreted
check, load, save        the schema that was typed in              no table is opened
point, plan              trade-offs on invented or public rows     the chosen table is refused as a sample
run, status, stop        the command that spends                   a process of its own
ledger, declare          what was spent                            no table is opened
"""

import filecmp
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from io import BufferedIOBase
from pathlib import Path

from discreet.core.errors import InvalidInput
from discreet.core.files.lookup import exists, is_file
from discreet.core.files.whole_file import write_whole
from discreet.core.version import VERSION
from discreet.data import Schema, dialect_of, read_header
from discreet.data.toml_text import write_toml
from discreet.display.workbench.form import form_of, lost_by_the_form, read_form, required_schema
from discreet.display.workbench.runs import SCHEMA, Recipe, Run
from discreet.display.workbench.tradeoff import (
    METHODS,
    PLANNED,
    Budget,
    Trial,
    invented_trial,
    measured,
    noise_of_release,
    planned,
    planned_release,
    sample_trial,
)
from discreet.display.workbench.wire import Fields, Refused
from discreet.estimators.base import PrivateModel
from discreet.estimators.kinds import summary_of
from discreet.ledger import Ledger, declaration
from discreet.ledger.entries import priced

LARGEST_UPLOAD = 2 << 30
_ENDINGS = (".csv", ".csv.gz", ".tsv", ".parquet")
_BEST = {"easy": 0.05, "middling": 0.15, "hard": 0.3}
"""Share of errors of the best predictor there is, on invented rows."""
_BLOCK = 1 << 20
_MOST_ENTRIES = 500
"""Of a data set that the page shows."""


class Desk:
    """The state of one workbench: its folders, its trials, its runs."""

    def __init__(self, *, folder: Path, uploads: Path, ledger: str | None, data_set: str | None) -> None:
        """`folder` gets one folder a run; `uploads` is private to this user and gone with the workbench."""
        self.folder = folder
        self._uploads = uploads
        self._ledger = ledger
        self._data_set = data_set
        self._trial = lru_cache(maxsize=2)(_trial)  # since all points of a curve share one
        self._computations = threading.Lock()
        self._runs: list[Run] = []
        self._lock = threading.Lock()
        self._uploaded = 0

    def state(self, asked: Fields) -> dict[str, object]:
        """What the page begins with."""
        asked.only()
        run = self._runs[-1].record() if self._runs else None
        return {
            "version": VERSION,
            "folder": str(self.folder),
            "here": str(Path.cwd()),
            "ledger": self._ledger,
            "data_set": self._data_set,
            "endings": list(_ENDINGS),
            "largest": LARGEST_UPLOAD,
            "models": [
                {"kind": kind, "name": kind.replace("-", " ").capitalize(), "says": summary_of(made)}
                | {"learns": list(made().learns), "standard_for": list(made.standard_for)}
                for kind, made in sorted(PrivateModel.models.items())
            ],
            "run": run,
        }

    def table(self, asked: Fields) -> dict[str, object]:
        """The columns of the table at a path."""
        return _header(_place(asked.only("path").needed("path", "The path of a table")))

    def upload(self, name: str, size: int, stream: BufferedIOBase) -> dict[str, object]:
        """Keep the bytes of a table in a private folder, whole or not at all; its columns."""
        plain = name.replace("\\", "/").rpartition("/")[2]
        if not plain.isprintable() or len(plain) > 200 or not plain.lower().endswith(_ENDINGS) or plain.startswith("."):
            raise Refused(422, "The name of a table must end in .csv, .csv.gz, .tsv or .parquet.")
        if size > LARGEST_UPLOAD:
            raise Refused(413, "A table of more than 2 GiB is not uploaded. Give its path instead: it stays where it is.")
        with self._lock:
            self._uploaded += 1
            folder = self._uploads / str(self._uploaded)
            folder.mkdir(mode=0o700)
        target = folder / plain
        try:
            _copied(stream, target, size)
            return _header(str(target))
        except BaseException:
            target.unlink(missing_ok=True)
            folder.rmdir()
            raise

    def check(self, asked: Fields) -> dict[str, object]:
        """Everything that is wrong with the schema in the form, or what it amounts to."""
        formed = read_form(asked.only("schema").inner("schema"))
        found = formed.schema
        return {
            "problems": [{"where": problem.where, "message": problem.message} for problem in formed.problems],
            "toml": None if found is None else write_toml(found.to_dict()),
            "features": None if found is None else found.features,
            "norm_bound": None if found is None else found.norm_bound,
        }

    def load(self, asked: Fields) -> dict[str, object]:
        """The form for a schema file."""
        path = _place(asked.only("path").needed("path", "The path of a schema"))
        if not is_file(path):
            raise InvalidInput(f"there is no schema file {path!r}. Check the path.")
        found = Schema.load(path)
        if lost_by_the_form(found):
            more = "a scale, released bounds, times, classes in order"
            raise InvalidInput(f"{path!r} says more than this page can show ({more}). Use it with `discreet fit --schema`.")
        form = form_of(found)
        return {"schema": form if found.persons is not None else form | {"persons": {"kind": ""}}}  # who has not been asked is asked

    def save(self, asked: Fields) -> dict[str, object]:
        """Write the schema of the form to a file."""
        asked.only("schema", "path", "overwrite")
        found = required_schema(asked.inner("schema"))
        path = _place(asked.needed("path", "A path for the schema"))
        if not path.lower().endswith(".toml"):
            raise Refused(422, "The name of a schema ends in .toml.")
        write_whole(path, found.to_toml(), overwrite=asked.flag("overwrite"))
        return {"path": path}

    def point(self, asked: Fields) -> dict[str, object]:
        """One point of a curve: a fit measured on public rows, or the noise of a release."""
        asked.only("schema", "what", "budget", "records", "best", "sample", "table", "rows", "slots")
        schema, budget, what = required_schema(asked.inner("schema")), _budget(asked.inner("budget")), _what(asked)
        records = asked.whole("records", "The number of records", least=10, most=10**9)
        if what in METHODS:
            rows, slots = _release_sizes(asked, what, budget, schema)
            return noise_of_release(planned_release(schema, what, budget, rows=rows, slots=slots), records)
        sample = asked.text("sample")
        with self._computing():
            if sample:
                path = _place(sample)
                _refuse_same(path, asked.text("table"))
                trial = self._trial(_as_written(schema, path).to_toml(), records, sample=path)
            else:
                best = _BEST[asked.choice("best", "How well the target can be predicted", tuple(_BEST))]
                trial = self._trial(schema.to_toml(), records, best=best)
            found = measured(what, schema, trial, budget)
        return found._asdict() | {"best": trial.best, "norm": trial.norm}

    def plan(self, asked: Fields) -> dict[str, object]:
        """What the planner proves."""
        asked.only("schema", "what", "budget", "records", "norm", "excess")
        schema, budget = required_schema(asked.inner("schema")), _budget(asked.inner("budget"))
        what = asked.choice("what", "The kind of model", PLANNED)
        if len(schema.target.classes) != 2:
            raise InvalidInput("the planner's bounds are for two classes.")
        records = asked.whole("records", "The number of records", least=1, most=10**12)
        norm = asked.number("norm", "The norm of the predictors", least=0.0, most=1e9, inclusive=False)
        excess = asked.number("excess", "The excess loss", least=1e-6, most=10.0)
        with self._computing():
            return planned(what, schema, budget, records=records, norm=norm, excess=excess)

    def run(self, asked: Fields) -> dict[str, object]:
        """Start the command that spends."""
        asked.only("schema", "what", "budget", "table", "ledger", "data_set", "rows", "slots")
        schema, budget, what = required_schema(asked.inner("schema")), _budget(asked.inner("budget")), _what(asked)
        rows, slots = _release_sizes(asked, what, budget, schema) if what in METHODS else (None, None)
        table = _place(asked.needed("table", "A table"))
        if not is_file(table):
            raise InvalidInput(f"there is no file {table!r}. Check the path.")
        schema = _as_written(schema, table)
        ledger, data_set = asked.text("ledger"), asked.text("data_set")
        if data_set and not ledger:
            raise Refused(422, "The name of a data set needs a ledger beside it.")
        if ledger:
            ledger = str(_opened(_place(ledger)).path)
            if not data_set:
                raise Refused(422, "Choose which data set of the ledger the table is.")
        with self._lock:
            if self._runs and not self._runs[-1].over:
                raise Refused(409, "Another run is under way. Wait for its end, or stop it.")
            folder = self._new_folder()
            recipe = Recipe(
                what=what, table=table, folder=folder, budget=budget, ledger=ledger or None, data_set=data_set or None, rows=rows, slots=slots
            )
            write_whole(folder / SCHEMA, schema.to_toml(), overwrite=False)
            made = Run(len(self._runs) + 1, recipe)
            made.start()
            self._runs.append(made)
        return made.record()

    def status(self, asked: Fields) -> dict[str, object]:
        """How far a run is."""
        return self._run(asked).record()

    def stop(self, asked: Fields) -> dict[str, object]:
        """Interrupt a run."""
        found = self._run(asked)
        found.stop()
        return found.record()

    def ledger(self, asked: Fields) -> dict[str, object]:
        """What a ledger holds."""
        return _ledger_record(_opened(_place(asked.only("path").needed("path", "The path of a ledger"))))

    def declare(self, asked: Fields) -> dict[str, object]:
        """A data set with its total, in a ledger that is made where there is none."""
        asked.only("path", "data_set", "epsilon", "delta", "neighbours", "unit")
        path = _place(asked.needed("path", "The path of a ledger"))
        wanted = declaration(  # before a file is made, so that a refusal leaves no empty ledger behind
            asked.needed("data_set", "The name of a data set"),
            epsilon=asked.number("epsilon", "The total epsilon", least=0.0, most=1e6, inclusive=False),
            delta=asked.number("delta", "The total delta", least=0.0, most=1.0),
            neighbours=_neighbours(asked),
            unit=asked.choice("unit", "Whose total it is", ("record", "person")),
        )
        ledger = Ledger(path) if exists(path) else Ledger.create(path)
        ledger.add(wanted)
        return _ledger_record(ledger)

    def file(self, number: int, name: str) -> Path | None:
        """A file of a run that may be downloaded."""
        return self._runs[number - 1].file(name) if 1 <= number <= len(self._runs) else None

    def close(self) -> None:
        """Stop what is under way, and wait for it."""
        for run in self._runs:
            run.stop()
        for run in self._runs:
            run.wait(60.0)

    def _run(self, asked: Fields) -> Run:
        number = asked.only("number").whole("number", "The number of the run", least=1, most=10**9)
        if number > len(self._runs):
            raise Refused(404, "There is no such run.")
        return self._runs[number - 1]

    def _new_folder(self) -> Path:
        for number in range(1, 100_000):
            folder = self.folder / f"run-{number}"
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                continue
            except OSError as error:
                reason = f"cannot be written to ({type(error).__name__})"
                break
            return folder
        else:
            reason = "is full of runs"
        raise InvalidInput(f"the folder {str(self.folder)!r} {reason}. Start with another --folder.")

    @contextmanager
    def _computing(self) -> Iterator[None]:
        """One computation at a time; who waits longer than a minute is sent away."""
        if not self._computations.acquire(timeout=60.0):
            raise Refused(503, "Another computation is under way. Try again in a moment.")
        try:
            yield
        finally:
            self._computations.release()


def _trial(schema: str, records: int, *, best: float = 0.0, sample: str | None = None) -> Trial:
    """On a public sample, or on invented rows whose best predictor errs in the share `best`; of a schema as text, in which true is not 1."""
    found = Schema.from_toml(schema)
    return invented_trial(found, records=records, best=best) if sample is None else sample_trial(found, sample, records=records)


def _copied(stream: BufferedIOBase, target: Path, size: int) -> None:
    with target.open("xb") as file:
        left = size
        while left > 0:
            block = stream.read(min(_BLOCK, left))
            if not block:
                raise Refused(400, "The upload was cut off. Nothing was kept.")
            file.write(block)
            left -= len(block)


def _header(path: str) -> dict[str, object]:
    if not is_file(path):
        raise InvalidInput(f"there is no file {path!r}. Check the path.")
    return {"path": path, "name": Path(path).name.partition(".")[0].strip() or "table", "columns": read_header(path, dialect_of(path))}


def _as_written(schema: Schema, path: str) -> Schema:
    """For this table: how it is written is shown by its first line, and not asked in the form."""
    return replace(schema, file=dialect_of(path))


def _place(path: str) -> str:
    """Absolute; ~ is the home folder."""
    return os.path.abspath(os.path.expanduser(path))  # noqa: PTH100, PTH111 - Path.absolute keeps "..", and Path.expanduser raises for unknown users


def _what(asked: Fields) -> str:
    return asked.choice("what", "What is made", (*PrivateModel.models, *METHODS))


def _neighbours(asked: Fields) -> str:
    return asked.choice("neighbours", "What is hidden", ("replace-one", "add-remove"))


def _budget(asked: Fields) -> Budget:
    asked.only("epsilon", "delta", "neighbours")
    return Budget(
        asked.number("epsilon", "epsilon", least=0.0, most=1e4, inclusive=False),
        asked.number("delta", "delta", least=0.0, most=0.5),
        _neighbours(asked),
    )


def _release_sizes(asked: Fields, what: str, budget: Budget, schema: Schema) -> tuple[int | None, int | None]:
    if what == "sketch":
        return asked.whole("rows", "The number of rows of the sketch", least=1, most=10**7), None
    if what != "moments" and (budget.neighbours == "add-remove" or schema.person is not None):
        return None, asked.whole("slots", "The public number of rows", least=1, most=10**9)
    return None, None


def _refuse_same(sample: str, table: str) -> None:
    """The private table is never its own public sample, be it under another name or as a copy: bytes are compared, and not interpreted."""
    try:
        same = bool(table) and filecmp.cmp(sample, _place(table), shallow=False)
    except (OSError, ValueError):
        same = False
    if same:
        raise Refused(422, "This is the private table itself. Trade-offs are tried out on invented rows, or on another file that is public.")


def _opened(path: str) -> Ledger:
    """The ledger in this file. Raises InvalidInput where there is none: a mistyped path never becomes a new one."""
    if not is_file(path):
        raise InvalidInput(f"there is no ledger {path!r}. Check the path, or make one below.")
    return Ledger(path)


def _ledger_record(ledger: Ledger) -> dict[str, object]:
    """Everything that the page shows of it."""
    return {"path": str(ledger.path), "data_sets": [_data_set(ledger, one.name) for one in ledger.data_sets()]}


def _data_set(ledger: Ledger, name: str) -> dict[str, object]:
    data_set, spent, left, count = ledger.standing(name)
    entries = [
        {"when": one.reserved_at, "purpose": one.purpose, "state": str(one.state), "cost": priced(one.guarantee), "part": one.part}
        for one in reversed(ledger.history(name)[-_MOST_ENTRIES:])
    ]
    return {
        "name": data_set.name,
        "neighbours": str(data_set.neighbours),
        "unit": str(data_set.unit),
        "accountant": data_set.accountant,
        "total": data_set.total.to_dict(),
        "spent": spent.to_dict(),
        "left": left.to_dict(),
        "parts": list(data_set.parts),
        "entries": entries,
        "more": max(0, count - _MOST_ENTRIES),
    }
