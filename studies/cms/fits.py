"""Errors of the paper's algorithms and of ours on new records: by Lambda, by epsilon, and by the number of records with Lambda chosen privately.

Preparation as in the paper: rows of norm 1, no intercept, half-width 0.5 of the Huber hinge, ten folds. Lambda is `alpha`. "published" is the printed
calibration and holds (its certificate gives what it proves); "tight" is ours at the same Lambda, where "infeasible" (no value) says that no amount of
noise makes the mechanism private there. "default" chooses no Lambda at all and fits an intercept.
"""

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet import LinearSVC, LogisticRegression, PrivateSearchCV
from discreet.core.arrays import Floats
from discreet.core.errors import InfeasibleTarget
from studies.base import Record, seed_of
from studies.tables import Table, Tables

FOLDS = 10
TESTED = 25_000
"""Records for testing in figures 4 and 5, as in the paper."""

_PUBLISHED = {"calibration": "published"}
_HIDDEN = {"neighbours": "add-remove"}
METHODS: Mapping[str, Mapping[str, Any]] = {
    "non-private": {"epsilon": math.inf},
    "output, published": _PUBLISHED | {"mechanism": "output"},
    "objective, published": _PUBLISHED,
    "output, tight": {"mechanism": "output"},
    "objective, tight": {},
    "objective, tight, add-remove": _HIDDEN,
    "objective, tight, delta 1e-6": {"delta": 1e-6},
    "objective, tight, delta 1e-6, add-remove": {"delta": 1e-6} | _HIDDEN,
}
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "default, pure": {},
    "default, pure, add-remove": _HIDDEN,
    "default, delta 1e-6": {"delta": 1e-6},
    "default, delta 1e-6, add-remove": {"delta": 1e-6} | _HIDDEN,
}
LEARNING = {
    "Algorithm 4, objective, published": _PUBLISHED,
    "Algorithm 4, output, published": _PUBLISHED | {"mechanism": "output"},
    "Algorithm 4, objective, tight": {},
}
"""Private fits between which figures 4 and 5 choose."""


def lambda_records(
    tables: Tables, *, table: str, loss: str, alpha: float, fold: int, draws: int, epsilon: float, methods: list[str]
) -> Iterator[Record]:
    """Test error of each method at one Lambda on one fold, for each draw of noise."""
    train, test = _split(tables, table, fold)
    for method in methods:
        model = _model(
            loss, fit_intercept=False, alpha=alpha, seed=("cms", table, loss, alpha, fold, epsilon, method), **{"epsilon": epsilon, **METHODS[method]}
        )
        yield from _records(method, _errors(model, train, test, draws))


def default_records(tables: Tables, *, table: str, loss: str, fold: int, draws: int, epsilon: float) -> Iterator[Record]:
    """Test error of the defaults, which choose nothing in view of the records; `loss` "svm" or "logistic"."""
    train, test = _split(tables, table, fold)
    for method, given in DEFAULTS.items():
        seed = ("cms", "default", table, loss, fold, epsilon, method)
        model = _model(loss, alpha=None, fit_intercept=True, seed=seed, epsilon=epsilon, **given)
        yield from _records(method, _errors(model, train, test, draws))


def learning_records(tables: Tables, *, loss: str, epsilon: float, records: int, alphas: list[float], repeat: int, draws: int) -> Iterator[Record]:
    """Figures 4 and 5 on KDD Cup 99: each setting on `records` records of its own, the choice on 25,000 more, all records for the default."""
    source = tables.load("kdd-all")
    order = np.random.default_rng(seed_of("cms", "learning", repeat)).permutation(len(source.targets))
    test, used = order[:TESTED], order[TESTED : 2 * TESTED + len(alphas) * records]
    train, held = _rows(source, used), _rows(source, test)
    chosen = list(range(draws))
    for method, given in LEARNING.items():
        errors = []
        for draw in chosen:
            inner = _model(loss, fit_intercept=False, alpha=alphas[0], seed=None, epsilon=1.0, **given)
            search = PrivateSearchCV(
                inner,
                {"alpha": alphas},
                epsilon=epsilon,
                delta=0.0,
                method="algorithm-4",
                random_state=_seed("cms", method, loss, epsilon, records, repeat, draw),
            )
            try:
                errors.append(float(np.mean(search.fit(*train).predict(held[0]) != held[1])))
            except InfeasibleTarget:
                break
        yield from _records(method, errors)
    plain = [_model(loss, fit_intercept=False, alpha=alpha, seed=None, epsilon=math.inf) for alpha in alphas]
    yield from _records("non-private, best Lambda", [min(error for model in plain for error in _errors(model, train, held, 1))])
    for method, chosen_by_default in DEFAULTS.items():
        model = _model(
            "svm" if loss == "huber-hinge" else loss,
            alpha=None,
            fit_intercept=True,
            seed=("cms", "all", loss, records, repeat),
            epsilon=epsilon,
            **chosen_by_default,
        )
        yield from _records(method, _errors(model, train, held, draws))


Part = tuple[Any, npt.NDArray[np.int64]]


def _model(loss: str, *, seed: tuple[str | float, ...] | None, **given: Any) -> LinearSVC | LogisticRegression:  # noqa: ANN401 - parameters
    given = {"delta": 0.0} | given | {"classes": [-1, 1], "random_state": None if seed is None else _seed(*seed)}
    if given["epsilon"] == math.inf:
        given["random_state"] = None
    return LogisticRegression(**given) if loss == "logistic" else LinearSVC(**given) if loss == "svm" else LinearSVC(loss=loss, **given)


def _seed(*words: str | float) -> int:
    return seed_of(*words) >> 12


def _errors(model: LinearSVC | LogisticRegression, train: Part, test: Part, draws: int) -> list[float]:
    """Test errors, one a draw; none where no noise reaches the target."""
    if model.neighbours == "add-remove" and model.alpha is not None:
        model.set_params(public_records=len(train[1]))
    try:
        fits = model.fit_many(*train, count=1 if model.epsilon == math.inf else draws)
    except InfeasibleTarget:
        return []
    predicted = np.where(test[0] @ fits.coef.T + fits.intercept > 0, 1, -1)
    return [float(error) for error in np.mean(predicted != test[1][:, np.newaxis], axis=0)]


def _records(method: str, errors: list[float]) -> Iterator[Record]:
    """One a draw; one without a value for a method that cannot be had."""
    for draw, error in enumerate(errors or [None]):
        yield {"method": method, "draw": draw, "measure": "test error", "value": error}


@lru_cache(maxsize=2)
def _order(count: int) -> list[npt.NDArray[np.int64]]:
    return np.array_split(np.random.default_rng(5).permutation(count), FOLDS)


def _split(tables: Tables, name: str, fold: int) -> tuple[Part, Part]:
    source = tables.load(name)
    test = _order(len(source.targets))[fold]
    return _rows(source, np.setdiff1d(np.arange(len(source.targets)), test)), _rows(source, test)


def _rows(source: Table, chosen: npt.NDArray[np.int64]) -> Part:
    rows: Floats | Any = source.rows[chosen]
    return rows, source.targets[chosen].astype(np.int64)
