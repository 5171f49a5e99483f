"""Blocks that say whose rows are whose become the records of the same rows in memory: the same rows kept, the same weights, the same n."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.data import Block, Domain, FunctionTable, NpyTable, Reader, Records, TransformedTable, numeric_files, streamed_records
from discreet.data.persons import keyed, person_codes, row_weights, times
from discreet.matrices import DenseMatrix
from discreet.noise import SeededNoise
from tests.parts import table_elsewhere

FEATURES = 3
draw = np.random.default_rng(4)
OWNERS = draw.zipf(1.7, size=900) % 200
"""Scattered over the table; some have many rows."""
ROWS = draw.standard_normal((len(OWNERS), FEATURES))
LABELS = draw.integers(0, 3, size=len(OWNERS))
CLASSES = np.arange(3)
CLASS_WEIGHTS = np.array([0.5, 2.0, 1.0])
PERSONS = [Persons(rows=4), Persons(rows=4, weight="row"), Persons()]
DOMAINS = {
    "classes": Domain(features=FEATURES, norm_bound=1.0, classes=3, persons=PERSONS[0]),
    "numbers": Domain(features=FEATURES, entry_bound=1.0, target_bound=2.0, persons=PERSONS[0]),
    "none": Domain(features=FEATURES, entry_bound=1.0, persons=PERSONS[0]),
}
each_domain = pytest.mark.parametrize("domain", DOMAINS.values(), ids=list(DOMAINS))
each_rule = pytest.mark.parametrize("persons", PERSONS, ids=lambda persons: f"{persons.rows} {persons.weight}")


def sliced(size, *, ids=OWNERS, weights=None):
    def make(number):
        part = slice(size * number, size * (number + 1))
        return Block(DenseMatrix(ROWS[part]), LABELS[part], None if weights is None else weights[part], ids[part])

    return FunctionTable(make, blocks=-(-len(ids) // size), features=FEATURES)


def elsewhere(_):
    below = sliced(180)
    return table_elsewhere(list(below.map(lambda _, block: block, 1)), features=FEATURES)


def npy(folder):
    for name, array in (("rows", ROWS), ("labels", LABELS), ("owners", OWNERS)):
        np.save(folder / f"{name}.npy", array)
    return NpyTable(folder / "rows.npy", folder / "labels.npy", persons=folder / "owners.npy", rows_in_block=170)


def parquet(folder):
    names = [f"x{index}" for index in range(FEATURES)]
    frame = pl.DataFrame({name: ROWS[:, index] for index, name in enumerate(names)} | {"y": LABELS, "id": OWNERS})
    frame[:500].write_parquet(folder / "1.parquet", row_group_size=150)
    frame[500:].with_columns(pl.col("id").cast(pl.String)).write_parquet(folder / "2.parquet")
    return numeric_files(folder, features=names, target="y", person="id", rows_in_block=150)


TABLES = {
    "one block": lambda _: sliced(len(OWNERS)),
    "many blocks": lambda _: sliced(70),
    "texts": lambda _: sliced(70, ids=pl.Series(OWNERS).cast(pl.String)),
    "transformed": lambda _: TransformedTable(sliced(70), lambda rows: rows, features=FEATURES),
    "elsewhere": elsewhere,
    "transformed elsewhere": lambda _: TransformedTable(elsewhere(_), lambda rows: rows, features=FEATURES),
    "npy": npy,
    "parquet": parquet,
}


def in_memory(domain, seed=7, class_weights=None):
    weights = row_weights(person_codes(OWNERS), domain.persons, SeededNoise(seed)).weights
    if class_weights is not None:
        weights = times(weights, class_weights[LABELS])
    targets = {"code": LABELS, "number": LABELS.astype(float), "none": None}[domain.kind]
    return Records(rows=DenseMatrix(ROWS), targets=targets, domain=domain, weights=weights)


def read(table, domain, seed=7, **more):
    reader = Reader(domain=domain, classes=CLASSES if domain.classes else None, **more)
    count, data_of = reader.read(table, 2, noise=SeededNoise(seed))
    return count, data_of(replace(domain, records=count or None))


def written_out(data):
    parts = [
        (block.matrix.entries(slice(0, block.records)), block.weights, block.codes if block.domain.classes else None)
        for block in data.map(lambda _, block: block)
    ]
    return [None if parts[0][column] is None else np.concatenate([part[column] for part in parts]) for column in range(3)]


def assert_same(found, expected):
    for one, other in zip(written_out(found), written_out(expected), strict=True):
        np.testing.assert_array_equal(one, other)
    assert b"".join(found.content()) == b"".join(expected.content()) or found.remote


@pytest.mark.parametrize("kind", TABLES)
@each_domain
@each_rule
def test_a_table_in_blocks_is_the_table_in_memory(kind, domain, persons, tmp_path):
    domain = replace(domain, persons=persons)
    count, found = read(TABLES[kind](tmp_path), domain)
    assert count == len(set(OWNERS.tolist()))
    assert found.domain.records == count
    assert found.records == np.minimum(np.bincount(OWNERS), persons.rows).sum()
    assert_same(found, in_memory(domain))


@pytest.mark.parametrize("kind", ["many blocks", "elsewhere"])
def test_weights_of_classes_and_of_records_multiply_shares(kind, tmp_path):
    domain = DOMAINS["classes"]
    _, found = read(TABLES[kind](tmp_path), domain, class_weights=CLASS_WEIGHTS)
    assert_same(found, in_memory(domain, class_weights=CLASS_WEIGHTS))
    given = np.linspace(0.1, 3.0, len(OWNERS))
    _, weighted = read(sliced(70, weights=given), domain, max_weight=2.0)
    shares = row_weights(person_codes(OWNERS), domain.persons, SeededNoise(7)).weights
    np.testing.assert_array_equal(written_out(weighted)[1], times(shares, np.minimum(given, 2.0))[shares > 0])


@each_domain
def test_a_ledger_knows_the_table_whatever_was_drawn(domain):
    contents = {b"".join(read(sliced(size), domain, seed)[1].content()) for size, seed in ((70, 1), (70, 2), (900, 3))}
    targets = {"code": LABELS, "number": LABELS.astype(float), "none": None}[domain.kind]
    plain = Records(rows=DenseMatrix(ROWS), targets=targets, domain=replace(domain, persons=None))
    assert contents == {b"".join(plain.content())} == {b"".join(in_memory(domain, seed).content()) for seed in (1, 2)}


def sums_of_persons(data):
    """Largest sum of weights of a person, whose rows are told apart by their first numbers."""
    owner_of = dict(zip(ROWS[:, 0].tolist(), OWNERS.tolist(), strict=True))
    sums = np.zeros(OWNERS.max() + 1)
    rows, weights, _ = written_out(data)
    np.add.at(sums, [owner_of[first] for first in rows[:, 0].tolist()], weights)
    return sums.max()


WIDE = Domain(features=FEATURES, entry_bound=100.0, persons=PERSONS[0])


def test_a_person_that_is_split_between_blocks_is_one(monkeypatch):
    assert sums_of_persons(read(sliced(70), WIDE)[1]) == 1.0
    count = iter(range(10**6))
    monkeypatch.setattr(
        "discreet.data.shared_table.keyed", lambda ids, key: keyed(ids, bytes([next(count) % 256]) + key[1:])
    )  # the fault: a key a block
    assert sums_of_persons(read(sliced(70), WIDE)[1]) > 2.0


def test_a_task_elsewhere_takes_along_what_its_blocks_need_and_no_id():
    for kind in ("elsewhere", "transformed elsewhere"):
        table = TABLES[kind](None)
        client = (table if kind == "elsewhere" else table._table)._cluster.client
        _, data = read(table, WIDE)
        client.sent.clear()
        list(data.map(lambda _, block: block.records))
        for work, numbers, *_ in client.sent:
            shared = work if kind == "elsewhere" else work.work
            assert set(shared.counts) == set(numbers)
            assert all(counts.dtype == np.uint8 for counts in shared.counts.values())


def test_a_table_that_changes_is_noticed():
    lengths = [70] * 5

    def make(number):
        return Block(DenseMatrix(ROWS[: lengths[number]]), None, None, OWNERS[: lengths[number]])

    _, data = read(FunctionTable(make, blocks=5, features=FEATURES), WIDE)
    lengths[3] = 71
    with pytest.raises(InvalidInput, match="the table changed while it was being read"):
        list(data.map(lambda _, block: block.records))


def test_some_blocks_and_samples_are_of_rows_that_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.data.stream._FEWEST", 1)
    monkeypatch.setattr("discreet.data.stream._SHARE", 2)
    _, data = read(npy(tmp_path), WIDE)
    some = data.sample()
    assert some
    whole = {tuple(row): weight for row, weight in zip(*written_out(data)[:2], strict=True)}
    for block in some:
        assert all(whole[tuple(row)] == weight for row, weight in zip(*written_out(block)[:2], strict=True))
    _, remote = read(elsewhere(None), WIDE)
    few = remote.few(2)
    np.testing.assert_array_equal(written_out(few)[1], np.concatenate([block.weights for block in remote.map(lambda _, block: block)][::2]))


def test_an_empty_table_has_nobody():
    table = FunctionTable(lambda _: Block(DenseMatrix(np.empty((0, FEATURES))), None, None, OWNERS[:0]), blocks=2, features=FEATURES)
    count, data = read(table, WIDE)
    assert (count, data.records) == (0, 0)


def test_what_is_not_declared_or_not_there_is_refused_before_anything_is_drawn():
    nobody = FunctionTable(lambda _: Block(DenseMatrix(ROWS), None), blocks=1, features=FEATURES)
    with pytest.raises(InvalidInput, match="needs a column of person ids"):
        read(nobody, WIDE)
    for persons in (None, Persons(weight="declared")):
        with pytest.raises(InvalidInput, match="the table has a column of person ids, but this method"):
            streamed_records(sliced(70), domain=replace(WIDE, persons=persons))
    with pytest.raises(ValueError, match="a noise source is needed"):
        streamed_records(sliced(70), domain=WIDE)
    short = FunctionTable(lambda _: Block(DenseMatrix(ROWS), None, None, OWNERS[:-1]), blocks=1, features=FEATURES)
    with pytest.raises(InvalidInput, match="the same length"):
        read(short, WIDE)
