"""How blocks go from one worker of a Dask cluster to another, or to a worker's disk: by Dask's own road, since pickle's is closed to them.

Every process of the cluster has to know the road. One that imports this module after Dask knows it by that; a worker that was started by a script
which imports it has it before Dask, so whoever uses a cluster tells all of its workers, and those that come later (`tell_workers`).
"""

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from discreet.core.private import packed, unpacked
from discreet.data.block_table import Block

if TYPE_CHECKING:
    from distributed import Client

_NAME = "discreet-blocks"


def let_blocks_travel() -> None:
    """Tell Dask, where it is in use. Each of its processes has to know: those that import this module later than Dask know by that."""
    if "distributed" not in sys.modules:
        return
    from distributed.protocol import dask_deserialize, dask_serialize  # noqa: PLC0415 - an optional dependency

    dask_serialize.register(Block)(_frames)
    dask_deserialize.register(Block)(_block)


def tell_workers(client: "Client") -> None:
    """Have every worker that there is, and that will be, let blocks travel."""
    from distributed import WorkerPlugin  # noqa: PLC0415 - an optional dependency

    class Travel(WorkerPlugin):  # type: ignore[misc]
        """What a worker does when it begins."""

        def setup(self, worker: object) -> None:  # noqa: ARG002 - as Dask calls it
            with suppress(ImportError):  # of a worker without this package, where making a block says so
                from discreet.cluster.travel import let_blocks_travel as let  # noqa: PLC0415 - there, not here

                let()

    client.register_plugin(Travel(), name=_NAME)


def _frames(block: Block) -> tuple[dict[str, Any], list[Any]]:
    return {}, packed(block)


def _block(header: dict[str, Any], frames: list[Any]) -> Block:  # noqa: ARG001 - as Dask calls it
    block: Block = unpacked(frames)
    return block


let_blocks_travel()
