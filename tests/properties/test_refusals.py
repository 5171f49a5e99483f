"""No refusal of private cells takes a cell along: not in its text, its causes and contexts, its traceback's variables, its pickle.

Every entry point that takes cells, with every kind of cell that it cannot use. A new estimator is under the law by itself; a new function that takes
records fails the last test until it is listed.
"""

import functools
import importlib
import inspect
import pkgutil
import traceback
import warnings
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import discreet
from discreet import estimators
from discreet.core.frameless import is_frameless
from discreet.data import CategoricalColumn, FunctionTable, NumericColumn, Schema, SchemaDraft, Target
from discreet.losses import SmoothedHinge
from discreet.noise import SystemNoise
from discreet.releases import publish
from tests.canary import CANARY, assert_carries_nothing

RECORDS = 12
X = np.linspace(-0.5, 0.5, 3 * RECORDS).reshape(RECORDS, 3)
RECORDS_OF_CANARY = np.full((RECORDS, 3), CANARY)
Y = np.array([0, 1] * (RECORDS // 2))
"""Classes for a classifier, numbers for a regression."""


class Speaking:
    """A cell that quotes itself when it is made a number."""

    def __float__(self):
        raise ValueError(f"cannot convert {CANARY}")

    __int__ = __index__ = __float__

    def __repr__(self):
        return f"Speaking({CANARY})"


class Closed:
    """A table that quotes itself when it is read."""

    shape, ndim, dtype = (RECORDS, 3), 2, np.dtype(float)

    def __array__(self, *_, **__):
        raise RuntimeError(f"{CANARY} is in the way")

    def __len__(self):
        return RECORDS


def with_cell(cell, base=X):
    table = base.astype(object)
    table[(3, *[0] * (base.ndim - 1))] = cell
    return table


CELLS = {
    "text": f"x{CANARY}",
    "text of a number": str(CANARY),
    "text of bytes": f"x{CANARY}".encode(),
    "complex": complex(CANARY, 1.0),
    "a speaking object": Speaking(),
    "a list": [CANARY],
    "a mapping": {"a": CANARY},
    "a date": date(1970, 1, 1),
    "nothing": None,
    "a number": CANARY,
    "a negative number": -CANARY,
}
ROWS = {
    **{f"{name} in objects": with_cell(cell) for name, cell in CELLS.items()},
    **{f"{name} in lists": with_cell(cell).tolist() for name, cell in CELLS.items()},
    **{f"{name} in pandas": pd.DataFrame(with_cell(cell), columns=["a", "b", "c"]) for name, cell in CELLS.items()},
    "ragged": [[CANARY], [CANARY, 2.0]] * (RECORDS // 2),
    "missing beside it": np.where(X[3, 0] == X, np.nan, CANARY),
    "infinite beside it": np.where(X[3, 0] == X, np.inf, CANARY),
    "infinite beside it, sparse": sp.csr_matrix(np.where(X[3, 0] == X, np.inf, CANARY)),
    "complex, sparse": sp.csr_matrix(X * 1j * CANARY),
    "one dimension": np.full(RECORDS, CANARY),
    "three dimensions": np.full((RECORDS, 3, 1), CANARY),
    "other columns": np.full((RECORDS, 4), CANARY),
    "other rows": np.full((RECORDS + 1, 3), CANARY),
    "no columns": np.zeros((RECORDS, 0)),
    "a closed table": Closed(),
    "polars": pl.DataFrame({"a": [f"x{CANARY}"] * RECORDS, "b": [1.0] * RECORDS, "c": [CANARY] * RECORDS}),
    "dates": np.full((RECORDS, 3), np.datetime64("1970-01-01")),
}
TARGETS = {
    **{f"{name} in objects": with_cell(cell, Y) for name, cell in CELLS.items()},
    **{f"{name} in lists": with_cell(cell, Y).tolist() for name, cell in CELLS.items()},
    "all texts": [f"x{CANARY}", "b"] * (RECORDS // 2),
    "numbers": np.linspace(0, CANARY, RECORDS),
    "numbers and none": np.append(np.full(RECORDS - 1, CANARY), np.nan),
    "numbers and infinity": np.append(np.full(RECORDS - 1, CANARY), np.inf),
    "two dimensions": np.full((RECORDS, 2), CANARY),
    "other records": np.full(RECORDS + 1, CANARY),
    "ragged": [[CANARY], [1.0, CANARY]] * (RECORDS // 2),
    "a closed column": Closed(),
}
WEIGHTS = {
    **{f"{name} in objects": with_cell(cell, np.ones(RECORDS)) for name, cell in CELLS.items()},
    "negative": np.full(RECORDS, -CANARY),
    "too large": np.full(RECORDS, CANARY),
    "not finite": np.append(np.full(RECORDS - 1, CANARY), np.nan),
    "other records": np.full(RECORDS + 1, CANARY),
    "two dimensions": np.full((RECORDS, 2), CANARY),
}
PERSONS = {
    **{f"{name} in objects": with_cell(cell, np.arange(RECORDS)) for name, cell in CELLS.items()},
    **{f"{name} in lists": with_cell(cell, np.arange(RECORDS)).tolist() for name, cell in CELLS.items()},
    "not whole": np.full(RECORDS, CANARY),
    "missing": [f"x{CANARY}"] * (RECORDS - 1) + [None],
    "missing number": np.append(np.full(RECORDS - 1, CANARY), np.nan),
    "other records": [f"x{CANARY}"] * (RECORDS + 1),
    "two dimensions": np.full((RECORDS, 2), CANARY),
    "ragged": [[CANARY], [1.0, CANARY]] * (RECORDS // 2),
    "a closed column": Closed(),
}

CLASSES = {"classes": [0, 1]}
ESTIMATORS = {
    "PoissonRegression": {"target_bound": 2.0},
    "GammaRegression": {"target_bound": 2.0},
    **{name: {"target_bound": 1.0} for name in ("ConstrainedERM", "ExpectileRegression", "HuberRegression", "Lasso", "LinearRegression")},
    **{name: {"target_bound": 1.0} for name in ("QuantileRegression", "SimplexRegression")},
    "GroupLasso": {"groups": [2, 1], "target_bound": 1.0},
    "KernelClassifier": {"n_features": 4, **CLASSES},
    "LassoClassifier": {"n_iter": 3, **CLASSES},
    "LinearSVC": CLASSES,
    "LogisticRegression": CLASSES,
    "OrdinalRegression": CLASSES,
    "MatrixRegression": {"shape": (3, 1), "target_bound": 1.0},
    "PrivateSearchCV": {"estimator": discreet.LinearSVC(**CLASSES), "param_grid": {"alpha": [0.1, 1.0]}, "epsilon": 4.0},
}
SCHEMA = Schema(
    name="people",
    target=Target(column="c", classes=("no", "yes")),
    numeric=(NumericColumn(name="a", lower=0, upper=1),),
    categorical=(CategoricalColumn(name="b", categories=("x", "y")),),
)
DRAFT = SchemaDraft.from_toml(
    """format = "discreet-schema/1"
name = "people"
rows = "bound"
target = { column = "c", classes = ["no", "yes"] }
[numeric.a]
lower = "FILL IN"
upper = "FILL IN"
"""
)


def made(name):
    return getattr(estimators, name)(**ESTIMATORS.get(name, {}))


ALL = [name for name in estimators.__all__ if hasattr(getattr(estimators, name), "get_params")]


@functools.cache
def fitted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made(name).fit(X, Y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_a_refused_refit_leaves_the_model_as_it_was(name):
    model = made(name).fit(X, Y)
    before = dict(vars(model))
    for rows, targets in ((X[:, :2], Y[1:]), (pd.DataFrame(X[:, :1], columns=["a"]), np.full(RECORDS, np.nan)), (X[:, :2], None)):
        with pytest.raises(ValueError, match=r"y|target"):
            model.fit(rows, targets)
        assert vars(model).keys() == before.keys()
        assert all(vars(model)[each] is value for each, value in before.items())
    assert len(model.predict(X)) == RECORDS


def calls():
    """What takes cells: (its name, a function of them, cells that it cannot use)."""
    for name in ALL:
        yield f"{name}.fit(X)", lambda cells, name=name: made(name).fit(cells, Y), ROWS
        yield f"{name}.fit(y)", lambda cells, name=name: made(name).fit(X, cells), TARGETS
        if "sample_weight" in inspect.signature(getattr(estimators, name).fit).parameters:
            yield f"{name}.fit(w)", lambda cells, name=name: made(name).fit(X, Y, sample_weight=cells), WEIGHTS
        yield f"{name}.fit(persons)", lambda cells, name=name: made(name).set_params(rows_per_person=1).fit(X, Y, persons=cells), PERSONS
        for method in ("predict", "predict_proba", "decision_function"):
            if hasattr(made(name), method):
                yield f"{name}.{method}", lambda cells, name=name, method=method: getattr(fitted(name), method)(cells), ROWS
        yield f"{name}.score", lambda cells, name=name: fitted(name).score(X, cells), TARGETS
    yield "evaluate_privately(X)", lambda cells: discreet.evaluate_privately(fitted("LinearSVC"), cells, Y, epsilon=1.0), ROWS
    yield "evaluate_privately(y)", lambda cells: discreet.evaluate_privately(fitted("LinearSVC"), X, cells, epsilon=1.0), TARGETS
    yield "release_uncertainty(X)", lambda cells: discreet.release_uncertainty(fitted("LogisticRegression"), cells, Y, epsilon=1.0), ROWS
    yield "release_uncertainty(y)", lambda cells: discreet.release_uncertainty(fitted("LogisticRegression"), X, cells, epsilon=1.0), TARGETS
    yield "choose_norm", lambda cells: discreet.choose_norm(cells, epsilon=1.0, candidates=[0.5, 1.0]), ROWS
    yield "choose_bounds", lambda cells: discreet.choose_bounds(cells, DRAFT, epsilon=1.0), ROWS
    yield (
        "choose_bounds(persons)",
        lambda cells: discreet.choose_bounds({"a": X[:, 0]}, DRAFT, epsilon=1.0, rows_per_person=2, persons=cells),
        PERSONS,
    )
    yield "Schema.encode", lambda cells: SCHEMA.encode(cells, target=True), ROWS
    yield "publish", published, ROWS


def published(cells):
    return publish(cells, "/nowhere/at/all", SystemNoise(), schema=SCHEMA, method="additive", epsilon=1.0, delta=1e-6)


AS_QUANTILES = {"ExpectileRegression", "HuberRegression", "PoissonRegression", "GammaRegression"}
"""But for their losses, which see no cell that was not read before."""


def cases():
    for place, (name, call, bad) in enumerate(calls()):
        yield pytest.param(call, bad, place % 2, id=name, marks=[pytest.mark.more] if name.partition(".")[0] in AS_QUANTILES else [])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("call", "bad", "first"), list(cases()))
def test_no_refusal_takes_a_cell_along(quick, call, bad, first):
    """The quick run takes every other kind of cell, of the next entry point the others."""
    tried, refused = list(bad.items())[first if quick else 0 :: 2 if quick else 1], 0
    for name, cells in tried:
        try:
            call(cells)
        except Exception as error:  # noqa: BLE001 - scikit-learn's own refusals too
            refused += 1
            try:
                assert_carries_nothing(error)
            except AssertionError as failed:
                raise AssertionError(f"{name}, refused by {type(error).__name__}") from failed
    assert refused > len(tried) // 3


def test_every_exported_function_of_records_is_under_the_law():
    functions = {name for name in discreet.__all__ if inspect.isfunction(getattr(discreet, name))}
    taking = {name for name in functions if {"X", "frame"} & set(inspect.signature(getattr(discreet, name)).parameters)}
    assert taking <= {name.partition("(")[0] for name, _, _ in calls()}
    assert "choose_norm" in taking


def exported():
    """Functions, and public methods of classes, of every package: (name, class or None, what is there)."""
    for package in ["discreet", *(f"discreet.{found.name}" for found in pkgutil.iter_modules(discreet.__path__) if found.ispkg)]:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield f"{package}.{name}", None, value
            elif inspect.isclass(value):
                yield from ((f"{package}.{name}.{one}", value, inspect.getattr_static(value, one)) for one in dir(value) if not one.startswith("_"))


def test_everything_exported_that_takes_records_is_a_door():
    """What takes X, y or a frame; what takes records by another name is in `DOORS`."""
    everything = {name: value for name, _, value in exported()}
    taking = {name for name, value in everything.items() if {"X", "y", "frame"} & parameters(value)}
    assert len(taking) > 150
    assert {name for name in {*taking, *DOORS} if not is_frameless(everything[name])} == set()


@pytest.mark.filterwarnings("ignore")
def test_no_door_takes_a_cell_along_whatever_it_is_given():
    """Numbers where it takes records, a number for all else that it needs; methods, of what was never made."""
    doors = {(kind, name.rpartition(".")[2]): value for name, kind, value in exported() if is_frameless(value)}
    refused = 0
    for (kind, name), value in doors.items():
        door = value if kind is None else getattr(kind.__new__(kind), name, value)
        if not callable(door):  # a method that is there under a condition
            continue
        asked = [one for one in inspect.signature(door).parameters.values() if one.default is one.empty and one.kind is not one.VAR_KEYWORD]
        given = {one.name: RECORDS_OF_CANARY if one.name in PRIVATE else 1 for one in asked}
        positional = [given.pop(one.name) for one in asked if one.kind is not one.KEYWORD_ONLY]
        try:
            door(*positional, **given)
        except Exception as error:  # noqa: BLE001 - whatever it is
            refused += 1
            assert_carries_nothing(error)
    assert refused > 0.8 * len(doors)


PRIVATE = {"X", "y", "frame", "rows", "table", "records", "record", "labels", "data"}
DOORS = [
    *("discreet.data.bounded_rows", "discreet.data.class_codes", "discreet.data.read_table", "discreet.data.read_header", "discreet.describe"),
    *("discreet.releases.publish", "discreet.releases.publish_synthetic", "discreet.releases.Publication.write", "discreet.Model.predict"),
    *("discreet.releases.LocalSurvey.randomise", "discreet.releases.CategorySurvey.randomise", "discreet.PublicMetric.of_rows"),
    *("discreet.estimators.fit_with_cuts", "discreet.ArrayModel.predict", "discreet.Model.codes"),
]


def parameters(value):
    function = inspect.unwrap(getattr(value, "__func__", value))
    return set(inspect.signature(function).parameters) if inspect.isfunction(function) else set()


def raising(*given):
    """Code of the caller's own, which is given records, and keeps some."""
    kept = list(given)
    try:
        return {}[len(kept)]
    except KeyError:
        raise RuntimeError("from the caller's own code") from ValueError("with its cause")


OWN = {
    "a loss": lambda: made("LinearSVC").set_params(loss=SmoothedHinge()).fit(X, Y),
    "a block": lambda: made("LinearSVC").fit(FunctionTable(raising, blocks=2, features=3)),
    "a block in a thread": lambda: made("LinearSVC").set_params(n_jobs=2).fit(FunctionTable(raising, blocks=2, features=3)),
    "a reader": lambda: discreet.describe(raising, SCHEMA, epsilon=1.0),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in OWN.items()])
def test_what_a_callers_own_code_raises_comes_back_without_records(monkeypatch, call):
    monkeypatch.setattr(SmoothedHinge, "slope", raising)
    monkeypatch.setattr(SmoothedHinge, "value", raising)
    with pytest.raises(RuntimeError, match="from the caller's own code") as raised:
        call()
    assert_carries_nothing(raised.value)
    assert [str(raised.value.__cause__), type(raised.value.__context__)] == ["with its cause", KeyError]
    lines = [entry.name for entry in traceback.extract_tb(raised.value.__traceback__)]
    assert lines[-1] == "raising"
