"""A ledger knows a table again, and tells nothing of one that differs somewhere, however little of it is asked."""

from functools import partial

import numpy as np
import polars as pl
import pytest

from discreet import (
    ConstrainedERM,
    LinearRegression,
    LogisticRegression,
    OrdinalRegression,
    PoissonRegression,
    PrivateSearchCV,
    Schema,
    SurvivalModel,
    choose_bounds,
    choose_norm,
)
from discreet.core.errors import InvalidInput
from discreet.data import Block, FunctionTable, SchemaDraft
from discreet.descriptions import describe
from discreet.estimators import fit_with_calibration, fit_with_cuts, fit_with_intervals, release_uncertainty
from discreet.estimators.model_kinds import encoded_estimator
from discreet.evaluation import evaluate_privately
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.cuts import choose_cuts
from discreet.releases.synthetic.cells import counting_schema
from tests.schemas import schema_text

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
    "fit of numbers": lambda frame, account: LinearRegression(**SPENT, ledger=account, target_bound=1.0).fit(
        rows_of(frame)[0], rows_of(frame)[1] * 1.0
    ),
    "norm and fit": lambda frame, account: classifier(account, data_norm="private").fit(*rows_of(frame)),
    "fit with calibration": lambda frame, account: fit_with_calibration(classifier(account), *rows_of(frame)),
    "fit with intervals": lambda frame, account: fit_with_intervals(classifier(account), *rows_of(frame)),
    "fit with intervals of numbers": lambda frame, account: fit_with_intervals(
        LinearRegression(**SPENT, ledger=account, target_bound=1.0), rows_of(frame)[0], rows_of(frame)[1] * 1.0
    ),
    "cuts": lambda frame, account: choose_cuts(frame, SCHEMA, **SPENT, ledger=account),
    "cuts and fit": lambda frame, account: fit_with_cuts(LogisticRegression(epsilon=4.0, delta=1e-6, ledger=account), frame, SCHEMA),
    "description": lambda frame, account: describe(frame, SCHEMA, **SPENT, account=account),
}
SOME = {
    "bounds": lambda frame, account: choose_bounds(frame, SchemaDraft.from_toml(DRAFT), epsilon=4.0, ledger=account),
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


def in_blocks(X, y):
    def make(number):
        part = slice(30 * number, 30 * number + 30)
        return Block(as_matrix(X[part]), y[part])

    return FunctionTable(make, blocks=2, features=1, targets=2 if of_several(y) else 1)


def of_several(y):
    return y.ndim == 2 and not set(y[:, 1]) <= {0, 1}


CODES = np.array([0, 1, 2, 1] * 15)
MADE = {
    "times": (partial(SurvivalModel, ends=[1.0, 2.0, 4.0]), np.array([[0.5, 1], [1.5, 0], [3.0, 1], [9.0, 0]] * 15)),
    "three ordered classes": (partial(OrdinalRegression, classes=[0, 1, 2]), CODES),
    "two ordered classes": (partial(OrdinalRegression, classes=[0, 1]), np.minimum(CODES, 1)),
    "three classes": (partial(LogisticRegression, classes=[0, 1, 2]), CODES),
    "three classes over a set": (partial(ConstrainedERM, loss="logistic", classes=[0, 1, 2]), CODES),
    "counts": (partial(PoissonRegression, target_bound=4.0), CODES * 2.0),
    "several numbers": (partial(LinearRegression, target_bound=1.0), np.column_stack((np.linspace(-1, 1, 60), np.linspace(1, 0, 60)))),
}
USES = {
    "fit": lambda made, X, y, account: made(**SPENT, data_norm=2.0, rows_per_person=1, ledger=account).fit(X, y),
    "blocks": lambda made, X, y, account: made(**SPENT, rows_per_person=1, ledger=account).fit(in_blocks(X, y)),
    "search": lambda made, X, y, account: search(made, account).fit(X, y),
    "search of blocks": lambda made, X, y, account: search(made, account).fit(in_blocks(X, y)),
    "evaluation": lambda made, X, y, account: evaluate_privately(fitted(made, X, y), X, y, **SPENT, rows_per_person=1, account=account),
    "intervals": lambda made, X, y, account: release_uncertainty(fitted(made, X, y), X, y, **SPENT, ledger=account),
}
"""Of the same records, of whom each is a person."""
REFUSED = {("several numbers", "evaluation"), ("three classes over a set", "intervals")}


def search(made, account):
    return PrivateSearchCV(made(rows_per_person=1), {"data_norm": [2.0]}, epsilon=20.0, delta=1e-3, ledger=account)


def fitted(made, X, y):
    return made(random_state=0, rows_per_person=1, **SPENT).fit(X, y)


ALIKE = ("three classes", "three classes over a set", "two ordered classes", "several numbers")


@pytest.mark.parametrize("of", [pytest.param(of, marks=pytest.mark.more) if of in ALIKE else of for of in MADE])
def test_a_table_is_one_in_every_use_whatever_is_made_of_its_targets(tmp_path, of):
    made, y = MADE[of]
    X = np.linspace(-0.9, 0.9, 60).reshape(-1, 1)
    ledger = Ledger.create(tmp_path / "a.ledger")
    for name in ("first", "second"):
        ledger.declare(name, epsilon=90.0, delta=1e-2, unit="person")
    first, second = (Account(str(ledger.path), name) for name in ("first", "second"))
    USES["fit"](made, X, y, first)
    for use, ask in USES.items():
        if (of, use) not in REFUSED:
            with pytest.raises(InvalidInput, match="under the name 'first'"):
                ask(made, X, y, second)
    other = y.copy()
    other[0] = other[1]
    USES["fit"](made, X, other, second)
    assert len(ledger.history("second")) == 1


PERSON = {"ids": "person.column = 'id'\nperson.rows = 2\n", "one row each": "rows_per_person = 1\n"}
TARGETS = {
    "two classes": ("linear-svc", {"column": "two", "classes": ["no", "yes"]}),
    "three classes": ("logistic-regression", {"column": "three", "classes": ["a", "b", "c"]}),
    "ordered classes": ("ordinal-regression", {"column": "three", "classes": ["a", "b", "c"], "ordered": True}),
    "times": ("survival-model", {"column": "time", "event": "two", "happened": "yes", "ends": [1, 2, 3]}),
    "several numbers": ("linear-regression", [{"column": "one", "lower": 0, "upper": 6}, {"column": "other", "lower": 0, "upper": 4}]),
}
PEOPLE = pl.DataFrame(
    {
        "id": [f"p{number // 2}" for number in range(120)],
        "age": [30.0 + number % 40 for number in range(120)],
        "city": ["south", "north"] * 60,
        "two": ["no", "yes"] * 60,
        "three": ["a", "b", "c"] * 40,
        "time": [0.5 + number % 3 for number in range(120)],
        "one": [float(number % 7) for number in range(120)],
        "other": [float(number % 5) for number in range(120)],
    }
)
ASKED = {
    "description": lambda made, schema, account: describe(PEOPLE, schema, **SPENT, account=account),
    "cuts": lambda made, schema, account: choose_cuts(PEOPLE, schema, **SPENT, ledger=account),
    "cuts and fit": lambda made, schema, account: fit_with_cuts(made(account), PEOPLE, schema),
}


@pytest.mark.parametrize("whose", PERSON)
@pytest.mark.parametrize("of", [pytest.param(of, marks=pytest.mark.more) if of == "three classes" else of for of in TARGETS])
def test_a_table_of_a_schema_is_the_one_that_a_fit_told_of_whatever_else_is_asked(tmp_path, of, whose):
    """For `describe`, cuts and synthetic tables, whose columns they count as they are, one of them categories."""
    kind, target = TARGETS[of]
    if whose == "ids" and of in ("times", "ordered classes"):
        return  # each record is a person
    schema = Schema.from_toml(PERSON[whose] + schema_text("few", target, {"age": (0, 99), "city": ["north", "south"]}, rows="bound"))
    ledger = Ledger.create(tmp_path / "a.ledger")
    for name in ("first", "second"):
        ledger.declare(name, epsilon=90.0, delta=1e-2, unit="person")
    first, second = (Account(str(ledger.path), name) for name in ("first", "second"))

    def made(account):
        return encoded_estimator(kind, schema, {**SPENT, "ledger": account})

    table = schema.encode(PEOPLE, target=True)
    made(first).fit(table)
    for use in ("description", "cuts", "cuts and fit"):
        with pytest.raises(InvalidInput, match="under the name 'first'"):
            ASKED[use](made, schema, second)
    if not isinstance(target, list):
        counted = counting_schema(schema).encode(PEOPLE, target=True)
        assert b"".join(counted.content()) == b"".join(table.content()), "of a synthetic table"
    assert not ledger.history("second")
