"""How often intervals cover, of every model that has them, at its standard settings.

    python benchmarks/model_intervals.py                          400 fits a cell on tables of 3,000, both relations, (1, 1e-6): hours on one core
    python benchmarks/model_intervals.py poisson huber --fits 100 --jobs 2
    python benchmarks/model_intervals.py times "ordered classes" --records 20000
    python benchmarks/model_intervals.py --people tenth --records 10000 --fits 200

Records are drawn anew for every fit: three features, uniform in [-1/2, 1/2], of which one says nothing ("half"), or in [0, 1] around .4 with a
deviation of .1, as ages, weights and pressures are in their natural bounds ("tenth"). What should be covered, the minimiser of the
expected risk with the penalty of the fit, is computed without noise on a hundred times as many records. A row of the table is a model and a relation;
intervals are those of one budget with the fit (`fit_with_intervals`), at .95. Printed: the share that covers, over all coefficients; that of the
coefficient that is covered least; and the median half width. A share of 400 fits is known to .011, over three coefficients to about .006.
"""

import argparse
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from discreet import (
    ExpectileRegression,
    GammaRegression,
    HuberRegression,
    LinearRegression,
    LinearSVC,
    LogisticRegression,
    OrdinalRegression,
    PoissonRegression,
    QuantileRegression,
    SurvivalModel,
)
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Records
from discreet.estimators import IntervalFit, fit_with_intervals
from discreet.matrices import as_matrix
from discreet.mechanisms.regression.prediction import NonPrivatePrediction
from discreet.noise import SeededNoise
from discreet.problems import MadeRisk, PredictionRisk, SeveralTargets

Floats = npt.NDArray[np.float64]
Hits = npt.NDArray[np.bool_]
MANY, MOST = 100, 600_000
"""Times the records of a fit, but no more than the second, from which what is to be covered is computed: its own error is a tenth of theirs."""
RELATIONS = ("replace-one", "add-remove")


@dataclass(frozen=True)
class People:
    """Rows of three features, and what decides over them."""

    rows: Callable[[int, np.random.Generator], Floats]
    slopes: Floats
    middle: float
    """Of every feature."""
    norm: float
    """Of rows at most."""

    def decisions(self, rows: Floats) -> Floats:
        """(n,), of mean 0."""
        return (rows - self.middle) @ self.slopes


def _spread(count: int, draw: np.random.Generator) -> Floats:
    return draw.uniform(-0.5, 0.5, (count, 3))


def _narrow(count: int, draw: np.random.Generator) -> Floats:
    return np.clip(draw.normal(0.4, 0.1, (count, 3)), 0.0, 1.0)


PEOPLE = {
    "half": People(_spread, np.array([1.0, 0.0, -0.5]), 0.0, 1.0),
    "tenth": People(_narrow, np.array([1.0, 1.5, 0.6]), 0.4, 3**0.5),
}


@dataclass(frozen=True)
class Case:
    """A model and what it learns from: targets of decisions, from a source."""

    make: Callable[..., Any]
    targets: Callable[[Floats, np.random.Generator], npt.NDArray[Any]]


def _numbers(decisions: Floats, draw: np.random.Generator) -> Floats:
    return np.clip(0.8 * decisions + 0.15 * draw.standard_normal(len(decisions)), -1.0, 1.0)


def _skewed(decisions: Floats, draw: np.random.Generator) -> Floats:
    return np.clip(0.8 * decisions + 0.1 * (draw.exponential(1.0, len(decisions)) - 1.0), -1.0, 1.0)


def _counts(decisions: Floats, draw: np.random.Generator) -> Floats:
    return draw.poisson(2.0 * np.exp(2.0 * decisions)).astype(np.float64)


def _amounts(decisions: Floats, draw: np.random.Generator) -> Floats:
    return draw.gamma(2.0, np.exp(2.0 * decisions))


def _several(decisions: Floats, draw: np.random.Generator) -> Floats:
    """The second in a unit of its own, and the other way."""
    return np.column_stack((_numbers(decisions, draw), 10.0 * _skewed(-decisions, draw)))


def _two(decisions: Floats, draw: np.random.Generator) -> npt.NDArray[Any]:
    return (draw.random(len(decisions)) < expit(6.0 * decisions)).astype(int)


def _times(decisions: Floats, draw: np.random.Generator) -> Floats:
    """In the middle of the first of three periods that the event happens in, each with the same hazard; beyond them where it is in none."""
    happens = draw.random((len(decisions), 3)) < expit(3.0 * decisions - 1.0)[:, np.newaxis]
    return np.where(happens.any(axis=1), happens.argmax(axis=1) + 0.5, 9.0)


def _three(decisions: Floats, draw: np.random.Generator) -> npt.NDArray[Any]:
    return np.digitize(6.0 * decisions + draw.logistic(size=len(decisions)), [-1.0, 1.0])


CASES = {
    "linear": Case(partial(LinearRegression, target_bound=1.0), _numbers),
    "linear, skewed": Case(partial(LinearRegression, target_bound=1.0), _skewed),
    "linear, clipped squares": Case(partial(LinearRegression, target_bound=1.0, mechanism="objective-huber"), _numbers),
    "several targets": Case(partial(LinearRegression, target_bound=(1.0, 10.0)), _several),
    "huber": Case(partial(HuberRegression, target_bound=1.0), _skewed),
    "median": Case(partial(QuantileRegression, target_bound=1.0), _skewed),
    "quantile .9": Case(partial(QuantileRegression, target_bound=1.0, quantile=0.9), _skewed),
    "expectile .8": Case(partial(ExpectileRegression, target_bound=1.0, level=0.8), _skewed),
    "poisson": Case(partial(PoissonRegression, target_bound=10.0), _counts),
    "gamma": Case(partial(GammaRegression, target_bound=10.0), _amounts),
    "two classes": Case(partial(LogisticRegression, classes=[0, 1]), _two),
    "two classes, output": Case(partial(LogisticRegression, classes=[0, 1], mechanism="output"), _two),
    "hinge": Case(partial(LinearSVC, classes=[0, 1]), _two),
    "hinge, output": Case(partial(LinearSVC, classes=[0, 1], mechanism="output"), _two),
    "multinomial": Case(partial(LogisticRegression, classes=[0, 1, 2]), _three),
    "one against the rest": Case(partial(LinearSVC, classes=[0, 1, 2]), _three),
    "times": Case(partial(SurvivalModel, ends=[1.0, 2.0, 3.0]), _times),
    "ordered classes": Case(partial(OrdinalRegression, classes=[0, 1, 2]), _three),
}


def records(case: Case, count: int, draw: np.random.Generator, people: str = "half") -> tuple[Floats, npt.NDArray[Any]]:
    """Rows and targets."""
    rows = PEOPLE[people].rows(count, draw)
    return rows, case.targets(PEOPLE[people].decisions(rows), draw)


def one_fit(name: str, neighbours: str, count: int, people: str, seed: int) -> tuple[Floats, Floats, Any]:
    """Ends of the intervals of all coefficients, and the model."""
    case = CASES[name]
    estimator = case.make(epsilon=1.0, delta=1e-6, neighbours=neighbours, random_state=seed, data_norm=PEOPLE[people].norm)
    found = fit_with_intervals(estimator, *records(case, count, np.random.default_rng(seed), people))
    ends = found.uncertainty.coef_interval()
    return ends.low.ravel(), ends.high.ravel(), found


def to_cover(name: str, found: IntervalFit, count: int, people: str) -> Floats:
    """The coefficients that minimise the expected risk with the penalty of this fit, over many records without noise."""
    case, problem, more = CASES[name], found.uncertainty.problem, min(MANY, MOST // count)
    rows, targets = records(case, more * count, np.random.default_rng(10**6), people)
    fit = found.model.certificate_.parameters["fit"]["parameters"]
    if isinstance(problem, SeveralTargets):
        each = zip(problem.units, targets.T, strict=True)
        return np.concatenate([unit * _minimiser(problem.each, rows, column / unit, fit["ridge"] * more) for unit, column in each])
    if isinstance(problem, PredictionRisk):
        low, high = found.model.target_range
        return _minimiser(problem, rows, 2.0 * (np.clip(targets, low, high) - low) / (high - low) - 1.0, fit["ridge"] * more)
    problem = problem.of_rows if isinstance(problem, MadeRisk) else problem
    alpha = (problem.ridge + fit.get("extra_ridge", 0.0)) / count
    loss = {"loss": problem.loss} if hasattr(problem, "loss") and hasattr(found.model, "loss") else {}
    return case.make(epsilon=np.inf, alpha=alpha, data_norm=PEOPLE[people].norm, **loss).fit(rows, targets).coef_.ravel()


def _minimiser(problem: PredictionRisk, rows: Floats, numbers: Floats, ridge: float) -> Floats:
    """The coefficients, without noise."""
    domain = replace(problem.domain, records=None)
    held = Records(rows=as_matrix(rows), targets=numbers, domain=domain)
    exact = NonPrivatePrediction(ridge=ridge, neighbours=ADD_REMOVE)
    return exact.run(replace(problem, domain=domain), held, SeededNoise(0)).value[: rows.shape[1]]


def coverage(name: str, neighbours: str, *, count: int, fits: int, jobs: int, people: str = "half") -> tuple[Hits, Floats]:
    """Whether the interval of each coefficient covers, (fits, coefficients), and the median half widths."""
    first = one_fit(name, neighbours, count, people, 0)[2]
    exact = to_cover(name, first, count, people)
    with ProcessPoolExecutor(jobs) as pool:
        ends = list(pool.map(partial(_ends, name, neighbours, count, people), range(fits), chunksize=5))
    low, high = (np.array(side) for side in zip(*ends, strict=True))
    return (low <= exact) & (exact <= high), np.median(0.5 * (high - low), axis=0)


def _ends(name: str, neighbours: str, count: int, people: str, seed: int) -> tuple[Floats, Floats]:
    return one_fit(name, neighbours, count, people, seed)[:2]


def main() -> None:
    """See module docstring."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("models", nargs="*", help=f"some of: {', '.join(CASES)}")
    reader.add_argument("--fits", type=int, default=400)
    reader.add_argument("--records", type=int, default=3000)
    reader.add_argument("--jobs", type=int, default=1)
    reader.add_argument("--people", choices=PEOPLE, default="half")
    given = reader.parse_args()
    print(f"{'model':22} {'relation':12} {'covered':>8} {'least':>8} {'half width':>11}")
    for name in given.models or CASES:
        for neighbours in RELATIONS:
            hits, widths = coverage(name, neighbours, count=given.records, fits=given.fits, jobs=given.jobs, people=given.people)
            shares = hits.mean(axis=0)
            print(f"{name:22} {neighbours:12} {shares.mean():8.3f} {shares.min():8.3f} {np.median(widths):11.3f}", flush=True)


if __name__ == "__main__":
    main()
