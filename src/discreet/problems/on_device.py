"""From a data set whose rows are on a device to an objective there: classes and weights travel once, one or four bytes and eight bytes a record."""

import numpy as np

from discreet.data import Records
from discreet.losses import MarginLoss
from discreet.matrices import DeviceMatrix, travel
from discreet.matrices.device_rows import Array, DeviceRows
from discreet.problems.device_margins import DeviceMargins
from discreet.problems.device_softmax import DeviceSoftmax


def on_device(data: Records) -> bool:
    """Whether its rows are held, and on a device."""
    return data.in_memory and isinstance(data.matrix, DeviceMatrix)


def device_margins(data: Records, *, positive: int, loss: MarginLoss, ridge: float) -> DeviceMargins:
    """Class `positive` against all others, for rows on a device."""
    matrix, codes = _parts(data)
    xp = matrix.there.xp
    signs = 2.0 * xp.astype(codes == positive, xp.float64) - 1.0
    return DeviceMargins(matrix=matrix, signs=signs, weights=_weights(data, matrix.there), loss=loss, ridge=ridge)


def device_softmax(data: Records, *, ridge: float) -> DeviceSoftmax:
    """All classes, for rows on a device; eight bytes a record and class are kept there."""
    matrix, codes = _parts(data)
    xp = matrix.there.xp
    classes = travel.there(np.arange(data.domain.classes, dtype=np.int32), codes)
    chosen = xp.astype(codes[:, None] == classes[None, :], xp.float64)
    return DeviceSoftmax(matrix=matrix, chosen=chosen, weights=_weights(data, matrix.there), ridge=ridge)


def _parts(data: Records) -> tuple[DeviceMatrix, Array]:
    matrix = data.matrix
    if not isinstance(matrix, DeviceMatrix):
        raise TypeError("the rows are not on a device")
    return matrix, travel.there(data.codes.astype(np.int32), matrix.there.table)


def _weights(data: Records, rows: DeviceRows) -> Array | None:
    return None if data.weights is None else travel.there(data.weights, rows.table)
