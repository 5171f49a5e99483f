"""The one door of linear models: from what is passed to `fit` to a released vector of weights and its certificate.

    X, y, weights, persons  ->  FitInput  ->  FitShape, public  ->  problem and mechanism  ->  release  ->  weights_, coef_, certificate_

A model says how its targets are read, which problem and mechanism follow from public numbers, and which coefficients its weights are. Everything else
is said here, once: what is refused and in which order, whose rows are whose, what is declared, and `data_norm="private"`.
"""

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy.typing as npt

from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.lazily import lazily
from discreet.core.neighbours import Neighbours, Privacy
from discreet.core.validate import whole
from discreet.data import BlockTable, Domain, EncodedTable, Reader
from discreet.estimators.advice import advise_of_worth
from discreet.estimators.door.fit_input import FitInput, FitShape, HeldRecords, Targets
from discreet.estimators.door.private_estimator import PrivateModel, require_own_targets
from discreet.estimators.inputs import count_or_none, is_private, require_target_bound
from discreet.mechanisms.base import Mechanism
from discreet.mechanisms.persons import drawn_beside
from discreet.noise import Noise

if TYPE_CHECKING:
    from discreet.estimators.door import fit_with_norm
    from discreet.mechanisms.learning import Outlook
else:
    fit_with_norm = lazily("discreet.estimators.door.fit_with_norm")


@dataclass(kw_only=True, eq=False, repr=False)
class LinearEstimator(PrivateModel):
    """Base of the models whose weights are fitted to rows as they are given, but for a public map."""

    data_norm: Any = 1.0

    coef_: Floats = field(init=False)
    intercept_: Any = field(init=False)
    classes_: npt.NDArray[Any] = field(init=False)
    data_norm_: float = field(init=False)

    _counts_steps: ClassVar[bool] = False
    """Whether the number of steps follows from that of records."""

    @abstractmethod
    def _read_targets(self, X: Any, y: Any, records: int, classes: Any) -> Targets:
        """The targets of held records, brought by X or passed as y; `classes` were declared. Raises InvalidInput, without any value of X or y."""

    @abstractmethod
    def _read_weights(self, sample_weight: Any, targets: Targets) -> tuple[Floats | None, float]:
        """The weights (n,) or None, and a bound on the weight of a record."""

    @abstractmethod
    def _data_of(self, domain: Domain, held: HeldRecords) -> Any:
        """The records within a domain, or a TargetTable of several targets."""

    @abstractmethod
    def _block_classes(self) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
        """The classes of a table in blocks (K,), none of numbers, and what is declared by them. Raises InvalidInput where nobody declared them."""

    @abstractmethod
    def _reader(self, shape: FitShape, classes: npt.NDArray[Any]) -> Reader:
        """The reader of a table in blocks, which counts its records and checks them."""

    @abstractmethod
    def _set_up(self, shape: FitShape, privacy: Privacy, *, counts: bool = False) -> tuple[Any, Mechanism[Any, Any]]:
        """The public problem and its calibrated mechanism; `counts` whether a secret number of records may be counted with noise."""

    @abstractmethod
    def _coefficients(self, release: Release, domain: Domain) -> tuple[Floats, Any]:
        """`coef_` of rows as the model sees them, and `intercept_`."""

    def _fit(self, X: Any, y: Any, sample_weight: Any, persons: Any) -> Self:
        """Fit as `fit` of every model says."""
        with self._unless_refused():
            privacy, noise = self._privacy(), self._noise()
            if chosen := is_private(self.data_norm):
                fit_with_norm.require_unencoded(X)
            given = self._read_input(X, y, sample_weight, persons, noise)
            set_up = partial(self._set_up, given.shape)
            if chosen:
                release, domain, self.data_norm_ = fit_with_norm.fitted_with_norm(given, set_up, privacy, noise, self._account())
            else:
                problem, mechanism = set_up(privacy, counts=True)
                release, domain = mechanism.run(problem, given.data_of(problem.domain), noise, account=self._account()), problem.domain
        self._keep(release, domain, given)
        return self

    def _read_input(self, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise) -> FitInput:
        """The records of a fit, after advice. Raises InvalidInput for what is not as it was declared, without any value of X, y or persons."""
        privacy, read = self._privacy(), self._read_blocks if isinstance(X, BlockTable) else self._read_held
        given = read(X, y, sample_weight, persons, noise)
        self._advise(X, privacy, given.records)
        shape = replace(given.shape, records=self._known_records(given.records, privacy.neighbours))
        advise_of_worth(self, self._outlook(shape))
        return replace(given, shape=shape, declared=self._declared(given, privacy.neighbours))

    def _read_held(self, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise) -> FitInput:
        held = self.held_records(X, y, sample_weight, persons, noise, classes=vars(self).get("classes"), reset=True)
        classes = held.targets.classes
        shape = FitShape(
            features=held.rows.shape[1],
            persons=held.owners.rule,
            classes=len(classes),
            weighted=sample_weight is not None,
            largest=held.largest,
            units=held.units,
        )
        data_of = partial(self._data_of, held=held)
        return FitInput(shape=shape, records=held.owners.number, classes=classes, declared=held.targets.declared, data_of=data_of)

    def held_records(self, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise, *, classes: Any, reset: bool) -> HeldRecords:
        """The checked records in memory; `noise` draws which rows of a person are kept; `reset` in a fit, else they are those of the fit, again.

        Raises InvalidInput for what is not as it was declared, and for other records than those of the fit.
        """
        require_target_bound(self, X)
        rows = self._rows(X, reset=reset)
        targets = self._read_targets(X, y, rows.shape[0], classes)
        if not reset and len(targets.classes) and targets.classes.tolist() != classes.tolist():
            raise InvalidInput("the classes differ from those of the fit. Pass the records of the fit, and declare classes.")
        weights, largest = self._read_weights(sample_weight, targets)
        owners = self._owners(X, persons, rows.shape[0], noise)
        return HeldRecords(
            rows=rows,
            targets=targets,
            weights=owners.shared(weights),
            owners=owners,
            coding=X.coding if isinstance(X, EncodedTable) else None,
            largest=largest,
            units=self.units_for(1 if targets.values.ndim == 1 else targets.values.shape[1]),
        )

    def _read_blocks(self, table: BlockTable, y: Any, sample_weight: Any, persons: Any, noise: Noise) -> FitInput:
        """The records of a table in blocks, after one pass that counts and checks."""
        require_target_bound(self, table)
        require_own_targets(y, sample_weight, weights="max_sample_weight" in vars(self))
        rule, units = self._block_rule(table, persons), self.units_for(table.targets)
        self.n_features_in_ = table.features
        table = self._blocks(table)
        classes, declared = self._block_classes()
        largest = self._largest_weight(len(classes), weighted=True)
        shape = FitShape(features=table.features, persons=rule, classes=len(classes), weighted=True, largest=largest, units=units)
        reader = self._reader(shape, classes)
        records, data_of = (reader.read_several if units else reader.read)(table, self._jobs(), noise=drawn_beside(noise))
        return FitInput(shape=shape, records=records, classes=classes, declared=declared, data_of=data_of)

    def _blocks(self, table: BlockTable) -> BlockTable:
        """The table that the linear model sees of one to be fitted."""
        return table

    def _declared(self, given: FitInput, neighbours: Neighbours) -> tuple[str, ...]:
        """The sentences about what the caller declared public. Raises InvalidInput for what does not belong to these records."""
        return (*given.declared, *self._declared_records(neighbours, steps=self._counts_steps))

    def _shape(
        self, features: int, records: int | None, *, classes: int = 0, weighted: bool = False, told_apart: bool = False, targets: int = 1
    ) -> FitShape:
        """The shape of a fit, from what callers say beforehand. Raises InvalidInput for numbers that are none."""
        columns, known = whole(features, "features"), count_or_none(records, "records")
        return FitShape(
            features=columns,
            records=self._known_records(known, self._privacy().neighbours),
            persons=self._public_rule(told_apart=told_apart),
            classes=classes,
            weighted=weighted,
            largest=self._largest_weight(classes, weighted=weighted),
            units=self.units_for(whole(targets, "targets")),
        )

    def _plan(self, shape: FitShape) -> Certificate:
        """The certificate that a fit would have, but for value, noise, ledger and what is declared. It never verifies."""
        self._jobs()
        privacy, set_up = self._privacy(), partial(self._set_up, shape)
        if is_private(self.data_norm):
            return fit_with_norm.planned_with_norm(set_up, privacy, shape.persons)
        problem, mechanism = set_up(privacy, counts=True)
        return self._stated(mechanism.planned(problem, shape=(problem.dimension,)), ())

    def _left(self, shape: FitShape) -> Privacy:
        """The budget of the fit itself: all, but for the choice of a norm."""
        if not is_private(self.data_norm):
            return self._privacy()
        return fit_with_norm.left(partial(self._set_up, shape), self._privacy(), shape.persons)

    def units_for(self, targets: int) -> tuple[float, ...]:
        """The units of so many columns of y; none of one. Raises InvalidInput for a model of one target, and for bounds of other targets."""
        if targets > 1:
            raise InvalidInput(f"{type(self).__name__} learns one target; fit each separately, with a share of epsilon and delta.")
        return ()

    def _largest_weight(self, classes: int, *, weighted: bool) -> float:  # noqa: ARG002 - weights of numbers are over the largest one
        """A bound on the weight of a record of so many classes, from public numbers."""
        return 1.0

    def _outlook(self, shape: FitShape) -> "Outlook | None":  # noqa: ARG002 - see `outlook`
        return None

    def _stated(self, certificate: Certificate, declared: tuple[str, ...]) -> Certificate:
        """The certificate with what the caller declared."""
        return replace(certificate, declared=declared)

    def _keep(self, release: Release, domain: Domain, given: FitInput) -> None:
        """Keep what was released as attributes; those of an earlier fit stay until there is a release."""
        if len(given.classes):
            self.classes_ = given.classes
        elif "classes_" in vars(self):  # of an earlier fit with a loss of classes
            del self.classes_
        self.weights_ = release.value
        self.certificate_ = self._stated(release.certificate, given.declared)
        coef, self.intercept_ = self._coefficients(release, domain)
        self.coef_ = coef / self._unit

    @property
    def _unit(self) -> float:
        """The power of two that rows are divided by before the model sees them."""
        return self.data_norm_ if is_private(self.data_norm) else 1.0
