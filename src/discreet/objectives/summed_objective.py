"""An objective whose records come in parts: every quantity is one function of a part, and a sum over the parts.

    G(w) = sum_k G_k(w) + (ridge / 2) |w|^2 + <linear, w>,        G_k the sum over the records of part k

A part is an objective of its own (a MarginObjective, a SoftmaxObjective) without ridge and linear term. Parts are visited one after the other,
wherever they are; nothing as long as the table is kept between passes, so that memory does not grow with it. What stands in for the margins of a
point is the point itself: a pass makes margins anew, while a part is at hand for the gradient anyway. The first gradient brings the first Hessian
along, in one pass, unless that of a sample was asked for; where reading costs more than computing (`eager`), every gradient does, and its certificate
as well.

Results are added in the order of the parts, and where a table is cut depends on its shape alone: the sum is the same, to the last bit, whoever worked
on the parts. Certified gradient norms add up as `certified_sums` says.

An objective of few records that are held is whole, and so is that of a device, whose long vectors are there (`Records.one_part`); all others are in
parts. Where a table is cut depends on its shape alone, never on the number of threads, and so does the choice between the two.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.smooth import Curves, Slopes
from discreet.core.workers import map_in_order
from discreet.data import Records
from discreet.objectives.certified_sums import CertifiedSums
from discreet.objectives.kept import COSTLY, Memory, Products

Sums = tuple[Any, ...]
"""What a part gives: numbers, arrays and CertifiedSums, to be added place by place."""

EAGER_DIMENSION = 256
"""Up to it a Gram matrix takes less time than reading the rows from a file does."""
_SHARE = 16
"""One part of so many is sampled: where the minimiser of a sample is, a fit begins. Tables in blocks choose theirs (`discreet.data.stream`)."""
_FEWEST = 2
"""Parts of a sample."""
_RUN = 8
"""Parts that a thread takes at a time."""
_HANDFUL = 1
"""Runs."""
_MATRIX_LIMIT = 3000
"""As in the solvers: up to this dimension a first Hessian is wanted."""


class Part(Slopes, Curves, Protocol):
    """G_k: the sum over some records, without ridge and linear term."""

    def value(self, point: Floats, margins: Floats) -> float:
        """G_k(w)."""

    def hessian_diagonal(self, curvatures: Floats) -> Floats:
        """(d,)."""

    @property
    def has_cheap_hessian(self) -> bool:
        """See RowObjective."""

    def certified_sums(self, points: Floats) -> CertifiedSums:
        """The gradient with bounds of its errors, at the columns of `points`."""


Work = Callable[[Part], Sums]
Spread = Callable[[Work], Iterable[Sums]]
"""Applies a function to all parts, here or elsewhere, and gives results in the order of the parts; neighbouring ones may be added up already."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Sample:
    """A few of the parts."""

    spread: Spread
    share: float
    """Which share of the records they hold."""
    some: "Some | None" = None
    """A few of these."""


Some = Callable[[], Sample | None]
"""None where there is no sample after all."""


@dataclass(kw_only=True, eq=False, repr=False)
class SummedObjective:
    """G for records in parts; see Objective for the methods. `margins` and `curvatures` are the point itself."""

    spread: Spread
    """The parts' whereabouts."""
    dimension: int
    """d."""
    ridge: float
    """Strong convexity, > 0."""
    linear: Floats | None = None
    """(d,), or None for zero."""
    hessians: bool = True
    """They will be wanted, not products alone."""
    eager: bool = False
    """Whether reading costs more than computing, so that every gradient's pass brings the Hessian and the certificate too; with `hessians` only."""
    some: "Some | None" = None
    """A few of the parts, for `sample`."""
    certify: Spread | None = None
    """The same records in fewer, longer parts, for certificates, which go over a part band by band themselves; None for `spread`."""
    passes: float = 0.0
    """What a Hessian costs in passes, where that is many: the first gradient does not bring one then."""
    _memory: Memory = field(default_factory=Memory)
    _products: Products | None = None

    def __post_init__(self) -> None:
        """Margins are kept where a Hessian costs many passes."""
        if self.passes > COSTLY:
            self._products = Products()

    def with_linear(self, linear: Floats | None) -> "SummedObjective":
        """The same function with another linear term (d,)."""
        other = copy(self)  # with the same memory, which knows nothing of linear terms
        other.linear = linear
        return other

    def sample(self) -> "SummedObjective | None":
        """See Objective: G of a share of the records, ridge and linear term multiplied by that share; None where there is no `some`.

        None too where Hessians cost many passes: what is sampled then is a Hessian, if one is wanted at all.
        """
        few = None if self.some is None or self.passes > COSTLY else self.some()
        if few is None:
            return None
        if not self.hessian_at_hand:
            self._memory.drop()  # the sample's Hessian is asked for first
        sample = SummedObjective(spread=few.spread, dimension=self.dimension, ridge=few.share * self.ridge, hessians=self.hessians, some=few.some)
        return sample if self.linear is None else sample.with_linear(few.share * self.linear)

    @property
    def has_cheap_hessian(self) -> bool:
        """Whether steps take Hessians, which are kept, and not products with them."""
        return self.hessians

    @property
    def hessian_at_hand(self) -> bool:
        """Whether the gradient's pass brings the Hessian."""
        return self.eager and self.hessians

    def margins(self, point: Floats) -> Floats:
        """The point: linear in the point, as margins are."""
        return point

    @property
    def hessian_passes(self) -> tuple[float, float]:
        """See Objective: of the parts of a sample, where Hessians cost many passes."""
        return self.passes * (self._few.share if self._few is not None else 1.0), self.passes

    def sampled_hessian(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:
        """See Objective."""
        few = self._few
        if few is None:
            return self.hessian(curvatures, single_precision=single_precision)
        (found,) = added(few.spread(lambda part: (part.hessian(_bends(part, curvatures), single_precision=single_precision),)))
        hessian = np.array(found, dtype=np.float64) / few.share
        hessian[np.diag_indices_from(hessian)] += self.ridge
        return hessian

    def sampled_inverse_diagonal(self, curvatures: Floats) -> Callable[[Floats], Floats]:
        """See Objective: of the parts of a sample, or of all."""
        share, spread = (1.0, self.spread) if self._few is None else (self._few.share, self._few.spread)
        (found,) = added(spread(lambda part: (part.hessian_diagonal(_bends(part, curvatures)),)))
        inverse = 1.0 / (found / share + self.ridge)
        return lambda vectors: inverse[:, np.newaxis] * vectors

    def value(self, point: Floats, margins: Floats) -> float:
        """G(w)."""
        (total,) = self._total(lambda part: (part.value(margins, part.margins(margins)),))
        return float(total) + 0.5 * self.ridge * float(point @ point) + (float(self.linear @ point) if self.linear is not None else 0.0)

    def gradient(self, point: Floats, margins: Floats) -> Floats:
        """grad G(w), (d,): one pass."""
        if self.hessian_at_hand:
            return np.asarray(self._certified(point)[0][:, 0])
        wanted = self._memory.empty and self.hessians and self.dimension <= _MATRIX_LIMIT and self.passes <= COSTLY

        products_of = self._products_of(margins)

        def work(part: Part) -> Sums:
            products = products_of(part)
            gradient = part.gradient(margins, products)
            return (gradient, part.hessian(part.curvatures(products), single_precision=True)) if wanted else (gradient,)

        gradient, *hessian = self._total(work)
        if wanted:
            self._memory.keep(margins, hessian=hessian[0])
        gradient += self.ridge * point
        return np.asarray(gradient if self.linear is None else gradient + self.linear)

    def curvatures(self, margins: Floats) -> Floats:
        """The point again."""
        return margins

    def hessian(self, curvatures: Floats, *, single_precision: bool = False) -> Floats:
        """(d, d): one pass, unless the gradient's pass brought it."""
        found = self._memory.hessian_at(curvatures) if single_precision else None
        if not self.hessian_at_hand:
            self._memory.drop()
        if found is None:
            (found,) = self._total(lambda part: (part.hessian(_bends(part, curvatures), single_precision=single_precision),))
        hessian = np.array(found, dtype=np.float64)
        hessian[np.diag_indices_from(hessian)] += self.ridge
        return hessian

    def hessian_product(self, curvatures: Floats, direction: Floats) -> Floats:
        """Hessian times `direction` (d,)."""
        (product,) = self._total(lambda part: (part.hessian_product(_bends(part, curvatures), direction),))
        return np.asarray(product + self.ridge * direction)

    def hessian_diagonal(self, curvatures: Floats) -> Floats:
        """Diagonal of the Hessian, (d,)."""
        (diagonal,) = self._total(lambda part: (part.hessian_diagonal(_bends(part, curvatures)),))
        return np.asarray(diagonal + self.ridge)

    def preconditioner(self, curvatures: Floats) -> Callable[[Floats], Floats]:
        """The inverse of the Hessian's diagonal, applied to (d,)."""
        inverse = 1.0 / self.hessian_diagonal(curvatures)
        return lambda vector: inverse * vector

    def slope_along(self, step: float, margins: Floats, change: Floats, base: float, bend: float) -> float:
        """d/dt G(w + t v) at t = `step`: one pass. `change` is v."""
        here, moved = (self._products_of(one) for one in (margins, change))
        (slope,) = self._total(lambda part: (part.slope_along(step, here(part), moved(part), 0.0, 0.0),))
        return float(slope) + base + step * bend

    def margins_at(self, point: Floats, margins: Floats, change: Floats, step: float) -> Floats:
        """See Objective."""
        if self._products is not None:
            before, moved, here = (self._products.at(one) for one in (margins, change, point))
            here.update({part: known + step * moved[part] for part, known in before.items() if part in moved})
        return point

    @cached_property
    def _few(self) -> Sample | None:
        """The parts of a sampled Hessian."""
        return None if self.some is None or self.passes <= COSTLY else self.some()

    def _products_of(self, point: Floats) -> Callable[[Part], Floats]:
        """The margins of parts at a point."""
        return partial(_margins, point) if self._products is None else self._products.of(point)

    def certified_gradient_norm(self, point: Floats) -> float:
        """A number >= |grad G(w)| in exact arithmetic."""
        return float(self._certified(point)[1][0])

    def certified_gradients(self, points: Floats, linears: Floats | None) -> tuple[Floats, Floats]:
        """Gradients (d, k) and certified norms (k,) at columns (d, k), with the columns of `linears` for linear terms: one pass."""
        if points.shape[1] == 1:
            return self._certified_sums(points[:, 0]).gradients(points, linears, self.ridge)
        (sums,) = added((self.certify or self.spread)(lambda part: (part.certified_sums(points),)))
        return sums.gradients(points, linears, self.ridge)

    def _certified(self, point: Floats) -> tuple[Floats, Floats]:
        """The gradient (d, 1) and its certified norm (1,)."""
        linears = None if self.linear is None else self.linear[:, np.newaxis]
        return self._certified_sums(point).gradients(point[:, np.newaxis], linears, self.ridge)

    def _certified_sums(self, point: Floats) -> CertifiedSums:
        """Without ridge and linear term: one pass, unless the last one was for this point."""
        column = point[:, np.newaxis]
        sums = self._memory.sums_at(point)
        if sums is None and not self.hessian_at_hand:
            (sums,) = added((self.certify or self.spread)(lambda part: (part.certified_sums(column),)))
        elif sums is None:
            sums, hessian = self._total(lambda part: (part.certified_sums(column), part.hessian(_bends(part, point), single_precision=True)))
            self._memory.keep(point, hessian=hessian, sums=sums)
        return sums

    def _total(self, work: Work) -> Sums:
        return added(self.spread(work))


def _margins(point: Floats, part: Part) -> Floats:
    return part.margins(point)


def _bends(part: Part, point: Floats) -> Floats:
    return part.curvatures(part.margins(point))


def added(results: Iterable[Sums]) -> Sums:
    """The sum, place by place, in order; () where there is nothing to add."""
    total: Sums = ()
    for one in results:
        total = tuple(left + right for left, right in zip(total, one, strict=True)) if total else one
    return total


def summed(data: Records, part: Callable[[Records, float], Part], *, dimension: int, ridge: float, hessians: bool = True) -> SummedObjective:
    """The objective of all records in parts, `part(records, ridge)` being that of some that are held, without linear term; see SummedObjective.

    `hessians`: whether those of blocks are worth it, which are not at hand; of records that are, their shape says so.
    """
    if not data.in_memory:

        def streamed(work: Work) -> Iterable[Sums]:
            return _over(data, part, work)

        return SummedObjective(
            spread=streamed,
            dimension=dimension,
            ridge=ridge,
            hessians=hessians,
            eager=data.slow and dimension <= EAGER_DIMENSION,
            some=_of_blocks(data, part),
        )
    made = map_in_order(lambda run: (part(run, 0.0), [part(piece, 0.0) for piece in run.parts()]), data.runs(_RUN), data.jobs)
    runs, pieces = zip(*made, strict=True)
    parts = [one for run in pieces for one in run]
    return SummedObjective(
        spread=_over_runs(pieces, data.jobs),
        certify=lambda work: map_in_order(work, runs, data.jobs),
        dimension=dimension,
        ridge=ridge,
        hessians=parts[0].has_cheap_hessian,
        eager=data.slow and dimension <= EAGER_DIMENSION,
        some=_spaced(parts, data.jobs),
        passes=0.0 if data.slow else parts[0].hessian_passes[1],
    )


def _over_runs(runs: Sequence[Sequence[Part]], jobs: int) -> Spread:
    """Work on parts that are held, some at a time; a handful is done sooner than threads are started."""
    some = jobs if len(runs) > _HANDFUL else 1
    return lambda work: map_in_order(lambda run: added(work(one) for one in run), runs, some)


def _over(data: Records, part: Callable[[Records, float], Part], work: Work) -> Iterable[Sums]:
    return data.map(lambda _, block: added(work(part(piece, 0.0)) for piece in block.parts()))


def _of_blocks(data: Records, part: Callable[[Records, float], Part]) -> Some | None:
    """One block of so many, evenly spaced, where others work on them; else records that are held meanwhile, see `Records.sample`."""
    if data.remote:
        few = data.few(_SHARE) if data.blocks >= _SHARE else None
        if few is None or few.records == 0:
            return None
        share = few.records / data.records
        return lambda: Sample(spread=lambda work: _over(few, part, work), share=share)

    def held() -> Sample | None:
        some = data.sample()
        parts = [part(one, 0.0) for one in some]
        if not any(one.records for one in some):
            return None
        share = sum(one.records for one in some) / data.records
        return Sample(spread=_over_runs(_in_runs(parts), data.jobs), share=share, some=_spaced(parts, data.jobs))

    return held


def _spaced(parts: Sequence[Part], jobs: int) -> Some | None:
    """One part of so many, evenly spaced, of which a sample may be taken again."""
    if len(parts[::_SHARE]) < _FEWEST:
        return None

    def some() -> Sample:
        few = parts[::_SHARE]
        return Sample(spread=_over_runs(_in_runs(few), jobs), share=len(few) / len(parts), some=_spaced(few, jobs))

    return some


def _in_runs(parts: Sequence[Part]) -> list[Sequence[Part]]:
    return [parts[start : start + _RUN] for start in range(0, len(parts), _RUN)]
