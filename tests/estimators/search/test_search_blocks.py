"""Tables in blocks inside a search: what is counted, what is cut, and what is refused before anything is spent."""

import numpy as np
import pytest

from discreet import LinearSVC, PrivateSearchCV
from discreet.core.errors import InvalidInput
from discreet.data import Block, Domain, FunctionTable, Reader
from discreet.estimators.search.blocks import StreamedTable
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from discreet.noise import SeededNoise, SystemNoise
from tests.canary import CANARY, assert_silent
from tests.properties.block_tables import TABLES, records

ROWS, LABELS = records()
BOUND = Reader(domain=Domain(features=6, norm_bound=1.0, classes=2), classes=np.array([0, 1]))


def streamed(table=None):
    return StreamedTable(TABLES["generated"](ROWS, LABELS, None) if table is None else table, BOUND, jobs=1)


def rows_of_table(table):
    return np.concatenate(list(table.X.map(lambda _, block: block.rows.matvec(np.eye(6)), 1)))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("hidden", [False, True])
def test_parts_share_no_record_and_leave_none_out(kind, hidden, tmp_path):
    parts = streamed(TABLES[kind](ROWS, LABELS, tmp_path)).parts(4, SeededNoise(1), hidden=hidden)
    found = [rows_of_table(part) for part in parts]
    np.testing.assert_array_equal(np.unique(np.concatenate(found), axis=0), np.unique(ROWS, axis=0))
    sizes = [part.shape[0] for part in parts]
    assert sum(sizes) == len(ROWS) == sum(map(len, found))
    if not hidden:
        assert sizes == [len(part) for part in np.array_split(np.arange(len(ROWS)), 4)]
    again = streamed(TABLES["generated"](ROWS, LABELS, tmp_path)).parts(4, SeededNoise(2), hidden=hidden)
    assert any(not np.array_equal(rows_of_table(one), other) for one, other in zip(again, found, strict=True))


@pytest.mark.more
def test_rows_of_a_block_are_in_every_part_as_often():
    """500 cuts of two blocks of five rows into three parts: a count has at most 11 as standard deviation, and 7 of them are less than 78 (1e-9)."""
    table = FunctionTable(lambda number: Block(DenseMatrix(np.eye(10)[5 * number : 5 * number + 5]), np.zeros(5, int)), blocks=2, features=10)
    bound = Reader(domain=Domain(features=10, norm_bound=1.0, classes=2), classes=np.array([0, 1]))
    first, second, die = [0.4, 0.4, 0.2], [0.4, 0.2, 0.4], [1 / 3] * 3  # replace-one: places 0 to 4 modulo 3, and 5 to 9
    for hidden, expected in ((False, [first] * 5 + [second] * 5), (True, [die] * 10)):
        counts = np.zeros((10, 3))
        for _ in range(500):
            for place, part in enumerate(StreamedTable(table, bound, jobs=1).parts(3, SystemNoise(), hidden=hidden)):
                if part.in_blocks:
                    counts[:, place] += sum(part.X.map(lambda _, block: block.rows.rmatvec(np.ones(block.rows.shape[0])), 1))
        assert np.all(np.abs(counts - 500 * np.array(expected)) < 78)
        assert np.all(counts.sum(axis=1) == 500)


def test_parts_of_few_records_may_be_empty_but_their_blocks_are_not():
    table = FunctionTable(lambda number: Block(DenseMatrix(ROWS[number : number + 1]), LABELS[number : number + 1]), blocks=3, features=6)
    for hidden in (False, True):
        parts = streamed(table).parts(7, SeededNoise(0), hidden=hidden)
        assert sum(part.shape[0] for part in parts) == 3
        for part in parts:
            if part.in_blocks:
                assert all(part.X.map(lambda _, block: block.rows.shape[0] > 0, 1))
            else:
                assert part.shape == (0, 6)
                assert part.correct(LinearSVC()) == 0


def test_scores_are_counted_block_by_block():
    model = LinearSVC(epsilon=1.0, classes=[0, 1]).fit(ROWS, LABELS)
    seen = []

    def make(number):
        seen.append(number)
        return Block(DenseMatrix(ROWS[1000 * number : 1000 * (number + 1)]), LABELS[1000 * number : 1000 * (number + 1)])

    table = streamed(FunctionTable(make, blocks=4, features=6))
    assert table.shape == ROWS.shape
    assert table.correct(model) == np.count_nonzero(model.predict(ROWS) == LABELS)
    assert seen == [0, 1, 2, 3] * 2
    assert "0" not in repr(table)


REFUSED = {
    "y": ({"y": LABELS}, {}, "leave y out"),
    "no classes": ({}, {"estimator__classes": None}, "declare the classes"),
    "one class": ({}, {"estimator__classes": [0]}, "two or more"),
    "another label": ({}, {"estimator__classes": [0, 2]}, "y contains a label that is not one of the declared"),
}


@pytest.mark.parametrize(("given", "changes", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_searched_is_refused_before_anything_is_spent(given, changes, says, tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=3.0, delta=1e-5)
    account = Account(str(tmp_path / "ledger"), "people")
    made = PrivateSearchCV(LinearSVC(classes=[0, 1]), {"alpha": [0.05]}, epsilon=1.0, delta=1e-6, ledger=account).set_params(**changes)
    with pytest.raises(InvalidInput, match=says):
        made.fit(TABLES["generated"](ROWS, LABELS, None), **given)
    assert account.ledger.history("people") == ()


def test_the_ledger_knows_the_table_in_memory_again(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger")
    for name in ("people", "others"):
        ledger.declare(name, epsilon=3.0, delta=1e-5)
    made = PrivateSearchCV(LinearSVC(classes=[0, 1]), {"alpha": [0.05]}, epsilon=1.0, delta=1e-6)
    made.set_params(ledger=Account(str(tmp_path / "ledger"), "people")).fit(TABLES["generated"](ROWS, LABELS, None))
    with pytest.raises(InvalidInput, match="people"):
        made.set_params(ledger=Account(str(tmp_path / "ledger"), "others")).fit(ROWS, LABELS)


def test_no_record_is_told(caplog):
    for rows, labels in ((ROWS * np.where(np.arange(6) == 2, CANARY, 1.0), LABELS), (ROWS, np.where(LABELS == 1, CANARY, 0.0))):
        made = PrivateSearchCV(LinearSVC(classes=[0, 1]), {"alpha": [0.05]}, epsilon=1.0, delta=1e-6)
        try:
            assert_silent(made.fit(TABLES["generated"](rows, labels, None)).certificate_)
        except InvalidInput as error:
            assert_silent(error)
        assert_silent(repr(made))
    assert_silent(caplog.text)
