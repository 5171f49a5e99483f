"""What a stranger computes from a certificate for several targets: the guarantee again, by other lines.

The privacy loss in one objective is the supremum over a scan of the loss's own derivatives, at a normal number of either sign; its law is a
Gauss-Legendre sum, less its least value, which every target adds. So many of them are composed on a grid finer than the calibration's, and a replaced
record is two steps, split at the best point. Where persons have several rows it is the law of a sum of such losses, one for each target.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.fields import positive
from discreet.core.neighbours import ADD_REMOVE
from discreet.losses.predictions import prediction_loss_named
from discreet.statements.base import mapping
from discreet.verification import regression
from discreet.verification.base import Check, Stated, register_recheck
from discreet.verification.compositions import composed, curve_of, deviations, sum_beyond
from discreet.verification.learning import scan_of_predictions, worst_loss
from discreet.verification.numerics import drawn_radius, least_tangent, noise_error, panels
from discreet.verification.scans import several_rows
from discreet.verification.stages import STAGES, First, Stages, smooth, with_last
from discreet.words.learning import target_units

_SPLITS = 4001
_BEYOND = np.linspace(13.25, 38.0, 100)
"""Normal numbers that a tiny delta is about."""
_PERSONS = "sums of the targets' losses over both signs of slopes"
_MOST = 1000
"""Targets of one problem; more are nobody's, and would take long."""


@register_recheck("targets-objective")
def _targets(stated: Stated) -> Iterator[Check]:
    yield from _stages(stated).checks(stated)


def _stages(stated: Stated) -> Stages:
    problem, parameters, count = stated.problem, stated.parameters, len(target_units(stated.problem))
    if not 2 <= count <= _MOST:
        raise ValueError
    loss = prediction_loss_named(str(problem["loss"]), mapping(problem["loss_parameters"]))
    _, radius = regression.bounded_rows(problem)
    steep, slopes, curvature = scan_of_predictions(loss, positive(problem["target_bound"]))
    ridge, s = positive(parameters["ridge"]), steep * radius / positive(parameters["scale"])
    g, weight = panels(np.concatenate((np.linspace(0.0, 13.0, 105), _BEYOND)))
    weight = weight * np.exp(-0.5 * g * g) * math.sqrt(2.0 / math.pi)
    alone, several = stated.guarantee.neighbours is ADD_REMOVE, several_rows(problem)
    apart = drawn_radius(stated, ridge, noise_error(stated), minimisers=count)
    if several:
        return with_last(stated, apart, smooth(partial(_of_persons, slopes, curvature * radius**2 / ridge, s, count, alone=alone), _PERSONS))
    worst = worst_loss(slopes, np.log1p(curvature * radius**2 / ridge), s)
    least = float(worst(np.zeros(1))[0])
    one_step = curve_of(
        *composed(np.maximum(worst(g) - least, 0.0), weight, count, step=0.01 * s, reach=s * (0.5 * s + deviations(stated)), least=0.0)
    )
    height = count * least

    def delta(epsilon: float) -> float:
        if alone:
            return float(one_step(np.array([epsilon - height]))[0])
        splits = np.linspace(0.0, epsilon, _SPLITS)
        return float(np.min(one_step(splits - height) + np.exp(splits) * one_step(epsilon - splits - height)))

    return with_last(stated, apart, First(delta, "a finer composition of the targets' losses over both signs of slopes"))


def _of_persons(slopes: Floats, jacobian: Floats, s: float, count: int, epsilon: float, mu: float, *, alone: bool) -> float:
    """Delta where persons have several rows, with mu-GDP joined: that of sums over the targets, of traces and both signs."""
    g, weight = panels(np.concatenate((np.linspace(0.0, 13.0, 157), _BEYOND)))
    weight = 2.0 * weight * np.exp(-0.5 * g * g) / math.sqrt(2.0 * math.pi)

    def beyond(shift: float, times: float) -> Callable[[float, float], float]:
        return sum_beyond(np.maximum(worst_loss(slopes, times * jacobian, shift)(g), 0.0), weight, shift, count, epsilon)

    if alone:
        return least_tangent(epsilon, beyond(s, 1.0), mu)
    halves = [beyond(2.0 * s, times) for times in (2.0, 0.0)]
    return least_tangent(epsilon, lambda threshold, mu: 0.5 * sum(half(threshold, mu) for half in halves), mu)


STAGES["targets-objective"] = _stages
