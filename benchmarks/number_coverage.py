"""How often the intervals of private errors and of a private R^2 cover, and how wide they are.

    python benchmarks/number_coverage.py                     400 runs a population and cell, half an hour on one core
    python benchmarks/number_coverage.py --runs 50           a quick look

Records are drawn anew for every run: a target between -1 and 1, and a prediction of it, from populations with normal, skewed and two-point targets, a
model that is useless, one that is worse, and one that is far off for one record in a hundred. Every run is a whole private release of mse, mae and r2
(replace-one and add-remove, delta 0 and 1e-6 in turns; the errors of a model come with the records, so that none has to be asked). What should be
covered is the population's, of errors that are cut as the release cuts them, from four million records. Printed: the least share over populations of
intervals at 95 % that cover, where that is for R^2, and the median widths. A table in Markdown, for docs/evaluation.md.
"""

import argparse
import time
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.evaluation import NumberSurvey
from discreet.evaluation.outcomes import Outcomes
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.private import calibrated, measure
from discreet.noise import SystemNoise

Floats = npt.NDArray[np.float64]
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


def cell(name: str, records: int, plans: list[Prepared[NumberSurvey]], runs: int) -> tuple[Floats, Floats]:
    """Shares of intervals that cover, and their median widths, of mse, mae and R^2."""
    draw, truth = np.random.default_rng(7), truth_of(name)
    covered, widths = [], []
    for run in range(runs):
        target, prediction = POPULATIONS[name](draw, records)
        outcomes = Outcomes(classes=(), actual=target, predicted=prediction, probabilities=None, decision=None)
        report = measure(plans[run % len(plans)], outcomes, SystemNoise())
        found = [one for one in (report.mean_square, report.mean_absolute, report.r_squared) if one is not None]
        covered.append([one.low <= true <= one.high for one, true in zip(found, truth, strict=True)])
        widths.append([one.high - one.low for one in found])
    return np.mean(covered, axis=0), np.median(widths, axis=0)


def main() -> None:
    """The worst population for each n and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--records", type=int, nargs="*", default=RECORDS)
    parser.add_argument("--epsilons", type=float, nargs="*", default=EPSILONS)
    given = parser.parse_args()
    started = time.perf_counter()
    print(f"Least share over {len(POPULATIONS)} populations, {given.runs} runs each, nominal 95 %; widths of the first population.\n")
    print("| records | epsilon | mse | mae | R^2 | where | width of mse | of mae | of R^2 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for records in given.records:
        for epsilon in given.epsilons:
            plans = [plan(epsilon, delta, relation) for relation in (REPLACE_ONE, ADD_REMOVE) for delta in (0.0, 1e-6)]
            cells = {name: cell(name, records, plans, given.runs) for name in POPULATIONS}
            least = np.min([shares for shares, _ in cells.values()], axis=0)
            where = min(cells, key=lambda name: cells[name][0][2])
            wide = " | ".join(f"{width:.4f}" for width in cells["a line"][1])
            print(f"| {records:,} | {epsilon:g} | {least[0]:.3f} | {least[1]:.3f} | {least[2]:.3f} | {where} | {wide} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
