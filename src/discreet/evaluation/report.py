"""What a private evaluation found: public numbers with their error bars, and the certificate of the one release that they were all read from."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from discreet.certificates import Certificate, Verification
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.files.whole_file import write_whole
from discreet.core.showing import shown
from discreet.evaluation.curves import CalibrationCurve, RocCurve
from discreet.evaluation.intervals import Estimate
from discreet.evaluation.survey import Survey

FORMAT = "discreet-evaluation/1"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PrivateEvaluation:
    """Public: safe to save, print and share. A measure that was not asked for is None."""

    classes: tuple[Any, ...]
    survey: Survey
    """Which queries were asked."""
    level: float
    """Of all intervals, one by one (they are not simultaneous, except along the band of an ROC curve)."""
    records: float
    """n where it is public; else as released, with noise. Of persons, where the unit is a person; of rows kept, where theirs count alike."""
    records_error: float
    """The true number is this near with probability `level`; 0 where it is public."""
    accuracy: Estimate | None
    """Share of records whose class is predicted; of what rows weigh, where persons have several."""
    confusion: tuple[tuple[float, ...], ...] | None
    """confusion[actual][predicted], counts as released: they may be negative."""
    confusion_error: float | None
    """Each count is this near to the true one with probability `level`."""
    log_loss: Estimate | None
    """Mean of min(-log of the probability of the actual class, C), in nats."""
    roc: RocCurve | None
    calibration: CalibrationCurve | None
    certificate: Certificate
    value: Floats = field(repr=False)
    """The released integers, from which everything above was computed."""

    @property
    def counted(self) -> str:
        """What `records` and the confusion counts are numbers of: "Records", "Persons", or "Rows kept" where rows of persons count alike."""
        return "Rows kept" if self.survey.by_rows else "Records" if self.survey.persons is None else "Persons"

    def verify(self) -> Verification:
        """Check the certificate against the released integers."""
        return self.certificate.verify(self.value)

    def plot(self) -> str:
        """The ROC and calibration curves that there are, as SVG text. Raises InvalidInput where there is none."""
        if self.roc is None and self.calibration is None:
            raise InvalidInput("there is no curve to draw: ask for the metrics roc or calibration.")
        return shown("evaluation.plot", self)

    def to_dict(self) -> dict[str, object]:
        """A plain table for JSON."""
        return {
            "format": FORMAT,
            "classes": list(self.classes),
            "survey": self.survey.to_dict(),
            "level": self.level,
            "records": {"value": self.records, "public": self.records_error == 0.0, "error": self.records_error},
            "accuracy": None if self.accuracy is None else self.accuracy.to_dict(),
            "confusion": None if self.confusion is None else {"counts": [list(row) for row in self.confusion], "error": self.confusion_error},
            "log_loss": None if self.log_loss is None else self.log_loss.to_dict(),
            "roc": None if self.roc is None else self.roc.to_dict(),
            "calibration": None if self.calibration is None else self.calibration.to_dict(),
            "value": np.asarray(self.value).tolist(),
            "certificate": self.certificate.to_dict(),
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write `to_json` to a file, whole or not at all; `read_evaluation` reads it. Raises InvalidInput where it exists or cannot be written."""
        write_whole(path, self.to_json() + "\n", overwrite=overwrite)

    def __str__(self) -> str:
        """The measures in readable lines."""
        lines = [f"{self.counted:<13}{self.records:.0f}" + (", which is public" if self.records_error == 0.0 else f" +- {self.records_error:.0f}")]
        for name, estimate in (("Accuracy", self.accuracy), ("Log loss", self.log_loss), ("AUC", None if self.roc is None else self.roc.area)):
            if estimate is not None:
                lines.append(f"{name:<13}{estimate}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """For notebooks: the measures, the confusion table, the guarantee."""
        return shown("evaluation.view", self)
