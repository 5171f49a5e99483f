"""ChaCha20 as a stream of words: randomgen's, and OpenSSL's where much is drawn and the package `cryptography` is there. They are the same words.

    keyed_words(key)    the key stream of RFC 8439 under `key`, nonce 0, from block 0, eight bytes a word, the lowest first

OpenSSL takes about a seventh of the time, since it works on several blocks at once. Its import takes as long as some millions of words, so it waits
until a process has drawn so many in long calls; from then on a stream takes its next word from there, at the place where it stands. Before that the
first words of a public key are compared, and where they differ, or OpenSSL has no ChaCha20, nothing is taken from it.
"""

from collections.abc import Callable
from functools import cache
from typing import TypeAlias

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.noise.words import WordArray, Words

KEY_BYTES = 32
LONG = 1 << 12
"""Words of a call from which it counts as long."""
ENOUGH = 1 << 22
"""Words of long calls, together, from which the import is worth its time."""
_BLOCK = 8
"""Words of a block."""
_LAST = 1 << 35
"""Words of 2^32 blocks, which are counted in 32 bits there."""
_AHEAD = 512
"""Words that are fetched at least."""
_ZEROS = memoryview(bytes(1 << 17))
"""What is encrypted."""
_NONE: WordArray = np.empty(0, dtype=np.uint64)

Fill: TypeAlias = Callable[[memoryview, memoryview], int]
"""Adds the next bytes of a key stream to those of the first array, into the second one."""
Begin: TypeAlias = Callable[[bytes, int], Fill]
"""The key stream of a key from this block on."""


def keyed_words(key: bytes) -> Words:
    """The stream of a key of 32 bytes. Not to be used by two threads at once."""
    if len(key) != KEY_BYTES:
        raise InvalidInput(f"ChaCha20 needs a key of {KEY_BYTES} bytes; {len(key)} were given.")
    return _Stream(key)


class _Drawn:
    """How many words long calls have drawn in this process: a public number, and no matter if two threads count one too few."""

    words = 0


class _Stream:
    __slots__ = ("_at", "_fill", "_held", "_key", "_slow")

    def __init__(self, key: bytes) -> None:
        self._key, self._at = key, 0
        self._held = _NONE
        self._fill: Fill | None = None
        self._slow: Words | None = None

    def __call__(self, count: int) -> WordArray:
        begin = _worthwhile(count)
        if begin is None or self._at + count + _AHEAD > _LAST:
            return self._slowly(count)
        if self._fill is None:
            self._fill, self._slow = begin(self._key, self._at // _BLOCK), None
            self._held = _filled(self._fill, _BLOCK)[self._at % _BLOCK :]
        if count > len(self._held):
            self._held = _filled(self._fill, max(count - len(self._held), _AHEAD), self._held)
        found, self._held = self._held[:count], self._held[count:]
        self._at += count
        return found

    def _slowly(self, count: int) -> WordArray:
        if self._slow is None:
            self._fill, self._slow = None, _randomgen(self._key, self._at)
        self._at += count
        return self._slow(count)


def _worthwhile(count: int) -> Begin | None:
    """OpenSSL's, once it is worth it."""
    if _Drawn.words < ENOUGH:
        _Drawn.words += count if count >= LONG else 0
        return None
    return openssl()


def _filled(fill: Fill, count: int, held: WordArray = _NONE) -> WordArray:
    """The next words behind those that are held."""
    made = np.empty(len(held) + count, dtype="<u8")
    made[: len(held)] = held
    for start in range(len(held), len(made), len(_ZEROS) // _BLOCK):
        bytes_of = made[start : start + len(_ZEROS) // _BLOCK].view(np.uint8)
        fill(_ZEROS[: len(bytes_of)], bytes_of.data)
    return made.astype(np.uint64, copy=False)


def _randomgen(key: bytes, at: int) -> Words:
    """The same from this word on; randomgen counts numbers of 32 bits."""
    from randomgen import ChaCha  # noqa: PLC0415 - whoever draws nothing goes without

    stream: Words = ChaCha(key=int.from_bytes(key, "little"), counter=2 * at, rounds=20).random_raw
    return stream


@cache
def openssl() -> Begin | None:
    """ChaCha20 of `cryptography`, where it is there and gives the words that it should."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms  # noqa: PLC0415
    except ImportError:
        return None

    def begin(key: bytes, block: int) -> Fill:
        return Cipher(algorithms.ChaCha20(key, block.to_bytes(16, "little")), mode=None).encryptor().update_into

    public = bytes(range(KEY_BYTES))
    try:
        same = all(np.array_equal(_filled(begin(public, block), 3 * _BLOCK), _randomgen(public, _BLOCK * block)(3 * _BLOCK)) for block in (0, 5))
    except UnsupportedAlgorithm:
        return None
    return begin if same else None
