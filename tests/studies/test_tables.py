"""Public tables: found, checked, prepared; and refused when they are something else."""

import gzip

import numpy as np
import pytest
from sklearn import datasets
from sklearn.utils import Bunch

from discreet.core.errors import FileFormatError, InvalidInput
from studies import Tables
from studies.loaders import LOADERS, as_idx, idx
from studies.tables import FILES, NAMES, File
from tests.studies.conftest import needs, real_tables


@pytest.fixture(autouse=True)
def no_folder_from_outside(monkeypatch, request):
    if "real" not in request.node.name:
        monkeypatch.delenv("DISCREET_DATA", raising=False)


@pytest.mark.parametrize(
    ("name", "shape"), [("adult", (48_842, 14)), ("adult-cms", (45_222, 105)), ("breast-cancer", (569, 30)), ("digits", (1797, 64))]
)
def test_tables_that_come_along_need_no_folder(name, shape):
    table = Tables().load(name)
    assert table.dense.shape == shape
    assert len(table.targets) == shape[0]
    assert np.all(np.isfinite(table.dense))


def test_every_name_has_a_loader():
    assert set(NAMES) == set(LOADERS)


def test_a_missing_table_says_what_to_do():
    tables = Tables()
    assert tables.missing(["adult", "mnist-4-9", "kdd"]) == ("mnist-4-9", "kdd")
    with pytest.raises(InvalidInput, match="'mnist-4-9' is missing: it needs mnist/train-images"):
        tables.load("mnist-4-9")
    with pytest.raises(InvalidInput, match="there is no table 'iris'"):
        tables.load("iris")


def test_the_folder_comes_from_the_environment_and_must_be_there(tmp_path, monkeypatch):
    monkeypatch.setenv("DISCREET_DATA", str(tmp_path))
    assert Tables().folder == tmp_path
    with pytest.raises(InvalidInput, match="is not there; give --data"):
        Tables(tmp_path / "nowhere")


def tiny(monkeypatch, tmp_path, content):
    """A table "w8a" of three lines whose digest is that of b"..." below."""
    import hashlib

    lines = b"-1 1:1\n1 2:1 300:1\n-1 3:1\n"
    monkeypatch.setitem(FILES, "w8a", (File("sparse/w8a.gz", hashlib.sha256(lines).hexdigest()),))
    (tmp_path / "w8a.gz").write_bytes(content if content is not None else gzip.compress(lines))
    return Tables(tmp_path)


def test_a_file_is_found_by_its_name_alone_and_unpacked(monkeypatch, tmp_path):
    table = tiny(monkeypatch, tmp_path, None).load("w8a")
    assert table.rows.shape == (3, 300)
    assert table.dense[1, [1, 299]].tolist() == [1, 1]
    assert table.targets.tolist() == [-1, 1, -1]


@pytest.mark.parametrize(
    ("content", "message"), [(gzip.compress(b"1 1:1\n", mtime=0), "is not the published file"), (b"nothing packed", "cannot be read")]
)
def test_another_file_is_refused(monkeypatch, tmp_path, content, message):
    with pytest.raises(FileFormatError, match=message):
        tiny(monkeypatch, tmp_path, content).load("w8a")


def test_arrays_go_through_the_idx_format_and_back():
    values = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    assert np.array_equal(idx(as_idx(values)), values)


def test_what_was_fetched_is_checked_like_a_file(monkeypatch):
    monkeypatch.setattr(datasets, "fetch_openml", lambda **_: Bunch(data=np.zeros((70_000, 784)), target=np.full(70_000, "4")))
    monkeypatch.setattr(
        datasets, "fetch_kddcup99", lambda **_: Bunch(data=np.array([[0, b"tcp", 0.5]], dtype=object), target=np.array([b"normal."], dtype=object))
    )
    tables = Tables(download=True)
    assert tables.missing(["mnist-4-9", "kdd", "w8a"]) == ("w8a",)
    for name in ("mnist", "kdd"):
        with pytest.raises(FileFormatError, match="is not the published file"):
            tables.load(name)


@pytest.mark.slow
@needs("mnist", "kdd", "lending-club", "w8a", "farm-ads")
def test_the_real_tables_have_their_counts():
    tables = real_tables()
    shapes = {name: tables.load(name).rows.shape for name in NAMES}
    assert shapes["mnist-4-9"] == (13_782, 784)
    assert shapes["kdd"] == (70_000, 118)
    assert shapes["lending-club"] == (42_535, 48)
    assert shapes["w8a"] == (49_749, 300)
    assert shapes["farm-ads"] == (4143, 54_877)
    assert int(np.sum(tables.load("w8a").targets > 0)) == 1479
    assert np.mean(tables.load("mnist-4-9").targets[:11_791] > 0) == pytest.approx(5949 / 11_791)


@pytest.mark.slow
@needs("kdd")
def test_the_real_kdd_file_is_rebuilt_from_what_scikit_learn_gives(monkeypatch):
    lines = real_tables().content("kdd")[0].decode().splitlines()
    fields = [line.split(",") for line in lines]
    rates = {column for column in range(41) if "." in fields[0][column]}

    def cell(column, text):
        return text.encode() if column in (1, 2, 3) else float(text) if column in rates else int(text)

    data = np.array([[cell(column, text) for column, text in enumerate(row[:41])] for row in fields], dtype=object)
    target = np.array([row[41].encode() for row in fields], dtype=object)
    monkeypatch.setattr(datasets, "fetch_kddcup99", lambda **_: Bunch(data=data, target=target))
    monkeypatch.delenv("DISCREET_DATA", raising=False)
    assert Tables(download=True).load("kdd").rows.shape == (70_000, 118)
