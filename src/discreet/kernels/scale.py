"""The one check that all kernels share."""

from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput

_SMALLEST, _LARGEST = 1e-30, 1e30
"""Beyond these, squares and ratios of frequencies would leave the range in which angles are exact (module `feature_map`)."""


def checked_scale(value: float, kernel: str, *, what: str = "gamma") -> None:
    """Raise InvalidInput unless `value` is a positive number of sensible size."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite(value) or not _SMALLEST <= value <= _LARGEST:
        raise InvalidInput(f"the {kernel} kernel needs a {what} between {_SMALLEST:g} and {_LARGEST:g}; {value!r} was given. Try 1 / d.")
