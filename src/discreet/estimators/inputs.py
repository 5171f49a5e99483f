"""From what callers pass to arrays and classes, with errors that repeat nothing of what they read.

scikit-learn's own converters print offending values ("could not convert string to float: '...'", "got 1D array instead: array=[...]"), so
conversion and checks are done here, each with a sentence made of names and public numbers, and the original exception is dropped (`quietly`).

Which labels may occur is public. Labels that are taken from the records may tell of one: of the only record that has a label, the model says that it
is there; of that a warning is given. Whether a label that was declared occurs tells nothing, so labels are compared with the declared classes and
never looked at otherwise.

More than two classes:

    multinomial   minimise (1/n) sum_i c_i (ln sum_k e^{f_k(x_i)} - f_{y_i}(x_i)) + (alpha / 2) sum_k |w_k|^2 + noise,   f_k the decision of class k
    one-vs-rest   K problems of two classes, one for each class against the others, with noise of their own

The released vector holds the classes one after the other, each with its intercept's coordinate last.
"""

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.core.advice import caller
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, InvalidType, PrivacyWarning, quietly
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.validate import given as in_words
from discreet.core.validate import measure, positive, whole
from discreet.data import BlockTable, EncodedTable
from discreet.data.reader import class_numbers
from discreet.data.records import class_codes, record_weights
from discreet.matrices import Matrix, as_matrix
from discreet.matrices.bounded import check_finite
from discreet.matrices.convert import is_device_array, is_tabmat, to_host
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk
from discreet.statements.base import CLASSES, LABELS_THAT_OCCUR

multiclass, validation = lazily("sklearn.utils.multiclass"), lazily("sklearn.utils.validation")  # not for who only reads a file of intervals
_NOT_FINITE = "X must be finite: it contains NaN or inf. Decide how to treat missing values before fitting (a schema can do that, column by column)."


_INTERCEPT_SHARE = 0.3
"""The constant feature over the bound of rows where the caller does not choose: it lengthens that bound, and so the noise, by 4 %."""


def constant_feature(bound: float, scale: object, *, wanted: bool) -> float:
    """t, of the intercept, for rows within a bound; 0 without one."""
    chosen = positive_or_none(scale, "intercept_scale")
    if not wanted:
        return 0.0
    return _INTERCEPT_SHARE * bound if chosen is None else chosen


def ridge_of(alpha: object, records: int | None, neighbours: Neighbours) -> float:
    """lambda = alpha n. Raises InvalidInput where n is not known here, or private."""
    chosen = measure(alpha, "alpha")
    if records is not None:
        return chosen * records
    if neighbours is ADD_REMOVE:
        raise InvalidInput(
            "alpha multiplies the number of records, which is private under add-remove. If a number near theirs is public, pass it as "
            "public_records; otherwise leave alpha=None."
        )
    raise InvalidInput("alpha multiplies the number of records, so give that number: plan(records=n) or explain(records=n).")


def is_private(data_norm: object) -> bool:
    """Whether the norm is chosen in the fit."""
    return isinstance(data_norm, str) and data_norm == "private"


def public_norm(data_norm: Any) -> Any:
    """The bound of the rows that the model sees: what was declared, or 1."""
    return 1.0 if is_private(data_norm) else data_norm


def feature_rows(X: Any) -> Matrix:
    """Rows (n, d), d >= 1, all finite, from an array, a data frame, a matrix of SciPy or tabmat, or an array of torch or CuPy (left there).

    float32 and float64 arrays are not copied. Raises InvalidInput or InvalidType, without any value of X.
    """
    given: Any = X if is_tabmat(X) or is_device_array(X) else _sparse(X) if sp.issparse(X) else _dense(X)
    _check_shape(given)
    matrix = as_matrix(given)
    quietly(lambda: check_finite(matrix), InvalidInput(_NOT_FINITE), InvalidInput)
    return matrix


def _check_shape(matrix: Any) -> None:
    if matrix.ndim != 2:
        raise InvalidInput(
            f"X must be a table of shape (n, d); an array with {matrix.ndim} dimension(s) was given. "
            "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one record."
        )
    if matrix.shape[1] == 0:
        # scikit-learn's own wording, without the number of records, which add-remove keeps private
        raise InvalidInput("X has 0 feature(s) (shape=(, 0)) while a minimum of 1 is required.")


def labels(y: Any, name: str, records: int, *, declared: bool) -> npt.NDArray[Any]:
    """Class labels (n,). Raises InvalidInput for other shapes and missing labels, without any value of y.

    Continuous targets are refused unless the classes are `declared`: whether numbers look like classes depends on all of them.
    """
    if y is None:
        raise InvalidInput(f"{name} requires y to be passed, but the target y is None.")
    given, kind = quietly(lambda: _labelled(y, declared=declared), InvalidInput("y should be a 1d array of class labels, one for each row of X."))
    if not kind:
        raise InvalidInput("Input y contains infinity or a value too large for dtype('float64'), or NaN; class labels were expected.")
    if kind not in {"binary", "multiclass"}:
        raise InvalidInput(f"Unknown label type: {kind}. {name} is a classifier: y must hold class labels.")
    if given.shape[0] != records:
        raise InvalidInput("X and y must have the same number of records.")
    return given


def real_targets(y: Any, name: str, records: int, *, several: bool = False) -> Floats:
    """Real targets (n,), or (n, m) where there may be `several` columns.

    Raises InvalidInput for other shapes, text and numbers that are not finite, without any value of y.
    """
    if y is None:
        raise InvalidInput(f"{name} requires y to be passed, but the target y is None.")
    refusal = InvalidInput(
        "y should be a 1d array of real numbers, one for each row of X. Fit several targets separately, each with a share of epsilon and delta."
    )
    numbers = quietly(lambda: _numbers(y, several=several), refusal)
    if numbers is None:
        raise InvalidInput("y must hold real numbers, one for each row of X.")
    if not np.all(np.isfinite(numbers)):
        raise InvalidInput("Input y contains infinity or a value too large for dtype('float64'), or NaN; finite numbers were expected.")
    if numbers.shape[0] != records:
        raise InvalidInput("X and y must have the same number of records.")
    return numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighting:
    """What a record weighs: its own weight, within a public bound, times the public weight of its class.

    c_i = min(weight_i, max_sample_weight) * class_weight[y_i]  <=  c_max,     the largest product: every constant of the problem follows it
    """

    by_class: Any
    """A dict from classes to weights, or None; what a caller gave, and checked where it is used."""
    most: float | None
    """What larger weights of records are cut to."""

    def of_records(self, sample_weight: Any, codes: npt.NDArray[np.intp], classes: npt.NDArray[Any]) -> tuple[Floats | None, float]:
        """Weights (n,) or None, and the public bound on the weight of a record."""
        weights = self._given(sample_weight, codes.shape[0])
        largest = 1.0 if weights is None or self.most is None else self.most
        by_class = self.of_classes(classes)
        if by_class is None:
            return weights, largest
        by_record, heaviest = by_class[codes], float(by_class.max())
        return (by_record, heaviest) if weights is None else (by_record * weights, heaviest * largest)

    def of_numbers(self, sample_weight: Any, records: int) -> Floats | None:
        """Weights (n,) of records of a regression over the largest one, or None: the losses of a record are at most those of one without weights."""
        weights = self._given(sample_weight, records)
        return None if weights is None or self.most is None else weights / self.most

    def largest(self, count: int, classes: npt.NDArray[Any] | None, *, weighted: bool) -> float:
        """Of any record of `count` classes, from public numbers: a class that is not named has the weight 1."""
        by_class = None if classes is None else self.of_classes(classes)
        if by_class is None:
            named = self.by_class or {}
            if not isinstance(named, dict):
                raise InvalidInput(_no_table(named, []))
            weights = [positive(weight, "class_weight") for weight in named.values()]
            heaviest = max(weights if len(weights) == count else [1.0, *weights])
        else:
            heaviest = float(by_class.max())
        return heaviest * self.most if weighted and self.most is not None else heaviest

    def of_classes(self, classes: npt.NDArray[Any]) -> Floats | None:
        """(K,), or None where all weigh 1. Raises InvalidInput for what is no table of public weights, and for classes that there are not."""
        if self.by_class is None:
            return None
        known = classes.tolist()
        if not isinstance(self.by_class, dict) or not set(self.by_class) <= set(known):
            raise InvalidInput(_no_table(self.by_class, known))
        return np.asarray([positive(self.by_class.get(label, 1.0), "class_weight") for label in known])

    def _given(self, sample_weight: Any, records: int) -> Floats | None:
        if sample_weight is None:
            return None
        return record_weights(to_host(sample_weight) if is_device_array(sample_weight) else sample_weight, records, self.most)


def _no_table(given: Any, classes: list[Any]) -> str:
    """Why what was given is no table of public weights."""
    of = f" the classes {classes}" if classes else " classes"
    if isinstance(given, str):
        return (
            f"class_weight must be a dict from{of} to public weights; {given!r} was given, which counts the classes in y, and the counts would leak. "
            "Say weights from a public base rate: {'yes': 3.0} where 'yes' is known to be a quarter of the population."
        )
    return f"class_weight must be a dict from{of} to public weights; weights computed from the data would leak the class counts."


def whole_or_none(value: Any, name: str) -> int | None:
    """A positive integer or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1 or not is_finite(value):
        raise InvalidInput(f"{name} must be a positive integer within the range of float64, or None; {in_words(value)} was given.")
    return int(value)


def count_or_none(value: Any, name: str) -> int | None:
    """An integer of at least 0, or None: a number of records, of which a part of a table under add-remove may have none."""
    return None if value is None else whole(value, name, least=0)


def positive_or_none(value: Any, name: str) -> float | None:
    """As `positive`, or None."""
    return None if value is None else positive(value, name)


def _labelled(y: Any, *, declared: bool) -> tuple[npt.NDArray[Any], str]:
    """The labels and what scikit-learn calls their kind, "" where some are not finite; nothing is asked of labels whose classes are declared."""
    given = _column(_plain(y))
    finite = given.dtype.kind != "f" or bool(np.all(np.isfinite(given)))
    if not finite:
        return given, ""
    return given, "multiclass" if declared else multiclass.type_of_target(given)


def _numbers(y: Any, *, several: bool) -> Floats | None:
    given = np.asarray(y)
    if not (several and given.ndim == 2 and given.shape[1] > 1):
        given = _column(given)
    return given.astype(np.float64) if given.dtype.kind in "biufO" else None


def _column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """One column (n,), as scikit-learn has it, which looks at a plain one for longer than a small fit takes."""
    if values.ndim == 1 and values.dtype.kind in "biufU":
        return values
    column: npt.NDArray[Any] = validation.column_or_1d(values, warn=True)
    return column


def _plain(y: Any) -> npt.NDArray[Any]:
    array = to_host(y) if is_device_array(y) else np.asarray(y)
    return array if array.dtype.kind != "O" else _unboxed(array)


def _unboxed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    kinds = {type(item) for item in array.ravel().tolist()}
    if kinds <= {str}:
        return array.astype(str)
    if kinds and all(issubclass(kind, bool | int | float) for kind in kinds):
        return array.astype(np.float64 if float in kinds else np.int64)
    return array


def _sparse(X: Any) -> Any:
    if X.dtype.kind == "c":
        raise InvalidInput("Complex data not supported: X must hold real numbers.")
    if X.dtype.kind not in "fiub":
        raise InvalidType("the entries of X must be numbers.")
    rows = X.tocsr()
    return rows if rows.dtype == np.float64 else rows.astype(np.float64)


def _dense(X: Any) -> npt.NDArray[Any]:
    array = quietly(lambda: np.asarray(X), InvalidInput("X must be a table of numbers with equally long rows."))
    if array.dtype.kind == "c":
        raise InvalidInput("Complex data not supported: X must hold real numbers.")
    if array.dtype in (np.float32, np.float64):
        return array
    refusal = InvalidType("every entry of X must be a number: the argument must be a string or a real number, something else was found.")
    unread = InvalidInput("X must contain only numbers; some entry is not one. Describe columns of text with a schema.")
    return quietly(lambda: quietly(lambda: array.astype(np.float64), refusal, TypeError), unread)


ClassRisk: TypeAlias = MultinomialRisk | OneVsRestRisk


def labels_and_classes(y: Any, *, classes: Any, name: str, records: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any], tuple[str, ...]]:
    """Labels (n,), classes (K,), and what the caller declared public by passing them. `name` is the estimator's, for messages.

    Warns with PrivacyWarning where `classes` is None; raises InvalidInput as `labels` does.
    """
    given = labels(y, name, records, declared=classes is not None)
    if classes is not None:
        return given, np.asarray(classes), (CLASSES,)
    warnings.warn(
        f"{name} takes its classes from the records, so the model reveals which labels occur. Declare every class that may occur: classes=[...].",
        PrivacyWarning,
        stacklevel=caller(),
    )
    return given, np.unique(given), (LABELS_THAT_OCCUR,)


def signs_and_classes(y: Any, *, classes: Any, name: str, records: int, many: bool = False) -> tuple[Floats, npt.NDArray[Any], tuple[str, ...]]:
    """Of two classes: -1.0 for the first and +1.0 for the second (n,), the classes (2,), and what was declared.

    Of more, where `many` are taken, their numbers 0 .. K - 1 and the classes (K,). Raises InvalidInput for more where they are not.
    """
    given, known, declared = labels_and_classes(y, classes=classes, name=name, records=records)
    if many and known.ndim == 1 and len(known) > 2:
        return class_numbers(class_codes(given, distinct_classes(known)), len(known)), known, declared
    check_two(known)
    second = given == known[1]
    if not np.all(second | (given == known[0])):
        raise InvalidInput(f"y contains a label that is not one of the declared classes {known.tolist()}; map it to one of them first.")
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
        raise InvalidInput("the schema's target is a number, but a classifier needs classes: declare classes, or fit a regression.")
    if found is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True to fit.")
    if y is not None:
        raise InvalidInput("an encoded table already contains its targets; leave y out.")
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


def require_target_bound(estimator: Any, X: Any) -> None:
    """Raise InvalidInput for numbers whose range nobody said: neither the parameters of the estimator nor the schema that encoded X."""
    encoded = isinstance(X, EncodedTable) or (isinstance(X, BlockTable) and X.encoded)
    if vars(estimator).get("target_bound", 1.0) is None and not encoded and "numbers" in estimator.learns:
        raise InvalidInput(
            f"{type(estimator).__name__} needs target_bound, the largest size of a target, which you know without the records: larger targets count "
            "as that."
        )
