"""The illustrative example (figures 3 and 4), the null-space numbers, and what an adversary makes of them.

Fifty points from N(0, I) with y = +1 and fifty from N((0, 5), I) with y = -1. The bound of figure 4 is m (p - 1) (1 - max omega_i^2 / |omega|^2): the
trace of the smallest block of the noise's covariance, not a bound on what an adversary learns. `recovered` says what the release gives away exactly.
"""

from collections.abc import Iterator

import numpy as np

from discreet import SeededNoise
from discreet.core.arrays import Floats
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.mechanisms.release import FisherNoise, NullSpaceNoise
from discreet.queries import Rows, Target, WeightedRows
from discreet.solvers import solve_soft_margin
from studies.base import Record, seed_of
from studies.farokhi.machine import trained
from studies.farokhi.noisy import noisy, scaled
from studies.tables import Tables

VARIANCE = 100.0
"""m of figure 4."""


def example(seed: int) -> tuple[Floats, Floats]:
    """Rows (100, 2) and signs."""
    rng = np.random.default_rng(seed_of("farokhi", "example", seed))
    signs = np.repeat([1.0, -1.0], 50)
    rows = rng.standard_normal((100, 2))
    rows[50:, 1] += 5.0
    return rows, signs


def figure_3_records(*, level: float | None, repeats: int) -> Iterator[Record]:
    """Points and line of the first draw; success over repeats; the Cramer-Rao number; how well a guess does that knows the classes' means."""
    rows, signs = example(0)
    if level is None:
        yield from _drawn(rows, signs, trained(rows, signs).weights, trained(rows, signs).intercept)
        return
    for repeat in range(repeats):
        released = noisy(rows, noise="Gaussian", level=level, seed=seed_of("farokhi", "figure 3", level, repeat))
        machine = trained(released, signs)
        if repeat == 0:
            yield from _drawn(released, signs, machine.weights, machine.intercept)
        yield {"repeat": repeat, "measure": "success", "value": machine.right(rows, signs)}
    query = WeightedRows.of(Domain(features=2, entry_bound=16.0, target_bound=1.0))
    information = FisherNoise.of_level(query, level=level, epsilon=1.0).cramer_rao(query).information
    yield {"measure": "Cramer-Rao number", "value": float(np.trace(np.linalg.inv(np.array(information))))}
    yield {"measure": "error of the class mean", "value": 2.0}


def figure_4_records(*, seed: int) -> Iterator[Record]:
    """The bound, how far the retrained machine is, and how exactly scores come back."""
    rows, signs = example(seed)
    yield from _null_space(rows, signs, seed, points=seed == 0)


def breast_cancer_records(tables: Tables, *, scaling: str) -> Iterator[Record]:
    """The bound over m, min_i E |w_i|^2 / m."""
    given = tables.load("breast-cancer")
    x = scaled(given.dense, scaling)
    yield {"measure": "bound over m", "value": (x.shape[1] - 1) * (1.0 - _largest_share(x, given.targets))}


def attack_records(tables: Tables, *, level: float, repeats: int) -> Iterator[Record]:
    """Squared errors, summed over the 30 columns of breast cancer (z-scored): the Cramer-Rao number and two biased guesses."""
    given = tables.load("breast-cancer")
    x, variance = scaled(given.dense, "z"), level**-0.5
    yield {"method": "Cramer-Rao number", "measure": "error", "value": x.shape[1] * variance}
    means = {sign: x[given.targets == sign].mean(axis=0) for sign in (1.0, -1.0)}
    guess = np.stack([means[float(sign)] for sign in given.targets])
    yield {"method": "class mean, release ignored", "measure": "error", "value": float(np.mean(np.sum((x - guess) ** 2, axis=1)))}
    for repeat in range(repeats):
        released = noisy(x, noise="Gaussian", level=level, seed=seed_of("farokhi", "attack", level, repeat))
        covariance = np.cov((x - guess).T)
        shrunk = guess + (released - guess) @ np.linalg.solve(covariance + variance * np.eye(len(covariance)), covariance)
        yield {"method": "linear Bayes", "repeat": repeat, "measure": "error", "value": float(np.mean(np.sum((x - shrunk) ** 2, axis=1)))}


def _null_space(rows: Floats, signs: Floats, seed: int, *, points: bool) -> Iterator[Record]:
    solved = solve_soft_margin(rows, signs)
    share = float(np.max(solved.multipliers**2) / np.sum(solved.multipliers**2))
    yield {"measure": "bound", "value": VARIANCE * (rows.shape[1] - 1) * (1.0 - share)}
    query = Rows(domain=Domain(features=rows.shape[1], entry_bound=64.0, target_bound=1.0), target=Target.CLEAR)
    data = Records(rows=as_matrix(rows), targets=signs, domain=query.domain)
    released = NullSpaceNoise(variance=VARIANCE).run(query, data, SeededNoise(seed_of("farokhi", "null", seed) >> 12)).value[:, :-1]
    again = solve_soft_margin(np.ascontiguousarray(released), signs)
    yield {"measure": "machine moved", "value": float(np.linalg.norm(again.weights - solved.weights)) + abs(again.intercept - solved.intercept)}
    scores = rows @ solved.weights
    yield {"measure": "largest error of a recovered score", "value": float(np.max(np.abs(released @ again.weights - scores)))}
    yield {"measure": "spread of scores", "value": float(np.std(scores))}
    if points:
        yield from _drawn(rows, signs, solved.weights, solved.intercept, "original")
        yield from _drawn(released, signs, again.weights, again.intercept, "released")


def _largest_share(x: Floats, signs: Floats) -> float:
    """max omega_i^2 / |omega|^2."""
    squares = solve_soft_margin(x, signs).multipliers ** 2
    return float(np.max(squares) / np.sum(squares))


def _drawn(rows: Floats, signs: Floats, weights: Floats, intercept: float, which: str = "points") -> Iterator[Record]:
    for index, (row, sign) in enumerate(zip(rows.tolist(), signs.tolist(), strict=True)):
        for name, value in zip(("first", "second"), row, strict=True):
            yield {"method": which, "index": index, "sign": sign, "measure": name, "value": value}
    for name, value in (("weight 1", weights[0]), ("weight 2", weights[1]), ("intercept", intercept)):
        yield {"method": which, "measure": name, "value": float(value)}
