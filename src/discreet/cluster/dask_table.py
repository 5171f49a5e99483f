"""Blocks that live on the workers of a Dask cluster: the function travels to a block, and what it found travels back.

A pass is one task for every thread of a worker, which works on the blocks that this worker has, one after the other, so that a pass costs a few
messages however many blocks there are. Results come in the order of the blocks, one a block, whoever found them, so that sums are the same for any
number of workers. Where results are as large as blocks (rows that are released) a task is one block, and a few more tasks than threads wait.

Only sums come back, or rows, where rows are what is released. Keys of noise never travel, in either direction: what is drawn once for all records is
drawn by the driver; what is drawn for every row is drawn where the row is, by a source that asks that machine's operating system.

A block whose worker dies is made again on another one, from what it was made of, and what was found there is found again, as Dask does with any
result. If noise was drawn, it is drawn anew; the first draw was lost with the worker, or is dropped with its task: `map` and `map_rows` take one
result a task, once, and nothing else leaves the cluster. A task that keeps killing workers, a block that cannot be made again, a cluster that has had
no worker for three minutes, one that has finished nothing until its deadline, and one whose scheduler is gone are errors, and the release ends
(`discreet.cluster.terms`). A pass that does not find as many records as the first one is an error too (`discreet.data.stream`): there are no
partial sums. Needs dask[distributed] (pip install 'discreet[dask]').
"""

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from discreet.cluster.terms import SPENT, Cluster, quiet
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.workers import map_in_order
from discreet.data.block_table import Block, BlockTable, work_on

if TYPE_CHECKING:
    from distributed import Client

R = TypeVar("R")

_LOST = (
    "a block was lost: its workers died, or it could not be read or processed. "
    f"{SPENT} Check the memory of the workers, and use fewer rows per block."
)
_SILENT = (
    f"the Dask cluster has finished nothing for {{deadline:g}} seconds: its workers have stopped, are stuck or are too slow. {SPENT} "
    "Check the workers, or allow more time (Cluster(client=.., deadline=..), --dask-deadline for a command)."
)

_LOOK = 10.0
"""Seconds after which one looks again where blocks are, and whether there are workers at all."""
_PATIENCE = 180.0
"""Seconds without any worker before a pass is given up."""
_TURNS = 4
"""Tasks of a thread in a pass that makes its blocks: what is lost with a worker is the work of one."""
_AHEAD = 2
"""Tasks of a thread that are in work or waiting, where results are as large as blocks."""


class DaskTable(BlockTable):
    """Blocks that `client` holds or makes: `blocks` are Dask futures or delayed values of `Block`, one a block, in the order of the rows.

    `client` may be a `Cluster` with its own conditions. `remember` keeps the blocks in the workers' memory between passes; without it they are made
    again in every pass, as from files. Raises InvalidInput unless there is at least one block with at least one feature, and if the connection is
    not encrypted (unless `insecure`).
    """

    __slots__ = ("_blocks", "_cluster", "_groups", "_make", "_remembered")

    def __init__(
        self, client: "Client | Cluster", blocks: Sequence[Any], *, features: int, remember: bool = True, rule: Persons | None = None
    ) -> None:
        """Hold the handles; blocks that are remembered begin to be made."""
        _check(blocks, features)
        super().__init__(features, remote=True, slow=not remember, rule=rule)
        self._cluster, self._remembered = Cluster.of(client), remember
        self._blocks: Sequence[Any] = self._cluster.tell(lambda to: to.compute(list(blocks))) if remember else list(blocks)
        self._make: Callable[[int], Block] | None = None
        self._groups: tuple[float, list[list[int]]] | None = None

    @classmethod
    def from_function(
        cls,
        client: "Client | Cluster",
        make: Callable[[int], Block],
        *,
        blocks: int,
        features: int,
        remember: bool = True,
        rule: Persons | None = None,
    ) -> "DaskTable":
        """A table of the blocks make(0), .., make(blocks - 1), made on the workers."""
        if not remember:
            _check(range(blocks), features)
            table: DaskTable = cls.__new__(cls)
            BlockTable.__init__(table, features, remote=True, rule=rule)
            table._cluster, table._remembered, table._blocks, table._make = Cluster.of(client), False, range(blocks), make
            table._groups = None
            return table
        from dask import delayed  # noqa: PLC0415 - an optional dependency

        return cls(client, [delayed(make, pure=True)(number) for number in range(blocks)], features=features, rule=rule)

    def few(self, every: int) -> "DaskTable":
        """See BlockTable: the same handles."""
        table: DaskTable = DaskTable.__new__(DaskTable)
        BlockTable.__init__(table, self.features, remote=True, slow=self.slow)
        table.say(self)
        table._cluster, table._remembered, table._make = self._cluster, self._remembered, self._make
        table._blocks, table._groups = self._blocks[::every], None
        return table

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:
        """See BlockTable; `jobs` is the cluster's affair."""
        if not self._remembered and self._make is None:
            yield from self.map_rows(work, jobs)
            return
        groups = self._placed() if self._remembered else self._turns()
        group_of = {number: group for group, numbers in enumerate(groups) for number in numbers}
        waiting: list[Any] = []
        found: dict[int, Iterator[R]] = {}
        try:
            waiting.extend(self._submitted(work, numbers) for numbers in groups)
            for number in range(len(self._blocks)):
                group = group_of[number]
                if group not in found:
                    found[group] = iter(self._result(waiting[group], waiting))
                yield next(found[group])
        finally:
            self._cancel(waiting)

    def map_rows(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:  # noqa: ARG002 - the cluster's own
        """See BlockTable: a task a block, and a few of them at a time."""
        most = _AHEAD * max(1, sum(self._cluster.threads().values()))
        tasks = (self._submitted(work, [number]) for number in range(len(self._blocks)))
        waiting: deque[Any] = deque()
        try:
            waiting.extend(islice(tasks, most))
            while waiting:
                results = self._result(waiting[0], waiting)
                waiting.popleft()
                yield from results
                waiting.extend(islice(tasks, 1))
        finally:
            self._cancel(waiting)

    def _submitted(self, work: Callable[[int, Block], R], numbers: list[int]) -> Any:  # noqa: ANN401 - Dask publishes no types
        """A task for these blocks. Never `pure`: a task that draws noise is no function of what it is given."""
        blocks, part = [self._blocks[number] for number in numbers], work_on(work, numbers)
        if self._make is None and not self._remembered:
            blocks = self._cluster.tell(lambda to: to.compute(blocks))
        return self._cluster.tell(lambda to: to.submit(_worked, part, numbers, blocks, self._make, pure=False))

    def _placed(self) -> list[list[int]]:
        """Numbers of blocks, a list for every thread of every worker, by where blocks are; those that are still made are alone.

        That they are still there is not asked every time: where they have moved, the cluster moves or makes them again, and the sums are the same.
        """
        if self._groups is not None and time.monotonic() < self._groups[0]:
            return self._groups[1]
        where = self._cluster.holders(self._blocks)
        threads = self._cluster.threads()
        held: dict[str, list[int]] = {}
        groups: list[list[int]] = []
        for number, block in enumerate(self._blocks):
            workers = [one for one in where.get(block.key, ()) if one in threads]
            if workers:
                held.setdefault(min(workers), []).append(number)
            else:
                groups.append([number])
        for worker, numbers in held.items():
            groups += _shared(numbers, threads[worker])
        placed = sum(len(numbers) for numbers in held.values()) == len(self._blocks)
        self._groups = (time.monotonic() + _LOOK, groups) if placed else None
        return groups

    def _turns(self) -> list[list[int]]:
        return _shared(list(range(len(self._blocks))), _TURNS * max(1, sum(self._cluster.threads().values())))

    def _cancel(self, futures: Sequence[Any]) -> None:
        """What nobody waits for any more. Nobody waits for an answer either: the pass is over, well or not."""
        unfinished = [future for future in futures if not future.done()]
        if unfinished:
            self._cluster.dismiss(unfinished)

    def _result(self, future: Any, waiting: Sequence[Any]) -> Any:  # noqa: ANN401 - Dask publishes no types
        """What the blocks of a task gave, one of those that are waited for."""
        watch = _Watch(self._cluster, waiting)
        while (outcome := self._tried(future, watch.look)) is None:
            watch.check()
        if outcome.error is not None:
            raise outcome.error
        return outcome.results

    def _tried(self, future: Any, seconds: float) -> "_Outcome | None":  # noqa: ANN401 - as above
        """What came of a task, or None where nothing has yet."""
        try:
            with quiet():
                outcome: _Outcome = future.result(timeout=seconds)
        except TimeoutError:
            return None
        except CancelledError:  # nobody else cancels: the client does it with all futures where it loses its scheduler
            refusal = self._cluster.lost()
        except Exception:  # noqa: BLE001 - the message of whatever went wrong there may hold records
            refusal = self._cluster.blame(_LOST)
        else:
            return outcome
        raise refusal


class _Watch:
    """How long a cluster has finished nothing of what is waited for, and for how long it has had no worker: neither is waited for for ever."""

    def __init__(self, cluster: Cluster, waiting: Sequence[Any]) -> None:
        self._cluster, self._waiting = cluster, waiting
        self.look = min(_LOOK, cluster.deadline / 4)
        self._alone, self._finished, self._since = 0, -1, time.monotonic()

    def check(self) -> None:
        """Raise InvalidInput where it was long enough. Asked after every look."""
        if (finished := sum(one.done() for one in self._waiting)) != self._finished:
            self._finished, self._since = finished, time.monotonic()
        self._alone = 0 if self._cluster.workers() else self._alone + 1
        if time.monotonic() - self._since > self._cluster.deadline:
            raise InvalidInput(_SILENT.format(deadline=self._cluster.deadline))
        if self._alone * self.look >= _PATIENCE:
            raise InvalidInput(_LOST)


class _Outcome(NamedTuple):
    """What a worker sends back: errors as values, so that no log of a worker tells what it was working on."""

    results: list[Any]
    error: DiscreetError | None


def _check(blocks: Sequence[Any], features: int) -> None:
    if not blocks or features < 1:
        raise InvalidInput(f"a table needs at least one block and one feature; {len(blocks)} and {features} were given.")


def _shared(numbers: list[int], among: int) -> list[list[int]]:
    """Consecutive parts of about the same length, at most `among`."""
    size = -(-len(numbers) // among)
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def _worked(work: Callable[[int, Block], R], numbers: list[int], blocks: list[Any], make: Callable[[int], Block] | None) -> _Outcome:
    """On a worker: one thread of linear algebra, as in this process. With `make`, `blocks` are the numbers to make them of, one at a time."""

    def one(place: tuple[int, Any]) -> R:
        return work(place[0], place[1] if make is None else make(place[1]))

    try:
        return _Outcome(list(map_in_order(one, zip(numbers, blocks, strict=True), 1)), None)
    except DiscreetError as error:
        return _Outcome([], error)
    except Exception:  # noqa: BLE001 - the message of whatever went wrong there may hold records
        return _Outcome([], InvalidInput(_LOST))
