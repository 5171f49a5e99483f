"""What is true of private records: their classes, their numbers in the unit in which a model predicts them, or what is known of their times.

A model that knows its schema predicts numbers in the unit of the target's column; encoded targets lie in [-1, 1], and are brought back to that unit
here, each by itself. A ledger knows a table again by the targets as a fit on it gets them, so these are kept beside.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, InvalidType, quietly
from discreet.data import Block, EncodedTable, NumberTarget, NumberTargets, Schema, Target
from discreet.data.labels import canonical, label_array
from discreet.data.targets import period_numbers
from discreet.noise import Integers

_COMPARED = 16
"""Up to so many classes are found by comparing all labels with each."""


@runtime_checkable
class Classifier(Protocol):
    """An estimator that was fitted."""

    classes_: Any

    def predict(self, X: Any) -> Any:  # noqa: ANN401 - whatever the model takes
        """A class for every record."""


class _Stored(Protocol):
    """A model from a file."""

    @property
    def has_probabilities(self) -> bool:
        """Whether `probabilities` works."""

    def predict(self, rows: Any, /) -> Any:  # noqa: ANN401 - as above
        """A class, or a number, for every record."""

    def probabilities(self, rows: Any, /) -> Any:  # noqa: ANN401 - as above
        """Probabilities of all classes (n, K)."""

    def decision(self, rows: Any, /) -> Any:  # noqa: ANN401 - as above
        """Decision values."""


@runtime_checkable
class StoredModel(_Stored, Protocol):
    """One that brings its schema, for tables."""

    schema: Schema


@runtime_checkable
class StoredArrays(_Stored, Protocol):
    """One of arrays, which knows no schema."""

    labels: tuple[Any, ...]


class Truth(NamedTuple):
    """Of some records; private."""

    actual: Integers | Floats
    """Numbers of classes, targets in the unit of predictions, or numbers of what is known of times (`period_numbers`), (n,)."""
    column: npt.NDArray[Any]
    """What a ledger's digest sees of them, as a fit on the same records gives them."""


def classes_of(model: Any) -> tuple[Any, ...]:  # noqa: ANN401 - whatever the caller has
    """The classes of a model, in its order; none for one that predicts numbers, or times. Raises InvalidType for what is no fitted model."""
    if isinstance(model, StoredModel):
        return tuple(model.schema.target.classes) if isinstance(model.schema.target, Target) else ()
    if isinstance(model, StoredArrays):
        return tuple(model.labels)
    if isinstance(model, Classifier):
        return tuple(np.asarray(model.classes_).tolist())
    if _is_regression(model):
        return ()
    raise InvalidType(
        f"a fitted classifier with predict and classes_, a fitted regression, or a Model, is needed; {type(model).__name__} was given. Fit it first."
    )


def periods_of(model: Any) -> tuple[float, ...]:  # noqa: ANN401 - as above
    """The ends of the periods of a model of times; none for any other, and for one that is not fitted."""
    if isinstance(model, StoredModel):
        return tuple(model.schema.ends)
    if isinstance(model, StoredArrays):
        return tuple(getattr(getattr(model, "made", None), "ends", ()))
    return tuple(getattr(model, "ends_", ())) if callable(getattr(model, "predict_survival", None)) else ()


def is_ordered(model: Any) -> bool:  # noqa: ANN401 - as above
    """Whether its classes are known to be in order."""
    if isinstance(model, StoredModel):
        return bool(getattr(model.schema.target, "ordered", False))
    kind = type(getattr(model, "best_estimator_", model))
    return "ordered classes" in getattr(kind, "targets", ()) or getattr(getattr(model, "made", None), "of", None) == "ordered classes"


def _is_regression(model: Any) -> bool:  # noqa: ANN401 - as above
    """Whether it says of itself that it predicts numbers, as scikit-learn's regressions do, and not that it was never fitted."""
    tags, fitted = getattr(model, "__sklearn_tags__", None), getattr(model, "__sklearn_is_fitted__", None)
    if isinstance(model, type) or not callable(getattr(model, "predict", None)) or (callable(fitted) and not fitted()):
        return False
    if fitted is None and not _holds_a_fit(model):
        return False
    return callable(tags) and getattr(tags(), "estimator_type", None) == "regressor"


def _holds_a_fit(model: Any) -> bool:  # noqa: ANN401 - as above
    """Whether one of scikit-learn's own has what a fit leaves, attributes that end with "_"; True for others, which may keep theirs elsewhere.

    One that was never fitted fails on every record, and each of these would count as the worst, for the whole price.
    """
    own = type(model).__module__.partition(".")[0] == "sklearn"
    return not own or any(name.endswith("_") and not name.startswith("__") for name in vars(model))


def range_of(model: Any, declared: Sequence[float] | None) -> tuple[float, float]:  # noqa: ANN401 - as above
    """The public bounds of the targets of a model that predicts numbers, in the unit of its predictions.

    `declared` by the caller, or what a Model's schema, or the target_range of an estimator, says. Raises InvalidInput for none, and for both.
    """
    if declared is not None:
        low, high = _pair(declared)
        if isinstance(model, StoredModel):
            raise InvalidInput("the schema of the model declares the bounds of its target; leave target_bounds out.")
        return low, high
    if isinstance(model, StoredModel):
        if isinstance(model.schema.target, NumberTargets):
            raise InvalidInput(
                f"the model predicts the {model.schema.target.where}, but only one can be measured at a time: use model.of_target(column)."
            )
        target = model.schema.target
        assert isinstance(target, NumberTarget)  # noqa: S101 - it predicts numbers
        return target.lower, target.upper
    known = getattr(getattr(model, "best_estimator_", model), "target_range", None)
    if known is not None:
        return _pair(known)
    raise InvalidInput(
        "to measure errors, pass public bounds of the targets, known without the records: target_bounds=(lowest, highest). "
        f"{type(model).__name__} declares none."
    )


def _pair(declared: Sequence[float]) -> tuple[float, float]:
    refusal = InvalidInput("target_bounds must be two finite numbers: the lowest and the highest possible target.")
    low, high = quietly(lambda: tuple(float(end) for end in declared), refusal) if np.shape(declared) == (2,) else (0.0, 0.0)
    if not (low < high and np.isfinite(low) and np.isfinite(high) and np.isfinite(high - low)):
        raise refusal
    return low, high


def truth_of(model: Any, asked: Any, y: Any) -> Truth:  # noqa: ANN401 - as above
    """Of records that are held. Raises InvalidInput, without any value of y, for what are not the model's classes, or no numbers."""
    classes, ends, encoded = classes_of(model), periods_of(model), isinstance(asked, EncodedTable)
    if encoded and y is not None:
        raise InvalidInput("an encoded table already contains its targets; leave y out.")
    if ends:
        return _of_times(_brought(asked.times, "times; encode it with target=True to measure a model of times.") if encoded else y, ends)
    if not classes:
        lacks = "target, or its target is a class; encode it with target=True to measure a model."
        return _numbers_of(model, _brought(asked.one_number, lacks) if encoded else _given_numbers(y))
    if encoded:
        return _of_codes(_codes_of_table(asked, classes), classes)
    return _of_codes(_codes(_plain(y), classes), classes)


def truth_of_block(model: Any, block: Block) -> Truth:  # noqa: ANN401 - as above
    """Of the records of a block. Raises InvalidInput for a table without targets, and as `truth_of` does."""
    classes = classes_of(model)
    if block.targets is None:
        raise InvalidInput("the table has no targets; the class or number of every record is needed to measure a model.")
    if ends := periods_of(model):
        return _of_times(block.targets, ends)
    if not classes:
        return _numbers_of(model, _given_numbers(block.targets))
    if not isinstance(model, StoredModel):
        return _of_codes(_codes(block.targets, classes), classes)
    return _of_codes(_codes_of_texts(block.targets, label_array(classes).tolist()), classes)  # as blocks have them: of one type


def predicted_codes(model: Any, classes: Sequence[Any], predicted: Any) -> Integers:  # noqa: ANN401 - as above
    """The numbers of the predicted classes, (n,). Raises InvalidInput for other answers."""
    return _codes_of_texts(predicted, classes) if isinstance(model, StoredModel) else _codes(_plain(predicted), classes)


def _of_codes(codes: Integers, classes: Sequence[Any]) -> Truth:
    return Truth(codes, np.where(codes == 1, 1.0, -1.0) if len(classes) == 2 else codes)


def _of_times(given: Any, ends: tuple[float, ...]) -> Truth:  # noqa: ANN401 - as above
    if given is None:
        raise InvalidInput("the times y of the records are needed to measure a model of times; none were given.")
    codes = period_numbers(given, ends=ends)
    return Truth(codes, codes)


def _brought(targets: Floats | None, lacks: str) -> Floats:
    """The targets of an encoded table."""
    if targets is None:
        raise InvalidInput(f"the table was encoded without its {lacks}")
    return targets


def _numbers_of(model: Any, given: Floats) -> Truth:  # noqa: ANN401 - as above
    if not isinstance(model, StoredModel):
        return Truth(given, given)
    low, high = range_of(model, None)
    return Truth(low + 0.5 * (given + 1.0) * (high - low), given)


def _given_numbers(y: Any) -> Floats:  # noqa: ANN401 - as above
    if y is None:
        raise InvalidInput("the targets y of the records are needed to measure a model; none were given.")
    refusal = InvalidInput("y must be one finite number for every record, an array of one dimension.")
    numbers: Floats = quietly(lambda: np.asarray(y, dtype=np.float64), refusal)
    if numbers.ndim == 2 and numbers.shape[1] == 1:
        numbers = numbers[:, 0]
    if numbers.ndim != 1 or not np.all(np.isfinite(numbers)):
        raise refusal
    return numbers


def _codes_of_table(table: EncodedTable, classes: Sequence[Any]) -> Integers:
    """The place of every record's class among the classes, whose texts agree."""
    if table.signs is None and table.codes is None:
        raise InvalidInput("the table was encoded without its target; encode it with target=True to measure a model.")
    own = np.asarray(table.codes if table.signs is None else table.signs > 0, dtype=np.int64)
    places = _places([canonical(label) for label in table.classes], _texts(classes))
    return _all_known(places[own], classes)


def _codes_of_texts(labels: npt.NDArray[Any], classes: Sequence[Any]) -> Integers:
    """The place of every label among the classes, where their texts agree, as those of equal ones do. Raises InvalidInput as `_codes` does."""
    codes = _equal(labels, classes)
    return _codes(np.array([canonical(label) for label in labels.tolist()]), _texts(classes)) if codes is None else codes


def _texts(classes: Sequence[Any]) -> list[str]:
    return [canonical(label) for label in classes]


def _plain(labels: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - as above
    if labels is None:
        raise InvalidInput("the classes y of the records are needed to measure a model; none were given.")
    refusal = InvalidInput("y must be one class for every record, an array of one dimension.")
    array: npt.NDArray[Any] = quietly(lambda: np.asarray(labels), refusal)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise refusal
    return array


def _codes(labels: npt.NDArray[Any], classes: Sequence[Any]) -> Integers:
    """The place of every label among the classes, (n,). Raises InvalidInput for another one, without it."""
    codes = _equal(labels, classes)
    return _all_known(_places(labels.tolist(), classes), classes) if codes is None else codes


def _equal(labels: npt.NDArray[Any], classes: Sequence[Any]) -> Integers | None:
    """The same by comparing arrays; None where labels and classes are not all of one type, the classes are many, or a label is none of them."""
    kinds, declared = {type(label) for label in classes}, np.asarray(classes)
    kind = labels.dtype.kind
    whole = kind == "f" and declared.dtype.kind == "i" and bool(np.all(np.abs(declared) <= 1 << 53))  # which are compared exactly
    if len(kinds) > 1 or len(classes) > _COMPARED or kind not in "biufU" or not (whole or kind == declared.dtype.kind):
        return None
    codes = np.full(len(labels), -1, dtype=np.int64)
    for place, label in enumerate(declared):
        codes[labels == label] = place
    return None if np.any(codes < 0) else codes


def _places(labels: Sequence[Any], classes: Sequence[Any]) -> Integers:
    """The place of every label among the classes, -1 of another one."""
    places = {label: place for place, label in enumerate(classes)}
    try:
        return np.array([places.get(label, -1) for label in labels], dtype=np.int64)
    except TypeError:
        return np.array([-1], dtype=np.int64)


def _all_known(codes: Integers, classes: Sequence[Any]) -> Integers:
    if np.any(codes < 0):
        raise InvalidInput(
            f"a label lies outside the model's classes {list(classes)}. Map it to one of them, or leave such records out by a public rule."
        )
    return codes
