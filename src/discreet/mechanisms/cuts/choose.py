"""From noisy counts to cuts: a function of what was released, and so free.

    counts >= 0 with the released total     the nearest such counts to the noisy ones: what noise alone put into empty cells goes
    k bins of a column                      each of about 1/k of the mass; a cell that holds as much, around a value that many share, is a bin alone

for k = 4, 8, 16, 32, each for itself: a column is encoded at several resolutions side by side, coarse ones for what noise leaves of weak trends.
Where a bin of a resolution would hold no more than twice the noise of its own cells, its bins are equal steps. Eight equal steps are always there:
quantiles alone leave long tails in one bin. Cuts are edges of the public cells, so many at each resolution, whatever the counts are: how many
features a column has is public before the release, and what a fit on them costs (composed.py) is too.
"""

import heapq
import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from discreet.core.arrays import Floats

RESOLUTIONS = (4, 8, 16, 32)
_ALWAYS = 8
_TRUSTED = 2.0
_BY_FAR = 2.8
_SUPPOSED = 32_000
"""Records, where their number is not public."""

Cuts = tuple[tuple[float, ...], ...]
"""Of one column: where it is cut, for each resolution."""


def pays(deviation: float, *, cells: int, records: int | None) -> bool:
    """Whether the finest bins of a column with so many cells would be trusted by far, its records spread evenly: from public numbers alone.

    What is coarser, curves at public steps tell as well, and with the whole budget (cuts.md).
    """
    return _trusted(_SUPPOSED if records is None else records, bins=RESOLUTIONS[-1], cells=cells, deviation=_BY_FAR * deviation)


def chosen_cuts(edges: Sequence[float], counts: Floats, *, total: float, deviation: float) -> Cuts:
    """The cuts of one column. `counts` are the noisy ones between the edges, their noise of this standard deviation; `total` is about their sum."""
    kept = projected(counts, total)
    mass = float(kept.sum())
    found = [
        _quantiles(edges, kept, bins=bins) if _trusted(mass, bins=bins, cells=len(kept), deviation=deviation) else _equal(edges, bins)
        for bins in RESOLUTIONS
    ]
    return (*found, _equal(edges, _ALWAYS))


def chosen_begins(counts: Floats, public: Sequence[int], *, deviation: float) -> tuple[int, ...]:
    """The cell that each bin of a column begins with, as many as `public` ones, which are taken where the noise is too large to tell.

    `counts` are the noisy ones of at least as many cells, their noise of this standard deviation.
    """
    kept = projected(counts, float(counts.sum()))
    if not _trusted(float(kept.sum()), bins=len(public), cells=len(kept), deviation=deviation):
        return tuple(public)
    return tuple(_places(kept, bins=len(public))[:-1])


def public_cuts(lower: float, upper: float) -> Cuts:
    """What has as many features as private ones will: equal steps at all resolutions."""
    edges = (lower, upper)
    return (*(_equal(edges, bins) for bins in RESOLUTIONS), _equal(edges, _ALWAYS))


def _equal(edges: Sequence[float], bins: int) -> tuple[float, ...]:
    places = np.linspace(edges[0], edges[-1], bins + 1)[1:-1]
    return tuple(places.tolist())


def _trusted(total: float, *, bins: int, cells: int, deviation: float) -> bool:
    return total / bins > _TRUSTED * deviation * math.sqrt(max(1.0, cells / bins))


def projected(counts: Floats, total: float) -> Floats:
    """The nearest counts that are at least 0 and sum to `total`, (m,); zeros where that is not positive."""
    if not total > 0:
        return np.zeros_like(counts)
    falling = np.sort(counts)[::-1]
    lowered = (np.cumsum(falling) - total) / np.arange(1, len(counts) + 1)
    level = lowered[np.flatnonzero(falling > lowered)[-1]]
    positive: Floats = np.maximum(counts - level, 0.0)
    return positive


def _quantiles(edges: Sequence[float], counts: Floats, *, bins: int) -> tuple[float, ...]:
    """bins - 1 rising cuts between the first and the last edge, of at least `bins` cells."""
    return tuple(edges[place] for place in _places(counts, bins=bins)[1:-1])


def _places(counts: Floats, *, bins: int) -> list[int]:
    """Where so many bins begin, and where the last one ends, in cells."""
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
    return _exactly(bins, [0, *sorted(cuts - {0, len(counts)}), len(counts)], np.concatenate(([0.0], np.cumsum(counts))))


def _exactly(bins: int, places: list[int], below: Floats) -> list[int]:
    """So many bins: the lightest neighbours are joined where there are more, the heaviest bins of several cells are halved where there are fewer.

    `below` is the mass before each place.
    """
    while len(places) > bins + 1:
        together = below[places[2:]] - below[places[:-2]]
        del places[int(np.argmin(together)) + 1]
    waiting = [(below[start] - below[end], start - end, start) for start, end in pairwise(places) if end - start > 1]
    heapq.heapify(waiting)
    while len(places) < bins + 1:
        _, width, start = heapq.heappop(waiting)
        end = start - width
        middle = int(np.searchsorted(below, 0.5 * (below[start] + below[end])))
        # A bin without mass is halved by its width.
        place = min(max(middle, start + 1), end - 1) if below[end] > below[start] else (start + end) // 2
        places.append(place)
        for first, last in ((start, place), (place, end)):
            if last - first > 1:
                heapq.heappush(waiting, (below[first] - below[last], first - last, first))
    return sorted(places)
