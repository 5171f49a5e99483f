"""Exact, unprotected measures of a model, on records that were declared to need no protection.

error = share of records with another class than the chosen one      log loss = mean of -ln(probability of the record's own class)
balanced accuracy = mean over the classes that occur of the share of a class that is answered right
numbers: mean of (y - f(x))^2 and of |y - f(x)|, in the unit of the target, and R^2 = 1 - sum (y - f(x))^2 / sum (y - mean y)^2
times: log loss = mean of -ln(likelihood of what is known of a record), over its periods; concordance = share of comparable pairs in the right order
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import discreet
from discreet.cli.output import labelled, table
from discreet.core.errors import InvalidInput

if TYPE_CHECKING:
    from discreet.cli.any_model import AnyModel, ArrayRecords, Measured

    Held = discreet.EncodedTable | discreet.data.BlockTable | ArrayRecords


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Exact, unprotected numbers."""

    classes: list[str]
    records: int
    accuracy: float
    error: float
    log_loss: float | None
    """None for a model without probabilities."""
    confusion: list[list[int]]
    """confusion[actual][predicted], in the order of the declared classes: negative first where they are two."""
    always_commoner: float
    """Error of always answering the commoner class of these records."""
    balanced_accuracy: float
    """Over the classes that occur."""
    distance: float | None = None
    """Mean of |place of the actual class - place of the answer|; None where classes are in no order."""

    @property
    def lines(self) -> list[str]:
        """The same numbers in lines for people."""
        useless = "" if self.error < self.always_commoner else "no better than "
        facts = labelled(
            ("Accuracy", f"{self.accuracy:.4f}"),
            (
                "Balanced",
                f"{self.balanced_accuracy:.4f}, the mean over classes of their accuracy; {1.0 / len(self.classes):.4g} for a constant prediction",
            ),
            ("Distance", None if self.distance is None else f"{self.distance:.4f} classes between prediction and truth, on average"),
            ("Error", f"{self.error:.4f} ({useless}always predicting the more common class: {self.always_commoner:.4f})"),
            ("Log loss", None if self.log_loss is None else f"{self.log_loss:.4f}"),
        )
        answered = [name for name, column in zip(self.classes, zip(*self.confusion, strict=True), strict=True) if any(column)]
        alone = [f"It predicts {answered[0]!r} for every record."] if len(answered) == 1 else []
        return [*facts, *alone, *confusion_lines(self.classes, self.confusion)]


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberMeasures:
    """The same of a model that predicts numbers, in the unit of the target's column."""

    records: int
    mse: float
    rmse: float
    mae: float
    r2: float | None
    """None where all targets are equal."""
    always_mean: float
    """Mean squared error of always answering the mean target of these records."""

    @property
    def lines(self) -> list[str]:
        """In words."""
        useless = "" if self.mse < self.always_mean else ", no better than always predicting the mean of the targets"
        return labelled(
            ("MSE", f"{figure(self.mse)} (always predicting the mean of the targets: {figure(self.always_mean)})"),
            ("RMSE", figure(self.rmse)),
            ("MAE", figure(self.mae)),
            ("R^2", None if self.r2 is None else f"{self.r2:.4f}{useless}"),
        )


def measured(model: "Measured", records: "Held", *, jobs: int = 1) -> "Measures | NumberMeasures | TimeMeasures":
    """Of records with their targets, encoded, or in blocks, which are read once. Raises InvalidInput for a table without records."""
    from discreet.estimators.files.model import OneOfSeveral

    if model.classes and not isinstance(model, OneOfSeveral):
        return measured_classes(model, records, jobs=jobs)
    return _of_numbers(model, records, jobs) if model.made is None else _of_times(model, records, jobs)


def _of_times(model: "Measured", records: "Held", jobs: int) -> "TimeMeasures":
    from discreet.evaluation.outcomes import SURVIVAL
    from discreet.evaluation.targets import periods_of

    parts = _asked(model, records, frozenset({SURVIVAL}), lambda found: (found.codes, found.survival), jobs)
    return measured_times(periods_of(model), parts)


def figure(number: float) -> str:
    """Of a measure: four places, or four digits where it is large."""
    return f"{number:.4f}" if abs(number) < 10.0 else f"{number:,.4g}" if abs(number) < 1e4 else f"{number:,.0f}"


def confusion_lines(classes: Sequence[str], counts: Sequence[Sequence[float]]) -> list[str]:
    """Counts of actual and predicted classes as a table."""
    corner = "actual / predicted"
    width = max(len(corner), *map(len, classes)) + 2
    rows = ([label, *(f"{count:.0f}" for count in row)] for label, row in zip(classes, counts, strict=True))
    return ["", *table((-width, *(width for _ in classes)), [corner, *classes], *rows)]


def measured_classes(model: "AnyModel", records: "Held", *, jobs: int = 1) -> Measures:
    """The same of a classifier."""
    import numpy as np

    from discreet.evaluation.outcomes import as_taken
    from discreet.evaluation.targets import is_ordered, truth_of, truth_of_block

    labels = model.classes
    if isinstance(records, discreet.data.BlockTable):
        parts = list(records.map(lambda _, block: _counted(model, as_taken(model, block.rows), truth_of_block(model, block).actual), jobs))
    else:
        X, y = parts_of(records)
        parts = [_counted(model, X, truth_of(model, X, y).actual)]
    confusion = sum((counts for counts, _ in parts), np.zeros((len(labels), len(labels)), dtype=np.int64))
    total, right, actual = int(confusion.sum()), int(np.trace(confusion)), confusion.sum(axis=1)
    _require(total)
    apart = np.abs(np.subtract.outer(np.arange(len(labels)), np.arange(len(labels))))
    return Measures(
        classes=[discreet.data.labels.canonical(label) for label in labels],
        records=total,
        accuracy=right / total,
        error=(total - right) / total,
        log_loss=math.fsum(losses for _, losses in parts) / total if model.has_probabilities else None,
        confusion=confusion.tolist(),
        always_commoner=(total - int(actual.max())) / total,
        balanced_accuracy=float(np.mean(np.diag(confusion)[actual > 0] / actual[actual > 0])),
        distance=float(np.sum(confusion * apart)) / total if is_ordered(model) and len(labels) > 2 else None,
    )


def _counted(model: "AnyModel", rows: Any, codes: Any) -> tuple[Any, float]:
    """Counts of actual and predicted classes, and the sum of the logarithmic losses, 0 for a model without probabilities."""
    import numpy as np

    classes = len(model.classes)
    confusion = np.bincount(codes * classes + model.codes(rows), minlength=classes * classes).reshape(classes, classes)
    losses = -float(np.sum(model.log_probabilities(rows)[np.arange(len(codes)), codes])) if model.has_probabilities else 0.0
    return confusion, losses


def _of_numbers(model: "Measured", records: "Held", jobs: int) -> NumberMeasures:
    from discreet.evaluation.outcomes import PREDICTED

    def summed(found: Any) -> tuple[int, Any]:
        """How many there are, and sums of errors, their squares and targets; the targets' scatter around their own mean."""
        import numpy as np

        actual, off = np.asarray(found.actual), np.asarray(found.actual) - found.predicted
        middle = float(actual.mean()) if len(actual) else 0.0
        return len(actual), np.array([np.sum(np.square(off)), np.sum(np.abs(off)), np.sum(actual), np.sum(np.square(actual - middle))])

    parts = _asked(model, records, frozenset({PREDICTED}), summed, jobs)
    total = sum(count for count, _ in parts)
    _require(total)
    squares, absolute, targets = (math.fsum(float(sums[place]) for _, sums in parts) for place in range(3))
    mean = targets / total
    scatter = math.fsum(float(sums[3]) + count * (float(sums[2]) / count - mean) ** 2 for count, sums in parts if count)
    return NumberMeasures(
        records=total,
        mse=squares / total,
        rmse=math.sqrt(squares / total),
        mae=absolute / total,
        r2=1.0 - squares / scatter if scatter > 0 else None,
        always_mean=scatter / total,
    )


def _asked(model: "Measured", records: "Held", wanted: frozenset[str], read: Callable[[Any], Any], jobs: int) -> list[Any]:
    """What is read from the outcomes of each block, or of all records."""
    from discreet.evaluation.outcomes import outcomes_of, outcomes_of_block

    if isinstance(records, discreet.data.BlockTable):
        return list(records.map(lambda _, block: read(outcomes_of_block(model, block, wanted=wanted)), jobs))
    X, y = parts_of(records)
    return [read(outcomes_of(model, X, y, wanted=wanted))]


def parts_of(records: "discreet.EncodedTable | ArrayRecords") -> tuple[Any, Any]:
    """What `outcomes_of` takes."""
    return (records, None) if isinstance(records, discreet.EncodedTable) else (records.X, records.y)


def _require(records: int) -> None:
    if records == 0:
        raise InvalidInput("the table has no records. At least one is needed to measure a model.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeMeasures:
    """Exact, unprotected numbers."""

    records: int
    events: int
    """Of how many it is known when it happened."""
    log_loss: float
    concordance: float | None
    """None where no two records can be compared."""
    always_alike: float
    """Log loss of the Kaplan-Meier curve of these records, for all of them."""

    @property
    def lines(self) -> list[str]:
        """The same numbers in lines for people."""
        useless = "" if self.log_loss < self.always_alike else "no better than "
        return labelled(
            ("Events", f"{self.events}, of {self.records} records"),
            ("Log loss", f"{self.log_loss:.4f} ({useless}the same survival curve for everyone: {self.always_alike:.4f})"),
            ("Concordance", None if self.concordance is None else f"{self.concordance:.4f}; .5 for any constant prediction"),
        )


def measured_times(ends: Sequence[float], parts: list[tuple[Any, Any]]) -> TimeMeasures:
    """Of periods with these ends, from numbers of what is known (n,) and survival (n, T) of each part. Raises InvalidInput for no record."""
    import numpy as np

    codes, survival = (np.concatenate(column) for column in zip(*parts, strict=True))
    _require(len(codes))
    periods, (seen, happened) = survival.shape[1], np.divmod(codes, 2)
    whole, each = np.column_stack((np.ones(len(codes)), survival)), np.arange(len(codes))
    likely = whole[each, seen] - np.where(happened == 1, whole[each, np.minimum(seen + 1, periods)], 0.0)
    events = np.array([np.sum(codes == 2 * period + 1) for period in range(periods)])
    lived = np.array([np.sum(seen > period) for period in range(periods)])
    mean, right, pairs = 0.5 * (whole[:, 1:] + whole[:, :-1]) @ np.diff(ends, prepend=0.0), 0.0, 0
    for period in range(periods):
        early, late = np.sort(mean[codes == 2 * period + 1]), mean[seen > period]
        right += 0.5 * float(sum(np.searchsorted(early, late, side=side).sum() for side in ("left", "right")))
        pairs += len(early) * len(late)
    at_risk = np.maximum(events + lived, 1)
    alike = -sum(float(count @ np.log(np.maximum(count / at_risk, np.finfo(float).tiny))) for count in (events, lived))
    return TimeMeasures(
        records=len(codes),
        events=int(events.sum()),
        log_loss=-float(np.mean(np.log(np.maximum(likely, np.finfo(float).tiny)))),
        concordance=right / pairs if pairs else None,
        always_alike=alike / len(codes),
    )
