"""What a record counts in the score of a search, as an integer: whether a model is right, how near its number is, or what it thought of a time.

    right answers     1 or 0
    absolute error    2^20 - round(2^20 min(|y - f(x)| / B, 1))
    squared error     2^20 - round(2^20 min(|y - f(x)| / B, 1)^2)          parts of a record, of which there are 2^20
    log loss          2^20 - 2^10 round(2^10 min(-log L / B, 1))           L the likelihood of what is known of a time
    several targets   the mean of the parts of all of them, rounded down   y_k and f_k(x) in the public unit of target k

B is public, and y is brought within the public bounds of targets. Logarithms are not taken (mechanisms/counting/losses.py). So one record moves a
score by at most one record, whatever model and record are, and the mechanisms of a search are the same for all. A part is a function of
the record, the model and public numbers, by operations that are exact to the last bit whatever stands beside it; a prediction that is no number
counts 0.

Rows of persons count their share of it, rounded down, so that a person counts one record at most (mechanisms/counting/counting.md).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.core.neighbours import Persons
from discreet.core.validate import measure
from discreet.data.targets import likelihood
from discreet.mechanisms.counting.losses import LEVELS, loss_levels
from discreet.mechanisms.counting.queries import parts_of
from discreet.noise import Integers
from discreet.words.counting import WHOLE
from discreet.words.selection import ABSOLUTE, LOG_LOSS, RIGHT, SQUARED

OF_NUMBERS = (ABSOLUTE, SQUARED)
_NATS = 5.0
"""Where a log loss is cut, where nobody says: as in evaluations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """A rule of the module docstring; public."""

    kind: str = RIGHT
    error_bound: float = 1.0
    """B; of numbers, and of times in nats."""
    lower: float = -1.0
    upper: float = 1.0
    """Bounds of y; of numbers."""
    ends: tuple[float, ...] = ()
    """Of periods; of times."""
    units: tuple[float, ...] = ()
    """Of several targets that are numbers, in which B and the bounds of y are."""

    @property
    def of_numbers(self) -> bool:
        """Whether numbers are predicted."""
        return self.kind in OF_NUMBERS

    @property
    def of_times(self) -> bool:
        """Whether models of times are scored."""
        return self.kind == LOG_LOSS

    @property
    def fine(self) -> bool:
        """Whether scores are in parts of a record."""
        return self.kind != RIGHT

    def unit(self, rule: Persons | None) -> int:
        """What one record counts at most."""
        return WHOLE if self.fine else parts_of(rule)

    def asked(self, model: Any, X: Any) -> Any:
        """What the model says of rows X: classes or numbers (n,), or of times survival (n, T)."""
        return model.predict_survival(X) if self.of_times else model.predict(X)

    def of(self, predicted: Any, given: npt.NDArray[Any]) -> Integers:
        """What each record counts, (n,), of what a model was `asked`; what is known of times is numbers of `period_numbers`."""
        if not self.fine:
            return np.asarray(predicted == given, dtype=np.int64)
        if self.of_times:
            return WHOLE - (WHOLE // LEVELS) * loss_levels(likelihood(np.asarray(predicted), given), self.error_bound)
        units = np.array(self.units) if self.units else 1.0
        with np.errstate(all="ignore"):
            off = np.abs(np.clip(given / units, self.lower, self.upper) - np.asarray(predicted, dtype=np.float64) / units) / self.error_bound
        off = np.where(off <= 1.0, off, 1.0)  # NaN too
        parts: Integers = WHOLE - np.rint(WHOLE * (off * off if self.kind == SQUARED else off)).astype(np.int64)
        return parts.sum(axis=1) // len(self.units) if self.units else parts

    def total(self, counts: Integers, shares: Integers | None) -> int:
        """What all records count together, whose rows have these shares where they are persons'."""
        if shares is None:
            return int(np.sum(counts, dtype=np.int64))
        return int(np.sum((shares * counts) // WHOLE if self.fine else shares * counts, dtype=np.int64))

    def all_of(self, records: int, shares: Integers | None) -> int:
        """What so many records count at most."""
        return self.total(np.full(records, WHOLE if self.fine else 1, dtype=np.int64), shares)

    def document(self) -> dict[str, Any]:
        """For certificates: nothing for right answers."""
        if self.of_times:
            return {"scored": self.kind, "error_bound": self.error_bound}
        if not self.of_numbers:
            return {}
        said = {"scored": self.kind, "error_bound": self.error_bound, "target_lower": self.lower, "target_upper": self.upper}
        return {**said, "score_units": list(self.units)} if self.units else said

    def stated(self, score: float, records: int | None) -> float:
        """As users read it: the share of records, or minus the mean error in the targets' unit, or nats; the sum of counts where n is secret."""
        if records is None:
            return score
        if not self.fine:
            return score / records
        return -(1.0 - score / records) * (self.error_bound**2 if self.kind == SQUARED else self.error_bound)


def scoring_of(estimator: Any, given: Any, error_bound: Any, X: Any = None) -> Scoring:
    """The rule for an estimator, as the caller says or as is usual: right answers, the absolute error over half the range of targets, or log loss.

    `X` is what it is fitted on, which may say the ends of periods. Raises InvalidInput for another rule.
    """
    if "times" in estimator.learns:
        if given not in (None, LOG_LOSS):
            raise InvalidInput(f"scoring of a model of times must be {LOG_LOSS!r} or None; {given!r} was given.")
        return Scoring(kind=LOG_LOSS, error_bound=_NATS if error_bound is None else measure(error_bound, "error_bound"), ends=estimator.ends_for(X))
    if "numbers" not in estimator.learns:
        if given not in (None, RIGHT) or error_bound is not None:
            raise InvalidInput(f"a search over a classifier counts correct answers; leave scoring and error_bound out. {given!r} was given.")
        return Scoring()
    kind = ABSOLUTE if given is None else given
    if kind not in OF_NUMBERS:
        near = did_you_mean(kind, OF_NUMBERS) if isinstance(kind, str) else ""
        raise InvalidInput(f"scoring of a regression must be one of {quoted(OF_NUMBERS)}; {given!r} was given.{near}")
    lower, upper = estimator.target_range
    bound = measure(0.5 * (upper - lower), "half the range of targets") if error_bound is None else measure(error_bound, "error_bound")
    return Scoring(kind=kind, lower=lower, upper=upper, error_bound=bound)
