"""The classes of a classifier: declared, or taken from the records, of which a warning is given.

Which labels may occur is public. Labels that are taken from the records may tell of one: of the only record that has a label, the model says that it
is there. Whether a label that was declared occurs tells nothing, so labels are compared with the declared classes and never looked at otherwise.
"""

import inspect
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, PrivacyWarning
from discreet.estimators.inputs import labels
from discreet.statements.declared import CLASSES, LABELS_THAT_OCCUR


def labels_and_classes(y: Any, *, classes: Any, name: str, records: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], tuple[str, ...]]:
    """Labels (n,), classes (K,), and what the caller declared public by passing them. `name` is the estimator's, for messages.

    Warns with PrivacyWarning where `classes` is None; raises InvalidInput as `labels` does.
    """
    given = labels(y, name, records, declared=classes is not None)
    if classes is not None:
        return given, np.asarray(classes), (CLASSES,)
    warnings.warn(
        f"{name} takes its classes from the records: the model publishes which labels occur, and no noise hides it. "
        "Declare every class that may occur: classes=[...].",
        PrivacyWarning,
        stacklevel=_caller(),
    )
    return given, np.unique(given), (LABELS_THAT_OCCUR,)


def signs_and_classes(y: Any, *, classes: Any, name: str, records: int) -> tuple[Floats, npt.NDArray[Any], tuple[str, ...]]:
    """Of two classes: -1.0 for the first and +1.0 for the second (n,), the classes (2,), and what was declared. Raises InvalidInput for more."""
    given, known, declared = labels_and_classes(y, classes=classes, name=name, records=records)
    if known.ndim == 1 and known.shape[0] > 2:
        raise InvalidInput("Only binary classification is supported. Declare two classes, or use LogisticRegression for more.")
    if known.ndim != 1 or known.shape[0] != 2 or known[0] == known[1]:
        raise InvalidInput(f"two different classes are needed, {known.size} class(es) given. Declare both with classes=[negative, positive].")
    second = given == known[1]
    if not np.all(second | (given == known[0])):
        raise InvalidInput(f"y holds a label outside the declared classes {known.tolist()}; map it to one of them first.")
    return np.where(second, 1.0, -1.0), known, declared


def _caller() -> int:
    """How many frames above the one that warns the first is that is not this library's, as `warnings.warn` counts."""
    frame, inside = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith(f"{__name__.partition('.')[0]}."):
        frame, inside = frame.f_back, inside + 1
    return inside
