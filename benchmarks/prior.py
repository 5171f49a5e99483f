"""What a prior from public data is worth: test error of LogisticRegression on few records of Adult, pulled towards four public points.

    python benchmarks/prior.py [--draws 20] [--tables 4] [--factors 1 2] [--epsilons 0.1 1] [--powers -0.5 0.25]
    DISCREET_DATA=FOLDER python benchmarks/prior.py --diamonds          root mean square errors of LinearRegression on diamonds instead

Adult as Chaudhuri, Monteleoni and Sarwate (2011) prepared it: 105 features, rows of norm 1. Of a random order of the records the first 10,000 are the
test set, the next 2,000 are public, and n of the others are private. A prior is a model of public records, fitted without privacy at alpha = 10^-3.

    none      the ridge pulls towards zero: what the estimator does without a prior
    same      2,000 public records of the same population
    small     200 of them
    others    the public records are of women only, and the private ones and the test set as they are: two thirds of these are men
    wrong     minus the model of "same": as bad as a public point can be

With `--powers P` every prior is also tried in the coordinates of a public metric (`PublicMetric.of_rows`, power P, of the 2,000 public records); its
columns are "none P" and so on.

"public alone" are these models themselves, which no private record reaches. The default alpha of n public records times each of
`--factors`. Means over `--tables` orders
of the records and `--draws` of the noise, (epsilon, 1e-6), add-remove, with the standard error over orders.
"""

import argparse
from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt
import polars as pl
from plain_tables import plain_table
from sklearn.linear_model import Ridge

from discreet import LinearRegression, LogisticRegression, PublicMetric
from discreet.data.adult import adult_cms, load_adult

SIZES = (500, 1000, 2000, 5000, 20_000)
TEST, PUBLIC, SMALL = 10_000, 2_000, 200
SETTINGS = {"neighbours": "add-remove", "delta": 1e-6, "data_norm": 1.0, "fit_intercept": False, "classes": [-1, 1]}
Numbers = npt.NDArray[np.float64]


def priors(rows: Numbers, signs: npt.NDArray[np.int64], women: npt.NDArray[np.bool_], public: npt.NDArray[np.intp]) -> dict[str, Numbers]:
    """Coefficients (d,) by name, from the records numbered `public`."""

    def model(chosen: npt.NDArray[np.intp]) -> Numbers:
        fitted = LogisticRegression(epsilon=np.inf, alpha=1e-3, public_records=len(chosen), **SETTINGS).fit(rows[chosen], signs[chosen])
        return np.asarray(fitted.coef_[0])

    same = model(public[:PUBLIC])
    return {"same": same, "small": model(public[:SMALL]), "others": model(public[women[public]][:PUBLIC]), "wrong": -same}


def measured(
    draws: int, tables: int, factors: list[float], epsilons: list[float], powers: list[float]
) -> Iterator[tuple[tuple[str, float, float, int], float]]:
    """((prior, epsilon, factor, n), test error) of every order of the records; epsilon 0 is the public model alone."""
    sparse_rows, labels = adult_cms()
    rows, signs = sparse_rows.toarray(), labels.astype(np.int64)
    table = load_adult().filter(~pl.any_horizontal(pl.col(pl.String) == "?"))
    women = (table.get_column("sex") == "Female").to_numpy()
    for seed in range(tables):
        order = np.random.default_rng(1800 + seed).permutation(len(signs))
        test, public, private = np.split(order, [TEST, TEST + 4 * PUBLIC])
        points: dict[str, Numbers | None] = {"none": None, **priors(rows, signs, women, public)}

        def error(coefficients: Numbers, test: npt.NDArray[np.intp] = test) -> float:
            return float(np.mean(signs[test] != np.where(rows[test] @ coefficients.T > 0, 1, -1).T))

        metrics = {f" {power:g}": PublicMetric.of_rows(rows[public[:PUBLIC]], power=power) for power in powers}
        for name, point in points.items():
            if point is not None:
                yield (name, 0.0, 0.0, 0), error(point[np.newaxis])
        for label, metric in {"": None, **metrics}.items():
            seen = rows if metric is None else metric.transform(rows)
            # As a fit does; no row of these is longer without a metric.
            tested = seen[test] / np.maximum(1.0, np.linalg.norm(seen[test], axis=1))[:, np.newaxis]
            for name, point in points.items():
                prior = point if metric is None or point is None else metric.moved(point)
                for epsilon in epsilons:
                    for count in SIZES:
                        standard = LogisticRegression(epsilon=epsilon, public_records=count, **SETTINGS).plan(features=rows.shape[1])
                        for factor in factors:
                            alpha = factor * float(str(standard.problem["ridge"])) / count
                            made = LogisticRegression(epsilon=epsilon, alpha=alpha, public_records=count, prior=prior, random_state=seed, **SETTINGS)
                            fits = made.fit_many(seen[private[:count]], signs[private[:count]], count=draws)
                            wrong = signs[test] != np.where(tested @ fits.coef.T > 0, 1, -1).T
                            yield (name + label, epsilon, factor, count), float(np.mean(wrong))


def diamonds(draws: int, tables: int, epsilons: list[float]) -> Iterator[tuple[tuple[str, float, float, int], float]]:
    """As `measured`, of prices on [-1, 1]: numbers on [-1, 1] by their bounds, a 1 for each category."""
    table = plain_table("diamonds")

    def scaled(column: Numbers, bounds: tuple[float, float]) -> Numbers:
        low, high = bounds
        return 2.0 * (np.clip(column, low, high) - low) / (high - low) - 1.0

    columns = [scaled(column, table.bounds[name]) for name, column in table.numbers.items()]
    columns += [(column == one).astype(float) for column in table.categories.values() for one in np.unique(column)]
    rows, prices = np.column_stack(columns), scaled(table.target, table.target_bounds or (0.0, 1.0))
    norm = float(len(table.numbers) + len(table.categories)) ** 0.5
    for seed in range(tables):
        test, public, private = np.split(np.random.default_rng(1800 + seed).permutation(len(prices)), [TEST, TEST + PUBLIC])
        same, small = (Ridge().fit(rows[public[:count]], prices[public[:count]]) for count in (PUBLIC, SMALL))
        points = {
            "none": None,
            "same": (same.coef_, same.intercept_),
            "small": (small.coef_, small.intercept_),
            "wrong": (-same.coef_, -same.intercept_),
        }

        def error(coefficients: Numbers, intercept: float, test: npt.NDArray[np.intp] = test) -> float:
            return float(np.sqrt(np.mean(np.square(np.clip(rows[test] @ coefficients + intercept, -1.0, 1.0) - prices[test]))))

        for name, point in points.items():
            if point is not None:
                yield (name, 0.0, 0.0, 0), error(*point)
            for epsilon in epsilons:
                for count in SIZES:
                    settings = {"epsilon": epsilon, "delta": 1e-6, "neighbours": "add-remove", "public_records": count, "data_norm": norm}
                    for draw in range(draws):
                        made = LinearRegression(prior=point, random_state=1000 * seed + draw, **settings, target_bound=1.0)
                        fitted = made.fit(rows[private[:count]], prices[private[:count]])
                        yield (name, epsilon, 1.0, count), error(fitted.coef_, fitted.intercept_)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--factors", type=float, nargs="+", default=[1.0, 2.0])
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 1.0])
    parser.add_argument("--powers", type=float, nargs="*", default=[])
    parser.add_argument("--diamonds", action="store_true")
    options = parser.parse_args()
    if options.diamonds:
        options.factors = [1.0]
    found: dict[tuple[str, float, float, int], list[float]] = {}
    found_of: Callable[[], Iterator[tuple[tuple[str, float, float, int], float]]] = (
        (lambda: diamonds(options.draws, options.tables, options.epsilons))
        if options.diamonds
        else (lambda: measured(options.draws, options.tables, options.factors, options.epsilons, options.powers))
    )
    for key, error in found_of():
        found.setdefault(key, []).append(error)
    names = list(dict.fromkeys(key[0] for key in found))
    print("public alone:", ", ".join(f"{name} {np.mean(found[name, 0.0, 0.0, 0]):.4f}" for name in names if (name, 0.0, 0.0, 0) in found))
    for epsilon in options.epsilons:
        for factor in options.factors:
            print(f"\nepsilon {epsilon:g}, default alpha times {factor:g}\n{'n':>8}" + "".join(f"{name:>18}" for name in names))
            for count in SIZES:
                cells = [found[name, epsilon, factor, count] for name in names]
                print(f"{count:>8}" + "".join(f"{np.mean(cell):>10.4f} +-{np.std(cell) / len(cell) ** 0.5:.4f}" for cell in cells))


if __name__ == "__main__":
    main()
