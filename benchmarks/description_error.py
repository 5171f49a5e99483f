"""A description of Adult beside the same queries by OpenDP, for the same budget.

    pip install opendp                                          0.16 was measured
    python benchmarks/description_error.py                      30 runs an epsilon, ten minutes

Queries: the counts of all nine columns of categories; of six numbers the mean, the standard deviation and the quartiles. Add-remove, delta 1e-6.
OpenDP composes in zero-concentrated privacy and converts once; every column has one share of the budget for its counts or its quartiles, and a number
one more for its sum and its sum of squares, as here. Quartiles twice: by the tree of counts that OpenDP's own guide has, on the same edges (its
branching factor, consistency and interpolation, rounded to whole numbers, as all of these columns are), and by its private quantiles (the exponential
mechanism among all whole numbers, or 5,000 of them). What OpenDP is given for nothing: the number of records, which its means and deviations divide
by.

Errors are root mean squares over runs: of counts in records, over all cells; of means and deviations in per cent of the column's range, over columns.
Of quartiles they are mean absolute errors in per cent of the range, since values that many share make them exact in most runs, and far off in a few.
The last column is ours over the better of theirs.
"""

import argparse
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.data.adult import adult_schema, load_adult
from discreet.descriptions import Description, prepare_description
from discreet.descriptions.describe import describe_prepared
from discreet.noise import SystemNoise

EPSILONS = (0.5, 1.0, 4.0)
DELTA = 1e-6
_CANDIDATES = 5_000
QUARTILES = (0.25, 0.5, 0.75)
Errors = dict[str, list[float]]


class Truth(NamedTuple):
    """What is asked of the table, exactly."""

    numbers: dict[str, npt.NDArray[np.int64]]
    bounds: dict[str, tuple[int, int]]
    codes: dict[str, npt.NDArray[np.int64]]
    sizes: dict[str, int]


def table() -> tuple[pl.DataFrame, Truth]:
    """Adult, clipped to its bounds, which all are whole numbers."""
    schema = adult_schema()
    frame = load_adult().select(schema.columns(target=True)).with_columns(pl.col(pl.String).replace("?", "unknown"))
    bounds = {one.name: (int(one.lower), int(one.upper)) for one in schema.numeric}
    numbers = {name: frame[name].cast(pl.Int64).clip(*bound).to_numpy() for name, bound in bounds.items()}
    labels = {one.name: [str(label) for label in one.categories] for one in schema.categorical}
    labels["income"] = ["<=50K", ">50K"]
    codes = {name: np.array([known.index(value) for value in frame[name].to_list()]) for name, known in labels.items()}
    return frame, Truth(numbers, bounds, codes, {name: len(known) for name, known in labels.items()})


def note(errors: Errors, truth: Truth, found: dict[str, Any]) -> None:
    """Add the errors of one run, squared but for those of quartiles."""
    for name, codes in truth.codes.items():
        errors["counts"].append(float(np.mean(np.square(found[name] - np.bincount(codes, minlength=truth.sizes[name])))))
    for name, values in truth.numbers.items():
        low, high = truth.bounds[name]
        mean, deviation, quartiles = found[name]
        exact = np.quantile(values, QUARTILES, method="inverted_cdf")
        errors["means"].append(((mean - values.mean()) / (high - low)) ** 2)
        errors["deviations"].append(((deviation - values.std()) / (high - low)) ** 2)
        errors["quartiles"].append(float(np.mean(np.abs(np.array(quartiles) - exact))) / (high - low))


def ours(found: Description) -> dict[str, Any]:
    """Numbers and counts of a description."""
    whole = found.whole
    said: dict[str, Any] = {name: np.array([one.count for one in counts]) for name, counts in whole.categories.items()}
    for name, one in whole.numbers.items():
        said[name] = (one.mean.value, one.deviation.value, [each.value for each in one.quantiles])
    return said


class OpenDP:
    """Its measurements, each calibrated by its own map to a share of rho, which its own conversion finds for (epsilon, DELTA)."""

    def __init__(self, truth: Truth, *, epsilon: float, tree: bool, edges: dict[str, npt.NDArray[np.float64]]) -> None:
        """See class docstring."""
        import opendp.prelude as dp  # noqa: PLC0415 - installed for this alone

        dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
        self.dp, self.truth, self.tree, self.edges = dp, truth, tree, edges
        self.space = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
        low, high = 1e-6, 8.0
        for _ in range(40):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if self._epsilon(middle) <= epsilon else (low, middle)
        self.share = low / (len(truth.codes) + 2 * len(truth.numbers))

    def _epsilon(self, rho: float) -> float:
        one = self.space >> self.dp.t.then_clamp((0, 1)) >> self.dp.t.then_sum() >> self.dp.m.then_gaussian(scale=1.0 / math.sqrt(2.0 * rho))
        return float(self.dp.c.make_zCDP_to_approxDP(one).map(1).epsilon(DELTA))

    def __call__(self) -> dict[str, Any]:
        """One run; raises where the maps add up to more than the budget."""
        spent, said = 0.0, {}
        for name, codes in self.truth.codes.items():
            made = self.dp.t.make_count_by_categories(*self.space, categories=list(range(self.truth.sizes[name])), MO=self.dp.L2Distance[float])
            counts, rho = self._asked(made >> self.dp.m.then_gaussian(scale=1.0 / math.sqrt(2.0 * self.share)), codes)
            spent += rho
            said[name] = np.array(counts[: self.truth.sizes[name]])
        for name, values in self.truth.numbers.items():
            sums = []
            for power in (1, 2):
                most = max(abs(bound) for bound in self.truth.bounds[name]) ** power
                total = self.space >> self.dp.t.then_clamp((0, most)) >> self.dp.t.then_sum()
                found, rho = self._asked(total >> self.dp.m.then_gaussian(scale=most / math.sqrt(self.share)), values**power)
                spent += rho
                sums.append(found / len(values))
            quartiles, rho = self._tree(name, values) if self.tree else self._exponential(name, values)
            spent += rho
            low, high = self.truth.bounds[name]
            mean = min(high, max(low, sums[0]))
            said[name] = (mean, math.sqrt(min(max(sums[1] - mean * mean, 0.0), 0.25 * (high - low) ** 2)), quartiles)
        most_of_all = self.share * (len(self.truth.codes) + 2 * len(self.truth.numbers))
        if not 0.98 * most_of_all <= spent <= 1.0001 * most_of_all:
            raise SystemExit(f"OpenDP's maps add up to {spent}, not {most_of_all}")
        return said

    def _asked(self, measurement: Any, values: npt.NDArray[np.int64]) -> tuple[Any, float]:  # noqa: ANN401 - of OpenDP
        return measurement(values.tolist()), float(measurement.map(1))

    def _tree(self, name: str, values: npt.NDArray[np.int64]) -> tuple[list[float], float]:
        edges = self.edges[name]
        leaves = len(edges) - 1
        branches = self.dp.t.choose_branching_factor(leaves)
        cells = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, leaves - 1)
        counts = self.dp.t.make_count_by_categories(*self.space, categories=list(range(leaves)), null_category=False, MO="L1Distance<i64>", TOA="i64")
        made = counts >> self.dp.t.then_b_ary_tree(leaf_count=leaves, branching_factor=branches)
        noisy = made >> self.dp.m.then_laplace(scale=float(made.map(1)) / math.sqrt(2.0 * self.share))
        found = noisy(cells.tolist())
        leaf = self.dp.t.make_consistent_b_ary_tree(branches, TIA=int, TOA=float)(found)[:leaves]
        quartiles = self.dp.t.make_quantiles_from_counts(edges.tolist(), list(QUARTILES), TA=float)([max(0.0, one) for one in leaf])
        return [round(one) for one in quartiles], 0.5 * float(noisy.map(1)) ** 2

    def _exponential(self, name: str, values: npt.NDArray[np.int64]) -> tuple[list[float], float]:
        low, high = self.truth.bounds[name]
        candidates = sorted({round(one) for one in np.linspace(low, high, min(high - low + 1, _CANDIDATES)).tolist()})
        measure, quartiles, spent = self.dp.zero_concentrated_divergence(), [], 0.0
        for share in QUARTILES:
            once = self.dp.m.make_private_quantile(*self.space, measure, candidates=candidates, alpha=share, scale=1.0)
            scale = math.sqrt(float(once.map(1)) * len(QUARTILES) / self.share)
            found, rho = self._asked(self.dp.m.make_private_quantile(*self.space, measure, candidates=candidates, alpha=share, scale=scale), values)
            spent += rho
            quartiles.append(float(found))
        return quartiles, spent


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--rows", type=Path, help="write the table here instead, for description_tumult.py")
    given = parser.parse_args()
    frame, truth = table()
    if given.rows is not None:
        parts = {name: {column: np.asarray(values).tolist() for column, values in each.items()} for name, each in truth._asdict().items()}
        given.rows.write_text(json.dumps(parts), encoding="utf-8")
        return
    schema = adult_schema()
    kinds = ("counts", "means", "deviations", "quartiles")
    print("| epsilon | | ours | OpenDP, tree | OpenDP, exponential mechanism | ratio |\n|---|---|---|---|---|---|")
    for epsilon in EPSILONS:
        prepared = prepare_description(schema, epsilon=epsilon, delta=DELTA, neighbours="add-remove", whole=tuple(truth.numbers))
        edges = {one.name: np.array(prepared.asked.cells_of(one).edges) for one in prepared.asked.numbers}
        rivals = [OpenDP(truth, epsilon=epsilon, tree=tree, edges=edges) for tree in (True, False)]
        errors: list[Errors] = [defaultdict(list) for _ in range(3)]
        for _ in range(given.runs):
            note(errors[0], truth, ours(describe_prepared(prepared, lambda one: one.encode(frame, target=True), SystemNoise())))
            for place, rival in enumerate(rivals, start=1):
                note(errors[place], truth, rival())
        for kind in kinds:
            means = [float(np.mean(each[kind])) for each in errors]
            found = [(one if kind == "quartiles" else math.sqrt(one)) * (1.0 if kind == "counts" else 100.0) for one in means]
            cells = " | ".join(f"{one:.3g}" for one in found)
            print(f"| {epsilon:g} | {kind} | {cells} | {found[0] / min(found[1:]):.2f} |", flush=True)


if __name__ == "__main__":
    main()
