"""Records with real targets: what the door does to them, and what it never shows."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from discreet.core.errors import InvalidInput, PrivateDataError
from discreet.core.neighbours import Persons
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from tests.canary import CANARY, assert_silent

KINDS = {"dense": np.asarray, "single": lambda X: X.astype(np.float32), "sparse": sp.csr_array}


def dataset(X, y, *, change=np.asarray, **bounds):
    return Records(rows=as_matrix(change(X)), targets=y, domain=Domain(features=X.shape[1], **{"target_bound": 1.0} | bounds))


def table(records=500, features=4):
    draw = np.random.default_rng(0)
    return 3.0 * draw.normal(size=(records, features)), 3.0 * draw.normal(size=records)


def rows_of(data):
    return np.concatenate([block.entries(slice(None)) for _, block in data.matrix.blocks()])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "bounds", [{"entry_bound": 0.7}, {"norm_bound": 1.1}, {"entry_bound": 0.7, "norm_bound": 1.1}, {"entry_bound": 0.7, "intercept_scale": 0.9}]
)
def test_every_record_is_within_the_bounds_and_the_table_is_unchanged(kind, bounds):
    X, y = table()
    before = X.copy()
    data = dataset(X, y, change=KINDS[kind], target_bound=0.5, **bounds)
    rows = rows_of(data)
    assert np.abs(rows).max() <= data.domain.largest_entry
    assert np.linalg.norm(rows, axis=1).max() <= data.domain.radius
    assert np.array_equal(data.targets, np.clip(y, -0.5, 0.5))
    assert np.array_equal(X, before)


def test_records_within_the_bounds_stay_as_they_are():
    X, y = table()
    X, y = X / np.abs(X).max(), y / np.abs(y).max()
    data = dataset(X, y, entry_bound=1.0, norm_bound=3.0)
    assert np.array_equal(rows_of(data), X)
    assert np.array_equal(data.targets, y)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_done_to_a_record_does_not_depend_on_the_others(kind):
    X, y = table(2100)
    bounds = {"entry_bound": 2.0, "norm_bound": 1.5}
    whole, part = dataset(X, y, change=KINDS[kind], **bounds), dataset(X[1:], y[1:], change=KINDS[kind], **bounds)
    assert np.array_equal(rows_of(whole)[1:], rows_of(part))


def test_a_full_row_of_another_record_shortens_no_sparse_row_of_a_class():
    """The room left for rounding follows from the number of columns, and not from the most entries of a row."""
    few, full = np.zeros((3, 5000)), np.ones((1, 5000))
    few[:, :4] = [[3.0, 4.0, 0.0, 0.0], [5.0, 12.0, 1.0, 1.0], [0.1, 0.2, 0.0, 0.0]]
    domain = Domain(features=5000, norm_bound=1.0, classes=2)
    alone, beside = (
        Records(rows=as_matrix(sp.csr_array(rows)), targets=np.ones(len(rows)), domain=domain).matrix.entries(slice(0, 3))
        for rows in (few, np.vstack((few, full)))
    )
    assert np.array_equal(alone, beside)


def test_the_content_is_that_of_the_table_whatever_the_bounds():
    X, y = table()
    one = b"".join(dataset(X, y, entry_bound=0.1).content())
    assert one == b"".join(dataset(X, y, norm_bound=2.0, target_bound=3.0).content())
    assert one != b"".join(dataset(X, y + 1.0, entry_bound=0.1).content())


@pytest.mark.parametrize(
    "bounds",
    [
        {},
        {"entry_bound": 0.0},
        {"entry_bound": np.inf},
        {"norm_bound": -1.0},
        {"entry_bound": 1.0, "target_bound": np.nan},
        {"entry_bound": 1.0, "intercept_scale": -1.0},
        {"entry_bound": 1.0, "records": 0},
    ],
)
def test_a_domain_without_usable_bounds_is_refused(bounds):
    with pytest.raises(InvalidInput):
        Domain(features=3, **bounds)


def test_nothing_shows_copies_or_pickles_records():
    X, y = np.full((3, 2), CANARY), np.full(3, CANARY)
    data = dataset(X, y, entry_bound=1.0)
    assert_silent(repr(data))
    for leave in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(PrivateDataError) as refusal:
            leave(data)
        assert_silent(refusal.value)


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.full((3, 2), CANARY), np.full(2, CANARY)),
        (np.full((3, 3), CANARY), np.full(3, CANARY)),
        (np.full((3, 2), CANARY), np.array([CANARY, np.nan, 0.0])),
        (np.array([[CANARY, np.inf]] * 3), np.zeros(3)),
    ],
)
def test_broken_records_are_refused_without_a_word_of_them(X, y):
    with pytest.raises(InvalidInput) as refusal:
        Records(rows=as_matrix(X), targets=y, domain=Domain(features=2, entry_bound=1.0, target_bound=1.0))
    assert_silent(refusal.value)


def test_a_domain_says_what_targets_are():
    bounds = {"features": 2, "norm_bound": 1.0}
    assert [Domain(**bounds, **kind).kind for kind in ({"classes": 2}, {"classes": 3}, {"target_bound": 2.0}, {})] == [
        "sign",
        "code",
        "number",
        "none",
    ]
    for both in ({"classes": 2, "target_bound": 1.0}, {"classes": 2, "entry_bound": 1.0}, {"classes": 1}):
        with pytest.raises(InvalidInput):
            Domain(**bounds, **both)
    with pytest.raises(InvalidInput, match="Declare classes=K for labels, target_bound=B for"):
        Domain(**bounds).require("number")


def test_records_without_targets_are_known_as_those_of_zeros():
    X, _ = table()
    alone = Records(rows=as_matrix(X), domain=Domain(features=X.shape[1], entry_bound=1.0))
    assert b"".join(alone.content()) == b"".join(dataset(X, np.zeros(len(X)), entry_bound=1.0).content())
    for read in ("targets", "signs", "codes"):
        with pytest.raises(InvalidInput):
            getattr(alone, read)
    with pytest.raises(InvalidInput, match="declares targets of kind none, and some were given"):
        Records(rows=as_matrix(X), targets=np.zeros(len(X)), domain=alone.domain)
    with pytest.raises(InvalidInput, match="records without targets, and numeric targets"):
        Records(rows=as_matrix(X), domain=alone.domain, weights=np.ones(len(X)))


KINDS_OF_TARGETS = {
    "classes": ({"norm_bound": 2.0, "classes": 2}, np.array([0, 1, 1, 0, 1])),
    "numbers": ({"entry_bound": 1.0, "target_bound": 2.0}, np.array([3.0, 0.5, -1.0, 0.0, 1.0])),
    "none": ({"entry_bound": 1.0}, None),
}
each_kind = pytest.mark.parametrize("kind", KINDS_OF_TARGETS)


def of_persons(kind, persons, weights, *, change=np.asarray):
    bounds, targets = KINDS_OF_TARGETS[kind]
    rows = as_matrix(change(np.arange(10.0).reshape(5, 2) / 10.0))
    return Records(rows=rows, targets=targets, domain=Domain(features=2, persons=persons, **bounds), weights=weights)


@each_kind
@pytest.mark.parametrize("change", KINDS.values(), ids=list(KINDS))
def test_rows_that_are_not_kept_are_left_out_and_the_content_is_that_of_all(kind, change):
    weights = np.array([0.5, 0.0, 0.5, 0.0, 1.0])
    data = of_persons(kind, Persons(rows=2), weights, change=change)
    plain = of_persons(kind, None, None, change=change)
    assert data.records == 3
    assert np.array_equal(data.weights, weights[[0, 2, 4]])
    assert np.array_equal(rows_of(data), rows_of(plain)[[0, 2, 4]])
    if kind != "none":
        column = "signs" if kind == "classes" else "targets"
        assert np.array_equal(getattr(data, column), getattr(plain, column)[[0, 2, 4]])
    assert b"".join(data.content()) == b"".join(plain.content())
    assert b"".join(of_persons(kind, Persons(rows=2), weights[::-1], change=change).content()) == b"".join(plain.content())


@each_kind
def test_one_row_of_each_person_is_a_table_of_rows_without_weights_of_persons(kind):
    data = of_persons(kind, Persons(), np.array([1.0, 0.0, 1.0, 0.0, 1.0]))
    assert data.records == 3
    assert kind == "classes" or data.weights is None
    if kind != "classes":
        with pytest.raises(InvalidInput, match="with one row per person, every row has weight 1"):
            of_persons(kind, Persons(), np.array([0.5, 0.0, 1.0, 0.0, 1.0]))


@each_kind
def test_persons_that_are_told_apart_and_no_weights_are_refused(kind):
    for persons in (Persons(rows=2), Persons()):
        with pytest.raises(InvalidInput, match="with person ids, every row needs a weight"):
            of_persons(kind, persons, None)
    assert of_persons(kind, Persons(weight="declared"), None).records == 5
    if kind != "classes":
        for persons in (None, Persons(weight="declared")):
            with pytest.raises(InvalidInput, match="records without targets, and numeric targets"):
                of_persons(kind, persons, np.ones(5))
