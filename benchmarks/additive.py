"""Private tables as people have them: ours untuned against every rival that installs, on one machine in one run.

    DISCREET_DATA=FOLDER python benchmarks/additive.py [--tables adult shoppers spambase phishing lending kdd mnist49 diamonds]
                                                       [--splits 5] [--epsilons 0.1 0.5 1 4] [--only METHOD ...] [--json FILE]

Methods, all with delta = 1 / n^2, all given the same public bounds and categories (`plain_tables.py` says which):
  linear      LinearSVC() (LinearRegression() for numbers) on a schema whose numbers enter as they are
  encoded     the same where numbers are curves, the schema's standard one; bins, several, fine, short, restless: 16 bins, 4, 8, 16 and 32 bins
              side by side, curves of twice as many knots, and curves whose resting value is 0.3 as long as others, or as long
  ebm         DPExplainableBoostingClassifier / Regressor of interpret, its defaults; its guarantee is for adding or removing a record
  diffprivlib LogisticRegression(data_norm=1) of diffprivlib on the encoded rows: delta = 0, replace-one, no intercept (with one it keeps no promise)
  descent     full-batch gradient descent with Gaussian noise on the encoded rows; steps, rate, averaging (and clipping, for numbers) are the best of
              42 (126) *by the test data, at no cost*, and for each column of the table anew
  synthetic   a synthetic table by the MST of dpmm, of as many records, numbers in 16 public bins; then `open` on these bins. Its guarantee is for
              adding or removing a record; the number of records is given to it
  open        no privacy: the logistic loss, or least squares, on the encoded rows with little regularisation

Figures are error, area under the ROC curve and log loss, or for numbers the mean squared error over the variance, averaged over splits; with the
standard error of the first. Adult is measured on its published split first, and then on `--splits` of 80 and 20 percent, as the others are. What
is not installed (interpret, diffprivlib, dpmm) is said once and left out. One environment holds all of them:

    pip install . interpret-core[debug]==0.7.* diffprivlib scikit-learn==1.7.2 pandas==2.3.3 opendp==0.12.1 deprecated disjoint-set networkx tqdm
    pip install --no-deps dpmm        # it asks for NumPy 1 and runs on 2
"""

import argparse
import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from plain_tables import TABLES, PlainTable, plain_table, splits
from sklearn.metrics import log_loss, roc_auc_score

from discreet import LinearRegression, LinearSVC, LogisticRegression
from discreet.accounting import gaussian_mu
from discreet.data import Schema
from discreet.data.encodings import Bins
from discreet.data.encodings.base import Bounds
from discreet.matrices import Matrix

RELATIONS = ("add-remove", "replace-one")
STEPS = (10, 30, 100)
RATES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
CLIPS = (0.1, 0.3, 1.0)
SYNTHETIC = Bins(count=16, steps="mixed")
"""What numbers are to a synthetic table."""
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One fit to be scored."""

    train: PlainTable
    test: PlainTable
    epsilon: float
    relation: str

    @property
    def levels(self) -> dict[str, list[str]]:
        """Public categories of columns."""
        both = {name: np.concatenate((column, self.test.categories[name])) for name, column in self.train.categories.items()}
        return {name: sorted(set(column.tolist())) for name, column in both.items()}

    @property
    def delta(self) -> float:
        """1 / n^2."""
        return 1.0 / len(self.train.target) ** 2


def schema_of(table: PlainTable, encoding: Any) -> Schema:  # noqa: ANN401 - as a schema has it
    """What is public about the table."""
    numeric = [{"name": name, "lower": low, "upper": high, "outside": "clip", "encoding": encoding} for name, (low, high) in table.bounds.items()]
    target: dict[str, Any] = {"column": "target", "classes": ["0", "1"]}
    if table.target_bounds is not None:
        target = {"column": "target", "lower": table.target_bounds[0], "upper": table.target_bounds[1]}
    categorical = [{"name": name, "categories": sorted(set(levels.tolist()))} for name, levels in table.categories.items()]
    return Schema.from_dict({"format": "discreet-schema/1", "name": table.name, "target": target, "numeric": numeric, "categorical": categorical})


def frame(table: PlainTable) -> dict[str, Any]:
    """The columns, as a caller would have them."""
    target = table.target if table.target_bounds is not None else np.where(table.target > 0, "1", "0")
    return {**table.numbers, **table.categories, "target": target}


def classified(table: PlainTable, decisions: Scores, probabilities: Scores) -> Scores:
    """Error, AUC, log loss."""
    found = table.target > 0
    cut = np.clip(probabilities, 1e-6, 1.0 - 1e-6)
    return np.array([np.mean((decisions > 0) != found), roc_auc_score(found, decisions), log_loss(found, cut)])


def regressed(table: PlainTable, predictions: Scores) -> Scores:
    """Mean squared error over the variance; the other two are not defined."""
    return np.array([np.mean(np.square(predictions - table.target)) / np.var(table.target), np.nan, np.nan])


def scored(task: Task, model: Any, rows: Any) -> Scores:  # noqa: ANN401 - an estimator and what it takes
    """Of a fitted estimator of ours."""
    if task.test.target_bounds is None:
        return classified(task.test, model.decision_function(rows), model.predict_proba(rows)[:, 1])
    low, high = task.test.target_bounds
    return regressed(task.test, low + (high - low) * (np.clip(model.predict(rows), -1.0, 1.0) + 1.0) / 2.0)


def _budget(task: Task) -> dict[str, Any]:
    return {"epsilon": task.epsilon, "delta": task.delta, "neighbours": task.relation}


def ours(task: Task, schema: Schema) -> Scores:
    """Untuned: the schema's rows and bound, and nothing else."""
    kind = LinearSVC if task.train.target_bounds is None else LinearRegression
    model = kind(**_budget(task), data_norm=schema.norm_bound)
    model.fit(schema.encode(frame(task.train), target=True))
    return scored(task, model, schema.encode(frame(task.test), target=False))


def unprotected(task: Task, schema: Schema) -> Scores:
    """The floor of these rows."""
    rows = schema.encode(frame(task.train), target=True)
    if task.train.target_bounds is not None:
        model: Any = LinearRegression(epsilon=np.inf, data_norm=schema.norm_bound).fit(rows)
    else:
        model = LogisticRegression(epsilon=np.inf, alpha=0.1 / len(task.train.target), data_norm=schema.norm_bound).fit(rows)
    return scored(task, model, schema.encode(frame(task.test), target=False))


def boosted(task: Task, _: Schema) -> Scores:
    """DP-EBM with its defaults, the kinds and bounds of columns given."""
    from interpret.privacy import DPExplainableBoostingClassifier, DPExplainableBoostingRegressor  # noqa: PLC0415 - an extra

    table = task.train
    names = [*table.numbers, *table.categories]
    shared = {
        "epsilon": task.epsilon, "delta": task.delta, "feature_names": names, "n_jobs": 1,
        "feature_types": ["continuous"] * len(table.numbers) + ["nominal"] * len(table.categories),
        "privacy_bounds": {index: table.bounds[name] for index, name in enumerate(table.numbers)},
    }  # fmt: skip

    def rows(part: PlainTable) -> npt.NDArray[np.object_]:
        return np.column_stack([np.asarray(column, dtype=object) for column in (*part.numbers.values(), *part.categories.values())])

    if table.target_bounds is None:
        model = DPExplainableBoostingClassifier(**shared).fit(rows(table), table.target.astype(int))
        return classified(task.test, model.decision_function(rows(task.test)), model.predict_proba(rows(task.test))[:, 1])
    low, high = table.target_bounds
    regressor = DPExplainableBoostingRegressor(**shared, privacy_target_min=low, privacy_target_max=high).fit(rows(table), table.target)
    return regressed(task.test, np.clip(regressor.predict(rows(task.test)), low, high))


def synthetic(task: Task, schema: Schema) -> Scores:
    """A model without privacy of a private synthetic table."""
    import pandas as pd  # noqa: PLC0415 - an extra
    from dpmm.pipelines import MSTPipeline  # noqa: PLC0415 - an extra

    table, known = task.train, task.levels
    between = {name: Bounds(lower=low, upper=high) for name, (low, high) in table.bounds.items()}
    cuts = {name: SYNTHETIC.points(bounds) for name, bounds in between.items()}
    columns: dict[str, npt.NDArray[np.int64]] = {
        **{name: SYNTHETIC.positions(column, between[name]).astype(np.int64) for name, column in table.numbers.items()},
        **{name: np.searchsorted(known[name], column) for name, column in table.categories.items()},
        "target": table.target.astype(np.int64),
    }
    sizes = {**{name: len(starts) for name, starts in cuts.items()}, **{name: len(levels) for name, levels in known.items()}, "target": 2}
    model = MSTPipeline(epsilon=task.epsilon, delta=task.delta, disable_processing=True, n_jobs=1)
    model.fit(pd.DataFrame(columns), domain=sizes, random_state=len(table.target))
    made = model.generate(n_records=len(table.target), random_state=len(table.target))

    def middle(name: str) -> Scores:
        edges = np.append(cuts[name], table.bounds[name][1])
        found: Scores = (0.5 * (edges[:-1] + edges[1:]))[made[name].to_numpy().astype(int)]
        return found

    invented = replace(
        table,
        numbers={name: middle(name) for name in table.numbers},
        categories={name: np.array(known[name])[made[name].to_numpy().astype(int)] for name in table.categories},
        target=made["target"].to_numpy().astype(float),
    )
    return unprotected(replace(task, train=invented), schema)


def diffprivlib(task: Task, schema: Schema) -> Scores:
    """Pure objective perturbation as published."""
    from diffprivlib.models import LogisticRegression as Rival  # noqa: PLC0415 - an extra

    train, test = (bounded(schema, part) for part in (task.train, task.test))
    dense = train.matvec(np.eye(train.shape[1]))
    model = Rival(epsilon=task.epsilon, data_norm=1.0, fit_intercept=False).fit(dense, task.train.target.astype(int))
    decisions = test.matvec(model.coef_[0])
    return classified(task.test, decisions, 1.0 / (1.0 + np.exp(-np.clip(decisions, -80, 80))))


def bounded(schema: Schema, part: PlainTable) -> Matrix:
    """Encoded rows of norm at most 1."""
    from discreet.matrices import AugmentedMatrix  # noqa: PLC0415 - only rivals need it

    rows = schema.encode(frame(part), target=False).rows
    count = rows.shape[0]
    return AugmentedMatrix(rows, scale=np.full(count, 1.0 / schema.norm_bound), constant=0.0)


def descent(task: Task, schema: Schema) -> Scores:
    """Every setting's scores (settings, 3)."""
    train, test = (bounded(schema, part) for part in (task.train, task.test))
    bounds = task.train.target_bounds
    targets = _sized(task.train.target, bounds) if bounds is not None else 2.0 * task.train.target - 1.0
    found = []
    for clip in CLIPS if bounds is not None else (1.0,):
        for steps in STEPS:
            for weights in _descended(train, targets, task, steps=steps, clip=clip, linear=bounds is not None):
                scores = test.matvec(weights)
                if bounds is None:
                    found += [classified(task.test, column, 1.0 / (1.0 + np.exp(-np.clip(column, -80, 80)))) for column in scores.T]
                else:
                    low, high = bounds
                    found += [regressed(task.test, low + (high - low) * (np.clip(column, -1.0, 1.0) + 1.0) / 2.0) for column in scores.T]
    return np.array(found)


def _sized(target: Scores, bounds: tuple[float, float]) -> Scores:
    return 2.0 * (target - bounds[0]) / (bounds[1] - bounds[0]) - 1.0


def _descended(rows: Matrix, targets: Scores, task: Task, *, steps: int, clip: float, linear: bool) -> tuple[Scores, Scores]:
    """Last iterate and average of the second half, (d, rates) each."""
    moved = clip * (1.0 if task.relation == "add-remove" else 2.0)
    noise = np.sqrt(steps) * moved / gaussian_mu(task.epsilon, task.delta)
    rate = np.array(RATES) / len(targets)
    weights = np.zeros((rows.shape[1], len(rate)))
    average = np.zeros_like(weights)
    random = np.random.default_rng(steps)
    signs = targets[:, np.newaxis]
    for step in range(steps):
        scores = rows.matvec(weights)
        slopes = np.clip(scores - signs, -clip, clip) if linear else -signs / (1.0 + np.exp(np.clip(signs * scores, -80.0, 80.0)))
        weights = weights - rate * (rows.rmatvec(slopes) + random.normal(0.0, noise, weights.shape))
        if step >= steps // 2:
            average += weights / (steps - steps // 2)
    return weights, average


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How to score a task, and for what it is there."""

    name: str
    run: Callable[[Task, Schema], Scores]
    encoding: Any = "curve"
    """Of numbers, as a schema has it."""
    relations: Sequence[str] = RELATIONS
    private: bool = True
    numbers: bool = True
    """Whether it knows targets that are numbers."""
    needs: str = "discreet"
    widest: int = 1_000_000
    """Columns beyond which it is left out: hours, or more memory than there is."""


METHODS = (
    Method(name="linear", run=ours, encoding="linear"),
    Method(name="encoded", run=ours),
    Method(name="bins", run=ours, encoding={"name": "bins", "count": 16, "steps": "mixed"}),
    Method(name="several", run=ours, encoding=[{"name": "bins", "count": count, "steps": "mixed"} for count in (4, 8, 16, 32)]),
    Method(name="fine", run=ours, encoding={"name": "curve", "count": 32}),
    Method(name="short", run=ours, encoding={"name": "curve", "rest": 0.3}),
    Method(name="restless", run=ours, encoding={"name": "curve", "rest": 1.0}),
    Method(name="ebm", run=boosted, relations=RELATIONS[:1], needs="interpret", widest=100),
    Method(name="diffprivlib", run=diffprivlib, relations=RELATIONS[1:], numbers=False, needs="diffprivlib"),
    Method(name="descent", run=descent),
    Method(
        name="synthetic",
        run=synthetic,
        encoding={"name": "bins", "count": 16, "steps": "mixed"},
        relations=RELATIONS[:1],
        numbers=False,
        needs="dpmm",
        widest=20,
    ),
    Method(name="open", run=unprotected, private=False),
)


def measured(
    table: PlainTable, method: Method, parts: Sequence[tuple[PlainTable, PlainTable]], epsilons: Sequence[float]
) -> Iterator[dict[str, Any]]:
    """One line a relation and epsilon."""
    schema = schema_of(table, method.encoding)
    for relation in method.relations if method.private else RELATIONS[:1]:
        for epsilon in epsilons if method.private else (np.inf,):
            found = [method.run(Task(train=train, test=test, epsilon=epsilon, relation=relation), schema) for train, test in parts]
            yield {"table": table.name, "method": method.name, "relation": relation, "epsilon": epsilon, **_summary(np.array(found))}


def _summary(found: Scores) -> dict[str, float]:
    """Of (splits, 3), or (splits, settings, 3): then each figure at its best setting."""
    spread = found
    if found.ndim == 3:
        mean = found.mean(axis=0)
        best = [int(np.argmin(mean[:, 0])), int(np.nanargmax(mean[:, 1])) if not np.isnan(mean[:, 1]).all() else 0, 0]
        best[2] = int(np.nanargmin(mean[:, 2])) if not np.isnan(mean[:, 2]).all() else 0
        spread = np.stack([found[:, best[figure], figure] for figure in range(3)], axis=1)
    error, auc, loss = spread.mean(axis=0)
    return {"error": error, "auc": auc, "log_loss": loss, "standard_error": float(spread[:, 0].std() / np.sqrt(len(spread)))}


def told(line: dict[str, Any]) -> str:
    """One line of the table."""
    figures = f"{line['error']:.4f} +- {line['standard_error']:.4f}"
    if not np.isnan(line["auc"]):
        figures += f"   {line['auc']:.3f}   {line['log_loss']:.3f}"
    return f"{line['table']:9s} {line['split']:9s} {line['method']:12s} {line['relation']:12s} {line['epsilon']:5g}   {figures}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="+", choices=list(TABLES), default=list(TABLES))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 0.5, 1.0, 4.0])
    parser.add_argument("--only", nargs="+", choices=[method.name for method in METHODS], help="these methods and no others")
    parser.add_argument("--records", type=int, help="at most this many for training, chosen at random: for a quick look")
    parser.add_argument("--json", type=Path, help="write every line to this file too")
    options = parser.parse_args()
    chosen = [method for method in METHODS if not options.only or method.name in options.only]
    for name in sorted({method.needs for method in chosen if not importlib.util.find_spec(method.needs)}):
        print(f"{name} is not installed: left out")
    lines: list[dict[str, Any]] = []
    for table in map(plain_table, options.tables):
        parts = list(splits(table, options.splits))
        if options.records:
            parts = [
                (train.part(np.arange(len(train.target)) if len(train.target) <= options.records else _some(train, options.records)), test)
                for train, test in parts
            ]
        print(
            f"{table.name}: {len(table.target)} x {len(table.numbers)} numbers and {len(table.categories)} categories, load {os.getloadavg()[0]:.1f}"
        )
        groups = [("published", parts[:1]), ("80/20", parts[1:])] if table.official is not None else [("80/20", parts)]
        for method in chosen:
            known = method.numbers or table.target_bounds is None
            if not known or not importlib.util.find_spec(method.needs) or len(table.numbers) + len(table.categories) > method.widest:
                continue
            for split, pairs in groups:
                for line in measured(table, method, pairs, options.epsilons) if pairs else ():
                    lines.append({**line, "split": split})
                    print(told(lines[-1]), flush=True)
                    if options.json:
                        options.json.write_text(json.dumps(lines, indent=1))


def _some(table: PlainTable, count: int) -> npt.NDArray[np.intp]:
    return np.random.default_rng(len(table.target)).permutation(len(table.target))[:count]


if __name__ == "__main__":
    main()
