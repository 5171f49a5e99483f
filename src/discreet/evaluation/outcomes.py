"""What a model says about private records, beside what is true of them.

A model whose class was marked (matrices/per_record.py: all of ours) is asked about all records together. Every other one is asked about each record
in a table of one row: its answers about a table may depend, in their last bits or more, on which other records stand in it.

Only predictions, probabilities and decision values are asked of a model, so any number of classes and any kind of classifier will do: ours, a model
read from a file, or one of scikit-learn's. What a classifier of scikit-learn's kind offers is asked of the object, as scikit-learn does, since
some have `predict_proba` for some of their settings only, which their class does not tell.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from discreet.core.arrays import Floats
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.private import holds_records
from discreet.data import Block, EncodedTable
from discreet.evaluation.targets import StoredArrays, StoredModel, Truth, classes_of, periods_of, predicted_codes, truth_of, truth_of_block
from discreet.matrices import Matrix, as_matrix, is_per_record
from discreet.noise import Integers

PREDICTED, PROBABILITIES, DECISION, SURVIVAL = "predict", "predict_proba", "decision_function", "predict_survival"
ANSWERS = frozenset({PREDICTED, PROBABILITIES, DECISION, SURVIVAL})
"""What a model may be asked for."""


@holds_records
class Outcomes:
    """Private: class numbers (n,) as they are; of what was asked for, predicted ones (n,), probabilities (n, K), decision values (n,) or (n, K).

    Without classes, numbers (n,) as they are and as they are predicted; one that is not finite is an answer that counts as the worst. Of times the
    numbers of what is known (n,), and the predicted probabilities (n, T) to live through each period.
    """

    __slots__ = ("actual", "classes", "column", "decision", "predicted", "probabilities", "rows", "survival")

    def __init__(
        self,
        *,
        classes: Sequence[Any],
        actual: Integers | Floats,
        predicted: Integers | Floats | None,
        probabilities: Floats | None,
        decision: Floats | None,
        survival: Floats | None = None,
        rows: Matrix | None = None,
        column: npt.NDArray[Any] | None = None,
    ) -> None:
        """Raises InvalidInput for shapes that disagree, and for probabilities that are none, without any value."""
        count, kinds = len(actual), len(classes)
        if (predicted is not None and predicted.shape != (count,)) or (decision is not None and (decision.ndim > 2 or len(decision) != count)):
            raise InvalidInput("the model must give one prediction, and one decision value, for every record.")
        if probabilities is not None and not (probabilities.shape == (count, kinds) and _are_probabilities(probabilities)):
            raise InvalidInput(f"the model must give probabilities (from 0 to 1) of its {kinds} classes for every record.")
        if decision is not None and np.any(np.isnan(decision)):
            raise InvalidInput("the decision values of a model must be numbers.")
        if survival is not None and not (survival.ndim == 2 and len(survival) == count and _are_probabilities(survival)):
            raise InvalidInput("the model must give, for every record, a probability (from 0 to 1) of surviving each period.")
        self.classes, self.survival = tuple(classes), survival
        self.actual, self.predicted = actual, predicted
        self.probabilities, self.decision = probabilities, decision
        self.rows, self.column = rows, column

    @property
    def records(self) -> int:
        """n; private under add-remove."""
        return len(self.actual)

    @property
    def codes(self) -> Integers:
        """Class numbers (n,) as they are."""
        return np.asarray(self.actual, dtype=np.int64)

    @property
    def predicted_codes(self) -> Integers:
        """Predicted ones (n,). Raises InvalidInput for a model that was not asked."""
        if self.predicted is None:
            raise InvalidInput("the model gives no classes for these records.")
        return np.asarray(self.predicted, dtype=np.int64)

    def content(self) -> Iterator[bytes]:
        """Rows and targets as bytes, for a ledger's keyed digest, as a fit on the same table gives them."""
        if self.rows is not None and self.column is not None:
            yield from self.rows.content()
            yield self.column.tobytes()

    def __repr__(self) -> str:
        """The classes only."""
        return f"Outcomes(classes={self.classes!r})"


def _answers(model: Any) -> dict[str, Callable[[Any], Any]]:  # noqa: ANN401 - as above
    """What a model may be asked for, by its name in ANSWERS."""
    if not isinstance(model, StoredModel | StoredArrays):
        return {name: getattr(model, name) for name in ANSWERS if callable(getattr(model, name, None))}
    if periods_of(model):
        return {SURVIVAL: getattr(model, "survival")}  # noqa: B009 - models of times have it
    chances = {PROBABILITIES: model.probabilities} if model.has_probabilities else {}
    return {PREDICTED: model.predict, DECISION: model.decision, **chances}


def has_probabilities(model: Any) -> bool:  # noqa: ANN401 - as above
    """Whether log loss and calibration can be measured."""
    return PROBABILITIES in _answers(model)


def has_scores(model: Any) -> bool:  # noqa: ANN401 - as above
    """Whether records can be ordered by how likely they are of the second class."""
    return not {DECISION, PROBABILITIES}.isdisjoint(_answers(model))


@contextmanager
def silenced(model: Any) -> Iterator[None]:  # noqa: ANN401 - as above
    """Where a foreign model is asked, by one thread or by threads that end before this does: a warning of its own would tell of a record."""
    if is_per_record(model):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def outcomes_of(model: Any, X: Any, y: Any = None, *, wanted: frozenset[str] = ANSWERS) -> Outcomes:  # noqa: ANN401 - as above
    """Ask the model about records X with their classes y (None where X is a table with its target, encoded or to be encoded by the model's schema).

    `wanted` are some of ANSWERS; those that a model does not have are None. Raises InvalidInput or InvalidType, without any value of X or y; a
    foreign model's own exceptions and warnings, which may quote records, are not passed on.
    """
    classes_of(model)
    asked = model.schema.encode(X, target=True) if isinstance(model, StoredModel) and not isinstance(X, EncodedTable) else X
    rows = asked.rows if isinstance(asked, EncodedTable) else as_matrix(asked) if _is_matrix(asked) else None
    with silenced(model):
        return _asked(model, truth_of(model, asked, y), asked, wanted, rows=rows)


def outcomes_of_block(model: Any, block: Block, *, wanted: frozenset[str] = ANSWERS) -> Outcomes:  # noqa: ANN401 - as above
    """Ask the model about the records of a block of a table, at least one. Raises as `outcomes_of` does."""
    return _asked(model, truth_of_block(model, block), as_taken(model, block.rows), wanted)


def target_column(model: Any, block: Block) -> npt.NDArray[Any]:  # noqa: ANN401 - as above
    """What a ledger's digest sees of the targets of a block, as a fit on the same records gives them."""
    return truth_of_block(model, block).column


def as_taken(model: Any, rows: Matrix) -> Any:  # noqa: ANN401 - as above
    """Rows in the form that a model takes: encoded for one that brings its schema, an array or a sparse matrix for the others."""
    return model.schema.encoded(rows) if isinstance(model, StoredModel) else rows.plain()


class _Said(NamedTuple):
    """What a model says of some records: arrays with one row a record, or None."""

    predicted: Integers | Floats | None
    probabilities: Floats | None
    decision: Floats | None
    survival: Floats | None


def _asked(
    model: Any,  # noqa: ANN401 - as above
    truth: Truth,
    X: Any,  # noqa: ANN401 - as above
    wanted: frozenset[str],
    *,
    rows: Matrix | None = None,
) -> Outcomes:
    """What the model says about these records: together where they are known not to change each other's answers, else one by one."""
    classes = classes_of(model)
    try:
        known = is_per_record(model)
        parts = [_said(model, classes, X, wanted)] if known else list(_of_each(model, classes, X, len(truth.actual), wanted))
        columns = zip(*parts, strict=True)
        together = _Said(*(None if column[0] is None else np.concatenate(column) for column in columns))
        return Outcomes(classes=classes, actual=truth.actual, **together._asdict(), rows=rows, column=truth.column)
    except DiscreetError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a foreign model raises may quote a record
        refusal = InvalidInput(f"the model failed on these records ({type(error).__name__}). Check that it can predict on this table.")
    raise refusal


def _of_each(model: Any, classes: tuple[Any, ...], X: Any, records: int, wanted: frozenset[str]) -> Iterator[_Said]:  # noqa: ANN401 - as above
    """What the model says of none, then of one record after the other.

    A record that the model fails on, or about which it answers what is no answer, counts as one of the first class for which nothing speaks, or as
    one that is as far off as can be: an error would tell that it is there. What can be known without records is refused: columns that the model names
    and a frame lacks, and a model that fails on a row of zeros.
    """
    nothing = _nothing(model, classes, X, wanted)
    shapes = _shapes(nothing)
    yield nothing._replace(**{name: None if part is None else part[:0] for name, part in nothing._asdict().items()})
    for table in _one_by_one(X, records) if records else ():
        try:
            said = _checked(model, classes, table, wanted)
        except Exception:  # noqa: BLE001 - whatever a foreign model raises
            said = nothing
        yield said if _shapes(said) == shapes else nothing


def _nothing(model: Any, classes: tuple[Any, ...], X: Any, wanted: frozenset[str]) -> _Said:  # noqa: ANN401 - as above
    """What counts for a record that the model fails on, in the shapes of its answers. Raises what it raises about a row of zeros."""
    if _is_matrix(X):
        zeros: Any = X.tocsr().__class__((1, X.shape[1])) if sparse.issparse(X) else np.zeros((1, X.shape[1]))
        shapes = _checked(model, classes, zeros, wanted)
    else:
        columns, named = getattr(X, "columns", None), getattr(model, "feature_names_in_", ())
        lacking = [] if columns is None else sorted(set(map(str, named)) - set(map(str, columns)))
        if lacking:
            raise InvalidInput(
                f"the table lacks the column {lacking[0]!r}, which the model was fitted on; {len(lacking)} such column(s) are missing."
            )
        kinds, periods, asked = len(classes), len(periods_of(model)), wanted & _answers(model).keys()
        shapes = _Said(
            np.zeros(1, dtype=np.int64) if PREDICTED in asked else None,
            np.zeros((1, kinds)) if PROBABILITIES in asked else None,
            np.zeros(1 if kinds == 2 else (1, kinds)) if DECISION in asked else None,
            np.zeros((1, periods)) if SURVIVAL in asked else None,
        )
    return _Said(
        None if shapes.predicted is None else np.zeros_like(shapes.predicted) if classes else np.full(1, np.nan),
        None if shapes.probabilities is None else np.zeros_like(shapes.probabilities),
        None if shapes.decision is None else np.full_like(shapes.decision, -np.inf),
        None if shapes.survival is None else np.zeros_like(shapes.survival),
    )


def _shapes(said: _Said) -> list[tuple[int, ...] | None]:
    return [None if part is None else part.shape for part in said]


def _checked(model: Any, classes: tuple[Any, ...], X: Any, wanted: frozenset[str]) -> _Said:  # noqa: ANN401 - as above
    """What the model says of one record, if these are answers. Raises what the model raises, and InvalidInput."""
    with np.errstate(all="ignore"):
        said = _said(model, classes, X, wanted)
    Outcomes(classes=classes, actual=np.zeros(1, dtype=np.int64), **said._asdict())
    return said


def _said(model: Any, classes: tuple[Any, ...], X: Any, wanted: frozenset[str]) -> _Said:  # noqa: ANN401 - as above
    asks = _answers(model)
    predicted, *numbers = (asks[name](X) if name in wanted and name in asks else None for name in (PREDICTED, PROBABILITIES, DECISION, SURVIVAL))
    if predicted is not None:
        predicted = predicted_codes(model, classes, predicted) if classes else _column(predicted)
    return _Said(predicted, *(None if answer is None else np.asarray(answer, dtype=np.float64) for answer in numbers))


def _column(predicted: Any) -> Floats:  # noqa: ANN401 - as above
    """Predicted numbers (n,), those that are in a column of their own too."""
    numbers = np.asarray(predicted, dtype=np.float64)
    return numbers[:, 0] if numbers.ndim == 2 and numbers.shape[1] == 1 else numbers


def _one_by_one(X: Any, records: int) -> Iterator[Any]:  # noqa: ANN401 - as above
    """Tables of one record each, in the form that the table has. Raises InvalidInput where there are not so many."""
    if (X.rows if isinstance(X, EncodedTable) else np.empty(len(X)) if isinstance(X, list) else X).shape[0] != records:
        raise InvalidInput("X and y must hold the same number of records.")
    compressed: Any = X.tocsr() if sparse.issparse(X) else X
    for record in range(records):
        one = slice(record, record + 1)
        if isinstance(X, EncodedTable):
            yield EncodedTable(
                rows=as_matrix(np.array(X.rows.entries(one))),
                signs=None,
                classes=X.classes,
                schema=X.schema,
                numeric=X.numeric,
                categorical=X.categorical,
            )
        else:
            by_place = getattr(X, "iloc", None)  # pandas
            yield compressed[one] if by_place is None else by_place[one]


def _is_matrix(X: Any) -> bool:  # noqa: ANN401 - as above
    matrix: Any = X
    return bool((isinstance(X, np.ndarray) or sparse.issparse(X)) and matrix.ndim == 2 and matrix.dtype.kind in "biuf")


def _are_probabilities(numbers: Floats) -> bool:
    return bool(np.all((numbers >= 0.0) & (numbers <= 1.0 + 1e-9)))
