"""What a stranger computes from the certificate of a released curvature: its guarantee again, by another road.

The largest contribution of a record is searched by maximising over margins with a scan of its own, and the Gaussian curve is integrated numerically.
"""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from discreet.certificates import Check, register_recheck
from discreet.guarantees import Guarantee, Json
from discreet.losses import loss_named
from discreet.mechanisms.curvature.gaussian import CURVATURE
from discreet.mechanisms.learning.recheck_parts import delta_check, finite, gaussian_integral, positive, same_relation
from discreet.neighbours import ADD_REMOVE


@register_recheck(CURVATURE)
def _curvature(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    yield same_relation(parameters, guarantee)
    scale, epsilon = positive(parameters["scale"]), positive(parameters["epsilon"])
    dimension = int(positive(problem["features"])) + (1 if finite(problem["intercept_scale"]) > 0 else 0)
    size = dimension * (dimension + 1)
    if scale < 1000.0 or size > scale**2:
        yield Check("delta", False, "the noise is too small for the theorem")
        return
    row = positive(parameters["unit"]) + 0.5 * math.sqrt(dimension) + 1.0
    longest = 5.0 * row * row * (positive(parameters["levels"]) * _largest(problem) + 1.0)
    apart = longest if guarantee.neighbours is ADD_REMOVE else math.sqrt(2.0) * longest
    one_way = size / (8.0 * scale**2)
    closeness = one_way + ((math.sqrt(size) + 41.0) ** 2 + 1.0) / (8.0 * scale**2)
    computed = gaussian_integral(epsilon - closeness, apart / scale) * math.exp(one_way)
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
