"""Shift-invariant kernels through their spectral measures. Adding one is one file here and one line below; the property tests find it by itself."""

from collections.abc import Mapping

from discreet.core.fields import exported, made_by_name
from discreet.kernels.base import Kernel
from discreet.kernels.laws import Cauchy, Gaussian, Laplacian, Matern
from discreet.kernels.public_randomness import draw_frequencies, fresh_public_seed

__all__ = ["Cauchy", "Gaussian", "Kernel", "Laplacian", "Matern", "draw_frequencies", "fresh_public_seed", "kernel_named", "kernel_names"]


def kernel_names() -> list[str]:
    """Names accepted by `kernel_named`."""
    return sorted(kind.name for kind in exported(globals(), Kernel))


def kernel_named(name: str, parameters: Mapping[str, float] | None = None) -> Kernel:
    """The kernel called `name`, built with `parameters` (its constructor's keywords). Raises InvalidInput for unknown names and keywords."""
    return made_by_name(exported(globals(), Kernel), "kernel", name, parameters)
