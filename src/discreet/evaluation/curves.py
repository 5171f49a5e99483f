"""ROC and calibration curves from one noisy histogram, class x score bin.

Let A_j be the number of records of a class above edge j, S_j the sum of the noise on its cells, and a = 1 - level.

    ROC      point j is (share of the first class, share of the second) above edge j. The released sums A_j + S_j are made to rise by isotonic
             regression, which is post-processing. The band holds the population's point at all edges together with probability at least `level`:
             max_j |S_j| <= q but for a / 4 a class (Levy: P(max_j |S_j| > q) <= 2 P(|S_last| > q)), and the sample's shares are within
             sqrt(log(8 / a) / (2 n)) of the population's but for a / 4 a class (Dvoretzky, Kiefer, Wolfowitz; Massart 1990).
    AUC      sum over bins of second-class share times (first-class share below + half of that beside), with an interval (module `area`) that holds
             noise and sample to first order: an approximation, unlike the band.
    calibration   in each bin, the share of the second class with its interval (module `intervals`)
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression

from discreet.core.arrays import Floats
from discreet.evaluation.area import area_under_curve
from discreet.evaluation.intervals import Estimate, ratio_interval
from discreet.evaluation.noise_law import NoiseLaw


@dataclass(frozen=True, slots=True, kw_only=True)
class RocCurve:
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

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
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
        """For JSON."""
        share = None if self.share is None else self.share.to_dict()
        return {"lowest": self.lowest, "highest": self.highest, "records": self.records, "share": share}


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCurve:
    """One bin after the other."""

    bins: tuple[CalibrationBin, ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"bins": [one.to_dict() for one in self.bins]}


def roc_curve(counts: Floats, edges: tuple[float, ...], law: NoiseLaw, sum_law: NoiseLaw, *, level: float) -> RocCurve:
    """From noisy counts (2, bins); `law` is that of one cell's noise, `sum_law` of the sum over a row."""
    error = 1.0 - level
    reach = sum_law.quantile(error / 8.0)
    shares, bands = [], []
    for row in counts:
        above = np.cumsum(row[::-1])
        total = above[-1]
        most, fewest = max(total + reach, 0.0), max(total - reach, 0.0)
        sampling = math.sqrt(math.log(8.0 / error) / (2.0 * fewest)) if fewest > 0 else 1.0
        rising = np.maximum(np.asarray(isotonic_regression(above).x), 0.0)
        shares.append(np.minimum(rising[:-1] / rising[-1], 1.0) if rising[-1] > 0 else np.full(len(row) - 1, 0.5))
        low = np.clip((above[:-1] - reach) / most - sampling, 0.0, 1.0) if most > 0 else np.zeros(len(row) - 1)
        high = np.clip((above[:-1] + reach) / fewest + sampling, 0.0, 1.0) if fewest > 0 else np.ones(len(row) - 1)
        bands.append(list(zip(np.minimum(low, shares[-1]).tolist(), np.maximum(high, shares[-1]).tolist(), strict=True)))
    return RocCurve(
        thresholds=tuple(reversed(edges)),
        false_alarms=tuple(shares[0].tolist()),
        hits=tuple(shares[1].tolist()),
        false_alarm_band=tuple(bands[0]),
        hit_band=tuple(bands[1]),
        area=area_under_curve(counts, law, level=level),
    )


def calibration_curve(counts: Floats, edges: tuple[float, ...], law: NoiseLaw, *, level: float) -> CalibrationCurve:
    """From noisy counts (2, bins); `law` is that of one cell's noise."""
    ends = (0.0, *edges, 1.0)
    hidden = 2.0 * law.quantile(0.5 * (1.0 - level))
    found = []
    for place, (first, second) in enumerate(counts.T.tolist()):
        total = first + second
        share = ratio_interval(second, first, law, law, level=level) if total > hidden else None
        found.append(CalibrationBin(lowest=ends[place], highest=ends[place + 1], records=total, share=share))
    return CalibrationCurve(bins=tuple(found))
