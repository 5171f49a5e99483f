"""Rows of any matrix, written out in float64 on a device by torch, or by CuPy where torch is not installed.

8 n d bytes there, and room for what is made of a chunk at a time;  the rows travel once, a few megabytes at a time
"""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.device.matrix import CHUNK_BYTES, DeviceMatrix
from discreet.matrices.base import Array, Matrix

_KINDS = re.compile(r"cpu|cuda(:\d+)?")
_SAMPLE = 16
"""A fit copies one row in so many."""


def check_device(device: object) -> str:
    """`device`, if it names one with float64: 'cpu', 'cuda', or 'cuda:' and a number. Raises InvalidInput for anything else."""
    if isinstance(device, str) and _KINDS.fullmatch(device):
        return device
    if isinstance(device, str) and device.partition(":")[0] == "mps":
        raise InvalidInput("device='mps' has no float64, which certified gradients need; leave device out, or use 'cuda'.")
    raise InvalidInput(f"device must be None, 'cpu', 'cuda', or 'cuda:' and the number of a GPU; {device!r} was given.")


def on_device(matrix: Matrix, device: object) -> DeviceMatrix:
    """The rows of `matrix` on `device`; those of a DeviceMatrix stay where they are.

    Raises InvalidInput for another device than the above, where neither torch nor CuPy finds it, and where it has too little free memory.
    """
    name = check_device(device)
    if isinstance(matrix, DeviceMatrix):
        return matrix
    return DeviceMatrix(_maker(name)(name, matrix.shape, matrix.chunks()))


_Maker = Callable[[str, tuple[int, int], Iterator[tuple[slice, Floats]]], Array]


def _maker(device: str) -> _Maker:
    """torch's way, or CuPy's. Raises InvalidInput where neither is installed."""
    if _installed("array_api_compat"):
        if _installed("torch"):
            return _by_torch
        if device != "cpu" and _installed("cupy"):
            return _by_cupy
    raise InvalidInput(f"device={device!r} needs torch (or CuPy, for a GPU) and array-api-compat: pip install torch 'discreet[gpu]'.")


def _by_torch(device: str, shape: tuple[int, int], chunks: Iterator[tuple[slice, Floats]]) -> Array:
    torch: Any = import_module("torch")
    if device != "cpu":
        _check_number(device, int(torch.cuda.device_count()), "torch")
        free, _ = torch.cuda.mem_get_info(device)
        _check_room(device, shape, int(free))
    # its error for too little memory is a RuntimeError
    table = quietly(lambda: torch.empty(shape, dtype=torch.float64, device=device), _no_room(device), RuntimeError)
    for rows, entries in chunks:
        table[rows] = torch.from_numpy(entries.copy()).to(device)
    return table


def _by_cupy(device: str, shape: tuple[int, int], chunks: Iterator[tuple[slice, Floats]]) -> Array:
    cupy: Any = import_module("cupy")
    _check_number(device, int(cupy.cuda.runtime.getDeviceCount()), "CuPy")
    with cupy.cuda.Device(_number(device)):
        free, _ = cupy.cuda.runtime.memGetInfo()
        _check_room(device, shape, int(free))
        table = quietly(lambda: cupy.empty(shape, dtype=cupy.float64), _no_room(device), MemoryError)
        for rows, entries in chunks:
            table[rows] = cupy.asarray(entries)
    return table


def _number(device: str) -> int:
    return int(device.partition(":")[2] or 0)


def _check_number(device: str, there_are: int, library: str) -> None:
    if _number(device) >= there_are:
        raise InvalidInput(f"device={device!r}: {library} finds {there_are} GPU(s) here. Leave device out to work on the processor.")


def _check_room(device: str, shape: tuple[int, int], free: int) -> None:
    table = 8 * shape[0] * shape[1]
    if table + table // _SAMPLE + min(2 * CHUNK_BYTES, 3 * table) > free:
        raise _no_room(device)


def _no_room(device: str) -> InvalidInput:
    """Without a number: how long the table is may be private."""
    return InvalidInput(
        f"device={device!r} has too little free memory for the rows. Read the table in blocks, which are moved there one at a time "
        "(docs/scale.md), or leave device out."
    )


def _installed(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True
