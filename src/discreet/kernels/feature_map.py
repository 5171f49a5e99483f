"""Paired random features: a public map of one row to a row of norm 1.

    v(x) = sqrt(1 / m) (cos <w_1, x>, ..., cos <w_m, x>, sin <w_1, x>, ..., sin <w_m, x>),    <v(x), v(x')> = (1/m) sum_j cos <w_j, x - x'>

so E <v(x), v(x')> = k(x - x') for frequencies of the kernel k (Rahimi and Recht 2007), with D = 2 m features, and |v(x)|^2 = (1/m) sum_j (cos^2 +
sin^2) = 1 whatever x is. The printed features sqrt(2 / D) cos(<w_j, x> + psi_j) of Chaudhuri, Monteleoni and Sarwate (2011), Algorithm 3, have a
norm up to sqrt 2, and break the printed guarantee (theorem 5) by up to that factor. Paired features also vary less for the Gaussian and the Laplacian
kernel: (1 + k(2t) - 2 k(t)^2) / D against (1 + k(2t) / 2 - k(t)^2) / D (Sutherland and Schneider 2015).

Exact angles
------------
Proofs take the feature rows as given numbers, so the map must give the same floats each time it is evaluated: in each pass of a solver, in blocks
of any size, with any linear algebra library and number of threads. It does, on every machine:

1. A row x with largest entry below 2^e is rounded to multiples of 2^(e - b), and a frequency (in turns: w / 2 pi) to multiples of its own 2^(g - b'),
   b + b' = 53 - ceil(log2 d). Both are then integers, of at most b and b' bits, times a power of two.
2. The product of the integers is a sum of d integers of magnitude at most 2^(53 - ceil(log2 d)): every partial sum, in any order, with or without
   fused multiply-adds, is an integer of magnitude at most 2^53, so it is *exact* in float64.
3. Times 2^(e - b) 2^(g - b'), exact, it is the angle in turns. (Exponents are bounded: an angle that is a multiple of 2^k >= 1 turns stays a whole
   number of turns, and one below 2^-200 does not underflow.) `circle` goes from there by operations that IEEE 754 defines to the last bit.

The rounding of x is a function of this row alone, so the map remains a public function of one record. It moves entries by at most 2^-b of the
largest one (b >= 22 for d <= 512): no more than data are known to. The model is defined by it, in `fit` and in `predict` alike.

Points on a circle
------------------
    angles t in turns  ->  scale (cos 2 pi t, sin 2 pi t)

Libraries' cosines differ in the last digits between versions, processors and even lengths of arrays. Here only additions, multiplications, square
roots and roundings to an integer are used, element by element, each of which IEEE 754 defines to the last bit:

1. f = t - rint(t), exactly, in [-1/2, 1/2];  a = (pi / 2) f, so |a| <= pi / 4.
2. s = sin a by its Taylor series to a^15 (remainder below a^17 / 17! < 5e-17), c = sqrt(1 - s^2) = cos a.
3. Twice (s, c) <- (2 s c, 1 - 2 s^2).

The result is within 2e-15 scale of the exact point. About 30 elementwise operations: cheaper than one library cosine.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.short import short_repr

_MANTISSA = 53
_COLUMN_RANGE = 300
"""Binary exponents of frequencies lie within this: beyond it a product of powers of two could overflow."""
_ROW_RANGE = 400
CHUNK = 8192
"""Angles at a time: the four work arrays stay in cache."""
_SERIES = [(-1.0) ** k / math.factorial(2 * k + 1) for k in range(8)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureMap:
    """The map v of `frequencies` (m, d), in radians per unit of x. Public: it holds no record.

    Raises InvalidInput for frequencies that are not finite or beyond 2^270, and for more than 2^33 columns.
    """

    frequencies: Floats
    _integers: Floats = field(init=False, repr=False)
    """Rounded frequencies as integers, (d, m)."""
    _units: Floats = field(init=False, repr=False)
    """2^(g - b') of each frequency, in turns, (m,)."""
    _row_bits: int = field(init=False, repr=False)

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Round the frequencies, once."""
        given = np.array(self.frequencies, dtype=np.float64)
        if given.ndim != 2 or not given.size:
            raise InvalidInput("a feature map needs frequencies of shape (m, d), m and d at least 1.")
        bits = _MANTISSA - math.ceil(math.log2(given.shape[1]))
        if bits < 20 or not np.all(np.abs(given) < 2.0**270):
            raise InvalidInput("a feature map needs finite frequencies below 2^270, and at most 2^33 columns.")
        turns = given / (2.0 * math.pi)
        column_bits = bits // 2
        exponents = np.clip(_exponents(turns) - column_bits, -_COLUMN_RANGE, _COLUMN_RANGE)
        given.setflags(write=False)
        for name, value in (
            ("frequencies", given),
            ("_integers", np.ascontiguousarray(np.rint(turns * np.ldexp(1.0, -exponents)[:, np.newaxis]).T)),
            ("_units", np.ldexp(1.0, exponents)),
            ("_row_bits", bits - column_bits),
        ):
            object.__setattr__(self, name, value)

    @property
    def inputs(self) -> int:
        """d, the columns of x."""
        return self.frequencies.shape[1]

    @property
    def outputs(self) -> int:
        """D = 2 m, the columns of v."""
        return 2 * self.frequencies.shape[0]

    def turns(self, rows: Floats) -> Floats:
        """<w_j, x_i> / 2 pi for finite `rows` (n, d), rounded as above and then exact: (n, m). O(n d m)."""
        exponents = np.maximum(_exponents(rows) - self._row_bits, -_ROW_RANGE)
        integers = np.rint(rows * np.ldexp(1.0, -exponents)[:, np.newaxis])
        turns = integers @ self._integers
        turns *= np.ldexp(1.0, np.minimum(exponents, _ROW_RANGE))[:, np.newaxis]
        turns *= self._units
        return turns

    def features(self, rows: Floats) -> Floats:
        """v(x_i) for finite `rows` (n, d): (n, D), the same floats in any blocks and on any machine. O(n d m) and about 30 operations an angle."""
        features = np.empty((len(rows), self.outputs))
        self.write(rows, features)
        return features

    def write(self, rows: Floats, features: Floats) -> None:
        """`features` into an array (n, D) of the caller."""
        half = self.frequencies.shape[0]
        circle(self.turns(rows), math.sqrt(1.0 / half), features[:, :half], features[:, half:])


def _exponents(rows: Floats) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    """e with |entries| < 2^e for every row, the least one."""
    exponents = np.frexp(np.max(np.abs(rows), axis=1))[1]
    return np.asarray(exponents, dtype=np.int32)


def circle(turns: Floats, scale: float, cosines: Floats, sines: Floats) -> None:
    """Write scale cos and scale sin of 2 pi `turns` (rows, m) into `cosines` and `sines` (rows, m); |turns| < 2^52."""
    step = max(1, CHUNK // max(1, turns.shape[1]))
    for start in range(0, len(turns), step):
        rows = slice(start, start + step)
        sine, half_sine, angle_cosine = _twice_folded(turns[rows])
        np.multiply(half_sine, 2.0 * scale, out=half_sine)
        np.subtract(scale, half_sine, out=cosines[rows])
        np.multiply(sine, angle_cosine, out=sine)
        np.multiply(sine, 2.0 * scale, out=sines[rows])


def _twice_folded(turns: Floats) -> tuple[Floats, Floats, Floats]:
    """sin b, sin^2 b and cos b for b = pi f, half the angle: steps 1, 2 and one doubling."""
    angle = turns - np.rint(turns)
    np.multiply(angle, 0.5 * math.pi, out=angle)
    square = angle * angle
    sine = _SERIES[-1] * square
    for coefficient in _SERIES[-2:0:-1]:
        np.add(sine, coefficient, out=sine)
        np.multiply(sine, square, out=sine)
    np.add(sine, _SERIES[0], out=sine)
    np.multiply(sine, angle, out=sine)
    np.multiply(sine, sine, out=square)  # sin^2 a
    cosine = np.subtract(1.0, square, out=angle)
    np.sqrt(cosine, out=cosine)
    np.multiply(sine, cosine, out=sine)
    np.add(sine, sine, out=sine)  # sin 2a
    np.multiply(square, 2.0, out=square)
    np.subtract(1.0, square, out=square)  # cos 2a
    return sine, np.multiply(sine, sine, out=angle), square
