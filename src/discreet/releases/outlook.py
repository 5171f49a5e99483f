"""What a release will be worth, said before anything is spent: from public numbers alone, no record is read and nothing is drawn.

    a number     the deviation of its noise, in the column's own unit           rows
    a mean       of a column over all rows, by noise alone                      rows, moments
    a relation   the deviation, by noise alone, of the correlation of two columns that are spread evenly over their ranges and have nothing to do with
                 each other, as a learner finds it that knows the noise: what a coefficient of standardised columns is off by

With v and w the mean squares of two such columns (a third of the squared bound; less where rows have a norm), s and t the variances of their noise:

    rows         (m s t / (v w) + n (s / v + t / w)) / n^2           n records on m released rows: n or, where their number is secret, the slots
    sketch       (1 + s / (n v)) (1 + t / (n w)) / k                 k rows; s and t those of the second moments
    moments      N_x N_y / (n^2 v w)                                 N the noise of the moments

Below .05 needs so many records: by bisection of the same formula. Another method that takes the same budget and no further number is named where it
needs half as many, or fewer.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InfeasibleTarget, InvalidInput
from discreet.core.foreseen import SAY, WANTED, in_range, judged, some_of, with_two_digits
from discreet.core.neighbours import ADD_REMOVE
from discreet.core.short import short_repr
from discreet.data import Schema
from discreet.queries import Projection, Target
from discreet.releases.methods import METHODS, Method, Plan, Request
from discreet.releases.methods.base import DELTA, EPSILON, PRIVATE, ROWS, SHUFFLE, SLOTS
from discreet.releases.methods.columns import Kind, record_columns

_MOST = 1e15
_WORTH = 0.9
"""Of the noise: what leaves more of it is not named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNoise:
    """The noise on one column, in its own unit where it has one, else as it is encoded."""

    name: str
    lower: float | None
    upper: float | None
    number: float | None
    """Its deviation on a released number; None where no single ones are released."""
    mean: float | None
    """On the mean over all rows; None where neither rows nor sums are released."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What a release will be worth, from public numbers alone: its noise, and how large a sample it is good for. Built by `Publication.outlook`."""

    method: str
    records: int
    """Rows that it is said of: their public number, or SAY."""
    public: bool
    """Whether that is their public number."""
    columns: tuple[ColumnNoise, ...]
    error: float
    """Of a correlation."""
    needed: float
    """Rows with which it is WANTED; infinity where no number of them is enough."""
    better: "Outlook | None" = None
    known: bool = True
    """Whether the noise is known before the release."""
    shuffled: "tuple[int, float] | None" = None
    """Rows whose secret order could be counted, and what share of the noise that would leave."""

    __repr__ = short_repr

    def lines(self) -> list[tuple[str, str]]:
        """For people: (label, words)."""
        if not self.known:
            words = "not known before the release, because it depends on the records or on a private measurement of them"
            return [("Noise", words), *self._recommended()]
        found = [("Noise", self._of("number", "deviation on every number")), ("Mean", self._of("mean", f"of {self._rows()}, deviation"))]
        return [*((label, words) for label, words in found if words), ("Learning", self.learning()), *self._order(), *self._recommended()]

    def to_dict(self) -> dict[str, Json]:
        """For programs; None for infinity."""
        return {
            "method": self.method,
            "known": self.known,
            "records": self.records,
            "records_public": self.public,
            "columns": [{"name": one.name, "number": one.number, "mean": one.mean} for one in self.columns],
            "correlation_error": None if math.isinf(self.error) else self.error,
            "records_needed": None if math.isinf(self.needed) else math.ceil(self.needed),
            "shuffled": None if self.shuffled is None else {"rows": self.shuffled[0], "noise": self.shuffled[1]},
            "better": None if self.better is None else self.better.to_dict(),
        }

    def _rows(self) -> str:
        return f"{self.records:,} rows" + ("" if self.public else ", say")

    def _of(self, what: str, words: str) -> str:
        known = [(one, getattr(one, what)) for one in self.columns if getattr(one, what) is not None]
        if not known:
            return ""
        unit = "" if any(one.lower is not None for one in self.columns) else ", of columns as they are encoded"
        return f"{words}{unit}: {some_of([f'{one.name} {size:.3g}{in_range(one.lower, one.upper)}' for one, size in known])}"

    def learning(self) -> str:
        """What a learner that accounts for the noise can achieve with it."""
        enough = math.isfinite(self.needed)
        needed = f"an error of {WANTED:g} needs {with_two_digits(self.needed)} rows" if enough else f"no number of rows brings it to {WANTED:g}"
        return judged(self.error, f"with {self._rows()}, the error of a correlation of two columns is {self.error:.2g}; {needed}")

    def _order(self) -> list[tuple[str, str]]:
        if self.shuffled is None:
            return []
        rows, left = self.shuffled
        return [("Shuffled", f"--shuffle {rows}, at the same price: rows in a secret order, with {left:.2g} times this noise")]

    def _recommended(self) -> list[tuple[str, str]]:
        if self.better is None:
            return []
        return [("Better", f"--method {self.better.method}, at the same price: {self.better.learning()}")]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Candidate:
    """A method with its plan, and the numbers that say what its releases are worth."""

    method: Method
    request: Request
    noise: Floats
    """Variances on the numbers of a row; of moments the diagonal of N, without the constant's."""
    head: float
    """The constant's, of moments."""
    pair: tuple[float, float]
    """s / v and t / w."""

    def off(self, count: float) -> float:
        """The correlation's deviation, by noise on so many records."""
        first, second = self.pair
        slots = self.request.get(SLOTS)
        match self.method.kind:
            case Kind.MOMENTS:
                return math.sqrt(first * second) / count
            case Kind.SKETCH:
                return math.sqrt((1.0 + first / count) * (1.0 + second / count) / self.request[ROWS])
            case _:
                return math.sqrt(max(float(slots or 0), count) * first * second + count * (first + second)) / count

    def needed(self) -> float:
        """The least number of records with which it is WANTED."""
        low, high = 0.0, math.log(_MOST)
        if self.off(_MOST) > WANTED:
            return math.inf
        while high - low > 1e-6:
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.off(math.exp(middle)) > WANTED else (low, middle)
        return math.exp(high)

    def columns(self, schema: Schema | None, rows: int) -> Iterator[ColumnNoise]:
        """Those of rows and of moments, which have units of their own."""
        kind, domain = self.method.kind, self.request.domain
        if kind not in (Kind.ROWS, Kind.MOMENTS):
            return
        slots = self.request.get(SLOTS)
        released = max(slots or 0, rows)
        for column, size in zip(record_columns(domain, self.request.target, schema), self.noise.tolist(), strict=True):
            total = column.own_width * math.sqrt(size * (self.head if kind is Kind.MOMENTS else released))
            number = None if kind is Kind.MOMENTS else column.own_width * math.sqrt(size)
            yield ColumnNoise(name=column.name, lower=column.lower, upper=column.upper, number=number, mean=total / rows)


def outlook_of(method: Method, plan: Plan, request: Request, schema: Schema | None, *, records: int | None) -> Outlook:
    """Of a planned release; `records` is their number, where it is public."""
    found = replace(_outlook(method, plan, request, schema, records), shuffled=_shuffled(method, plan, request, records))
    if request.target is Target.CLEAR or not {EPSILON.name, DELTA.name} <= set(request.given):
        return found
    others = [one for name in METHODS if name != method.name and (one := _other(METHODS[name], request, schema, records)) is not None]
    better = min(others, key=lambda one: one.needed, default=found)
    return replace(found, better=better) if math.isfinite(better.needed) and better.needed <= 0.5 * found.needed else found


def _other(method: Method, request: Request, schema: Schema | None, records: int | None) -> Outlook | None:
    """That of another method for the same budget; None where it needs other numbers, or cannot be."""
    way = next((way for way in method.ways if way.needs in (PRIVATE, (EPSILON,)) and way.calibration == "tight"), None)
    if way is None:
        return None
    slots: int | None = request.get(SLOTS) if SLOTS in way.takes else None
    numbers: dict[str, Any] = {one.name: request[one] for one in way.needs}
    numbers |= {"slots": slots}
    asked = Request(domain=request.domain, target=request.target, neighbours=request.neighbours, schema=request.schema, **numbers)
    try:
        return _outlook(method, method.plan(asked, "tight"), asked, schema, records)
    except (InvalidInput, InfeasibleTarget):
        return None


def _shuffled(method: Method, plan: Plan, request: Request, records: int | None) -> tuple[int, float] | None:
    """What a secret order of the rows would leave of the noise, where it was not asked for and their number is public."""
    slots = request.get(SLOTS)
    rows = slots if request.neighbours is ADD_REMOVE else records
    if not (rows and request.get(DELTA) and request.get(SHUFFLE) is None and any(SHUFFLE in way.takes for way in method.ways)):
        return None
    numbers: dict[str, Any] = {"epsilon": request[EPSILON], "delta": request[DELTA], "slots": slots, "shuffle": rows}
    asked = Request(domain=request.domain, target=request.target, neighbours=request.neighbours, schema=request.schema, **numbers)
    try:
        found = [_candidate(method, plan, request), _candidate(method, method.plan(asked, "tight"), asked)]
    except (InvalidInput, InfeasibleTarget):
        return None
    here, there = (math.inf if one is None else float(np.mean(one.noise)) for one in found)
    left = math.sqrt(there / here)
    return (rows, left) if left < _WORTH else None


def _outlook(method: Method, plan: Plan, request: Request, schema: Schema | None, records: int | None) -> Outlook:
    slotted = method.kind in (Kind.ROWS, Kind.PROJECTED_ROWS)
    slots = request.get(SLOTS) if slotted else None
    rows, public = records or slots or SAY, bool(records or slots)
    one = _candidate(method, plan, request)
    if one is None:
        return Outlook(method=method.name, records=rows, public=public, columns=(), error=math.inf, needed=math.inf, known=False)
    columns = tuple(one.columns(schema, rows))
    return Outlook(method=method.name, records=rows, public=public, columns=columns, error=one.off(float(rows)), needed=one.needed())


def _candidate(method: Method, plan: Plan, request: Request) -> _Candidate | None:
    """None where the noise is not known before the release."""
    query, parameters = plan.query, plan.mechanism.parameters()
    width = method.width(query, parameters)
    columns = (width if isinstance(width, int) else 0) + (method.kind in (Kind.ROWS, Kind.PROJECTED_ROWS) and query.read.target is Target.CLEAR)
    try:
        covariance = method.noise_covariance(plan.mechanism.name, parameters, query, columns=columns)
    except FileFormatError:
        return None
    if covariance is None:
        return None
    noise, counted = np.diag(covariance), method.kind is Kind.MOMENTS
    sizes = noise[1:] if counted else noise
    domain = request.domain
    feature = min(domain.largest_entry**2 / 3.0, domain.radius**2 / domain.features)
    if method.kind is Kind.PROJECTED_ROWS:
        stretched = np.square(query.matrix).sum() / query.matrix.shape[1] if isinstance(query, Projection) else query.columns / columns
        feature *= float(stretched)
    beside = isinstance(query, Projection) and query.beside
    own = request.target is not Target.OMITTED and not (method.kind is Kind.PROJECTED_ROWS and request.target is Target.NOISY and not beside)
    weight = query.weight if isinstance(query, Projection) else 1.0
    spreads = (feature, (weight * domain.target_bound) ** 2 / 3.0 if own else feature)
    pair = (float(np.mean(sizes[: domain.features])) / spreads[0], float(sizes[-1]) / spreads[1])
    return _Candidate(method=method, request=request, noise=sizes, head=float(noise[0]) if counted else 0.0, pair=pair)
