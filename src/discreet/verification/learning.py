"""What a stranger computes from the certificate of a fit by objective or output perturbation: the guarantee again, by other lines.

Calibration works with the loss's stated constants, a bound of its curvature by slope, chords of that bound and closed forms. A recheck takes
none of these. It scans the loss's first and second derivatives over margins, or over residuals, takes suprema over that scan, or over corners
above it that no margin between exceeds (`scans`), and integrates privacy losses numerically with Gauss-Legendre panels. Both roads use the
theorems of the proof notes, and the loss's own derivative functions, which the property tests compare with finite differences.

Under replace-one with Gaussian noise two numbers are computed: the hockey-stick divergence of the worst pair (opposite records, where the
loss is a function of one normal variable), and the union bound of theorem T1 with the line (c, A) found anew.

Where persons have several rows the loss is a mixture, whose delta is an integral of a tangent of the hockey stick over the density of one row's
loss; the tangent is searched for, and so are the line and the better of the two bounds of theorem P under replace-one.

Over a set the numbers are those of the problem without it (T1's limit), at the recorded ridge: with a computed point within tau / lambda of the exact
minimiser and drawn noise within e of its ideal, tolerance, noise_error and the grid mean the same. Of residuals both signs of a slope are counted.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.fields import finite, not_negative, positive
from discreet.core.lazily import lazily, registered
from discreet.core.neighbours import ADD_REMOVE
from discreet.losses.predictions import PredictionLoss, prediction_loss_named
from discreet.statements.base import filled, mapping
from discreet.verification.base import Check, Stated, epsilon_check, register_recheck
from discreet.verification.lines import Line, LinesFound, least_union, lines_above
from discreet.verification.numerics import (
    Envelope,
    drawn_radius,
    excess,
    gaussian_integral,
    last_stage,
    least_tangent,
    least_tangents,
    noise_error,
    normal_above,
    normal_excess,
    upper_lines,
)
from discreet.verification.scans import Scan, corners_of, scan_of, several_rows
from discreet.verification.stages import FARTHEST, STAGES, Stages, smooth, with_last
from discreet.words.learning import dimension_of

constrained, regression = lazily("discreet.verification.constrained"), lazily("discreet.verification.regression")
one_direction, several = lazily("discreet.verification.one_direction"), lazily("discreet.verification.several")
_BINS = 2000
"""Of slopes from 0 to the steepest one."""
_LESS = 1.0 - 1e-7
"""Room for the quadrature over residuals."""


@register_recheck("objective-perturbation-pure")
def _objective_pure(stated: Stated) -> Iterator[Check]:
    scan = scan_of(stated.problem, finite(stated.parameters["extra_ridge"]))
    shift = positive(stated.parameters["rate"]) * scan.gradient
    first = float(np.max(shift * scan.slopes + scan.jacobian)) + (0.0 if stated.guarantee.neighbours is ADD_REMOVE else shift)
    radius = drawn_radius(stated, scan.ridge, noise_error(stated))
    total = first + last_stage(stated.parameters, dimension_of(stated.problem), radius)
    yield epsilon_check(stated, total, "supremum of the log density ratio over all margins, plus the last stage")


@register_recheck("output-perturbation-pure")
def _output_pure(stated: Stated) -> Iterator[Check]:
    scan = scan_of(stated.problem)
    radius = positive(stated.parameters["tolerance"]) / scan.ridge + noise_error(stated)
    first = positive(stated.parameters["rate"]) * _minimiser_shift(scan, stated)
    total = first + last_stage(stated.parameters, dimension_of(stated.problem), radius)
    yield epsilon_check(stated, total, "shift of the minimiser times the noise rate, plus the last stage")


@register_recheck(
    "objective-perturbation-gaussian",
    "output-perturbation-gaussian",
    "least-squares-objective",
    "prediction-objective",
    "objective-perturbation-set",
)
def _gaussian(stated: Stated) -> Iterator[Check]:
    yield from several.checks(stated)


def _output_stages(stated: Stated) -> Stages:
    scan = scan_of(stated.problem)
    mu = _minimiser_shift(scan, stated) / positive(stated.parameters["scale"])
    first = smooth(lambda epsilon, also: gaussian_integral(epsilon, math.hypot(mu, also)), "numerical hockey-stick integral of the noise")
    return with_last(stated, positive(stated.parameters["tolerance"]) / scan.ridge + noise_error(stated), first)


def _objective_stages(stated: Stated) -> Stages:
    scan = corners_of(stated.problem)
    if "count_scale" in stated.parameters and stated.guarantee.neighbours is not ADD_REMOVE:
        raise ValueError
    if "counted" in stated.parameters and not math.isclose(
        scan.ridge + not_negative(stated.parameters["extra_ridge"]), scan.ridge * _more_of_few(finite(stated.parameters["counted"]))
    ):
        raise ValueError
    s = scan.gradient / positive(stated.parameters["scale"])
    radius = drawn_radius(stated, scan.ridge, noise_error(stated))
    if several_rows(stated.problem):
        delta = _of_persons(scan.slopes, scan.jacobian, s, alone=stated.guarantee.neighbours is ADD_REMOVE)
        return with_last(stated, radius, smooth(delta, "numerical integral of the tangents of theorem P"))
    alone = worst_loss(scan.slopes, scan.jacobian, s)
    if stated.guarantee.neighbours is ADD_REMOVE:
        first = smooth(lambda epsilon, mu: excess(epsilon, alone, mu), "numerical hockey-stick integral of T1, or along the record")
        along = one_direction.one_direction(scan.slopes, scan.jacobian, s)
        return with_last(stated, radius, first._replace(curve=lambda epsilon: min(excess(epsilon, alone, 0.0), float(along(epsilon)) * _LESS)))
    opposite = worst_loss(scan.slopes, scan.jacobian, s, pushes=(0.0, 1.0))
    lines = lines_above(scan.slopes, scan.jacobian, spare=1e-6)
    pair = smooth(lambda epsilon, mu: excess(epsilon, opposite, mu), "numerical hockey-stick integral of the worst pair")
    union = smooth(lambda epsilon, mu: excess(epsilon, alone, mu) + least_union(lines, s, epsilon, mu), "union bound of T1 with its line found anew")
    return with_last(stated, radius, pair, union)


def _more_of_few(counted: float) -> float:
    """The cube root of 4,000 over a noisy number of records, from 1 to 2."""
    return 2.0 if counted <= 500.0 else max(1.0, math.cbrt(4000.0 / counted))


def _of_persons(slopes: Floats, jacobian: Floats, s: float, *, alone: bool, signs: int = 1) -> Callable[[float, float], float]:
    """(epsilon, mu) -> delta of a mixture of rows' losses, with mu-GDP joined; of rows that come and others that go where not `alone`.

    A slope may have so many `signs`.
    """
    row = worst_loss(slopes, jacobian, s)
    doubled = worst_loss(slopes, 2.0 * jacobian, 2.0 * s)
    lines = LinesFound(lines_above(slopes, jacobian, spare=1e-6, number=17))

    def came(threshold: float, mu: float) -> float:
        return excess(threshold, row, mu, linear=True)

    def mixed(threshold: float, mu: float) -> float:
        return 0.5 * excess(threshold, doubled, mu, linear=True) + 0.5 * normal_excess(threshold, 2.0 * s, mu)

    def cases(height: float, steepness: float) -> Callable[[float, float], float]:
        def beyond(threshold: float, mu: float) -> float:
            low = threshold - height
            return came(threshold, mu) + normal_excess(low, 2.0 * s, mu) + normal_excess(low - steepness, s, mu)

        return beyond

    def best(epsilon: float) -> Line:
        def least(heights: Floats, steepness: Floats) -> Floats:
            def beyond(thresholds: Floats) -> Floats:
                low = thresholds - heights[:, np.newaxis]
                return row.beyond(thresholds) + _normal_beyond(low, 2.0 * s) + _normal_beyond(low - steepness[:, np.newaxis], s)

            return least_tangents(epsilon, beyond)

        return lines.best(epsilon, least, known=lambda: least_tangent(epsilon, mixed) / signs)

    def replaced(epsilon: float, mu: float) -> float:
        line = best(epsilon)
        return min(signs**2 * least_tangent(epsilon, cases(line.height, line.steepness), mu), signs * least_tangent(epsilon, mixed, mu))

    return (lambda epsilon, mu: signs * least_tangent(epsilon, came, mu)) if alone else replaced


def _normal_beyond(thresholds: Floats, s: float) -> Floats:
    """E (max(0, A) - threshold)_+, A ~ N(s^2 / 2, s^2), elementwise and in closed form: what is found with it is integrated afterwards."""
    return normal_above(0.5 * s * s - np.maximum(thresholds, 0.0), s) + np.maximum(-thresholds, 0.0)


def _residual_stages(stated: Stated) -> Stages:
    bounds, ridge = regression.public_bounds(stated.problem), positive(stated.parameters["ridge"])
    s = positive(stated.parameters["width"]) * bounds.radius / positive(stated.parameters["scale"])
    if "count_scale" in stated.parameters and stated.guarantee.neighbours is not ADD_REMOVE:
        raise ValueError
    if "counted" in stated.parameters and not math.isclose(
        positive(stated.parameters["unit"]), _unit_of_targets(stated, bounds.radius, bounds.dimension)
    ):
        raise ValueError
    return _two_signed(stated, *_scan_of_residuals(str(stated.parameters["loss"]), bounds.radius**2 / ridge), s, bounds.dimension)


def _unit_of_targets(stated: Stated, radius: float, dimension: int) -> float:
    """f, from the noisy count: of 1, 1/2 .. 1/16 the nearest to the width for so many records, over the width that noise is calibrated for."""
    width = positive(stated.parameters["width"])
    seen = max(finite(stated.parameters["counted"]), 1.0) * width * radius / (positive(stated.parameters["scale"]) * dimension)
    share = max(0.06, min(1.0, 0.16 * seen**0.25 / dimension**0.1))
    halvings = -math.log2(share * positive(stated.problem["target_bound"]) / width)
    return 2.0 ** -min(4.0, max(0.0, float(round(halvings))))


def _prediction_stages(stated: Stated) -> Stages:
    loss = prediction_loss_named(str(stated.problem["loss"]), mapping(stated.problem["loss_parameters"]))
    dimension, radius = regression.bounded_rows(stated.problem)
    steep, slopes, curvature = scan_of_predictions(loss, positive(stated.problem["target_bound"]))
    s = steep * radius / positive(stated.parameters["scale"])
    return _two_signed(stated, slopes, curvature * radius**2 / positive(stated.parameters["ridge"]), s, dimension)


def _two_signed(stated: Stated, slopes: Floats, traces: Floats, s: float, dimension: int) -> Stages:
    """Of slopes that may have both signs: theorem 1 of objective.md, or 2."""
    several, coming = several_rows(stated.problem), stated.guarantee.neighbours is ADD_REMOVE
    jacobian = traces if several else np.log1p(traces)
    alone = worst_loss(slopes, jacobian, s)
    shared = _of_persons(slopes, jacobian, s, alone=coming, signs=2) if several else None
    lines = lines_above(slopes, jacobian)

    def delta(epsilon: float, mu: float) -> float:
        if shared is not None:
            return shared(epsilon, mu) * _LESS
        total = 2.0 * excess(epsilon, alone, mu)
        if not coming:
            left = epsilon - mu * (0.5 * mu + FARTHEST) - float(jacobian.max())
            convex = left > 0 and (left / (2.0 * s)) ** 2 - s**2 >= 1.0
            total = (1.0 if convex else 2.0) * (total + 2.0 * least_union(lines, s, epsilon, mu))
        return total * _LESS

    radius = drawn_radius(stated, positive(stated.parameters["ridge"]), noise_error(stated, dimension))
    first = smooth(delta, "numerical integral of the privacy loss over both signs of slopes")
    if coming and not several:
        along, most = one_direction.one_direction(slopes, jacobian, s), float(jacobian.max())

        def least(epsilon: float) -> float:
            of_one = max(2.0 * gaussian_integral(epsilon, s), float(along(epsilon))) * _LESS if most < epsilon else 1.0
            return min(delta(epsilon, 0.0), of_one)

        first = first._replace(curve=least)
    return with_last(stated, radius, first, dimension=dimension)


def _set_stages(stated: Stated) -> Stages:
    """Of the problem without the set: of one sign of slopes, or of both, clipped, over what predictions reach and beyond."""
    public, problem = constrained.public_numbers(stated.problem), stated.problem
    if not math.isfinite(public.radius):
        raise ValueError
    ridge, target = positive(stated.parameters["ridge"]), positive(problem["target_bound"])
    factors = filled(stated.parameters["factors"]) if "factors" in stated.parameters else []
    # lambda is the least that a coefficient is pulled: what is above it is convex, and in both tables.
    if not all(finite(factor) >= 1.0 for factor in factors):
        raise ValueError
    shared = {
        "ridge": ridge,
        "intercept_scale": 0.0,
        "max_weight": 1.0,
        "records": problem["records"],
        **({"persons": problem["persons"]} if "persons" in problem else {}),
    }
    if public.classes:
        twin = {
            **shared,
            "loss": "multinomial-logistic",
            "loss_parameters": {},
            "classes": public.classes,
            "features": public.dimension // public.classes,
            "data_norm": public.radius,
        }
        of_classes = registered(STAGES, "multinomial-perturbation-gaussian", "discreet.verification")
        if of_classes is None:
            raise KeyError
        return of_classes(replace(stated, problem=twin))
    if public.one_signed:
        twin = {
            **shared,
            "loss": problem["loss"],
            "loss_parameters": problem["loss_parameters"],
            "features": public.dimension,
            "data_norm": public.radius * target,
        }
        return _objective_stages(replace(stated, problem=twin))
    loss = prediction_loss_named(str(problem["loss"]), mapping(problem["loss_parameters"]))
    steep, slopes, curvature = scan_of_predictions(loss, target, public.reach, most=public.slope, signed=loss.signed_targets)
    s = steep * public.radius / positive(stated.parameters["scale"])
    return _two_signed(stated, slopes, curvature * public.radius**2 / ridge, s, public.dimension)


STAGES |= {
    "objective-perturbation-gaussian": _objective_stages,
    "output-perturbation-gaussian": _output_stages,
    "least-squares-objective": _residual_stages,
    "prediction-objective": _prediction_stages,
    "objective-perturbation-set": _set_stages,
}


def worst_loss(slopes: Floats, jacobian: Floats, s: float, pushes: tuple[float, ...] = (0.0,)) -> Envelope:
    """g -> supremum of the privacy loss over margins; a second record, opposite to the first, pushes the same way with slopes among `pushes`."""
    steep = np.concatenate([(slopes + push) * s for push in pushes])
    return upper_lines(steep, 0.5 * np.square(steep) + np.tile(jacobian, len(pushes)))


def _minimiser_shift(scan: Scan, stated: Stated) -> float:
    return (1.0 if stated.guarantee.neighbours is ADD_REMOVE else 2.0) * scan.gradient / scan.ridge


def _scan_of_residuals(name: str, curvature: float) -> tuple[Floats, Floats]:
    """|l'| / a and l'' R^2 / lambda over residuals of up to twenty widths."""
    residuals = np.concatenate((np.linspace(0.0, 3.0, 1501), np.linspace(3.0, 20.0, 201)))
    match name:
        case "log-cosh":
            return np.tanh(residuals), curvature / np.cosh(residuals) ** 2
        case "huber":
            return np.minimum(residuals, 1.0), np.where(residuals <= 1.0, curvature, 0.0)
        case _:
            raise ValueError


def scan_of_predictions(
    loss: PredictionLoss, bound: float, *reach: float, most: float = math.inf, signed: bool = False
) -> tuple[float, Floats, Floats]:
    """The steepest slope, |l'| over it and l'', over predictions and targets: of places with slopes alike, the one with the most curvature.

    Slopes are clipped to `most`, with the curvature that they had; targets at the ends alone where they are classes, `signed`.
    """
    widths = [1.0, bound, *reach, *(float(value) for value in loss.parameters.values() if isinstance(value, int | float))]
    targets = bound * np.linspace(-1.0, 1.0, 2 if signed else 65)
    beside = np.unique(np.concatenate([np.outer((-1.0, 1.0), width * (np.linspace(0.0, 1.5, 601))).ravel() for width in widths]))
    near = (targets[:, np.newaxis] + beside).ravel()
    far = np.tile(np.linspace(-40.0, 40.0, 4001) * max(widths), (len(targets), 1)).ravel()
    places, of = np.concatenate((near, far)), np.concatenate((np.repeat(targets, len(beside)), np.repeat(targets, 4001)))
    slopes, curvature = np.abs(loss.slope(places, of)), loss.curvature(places, of)
    slopes = np.minimum(slopes, most)
    steepest = float(slopes.max(initial=0.0))
    if not (steepest > 0 and np.all(np.isfinite(slopes)) and np.all(np.isfinite(curvature))):
        raise ValueError
    shares = slopes / steepest
    order = np.lexsort((shares, curvature, np.floor(shares * _BINS)))
    last = np.append(np.diff(np.floor(shares[order] * _BINS)) > 0, True)
    kept = order[last]
    return steepest, shares[kept], curvature[kept]
