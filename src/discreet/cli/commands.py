"""All commands, in the order of the help. A new one is its module and a line here."""

import click

from discreet.cli.audit import audit
from discreet.cli.bounds import bounds
from discreet.cli.budget import budget
from discreet.cli.demo import demo
from discreet.cli.evaluate import evaluate
from discreet.cli.fit import fit
from discreet.cli.inspect_release import inspect_release
from discreet.cli.intervals import intervals
from discreet.cli.keygen import keygen
from discreet.cli.plan import plan
from discreet.cli.predict import predict
from discreet.cli.randomise import randomise
from discreet.cli.release import release
from discreet.cli.report import report
from discreet.cli.schema import schema
from discreet.cli.show import show
from discreet.cli.sign import sign
from discreet.cli.tune import tune
from discreet.cli.verify import verify
from discreet.cli.workbench import workbench

COMMANDS: tuple[click.Command, ...] = (
    demo,
    plan,
    schema,
    bounds,
    fit,
    tune,
    predict,
    intervals,
    evaluate,
    release,
    inspect_release,
    randomise,
    verify,
    audit,
    show,
    report,
    keygen,
    sign,
    budget,
    workbench,
)
