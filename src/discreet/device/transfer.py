"""Where numbers pass between the processor and a device: all of them do it here, so that a test can count them.

A pass over a table on a device moves points, gradients, Gram matrices and sums: O(d k) or O(d^2) numbers, however many rows there are.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

_PROCESSOR = "cpu"


def to_device(values: npt.NDArray[Any], like: Any) -> Any:  # noqa: ANN401 - an array of any library
    """`values` as an array of the library of `like`, on its device: float64, or integers as they are."""
    from array_api_compat import array_namespace, device  # noqa: PLC0415 - an optional dependency

    kind = values.dtype if values.dtype.kind in "iu" else np.float64
    return array_namespace(like).asarray(np.array(values, dtype=kind, order="C"), device=device(like))


def detached(values: Any) -> Any:  # noqa: ANN401 - an array of any library
    """The same numbers, of which torch does not remember what is computed from them."""
    from array_api_compat import is_torch_array  # noqa: PLC0415 - an optional dependency

    return values.detach() if is_torch_array(values) else values


def to_host(values: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - an array of any library
    """A NumPy array of the same numbers, a copy."""
    from array_api_compat import is_cupy_array, is_torch_array, to_device  # noqa: PLC0415 - an optional dependency

    near = to_device(detached(values), _PROCESSOR) if is_torch_array(values) or is_cupy_array(values) else values
    return np.array(np.from_dlpack(near))


def number_on_host(value: Any) -> float:  # noqa: ANN401 - an array of any library
    """The only entry of an array."""
    return float(value)
