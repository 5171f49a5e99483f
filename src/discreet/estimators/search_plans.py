"""What a fit inside a search promises, before it sees a record.

    linear classifiers     from public numbers, without a fit; of kernel machines, after their map was drawn, which is public
    any other estimator    from a fit on a table of zeros of the same public shape

Both are the certificate of the fit on the records in everything but value, noise and identifiers; a search compares them after every fit.
"""

from contextlib import suppress
from functools import singledispatch
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.data import Block, FunctionTable
from discreet.estimators.linear_classifier import LinearClassifier
from discreet.ledger import without_ledger
from discreet.matrices import SparseMatrix

_ROWS = 1 << 16
"""In a block of zeros."""


class PrivateEstimator(Protocol):
    """What a search needs of a fitted estimator."""

    certificate_: Certificate

    def fit(self, X: Any, y: Any) -> Any:
        """Fit, and leave a certificate."""

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """A class for each row by itself."""


@singledispatch
def planned_certificate(
    estimator: PrivateEstimator, *, records: int, features: int, classes: npt.NDArray[Any], neighbours: Neighbours, in_blocks: bool
) -> Certificate:
    """See the module docstring; `estimator` is used up. Raises InfeasibleTarget where there is no such fit."""
    count = 2 * len(classes) if neighbours is ADD_REMOVE else records
    if not in_blocks:
        X, y = stand_in(count, features, classes)
        return certificate_of_fit(estimator, X, y)

    def make(number: int) -> Block:
        rows, targets = stand_in(min(_ROWS, count - _ROWS * number), features, classes)
        return Block(SparseMatrix(rows), targets)

    return certificate_of_fit(estimator, FunctionTable(make, blocks=-(-count // _ROWS), features=features), None)


@planned_certificate.register
def _linear(estimator: LinearClassifier, *, records: int, features: int, classes: npt.NDArray[Any], in_blocks: bool, **_: Neighbours) -> Certificate:
    return estimator.set_params(classes=classes).plan(features=features, records=records, weighted=in_blocks)


def rehearse_blocks(estimator: PrivateEstimator, features: int, classes: npt.NDArray[Any]) -> None:
    """Raise InvalidInput for an estimator that takes no table in blocks, by fitting a few zeros; `estimator` is used up."""
    rows, targets = stand_in(2 * len(classes), features, classes)
    with suppress(InfeasibleTarget):  # of so few records
        certificate_of_fit(estimator, FunctionTable(lambda _: Block(SparseMatrix(rows), targets), blocks=1, features=features), None)


def certificate_of_fit(estimator: PrivateEstimator, X: Any, y: Any) -> Certificate:
    """Fit, recording nothing on a ledger, and return what the fit promises. Raises InvalidInput where it leaves no certificate."""
    with without_ledger():
        estimator.fit(X, y)
    certificate = vars(estimator).get("certificate_")
    if not isinstance(certificate, Certificate):
        raise InvalidInput(
            "PrivateSearchCV needs an estimator whose fit leaves a certificate, such as LogisticRegression or LinearSVC; "
            f"{type(estimator).__name__} does not."
        )
    return certificate


def stand_in(records: int, features: int, classes: npt.NDArray[Any]) -> tuple[sp.csr_array, npt.NDArray[Any]]:
    """Rows of zeros and labels in turn: a table of the same public shape, to learn from an estimator what it promises before it reads a record."""
    return sp.csr_array((records, features), dtype=np.float64), classes[np.arange(records) % len(classes)]
