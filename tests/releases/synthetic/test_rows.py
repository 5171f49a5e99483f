"""Rows have the counts of the distribution up to rounding, in the order that it gives."""

import numpy as np

from discreet.noise import SeededNoise
from discreet.releases.synthetic.fit import Part
from discreet.releases.synthetic.rows import drawn_codes, spread, uniforms


def test_every_cell_is_drawn_as_often_as_its_share_up_to_one():
    words = SeededNoise(0).words()
    counts = np.array([[1.0, 2.0, 3.0, 4.0], [0.0, 0.0, -5.0, 1.0], [0.0, 0.0, 0.0, 0.0], [np.nan, 1.0, 1.0, 0.0]])
    given = np.repeat(np.arange(4), [1000, 333, 400, 7])
    np.random.default_rng(0).shuffle(given)
    drawn = spread(counts, given, words)
    shares = np.array([[0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1], [0.25] * 4, [0, 0.5, 0.5, 0]])
    for group in range(4):
        found = np.bincount(drawn[given == group], minlength=4)
        assert np.all(np.abs(found - shares[group] * np.sum(given == group)) <= 1.0 + 1e-9)
    assert len(set(drawn[given == 0][:50].tolist())) > 1  # not in the order of the rows
    assert len(spread(counts, np.zeros(0, dtype=np.int64), words)) == 0


def test_columns_are_drawn_given_their_parents():
    joint = np.zeros((2, 3, 4))
    joint[0, 1, 2], joint[1, 2, 0], joint[1, 0, 3] = 5.0, 3.0, 2.0
    parts = [
        Part(column=7, parents=(), counts=joint.sum(axis=(1, 2))),
        Part(column=2, parents=(7,), counts=joint.sum(axis=2)),
        Part(column=4, parents=(7, 2), counts=joint),
    ]
    found = drawn_codes(parts, 1000, SeededNoise(1).words())
    cells = np.zeros((2, 3, 4))
    np.add.at(cells, (found[7], found[2], found[4]), 1)
    assert np.all(np.abs(cells - 100 * joint) <= 2)


def test_uniform_numbers_are_in_range():
    numbers = uniforms(SeededNoise(2).words(), 10_000)
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    assert abs(numbers.mean() - 0.5) < 0.02
