"""How each public table is prepared, as in the papers where they say so.

adult          48,842 x 14, categories as integers in alphabetical order ("?" is one of them); +1 more than 50,000 dollars a year
adult-cms      45,222 x 105, rows of norm 1 (Chaudhuri, Monteleoni, Sarwate 2011, section 7)
breast-cancer  569 x 30 as they are; +1 benign
digits         1,797 x 64, small scans of digits, grey levels 0 to 16; targets 0 to 9
mnist          70,000 x 784 grey levels 0 to 255, the 60,000 for training first; targets 0 to 9
mnist-4-9      the 13,782 of them that are fours (-1) or nines (+1), the 11,791 for training first
kdd-all        494,021 x 118, the whole 10 % file, sparse, prepared like the next
kdd            70,000 x 118 of the 10 % file, symbolic columns one-hot, numbers over their maximum, rows of norm 1; +1 normal (Chaudhuri et al.)
lending-club   42,535 loans of 2007 to 2011, categories as integers, dates as years, empty cells as 0; the target is the interest rate
w8a, farm-ads  49,749 x 300 and 4,143 x 54,877, sparse, as they are
"""

import io
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import sparse
from sklearn import datasets

from discreet.core.arrays import Floats
from discreet.data.adult import adult_cms, load_adult
from studies.tables import FILES, Table, Tables, check

Bytes = npt.NDArray[np.uint8]

_KDD_SYMBOLS = (1, 2, 3)
_KDD_LABEL = 41
KDD_RECORDS, KDD_SEED = 70_000, 1999
_NOT_FEATURES = ("int_rate", "zip_code")
"""The target, and three digits of a postal code, an identifier with hundreds of values."""


def normalised(rows: Floats) -> Floats:
    """Rows of norm 1; empty rows stay empty."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(norms > 0, norms, 1.0))


def _adult(_: Tables) -> Table:
    frame = load_adult().drop("test")
    features = frame.drop("income")
    signs = np.where(frame.get_column("income").str.contains(">").to_numpy(), 1.0, -1.0)
    return Table(np.column_stack([_numbers(column) for column in features]), signs, tuple(features.columns))


def _adult_cms(_: Tables) -> Table:
    return Table(*adult_cms())


def _breast_cancer(_: Tables) -> Table:
    given = datasets.load_breast_cancer()
    return Table(np.asarray(given.data, dtype=np.float64), np.where(given.target == 1, 1.0, -1.0), tuple(str(name) for name in given.feature_names))


def _digits(_: Tables) -> Table:
    given = datasets.load_digits()
    return Table(np.asarray(given.data, dtype=np.float64), np.asarray(given.target, dtype=np.float64))


def _mnist(tables: Tables) -> Table:
    found = tables.content("mnist")
    if found is None:
        images, digits = _fetched_mnist()
    else:
        parts = [idx(content) for content in found]
        images, digits = np.concatenate([parts[0], parts[2]]), np.concatenate([parts[1], parts[3]])
    return Table(images.reshape(len(images), -1).astype(np.float64), digits.astype(np.float64))


def _mnist_4_9(tables: Tables) -> Table:
    rows, digits, _ = tables.load("mnist")
    kept = (digits == 4) | (digits == 9)
    return Table(rows[kept], np.where(digits[kept] == 9, 1.0, -1.0))


def _kdd(tables: Tables) -> Table:
    rows, signs, _ = tables.load("kdd-all")
    chosen = np.random.default_rng(KDD_SEED).permutation(len(signs))[:KDD_RECORDS]
    return Table(rows[chosen].toarray() if isinstance(rows, sparse.csr_array) else rows[chosen], signs[chosen])


def _kdd_all(tables: Tables) -> Table:
    found = tables.content("kdd")
    frame = _fetched_kdd() if found is None else pl.read_csv(io.BytesIO(found[0]), has_header=False)
    columns = frame.columns
    numeric = [columns[place] for place in range(_KDD_LABEL) if place not in _KDD_SYMBOLS]
    numbers = frame.select(numeric).to_numpy().astype(np.float64)
    blocks = [sparse.csr_array(numbers / np.maximum(numbers.max(axis=0), 1.0))]
    for place in _KDD_SYMBOLS:
        levels, codes = np.unique(frame.get_column(columns[place]).to_numpy().astype(str), return_inverse=True)
        blocks.append(sparse.csr_array((np.ones(len(codes)), (np.arange(len(codes)), codes)), shape=(len(codes), len(levels))))
    rows = sparse.csr_array(sparse.hstack(blocks, format="csr"))
    norms = np.sqrt(np.add.reduceat(np.square(rows.data), rows.indptr[:-1]))
    rows.data /= np.repeat(norms, np.diff(rows.indptr))  # every row has its three symbols: none is empty
    signs = np.where(frame.get_column(columns[_KDD_LABEL]).to_numpy().astype(str) == "normal.", 1.0, -1.0)
    return Table(rows, signs)


def _lending_club(tables: Tables) -> Table:
    found = tables.content("lending-club") or [b""]
    frame = pl.read_csv(io.BytesIO(found[0]), infer_schema_length=None, try_parse_dates=True)
    features = frame.drop(_NOT_FEATURES)
    columns = {column.name: _numbers(column) for column in features}
    kept = [name for name, values in columns.items() if np.ptp(values) > 0]
    return Table(np.column_stack([columns[name] for name in kept]), frame.get_column("int_rate").to_numpy().astype(np.float64), tuple(kept))


def _sparse(name: str, features: int) -> Callable[[Tables], Table]:
    def load(tables: Tables) -> Table:
        found = tables.content(name) or [b""]
        rows, signs = datasets.load_svmlight_file(io.BytesIO(found[0]), n_features=features, zero_based=False)
        return Table(sparse.csr_array(rows), np.asarray(signs, dtype=np.float64))

    return load


LOADERS: dict[str, Callable[[Tables], Table]] = {
    "adult": _adult,
    "adult-cms": _adult_cms,
    "breast-cancer": _breast_cancer,
    "digits": _digits,
    "mnist": _mnist,
    "mnist-4-9": _mnist_4_9,
    "kdd": _kdd,
    "kdd-all": _kdd_all,
    "lending-club": _lending_club,
    "w8a": _sparse("w8a", 300),
    "farm-ads": _sparse("farm-ads", 54_877),
}


def idx(content: bytes) -> Bytes:
    """The array in an IDX file of bytes."""
    shape = [int.from_bytes(content[4 + 4 * axis : 8 + 4 * axis]) for axis in range(content[3])]
    return np.frombuffer(content, dtype=np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


def as_idx(values: Bytes) -> bytes:
    """An IDX file, so that what came another way is checked against the same digest."""
    head = bytes([0, 0, 8, values.ndim]) + b"".join(length.to_bytes(4) for length in values.shape)
    return head + np.ascontiguousarray(values).tobytes()


def _numbers(column: pl.Series) -> Floats:
    """Numbers as they are, dates as years, text as its place in alphabetical order; nothing is 0."""
    if column.dtype.is_numeric():
        return column.cast(pl.Float64).fill_null(0.0).fill_nan(0.0).to_numpy()
    if column.dtype == pl.Date:
        return (column.dt.year() + (column.dt.month() - 1) / 12).cast(pl.Float64).fill_null(0.0).to_numpy()
    return (column.cast(pl.String).fill_null("").rank("dense").cast(pl.Float64) - 1.0).to_numpy()


def _fetched_mnist() -> tuple[Bytes, Bytes]:
    given = datasets.fetch_openml(data_id=554, as_frame=False, parser="liac-arff")
    images, digits = np.asarray(given.data, dtype=np.uint8).reshape(-1, 28, 28), np.asarray(given.target).astype(np.uint8)
    for part, file in zip((images[:60_000], digits[:60_000], images[60_000:], digits[60_000:]), FILES["mnist"], strict=True):
        check(as_idx(part), file)
    return images, digits


def _fetched_kdd() -> pl.DataFrame:
    given = datasets.fetch_kddcup99(percent10=True, as_frame=False)
    lines = [",".join([*map(_cell, row), _cell(label)]) for row, label in zip(given.data.tolist(), given.target.tolist(), strict=True)]
    content = check(("\n".join(lines) + "\n").encode("ascii"), FILES["kdd"][0])
    return pl.read_csv(io.BytesIO(content), has_header=False)


def _cell(value: object) -> str:
    """As in the file: rates have two decimals, everything else is text or an integer."""
    if isinstance(value, bytes):
        return value.decode("ascii")
    return f"{value:.2f}" if isinstance(value, float) else str(value)
