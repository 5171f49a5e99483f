"""Rows on a GPU, or in arrays of another library: `pip install 'discreet[gpu]'`, and torch or CuPy."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.device.matrix import DeviceMatrix
    from discreet.device.move import on_device
    from discreet.device.moved_table import MovedTable
    from discreet.device.places import There
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["DeviceMatrix", "MovedTable", "There", "on_device"]
