"""What a stranger computes from the certificate of a released curvature: its guarantee again, by another road.

The largest contribution of a record is searched by maximising over margins with a scan of its own, and the Gaussian curve is integrated numerically.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from discreet.accounting import Guarantee, Json
from discreet.core.fields import finite, positive, whole
from discreet.core.neighbours import ADD_REMOVE
from discreet.losses import loss_named
from discreet.verification.parts import delta_check, discrete_integral, same_relation
from discreet.verification.registry import Check, register_recheck


@register_recheck("curvature-gaussian")
def _curvature(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    scale, epsilon = positive(parameters["scale"]), positive(parameters["epsilon"])
    dimension = whole(problem["features"]) + (1 if finite(problem["intercept_scale"]) > 0 else 0)
    size = dimension * (dimension + 1)
    row = positive(parameters["unit"]) + 0.5 * math.sqrt(dimension) + 1.0
    longest = 5.0 * row * row * (positive(parameters["levels"]) * _largest(problem) + 1.0)
    apart = longest if guarantee.neighbours is ADD_REMOVE else math.sqrt(2.0) * longest
    computed = discrete_integral(epsilon, apart / scale, integers=size, scale=scale)
    yield delta_check(epsilon, computed, guarantee, releases, "largest contribution searched over margins, numerical integral of the Gaussian curve")


def _largest(problem: Mapping[str, Json]) -> float:
    """sup over margins of the length of (l'' / c, l'^2 / L^2), c and L the largest values that the scan meets."""
    given = problem["loss_parameters"]
    if not isinstance(given, dict):
        raise TypeError
    parameters = {str(key): finite(value) for key, value in given.items()}
    loss = loss_named(str(problem["loss"]), parameters)
    width = max([1.0, *parameters.values()])
    margins = np.concatenate((np.linspace(-7.0, 7.0, 300_007) * width, np.linspace(-60.0, 60.0, 50_021) * width))
    curvature, slope = loss.curvature(margins), np.square(loss.slope(margins))
    return float(np.max(np.hypot(curvature / curvature.max(), slope / slope.max())))
