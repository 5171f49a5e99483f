"""What people look at: pages and reports; and displays, as scikit-learn has them."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.display.displays import CalibrationDisplay, CoefficientsDisplay, ConfusionMatrixDisplay, PartialDependenceDisplay, RocCurveDisplay
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["CalibrationDisplay", "CoefficientsDisplay", "ConfusionMatrixDisplay", "PartialDependenceDisplay", "RocCurveDisplay"]
