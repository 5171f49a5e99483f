"""The algebra of the core: polynomials with rational coefficients, compared coefficient by coefficient, so that they hold for all values of letters.

Each line is one equation of core.md, with the lemma that uses it; letters are those that are free, and may stand for other symbols of the note.
"""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Self

from mpmath import iv

from proofs.intervals import under


class Polynomial:
    """With rational coefficients: monomial (letters with their powers) -> coefficient, none of them 0."""

    def __init__(self, terms: Mapping[tuple[tuple[str, int], ...], Fraction]) -> None:
        """See class docstring."""
        self.terms = {monomial: factor for monomial, factor in terms.items() if factor}

    @classmethod
    def letters(cls, names: str) -> list[Self]:
        """One for each name."""
        return [cls({((name, 1),): Fraction(1)}) for name in names.split()]

    @classmethod
    def of(cls, value: "Polynomial | Fraction | int") -> "Polynomial":
        """A constant, or itself."""
        return value if isinstance(value, Polynomial) else cls({(): Fraction(value)})

    def __add__(self, other: "Polynomial | Fraction | int") -> "Polynomial":
        """Sum."""
        terms = dict(self.terms)
        for monomial, factor in Polynomial.of(other).terms.items():
            terms[monomial] = terms.get(monomial, Fraction(0)) + factor
        return Polynomial(terms)

    def __mul__(self, other: "Polynomial | Fraction | int") -> "Polynomial":
        """Product."""
        terms: dict[tuple[tuple[str, int], ...], Fraction] = {}
        for first, factor in self.terms.items():
            for second, times in Polynomial.of(other).terms.items():
                powers = dict(first)
                for name, power in second:
                    powers[name] = powers.get(name, 0) + power
                monomial = tuple(sorted(powers.items()))
                terms[monomial] = terms.get(monomial, Fraction(0)) + factor * times
        return Polynomial(terms)

    def __neg__(self) -> "Polynomial":
        """Minus it."""
        return self * -1

    def __sub__(self, other: "Polynomial | Fraction | int") -> "Polynomial":
        """Difference."""
        return self + -Polynomial.of(other)

    def __rsub__(self, other: Fraction | int) -> "Polynomial":
        """Difference."""
        return -self + other

    __radd__, __rmul__ = __add__, __mul__


def identities(one: Fraction) -> Iterator[tuple[str, bool]]:
    """(what lemma of core.md, whether it holds); `one` is 1, or what is planted for it."""

    def same(left: Polynomial, right: Polynomial) -> bool:
        return not (left - right).terms

    half = Fraction(1, 2)
    a, b, c, k, lam, q, s, t, u, v, w, x, y, e, h = Polynomial.letters("a b c k lam q s t u v w x y e h")
    yield "1 the noise of the neighbour", same((a - u * v) * (a - u * v) - a * a, -2 * u * a * v + one * u * u * v * v)
    determinant = (lam + k * v * v) * (lam + k * w * w) - k * v * w * k * v * w
    yield "2 the determinant of one record more", same(determinant, lam * (lam + one * k * (v * v + w * w)))
    yield "3 the curvature of the logistic loss by its slope", same(q - q * q - e * q * q, q * (one - q * (1 + e)))
    yield "3 it is concave", same(4 * ((x + y) * half * (1 - (x + y) * half)) - 2 * (x * (1 - x) + y * (1 - y)), one * (x - y) * (x - y))
    yield "3 it shrinks at most like the square", same(t * q * (1 - t * q) - t * t * q * (1 - q), one * t * q * (1 - t))
    yield "3 weights: its perspective rises", same((u - u * u * x) - (u - u * u * y), one * u * u * (y - x))
    bracket = t * a + one * e * t * (1 - t)
    yield "4 the bracket passes epsilon only where A does", same(t * (a - e), bracket - e + e * (1 - t) * (1 - t))
    yield "4 and is below A there", same(a - bracket, (1 - t) * ((a - e) + e * (1 - t)))
    far, near = s * y + half * s * s, s * x - s * s * c + half * s * s
    loss = s * (t * x + y) + half * s * s * (t * t + 1 - 2 * t * c)
    yield "5 a replaced record of full slope", same(loss, far + t * near - half * one * s * s * t * (1 - t))
    yield "5 X above the line", same(near + h - (t * near + h + w * (1 - t)), (1 - t) * (near - one * w))
    yield "5 X below it", same(h + w - (t * near + h + w * (1 - t)), one * t * (w - near))
    rows = a * x * x + b * y * y - (a * x + b * y) * (a * x + b * y)
    yield "6 a person's shift", same(rows, one * a * b * (x - y) * (x - y) + (1 - a - b) * (a * x * x + b * y * y))
    tangent = k * (x - u + one * (v - 1)) - (1 - k * h)  # k = e^(epsilon - u), v = 1 / k, h = e^(u - x)
    yield "6 a tangent of the hockey stick", same(tangent - (k * v - 1), k * (h - 1 - (u - x)))
    yield "9 the integrand at its turn", same(u * b + (b - e * b), b * (one + u - e))
    yield "9 the place of the turn", same(-(y + t) * t, (-y * t - half * t * t) - half * one * t * t)
    yield "9 a concave function below its tangent less a square", same(2 * k * q * x - k * k * x * x, one * q * q - (k * x - q) * (k * x - q))
    yield "7 cosh, first terms", all(math.factorial(2 * j) >= (2 * one) ** j * math.factorial(j) for j in range(40))
    yield "7 cosh, each next term", same((2 * k + 2) * (2 * k + 1) - 2 * (k + 1), 4 * one * k * (k + 1))
    yield "7 what the normal law has beyond", same((s + 40) * (s + 40) - (s * s + 80 * s + 1600), s * (1 - one)) and 4 * 800 <= 80 * 80
    unit = 2 * iv.pi**2
    yield "7 the sum over integers", under(2 * (1 + iv.exp(-3 * unit) / (1 - iv.exp(-unit))), 3) and under(24 * iv.exp(-unit), 1) and under(2, unit)
