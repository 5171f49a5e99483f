"""Measuring a model on private records: one release of noisy integers, and everything else computed from it.

    report = evaluate_privately(model, X, y, epsilon=0.5, delta=1e-6, metrics=("accuracy", "roc", "calibration"))

The records cost (epsilon, delta) once, whatever the number of metrics: of a classifier they are read from at most one histogram and one sum (module
`survey`), of a model that predicts numbers from one vector of sums (module `numbers`), of times from both (module `times`), which
one mechanism answers together (discreet/mechanisms/counting/counting.md). The model, its classes or the bounds of its targets, the score bins and the
bounds that cut losses and errors are public;
so is the number of records under replace-one, and it is not under add-remove. Where `persons` says whose rows are whose, the unit is a person: n is
theirs, shares are of what rows weigh, and intervals are about the population that persons are drawn from (module `shares`). A model that was fitted
on the same records has spent its own budget: the two add up, which a ledger does for you.
"""

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from discreet.certificates import Release
from discreet.core.advice import about_numbers, caller
from discreet.core.errors import InvalidInput, PrivacyAdvice
from discreet.core.frameless import frameless
from discreet.core.neighbours import ADD_REMOVE, DELTA, Neighbours, Persons, Privacy, neighbours_of
from discreet.core.validate import job_count, number, small_delta
from discreet.data import BlockTable, EncodedTable
from discreet.evaluation.asked import Asked
from discreet.evaluation.in_blocks import answered
from discreet.evaluation.intervals import checked_level
from discreet.evaluation.measures import read_classes, read_numbers, read_times
from discreet.evaluation.numbers import NUMBER_METRICS, NumberSurvey
from discreet.evaluation.outcomes import Outcomes, has_probabilities, has_scores, outcomes_of
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.report import PrivateEvaluation
from discreet.evaluation.survey import Survey, edges_for
from discreet.evaluation.targets import StoredModel, classes_of, is_ordered, periods_of, range_of
from discreet.evaluation.times import TIME_METRICS, TimeSurvey
from discreet.ledger import Account
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.counting import least_noise
from discreet.mechanisms.persons import held_rule, owners_of, table_rule
from discreet.noise import Integers, Noise, SeededNoise, SystemNoise

STANDARD = ("accuracy", "confusion")
"""The metrics of a classifier where nobody chooses; of numbers, all there are."""


@frameless
def evaluate_privately(  # noqa: PLR0913 - each is a public choice
    model: Any,  # noqa: ANN401 - whatever predicts
    X: Any,  # noqa: ANN401 - whatever the model takes
    y: Any = None,  # noqa: ANN401 - labels of any kind
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    metrics: Sequence[str] | None = None,
    bins: int = 20,
    edges: Sequence[float] | None = None,
    log_loss_bound: float = 5.0,
    error_bound: float | None = None,
    target_bounds: Sequence[float] | None = None,
    level: float = 0.95,
    account: Account | None = None,
    random_state: int | None = None,
    n_jobs: int | None = None,
    persons: Any = None,  # noqa: ANN401 - ids of any kind
    rows_per_person: int | None = None,
    person_weight: str = "person",
) -> PrivateEvaluation:
    """Release quality measures of a fitted model on private records X (n, d) with classes or numbers y (n,), at a cost of (epsilon, delta).

    `model` is a classifier with `classes_` and `predict`, a regression (ours or scikit-learn's), a survival model with `predict_survival` and
    `ends_`, an `ArrayModel`, or a `Model`, for which X may be a table with its target, without y. X may be a BlockTable with its targets: it is read
    once, by `n_jobs` threads, and every record counts once, whatever its weight. `metrics` of a classifier are some of
    "accuracy", "confusion", "log_loss" (needs probabilities), "roc" and "calibration" (of two classes), and "distance" (of classes in order); of
    numbers some of "mse", "mae" and "r2", of times of "log_loss" and "concordance". The default is the first two, plus "distance" if the classes are
    known to be ordered, and all for numbers and times. `bins` (even) or `edges` divide the scores, publicly, and `bins` the mean times;
    The loss of a record is clipped at `log_loss_bound`, an error at `error_bound` (default: half the range of targets). That range is
    `target_bounds`, or that of a model file or of one of our estimators. `level` is that of the intervals. `account` is the account to charge; None
    charges the ledger in use. `random_state` None draws noise from the operating system; a seed makes the certificate invalid.

    `persons` (n,) are the person ids of the rows, and at most `rows_per_person` rows per person, drawn uniformly, are kept: neighbouring tables then
    differ in all rows of one person. With `person_weight` "person" every person counts once, by the mean over their rows; with "row" kept rows count
    equally. rows_per_person=1 needs no ids: you declare that nobody has a second row.

    Raises InvalidInput or InvalidType if the model cannot be measured, BudgetExceeded before noise is drawn. No message contains a value of X or y.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import LogisticRegression, evaluate_privately
    >>> X = np.repeat([[-0.8], [0.8]], 10_000, axis=0)
    >>> y = np.repeat(["no", "yes"], 10_000)
    >>> model = LogisticRegression(epsilon=1.0, classes=["no", "yes"]).fit(X, y)
    >>> found = evaluate_privately(model, X, y, epsilon=1.0)  # spends another epsilon of 1; other records would be fairer
    >>> round(found.accuracy.value, 2)
    1.0
    """
    in_blocks = isinstance(X, BlockTable)
    if in_blocks and y is not None:
        raise InvalidInput("a table read in blocks already contains its targets; leave y out.")
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
        error_bound=error_bound,
        target_bounds=target_bounds,
        level=level,
        persons=rule,
    )
    noise, jobs, privacy = _noise(random_state), job_count(n_jobs), Privacy(epsilon=epsilon, delta=delta, neighbours=prepared.survey.neighbours)
    if in_blocks:
        _advise(privacy, None, seeded=random_state is not None)
        return measure_blocks(prepared, model, X, noise, account=account, jobs=jobs)
    outcomes = outcomes_of(model, X, y, wanted=prepared.survey.wanted)
    _advise(privacy, None if prepared.survey.secret or prepared.survey.shared else outcomes.records, seeded=random_state is not None)
    return measure(prepared, outcomes, noise, account=account, persons=persons)


def _advise(privacy: Privacy, records: int | None, *, seeded: bool) -> None:
    """Warn of a promise that says little; `records` where their number is public."""
    for words in about_numbers(privacy, records, seeded=seeded):
        warnings.warn(words, PrivacyAdvice, stacklevel=caller())


def prepare(  # noqa: PLR0913 - as above
    model: Any,  # noqa: ANN401 - as above
    *,
    epsilon: float,
    delta: float = DELTA,
    neighbours: Neighbours | str = Neighbours.REPLACE_ONE,
    metrics: Sequence[str] | None = None,
    bins: int = 20,
    edges: Sequence[float] | None = None,
    log_loss_bound: float = 5.0,
    error_bound: float | None = None,
    target_bounds: Sequence[float] | None = None,
    level: float = 0.95,
    persons: Persons | None = None,
) -> Prepared[Any]:
    """Everything about `evaluate_privately` that needs no records, including its guarantee; raises the same errors about its arguments.

    `persons` None uses the schema of a `Model`.
    """
    relation = neighbours_of(neighbours)
    checked_level(level)
    classes = classes_of(model)
    ends = periods_of(model)
    ordered = (*STANDARD, "distance") if len(classes) > 2 and is_ordered(model) else STANDARD
    standard = ordered if classes else TIME_METRICS if ends else NUMBER_METRICS
    wanted = standard if metrics is None else (metrics,) if isinstance(metrics, str) else tuple(metrics)
    rule = model.schema.persons if persons is None and isinstance(model, StoredModel) else persons
    if classes:
        if error_bound is not None or target_bounds is not None:
            raise InvalidInput("error_bound and target_bounds are for models that predict numbers; this one predicts classes. Leave them out.")
        curves = {"roc", "calibration"} & set(wanted)
        if curves and not has_scores(model):
            raise InvalidInput("roc and calibration need a model with probabilities or decision values; this one predicts classes only.")
        probabilities = has_probabilities(model)
        survey: Asked = Survey(
            metrics=wanted,
            classes=len(classes),
            neighbours=relation,
            probabilities=probabilities,
            edges=edges_for(probabilities=probabilities, bins=bins, edges=edges) if curves else (),
            log_loss_bound=number(log_loss_bound, "log_loss_bound"),
            persons=rule,
        )
    elif ends:
        if error_bound is not None or target_bounds is not None or edges is not None:
            raise InvalidInput("edges, error_bound and target_bounds do not apply to a model of times. Leave them out.")
        lost = number(log_loss_bound, "log_loss_bound")
        survey = TimeSurvey(metrics=wanted, neighbours=relation, ends=ends, bins=bins, log_loss_bound=lost, persons=rule)
    else:
        if edges is not None:
            raise InvalidInput("edges of score bins are for classifiers; this model predicts numbers. Leave them out.")
        lower, upper = range_of(model, target_bounds)
        bound = None if error_bound is None else number(error_bound, "error_bound")
        survey = NumberSurvey(metrics=wanted, neighbours=relation, lower=lower, upper=upper, error_bound=bound, persons=rule)
    return calibrated(survey, classes, epsilon=number(epsilon, "epsilon"), delta=number(delta, "delta"), level=level)


def calibrated(survey: Asked, classes: tuple[Any, ...], *, epsilon: float, delta: float, level: float) -> Prepared[Any]:
    """A plan with the least noise for this budget. Raises InvalidInput if it cannot be calibrated for it."""
    small_delta(delta)
    mechanism = least_noise(survey.queries(), epsilon=epsilon, delta=delta, neighbours=survey.neighbours)
    prepared = Prepared(survey=survey, mechanism=mechanism, classes=classes, level=level)
    for query in range(len(mechanism.scales)):
        prepared.law(query)  # noise too wide for error bars is refused here, before anything is spent
    return prepared


def measure(
    prepared: Prepared[Any],
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
    return _released(prepared, Numbers(tuple(answers), outcomes.content(), records=None if survey.secret else owners.number), noise, account)


def measure_blocks(
    prepared: Prepared[Any],
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
    return _released(prepared, Numbers(found.answers, found.content, records=None if survey.secret else found.records), noise, account)


def _released(prepared: Prepared[Any], answers: Numbers[Sequence[Integers]], noise: Noise, account: Account | None) -> PrivateEvaluation:
    release = prepared.mechanism.run(prepared.survey.queries(), answers, noise, account=account)
    return read_report(prepared, release, answers.records)


def _require_records(survey: Asked, records: int) -> None:
    if records == 0 and survey.neighbours is not ADD_REMOVE:
        raise InvalidInput("there are no records; under replace-one at least one is needed.")


def _noise(random_state: Any) -> Noise:  # noqa: ANN401 - checked here
    if random_state is None:
        return SystemNoise()
    if isinstance(random_state, bool) or not isinstance(random_state, Integral):
        raise InvalidInput(f"random_state must be None or an integer; an object of type {type(random_state).__name__} was given.")
    return SeededNoise(int(random_state))


def read_report(prepared: Prepared[Any], release: Release, records: int | None) -> PrivateEvaluation:
    """Post-processing: the released integers, and the number of records where it is public (else None), to measures."""
    if isinstance(prepared.survey, TimeSurvey):
        return read_times(prepared, release, records)
    read = read_numbers if isinstance(prepared.survey, NumberSurvey) else read_classes
    return read(prepared, release, records)
