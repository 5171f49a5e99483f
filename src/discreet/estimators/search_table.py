"""The records of a search, in the form that fits and scores need: rows, labels, classes, parts, and a stand-in of the same shape without records."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.data import EncodedTable
from discreet.designs import Design
from discreet.errors import InvalidInput
from discreet.estimators.inputs import feature_rows, labels


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SearchTable:
    """Private rows and labels, and the public classes."""

    X: Any
    y: Any
    """What a fit takes next to X: labels, or None for an encoded table."""
    rows: Design
    given: npt.NDArray[Any]
    """Labels (n,), for scores."""
    classes: npt.NDArray[Any]

    def __repr__(self) -> str:
        """Nothing of the records."""
        return "SearchTable(...)"

    def content(self) -> Iterator[bytes]:
        """The bytes by which a ledger knows the table again: those of a single fit."""
        yield from self.rows.content()
        codes = np.argmax(self.given[:, np.newaxis] == self.classes, axis=1)
        yield codes.astype(np.int64).tobytes() if len(self.classes) > 2 else np.where(codes == 1, 1.0, -1.0).tobytes()

    def correct(self, predicted: npt.NDArray[Any]) -> int:
        """How many of the labels are as predicted; private."""
        return int(np.count_nonzero(predicted == self.given))

    def part(self, numbers: npt.NDArray[np.integer]) -> "SearchTable":
        """The records with these row numbers. Raises InvalidInput for an encoded table."""
        if isinstance(self.X, EncodedTable):
            raise InvalidInput(
                "an encoded table cannot be cut into parts; use method='random-stopping', which needs none, or pass X and y as arrays."
            )
        compressed: bool = sp.issparse(self.X)
        X = self.X.tocsr()[numbers] if compressed else np.asarray(self.X)[numbers]
        return SearchTable(X=X, y=self.given[numbers], rows=feature_rows(X), given=self.given[numbers], classes=self.classes)


def search_table(X: Any, y: Any, *, classes: Any, name: str) -> SearchTable:
    """Check what was passed to `fit`, as an estimator does. Raises InvalidInput or InvalidType without any value of X or y."""
    if isinstance(X, EncodedTable):
        found = X.codes if X.signs is None else X.signs > 0
        if found is None or y is not None:
            raise InvalidInput("an encoded table brings its own targets: encode it with target=True, and leave y out.")
        declared = np.asarray(X.classes)
        return SearchTable(X=X, y=None, rows=X.rows, given=declared[np.asarray(found, dtype=np.intp)], classes=declared)
    rows = feature_rows(X)
    given = labels(y, name, rows.shape[0])
    declared = np.unique(given) if classes is None else np.asarray(classes)
    if declared.ndim != 1 or declared.size < 2:
        raise InvalidInput(
            f"two classes at least are needed, {declared.size} class(es) given. Declare all of them with the estimator's classes=[...]."
        )
    if not np.all(np.isin(given, declared)):
        raise InvalidInput(f"y holds a label outside the declared classes {declared.tolist()}; declare every class that may occur.")
    return SearchTable(X=X, y=given, rows=rows, given=given, classes=declared)


def stand_in(records: int, features: int, classes: npt.NDArray[Any]) -> tuple[sp.csr_array, npt.NDArray[Any]]:
    """Rows of zeros and labels in turn: a table of the same public shape, to learn from an estimator what it promises before it reads a record."""
    return sp.csr_array((records, features), dtype=np.float64), classes[np.arange(records) % len(classes)]
