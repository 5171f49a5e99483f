"""What is public about one column: the bounds of a number, the categories of a label, the classes of the target.

    numeric       as its encoding says (discreet.data.encodings); linear unless another is named:
                  t = (clip(x, lower, upper) - lower) / (upper - lower) in [0, 1]   (scale = "unit")
                  2 t - 1 in [-1, 1]                                                (scale = "symmetric")
    date          as its encodings say: days since 1970-01-01 on a curve, the month and the weekday, unless others are named
    categorical   one feature a category, 1 for the record's own and 0 for the others
    target        +1 for classes[1], -1 for classes[0]; the number of the class, from 0, where there are more than two;
                  2 t - 1 in [-1, 1] where it is a number

Each is a function of one cell and of the declaration, so it costs no privacy. A cell that the declaration does not cover is refused unless
`outside`, `other` or `missing` says what it counts as.
"""

import math
import re
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Literal, NoReturn, TypeAlias

from discreet.core.errors import SchemaError, did_you_mean, kind
from discreet.core.short import short_repr
from discreet.data.encodings import Bins, Bounds, Curve, Encoding, Linear, Month, Weekday, encodings_of
from discreet.data.labels import Label, checked_labels, checked_text, settle_labels

Outside: TypeAlias = Literal["clip"]
Scale: TypeAlias = Literal["unit", "symmetric"]
INDICATOR: Literal["indicator"] = "indicator"
"""A missing value is a feature of its own."""


class Encoded(ABC):
    """A column whose cells are read as numbers between bounds, and encoded."""

    __slots__ = ()
    name: str
    outside: Outside | None
    encoding: tuple[Encoding, ...]

    @property
    @abstractmethod
    def bounds(self) -> Bounds:
        """As encodings take them."""

    @property
    @abstractmethod
    def where(self) -> str:
        """The name of this column in messages."""

    @property
    @abstractmethod
    def indicated(self) -> bool:
        """Whether missing values have a feature of their own."""

    @property
    def plain(self) -> bool:
        """Whether it is one linear feature and nothing else."""
        return self.encoding == (Linear(),) and not self.indicated

    @property
    def part_names(self) -> tuple[tuple[str, ...], ...]:
        """Of the features of each encoding, a number behind what an earlier one has too, and of the indicator."""
        parts: list[tuple[str, ...]] = []
        taken: set[str] = set()
        for number, one in enumerate(self.encoding, 1):
            parts.append(tuple(f"{label} ({number})" if label in taken else label for label in one.labels(self.bounds)))
            taken.update(parts[-1])
        return tuple(tuple(f"{self.name}{label}" for label in part) for part in (*parts, *[(" missing",)] * self.indicated))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features that the column becomes."""
        return tuple(name for part in self.part_names for name in part)

    @property
    def norm(self) -> float:
        """A bound on the norm of its features, encodings side by side sharing it."""
        together = math.sqrt(sum(one.norm**2 for one in self.encoding) / len(self.encoding))
        return max(together, 1.0) if self.indicated else together

    def _check_encoding(self) -> None:
        """Keep encodings as a tuple of them, and refuse what does not fit the bounds."""
        object.__setattr__(self, "encoding", encodings_of(self.encoding, where=self.where))
        for one in self.encoding:
            check_fits(one, self.bounds, where=self.where)


def check_fits(encoding: Encoding, bounds: Bounds, *, where: str) -> None:
    """Raise SchemaError, beginning with `where`, unless the encoding fits the bounds."""
    try:
        encoding.check(bounds)
    except SchemaError as error:
        refusal = SchemaError(f"{where}: {error}")
    else:
        return
    raise refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericColumn(Encoded):
    """A column of numbers between public bounds. Raises SchemaError for invalid bounds."""

    name: str
    lower: float
    """Smallest value, in the column's own unit; encoded as 0 (or -1)."""
    upper: float
    """Largest value; encoded as 1."""
    outside: Outside | None = None
    """"clip": a value outside counts as the nearer bound. None: it is refused."""
    missing: float | Literal["indicator"] | None = None
    """The number between the bounds that a missing value counts as; "indicator": it has a feature of its own, and is 0 in the others. None: it is
    refused."""
    scale: Scale = "unit"
    """"unit" encodes to [0, 1], "symmetric" to [-1, 1]: for what is linear or logarithmic."""
    encoding: tuple[Encoding, ...] = (Linear(),)
    """How numbers become features: one encoding or several side by side, given as themselves, by name or as tables of a name and parameters."""
    released: str | None = None
    """Where the bounds come from: the digest of the certificate under which they were chosen from the records, privately. None: declared."""

    def __post_init__(self) -> None:
        """Refuse what cannot be used, and keep every number as a float."""
        checked_text(self.name, what="the name of a numeric column")
        _check_bounds(self)
        if self.released is not None and not (isinstance(self.released, str) and re.fullmatch("[0-9a-f]{64}", self.released)):
            raise SchemaError(f"{self.where}: released must be the digest of a certificate (64 hexadecimal digits), which `discreet bounds` writes.")
        _one_of(self.scale, ("unit", "symmetric"), what=f"{self.where}: scale", remedy='Write "unit" for [0, 1] or "symmetric" for [-1, 1].')
        self._check_encoding()

    @property
    def where(self) -> str:
        """The name of this column in messages."""
        return f"numeric column {self.name!r}"

    @property
    def bounds(self) -> Bounds:
        """As encodings take them."""
        return Bounds(self.lower, self.upper, self.scale == "symmetric")

    @property
    def indicated(self) -> bool:
        """See Encoded."""
        return self.missing == INDICATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class DateColumn(Encoded):
    """A column of dates or times between public bounds. Raises SchemaError for invalid bounds or dates."""

    name: str
    lower: str
    """The first, as ISO 8601: "1990-01-01" or "1990-01-01T12:30"."""
    upper: str
    """The last."""
    outside: Outside | None = None
    """"clip": one outside counts as the nearer bound. None: it is refused."""
    missing: str | None = None
    """The date that a missing value counts as; "indicator": it has a feature of its own. None: it is refused."""
    encoding: tuple[Encoding, ...] = (Curve(), Month(), Weekday())
    """How days since 1970-01-01 become features, as those of a numeric column."""

    def __post_init__(self) -> None:
        """See class docstring."""
        checked_text(self.name, what="the name of a date column")
        for key in ("lower", "upper", "missing"):
            if (given := getattr(self, key)) is not None and not (key == "missing" and given == INDICATOR):
                object.__setattr__(self, key, _moment(given, what=f"{self.where}: {key}").isoformat().removesuffix("T00:00:00"))
        if self.bounds.lower >= self.bounds.upper:
            raise SchemaError(f"{self.where}: lower must be before upper; {self.lower} and {self.upper} were given. Swap or widen them.")
        _one_of(
            self.outside, ("clip", None), what=f"{self.where}: outside", remedy='Write outside = "clip", or leave the key out to refuse such values.'
        )
        if (gap := self.gap) is not None and not self.bounds.lower <= gap <= self.bounds.upper:
            raise SchemaError(f"{self.where}: missing must lie between lower = {self.lower} and upper = {self.upper}; {self.missing} was given.")
        self._check_encoding()
        _no_private_cuts(self)

    @property
    def where(self) -> str:
        """The name of this column in messages."""
        return f"date column {self.name!r}"

    @property
    def bounds(self) -> Bounds:
        """See Encoded: days since 1970-01-01."""
        return Bounds(_days(self.lower), _days(self.upper), dates=True)

    @property
    def gap(self) -> float | None:
        """What a missing value counts as, in days, where it counts as a date."""
        return None if self.missing is None or self.indicated else _days(self.missing)

    @property
    def indicated(self) -> bool:
        """See Encoded."""
        return self.missing == INDICATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoricalColumn:
    """A column of labels from a public list. Raises SchemaError unless the list has distinct labels."""

    name: str
    categories: tuple[Label, ...]
    """At least two strings, integers or booleans, in the order of the features."""
    other: Label | None = None
    """The category that an undeclared value counts as. None: it is refused."""
    missing: Label | None = None
    """The category that a missing value counts as. None: it is refused."""
    aliases: tuple[tuple[str, Label], ...] = ()
    """Other texts of cells and the categories that they mean; a mapping is taken too."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        checked_text(self.name, what="the name of a categorical column")
        categories = checked_labels(self.categories, what=f"{self.where}: categories")
        object.__setattr__(self, "categories", categories)
        settle_labels(self, categories, what=self.where, among="categories")

    @property
    def where(self) -> str:
        """The name of this column in messages."""
        return f"categorical column {self.name!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cross:
    """An interaction of two columns of the schema: one feature for each pair of bins or categories.

    Raises SchemaError unless they are a valid pair.
    """

    name: str
    columns: tuple[str, str]
    """Of the numeric, date or categorical columns."""
    encoding: tuple[Encoding, ...] = (Bins(count=8, steps="mixed"),)
    """How those of the two that hold numbers or dates are cut: one for both, or one for each that is."""

    def __post_init__(self) -> None:
        """See class docstring."""
        checked_text(self.name, what="the name of a cross")
        if not isinstance(self.columns, list | tuple) or len(self.columns) != 2 or len(set(map(str, self.columns))) != 2:
            raise SchemaError(f'{self.where}: columns must be the names of two columns, as in columns = ["age", "hours"].')
        object.__setattr__(self, "columns", tuple(checked_text(one, what=f"{self.where}: a column") for one in self.columns))
        object.__setattr__(self, "encoding", encodings_of(self.encoding, where=self.where))
        if len(self.encoding) > 2 or not all(one.one_hot for one in self.encoding):
            raise SchemaError(f'{self.where}: encoding must be one or two encodings that sort values into bins, such as "bins" and "month".')
        _no_private_cuts(self)

    @property
    def where(self) -> str:
        """How messages name it."""
        return f"cross {self.name!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The column to predict and its classes. Raises SchemaError for fewer than two."""

    column: str
    classes: tuple[Label, ...]
    """(negative, positive), the second being +1; or three and more, in any order but where `ordered`."""
    other: Label | None = None
    """The class that an undeclared value counts as. None: it is refused."""
    missing: Label | None = None
    """The class that a missing value counts as. None: it is refused."""
    ordered: bool = False
    """Whether the classes are in order, from the lowest."""
    aliases: tuple[tuple[str, Label], ...] = ()
    """Other texts of cells and the classes that they mean; a mapping is taken too."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Refuse what cannot be used."""
        checked_text(self.column, what="target: column")
        if not isinstance(self.ordered, bool):
            raise SchemaError(f"target: ordered must be true or false; {kind(self.ordered)} was given.")
        classes = checked_labels(self.classes, what="target: classes", at_least=0)
        if len(classes) < 2:
            raise SchemaError(f"target: at least two classes are needed (of two, the negative one first); {len(classes)} given.")
        object.__setattr__(self, "classes", classes)
        settle_labels(self, classes, what="target", among="classes")

    @property
    def where(self) -> str:
        """The name of this column in messages."""
        return f"target column {self.column!r}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTarget:
    """A numeric target between public bounds. Raises SchemaError for invalid bounds."""

    column: str
    lower: float
    """Smallest value, in the column's own unit; encoded as -1."""
    upper: float
    """Largest value; encoded as 1."""
    outside: Outside | None = None
    """"clip": a value outside counts as the nearer bound. None: it is refused."""
    missing: float | None = None
    """The number between the bounds that a missing value counts as. None: it is refused."""
    counts: bool = False
    """Whether it says how many: from 0 on, and models of a logarithm of the mean suit it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be used, and keep every number as a float."""
        checked_text(self.column, what="target: column")
        _check_bounds(self)
        if not isinstance(self.counts, bool) or (self.counts and self.lower != 0):
            raise SchemaError(f"{self.where}: counts must be true or false, and a count begins at lower = 0. Write lower = 0, or leave counts out.")

    @property
    def where(self) -> str:
        """The name of this column in messages."""
        return f"target column {self.column!r}"

    @property
    def scale(self) -> Scale:
        """Always around zero."""
        return "symmetric"

    @property
    def classes(self) -> NoReturn:
        """None: what needs classes refuses such a schema here. Raises SchemaError."""
        raise SchemaError(
            f"{self.where} is a number between {self.lower:.10g} and {self.upper:.10g}; classes are needed here. Declare classes under "
            "[target] instead of lower and upper, or use a method for numbers."
        )


def _check_bounds(column: NumericColumn | NumberTarget) -> None:
    """Refuse bounds that bound nothing, and keep the numbers as floats."""
    where = column.where
    lower = _number(column.lower, what=f"{where}: lower")
    upper = _number(column.upper, what=f"{where}: upper")
    if lower >= upper:
        raise SchemaError(f"{where}: lower must be below upper; lower = {lower!r} and upper = {upper!r} were given. Swap or widen them.")
    if not math.isfinite(upper - lower):
        raise SchemaError(f"{where}: upper - lower must be a finite number; lower = {lower!r} and upper = {upper!r} are too far apart for float64.")
    object.__setattr__(column, "lower", lower)
    object.__setattr__(column, "upper", upper)
    check_outside(column.outside, where)
    if column.missing is not None and not (isinstance(column, NumericColumn) and column.missing == INDICATOR):
        missing = _number(column.missing, what=f"{where}: missing")
        if not lower <= missing <= upper:
            raise SchemaError(f"{where}: missing must lie between lower = {lower!r} and upper = {upper!r}; {missing!r} was given.")
        object.__setattr__(column, "missing", missing)


def check_outside(given: object, where: str) -> None:
    """Raise SchemaError for a rule that there is not."""
    _one_of(given, ("clip", None), what=f"{where}: outside", remedy='Write outside = "clip", or leave the key out to refuse such values.')


def _no_private_cuts(part: DateColumn | Cross) -> None:
    if any(one.to_be_chosen for one in part.encoding):
        raise SchemaError(
            f"{part.where}: bins: cuts can be chosen privately for numeric columns only. Give cuts, or leave them out for bins of equal width."
        )


def _moment(value: object, *, what: str) -> datetime:
    """`value`, ISO 8601 text or TOML's own date, without a time zone."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else datetime.combine(value, time()) if type(value) is date else value
    except ValueError:
        found = None
    if not isinstance(found, datetime) or found.tzinfo is not None:
        raise SchemaError(f'{what} must be a date such as "1990-01-31", or a date and time such as "1990-01-31T12:30", without a time zone.')
    return found


def _days(text: str) -> float:
    """Days since 1970-01-01."""
    return (datetime.fromisoformat(text) - datetime(1970, 1, 1)) / timedelta(days=1)  # noqa: DTZ001 - no time zone anywhere


def _number(value: object, *, what: str) -> float:
    """`value` as a finite float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SchemaError(f"{what} must be a number; {kind(value)} was given. Write it without quotes, as in {what.rpartition(' ')[2]} = 0.")
    number = float(value) if abs(value) <= sys.float_info.max else math.inf
    if not math.isfinite(number):
        raise SchemaError(f"{what} must be a finite number that float64 can hold. A private fit needs bounds for every column: choose public ones.")
    return number


def _one_of(value: object, allowed: tuple[str | None, ...], *, what: str, remedy: str) -> None:
    """SchemaError unless `value` is one of `allowed`."""
    if value is None and None in allowed:
        return
    if not isinstance(value, str):
        raise SchemaError(f"{what} must be a string; {kind(value)} was given. {remedy}")
    if value not in allowed:
        raise SchemaError(f"{what} cannot be {value!r}.{did_you_mean(value, [one for one in allowed if one])} {remedy}")
