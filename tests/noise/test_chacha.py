"""One stream of words, whoever computes it."""

import sys

import numpy as np
import pytest

from discreet import SeededNoise
from discreet.core.errors import InvalidInput
from discreet.noise import chacha
from discreet.noise.chacha import keyed_words, openssl

KEY = bytes(range(1, 33))
CALLS = [(20_000,), (3, 1, 0, 5000, 7, 511, 513, 4096, 1, 12_288), (1,) * 40, (8, 16, 4096, 9)]


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch):
    """As in a process that has drawn nothing."""
    monkeypatch.setattr(chacha._Drawn, "words", 0)
    openssl.cache_clear()
    yield
    openssl.cache_clear()


def reference(count):
    from randomgen import ChaCha

    return ChaCha(key=int.from_bytes(KEY, "little"), rounds=20).random_raw(count)


def words_in(calls):
    words = keyed_words(KEY)
    return np.concatenate([words(count) for count in calls])


def check_the_stream():
    """Every word of a key is taken once, in order, where OpenSSL takes over in the middle."""
    before, words = chacha._Drawn.words, keyed_words(KEY)
    try:
        chacha._Drawn.words = 0
        found = [words(13)]
        chacha._Drawn.words = chacha.ENOUGH
        found += [words(count) for count in (100, 5000, 3)]
    finally:
        chacha._Drawn.words = before
    assert np.array_equal(np.concatenate(found), reference(5116))


def test_a_stream_goes_on_where_it_stands():
    pytest.importorskip("cryptography")
    check_the_stream()
    assert openssl.cache_info().currsize == 1
    assert openssl() is not None


@pytest.mark.parametrize("calls", CALLS)
@pytest.mark.parametrize("enough", [0, 1, 5000, 1 << 60])
def test_the_words_are_those_of_the_key_whoever_computes_them_and_wherever_it_changes(calls, enough, monkeypatch):
    pytest.importorskip("cryptography")
    monkeypatch.setattr(chacha, "ENOUGH", enough)
    found = words_in(calls)
    assert found.dtype == np.uint64
    assert np.array_equal(found, reference(sum(calls)))
    before = [sum(count for count in calls[:place] if count >= chacha.LONG) for place in range(len(calls))]
    assert (openssl.cache_info().currsize > 0) is any(drawn >= enough for drawn in before)
    assert openssl() is not None


@pytest.mark.parametrize("last", [5000, 9000])
def test_no_block_is_counted_beyond_32_bits(last, monkeypatch):
    pytest.importorskip("cryptography")
    monkeypatch.setattr(chacha, "ENOUGH", 0)
    monkeypatch.setattr(chacha, "_LAST", last)
    asked = []
    monkeypatch.setattr(chacha, "_randomgen", lambda *given, real=chacha._randomgen: asked.append(given[1]) or real(*given))
    assert np.array_equal(words_in(CALLS[1]), reference(sum(CALLS[1])))
    assert asked[2:]  # the first two are compared


def test_words_are_the_same_without_the_package(monkeypatch):
    monkeypatch.setattr(chacha, "ENOUGH", 0)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    assert openssl() is None
    assert np.array_equal(words_in(CALLS[1]), reference(sum(CALLS[1])))


def test_a_cipher_that_gives_other_words_is_not_used(monkeypatch):
    """Here those of the public key begin elsewhere."""
    pytest.importorskip("cryptography")
    monkeypatch.setattr(chacha, "ENOUGH", 0)
    monkeypatch.setattr(chacha, "_randomgen", lambda key, at, real=chacha._randomgen: real(key, at + (key != KEY)))
    assert openssl() is None
    assert np.array_equal(words_in(CALLS[1]), reference(sum(CALLS[1])))


def test_seeded_noise_is_the_same_after_much_was_drawn(monkeypatch):
    before = SeededNoise(3).discrete_gaussian(scale=1e6, dimension=20_000, draws=1)
    monkeypatch.setattr(chacha, "ENOUGH", 0)
    assert np.array_equal(before, SeededNoise(3).discrete_gaussian(scale=1e6, dimension=20_000, draws=1))


def test_a_key_of_another_length_is_refused():
    with pytest.raises(InvalidInput, match="32 bytes"):
        keyed_words(bytes(16))
