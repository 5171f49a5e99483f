"""Some rows of every kind of design, as a design."""

import numpy as np
import pytest
from scipy import sparse

from discreet.matrices import AugmentedDesign, DenseDesign, SparseDesign, TabularDesign
from discreet.matrices.chosen import chosen_rows

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((50, 4)) * (RNG.random((50, 4)) < 0.6)
CODES = [RNG.integers(0, size, 50) for size in (3, 2)]
DESIGNS = {
    "dense": DenseDesign(ROWS),
    "single precision": DenseDesign(ROWS.astype(np.float32)),
    "columns first": DenseDesign(np.asfortranarray(ROWS)),
    "sparse": SparseDesign(sparse.csr_array(ROWS)),
    "tabular": TabularDesign(ROWS, CODES, (3, 2)),
    "augmented": AugmentedDesign(DenseDesign(ROWS), scale=RNG.random(50), constant=0.3),
}


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("numbers", [[3, 1, 49, 3], [7], []], ids=str)
def test_they_are_the_rows_in_the_order_asked_for(design, numbers):
    found = chosen_rows(design, np.array(numbers, dtype=np.intp))
    assert found.shape == (len(numbers), design.shape[1])
    unit = np.eye(design.shape[1])
    np.testing.assert_array_equal(found.matvec(unit), design.matvec(unit)[numbers])
