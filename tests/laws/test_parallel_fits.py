"""Laws of many fits: a search gives on every kind of block what it gives in memory, and any number of threads gives the same bits.

Two levels of threads, over blocks and over fits, never both at once; noise of every fit of its own.
"""

from pathlib import Path

import numpy as np
import pytest

from discreet import LinearSVC, PrivateSearchCV
from discreet.data import BlockTable
from tests.laws.block_tables import TABLES, records

ROWS, LABELS = records()
GRID = {"alpha": [0.05, 0.5], "loss": ["softplus-hinge", "huber-hinge"]}
each_table = pytest.mark.parametrize("kind", TABLES)
METHODS = ("random-stopping", "algorithm-4")


@pytest.fixture
def table(kind: str, tmp_path: Path) -> BlockTable:
    return TABLES[kind](ROWS, LABELS, tmp_path)


def search(inner: object = None, grid: object = None, **given: object) -> PrivateSearchCV:
    chosen = LinearSVC(classes=[0, 1]) if inner is None else inner
    return PrivateSearchCV(
        chosen, GRID if grid is None else grid, **{"epsilon": 4.0, "delta": 1e-6, "expected_runs": 4.0, "random_state": 5, **given}
    )


def same_bits(one: PrivateSearchCV, other: PrivateSearchCV) -> None:
    assert one.best_params_ == other.best_params_
    np.testing.assert_array_equal(one.best_score_, other.best_score_)
    np.testing.assert_array_equal(one.best_estimator_.weights_, other.best_estimator_.weights_)


@each_table
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_search_is_the_search_in_memory(table, neighbours):
    """Random stopping: the same runs, the same fits up to rounding, and so the same winner with the same score."""
    public = {"public_records": 3001} if neighbours == "add-remove" else {}
    made = search(LinearSVC(classes=[0, 1], neighbours=neighbours, **public))
    expected = made.fit(ROWS, LABELS)
    weights, score, certificate = expected.best_estimator_.weights_, expected.best_score_, expected.certificate_
    found = made.fit(table)
    np.testing.assert_allclose(found.best_estimator_.weights_, weights, atol=1e-9)
    assert found.best_score_ == score
    assert found.certificate_.guarantee == certificate.guarantee
    assert found.certificate_.parameters == certificate.parameters
    np.testing.assert_array_equal(found.predict(table), found.predict(ROWS))


@each_table
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_parts_are_cut_from_every_block(table, neighbours):
    public = {"public_records": 3001} if neighbours == "add-remove" else {}
    made = search(LinearSVC(classes=[0, 1], neighbours=neighbours, **public), {"alpha": [0.05, 0.5]}, method="algorithm-4", random_state=None)
    found = made.fit(table)
    assert found.certificate_.verify(found.best_estimator_.weights_).ok
    assert found.score(ROWS, LABELS) > 0.8


@each_table
@pytest.mark.parametrize("method", METHODS)
def test_any_number_of_threads_gives_the_same_search_of_blocks(table, method):
    found = [search(method=method, n_jobs=jobs).fit(table) for jobs in (1, 2, 5)]
    same_bits(found[0], found[1])
    same_bits(found[0], found[2])
