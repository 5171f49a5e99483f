"""Measuring a classifier on private records: one release of noisy integers, and everything else computed from it.

    report = evaluate_privately(model, X, y, epsilon=0.5, delta=1e-6, metrics=("accuracy", "roc", "calibration"))

The records cost (epsilon, delta) once, whatever the number of metrics: they are read from at most one histogram and one sum (module `survey`), which
one mechanism answers together (discreet/mechanisms/counting/counting.md). The model, its classes, the score bins and the clipping bound are public;
so is the number of records under replace-one, and it is not under add-remove. Where `persons` says whose rows are whose, the unit is a person: n is
theirs, shares are of what rows weigh, and intervals are about the population that persons are drawn from (module `shares`). A model that was fitted
on the same records has spent its own budget: the two add up, which a ledger does for you.

An evaluation as a file, read back: it holds the integers, the plan of the queries and the certificate (`PrivateEvaluation.to_dict`). Everything else
in it is post-processing of these, and one that says anything else is refused.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from discreet.accounting import Guarantee
from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.errors import FileFormatError, InvalidInput, frameless
from discreet.core.files.strict_json import read_back
from discreet.core.files.text_file import read_parsed
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons, neighbours_of
from discreet.core.validate import job_count, number
from discreet.data import BlockTable, EncodedTable
from discreet.evaluation.curves import CalibrationCurve, RocCurve, calibration_curve, roc_curve
from discreet.evaluation.intervals import Estimate, NoiseLaw, checked_level, mean_interval, noisy_range, proportion_interval, ratio_interval
from discreet.evaluation.outcomes import Outcomes, StoredModel, classes_of, has_probabilities, has_scores, outcomes_of
from discreet.evaluation.report import FORMAT, PrivateEvaluation
from discreet.evaluation.shares import Widths, share_interval
from discreet.evaluation.survey import LEVELS, Survey, answered, edges_for, mechanism_of
from discreet.ledger import Account
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.counting import CountingMechanism, GaussianCounting, LaplaceCounting
from discreet.mechanisms.counting.queries import parts_of
from discreet.mechanisms.persons import held_rule, owners_of, table_rule
from discreet.noise import Noise, SeededNoise, SystemNoise


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A survey with its calibrated mechanism: everything but the records."""

    survey: Survey
    mechanism: CountingMechanism
    classes: tuple[Any, ...]
    level: float

    @property
    def guarantee(self) -> Guarantee:
        """What the evaluation will cost."""
        return self.mechanism.guarantee(self.survey.queries())

    @property
    def parts(self) -> int:
        """What one record counts in the released integers."""
        return parts_of(self.survey.persons)

    def law(self, query: int, count: int = 1) -> NoiseLaw:
        """Of the sum of the noise on `count` integers of this query, in records."""
        return _law(isinstance(self.mechanism, GaussianCounting), self.mechanism.scales[query], count, self.parts)

    def share(self, yes: float, total: float, widths: Widths, *, public: bool) -> Estimate:
        """Of what rows weigh where persons have several; `public` where `total` is their number."""
        rows = 1 if self.survey.persons is None else self.survey.persons.rows
        return share_interval(yes, total, widths, persons=int(total) if public else None, rows=rows, level=self.level)

    def two_shares(self, yes: float, no: float, law: NoiseLaw, other: NoiseLaw) -> Estimate:
        """The same from two noisy numbers of rows."""

        def widths(error: float) -> tuple[float, float]:
            first, second = law.quantile(0.5 * error), other.quantile(0.5 * error)
            return first, second - first

        return self.share(yes, yes + no, widths, public=False)


@lru_cache(maxsize=128)
def _law(normal: bool, scale: float, count: int, parts: int) -> NoiseLaw:  # noqa: FBT001 - private
    return NoiseLaw.gaussian(scale, count=count, parts=parts) if normal else NoiseLaw.laplace(scale, count=count, parts=parts)


@frameless
def evaluate_privately(  # noqa: PLR0913 - each is a public choice
    model: Any,  # noqa: ANN401 - whatever predicts
    X: Any,  # noqa: ANN401 - whatever the model takes
    y: Any = None,  # noqa: ANN401 - labels of any kind
    *,
    epsilon: float,
    delta: float = 0.0,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    metrics: Sequence[str] = ("accuracy", "confusion"),
    bins: int = 20,
    edges: Sequence[float] | None = None,
    log_loss_bound: float = 5.0,
    level: float = 0.95,
    account: Account | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    persons: Any = None,  # noqa: ANN401 - ids of any kind
    rows_per_person: int | None = None,
    person_weight: str = "person",
) -> PrivateEvaluation:
    """Release measures of a fitted classifier on private records X (n, d) with classes y (n,), at a cost of (epsilon, delta).

    `model` is a classifier with `classes_` and `predict` (ours or scikit-learn's) or a `Model`, for which X may be a table with its target and y is
    left out. X may be a BlockTable, which brings its classes: it is read once, by `n_jobs` threads, and every record counts once, whatever its
    weight. `metrics` are some of "accuracy", "confusion", "log_loss" (needs probabilities), "roc" and "calibration" (two classes). `bins` (even) or
    `edges` divide the scores, publicly; `log_loss_bound` is where the loss of a record is cut. `level` is that of the intervals. `account` is where
    to spend; None spends on the ledger in use. `random_state` None draws noise from the operating system; a seed makes the certificate invalid.

    `persons` (n,) ids say whose row each is, and at most `rows_per_person` of a person, drawn uniformly, are kept: neighbours then differ in all
    rows of a person. With `person_weight` "person" every person counts once, by the share of its rows that are right; with "row" kept
    rows count alike. rows_per_person=1 needs no ids: nobody has a second row, as you say.

    Raises InvalidInput or InvalidType for what cannot be measured, BudgetExceeded before noise is drawn. No message holds a value of X or y.
    """
    in_blocks = isinstance(X, BlockTable)
    if in_blocks and y is not None:
        raise InvalidInput("a table that is read in blocks brings its own classes; leave y out.")
    if isinstance(model, StoredModel) and not isinstance(X, EncodedTable | BlockTable):
        X = model.schema.encode(X, target=True)
    if in_blocks:
        rule = table_rule(X, persons, rows_per_person, person_weight)
    else:
        rule, persons = held_rule(X, persons, rows_per_person, person_weight)
    prepared = prepare(
        model,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        metrics=metrics,
        bins=bins,
        edges=edges,
        log_loss_bound=log_loss_bound,
        level=level,
        persons=rule,
    )
    noise, jobs = _noise(random_state), job_count(n_jobs)
    if in_blocks:
        return measure_blocks(prepared, model, X, noise, account=account, jobs=jobs)
    return measure(prepared, outcomes_of(model, X, y, wanted=prepared.survey.wanted), noise, account=account, persons=persons)


def prepare(  # noqa: PLR0913 - as above
    model: Any,  # noqa: ANN401 - as above
    *,
    epsilon: float,
    delta: float = 0.0,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    metrics: Sequence[str] = ("accuracy", "confusion"),
    bins: int = 20,
    edges: Sequence[float] | None = None,
    log_loss_bound: float = 5.0,
    level: float = 0.95,
    persons: Persons | None = None,
) -> Prepared:
    """Everything about `evaluate_privately` that needs no records, its guarantee included; raises what it would raise about its arguments.

    `persons` None is what the schema of a `Model` says.
    """
    relation = neighbours_of(neighbours)
    checked_level(level)
    classes = classes_of(model)
    probabilities = has_probabilities(model)
    wanted = (metrics,) if isinstance(metrics, str) else tuple(metrics)
    curves = {"roc", "calibration"} & set(wanted)
    if curves and not has_scores(model):
        raise InvalidInput("roc and calibration need a model with probabilities or decision values; this one predicts classes only.")
    survey = Survey(
        metrics=wanted,
        classes=len(classes),
        neighbours=relation,
        probabilities=probabilities,
        edges=edges_for(probabilities=probabilities, bins=bins, edges=edges) if curves else (),
        log_loss_bound=number(log_loss_bound, "log_loss_bound"),
        persons=model.schema.persons if persons is None and isinstance(model, StoredModel) else persons,
    )
    budget, failure = number(epsilon, "epsilon"), number(delta, "delta")
    if not 0 <= failure < 1:
        raise InvalidInput(f"delta must be at least 0 and less than 1; {delta!r} was given. Take delta well below 1 / n.")
    mechanism: CountingMechanism
    if failure > 0:
        mechanism = GaussianCounting.calibrate(survey.queries(), epsilon=budget, delta=failure, neighbours=relation)
    else:
        mechanism = LaplaceCounting.calibrate(survey.queries(), epsilon=budget, neighbours=relation)
    prepared = Prepared(survey=survey, mechanism=mechanism, classes=classes, level=level)
    for query in range(len(mechanism.scales)):
        prepared.law(query)  # noise too wide for error bars is refused here, before anything is spent
    return prepared


def measure(
    prepared: Prepared,
    outcomes: Outcomes,
    noise: Noise,
    *,
    account: Account | None = None,
    persons: Any = None,  # noqa: ANN401 - as above
) -> PrivateEvaluation:
    """Spend, release, and read the report from what was released; `persons` (n,) are ids, or None where rows are not told apart."""
    survey = prepared.survey
    _require_records(survey, outcomes.records)
    queries = survey.queries()
    owners = owners_of(persons, rule=survey.persons, rows=outcomes.records, noise=noise)
    answers = queries.answers(*owners.kept(survey.read(outcomes)))
    release = prepared.mechanism.run(queries, Numbers(tuple(answers), outcomes.content()), noise, account=account)
    return read_report(prepared, release, None if survey.secret else owners.number)


def measure_blocks(
    prepared: Prepared,
    model: Any,  # noqa: ANN401 - as above
    table: BlockTable,
    noise: Noise,
    *,
    account: Account | None = None,
    jobs: int = 1,
) -> PrivateEvaluation:
    """The same for a table that is read in blocks, once; and twice more for a ledger, which knows it again."""
    survey = prepared.survey
    found = answered(survey, model, table, noise, jobs=jobs)
    _require_records(survey, found.records)
    release = prepared.mechanism.run(survey.queries(), Numbers(found.answers, found.content), noise, account=account)
    return read_report(prepared, release, None if survey.secret else found.records)


def _require_records(survey: Survey, records: int) -> None:
    if records == 0 and survey.neighbours is not ADD_REMOVE:
        raise InvalidInput("there are no records; at least one is needed when their number is public.")


def read_report(prepared: Prepared, release: Release, records: int | None) -> PrivateEvaluation:
    """Post-processing: the released integers, and the number of records where it is public (else None), to measures."""
    survey, level = prepared.survey, prepared.level
    # Where rows count alike, numbers are of rows: those that one record weighs.
    value, each = release.value / prepared.parts, survey.persons.rows if survey.by_rows and survey.persons is not None else 1
    counts = value[: len(value) - survey.has_sum]
    total, total_error, spread = _records(prepared, counts, records)
    confusion = _confusion(survey, each * counts)
    return PrivateEvaluation(
        classes=prepared.classes,
        survey=survey,
        level=level,
        records=each * total,
        records_error=each * total_error,
        accuracy=_accuracy(prepared, counts, records) if survey.main in {"scores", "confusion", "answers"} else None,
        confusion=None if confusion is None else tuple(tuple(row) for row in confusion.tolist()),
        confusion_error=None if confusion is None else each * prepared.law(0, len(counts) // confusion.size).quantile(1.0 - level),
        log_loss=_log_loss(prepared, float(value[-1]), spread, counts) if survey.has_sum else None,
        roc=_roc(prepared, counts) if "roc" in survey.metrics else None,
        calibration=_calibration(prepared, counts) if "calibration" in survey.metrics else None,
        certificate=release.certificate,
        value=release.value,
    )


def _records(prepared: Prepared, counts: Floats, records: int | None) -> tuple[float, float, tuple[float, float, float]]:
    """The number of records, how far off it may be, and a range for it."""
    if records is not None:
        return float(records), 0.0, (float(records),) * 3
    law = prepared.law(0, len(counts))
    total = float(np.sum(counts))
    return total, law.quantile(1.0 - prepared.level), noisy_range(total, law, prepared.level)


def _confusion(survey: Survey, counts: Floats) -> Floats | None:
    if survey.main == "confusion":
        return counts.reshape(survey.classes, survey.classes)
    if survey.main != "scores":
        return None
    rows, place = counts.reshape(2, -1), survey.edges.index(survey.threshold) + 1
    return np.column_stack((rows[:, :place].sum(axis=1), rows[:, place:].sum(axis=1)))


def _accuracy(prepared: Prepared, counts: Floats, records: int | None) -> Estimate:
    survey = prepared.survey
    if survey.main == "answers" and records is not None:
        return _proportion(prepared, float(counts[0]), records, prepared.law(0))
    if survey.main == "answers":
        right, cells = float(counts[1]), 1
    elif survey.main == "confusion":
        right, cells = float(np.trace(counts.reshape(survey.classes, survey.classes))), survey.classes
    else:
        rows, place = counts.reshape(2, -1), survey.edges.index(survey.threshold) + 1
        right = float(rows[0, :place].sum() + rows[1, place:].sum())
        cells = rows.shape[1]
    if records is None:
        wrong = float(np.sum(counts)) - right
        return _ratio(prepared)(right, wrong, prepared.law(0, cells), prepared.law(0, len(counts) - cells))
    if 2 * cells == len(counts):
        # As many cells are right as wrong and n is known: n less the wrong ones is a second count, and the mean of the two has half the variance.
        right = 0.5 * (right + records - (float(np.sum(counts)) - right))
        return _proportion(prepared, right, records, prepared.law(0, len(counts)).halved())
    return _proportion(prepared, right, records, prepared.law(0, cells))


def _proportion(prepared: Prepared, right: float, records: int, law: NoiseLaw) -> Estimate:
    if prepared.survey.shared:
        return prepared.share(right, records, lambda error: (law.quantile(error), 0.0), public=True)
    return proportion_interval(right, records, law, level=prepared.level)


def _ratio(prepared: Prepared) -> Callable[[float, float, NoiseLaw, NoiseLaw], Estimate]:
    """The interval of a share, of numbers of records that are both noisy."""
    return prepared.two_shares if prepared.survey.shared else partial(ratio_interval, level=prepared.level)


def _log_loss(prepared: Prepared, total: float, records: tuple[float, float, float], counts: Floats) -> Estimate:
    bound, level = prepared.survey.log_loss_bound, prepared.level
    law = prepared.law(len(prepared.mechanism.scales) - 1)
    if prepared.survey.shared:
        secret, weight = prepared.survey.secret, prepared.law(0, len(counts)) if len(counts) else law

        def widths(error: float) -> tuple[float, float]:
            return (law.quantile(0.5 * error) / LEVELS, weight.quantile(0.5 * error)) if secret else (law.quantile(error) / LEVELS, 0.0)

        share = prepared.share(total / LEVELS, records[1], widths, public=not secret)
    else:
        share = mean_interval(total, records, law, unit=LEVELS, level=level)
    half = 0.5 / LEVELS
    return Estimate(
        value=bound * share.value,
        low=bound * max(0.0, share.low - half),
        high=bound * min(1.0, share.high + half),
        noise_low=bound * max(0.0, share.noise_low - half),
        noise_high=bound * min(1.0, share.noise_high + half),
        level=share.level,
    )


def _roc(prepared: Prepared, counts: Floats) -> RocCurve:
    rows = counts.reshape(2, -1)
    persons = prepared.survey.persons
    shared = persons.rows if persons is not None and prepared.survey.shared else None
    return roc_curve(rows, prepared.survey.edges, prepared.law(0), prepared.law(0, rows.shape[1]), level=prepared.level, rows_per_person=shared)


def _calibration(prepared: Prepared, counts: Floats) -> CalibrationCurve:
    rows = counts.reshape(2, -1)
    each = prepared.survey.persons.rows if prepared.survey.by_rows and prepared.survey.persons is not None else 1
    return calibration_curve(rows, prepared.survey.edges, prepared.law(0), ratio=_ratio(prepared), level=prepared.level, each=each)


def _noise(random_state: Any) -> Noise:  # noqa: ANN401 - checked here
    if random_state is None:
        return SystemNoise()
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise InvalidInput(f"random_state must be None or an integer; an object of type {type(random_state).__name__} was given.")
    return SeededNoise(int(random_state))


def read_evaluation(path: str | Path) -> PrivateEvaluation:
    """The evaluation in a file. Raises InvalidInput where there is none, FileFormatError, with the path, for its content."""
    remedy = "Check the path, or write one with `discreet evaluate --epsilon --out`."
    return read_parsed(path, evaluation_from, what="evaluation file", remedy=remedy)


def evaluation_from(text: str) -> PrivateEvaluation:
    """The evaluation that `to_json` wrote. Raises FileFormatError for anything else."""
    return read_back(text, _read, what="a private evaluation", format_=FORMAT, basis="the released integers")


def _read(record: Mapping[str, Any]) -> PrivateEvaluation:
    certificate = Certificate.from_dict(record["certificate"])
    mechanism = mechanism_of(certificate)
    classes, stated = tuple(record["classes"]), record["survey"]
    if not all(isinstance(label, str | int | float) for label in classes):
        raise TypeError
    survey = Survey(
        metrics=tuple(stated["metrics"]),
        classes=len(classes),
        neighbours=mechanism.neighbours,
        probabilities=stated["score"] != "decision value",
        edges=tuple(stated["edges"] or ()),
        log_loss_bound=5.0 if stated["log_loss_bound"] is None else stated["log_loss_bound"],
        persons=Persons.from_dict(certificate.problem["persons"]) if "persons" in certificate.problem else None,
    )
    queries = survey.queries()
    if certificate.problem != queries.to_dict():
        raise FileFormatError("it contradicts itself: its certificate is for other queries.")
    value = np.array(record["value"], dtype=np.float64)
    if value.shape != (sum(query.size for query in queries.each),) or not np.array_equal(value, np.rint(value)):
        raise FileFormatError("it contradicts itself: its queries have another number of answers, or answers that are no integers.")
    records = None if survey.secret else record["records"]["value"]
    if records is not None and not (isinstance(records, float | int) and records >= 1 and records == math.floor(records)):
        raise FileFormatError("it states a number of records that is none.")
    prepared = Prepared(survey=survey, mechanism=mechanism, classes=classes, level=record["level"])
    return read_report(prepared, Release(value=value, certificate=certificate), None if records is None else int(records))
