"""Every method of the league as a new user would write it, and what it says on one split of a table.

Rows are scaled to norm 1 each, which needs no other record; delta = 1 / n^2; nothing is chosen in view of a test error. A method that cannot be had
at some epsilon (no noise is enough, or the table is too wide for it) has no value there; one that fails otherwise is named on the page.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from discreet import ConstrainedERM, KernelClassifier, LassoClassifier, LinearSVC, LogisticRegression
from discreet.core.errors import DiscreetError, InfeasibleTarget
from discreet.sets import L2Ball
from studies.base import Record, seed_of
from studies.league.peers import Peer
from studies.tables import Tables

Make = Callable[[dict[str, Any]], Any]
WIDE = 5000
"""Features beyond which methods that are not made for it are left out."""
_SPLITS = 5


def _plain(given: dict[str, Any]) -> dict[str, Any]:
    return given | {"delta": 0.0}


METHODS: dict[str, Make] = {
    "LinearSVC, default": lambda given: LinearSVC(**given),
    "LinearSVC, pure": lambda given: LinearSVC(**_plain(given)),
    "LogisticRegression, default": lambda given: LogisticRegression(**given),
    "logistic, objective": lambda given: LogisticRegression(mechanism="objective", **given),
    "logistic, output": lambda given: LogisticRegression(mechanism="output", **given),
    "logistic, output, pure": lambda given: LogisticRegression(mechanism="output", **_plain(given)),
    "KernelClassifier, 200 features": lambda given: KernelClassifier(n_features=200, **given),
    "l1 ball, Frank-Wolfe": lambda given: LassoClassifier(radius=10.0, data_bound=1.0, data_norm=1.0, **given),
    "l2 ball, best of three": lambda given: ConstrainedERM(loss="logistic", **given),
}
"""Made from epsilon, delta, neighbours, classes and random_state."""
NARROW = tuple(name for name in METHODS if not name.startswith(("l1", "LinearSVC, default")))


def league_records(tables: Tables, *, table: str, method: str, epsilon: float, neighbours: str, split: int, draws: int) -> Iterator[Record]:
    """Mean test error over draws of noise."""
    train, signs, test, expected = _split(tables, table, split)
    if method in NARROW and train.shape[1] > WIDE:
        return
    found = []
    for draw in range(1 if epsilon == math.inf else draws):
        seed = seed_of("league", table, method, neighbours, split, draw, str(epsilon)) >> 12
        given = {"epsilon": epsilon, "delta": 1.0 / len(signs) ** 2, "neighbours": neighbours, "classes": [-1, 1], "random_state": seed}
        try:
            model = _made(method, given, train.shape[1])
            found.append(float(np.mean(model.fit(train, signs).predict(test) != expected)))
        except InfeasibleTarget:
            break
        except DiscreetError as error:
            yield {"measure": "failed", "words": str(error), "value": None}
            break
    yield {"measure": "test error", "value": float(np.mean(found)) if found else None}


def trivial_records(tables: Tables, *, table: str, split: int) -> Iterator[Record]:
    """The error of always saying the commoner class."""
    _, signs, _, expected = _split(tables, table, split)
    yield {"measure": "test error", "value": float(np.mean(expected != (1 if np.mean(signs) > 0 else -1)))}


def peer_records(tables: Tables, peer: Peer, *, table: str, epsilon: float, split: int, draws: int) -> Iterator[Record]:
    """diffprivlib's logistic regression in an environment of its own: pure, as it offers nothing else."""
    train, signs, test, expected = _split(tables, table, split)
    if train.shape[1] > WIDE:
        return
    dense = [np.asarray(part @ np.eye(part.shape[1])) for part in (train, test)]  # also of sparse rows
    try:
        yield {"measure": "test error", "value": peer.error(dense[0], signs, dense[1], expected, epsilon=epsilon, draws=draws)}
    except DiscreetError as error:
        yield {"measure": "failed", "words": str(error), "value": None}


def _made(method: str, given: dict[str, Any], features: int) -> Any:  # noqa: ANN401 - any classifier
    model = METHODS[method](given)
    if isinstance(model, ConstrainedERM):
        model.set_params(constraint=L2Ball(dimension=features, radius=10.0))
    if given["epsilon"] == math.inf:
        model.set_params(random_state=None)
    return model


@lru_cache(maxsize=2)
def _split(tables: Tables, name: str, split: int) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    source = tables.load(name)
    rows: Any = source.rows
    if sparse.issparse(rows):
        norms = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
        rows = sparse.csr_array(sparse.diags_array(1.0 / np.where(norms > 0, norms, 1.0)) @ rows)
    else:
        if name == "breast-cancer":
            rows = rows / _BREAST_CANCER_UNITS
        norms = np.linalg.norm(rows, axis=1)
        rows = rows / np.where(norms > 0, norms, 1.0)[:, np.newaxis]
    signs = source.targets.astype(np.int64)
    parts = np.array_split(np.random.default_rng(seed_of("league", name)).permutation(len(signs)), _SPLITS)
    train = np.concatenate([part for place, part in enumerate(parts) if place != split])
    return rows[train], signs[train], rows[parts[split]], signs[parts[split]]


_MEAN = (30.0, 40.0, 200.0, 2500.0, 0.2, 0.4, 0.5, 0.25, 0.35, 0.1)
_ERROR = (3.0, 5.0, 22.0, 550.0, 0.03, 0.15, 0.4, 0.05, 0.08, 0.03)
_WORST = (40.0, 50.0, 260.0, 4300.0, 0.25, 1.1, 1.3, 0.3, 0.7, 0.25)
_BREAST_CANCER_UNITS = np.array(_MEAN + _ERROR + _WORST)
"""Scales of the thirty columns: about the largest values that the description of the table prints, taken for public knowledge here."""
