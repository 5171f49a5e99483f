"""Kernels by the names used in estimators and certificates."""

from collections.abc import Mapping

import discreet.kernels as catalogue
from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly
from discreet.kernels.base import Kernel


def _classes() -> dict[str, type[Kernel]]:
    exported = (getattr(catalogue, name) for name in catalogue.__all__)
    return {kind().name: kind for kind in exported if isinstance(kind, type) and kind is not Kernel}


def kernel_names() -> list[str]:
    """Names accepted by `kernel_named`."""
    return sorted(_classes())


def kernel_named(name: str, parameters: Mapping[str, float] | None = None) -> Kernel:
    """The kernel called `name`, built with `parameters` (its constructor's keywords). Raises InvalidInput for unknown names and keywords."""
    classes = _classes()
    if name not in classes:
        raise InvalidInput(f"kernel must be one of {sorted(classes)}; {name!r} was given.")
    refusal = InvalidInput(f"kernel {name!r} takes other parameters than {sorted(parameters or {})}.")
    return quietly(lambda: classes[name](**(parameters or {})), refusal, TypeError)
