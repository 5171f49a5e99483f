"""Linear models of rows within bounds, of numbers or of two classes: what LinearRegression and the models over sets share.

    prediction   <w, x> + t v,     weights_ = (w, v),     intercept_ = t v

Shapes: X (n, d), y (n,), weights_ (d,) or (d + 1,) with v last when there is an intercept. Entries are clipped to data_bound and rows shortened to
data_norm, in fit and in prediction alike. Two classes are targets -1 and +1.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons, Privacy
from discreet.core.validate import bound_or_infinity, whole
from discreet.data import BlockTable, Domain, EncodedTable, Reader, Records
from discreet.data.domain import check_scale
from discreet.data.labels import label_array
from discreet.data.reader import as_known, class_numbers, on_scale
from discreet.data.target_table import TargetTable
from discreet.estimators.advice import names_checked
from discreet.estimators.door.fit_with_norm import fitted_with_norm, planned_with_norm, require_unencoded
from discreet.estimators.door.private_estimator import Given, PrivateModel, require_own_targets
from discreet.estimators.inputs import (
    Weighting,
    count_or_none,
    encoded_codes,
    is_private,
    public_norm,
    real_targets,
    require_target_bound,
    signs_and_classes,
)
from discreet.estimators.prediction_rules import BoundedForm, bounded_decision, chosen_codes, form_of
from discreet.estimators.summaries.explanation import Explanation, explained, known_features
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.persons import drawn_beside
from discreet.noise import Noise
from discreet.statements.base import SCHEMA
from discreet.words.learning import model_units

NO_CLASSES: npt.NDArray[Any] = np.zeros(0)
"""Of targets that are numbers."""


@dataclass(kw_only=True, eq=False, repr=False)
class BoundedModel(ABC, PrivateModel):
    """Base; subclasses say what targets are."""

    form = BoundedForm

    data_bound: float | None = None
    data_norm: float | str | None = 1.0

    mechanism: Annotated[str, "auto (by public numbers), or one by its name."] = "auto"
    n_iter: Annotated[int | None, "Number of steps, chosen without the records; from public numbers if left out."] = None

    _counts_steps: ClassVar[bool] = False
    """Whether the number of steps follows from that of records."""
    _chooses_norms: ClassVar[bool] = False
    """Whether data_norm may be "private"."""
    _several: ClassVar[bool] = False
    """Whether y may have several columns."""
    coef_: Floats = field(init=False)
    intercept_: Any = field(init=False)
    data_norm_: float = field(init=False)
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

    def _fit(self, X: Any, y: Any, sample_weight: Any, persons: Any) -> Self:
        """`fit`, of records with weights, for models that take them."""
        privacy = self._privacy()
        with self._unless_refused():
            noise, weighted = self._noise(), sample_weight is not None or isinstance(X, BlockTable)
            given = self._given(X, y, sample_weight, persons, noise)
            self._advise(X, privacy, given.records)
            known = self._known_records(given.records, privacy.neighbours)
            domain = self._domain(given.features, known, given.persons, weighted=weighted, classes=len(given.classes))
            if is_private(self.data_norm):
                require_unencoded(X)
                if given.units:
                    raise InvalidInput('data_norm="private" works for one target; for several columns of y, set data_norm to a number.')
                release, domain, self.data_norm_ = fitted_with_norm(given, partial(self._of_persons, domain), privacy, noise, self._account())
            else:
                problem, mechanism = self._of_persons(domain, privacy, given.units)
                release, domain = mechanism.run(problem, given.data_of(problem.domain), noise, account=self._account()), problem.domain
        declared = (*self._declared(given), *self._declared_records(privacy.neighbours, steps=self._counts_steps))
        self._keep(release, domain, replace(given, declared=declared))
        return self

    def _declared(self, given: Given) -> tuple[str, ...]:
        """What the caller declared public, but for a number of records. Raises InvalidInput for what does not belong to these records."""
        return given.declared

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
        self._jobs()
        kinds = self._kinds()
        privacy, known = self._privacy(), count_or_none(records, "records")
        rule = self._public_rule(told_apart=told_apart)
        domain = self._domain(whole(features, "features"), self._known_records(known, privacy.neighbours), rule, weighted=weighted, classes=kinds)
        units = self.units_for(whole(targets, "targets"))
        if is_private(self.data_norm) and not units:
            return planned_with_norm(partial(self._of_persons, domain), privacy, rule)
        problem, mechanism = self._of_persons(domain, privacy, units)
        return mechanism.planned(problem, shape=(domain.dimension * (len(units) or (kinds if kinds > 2 else 1)),))

    def units_for(self, targets: int) -> tuple[float, ...]:
        """Of so many columns of y, from public numbers; none of one. Raises InvalidInput for a model of one target, and bounds of other targets."""
        if targets > 1:
            raise InvalidInput(f"{type(self).__name__} learns one target; fit each separately, with a share of epsilon and delta.")
        return ()

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

    def _of_persons(self, domain: Domain, privacy: Privacy, units: tuple[float, ...] = ()) -> tuple[Any, Mechanism[Any, Any]]:
        """As `_prepared`, and refuse persons of whom the problem would not tell its certificate."""
        problem, mechanism = self._prepared_targets(domain, privacy, units) if units else self._prepared(domain, privacy)
        if getattr(problem, "persons", None) != domain.persons:
            raise InvalidInput(f"{mechanism.name} protects rows, not persons; leave persons and rows_per_person out.")
        return problem, mechanism

    def _declared_classes(self) -> Any:
        """The classes that the caller declared, for a model of classes."""
        return vars(self).get("classes")

    def _given(self, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise) -> Given:
        """Raises InvalidInput for records that are not what was declared, without any value of X, y or persons."""
        require_target_bound(self, X)
        if isinstance(X, BlockTable):
            return self._given_blocks(X, y, sample_weight, persons, noise)
        rows, jobs = self._rows(X, reset=True), self._jobs()
        encoded = isinstance(X, EncodedTable)
        said, classes, declared = self._encoded(X, y) if encoded else self._targets(y, rows.shape[0], self._declared_classes())
        targets = said if encoded or len(classes) else on_scale(said, self._span())
        records, features = rows.shape
        owners = self._owners(X, persons, records, noise)
        weights = owners.shared(self._weighting.of_numbers(sample_weight, records))
        units = self.units_for(1 if targets.ndim == 1 else targets.shape[1])

        def data_of(domain: Domain) -> Records | TargetTable:
            of_one = partial(Records, rows=rows, domain=domain, weights=weights, jobs=jobs)
            if not units:
                return of_one(targets=targets, said=as_known(said, len(classes)))
            within = (
                np.clip(column, -unit * domain.target_bound, unit * domain.target_bound) / unit for column, unit in zip(targets.T, units, strict=True)
            )
            return TargetTable(each=tuple(of_one(targets=column) for column in within), given=said)

        return Given(
            features=features,
            records=owners.number,
            persons=owners.rule,
            classes=classes,
            declared=declared,
            data_of=data_of,
            units=units,
        )

    def _given_blocks(self, table: BlockTable, y: Any, sample_weight: Any, persons: Any, noise: Noise) -> Given:
        """After one pass, which counts and checks."""
        require_own_targets(y, sample_weight, weights="max_sample_weight" in vars(self))
        rule = self._block_rule(table, persons)
        units = self.units_for(table.targets)
        self.n_features_in_ = table.features
        classes, declared = NO_CLASSES, tuple[str, ...]()
        if self._of_classes():
            labels = self._declared_classes()
            if labels is None:
                raise InvalidInput("for a table read in blocks, declare the classes: classes=[negative, positive].")
            classes = label_array(labels)
            _, _, declared = self._targets(classes, len(classes), classes)
        domain, labels = self._domain(table.features, None, rule, weighted=True, classes=len(classes)), classes if len(classes) else None
        needed = "a regression needs a number for every record."
        read = Reader(domain=domain, classes=labels, max_weight=domain.largest_weight, needed=needed, span=self._span(), units=units)
        records, data_of = (read.read_several if units else read.read)(table, self._jobs(), noise=drawn_beside(noise))
        return Given(features=table.features, records=records, persons=rule, classes=classes, declared=declared, data_of=data_of, units=units)

    def _targets(self, y: Any, records: int, classes: Any) -> tuple[Floats, npt.NDArray[Any], tuple[str, ...]]:
        """Targets (n,), the classes where they are classes, and what the caller declared public by passing them."""
        name = type(self).__name__
        if not self._of_classes():
            return real_targets(y, name, records, several=self._several), NO_CLASSES, ()
        return signs_and_classes(y, classes=classes, name=name, records=records, many=self._takes_many())

    def _encoded(self, table: EncodedTable, y: Any) -> tuple[Floats, npt.NDArray[Any], tuple[str, ...]]:
        """The same of an encoded table, which brings them; numbers lie in [-1, 1]."""
        if self._of_classes():
            codes, classes = encoded_codes(table, y), label_array(table.classes)
            if len(classes) != 2 and not self._takes_many():
                raise InvalidInput("Only binary classification is supported. Declare two classes, or use LogisticRegression for more.")
            return class_numbers(codes, len(classes)), classes, (SCHEMA,)
        if y is not None:
            raise InvalidInput("an encoded table already contains its targets; leave y out.")
        if table.numbers is None and table.classes:
            raise InvalidInput(
                "the schema declares classes, but a regression needs a number: declare lower and upper of the target, or fit a classifier."
            )
        if table.numbers is None:
            raise InvalidInput("the table was encoded without its target; encode it with target=True to fit.")
        return table.numbers, NO_CLASSES, (SCHEMA,)

    @property
    def _weighting(self) -> Weighting:
        """Of models that take no weights of records."""
        return Weighting(by_class=None, most=None)

    def _kinds(self) -> int:
        """How many classes there are, as far as was declared or fitted, else 0. Raises InvalidInput for declared ones that are none."""
        labels = self._declared_classes() if self._of_classes() else None
        if labels is not None:
            return len(self._targets(labels, len(labels), labels)[1])
        return len(self.classes_) if self._of_classes() and "classes_" in vars(self) else 0

    def _takes_many(self) -> bool:
        """Whether it learns more than two classes."""
        return False

    def _domain(self, features: int, records: int | None, persons: Persons | None, *, weighted: bool = False, classes: int = 0) -> Domain:
        chosen = self._chooses_norms and is_private(self.data_norm)
        if chosen and self.data_bound is not None:
            raise InvalidInput('data_norm="private" chooses the only bound of rows; leave data_bound out, or give numbers for both.')
        entry = bound_or_infinity(self.data_bound, "data_bound")
        norm = bound_or_infinity(public_norm(self.data_norm) if chosen else self.data_norm, "data_norm")
        self._check_bounds(entry, norm)
        domain = Domain(
            features=features,
            entry_bound=entry,
            norm_bound=norm,
            target_bound=self._target_bound() if classes < 3 else classes - 1.0,
            records=records,
            largest_weight=self._weighting.most if weighted else None,
            persons=persons,
        )
        return replace(domain, intercept_scale=self._constant(domain))

    def _check_bounds(self, entry: float, norm: float) -> None:
        """Of rows, by the names that they have here, where the domain has names of its own."""
        if entry == norm == math.inf:
            raise InvalidInput("rows need a public bound: data_bound on every entry, data_norm on the Euclidean norm, or both; none was given.")
        for name, bound in (("data_bound", entry), ("data_norm", norm)):
            if bound < math.inf:
                check_scale(bound, name)

    def _keep(self, release: Release, domain: Domain, given: Given) -> None:
        """The attributes that hold what was released; those of an earlier fit stay until there is a release."""
        if len(given.classes):
            self.classes_ = given.classes
        elif "classes_" in vars(self):  # of an earlier fit with a loss of classes
            del self.classes_
        self.weights_ = release.value
        self.certificate_ = replace(release.certificate, declared=given.declared)
        units = model_units(release.certificate.problem)
        if units:
            table = np.array(units)[:, np.newaxis] * release.value.reshape(len(units), -1)
            self.coef_ = table[:, : domain.features]
            self.intercept_ = domain.intercept_scale * table[:, -1] if domain.intercept_scale > 0 else np.zeros(len(table))
            return
        self.coef_ = release.value[: domain.features] / self._unit
        self.intercept_ = domain.intercept_scale * float(release.value[-1]) if domain.intercept_scale > 0 else 0.0

    def _predictions(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,), or (n, m) of several targets, with rows brought within the declared bounds as in fit."""
        check_is_fitted(self)
        units, domain = model_units(self.certificate_.problem), self._fitted_domain()
        return self._of_rows(X, partial(bounded_decision, weights=self.weights_ / self._unit, domain=domain, units=units))

    @property
    def _unit(self) -> float:
        """What rows are divided by before the model sees them: a power of two."""
        return self.data_norm_ if is_private(self.data_norm) else 1.0

    def _fitted_domain(self) -> Domain:
        """That of the rows as they are given to `predict`."""
        domain = self._domain(self.n_features_in_, None, None)
        return replace(domain, norm_bound=domain.norm_bound * self._unit, intercept_scale=domain.intercept_scale * self._unit)
