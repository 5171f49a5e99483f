"""Trade-offs, from public rows alone: what a private fit would be worth, what the planner proves, and how large the noise of a release is.

    fit        share of errors over a few private fits and of one without privacy, and the spread of the private weights, relative to their length:
               sqrt(mean_k |w_k - w|^2) / |w|,  w their mean
               of a number the root mean square error, over half the range of the target, which is its unit in everything here
    release    standard deviation of the noise on a number (rows) or on a mean square (sketch), beside numbers within the bound of the schema

Fits are tried out on rows of a sample that its owner declares public, or on rows invented from the schema:

    numbers and dates uniform between their bounds, labels uniform among their categories, x = the row that the schema makes of them;
    score_k = a (<u_k, x> - m_k),  u_k a random direction, m_k the median;      two classes: P(second) = 1 / (1 + e^{-(score_2 - score_1)})
    more: P(k) proportional to e^{score_k};       of classes in order score_k = k score / (K - 1)
    a such that the best possible predictor errs in the share that was asked for
    a number: the score, three deviations within [-1, 1], and normal errors that are the share of its variance that was asked for

No file is opened for invented rows. Their best predictor is known, so the planner's bound can be asked about a predictor of its norm. Nothing private
is read: calibrations need no rows at all. No ledger is spent on.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtr

from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, InvalidInput, quietly
from discreet.core.neighbours import Neighbours
from discreet.data import EncodedTable, NumberTarget, Schema, TimeTarget, read_table
from discreet.data import Target as ClassTarget
from discreet.data.labels import canonical
from discreet.display.workbench.wire import Fields
from discreet.estimators.forms import linear_decision
from discreet.estimators.kinds import check_learns, encoded_estimator, kind_named, learnt_from, settings_of
from discreet.ledger import without_ledger
from discreet.matrices import Matrix
from discreet.noise import SeededNoise
from discreet.planning import Plan
from discreet.queries import Target
from discreet.releases import SETTINGS, About, Kind, Publication, Request
from discreet.releases.columns import released_domain, released_schema
from discreet.releases.methods import ALL_METHODS

Codes: TypeAlias = npt.NDArray[np.intp]

MOST_NUMBERS = 4_000_000
"""Rows times columns of an invented table: a few seconds."""
TESTED = 4000
_SAMPLE_SHARE = 0.3
FITS, APART = 8, 4
PLANNED = ("linear-svc", "logistic-regression")
"""Kinds that the planner proves something about."""


class Trial(NamedTuple):
    """Public rows to fit on and to measure on."""

    fitted: EncodedTable
    tested: EncodedTable
    norm: float | None
    """Of the best predictor, intercept included, where it is known."""
    best: float | None
    """Its share of errors."""


def invented_trial(schema: Schema, *, records: int, best: float) -> Trial:
    """A trial on invented rows whose best predictor errs in the share `best` of all cases. Raises InvalidInput where the table would be too large."""
    target = schema.one_target
    if (records + TESTED) * len(schema.columns(target=False)) > MOST_NUMBERS:
        raise InvalidInput(f"that is too many invented rows to try in the browser. Use fewer than {_most(schema):,} records.")
    rows = _rows(schema, records + TESTED, 0)
    parts = [schema.encode(part, target=False).rows for part in (rows[:records], rows[records:])]
    if isinstance(target, NumberTarget):
        return _invented_numbers(schema, parts, best)
    if isinstance(target, TimeTarget):
        raise InvalidInput("models of times cannot be tried out here. Use `discreet fit`.")
    classes, ordered = len(target.classes), target.ordered
    directions = SeededNoise(1).gaussian(scale=1.0, dimension=schema.features, draws=1 if classes == 2 or ordered else classes)
    plain = _scores(parts, directions)
    middle = np.median(plain, axis=0)
    plain -= middle
    if ordered and classes > 2:
        plain = plain * (np.arange(classes) / (classes - 1.0))  # the odds of a class over the one below rise alike
    size = _size_for(plain, best)
    codes, least = _drawn(size * plain, _uniform(len(plain), 2))
    norm = None
    if classes == 2:
        # the constant feature of a fit is 0.3 times the norm bound; what the intercept weighs there belongs to the predictor's norm
        norm = size * math.hypot(float(np.linalg.norm(directions)), float(middle[0]) / (0.3 * schema.norm_bound))
    fitted, tested = (_table(schema, part, chosen) for part, chosen in zip(parts, (codes[:records], codes[records:]), strict=True))
    return Trial(fitted, tested, norm, least)


def _invented_numbers(schema: Schema, parts: list[Matrix], share: float) -> Trial:
    """Of which the best predictor leaves this share of the variance."""
    direction = SeededNoise(1).gaussian(scale=1.0, dimension=schema.features, draws=1)
    plain = _scores(parts, direction)[:, 0]
    spread = float(plain.std())
    error = SeededNoise(2).gaussian(scale=1.0, dimension=1, draws=len(plain))[0]
    numbers = (math.sqrt(1.0 - share) * (plain - plain.mean()) / spread + math.sqrt(share) * error) / 3.0
    numbers = np.clip(numbers, -1.0, 1.0)
    first = parts[0].shape[0]
    fitted, tested = (_numbered(schema, part, some) for part, some in zip(parts, (numbers[:first], numbers[first:]), strict=True))
    return Trial(fitted, tested, None, math.sqrt(share) / 3.0)


def _scores(parts: list[Matrix], directions: Floats) -> Floats:
    """<u_k, x> of all rows (n, K). Raises InvalidInput where they differ by rounding alone, which would pass for something to be learnt."""
    found = np.concatenate([part.matvec(directions) for part in parts])
    if float(found.std(axis=0).max()) <= 1e-9 * float(np.abs(found).max()):
        raise InvalidInput(
            "all rows of this description would be alike: a single number divided by its own length is always 1. Leave rows as they are "
            "(bound), or describe more columns."
        )
    return found


def _numbered(schema: Schema, rows: Matrix, numbers: Floats) -> EncodedTable:
    return EncodedTable(
        rows=rows,
        signs=None,
        codes=None,
        numbers=numbers,
        classes=(),
        schema=schema.name,
        numeric=len(schema.numeric),
        categorical=len(schema.categorical),
    )


def sample_trial(schema: Schema, path: str | Path, *, records: int) -> Trial:
    """A trial on the rows of a table that its owner declares public; the last 30 % are kept for measuring. Raises as reading and encoding do."""
    frame = read_table(path, schema.columns(target=True, persons=False), schema.file)
    fitted = min(records, math.floor(frame.height * (1.0 - _SAMPLE_SHARE)))
    if fitted < 10:
        raise InvalidInput("a public sample of at least 15 rows is needed.")
    parts = (frame[:fitted], frame[fitted : fitted + 5 * TESTED])
    first, second = (schema.encode(part, target=True, persons=False) for part in parts)
    return Trial(first, second, None, None)


def _most(schema: Schema) -> int:
    return max(1, MOST_NUMBERS // len(schema.columns(target=False)) - TESTED)


def _rows(schema: Schema, count: int, seed: int) -> pl.DataFrame:
    columns: dict[str, object] = {}
    for place, number in enumerate(schema.numeric):
        share = _uniform(count, seed + 1000 + place)
        columns[number.name] = np.minimum(number.lower + share * (number.upper - number.lower), number.upper)
    for place, date in enumerate(schema.date):
        days = date.bounds.lower + _uniform(count, seed + 500_000 + place) * (date.bounds.upper - date.bounds.lower)
        columns[date.name] = np.rint(days * 86_400e6).astype(np.int64).astype("datetime64[us]")
    for place, labels in enumerate(schema.categorical):
        share = _uniform(count, seed + 1_000_000 + place)
        names = np.array([canonical(label) for label in labels.categories], dtype=object)
        columns[labels.name] = names[np.minimum((share * len(names)).astype(np.intp), len(names) - 1)].tolist()
    return pl.DataFrame(columns)


def _uniform(count: int, seed: int) -> Floats:
    numbers: Floats = ndtr(SeededNoise(seed).gaussian(scale=1.0, dimension=1, draws=count)[0])
    return numbers


def _drawn(scores: Floats, uniform: Floats) -> tuple[Codes, float]:
    """Classes, and the share of errors of the best predictor."""
    chances = _chances(scores)
    codes = (uniform[:, np.newaxis] > np.cumsum(chances, axis=1)[:, :-1]).sum(axis=1).astype(np.intp)
    return codes, float(np.mean(1.0 - chances.max(axis=1)))


def _chances(scores: Floats) -> Floats:
    full = np.column_stack((np.zeros(len(scores)), scores)) if scores.shape[1] == 1 else scores
    powers = np.exp(full - full.max(axis=1, keepdims=True))
    chances: Floats = powers / powers.sum(axis=1, keepdims=True)
    return chances


def _size_for(plain: Floats, best: float) -> float:
    """The factor at which the best predictor errs in the share `best`: the share falls as the factor grows."""
    low, high = 1e-3, 1e6
    for _ in range(40):
        middle = math.sqrt(low * high)
        too_small = float(np.mean(1.0 - _chances(middle * plain).max(axis=1))) > best
        low, high = (middle, high) if too_small else (low, middle)
    return high


def _table(schema: Schema, rows: Matrix, codes: Codes) -> EncodedTable:
    two = len(schema.one_target.classes) == 2
    return EncodedTable(
        rows=rows,
        signs=np.where(codes == 1, 1.0, -1.0) if two else None,
        codes=None if two else codes.astype(np.int32),
        classes=schema.one_target.classes,
        schema=schema.name,
        numeric=len(schema.numeric),
        categorical=len(schema.categorical),
    )


class Budget(NamedTuple):
    """What a run may cost."""

    epsilon: float
    delta: float
    neighbours: str


class Measured(NamedTuple):
    """One point of the curves of a fit."""

    measure: str
    """What is measured: a share of errors, or an error."""
    mean: float
    """Of the private fits."""
    low: float
    high: float
    without_privacy: float | None
    """None for a model that has no ordinary fit."""
    guessing: float
    """Of always answering the commonest class of the public rows, or their mean."""
    spread: float
    records: int


def measured(kind: str, schema: Schema, trial: Trial, budget: Budget, settings: Mapping[str, Any] = MappingProxyType({})) -> Measured:
    """Fit and measure on public rows, with these settings of the model. Raises what a fit raises."""
    made = _estimator(kind, schema, budget, settings, seed=1)
    if kind not in PLANNED:
        return _measured_apart(kind, schema, trial, budget, settings)
    right = _codes(trial.tested)
    with without_ledger():
        private = made.fit_many(trial.fitted, count=FITS)
        plain = _estimator(kind, schema, budget._replace(epsilon=math.inf, delta=0.0), settings, seed=1).fit_many(trial.fitted, count=1)
    errors = [_errors(schema, trial.tested, coef, intercept, right) for coef, intercept in zip(private.coef, private.intercept, strict=True)]
    weights = np.column_stack((private.coef.reshape(FITS, -1), private.intercept.reshape(FITS, -1)))
    centre = weights.mean(axis=0)
    apart = math.sqrt(float(np.mean(np.sum((weights - centre) ** 2, axis=1))) * FITS / (FITS - 1))
    return Measured(
        measure="share of errors",
        mean=float(np.mean(errors)),
        low=min(errors),
        high=max(errors),
        without_privacy=_errors(schema, trial.tested, plain.coef[0], plain.intercept[0], right),
        guessing=1.0 - float(np.bincount(right).max()) / len(right),
        spread=apart / max(float(np.linalg.norm(centre)), 1e-300),
        records=trial.fitted.rows.shape[0],
    )


def _measured_apart(kind: str, schema: Schema, trial: Trial, budget: Budget, settings: Mapping[str, Any]) -> Measured:
    """Of a kind without many fits at once: one after the other, and half as many."""
    plain = budget._replace(epsilon=math.inf)
    with without_ledger():
        made = [_estimator(kind, schema, budget, settings, seed=seed).fit(trial.fitted) for seed in range(1, APART + 1)]
        try:
            without: float | None = _error(_estimator(kind, schema, plain, settings, seed=1).fit(trial.fitted), trial.tested)
        except DiscreetError:
            without = None  # of a loss that has no ordinary fit
    errors = [_error(one, trial.tested) for one in made]
    weights = np.array([one.weights_ for one in made])
    centre = weights.mean(axis=0)
    apart = math.sqrt(float(np.mean(np.sum((weights - centre) ** 2, axis=1))) * APART / (APART - 1))
    numbers = trial.tested.numbers
    if numbers is None:
        right = _codes(trial.tested)
        guessing = 1.0 - float(np.bincount(right).max()) / len(right)
    else:
        guessing = float(np.std(numbers))
    return Measured(
        measure="share of errors" if numbers is None else "root mean square error",
        mean=float(np.mean(errors)),
        low=min(errors),
        high=max(errors),
        without_privacy=without,
        guessing=guessing,
        spread=apart / max(float(np.linalg.norm(centre)), 1e-300),
        records=trial.fitted.rows.shape[0],
    )


def _error(estimator: Any, tested: EncodedTable) -> float:  # noqa: ANN401 - as above
    """The share of wrong classes, or the root mean square error of numbers."""
    found = estimator.predict(tested)
    if tested.numbers is not None:
        return math.sqrt(float(np.mean((found - tested.numbers) ** 2)))
    return float(np.mean(np.asarray(estimator.classes_)[_codes(tested)] != found))


def planned(kind: str, schema: Schema, budget: Budget, *, records: int, norm: float, excess: float) -> dict[str, object]:
    """What is proved: the excess loss at this number of records, and the records for an excess; None where nothing is."""
    plan = Plan(
        epsilon=budget.epsilon,
        delta=budget.delta,
        neighbours=Neighbours(budget.neighbours),
        features=schema.features,
        norm=norm,
        data_norm=schema.norm_bound,
        loss="logistic" if kind == "logistic-regression" else "softplus-hinge",
        rows_per_person=None if schema.persons is None else schema.persons.rows,
    )
    bound = plan.bound(records)
    try:
        needed: int | None = plan.records_for(excess).records
    except DiscreetError:
        needed = None
    return {
        "excess": bound.excess,
        "without_privacy": bound.without_privacy,
        "records": records,
        "norm": norm,
        "wanted": excess,
        "needed": needed,
        "needed_without_privacy": plan.records_without_privacy(excess),
    }


def planned_release(schema: Schema, method: str, budget: Budget, given: Fields) -> Publication:
    """A calibrated release; no table is read. `given` are its numbers by their options. Raises as `Publication.planned` does."""
    released = released_schema(schema)
    numbers: dict[str, Any] = {}
    needed = {one.name for way in ALL_METHODS[method].ways for one in (*way.needs, *way.takes)}
    for one in SETTINGS.values():
        if text := given.text(one.option):
            numbers[one.name] = quietly(partial(one.read, text), InvalidInput(f"{one.option} must be {one.form}; {text!r} was given."))
    numbers |= {name: getattr(budget, name) for name in ("epsilon", "delta") if name in needed and "bits" not in numbers}
    request = Request(
        domain=released_domain(released),
        target=Target(given.text("--target") or "noisy"),
        neighbours=Neighbours(budget.neighbours),
        schema=released,
        **numbers,
    )
    return Publication.planned(method, request, calibration="tight", schema=released, about=About())


def read_settings(kind: str, schema: Schema, given: Fields) -> dict[str, Any]:
    """Settings of a model by their options, as `discreet fit` reads them."""
    found: dict[str, Any] = {}
    for name, one in settings_of(kind_named(kind)).items():
        if text := given.text(f"--{name.removeprefix('fit_').replace('_', '-')}"):
            found[name] = text == "on" if one.spelling == "FLAG" else one.read(text)
    if "class_weight" in found and isinstance(schema.target, ClassTarget):
        labels = {canonical(label): label for label in schema.target.classes}
        found["class_weight"] = {labels.get(label, label): weight for label, weight in found["class_weight"].items()}
    return found


def noise_of_release(made: Publication, records: int) -> dict[str, object]:
    """How large the noise is, beside what it hides, and what can be said of a release of so many records."""
    query, mechanism = made.plan
    covariance = made.method.noise_covariance(mechanism.name, mechanism.parameters(), query, columns=len(made.columns))
    if covariance is None:
        raise InvalidInput("the noise of this release is not public, so it cannot be shown in advance.")
    kind, diagonal = made.method.kind, np.diag(covariance)
    largest = float(np.max(diagonal))
    return {
        "what": "numbers" if kind is Kind.ROWS else "second moments",
        "noise": {Kind.ROWS: math.sqrt(largest), Kind.MOMENTS: math.sqrt(2.0) * float(diagonal[-1])}.get(kind, largest),
        "said": [list(line) for line in made.outlook(records).lines()],
        "bound": made.request.domain.largest_entry,
        "columns": len(made.columns),
    }


def _estimator(kind: str, schema: Schema, budget: Budget, further: Mapping[str, Any], *, seed: int) -> Any:  # noqa: ANN401 - each kind has a fit of its own
    """On rows: what somebody says of persons is for the run. Raises InvalidInput for a target that this kind does not learn."""
    whose = replace(schema, person=None, rows_per_person=None)
    settings: dict[str, Any] = {"epsilon": budget.epsilon, "delta": budget.delta, "neighbours": budget.neighbours, "random_state": seed}
    if learnt_from(schema) == "ordered classes" and "ordered classes" in kind_named(kind).targets:
        settings["rows_per_person"] = 1  # as these ask to be told
    made = encoded_estimator(kind, whose, settings | dict(further))
    check_learns(made, schema)
    return made


def _codes(table: EncodedTable) -> Floats:
    found = table.codes if table.signs is None else table.signs > 0
    return np.asarray(found, dtype=np.intp)


def _errors(schema: Schema, table: EncodedTable, coef: Floats, intercept: Floats, right: Floats) -> float:
    many = len(schema.one_target.classes) > 2
    constant = intercept if many else float(intercept)
    decision = linear_decision(table.rows, weights=coef.T if many else coef, intercept=constant, data_norm=schema.norm_bound)
    chosen = decision.argmax(axis=1) if many else (decision > 0).astype(np.intp)
    return float(np.mean(chosen != right))
