"""What a stranger computes from the certificate of objective perturbation for residuals: its guarantee again, by another road.

The calibration has corners of a concave majorant and closed forms. Here slopes and curvatures are scanned over residuals, and privacy losses are
integrated numerically, once for each sign of a slope.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from discreet.accounting import Guarantee, Json
from discreet.core.arrays import Floats
from discreet.core.fields import positive
from discreet.core.neighbours import ADD_REMOVE
from discreet.verification.parts import delta_check, excess, gaussian_grid, least_union, on_a_grid, same_relation
from discreet.verification.registry import Check, register_recheck
from discreet.verification.regression import public_bounds

_LESS = 1.0 - 1e-7
"""Room for the quadrature."""


@register_recheck("least-squares-objective")
def _objective(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    yield on_a_grid(parameters)
    ridge, epsilon = positive(parameters["ridge"]), positive(parameters["epsilon"])
    bounds = public_bounds(problem)
    s = positive(parameters["width"]) * bounds.radius / positive(parameters["scale"])
    slopes, jacobian = _scan(str(parameters["loss"]), bounds.radius**2 / ridge)
    radius = (positive(parameters["tolerance"]) + positive(parameters["noise_error"])) / ridge
    last = gaussian_grid(parameters, {"features": bounds.dimension, "intercept_scale": 0.0}, radius)

    def loss(g: Floats) -> Floats:
        worst: Floats = np.max(slopes[:, None] * s * g + 0.5 * (slopes[:, None] * s) ** 2 + jacobian[:, None], axis=0)
        return worst

    total = 2.0 * excess(epsilon, loss)
    if guarantee.neighbours is not ADD_REMOVE:
        left = epsilon - float(jacobian.max())
        convex = left > 0 and (left / (2.0 * s)) ** 2 - s**2 >= 1.0
        total = (1.0 if convex else 2.0) * (total + 2.0 * least_union(slopes, jacobian, s, epsilon))
    how = "numerical integral of the privacy loss over both signs of slopes, plus the last stage"
    yield delta_check(epsilon + positive(parameters["grid_epsilon"]), total * _LESS + last, guarantee, releases, how)


def _scan(name: str, curvature: float) -> tuple[Floats, Floats]:
    """|l'| / a and ln(1 + l'' R^2 / lambda) over residuals of up to twenty widths."""
    residuals = np.concatenate((np.linspace(0.0, 3.0, 1501), np.linspace(3.0, 20.0, 201)))
    match name:
        case "log-cosh":
            return np.tanh(residuals), np.log1p(curvature / np.cosh(residuals) ** 2)
        case "huber":
            inside = residuals <= 1.0
            return np.minimum(residuals, 1.0), np.where(inside, math.log1p(curvature), 0.0)
        case _:
            raise ValueError
