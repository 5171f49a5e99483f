"""Persons of a table on a cluster are found as those of one in memory."""

import numpy as np
import polars as pl
import pytest

from discreet.cluster import DaskTable, local_cluster
from discreet.data import Block
from discreet.matrices import DenseMatrix
from tests.data.test_reader import DOMAINS, FEATURES, LABELS, OWNERS, ROWS, in_memory, read


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Dask, at the end of its processes
def test_two_workers_find_what_is_found_in_memory():
    pytest.importorskip("distributed")
    rows, labels, owners = ROWS, LABELS, OWNERS.astype(str)

    def make(number):
        part = slice(90 * number, 90 * (number + 1))
        return Block(DenseMatrix(rows[part]), labels[part], None, pl.Series(owners[part]))

    with local_cluster(2) as client:
        for remember in (True, False):
            table = DaskTable.from_function(client, make, blocks=10, features=FEATURES, remember=remember)
            for domain in DOMAINS.values():
                count, found = read(table, domain)
                expected = in_memory(domain)
                assert count == len(set(OWNERS.tolist()))
                sums = [sum(found.map(lambda _, block: block.matrix.rmatvec(block.weights))), expected.matrix.rmatvec(expected.weights)]
                np.testing.assert_allclose(sums[0], sums[1], rtol=1e-12)
                weights = np.concatenate(list(found.map(lambda _, block: block.weights)))
                np.testing.assert_array_equal(weights, expected.weights)
