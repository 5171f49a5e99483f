"""Private linear classifiers of two or more classes, with scikit-learn's manners.

    minimise  (1/n) sum_i c_i l(y_i (<w, x_i> + t v)) + (alpha / 2) (|w|^2 + v^2)  + noise,    |x_i| <= data_norm,  intercept = t v

Shapes: X (n, d), y (n,), coef_ (1, d), intercept_ (1,), weights_ (d,) or (d + 1,) with v last when there is an intercept; with K > 2 classes
coef_ (K, d), intercept_ (K,), and weights_ holds those vectors one class after the other (module `inputs`). The ridge is
lambda = alpha n, on the sum.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from discreet.certificates import Certificate, Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.fields import numbers
from discreet.core.lazily import lazily
from discreet.core.neighbours import ADD_REMOVE, Neighbours, Privacy
from discreet.core.validate import positive, whole
from discreet.data import BlockTable, Domain, EncodedTable, Reader, Records, class_codes
from discreet.data.blocks.transformed import moved_blocks
from discreet.data.domain import split_weights
from discreet.data.labels import label_array
from discreet.estimators.advice import names_checked
from discreet.estimators.door.fit_input import FitInput, FitShape, HeldRecords, Targets
from discreet.estimators.door.linear_estimator import LinearEstimator
from discreet.estimators.door.private_estimator import ManyFits, ScoredClassifier
from discreet.estimators.inputs import (
    ClassRisk,
    Weighting,
    class_problem,
    constant_feature,
    count_or_none,
    distinct_classes,
    encoded_codes,
    labels_and_classes,
    positive_or_none,
    public_norm,
    ridge_of,
    scheme_named,
)
from discreet.estimators.prediction_rules import (
    SCHEMES,
    chosen_codes,
    codes_above,
    linear_decision,
    log_probabilities,
    probabilities,
)
from discreet.estimators.prior import declared_prior, prior_of
from discreet.losses import HuberHinge, MarginLoss, SoftplusHinge, loss_named
from discreet.matrices import Matrix, as_matrix
from discreet.problems import RegularisedRisk
from discreet.problems.prior import Prior
from discreet.statements.base import CLASSES, SCHEMA

if TYPE_CHECKING:
    from discreet.estimators.door import fit_with_norm
    from discreet.estimators.summaries import explanation
    from discreet.mechanisms import learning
else:
    explanation, fit_with_norm = lazily("discreet.estimators.summaries.explanation"), lazily("discreet.estimators.door.fit_with_norm")
    learning = lazily("discreet.mechanisms.learning")

KINK = 1e-4
"""Half of the width of the bend that stands for the hinge's kink (output_perturbation.md)."""


def _require_link(estimator: "LinearClassifier") -> bool:
    """Whether there are probabilities; AttributeError, as scikit-learn asks of methods that are not available."""
    loss = estimator._loss()  # noqa: SLF001 - it is this class's own condition
    if not loss.linked:
        raise AttributeError(
            f"the {loss.name} loss has flat parts, so its decision values cannot become probabilities. Use LogisticRegression, or the softplus hinge."
        )
    return True


@dataclass(kw_only=True, eq=False, repr=False)
class LinearClassifier(ScoredClassifier, LinearEstimator):
    """What LogisticRegression, LinearSVC and KernelClassifier share; use one of these."""

    alpha: Annotated[float | None, "Strength of regularisation, of |w|^2 / 2 in the mean objective; from public numbers if left out."] = None
    data_norm: float | str = 1.0
    classes: Any = None
    loss: Annotated[str | MarginLoss | None, "softplus-hinge (standard), huber-hinge, smoothed-hinge or logistic."] = None
    mechanism: Annotated[str, "auto (by public numbers), objective or output."] = "auto"
    calibration: Annotated[str, "tight, or published: as printed in the papers."] = "tight"
    multi_class: Annotated[str | None, "More than two classes: multinomial (of a logistic-regression; its standard) or one-vs-rest."] = None
    fit_intercept: Annotated[bool, "Whether there is an intercept."] = True
    intercept_scale: Annotated[float | None, "Size of the intercept's constant feature; 0.3 times the bound of rows if left out."] = None
    class_weight: Annotated[dict[Any, float] | None, "Public weights of classes; a class that is not named has 1. The noise grows with them."] = None
    records_share: Annotated[float | None, "With add-remove: share of the budget for a noisy number of records; 0: none is counted."] = None
    max_sample_weight: float | None = None
    device: str | None = None
    prior: Any = None

    _standard_loss: ClassVar[str] = "softplus-hinge"
    _standard_scheme: ClassVar[str] = "one-vs-rest"
    _schemes: ClassVar[tuple[str, ...]] = SCHEMES[1:]

    @names_checked
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, persons: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records.

        Parameters: X (n, d) array, data frame or sparse matrix of finite numbers; or an EncodedTable or a BlockTable, which bring their own
        targets; y (n,) labels; sample_weight (n,) weights, which may be private and are brought within [0, max_sample_weight], or None; persons (n,)
        ids that say whose row each is, or None.

        Raises InvalidInput for input that breaks the caller's side (NaN, shapes, undeclared labels), InfeasibleTarget when no noise reaches
        the target for this alpha, SolverFailure when the minimiser cannot be certified (the budget then counts as spent). No message holds
        a value of X or y.
        """
        return self._fit(X, y, sample_weight, persons)

    def fit_many(self, X: Any, y: Any = None, *, count: int, sample_weight: Any = None, persons: Any = None) -> ManyFits:
        """`count` independent private fits at once, for studies and audits: one factorisation serves them all.

        The certificate covers all of them together, at count * delta: where noise is Gaussian their whole curves are composed, which for twenty fits
        gives about five times epsilon, and otherwise it states count * epsilon. The estimator itself stays unfitted. Of a kernel machine with two
        classes, decisions are `random_features(X) @ fits.coef.T + fits.intercept`. Of `persons` all fits see the same rows.
        """
        fit_with_norm.require_declared(self.data_norm, "fit_many")
        if not isinstance(count, Integral) or count < 1:
            raise InvalidInput(f"count must be a positive integer; {count!r} was given.")
        with self._unless_refused():
            noise = self._noise()
            given = self._read_input(X, y, sample_weight, persons, noise)
            problem, mechanism = self._set_up(given.shape, self._privacy())
            release = mechanism.run_many(problem, given.data_of(problem.domain), noise, int(count), account=self._account())
        coef, intercept = _split(release.value, problem.domain)
        return ManyFits(coef=coef, intercept=intercept, certificate=self._stated(release.certificate, given.declared))

    def plan(
        self, *, features: int, records: int | None = None, classes: int | None = None, weighted: bool = False, told_apart: bool = False
    ) -> Certificate:
        """What a fit would promise, from public numbers alone: its certificate, but for value, noise, ledger and what is declared. It never verifies.

        Parameters: `features` d; `records` n, of persons where they are declared, if it is public; `classes` how many, if they are not declared (2);
        `weighted` whether records have weights, as those of a table in blocks do if max_sample_weight is declared; `told_apart` whether rows come
        with ids of persons, as they do where a person may have more than one. Raises InvalidInput and InfeasibleTarget as `fit` does.
        """
        as_matrix(np.zeros((1, whole(features, "features"))), self.device)  # to where it may not be able to go
        return self._plan(self._shape(features, records, classes=self._class_count(classes), weighted=weighted, told_apart=told_apart))

    def outlook(self, *, features: int, records: int | None = None, classes: int | None = None) -> "learning.Outlook | None":
        """Whether a fit may be expected to beat always giving the commonest class, from public numbers (docs/defaults.md); parameters as of `plan`.

        None without privacy. Raises InvalidInput for numbers that are none.
        """
        return self._outlook(self._shape(features, records, classes=self._class_count(classes)))

    def decision_function(self, X: Any) -> Floats:
        """<w, x> + intercept, (n,) or, with K > 2 classes, (n, K), with rows shortened to data_norm as in fit."""
        check_is_fitted(self)
        return self._of_rows(X, self._decision())

    def predict(self, X: Any, *, threshold: float | None = None) -> npt.NDArray[Any]:
        """The likelier class of every row, (n,); with a `threshold`, of two classes the second where its probability is above it.

        `discreet.estimators.threshold_for` finds one from public costs. Raises InvalidInput for one outside (0, 1), and for more classes.
        """
        chosen = chosen_codes(self.decision_function(X)) if threshold is None else codes_above(self.predict_proba(X), threshold)
        return np.asarray(self.classes_[chosen])

    @available_if(_require_link)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, (n, K), through the link of the loss (module `prediction_rules`); not there for losses without one."""
        return probabilities(self._fitted_loss(), self.decision_function(X), multinomial=self._scheme() == "multinomial")

    @available_if(_require_link)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of `predict_proba`, (n, K)."""
        return log_probabilities(self._fitted_loss(), self.decision_function(X), multinomial=self._scheme() == "multinomial")

    def explain(self, *, features: int | None = None, records: int | None = None, classes: int | None = None) -> "explanation.Explanation":
        """Why the loss, the rows, alpha and the mechanism are what they are, and what the alternatives would cost; needs no data.

        Parameters: `features` d (of the fitted model if left out); `records` n, where it is public, turns lambda into alpha; `classes` how many, if
        they are not declared (2). Raises InvalidInput where d is unknown or epsilon is infinite, InfeasibleTarget as `fit` does.
        """
        privacy, known = self._privacy(), explanation.known_features(self, features)
        if not privacy.epsilon < np.inf:
            raise InvalidInput("epsilon=inf means no privacy and no noise; explain(...) needs a finite epsilon.")
        public = self._known_records(None, ADD_REMOVE) if records is None else count_or_none(records, "records")
        shape = replace(self._shape(known, records, classes=self._class_count(classes), weighted=True), records=public)
        privacy = self._left(shape)
        setting = explanation.Setting(
            name=type(self).__name__,
            problem=learning.with_defaults(
                self._two_classes(shape), privacy, mechanism=self.mechanism, softened=self._softened, ridge=self._ridge(shape, privacy)
            ),
            privacy=privacy,
            mechanism=self.mechanism,
            chosen=self.alpha is None,
            calibrated=self._calibrated,
        )
        return explanation.explain(setting)

    def __sklearn_tags__(self) -> Any:
        """More than two classes by tight objective perturbation only."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.mechanism in ("auto", "objective") and self.calibration == "tight"
        return tags

    def _outlook(self, shape: FitShape) -> "learning.Outlook | None":
        return learning.outlook(self._of_all_classes(self._two_classes(shape)), self._privacy())

    def _set_up(
        self, shape: FitShape, privacy: Privacy, *, counts: bool = False
    ) -> tuple[RegularisedRisk | ClassRisk, "learning.LearningMechanism[Any]"]:
        ridge = self._ridge(shape, privacy)
        return self._planned(self._two_classes(shape), privacy, self.mechanism, ridge=ridge, softened=self._softened, counts=counts)

    def _planned(
        self, two_classes: RegularisedRisk, privacy: Privacy, mechanism: str, *, ridge: float | None, softened: bool, counts: bool
    ) -> tuple[RegularisedRisk | ClassRisk, "learning.LearningMechanism[Any]"]:
        """The problem that is solved and its mechanism: those of two classes, or of more."""
        share = self.records_share if counts and self.alpha is None else 0.0
        return learning.plan(
            self._of_all_classes(two_classes),
            privacy,
            mechanism=mechanism,
            calibration=self.calibration,
            softened=softened,
            ridge=ridge,
            prior=self._prior(two_classes.domain),
            count_share=share,
        )

    def _calibrated(
        self, two_classes: RegularisedRisk, privacy: Privacy, mechanism: str
    ) -> tuple[RegularisedRisk | ClassRisk, "learning.LearningMechanism[Any]"]:
        """The problem and mechanism for a loss and a lambda that are there, for explanations; lambda of more classes is their own."""
        ridge = None if self.alpha is None and two_classes.domain.classes > 2 else two_classes.ridge
        return self._planned(two_classes, privacy, mechanism, ridge=ridge, softened=False, counts=True)

    def _of_all_classes(self, two_classes: RegularisedRisk) -> RegularisedRisk | ClassRisk:
        scheme = self._scheme()
        return two_classes if two_classes.domain.classes == 2 else class_problem(scheme, two_classes)

    @property
    def _softened(self) -> bool:
        """Whether the temperature of the softplus hinge is for public numbers to choose."""
        return self.loss is None and self.calibration == "tight" and self._standard_loss == SoftplusHinge.name

    def _ridge(self, shape: FitShape, privacy: Privacy) -> float | None:
        """The lambda that the caller chose, or None."""
        return None if self.alpha is None else ridge_of(self.alpha, shape.records, privacy.neighbours)

    def _prior(self, domain: Domain) -> Prior | None:
        return None if self.prior is None else prior_of(self.prior, domain, self.data_norm)

    def _decision(self) -> Callable[[Matrix], Floats]:
        """From rows to decisions, without the estimator."""
        norm = self._unit * positive(public_norm(self.data_norm), "data_norm")
        if len(self.classes_) > 2:
            return partial(linear_decision, weights=self.coef_.T, intercept=self.intercept_, data_norm=norm)
        return partial(linear_decision, weights=self.coef_[0], intercept=float(self.intercept_[0]), data_norm=norm)

    def _read_targets(self, X: Any, y: Any, records: int, classes: Any) -> Targets:
        declared: tuple[str, ...] = (SCHEMA,)
        if isinstance(X, EncodedTable):
            codes, known = encoded_codes(X, y), label_array(X.classes)
        else:
            given, known, declared = labels_and_classes(y, classes=classes, name=type(self).__name__, records=records)
            known = distinct_classes(known)
            codes = np.asarray(class_codes(given, known), dtype=np.intp)
        return Targets(codes, known, declared)

    def _read_weights(self, sample_weight: Any, targets: Targets) -> tuple[Floats | None, float]:
        return self._weighting.of_records(sample_weight, targets.values, targets.classes)

    def _data_of(self, domain: Domain, held: HeldRecords) -> Records:
        return Records(rows=held.rows, targets=held.targets.values, domain=domain, weights=held.weights, jobs=self._jobs())

    def _rows(self, X: Any, *, reset: bool) -> Matrix:
        rows = super()._rows(X, reset=reset)
        return as_matrix(rows, self.device) if reset else rows

    def _block_classes(self) -> tuple[npt.NDArray[Any], tuple[str, ...]]:
        if self.classes is None:
            raise InvalidInput("for a table read in blocks, declare the classes: classes=[negative, positive], or a longer list.")
        return distinct_classes(np.asarray(self.classes)), (CLASSES,)

    def _reader(self, shape: FitShape, classes: npt.NDArray[Any]) -> Reader:
        # The rows are brought within a first domain, whose bounds do not matter.
        first = Domain(features=shape.features, norm_bound=1.0, classes=shape.classes, persons=shape.persons)
        weighting = self._weighting
        return Reader(domain=first, classes=classes, max_weight=weighting.most, class_weights=weighting.of_classes(classes))

    def _blocks(self, table: BlockTable) -> BlockTable:
        return moved_blocks(table, self.device)

    def _declared(self, given: FitInput, neighbours: Neighbours) -> tuple[str, ...]:
        declared = super()._declared(given, neighbours)
        return declared if self.prior is None else (*declared, *declared_prior(self.prior, given.classes))

    def _coefficients(self, release: Release, domain: Domain) -> tuple[Floats, Any]:
        coef, intercept = _split(release.value[:, np.newaxis], domain)
        return (coef, intercept) if domain.classes == 2 else (coef[0], intercept[0])

    def _class_count(self, classes: int | None) -> int:
        declared = 2 if self.classes is None else len(distinct_classes(np.asarray(self.classes)))
        return declared if classes is None else whole(classes, "classes", least=2)

    def _scheme(self) -> str:
        return scheme_named(self.multi_class, standard=self._standard_scheme, allowed=self._schemes)

    def _domain(self, shape: FitShape) -> Domain:
        norm = positive(public_norm(self.data_norm), "data_norm")
        constant = constant_feature(norm, self.intercept_scale, wanted=self.fit_intercept)
        return Domain(
            features=shape.features, norm_bound=norm, intercept_scale=constant, records=shape.records, classes=shape.classes, persons=shape.persons
        )

    def _two_classes(self, shape: FitShape) -> RegularisedRisk:
        """The problem of two classes, or of each against the rest, whose lambda nobody chose yet."""
        return RegularisedRisk(loss=self._loss(), ridge=1.0, domain=self._domain(shape), max_weight=shape.largest)

    def _loss(self) -> MarginLoss:
        if self.loss is None:
            return loss_named(self._standard_loss)
        if isinstance(self.loss, str):
            kinked = self.loss == "hinge" and self.mechanism == "output"
            return HuberHinge(half_width=KINK) if kinked else loss_named(self.loss)
        if isinstance(self.loss, MarginLoss):
            return self.loss
        raise InvalidInput(f"loss must be a name or one of the losses of discreet.losses; an object of type {type(self.loss).__name__} was given.")

    def _fitted_loss(self) -> MarginLoss:
        """The one that was minimised: a temperature that nobody chose is stated by the certificate."""
        check_is_fitted(self)
        stated = self.certificate_.problem
        chosen = self.loss is not None or stated.get("scheme") == "multinomial"
        return self._loss() if chosen else loss_named(str(stated["loss"]), numbers(stated["loss_parameters"]))

    def _largest_weight(self, classes: int, *, weighted: bool) -> float:
        return self._weighting.largest(classes, None if self.classes is None else np.asarray(self.classes), weighted=weighted)

    @property
    def _weighting(self) -> Weighting:
        return Weighting(by_class=self.class_weight, most=positive_or_none(self.max_sample_weight, "max_sample_weight"))


def _split(weights: Floats, domain: Domain) -> tuple[Floats, Floats]:
    return split_weights(weights, features=domain.features, intercept_scale=domain.intercept_scale, classes=domain.classes)
