"""One stream of words: the key stream of ChaCha20, computed here once more from its definition."""

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms

from discreet.core.errors import InvalidInput
from discreet.noise.chacha import _PIECE, keyed_words

KEY = bytes(range(1, 33))
CALLS = [(20_000,), (3, 1, 0, 5000, 7, 511, 513, 4096, 1, 12_288), (1,) * 40, (5, 2 * _PIECE + 3, 8, _PIECE, 1)]
QUARTERS = [(0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)]


def key_stream(key, blocks):
    """RFC 8439, section 2.3, of all blocks at once, nonce 0: `blocks` are their numbers."""
    state = np.zeros((16, len(blocks)), dtype=np.uint32)
    state[:12] = np.frombuffer(b"expand 32-byte k" + key, dtype="<u4")[:, np.newaxis]
    state[12] = blocks
    mixed = state.copy()
    for _ in range(10):
        for a, b, c, d in QUARTERS:
            for sum_of, other, turned, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
                mixed[sum_of] += mixed[other]
                mixed[turned] ^= mixed[sum_of]
                mixed[turned] = mixed[turned] << np.uint32(bits) | mixed[turned] >> np.uint32(32 - bits)
    return (mixed + state).T.astype("<u4").tobytes()


def reference(count, key=KEY):
    return np.frombuffer(key_stream(key, np.arange(-(-count // 8))), dtype="<u8")[:count]


def words_in(calls):
    words = keyed_words(KEY)
    return np.concatenate([words(count) for count in calls])


def check_the_stream():
    """Every word of a key is taken once, in order, within a call and from one to the next."""
    calls = CALLS[-1]
    assert np.array_equal(words_in(calls), reference(sum(calls)))


@pytest.mark.parametrize("calls", CALLS)
def test_the_words_are_those_of_the_key_however_they_are_asked_for(calls):
    found = words_in(calls)
    assert found.dtype == np.uint64
    assert found.flags.writeable
    assert np.array_equal(found, reference(sum(calls)))


@pytest.mark.parametrize(
    ("key", "block", "expected"),
    [
        (
            bytes(32),
            0,
            "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
        ),
        (
            bytes(32),
            1,
            "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
        ),
        (
            bytes(31) + b"\1",
            1,
            "3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0",
        ),
    ],
)
def test_blocks_are_those_that_the_standard_prints(key, block, expected):
    """RFC 8439, appendix A.1, vectors 1 to 3: the words, and what they are compared with."""
    assert keyed_words(key)(8 * block + 8)[-8:].astype("<u8").tobytes().hex() == expected
    assert key_stream(key, np.array([block])).hex() == expected


def test_no_word_comes_twice_beyond_the_last_block():
    stream = Cipher(algorithms.ChaCha20(KEY, (2**32 - 1).to_bytes(16, "little")), mode=None).encryptor()
    last = stream.update(bytes(64))
    assert last == key_stream(KEY, np.array([2**32 - 1]))
    try:
        beyond = stream.update(bytes(64))
    except ValueError:
        return
    assert beyond not in {last, key_stream(KEY, np.array([0]))}


def test_a_key_of_another_length_is_refused():
    with pytest.raises(InvalidInput, match="32 bytes"):
        keyed_words(bytes(16))
