"""Linear models of rows within bounds, of numbers or of two classes: what LinearRegression and the models over sets share.

    prediction   <w, x> + t v,     weights_ = (w, v),     intercept_ = t v

Shapes: X (n, d), y (n,), weights_ (d,) or (d + 1,) with v last when there is an intercept. Entries are clipped to data_bound and rows shortened to
data_norm, in fit and in prediction alike. Two classes are targets -1 and +1.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Privacy
from discreet.core.validate import bound_or_infinity, whole
from discreet.data import BlockTable, Domain, EncodedTable, Reader, Records
from discreet.estimators.base import PrivateModel, require_own_targets
from discreet.estimators.classes import check_two, encoded_codes, signs_and_classes
from discreet.estimators.decision import bounded_decision
from discreet.estimators.inputs import count_or_none, real_targets
from discreet.mechanisms.base import Mechanism, Public
from discreet.statements.declared import SCHEMA


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Checked records: `data_of(domain)` holds or reads them; all else is public, the number of records under replace-one only."""

    features: int
    records: int
    classes: npt.NDArray[Any] | None
    """(2,), of targets that are classes."""
    declared: tuple[str, ...]
    data_of: Callable[[Domain], Records]


@dataclass(kw_only=True, eq=False, repr=False)
class BoundedModel(ABC, PrivateModel):
    """Base; subclasses say what targets are."""

    data_bound: float | None = None
    data_norm: float | None = 1.0

    coef_: Floats = field(init=False)
    intercept_: Any = field(init=False)
    classes_: npt.NDArray[Any] = field(init=False)

    @abstractmethod
    def _of_classes(self) -> bool:
        """Whether targets are two classes, and not numbers."""

    @abstractmethod
    def _target_bound(self) -> float:
        """Bound on |y|; 1 for classes."""

    @abstractmethod
    def _constant(self, domain: Domain) -> float:
        """t of the rows of a domain that has none yet; 0 for a model without intercept."""

    @abstractmethod
    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[Public, Mechanism[Any, Any]]:
        """The public problem over a domain, and its calibrated mechanism."""

    def plan(self, *, features: int, records: int | None = None) -> Certificate:
        """What a fit would promise, from public numbers alone: its certificate, but for value, noise, ledger and what is declared. It never verifies.

        Parameters: `features` d; `records` n, where it is public. Raises InvalidInput and InfeasibleTarget as `fit` does.
        """
        self._jobs()
        labels = self._declared_classes() if self._of_classes() else None
        if labels is not None:
            check_two(np.asarray(labels))
        privacy, known = self._privacy(), count_or_none(records, "records")
        domain = self._domain(whole(features, "features"), self._known_records(known, privacy.neighbours))
        problem, mechanism = self._prepared(domain, privacy)
        return mechanism.planned(problem, shape=(domain.dimension,))

    def _declared_classes(self) -> Any:
        """The classes that the caller declared, for a model of classes."""
        return vars(self).get("classes")

    def _given(self, X: Any, y: Any) -> Given:
        """Raises InvalidInput for records that are not what was declared, without any value of X or y."""
        if isinstance(X, BlockTable):
            return self._given_blocks(X, y)
        rows, jobs = self._rows(X, reset=True), self._jobs()
        encoded = isinstance(X, EncodedTable)
        targets, classes, declared = self._encoded(X, y) if encoded else self._targets(y, rows.shape[0], self._declared_classes())
        records, features = rows.shape
        return Given(
            features=features,
            records=records,
            classes=classes,
            declared=declared,
            data_of=lambda domain: Records(rows=rows, targets=targets, domain=domain, jobs=jobs),
        )

    def _given_blocks(self, table: BlockTable, y: Any) -> Given:
        """After one pass, which counts and checks."""
        require_own_targets(y, weights=False)
        self.n_features_in_ = table.features
        classes: npt.NDArray[Any] | None = None
        declared: tuple[str, ...] = ()
        if self._of_classes():
            labels = self._declared_classes()
            if labels is None:
                raise InvalidInput("a table that is read in blocks needs its classes declared: classes=[negative, positive].")
            _, _, declared = self._targets(labels, len(labels), labels)
            classes = np.asarray(labels)
        domain = self._domain(table.features, None)
        needed = "a regression needs a number for every record."
        records, data_of = Reader(domain=domain, classes=classes, needed=needed).read(table, self._jobs())
        return Given(features=table.features, records=records, classes=classes, declared=declared, data_of=data_of)

    def _targets(self, y: Any, records: int, classes: Any) -> tuple[Floats, npt.NDArray[Any] | None, tuple[str, ...]]:
        """Targets (n,), the classes where they are classes, and what the caller declared public by passing them."""
        name = type(self).__name__
        if not self._of_classes():
            return real_targets(y, name, records), None, ()
        return signs_and_classes(y, classes=classes, name=name, records=records)

    def _encoded(self, table: EncodedTable, y: Any) -> tuple[Floats, npt.NDArray[Any] | None, tuple[str, ...]]:
        """The same of an encoded table, which brings them; numbers lie in [-1, 1]."""
        if self._of_classes():
            codes, classes = encoded_codes(table, y), np.asarray(table.classes)
            if len(classes) != 2:
                raise InvalidInput("Only binary classification is supported. Declare two classes, or use LogisticRegression for more.")
            return np.where(codes == 1, 1.0, -1.0), classes, (SCHEMA,)
        if y is not None:
            raise InvalidInput("an encoded table brings its own targets; leave y out.")
        if table.numbers is None and table.classes:
            raise InvalidInput(
                "the schema declares classes, and a regression needs a number: declare lower and upper of the target, or fit a classifier."
            )
        if table.numbers is None:
            raise InvalidInput("the table was encoded without its target; encode it with target=True to fit.")
        return table.numbers, None, (SCHEMA,)

    def _domain(self, features: int, records: int | None) -> Domain:
        entry, norm = bound_or_infinity(self.data_bound, "data_bound"), bound_or_infinity(self.data_norm, "data_norm")
        domain = Domain(features=features, entry_bound=entry, norm_bound=norm, target_bound=self._target_bound(), records=records)
        return replace(domain, intercept_scale=self._constant(domain))

    def _keep(self, release: Release, domain: Domain, given: Given) -> None:
        """The attributes that hold what was released; those of an earlier fit stay until there is a release."""
        if given.classes is not None:
            self.classes_ = given.classes
        elif "classes_" in vars(self):  # of an earlier fit with a loss of classes
            del self.classes_
        self.weights_ = release.value
        self.certificate_ = replace(release.certificate, declared=given.declared)
        self.coef_ = release.value[: domain.features]
        self.intercept_ = domain.intercept_scale * float(release.value[-1]) if domain.intercept_scale > 0 else 0.0

    def _predictions(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), with rows brought within the declared bounds as in fit."""
        check_is_fitted(self)
        return self._of_rows(X, partial(bounded_decision, weights=self.weights_, domain=self._domain(self.n_features_in_, None)))
