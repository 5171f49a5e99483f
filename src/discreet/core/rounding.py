"""Factors that cover rounding errors: one place, and each says how many operations it covers.

IEEE arithmetic in double precision: fl(a op b) = (a op b)(1 + e), |e| <= u = 2^-53, for +, -, *, /, sqrt, where nothing overflows or is subnormal.
A formula of positive terms that takes k of these, no difference among them, comes out between (1 - u)^k and (1 + u)^k times its exact value, and

    raising(k) = 1 + 2 (k + 1) u >= (1 - u)^{-(k + 1)},    lowering(k) = 1 - 2 (k + 1) u <= (1 + u)^{-(k + 1)}        for 1 <= k <= 2^32

so a result times `raising(k)` is not below the exact value, the rounding of that last product included. Both factors are exact numbers. Count a call
of exp, log, pow or of a special function that is accurate to a few units in the last place as 16 operations, a sum or a norm of n numbers as n + 2.
An allowance beyond the count costs nothing that anybody could measure: 4,096 operations are a factor of 1 + 10^-12. `gamma` is for sums with errors
of both signs.
"""

UNIT = 2.0**-53
"""u."""
_MOST = 1 << 32
_TWO_UNITS = 2.0 * UNIT


def raising(operations: int) -> float:
    """The factor that raises the result of so many operations to its exact value or above."""
    return 1.0 + _checked(operations) * _TWO_UNITS


def lowering(operations: int) -> float:
    """The factor that lowers it to its exact value or below."""
    return 1.0 - _checked(operations) * _TWO_UNITS


def up(value: float, operations: int = 4_096) -> float:
    """`value` >= 0, the result of so many operations, raised; 0 stays 0."""
    return value * raising(operations)


def _checked(operations: int) -> int:
    if not 1 <= operations <= _MOST:
        raise ValueError("a factor covers one to 2^32 operations")
    return operations + 1


def gamma(terms: int) -> float:
    """gamma_k = k u / (1 - k u), for k = `terms`: of a sum of so many, relative to that of absolute values."""
    return terms * UNIT / (1 - terms * UNIT)
