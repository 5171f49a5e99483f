"""How often the intervals of private errors and of a private R^2 cover, and how wide they are.

    python benchmarks/number_coverage.py                     400 runs a population and cell, half an hour on one core
    python benchmarks/number_coverage.py --runs 50           a quick look

Records are drawn anew for every run: a target between -1 and 1, and a prediction of it, from populations with normal, skewed and two-point targets, a
model that is useless, one that is worse, and one that is far off for one record in a hundred. Every run is a whole private release of mse, mae and r2
(replace-one and add-remove, delta 0 and 1e-6 in turns; the errors of a model come with the records, so that none has to be asked). What should be
covered is the population's, of errors that are cut as the release cuts them, from four million records. Printed: the least share over populations of
intervals at 95 % that cover, where that is for R^2, and the median widths. A table in Markdown, for docs/evaluation.md.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from covering import Cell, Floats, covered, tabulate

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.evaluation import NumberSurvey
from discreet.evaluation.intervals import Estimate
from discreet.evaluation.outcomes import Outcomes
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.private import calibrated, measure
from discreet.noise import SystemNoise

Drawn = Callable[[np.random.Generator, int], tuple[Floats, Floats]]
RECORDS = (1_000, 10_000, 100_000)
EPSILONS = (0.1, 1.0, 4.0)
TRUTH = 4_000_000
METRICS = ("mse", "mae", "r2")


def _a_line(draw: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    prediction = draw.normal(0.0, 0.3, count)
    return np.clip(prediction + draw.normal(0.0, 0.15, count), -1.0, 1.0), prediction


def _skewed(draw: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    wage = draw.gamma(2.0, 0.12, count)
    return np.clip(-1.0 + wage * draw.lognormal(0.0, 0.4, count), -1.0, 1.0), -1.0 + wage


def _useless(draw: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    return np.clip(draw.normal(0.2, 0.3, count), -1.0, 1.0), np.full(count, 0.2)


def _worse(draw: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    return draw.uniform(-0.5, 0.5, count), draw.uniform(-0.5, 0.5, count)


def _two_points(draw: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    target = np.where(draw.random(count) < 0.2, 1.0, -1.0)
    return target, 0.6 * target + draw.normal(-0.2, 0.2, count)


def _far_off(draw: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    target = draw.uniform(-0.9, 0.9, count)
    return target, np.where(draw.random(count) < 0.01, -np.sign(target), target + draw.normal(0.0, 0.04, count))


POPULATIONS: dict[str, Drawn] = {
    "a line": _a_line,
    "skewed": _skewed,
    "useless": _useless,
    "worse": _worse,
    "two points": _two_points,
    "few far off": _far_off,
}


@cache
def truth_of(name: str) -> tuple[float, float, float]:
    """The population's mse, mae and R^2, of errors cut at 1."""
    target, prediction = POPULATIONS[name](np.random.default_rng(12345), TRUTH)
    off = np.minimum(np.abs(target - prediction), 1.0)
    return float(np.mean(off**2)), float(np.mean(off)), 1.0 - float(np.mean(off**2) / np.var(target))


def plan(epsilon: float, delta: float, neighbours: Neighbours) -> Prepared[NumberSurvey]:
    """A release of everything."""
    survey = NumberSurvey(metrics=METRICS, neighbours=neighbours, lower=-1.0, upper=1.0)
    return calibrated(survey, (), epsilon=epsilon, delta=delta, level=0.95)


def cell(name: str, records: int, epsilon: float, runs: int) -> Cell:
    """Of mse, mae and R^2."""
    plans = [plan(epsilon, delta, relation) for relation in (REPLACE_ONE, ADD_REMOVE) for delta in (0.0, 1e-6)]

    def measured(draw: np.random.Generator, run: int) -> tuple[Estimate | None, ...]:
        target, prediction = POPULATIONS[name](draw, records)
        outcomes = Outcomes(classes=(), actual=target, predicted=prediction, probabilities=None, decision=None)
        report = measure(plans[run % len(plans)], outcomes, SystemNoise())
        return report.mean_square, report.mean_absolute, report.r_squared

    return covered(truth_of(name), measured, runs)


if __name__ == "__main__":
    tabulate(__doc__, POPULATIONS, cell, records=RECORDS, epsilons=EPSILONS, measures=("mse", "mae", "R^2"), worst=2)
