"""ChaCha20 as a stream of words, by OpenSSL (the package `cryptography`).

    keyed_words(key)    the key stream of RFC 8439 under `key`, nonce 0, from block 0, eight bytes a word, the lowest first

A key stream has 2^32 blocks, 2^35 words. None of them comes twice: beyond the last one `cryptography` refuses, or, where it is older, counts on in
64 bits.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.noise.words import WordArray, Words

if TYPE_CHECKING:
    from cryptography.hazmat.primitives import ciphers
else:
    ciphers = lazily("cryptography.hazmat.primitives.ciphers")

KEY_BYTES = 32
_FIRST_BLOCK = bytes(16)
"""The number of the first block, and the nonce."""
_PIECE = 1 << 14
"""Words that are computed at once, which stay in the processor's caches."""
_ZEROS = memoryview(bytes(8 * _PIECE))
"""What is encrypted."""


def keyed_words(key: bytes) -> Words:
    """The stream of a key of 32 bytes. Not to be used by two threads at once."""
    if len(key) != KEY_BYTES:
        raise InvalidInput(f"ChaCha20 needs a key of {KEY_BYTES} bytes; {len(key)} were given.")
    encrypt_into = _key_stream(key)

    def next_words(count: int) -> WordArray:
        made = np.empty(count, dtype="<u8")
        for start in range(0, count, _PIECE):
            piece = made[start : start + _PIECE].view(np.uint8)
            encrypt_into(_ZEROS[: len(piece)], piece.data)
        return made.astype(np.uint64, copy=False)

    return next_words


def _key_stream(key: bytes) -> Callable[[memoryview, memoryview], int]:
    """What adds the next bytes of the key stream to those of the first array, into the second one."""
    encrypt_into: Callable[[memoryview, memoryview], int] = (
        ciphers.Cipher(ciphers.algorithms.ChaCha20(key, _FIRST_BLOCK), mode=None).encryptor().update_into
    )
    return encrypt_into
