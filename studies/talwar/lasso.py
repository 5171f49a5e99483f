"""The LASSO: as published and ours on a sparse problem, and the instance behind the lower bound.

Sparse problem: entries +1 and -1 with equal chances, y = <x, theta> + 0.1 noise clipped to [-1, 1], five coordinates of theta not zero; squared
loss over the unit l1 ball. Published: Algorithm 4 (Laplace noise, shares 2 / (t + 2)) with the T of theorem 5.5.

Lower bound (theorem 5.8): w + 1 people, one left out, hold a padded Tardos code. A small risk needs the signs of the columns on which all agree,
and those name somebody who is in the table. Measured: the normalised risk, the share of consensus columns whose sign the private weights have.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np

from discreet import Lasso
from discreet.accounting import gumbel_scale
from discreet.core.arrays import Floats
from studies.base import Record, seed_of
from studies.talwar.fingerprinting import FingerprintingLasso, fingerprinting_lasso

DELTA = 1e-6
SLOPE = CURVATURE = 4.0
METHODS = ("published", "ours, replace-one", "ours, add-remove")


def lasso_records(*, records: int, features: int, epsilon: float, repeat: int) -> Iterator[Record]:
    """Excess mean squared error on the records, of each method; and the steps of each."""
    problem = _sparse_problem(records, features)
    draw = np.random.default_rng(seed_of("talwar", "laplace", records, features, epsilon, repeat))
    theta, steps = problem.published(epsilon, draw)
    yield {"method": "published", "measure": "excess", "value": problem.excess(theta)}
    yield {"method": "published", "measure": "steps", "value": float(steps)}
    for relation in ("replace-one", "add-remove"):
        model = _lasso(epsilon, relation, records, seed_of("talwar", relation, records, features, epsilon, repeat) >> 12)
        risk = problem.excess(model.fit(problem.rows, problem.targets).coef_)
        yield {"method": f"ours, {relation}", "measure": "excess", "value": risk}
        yield {"method": f"ours, {relation}", "measure": "steps", "value": float(str(model.certificate_.parameters["steps"]))}


def noise_records(*, records: int, epsilon: float, steps: int) -> Iterator[Record]:
    """Scale of the noise on one score: printed (Laplace), and what the same number of choices needs (Gumbel)."""
    printed = SLOPE * math.sqrt(8.0 * steps * math.log(1.0 / DELTA)) / (records * epsilon)
    yield {"method": "printed, Laplace", "measure": "scale", "value": printed}
    yield {"method": "exact, Gumbel", "measure": "scale", "value": gumbel_scale(epsilon, DELTA, sensitivity=SLOPE / records, count=steps)}


def lower_bound_records(*, users: int, columns: int, tardos: int, epsilon: float | None, repeat: int) -> Iterator[Record]:
    """Normalised risk of the private LASSO on the instance, and the share of consensus signs that its weights give away; epsilon None: theta*."""
    instance = _instance(users, columns, tardos)
    rows, targets = instance.records(0)
    count = len(targets)
    consensus = int(np.count_nonzero(instance.consensus(0)))
    if epsilon is None:
        weights = instance.reference(0)
        yield {"measure": "risk of zero weights", "value": instance.squares(np.zeros(columns), 0) / count}
    else:
        model = _lasso(epsilon, "add-remove", count, seed_of("talwar", "tardos", users, columns, epsilon, repeat) >> 12)
        weights = np.asarray(model.fit(rows.astype(np.float64), targets).coef_)
    squares = instance.squares(weights, 0)
    yield {"measure": "risk", "value": squares / count}
    yield {"measure": "consensus signs known", "value": instance.agreement(weights, 0) / consensus}
    yield {"measure": "at least known", "value": max(0.0, instance.least_agreement(squares, 0)) / consensus}


def _lasso(epsilon: float, relation: str, records: int, seed: int) -> Lasso:
    return Lasso(
        epsilon=epsilon,
        delta=DELTA,
        neighbours=relation,
        radius=1.0,
        data_bound=1.0,
        target_bound=1.0,
        fit_intercept=False,
        public_records=records,
        random_state=seed,
    )


@lru_cache(maxsize=2)
def _instance(users: int, columns: int, tardos: int) -> FingerprintingLasso:
    return fingerprinting_lasso(
        users=users, columns=columns, tardos_columns=tardos, generator=np.random.default_rng(seed_of("talwar", "code", users, columns))
    )


class SparseProblem:
    """The table and its risk, from the Gram matrix."""

    def __init__(self, records: int, features: int, draw: np.random.Generator) -> None:
        """Draw the table."""
        theta = np.zeros(features)
        theta[:5] = (0.4, -0.25, 0.15, -0.1, 0.1)
        self.rows = draw.choice([-1.0, 1.0], size=(records, features))
        self.targets = np.clip(self.rows @ theta + 0.1 * draw.normal(size=records), -1.0, 1.0)
        self.gram = self.rows.T @ self.rows / records
        self.moments = self.rows.T @ self.targets / records
        self.square = float(self.targets @ self.targets) / records
        self.least = 0.0
        self.least = self.excess(self.walk(4000, lambda scores: int(np.argmin(scores))))

    def excess(self, theta: Floats) -> float:
        """Mean squared error above the minimum."""
        return self.square - 2.0 * float(self.moments @ theta) + float(theta @ self.gram @ theta) - self.least

    def published(self, epsilon: float, draw: np.random.Generator) -> tuple[Floats, int]:
        """Algorithm 4 as printed, and its T."""
        records = len(self.rows)
        steps = int(CURVATURE ** (2 / 3) * (records * epsilon) ** (2 / 3) / SLOPE ** (2 / 3))
        scale = SLOPE * math.sqrt(8.0 * steps * math.log(1.0 / DELTA)) / (records * epsilon)
        return self.walk(steps, lambda scores: int(np.argmin(scores + draw.laplace(0.0, scale, len(scores))))), steps

    def walk(self, steps: int, choose: Callable[[Floats], int], *, offset: float = 2.0) -> Floats:
        """Frank-Wolfe with shares 2 / (t + 2), or 1 / t for offset 0; `choose` picks one of 2 d scores."""
        features = len(self.moments)
        theta = np.zeros(features)
        for step in range(1, steps):
            gradient = 2.0 * (self.gram @ theta - self.moments)
            index = choose(np.concatenate([gradient, -gradient]))
            share = 2.0 / (step + 2.0) if offset else 1.0 / step
            theta *= 1.0 - share
            theta[index % features] += share if index < features else -share
        return theta


@lru_cache(maxsize=2)
def _sparse_problem(records: int, features: int) -> SparseProblem:
    return SparseProblem(records, features, np.random.default_rng(seed_of("talwar", "sparse", records, features)))
