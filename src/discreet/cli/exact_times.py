"""Exact, unprotected measures of a model of times, on records that were declared to need no protection.

log loss = mean of -ln(likelihood of what is known of a record), over its periods      concordance = share of comparable pairs in the right order
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.cli.output import labelled
from discreet.core.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMeasures:
    """Exact, unprotected numbers."""

    records: int
    events: int
    """Of how many it is known when it happened."""
    log_loss: float
    concordance: float | None
    """None where no two records can be compared."""
    always_alike: float
    """Log loss of the Kaplan-Meier curve of these records, for all of them."""

    @property
    def lines(self) -> list[str]:
        """The same numbers in lines for people."""
        useless = "" if self.log_loss < self.always_alike else "no better than "
        return labelled(
            ("Events", f"{self.events}, of {self.records} records"),
            ("Log loss", f"{self.log_loss:.4f} ({useless}the same survival curve for everyone: {self.always_alike:.4f})"),
            ("Concordance", None if self.concordance is None else f"{self.concordance:.4f}; .5 for any constant prediction"),
        )


def measured_times(ends: Sequence[float], parts: list[tuple[Any, Any]]) -> TimeMeasures:
    """Of periods with these ends, from numbers of what is known (n,) and survival (n, T) of each part. Raises InvalidInput for no record."""
    import numpy as np

    codes, survival = (np.concatenate(column) for column in zip(*parts, strict=True))
    if len(codes) == 0:
        raise InvalidInput("the table has no records. At least one is needed to measure a model.")
    periods, (seen, happened) = survival.shape[1], np.divmod(codes, 2)
    whole, each = np.column_stack((np.ones(len(codes)), survival)), np.arange(len(codes))
    likely = whole[each, seen] - np.where(happened == 1, whole[each, np.minimum(seen + 1, periods)], 0.0)
    events = np.array([np.sum(codes == 2 * period + 1) for period in range(periods)])
    lived = np.array([np.sum(seen > period) for period in range(periods)])
    mean, right, pairs = 0.5 * (whole[:, 1:] + whole[:, :-1]) @ np.diff(ends, prepend=0.0), 0.0, 0
    for period in range(periods):
        early, late = np.sort(mean[codes == 2 * period + 1]), mean[seen > period]
        right += 0.5 * float(sum(np.searchsorted(early, late, side=side).sum() for side in ("left", "right")))
        pairs += len(early) * len(late)
    at_risk = np.maximum(events + lived, 1)
    alike = -sum(float(count @ np.log(np.maximum(count / at_risk, np.finfo(float).tiny))) for count in (events, lived))
    return TimeMeasures(
        records=len(codes),
        events=int(events.sum()),
        log_loss=-float(np.mean(np.log(np.maximum(likely, np.finfo(float).tiny)))),
        concordance=right / pairs if pairs else None,
        always_alike=alike / len(codes),
    )
