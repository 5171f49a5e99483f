"""What a private evaluation found: public numbers with their error bars, and the certificate of the one release that they were all read from."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from discreet.certificates import Certificate, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.files.picture import Svg, pictured
from discreet.core.files.whole_file import write_whole
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.evaluation.asked import Asked
from discreet.evaluation.curves import CalibrationCurve, RocCurve
from discreet.evaluation.intervals import Estimate
from discreet.evaluation.numbers import NumberSurvey
from discreet.evaluation.times import TimeSurvey
from discreet.evaluation.useless import Baseline

FORMAT = "discreet-evaluation/2"
FORMATS = ("discreet-evaluation/1", FORMAT)
"""That are read; the first one knows neither baselines nor numbers."""


class _Shown(Protocol):
    def to_dict(self) -> dict[str, object]: ...


def _plain(one: _Shown | None) -> dict[str, object] | None:
    return None if one is None else one.to_dict()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrivateEvaluation:
    """Public: safe to save, print and share. A measure that was not requested is None."""

    classes: tuple[Any, ...]
    """None where numbers are predicted."""
    survey: Asked
    """Which queries were asked."""
    level: float
    """Of all intervals, one by one (they are not simultaneous, except along the band of an ROC curve)."""
    records: float
    """n where it is public; else as released, with noise. Of persons, where the unit is a person; of rows kept, where theirs count alike."""
    records_error: float
    """The true number is this near with probability `level`; 0 where it is public."""
    accuracy: Estimate | None = None
    """Share of records whose class is predicted; of what rows weigh, where persons have several."""
    confusion: tuple[tuple[float, ...], ...] | None = None
    """confusion[actual][predicted], counts as released: they may be negative."""
    confusion_error: float | None = None
    """Each count is this near to the true one with probability `level`."""
    balanced: Estimate | None = None
    """Mean over classes of the share of a class that is answered right; there wherever `confusion` is."""
    baseline: Baseline | None = None
    """What the model gains over the best constant answer; there wherever `confusion` or `r_squared` is."""
    mean_square: Estimate | None = None
    """Mean of min(|y - f(x)|, B)^2, in the squared unit of the targets."""
    mean_absolute: Estimate | None = None
    """Mean of min(|y - f(x)|, B), in that unit."""
    r_squared: Estimate | None = None
    """1 - mean square over the variance of the targets; at least -9."""
    target_variance: float | None = None
    """Of the targets, in the squared unit; as released, at least 0."""
    log_loss: Estimate | None = None
    """Mean of min(-log of the probability of the actual class, C), in nats; of times, of what is known of a record."""
    distance: Estimate | None = None
    """Mean of |place of the actual class - place of the predicted one|, of classes in order."""
    concordance: Estimate | None = None
    """Of models of times: the share of comparable pairs in the right order, those in one bin of the predicted mean time half right."""
    roc: RocCurve | None = None
    calibration: CalibrationCurve | None = None
    certificate: Certificate
    value: Floats = field(repr=False)
    """The released integers, from which everything above was computed."""
    format: str = field(default=FORMAT, repr=False)
    """Of its file."""

    __repr__ = short_repr
    _repr_html_ = html_of("evaluation.view")

    @property
    def counted(self) -> str:
        """The unit of `records` and of the confusion counts: "Records", "Persons", or "Rows kept" if all kept rows count equally."""
        return "Rows kept" if self.survey.by_rows else "Records" if self.survey.persons is None else "Persons"

    @property
    def measures(self) -> list[tuple[str, str, Estimate]]:
        """Measures that are a single number with an interval, by the names under which they are shown: short and full."""
        cut = f", errors cut at {self.survey.bound:,.6g}" if isinstance(self.survey, NumberSurvey) else ""
        found = (
            ("Accuracy", "Accuracy", self.accuracy),
            ("Balanced", "Balanced accuracy", self.balanced),
            ("Distance", "Mean distance of the answer from the class, in classes", self.distance),
            ("Log loss", "Log loss (nats)", self.log_loss),
            ("Concordance", "Concordance, the share of comparable pairs in the right order", self.concordance),
            ("AUC", "Area under the ROC curve", None if self.roc is None else self.roc.area),
            ("MSE", f"Mean squared error{cut}", self.mean_square),
            ("RMSE", f"Root mean squared error{cut}", None if self.mean_square is None else self.mean_square.root()),
            ("MAE", f"Mean absolute error{cut}", self.mean_absolute),
            ("R^2", f"R^2, the share of the variance of targets that is explained{cut}", self.r_squared),
        )
        return [(short, name, one) for short, name, one in found if one is not None]

    def verify(self) -> Verification:
        """Check the certificate against the released integers."""
        return self.certificate.verify(self.value)

    def plot(self) -> Svg:
        """The ROC and calibration curves, if any, as SVG text. Raises InvalidInput if there is neither."""
        if self.roc is None and self.calibration is None:
            raise InvalidInput("there is no curve to draw. Ask for the metrics roc or calibration.")
        return pictured("evaluation.plot", self)

    def to_dict(self) -> dict[str, object]:
        """A plain dictionary for JSON."""
        head = {
            "format": self.format,
            "classes": list(self.classes),
            "survey": self.survey.to_dict(),
            "level": self.level,
            "records": {"value": self.records, "public": self.records_error == 0.0, "error": self.records_error},
        }
        shown: dict[str, Any] = {} if self.format == FORMATS[0] else {"balanced_accuracy": self.balanced, "baseline": self.baseline}
        if self.classes:
            head |= {
                "accuracy": _plain(self.accuracy),
                "confusion": None if self.confusion is None else {"counts": [list(row) for row in self.confusion], "error": self.confusion_error},
            }
            shown |= {"log_loss": self.log_loss, "roc": self.roc, "calibration": self.calibration}
            shown |= {"distance": self.distance} if "distance" in self.survey.metrics else {}
        elif isinstance(self.survey, TimeSurvey):
            shown |= {"log_loss": self.log_loss, "concordance": self.concordance, "baseline": self.baseline}
            del shown["balanced_accuracy"]
        else:
            variance = {"target_variance": self.target_variance}
            shown = {"mse": self.mean_square, "mae": self.mean_absolute, "r2": self.r_squared, "baseline": self.baseline}
            head |= variance
        tail = {"value": np.asarray(self.value).tolist(), "certificate": self.certificate.to_dict()}
        return {**head, **{name: _plain(one) for name, one in shown.items()}, **tail}

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write `to_json` to a file, completely or not at all; `read_evaluation` reads it. Raises InvalidInput if it exists or cannot be written."""
        write_whole(path, self.to_json() + "\n", overwrite=overwrite)

    def __str__(self) -> str:
        """The measures in readable lines."""
        lines = [f"{self.counted:<13}{self.records:.0f}" + (", which is public" if self.records_error == 0.0 else f" +- {self.records_error:.0f}")]
        lines += [f"{name:<13}{estimate}" for name, _, estimate in self.measures]
        if self.baseline is not None:
            lines.append(f"{self.baseline.words}.")
        return "\n".join(lines)
