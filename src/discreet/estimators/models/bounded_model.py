"""Linear models of rows within bounds, of numbers or of two classes: what LinearRegression and the models over sets share.

    prediction   <w, x> + t v,     weights_ = (w, v),     intercept_ = t v

Shapes: X (n, d), y (n,), weights_ (d,) or (d + 1,) with v last when there is an intercept. Entries are clipped to data_bound and rows shortened to
data_norm, in fit and in prediction alike. Two classes are targets -1 and +1.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Privacy
from discreet.core.validate import bound_or_infinity
from discreet.data import Domain, EncodedTable, Reader, Records
from discreet.data.domain import check_scale
from discreet.data.labels import label_array
from discreet.data.reader import class_numbers, on_scale
from discreet.data.target_table import TargetTable
from discreet.estimators.advice import names_checked
from discreet.estimators.door.fit_input import FitShape, HeldRecords, Targets
from discreet.estimators.door.linear_estimator import LinearEstimator
from discreet.estimators.inputs import (
    Weighting,
    encoded_codes,
    is_private,
    public_norm,
    real_targets,
    signs_and_classes,
)
from discreet.estimators.prediction_rules import BoundedForm, bounded_decision, chosen_codes, form_of
from discreet.estimators.summaries.explanation import Explanation, explained, known_features
from discreet.mechanisms.base import Mechanism
from discreet.statements.base import SCHEMA
from discreet.words.learning import model_units

NO_CLASSES: npt.NDArray[Any] = np.zeros(0)
"""Of targets that are numbers."""


@dataclass(kw_only=True, eq=False, repr=False)
class BoundedModel(ABC, LinearEstimator):
    """Base; subclasses say what targets are."""

    form = BoundedForm

    data_bound: float | None = None
    data_norm: float | str | None = 1.0

    mechanism: Annotated[str, "auto (by public numbers), or one by its name."] = "auto"
    n_iter: Annotated[int | None, "Number of steps, chosen without the records; from public numbers if left out."] = None

    _chooses_norms: ClassVar[bool] = False
    """Whether data_norm may be "private"."""
    _several: ClassVar[bool] = False
    """Whether y may have several columns."""

    @abstractmethod
    def _of_classes(self) -> bool:
        """Whether targets are two classes, and not numbers."""

    @abstractmethod
    def _target_bound(self) -> float:
        """Bound on |y|; 1 for classes."""

    @abstractmethod
    def _constant(self, domain: Domain) -> float:
        """t of the rows of a domain that has none yet; 0 for a model without intercept."""

    @property
    def target_range(self) -> tuple[float, float]:
        """The public bounds of targets that are numbers, in their unit. Raises InvalidInput for parameters that give none."""
        bound = self._target_bound()
        return -bound, bound

    @abstractmethod
    def _prepared(self, domain: Domain, privacy: Privacy) -> tuple[Any, Mechanism[Any, Any]]:
        """The public problem over a domain, and its calibrated mechanism."""

    @names_checked
    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers, or a BlockTable, which brings its own targets; y (n,) targets;
        persons (n,) ids that say whose row each is, or None.
        Raises InvalidInput for input that breaks the caller's side (NaN, shapes, undeclared labels) and for parameters out of range,
        InfeasibleTarget where no noise fits the target. No message holds a value of X or y.
        """
        return self._fit(X, y, None, persons)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """<w, x> + intercept, or the likelier class where targets are classes, (n,), with rows brought within the declared bounds; X as in fit."""
        found = self._predictions(X)
        return self.classes_[chosen_codes(found)] if self._of_classes() else found

    def plan(self, *, features: int, records: int | None = None, weighted: bool = False, told_apart: bool = False, targets: int = 1) -> Certificate:
        """What a fit would promise, from public numbers alone: its certificate, but for value, noise, ledger and what is declared. It never verifies.

        Parameters: `features` d; `records` n, of persons where they are declared, if it is public; `told_apart` whether rows come with ids of
        persons, as they do where a person may have more than one; `weighted` whether records have weights, of a model that takes them (as those of
        a table in blocks do if max_sample_weight is declared); `targets` m, the columns of y. Raises InvalidInput and InfeasibleTarget as `fit` does.
        """
        return self._plan(self._shape(features, records, classes=self._kinds(), weighted=weighted, told_apart=told_apart, targets=targets))

    def _prepared_targets(self, domain: Domain, privacy: Privacy, units: tuple[float, ...]) -> tuple[Any, Mechanism[Any, Any]]:
        """As `_prepared`, of several targets with these units."""
        raise NotImplementedError

    def explain(self, *, features: int | None = None, records: int | None = None, targets: int = 1) -> Explanation:
        """What a fit does and promises, from public numbers alone; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n if public, `targets` m, the columns of y. Raises InvalidInput where d
        is unknown, and as `plan`.
        """
        count = known_features(self, features)
        certificate = self.plan(features=count, records=records, targets=targets)
        form = form_of(certificate.problem, columns=count, classes=0, weights=0)
        return explained(certificate, form, name=f"{type(self).__name__} on {count:,} features")

    def _set_up(self, shape: FitShape, privacy: Privacy, *, counts: bool = False) -> tuple[Any, Mechanism[Any, Any]]:  # noqa: ARG002
        """See LinearEstimator. Raises InvalidInput for persons of whom the problem would not tell its certificate."""
        if shape.units and is_private(self.data_norm):
            raise InvalidInput('data_norm="private" works for one target; for several columns of y, set data_norm to a number.')
        domain = self._domain(shape)
        problem, mechanism = self._prepared_targets(domain, privacy, shape.units) if shape.units else self._prepared(domain, privacy)
        if getattr(problem, "persons", None) != domain.persons:
            raise InvalidInput(f"{mechanism.name} protects rows, not persons; leave persons and rows_per_person out.")
        return problem, mechanism

    def _declared_classes(self) -> Any:
        """The classes that the caller declared, for a model of classes."""
        return vars(self).get("classes")

    def _read_targets(self, X: Any, y: Any, records: int, classes: Any) -> Targets:
        if isinstance(X, EncodedTable):
            return self._encoded(X, y)
        name = type(self).__name__
        if not self._of_classes():
            said = real_targets(y, name, records, several=self._several)
            return Targets(on_scale(said, self._span()), NO_CLASSES, (), said)
        return Targets(*signs_and_classes(y, classes=classes, name=name, records=records, many=self._takes_many()))

    def _read_weights(self, sample_weight: Any, targets: Targets) -> tuple[Floats | None, float]:
        return self._weighting.of_numbers(sample_weight, len(targets.values)), 1.0

    def _data_of(self, domain: Domain, held: HeldRecords) -> Records | TargetTable:
        of_one = partial(Records, rows=held.rows, domain=domain, weights=held.weights, jobs=self._jobs())
        values, said, units = held.targets.values, held.targets.said, held.units
        if not units:
            return of_one(targets=values, said=said)
        bounds = [unit * domain.target_bound for unit in units]
        within = (np.clip(column, -bound, bound) / unit for column, bound, unit in zip(values.T, bounds, units, strict=True))
        return TargetTable(each=tuple(of_one(targets=column) for column in within), given=said)

    def _block_classes(self) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
        if not self._of_classes():
            return NO_CLASSES, ()
        labels = self._declared_classes()
        if labels is None:
            raise InvalidInput("for a table read in blocks, declare the classes: classes=[negative, positive].")
        classes = label_array(labels)
        return classes, self._read_targets(None, classes, len(classes), classes).declared

    def _reader(self, shape: FitShape, classes: npt.NDArray[Any]) -> Reader:
        domain, needed = self._domain(shape), "a regression needs a number for every record."
        labels = classes if len(classes) else None
        return Reader(domain=domain, classes=labels, max_weight=domain.largest_weight, needed=needed, span=self._span(), units=shape.units)

    def _encoded(self, table: EncodedTable, y: Any) -> Targets:
        """Targets of an encoded table, which brings them; numbers lie in [-1, 1]."""
        if self._of_classes():
            codes, classes = encoded_codes(table, y), label_array(table.classes)
            if len(classes) != 2 and not self._takes_many():
                raise InvalidInput("Only binary classification is supported. Declare two classes, or use LogisticRegression for more.")
            return Targets(class_numbers(codes, len(classes)), classes, (SCHEMA,))
        if y is not None:
            raise InvalidInput("an encoded table already contains its targets; leave y out.")
        if table.numbers is None and table.classes:
            raise InvalidInput(
                "the schema declares classes, but a regression needs a number: declare lower and upper of the target, or fit a classifier."
            )
        if table.numbers is None:
            raise InvalidInput("the table was encoded without its target; encode it with target=True to fit.")
        return Targets(table.numbers, NO_CLASSES, (SCHEMA,))

    @property
    def _weighting(self) -> Weighting:
        """Of models that take no weights of records."""
        return Weighting(by_class=None, most=None)

    def _kinds(self) -> int:
        """How many classes there are, as far as was declared or fitted, else 0. Raises InvalidInput for declared ones that are none."""
        labels = self._declared_classes() if self._of_classes() else None
        if labels is not None:
            return len(self._read_targets(None, labels, len(labels), labels).classes)
        return len(self.classes_) if self._of_classes() and "classes_" in vars(self) else 0

    def _takes_many(self) -> bool:
        """Whether it learns more than two classes."""
        return False

    def _domain(self, shape: FitShape) -> Domain:
        chosen = self._chooses_norms and is_private(self.data_norm)
        if chosen and self.data_bound is not None:
            raise InvalidInput('data_norm="private" chooses the only bound of rows; leave data_bound out, or give numbers for both.')
        entry = bound_or_infinity(self.data_bound, "data_bound")
        norm = bound_or_infinity(public_norm(self.data_norm) if chosen else self.data_norm, "data_norm")
        self._check_bounds(entry, norm)
        domain = Domain(
            features=shape.features,
            entry_bound=entry,
            norm_bound=norm,
            target_bound=self._target_bound() if shape.classes < 3 else shape.classes - 1.0,
            records=shape.records,
            largest_weight=self._weighting.most if shape.weighted else None,
            persons=shape.persons,
        )
        return replace(domain, intercept_scale=self._constant(domain))

    def _check_bounds(self, entry: float, norm: float) -> None:
        """Of rows, by the names that they have here, where the domain has names of its own."""
        if entry == norm == math.inf:
            raise InvalidInput("rows need a public bound: data_bound on every entry, data_norm on the Euclidean norm, or both; none was given.")
        for name, bound in (("data_bound", entry), ("data_norm", norm)):
            if bound < math.inf:
                check_scale(bound, name)

    def _coefficients(self, release: Release, domain: Domain) -> tuple[Floats, Any]:
        constant, units = domain.intercept_scale, model_units(release.certificate.problem)
        if units:
            table = np.array(units)[:, np.newaxis] * release.value.reshape(len(units), -1)
            return table[:, : domain.features], constant * table[:, -1] if constant > 0 else np.zeros(len(table))
        return release.value[: domain.features], constant * float(release.value[-1]) if constant > 0 else 0.0

    def _predictions(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), or (n, m) of several targets, with rows brought within the declared bounds as in fit."""
        check_is_fitted(self)
        units, domain = model_units(self.certificate_.problem), self._fitted_domain()
        return self._of_rows(X, partial(bounded_decision, weights=self.weights_ / self._unit, domain=domain, units=units))

    def _fitted_domain(self) -> Domain:
        """That of the rows as they are given to `predict`."""
        domain = self._domain(FitShape(features=self.n_features_in_))
        return replace(domain, norm_bound=domain.norm_bound * self._unit, intercept_scale=domain.intercept_scale * self._unit)
