"""Models over a set, fitted on tables that are read in blocks: those of the same records in memory."""

import numpy as np
import pytest

from discreet import Lasso, LassoClassifier
from discreet.core.errors import InvalidInput
from discreet.data import Block, FunctionTable
from discreet.matrices import DenseMatrix

RNG = np.random.default_rng(0)
ROWS = RNG.choice([-1.0, 1.0], size=(5000, 8))
TARGETS = 0.5 * ROWS[:, 1] - 0.4 * ROWS[:, 2] + 0.05 * RNG.standard_normal(5000)
LABELS = np.where(TARGETS > 0, "yes", "no")


def table(targets):
    def make(number):
        part = slice(600 * number, 600 * (number + 1))
        return Block(DenseMatrix(ROWS[part]), targets[part])

    return FunctionTable(make, blocks=9, features=8)


@pytest.mark.more
@pytest.mark.parametrize(
    ("make", "targets"),
    [
        (lambda: Lasso(random_state=1, target_bound=1.0), TARGETS),
        (lambda: LassoClassifier(random_state=1, classes=["no", "yes"]), LABELS),
        (lambda: LassoClassifier(random_state=1, classes=["no", "yes"], neighbours="add-remove", public_records=5000), LABELS),
    ],
)
def test_the_model_of_blocks_is_that_of_the_array(make, targets):
    found, expected = make().fit(table(targets)), make().fit(ROWS, targets)
    np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-9)
    assert found.certificate_.declared == expected.certificate_.declared
    assert found.n_features_in_ == 8
    np.testing.assert_allclose(found._predictions(table(targets)), expected._predictions(ROWS), atol=1e-9)


def test_what_a_table_in_blocks_must_bring():
    with pytest.raises(InvalidInput, match="for a table read in blocks, declare the classes"):
        LassoClassifier().fit(table(LABELS))
    with pytest.raises(InvalidInput, match="leave y out"):
        Lasso(target_bound=1.0).fit(table(TARGETS), TARGETS)
    with pytest.raises(InvalidInput, match="y contains a label that is not one of the declared"):
        LassoClassifier(classes=["no", "maybe"]).fit(table(LABELS))
    with pytest.raises(InvalidInput, match="targets must be finite numbers"):
        Lasso(target_bound=1.0).fit(table(LABELS))
    with pytest.raises(InvalidInput, match="8 features; rows with 1"):
        Lasso(random_state=1, target_bound=1.0).fit(table(TARGETS)).predict(
            FunctionTable(lambda _: Block(DenseMatrix(ROWS[:, :1]), None), blocks=1, features=1)
        )
