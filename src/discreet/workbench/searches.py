"""What a private search over several settings would be worth, on public rows: the points of its curve.

    private            errors of the models that a few searches release, each of the whole search at the whole budget
    without privacy    that of the setting with the least error on the rows that are fitted, without noise: what the same grid gives for nothing

The rows are those of a trial (module `invented`): invented, or declared public. Nothing private is read, and no ledger is spent on.
"""

import math
from functools import partial
from itertools import product
from typing import Any

from discreet.core.errors import DiscreetError, InvalidInput, quietly
from discreet.data import NumberTarget, Schema
from discreet.estimators import PrivateSearchCV
from discreet.estimators.model_kinds import grid_of
from discreet.ledger import without_ledger
from discreet.workbench.invented import Trial
from discreet.workbench.tradeoff import Budget, Measured, encoded_for, error_of, measured_apart
from discreet.workbench.wire import Fields

SEARCHES = 4
MOST_SETTINGS = 40


def measured_search(kind: str, schema: Schema, trial: Trial, budget: Budget, given: Fields) -> Measured:
    """Search and measure on public rows; `given` are the options of `discreet tune`.

    Raises what a search raises, and InvalidInput for too many settings.
    """
    grid = grid_of(given.texts("--grid", most=100), kind)
    settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    if len(settings) > MOST_SETTINGS:
        raise InvalidInput(f"a search over {len(settings)} settings takes too long to try in the browser. Use at most {MOST_SETTINGS}.")
    first = {name: values[0] for name, values in grid.items()}
    with without_ledger():
        made = [
            PrivateSearchCV(
                encoded_for(kind, schema, budget, first, seed=None),
                grid,
                epsilon=budget.epsilon,
                delta=budget.delta,
                scoring=given.text("--scoring") or None,
                random_state=seed,
                expected_runs=_number(given, "--expected-runs"),
                error_bound=_bound(given, schema),
            )
            .fit(trial.fitted)
            .best_estimator_
            for seed in range(1, SEARCHES + 1)
        ]
        ordinary = [one for one in (_ordinary(kind, schema, trial, budget, each) for each in settings) if one is not None]
    return measured_apart(made, min(ordinary, key=partial(error_of, tested=trial.fitted), default=None), trial)


def _ordinary(kind: str, schema: Schema, trial: Trial, budget: Budget, setting: dict[str, Any]) -> Any:  # noqa: ANN401 - each kind has a fit of its own
    """The fit of one setting without privacy; None of a loss that has no ordinary fit."""
    try:
        return encoded_for(kind, schema, budget._replace(epsilon=math.inf), setting, seed=1).fit(trial.fitted)
    except DiscreetError:
        return None


def _number(given: Fields, option: str) -> float | None:
    text = given.text(option)
    return quietly(partial(float, text), InvalidInput(f"{option} must be a number; {text!r} was given.")) if text else None


def _bound(given: Fields, schema: Schema) -> float | None:
    """In half ranges of the target, as a search takes it."""
    bound, target = _number(given, "--error-bound"), schema.target
    return bound / (0.5 * (target.upper - target.lower)) if bound is not None and isinstance(target, NumberTarget) else bound
