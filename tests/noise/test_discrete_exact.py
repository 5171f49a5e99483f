"""The exact samplers decide exactly: tests without randomness, against 60 to 120 digits, and with words chosen to sit on the boundaries."""

import random
from fractions import Fraction

import numpy as np
import pytest

from discreet.core.errors import InvalidInput, InvalidType
from discreet.noise import discrete
from discreet.noise.chacha import keyed_words
from discreet.noise.discrete import discrete_gaussian, discrete_laplace, draw
from discreet.noise.envelope import CELLS, Exponent, envelope_for
from discreet.noise.source import system_words
from discreet.noise.words import below, exp_bounds, scaled_exp
from tests.noise.discrete_laws import Script, exp_of

SIGMAS = [1e-300, 0.01, 0.5, 1.0, 10.0, 63.9, 64.0, 100.0, 1e3, 12345.678, 1e6, 1e9, 2.0**40, 2.0**52 - 1]
EXPONENTS = [Exponent(square=1 / (2 * Fraction(sigma) ** 2)) for sigma in SIGMAS]
EXPONENTS += [Exponent(linear=1 / Fraction(scale)) for scale in (0.01, 1.0, 31.0, 64.0, 1e3, 2.0**40, 2.0**52 - 1)]
EXPONENTS += [Exponent(linear=Fraction(1, 700), square=Fraction(1, 10**6)), Exponent(square=Fraction(1, 2 * 10**7 + 1))]
each = pytest.mark.parametrize("exponent", EXPONENTS, ids=lambda e: f"{float(e.linear):.3g}|k| + {float(min(e.square, 10**300)):.3g}k^2")


def test_the_bounds_of_exp_enclose_it_closely():
    shuffle = random.Random(1)  # noqa: S311 (cases of a test)
    for _ in range(1500):
        x = Fraction(shuffle.randrange(10**9), shuffle.choice([1, 3, 10**6, 10**8, 10**9, 10**12]))
        bits = shuffle.choice([0, 1, 31, 64, 128, 200])
        low, high = exp_bounds(x, bits)
        assert low <= 2**bits * exp_of(x, 110) <= high
        assert high - low <= 3
        factor = Fraction(shuffle.randrange(1, 10**6), shuffle.choice([1, 7, 2**16]))
        low, high = scaled_exp(x, factor)(bits)
        assert low <= 2**bits * factor * exp_of(x, 110) <= high
        assert high - low <= 4
    assert exp_bounds(Fraction(10**400), 64) == (0, 1)
    with pytest.raises(ValueError, match="x >= 0"):
        exp_bounds(Fraction(-1), 64)


def test_a_comparison_is_settled_by_the_word_that_can_settle_it():
    t = exp_of(Fraction(1, 3), 110)
    first, second = int(t * 2**64), int(t * 2**128) % 2**64
    bounds = scaled_exp(Fraction(1, 3), Fraction(1))
    assert below(Script(first - 4), 0, 0, bounds)
    assert not below(Script(first + 4), 0, 0, bounds)
    assert below(Script(first, second - 4), 0, 0, bounds)
    assert not below(Script(first, second + 4), 0, 0, bounds)
    assert below(Script(), first - 4, 64, bounds)


@each
def test_the_staircase_is_above_the_curve_and_its_sure_cells_below(exponent):
    e = envelope_for(exponent)
    block, count = 1 << e.block_bits, len(e.reference)
    starts = np.concatenate([np.arange(count // 2) * block, -block * (np.arange(count // 2) + 1)])
    sure, cells = ([int(np.sum(part == start)) for start in starts] for part in (e.starts[: e.sure], e.starts[:-1]))
    assert sum(sure) == e.sure
    assert sum(cells) == CELLS - 1
    assert len(e.starts) == CELLS
    assert e.edge == block * (count // 2)
    for i in {*range(0, count, max(1, count // 60)), 0, count // 2 - 1, count // 2, count - 1}:
        ends = int(starts[i]), int(starts[i]) + block - 1
        heights = [e.factor * exp_of(exponent(k)) for k in ends]
        assert sure[i] <= min(heights)
        assert max(heights) <= cells[i]
        assert sorted(e.wedge_level[e.wedge_block == i]) == list(range(sure[i], cells[i]))
        assert all(e.starts[e.sure : -1][e.wedge_block == i] == starts[i])
    # Few cells need a test, and the curve fills the staircase.
    assert e.sure > 0.94 * CELLS


@each
def test_the_staircase_of_the_tails_is_above_the_curve_and_of_the_right_density(exponent):
    e = envelope_for(exponent)
    for piece in (0, 1, 2, 5):
        for beyond in (0, 1, e.piece - 1):
            for k in (e.edge + piece * e.piece + beyond, -1 - e.edge - piece * e.piece - beyond):
                bits = 300
                low, high = e.tail_probability(k, piece)(bits)
                proposed = Fraction(1, CELLS) * Fraction(1, 2) * Fraction(1, 2 ** (piece + 1)) / e.piece
                in_blocks = Fraction(1, CELLS) / (1 << e.block_bits)  # of a cell at one of its integers, kept with C rho(k) / 1
                exact = e.factor * exp_of(exponent(k), 110) * in_blocks / proposed
                assert exact <= 1
                assert low <= exact * 2**bits <= high


@each
def test_the_vectorised_test_encloses_the_curve(exponent):
    e = envelope_for(exponent)
    count, block = len(e.reference), 1 << e.block_bits
    shuffle = random.Random(2)  # noqa: S311 (cases of a test)
    places = [(shuffle.randrange(count), shuffle.choice([0, 1 % block, block - 1, shuffle.randrange(block)])) for _ in range(150)]
    places += [(i, offset) for i in (0, count // 2 - 1, count // 2, count - 1) for offset in (0, block - 1)]
    first = {i: int(i * block) if i < count // 2 else -block * (i - count // 2 + 1) for i, _ in places}
    k = [first[i] + offset for i, offset in places]
    index = np.array([i for i, _ in places])
    low, high = discrete.enclose(e, index, np.abs(np.array(k, dtype=np.int64)) - e.reference[index])
    for at, bottom, top in zip(k, low, high, strict=True):
        exact = e.factor * exp_of(exponent(at)) * 2**e.height_bits
        assert int(bottom) <= exact <= int(top)
        assert top - bottom < 64  # of 2^height_bits a cell
    assert e.slope.max() + e.curvature <= 2**30
    assert e.height_bits >= 14


@each
def test_undecided_wedges_come_out_the_same_in_exact_arithmetic(exponent, monkeypatch):
    """An enclosure that says nothing sends every wedge to the exact comparison, on the same words."""
    e = envelope_for(exponent)
    fast = draw(keyed_words(bytes(32)), e, 20_000)
    monkeypatch.setattr(discrete, "enclose", lambda envelope, block, distance: (np.full(len(block), -1), np.full(len(block), 1 << 62)))
    assert np.array_equal(draw(keyed_words(bytes(32)), e, 20_000), fast)


def wedge_of(e, block):
    """A word that names the wedge cell of a block in which the curve lies at offset 0, and the height of the curve in that cell."""
    k = int(e.starts[e.sure : -1][e.wedge_block == block][0])
    height = e.factor * exp_of(e.exponent(k), 110)
    [wedge] = np.flatnonzero((e.wedge_block == block) & (e.wedge_level == int(height)))
    return k, (e.sure + int(wedge)) << 48, height - int(height)


@each
def test_an_integer_is_kept_with_its_exact_probability(exponent):
    """The words 0 .. T - 1 keep it, T + 1 .. do not, and T asks the next word, which does the same: a probability known to 128 bits."""
    e = envelope_for(exponent)
    accepted = 3 << 48 if e.starts[3] == 0 else 0
    for block in {1, 3 % len(e.reference), len(e.reference) // 2, len(e.reference) - 1}:
        if exp_of(exponent(int(e.reference[block]))) < Fraction(1, 2**60):
            continue
        k, word, height = wedge_of(e, block)
        first, second = int(height * 2**64), int(height * 2**128) % 2**64
        for kept, words in [
            (True, (first - 1,)),
            (False, (first + 1,)),
            (True, (first, second - 1)),
            (False, (first, second + 1)),
            (True, (0,)),
            (False, (2**64 - 1,)),
        ]:
            again = () if kept else (accepted,)
            script = Script(word, *words, *again)
            assert draw(script, e, 1)[0] == (k if kept else e.starts[accepted >> 48])
            assert not script.words


def test_single_integers_have_their_exact_mass():
    """Summed over all 65,535 cells, k has C rho(k) of them: sure cells, and the part of its wedges that the exact comparison keeps."""
    for exponent in EXPONENTS[2:6]:
        e = envelope_for(exponent)
        for block, m in enumerate(e.reference):
            height = e.factor * exp_of(exponent(int(m)), 110)
            start = block if block < len(e.reference) // 2 else -1 - (block - len(e.reference) // 2)
            sure = int(np.sum(e.starts[: e.sure] == start))
            mass = Fraction(sure)
            for level in e.wedge_level[e.wedge_block == block]:
                low, high = e.height(start)(192)
                mass += min(1, max(0, Fraction(low + high, 2 << 192) - int(level)))
            assert abs(mass - height) < Fraction(1, 2**180)


@pytest.mark.parametrize("exponent", [Exponent(square=Fraction(1, 2)), Exponent(square=Fraction(1, 2 * 10**12)), Exponent(linear=Fraction(1, 10))])
def test_the_tails_read_sign_piece_and_place(exponent):
    e = envelope_for(exponent)
    tail = (CELLS - 1) << 48
    for mirrored in (0, 1):
        for piece in (0, 1, 3, 63, 70):
            ones = [mirrored | ((1 << min(piece, 63)) - 1) << 1] + ([] if piece < 63 else [(1 << (piece - 63)) - 1])
            beyond = e.edge + piece * e.piece + 1 % e.piece
            k = -1 - beyond if mirrored else beyond
            words = (tail, *ones, 1 % e.piece)
            top = int(e.tail_probability(k, piece)(64)[0])
            if top > 1000:
                assert draw(Script(*words, top - 10), e, 1)[0] == k
            assert draw(Script(*words, top + 10, 0), e, 1)[0] == e.starts[0]


def test_an_integer_beyond_64_bits_is_refused():
    e = envelope_for(Exponent(linear=1 / Fraction(2**52 - 1)))
    pieces = 2**63 // e.piece + 1
    ones = [2**64 - 1] * (1 + (pieces - 63) // 64)
    words = ((CELLS - 1) << 48, (2**64 - 2), *ones[1:], (1 << (pieces - 63) % 64) - 1, 0)
    with pytest.raises(OverflowError, match="coarser grid"):
        draw(Script(*words, *[0] * 200), e, 1)


def test_draws_do_not_depend_on_how_the_scale_is_written():
    for variance in (4, 4.0, np.float64(4), np.float32(4), np.int64(4), Fraction(4)):
        assert np.array_equal(
            discrete_gaussian(keyed_words(bytes(32)), variance=variance, count=50), discrete_gaussian(keyed_words(bytes(32)), variance=4, count=50)
        )
    a, b = (discrete_laplace(keyed_words(bytes(32)), scale=scale, count=100_000) for scale in (0.1, Fraction(0.1)))
    assert np.array_equal(a, b)
    assert envelope_for(Exponent(linear=1 / Fraction(0.1))).exponent.linear != 10


def test_counts_may_be_anything_from_zero_on():
    for count in (0, 1, 2, 16_383, 16_384, 16_385, 50_000):
        assert discrete_gaussian(system_words(), variance=1e6, count=count).shape == (count,)


@pytest.mark.parametrize("bad", [0, -1, 0.0, -2.5, float("inf"), float("nan"), np.float64("nan"), Fraction(-1, 2), 2.0**120])
def test_a_scale_that_is_no_positive_number_of_reasonable_size_is_refused(bad):
    with pytest.raises(InvalidInput, match=r"positive finite|coarser grid"):
        discrete_gaussian(system_words(), variance=bad, count=1)
    with pytest.raises(InvalidInput, match=r"positive finite|coarser grid"):
        discrete_laplace(system_words(), scale=bad, count=1)


@pytest.mark.parametrize("bad", [True, "1", None, 1j, np.ones(3)])
def test_a_scale_of_another_kind_is_refused(bad):
    with pytest.raises(InvalidType, match="int, a float or a Fraction"):
        discrete_laplace(system_words(), scale=bad, count=1)


def test_a_count_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="integer of at least 0"):
        discrete_laplace(system_words(), scale=1, count=1.5)
    with pytest.raises(InvalidInput, match="integer of at least 0"):
        discrete_laplace(system_words(), scale=1, count=-1)
    with pytest.raises(InvalidInput, match="32 bytes"):
        keyed_words(b"short")
