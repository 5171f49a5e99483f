"""Tables whose blocks are moved to a device: one at a time, the same rows, and what cannot be moved is refused before anything is read."""

import numpy as np
import pytest

from discreet import LogisticRegression
from discreet.core.errors import InvalidInput
from discreet.data import Block, BlockTable, FunctionTable
from discreet.device import DeviceMatrix, MovedTable
from discreet.matrices import DenseMatrix

pytest.importorskip("array_api_compat")
ROWS = np.random.default_rng(0).standard_normal((30, 3))


def table():
    return FunctionTable(lambda number: Block(DenseMatrix(ROWS[10 * number : 10 * number + 10]), np.arange(10)), blocks=3, features=3)


def test_blocks_are_the_same_records_there():
    pytest.importorskip("torch")
    moved = MovedTable(table(), "cpu")
    assert isinstance(moved, BlockTable)
    assert (moved.features, moved.remote, moved.slow) == (3, False, True)

    def rows(number, block):
        assert isinstance(block.rows, DeviceMatrix)
        np.testing.assert_array_equal(block.targets, np.arange(10))
        return number, block.rows.entries(slice(0, 10))

    found = list(moved.map(rows, 2))
    assert [number for number, _ in found] == [0, 1, 2]
    np.testing.assert_array_equal(np.concatenate([entries for _, entries in found]), ROWS)


class _Remote(BlockTable):
    def __init__(self):
        super().__init__(3, remote=True)

    def map(self, work, jobs):
        raise AssertionError("nothing may be read")


def test_a_table_on_a_cluster_and_an_unknown_device_are_refused_unread():
    for make, words in ((lambda: MovedTable(_Remote(), "cuda"), "cluster"), (lambda: MovedTable(table(), "gpu"), "device must be")):
        with pytest.raises(InvalidInput, match=words):
            make()
    with pytest.raises(InvalidInput, match="cluster"):
        LogisticRegression(classes=[0, 1], device="cuda").fit(_Remote())
