"""What a stranger computes from a certificate: the guarantee again, by another road.

Calibration works with the loss's stated constants, a bound of its curvature by slope, corners of a concave majorant and closed forms. A
recheck takes none of these. It scans the loss's first and second derivatives over margins, takes suprema over that scan, and integrates
privacy losses numerically with Gauss-Legendre panels. Both roads use the theorems of the proof notes, and the loss's own derivative
functions, which the law tests compare with finite differences.

Under replace-one with Gaussian noise two numbers are computed: the hockey-stick divergence of the worst pair (opposite records, where the
loss is a function of one normal variable), and the union bound of theorem T1 with the line (c, A) found anew.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from discreet.accounting import Guarantee, Json
from discreet.core.arrays import Floats
from discreet.core.fields import finite, positive
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.verification.parts import (
    Scan,
    delta_check,
    epsilon_check,
    excess,
    gaussian_grid,
    gaussian_integral,
    laplace_grid,
    least_union,
    noise_error,
    on_a_grid,
    same_relation,
    scan_of,
    upper_lines,
)
from discreet.verification.registry import Check, register_recheck


@register_recheck("objective-perturbation-pure")
def _objective_pure(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    scan = scan_of(problem, finite(parameters["extra_ridge"]))
    shift = positive(parameters["rate"]) * scan.gradient
    first = float(np.max(shift * scan.slopes + scan.jacobian)) + (0.0 if guarantee.neighbours is ADD_REMOVE else shift)
    radius = (positive(parameters["tolerance"]) + noise_error(parameters, problem)) / scan.ridge
    yield same_relation(parameters, guarantee)
    yield on_a_grid(parameters)
    total = first + laplace_grid(parameters, problem, radius)
    yield epsilon_check(total, guarantee, releases, "supremum of the log density ratio over all margins, plus the last stage")


@register_recheck("output-perturbation-pure")
def _output_pure(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield on_a_grid(parameters)
    scan = scan_of(problem)
    radius = positive(parameters["tolerance"]) / scan.ridge + noise_error(parameters, problem)
    total = positive(parameters["rate"]) * _minimiser_shift(scan, guarantee.neighbours) + laplace_grid(parameters, problem, radius)
    yield epsilon_check(total, guarantee, releases, "shift of the minimiser times the noise rate, plus the last stage")


@register_recheck("output-perturbation-gaussian")
def _output_gaussian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield from _two_stages(output_stages(parameters, problem, guarantee.neighbours), parameters, guarantee, releases)


@register_recheck("objective-perturbation-gaussian")
def _objective_gaussian(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield from _two_stages(objective_stages(parameters, problem, guarantee.neighbours), parameters, guarantee, releases)


class Stages(NamedTuple):
    """The two stages of a mechanism with Gaussian noise."""

    first: tuple[tuple[Callable[[float], float], str], ...]
    """Curves of the first stage, each with how it is computed: a stated delta must cover all of them, and the last one is what is proved."""
    last_epsilon: float
    last: float

    def curve(self, epsilon: float) -> float:
        """delta of both stages together, at any epsilon from `last_epsilon` on."""
        return min(1.0, self.first[-1][0](epsilon - self.last_epsilon) + self.last)


def output_stages(parameters: Mapping[str, Json], problem: Mapping[str, Json], neighbours: Neighbours) -> Stages:
    """Of output perturbation."""
    scan = scan_of(problem)
    radius = positive(parameters["tolerance"]) / scan.ridge + noise_error(parameters, problem)
    mu = _minimiser_shift(scan, neighbours) / positive(parameters["scale"])
    first = ((lambda epsilon: gaussian_integral(epsilon, mu), "numerical hockey-stick integral of the noise"),)
    return Stages(first, positive(parameters["grid_epsilon"]), gaussian_grid(parameters, problem, radius))


def objective_stages(parameters: Mapping[str, Json], problem: Mapping[str, Json], neighbours: Neighbours) -> Stages:
    """Of objective perturbation."""
    scan = scan_of(problem)
    radius = (positive(parameters["tolerance"]) + noise_error(parameters, problem)) / scan.ridge
    s = scan.gradient / positive(parameters["scale"])
    alone = _worst_loss(scan, s, other=False)
    first: tuple[tuple[Callable[[float], float], str], ...] = ((lambda epsilon: excess(epsilon, alone), "numerical hockey-stick integral of T1"),)
    if neighbours is not ADD_REMOVE:
        opposite = _worst_loss(scan, s, other=True)
        first = (
            (lambda epsilon: excess(epsilon, opposite), "numerical hockey-stick integral of the worst pair"),
            (
                lambda epsilon: excess(epsilon, alone) + least_union(scan.slopes, scan.jacobian, s, epsilon, spare=1e-6),
                "union bound of T1 with its line found anew",
            ),
        )
    return Stages(first, positive(parameters["grid_epsilon"]), gaussian_grid(parameters, problem, radius))


def _two_stages(stages: Stages, parameters: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield on_a_grid(parameters)
    epsilon = positive(parameters["epsilon"])
    for first, how in stages.first:
        total = first(epsilon) + stages.last
        yield delta_check(epsilon + stages.last_epsilon, total, guarantee, releases, f"{how}, plus the last stage")


@register_recheck("non-private")
def _non_private(_parameters: Mapping[str, Json], _problem: Mapping[str, Json], _guarantee: Guarantee, _releases: int) -> Iterator[Check]:
    yield Check("guarantee", False, "epsilon is infinite: this is a fit without privacy")


def _worst_loss(scan: Scan, s: float, *, other: bool) -> Callable[[Floats], Floats]:
    """g -> supremum of the privacy loss over margins; with `other`, the second record opposite to the first pushes the same way with slope 0 or 1."""
    pushes = (0.0, 1.0) if other else (0.0,)
    steep = np.concatenate([(scan.slopes + push) * s for push in pushes])
    return upper_lines(steep, 0.5 * np.square(steep) + np.tile(scan.jacobian, len(pushes)))


def _minimiser_shift(scan: Scan, neighbours: Neighbours) -> float:
    return (1.0 if neighbours is ADD_REMOVE else 2.0) * scan.gradient / scan.ridge
