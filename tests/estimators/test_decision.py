"""The decision about a record depends on this record and the model alone, to the last bit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from discreet import LinearSVC
from discreet.estimators.decision import linear_decision
from discreet.kernels import Gaussian, draw_frequencies
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix
from discreet.matrices import DenseMatrix, TabularMatrix, as_matrix

ROWS, COLUMNS = 2500, 37


def tables():
    """(name, the matrix of some row numbers)."""
    random = np.random.default_rng(0)
    dense = random.standard_normal((ROWS, COLUMNS))
    thin = sparse.csr_array(np.where(random.random(dense.shape) < 0.2, dense, 0.0))
    codes = [random.integers(0, size, ROWS) for size in (3, 5)]
    frequencies = draw_frequencies(Gaussian(gamma=1.0), features=COLUMNS, count=20, seed=1, orthogonal=True)
    yield "row-major", lambda rows: as_matrix(dense[rows])
    yield "column-major", lambda rows: as_matrix(np.asfortranarray(dense[rows]))
    yield "float32", lambda rows: as_matrix(dense[rows].astype(np.float32))
    yield "sparse", lambda rows: as_matrix(thin[rows])
    yield "tabular", lambda rows: TabularMatrix(dense[rows], [code[rows] for code in codes], [3, 5])
    yield "random features", lambda rows: FeatureMapMatrix(DenseMatrix(dense[rows]), FeatureMap(frequencies=frequencies))


@pytest.mark.parametrize("classes", [1, 4])
@pytest.mark.parametrize("matrix", [pytest.param(make, id=name) for name, make in tables()])
def test_other_records_change_nothing(matrix, classes):
    random = np.random.default_rng(1)
    everything = matrix(np.arange(ROWS))
    shape = (everything.shape[1], classes) if classes > 1 else (everything.shape[1],)
    weights, intercept = random.standard_normal(shape), (random.standard_normal(classes) if classes > 1 else 0.3)

    def decide(rows):
        return linear_decision(matrix(rows), weights=weights, intercept=intercept, data_norm=2.0)

    together = decide(np.arange(ROWS))
    for rows in (np.arange(1, ROWS), random.permutation(ROWS)[:1111], np.array([7])):
        assert np.array_equal(decide(rows), together[rows])


def test_it_is_the_formula():
    rows = np.array([[3.0, 4.0], [0.3, 0.4]])
    found = linear_decision(as_matrix(rows), weights=np.array([1.0, 2.0]), intercept=0.5, data_norm=1.0)
    assert found == pytest.approx([0.6 + 1.6 + 0.5, 1.1 + 0.5])


def test_after_fit_many_there_is_no_model():
    model = LinearSVC(classes=[0, 1])
    model.fit_many(np.eye(2).repeat(50, axis=0), np.arange(2).repeat(50), count=2)
    with pytest.raises(NotFittedError):
        model.predict(np.eye(2))
