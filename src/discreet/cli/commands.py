"""All commands, in the order of the help. A new one is its module and a line here."""

import click

from discreet.cli.budget import budget
from discreet.cli.demo import demo
from discreet.cli.evaluate import evaluate
from discreet.cli.fit import fit
from discreet.cli.plan import plan
from discreet.cli.predict import predict
from discreet.cli.schema import schema
from discreet.cli.show import show
from discreet.cli.tune import tune
from discreet.cli.verify import verify

COMMANDS: tuple[click.Command, ...] = (demo, plan, schema, fit, tune, predict, evaluate, verify, show, budget)
