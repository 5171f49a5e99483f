"""ROC and calibration curves from one noisy histogram, class x score bin, and the area under the former.

Area. Let n_i, m_j be the true counts of the first and the second class in the bins, c_i = n_i + N_i and d_j = m_j + M_j the released ones, s^2 the
variance of the noise on a cell, k_ij = 1 for i < j, 1/2 for i = j, else 0. The area is the A with E sum_ij n_i m_j (k_ij - A) = 0, a ratio of noisy
numbers. So no error is propagated through the ratio, which would be wrong where noise is as large as a rare class; every area a is tested (Fieller
1954):

    excess(a) = sum_ij c_i d_j (k_ij - a) = sum_j d_j u_j = sum_i c_i v_i,     u_j = sum_i c_i (k_ij - a),     v_i = sum_j d_j (k_ij - a)
    the interval holds every a with   excess(a)^2 <= z^2 V_sample(a) + t^2 V_noise(a),     z the normal quantile of the level

V_noise = s^2 (|u|^2 + |v|^2). Given c, the part of M is sum_j M_j u_j, of variance s^2 |u|^2 exactly; that of N has variance s^2 |v0|^2, v0 made of
the true m, of which s^2 |v|^2 is an estimate that is too large on average. Noise is whole numbers, so s^2 is taken larger by min(s^2, 1/4). t is z,
or the quantile of one cell's noise over s where that is larger: Laplace noise on the few cells that matter may have heavier tails than a normal
law. An estimate beyond 0 or 1 is first brought back.

V_sample is the variance of the excess when the records are drawn anew (DeLong, DeLong, Clarke-Pearson 1988, on bins). For the second class that is
m (sum_i n_i)^2 times the variance, over its records, of the share of the first class below. It is estimated by sum_j d_j u_j^2, and one standard
deviation of its noise more; at most a (1 - a), which no law of such shares exceeds; and at least the larger of

    a (1 - a) ((1 - a) / (2 - a) + a / (1 + a)) / 2     two exponential laws, whichever is the wider (Hanley, McNeil 1982; Newcombe 2006)
    min(a (1 - a), 4 / m)                               where so few records may lie on the wrong side that perhaps none of them was drawn

The first class likewise. All of it is to first order, with a normal law: an approximation that benchmarks/evaluation_coverage.py tries.

Curves. Let A_j be the number of records of a class above edge j, S_j the sum of the noise on its cells, and a = 1 - level.

    ROC      point j is (share of the first class, share of the second) above edge j. The released sums A_j + S_j are made to rise by isotonic
             regression, which is post-processing. The band holds the population's point at all edges together with probability at least `level`:
             max_j |S_j| <= q but for a / 4 a class (Levy: P(max_j |S_j| > q) <= 2 P(|S_last| > q)), and the sample's shares are within
             sqrt(log(8 / a) / (2 n)) of the population's but for a / 4 a class (Dvoretzky, Kiefer, Wolfowitz; Massart 1990).
    AUC      sum over bins of second-class share times (first-class share below + half of that beside), with an interval (above) that holds noise and
             sample to first order: an approximation, unlike the band.
    calibration   in each bin, the share of the second class with its interval (module `intervals`)

Persons with several rows. Counts are what rows weigh. A person adds sum_i a_i x_i to the excess, x_i what row i would add as a record, sum a_i <= 1,
and its square is at most sum a_i x_i^2: V_sample, which takes rows for independent records of weight a_i, is above the variance of the sum over
persons, whatever classes their rows are of. Shares, and the band of an ROC curve at each of its edges, have the intervals of module `shares`.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtri

from discreet.core.arrays import Floats
from discreet.core.files.picture import Svg, pictured
from discreet.core.short import short_repr
from discreet.evaluation.intervals import Estimate, NoiseLaw, ratio_interval
from discreet.evaluation.shares import most_expected, rounding_of, share_ends

_AREAS = 2000
"""Steps of the grid of areas; intervals are one step wider at each end."""
_FEW = 4.0


def area_under_curve(counts: Floats, law: NoiseLaw, *, level: float) -> Estimate:
    """From released counts (2, bins), scores rising, `law` that of one cell's noise. (0, 1) where a class has no records to speak of."""
    first, second = counts
    pairs = float(first.sum() * second.sum())
    if min(first.sum(), second.sum()) <= 1.0:
        return Estimate(value=0.5, low=0.0, high=1.0, noise_low=0.0, noise_high=1.0, level=level)
    value = min(1.0, max(0.0, float(_below(first) @ second) / pairs))
    areas = np.append(np.linspace(0.0, 1.0, _AREAS + 1), value)
    noise, sampling = np.zeros(len(areas)), np.zeros(len(areas))
    variance = law.deviation**2 + min(law.deviation**2, 0.25)
    for others, records in ((first, second), (second[::-1], first[::-1])):
        added = _below(others) - areas[:, np.newaxis] * others.sum()
        noise += variance * np.sum(np.square(added), axis=1)
        sampling += _sampling(added, records, float(others.sum()), law, areas)
    normal = float(ndtri(0.5 + 0.5 * level))
    tail = max(normal, law.quantile(1.0 - level) / law.deviation) if law.deviation > 0 else normal
    far = np.square((value - areas) * pairs)
    low, high = _ends(areas[far <= normal**2 * sampling + tail**2 * noise])
    noise_low, noise_high = _ends(areas[far <= tail**2 * noise])
    return Estimate(value=value, low=low, high=high, noise_low=noise_low, noise_high=noise_high, level=level)


def _below(row: Floats) -> Floats:
    """For each bin how many of the row lie below, with half of those in it."""
    return np.asarray(np.cumsum(row) - 0.5 * row)


def _sampling(added: Floats, counts: Floats, others: float, law: NoiseLaw, areas: Floats) -> Floats:
    """V_sample from the records of `counts`, each of which adds what its bin says (areas, bins), for every area."""
    records = max(float(counts.sum()) + law.deviation * math.sqrt(len(counts)), 1.0)
    squares = np.square(added)
    found = squares @ counts + law.deviation * np.sqrt(np.sum(np.square(squares), axis=1))
    most = areas * (1.0 - areas)
    typical = 0.5 * most * ((1.0 - areas) / (2.0 - areas) + areas / (1.0 + areas))
    least = np.maximum(typical, np.minimum(most, _FEW / records))
    return np.asarray(np.clip(found, others**2 * records * least, others**2 * records * most))


def _ends(held: Floats) -> tuple[float, float]:
    """Of an interval that holds these areas."""
    return max(0.0, float(held.min()) - 1.0 / _AREAS), min(1.0, float(held.max()) + 1.0 / _AREAS)


class _Plotted:
    """A curve that shows itself."""

    __slots__ = ()

    def plot(self) -> Svg:
        """The curve with its band, SVG."""
        return pictured("evaluation.curve_plot", self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return self.plot()


@dataclass(frozen=True, slots=True, kw_only=True)
class RocCurve(_Plotted):
    """Points from (0, 0) to (1, 1), one an edge, from the highest edge down; with a band, and the area under the curve."""

    thresholds: tuple[float, ...]
    """Inner edges, falling."""
    false_alarms: tuple[float, ...]
    """Share of the first class above each edge."""
    hits: tuple[float, ...]
    """Share of the second class above each edge."""
    false_alarm_band: tuple[tuple[float, float], ...]
    hit_band: tuple[tuple[float, float], ...]
    area: Estimate
    """AUC with an approximate interval."""

    __repr__ = short_repr

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "thresholds": list(self.thresholds),
            "false_alarms": list(self.false_alarms),
            "hits": list(self.hits),
            "false_alarm_band": [list(pair) for pair in self.false_alarm_band],
            "hit_band": [list(pair) for pair in self.hit_band],
            "auc": self.area.to_dict() | {"interval_is": "approximate"},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationBin:
    """Records whose predicted probability of the second class lies in (lowest, highest]."""

    lowest: float
    highest: float
    records: float
    """As released; may be negative."""
    share: Estimate | None
    """Of the second class among them; None where no more records were counted than noise alone explains."""

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        share = None if self.share is None else self.share.to_dict()
        return {"lowest": self.lowest, "highest": self.highest, "records": self.records, "share": share}


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCurve(_Plotted):
    """The bins, in order."""

    bins: tuple[CalibrationBin, ...]

    __repr__ = short_repr

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {"bins": [one.to_dict() for one in self.bins]}


def roc_curve(
    counts: Floats, edges: tuple[float, ...], law: NoiseLaw, sum_law: NoiseLaw, *, level: float, rows_per_person: int | None = None
) -> RocCurve:
    """From noisy counts (2, bins); `law` is that of one cell's noise, `sum_law` of the sum over a row.

    `rows_per_person` where somebody may have several: counts are what rows weigh.
    """
    error = 1.0 - level
    reach = sum_law.quantile(error / 8.0)
    shares, bands = [], []
    for row in counts:
        above = np.cumsum(row[::-1])
        rising = np.maximum(np.asarray(isotonic_regression(above).x), 0.0)
        shares.append(np.minimum(rising[:-1] / rising[-1], 1.0) if rising[-1] > 0 else np.full(len(row) - 1, 0.5))
        low, high = _records_band(above, reach, error) if rows_per_person is None else _persons_band(above, reach, error, rows_per_person)
        bands.append(list(zip(np.minimum(low, shares[-1]).tolist(), np.maximum(high, shares[-1]).tolist(), strict=True)))
    return RocCurve(
        thresholds=tuple(reversed(edges)),
        false_alarms=tuple(shares[0].tolist()),
        hits=tuple(shares[1].tolist()),
        false_alarm_band=tuple(bands[0]),
        hit_band=tuple(bands[1]),
        area=area_under_curve(counts, law, level=level),
    )


def _records_band(above: Floats, reach: float, error: float) -> tuple[Floats, Floats]:
    """Of the shares of one class above every edge, for noisy counts `above` it; they hold but for error / 4 each of noise and sample."""
    total = above[-1]
    most, fewest = max(total + reach, 0.0), max(total - reach, 0.0)
    sampling = math.sqrt(math.log(8.0 / error) / (2.0 * fewest)) if fewest > 0 else 1.0
    low = np.clip((above[:-1] - reach) / most - sampling, 0.0, 1.0) if most > 0 else np.zeros(len(above) - 1)
    high = np.clip((above[:-1] + reach) / fewest + sampling, 0.0, 1.0) if fewest > 0 else np.ones(len(above) - 1)
    return low, high


def _persons_band(above: Floats, reach: float, error: float, rows: int) -> tuple[Floats, Floats]:
    """The same where persons have several rows: an interval for every edge, in which the noise of an edge and of the sum are within `reach`."""
    total, lost = float(above[-1]), rounding_of(rows)
    size = most_expected(total + reach, error / 8.0) * (1.0 + lost)
    tail = error / (16.0 * (len(above) - 1))
    found = [share_ends(float(each), total, (reach + lost * size, reach), size=size, tail=tail) for each in above[:-1]]
    low, high = np.array(found).T
    return low, high


def calibration_curve(
    counts: Floats,
    edges: tuple[float, ...],
    law: NoiseLaw,
    *,
    level: float,
    ratio: Callable[[float, float, NoiseLaw, NoiseLaw], Estimate] | None = None,
    each: int = 1,
) -> CalibrationCurve:
    """From noisy counts (2, bins); `law` is that of one cell's noise, `each` how many records one count is; `ratio` None for `ratio_interval`."""
    ends = (0.0, *edges, 1.0)
    hidden = 2.0 * law.quantile(0.5 * (1.0 - level))
    share_of = partial(ratio_interval, level=level) if ratio is None else ratio
    found = []
    for place, (first, second) in enumerate(counts.T.tolist()):
        total = first + second
        share = share_of(second, first, law, law) if total > hidden else None
        found.append(CalibrationBin(lowest=ends[place], highest=ends[place + 1], records=each * total, share=share))
    return CalibrationCurve(bins=tuple(found))
