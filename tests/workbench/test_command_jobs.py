"""What the workbench can have done is what the commands can, word for word."""

import click
import pytest
from click.core import ParameterSource

from discreet.cli.options import options_of
from discreet.cli.program import program
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.model_kinds import settings_of
from discreet.workbench.command_jobs import CommandJobs
from discreet.workbench.jobs import results_of, words_of
from discreet.workbench.runs import Recipe
from discreet.workbench.wire import Fields, Refused

JOBS = CommandJobs()
QUICK = {"linear-svc", "lasso"}
"""Kinds of models with many settings, and with those of a set; each method of release has its own."""
CASES = [
    pytest.param(job, choice, id=f"{job.name}-{choice}", marks=[pytest.mark.more] if job.chosen_by == "--model" and choice not in QUICK else [])
    for job in JOBS.all()
    for choice in ([one.name for one in job.choices] or [job.fixed])
]
VALUES = {"tick": True, "switch": "off", "result": True, "many": ["a=1", "b=2"], "number": "0.5", "text": "x", "file": "/x.json"}
_WHOLE = {
    "--public-records",
    "--group-rows",
    "--slots",
    "--rows",
    "--columns",
    "--tables",
    "--bins",
    "--most-records",
    "--projection-seed",
    "--shuffle",
}


def command_of(job):
    return program.get_command(click.Context(program), job.command)


def filled(sheet):
    """Something in every field."""
    return {one.flag: one.choices[-1] if one.takes == "choice" else "3" if one.flag in _WHOLE else VALUES[one.takes] for one in sheet.options}


@pytest.mark.parametrize(("job", "choice"), CASES)
def test_every_field_is_an_option_that_the_command_understands(job, choice, tmp_path):
    sheet = JOBS.sheet(job, choice)
    given = Fields(filled(sheet))
    budget = {"epsilon": 1.0, "delta": 1e-6, "neighbours": "add-remove"}
    recipe = Recipe(
        job=job,
        chosen=choice,
        table="/people.csv",
        folder=tmp_path,
        model="/model.json" if job.needs_model else None,
        words=(*(f"--{name}={budget[name]}" for name in sheet.budget), *words_of(sheet, given)),
        more=results_of(sheet, given),
        ledger="/a.ledger" if job.spends else None,
        data_set="people" if job.spends else None,
    )
    context = command_of(job).make_context(job.command, recipe.arguments()[1:])
    typed = {name for name in context.params if context.get_parameter_source(name) is ParameterSource.COMMANDLINE}
    named = {flag: one.name for one in options_of(command_of(job), f"{job.chosen_by}={choice}", "--help") for flag in one.opts}
    assert {named[flag] for flag in given.values} <= typed
    assert {named[f"--{name}"] for name in sheet.budget} <= typed


def test_no_option_is_left_out_but_those_that_are_named():
    from discreet.workbench.command_jobs import _BUDGET, _ELSEWHERE, _NOT_HERE

    for job in JOBS.all():
        shown = {flag for choice in ([one.name for one in job.choices] or [""]) for flag in (one.flag for one in JOBS.sheet(job, choice).options)}
        for one in command_of(job).params:
            if isinstance(one, click.Option) and one.name not in {*_BUDGET, *_ELSEWHERE, *_NOT_HERE} and job.command != "release":
                assert one.opts[0] in shown | set(job.files) | {job.chosen_by}, (job.name, one.opts)


def test_a_model_has_all_of_its_settings():
    (fit,) = [job for job in JOBS.all() if job.name == "fit"]
    for kind, made in PrivateModel.models.items():
        own = [one for one in JOBS.sheet(fit, kind).options if one.own]
        assert len(own) == len(set(settings_of(made)) - {"calibration"}), kind  # as printed in the papers: no guarantee
        assert all(one.words for one in own)


def test_an_option_that_nobody_offered_is_refused():
    (fit,) = [job for job in JOBS.all() if job.name == "fit"]
    sheet = JOBS.sheet(fit, "linear-svc")
    for flag in ("--seed", "--out", "--schema", "--json", "--radius", "--ledger"):
        with pytest.raises(Refused, match="unknown field"):
            words_of(sheet, Fields({flag: "1"}))


def test_what_a_command_needs_is_asked_for_by_its_field():
    (tune,) = [job for job in JOBS.all() if job.name == "tune"]
    with pytest.raises(Refused, match="Grid is needed") as refusal:
        words_of(JOBS.sheet(tune, "linear-svc"), Fields({}))
    assert refusal.value.field == "--grid"


def test_methods_ask_for_the_numbers_of_their_epsilon():
    (release,) = [job for job in JOBS.all() if job.name == "release"]
    sheets = {one.name: JOBS.sheet(release, one.name) for one in release.choices}
    assert "null-space" not in sheets  # it is not private
    assert "local" not in sheets  # its records are randomised by their owners
    assert [one.flag for one in sheets["sketch"].options if one.needed] == ["--rows"]
    assert sheets["information-sketch"].budget == ("neighbours",)
    assert [one.flag for one in sheets["information-sketch"].options if one.needed] == ["--bits", "--rows"]
