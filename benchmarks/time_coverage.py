"""How often the intervals of a private log loss and concordance of times, and of a private distance of ordered classes, cover, and how wide they are.

    python benchmarks/time_coverage.py                     400 runs a population and cell
    python benchmarks/time_coverage.py --runs 50           a quick look

Records are drawn anew for every run: what is known of a time in five periods, and predicted survival, from populations where the model is right,
where it is useless, where the event is rare, where most are not seen to the end, where it orders nearly all pairs right, and with two answers only;
and ordered classes with their answers. Every run is a whole private release (replace-one and add-remove, delta 0 and 1e-6 in turns; what a model says
comes with the records, so that none has to be asked). What should be covered is the population's, from two million records. Printed: the least
share over populations of intervals at 95 % that cover, where that is for the concordance, and the median widths for the first population. A table in
Markdown, for docs/evaluation.md.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from covering import Cell, covered, tabulate

from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.evaluation import Survey, TimeSurvey
from discreet.evaluation.concordance import concordance
from discreet.evaluation.intervals import Estimate, NoiseLaw
from discreet.evaluation.outcomes import Outcomes
from discreet.evaluation.private import calibrated, measure
from discreet.noise import SystemNoise
from discreet.noise.laws import DiscreteGaussian

Drawn = Callable[[np.random.Generator, int], Outcomes]
RECORDS = (1_000, 10_000)
EPSILONS = (0.1, 1.0, 4.0)
TRUTH = 2_000_000
PERIODS, CLASSES = 5, 4


def _times(slope: float, told: float, base: float, leaves: float, *, few: bool = False) -> Drawn:
    """Hazards that rise with a column, by `slope`; the model says `told` times that; `leaves` is the chance not to be seen in another period."""

    def drawn(draw: np.random.Generator, count: int) -> Outcomes:
        x = np.sign(draw.normal(size=count)) if few else draw.normal(size=count)
        hazard, said = (1.0 / (1.0 + np.exp(-(base + part * x))) for part in (slope, slope * told))
        codes, here = np.full(count, 2 * PERIODS), np.ones(count, dtype=bool)
        for period in range(PERIODS):
            happens = here & (draw.random(count) < hazard)
            codes[happens] = 2 * period + 1
            here &= ~happens
            gone = here & (draw.random(count) < leaves) & (period < PERIODS - 1)
            codes[gone] = 2 * (period + 1)
            here &= ~gone
        survival = np.cumprod(np.repeat(1.0 - said[:, np.newaxis], PERIODS, axis=1), axis=1)
        return Outcomes(classes=(), actual=codes, predicted=None, probabilities=None, decision=None, survival=survival)

    return drawn


def _classes(spread: float, *, rare: bool = False) -> Drawn:
    def drawn(draw: np.random.Generator, count: int) -> Outcomes:
        x = draw.normal(size=count)
        edges = [1.0, 1.8, 2.5] if rare else [-0.7, 0.0, 0.7]
        actual, predicted = (np.digitize(one, edges) for one in (x + spread * draw.normal(size=count), x))
        return Outcomes(classes=tuple(range(CLASSES)), actual=actual, predicted=predicted, probabilities=None, decision=None)

    return drawn


POPULATIONS: dict[str, tuple[Drawn, Drawn]] = {
    "a line": (_times(1.0, 1.0, -1.5, 0.1), _classes(0.5)),
    "useless": (_times(0.0, 0.0, -1.5, 0.1), _classes(5.0)),
    "rare": (_times(1.0, 1.0, -5.0, 0.05), _classes(0.5, rare=True)),
    "few seen to the end": (_times(1.0, 1.0, -1.5, 0.6), _classes(1.0)),
    "nearly all right": (_times(6.0, 1.0, -1.0, 0.1), _classes(0.05)),
    "two answers": (_times(1.0, 1.5, -1.0, 0.2, few=True), _classes(0.2, rare=True)),
}


def plans(survey: Callable[[Neighbours], TimeSurvey | Survey], classes: tuple[int, ...], epsilon: float) -> list[object]:
    """A release of everything, of each kind."""
    kinds = [(relation, delta) for relation in (REPLACE_ONE, ADD_REMOVE) for delta in (0.0, 1e-6)]
    return [calibrated(survey(relation), classes, epsilon=epsilon, delta=delta, level=0.95) for relation, delta in kinds]


def of_times(neighbours: Neighbours) -> TimeSurvey:
    """Periods of one length."""
    return TimeSurvey(metrics=("log_loss", "concordance"), neighbours=neighbours, ends=tuple(range(1, PERIODS + 1)))


def of_classes(neighbours: Neighbours) -> Survey:
    """As it is asked for where classes are in order."""
    return Survey(metrics=("accuracy", "confusion", "distance"), classes=CLASSES, neighbours=neighbours, probabilities=False)


@cache
def truth_of(name: str) -> tuple[float, float, float]:
    """The population's log loss (cut at 5), concordance (in the bins of the release) and distance."""
    times, classes = (drawn(np.random.default_rng(12345), TRUTH) for drawn in POPULATIONS[name])
    survey = of_times(REPLACE_ONE)
    places, levels = survey.read(times)
    counts = np.bincount(places, minlength=survey.known * survey.bins).reshape(survey.known, survey.bins).astype(float)
    ordered = concordance(counts, NoiseLaw.of(DiscreteGaussian(0.05)), level=0.95).value
    lost = survey.log_loss_bound * float(np.mean(levels[:, 0])) / survey.moments.levels
    return lost, ordered, float(np.mean(np.abs(classes.codes - classes.predicted_codes)))


def cell(name: str, records: int, epsilon: float, runs: int) -> Cell:
    """Of log loss, concordance and distance."""
    both = plans(of_times, (), epsilon), plans(of_classes, tuple(range(CLASSES)), epsilon)

    def measured(draw: np.random.Generator, run: int) -> tuple[Estimate | None, ...]:
        reports = [measure(kind[run % len(kind)], drawn(draw, records), SystemNoise()) for kind, drawn in zip(both, POPULATIONS[name], strict=True)]
        return reports[0].log_loss, reports[0].concordance, reports[1].distance

    return covered(truth_of(name), measured, runs)


if __name__ == "__main__":
    tabulate(__doc__, POPULATIONS, cell, records=RECORDS, epsilons=EPSILONS, measures=("log loss", "concordance", "distance"), worst=1)
