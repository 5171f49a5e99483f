"""Uniform 64-bit words, the only randomness that the exact samplers see.

    words(count) -> count independent uniform integers of [0, 2^64), in an array of uint64

A sampler draws from what it is given, so that a test can feed it words of its choice. In use the words are the output of ChaCha20 under a
256-bit key; `system_words` takes a fresh key from the operating system and keeps it nowhere but in the stream, which ends with the call.
"""

import os
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from randomgen import ChaCha

from discreet.core.errors import InvalidInput

WordArray: TypeAlias = npt.NDArray[np.uint64]
"""Uniform words."""
Integers: TypeAlias = npt.NDArray[np.int64]
"""What the samplers return."""

KEY_BYTES = 32


class Words(Protocol):
    """A stream of uniform words: every call goes on where the last one ended."""

    def __call__(self, count: int, /) -> WordArray:
        """The next `count` words."""


def keyed_words(key: bytes) -> Words:
    """The ChaCha20 stream of a key of 32 bytes. Not to be used by two threads at once."""
    if len(key) != KEY_BYTES:
        raise InvalidInput(f"ChaCha20 needs a key of {KEY_BYTES} bytes; {len(key)} were given.")
    stream: Words = ChaCha(key=int.from_bytes(key, "little"), rounds=20).random_raw
    return stream


def system_words() -> Words:
    """A stream under a fresh key of the operating system, which no other stream shares."""
    return keyed_words(os.urandom(KEY_BYTES))
