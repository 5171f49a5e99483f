"""How blocks go from one worker of a Dask cluster to another, or to a worker's disk: by Dask's own road, since pickle's is closed to them."""

import sys
from typing import Any

from discreet.core.private import packed, unpacked
from discreet.data.blocks.base import Block


def let_blocks_travel() -> None:
    """Tell Dask, where it is in use. Each of its processes has to know: those that import this package later than Dask know by that."""
    if "distributed" not in sys.modules:
        return
    from distributed.protocol import dask_deserialize, dask_serialize  # noqa: PLC0415 - an optional dependency

    dask_serialize.register(Block)(_frames)
    dask_deserialize.register(Block)(_block)


def _frames(block: Block) -> tuple[dict[str, Any], list[Any]]:
    return {}, packed(block)


def _block(header: dict[str, Any], frames: list[Any]) -> Block:  # noqa: ARG001 - as Dask calls it
    block: Block = unpacked(frames)
    return block


let_blocks_travel()
