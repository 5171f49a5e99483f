"""The deltas of T1, T3 and theorem P (add-remove), and of a fit with its last stage, from above: lemmas 3 to 7 and 9 of core.md as integrals.

Floating point proposes where to cut an axis and which tangent to take; a bad proposal makes a bound larger, and no bound wrong.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from mpmath import iv

from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, PARTS
from proofs.intervals import Interval, density, ends, exact, gaussian, most, raised, tail, under

_TANGENTS, _FAR = 512, 13
_CELLS, _FINE, _STEPS = 384, 4096, 4
"""Cells of the slopes of T3, among so many that are looked at in doubles; steps of Newton's method for where to take a tangent."""


class Piece(NamedTuple):
    """From `start` on, and up to the next piece, a loss is at most slope g + height, and at least 0."""

    start: Interval
    value: Fraction
    """At the start."""
    slope: Interval
    height: Interval


class WorstLoss:
    """PL*(g) = sup_t {t s g + t^2 s^2 / 2 + J(t)}, g ~ N(0, 1), from above; J(t) = ln(1 + a t (1 - t)), or a t (1 - t) of persons.

    J is concave, so below its tangents. Along one the bracket is convex in t, so largest at an end of any interval: PL* is at most the largest
    of finitely many lines in g. That is convex in g, so between two places it is below its chord, wherever they are.
    """

    def __init__(self, s: Interval, a: Interval, *, shared: bool) -> None:
        """See class docstring."""
        self.s, self.a, self.shared = s, a, shared
        self.tangent, self.left = Fraction(0), tail(iv.mpf(_FAR))  # left of all pieces the loss is at most the first value
        self.pieces: list[Piece] = []

    def _build(self) -> None:
        s, a = self.s, self.a
        lines = []
        for left, right in pairwise(Fraction(j, _TANGENTS) for j in range(_TANGENTS + 1)):
            middle = (left + right) / 2
            for contact in (left, right):
                inside, bends = a * exact(contact * (1 - contact)), a * exact(1 - 2 * contact)
                value, rise = (inside, bends) if self.shared else (iv.log(1 + inside), bends / (1 + inside))
                lines += [
                    (raised(s * exact(end)), raised(s * s * exact(end * end) / 2 + value + rise * exact(end - contact))) for end in (contact, middle)
                ]
        slopes, heights = np.array(sorted(set(lines))).T
        places = [Fraction(place) for place in sorted({-float(_FAR), *_kinks(slopes, heights), float(_FAR)})]
        values, highest = [], Fraction(0)
        for place in places:
            # Doubles, raised by more than their rounding; a raised slope lowers a line only left of 0, by less than that.
            found = float(np.max(slopes * float(place) + heights + 1e-14 * (slopes * abs(float(place)) + np.abs(heights))))
            highest = max(highest, Fraction(found))
            values.append(highest)
        for (place, value), (after, higher) in pairwise(zip(places, values, strict=True)):
            slope = exact((higher - value) / (after - place))
            self.pieces.append(Piece(exact(place), value, slope, exact(value) - slope * exact(place)))
        self.pieces.append(Piece(exact(places[-1]), values[-1], s, exact(values[-1]) - s * exact(places[-1])))
        starts = [piece.start for piece in self.pieces]
        self.over = [tail(start) for start in starts]
        zero = iv.mpf(0)
        self.mass, self.against, self.mean = [zero], [zero], [zero]  # of all pieces from one on, summed from the last
        for j in reversed(range(len(starts))):
            after_it = starts[j + 1] if j + 1 < len(starts) else None
            mass, against, mean = self._of(self.pieces[j], starts[j], after_it, self.over[j], self.over[j + 1] if after_it is not None else zero)
            self.mass.append(self.mass[-1] + mass)
            self.against.append(self.against[-1] + against)
            self.mean.append(self.mean[-1] + mean)
        for sums in (self.mass, self.against, self.mean):
            sums.reverse()

    @staticmethod
    def _of(piece: Piece, start: Interval, end: Interval | None, over: Interval, beyond: Interval) -> tuple[Interval, Interval, Interval]:
        """P, E e^-loss and E loss over start < g < end."""
        weight = iv.exp(-piece.height + piece.slope**2 / 2)
        against = tail(start + piece.slope) - (iv.mpf(0) if end is None else tail(end + piece.slope))
        middle = density(start) - (iv.mpf(0) if end is None else density(end))
        return over - beyond, weight * against, piece.slope * middle + piece.height * (over - beyond)

    def _beyond(self, threshold: Interval) -> tuple[Interval, Interval, Interval, Interval]:
        """A number that is no more than the threshold, and nearly it; P, E e^-loss and E loss where the bound passes that number, at least."""
        if not self.pieces:
            self._build()
        lowered = ends(threshold)[0]
        while any(piece.value == lowered for piece in self.pieces):
            lowered -= Fraction(1, 1 << 90)
        place = next((j for j in range(len(self.pieces)) if self.pieces[j].value > lowered), len(self.pieces))
        parts: list[Interval] = [iv.mpf(0)] * 3
        if place:
            piece = self.pieces[place - 1]
            start = (exact(lowered) - piece.height) / piece.slope
            end, beyond = (self.pieces[place].start, self.over[place]) if place < len(self.pieces) else (None, iv.mpf(0))
            parts = list(self._of(piece, start, end, tail(start), beyond))
        mass, against, mean = (part + sums[place] for part, sums in zip(parts, (self.mass, self.against, self.mean), strict=True))
        return exact(lowered), mass, against, mean

    def delta(self, epsilon: Interval) -> Interval:
        """What the theorem says at epsilon >= 0: the lesser of T1 and T3; P of persons."""
        if not self.shared:
            if under(self.a, epsilon):  # lemma 4
                return gaussian(epsilon, self.s)
            lowered, mass, against, _ = self._beyond(epsilon)
            outcome = most(mass - iv.exp(lowered) * against + self.left)
            direction = max(most(self.one_direction(epsilon)), most(gaussian(epsilon, self.s)))
            return min(outcome, direction)
        best, above = iv.mpf(1), self.tangent
        for _ in range(2 if above else 6):  # any u >= epsilon is a bound: lemma 6
            threshold = epsilon - (iv.exp(exact(above)) - 1) + exact(above)
            if threshold.a < 0:
                break
            lowered, mass, _, mean = self._beyond(threshold)
            excess = mean - lowered * mass + self.left * exact(self.pieces[0].value)
            if under(self.a, threshold):  # lemma 4
                z = threshold / self.s - self.s / 2
                excess, mass = self.s * (density(z) - z * tail(z)), tail(z)
            found = iv.exp(-exact(above)) * excess
            best = found if found.b < best.b else best
            self.tangent = above = Fraction(math.log1p(float(excess.mid) / float(mass.mid)))
        return best

    def one_direction(self, epsilon: Interval) -> Interval:
        """W of theorem T3 at epsilon >= 0: Q rises with tau and with u, so it is below its values at the largest of both in a cell (lemma 9)."""
        total = iv.mpf(0)
        for left, right, place in self._cells(float(epsilon.mid)):
            steepest = min(max(left, Fraction(1, 2)), right)
            square, u = (self.s * exact(right)) ** 2, most(self.a * exact(steepest * (1 - steepest)))
            start, grown = iv.mpf(max((epsilon - square / 2).a, iv.mpf(0))), iv.exp(exact(place))
            room, steep = u + 1 - grown, (start - exact(place)) / square
            slope = steep - grown / room
            over = iv.mpf(0) if place == 0 and slope.b <= 0 else slope**2 * square / 2
            total += most(iv.exp(over - steep**2 * square / 2) * room / u) * exact(right - left)
        return total * self.s / iv.sqrt(2 * iv.pi)

    def _cells(self, epsilon: float) -> list[tuple[Fraction, Fraction, float]]:
        """Shares of the largest slope with little of Q's rise between them, and about where its supremum is."""
        shares = np.linspace(0.0, 1.0, _FINE + 1)
        middle = shares * (1.0 - shares)
        upper, _ = self._suprema(epsilon, shares[1:], np.maximum(middle[1:], middle[:-1]))
        lower, _ = self._suprema(epsilon, np.maximum(shares[:-1], 1e-9), np.minimum(middle[1:], middle[:-1]))
        rise = np.sqrt(np.maximum(upper - lower, 0.0) + 1e-12 * upper.max())
        where = np.interp(np.linspace(0.0, 1.0, _CELLS + 1)[1:-1], np.append(0.0, np.cumsum(rise) / rise.sum()), shares)
        cuts = [Fraction(0), *(Fraction(float(share)) for share in np.unique(where)), Fraction(1)]
        edges = np.array([float(cut) for cut in cuts])
        steepest = np.clip(0.5, edges[:-1], edges[1:])
        _, places = self._suprema(epsilon, edges[1:], steepest * (1.0 - steepest))
        return [(left, right, float(place)) for (left, right), place in zip(pairwise(cuts), places, strict=True)]

    def _suprema(self, epsilon: float, shares: Floats, bends: Floats) -> tuple[Floats, Floats]:
        """About Q, and where it is taken."""
        squares, u = np.square(float(self.s.mid) * shares), np.maximum(float(self.a.mid) * bends, 1e-12)
        start = np.maximum(epsilon - 0.5 * squares, 0.0)
        last, w = np.minimum(np.log1p(u), start), np.zeros_like(start)
        for _ in range(_STEPS):
            left = np.maximum(start - w, 1e-300)
            more = (np.log((1.0 + u) * left / (squares + left)) - w) / (1.0 + squares / (left * (squares + left)))
            w = np.clip(np.where(start > w, w + np.minimum(more, 0.9 * left), w), 0.0, 0.999 * last)
        return np.exp(-0.5 * np.square(start - w) / squares) * (1.0 - np.expm1(w) / u), w


def _kinks(slopes: Floats, heights: Floats) -> list[float]:
    """About where the largest of these lines, sorted by slope and height, changes: places for chords."""
    kept: list[int] = []

    def meet(one: int, other: int) -> float:
        return float((heights[one] - heights[other]) / (slopes[other] - slopes[one]))

    for j in range(len(slopes)):
        if kept and slopes[j] == slopes[kept[-1]]:
            kept.pop()
        while len(kept) > 1 and meet(kept[-2], j) <= meet(kept[-2], kept[-1]):
            kept.pop()
        kept.append(j)
    return [place for place in (meet(one, other) for one, other in pairwise(kept)) if abs(place) < _FAR]


def proved_delta(stated: Mapping[str, Any]) -> Interval:
    """delta of a certificate of Gaussian objective perturbation, logistic loss, add-remove: from its public numbers, by T1 or P and lemma 7.

    Raises SystemExit for another certificate.
    """
    problem, numbers = stated["problem"], stated["parameters"]
    kind = stated["mechanism"], problem["loss"], stated["guarantee"]["neighbours"]
    if kind != ("objective-perturbation-gaussian", "logistic", ADD_REMOVE.value) or stated["releases"] != 1 or "prior" in problem:
        raise SystemExit(
            f"core.py proves the delta of one fit by Gaussian objective perturbation, logistic loss, add-remove, no prior; given: {kind}."
        )
    number = {name: exact(value) for name, value in {**problem, **numbers}.items() if isinstance(value, int | float)}
    square = number["data_norm"] ** 2 + number["intercept_scale"] ** 2
    weight, ridge = number["max_weight"], number["ridge"]
    dimension = problem["features"] + (1 if problem["intercept_scale"] else 0)
    worst = WorstLoss(weight * iv.sqrt(square) / number["scale"], weight * square / ridge, shared="persons" in problem)
    wide, root = number["grid_scale"], iv.sqrt(iv.mpf(dimension))
    moved = 2 * (number["tolerance"] + number["noise_error"]) / ridge / number["grid_step"] + root
    mu = moved / wide
    if "count_scale" in number:  # theorem T4: one more integer, of a noisy number of records, from which a lambda that is no less follows
        mu, dimension = iv.sqrt(mu**2 + 1 / number["count_scale"] ** 2), dimension + 1
        wide, root = iv.mpf(min(wide.a, (PARTS * number["count_scale"]).a)), iv.sqrt(iv.mpf(dimension))
    upper, lower = dimension / (8 * wide**2), ((root + 41) ** 2 + 1) / (8 * wide**2)
    left = number["epsilon"] + number["grid_epsilon"] - upper - lower
    return most(iv.exp(upper) * (_after(worst, left, mu) + iv.exp(left - 800)))


def _after(first: WorstLoss, left: Interval, mu: Interval) -> Interval:
    """E delta_1(left - mu h - mu^2 / 2), h ~ N(0, 1), delta_1 at most 1 below 0: along chords in e^x between values of h, below which a curve is."""
    places = [Fraction(j, 4) for j in range(-48, 49)]
    kept = [(h, left - mu * exact(h) - mu**2 / 2) for h in places]
    kept = [(h, x) for h, x in kept if x.a > 0]
    if not kept:
        return iv.mpf(1)
    curve = [most(first.delta(x)) for _, x in kept]
    over, shifted = [tail(exact(h)) for h, _ in kept], [tail(exact(h) + mu) for h, _ in kept]
    total = curve[0] * (1 - over[0]) + over[-1]
    for j in range(len(kept) - 1):
        here, after = iv.exp(kept[j][1]), iv.exp(kept[j + 1][1])
        slope = (curve[j + 1] - curve[j]) / (after - here)
        total += (curve[j] - slope * here) * (over[j] - over[j + 1]) + slope * iv.exp(left) * (shifted[j] - shifted[j + 1])
    return total
