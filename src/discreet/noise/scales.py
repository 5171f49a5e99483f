"""Which scales of discrete noise can be drawn, and the least of them that a calibration asks for. No search here goes on for ever."""

from collections.abc import Callable

from discreet.core.errors import InfeasibleTarget
from discreet.noise.envelope import LARGEST_SCALE

_FINE = 1e-6
_FINE_STEPS = 64
_FARTHEST = 1.1


def drawable(scale: float) -> float:
    """`scale`, if noise of it can be drawn, with room for what is added to it. Raises InfeasibleTarget, to be asked before anything is reserved."""
    if not 0.0 < scale < LARGEST_SCALE / 2.0:
        raise InfeasibleTarget("this budget needs more noise than can be drawn exactly on a grid: take a larger epsilon, or a larger delta.")
    return scale


def least_drawable(first: float, enough: Callable[[float], bool]) -> float:
    """The first scale from `first` upwards that is `enough`, in steps of 1e-6 of itself, which double after 64 of them, up to a tenth more.

    What a formula gives is a step or two below what the whole bound asks for; where it is a tenth off, it is none, and no scale may do at all. Raises
    InfeasibleTarget.
    """
    scale, step = drawable(first), _FINE
    for number in range(128):
        if enough(scale):
            return drawable(scale)
        if number >= _FINE_STEPS:
            step *= 2.0
        scale *= 1.0 + step
        if scale > _FARTHEST * first:
            break
    raise InfeasibleTarget("no noise that can be drawn exactly on a grid keeps this budget: take an epsilon nearer to 1, or a larger delta.")
