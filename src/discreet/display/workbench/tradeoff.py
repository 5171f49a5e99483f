"""One point of a trade-off: what a private fit would be worth on public rows, what the planner proves, and how large the noise of a release is.

    fit        share of errors over a few private fits and of one without privacy, and the spread of the private weights, relative to their length:
               sqrt(mean_k |w_k - w|^2) / |w|,  w their mean
    release    standard deviation of the noise on a number (rows) or on a mean square (sketch), beside numbers within the bound of the schema

Nothing private is read: rows are invented or declared public (module `invented`), and calibrations need no rows at all. No ledger is spent on.
"""

import math
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import EncodedTable, Schema
from discreet.display.workbench.invented import Trial
from discreet.estimators import LinearSVC, LogisticRegression
from discreet.estimators.decision import linear_decision
from discreet.ledger import without_ledger
from discreet.planning import Plan
from discreet.queries import Target
from discreet.releases import About, Kind, Publication, Request
from discreet.releases.columns import released_schema, schema_domain

FITS = 8
KINDS = ("linear-svc", "logistic-regression")
METHODS = ("additive", "sketch")


class Budget(NamedTuple):
    """What a run may cost."""

    epsilon: float
    delta: float
    neighbours: str


class Measured(NamedTuple):
    """One point of the curves of a fit."""

    mean: float
    """Share of errors of the private fits."""
    low: float
    high: float
    without_privacy: float
    guessing: float
    """Share of errors of always answering the commonest class of the public rows."""
    spread: float
    records: int


class Trials:
    """The last few trials, since all points of a curve share one; one computation at a time."""

    __slots__ = ("_kept", "lock")

    def __init__(self) -> None:
        """Empty."""
        self._kept: OrderedDict[str, Trial] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, name: str, make: Callable[[], Trial]) -> Trial:
        """The trial of this name, made where it is not there. The caller holds `lock`."""
        found = self._kept.get(name)
        if found is None:
            found = self._kept[name] = make()
            while len(self._kept) > 2:
                self._kept.popitem(last=False)
        return found


def measured(kind: str, schema: Schema, trial: Trial, budget: Budget) -> Measured:
    """Fit and measure on public rows. Raises what a fit raises."""
    right = _codes(trial.tested)
    with without_ledger():
        private = _estimator(kind, schema, budget, seed=1).fit_many(trial.fitted, count=FITS)
        plain = _estimator(kind, schema, budget._replace(epsilon=math.inf, delta=0.0), seed=1).fit_many(trial.fitted, count=1)
    errors = [_errors(schema, trial.tested, coef, intercept, right) for coef, intercept in zip(private.coef, private.intercept, strict=True)]
    weights = np.column_stack((private.coef.reshape(FITS, -1), private.intercept.reshape(FITS, -1)))
    centre = weights.mean(axis=0)
    apart = math.sqrt(float(np.mean(np.sum((weights - centre) ** 2, axis=1))) * FITS / (FITS - 1))
    return Measured(
        mean=float(np.mean(errors)),
        low=min(errors),
        high=max(errors),
        without_privacy=_errors(schema, trial.tested, plain.coef[0], plain.intercept[0], right),
        guessing=1.0 - float(np.bincount(right).max()) / len(right),
        spread=apart / max(float(np.linalg.norm(centre)), 1e-300),
        records=trial.fitted.rows.shape[0],
    )


def planned(kind: str, schema: Schema, budget: Budget, *, records: int, norm: float, excess: float) -> dict[str, object]:
    """What is proved: the excess loss at this number of records, and the records for an excess; None where nothing is."""
    plan = Plan(
        epsilon=budget.epsilon,
        delta=budget.delta,
        neighbours=Neighbours(budget.neighbours),
        features=schema.features,
        norm=norm,
        data_norm=schema.norm_bound,
        loss="logistic" if kind == "logistic-regression" else "softplus-hinge",
    )
    bound = plan.bound(records)
    try:
        needed: int | None = plan.records_for(excess).records
    except DiscreetError:
        needed = None
    return {
        "excess": bound.excess,
        "without_privacy": bound.without_privacy,
        "records": records,
        "norm": norm,
        "wanted": excess,
        "needed": needed,
        "needed_without_privacy": plan.records_without_privacy(excess),
    }


def planned_release(schema: Schema, method: str, budget: Budget, *, rows: int | None, slots: int | None) -> Publication:
    """A calibrated release; no table is read. Raises as `Publication.planned` does."""
    released = released_schema(schema)
    request = Request(
        domain=schema_domain(released),
        target=Target.NOISY,
        neighbours=Neighbours(budget.neighbours),
        epsilon=budget.epsilon,
        delta=budget.delta,
        rows=rows,
        slots=slots,
    )
    return Publication.planned(method, request, calibration="tight", schema=released, about=About())


def noise_of_release(made: Publication) -> dict[str, object]:
    """How large the noise is, beside what it hides."""
    query, mechanism = made.plan
    covariance = made.method.noise_covariance(mechanism.name, mechanism.parameters(), query, columns=len(made.columns))
    if covariance is None:
        raise InvalidInput("the noise of this release is not public, so there is nothing to show before it is made.")
    largest = float(np.max(np.diag(covariance)))
    sketch = made.method.kind is Kind.SKETCH
    return {
        "what": "second moments" if sketch else "numbers",
        "noise": largest if sketch else math.sqrt(largest),
        "bound": made.request.domain.largest_entry,
        "columns": len(made.columns),
    }


def _estimator(kind: str, schema: Schema, budget: Budget, *, seed: int) -> LinearSVC | LogisticRegression:
    types: dict[str, type[LinearSVC | LogisticRegression]] = {"linear-svc": LinearSVC, "logistic-regression": LogisticRegression}
    return types[kind](
        epsilon=budget.epsilon, delta=budget.delta, neighbours=budget.neighbours, data_norm=schema.norm_bound, ledger=None, random_state=seed
    )


def _codes(table: EncodedTable) -> Floats:
    found = table.codes if table.signs is None else table.signs > 0
    return np.asarray(found, dtype=np.intp)


def _errors(schema: Schema, table: EncodedTable, coef: Floats, intercept: Floats, right: Floats) -> float:
    many = len(schema.target.classes) > 2
    constant = intercept if many else float(intercept)
    decision = linear_decision(table.rows, weights=coef.T if many else coef, intercept=constant, data_norm=schema.norm_bound)
    chosen = decision.argmax(axis=1) if many else (decision > 0).astype(np.intp)
    return float(np.mean(chosen != right))
