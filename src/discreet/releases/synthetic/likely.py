"""Noisy counts of a column with the target, drawn towards no link between them as far as their noise explains the link: post-processing.

A distribution that is fitted to noisy counts follows their noise. Where the target is rare, or hardly depends on a column, that is most of what their
table says, and twenty such columns together make a learner of the rows sure of what is not there. So, before the fit, with s the deviation of the
noise, n_a the records in cell a of the column and q_h the target's shares, which all tables together say,

    R_ah = counts - n_a q_h  =  n_a f_ah + noise of variance s^2 ((1 - q_h)^2 + (H - 1) q_h^2)

f_ah is taken for normal, of mean 0 and variance t q_h (1 - q_h), independent over cells of labels and of a correlation exp(-|a - b| / l) over bins
of a number. t and l, one of `LENGTHS`, are those that make R most likely, and counts become n_a q_h + E[n_a f_ah | R]: those of a table whose links
are far beyond the noise stay as they are, those of one of noise alone say that there is no link.

The noise is known and everything else was released: no record is read, and no share of the budget is spent.

Sources: empirical Bayes with a known noise, Efron and Morris (1973); likelihood of a kernel's scale and length, Rasmussen and Williams (2006), 5.4.1.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.mechanisms.margins.problem import Table
from discreet.releases.synthetic.cells import CellColumn

LENGTHS = (2.0, 8.0)
"""In bins, where these are in an order, besides none."""
_VARIANCES = np.concatenate(([0.0], np.geomspace(1e-8, 1e3, 100)))
_MOST = 256
"""Bins beyond which they are taken for labels: the eigenvectors of more take long."""
_SPECK = 1e-6


class Counted(NamedTuple):
    """A table as it was measured."""

    table: Table
    counts: Floats
    """(cells,), in numbers of records."""
    deviation: float
    """Of the noise on each."""


def likely(measured: Sequence[Counted], columns: Sequence[CellColumn], hub: int) -> list[Counted]:
    """The same tables; those of a column and the hub, the last column, as the module docstring says."""
    cells = columns[hub].bins
    linked = [len(one.table) == 2 and one.table[1] == hub for one in measured]
    sums = [one.counts.reshape(-1, cells).sum(axis=0) for one, yes in zip(measured, linked, strict=True) if yes]
    whole = np.maximum(np.mean(sums, axis=0), 0.0) + _SPECK
    shares: Floats = whole / whole.sum()
    return [one._replace(counts=_drawn(one, columns[one.table[0]], shares)) if yes else one for one, yes in zip(measured, linked, strict=True)]


def _drawn(one: Counted, column: CellColumn, shares: Floats) -> Floats:
    """Of one table, (cells,)."""
    counts = one.counts.reshape(-1, len(shares))
    records = counts.sum(axis=1)
    expected = np.outer(records, shares)
    noise = one.deviation**2 * ((1.0 - shares) ** 2 + (len(shares) - 1) * shares**2)
    size = np.maximum(records, 0.0) + _SPECK
    best, found = -np.inf, np.zeros_like(counts)
    for kernel in _kernels(column, len(counts)):
        strengths, basis = np.linalg.eigh(size[:, np.newaxis] * kernel * size) if kernel.ndim > 1 else (size**2, None)
        seen = counts - expected if basis is None else basis.T @ (counts - expected)
        along = np.outer(np.maximum(strengths, 0.0), shares * (1.0 - shares))
        for variance in _VARIANCES:
            spread = variance * along + noise
            value = -0.5 * float(np.sum(np.log(spread) + seen**2 / spread))
            if value > best:
                kept = seen * (variance * along / spread)
                best, found = value, kept if basis is None else basis @ kept
    result: Floats = (expected + found).ravel()
    return result


def _kernels(column: CellColumn, cells: int) -> list[Floats]:
    """Correlations of links, (cells, cells), a diagonal one as (cells,); a cell for missing values is beside no other."""
    found: list[Floats] = [np.ones(cells)]
    if not column.labels and cells <= _MOST:
        apart = np.abs(np.subtract.outer(np.arange(cells), np.arange(cells))).astype(np.float64)
        if column.gap:
            apart[-1, :-1] = apart[:-1, -1] = np.inf
        found += [np.exp(-apart / length) for length in LENGTHS]
    return found
