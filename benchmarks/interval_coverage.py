"""How often the intervals of private classifiers cover, and how wide they are.

    python benchmarks/interval_coverage.py                       2,000 fits, three epsilons, two losses, both levels: about ten minutes
    python benchmarks/interval_coverage.py --fits 200            a quick look

Records are drawn anew for every fit from a population whose link no model has exactly (an interaction is left out). What should be covered is
computed on a million records: the weights that minimise the population's risk with the same penalty a record. Half of the budget goes to the model
and half to the curvature. For each setting: the share of intervals that cover, over all coefficients, and for the coefficients that are covered least
and most often; the same for the decisions of five fixed people; and the median half-width of the intervals for coefficients.
"""

import argparse
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from discreet import LinearSVC, LogisticRegression, release_uncertainty
from discreet.estimators.linear_classifier import LinearClassifier

Floats = npt.NDArray[np.float64]
Kind = type[LinearClassifier]
DELTA = 1e-6
NOMINAL = (0.9, 0.95)


def people(rng: np.random.Generator, count: int, features: int, phase: float = 0.0) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Rows of norm at most 1, and labels."""
    rows = rng.normal(size=(count, features)) * np.linspace(0.4, 0.8, features)
    rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1))[:, np.newaxis]
    slopes = 3.0 * np.cos(np.arange(features) + phase)
    odds = rows @ slopes + 0.4 + 0.8 * (rows[:, 0] * rows[:, -1] > 0)
    return rows, np.where(rng.random(count) < expit(odds), 1, -1)


def population_weights(kind: Kind, settings: dict[str, Any], rows: Floats, labels: npt.NDArray[np.int64], records: int, target: str) -> Floats:
    """The minimiser on the population with the penalty that a fit on `records` has, or with none to speak of; an ordinary fit."""
    rehearsed = kind(**settings).fit(rows[:records], labels[:records])
    alpha = 1e-7 if target == "unpenalised" else rehearsed.certificate_.problem["ridge"] / records
    return kind(**(settings | {"epsilon": np.inf, "delta": 0.0, "alpha": alpha, "neighbours": "replace-one"})).fit(rows, labels).weights_


def coverage(  # noqa: PLR0913 - a setting each
    kind: Kind, epsilon: float, *, fits: int, records: int, features: int, neighbours: str, target: str, seed: int, delta: float
) -> list[list[float]]:
    """A row of the table for each nominal level."""
    rng = np.random.default_rng(seed)
    settings = {"epsilon": 0.5 * epsilon, "delta": 0.5 * delta, "classes": [-1, 1], "neighbours": neighbours, "mechanism": "objective"}
    phase = 0.0 if seed == 7 else 2.0 * np.pi * rng.random()
    truth = population_weights(kind, settings, *people(rng, 1_000_000, features, phase), records, target)
    someone, _ = people(rng, 5, features)
    scale = 0.3
    decided = np.column_stack((someone, np.full(5, scale))) @ truth
    hits = {level: [] for level in NOMINAL}
    widths = []
    for _ in range(fits):
        rows, labels = people(rng, records, features, phase)
        model = kind(**settings).fit(rows, labels)
        found = release_uncertainty(model, rows, labels, epsilon=0.5 * epsilon, delta=0.5 * DELTA)
        for level in NOMINAL:
            one, of_people = found.coefficients(level, target=target), found.decisions(someone, level, target=target)
            low, high = np.append(one.low, of_people.low), np.append(one.high, of_people.high)
            sought = np.append(truth[:features], decided)
            hits[level].append((low <= sought) & (sought <= high))
        widths.append(np.mean(one.high - one.low) / 2)
    table = []
    for level in NOMINAL:
        means = np.mean(hits[level], axis=0)
        parts = means[:features], means[features:]
        table.append([level, *(value for part in parts for value in (part.mean(), part.min(), part.max())), float(np.median(widths))])
    return table


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=2000)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--features", type=int, default=4)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 4.0])
    parser.add_argument("--neighbours", default="replace-one")
    parser.add_argument("--target", default="penalised", help="or unpenalised")
    parser.add_argument("--seed", type=int, default=7, help="of the records; the slopes of the population depend on it too, but for the default 7")
    parser.add_argument("--pure", action="store_true", help="a pure budget for the model")
    arguments = parser.parse_args()
    begun = time.time()
    lines = []
    settings: dict[str, Any] = {name: getattr(arguments, name) for name in ("fits", "records", "features", "neighbours", "target", "seed")}
    for kind in (LogisticRegression, LinearSVC):
        for epsilon in arguments.epsilons:
            found = coverage(kind, epsilon, **settings, delta=0.0 if arguments.pure else DELTA)
            lines += [(kind.__name__, epsilon, *(f"{value:.3f}" for value in row)) for row in found]
    heads = ("model             ", "epsilon", "nominal", "coefficients", "lowest", "highest", "decisions", "lowest", "highest", "half-width")
    for row in (heads, *lines):
        print(" ".join(f"{value!s:>{max(8, len(head))}}" for value, head in zip(row, heads, strict=True)))
    print(f"{arguments.fits} fits of {arguments.records} records each; {time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
