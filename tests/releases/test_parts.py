"""Releases that do not fit in memory: parts are written while rows come, and read one at a time."""

import tracemalloc
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from discreet import SeededNoise, SystemNoise
from discreet.core.errors import InvalidInput
from discreet.data import Domain
from discreet.releases import parts, plain_parquet, publish, read_release
from discreet.releases.manifest import manifest_text
from tests.releases.cases import PRIVATE

ROWS, COLUMNS = 60_000, 20
TOTAL = ROWS * COLUMNS * 8


def peak_of_release(folder):
    """Of memory, in bytes, while a table on disk is released, read and checked."""
    table = np.lib.format.open_memmap(folder / "table.npy", mode="w+", dtype=np.float64, shape=(ROWS, COLUMNS))
    for start in range(0, ROWS, 1000):
        table[start : start + 1000] = np.cos(np.arange(start * COLUMNS, (start + 1000) * COLUMNS).reshape(1000, COLUMNS))
    domain = Domain(features=COLUMNS, entry_bound=1.0, target_bound=1.0)
    publish(table[:9], folder / "first", SeededNoise(1), domain=domain, method="additive", target="omitted", **PRIVATE).verify()  # imports stay
    tracemalloc.start()
    made = publish(table, folder / "out", SeededNoise(1), domain=domain, method="additive", target="omitted", **PRIVATE)
    count = sum(len(block) for block in made.blocks())
    failed = [check.name for check in made.verify().checks if not check.ok]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (count, failed) == (ROWS, ["noise source"])
    return peak


def test_a_release_is_never_held_as_a_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "PART_NUMBERS", 1 << 15)
    assert peak_of_release(tmp_path) < 0.7 * TOTAL
    assert len(read_release(tmp_path / "out").parts) > 20


def test_that_test_would_notice(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "PART_NUMBERS", 1 << 22)
    assert peak_of_release(tmp_path) > TOTAL


def to_be_released(rows):
    """So many rows of three columns, and what is asked for."""
    domain = Domain(features=3, entry_bound=1.0, target_bound=1.0)
    return np.random.default_rng(0).uniform(-1, 1, (rows, 3)), {"domain": domain, "method": "additive", "target": "omitted", **PRIVATE}


def test_parts_are_the_same_rows_in_order(tmp_path, monkeypatch):
    X, asked = to_be_released(5000)
    whole = publish(X, tmp_path / "whole", SeededNoise(2), **asked)
    monkeypatch.setattr(parts, "PART_NUMBERS", 4000)
    split = publish(X, tmp_path / "split", SeededNoise(2), **asked)
    assert len(whole.parts) == 1 < len(split.parts)
    assert np.array_equal(whole.values(), split.values())
    assert whole.certificate == split.certificate
    assert {entry["@type"] for entry in split.document["distribution"]} == {"cr:FileObject", "cr:FileSet"}
    assert split.document["recordSet"][0]["field"][0]["source"]["fileSet"] == {"@id": "data"}


def test_files_without_a_plain_page_are_written_and_read_by_the_library(tmp_path, monkeypatch):
    X, asked = to_be_released(500)
    plain = publish(X, tmp_path / "plain", SeededNoise(2), **asked)
    monkeypatch.setattr(plain_parquet, "_LARGEST_PAGE", 8)
    other = publish(X, tmp_path / "other", SeededNoise(2), **asked)
    assert plain.parts != other.parts
    assert plain.certificate == other.certificate
    assert np.array_equal(plain.values(), other.values())
    for made in (plain, other):
        assert [check.name for check in made.verify().checks if not check.ok] == ["noise source"]


def test_a_folder_whose_files_are_compressed_is_read_and_verified(tmp_path):
    """As they were in earlier versions."""
    X = np.random.default_rng(0).uniform(-1, 1, (500, 3))
    domain = Domain(features=3, entry_bound=1.0, target_bound=1.0)
    made = publish(X, tmp_path / "out", SystemNoise(), domain=domain, method="additive", target="omitted", **PRIVATE)
    values, (part,) = made.values(), made.parts
    pl.DataFrame(dict(zip(made.column_names, values.T, strict=True))).write_parquet(tmp_path / "out" / part.path, compression="lz4")
    now = parts.described(tmp_path / "out", part.path, part.rows)
    contents = replace(made, parts=(now,))
    (tmp_path / "out" / "manifest.json").write_text(manifest_text(contents.manifest()), encoding="utf-8")
    again = read_release(tmp_path / "out")
    assert again.parts != made.parts
    assert np.array_equal(again.values(), values)
    assert again.verify().ok


def test_a_release_of_no_records_is_a_release(tmp_path):
    domain = Domain(features=2, entry_bound=1.0, target_bound=1.0)
    asked = {"domain": domain, "method": "additive", "target": "omitted", **PRIVATE}
    made = publish(np.zeros((0, 2)), tmp_path / "none", SeededNoise(2), **asked)
    assert made.values().shape == made.shape == (0, 2)
    hidden = publish(np.zeros((0, 2)), tmp_path / "hidden", SeededNoise(2), **asked, neighbours="add-remove", slots=7)
    assert hidden.values().shape == (7, 2)


def test_a_full_disk_leaves_nothing_and_says_what_is_spent(tmp_path, monkeypatch):
    domain = Domain(features=2, entry_bound=1.0, target_bound=1.0)

    def full(self, *_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(parts.Path, "write_bytes", full)
    with pytest.raises(InvalidInput, match=r"No space left on device.*counts as spent"):
        publish(np.zeros((9, 2)), tmp_path / "out", SeededNoise(2), domain=domain, method="additive", target="omitted", **PRIVATE)
    assert list(tmp_path.iterdir()) == []


def test_a_release_that_the_disk_cannot_hold_spends_nothing(tmp_path, monkeypatch):
    domain = Domain(features=2, entry_bound=1.0, target_bound=1.0)
    asked = {"domain": domain, "method": "additive", "target": "omitted", "neighbours": "add-remove", "slots": 1 << 58, **PRIVATE}
    with pytest.raises(InvalidInput, match="is too full: up to"):
        publish(np.zeros((9, 2)), tmp_path / "out", SeededNoise(2), **asked)
    assert list(tmp_path.iterdir()) == []
