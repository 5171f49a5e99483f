"""What a stranger computes from the certificate of a counting release: its guarantee again, by another road.

Pure: the largest log ratio of the two laws over a scan of integers, coordinate by coordinate, instead of sensitivities over scales.

Gaussian: the calibration sums over the integer T of the histogram and takes distribution functions of the sum. Here the roles are exchanged, the
law of a difference is convolved instead of written with theta functions, and noise is enumerated up to a scale of 2^18, where the calibration has
long taken a normal law.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from discreet.accounting import Guarantee, Json, PureDP, closeness
from discreet.core.arrays import Floats
from discreet.core.fields import positive
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.verification.parts import CLOSE, covers, delta_check, same_relation
from discreet.verification.registry import Check, register_recheck

_AGREEMENT = 1e-9
_AGREEMENT_OF_SUMS = 1e-7
"""Relative room for a million rounded terms and differences of distribution functions."""
_LEAST = 1e-17
"""What a sum of a million doubles that is a delta is known to at best: probabilities of 1 cancel in it."""
_ENUMERATED = 2.0**18
_CONVOLVED = 2.0**13
_MOST = 1 << 20


class _Move(NamedTuple):
    """What one record moves: the step of each coordinate that moves, and the scale of the noise on it."""

    steps: tuple[int, ...]
    scale: float


@register_recheck("counting-laplace")
def _laplace(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    total = 0.0
    for move in _moves(parameters, problem, guarantee):
        for step in move.steps:
            k = np.linspace(-3.0 * abs(step) - 3.0, 3.0 * abs(step) + 3.0, 1001).round()
            total += float(np.max((np.abs(k - step) - np.abs(k)) / move.scale))
    stated = guarantee.epsilon if isinstance(guarantee, PureDP) else math.nan
    ok = total > 0 and releases >= 1 and covers(stated, releases * total, most=CLOSE)
    yield Check("epsilon", bool(ok), f"stated {stated:.10g}, recomputed {releases * total:.10g} (largest log ratio of the discrete laws)")


@register_recheck("counting-gaussian")
def _gaussian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    epsilon = positive(parameters["epsilon"])
    computed = _divergence(_moves(parameters, problem, guarantee), epsilon)
    yield delta_check(epsilon, computed, guarantee, releases, "hockey-stick sum over integers", room=_AGREEMENT_OF_SUMS, least=_LEAST)


def _moves(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee) -> list[_Move]:
    scales, queries = parameters["scales"], problem["queries"]
    if not isinstance(scales, list) or not isinstance(queries, list) or len(scales) != len(queries) or not 1 <= len(queries) <= 2:
        raise ValueError
    return [_Move(_steps(query, guarantee.neighbours), positive(scale)) for query, scale in zip(queries, scales, strict=True)]


def _steps(query: Json, neighbours: Neighbours) -> tuple[int, ...]:
    match query:
        case {"kind": "histogram", "cells": int(cells)} if 1 <= cells <= _MOST and not isinstance(cells, bool):
            if neighbours is ADD_REMOVE:
                return (1,)
            if cells > 1:
                return (1, -1)
        case {"kind": "bounded-sum", "largest": int(largest)} if 1 <= largest <= _MOST and not isinstance(largest, bool):
            return (largest,)
    raise ValueError


def _divergence(moves: list[_Move], epsilon: float) -> float:
    """Sum over what one part shows, of how well the other part tells neighbours apart given that."""
    few, many = ([move for move in moves if _is_wide(move) is wide] for wide in (False, True))
    if not few:
        return float(_normal_curve(many, np.array([epsilon]))[0])
    parts = sorted(few, key=lambda move: move.scale)
    losses, masses = _enumerated(parts[-1])
    if len(moves) == 1:
        return float(masses @ np.maximum(-np.expm1(np.minimum(epsilon - losses, 0.0)), 0.0))
    told = _normal_curve(many, epsilon - losses) if many else _counted_curve(parts[0], epsilon - losses)
    return float(masses @ told)


def _is_wide(move: _Move) -> bool:
    """Whether its noise is integrated as a normal law, there being too many integers."""
    return move.scale > (_ENUMERATED if len(move.steps) == 1 else _CONVOLVED)


def _enumerated(move: _Move) -> tuple[Floats, Floats]:
    """Losses and probabilities of one part, for every integer that it may show."""
    scale = move.scale
    last = math.ceil(13.0 * scale) + 8
    k = np.arange(-last, last + 1, dtype=np.float64)
    mass = np.exp(-0.5 * (k / scale) ** 2)
    mass /= mass.sum()
    if len(move.steps) == 1:
        return ((k - move.steps[0]) ** 2 - k**2) / (2.0 * scale**2), mass
    difference = np.convolve(mass, mass) if len(mass) < 4096 else _by_transform(mass)
    t = np.arange(len(difference), dtype=np.float64) - 2 * last
    return (1.0 - t) / scale**2, difference


def _counted_curve(move: _Move, epsilons: Floats) -> Floats:
    """The curve of one part at any real epsilons: probabilities of a loss beyond each, under the data with the record and under the other."""
    losses, masses = _enumerated(move)
    order = np.argsort(losses)
    losses, masses = losses[order], masses[order]
    above = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    against = np.append(np.cumsum((masses * np.exp(-losses))[::-1])[::-1], 0.0)
    place = np.searchsorted(losses, epsilons, side="right")
    curve: Floats = np.maximum(above[place] - np.exp(np.minimum(epsilons, 700.0)) * against[place], 0.0)
    return curve


def _normal_curve(moves: list[_Move], epsilons: Floats) -> Floats:
    """The curve of one Gaussian mechanism for all of these parts, with what separates the discrete laws from rounded normal ones."""
    length = math.sqrt(sum(step**2 / move.scale**2 for move in moves for step in move.steps))
    apart = [closeness(len(move.steps), move.scale) for move in moves]
    up = sum(each.upper for each in apart)
    shifted = epsilons - sum(each.total for each in apart)
    curve: Floats = ndtr(0.5 * length - shifted / length) - np.exp(np.minimum(shifted, 700.0)) * ndtr(-0.5 * length - shifted / length)
    return np.maximum(curve, 0.0) * math.exp(up)


def _by_transform(mass: Floats) -> Floats:
    size = 2 * len(mass) - 1
    transform = np.fft.rfft(mass, size)
    square: Floats = np.maximum(np.fft.irfft(transform * transform, size), 0.0)
    return square
