"""How often the intervals of private evaluations cover, and how wide they are.

    python benchmarks/evaluation_coverage.py                     400 runs a population and cell, a quarter of an hour on one core
    python benchmarks/evaluation_coverage.py --runs 50           a quick look

Records are drawn anew for every run: a class, and a score given the class, from populations with a common or a rare second class, without and with
heavy ties. The scores are those of a model of two classes. Every run is a whole private evaluation (replace-one, metrics roc, calibration, log loss),
and one of the accuracy alone under add-remove; runs with delta 0 and 1e-6 take turns. What should be covered is known exactly: the population's area
under the curve of its binned scores, its accuracy and log loss, the whole ROC curve at the edges, and the share of the second class in every bin.
Printed: the shares of intervals at 95 % that cover, and the median width of that of the area. A table in Markdown, for docs/evaluation.md.
"""

import argparse
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import expit, ndtri

from discreet.core.neighbours import ADD_REMOVE
from discreet.evaluation import PrivateEvaluation, prepare
from discreet.evaluation.outcomes import Outcomes
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.private import read_report
from discreet.mechanisms.base import Numbers
from discreet.noise import SystemNoise

Floats = npt.NDArray[np.float64]
RECORDS = (1_000, 10_000, 100_000)
EPSILONS = (0.1, 1.0, 4.0)
RARE = (0.05, 0.5)
BINS = 20
BOUND = 5.0


class Model:
    """Stands for a fitted classifier with probabilities; records come with their answers."""

    classes_ = np.array([0, 1])

    def predict(self, X: Floats) -> Floats:
        """Never asked."""
        raise NotImplementedError

    def predict_proba(self, X: Floats) -> Floats:
        """Never asked."""
        raise NotImplementedError


class Population(NamedTuple):
    """The law of scores (support,) in each class (2, support)."""

    name: str
    scores: Floats
    masses: Floats


def populations() -> Iterator[Population]:
    """Scores on 2,000 points, or on few."""
    places = (np.arange(2_000) + 0.5) / 2_000
    normal = ndtri(places)

    def bells(distance: float, spread: float) -> Floats:
        rows = np.array([np.exp(-0.5 * normal**2), np.exp(-0.5 * ((normal - distance) / spread) ** 2)]) * np.exp(0.5 * normal**2)
        return np.asarray(rows / rows.sum(axis=1, keepdims=True))

    yield Population("two bells", expit(1.5 * normal - 0.5), bells(1.0, 1.0))
    yield Population("far bells", expit(1.5 * normal - 0.5), bells(2.2, 1.0))
    yield Population("one wide bell", expit(1.5 * normal - 0.5), bells(0.8, 1.6))
    yield Population("five scores", np.array([0.02, 0.2, 0.47, 0.7, 0.98]), np.array([[0.5, 0.2, 0.15, 0.1, 0.05], [0.1, 0.15, 0.2, 0.25, 0.3]]))
    yield Population("two scores", np.array([0.2, 0.8]), np.array([[0.8, 0.2], [0.3, 0.7]]))
    yield Population("a few misjudged", np.array([0.01, 0.52, 0.98]), np.array([[0.0, 1.0, 0.0], [0.04, 0.0, 0.96]]))


class Truth(NamedTuple):
    """What intervals should hold."""

    area: float
    accuracy: float
    log_loss: float
    false_alarms: Floats
    hits: Floats
    shares: Floats
    """Of the second class in every bin; NaN where no record falls."""


def truth_of(population: Population, rare: float, edges: tuple[float, ...]) -> Truth:
    """For a share `rare` of the second class."""
    masses = population.masses * np.array([[1.0 - rare], [rare]])
    place = np.searchsorted(edges, population.scores, side="left")
    binned = np.array([np.bincount(place, row, BINS) for row in population.masses])
    both = np.array([np.bincount(place, row, BINS) for row in masses])
    losses = np.minimum(-np.log(np.array([1.0 - population.scores, population.scores])), BOUND)
    with np.errstate(invalid="ignore"):
        shares = both[1] / both.sum(axis=0)
    above = np.cumsum(binned[:, ::-1], axis=1)[:, :-1]
    area = float(binned[1] @ (np.cumsum(binned[0]) - 0.5 * binned[0]))
    right = float(masses[0, population.scores <= 0.5].sum() + masses[1, population.scores > 0.5].sum())
    return Truth(area, right, float(np.sum(masses * losses)), above[0], above[1], shares)


class Survey(NamedTuple):
    """A prepared evaluation, and the integers of a record of every class and score."""

    prepared: Prepared
    columns: list[npt.NDArray[np.int64]]


def surveyed(prepared: Prepared, population: Population) -> Survey:
    """Asks about one record of each kind."""
    count = len(population.scores)
    scores = np.tile(population.scores, 2)
    kinds = Outcomes(
        classes=(0, 1),
        actual=np.repeat((0, 1), count),
        predicted=(scores > 0.5).astype(np.int64),
        probabilities=np.column_stack((1.0 - scores, scores)),
        decision=None,
    )
    return Survey(prepared, prepared.survey.read(kinds))


def measured(survey: Survey, counts: npt.NDArray[np.int64]) -> PrivateEvaluation:
    """The released evaluation of so many records of each kind."""
    prepared = survey.prepared
    queries = prepared.survey.queries()
    answers = queries.answers([np.repeat(column, counts, axis=0) for column in survey.columns])
    release = prepared.mechanism.run(queries, Numbers(tuple(answers)), SystemNoise())
    return read_report(prepared, release, None if prepared.survey.neighbours is ADD_REMOVE else int(counts.sum()))


def held(report: PrivateEvaluation, secret: PrivateEvaluation, truth: Truth) -> dict[str, float]:
    """Which intervals cover; of bins the share that does."""
    if None in (report.roc, report.calibration, report.accuracy, report.log_loss, secret.accuracy):
        raise ValueError("everything was asked for.")
    bins = [
        (one.share, share) for one, share in zip(report.calibration.bins, truth.shares, strict=True) if one.share is not None and np.isfinite(share)
    ]
    alarms, hits = np.array(report.roc.false_alarm_band).T, np.array(report.roc.hit_band).T
    curve = all(np.all((low - 1e-12 <= row) & (row <= high + 1e-12)) for (low, high), row in ((alarms, truth.false_alarms), (hits, truth.hits)))
    return {
        "AUC": report.roc.area.low <= truth.area <= report.roc.area.high,
        "accuracy": report.accuracy.low <= truth.accuracy <= report.accuracy.high,
        "accuracy, n secret": secret.accuracy.low <= truth.accuracy <= secret.accuracy.high,
        "log loss": report.log_loss.low <= truth.log_loss + 0.5 / 1024 and truth.log_loss - 0.5 / 1024 <= report.log_loss.high,
        "ROC band": float(curve),
        "bins": float(np.mean([share.low <= true <= share.high for share, true in bins])) if bins else 1.0,
        "width": report.roc.area.high - report.roc.area.low,
    }


def cell(population: Population, rare: float, records: int, plans: list[tuple[Prepared, Prepared]], runs: int) -> dict[str, float]:
    """Shares of runs, and the median width; plans, each of two evaluations, take turns."""
    truth, rng = truth_of(population, rare, plans[0][0].survey.edges), np.random.default_rng(0)
    masses = (population.masses * np.array([[1.0 - rare], [rare]])).ravel()
    surveys = [tuple(surveyed(one, population) for one in pair) for pair in plans]
    found = []
    for run in range(runs):
        counts = rng.multinomial(records, masses / masses.sum())
        found.append(held(*(measured(survey, counts) for survey in surveys[run % len(surveys)]), truth))
    means = {name: float(np.mean([one[name] for one in found])) for name in found[0]}
    return means | {"width": float(np.median([one["width"] for one in found]))}


def prepared_pair(epsilon: float, delta: float) -> tuple[Prepared, Prepared]:
    """An evaluation of everything, and one of the accuracy alone where n is secret."""
    return (
        prepare(Model(), epsilon=epsilon, delta=delta, metrics=("roc", "calibration", "log_loss"), bins=BINS, log_loss_bound=BOUND),
        prepare(Model(), epsilon=epsilon, delta=delta, metrics=("accuracy",), neighbours="add-remove"),
    )


def main() -> None:
    """The worst population for each n, share and epsilon."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--records", type=int, nargs="*", default=RECORDS)
    given = parser.parse_args()
    started = time.perf_counter()
    print(
        f"Least share over {len(list(populations()))} populations, {given.runs} runs each, nominal 95 %; the area's median width over all of them.\n"
    )
    print("| records | rare class | epsilon | AUC | where | width | accuracy | accuracy, n secret | log loss | ROC band | bins |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for records in given.records:
        for rare in RARE:
            for epsilon in EPSILONS:
                plans = [prepared_pair(epsilon, delta) for delta in (0.0, 1e-6)]
                cells = {one.name: cell(one, rare, records, plans, given.runs) for one in populations()}
                where, worst = min(cells.items(), key=lambda one: one[1]["AUC"])
                width = float(np.median([found["width"] for found in cells.values()]))
                others = " | ".join(f"{min(found[name] for found in cells.values()):.3f}" for name in list(worst)[1:-1])
                print(f"| {records:,} | {rare:g} | {epsilon:g} | {worst['AUC']:.3f} | {where} | {width:.3f} | {others} |", flush=True)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
