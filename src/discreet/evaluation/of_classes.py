"""From the released integers to the measures of a classifier: post-processing, as are all numbers here."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.evaluation.curves import CalibrationCurve, RocCurve, calibration_curve, roc_curve
from discreet.evaluation.intervals import Estimate, NoiseLaw, mean_interval, noisy_range, proportion_interval, ratio_interval
from discreet.evaluation.means import Total, mean_of
from discreet.evaluation.prepared import Prepared
from discreet.evaluation.report import PrivateEvaluation
from discreet.evaluation.survey import Survey
from discreet.evaluation.useless import balanced, constant_class
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
