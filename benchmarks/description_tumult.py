"""Adult's counts, means, deviations and quartiles by Tumult Analytics, for the budget of `description_error.py`: its errors beside ours and OpenDP's.

    python benchmarks/description_error.py --rows rows.json        writes the table as it is asked: clipped whole numbers, and places of categories
    python benchmarks/description_tumult.py rows.json --runs 5     in an environment with tmlt.analytics (0.21 was measured; older numpy) and Java

Add-remove, delta 1e-6. A whole budget of zero-concentrated privacy is what the conversion of Canonne, Kamath and Steinke (2020) makes of (epsilon,
delta), and every column has one share of it for its counts or its quartiles (a third each), and a number one more for its average and its deviation
(half each), as OpenDP has there. This file needs nothing of discreet.
"""

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

DELTA = 1e-6
QUARTILES = (0.25, 0.5, 0.75)


def rho_of(epsilon: float) -> float:
    """The most concentrated privacy that gives (epsilon, DELTA)."""

    def delta(rho: float) -> float:
        orders = 1.0 + np.geomspace(1e-3, 1e4, 4000)
        logs = (orders - 1.0) * (orders * rho - epsilon) - np.log(orders - 1.0) + orders * np.log1p(-1.0 / orders)
        return float(np.exp(logs.min()))

    low, high = 1e-6, 8.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if delta(middle) <= DELTA else (low, middle)
    return low


class Tumult:
    """A session for each run, which refuses to spend more than it was given."""

    def __init__(self, rows: dict[str, Any]) -> None:
        """Read the table into Spark."""
        import pandas as pd  # noqa: PLC0415 - installed for this alone
        from pyspark.sql import SparkSession  # noqa: PLC0415 - installed for this alone

        build = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "1")
        spark = build.getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        self.rows = rows
        self.frame = spark.createDataFrame(pd.DataFrame({**rows["numbers"], **rows["codes"]})).cache()

    def __call__(self, epsilon: float) -> dict[str, Any]:
        """One run."""
        from tmlt.analytics import AddOneRow, KeySet, QueryBuilder, RhoZCDPBudget, Session  # noqa: PLC0415 - installed for this alone

        numbers, whole = self.rows["numbers"], rho_of(epsilon)
        share = whole / (len(self.rows["codes"]) + 2 * len(numbers))
        session = Session.from_dataframe(RhoZCDPBudget(whole), "rows", self.frame, protected_change=AddOneRow())

        def asked(query: Any, part: float) -> Any:  # noqa: ANN401 - of Tumult
            return session.evaluate(query, RhoZCDPBudget(part * share * (1.0 - 1e-9))).toPandas()

        said: dict[str, Any] = {}
        for name, size in self.rows["sizes"].items():
            found = asked(QueryBuilder("rows").groupby(KeySet.from_dict({name: list(range(size))})).count(name="found"), 1.0)
            said[name] = found.set_index(name)["found"].reindex(range(size)).to_numpy(dtype=float)
        for name in numbers:
            low, high = self.rows["bounds"][name]
            mean, deviation = (float(asked(getattr(QueryBuilder("rows"), what)(name, low, high), 0.5).iloc[0, 0]) for what in ("average", "stdev"))
            quartiles = [float(asked(QueryBuilder("rows").quantile(name, at, low, high), 1.0 / 3.0).iloc[0, 0]) for at in QUARTILES]
            mean = min(high, max(low, mean))
            said[name] = (mean, min(max(deviation, 0.0), 0.5 * (high - low)), [round(one) for one in quartiles])
        return said


def errors_of(rows: dict[str, Any], found: dict[str, Any]) -> dict[str, list[float]]:
    """Of one run, squared but for those of quartiles, as `description_error.note` has them."""
    errors: dict[str, list[float]] = {"counts": [], "means": [], "deviations": [], "quartiles": []}
    for name, codes in rows["codes"].items():
        errors["counts"].append(float(np.mean(np.square(found[name] - np.bincount(codes, minlength=rows["sizes"][name])))))
    for name, given in rows["numbers"].items():
        values, (low, high), (mean, deviation, quartiles) = np.array(given), rows["bounds"][name], found[name]
        errors["means"].append(((mean - values.mean()) / (high - low)) ** 2)
        errors["deviations"].append(((deviation - values.std()) / (high - low)) ** 2)
        exact = np.quantile(values, QUARTILES, method="inverted_cdf")
        errors["quartiles"].append(float(np.mean(np.abs(np.array(quartiles) - exact))) / (high - low))
    return errors


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.5, 1.0, 4.0])
    given = parser.parse_args()
    rows = json.loads(given.rows.read_text(encoding="utf-8"))
    rival = Tumult(rows)
    print("| epsilon | | Tumult |\n|---|---|---|")
    for epsilon in given.epsilons:
        runs = [errors_of(rows, rival(epsilon)) for _ in range(given.runs)]
        for kind in runs[0]:
            mean = float(np.mean([one for run in runs for one in run[kind]]))
            shown = (mean if kind == "quartiles" else math.sqrt(mean)) * (1.0 if kind == "counts" else 100.0)
            print(f"| {epsilon:g} | {kind} | {shown:.3g} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
