"""How often the intervals of descriptions cover.

    python benchmarks/description_coverage.py                  400 tables a cell, an hour on one core
    python benchmarks/description_coverage.py --runs 100       a quick look

Two populations: Adult, of whose 48,842 rows tables are drawn with replacement, by sex; and an invented one of smooth and skewed numbers with missing
values, dates, and categories down to 1 %, by city. Every run is a whole description of a new table (numbers of records, epsilon, delta 0 and 1e-6,
both relations in turns). Printed for each kind of number: the share of intervals at 95 % that cover, over all columns and groups, and that of the
worst of them among those whose number is no rounding (shares of at least 1 %, quantiles of numbers that are not whole). Intervals of shares, means,
deviations and quantiles should hold the population's numbers; those of counts, the table's own.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.data import CategoricalColumn, DateColumn, NumericColumn, Schema, Target
from discreet.data.adult import adult_schema, load_adult
from discreet.descriptions import Description, describe
from discreet.descriptions.asked import Asked, Column

RECORDS = (2_000, 20_000)
EPSILONS = (0.5, 1.0, 4.0)
_ALL = 3_000_000


class Population(NamedTuple):
    """Rows that tables are drawn from, and how they are described."""

    name: str
    rows: pl.DataFrame
    schema: Schema
    by: str
    pair: tuple[str, str]
    whole: tuple[str, ...]


def adult() -> Population:
    """The embedded table."""
    schema = adult_schema()
    rows = (
        load_adult()
        .select(schema.columns(target=True))
        .with_columns(
            pl.col(pl.String).replace("?", "unknown"), *(pl.col(one.name).cast(pl.Float64).clip(one.lower, one.upper) for one in schema.numeric)
        )
    )
    return Population("Adult", rows, schema, "sex", ("race", "income"), ("age", "hours-per-week", "education-num", "capital-gain", "capital-loss"))


def invented() -> Population:
    """Three million rows, so many that what they say is what their law says."""
    draw = np.random.default_rng(1)
    city = draw.choice(3, _ALL, p=[0.6, 0.3, 0.1])
    rows = pl.DataFrame(
        {
            "weight": np.clip(draw.normal(70 + 4 * city, 12), 30, 150),
            "income": np.clip(draw.lognormal(10, 0.8, _ALL), 0, 300_000),
            "score": draw.beta(2, 5, _ALL),
            "seen": draw.integers(0, 1500, _ALL),
            "city": np.array(["north", "south", "east"])[city],
            "ward": np.array(["A", "B", "C", "D"])[draw.choice(4, _ALL, p=[0.5, 0.4, 0.09, 0.01])],
            "ill": np.where(draw.uniform(size=_ALL) < 0.1 + 0.1 * city, "yes", "no"),
        }
    )
    dates = pl.lit(date(2020, 1, 1)) + pl.duration(days=pl.col("seen"))
    rows = rows.with_columns(dates.alias("seen"), pl.when(pl.Series(draw.uniform(size=_ALL) > 0.1)).then(pl.col("income")).alias("income"))
    schema = Schema(
        name="invented",
        target=Target(column="ill", classes=("no", "yes")),
        numeric=(
            NumericColumn(name="weight", lower=30, upper=150),
            NumericColumn(name="income", lower=0, upper=300_000, missing="indicator"),
            NumericColumn(name="score", lower=0, upper=1),
        ),
        date=(DateColumn(name="seen", lower="2020-01-01", upper=(date(2020, 1, 1) + timedelta(days=1500)).isoformat()),),
        categorical=(CategoricalColumn(name="city", categories=("north", "south", "east")), CategoricalColumn(name="ward", categories=tuple("ABCD"))),
    )
    return Population("invented", rows, schema, "city", ("ward", "ill"), ())


Truth = dict[tuple[str, ...], float]
"""By kind, group, column and place."""


def truth(rows: pl.DataFrame, asked: Asked) -> tuple[Truth, Truth]:
    """Numbers of a table, and its counts."""
    said: Truth = {}
    counts: Truth = {}
    for group in (*asked.groups, ""):
        part = rows if group == "" else rows.filter(pl.col(str(asked.by)) == group)
        counts["records", group, "", ""] = part.height
        for column in asked.described:
            values = part.get_column(column.name)
            if not column.numeric:
                for label in column.labels:
                    found = int((values == label).sum())
                    counts["count", group, column.name, label] = found
                    said["share", group, column.name, label] = found / max(1, part.height)
                continue
            numbers = _numbers(values, column)
            said["mean", group, column.name, ""] = float(numbers.mean())
            said["deviation", group, column.name, ""] = float(numbers.std())
            for share in asked.quantiles:
                said["quantile", group, column.name, f"{share:g}"] = float(np.quantile(numbers, share, method="inverted_cdf"))
        for first, second in asked.pair_columns():
            for one, other in product(first.labels, second.labels):
                same = (part.get_column(first.name) == one) & (part.get_column(second.name) == other)
                counts["pair", group, one, other] = int(same.sum())
    return said, counts


def _numbers(values: pl.Series, column: Column) -> npt.NDArray[np.float64]:
    if column.kind == "date":
        return values.cast(pl.Int32).to_numpy().astype(float)
    return values.drop_nulls().to_numpy().astype(float)


def intervals(found: Description) -> Iterator[tuple[tuple[str, ...], float, float]]:
    """Every interval, by what it is of."""
    asked = found.asked
    for part in found.parts:
        yield ("records", part.name, "", ""), part.records.low, part.records.high
        for name, counts in part.categories.items():
            for one in counts:
                yield ("count", part.name, name, one.label), one.low, one.high
                if one.share is not None:
                    yield ("share", part.name, name, one.label), one.share.low, one.share.high
        for name, number in part.numbers.items():
            yield ("mean", part.name, name, ""), number.mean.low, number.mean.high
            yield ("deviation", part.name, name, ""), number.deviation.low, number.deviation.high
            for share, quantile in zip(asked.quantiles, number.quantiles, strict=True):
                yield ("quantile", part.name, name, f"{share:g}"), quantile.low, quantile.high
        for (first, second), table in part.pairs.items():
            for one, row in zip(next(c for c in asked.described if c.name == first).labels, table, strict=True):
                for other, cell in zip(next(c for c in asked.described if c.name == second).labels, row, strict=True):
                    yield ("pair", part.name, one, other), cell.low, cell.high


def covered(population: Population, *, records: int, epsilon: float, delta: float, runs: int, seed: int) -> dict[tuple[str, ...], list[bool]]:
    """How often each interval of a cell covers."""
    draw = np.random.default_rng(seed)
    found: dict[tuple[str, ...], list[bool]] = defaultdict(list)
    known: Truth | None = None
    for run in range(runs):
        table = population.rows[draw.integers(0, population.rows.height, records)]
        one = describe(
            table,
            population.schema,
            epsilon=epsilon,
            delta=delta,
            neighbours=("replace-one", "add-remove")[run % 2],
            by=population.by,
            pairs=[population.pair],
            whole=population.whole,
        )
        if known is None:
            known, _ = truth(population.rows, one.asked)
        _, counts = truth(table, one.asked)
        for name, low, high in intervals(one):
            true = known[name] if name in known else counts[name]
            found[name].append(bool(low - 1e-9 * abs(low) <= true <= high + 1e-9 * abs(high)))
    return found


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    kinds = ("records", "count", "pair", "share", "mean", "deviation", "quantile")
    print("| population | records | epsilon | delta | " + " | ".join(kinds) + " | worst |")
    print("|---" * (5 + len(kinds)) + "|")
    for population in (adult(), invented()):
        if given.only not in population.name:
            continue
        for seed, (records, epsilon, delta) in enumerate(product(RECORDS, EPSILONS, (0.0, 1e-6))):
            found = covered(population, records=records, epsilon=epsilon, delta=delta, runs=given.runs, seed=seed)
            by_kind = {kind: [float(np.mean(held)) for name, held in found.items() if name[0] == kind] for kind in kinds}
            worst = min(found, key=lambda name: float(np.mean(found[name])))
            cells = " | ".join(f"{100 * np.mean(shares):.1f}" for shares in by_kind.values())
            name = " ".join(word for word in worst if word)
            print(f"| {population.name} | {records:,} | {epsilon:g} | {delta:g} | {cells} | {100 * np.mean(found[worst]):.1f} ({name}) |", flush=True)


if __name__ == "__main__":
    main()
