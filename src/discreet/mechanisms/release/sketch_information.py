"""The sketch for bits about single entries (proof note sketch.md, section 5).

    bits = min( coherent, divergence )
    coherent     log2(1 + k U^2 / beta) / 2 + D_1^2 / (2 s^2 ln 2)
    divergence   k / (2 ln 2) [ U^2 / beta - ln(1 + U^2 / (beta + R^2)) + 4.2 eta (U^2 + R^2) / beta + 4.5 m eta^2 ] + D_2^2 / (2 s^2 ln 2)

beta = sigma^2; U the bound of the entry, R^2 of the squares of the other numbers of its record together; the last terms are the grid's, eta is the
relative error of the computed covariance (module `arithmetic`). The first holds even if the adversary learns S; the second needs S secret and is
far smaller for narrow tables. sup over all priors of the entry, every other number of the table known. Noise is on all columns.

Nothing of the data enters sigma: the published rule (Showkatbakhsh et al. 2018, eq. 13) subtracts the least column norm, which protects nothing when
columns are nearly collinear or the target is nearly a combination of them, and is itself a function of the records.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self, TypeAlias

from discreet.accounting import MutualInformation
from discreet.core.arrays import is_finite
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import REPLACE_ONE
from discreet.mechanisms.learning.base import grid_step
from discreet.mechanisms.release.arithmetic import Arithmetic
from discreet.mechanisms.release.rows import LARGEST_SCALE
from discreet.mechanisms.release.sketch import TOO_ROUGH, Sketch, arithmetic_of, check_target
from discreet.noise.stated import NORMAL_LIMIT
from discreet.queries import SecondMoments
from discreet.queries.base import UP
from discreet.words.sketch import SECRET, InformationSketchSpec

_SHARE = 1e-3
"""Of the bits, the last stage's."""
_LEAST_SCALE = 2.0**12


class SketchOfBits(Sketch):
    """A sketch with a bound of the bits about any one entry."""

    __slots__ = ()

    most_bits: ClassVar[float] = math.inf

    @classmethod
    def calibrate(cls, query: SecondMoments, *, rows: int, bits: float) -> Self:
        """The least noise of those tried (to 1e-3) for at most `bits` bits about any entry.

        Raises InvalidInput for another query than it answers, InfeasibleTarget where rounding errors cannot be hidden.
        """
        check_target(1.0, rows)
        if not (is_finite(bits) and 0 < bits <= cls.most_bits):
            most = "" if cls.most_bits == math.inf else f", at most {cls.most_bits:g}"
            raise InvalidInput(f"bits must be positive and finite{most}; {bits!r} was given.")
        cls.check(query)
        found = [one for one in cls._tried(query, rows, bits) if one is not None and one.promise(query).bits <= bits]
        if not found:
            raise InfeasibleTarget(TOO_ROUGH.format(rows=rows, records=query.most_records))
        return min(found, key=lambda one: one.noise_variance(query))

    @staticmethod
    def check(query: SecondMoments) -> None:
        """Raise InvalidInput for rows that are shortened as a whole, and whatever else it does not answer."""
        check_entries(query)

    @classmethod
    @abstractmethod
    def _tried(cls, query: SecondMoments, rows: int, bits: float) -> Iterable[Self | None]:
        """Ways to hide rounding errors beside such bits."""

    @abstractmethod
    def promise(self, query: SecondMoments) -> MutualInformation:
        """See Mechanism."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InformationSketch(InformationSketchSpec, SketchOfBits):
    """k noisy random combinations of records whose entries are bounded one by one."""

    @classmethod
    def _tried(cls, query: SecondMoments, rows: int, bits: float) -> Iterable[Self | None]:
        return (cls._for_route(query, rows, bits, route) for route in _ROUTES)

    @classmethod
    def _for_route(cls, query: SecondMoments, rows: int, bits: float, route: "Route") -> Self | None:
        low, high = math.log(1e-6), math.log(1e18)
        while high - low > 1e-9:
            middle = 0.5 * (low + high)
            variance = math.exp(middle) / query.unit**2
            bounds = arithmetic_of(query, rows, variance, variance)
            low, high = (low, middle) if route(query, bounds).bits <= (1.0 - 2.0 * _SHARE) * bits else (middle, high)
        variance = math.ceil(math.exp(high) / query.unit**2)
        bounds = arithmetic_of(query, rows, variance, variance)
        radius = route(query, bounds).radius
        if variance >= 1 << 61 or not math.isfinite(radius):
            return None
        step = grid_step(radius, rows * query.columns)
        scale = _steps(radius, step, bounds) / math.sqrt(2.0 * math.log(2.0) * _SHARE * bits) * UP
        return cls(rows=rows, variance=variance, step=step, scale=max(scale, _LEAST_SCALE)) if scale < LARGEST_SCALE else None

    def promise(self, query: SecondMoments) -> MutualInformation:
        """See the module docstring."""
        check_entries(query)
        bounds = self.arithmetic(query)
        bits = min(part.bits + _last_bits(part.radius, self.step, self.scale, bounds) for part in (route(query, bounds) for route in _ROUTES))
        return MutualInformation(bits=bits * (1.0 + 1e-9), neighbours=REPLACE_ONE, theorem=self.theorem, secret=SECRET)


class Part(NamedTuple):
    """What one road bounds: bits about the worst entry, and how far the computed sketch surely is from the one that they are about."""

    bits: float
    radius: float


def coherent_route(query: SecondMoments, bounds: Arithmetic) -> Part:
    """S known; the ideal sketch has the exact covariance, and |L - M|_F <= 0.51 eta sqrt(beta) is counted in the radius."""
    if not math.isfinite(bounds.closeness):
        return Part(math.inf, math.inf)
    bits = max(coherent_bits(bounds.rows, bounds.floor, entry**2) for entry in _entries(query))
    return Part(bits, bounds.radius + covariance_distance(bounds))


def covariance_distance(bounds: Arithmetic) -> float:
    """Of k rows G L' from k rows G M' with the exact covariance (lemma 2 of the note); infinity where the factorisation could break down."""
    if not math.isfinite(bounds.closeness):
        return math.inf
    return 1.02 * NORMAL_LIMIT * math.sqrt(bounds.rows * bounds.columns) * 0.51 * bounds.eta * math.sqrt(bounds.floor)


def divergence_route(query: SecondMoments, bounds: Arithmetic) -> Part:
    """S secret; the ideal sketch has the computed covariance, whose error is counted in bits."""
    if not math.isfinite(bounds.closeness):
        return Part(math.inf, math.inf)
    squares = [entry**2 for entry in _entries(query)]
    total = math.fsum(squares)
    bits = max(divergence_bits(bounds.rows, bounds.floor, square, total - square) for square in squares)
    rounding = 4.2 * bounds.eta * total / bounds.floor + 4.5 * bounds.columns * bounds.eta**2
    return Part(bits + bounds.rows / (2.0 * math.log(2.0)) * rounding, bounds.radius)


def coherent_bits(rows: int, beta: float, square: float) -> float:
    """log2(1 + k U^2 / beta) / 2."""
    return 0.5 * math.log1p(rows * square / beta) / math.log(2.0)


def divergence_bits(rows: int, beta: float, square: float, others: float) -> float:
    """k / (2 ln 2) [ x - ln(1 + y) ], x = U^2 / beta, y = U^2 / (beta + R^2): the largest divergence from the law of a zero entry."""
    x, y = square / beta, square / (beta + others)
    # For small y the series, whose first omitted term is negative.
    rest = y * y * (0.5 - y / 3.0 + y * y / 4.0) if y < 1e-4 else y - math.log1p(y)
    return rows / (2.0 * math.log(2.0)) * (square * others / (beta * (beta + others)) + rest) if x > 0 else 0.0


Route: TypeAlias = Callable[[SecondMoments, Arithmetic], Part]
_ROUTES: tuple[Route, ...] = (coherent_route, divergence_route)


def _entries(query: SecondMoments) -> list[float]:
    unit = query.unit
    return [float(entry) / unit for entry in query.read.entries]


def _steps(radius: float, step: float, bounds: Arithmetic) -> float:
    return (2.0 * radius / step + math.sqrt(bounds.rows * bounds.columns)) * UP


def _last_bits(radius: float, step: float, scale: float, bounds: Arithmetic) -> float:
    return _steps(radius, step, bounds) ** 2 / (2.0 * scale**2 * math.log(2.0))


def check_entries(query: SecondMoments) -> None:
    """Raise InvalidInput unless entries are bounded one by one."""
    if not query.domain.entries_alone:
        raise InvalidInput(
            "bits about single entries need a domain with entry_bound alone: shortening a row by norm_bound ties its entries together."
        )
