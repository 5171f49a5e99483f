"""How often intervals cover, over populations that are hard for them, and how wide they are.

    python benchmarks/interval_coverage.py                       every estimator, 400 fits a cell: hours on one core
    python benchmarks/interval_coverage.py linear rows           some of: linear, rows, sketch, classifier, categories
    python benchmarks/interval_coverage.py linear --fits 40      a quick look

Records are drawn anew for every fit (a sketch: from the same records) from one of these populations, five features of deviation .15 in [-1, 1] for
`linear`, 1 for `rows` and `sketch`, .25 for `classifier`:

    normal         independent normal features and errors            correlated     pairs of features of correlation .8
    heavy          features and errors of Student's t, 3 degrees      rare           a feature (`classifier`: a class) that 5 % of the records have
    drowned        a feature of a twentieth of the others' deviation

What should be covered is computed on half a million records, brought within the same bounds, or on the sketched ones. Printed for each cell: the
share of intervals at .90 and .95 that cover, over all coefficients, and at .95 of the coefficient that is covered least; the share that is the whole
line; and the median half-width at .95. A share of 400 fits is known to .011, over five coefficients that are nearly independent to about .005.
"""

import argparse
import time
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from discreet import LinearRegression, LinearSVC, LogisticRegression, release_uncertainty
from discreet.consumers import NoisyRidge, SketchRidge
from discreet.data import Schema
from discreet.estimators import Uncertainty

Floats = npt.NDArray[np.float64]
Ends = tuple[Floats, Floats]
"""Intervals at .90 and at .95, (d, 2) each."""
Cell = tuple[list[str], list[Floats], Callable[[np.random.Generator, int], list[Ends]]]
"""For each row of the table its name, what should be covered (d,), and the intervals of one fit, from a source of records and a seed."""

DELTA = 1e-6
MANY = 500_000
SLOPES = np.array([1.0, -0.7, 0.5, 0.3, 0.0])
POPULATIONS = ("normal", "correlated", "heavy", "rare", "drowned")
WARDS = """
format = "discreet-schema/1"
name = "wards"
rows = "bound"
[target]
column = "y"
classes = ["no", "yes"]
[numeric.age]
lower = -1
upper = 1
scale = "symmetric"
[categorical.ward]
categories = ["a", "b", "c"]
[categorical.shift]
categories = ["day", "night"]
"""


def features(population: str, count: int, draw: np.random.Generator, size: int = 5) -> Floats:
    """Of deviation about 1, (count, size)."""
    if population == "heavy":
        return draw.standard_t(3, size=(count, size)) / 3**0.5
    rows = draw.normal(size=(count, size))
    if population == "correlated":
        return 0.2**0.5 * rows + 0.8**0.5 * draw.normal(size=(count, 1))
    if population == "rare":
        rows[:, 0] = draw.random(count) < 0.05
    if population == "drowned":
        rows[:, -1] *= 0.05
    return rows


def errors(population: str, count: int, draw: np.random.Generator) -> Floats:
    """Of deviation 1, (count,)."""
    return draw.standard_t(3, size=count) / 3**0.5 if population == "heavy" else draw.normal(size=count)


def least_squares(rows: Floats, targets: Floats, *, intercept: bool) -> Floats:
    """Coefficients, (d,)."""
    table = np.column_stack((rows, np.ones(len(rows)))) if intercept else rows
    return np.linalg.lstsq(table, targets, rcond=None)[0][: rows.shape[1]]


def linear() -> Iterator[Cell]:
    """`coef_interval` of moments, and of refined moments for symmetric errors."""
    bound = 2.0

    def people(population: str, count: int, draw: np.random.Generator) -> tuple[Floats, Floats]:
        rows = np.clip(0.15 * features(population, count, draw), -1.0, 1.0)
        return rows, rows @ (2.0 * SLOPES) + 0.1 + 0.2 * errors(population, count, draw)

    def cell(population: str, records: int, epsilon: float, mechanism: str) -> Cell:
        rows, targets = people(population, MANY, np.random.default_rng(0))
        truth = least_squares(rows, np.clip(targets, -bound, bound), intercept=True)

        def ends(draw: np.random.Generator, seed: int) -> list[Ends]:
            model = LinearRegression(epsilon=epsilon, delta=DELTA, data_norm=5**0.5, target_bound=bound, mechanism=mechanism, random_state=seed)
            model.fit(*people(population, records, draw))
            low, high = (model.coef_interval(level=level, symmetric=mechanism == "refined") for level in (0.9, 0.95))
            return [(low, high)]

        said = "symmetric errors" if mechanism == "refined" else "any errors"
        return [f'`LinearRegression("{mechanism}")`, {said} | {population} | {records:,} | {epsilon:g}'], [truth], ends

    for population in POPULATIONS:
        for records, epsilon in ((1000, 4.0), (10_000, 1.0), (10_000, 4.0)):
            yield cell(population, records, epsilon, "moments")
    for population in ("normal", "correlated", "heavy"):
        yield cell(population, 10_000, 4.0, "refined")
    for records, epsilon in ((10_000, 0.1), (100_000, 1.0)):
        yield cell("normal", records, epsilon, "moments")


def rows() -> Iterator[Cell]:
    """`NoisyRidge` on released rows; the last column is the variance of the noise on each number."""

    def cell(population: str, records: int, variance: float) -> Cell:
        def ends(draw: np.random.Generator, _: int) -> list[Ends]:
            clear = features(population, records, draw)
            targets = clear @ SLOPES + 0.3 + 0.5 * errors(population, records, draw)
            released, answers = (array + variance**0.5 * draw.normal(size=array.shape) for array in (clear, targets))
            model = NoisyRidge(feature_noise=variance, target_noise=variance).fit(released, answers)
            return [(model.coef_interval(level=0.9), model.coef_interval(level=0.95))]

        return [f"`NoisyRidge` | {population} | {records:,} | noise {variance:g}"], [SLOPES], ends

    for population in POPULATIONS:
        for records, variance in ((1000, 1.0), (1000, 25.0), (10_000, 4.0), (100_000, 4.0)):
            yield cell(population, records, variance)


def sketch() -> Iterator[Cell]:
    """`SketchRidge` of 2,000 records, noise taken out."""

    def cell(population: str, length: int, variance: float) -> Cell:
        draw = np.random.default_rng(5)
        table = features(population, 2000, draw)
        targets = table @ SLOPES + 0.5 * errors(population, 2000, draw)
        both = np.column_stack((table, targets))
        root = np.linalg.cholesky(both.T @ both + variance * np.eye(6))

        def ends(draw: np.random.Generator, _: int) -> list[Ends]:
            released = draw.normal(size=(length, 6)) @ root.T
            model = SketchRidge(noise_variance=variance).fit(released[:, :5], released[:, 5])
            return [(model.coef_interval(level=0.9), model.coef_interval(level=0.95))]

        return [f"`SketchRidge` | {population} | {length} rows | noise {variance:g}"], [least_squares(table, targets, intercept=False)], ends

    for population in POPULATIONS:
        for length, variance in ((60, 300.0), (500, 300.0), (500, 3000.0)):
            yield cell(population, length, variance)


def classifier() -> Iterator[Cell]:
    """`release_uncertainty` of logistic regression, half of the budget for the model, both targets; of `LinearSVC`; and under add-remove."""

    def people(population: str, count: int, size: int, draw: np.random.Generator) -> tuple[Floats, npt.NDArray[np.int64]]:
        rows = 0.25 * features("normal" if population == "rare" else population, count, draw, size)
        rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1))[:, np.newaxis]
        odds = rows @ (3.0 * np.cos(np.arange(size))) + (-3.4 if population == "rare" else 0.4)
        return rows, np.where(draw.random(count) < expit(odds), 1, -1)

    def cell(population: str, records: int, size: int, epsilon: float, estimator: type = LogisticRegression, neighbours: str = "replace-one") -> Cell:
        budget = {"epsilon": 0.5 * epsilon, "delta": 0.5 * DELTA}
        settings = budget | {"classes": [-1, 1], "mechanism": "objective", "neighbours": neighbours}
        table, labels = people(population, MANY, size, np.random.default_rng(0))
        ridge = estimator(**settings).fit(table[:records], labels[:records]).certificate_.problem["ridge"]
        exact = settings | {"epsilon": np.inf, "delta": 0.0, "neighbours": "replace-one"}
        targets = {"penalised": ridge / records, "unpenalised": 1e-7} if estimator is LogisticRegression else {"penalised": ridge / records}
        truths = [estimator(**exact, alpha=alpha).fit(table, labels).coef_[0] for alpha in targets.values()]

        def ends(draw: np.random.Generator, seed: int) -> list[Ends]:
            table, labels = people(population, records, size, draw)
            model = estimator(**settings, random_state=2 * seed).fit(table, labels)
            found = release_uncertainty(model, table, labels, **budget, random_state=2 * seed + 1)
            return [both_levels(found, target) for target in targets]

        relation = "" if neighbours == "replace-one" else f", {neighbours}"
        names = [f"`{estimator.__name__}`, {target}, {size} features{relation} | {population} | {records:,} | {epsilon:g}" for target in targets]
        return names, truths, ends

    for population in POPULATIONS:
        yield cell(population, 3000, 5, 4.0)
    yield cell("heavy", 3000, 20, 4.0)
    yield cell("heavy", 3000, 20, 1.0)
    yield cell("normal", 1000, 5, 4.0)
    yield cell("normal", 10_000, 5, 0.1)
    yield cell("rare", 10_000, 5, 1.0)
    for population in ("normal", "heavy", "rare"):
        yield cell(population, 3000, 5, 4.0, LinearSVC)
    for population in ("normal", "heavy", "rare"):
        yield cell(population, 3000, 5, 4.0, neighbours="add-remove")


def both_levels(found: Uncertainty, target: str) -> Ends:
    """Intervals for coefficients."""
    low, high = (np.column_stack((one.low, one.high)) for one in (found.coef_interval(level, target=target) for level in (0.9, 0.95)))
    return low, high


def categories() -> Iterator[Cell]:
    """Logistic regression of a table with two columns of categories, whose link is true, without the penalty."""
    schema, truth = Schema.from_toml(WARDS), np.array([2.0, 0.0, 1.5, -1.0, 0.0, 1.0])

    def ends(draw: np.random.Generator, seed: int) -> list[Ends]:
        count = 6000
        ward, shift, age = draw.integers(0, 3, count), draw.integers(0, 2, count), draw.uniform(-1.0, 1.0, count)
        odds = np.array([0.0, 1.5, -1.0])[ward] + shift + 2.0 * age - 0.5
        table = {"age": age, "ward": np.array(["a", "b", "c"])[ward], "shift": np.array(["day", "night"])[shift]}
        encoded = schema.encode(table | {"y": np.where(draw.random(count) < expit(odds), "yes", "no")}, target=True)
        model = LogisticRegression(epsilon=4.0, delta=DELTA, data_norm=schema.norm_bound, intercept_scale=1.0, random_state=2 * seed).fit(encoded)
        found = release_uncertainty(model, encoded, epsilon=4.0, delta=DELTA, random_state=2 * seed + 1)
        return [both_levels(found, "unpenalised")]

    yield ["`LogisticRegression`, unpenalised, relative to the first category | two columns of categories | 6,000 | 8"], [truth], ends


def lines(cell: Cell, fits: int) -> list[str]:
    """Rows of the table."""
    names, truths, ends = cell
    found = [ends(np.random.default_rng([seed, 7]), seed) for seed in range(fits)]
    rows = []
    for place, (name, truth) in enumerate(zip(names, truths, strict=True)):
        made = np.array([one[place] for one in found])  # fit, level, coefficient, end
        hits = ((made[..., 0] <= truth) & (truth <= made[..., 1])).mean(axis=0)
        halves = 0.5 * (made[:, 1, :, 1] - made[:, 1, :, 0])
        median = float(np.median(halves))
        width = f"{median:.3f}" if np.isfinite(median) else "infinite"
        rows.append(f"| {name} | {hits[0].mean():.3f} | {hits[1].mean():.3f} | {hits[1].min():.3f} | {np.mean(np.isinf(halves)):.2f} | {width} |")
    return rows


PARTS: dict[str, Callable[[], Iterator[Cell]]] = {part.__name__: part for part in (linear, rows, sketch, classifier, categories)}


def main() -> None:
    """Print the table, a row when it is there."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all unless given")
    parser.add_argument("--fits", type=int, default=400)
    arguments = parser.parse_args()
    begun = time.time()
    print("| estimator | population | records | epsilon | at 0.90 | at 0.95 | least of one | (-inf, inf) | half-width at 0.95 |\n" + "|---" * 9 + "|")
    for part in arguments.parts or PARTS:
        for cell in PARTS[part]():
            print(*lines(cell, arguments.fits), sep="\n", flush=True)
    print(f"\n{arguments.fits} fits a row; {time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
