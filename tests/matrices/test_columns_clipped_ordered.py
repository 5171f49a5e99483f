"""Single columns, clipped entries, and sums in a fixed order, for every kind of design."""

import numpy as np
import pytest
import scipy.sparse as sp

from discreet.matrices import AugmentedDesign, ClippedDesign, TabularDesign, as_design, clip_entries, columns_of, entries_of, ordered_matvec
from discreet.matrices.ordered import ordered_row_norms


def table(records=3000, features=6):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(records, features))
    X[draw.random(X.shape) < 0.4] = 0.0
    return X


def designs():
    X = table()
    codes = [np.arange(len(X)) % 3, np.arange(len(X)) % 2]
    return {
        "dense": as_design(X),
        "columns first": as_design(np.asfortranarray(X)),
        "single precision": as_design(X.astype(np.float32)),
        "sparse": as_design(sp.csr_array(X)),
        "tabular": TabularDesign(X, codes, [3, 2]),
        "augmented": AugmentedDesign(as_design(X), scale=np.linspace(0.1, 1.0, len(X)), constant=0.5),
        "augmented sparse": AugmentedDesign(as_design(sp.csr_array(X)), scale=np.linspace(0.1, 1.0, len(X)), constant=0.5),
        "clipped": ClippedDesign(as_design(X), bound=0.7),
        "clipped tabular": ClippedDesign(TabularDesign(X, codes, [3, 2]), bound=0.7),
    }


each_design = pytest.mark.parametrize("kind", designs())


def written_out(design):
    return np.concatenate([entries_of(block, slice(None)) for _, block in design.blocks()])


@each_design
def test_a_column_holds_the_entries_of_the_table(kind):
    design = designs()[kind]
    expected, column = written_out(design), columns_of(design)
    for index in range(design.shape[1]):
        rows, values = column(index)
        found = np.zeros(design.shape[0])
        found[slice(None) if rows is None else rows] = values
        assert np.allclose(found, expected[:, index], rtol=1e-15, atol=0.0)


@each_design
def test_an_ordered_product_is_the_product(kind):
    design = designs()[kind]
    weights = np.random.default_rng(1).normal(size=design.shape[1])
    assert np.allclose(ordered_matvec(design, weights), design.matvec(weights), rtol=0.0, atol=1e-13)
    assert np.allclose(ordered_row_norms(design), design.row_norms(), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("kind", ["dense", "columns first", "single precision", "sparse"])
@pytest.mark.parametrize("left_out", [0, 1, 1023, 1024, 2000, 2999])
def test_an_ordered_product_of_a_row_does_not_depend_on_the_other_rows(kind, left_out):
    X = table()
    change = {"dense": np.asarray, "columns first": np.asfortranarray, "single precision": lambda A: A.astype(np.float32), "sparse": sp.csr_array}[
        kind
    ]
    weights = np.random.default_rng(2).normal(size=X.shape[1])
    kept = np.delete(np.arange(len(X)), left_out)
    for function in (lambda design: ordered_matvec(design, weights), ordered_row_norms):
        whole, part = function(as_design(change(X))), function(as_design(change(X[kept])))
        assert np.array_equal(whole[kept], part)


@each_design
def test_clipping_clips_every_entry_and_nothing_else(kind):
    design = designs()[kind]
    clipped = clip_entries(design, 0.6)
    expected = np.clip(written_out(design), -0.6, 0.6)
    weights, coefficients = np.linspace(-1.0, 1.0, design.shape[1]), np.linspace(-1.0, 1.0, design.shape[0])
    assert np.allclose(clipped.matvec(weights), expected @ weights, atol=1e-12)
    assert np.allclose(clipped.rmatvec(coefficients), coefficients @ expected, atol=1e-10)
    assert np.allclose(clipped.row_norms(), np.linalg.norm(expected, axis=1))
    assert np.allclose(clipped.gram(coefficients**2), (expected.T * coefficients**2) @ expected, atol=1e-9)
    assert np.allclose(clipped.gram_diagonal(coefficients**2), coefficients**2 @ expected**2)
    assert clipped.shape == design.shape


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_table_without_larger_entries_is_its_own_clipped_form(kind):
    design = designs()[kind]
    assert clip_entries(design, 100.0) is design
