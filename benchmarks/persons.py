"""A table of visits, 1 to 20 rows a person: what a promise to persons costs in test error, way by way.

    python -m benchmarks.persons [--seeds 5] [--epsilons 0.1 0.5 1 4] [--persons N] [--json FILE] [--figure docs/pictures/persons.svg]

Visits are made from Adult, the table that comes with discreet, by a public recipe. A person is a record: the 32,561 of adult.data for training
(`--persons`: the first N of them), the 16,281 of adult.test for the test. A person has m visits, P(m) proportional to 1 / m for m = 1..20 (5.6 on
average), whoever it is. A visit repeats the columns of the person, of which each but age and sex is left blank with probability 1/2; hours-per-week,
where it is not blank, is the person's plus a normal of deviation 10, rounded, from 1 to 99. The target of every visit is the person's. Numbers enter
as curves, blanks by an indicator or a category of their own; rows of norm 1.

Ways, all `LinearSVC` with nothing chosen, delta = 1e-6, add-remove:

    shared     M rows of a person are kept, drawn by the fit, and share the weight of one record: each row 1 / m ("person") or 1 / M ("row")
    one row    the same with M = 1
    by groups  the first M visits of a person, which are as good as any M by the recipe; a fit on rows at epsilon / M and the delta from which
               `to_persons` makes (epsilon, 1e-6) for persons, which is checked for every fit
    rows       a fit on all rows at the same (epsilon, 1e-6), which is NOT a promise to persons: the last column says what it promises to one of
               20 rows, as a group
    open       no privacy, all rows, those of a person with the weight 1 together

Each seed makes other visits, training and test, draws other rows and other noise. Error is the share of wrong visits of a person, averaged over
persons; +- is the standard error over seeds.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet import ADD_REMOVE, LinearSVC
from discreet.accounting import ApproximateDP, Guarantee, NoGuarantee, Unit, to_persons
from discreet.data import EncodedTable, Schema
from discreet.data.adult import adult_schema, load_adult
from studies.figures import Line, Panel, figure

MOST = 20
KEPT = (3, 7, MOST)
DELTA = 1e-6
ALWAYS = ("age", "sex")
BLANK = "blank"
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Visits:
    """A table, whose its rows are (n,), and the place of each among the visits of its person, from 0."""

    table: pl.DataFrame
    owners: Ints
    places: Ints
    rows: EncodedTable
    """The table, encoded."""
    positive: npt.NDArray[np.bool_]
    """Whether the target is the second class, (n,)."""

    def first(self, most: int, schema: Schema) -> EncodedTable:
        """At most so many of each person."""
        return schema.encode(self.table.filter(pl.Series(self.places < most)), target=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A row of the table."""

    name: str
    kept: int | None
    fit: Callable[[Visits, Schema, float, int], Any]
    """From visits, schema, epsilon and seed to a fitted model."""
    private: bool = True


def schema_of_visits() -> Schema:
    """Adult's, with blanks and curves."""
    record = adult_schema().to_dict()
    numeric = [{**column, "missing": "indicator", "encoding": "curve"} for column in record["numeric"]]
    categorical = [
        column if column["name"] in ALWAYS else {**column, "categories": [*column["categories"], BLANK], "other": BLANK, "missing": BLANK}
        for column in record["categorical"]
    ]
    return Schema.from_dict({**record, "name": "visits", "numeric": numeric, "categorical": categorical})


def visits(people: pl.DataFrame, schema: Schema, random: np.random.Generator) -> Visits:
    """By the recipe of the module docstring."""
    sizes = np.arange(1, MOST + 1)
    counts = random.choice(sizes, len(people), p=(1.0 / sizes) / np.sum(1.0 / sizes))
    owners = np.repeat(np.arange(len(people)), counts)
    places = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
    table = people[owners]
    hours = np.clip(np.round(table["hours-per-week"].to_numpy() + random.normal(0.0, 10.0, len(owners))), 1, 99)
    table = table.with_columns(pl.Series("hours-per-week", hours))
    blank = {name: random.random(len(owners)) < 0.5 for name in sorted(schema.columns(target=False)) if name not in ALWAYS}
    table = table.with_columns(pl.when(pl.Series(hidden)).then(None).otherwise(pl.col(name)).alias(name) for name, hidden in blank.items())
    positive = table["income"].to_numpy() == schema.target.classes[1]
    return Visits(table=table, owners=owners, places=places, rows=schema.encode(table, target=True), positive=positive)


def shared(train: Visits, schema: Schema, epsilon: float, seed: int, *, rows: int, weight: str) -> Any:  # noqa: ANN401 - an estimator
    """A promise to persons at the noise of one record."""
    model = _model(schema, epsilon, DELTA, seed, rows_per_person=rows, person_weight=weight)
    return model.fit(train.rows, persons=train.owners)


def by_groups(train: Visits, schema: Schema, epsilon: float, seed: int, *, rows: int) -> Any:  # noqa: ANN401
    """A promise to persons by one to rows. Raises ValueError where it is none of (epsilon, DELTA)."""
    share = epsilon / rows * (1.0 - 1e-9)
    delta = DELTA / math.fsum(math.exp(step * share) for step in range(rows)) * (1.0 - 1e-9)
    model = _model(schema, share, delta, seed).fit(train.first(rows, schema))
    if to_persons(model.certificate_.guarantee, rows).delta(epsilon) > DELTA:
        raise ValueError("the guarantee about rows is none of (epsilon, delta) about persons.")
    return model


def one_by_one(train: Visits, schema: Schema, epsilon: float, seed: int) -> Any:  # noqa: ANN401
    """No promise to persons with several rows."""
    return _model(schema, epsilon, DELTA, seed).fit(train.rows)


def unprotected(train: Visits, schema: Schema, _: float, seed: int) -> Any:  # noqa: ANN401
    """All rows, the weights of persons, hardly any regularisation."""
    model = _model(schema, np.inf, 0.0, seed, alpha=1e-6, rows_per_person=MOST, public_records=int(train.owners[-1]) + 1)
    return model.fit(train.rows, persons=train.owners)


def _model(schema: Schema, epsilon: float, delta: float, seed: int, **more: Any) -> LinearSVC:  # noqa: ANN401 - parameters
    return LinearSVC(epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE, data_norm=schema.norm_bound, random_state=seed, **more)


WAYS = (
    *(
        Way(name=f"shared, {weight}", kept=rows, fit=partial(shared, rows=rows, weight=weight))
        for weight in ("person", "row")
        for rows in reversed(KEPT)
    ),
    Way(name="one row", kept=1, fit=partial(shared, rows=1, weight="person")),
    *(Way(name="by groups", kept=rows, fit=partial(by_groups, rows=rows)) for rows in reversed(KEPT)),
    Way(name="rows", kept=None, fit=one_by_one),
    Way(name="open", kept=None, fit=unprotected, private=False),
)


def error(model: Any, test: Visits) -> float:  # noqa: ANN401 - an estimator
    """The share of wrong visits of a person, averaged over persons."""
    wrong = (model.decision_function(test.rows) > 0) != test.positive
    counts = np.bincount(test.owners)
    return float(np.mean(np.bincount(test.owners, weights=wrong) / counts))


def measured(epsilons: Sequence[float], seeds: int, persons: int | None) -> Iterator[dict[str, Any]]:
    """One line a way and epsilon, when all seeds are done; after a first one about the tables."""
    schema, table = schema_of_visits(), load_adult()
    train_people, test_people = table.filter(~pl.col("test"))[:persons], table.filter(pl.col("test"))
    found: dict[tuple[int, float], list[float]] = {}
    promises: dict[tuple[int, float], str] = {}
    sizes = []
    for seed in range(seeds):
        random = np.random.default_rng(1700 + seed)
        train, test = visits(train_people, schema, random), visits(test_people, schema, random)
        sizes.append(len(train.owners))
        for place, way in enumerate(WAYS):
            for epsilon in epsilons if way.private else (math.inf,):
                model = way.fit(train, schema, epsilon, seed)
                found.setdefault((place, epsilon), []).append(error(model, test))
                if (place, epsilon) not in promises:
                    promises[place, epsilon] = promised(model.certificate_.guarantee)
        rate = float(np.mean(test_people["income"].to_numpy() == schema.target.classes[1]))
    yield {"persons": len(train_people), "rows": float(np.mean(sizes)), "features": schema.features, "constant": rate}
    for (place, epsilon), errors in found.items():
        way = WAYS[place]
        spread = float(np.std(errors, ddof=1) / math.sqrt(seeds)) if seeds > 1 else math.nan
        promise = promises[place, epsilon] if way.name != "by groups" else f"({epsilon:.3g}, {DELTA:.2g})"
        yield {
            "way": way.name, "kept": way.kept, "epsilon": epsilon, "error": float(np.mean(errors)), "standard_error": spread, "promised": promise,
        }  # fmt: skip


def promised(guarantee: Guarantee) -> str:
    """What is promised to one person of MOST rows: as it stands, or of a guarantee about rows what follows for a group."""
    stated = guarantee if guarantee.unit is Unit.PERSON or isinstance(guarantee, NoGuarantee) else to_persons(guarantee, MOST)
    if not isinstance(stated, ApproximateDP) or stated.delta_at_epsilon >= 1:
        return "nothing"
    return f"({stated.epsilon:.3g}, {stated.delta_at_epsilon:.2g})"


def picture(lines: Sequence[dict[str, Any]]) -> str:
    """Error against epsilon, and at one epsilon against M."""

    def line(name: str, points: Sequence[tuple[float, dict[str, Any]]], **more: Any) -> Line:  # noqa: ANN401 - of a Line
        ordered = sorted(points, key=lambda point: point[0])
        errors, bars = [found["error"] for _, found in ordered], [found["standard_error"] for _, found in ordered]
        return Line(name=name, x=[x for x, _ in ordered], y=errors, error=bars, **more)

    def of(way: str, kept: int | None) -> list[tuple[float, dict[str, Any]]]:
        return [(found["epsilon"], found) for found in lines if found["way"] == way and found["kept"] == kept and math.isfinite(found["epsilon"])]

    epsilons = sorted({found["epsilon"] for found in lines if math.isfinite(found["epsilon"])})
    middle = min(epsilons, key=lambda epsilon: abs(math.log(epsilon)))
    openly = next(found for found in lines if found["way"] == "open")
    names = {
        "shared, person": "rows share a weight, persons count once",
        "shared, row": "rows share a weight, rows count alike",
        "one row": "one row a person",
        "by groups": "epsilon / M, by groups",
        "rows": "rows at the same number: no promise to persons",
        "open": "no privacy",
    }

    def along(way: str) -> list[tuple[float, dict[str, Any]]]:
        return [(found["kept"], found) for found in lines if found["epsilon"] == middle and found["way"] == way]

    left = [
        line(names["shared, person"], of("shared, person", MOST)),
        line(names["shared, row"], of("shared, row", MOST)),
        line(names["one row"], of("one row", 1)),
        line(names["by groups"], of("by groups", MOST)),
        line(names["rows"], of("rows", None), dashed=True),
        line(names["open"], [(epsilon, openly) for epsilon in epsilons], dashed=True, marked=False),
    ]
    once = along("one row")
    right = [
        line(names["shared, person"], [*once, *along("shared, person")]),
        line(names["shared, row"], [*once, *along("shared, row")]),
        line(names["one row"], once, joined=False),
        line(names["by groups"], [*once, *along("by groups")]),
        line(names["rows"], [(kept, found) for _, found in along("rows") for kept in (1, MOST)], dashed=True, marked=False),
        line(names["open"], [(kept, openly) for kept in (1, MOST)], dashed=True, marked=False),
    ]
    panels = [
        Panel(title=f"At most M = {MOST} rows of a person", across="epsilon", up="test error", lines=left, log_x=True),
        Panel(title=f"epsilon = {middle:g}", across="M, rows of a person that are kept", up="test error", lines=right, log_x=True),
    ]
    return figure(panels, title="Visits made from Adult, 1 to 20 rows a person: test error of a promise to persons")


def main() -> None:
    """Print the table, and write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.5, 1.0, 4.0])
    parser.add_argument("--persons", type=int, help="for training: the first of them")
    parser.add_argument("--json", type=Path, help="write every line to this file too")
    parser.add_argument("--figure", type=Path, help="write the picture to this file (.svg)")
    options = parser.parse_args()
    about, *lines = measured(options.epsilons, options.seeds, options.persons)
    print(f"{about['persons']:,} persons, {about['rows']:,.0f} rows, {about['features']} features; error of the constant {about['constant']:.4f}\n")
    print("| way | M | epsilon | test error | promised to a person of 20 rows |\n|---|---|---|---|---|")
    for line in lines:
        figures = f"{line['error']:.4f} +- {line['standard_error']:.4f}"
        print(f"| {line['way']} | {line['kept'] or 'all'} | {line['epsilon']:g} | {figures} | {line['promised']} |")
    if options.json:
        options.json.write_text(json.dumps({"table": about, "lines": lines}, indent=1), encoding="utf-8")
    if options.figure:
        options.figure.write_text(picture(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
