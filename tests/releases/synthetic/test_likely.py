"""Counts drawn towards no link with the target: how far from the records' own, beside counts as they were measured."""

import numpy as np
import pytest

from discreet.releases.synthetic.cells import CellColumn
from discreet.releases.synthetic.likely import Counted, likely

CELLS, RECORDS, NOISE = 16, 20_000.0, 75.0
NUMBER = CellColumn(name="rate", edges=tuple(map(float, range(CELLS + 1))), starts=tuple(range(CELLS)))
GAPPED = CellColumn(name="rate", edges=tuple(map(float, range(CELLS))), starts=tuple(range(CELLS - 1)), gap=True)
LABELS = CellColumn(name="state", labels=tuple(f"s{number}" for number in range(CELLS)))
SICK = CellColumn(name="sick", labels=("no", "yes"))
GRADE = CellColumn(name="grade", labels=("a", "b", "c"))
LINKS = {"none": np.zeros(CELLS), "slope": np.linspace(-0.08, 0.08, CELLS), "cells": 0.3 * (-1.0) ** np.arange(CELLS)}


def counted(column, link, shares, draw):
    """The records of 16 cells by cells of the target, and the same with noise, as a table of columns 0 and 1."""
    by_cell = RECORDS * draw.dirichlet(np.full(CELLS, 3.0))
    moved = np.zeros(len(shares))
    moved[:2] = -1.0, 1.0
    true = by_cell[:, np.newaxis] * (shares + np.outer(link, moved))
    pair = Counted((0, 1), (true + draw.normal(scale=NOISE, size=true.shape)).ravel(), NOISE)
    alone = Counted((0,), by_cell + draw.normal(scale=NOISE, size=CELLS), NOISE)
    return true.ravel(), [pair, alone]


def errors(column, link, target, shares):
    """Squared errors of counts as measured and as drawn, means over 40 tables."""
    draw, found = np.random.default_rng(5), []
    for _ in range(40):
        true, measured = counted(column, link, np.array(shares), draw)
        drawn = likely(measured, [column, target], 1)
        assert drawn[1] is measured[1]
        found.append([float(np.sum(np.square(one.counts - true))) for one in (measured[0], drawn[0])])
    return np.mean(found, axis=0)


@pytest.mark.parametrize("column", [NUMBER, GAPPED, LABELS])
@pytest.mark.parametrize(("link", "most"), [("none", 0.82), ("slope", 0.97), ("cells", 1.05)])
def test_noise_goes_and_links_stay(column, link, most):
    """A quarter of this noise is on links: it goes where there is none, and a strong one, cell by cell, is left as it is."""
    measured, drawn = errors(column, LINKS[link], SICK, [0.85, 0.15])
    assert drawn < most * measured


def test_bins_of_a_number_tell_of_their_neighbours():
    smooth, apart = (errors(column, LINKS["slope"], SICK, [0.85, 0.15])[1] for column in (NUMBER, LABELS))
    assert smooth < 0.95 * apart


def test_targets_of_several_classes_lose_noise_too():
    measured, drawn = errors(LABELS, LINKS["none"], GRADE, [0.6, 0.3, 0.1])
    assert drawn < 0.6 * measured


def test_margins_of_the_column_stay():
    _, measured = counted(LABELS, LINKS["slope"], np.array([0.85, 0.15]), np.random.default_rng(1))
    drawn = likely(measured, [LABELS, SICK], 1)
    sums = [one[0].counts.reshape(CELLS, 2).sum(axis=1) for one in (measured, drawn)]
    np.testing.assert_allclose(sums[1], sums[0], atol=1e-6)
