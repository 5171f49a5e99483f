"""The staircase above exp(-E(k)) from which the discrete laws are drawn: 65,536 cells of equal probability.

    E(k) = linear |k| + square k^2,    rho(k) = exp(-E(k)),    k an integer        (linear, square >= 0 rational, not both 0)

The integers are cut into blocks of B = 2^beta, the largest power of two that is at most 1/32 of the scale (and at least 1). Block j >= 0 holds
k in [B j, B j + B), and its mirror image holds -1 - k. With a constant C, a block has

    n    cells,  n >= C rho at every k of it       (the staircase is above the curve)
    sure cells,  sure <= C rho at every k of it    (the lowest cells of a block are below the curve)

and all blocks between -B Q and B Q - 1 have 65,535 cells together; the last cell stands for the two tails. Beyond the edge B Q a tail is cut
into pieces of W, piece g of probability 2^-(g + 1). W is B times a power of two with E(W) >= 0.7 > log 2, so that by convexity
rho(B Q + g W) <= 2^-g rho(B Q), and Q is so large that 4 (W / B) C rho(B Q) <= 1: the staircase is above the curve there too.

Heights are computed as integers around 2^128 rho(B i), by rho(B (i + 1)) = rho(B i) ratio_i, ratio_(i + 1) = ratio_i exp(-2 square B^2), each
product rounded outwards. C is public and rational; any C would do, this one fills the cells. The proof is in discrete_gaussian.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from discreet.core.errors import InvalidInput
from discreet.noise.words import Bounds, Integers, exp_bounds, scaled_exp

CELL_BITS = 16
CELLS = 1 << CELL_BITS
STEPS = 32
"""A block is at most 1 / STEPS of the scale."""
UNIT_BITS = 31
"""Fractional bits of the vectorised test."""
PRECISION = 128
FACTOR_BITS = 16
LARGEST_BLOCK_BITS = 46
LARGEST_SCALE = STEPS * 2.0 ** (LARGEST_BLOCK_BITS + 1)
"""Noise of this scale is not drawn: a block would have more bits."""
ENOUGH = Fraction(7, 10)
"""More than log 2 = 0.6931..."""


@dataclass(frozen=True, kw_only=True)
class Exponent:
    """E(k) = linear |k| + square k^2, exactly."""

    linear: Fraction = Fraction(0)
    square: Fraction = Fraction(0)

    def __call__(self, k: int) -> Fraction:
        """E(k)."""
        return self.linear * abs(k) + self.square * k * k

    def block_bits(self) -> int:
        """The largest beta >= 0 with 32 linear 2^beta <= 1 and 2 square (32 2^beta)^2 <= 1, or 0."""
        beta = 0
        while STEPS * self.linear * (2 << beta) <= 1 and 2 * self.square * (STEPS * (2 << beta)) ** 2 <= 1:
            beta += 1
            if beta > LARGEST_BLOCK_BITS:
                raise InvalidInput("the scale of discrete noise must be below 2^52: use a coarser grid.")
        return beta


@dataclass(frozen=True, kw_only=True, eq=False)
class Envelope:
    """A staircase, as the sampler reads it. Cells below `sure` accept surely; the next ones are wedges; the last cell is the tails."""

    exponent: Exponent
    block_bits: int
    factor: Fraction
    """C."""
    edge: int
    """B Q."""
    piece: int
    """W."""
    starts: Integers
    """Smallest integer of the block of each cell."""
    sure: int
    wedge_block: npt.NDArray[np.intp]
    """Block of each wedge cell."""
    wedge_level: Integers
    """How many cells lie below it in its block."""
    reference: Integers
    """Of each block: m = B i, the |k| at which `low` and `high` were computed."""
    slope: Integers
    """Of each block: floor(2^31 (E(m + h) - E(m)) / h) for B h -> 0, h in blocks, that is B (linear + 2 square m)."""
    curvature: int
    """floor(2^31 square B^2)."""
    height_bits: int
    low: Integers
    high: Integers
    """Of each block: integers around 2^height_bits C rho(m)."""

    def height(self, k: int) -> Bounds:
        """Bounds of C rho(k)."""
        return scaled_exp(self.exponent(k), self.factor)

    def tail_probability(self, k: int, piece: int) -> Bounds:
        """Bounds of the probability C rho(k) 2^(g + 2) W / B with which k, proposed in piece g of a tail, is accepted."""
        return scaled_exp(self.exponent(k), self.factor * ((4 * self.piece << piece) >> self.block_bits))


@lru_cache(maxsize=16)
def envelope_for(exponent: Exponent) -> Envelope:
    """The staircase of a law; the last few are kept, being public."""
    beta = exponent.block_bits()
    block = 1 << beta
    wide = beta > 0
    piece = block
    while exponent(piece) < ENOUGH:
        piece *= 2
    heights = _heights(exponent, block, 4 * (piece >> beta))
    count = len(heights) - 1
    # The height that bounds a block from above: rho(B j) on both sides; single integers have their own, rho(j) and rho(-1 - j).
    right = np.arange(count)
    tops = np.concatenate([right, right if wide else right + 1])
    starts = np.concatenate([block * right, -block * (right + 1)])
    total = sum(heights[i][1] for i in tops)
    factor = ((CELLS - 1 - len(tops)) << (PRECISION + FACTOR_BITS)) // total
    spare = PRECISION + FACTOR_BITS
    cells = np.array([-(-factor * high >> spare) for _, high in heights])[tops]
    certain = np.array([factor * low >> spare for low, _ in heights])[tops + 1 if wide else tops]
    cells[0] += CELLS - 1 - cells.sum()
    height_bits = UNIT_BITS - ((factor >> FACTOR_BITS) + 1).bit_length()
    slope = [0] * (count + 1)
    if wide:
        slope = _slopes(block * exponent.linear, 2 * exponent.square * block * block, count + 1)
    wedges = cells - certain
    before = np.repeat(np.cumsum(wedges) - wedges, wedges)
    return Envelope(
        exponent=exponent,
        block_bits=beta,
        factor=Fraction(factor, 1 << FACTOR_BITS),
        edge=block * count,
        piece=piece,
        starts=np.concatenate([np.repeat(starts, certain), np.repeat(starts, wedges), [0]]),
        sure=int(certain.sum()),
        wedge_block=np.repeat(np.arange(len(tops)), wedges),
        wedge_level=np.repeat(certain, wedges) + np.arange(wedges.sum()) - before,
        reference=block * tops,
        slope=np.array(slope)[tops],
        curvature=_slopes(exponent.square * block * block, Fraction(0), 1)[0] if wide else 0,
        height_bits=height_bits,
        low=np.array([factor * low >> (spare - height_bits) for low, _ in heights])[tops],
        high=np.array([-(-factor * high >> (spare - height_bits)) for _, high in heights])[tops],
    )


def _heights(exponent: Exponent, block: int, spread: int) -> list[tuple[int, int]]:
    """Integers around 2^128 rho(B i) for i = 0 .. Q, Q >= 1 the first with spread CELLS rho(B Q) <= rho(0) + 2 (rho(B) + ... + rho(B (Q - 1))).

    The right-hand side is at most the sum of the heights of all blocks, which is at most CELLS / C.
    """
    square = exponent.square * block * block
    low, high = 1 << PRECISION, 1 << PRECISION
    ratio_low, ratio_high = exp_bounds(exponent(block), PRECISION)
    step_low, step_high = exp_bounds(2 * square, PRECISION)
    heights = [(low, high)]
    total = low
    while True:
        low, high = low * ratio_low >> PRECISION, (high * ratio_high >> PRECISION) + 1
        ratio_low, ratio_high = ratio_low * step_low >> PRECISION, (ratio_high * step_high >> PRECISION) + 1
        heights.append((low, high))
        if spread * CELLS * high <= total:
            return heights
        total += 2 * low


def _slopes(first: Fraction, step: Fraction, count: int) -> list[int]:
    """floor(2^31 (first + i step)), over one denominator."""
    base, rise, denominator = first.numerator * step.denominator, step.numerator * first.denominator, first.denominator * step.denominator
    return [((base + i * rise) << UNIT_BITS) // denominator for i in range(count)]
