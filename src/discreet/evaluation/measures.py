"""From the released integers to the measures of a model, of classes, numbers (in the unit of its targets) or times: post-processing, all of it."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.evaluation.concordance import concordance
from discreet.evaluation.curves import CalibrationCurve, RocCurve, calibration_curve, roc_curve
from discreet.evaluation.intervals import Estimate, NoiseLaw, mean_interval, noisy_range, proportion_interval, ratio_interval
from discreet.evaluation.means import Targets, Total, mean_of, r_squared
from discreet.evaluation.numbers import NumberSurvey
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.report import PrivateEvaluation
from discreet.evaluation.survey import Survey
from discreet.evaluation.times import TimeSurvey
from discreet.evaluation.useless import Baseline, balanced, constant_class
from discreet.mechanisms.counting.losses import LEVELS


def read_classes(prepared: Prepared[Survey], release: Release, records: int | None) -> PrivateEvaluation:
    """Post-processing: the released integers, and the number of records where it is public (else None), to measures."""
    survey, level = prepared.survey, prepared.level
    # Where rows count alike, numbers are of rows: those that one record weighs.
    value, each = release.value / prepared.parts, survey.persons.rows if survey.by_rows and survey.persons is not None else 1
    counts = value[: len(value) - survey.has_sum]
    total, total_error, spread = counted(prepared, counts, records)
    cells = _confusion(survey, counts)
    confusion = None if cells is None else each * cells
    of_cell = 1 if cells is None else len(counts) // cells.size
    return PrivateEvaluation(
        classes=prepared.classes,
        survey=survey,
        level=level,
        records=each * total,
        records_error=each * total_error,
        accuracy=_accuracy(prepared, counts, records) if survey.main in {"scores", "confusion", "answers"} else None,
        confusion=None if confusion is None else tuple(tuple(row) for row in confusion.tolist()),
        confusion_error=None if confusion is None else each * prepared.law(0, of_cell).quantile(1.0 - level),
        balanced=None if cells is None else _balanced(prepared, cells, of_cell),
        baseline=None if cells is None else constant_class(prepared, cells, of_cell, _weight(prepared, counts, records)),
        distance=_distance(prepared, cells, of_cell, _weight(prepared, counts, records)),
        log_loss=_log_loss(prepared, float(value[-1]), spread, counts) if survey.has_sum else None,
        roc=_roc(prepared, counts) if "roc" in survey.metrics else None,
        calibration=_calibration(prepared, counts) if "calibration" in survey.metrics else None,
        certificate=release.certificate,
        value=release.value,
    )


def counted(prepared: Prepared[Survey], counts: Floats, records: int | None) -> tuple[float, float, tuple[float, float, float]]:
    """The number of records, how far off it may be, and a range for it."""
    if records is not None:
        return float(records), 0.0, (float(records),) * 3
    law = prepared.law(0, len(counts))
    total = float(np.sum(counts))
    return total, law.quantile(1.0 - prepared.level), noisy_range(total, law, prepared.level)


def _weight(prepared: Prepared[Survey], counts: Floats, records: int | None) -> Total:
    return Total(float(np.sum(counts)), prepared.law(0, len(counts))) if records is None else Total(float(records), None)


def _balanced(prepared: Prepared[Survey], confusion: Floats, of_cell: int) -> Estimate:
    """Each of K shares at a level at which all of them hold together."""
    together = replace(prepared, level=1.0 - (1.0 - prepared.level) / len(confusion))

    def share(right: float, wrong: float, cells: int, others: int) -> Estimate:
        return _ratio(together)(right, wrong, prepared.law(0, cells * of_cell), prepared.law(0, others * of_cell))

    return balanced(confusion, share, level=prepared.level)


def _distance(prepared: Prepared[Survey], confusion: Floats | None, of_cell: int, total: Total) -> Estimate | None:
    """Of places of classes, from counts in records; over K - 1 it is a mean of numbers in [0, 1]. None where nobody asks."""
    if confusion is None or "distance" not in prepared.survey.metrics:
        return None
    kinds = len(confusion)
    apart = np.abs(np.subtract.outer(np.arange(kinds), np.arange(kinds)))
    far = kinds - 1
    cells = [(d, 2 * (kinds - d) * of_cell) for d in range(1, kinds)]
    noise = NoiseLaw.together([(d, prepared.law(0, count)) for d, count in cells]).over(far)
    squares = prepared.law(0, max(1, round(sum(count * (d / far) ** 4 for d, count in cells))))
    sums = [float(np.sum(confusion * (apart / far) ** power)) for power in (1, 2)]
    return mean_of(Total(sums[0], noise), Total(sums[1], squares), total, level=prepared.level).scaled(far)


def _confusion(survey: Survey, counts: Floats) -> Floats | None:
    if survey.main == "confusion":
        return counts.reshape(survey.classes, survey.classes)
    if survey.main != "scores":
        return None
    rows, place = counts.reshape(2, -1), survey.edges.index(survey.threshold) + 1
    return np.column_stack((rows[:, :place].sum(axis=1), rows[:, place:].sum(axis=1)))


def _accuracy(prepared: Prepared[Survey], counts: Floats, records: int | None) -> Estimate:
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


def _proportion(prepared: Prepared[Survey], right: float, records: int, law: NoiseLaw) -> Estimate:
    if prepared.survey.shared:
        return prepared.share(right, records, lambda error: (law.quantile(error), 0.0), public=True)
    return proportion_interval(right, records, law, level=prepared.level)


def _ratio(prepared: Prepared[Survey]) -> Callable[[float, float, NoiseLaw, NoiseLaw], Estimate]:
    """The interval of a share, of numbers of records that are both noisy."""
    return prepared.two_shares if prepared.survey.shared else partial(ratio_interval, level=prepared.level)


def _log_loss(prepared: Prepared[Survey], total: float, records: tuple[float, float, float], counts: Floats) -> Estimate:
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


def _roc(prepared: Prepared[Survey], counts: Floats) -> RocCurve:
    rows = counts.reshape(2, -1)
    persons = prepared.survey.persons
    shared = persons.rows if persons is not None and prepared.survey.shared else None
    return roc_curve(rows, prepared.survey.edges, prepared.law(0), prepared.law(0, rows.shape[1]), level=prepared.level, rows_per_person=shared)


def _calibration(prepared: Prepared[Survey], counts: Floats) -> CalibrationCurve:
    rows = counts.reshape(2, -1)
    each = prepared.survey.persons.rows if prepared.survey.by_rows and prepared.survey.persons is not None else 1
    return calibration_curve(rows, prepared.survey.edges, prepared.law(0), ratio=_ratio(prepared), level=prepared.level, each=each)


def read_numbers(prepared: Prepared[NumberSurvey], release: Release, records: int | None) -> PrivateEvaluation:
    """The released integers, and the number of records where it is public (else None), to measures."""
    survey, level = prepared.survey, prepared.level
    sums = {
        term: Total(float(value) / (prepared.parts * survey.moments.unit(term)), prepared.law_of_parts(survey.moments.unit(term)))
        for term, value in zip(survey.moments.terms, np.asarray(release.value).tolist(), strict=True)
    }
    size = sums["records"] if records is None else Total(float(records), None)
    each = survey.persons.rows if survey.by_rows and survey.persons is not None else 1
    bound, found = survey.bound, None
    scatter = None
    if "r2" in survey.metrics:
        targets = Targets(sums["target"], sums["target-square"], sums["target-cube"], sums["target-fourth"], size)
        found = r_squared(sums["square"], sums["fourth"], targets, unit=bound / survey.half, level=level)
        scatter = survey.half**2 * max(targets.scatter, 0.0) / max(size.value, 1.0)
    return PrivateEvaluation(
        classes=(),
        survey=survey,
        level=level,
        records=each * size.value,
        records_error=each * size.quantile(1.0 - level),
        mean_square=mean_of(sums["square"], sums["fourth"], size, level=level).scaled(bound**2) if "mse" in survey.metrics else None,
        mean_absolute=mean_of(sums["absolute"], sums["square"], size, level=level).scaled(bound) if "mae" in survey.metrics else None,
        r_squared=found,
        target_variance=scatter,
        baseline=None if found is None else Baseline(answer=None, share=None, gain=found, cut=bound, narrow=bound < survey.half),
        certificate=release.certificate,
        value=release.value,
    )


def read_times(prepared: Prepared[TimeSurvey], release: Release, records: int | None) -> PrivateEvaluation:
    """The released integers, and the number of records where it is public (else None), to measures."""
    survey, level = prepared.survey, prepared.level
    value = np.asarray(release.value)
    cells = survey.known * survey.bins if "concordance" in survey.metrics else 0
    size, lost, ordered, baseline = None if records is None else Total(float(records), None), None, None, None
    if cells:
        counts = value[:cells].reshape(survey.known, survey.bins)
        ordered = concordance(counts, prepared.law(0), level=level)
        baseline = Baseline(answer=None, share=None, gain=ordered.moved(-0.5), chance=True)
        size = Total(float(counts.sum()), prepared.law(0, cells)) if size is None else size
    if "log_loss" in survey.metrics:
        terms = dict(zip(survey.moments.terms, value[cells:].tolist(), strict=True))
        place = len(prepared.mechanism.scales) - 1
        sums = {
            term: Total(float(found) / survey.moments.unit(term), prepared.law_of_parts(survey.moments.unit(term), query=place))
            for term, found in terms.items()
        }
        size = sums.get("records", size)
        assert size is not None  # noqa: S101 - sums count the records where nobody knows their number
        lost = mean_of(sums["absolute"], sums["square"], size, level=level).scaled(survey.log_loss_bound)
    assert size is not None  # noqa: S101 - a survey asks for one of both
    return PrivateEvaluation(
        classes=(),
        survey=survey,
        level=level,
        records=size.value,
        records_error=size.quantile(1.0 - level),
        log_loss=lost,
        concordance=ordered,
        baseline=baseline,
        certificate=release.certificate,
        value=release.value,
    )
