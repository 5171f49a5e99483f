"""The minimiser of a sum of losses of residuals, or of predictions and targets, a ridge and a linear term, to a certified gradient norm.

    G(w) = sum_i l(<x_i, w> - y_i) + (lambda / 2) |w|^2 + <b, w>,     |w - argmin G| <= |grad G(w)| / lambda

Newton's method, on sums over the blocks of a table, wherever they are; of long tables with Hessians in single precision, from near the minimum of a
sample where they are held, and with plain gradients as far as these lead. Near the minimum gradients are computed so that their
errors do not grow with |w|, and what is returned has a computed gradient whose norm plus the bound of its error is at most the tolerance, fixed from
public numbers; otherwise SolverFailure is raised. With u = 2^-53, gamma_k = k u / (1 - k u), n records, |x| <= R, |y| <= B, slopes at most a and
d + 1 terms in <x, w> - y:

    residual     Dot2 (Ogita, Rump, Oishi 2005, proposition 5.5): off by u |r| + gamma_(d+1)^2 (R |w| + B); plain, in any order of additions, fused
                 or not, and then less y: off by u |r| + gamma_(d+4) R |w|
    slope        16 u a of the loss itself; l'' |r| <= a, so u |r| is worth at most 1.01 u a, and l'' <= 1 for the rest
    products     of 128 rows, any order: gamma_132 times the sum of |s_i| R
    sums         of products in a block, of blocks, and of the two other terms: each correctly rounded (fsum), 8 u times their size, of which they
                 take 6

Losses l(f; y) of a prediction f = <x, w>, with |l'| <= a and l'' <= c, differ in one line: f is a compensated product, off by u |f| + gamma_(d+1)^2
R |w|, or gamma_(d+4) R |w| of plain ones, and slopes are off by 16 u a and c times the error of a prediction within 5 u (1 + |f|) of it, which grows
with |w|.

Sums of losses of residuals are taken over the blocks of a table, wherever they are, one pass each:

    F(w) = sum_i l(r_i),   grad F = sum_i l'(r_i) x_i,   hess F = sum_i l''(r_i) x_i x_i',      r_i = <x_i, w> - y_i

`evaluated` brings the first two, and the third where it is wanted, from rows that are in the processor's caches; it gives directions and no proof.
`accurate_gradient` is what is certified: its errors do not grow with |w|, since residuals are compensated products (Dot2) and sums are correctly
rounded. The tolerance is fixed for any |w| that the objective allows, and minimisers are far shorter as a rule: where the bound of plain products
at the |w| that was found leaves room within the tolerance, they are taken first, at a fifth of the time. In Dot2 the errors of products and
additions are summed apart. Additions are nested in pairs here, D = ceil(log2 n) deep for n = d + 1 terms: every error is at most u times a partial
sum, and all of them together are rounded by at most (2 n - 3 + D (D + 1) / 2) u^2 times the sum of absolute values, below the n^2 u^2 of additions
in the order of the columns: the bound stays.

Rows of persons have weights a_i (Records.weights), and a_i l stands for l; of records with weights of their own (Domain.largest_weight) a_i is any
number in [0, 1]. Slope times weight is another rounding, of u a_i a, and all errors of the row are a_i times those above, since slopes are: bounds
hold with the sum of all weights for n. That of a person's rows is at most 1, so n counts persons, however many rows they have (`worth`).

What is done to a block is a function of the block and of public numbers, so that it may travel to where the block is; sums are added up in the order
of the blocks, and are the same for any number of threads.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from discreet.core.arrays import Floats, two_sum
from discreet.core.errors import SolverFailure
from discreet.core.rounding import UNIT, gamma, raising
from discreet.data import Records
from discreet.data.records import WHOLE_RECORDS
from discreet.losses.predictions import PredictionLoss
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.problems import PredictionRisk
from discreet.solvers.directions import SecantPairs, positive_factor

_MOST = 300
_HALVINGS = 40
_NEAR = 1e-7
"""Of n a R: a gradient that short is computed again, accurately."""
BLOCK = 128
"""Rows of one product in an accurate gradient."""
_EVERY, _ROUGH_STEPS, _ROUGH = 16, 20, 1e-2
"""Parts of a block of which one is looked at first, where a long table is held; steps there, and by what they shrink the gradient."""
_POLISHES = 12
_SAME = 1e-9
"""Of a value of G: what rounding may make of two points near the minimum."""
_PLAIN = 0.75
"""Of the tolerance: what the errors of plain products may take for these to be worth a pass."""
_SPLITTER = 2.0**27 + 1.0
_NUMBERS = 1 << 14
"""Of a table, whose products are compensated at a time: what is written on the way stays in the processor's caches."""
Bounds = LeastSquares | PredictionRisk
"""A problem with a domain."""
Curvature = Callable[[Floats], Floats] | None
"""From slopes to second derivatives, of losses of residuals; None where the loss itself has them, of predictions and targets."""


class Evaluated(NamedTuple):
    """At one point."""

    value: float
    gradient: Floats
    """(d,)."""
    hessian: Floats | None
    """(d, d), where it was wanted."""
    records: int = 0
    """That were looked at."""


def evaluated(
    data: Records, point: Floats, *, loss: PredictionLoss, curvature: Curvature, hessian: bool, rough: bool = False, every: int = 1
) -> Evaluated:
    """F, its gradient and perhaps its Hessian at `point` (d,), which is summed in single precision where a `rough` one will do.

    Of one part in `every` only, over their share, where that is above 1: for directions alone.
    """
    work = partial(_evaluated, point=point, loss=loss, curvature=curvature, hessian=hessian, rough=rough, every=every)
    total = Evaluated(0.0, np.zeros(len(point)), None)
    for block in data.map(work):
        matrix = block.hessian if total.hessian is None or block.hessian is None else total.hessian + block.hessian
        total = Evaluated(total.value + block.value, total.gradient + block.gradient, matrix, total.records + block.records)
    if every == 1 or total.records == 0:
        return total
    times = data.records / total.records
    return Evaluated(times * total.value, times * total.gradient, None if total.hessian is None else times * total.hessian, total.records)


def accurate_gradient(data: Records, point: Floats, *, loss: PredictionLoss, residuals: bool = True, compensated: bool = True) -> Floats:
    """grad F at `point`, (d,); `residuals` for losses of them, `compensated` for products by Dot2. Errors: `gradient_error`."""
    return _rounded_sum(np.array(list(data.map(partial(_accurate, point=point, loss=loss, residuals=residuals, compensated=compensated)))))


def accurate_residuals(rows: Floats, targets: Floats, point: Floats) -> Floats:
    """<x_i, w> - y_i (n,) for `rows` (n, d), by the compensated product Dot2."""
    found, size = np.empty(len(rows)), max(1, _NUMBERS // (len(point) + 1))
    for start in range(0, len(rows), size):
        part = slice(start, min(start + size, len(rows)))
        found[part] = _dot2(np.ascontiguousarray(rows[part].T), targets[part], point[:, np.newaxis])
    return found


def _dot2(columns: Floats, targets: Floats, weights: Floats) -> Floats:
    products, rest = _two_product(columns, weights)
    high = np.concatenate((products, -targets[np.newaxis]))
    low = rest.sum(axis=0)
    while len(high) > 1:
        half = len(high) // 2
        total, error = two_sum(high[:half], high[half : 2 * half])
        low += error.sum(axis=0)
        high = total if len(high) == 2 * half else np.concatenate((total, high[-1:]))
    found: Floats = high[0] + low
    return found


def _evaluated(
    number: int, block: Records, *, point: Floats, loss: PredictionLoss, curvature: Curvature, hessian: bool, rough: bool, every: int
) -> Evaluated:
    size = len(point)
    values, gradient, matrix = [], np.zeros(size), np.zeros((size, size)) if hessian else None
    chosen = block.parts()[number % every :: every]
    for part in chosen:
        predicted = part.matrix.matvec(point)
        slopes, shares = loss.slope(predicted, part.targets), part.weights
        losses, bends = loss.value(predicted, part.targets), None
        if hessian:
            bends = loss.curvature(predicted, part.targets) if curvature is None else curvature(slopes)
        if shares is not None:
            losses, slopes, bends = losses * shares, slopes * shares, None if bends is None else bends * shares
        values.append(float(losses.sum()))
        gradient += part.matrix.rmatvec(slopes)
        if matrix is not None and bends is not None:
            matrix += part.matrix.gram(bends, single_precision=rough)
    return Evaluated(math.fsum(values), gradient, matrix, sum(part.records for part in chosen))


def _accurate(_: int, block: Records, *, point: Floats, loss: PredictionLoss, residuals: bool, compensated: bool) -> Floats:
    parts = [np.zeros((1, len(point)))]
    for rows, entries in block.matrix.chunks():
        targets = block.targets[rows]
        zeros = np.zeros_like(targets)
        less, at = (targets, zeros) if residuals else (zeros, targets)
        slopes = loss.slope(accurate_residuals(entries, less, point) if compensated else entries @ point - less, at)
        if block.weights is not None:
            slopes = slopes * block.weights[rows]
        padding = -len(slopes) % BLOCK
        whole = np.concatenate((entries, np.zeros((padding, entries.shape[1])))) if padding else entries
        blocks = whole.reshape(-1, BLOCK, entries.shape[1])
        parts.append((np.concatenate((slopes, np.zeros(padding))).reshape(-1, 1, BLOCK) @ blocks)[:, 0])
    return _rounded_sum(np.concatenate(parts))


def _rounded_sum(rows: Floats) -> Floats:
    """The sum of the `rows` (n, d), correctly rounded: (d,)."""
    return np.array([math.fsum(column) for column in rows.T.tolist()])


def _two_product(columns: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Products of (d, n) and (d, 1) and their rounding errors (Veltkamp, Dekker)."""
    product = columns * weights
    high, low = _split(columns)
    first, second = _split(weights)
    rest = low * second - (((product - high * first) - low * first) - high * second)
    return product, rest


def _split(numbers: Floats) -> tuple[Floats, Floats]:
    scaled = _SPLITTER * numbers
    high = scaled - (scaled - numbers)
    return high, numbers - high


def worth(data: Records) -> float:
    """How many records the rows are, at most: where they share the weights of persons, the sum of these, by one pass and rounded up."""
    if data.domain.persons is None or not data.domain.persons.several:
        return float(data.records)
    return math.fsum(data.map(_worth)) * raising(4_096)


def _worth(_: int, block: Records) -> float:
    return float(block.records) if block.weights is None else float(np.sum(block.weights))


def gradient_error(
    problem: Bounds,
    *,
    records: float,
    width: float,
    ridge: float,
    length: float,
    linear: float,
    bend: float | None = None,
    compensated: bool = True,
) -> float:
    """Bound of the error of `accurate_gradient` over rows `worth` so many records at |w| <= `length`, ridge w and |b| <= `linear` included.

    `bend` c of a loss of predictions, None for one of residuals; `compensated` as there.
    """
    domain = problem.domain
    reach, products = domain.radius * length, gamma(domain.dimension + 1) ** 2 if compensated else gamma(domain.dimension + 4)
    if bend is None:
        slope = 17.1 * UNIT * width + products * (reach + domain.target_bound) * 1.01
    else:
        slope = 16.1 * UNIT * width + bend * (5.1 * UNIT * (1.0 + reach) + products * reach * 1.01)
    if domain.largest_weight is not None or (domain.persons is not None and domain.persons.several):
        slope += 1.1 * UNIT * width
    of_records = records * domain.radius * (slope + gamma(BLOCK + 4) * width)
    size = records * width * domain.radius + ridge * length + linear
    return (of_records + 8.0 * UNIT * size) * (1.0 + 2.0**-20)


def longest(problem: Bounds, *, records: float, width: float, ridge: float, linear: float) -> float:
    """A bound of |argmin G| for |b| <= `linear`: G there is at most G(0), and l(r) <= a |r|."""
    return (math.sqrt(2.0 * records * width * problem.domain.target_bound / ridge) + 2.0 * linear / ridge) * raising(4_096)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class _Goal:
    """G, see `certified_minimiser`."""

    problem: Bounds
    data: Records
    loss: PredictionLoss
    curvature: Curvature
    width: float
    ridge: float
    linear: Floats
    tolerance: float

    @property
    def bend(self) -> float | None:
        """See gradient_error."""
        return self.problem.smoothness if isinstance(self.problem, PredictionRisk) else None

    @cached_property
    def worth(self) -> float:
        """How many records the rows are."""
        return worth(self.data)

    @property
    def long(self) -> bool:
        """Whether Hessians are rough, and gradients lead as far as they can."""
        return self.data.records > WHOLE_RECORDS

    def reach(self, at: Floats, *, hessian: bool, every: int = 1) -> Evaluated:
        """G, its gradient, and its Hessian where it is asked for: one pass."""
        found = evaluated(self.data, at, loss=self.loss, curvature=self.curvature, hessian=hessian, rough=self.long, every=every)
        value = found.value + 0.5 * self.ridge * float(at @ at) + float(self.linear @ at)
        matrix = None if found.hessian is None else found.hessian + self.ridge * np.eye(len(at))
        return Evaluated(value, found.gradient + self.ridge * at + self.linear, matrix)

    def proved(self, at: Floats) -> tuple[Floats, bool]:
        """An accurate gradient, and whether the exact one is proved to be within the tolerance: by plain products where these can tell."""
        slope, pull, length = np.zeros_like(at), *(float(np.linalg.norm(vector)) * raising(4_096) for vector in (self.linear, at))
        for compensated in (False, True):
            error = gradient_error(
                self.problem,
                records=self.worth,
                width=self.width,
                ridge=self.ridge,
                length=length,
                linear=pull,
                bend=self.bend,
                compensated=compensated,
            )
            if compensated or error <= _PLAIN * self.tolerance:
                found = accurate_gradient(self.data, at, loss=self.loss, residuals=self.bend is None, compensated=compensated)
                slope = found + self.ridge * at + self.linear
                size = float(np.linalg.norm(slope)) * raising(4_096)
                if size + error <= self.tolerance or size > 2.0 * self.tolerance:
                    return slope, size + error <= self.tolerance
        return slope, False


def certified_minimiser(
    problem: Bounds,
    data: Records,
    *,
    loss: PredictionLoss,
    curvature: Curvature,
    width: float,
    ridge: float,
    linear: Floats,
    tolerance: float,
) -> Floats:
    """A point (d,) with |grad G| <= tolerance, rounding errors included; slopes are at most `width`.

    Raises SolverFailure where that cannot be certified.
    """
    goal = _Goal(problem=problem, data=data, loss=loss, curvature=curvature, width=width, ridge=ridge, linear=linear, tolerance=tolerance)
    reach, near, long = goal.reach, _NEAR * max(data.records, 1) * width * problem.domain.radius, goal.long
    point = np.zeros(problem.domain.dimension)
    if long and data.in_memory:
        point = _roughly(partial(reach, every=_EVERY), point)
    here, before = reach(point, hessian=True), math.inf
    for _ in range(_MOST):
        if long and (data.in_memory or float(np.linalg.norm(here.gradient)) <= max(near, tolerance)):
            point, here = _polished(reach, point, here, near=max(near, tolerance), tolerance=tolerance)
        value, slope, hessian = here.value, here.gradient, here.hessian
        if float(np.linalg.norm(slope)) <= max(near, tolerance):
            slope, within = goal.proved(point)
            if within:
                return point
        if hessian is None:
            hessian = reach(point, hessian=True).hessian
        direction = cho_solve(positive_factor(np.asarray(hessian)) if long else cho_factor(np.asarray(hessian)), slope)
        fall, step, size = float(slope @ direction), 1.0, float(np.linalg.norm(slope))
        # Errors of Newton's method square: what the next gradient should be decides whether a Hessian will be wanted there.
        wanted = before == math.inf or size**3 > 0.1 * near * before**2
        for _ in range(_HALVINGS):
            following = point - step * direction
            found = reach(following, hessian=wanted)
            # Near the minimum values differ by rounding errors only, and so may gradients.
            if found.value <= value - 0.1 * step * fall or (
                found.value <= value + _SAME * abs(value) and float(np.linalg.norm(found.gradient)) <= max(size, near)
            ):
                break
            step *= 0.5
        else:
            break
        point, here, before = following, found, size
    raise SolverFailure(
        f"the minimiser could not be certified to a gradient norm of {tolerance:.3g}. The budget counts as spent; take "
        + ("mechanism='refined'." if goal.bend is None else "a larger alpha.")
    )


def _roughly(reach: Callable[..., Evaluated], point: Floats) -> Floats:
    """Near the minimum of a sample, from `point` (d,): where a long table's passes begin. Only their number depends on it."""
    here = reach(point, hessian=True)
    first = float(np.linalg.norm(here.gradient))
    for _ in range(_ROUGH_STEPS):
        if not float(np.linalg.norm(here.gradient)) > _ROUGH * first:
            break
        direction, step = cho_solve(positive_factor(np.asarray(here.hessian)), here.gradient), 1.0
        following = reach(point - direction, hessian=True)
        while not following.value <= here.value and step > 2.0**-_HALVINGS:
            step *= 0.5
            following = reach(point - step * direction, hessian=True)
        point, here = point - step * direction, following
    return point


def _polished(reach: Callable[..., Evaluated], point: Floats, here: Evaluated, *, near: float, tolerance: float) -> tuple[Floats, Evaluated]:
    """As far as gradients alone lead with one Hessian and what they tell of it: where that is, with a Hessian if it still serves there.

    A gradient costs a quarter of a Hessian, or less. From near the minimum of a sample they lead to the end. No step raises G, as no step of Newton's
    method does: between them they come to the minimum of any table.
    """
    hessian = np.asarray(reach(point, hessian=True).hessian if here.hessian is None else here.hessian)
    factor, origin = positive_factor(hessian), point
    pairs = SecantPairs(lambda vectors: np.asarray(cho_solve(factor, vectors)))
    for _ in range(_POLISHES):
        size = float(np.linalg.norm(here.gradient))
        if size <= 0.1 * tolerance:
            break
        step = pairs.directions(here.gradient[:, np.newaxis])
        after = reach(point + step[:, 0], hessian=False)
        if not (float(np.linalg.norm(after.gradient)) <= 0.5 * size and after.value <= here.value + _SAME * abs(here.value)):
            break
        pairs.add(step, (after.gradient - here.gradient)[:, np.newaxis])
        point, here = point + step[:, 0], after
    serves = point is origin or float(np.linalg.norm(here.gradient)) <= near
    return point, here._replace(hessian=hessian if serves else None)
