"""Rows of a fitted distribution: post-processing, whose randomness protects nobody.

Column by column, each given the earlier ones it depends on: the rows with the same values there get each cell as often as expected, up to rounding,
and which row gets which is random. So that the rows have the distribution's counts more closely than independent draws would. Where several tables
are to show what sampling does (`combined`), draws are independent.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.releases.synthetic.cells import Codes
from discreet.releases.synthetic.fit import Part

Words = Callable[[int], npt.NDArray[np.uint64]]
_UNIT = 2.0**-53


def uniforms(words: Words, count: int) -> Floats:
    """Independent uniform numbers of [0, 1), (count,)."""
    numbers: Floats = (words(count) >> np.uint64(11)).astype(np.float64) * _UNIT
    return numbers


def drawn_codes(parts: Sequence[Part], rows: int, words: Words, *, independent: bool = False) -> dict[int, Codes]:
    """The cell (rows,) of every column."""
    found: dict[int, Codes] = {}
    for part in parts:
        shape = part.counts.shape
        if part.parents:
            given = np.ravel_multi_index(tuple(found[one] for one in part.parents), shape[:-1])
        else:
            given = np.zeros(rows, dtype=np.int64)
        found[part.column] = spread(part.counts.reshape(-1, shape[-1]), given, words, independent=independent)
    return found


def spread(counts: Floats, given: Codes, words: Words, *, independent: bool = False) -> Codes:
    """A cell (n,) for each row, `counts` (k, cells) by the group (n,) that it is in, each cell as often as its share of the group, up to rounding.

    With `independent` draws each row by itself has a cell with the probability of its share.
    """
    rows, cells = len(given), counts.shape[1]
    kept = np.maximum(np.nan_to_num(counts), 0.0)
    totals = kept.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, kept / np.where(totals > 0, totals, 1.0), 1.0 / cells)
    ends = np.cumsum(shares, axis=1)
    ends[:, -1] = 1.0
    order = np.lexsort((words(rows), given))
    sizes = np.bincount(given, minlength=len(counts))
    first = np.cumsum(sizes) - sizes
    rank = np.empty(rows)
    rank[order] = np.arange(rows) - first[given[order]]
    offset = uniforms(words, len(counts))
    place = uniforms(words, rows) if independent else (rank + offset[given]) / sizes[given]
    flat = (ends + 2.0 * np.arange(len(counts))[:, np.newaxis]).ravel()
    found = np.searchsorted(flat, 2.0 * given + np.minimum(place, 1.0 - _UNIT), side="right") - cells * given
    return np.clip(found, 0, cells - 1).astype(np.int64)
