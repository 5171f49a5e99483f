"""The records of a search, in the form that fits and scores need: rows, labels, classes and parts; held, or read in blocks (`search_blocks`)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.core.errors import InvalidInput
from discreet.core.private import holds_records
from discreet.data import EncodedTable
from discreet.estimators.classes import labels_and_classes
from discreet.estimators.inputs import feature_rows
from discreet.matrices import Matrix
from discreet.noise import Noise
from discreet.noise.words import shuffled, uniform_below
from discreet.problems.summed_objective import WHOLE_RECORDS


class Predicts(Protocol):
    """A fitted model."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """A class for each row by itself."""


class SearchTable(Protocol):
    """Private rows and labels, and the public classes."""

    @property
    def X(self) -> Any:  # noqa: N802 - as scikit-learn calls it
        """What a fit takes."""

    @property
    def y(self) -> Any:
        """What a fit takes next to X: labels, or None where X brings them."""

    @property
    def classes(self) -> npt.NDArray[Any]:
        """(K,)."""

    @property
    def shape(self) -> tuple[int, int]:
        """(n, d); n is private under add-remove."""

    @property
    def one_part(self) -> bool:
        """Whether a fit has nothing to spread over threads, so that several fits may."""

    @property
    def in_blocks(self) -> bool:
        """Whether X is a BlockTable."""

    def content(self) -> Iterator[bytes]:
        """The bytes by which a ledger knows the table again: those of a single fit."""

    def correct(self, model: Predicts) -> int:
        """How many labels `model` predicts; private."""

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> "list[SearchTable]":
        """The records cut into `count` parts, decided without looking at any: see search_algorithm_4."""


@holds_records
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HeldTable:
    """Rows in memory; see SearchTable."""

    X: Any
    y: Any
    rows: Matrix
    given: npt.NDArray[Any]
    """Labels (n,), for scores."""
    classes: npt.NDArray[Any]

    def __repr__(self) -> str:
        """Nothing of the records."""
        return "HeldTable(...)"

    @property
    def shape(self) -> tuple[int, int]:
        """See SearchTable."""
        return self.rows.shape

    @property
    def one_part(self) -> bool:
        """See SearchTable."""
        return self.rows.shape[0] <= WHOLE_RECORDS

    @property
    def in_blocks(self) -> bool:
        """See SearchTable."""
        return False

    def content(self) -> Iterator[bytes]:
        """See SearchTable."""
        yield from self.rows.content()
        codes = np.argmax(self.given[:, np.newaxis] == self.classes, axis=1)
        yield codes.astype(np.int64).tobytes() if len(self.classes) > 2 else np.where(codes == 1, 1.0, -1.0).tobytes()

    def correct(self, model: Predicts) -> int:
        """See SearchTable."""
        return int(np.count_nonzero(model.predict(self.X) == self.given)) if len(self.given) else 0

    def parts(self, count: int, noise: Noise, *, hidden: bool) -> list[SearchTable]:
        """See SearchTable. Raises InvalidInput for an encoded table."""
        if isinstance(self.X, EncodedTable):
            raise InvalidInput(
                "an encoded table cannot be cut into parts; use method='random-stopping', which needs none, or pass X and y as arrays."
            )
        records = len(self.given)
        if hidden:
            thrown = uniform_below(noise.words(), count, count=records)
            return [self._part(np.flatnonzero(thrown == part)) for part in range(count)]
        return [self._part(numbers) for numbers in np.array_split(shuffled(noise.words(), records), count)]

    def _part(self, numbers: npt.NDArray[np.integer]) -> SearchTable:
        compressed: bool = sp.issparse(self.X)
        X = self.X.tocsr()[numbers] if compressed else np.asarray(self.X)[numbers]
        return HeldTable(X=X, y=self.given[numbers], rows=feature_rows(X), given=self.given[numbers], classes=self.classes)


def held_table(X: Any, y: Any, *, classes: Any, name: str) -> HeldTable:
    """Check what was passed to `fit`, as an estimator does. Raises InvalidInput or InvalidType without any value of X or y."""
    if isinstance(X, EncodedTable):
        found = X.codes if X.signs is None else X.signs > 0
        if found is None or y is not None:
            raise InvalidInput("an encoded table brings its own targets: encode it with target=True, and leave y out.")
        declared = np.asarray(X.classes)
        return HeldTable(X=X, y=None, rows=X.rows, given=declared[np.asarray(found, dtype=np.intp)], classes=declared)
    rows = feature_rows(X)
    given, declared, _ = labels_and_classes(y, classes=classes, name=name, records=rows.shape[0])
    if declared.ndim != 1 or declared.size < 2:
        raise InvalidInput(
            f"two classes at least are needed, {declared.size} class(es) given. Declare all of them with the estimator's classes=[...]."
        )
    if not np.all(np.isin(given, declared)):
        raise InvalidInput(f"y holds a label outside the declared classes {declared.tolist()}; declare every class that may occur.")
    return HeldTable(X=X, y=given, rows=rows, given=given, classes=declared)
