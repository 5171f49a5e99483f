"""Rules that choose an upper bound for a column privately, side by side on invented columns: the share of records beyond it, and how far out it lies.

    python benchmarks/bounds_choice.py [--records 10000] [--columns 10] [--runs 300]

Ages, incomes, half-Cauchy, unit interval, a constant; 34 public candidates 0, 0.01, 0.02, 0.05, .., 5e8; delta = 1e-6; the budget pays for both
bounds of every column. A simulation with floating-point noise, not a release. "cut" is the mean share of records beyond the bound, "out" the mean
number of candidates beyond the tightest one that leaves 0.5 % beyond. The rule that ships has toll 1.5; its surcharge for the first step is left
out here, and tolls 0.7, 1 and 2.5 are shown beside it. The others have thresholds picked by hand, two each where that mattered: the better of them
is what counts.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from discreet.accounting import gaussian_mu
from discreet.accounting.bounded_range import bounded_range_width

Floats = npt.NDArray[np.float64]
DELTA = 1e-6
CANDIDATES = np.array([0.0] + [digit * 10.0**power for power in range(-2, 9) for digit in (1, 2, 5)])
COUNT = len(CANDIDATES)
COLUMNS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "age": lambda draw, n: draw.normal(40, 15, n).clip(0, 100),
    "income": lambda draw, n: draw.lognormal(10.5, 1, n),
    "half-Cauchy": lambda draw, n: np.abs(draw.standard_cauchy(n)),
    "unit": lambda draw, n: 0.9 * draw.random(n),
    "constant": lambda _, n: np.zeros(n),
}
_CENTRAL = [math.comb(2 * k, k) / 4**k for k in range(COUNT)]
ROOT = np.array([[_CENTRAL[i - j] if i >= j else 0.0 for j in range(COUNT)] for i in range(COUNT)])
"""Its square sums prefixes: the factorisation with the least noise."""


def chosen_by_score(draw: np.random.Generator, scores: Floats, rate: float) -> int:
    """The exponential mechanism on scores to be small."""
    odds = np.exp(-rate * (scores - scores.min()))
    return int(draw.choice(COUNT, p=odds / odds.sum()))


def first_below(noisy: Floats, threshold: float) -> int:
    """The first candidate whose noisy count is at most a threshold, else the last."""
    found = np.flatnonzero(noisy <= threshold)
    return int(found[0]) if len(found) else COUNT - 1


def rules(draw: np.random.Generator, relation: str, epsilon: float, columns: int) -> dict[str, Callable[[Floats], int]]:
    """Each takes the counts beyond every candidate."""
    lists = columns if relation == "add-remove" else 2 * columns
    rate = bounded_range_width(epsilon, DELTA, count=lists, optimal=False)
    wide = 0.5 * bounded_range_width(epsilon, DELTA, count=2 * columns, optimal=False)
    mu = gaussian_mu(epsilon, DELTA)
    apart = max(float(np.linalg.norm(ROOT[:, i] - ROOT[:, j])) for i in range(COUNT) for j in range(COUNT))
    prefix = (float(np.linalg.norm(ROOT, axis=0).max()) if relation == "add-remove" else apart) * math.sqrt(columns) / mu
    plain = (1.0 if relation == "add-remove" else math.sqrt(2.0)) * math.sqrt(columns) / mu

    def sparse_vector(counts: Floats) -> int:
        threshold = 8.0 / wide + draw.laplace(0.0, 2.0 / wide)
        return first_below(counts + draw.laplace(0.0, 2.0 / wide, COUNT), threshold)

    found: dict[str, Callable[[Floats], int]] = {
        f"tolls, {toll:g}": lambda counts, toll=toll: chosen_by_score(draw, counts + toll / rate * np.arange(COUNT), rate)
        for toll in (1.5, 0.7, 1.0, 2.5)
    }
    for target in (4.0, 6.0):
        found[f"quantile score, {target:g}"] = lambda counts, target=target: chosen_by_score(draw, np.abs(counts - target / wide), wide)
    for times in (1.5, 2.5):
        found[f"prefix sums, {times:g}"] = lambda counts, times=times: first_below(
            counts + (ROOT @ draw.normal(0.0, prefix, COUNT))[::-1], 1.5 * times * prefix
        )
    found["histogram"] = lambda counts: first_below(counts + np.cumsum(draw.normal(0.0, plain, COUNT))[::-1], 8.0 * plain)
    found["sparse vector"] = sparse_vector
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=10)
    parser.add_argument("--runs", type=int, default=300)
    given = parser.parse_args()
    draw = np.random.default_rng(0)
    for relation in ("replace-one", "add-remove"):
        for epsilon in (0.1, 0.3, 1.0):
            print(f"{relation}, epsilon {epsilon:g}")
            for name, rule in rules(draw, relation, epsilon, given.columns).items():
                cuts, outs = [], []
                for column in COLUMNS.values():
                    for _ in range(given.runs):
                        ordered = np.sort(column(draw, given.records))
                        counts = (given.records - np.searchsorted(ordered, CANDIDATES, side="right")).astype(np.float64)
                        place = rule(counts)
                        cuts.append(counts[place] / given.records)
                        outs.append(max(0, place - int(np.flatnonzero(counts <= 0.005 * given.records)[0])))
                print(f"  {name:<22} cut {np.mean(cuts):.4f}  out {np.mean(outs):.2f}", flush=True)


if __name__ == "__main__":
    main()
