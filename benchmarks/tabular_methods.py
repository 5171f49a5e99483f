"""What fits a table and is scored on another: ours untuned, and every rival that installs.

All have delta = 1 / n^2, and the same public bounds and categories (`plain_tables.py` says which):
  cuts        LinearSVC() (LinearRegression() for numbers) where public numbers decide between curves and private cuts: `discreet fit --cuts private`
  encoded     the same, numbers as the schema's standard curves, nothing of the budget for cuts: `discreet fit`
  linear      the same, numbers enter as they are
  calibrated  the same as `encoded`, probabilities corrected by private counts: `discreet fit --calibrate`
  bins, several, fine, short, restless   16 bins; 4, 8, 16 and 32 bins side by side; curves of twice as many knots; curves whose resting value is
              0.3 as long as others, or as long
  ebm         DPExplainableBoostingClassifier / Regressor of interpret, its defaults; its guarantee is for adding or removing a record
  diffprivlib LogisticRegression(data_norm=1) of diffprivlib on the encoded rows: delta = 0, replace-one, no intercept (with one it keeps no promise)
  descent     full-batch gradient descent with Gaussian noise on the encoded rows, every one of 42 settings (126 for numbers)
  synthetic   a synthetic table by the MST of dpmm, of as many records, numbers in 16 public bins; then `open` on these bins. Its guarantee is for
              adding or removing a record; the number of records is given to it. A target that is a number is in 16 bins too
  aim         the same by AIM, with models of at most 2 MB and 100 steps a round (its defaults: 80 MB and 1,000)
  open        no privacy: the logistic loss, or least squares, on the encoded rows with little regularisation
  base        no privacy: the share of each class, or the mean
Tables of more than 100 numbers have linear rows for all of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from plain_tables import PlainTable
from sklearn.metrics import log_loss, roc_auc_score

from discreet import LinearRegression, LinearSVC, LogisticRegression
from discreet.accounting import gaussian_mu
from discreet.data import Schema
from discreet.data.encodings import Bins
from discreet.data.encodings.base import Bounds
from discreet.estimators import fit_with_calibration, fit_with_cuts
from discreet.matrices import Matrix

RELATIONS = ("add-remove", "replace-one")
STEPS = (10, 30, 100)
RATES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
CLIPS = (0.1, 0.3, 1.0)
WIDE = 100
"""Numbers beyond which rows are linear."""
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
    target: dict[str, Any] = {"column": "target", "classes": [str(code) for code in range(table.classes)]}
    if table.target_bounds is not None:
        target = {"column": "target", "lower": table.target_bounds[0], "upper": table.target_bounds[1]}
    categorical = [{"name": name, "categories": sorted(set(levels.tolist()))} for name, levels in table.categories.items()]
    return Schema.from_dict({"format": "discreet-schema/1", "name": table.name, "target": target, "numeric": numeric, "categorical": categorical})


def frame(table: PlainTable) -> dict[str, Any]:
    """The columns, as a caller would have them."""
    target = table.target if table.target_bounds is not None else table.target.astype(int).astype(str)
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


def _untuned(task: Task, schema: Schema) -> Any:  # noqa: ANN401 - an estimator
    kind = LinearSVC if task.train.target_bounds is None else LinearRegression
    return kind(**_budget(task), data_norm=schema.norm_bound)


def ours(task: Task, schema: Schema) -> Scores:
    """Untuned: the schema's rows and bound, and nothing else."""
    model = _untuned(task, schema).fit(schema.encode(frame(task.train), target=True))
    return scored(task, model, schema.encode(frame(task.test), target=False))


def with_cuts(task: Task, schema: Schema) -> Scores:
    """Untuned, cuts and all within the budget."""
    found = fit_with_cuts(_untuned(task, schema), frame(task.train), schema)
    return scored(task, found.model, found.schema.encode(frame(task.test), target=False))


def calibrated(task: Task, schema: Schema) -> Scores:
    """Untuned, probabilities corrected by private counts, all within the budget."""
    found = fit_with_calibration(_untuned(task, schema), schema.encode(frame(task.train), target=True))
    return scored(task, found.model, schema.encode(frame(task.test), target=False))


def base(task: Task, _: Schema) -> Scores:
    """The same answer for everybody."""
    middle = float(np.mean(task.train.target))
    everybody = np.full(len(task.test.target), middle)
    return classified(task.test, everybody - 0.5, everybody) if task.train.target_bounds is None else regressed(task.test, everybody)


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


def synthetic(task: Task, schema: Schema, pipeline: str = "MST", **settings: object) -> Scores:
    """A model without privacy of a private synthetic table."""
    return unprotected(replace(task, train=invented(task, pipeline, **settings)), schema)


def invented(task: Task, pipeline: str = "MST", **settings: object) -> PlainTable:
    """A private synthetic table of dpmm, by "MST" or "AIM"; `settings` are theirs. Choices and rows have a new seed each time, as noise has."""
    import pandas as pd  # noqa: PLC0415 - an extra
    import quick_dpmm  # noqa: F401, PLC0415 - a rival mended before it runs
    from dpmm import pipelines  # noqa: PLC0415 - an extra

    table, known = task.train, task.levels
    number = {} if table.target_bounds is None else {"target": table.target_bounds}
    numbers = {**table.numbers, **({"target": table.target} if number else {})}
    between = {name: Bounds(lower=low, upper=high) for name, (low, high) in {**table.bounds, **number}.items()}
    cuts = {name: SYNTHETIC.points(bounds) for name, bounds in between.items()}
    columns: dict[str, npt.NDArray[np.int64]] = {
        **{name: SYNTHETIC.positions(column, between[name]).astype(np.int64) for name, column in numbers.items()},
        **{name: np.searchsorted(known[name], column) for name, column in table.categories.items()},
        **({} if number else {"target": table.target.astype(np.int64)}),
    }
    levels = {name: len(found) for name, found in (cuts | known).items()}
    sizes = {name: levels.get(name, table.classes) for name in columns}
    model = getattr(pipelines, f"{pipeline}Pipeline")(epsilon=task.epsilon, delta=task.delta, disable_processing=True, n_jobs=1, **settings)
    chosen, drawn = np.random.default_rng().integers(2**31, size=2)
    model.fit(pd.DataFrame(columns), domain=sizes, random_state=int(chosen))
    made = model.generate(n_records=len(table.target), random_state=int(drawn))
    places = {name: made[name].to_numpy().astype(int) for name in columns}

    def middle(name: str) -> Scores:
        edges = np.append(cuts[name], between[name].upper)
        found: Scores = (0.5 * (edges[:-1] + edges[1:]))[places[name]]
        return found

    return replace(
        table,
        numbers={name: middle(name) for name in table.numbers},
        categories={name: np.array(known[name])[places[name]] for name in table.categories},
        target=middle("target") if number else places["target"].astype(float),
    )


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
    regressions: bool = True
    """Whether it knows targets that are numbers."""
    needs: str = "discreet"
    widest: int = 100
    """Columns beyond which it is left out: hours, or more memory than there is."""
    narrowest: int = 0
    """Columns of numbers that it is about."""
    aside: bool = False
    """Only where it is asked for by name."""

    def knows(self, table: PlainTable) -> bool:
        """Whether it is there for a table."""
        numbers = len(table.numbers)
        return self.narrowest <= numbers and numbers + len(table.categories) <= self.widest and (self.regressions or table.target_bounds is None)

    def scores(self, table: PlainTable, task: Task) -> Scores:
        """Error, area and log loss, (3,), or (settings, 3); nan where a figure is not defined."""
        return self.run(task, schema_of(table, "linear" if len(table.numbers) > WIDE else self.encoding))


_ANY = 1_000_000
_BINS = {"name": "bins", "count": 16, "steps": "mixed"}
METHODS = (
    Method(name="cuts", run=with_cuts, encoding="linear", narrowest=1),
    Method(name="encoded", run=ours),
    Method(name="linear", run=ours, encoding="linear", widest=_ANY, narrowest=1),
    Method(name="calibrated", run=calibrated, regressions=False, widest=_ANY, aside=True),
    Method(name="bins", run=ours, encoding=_BINS, aside=True),
    Method(name="several", run=ours, encoding=[{"name": "bins", "count": count, "steps": "mixed"} for count in (4, 8, 16, 32)], aside=True),
    Method(name="fine", run=ours, encoding={"name": "curve", "count": 32}, aside=True),
    Method(name="short", run=ours, encoding={"name": "curve", "rest": 0.3}, aside=True),
    Method(name="restless", run=ours, encoding={"name": "curve", "rest": 1.0}, aside=True),
    Method(name="ebm", run=boosted, relations=RELATIONS[:1], needs="interpret", widest=_ANY),
    Method(name="diffprivlib", run=diffprivlib, relations=RELATIONS[1:], regressions=False, needs="diffprivlib", widest=_ANY),
    Method(name="descent", run=descent, widest=_ANY),
    Method(name="synthetic", run=synthetic, encoding=_BINS, relations=RELATIONS[:1], needs="dpmm"),
    Method(
        name="aim",
        run=partial(synthetic, pipeline="AIM", max_model_size=2, gen_kwargs={"n_iters": 100}),
        encoding=_BINS,
        relations=RELATIONS[:1],
        needs="dpmm",
        aside=True,
    ),
    Method(name="open", run=unprotected, private=False, widest=_ANY),
    Method(name="base", run=base, private=False, widest=_ANY),
)
