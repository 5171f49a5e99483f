"""A run in words that can be typed again: the command line, which is what the workbench starts, and a Python script that does the same.

discreet fit TABLE --schema=... --epsilon=...        one process, in which nothing differs from a terminal
"""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from discreet.display.workbench.tradeoff import METHODS, Budget

MODEL, RELEASE, SCHEMA, REPORT, CERTIFICATE = "model.json", "release", "schema.toml", "report.html", "certificate.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What is run, in public words."""

    what: str
    """A kind of model, or a method of release."""
    table: str
    """Absolute path."""
    folder: Path
    """Where schema and outputs are."""
    budget: Budget
    ledger: str | None = None
    """Absolute path."""
    data_set: str | None = None
    rows: int | None = None
    """Of a sketch."""
    slots: int | None = None
    """Of noisy rows under add-remove."""
    again: bool = False
    """Written beside the first result, which has its place already."""

    @property
    def releases_rows(self) -> bool:
        """Whether data leave, rather than a model."""
        return self.what in METHODS

    @property
    def output(self) -> Path:
        """The model file or the folder of the release."""
        if self.again:
            return self.folder / ("release-again" if self.releases_rows else "model-again.json")
        return self.folder / (RELEASE if self.releases_rows else MODEL)

    def arguments(self) -> list[str]:
        """Of the program `discreet`. Values stand behind = so that none of them can be read as an option."""
        budget = self.budget
        words = ["release" if self.releases_rows else "fit", self.table, f"--schema={self.folder / SCHEMA}"]
        words += [f"--{'method' if self.releases_rows else 'model'}={self.what}", f"--epsilon={budget.epsilon!r}", f"--delta={budget.delta!r}"]
        words += [f"--neighbours={budget.neighbours}"]
        words += [f"--{name}={value}" for name, value in (("rows", self.rows), ("slots", self.slots)) if value is not None]
        if self.ledger is not None and self.data_set is not None:
            words += [f"--ledger={self.ledger}", f"--data-set={self.data_set}"]
        return [*words, f"--out={self.output}"]

    def command(self) -> str:
        """For a shell, written to another place, since the first one is taken."""
        return shlex.join(["discreet", *replace(self, again=True).arguments()])

    def script(self) -> str:
        """Python that does the same, written to another place."""
        return (_RELEASE if self.releases_rows else _FIT).format(
            what=self.what,
            estimator="LinearSVC" if self.what == "linear-svc" else "LogisticRegression",
            schema=str(self.folder / SCHEMA),
            table=self.table,
            out=str(replace(self, again=True).output),
            epsilon=self.budget.epsilon,
            delta=self.budget.delta,
            neighbours=self.budget.neighbours,
            account="None" if self.ledger is None else f"Account({self.ledger!r}, {self.data_set!r})",
            rows=self.rows,
            slots=self.slots,
        )


_HEAD = """\
# The run of the workbench, in Python. Running it again is another release about the same people: it spends the budget once more.
"""

_FIT = (
    _HEAD
    + """\
from discreet import {estimator}, Model
from discreet.data import Schema, read_table
from discreet.ledger import Account

schema = Schema.load({schema!r})
table = schema.encode(read_table({table!r}, schema.columns(target=True)), target=True)
account = {account}
estimator = {estimator}(
    epsilon={epsilon!r},
    delta={delta!r},
    neighbours={neighbours!r},
    data_norm=schema.norm_bound,
    ledger=account,
)
model = Model.from_estimator(estimator.fit(table), schema)
model.save({out!r})
model.verify().require()
"""
)

_RELEASE = (
    _HEAD
    + """\
from discreet.data import Schema, read_table
from discreet.ledger import Account
from discreet.core.neighbours import Neighbours
from discreet.noise import SystemNoise
from discreet.releases import About, Publication, Request
from discreet.releases.columns import encoded_records, released_schema, schema_domain

schema = released_schema(Schema.load({schema!r}))
account = {account}
request = Request(
    domain=schema_domain(schema),
    neighbours=Neighbours({neighbours!r}),
    epsilon={epsilon!r},
    delta={delta!r},
    rows={rows!r},
    slots={slots!r},
)
publication = Publication.planned({what!r}, request, calibration="tight", schema=schema, about=About())
records = encoded_records(schema, read_table({table!r}, schema.columns(target=True)), request.target)
release = publication.write(records, {out!r}, SystemNoise(), account=account)
release.verify().require()
"""
)
