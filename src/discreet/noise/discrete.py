"""Discrete Gaussian and discrete Laplace noise, exactly, many integers at a time.

    discrete_gaussian:   P(k) = exp(-k^2 / (2 variance)) / sum over all integers i of exp(-i^2 / (2 variance))
    discrete_laplace:    P(k) = exp(-|k| / scale) / sum over all integers i of exp(-|i| / scale)

(Canonne, Kamath, Steinke 2020, definition 1 and section 5; a float is taken for the dyadic rational that it is, a Fraction for itself.)

Theorem. If the words are independent and uniform, the integers are independent and have exactly these probabilities.
Method. Rejection under a staircase (envelope.py): a word names one of 65,536 cells and a place in the block of the cell; the proposal is kept if
its point (place, height) is below the curve C exp(-E(k)). Most cells are below the curve everywhere and need no test. In the others a
vectorised test in 64-bit integers encloses the height of the curve; where the enclosure does not settle the question (a few draws in a million),
and in the tails (one proposal in 65,536), further words and Python's integers do (`below`). No floating-point number takes part in a decision.
Proof: discrete_gaussian.md. Hypothesis on the words: words.py.

What is not claimed: constant time. How long a call takes depends on the noise, see docs/noise.md. The returned integers have 64 bits: one that needs
more, of probability below exp(-2000) at any scale that is allowed, raises OverflowError.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InfeasibleTarget, InvalidInput, InvalidType
from discreet.core.validate import whole
from discreet.noise.envelope import CELL_BITS, CELLS, LARGEST_SCALE, UNIT_BITS, Envelope, Exponent, envelope_for
from discreet.noise.words import DRAWS, WORD, Integers, WordArray, Words, below

CHUNK = 1 << 14
"""Words at a time, so that they stay in a core's cache."""
TERMS = 8
SLACK = 20
"""Units of 2^-31 by which the vectorised exp(-x) may be off (discrete_gaussian.md, lemma 3)."""
ONE = 1 << UNIT_BITS
_FINE, _FINE_STEPS, _FARTHEST = 1e-6, 64, 1.1
"""Of a search for a scale: first steps, how many of them, and where it ends."""


def discrete_gaussian(words: Words, *, variance: Fraction | float, count: int) -> Integers:
    """`count` independent integers of P(k) proportional to exp(-k^2 / (2 variance)), 0 < variance < 2^104."""
    return draw(words, envelope_for(Exponent(square=1 / (2 * exact(variance, "variance")))), whole(count, DRAWS, least=0))


def discrete_laplace(words: Words, *, scale: Fraction | float, count: int) -> Integers:
    """`count` independent integers of P(k) proportional to exp(-|k| / scale), 0 < scale < 2^52."""
    return draw(words, envelope_for(Exponent(linear=1 / exact(scale, "scale"))), whole(count, DRAWS, least=0))


def exact(value: Fraction | float, what: str) -> Fraction:
    """A positive number as the rational that it is."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | np.integer | np.floating):
        raise InvalidType(f"discrete noise needs its {what} as an int, a float or a Fraction; a {type(value).__name__} was given.")
    if isinstance(value, float | np.floating) and not np.isfinite(value):
        raise InvalidInput(f"discrete noise needs a positive finite {what}; {value!r} was given.")
    number = Fraction(int(value)) if isinstance(value, np.integer) else Fraction(*value.as_integer_ratio())
    if number <= 0:
        raise InvalidInput(f"discrete noise needs a positive finite {what}; {value!r} was given.")
    return number


def draw(words: Words, envelope: Envelope, count: int) -> Integers:
    """Independent integers of the law under a staircase. A rejected proposal is drawn again at its place, from new words."""
    out = np.empty(count, dtype=np.int64)
    rejected = [start + propose(words(min(CHUNK, count - start)), words, envelope, out[start : start + CHUNK]) for start in range(0, count, CHUNK)]
    again = np.concatenate(rejected) if rejected else np.empty(0, dtype=np.intp)
    if len(again):
        out[again] = draw(words, envelope, len(again))
    return out


def propose(proposals: WordArray, words: Words, envelope: Envelope, out: Integers) -> npt.NDArray[np.intp]:
    """Turn a word into an integer at each place of `out`; return the places whose proposal is rejected."""
    cell = (proposals >> np.uint64(WORD - CELL_BITS)).view(np.int64)
    np.take(envelope.starts, cell, out=out, mode="clip")
    if envelope.block_bits:
        # The low 48 bits do not depend on the cell.
        out += (proposals & np.uint64((1 << envelope.block_bits) - 1)).view(np.int64)
    # Cells are sorted: first those below the curve everywhere, then the wedges, and the tails in the last one.
    unsure = np.flatnonzero(cell >= envelope.sure)
    wedges = unsure[cell[unsure] < CELLS - 1]
    refused = [wedges[~_under(words, envelope, cell[wedges] - envelope.sure, out[wedges])]]
    for place in np.flatnonzero(cell == CELLS - 1):
        kept = _tail(words, envelope)
        if kept is None:
            refused.append(np.array([place]))
        else:
            out[place] = kept
    return np.concatenate(refused)


def _under(words: Words, envelope: Envelope, wedge: Integers, k: Integers) -> npt.NDArray[np.bool_]:
    """Whether a uniform point of each wedge cell, at the integer k, is below the curve."""
    block = envelope.wedge_block[wedge]
    low, high = enclose(envelope, block, np.abs(k) - envelope.reference[block])
    fresh = words(len(wedge))
    level = envelope.wedge_level[wedge]
    point = (level << envelope.height_bits) + (fresh >> np.uint64(WORD - envelope.height_bits)).view(np.int64)
    accepted: npt.NDArray[np.bool_] = point < low
    # The enclosure leaves these open: words that were read stay, and further ones decide.
    for i in np.flatnonzero((point >= low) & (point < high)):
        accepted[i] = below(words, int(level[i]) << WORD | int(fresh[i]), WORD, envelope.height(int(k[i])))
    return accepted


def enclose(envelope: Envelope, block: npt.NDArray[np.intp], distance: Integers) -> tuple[Integers, Integers]:
    """Integers around 2^height_bits C rho at `distance` beyond the reference of a block: lemma 3, in 64-bit integers that cannot overflow."""
    shift = UNIT_BITS - envelope.block_bits
    part = distance << shift if shift >= 0 else distance >> -shift
    x = part * (envelope.slope[block] + (part * envelope.curvature >> UNIT_BITS)) >> UNIT_BITS
    power = np.full_like(x, ONE)
    for term in range(TERMS, 0, -1):
        power = ONE - x * power // (term * ONE)
    return envelope.low[block] * (power - SLACK) >> UNIT_BITS, (envelope.high[block] * (power + SLACK) >> UNIT_BITS) + 1


def _tail(words: Words, envelope: Envelope) -> int | None:
    """One proposal of the tails, or None if it is rejected."""
    word = int(words(1)[0])
    mirrored = word & 1
    # The number of ones before the first zero is geometric: every further piece of the tail is proposed half as often.
    piece, word, left = 0, word >> 1, WORD - 1
    while word & 1 or not left:
        if left:
            piece, word, left = piece + 1, word >> 1, left - 1
        else:
            word, left = int(words(1)[0]), WORD
    beyond = envelope.edge + piece * envelope.piece + int(words(1)[0]) % envelope.piece
    k = -1 - beyond if mirrored else beyond
    if not below(words, 0, 0, envelope.tail_probability(k, piece)):
        return None
    if not -(1 << 63) <= k < 1 << 63:
        raise OverflowError("a draw of discrete noise does not fit into 64 bits: use a coarser grid.")
    return k


def drawable(scale: float) -> float:
    """`scale`, if noise of it can be drawn, with room for what is added to it. Raises InfeasibleTarget, to be asked before anything is reserved."""
    if not 0.0 < scale < LARGEST_SCALE / 2.0:
        raise InfeasibleTarget("this budget needs more noise than can be drawn exactly on a grid: use a larger epsilon or delta.")
    return scale


def least_drawable(first: float, enough: Callable[[float], bool]) -> float:
    """The first scale from `first` upwards that is `enough`, in steps of 1e-6 of itself, which double after 64 of them, up to a tenth more.

    What a formula gives is a step or two below what the whole bound asks for; where it is a tenth off, it is none, and no scale may do at all. Raises
    InfeasibleTarget.
    """
    scale, step = drawable(first), _FINE
    for number in range(128):
        if enough(scale):
            return drawable(scale)
        if number >= _FINE_STEPS:
            step *= 2.0
        scale *= 1.0 + step
        if scale > _FARTHEST * first:
            break
    raise InfeasibleTarget("this budget cannot be met with noise on a grid: use an epsilon nearer to 1, or a larger delta.")
