"""From constructor arguments to what mechanisms take, for estimators over a set; messages name the argument and repeat public numbers only."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly
from discreet.ledger import Account
from discreet.noise import Noise, SeededNoise, SystemNoise


def account_of(value: Any) -> Account | None:
    """An account or None."""
    if value is None or isinstance(value, Account):
        return value
    raise InvalidInput(f"ledger must be an Account(path, name) or None; an object of type {type(value).__name__} was given.")


def whole_or_none(value: Any, name: str) -> int | None:
    """A positive integer or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise InvalidInput(f"{name} must be a positive integer or None; {value!r} was given.")
    return int(value)


def noise_of(random_state: Any) -> Noise:
    """The operating system's noise for None; a seeded one, under which no certificate is valid, for everything else that scikit-learn takes."""
    if random_state is None:
        return SystemNoise()
    if isinstance(random_state, Integral):
        return SeededNoise(int(random_state))
    if isinstance(random_state, np.random.RandomState):
        return SeededNoise(int(random_state.randint(2**31 - 1)))
    if isinstance(random_state, np.random.Generator):
        return SeededNoise(int(random_state.integers(2**63 - 1)))
    raise InvalidInput(f"random_state must be None, an integer or a NumPy random source; an object of type {type(random_state).__name__} was given.")


def real_targets(y: Any, name: str, records: int) -> Floats:
    """Real targets (n,). Raises InvalidInput for other shapes, text and numbers that are not finite, without any value of y."""
    if y is None:
        raise InvalidInput(f"{name} requires y to be passed, but the target y is None.")
    numbers = quietly(lambda: _numbers(y), InvalidInput("y should be a 1d array of real numbers, one for each row of X."))
    if numbers is None:
        raise InvalidInput("y must hold real numbers, one for each row of X.")
    if not np.all(np.isfinite(numbers)):
        raise InvalidInput("Input y contains infinity or a value too large for dtype('float64'), or NaN; finite numbers were expected.")
    if numbers.shape[0] != records:
        raise InvalidInput("X and y must have the same number of records.")
    return numbers


def _numbers(y: Any) -> Floats | None:
    given = column_or_1d(np.asarray(y), warn=True)
    return given.astype(np.float64) if given.dtype.kind in "biufO" else None
