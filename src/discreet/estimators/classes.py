"""The classes of a classifier: where they come from, which problem is solved for more than two, and how released weights are laid out.

Which labels may occur is public. Labels that are taken from the records may tell of one: of the only record that has a label, the model says that it
is there; of that a warning is given. Whether a label that was declared occurs tells nothing, so labels are compared with the declared classes and
never looked at otherwise.

More than two classes:

    multinomial   minimise (1/n) sum_i c_i (ln sum_k e^{f_k(x_i)} - f_{y_i}(x_i)) + (alpha / 2) sum_k |w_k|^2 + noise,   f_k the decision of class k
    one-vs-rest   K problems of two classes, one for each class against the others, with noise of their own

The released vector holds the classes one after the other, each with its intercept's coordinate last.
"""

import inspect
import warnings
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, PrivacyWarning
from discreet.data import EncodedTable
from discreet.estimators.inputs import labels
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.statements.declared import CLASSES, LABELS_THAT_OCCUR

SCHEMES = ("multinomial", "one-vs-rest")

ClassRisk: TypeAlias = MultinomialRisk | OneVsRestRisk


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
    check_two(known)
    second = given == known[1]
    if not np.all(second | (given == known[0])):
        raise InvalidInput(f"y holds a label outside the declared classes {known.tolist()}; map it to one of them first.")
    return np.where(second, 1.0, -1.0), known, declared


def check_two(classes: npt.NDArray[Any]) -> None:
    """Raise InvalidInput unless there are two classes, and they differ."""
    if classes.ndim == 1 and classes.shape[0] > 2:
        raise InvalidInput("Only binary classification is supported. Declare two classes, or use LogisticRegression for more.")
    if classes.ndim != 1 or classes.shape[0] != 2 or classes[0] == classes[1]:
        raise InvalidInput(f"two different classes are needed, {classes.size} class(es) given. Declare both with classes=[negative, positive].")


def distinct_classes(classes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """`classes`, if there are two or more and all differ. Raises InvalidInput otherwise."""
    if classes.ndim != 1 or classes.shape[0] < 2 or len(set(classes.tolist())) < len(classes):
        raise InvalidInput(
            f"two or more different classes are needed, {classes.size} class(es) given. "
            "Declare all of them with classes=[negative, positive], or a longer list."
        )
    return classes


def encoded_codes(table: EncodedTable, y: Any) -> npt.NDArray[np.intp]:
    """The number of the class of every record (n,). Raises InvalidInput for a table of numbers or without its target, and for targets beside it."""
    found = table.codes if table.signs is None else table.signs > 0
    if found is None and not table.classes:
        raise InvalidInput("the schema declares its target as a number, and a classifier needs classes: declare them, or fit a regression.")
    if found is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True to fit.")
    if y is not None:
        raise InvalidInput("an encoded table brings its own targets; leave y out.")
    return np.asarray(found, dtype=np.intp)


def scheme_named(multi_class: object, *, standard: str, allowed: tuple[str, ...]) -> str:
    """The scheme that a caller chose, or the standard one. Raises InvalidInput."""
    if multi_class is None:
        return standard
    if multi_class not in allowed:
        raise InvalidInput(f"multi_class must be None or one of {list(allowed)}; {multi_class!r} was given.")
    return str(multi_class)


def class_problem(scheme: str, two_classes: RegularisedRisk) -> ClassRisk:
    """The problem of all classes with the loss, regularisation, domain and weights of the one of two classes."""
    if scheme == "multinomial":
        return MultinomialRisk(ridge=two_classes.ridge, domain=two_classes.domain, max_weight=two_classes.max_weight)
    return OneVsRestRisk(loss=two_classes.loss, ridge=two_classes.ridge, domain=two_classes.domain, max_weight=two_classes.max_weight)


def split_weights(weights: Floats, *, features: int, intercept_scale: float, classes: int) -> tuple[Floats, Floats]:
    """(coef, intercept) of released columns (dimension, count).

    Two classes: (count, d) and (count,); K classes: (count, K, d) and (count, K).
    """
    models = 1 if classes == 2 else classes
    table = np.ascontiguousarray(weights.T).reshape(weights.shape[1], models, -1)
    coef, last = table[:, :, :features], table[:, :, features:]
    intercept = last[:, :, 0] * intercept_scale if intercept_scale > 0 else np.zeros(coef.shape[:2])
    coef = np.ascontiguousarray(coef)
    return (coef[:, 0], intercept[:, 0]) if models == 1 else (coef, intercept)


def _caller() -> int:
    """How many frames above the one that warns the first is that is not this library's, as `warnings.warn` counts."""
    frame, inside = inspect.currentframe(), 0
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith(f"{__name__.partition('.')[0]}."):
        frame, inside = frame.f_back, inside + 1
    return inside
