"""Blocks that live on the workers of a Dask cluster: the function travels to a block, and what it found travels back.

Only sums come back (or rows, where rows are what is released), and no random number is drawn on a worker: what travels there is the function, with
public numbers and the points of a solver, and neither keys of noise nor noise. Results come in the order of the blocks, whoever finished first, so
that sums are the same for any number of workers.

A block whose worker dies is made again on another one, from what it was made of, as Dask does with any result. A task that keeps killing workers, a
block that cannot be made again, and a cluster that has had no worker for three minutes are errors, and the release ends. A pass that does not find
as many records as the first one is an error too (`discreet.data.stream`): there are no partial sums. Needs dask[distributed] (pip install
discreet[dask]).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from discreet.data.blocks.base import Block, BlockTable
from discreet.errors import DiscreetError, InvalidInput
from discreet.workers import map_in_order

if TYPE_CHECKING:
    from distributed import Client

R = TypeVar("R")

_LOST = (
    "a block was lost: its workers died, or it could not be made or worked on. Nothing was released; what the ledger says is spent counts as spent. "
    "Look at the memory of the workers, and use fewer rows a block."
)


_LOOK = 10.0
"""Seconds after which one looks whether there are workers at all."""
_PATIENCE = 180.0
"""Seconds without any worker before a pass is given up."""


class DaskTable(BlockTable):
    """Blocks that `client` holds or makes: `blocks` are Dask futures or delayed values of `Block`, one a block, in the order of the rows.

    `remember` keeps the blocks in the workers' memory between passes; without it they are made anew in every pass, as from files. Raises InvalidInput
    unless there is at least one block with at least one feature.
    """

    __slots__ = ("_blocks", "_client", "_features")

    def __init__(self, client: "Client", blocks: Sequence[Any], *, features: int, remember: bool = True) -> None:
        """Hold the handles; blocks that are remembered begin to be made."""
        if not blocks or features < 1:
            raise InvalidInput(f"a table has at least one block and one feature; {len(blocks)} and {features} were given.")
        self._client = client
        self._features = features
        self._blocks = client.compute(list(blocks)) if remember else list(blocks)

    @classmethod
    def from_function(cls, client: "Client", make: Callable[[int], Block], *, blocks: int, features: int, remember: bool = True) -> "DaskTable":
        """Blocks make(0), .., make(blocks - 1), made on the workers."""
        from dask import delayed  # noqa: PLC0415 - an optional dependency

        return cls(client, [delayed(make, pure=True)(number) for number in range(blocks)], features=features, remember=remember)

    @property
    def features(self) -> int:
        """See BlockTable."""
        return self._features

    @property
    def remote(self) -> bool:
        """See BlockTable."""
        return True

    @property
    def slow(self) -> bool:
        """See BlockTable: a round trip takes about ten milliseconds."""
        return True

    def map(self, work: Callable[[int, Block], R], jobs: int) -> Iterator[R]:  # noqa: ARG002 - the cluster's own
        """See BlockTable; `jobs` is the cluster's affair."""
        waiting = [self._client.submit(_held, work, number, block, pure=False) for number, block in enumerate(self._client.compute(self._blocks))]
        try:
            for future in waiting:
                yield self._result(future)
        finally:
            self._client.cancel(waiting)

    def _result(self, future: Any) -> Any:  # noqa: ANN401 - Dask publishes no types
        """What a block gave. A cluster without any worker is waited for, but not for ever."""
        alone = 0
        while True:
            try:
                outcome: _Outcome = future.result(timeout=_LOOK)
            except TimeoutError:
                alone = 0 if self._client.scheduler_info(n_workers=-1)["workers"] else alone + 1
                if alone * _LOOK < _PATIENCE:
                    continue
            except Exception:  # noqa: BLE001, S110 - the message of whatever went wrong there may hold records
                pass
            else:
                if outcome.error is not None:
                    raise outcome.error
                return outcome.result
            raise InvalidInput(_LOST)


class _Outcome(NamedTuple):
    """What a worker sends back: errors as values, so that no log of a worker tells what it was working on."""

    result: Any
    error: DiscreetError | None


def _held(work: Callable[[int, Block], R], number: int, block: Block) -> _Outcome:
    """On a worker: one thread of linear algebra, as in this process."""
    try:
        (result,) = map_in_order(lambda one: work(number, one), [block], 1)
    except DiscreetError as error:
        return _Outcome(None, error)
    except Exception:  # noqa: BLE001 - the message of whatever went wrong there may hold records
        return _Outcome(None, InvalidInput(_LOST))
    return _Outcome(result, None)
