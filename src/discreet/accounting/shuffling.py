"""What a secret uniform order of rows adds to the noise on them: the theorem of shuffled_rows.md, as numbers that are rounded against us.

n rows y_i ~ R(x_i), independent, leave in a uniformly random order. With a law W of a row, p in (0, 1] and d >= 0,

    integral of (p W - R(x))_+  <=  d     for every record x                     (a share p of every row looks alike, but for d)

and, for the records x and x' that neighbours have in one place, A = dR(x) / dW, B = dR(x') / dW, L = A - e^epsilon B at a point drawn from W,

    delta(epsilon) <= E (X_1 + .. + X_n)_+ / (n p) + (1 + e^epsilon) (n - 1) d,      X_i independent, L with probability p, else 0

`RowLaw` is an upper bound of that of L in the increasing convex order, as atoms: the bound is increasing and convex in every X_i. Here are

    normal_laws     rows N(x, s^2 I), |x| <= C, mu = C / s, W = N(0, s^2 I): replaced, L = e^{mu g - mu^2 / 2} - e^{epsilon - mu g - mu^2 / 2} of a
                    normal g (opposite records are worst); added or removed, one of the two terms is 1, or e^epsilon.   d = p delta_G(ln(1 / p); mu)
    report_law      categories that their owners randomised, column by column: W is uniform for a response, all bits those of other categories for an
                    encoding, d = 0; all columns differ (theorem 5)
    ratio_laws      e^{-r} <= dR(x) / dW <= e^r: p = e^{-r}, d = 0, A and B one of these two numbers each and never both the larger

Numerics. A law with a continuous g is cut into cells; each is moved to its two ends, with a little more of it to the right than keeps the mean
(`_SLACK`); what is right of the last end stays there, and E (L - last)_+ <= `beyond` is added. Atoms then move to a grid of step h the same way. All
masses are raised by `_RAISED`, so that the measure that is convolved is above the exact one, atom by atom. With M(t) = 1 - p + p E e^{t L} and Q the
tilted n-fold convolution, E S_+ = M(t)^n sum over s > 0 of s e^{-t s} Q(s), by one transform of length N over (-V, W]: what lies elsewhere comes back
inside, where it only adds, and what is above W is at most W e^{-t W}, t W >= 60. Rounding of the transform: C u (log2 N + 2) (n + 2) in Euclidean
norm (module `convolution`), times that of the weights s e^{-t s}.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from discreet.accounting.gaussian import gaussian_delta, normal_tail
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.remembered import remembered
from discreet.core.rounding import lowering, raising
from discreet.core.validate import whole

fft = lazily("scipy.fft")
special = lazily("scipy.special")
_CELLS = 4096
_REACH = 8.5
_SLACK, _RAISED, _LAST_DIGITS = 1e-7, 1e-10, 1e-14
_FAR = 60.0
_FINENESS = 0.02
"""Steps of the grid beside the root of E L^2 under the tilt: splitting adds a ten-thousandth of the variance."""
_MOST = 1 << 20
_ROUNDING = 24.0 * float(np.finfo(np.float64).eps)
LARGEST_EPSILON = 50.0
"""Beyond it nothing is counted: e^epsilon is a factor of what rows do not have in common."""
LEAST_DELTA = 1e-30
_TIMES = 5
_ALIKE, _MOST_ATOMS = 1e-10, 1 << 14
"""Answers of the same ratios, in logarithms, are one: the larger of A, and the smaller of B."""
MOST_ROWS = 1 << 30
"""More rows than that are taken for so many: with more, less is seen of one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLaw:
    """A bound of the law of L, and how much of every row it is a share of."""

    values: Floats
    masses: Floats
    """Of the values; together a little more than 1."""
    share: float
    """p."""
    missing: float = 0.0
    """d."""
    beyond: float = 0.0
    """At least E (L - largest value)_+."""


def missing_share(share: float, mu: float) -> float:
    """d of rows with normal noise, rounded up: p delta_G(ln(1 / p); mu)."""
    at = -math.log(share)
    return share * gaussian_delta(at - 1e-15 * (1.0 + at), mu) * raising(64)


def normal_laws(epsilon: float, *, mu: float, share: float, cut: float, neighbours: Neighbours) -> tuple[RowLaw, ...]:
    """Of both orders of neighbours where they differ; about `cut` is cut off and counted by itself."""
    _require(epsilon, share)
    reach = math.sqrt(2.0 * math.log(1.0 / cut))
    first, last = -max(_REACH, reach) - mu, reach + mu
    ends = np.linspace(first, last, _CELLS + 1)
    inside, of_up, of_down = _between(ends), _between(ends - mu), _between(ends + mu)
    up, down = np.exp(mu * ends - 0.5 * mu**2), np.exp(-mu * ends - 0.5 * mu**2)
    growth = math.exp(epsilon)
    above, below = normal_tail(last - mu), growth * float(down[-1]) * normal_tail(last)
    missing = missing_share(share, mu)
    if neighbours is ADD_REMOVE:
        removed = _cells(up, np.full_like(up, growth), inside, of_up - growth * inside, (first, last, above))
        added = _cells(np.ones_like(up), growth * down, inside, inside - growth * of_down, (first, last, below))
        return replace(removed, share=share, missing=missing), replace(added, share=share, missing=missing)
    return (replace(_cells(up, growth * down, inside, of_up - growth * of_down, (first, last, above + below)), share=share, missing=missing),)


def ratio_laws(epsilon: float, *, ratio: float, neighbours: Neighbours) -> tuple[RowLaw, ...]:
    """Of rows whose densities are within e^(+-ratio) of W's."""
    high, low = math.exp(ratio) * raising(16), math.exp(-ratio) * lowering(16)
    rare, growth = (1.0 - low) / (high - low), math.exp(epsilon)
    _require(epsilon, low)
    if neighbours is ADD_REMOVE:
        removed = _atoms([(high, growth, rare), (low, growth, 1.0 - rare)], low)
        return removed, _atoms([(1.0, growth * low, 1.0 - rare), (1.0, growth * high, rare)], low)
    return (_atoms([(high, growth * low, rare), (low, growth * high, rare), (low, growth * low, 1.0 - 2.0 * rare)], low),)


class Answered(NamedTuple):
    """How an owner answers one column."""

    single: bool
    """One category alone (k-ary response), and not a bit for each (unary encoding)."""
    cells: int
    odds: float
    """a / b of the own category beside another, above 1."""

    @property
    def share(self) -> float:
        """Of every answer's law that is W's."""
        return self.cells / (self.odds + self.cells - 1.0) if self.single else 0.5 * (self.odds + 1.0) / self.odds

    @property
    def atoms(self) -> list[tuple[float, float, float]]:
        """A, B and their probability, for two owners in different categories."""
        if self.single:
            low, rest = self.share, 1.0 / self.cells
            high = low * self.odds
            return [(high, low, rest), (low, high, rest), (low, low, (self.cells - 2.0) * rest)]
        high, low, rare = 0.5 * (self.odds + 1.0), self.share, 1.0 / (self.odds + 1.0)
        bits = [(high, rare), (low, 1.0 - rare)]
        return [(one, other, mine * yours) for one, mine in bits for other, yours in bits]


def report_law(epsilon: float, columns: Sequence[Answered]) -> RowLaw:
    """Of reports of these columns. Raises InvalidInput for more different answers than can be counted together."""
    found = {(0, 0): (1.0, 1.0, 1.0)}
    for column in columns:
        after: dict[tuple[int, int], tuple[float, float, float]] = {}
        for up, down, mass in found.values():
            for high, low, each in column.atoms:
                one, other = up * high, down * low
                key = (round(math.log(one) / _ALIKE), round(math.log(other) / _ALIKE))
                most, least, together = after.get(key, (one, other, 0.0))
                after[key] = (max(most, one), min(least, other), together + mass * each)
        found = after
        if len(found) > _MOST_ATOMS:
            raise InvalidInput(
                f"reports of {len(columns)} columns of so many sizes cannot be counted together. Ask for fewer, or leave their order uncounted."
            )
    rounded, growth = 8 * len(columns), math.exp(epsilon)
    share = math.prod(column.share for column in columns) * lowering(rounded)
    _require(epsilon, share)
    apart = [(up * raising(rounded), growth * down * lowering(rounded), mass * raising(rounded)) for up, down, mass in found.values()]
    return _atoms(apart, share)


def shuffled_reports(epsilon: float, columns: Sequence[Answered], rows: int) -> float:
    """delta of so many reports in a secret order."""
    return shuffled_delta(epsilon, rows, (report_law(epsilon, columns),))


@remembered
def shuffled_normal(epsilon: float, *, mu: float, rows: int, share: float, neighbours: Neighbours) -> float:
    """delta of so many shuffled rows with normal noise, of records within mu deviations of 0.

    Where the law is cut off is chosen by what was found before: every choice is a bound, and the least is taken.
    """
    expected, best = 1e-6, 1.0
    for _ in range(_TIMES):
        found = shuffled_delta(epsilon, rows, normal_laws(epsilon, mu=mu, share=share, cut=1e-3 * expected, neighbours=neighbours))
        best = min(best, found)
        if 0.2 * expected <= found <= 5.0 * expected:
            break
        expected = max(found, LEAST_DELTA)
    return best


@remembered
def shuffled_ratio(epsilon: float, *, ratio: float, rows: int, neighbours: Neighbours) -> float:
    """delta of so many shuffled rows whose densities are within e^(+-ratio) of one law's."""
    return shuffled_delta(epsilon, rows, ratio_laws(epsilon, ratio=ratio, neighbours=neighbours))


def shuffled_delta(epsilon: float, rows: int, laws: tuple[RowLaw, ...]) -> float:
    """See module docstring: the largest over the laws."""
    whole(rows, "the number of shuffled rows")
    counted = min(rows, MOST_ROWS)
    return min(
        1.0, max(_positive_part(counted, law) + law.beyond + (1.0 + math.exp(epsilon)) * (counted - 1) * law.missing for law in laws) * raising(64)
    )


def over_rows(curve: Callable[[float], float], epsilon: float, rows: int) -> float:
    """delta of neighbours that differ in so many of the shuffled rows, changed one after the other, from the curve of one (theorem 4)."""
    if rows == 1:
        return curve(epsilon)
    each = epsilon / rows * lowering(4)
    return min(1.0, curve(each) * math.expm1(epsilon) / math.expm1(each) * raising(16))


def share_for(missing: float, *, mu: float) -> float:
    """The largest p (to 1e-6, rounded down) with p delta_G(ln(1 / p); mu) <= missing."""
    low, high = -700.0, -1e-9
    if missing_share(math.exp(high), mu) <= missing:
        return math.exp(high)
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if missing_share(math.exp(middle), mu) <= missing else (low, middle)
    return math.exp(low)


def _positive_part(rows: int, law: RowLaw) -> float:
    """E (X_1 + .. + X_n)_+ / (n p)."""
    if not law.values.max() > 0:
        return 0.0
    masses = law.masses * (1.0 + _RAISED)
    tilt = _tilt(rows, law.values, masses, law.share)
    # A smaller value would only make the sum smaller; under the tilt what lies there has next to no mass.
    values = np.maximum(law.values, -_FAR / tilt)
    squares = float(np.square(values) @ (masses * np.exp(tilt * values)))
    deviation = math.sqrt(rows * law.share * squares)
    step = max(_FINENESS * math.sqrt(squares), deviation / 20_000.0)
    last = math.ceil(_FAR / tilt / step)
    # Room for all that is weighed, and for twelve deviations beside it: what is farther comes round, and adds.
    length = 1 << math.ceil(math.log2(max(last + 12.0 * deviation / step, (values.max() - values.min()) / step) + 64))
    if length > _MOST:
        return 1.0
    places, masses = _on_grid(values / step, masses)
    tilted = masses * np.exp(tilt * step * places)
    moment = float(np.sum(tilted))
    sequence = np.zeros(length)
    np.add.at(sequence, places % length, tilted / moment)
    # ln M(t); `kept` is the probability under the tilt that a row looks like the others at all.
    log_whole = math.log1p(law.share * (moment - 1.0))
    kept = law.share * moment / math.exp(log_whole)
    # Q. Its rounding errors are counted in `error`; below 0 there are only such.
    together = np.maximum(fft.irfft((1.0 - kept + kept * fft.rfft(sequence)) ** rows, length), 0.0)
    sums = step * np.arange(1, last + 1)
    weights = sums * np.exp(-tilt * sums)
    error = _ROUNDING * (math.log2(length) + 2.0) * (rows + 2.0) * float(np.linalg.norm(weights))
    # The last term is what is above W: s e^(-t s) falls from there on.
    inner = float(weights @ together[1 : last + 1]) + error + last * step * math.exp(-tilt * step * last)
    exponent = rows * log_whole * (raising(48) if log_whole > 0 else lowering(48))
    found = inner * math.exp(min(exponent, 600.0)) / (rows * law.share)
    return min(1.0, found * (1.0 + 1e-9 + 1e-14 * rows))


def _tilt(rows: int, values: Floats, masses: Floats, share: float) -> float:
    """About the least of n ln M(t) - ln t: where the sum stands at 0. Any tilt is valid."""
    low, high = math.log(1e-9 / values.max()), math.log(200.0 / values.max())

    def slope(log: float) -> float:
        tilt = math.exp(log)
        grown = masses * np.exp(tilt * values)
        return rows * share * float(grown @ values) / (1.0 + share * (float(np.sum(grown)) - 1.0)) - 1.0 / tilt

    while high - low > 1e-3:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return math.exp(high)


def _on_grid(values: Floats, masses: Floats) -> tuple[np.ndarray, Floats]:
    """Atoms on integers, each split between its neighbours, a little more to the right."""
    below = np.floor(values)
    right = np.minimum(values - below + _SLACK, 1.0)
    first = int(below.min())
    at = (below - first).astype(np.intp)
    found = np.zeros(int(at.max()) + 2)
    np.add.at(found, at, masses * (1.0 - right))
    np.add.at(found, at + 1, masses * right)
    return first + np.arange(len(found)), found


def _cells(up: Floats, down: Floats, inside: Floats, means: Floats, cut: tuple[float, float, float]) -> RowLaw:
    """Every cell of up - down moved to its ends, what is left of the first to the first, and what is right of the last to the last."""
    first, last, beyond = cut
    values = up - down + _LAST_DIGITS * (up + down)
    with np.errstate(invalid="ignore", divide="ignore"):
        # The share of a cell's mass at its right end with which its mean stays; a convex function grows by that (see module docstring).
        right = np.where(inside > 0, (means / inside - values[:-1]) / np.diff(values), 1.0)
    right = np.clip(np.nan_to_num(right, nan=1.0) + 10.0 * _SLACK, 0.0, 1.0)
    masses = np.append(inside * (1.0 - right), 0.0) + np.append(0.0, inside * right)
    masses[0] += float(special.ndtr(first))
    masses[-1] += normal_tail(last)
    return RowLaw(values=values, masses=masses, share=1.0, beyond=beyond * raising(64))


def _between(ends: Floats) -> Floats:
    """The normal law's mass of every cell, from the nearer tail."""
    lower, upper = special.ndtr(ends), special.ndtr(-ends)
    return np.where(ends[1:] <= 0, np.diff(lower), -np.diff(upper))


def _atoms(atoms: list[tuple[float, float, float]], share: float) -> RowLaw:
    """Of A, e^epsilon B and their probability."""
    up, down, masses = (np.array(column) for column in zip(*atoms, strict=True))
    return RowLaw(values=up - down + _LAST_DIGITS * (up + down), masses=np.maximum(masses, 0.0) * raising(64), share=share)


def _require(epsilon: float, share: float) -> None:
    if not (is_finite(epsilon) and 0 <= epsilon <= LARGEST_EPSILON and 0 < share <= 1):
        raise InvalidInput(
            f"shuffled rows are counted for epsilon from 0 to {LARGEST_EPSILON:g} and a share in (0, 1]; {epsilon!r}, {share!r} were given."
        )
