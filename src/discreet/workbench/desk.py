"""What the page may ask for, one method a question; all answers are public by construction.

table, upload, browse    the header of a table, names of files     no record is interpreted
check, load, save        the schema that was typed in              no table is opened
sheet                    the fields of a command                   no table is opened
point, plan              trade-offs on invented or public rows     the chosen table is refused as a sample
foresee                  what is to be weighed before a run        the header of the table
run, status, stop        the command that spends                   a process of its own
ledger, declare, amend   what was spent                            no table is opened
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from io import BufferedIOBase
from pathlib import Path
from typing import NamedTuple

from discreet.core.errors import InvalidInput
from discreet.core.files.whole_file import write_whole
from discreet.core.version import VERSION
from discreet.data import Schema, dialect_of
from discreet.data.toml_text import write_toml
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.model_kinds import learnt_from
from discreet.releases.methods import ALL_METHODS
from discreet.workbench import accounts, places
from discreet.workbench.cautions import foreseen
from discreet.workbench.form import form_of, read_form, required_schema
from discreet.workbench.invented import Trial, invented_trial, sample_trial
from discreet.workbench.jobs import Job, Jobs, job_named, results_of, words_of
from discreet.workbench.runs import SCHEMA, Recipe, Run
from discreet.workbench.searches import measured_search
from discreet.workbench.tradeoff import (
    PLANNED,
    Budget,
    measured,
    noise_of_release,
    planned,
    planned_release,
    read_settings,
)
from discreet.workbench.wire import Fields, Refused

_BEST = {"easy": 0.05, "middling": 0.15, "hard": 0.3}
"""Share of errors of the best predictor there is, on invented rows."""


class _Asked(NamedTuple):
    """What is to be run, as it was typed."""

    recipe: Recipe
    schema: Schema | None
    draft: str
    budget: Budget


class Desk:
    """The state of one workbench: its folders, its trials, its runs."""

    def __init__(self, *, jobs: Jobs, folder: Path, uploads: Path, ledger: str | None, data_set: str | None) -> None:
        """`jobs` are the commands that can be run; `folder` gets one folder a run; `uploads` is private to this user and gone with the workbench."""
        self.folder = folder
        self._jobs = jobs
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
        return {
            "version": VERSION,
            "folder": str(self.folder),
            "here": str(Path.cwd()),
            "ledger": self._ledger,
            "data_set": self._data_set,
            "endings": list(places.TABLES),
            "largest": places.LARGEST_UPLOAD,
            "jobs": [job.record() for job in self._jobs.all()],
            "planned": list(PLANNED),
            "runs": [run.record() for run in self._runs],
        }

    def sheet(self, asked: Fields) -> dict[str, object]:
        """The fields of a job."""
        job = job_named(self._jobs, asked.only("job", "chosen").text("job"))
        found = self._jobs.sheet(job, asked.text("chosen"))
        return {"budget": list(found.budget), "options": [one._asdict() for one in found.options]}

    def browse(self, asked: Fields) -> dict[str, object]:
        """Names of folders and files, to choose one."""
        kind = asked.only("path", "kind").choice("kind", "What is looked for", tuple(places.ENDINGS))
        return places.browsed(asked.text("path") or str(Path.cwd()), kind)

    def table(self, asked: Fields) -> dict[str, object]:
        """The columns of the table at a path, which is written as its first line shows, or as is said."""
        path = places.place(asked.only("path", "file").needed("path", "The path of a table"))
        return places.header(path, asked.inner("file") if "file" in asked.values else None)

    def upload(self, name: str, size: int, stream: BufferedIOBase) -> dict[str, object]:
        """Keep the bytes of a table in a private folder, whole or not at all; its columns."""
        places.upload_name(name, size)
        with self._lock:
            self._uploaded += 1
            folder = self._uploads / str(self._uploaded)
        return places.uploaded(name, size, stream, folder)

    def check(self, asked: Fields) -> dict[str, object]:
        """Everything that is wrong with the schema in the form, or what it amounts to."""
        formed = read_form(asked.only("schema").inner("schema"))
        found = formed.schema
        return {
            "problems": [{"where": problem.where, "message": problem.message} for problem in formed.problems],
            "toml": formed.draft or (None if found is None else write_toml(found.to_dict())),
            "complete": found is not None,
            "open": list(formed.open),
            "features": None if found is None else found.features,
            "norm_bound": None if found is None else found.norm_bound,
            "learnt": None if found is None else learnt_from(found),
        }

    def load(self, asked: Fields) -> dict[str, object]:
        """The form for a schema file."""
        path = places.required_file(asked.only("path").needed("path", "The path of a schema"), "schema file", "path")
        found = Schema.load(path)
        form = form_of(found)
        return {"schema": form if found.persons is not None else form | {"persons": {"kind": ""}}}  # who has not been asked is asked

    def save(self, asked: Fields) -> dict[str, object]:
        """Write the schema of the form to a file."""
        asked.only("schema", "path", "overwrite")
        formed = read_form(asked.inner("schema"))
        text = formed.draft or required_schema(asked.inner("schema")).to_toml()
        path = places.place(asked.needed("path", "A path for the schema"))
        if not path.lower().endswith(".toml"):
            raise Refused(422, "The name of a schema must end in .toml.", "path")
        write_whole(path, text, overwrite=asked.flag("overwrite"))
        return {"path": path}

    def point(self, asked: Fields) -> dict[str, object]:
        """One point of a curve: a fit measured on public rows, or the noise of a release."""
        asked.only("schema", "job", "chosen", "options", "budget", "records", "best", "sample", "table")
        schema, budget = required_schema(asked.inner("schema")), _budget(asked.inner("budget"))
        job, what, given = job_named(self._jobs, asked.text("job")), asked.text("chosen"), asked.inner("options")
        records = asked.whole("records", "The number of records", least=10, most=10**9)
        if job.command == "release":
            if what not in ALL_METHODS:
                raise Refused(422, "Curves are drawn for models, and for releases of sums, rows and sketches.", "job")
            return noise_of_release(planned_release(schema, what, budget, given), records)
        if what not in PrivateModel.models:
            raise Refused(422, "Curves are drawn for models, and for releases of sums, rows and sketches.", "job")
        settings = read_settings(what, schema, given) if job.name == "fit" else {}
        sample = asked.text("sample")
        with self._computing():
            if sample:
                path = places.required_file(sample, "file", "sample")
                places.refuse_same(path, asked.text("table"))
                trial = self._trial(_as_written(schema, path).to_toml(), records, sample=path)
            else:
                best = _BEST[asked.choice("best", "How well the target can be predicted", tuple(_BEST))]
                trial = self._trial(schema.to_toml(), records, best=best)
            if job.name == "tune":
                found = measured_search(what, schema, trial, budget, given)
            else:
                found = measured(what, schema, trial, budget, settings)
        return found._asdict() | {"best": trial.best, "norm": None if job.name == "tune" else trial.norm}

    def plan(self, asked: Fields) -> dict[str, object]:
        """What the planner proves."""
        asked.only("schema", "what", "budget", "records", "norm", "excess")
        schema, budget = required_schema(asked.inner("schema")), _budget(asked.inner("budget"))
        what = asked.choice("what", "The kind of model", PLANNED)
        if len(schema.one_target.classes) != 2:
            raise InvalidInput("the planner's bounds are for two classes.")
        records = asked.whole("records", "The number of records", least=1, most=10**12)
        norm = asked.number("norm", "The norm of the predictors", least=0.0, most=1e9, inclusive=False)
        excess = asked.number("excess", "The excess loss", least=1e-6, most=10.0)
        with self._computing():
            return planned(what, schema, budget, records=records, norm=norm, excess=excess)

    def foresee(self, asked: Fields) -> dict[str, object]:
        """What is to be weighed before a run, and whether it would be refused; nothing is spent, and of the table the header alone is read."""
        made = self._asked(asked, self.folder)
        return foreseen(made.recipe, made.schema, made.budget, asked.inner("options"), records=_records(asked))

    def run(self, asked: Fields) -> dict[str, object]:
        """Start the command that spends."""
        made = self._asked(asked, self.folder)
        with self._lock:
            if self._runs and not self._runs[-1].over:
                raise Refused(409, "Another run is in progress. Wait for it to end, or stop it.")
            folder = self._new_folder()
            if made.recipe.job.needs_schema:
                text = made.draft if made.schema is None else made.schema.to_toml()
                write_whole(folder / SCHEMA, text, overwrite=False)
            started = Run(len(self._runs) + 1, replace(made.recipe, folder=folder))
            started.start()
            self._runs.append(started)
        return started.record()

    def _asked(self, asked: Fields, folder: Path) -> _Asked:
        """What is to be run. Raises Refused, with its field, for what is missing."""
        asked.only("job", "chosen", "schema", "budget", "options", "table", "model", "ledger", "data_set", "records")
        job = job_named(self._jobs, asked.text("job"))
        chosen = self._chosen(job, asked.text("chosen"))
        table = places.required_file(asked.needed("table", "A table"), "file", "table")
        schema, draft = self._described(job, asked, table)
        sheet, given = self._jobs.sheet(job, chosen), asked.inner("options")
        budget = _budget(asked.inner("budget"))
        words = [f"--{name}={getattr(budget, name)}" for name in sheet.budget]
        model = places.required_file(asked.needed("model", "The file of a model"), "model file", "model") if job.needs_model else None
        ledger, data_set = asked.text("ledger"), asked.text("data_set")
        if data_set and not ledger:
            raise Refused(422, "The name of a data set needs a ledger beside it.", "ledger")
        if ledger and job.spends:
            ledger = str(accounts.open_ledger(places.place(ledger)).path)
            if not data_set:
                raise Refused(422, "Choose the data set of the ledger that this table belongs to.", "data_set")
        recipe = Recipe(
            job=job,
            chosen=chosen,
            table=table,
            folder=folder,
            model=model,
            words=(*words, *words_of(sheet, given)),
            more=results_of(sheet, given),
            ledger=(ledger or None) if job.spends else None,
            data_set=(data_set or None) if job.spends else None,
        )
        return _Asked(recipe, schema, draft, budget)

    def _chosen(self, job: Job, chosen: str) -> str:
        if not job.choices:
            return job.fixed
        if chosen not in {one.name for one in job.choices}:
            raise Refused(422, "Choose a kind of model, or a method of release.", "chosen")
        return chosen

    def _described(self, job: Job, asked: Fields, table: str) -> tuple[Schema | None, str]:
        """The schema, or the draft of one; neither where a model brings its own."""
        if not job.needs_schema:
            return None, ""
        given = asked.inner("schema")
        if not job.draft:
            schema = required_schema(given)
            return (schema if "file" in given.values else _as_written(schema, table)), ""
        formed = read_form(given)
        if not formed.draft:
            said = formed.problems[0].message if formed.problems else "no bounds are left open: tick the columns whose bounds are not known."
            raise Refused(422, said, "describe")
        return None, formed.draft

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
        return accounts.shown(asked)

    def declare(self, asked: Fields) -> dict[str, object]:
        """A data set with its total."""
        return accounts.declared(asked)

    def amend(self, asked: Fields) -> dict[str, object]:
        """Another total of a data set."""
        return accounts.amended(asked)

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
            raise Refused(503, "Another computation is in progress. Try again in a moment.")
        try:
            yield
        finally:
            self._computations.release()


def _trial(schema: str, records: int, *, best: float = 0.0, sample: str | None = None) -> Trial:
    """On a public sample, or on invented rows whose best predictor errs in the share `best`; of a schema as text, in which true is not 1."""
    found = Schema.from_toml(schema)
    return invented_trial(found, records=records, best=best) if sample is None else sample_trial(found, sample, records=records)


def _as_written(schema: Schema, path: str) -> Schema:
    """For this table, which is written as its first line shows."""
    seen = dialect_of(path)
    return replace(schema, file=replace(schema.file, separator=seen.separator, encoding=seen.encoding, decimal=seen.decimal))


def _records(asked: Fields) -> int | None:
    """Their number, where somebody said it."""
    if asked.values.get("records") is None:
        return None
    return asked.whole("records", "The number of records", least=1, most=10**12)


def _budget(asked: Fields) -> Budget:
    asked.only("epsilon", "delta", "neighbours")
    return Budget(
        asked.number("epsilon", "epsilon", least=0.0, most=1e4, inclusive=False),
        asked.number("delta", "delta", least=0.0, most=0.5),
        asked.choice("neighbours", "What is hidden", ("replace-one", "add-remove")),
    )
