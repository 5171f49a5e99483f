"""From a data set to an objective: whole where it is small and held, in parts where it is long or stays in its blocks.

Where it is cut depends on its shape alone, never on the number of threads, and so does the choice between the two: any number of threads gives the
same sums to the last bit. On a device it is one part, whose long vectors are kept there.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from discreet.core.workers import map_in_order
from discreet.data import Records
from discreet.matrices import DeviceMatrix
from discreet.problems.summed_objective import Part, Sample, Some, Spread, SummedObjective, Sums, Work, added

WHOLE_RECORDS = 1 << 16
"""Up to so many held records an objective is one part, which keeps vectors as long as the table between passes."""
_EAGER_DIMENSION = 256
"""Up to it a Gram matrix takes less time than reading the rows from a file does."""
_SHARE = 16
"""One part of so many is sampled: where the minimiser of a sample is, a fit begins. Tables in blocks choose theirs (`discreet.data.stream`)."""
_FEWEST = 2
"""Parts of a sample."""
_RUN = 8
"""Parts that a thread takes at a time."""
_HANDFUL = 1
"""Runs."""

P = TypeVar("P", bound=Part)


def objective_of(data: Records, part: Callable[[Records, float], P], *, dimension: int, ridge: float, hessians: bool = True) -> P | SummedObjective:
    """The objective of all records, `part(records, ridge)` being that of some that are held, without linear term; see SummedObjective."""
    if not data.in_memory:

        def streamed(work: Work) -> Iterable[Sums]:
            return _over(data, part, work)

        return SummedObjective(
            spread=streamed,
            dimension=dimension,
            ridge=ridge,
            hessians=hessians,
            eager=data.slow and dimension <= _EAGER_DIMENSION,
            some=_of_blocks(data, part),
        )
    if data.records <= WHOLE_RECORDS or isinstance(data.matrix, DeviceMatrix):
        return part(data, ridge)
    made = map_in_order(lambda run: (part(run, 0.0), [part(piece, 0.0) for piece in run.parts()]), data.runs(_RUN), data.jobs)
    runs, pieces = zip(*made, strict=True)
    parts = [one for run in pieces for one in run]
    return SummedObjective(
        spread=_over_runs(pieces, data.jobs),
        certify=lambda work: map_in_order(work, runs, data.jobs),
        dimension=dimension,
        ridge=ridge,
        hessians=hessians,
        eager=data.slow and dimension <= _EAGER_DIMENSION,
        some=_spaced(parts, data.jobs),
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
    if len(parts) < _SHARE * _FEWEST:
        return None

    def some() -> Sample:
        few = parts[::_SHARE]
        return Sample(spread=_over_runs(_in_runs(few), jobs), share=len(few) / len(parts), some=_spaced(few, jobs))

    return some


def _in_runs(parts: Sequence[Part]) -> list[Sequence[Part]]:
    return [parts[start : start + _RUN] for start in range(0, len(parts), _RUN)]
