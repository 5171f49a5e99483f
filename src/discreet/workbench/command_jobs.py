"""The commands of the program as the workbench shows them: their options become fields, with the words, types and defaults of `--help`.

A job is a command with some words settled: where its files go, and what is asked at another place of the page (schema, table, ledger, budget). The
rest are its fields. A new option of a command is a field of the page by existing.
"""

from collections.abc import Iterable, Sequence
from functools import cache

import click

from discreet.cli import synthetic
from discreet.cli.options import options_of
from discreet.cli.program import program
from discreet.workbench.jobs import Choice, Job, Option, Sheet, Takes

_BUDGET = ("epsilon", "delta", "neighbours")
_ELSEWHERE = {"schema", "ledger", "data_set", "person", "rows_per_person", "data_is", "dry_run", "known_records", "overwrite", "as_json"}
"""Asked at another place of the page, or settled by it."""
_NOT_HERE = {"seed", "dask", "dask_insecure", "dask_deadline", "device", "jobs", "row_seed", "calibration"}
"""A seed voids the certificate; threads, clusters, devices and formulas of papers are for whoever uses the command line."""
_TICKED = {"--intervals": "intervals.json", "--plot": "pictures.svg", "--csv": "table.csv"}
"""Options that name one more file to write, where the job does not write it anyway."""
_REPORT = {"--report": "report.html"}
_TRAIN, _PUBLISH, _USE = "Train a model", "Publish data", "Use a model that you have"


class CommandJobs:
    """See `discreet.workbench.jobs.Jobs`."""

    def all(self) -> Sequence[Job]:
        """In the order of the page."""
        return _jobs()

    def sheet(self, job: Job, chosen: str) -> Sheet:
        """The fields of a command with this kind of model, or this method."""
        return _sheet(job, chosen)


@cache
def _jobs() -> tuple[Job, ...]:
    kinds, model = _kinds(), {"--out": "model.json"} | _REPORT
    folder = {"--out": "release"} | _REPORT
    return (
        _job("fit", "A model", _TRAIN, "fit", chosen_by="--model", choices=kinds, files=model),
        _job("tune", "The best of several settings", _TRAIN, "tune", chosen_by="--model", choices=kinds, files=model),
        _job(
            "describe",
            "A description of the table",
            _PUBLISH,
            "describe",
            files={"--out": "description.json", "--csv": "table.csv", "--plot": "pictures.svg"} | _REPORT,
        ),
        _job(
            "synthetic",
            "A synthetic table",
            _PUBLISH,
            "release",
            chosen_by="--method",
            fixed=synthetic.METHOD,
            says=f"{_sentence(synthetic.SAYS)}.",
            files=folder,
        ),
        _job("release", "Sums, noisy rows or sketches", _PUBLISH, "release", chosen_by="--method", choices=_methods(), files=folder),
        _job(
            "bounds",
            "Unknown bounds, chosen privately",
            _PUBLISH,
            "bounds",
            draft=True,
            files={"--out": "bounded.toml", "--certificate": "certificate.json"},
        ),
        _job(
            "evaluate", "How good it is", _USE, "evaluate", says="Measure a model on private records.", files={"--out": "evaluation.json"} | _REPORT
        ),
        _job("intervals", "Intervals of its coefficients", _USE, "intervals", files={"--out": "intervals.json"}),
        _job("predict", "Its predictions", _USE, "predict", files={"--out": "predictions.csv"}, private=True),
    )


def _job(name: str, title: str, group: str, command: str, *, says: str = "", **more: object) -> Job:
    found = _command(command)
    arguments = {one.name for one in found.params if isinstance(one, click.Argument)}
    needs = {"needs_schema": any(one.name == "schema" for one in found.params), "needs_model": "model" in arguments}
    return Job(name=name, title=title, group=group, command=command, says=says or found.get_short_help_str(200), **needs, **more)  # type: ignore[arg-type]


def _kinds() -> tuple[Choice, ...]:
    from discreet.estimators.door.private_estimator import PrivateModel
    from discreet.estimators.model_kinds import summary_of

    return tuple(
        Choice(kind, _title(kind), summary_of(made), tuple(made().learns), tuple(made.standard_for))
        for kind, made in sorted(PrivateModel.models.items())
    )


def _methods() -> tuple[Choice, ...]:
    """Those with a guarantee, of a table that somebody holds."""
    from discreet.releases.methods import ALL_METHODS

    private = [one for one in ALL_METHODS.values() if any(way.calibration == "tight" for way in one.ways)]
    return tuple(Choice(one.name, _title(one.name), _sentence(one.says)) for one in private)


def _sheet(job: Job, chosen: str) -> Sheet:
    names = {one.name for one in job.choices}
    if names and chosen not in names:
        chosen = ""
    found = _command(job.command)
    options = options_of(found, *([f"{job.chosen_by}={chosen}"] if chosen else []), "--help")
    general = {one.name for one in found.params}
    needed, taken = _numbers_of(chosen) if job.name == "release" else (set(), set())
    if job.command == "release":
        from discreet.releases.methods import SETTINGS

        strange = set(SETTINGS) - needed - taken - {"epsilon", "delta", *(["rows"] if job.name == "synthetic" else [])}
        ours = {one.opts[0] for one in options} - {SETTINGS[name].option for name in strange}
        rows_of_nobody = {"workload", "whole", "cuts", "tables"}
        options = [one for one in options if one.opts[0] in ours and (job.name == "synthetic" or one.name not in rows_of_nobody)]
        budget = tuple(name for name in _BUDGET if job.name == "synthetic" or name == "neighbours" or name in needed | taken)
        own = (needed | taken if job.name == "release" else rows_of_nobody | {"rows"}) - {"epsilon", "delta"}
    else:
        budget = tuple(name for name in _BUDGET if any(one.name == name for one in options))
        own = {str(one.name) for one in options} - {str(name) for name in general} - {"_click_default_help"}
    hidden = {*_BUDGET, *_ELSEWHERE, *_NOT_HERE, "_click_default_help", "help"}
    shown = [one for one in options if one.name not in hidden and one.opts[0] not in (job.chosen_by, *job.files)]
    fields = tuple(_option(one, own=one.name in own, needed=one.required or one.name in needed) for one in shown)
    return Sheet(budget, tuple(sorted(fields, key=lambda one: (not one.needed, not one.own))))


def _numbers_of(method: str) -> tuple[set[str], set[str]]:
    """The numbers that a method needs and takes when it is calibrated for an epsilon, or as it can be."""
    from discreet.releases.methods import ALL_METHODS

    if method not in ALL_METHODS:
        return set(), set()
    ways = [way for way in ALL_METHODS[method].ways if way.calibration == "tight"]
    best = max(ways, key=lambda way: [one.name in {each.name for each in way.needs} for one in way.needs if one.name in _BUDGET])
    return {one.name for one in best.needs}, {one.name for one in best.takes}


def _option(one: click.Option, *, own: bool, needed: bool) -> Option:
    flag = next(name for name in one.opts if name.startswith("--"))
    default = one.show_default if isinstance(one.show_default, str) else one.default if one.show_default else ""
    words, kind = _sentence(one.help or ""), one.type
    takes: Takes = "text"
    choices: Iterable[str] = ()
    if flag in _TICKED:
        return Option(flag, words, "result", "", own=own, file=_TICKED[flag])
    if one.is_flag:
        takes = "switch" if one.secondary_opts else "tick"
    elif one.multiple:
        takes = "many"
    elif isinstance(kind, click.Choice):
        takes, choices = "choice", tuple(map(str, kind.choices))
    elif isinstance(kind, click.Path):
        takes = "file"
    elif isinstance(kind, click.types.IntParamType | click.types.FloatParamType) or one.metavar in ("NUMBER", "WHOLE NUMBER"):
        takes = "number"
    off = one.secondary_opts[0] if one.secondary_opts else ""
    standard = "" if default is None or not isinstance(default, str | int | float) else f"{default}"
    return Option(flag, words, takes, standard, tuple(choices), needed, own, off)


def _command(name: str) -> click.Command:
    found = program.get_command(click.Context(program), name)
    assert found is not None, name  # noqa: S101 - the names above are commands
    return found


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize().replace("svc", "SVC")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
