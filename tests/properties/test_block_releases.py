"""Laws of releases of tables in row blocks: every method on every kind of block, beside the same records in memory.

Noise that is silent leaves what the noise is added to, which is compared to the last bit. That the noise of every block is its own, and has the law
that it has in memory, is tested on blocks of equal rows, where a source that repeats itself is caught.
"""

from functools import cache

import numpy as np
import pytest

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Block, Domain, FunctionTable, Records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.release import GaussianRelease, placement
from discreet.mechanisms.release.answers import exact_moments
from discreet.noise import SeededNoise, SystemNoise
from discreet.noise.source import keyed_words
from discreet.queries import Rows, SecondMoments, Target
from discreet.releases import METHODS, Kind, Request
from discreet.releases.records import block_records
from tests.properties.block_tables import TABLES, each_table, records

ROWS, LABELS = records()
SIGNS = 2.0 * LABELS - 1.0
FEATURES = ROWS.shape[1]
BOX = Domain(features=FEATURES, entry_bound=0.8, target_bound=1.0)
ENDS = {**{f"x{number}": (-20.0, 25.0 + number) for number in range(FEATURES)}, "y": 30.0}
PRIVATE = {"epsilon": 1.0, "delta": 1e-6}
SMALL = {"rows": 20, "most_records": 10_000}
HIDDEN = {"neighbours": ADD_REMOVE, "slots": 3100}
CLEAR, OMITTED = {"target": Target.CLEAR}, {"target": Target.OMITTED}

CASES = {
    "additive": ("additive", PRIVATE, "tight"),
    "additive, targets in clear": ("additive", PRIVATE | CLEAR, "tight"),
    "additive, no targets": ("additive", PRIVATE | OMITTED, "tight"),
    "additive, add-remove": ("additive", PRIVATE | HIDDEN, "tight"),
    "additive, bits": ("additive", {"bits": 0.5}, "tight"),
    "laplace": ("laplace", {"epsilon": 1.0}, "tight"),
    "laplace, add-remove": ("laplace", {"epsilon": 1.0} | HIDDEN, "tight"),
    "projection": ("projection", PRIVATE | {"width": 2}, "tight"),
    "projection, add-remove": ("projection", PRIVATE | HIDDEN | {"width": 2}, "tight"),
    "fresh projection": ("fresh-projection", PRIVATE | {"width": 2}, "tight"),
    "fresh projection, targets in clear": ("fresh-projection", PRIVATE | CLEAR | {"width": 2}, "tight"),
    "fresh projection, add-remove": ("fresh-projection", PRIVATE | HIDDEN | {"width": 2}, "tight"),
    "fisher": ("fisher", PRIVATE | CLEAR | {"weights": (1.0, 2.0, 4.0, 1.0, 1.0, 3.0)}, "tight"),
    "fisher, add-remove": ("fisher", PRIVATE | HIDDEN, "tight"),
    "bounded": ("bounded", {"half_width": 20.0, "epsilon": 1.0}, "tight"),
    "bounded, own ends": ("bounded", {"noise_ends": ENDS, "epsilon": 1.0}, "tight"),
    "bounded, targets in clear": ("bounded", {"half_width": 20.0, "epsilon": 1.0} | CLEAR, "tight"),
    "null space": ("null-space", {"variance": 1.0} | CLEAR, "published"),
    "moments": ("moments", PRIVATE | {"most_records": 10_000}, "tight"),
    "sketch": ("sketch", PRIVATE | SMALL, "tight"),
    "sketch, add-remove": ("sketch", PRIVATE | SMALL | {"neighbours": ADD_REMOVE}, "tight"),
    "eigenvalue sketch": ("eigenvalue-sketch", PRIVATE | SMALL, "tight"),
    "information sketch": ("information-sketch", {"bits": 0.5} | SMALL, "tight"),
    "clear target sketch": ("clear-target-sketch", {"bits": 0.5} | SMALL | CLEAR, "tight"),
    "sketch as published": ("sketch", {"bits": 0.5} | SMALL, "published"),
}
CLOSE = ("fisher", "fisher, add-remove", "null space", "sketch as published")
"""Noisy rows are solved for a public matrix afterwards, or noise is computed from the records in floating point: last bits may differ."""
each_case = pytest.mark.parametrize("case", CASES)


class Silent(SystemNoise):
    """Discrete noise that is zero, and secret orders that are all the same; whatever is drawn once for all records is drawn anew."""

    def discrete_gaussian(self, *, scale, dimension, draws):
        return np.zeros((dimension, draws), dtype=np.int64)

    discrete_laplace = discrete_gaussian

    def words(self):
        return keyed_words(bytes(32))


class Middle(Silent):
    """Words in the middle of their range: the middle of every symmetric law that is drawn by inversion."""

    def words(self):
        return lambda count: np.full(count, 1 << 63, dtype=np.uint64)


@cache
def planned(case):
    method, request, calibration = CASES[case]
    return METHODS[method].plan(Request(domain=BOX, **request), calibration)


def held(jobs=1):
    data = Records(rows=DenseMatrix(ROWS), targets=SIGNS, domain=BOX)
    data.jobs = jobs
    return data


def streamed(kind, folder, *, target=Target.NOISY, jobs=1):
    return block_records(TABLES[kind](ROWS, SIGNS, folder), BOX, target, n_jobs=jobs)


def released(case, data, noise):
    query, mechanism = planned(case)
    return mechanism.run(query, data, noise)


def test_every_method_is_among_the_cases():
    assert {method for method, _, _ in CASES.values()} == set(METHODS)


@pytest.mark.at_most(12)
@each_table
@each_case
def test_a_release_of_blocks_is_the_release_of_the_records_in_memory(case, kind, tmp_path):
    row_by_row = METHODS[CASES[case][0]].kind not in (Kind.SKETCH, Kind.MOMENTS) and CASES[case][0] != "null-space"
    noise = Middle() if case.startswith("bounded") else Silent() if row_by_row else SeededNoise(1)
    again = SeededNoise(1) if isinstance(noise, SeededNoise) else noise
    expected = released(case, held(), noise)
    found = released(case, streamed(kind, tmp_path, target=planned(case).query.read.target, jobs=2), again)
    if case in CLOSE:
        np.testing.assert_allclose(found.value, expected.value, rtol=1e-12, atol=1e-12)
        return
    np.testing.assert_array_equal(found.value, expected.value)
    assert found.certificate == expected.certificate


@each_table
@pytest.mark.parametrize(
    "case", ["additive", "additive, targets in clear", "additive, add-remove", "laplace, add-remove", "fisher", "bounded", "fresh projection"]
)
def test_a_seeded_release_is_the_same_for_any_number_of_threads(case, kind, tmp_path):
    target = planned(case).query.read.target
    values = []
    for jobs in (1, 2, 5):
        folder = tmp_path / str(jobs)
        folder.mkdir()
        values.append(released(case, streamed(kind, folder, target=target, jobs=jobs), SeededNoise(4)).value)
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])
    assert not np.array_equal(values[0], released(case, streamed(kind, tmp_path, target=target), SeededNoise(5)).value)


@pytest.mark.parametrize("case", ["additive", "additive, add-remove", "bounded", "sketch"])
def test_threads_change_nothing_in_memory_either(case):
    values = [released(case, held(jobs), SeededNoise(4)).value for jobs in (1, 2, 5)]
    np.testing.assert_array_equal(values[0], values[1])
    np.testing.assert_array_equal(values[0], values[2])


def test_second_moments_in_memory_are_the_same_for_any_number_of_threads():
    query = SecondMoments(domain=BOX)
    np.testing.assert_array_equal(exact_moments(query, held(3)), exact_moments(query, held()))


COUNT, SIZE = 24, 500
EQUAL = FunctionTable(lambda _: Block(DenseMatrix(np.full((SIZE, FEATURES), 0.25)), None), blocks=COUNT, features=FEATURES)
"""Blocks that are all alike."""
LEVEL = 6.0
"""Deviations; an honest source is farther off in one of about five hundred million, each time one looks."""


def noise_of_blocks(noise, jobs=2):
    """In deviations, (blocks, numbers of a block)."""
    query = Rows(domain=BOX, target=Target.OMITTED)
    mechanism = GaussianRelease.calibrate(query, **PRIVATE, neighbours=REPLACE_ONE)
    value = mechanism.run(query, block_records(EQUAL, BOX, Target.OMITTED, n_jobs=jobs), noise).value
    return (value - 0.25).reshape(COUNT, -1) / mechanism.deviation


def of_its_own(standard):
    """Whether the noise of every block has mean 0 and variance 1, and is uncorrelated with that of every other."""
    numbers = standard.shape[1]
    products = standard @ standard.T / np.sqrt(numbers)
    np.fill_diagonal(products, 0.0)
    off = [np.sum(standard) / np.sqrt(standard.size), (np.sum(standard**2) - standard.size) / np.sqrt(2.0 * standard.size), np.max(np.abs(products))]
    return bool(np.max(np.abs(off)) < LEVEL)


def test_the_noise_of_every_block_is_its_own_and_has_its_law():
    """276 pairs of blocks and two sums, six deviations: an honest source fails one run in about a million and a half."""
    assert of_its_own(noise_of_blocks(SystemNoise()))
    assert of_its_own(noise_of_blocks(SeededNoise(8)))


class Repeating(SystemNoise):
    """The planted fault: one key for all blocks."""

    def words(self):
        return keyed_words(b"k" * 32)


class Loud(SystemNoise):
    """Another: noise that is a tenth too large."""

    def discrete_gaussian(self, *, scale, dimension, draws):
        return SystemNoise().discrete_gaussian(scale=1.1 * scale, dimension=dimension, draws=draws)


@pytest.mark.parametrize("fault", [Repeating(), Loud()], ids=["repeating", "loud"])
def test_a_source_that_repeats_itself_or_has_another_scale_is_caught(fault):
    assert not of_its_own(noise_of_blocks(fault))


def test_a_secret_order_is_the_same_however_few_places_are_filled_at_a_time(tmp_path, monkeypatch):
    """Each time from a pass over the table: every record has one place, and the other places are zeros."""
    whole = released("additive, add-remove", streamed("generated", tmp_path), Silent()).value
    seeded = released("additive, add-remove", streamed("generated", tmp_path), SeededNoise(2)).value
    monkeypatch.setattr(placement, "ORDERED_BYTES", 8 * 7 * 1024)
    table = TABLES["parquet"](ROWS, SIGNS, tmp_path)
    few = released("additive, add-remove", block_records(table, BOX, Target.NOISY, n_jobs=2), Silent()).value
    np.testing.assert_array_equal(few, whole)
    np.testing.assert_array_equal(released("additive, add-remove", block_records(table, BOX, Target.NOISY), SeededNoise(2)).value, seeded)
    assert np.sum(np.any(whole != 0.0, axis=1)) == len(ROWS)
    assert not np.array_equal(np.sign(whole[: len(ROWS), -1]), SIGNS)
    step = planned("additive, add-remove").mechanism.step
    expected = np.column_stack((np.clip(ROWS, -0.8, 0.8), SIGNS))
    ordered = [np.sort(np.rint(np.abs(some) / step).sum(axis=1)) for some in (expected, whole[np.any(whole != 0.0, axis=1)])]
    np.testing.assert_array_equal(ordered[0], ordered[1])
