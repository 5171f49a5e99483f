"""PUBLIC randomness: draws that everybody may know, and that protect nobody.

The frequencies of a feature map are drawn before the records are looked at, from a public seed, and are kept in the model. The guarantee holds for
every fixed choice of them, so nothing here is noise; noise comes from `discreet.noise` only, which this package may not import. This module is
the only place outside `discreet.noise` where a generator is made.

Frequencies w_1, ..., w_count of a feature map, independent or orthogonal.

    independent   w_j from the spectral measure of the kernel
    orthogonal    w_j = r_j q_j,  q_1, ..., q_d orthonormal and uniform, in blocks of d,  r_j the length of an independent draw from the measure

For a kernel of |x - x'|_2 the direction of a frequency is uniform and independent of its length, so an orthogonal w_j has the same law as an
independent one and the features stay unbiased; the directions repel each other, which lowers the variance of the kernel's estimate (Yu, Suresh,
Choromanski, Holtmann-Rice, Kumar 2016). Other kernels have no such form, and their frequencies are independent.

The same seed gives the same frequencies on every machine, since a model file keeps the seed and a digest of them: sums are NumPy's own, not those
of a linear algebra library, which adds in another order on another processor, and frequencies are rounded to 24 bits, far above those in which
logarithms of different machines differ.

Time O(count d), and O(count d min(d, count)) for orthogonal ones.
"""

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.kernels.base import Kernel

_BITS = 53
"""A fresh seed fits into a float64, so that any reader of JSON reads it exactly."""
_KEPT = 24
"""Bits of a frequency."""


def public_generator(seed: int) -> np.random.Generator:
    """The generator of a public seed >= 0: PCG64, whose stream NumPy keeps. Raises InvalidInput for anything else."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput(f"a public seed must be an integer of at least 0; {seed!r} was given.")
    return np.random.Generator(np.random.PCG64(int(seed)))


def fresh_public_seed() -> int:
    """A seed of 53 bits from the operating system, to be published."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> (64 - _BITS)


def draw_frequencies(kernel: Kernel, *, seed: int, features: int, count: int, orthogonal: bool = True) -> Floats:
    """(count, features), in radians per unit of x; `orthogonal` is used where the kernel allows it.

    Raises InvalidInput for sizes below 1 and for a seed that is no integer of at least 0.
    """
    if features < 1 or count < 1:
        raise InvalidInput(f"frequencies need at least one feature and one draw; {features} and {count} were given.")
    generator = public_generator(seed)
    drawn = kernel.frequencies(generator, features=features, count=count)
    if orthogonal and kernel.rotation_invariant:
        lengths = _lengths(drawn.T)
        blocks = [_orthonormal(generator, features, min(features, count - start)) for start in range(0, count, features)]
        drawn = np.concatenate(blocks) * lengths[:, np.newaxis]
    digits, exponents = np.frexp(drawn)
    return np.asarray(np.ldexp(np.rint(np.ldexp(digits, _KEPT)), exponents - _KEPT))


def _orthonormal(generator: np.random.Generator, features: int, count: int) -> Floats:
    """`count` orthonormal rows in R^features, uniform: a normal matrix by Gram and Schmidt, one column after the other taken out of the rest."""
    columns = generator.standard_normal((features, count))
    for place in range(count):
        columns[:, place] /= _lengths(columns[:, place : place + 1])[0]
        one, others = columns[:, place, np.newaxis], columns[:, place + 1 :]
        others -= one * (one * others).sum(axis=0)
    return columns.T


def _lengths(columns: Floats) -> Floats:
    return np.asarray(np.sqrt(np.square(columns).sum(axis=0)))
