"""From noisy counts to cuts: a function of what was released, and so free.

    counts >= 0 with the released total     the nearest such counts to the noisy ones: what noise alone put into empty cells goes
    about k bins of a column                each of 1/k of the mass; a cell that holds as much, around a value that many share, is a bin by itself

for k = 4, 8, 16, 32, each for itself: a column is encoded at several resolutions side by side, coarse ones for what noise leaves of weak trends. A
resolution is dropped where a bin holds no more than twice the noise of its own cells; where all are, equal steps are left. Eight equal steps are
always there: quantiles alone leave long tails in one bin. Cuts are edges of the public cells.
"""

import math
from collections.abc import Sequence

import numpy as np

from discreet.core.arrays import Floats

RESOLUTIONS = (4, 8, 16, 32)
_ALWAYS = 8
_TRUSTED = 2.0
_SUPPOSED = 32_000
"""Records, where their number is not public."""

Cuts = tuple[tuple[float, ...], ...]
"""Of one column: where it is cut, for each resolution."""


def pays(deviation: float, *, cells: int, records: int | None) -> bool:
    """Whether the coarsest resolution of a column with so many cells would be kept, its records spread evenly: from public numbers alone."""
    return _trusted(_SUPPOSED if records is None else records, bins=RESOLUTIONS[0], cells=cells, deviation=deviation)


def chosen_cuts(edges: Sequence[float], counts: Floats, *, total: float, deviation: float) -> Cuts:
    """The cuts of one column. `counts` are the noisy ones between the edges, their noise of this standard deviation; `total` is about their sum."""
    kept = _projected(counts, total)
    found = [
        _quantiles(edges, kept, bins=bins) for bins in RESOLUTIONS if _trusted(float(kept.sum()), bins=bins, cells=len(kept), deviation=deviation)
    ]
    found = [cuts for cuts in found if cuts] or [_equal(edges, bins) for bins in RESOLUTIONS]
    return tuple(dict.fromkeys([*found, _equal(edges, _ALWAYS)]))


def public_cuts(lower: float, upper: float) -> Cuts:
    """Where nothing is spent: equal steps at all resolutions."""
    return tuple(_equal((lower, upper), bins) for bins in RESOLUTIONS)


def _equal(edges: Sequence[float], bins: int) -> tuple[float, ...]:
    places = np.linspace(edges[0], edges[-1], bins + 1)[1:-1]
    return tuple(float(place) for place in np.unique(places) if edges[0] < place < edges[-1])


def _trusted(total: float, *, bins: int, cells: int, deviation: float) -> bool:
    return total / bins > _TRUSTED * deviation * math.sqrt(max(1.0, cells / bins))


def _projected(counts: Floats, total: float) -> Floats:
    """The nearest counts that are at least 0 and sum to `total`, (m,); zeros where that is not positive."""
    if not total > 0:
        return np.zeros_like(counts)
    falling = np.sort(counts)[::-1]
    lowered = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    level = lowered[np.flatnonzero(falling > lowered)[-1]]
    positive: Floats = np.maximum(counts - level, 0.0)
    return positive


def _quantiles(edges: Sequence[float], counts: Floats, *, bins: int) -> tuple[float, ...]:
    """Rising cuts between the first and the last edge."""
    heavy = counts >= counts.sum() / bins
    share = float(counts[~heavy].sum()) / max(1, bins - int(heavy.sum()))
    cuts: set[int] = set()
    held = 0.0
    for cell, count in enumerate(counts.tolist()):
        if heavy[cell]:
            cuts |= {cell, cell + 1}
            held = 0.0
            continue
        if held > 0 and held + 0.5 * count > share:
            cuts.add(cell)
            held = 0.0
        held += count
    return tuple(edges[cell] for cell in sorted(cuts) if 0 < cell < len(counts))
