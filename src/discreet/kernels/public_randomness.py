"""PUBLIC randomness: draws that everybody may know, and that protect nobody.

The frequencies of a feature map are drawn before the records are looked at, from a public seed, and are kept in the model. The guarantee holds for
every fixed choice of them, so nothing here is noise; noise comes from `discreet.noise` only, which this package may not import. This module is
the only place outside `discreet.noise` where a generator is made.
"""

import numpy as np

from discreet.core.errors import InvalidInput

_BITS = 53
"""A fresh seed fits into a float64, so that any reader of JSON reads it exactly."""


def public_generator(seed: int) -> np.random.Generator:
    """The generator of a public seed >= 0: PCG64, whose stream NumPy keeps. Raises InvalidInput for anything else."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InvalidInput(f"a public seed must be an integer of at least 0; {seed!r} was given.")
    return np.random.Generator(np.random.PCG64(int(seed)))


def fresh_public_seed() -> int:
    """A seed of 53 bits from the operating system, to be published."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> (64 - _BITS)
