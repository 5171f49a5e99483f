"""A plan with its calibrated mechanism, and the law of the noise that it will draw: everything but the records."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

from discreet.accounting import Guarantee
from discreet.core.short import short_repr
from discreet.evaluation.asked import Asked
from discreet.evaluation.intervals import Estimate, NoiseLaw
from discreet.evaluation.shares import Widths, share_interval
from discreet.mechanisms.counting import CountingMechanism
from discreet.mechanisms.counting.queries import parts_of
from discreet.noise.laws import IntegerLaw

S = TypeVar("S", bound=Asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared(Generic[S]):
    """A survey with its calibrated mechanism: everything but the records."""

    survey: S
    mechanism: CountingMechanism
    classes: tuple[Any, ...]
    level: float

    __repr__ = short_repr

    @property
    def guarantee(self) -> Guarantee:
        """What the evaluation will cost."""
        return self.mechanism.guarantee(self.survey.queries())

    @property
    def parts(self) -> int:
        """What one record counts in the released integers."""
        return parts_of(self.survey.persons)

    def law(self, query: int, count: int = 1) -> NoiseLaw:
        """Of the sum of the noise on `count` integers of this query, in records."""
        return _summed(self.mechanism.law_of(self.mechanism.scales[query]), count, self.parts)

    def law_of_parts(self, unit: float, *, query: int = 0) -> NoiseLaw:
        """Of the noise on one integer of this query, which counts so many units of a record."""
        return _summed(self.mechanism.law_of(self.mechanism.scales[query]), 1, round(self.parts * unit))

    def share(self, yes: float, total: float, widths: Widths, *, public: bool) -> Estimate:
        """Of what rows weigh where persons have several; `public` where `total` is their number."""
        rows = 1 if self.survey.persons is None else self.survey.persons.rows
        return share_interval(yes, total, widths, persons=int(total) if public else None, rows=rows, level=self.level)

    def two_shares(self, yes: float, no: float, law: NoiseLaw, other: NoiseLaw) -> Estimate:
        """The same from two noisy numbers of rows."""

        def widths(error: float) -> tuple[float, float]:
            first, second = law.quantile(0.5 * error), other.quantile(0.5 * error)
            return first, second - first

        return self.share(yes, yes + no, widths, public=False)


@lru_cache(maxsize=128)
def _summed(law: IntegerLaw, count: int, parts: int) -> NoiseLaw:
    return NoiseLaw.of(law, count=count, parts=parts)
