"""Nothing that holds records can be copied or pickled: every object of ours that is alive while tables are learnt from, measured and released."""

import copy
import gc
import pickle
import struct

import numpy as np
import polars as pl
import pytest
import scipy.sparse

import discreet
from discreet import Lasso, LinearRegression, LogisticRegression
from discreet.core.errors import PrivateDataError
from discreet.core.private import packed, unpacked
from discreet.data import Block, Domain, FunctionTable, NpyTable, Records, numeric_files
from discreet.estimators import KernelClassifier
from discreet.evaluation import evaluate_privately
from discreet.matrices import as_matrix
from tests.releases.cases import PEOPLE, SCHEMA

NUMBER = 0.123456789012345
"""In every row, and nowhere else."""
MARKS = (struct.pack("<d", NUMBER), struct.pack("<f", NUMBER))
RECORDS = 400


def rows():
    made = np.random.default_rng(1).uniform(-0.5, 0.5, (RECORDS, 3))
    made[:, 1] = NUMBER
    return made


ROWS = rows()
LABELS = (ROWS[:, 0] > 0).astype(int)


def block(number):
    part = slice(100 * number, 100 * (number + 1))
    return Block(as_matrix(ROWS[part]), LABELS[part])


def matrices(kind):
    return {
        "dense": lambda: as_matrix(ROWS),
        "single": lambda: as_matrix(ROWS.astype(np.float32)),
        "sparse": lambda: as_matrix(scipy.sparse.csr_array(ROWS)),
    }[kind]()


def held(kind):
    """Something that holds the records, whole."""
    domain = Domain(features=3, norm_bound=2.0, intercept_scale=0.3, records=RECORDS, classes=2)
    signs = 2.0 * LABELS - 1.0
    match kind:
        case "block":
            return block(0)
        case "data set":
            return Records(rows=as_matrix(ROWS), targets=signs, domain=domain)
        case "real data set":
            return Records(rows=as_matrix(ROWS), targets=signs, domain=Domain(features=3, entry_bound=1.0, records=RECORDS, target_bound=1.0))
        case "encoded":
            return SCHEMA.encode(pl.DataFrame(PEOPLE), target=True)
        case _:
            return matrices(kind)


@pytest.mark.parametrize("kind", ["dense", "single", "sparse", "block", "data set", "real data set", "encoded"])
@pytest.mark.parametrize("action", [copy.copy, copy.deepcopy, pickle.dumps, lambda one: pickle.dumps(one, 0), lambda one: one.__getstate__()])
def test_what_holds_records_refuses(kind, action):
    with pytest.raises(PrivateDataError, match="so it cannot be copied or pickled"):
        action(held(kind))


def test_what_a_table_and_a_data_set_are_made_of_refuses_as_they_do():
    table = held("encoded")
    for one in (table, table.rows, held("data set").matrix, [table.rows], {"rows": table.rows}):
        with pytest.raises(PrivateDataError):
            pickle.dumps(one)


def ours(alive):
    """Those of classes of ours."""
    kinds = {kind for kind in set(map(type, alive)) if str(kind.__module__).startswith("discreet.") and not issubclass(kind, type)}
    return [one for one in alive if type(one) in kinds]


class Spy(list):
    """Classes of objects of ours that give a record away, seen while the work of another library is asked for."""

    def __init__(self):
        gc.unfreeze()  # tests/conftest.py froze what was alive before them
        self.before = ours(gc.get_objects())
        gc.freeze()  # else every look, and every collection until the end of the run, goes through all of it

    def look(self):
        for one in [*self.before, *ours(gc.get_objects())]:
            kind = type(one)
            if kind in self:
                continue
            for leave in (pickle.dumps, lambda one: pickle.dumps(copy.copy(one).__dict__)):
                try:
                    left = leave(one)
                except Exception:  # noqa: BLE001, S112 - refused, or no thing to pickle
                    continue
                if any(mark in left for mark in MARKS):
                    self.append(kind)
                    break


@pytest.fixture
def spy(monkeypatch):
    """Looks at every triangular factor, every sum over threads and every draw: in the middle of every algorithm."""
    spy = Spy()
    seen = []

    def watched(original):
        def watching(*given, **named):
            if len(seen) < MOST and len(seen) % 3 == 0:
                spy.look()
            seen.append(1)
            return original(*given, **named)

        return watching

    monkeypatch.setattr("discreet.core.workers.single_threaded_algebra", watched(discreet.core.workers.single_threaded_algebra))
    for kind in (discreet.matrices.DenseMatrix, discreet.matrices.SparseMatrix):
        for name in ("matvec", "rmatvec", "gram"):
            monkeypatch.setattr(kind, name, watched(getattr(kind, name)))
    return spy


MOST = 18
"""Places of which every third is looked at."""


def numbers(folder):
    path = folder / "rows.npy"
    np.save(path, ROWS)
    np.save(folder / "labels.npy", LABELS)
    return NpyTable(path, folder / "labels.npy")


def parquet(folder):
    pl.DataFrame({"a": ROWS[:, 0], "b": ROWS[:, 1], "c": ROWS[:, 2], "y": LABELS}).write_parquet(folder / "t.parquet", row_group_size=100)
    return numeric_files(folder / "t.parquet", features=["a", "b", "c"], target="y")


WORK = {
    "array": lambda _: LogisticRegression(classes=[0, 1]).fit(ROWS, LABELS),
    "sparse": lambda _: LogisticRegression(classes=[0, 1]).fit(scipy.sparse.csr_array(ROWS), LABELS),
    "three classes": lambda _: LogisticRegression(classes=[0, 1, 2]).fit(ROWS, LABELS),
    "kernel": lambda _: KernelClassifier(classes=[0, 1], n_features=20).fit(ROWS, LABELS),
    "regression": lambda _: LinearRegression(target_bound=1.0).fit(ROWS, ROWS[:, 0]),
    "lasso": lambda _: Lasso(n_iter=3, delta=1e-6, target_bound=1.0).fit(ROWS, ROWS[:, 0]),
    "blocks": lambda _: LogisticRegression(classes=[0, 1]).fit(FunctionTable(block, blocks=4, features=3)),
    "npy": lambda folder: LogisticRegression(classes=[0, 1]).fit(numbers(folder)),
    "parquet": lambda folder: LogisticRegression(classes=[0, 1]).fit(parquet(folder)),
    "evaluation": lambda _: evaluate_privately(LogisticRegression(classes=[0, 1]).fit(ROWS, LABELS), ROWS, LABELS, epsilon=1.0),
}
HARDEST = {"parquet"}


@pytest.mark.at_most(1)
@pytest.mark.filterwarnings("ignore")  # of what is looked at
@pytest.mark.parametrize("name", [name if name in HARDEST else pytest.param(name, marks=pytest.mark.more) for name in WORK])
def test_nothing_alive_in_the_middle_of_it_gives_a_record_away(tmp_path, spy, name):
    WORK[name](tmp_path)
    assert spy == []


def test_that_test_would_notice(spy):
    class Leaks:
        """Of ours, with rows in it that it hands to everyone."""

        def __init__(self):
            self.rows = ROWS

    Leaks.__module__, Leaks.__qualname__ = "discreet.leaks", "Leaks"
    leaking = Leaks()
    try:
        import sys
        import types

        module = types.ModuleType("discreet.leaks")
        module.Leaks = Leaks
        sys.modules["discreet.leaks"] = module
        spy.look()
    finally:
        del sys.modules["discreet.leaks"]
    assert spy == [Leaks]
    del leaking


@pytest.mark.parametrize("rows", ["dense", "single", "sparse", "encoded"])
def test_a_block_travels_between_workers_by_itself(rows):
    made = held("encoded").rows if rows == "encoded" else matrices(rows)
    labels = np.arange(made.shape[0])
    there = unpacked([bytes(frame) for frame in packed(Block(made, labels, None))])
    assert isinstance(there, Block)
    assert type(there.rows) is type(made)
    np.testing.assert_array_equal(there.targets, labels)
    assert there.weights is None
    weights = np.arange(1.0, made.shape[1] + 1.0)
    np.testing.assert_array_equal(there.rows.matvec(weights), made.matvec(weights))
    np.testing.assert_array_equal(there.rows.gram(np.ones(made.shape[0])), made.gram(np.ones(made.shape[0])))
    with pytest.raises(PrivateDataError):
        pickle.dumps(there)


def test_nothing_else_that_holds_records_travels():
    for kind in ("data set", "real data set", "encoded"):
        with pytest.raises(PrivateDataError):
            packed(held(kind))
