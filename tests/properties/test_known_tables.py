"""A ledger knows a table again, and tells nothing of one that differs somewhere, however little of it is asked."""

import polars as pl
import pytest

from discreet import LinearRegression, LogisticRegression, Schema, choose_bounds, choose_norm
from discreet.core.errors import InvalidInput
from discreet.data import SchemaDraft
from discreet.descriptions import describe
from discreet.estimators import fit_with_calibration, fit_with_cuts, fit_with_intervals
from discreet.ledger import Account, Ledger
from discreet.mechanisms.cuts import choose_cuts

SCHEMA = Schema.from_dict(
    {
        "format": "discreet-schema/1",
        "name": "few",
        "target": {"column": "ill", "classes": ["no", "yes"]},
        "numeric": [{"name": "age", "lower": 0, "upper": 99}],
    }
)
DRAFT = 'format = "discreet-schema/1"\nname = "few"\n[target]\ncolumn = "ill"\nclasses = ["no", "yes"]\n[numeric.age]\n'
AGES = [30.0 + number % 40 for number in range(60)]
TABLE = pl.DataFrame({"age": AGES, "ill": ["no", "yes"] * 30})
BESIDE = TABLE.with_columns(ill=pl.Series(["yes", *TABLE["ill"][1:]]))
"""Of one record another target."""


def rows_of(frame):
    return frame["age"].to_numpy().reshape(-1, 1) / 99.0, (frame["ill"] == "yes").to_numpy()


def classifier(account, **settings):
    return LogisticRegression(epsilon=4.0, delta=1e-6, classes=[False, True], ledger=account, **settings)


SPENT = {"epsilon": 1.0, "delta": 1e-6}
WHOLE = {
    "fit": lambda frame, account: classifier(account).fit(*rows_of(frame)),
    "fit of numbers": lambda frame, account: LinearRegression(**SPENT, ledger=account).fit(rows_of(frame)[0], rows_of(frame)[1] * 1.0),
    "norm and fit": lambda frame, account: classifier(account, data_norm="private").fit(*rows_of(frame)),
    "fit with calibration": lambda frame, account: fit_with_calibration(classifier(account), *rows_of(frame)),
    "fit with intervals": lambda frame, account: fit_with_intervals(classifier(account), *rows_of(frame)),
    "fit with intervals of numbers": lambda frame, account: fit_with_intervals(
        LinearRegression(**SPENT, ledger=account), rows_of(frame)[0], rows_of(frame)[1] * 1.0
    ),
    "cuts": lambda frame, account: choose_cuts(frame, SCHEMA, **SPENT, ledger=account),
    "cuts and fit": lambda frame, account: fit_with_cuts(LogisticRegression(epsilon=4.0, delta=1e-6, ledger=account), frame, SCHEMA),
    "description": lambda frame, account: describe(frame, SCHEMA, **SPENT, account=account),
}
SOME = {
    "bounds": lambda frame, account: choose_bounds(frame, SchemaDraft.from_toml(DRAFT), **SPENT, ledger=account),
    "norm": lambda frame, account: choose_norm(rows_of(frame)[0], **SPENT, ledger=account),
}
"""What sees less than a table: it is never refused for what other columns may hold."""


@pytest.mark.parametrize("what", [*WHOLE, *SOME])
def test_tables_that_differ_in_a_column_are_two_tables_whatever_is_asked(tmp_path, what):
    ledger = Ledger.create(tmp_path / "a.ledger")
    for name in ("first", "second"):
        ledger.declare(name, epsilon=90.0, delta=1e-2)
    ask = {**WHOLE, **SOME}[what]
    first, second = (Account(str(ledger.path), name) for name in ("first", "second"))
    ask(TABLE, first)
    ask(BESIDE, second)
    assert len(ledger.history("second")) == 1
    if what in WHOLE:
        with pytest.raises(InvalidInput, match="under the name 'first'"):
            ask(TABLE, second)
    else:
        ask(TABLE, second)
