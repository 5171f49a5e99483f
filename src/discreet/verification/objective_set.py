"""The recheck of objective perturbation over a set: that of the problem without it (theorem T1's limit), at the recorded ridge.

With a computed point within tau / lambda of the exact minimiser and drawn noise within e of its ideal, the numbers are those of
objective-perturbation-gaussian: tolerance, noise_error and the grid mean the same.
"""

import math
from collections.abc import Iterator, Mapping

from discreet.accounting import Guarantee, Json
from discreet.core.fields import finite
from discreet.verification.constrained_parts import public_numbers
from discreet.verification.registry import Check, recheck, register_recheck


@register_recheck("objective-perturbation-set")
def _over_set(parameters: Mapping[str, Json], problem: Mapping[str, Json], guarantee: Guarantee, releases: int) -> Iterator[Check]:
    public = public_numbers(problem)
    unclipped = problem["max_slope"] is None
    yield Check("loss", unclipped, "slopes are not clipped" if unclipped else "clipped slopes make another loss than the theorem's")
    target = finite(problem["target_bound"])
    twin: dict[str, Json] = {
        "loss": problem["loss"],
        "loss_parameters": problem["loss_parameters"],
        "ridge": finite(parameters["ridge"]),
        "features": public.dimension,
        "data_norm": public.radius * target,
        "intercept_scale": 0.0,
        "records": problem["records"],
        "max_weight": 1.0,
    }
    if not math.isfinite(public.radius):
        raise ValueError
    yield from recheck("objective-perturbation-gaussian", parameters, twin, guarantee, releases)
