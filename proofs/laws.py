"""Exact laws of minimisers in one dimension, and the divergence between two of them, enclosed from both sides.

The minimiser f of sum c l(v f) + lambda f^2 / 2 + b f, l logistic, falls with b, so f is between two numbers where b is between two others: masses
are differences of normal tails. The density of f is that of b times lambda + sum c v^2 q (1 - q), q = 1 / (1 + e^(v f)) (lemma 2).
"""

from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from mpmath import iv

from proofs.intervals import Interval, exact, tail, under

Rows: TypeAlias = tuple[tuple[Fraction, Fraction], ...]
"""(v, c), signed and with their weights, in one dimension."""


class Table(NamedTuple):
    """Other records; the minimiser is a number."""

    rows: Rows
    ridge: Fraction

    def at(self, f: Interval) -> tuple[Interval, Interval]:
        """The noise b with this minimiser, and how fast it falls: b = sum c q(v f) v - lambda f, q(m) = 1 / (1 + e^m)."""
        noise, bend = -exact(self.ridge) * f, exact(self.ridge)
        for v, c in self.rows:
            slope = 1 / (1 + iv.exp(exact(v) * f))
            noise, bend = noise + exact(c * v) * slope, bend + exact(c * v * v) * slope * (1 - slope)
        return noise, bend


def divergence(table: Table, record: Rows, scale: Fraction, epsilon: Fraction, *, leaves: bool) -> Interval:
    """sup over S of P(S) - e^epsilon P'(S), N(0, scale^2) in the objective: P' has the table alone, P a record (or person) more; P' if it leaves.

    Intervals of minimisers are halved until it is sure on which side of epsilon the log ratio of the densities lies, or nearly nothing lies in them.
    """
    fuller = Table((*table.rows, *record), table.ridge)
    one, other = (table, fuller) if leaves else (fuller, table)
    added = Table(record, Fraction(0))
    sigma = exact(scale)
    farthest = (40 * scale + sum(c * abs(v) for v, c in fuller.rows)) / table.ridge
    edges = [-farthest, *(Fraction(j) for j in range(-10, 11) if j * j < farthest**2), farthest]
    total = iv.mpf([0, (4 * tail(iv.mpf(40))).b])  # what is beyond
    waiting = list(pairwise(edges))

    @cache
    def beyond(table: Table, at: Fraction) -> Interval:
        return tail(table.at(exact(at))[0] / sigma)

    while waiting:
        low, high = waiting.pop()
        f = iv.mpf([exact(low).a, exact(high).b])
        (noise, bend), (more, bends) = table.at(f), added.at(f)
        ratio = iv.log(1 + bends / bend) - more * (2 * noise + more) / (2 * sigma**2)
        ratio = (-ratio if leaves else ratio) - exact(epsilon)
        if under(ratio, 0):
            continue
        if not under(0, ratio) and high - low > Fraction(1, 1 << 30):
            middle = (low + high) / 2
            waiting += [(low, middle), (middle, high)]
            continue
        masses = [beyond(table, high) - beyond(table, low) for table in (one, other)]
        found = masses[0] - iv.exp(exact(epsilon)) * masses[1]
        total += found if under(0, ratio) else iv.mpf([0, masses[0].b])
    return total
