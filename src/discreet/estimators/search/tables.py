"""The records of a search, in the form that fits and scores need: rows, targets, classes and parts; held, or read in blocks (`blocks`).

Persons. Where rows are told apart by persons, n counts these, a part gets all rows of a person or none, and a die, or a place in a uniformly random
order, is that of a person; in blocks too, where a number a row is kept for that. Of every person the rows that count in scores are drawn once, when
the table is made; a row counts as many parts of a record as its share of the weight allows. Every fit draws the rows that it keeps by itself.

What a record counts in the score of a search, as an integer: whether a model is right, how near its number is, or what it thought of a time.

    right answers     1 or 0
    absolute error    2^20 - round(2^20 min(|y - f(x)| / B, 1))
    squared error     2^20 - round(2^20 min(|y - f(x)| / B, 1)^2)          parts of a record, of which there are 2^20
    log loss          2^20 - 2^10 round(2^10 min(-log L / B, 1))           L the likelihood of what is known of a time
    several targets   the mean of the parts of all of them, rounded down   y_k and f_k(x) in the public unit of target k

B is public, and y is brought within the public bounds of targets. Logarithms are not taken (mechanisms/counting/losses.py). So one record moves a
score by at most one record, whatever model and record are, and the mechanisms of a search are the same for all. A part is a function of
the record, the model and public numbers, by operations that are exact to the last bit whatever stands beside it; a prediction that is no number
counts 0.

Rows of persons count their share of a record, rounded down, so that a person counts one record at most (mechanisms/counting/counting.md).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.core.neighbours import Persons
from discreet.core.private import holds_records
from discreet.core.validate import measure
from discreet.data import EncodedTable
from discreet.data.labels import label_array
from discreet.data.records import WHOLE_RECORDS
from discreet.data.targets import likelihood, period_numbers
from discreet.estimators.inputs import feature_rows, labels_and_classes, real_targets
from discreet.matrices import Matrix
from discreet.mechanisms.counting.losses import LEVELS, loss_levels
from discreet.mechanisms.counting.queries import parts_of, shares_of
from discreet.mechanisms.persons import Owners
from discreet.noise import Integers, Noise
from discreet.noise.words import shuffled, uniform_below
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


class Predicts(Protocol):
    """A fitted model."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """A class for each row by itself."""


class SearchTable(ABC):
    """Private rows and labels, and the public classes."""

    __slots__ = ()
    in_blocks: ClassVar[bool] = False
    """Whether X is a BlockTable."""
    X: Any
    """What a fit takes."""
    y: Any
    """What a fit takes next to X: labels, or None where X brings them."""
    classes: npt.NDArray[Any]
    """(K,); none of numbers."""
    scoring: Scoring
    """What a record counts in scores."""
    persons: Any
    """What a fit takes next to them: ids, or None where there are none, or X brings them."""

    @property
    @abstractmethod
    def rule(self) -> Persons | None:
        """Whose rows are whose; None where the unit is a row."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(n, d); n is private under add-remove, and counts persons where they are told apart."""

    @property
    @abstractmethod
    def weight(self) -> int:
        """What all records count in scores, in parts of a record."""

    @property
    def one_part(self) -> bool:
        """Whether a fit has nothing to spread over threads, so that several fits may."""
        return False

    @abstractmethod
    def content(self) -> Iterator[bytes]:
        """The bytes by which a ledger knows the table again: those of a single fit."""

    @abstractmethod
    def correct(self, model: Predicts) -> int:
        """What the records count, by what `model` predicts of them; private."""

    @abstractmethod
    def parts(self, count: int, noise: Noise, *, hidden: bool) -> "list[SearchTable]":
        """The records cut into `count` parts, decided without looking at any: see the module docstring."""

    def __repr__(self) -> str:
        """Nothing of the records."""
        return f"{type(self).__name__}(...)"


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HeldTable(SearchTable):
    """Rows in memory; see SearchTable."""

    X: Any
    y: Any
    rows: Matrix
    given: npt.NDArray[Any]
    """Labels or numbers (n,), of several targets (n, m), for scores; of times what is known of them, as `period_numbers`."""
    classes: npt.NDArray[Any]
    owners: Owners
    persons: Any = None
    scoring: Scoring = field(default_factory=Scoring)

    @property
    def rule(self) -> Persons | None:
        """See SearchTable."""
        return self.owners.rule

    @property
    def shape(self) -> tuple[int, int]:
        """See SearchTable."""
        return self.owners.number, self.rows.shape[1]

    @property
    def weight(self) -> int:
        """See SearchTable."""
        return self._total(np.full(len(self.given), self.scoring.unit(None), dtype=np.int64))

    @property
    def one_part(self) -> bool:
        """See SearchTable."""
        return self.rows.shape[0] <= WHOLE_RECORDS

    def content(self) -> Iterator[bytes]:
        """See SearchTable."""
        yield from self.rows.content()
        if self.scoring.fine:
            yield self.given.astype(np.int64 if self.scoring.of_times else np.float64).tobytes()
            return
        codes = np.argmax(self.given[:, np.newaxis] == self.classes, axis=1)
        yield codes.astype(np.int64).tobytes() if len(self.classes) > 2 else np.where(codes == 1, 1.0, -1.0).tobytes()

    def correct(self, model: Predicts) -> int:
        """See SearchTable."""
        return self._total(self.scoring.of(self.scoring.asked(model, self.X), self.given)) if len(self.given) else 0

    def _total(self, counts: Integers) -> int:
        (kept,), weights = self.owners.kept([counts])
        return self.scoring.total(kept, shares_of(self.rule, weights))

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> list[SearchTable]:
        """See SearchTable. Raises InvalidInput for an encoded table."""
        if isinstance(self.X, EncodedTable):
            raise InvalidInput(
                "an encoded table cannot be cut into parts; use method='random-stopping', which needs none, or pass X and y as arrays."
            )
        codes = self.owners.codes
        if codes is not None:
            of_person = parts_of_persons(self.owners.number, count, noise, hidden=hidden)
            return [self._part(np.flatnonzero((of_person == part)[codes]), int(np.count_nonzero(of_person == part))) for part in range(count)]
        records = len(self.given)
        if hidden:
            thrown = uniform_below(noise.words(), count, count=records)
            return [self._part(np.flatnonzero(thrown == part)) for part in range(count)]
        return [self._part(numbers) for numbers in np.array_split(shuffled(noise.words(), records), count)]

    def _part(self, numbers: npt.NDArray[np.integer], persons: int | None = None) -> SearchTable:
        compressed: bool = sp.issparse(self.X)
        X = self.X.tocsr()[numbers] if compressed else np.asarray(self.X)[numbers]
        own, number = self.owners, len(numbers) if persons is None else persons
        codes, weights = (None if column is None else column[numbers] for column in (own.codes, own.weights))
        owners = Owners(rule=own.rule, number=number, codes=codes, weights=weights)
        given = self.given[numbers]
        own_y = np.asarray(self.y)[numbers] if self.scoring.of_times else given
        return HeldTable(X=X, y=own_y, rows=feature_rows(X), given=given, classes=self.classes, owners=owners, persons=codes, scoring=self.scoring)


def held_table(
    X: Any,
    y: Any,
    *,
    classes: Any,
    name: str,
    owners_of_rows: Callable[[int], Owners] | None = None,
    ids: Any = None,
    scoring: Scoring | None = None,
    units: Callable[[int], tuple[float, ...]] | None = None,
) -> HeldTable:
    """Check what was passed to `fit`, as an estimator does. Raises InvalidInput or InvalidType without any value of X or y.

    `owners_of_rows` says whose rows are whose, from their number, and `ids` are theirs, if X brings none; `units` says those of so many
    targets, of an estimator that learns several.
    """
    whose = owners_of_rows or (lambda count: Owners(rule=None, number=count))
    if scoring is not None and scoring.of_numbers:
        return _held_numbers(X, y, name=name, whose=whose, ids=ids, scoring=scoring, units=units)
    if scoring is not None and scoring.of_times:
        return _held_times(X, y, name=name, whose=whose, scoring=scoring)
    if isinstance(X, EncodedTable):
        found = X.codes if X.signs is None else X.signs > 0
        if found is None or y is not None:
            raise InvalidInput("an encoded table already contains its targets: encode it with target=True, and leave y out.")
        declared = label_array(X.classes)
        given = declared[np.asarray(found, dtype=np.intp)]
        return HeldTable(X=X, y=None, rows=X.rows, given=given, classes=declared, owners=whose(len(given)))
    rows = feature_rows(X)
    given, declared, _ = labels_and_classes(y, classes=classes, name=name, records=rows.shape[0])
    if declared.ndim != 1 or declared.size < 2:
        raise InvalidInput(
            f"two classes at least are needed, {declared.size} class(es) given. Declare all of them with the estimator's classes=[...]."
        )
    if not np.all(np.isin(given, declared)):
        raise InvalidInput(f"y contains a label that is not one of the declared classes {declared.tolist()}; declare every class that may occur.")
    owners = whose(rows.shape[0])
    return HeldTable(X=X, y=given, rows=rows, given=given, classes=declared, owners=owners, persons=None if ids is None else owners.codes)


def _held_numbers(
    X: Any, y: Any, *, name: str, whose: Callable[[int], Owners], ids: Any, scoring: Scoring, units: Callable[[int], tuple[float, ...]] | None
) -> HeldTable:
    """The same for targets that are numbers."""
    encoded = isinstance(X, EncodedTable)
    if encoded and (X.numbers is None or y is not None):
        raise InvalidInput("an encoded table already contains its targets, here numbers: encode it with target=True, and leave y out.")
    rows = X.rows if encoded else feature_rows(X)
    given = np.asarray(X.numbers) if encoded else real_targets(y, name, rows.shape[0], several=units is not None)
    if units is not None:
        scoring = replace(scoring, units=units(1 if given.ndim == 1 else given.shape[1]))
    owners, none = whose(len(given)), np.zeros(0)
    beside = {"y": None, "persons": None} if encoded else {"y": given, "persons": None if ids is None else owners.codes}
    return HeldTable(X=X, rows=rows, given=given, classes=none, owners=owners, scoring=scoring, **beside)


def _held_times(X: Any, y: Any, *, name: str, whose: Callable[[int], Owners], scoring: Scoring) -> HeldTable:
    """The same for times, of which each record is a person's."""
    encoded = isinstance(X, EncodedTable)
    if encoded and (X.times is None or y is not None):
        raise InvalidInput("an encoded table brings its own targets, here times: encode it with target=True, and leave y out.")
    if not encoded and y is None:
        raise InvalidInput(f"{name} requires y to be passed, but the target y is None.")
    rows = X.rows if encoded else feature_rows(X)
    given = period_numbers(X.times if encoded else y, ends=scoring.ends)
    if len(given) != rows.shape[0]:
        raise InvalidInput("X and y must have the same number of records.")
    return HeldTable(X=X, y=None if encoded else y, rows=rows, given=given, classes=np.zeros(0), owners=whose(len(given)), scoring=scoring)


def parts_of_persons(persons: int, count: int, noise: Noise, *, hidden: bool) -> Integers:
    """The part of every person, (P,): see the module docstring."""
    if hidden:
        return uniform_below(noise.words(), count, count=persons)
    found = np.empty(persons, dtype=np.int64)
    for part, numbers in enumerate(np.array_split(shuffled(noise.words(), persons), count)):
        found[numbers] = part
    return found
