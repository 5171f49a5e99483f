"""A record without any entry is a record like the others: no warning, which would tell of it."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from discreet import ConstrainedERM, LinearRegression, LinearSVC, LogisticRegression, release_uncertainty
from discreet.sets import L2Ball


@pytest.mark.parametrize("norm", [1e-3, 1.0, 100.0, 1e6])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_of_zeros_warn_of_nothing(norm, kind):
    rows = np.zeros((60, 2))
    rows[::3] = 3.0 * norm
    rows[1::3] = 1e-300
    signs = np.where(np.arange(60) % 2, 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (LogisticRegression(delta=1e-6, data_norm=norm, classes=[-1, 1]), LinearSVC(delta=1e-6, data_norm=norm, classes=[-1, 1])):
            model.fit(kind(rows), signs).predict(kind(rows))
        release_uncertainty(model, kind(rows), signs, epsilon=1.0, delta=1e-6)
        LinearRegression(data_norm=norm).fit(kind(rows), signs.astype(float)).predict(kind(rows))
        ConstrainedERM(constraint=L2Ball(dimension=2), data_norm=norm).fit(kind(rows), signs.astype(float)).predict(kind(rows))
