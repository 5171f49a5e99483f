"""Frequencies w_1, ..., w_count of a feature map, independent or orthogonal.

    independent   w_j from the spectral measure of the kernel
    orthogonal    w_j = r_j q_j,  q_1, ..., q_d orthonormal and uniform, in blocks of d,  r_j the length of an independent draw from the measure

For a kernel of |x - x'|_2 the direction of a frequency is uniform and independent of its length, so an orthogonal w_j has the same law as an
independent one and the features stay unbiased; the directions repel each other, which lowers the variance of the kernel's estimate (Yu, Suresh,
Choromanski, Holtmann-Rice, Kumar 2016). Other kernels have no such form, and their frequencies are independent.

Time O(count d), and O(count d min(d, count)) for orthogonal ones. All of it is public: no record is looked at.
"""

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.kernels.base import Kernel
from discreet.kernels.public_randomness import public_generator


def draw_frequencies(kernel: Kernel, *, seed: int, features: int, count: int, orthogonal: bool = True) -> Floats:
    """(count, features), in radians per unit of x; `orthogonal` is used where the kernel allows it.

    Raises InvalidInput for sizes below 1 and for a seed that is no integer of at least 0.
    """
    if features < 1 or count < 1:
        raise InvalidInput(f"frequencies need at least one feature and one draw; {features} and {count} were given.")
    generator = public_generator(seed)
    independent = kernel.frequencies(generator, features=features, count=count)
    if not (orthogonal and kernel.rotation_invariant):
        return independent
    lengths = np.linalg.norm(independent, axis=1)
    blocks = [_orthonormal(generator, features, min(features, count - start)) for start in range(0, count, features)]
    return np.concatenate(blocks) * lengths[:, np.newaxis]


def _orthonormal(generator: np.random.Generator, features: int, count: int) -> Floats:
    """`count` orthonormal rows in R^features, uniform: the Q of a normal matrix, its signs fixed by a positive diagonal of R."""
    basis, triangle = np.linalg.qr(generator.standard_normal((features, count)))
    signs = np.where(np.diag(triangle) < 0, -1.0, 1.0)
    return np.asarray((basis * signs).T)
