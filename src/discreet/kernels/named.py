"""Kernels by the names used in estimators and certificates."""

from collections.abc import Mapping

import discreet.kernels as catalogue
from discreet.core.named import made_by_name
from discreet.kernels.base import Kernel


def _kinds() -> list[type[Kernel]]:
    exported = (getattr(catalogue, name) for name in catalogue.__all__)
    return [kind for kind in exported if isinstance(kind, type) and kind is not Kernel]


def kernel_names() -> list[str]:
    """Names accepted by `kernel_named`."""
    return sorted(kind.name for kind in _kinds())


def kernel_named(name: str, parameters: Mapping[str, float] | None = None) -> Kernel:
    """The kernel called `name`, built with `parameters` (its constructor's keywords). Raises InvalidInput for unknown names and keywords."""
    return made_by_name(_kinds(), "kernel", name, parameters)
