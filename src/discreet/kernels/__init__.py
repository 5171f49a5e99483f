"""Shift-invariant kernels through their spectral measures. Adding one is one file here and one line below; the law tests find it by itself."""

from discreet.kernels.base import Kernel
from discreet.kernels.cauchy import Cauchy
from discreet.kernels.frequencies import draw_frequencies
from discreet.kernels.gaussian import Gaussian
from discreet.kernels.laplacian import Laplacian
from discreet.kernels.matern import Matern
from discreet.kernels.named import kernel_named, kernel_names
from discreet.kernels.public_randomness import fresh_public_seed

__all__ = ["Cauchy", "Gaussian", "Kernel", "Laplacian", "Matern", "draw_frequencies", "fresh_public_seed", "kernel_named", "kernel_names"]
