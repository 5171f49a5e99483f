"""By what rows are multiplied so that none is longer than a bound.

    shortening(norms, bound)_i = min(1, bound / |x_i|) = bound / max(|x_i|, bound)

The second form never divides by a small norm: an overflow there would be a warning, and would tell of one record.
"""

from discreet.core.arrays import Floats, namespace


def shortening(norms: Floats, bound: float) -> Floats:
    """Factors (n,) for rows of these norms (n,) and a bound > 0."""
    factors: Floats = bound / namespace(norms).clip(norms, bound, None)
    return factors


def safe_shortening(norms: Floats, bound: float, *, width: int) -> Floats | None:
    """The factors, rounded down so that no exact norm exceeds the bound; None when all are 1.

    A computed norm of `width` numbers is within a relative width 2^-53 of the exact one; the room left is twice that and 1e-12.
    """
    safe = bound * (1.0 - 1e-12 - width * 2.0**-52)
    return shortening(norms, safe) if bool(namespace(norms).any(norms > safe)) else None
