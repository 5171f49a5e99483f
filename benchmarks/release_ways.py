"""How a table may leave, and what somebody learns from what left: the methods of `releases.py`.

All with delta = 1 / n^2, adding or removing a record, and the same public bounds and categories. `Analyses`: a classifier of the target, and a
regression of a column that is a feature of it (`NUMBERS`), both scored on real test rows.
  rows, sketch, eigenvalue, moments  one release of the encoded rows (numbers as they are, categories as indicators), both analyses from it by the
              consumers that count its noise: the classifier is the sign of a line to +1 and -1
  projection  a public projection with the target's own noise beside it: its target is one column, so each analysis has a release of half the budget
  synthetic   a synthetic table of discreet; then `unprotected` on 16 public bins of its rows
  mst, aim    the same on synthetic tables by dpmm of the same size, in the same bins; the number of records is given to them. AIM with models of
              at most 2 MB and 100 steps a round, where its defaults are 80 MB and 1,000
  fit         no release: private fits on curves, each analysis for the whole budget
  open, linear  no privacy: the learners of synthetic rows, and those of encoded rows, on the records
  base        no privacy: the same answer for everybody
"""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from plain_tables import PlainTable
from tabular_methods import SYNTHETIC, Task, base, frame, invented, ours, schema_of, scored, unprotected

from discreet.consumers import MomentsRidge, NoisyRidge, ProjectedRidge, SketchRidge
from discreet.data import Schema
from discreet.noise import SystemNoise
from discreet.releases import PublishedRelease, publish, publish_synthetic

NUMBERS = {"adult": "hours-per-week", "lending": "int_rate"}
"""The column that a regression answers."""
GIVEN_AWAY = {"lending": ("grade", "sub_grade", "installment")}
"""Columns that a regression does without: they are functions of what it answers."""
SKETCHED = 2_000
"""Rows of a sketch."""
PROJECTED = 20
"""Columns of a projection."""


class Found(NamedTuple):
    """What a release was worth."""

    error: float
    squared: float
    """Error of the regression over the variance."""
    size: int
    """Bytes of what left."""


def folder_size(folder: Path) -> int:
    """Of all its files."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def both(task: Task) -> PlainTable:
    """Bounds and categories are public for both parts."""
    return replace(task.train, categories={name: np.array(levels) for name, levels in task.levels.items()})


def regression(table: PlainTable) -> PlainTable:
    """The same rows with another target; the former one is a category."""
    column, away = NUMBERS[table.name], {NUMBERS[table.name], *GIVEN_AWAY.get(table.name, ())}
    categories = {**table.categories, "former target": np.where(table.target > 0, "1", "0")}
    return replace(
        table,
        numbers={name: values for name, values in table.numbers.items() if name not in away},
        categories={name: values for name, values in categories.items() if name not in away},
        target=table.numbers[column],
        target_bounds=table.bounds[column],
        bounds={name: each for name, each in table.bounds.items() if name not in away},
    )


def numbers_task(task: Task) -> Task:
    """The regression."""
    return replace(task, train=regression(task.train), test=regression(task.test))


def both_analyses(task: Task, learner: Callable[[Task, Schema], Any], encoding: object) -> tuple[float, float]:
    """Error and squared error of a learner on the rows of a task."""
    numbers = numbers_task(task)
    classes = learner(task, schema_of(both(task), encoding))[0]
    return float(classes), float(learner(numbers, schema_of(both(numbers), encoding))[0])


def lines(task: Task, schema: Schema) -> Any:  # noqa: ANN401 - scores
    """Least squares on the records, for classes too."""
    train, test = (schema.encode(frame(part), target=part is task.train) for part in (task.train, task.test))
    X, new = (np.column_stack((part.rows.matvec(np.eye(part.rows.shape[1])), np.ones(part.rows.shape[0]))) for part in (train, test))
    return by_line(task, new @ np.linalg.lstsq(X, train.signs if train.numbers is None else train.numbers, rcond=None)[0])


def by_line(task: Task, predicted: Any) -> Any:  # noqa: ANN401 - scores
    """Of predictions on the scale of -1 to 1."""
    if task.test.target_bounds is None:
        return np.array([np.mean((predicted > 0) != (task.test.target > 0))])
    return scored(task, _Said(predicted), None)


@dataclass
class _Said:
    said: Any

    def predict(self, _: Any) -> Any:  # noqa: ANN401 - an estimator's manners
        """What was predicted already."""
        return self.said


def on_records(learner: Callable[[Task, Schema], Any], encoding: object) -> Callable[[Task], Found]:
    """Without a release."""
    return lambda task: Found(*both_analyses(task, learner, encoding), 0)


def synthetic(task: Task) -> Found:
    """Our synthetic table."""
    schema = replace(schema_of(both(task), SYNTHETIC), rows_per_person=1)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "out"
        made = publish_synthetic(
            frame(task.train), place, SystemNoise(), schema=schema, epsilon=task.epsilon, delta=task.delta, neighbours=task.relation
        )
        rows, size = made.frame(), folder_size(place)
    found = {name: rows.get_column(name).to_numpy() for name in rows.columns}
    numbers = {name: found[name].astype(float) for name in task.train.numbers}
    categories = {name: found[name].astype(str) for name in task.train.categories}
    target = (found["target"].astype(str) == "1").astype(float)
    train = replace(task.train, numbers=numbers, categories=categories, target=target)
    return Found(*both_analyses(replace(task, train=train), unprotected, SYNTHETIC), size)


def rival(pipeline: str, **settings: object) -> Callable[[Task], Found]:
    """A synthetic table by dpmm."""

    def run(task: Task) -> Found:
        made = invented(task, pipeline, **settings)
        with tempfile.TemporaryDirectory() as folder:
            pl.DataFrame(frame(made)).write_parquet(Path(folder) / "made.parquet")
            size = folder_size(Path(folder))
        return Found(*both_analyses(replace(task, train=made), unprotected, SYNTHETIC), size)

    return run


def released(task: Task, learnt: Callable[[PublishedRelease, Task], Found], **settings: object) -> Found:
    """One release of the encoded rows, and what is learnt from it."""
    schema = replace(schema_of(both(task), "linear"), rows_per_person=1, rows="bound")
    budget = {"epsilon": task.epsilon, "delta": task.delta, "neighbours": task.relation}
    with tempfile.TemporaryDirectory() as folder:
        made = publish(frame(task.train), Path(folder) / "out", SystemNoise(), schema=schema, **budget, **settings)
        return learnt(made, task)._replace(size=folder_size(Path(folder) / "out"))


def encoded_test(release: PublishedRelease, task: Task) -> Mapping[str, Any]:
    """The test rows in the columns of the release, by name, and the target."""
    schema = release.schema
    rows = schema.encode(frame(task.test), target=False).rows
    dense = rows.matvec(np.eye(rows.shape[1]))
    columns = dict(zip(schema.feature_names, dense.T, strict=True))
    return {**columns, "target": 2.0 * (task.test.target > 0) - 1.0}


def kept_columns(release: PublishedRelease, task: Task, answered: str) -> list[str]:
    """Features of an analysis, from a release of everything."""
    away = {answered} if answered == "target" else {answered, *GIVEN_AWAY.get(task.train.name, ())}
    return [column.name for column in release.columns if column.role != "constant" and column.name.split("=")[0] not in away]


def analysed(release: PublishedRelease, task: Task, line: Callable[[str, list[str]], Any]) -> Found:
    """Both analyses by lines: `line(answered, features)` is a fitted one."""
    columns, found = encoded_test(release, task), []
    for one, answered in ((task, "target"), (numbers_task(task), NUMBERS[task.train.name])):
        features = kept_columns(release, task, answered)
        predicted = line(answered, features).predict(np.column_stack([columns[name] for name in features]))
        found.append(float(by_line(one, predicted)[0]))
    return Found(*found, 0)


def from_moments(release: PublishedRelease, task: Task) -> Found:
    """Lines of released second moments."""
    return analysed(release, task, lambda answered, features: MomentsRidge(target=answered, features=features).fit_release(release))


def from_rows(release: PublishedRelease, task: Task) -> Found:
    """Lines of rows, or of a sketch, whose noise is the same on all numbers."""
    names, values = [column.name for column in release.columns], release.values()
    variance = float(release.noise_covariance[0, 0])

    def line(answered: str, features: list[str]) -> Any:  # noqa: ANN401 - an estimator
        X, y = values[:, [names.index(name) for name in features]], values[:, names.index(answered)]
        if release.method == "additive":
            return NoisyRidge(feature_noise=variance, target_noise=variance, records=len(task.train.target)).fit(X, y)
        return SketchRidge(noise_variance=variance).fit(X, y)

    return analysed(release, task, line)


def projection(task: Task) -> Found:
    """Two releases of half the budget: the target of a projection is one column."""
    found = []
    for one in (task, numbers_task(task)):
        half = replace(one, epsilon=task.epsilon / 2.0)
        schema = replace(schema_of(both(half), "linear"), rows_per_person=1, rows="bound")
        budget = {"epsilon": half.epsilon, "delta": task.delta / 2.0, "neighbours": task.relation, "slots": len(task.train.target)}
        with tempfile.TemporaryDirectory() as folder:
            made = publish(frame(half.train), Path(folder) / "out", SystemNoise(), schema=schema, method="projection", width=PROJECTED, **budget)
            columns = made.schema.encode(frame(half.test), target=False).rows
            line = ProjectedRidge(records=len(task.train.target)).fit_release(made)
            predicted = line.predict(columns.matvec(np.eye(columns.shape[1])))
            found.append(Found(float(by_line(half, predicted)[0]), 0.0, folder_size(Path(folder) / "out")))
    return Found(found[0].error, found[1].error, found[0].size + found[1].size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A method."""

    name: str
    says: str
    run: Callable[[Task], Found]
    private: bool = True
    needs: str = "discreet"


WAYS = (
    Way(name="rows", says="rows with noise", run=lambda task: released(task, from_rows, method="additive", slots=len(task.train.target))),
    Way(name="projection", says="two projections to 20 columns, noise on the target its own", run=projection),
    Way(name="sketch", says="sketch of 2,000 rows", run=lambda task: released(task, from_rows, method="sketch", rows=SKETCHED)),
    Way(
        name="eigenvalue",
        says="the same, noise lowered by a private eigenvalue",
        run=lambda task: released(task, from_rows, method="eigenvalue-sketch", rows=SKETCHED),
    ),
    Way(name="moments", says="second moments", run=lambda task: released(task, from_moments, method="moments")),
    Way(name="synthetic", says="synthetic table", run=synthetic, needs="mbi"),
    Way(name="mst", says="MST of dpmm 0.1.9", run=rival("MST"), needs="dpmm"),
    Way(name="aim", says="AIM of dpmm 0.1.9, small", run=rival("AIM", max_model_size=2, gen_kwargs={"n_iters": 100}), needs="dpmm"),
    Way(name="fit", says="no release: two private fits, the whole budget each", run=on_records(ours, "curve")),
    Way(name="open", says="without privacy, 16 bins", run=on_records(unprotected, SYNTHETIC), private=False),
    Way(name="linear", says="without privacy, lines on numbers as they are", run=on_records(lines, "linear"), private=False),
    Way(name="base", says="the same answer for everybody", run=on_records(base, "linear"), private=False),
)
