"""Estimators as black boxes: from a table, (X, y), (X, y, ids of persons) or one in blocks, to independent fits, one row of released numbers each.

`many_fits` draws once which rows of a person are kept, for some hundred fits: nobody may have more than are kept, but of equal rows.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.data import BlockTable

Batch: TypeAlias = Callable[[Any, int], Floats]
"""From (table, count) to outputs (count, k)."""


class Estimator(Protocol):
    """What is asked of an estimator, scikit-learn's manners."""

    def get_params(self, *, deep: bool = True) -> dict[str, Any]:
        """Its parameters."""

    def fit(self, X: Any, y: Any, **whose: Any) -> Any:  # noqa: ANN401 - scikit-learn's signature
        """One private fit."""


class ManyAtOnce(Estimator, Protocol):
    """An estimator with `fit_many`: one factorisation serves all fits."""

    def fit_many(self, X: Any, y: Any, *, count: int, **whose: Any) -> Any:  # noqa: ANN401
        """`count` independent fits."""


def many_fits(estimator: ManyAtOnce) -> Batch:
    """For `audit(..., batch=True)`: coefficients and intercepts of LogisticRegression or LinearSVC, by `fit_many`. Raises InvalidInput for a seed."""
    _require_fresh_noise(estimator)

    def run(table: Any, count: int) -> Floats:  # noqa: ANN401
        rows, whose = _records(table)
        found = estimator.fit_many(*rows, count=count, **whose)
        return np.column_stack((found.coef.reshape(count, -1), found.intercept.reshape(count, -1)))

    return run


def single_fits(estimator: Estimator) -> Batch:
    """For `audit(..., batch=True)`: the released weights of any estimator of ours, one fit after the other. Raises InvalidInput for a seed."""
    _require_fresh_noise(estimator)
    parameters = estimator.get_params(deep=False)

    def run(table: Any, count: int) -> Floats:  # noqa: ANN401
        rows, whose = _records(table)
        return np.array([np.ravel(type(estimator)(**parameters).fit(*rows, **whose).weights_) for _ in range(count)])

    return run


def _records(table: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:  # noqa: ANN401 - whatever a black box takes
    """X and y, or a table in blocks, which brings its own targets and ids; and ids of persons, where they are beside."""
    if isinstance(table, BlockTable):
        return (table,), {}
    return (table[0], table[1]), {"persons": table[2]} if len(table) > 2 else {}


def _require_fresh_noise(estimator: Estimator) -> None:
    """The same seed in every fit would make all outputs one."""
    if estimator.get_params(deep=False).get("random_state") is not None:
        raise InvalidInput("an audit needs independent fits: leave random_state=None, so that noise comes from the operating system in every fit.")
