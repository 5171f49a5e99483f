"""Models of times and of ordered classes, as logistic regressions of several yes-or-no rows of one person that share a record's weight.

    SurvivalModel        a row for each period that a person was seen through: did the event happen in it?     rows (x, R, c e_t), t = 1 .. T
    OrdinalRegression    a row for each threshold between K ordered classes: is the answer above it?           rows (x, -R, -c e_k), k = 1 .. K - 1

    minimise  (1 / M) sum over persons and their rows of  log(1 + exp(-y <w, row>)) + (lambda / 2) |w - w0|^2 + noise,  M = T, or K - 1

R is the bound of rows: a constant whose weight all rows of a person share, so that their common level is shrunk once and learnt from all of them.
The ridge pulls towards public odds w0: a typical hazard, or classes of equal size.

Neighbours differ in a person. The M rows of one person have the weight 1 / M each, so that together they move the gradient by no more than one record
does, and the guarantee is theorem P of mechanisms/learning/persons.md: noise does not grow with M. Which rows a person has is a function of that
person's time, or class, alone. The certificate is that of the logistic regression, with persons that have up to M rows.

Sources: Cox (1972) and Allison (1982) for discrete-time hazards; McCullagh (1980) for cumulative logits, Rennie and Srebro (2005) for all thresholds.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.core.validate import number, positive, whole
from discreet.data import BlockTable, EncodedTable, TransformedTable
from discreet.data.domain import check_scale
from discreet.data.labels import label_array
from discreet.data.targets import ends_of, period_numbers
from discreet.estimators.advice import names_checked
from discreet.estimators.door.fit_input import HeldRecords
from discreet.estimators.door.private_estimator import PrivateModel, ScoredClassifier, ScoredRegressor, require_own_targets
from discreet.estimators.inputs import count_or_none, distinct_classes, encoded_codes, labels_and_classes
from discreet.estimators.models.margin_classifiers import LogisticRegression
from discreet.estimators.models.person_period import Asked, Known, OfBlocks, Questions, class_numbers, held_table
from discreet.estimators.prediction_rules import MadeForm
from discreet.estimators.prior import equal_classes
from discreet.estimators.summaries.explanation import Explanation, explained, known_features
from discreet.matrices import answers_per_record
from discreet.mechanisms.persons import brought_by
from discreet.noise import Noise
from discreet.problems import MadeRows
from discreet.problems.made_rows import ORDERED, TIMES
from discreet.statements.base import CLASSES, LABELS_THAT_OCCUR, SCHEMA
from discreet.words import certified_words

_ENDS = (1.0, 2.0, 3.0, 4.0, 5.0)
"""Of periods, where neither a schema nor the caller says them."""


@dataclass(kw_only=True, eq=False, repr=False)
class PersonRows(PrivateModel):
    """What the two models here share; they take these parameters, beside their own.

    Parameters
    ----------
    epsilon, delta : privacy loss for a person, and the probability that it is exceeded; `inf` is the ordinary fit without privacy.
    neighbours : "replace-one" (the number of persons is public) or "add-remove" (it is not).
    alpha : coefficient of |w|^2 / 2 in the mean objective. None takes the smallest value at which the theorem has next to no slack.
    data_norm : bound on the Euclidean norm of a row of X; longer rows are shortened to it. Never learnt from the data.
    row_scale : c, the constant that tells the rows of a person apart; None takes half of data_norm. A larger one shrinks what differs between
        periods, or thresholds, less, for more noise.
    public_records : under add-remove, a number of persons that you declare public, which `alpha` then multiplies.
    ledger, n_jobs, random_state : as in LogisticRegression. rows_per_person : None or 1, a row of X is a person; person_weight : leave it out.

    Attributes: `coef_` (d,); `weights_` (d + 1 + M,), the released vector; `certificate_`; `n_features_in_`.
    """

    makes_rows = "another model takes persons"

    alpha: Annotated[float | None, "Strength of regularisation, of |w|^2 / 2 in the mean objective; from public numbers if left out."] = None
    data_norm: float = 1.0
    row_scale: Annotated[float | None, "The constant that tells the rows of a person apart; half the bound of rows if left out."] = None

    coef_: Floats = field(init=False)
    classes_: npt.NDArray[Any] = field(init=False)
    thresholds_: Floats = field(init=False)

    def plan(self, *, features: int, records: int | None = None, told_apart: bool = False) -> Certificate:
        """What a fit would promise, from public numbers alone: d features and, where it is public, the number of persons. It never verifies.

        Raises InvalidInput where rows come with ids of persons, `told_apart`, and as `fit` does.
        """
        self.require_one_row(Persons() if told_apart else None, told=False)
        made, columns = self._made(), whole(features, "features")
        inner = self._logistic(made, columns)
        return _stated(inner.plan(features=columns + 1 + made.rows, records=count_or_none(records, "records"), told_apart=True), made)

    def explain(self, *, features: int | None = None, records: int | None = None) -> Explanation:
        """What a fit does and promises, from public numbers alone; needs no data.

        Parameters: `features` d (of the fitted model if left out), `records` n if public. Raises InvalidInput where d is unknown, and as `plan`.
        """
        count = known_features(self, features)
        form = MadeForm(features=count, made=self._made())
        return explained(self.plan(features=count, records=records), form, name=f"{type(self).__name__} on {count:,} features")

    @abstractmethod
    def _known(self, X: Any, y: Any, *, reset: bool) -> Known:
        """What is known of the records, and how it is read. Raises InvalidInput for targets that the model does not learn."""

    @abstractmethod
    def _made(self) -> MadeRows:
        """Of a record, public. Raises InvalidInput for periods or classes that are none."""

    @abstractmethod
    def declared_for(self, X: Any) -> dict[str, Any]:
        """What X says of its targets, as parameters: a plan does not see a table. Raises as `fit` does."""

    @abstractmethod
    def _prior(self, rows: int) -> Floats:
        """Public log odds that the ridge pulls the M rows of a person towards, but for the sign of their constants, (1 + M,) over these constants."""

    def _scale(self) -> float:
        if self.row_scale is None:
            return 0.5 * positive(self.data_norm, "data_norm")
        check_scale(positive(self.row_scale, "row_scale"), "row_scale")
        return float(self.row_scale)

    def _logistic(self, made: MadeRows, features: int) -> LogisticRegression:
        """The regression of yes-or-no rows."""
        return LogisticRegression(
            epsilon=self.epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
            public_records=self.public_records,
            alpha=self.alpha,
            data_norm=made.norm,
            classes=[0, 1],
            fit_intercept=False,
            ledger=self.ledger,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            rows_per_person=made.rows,
            person_weight="row",
            prior=np.concatenate((np.zeros(features), self._prior(made.rows))),
        )

    @names_checked
    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the persons; `persons` is None, because each record is one person.

        Raises as LogisticRegression does, and InvalidInput for targets that the model does not learn, for periods or classes that are not those of
        the schema, and for ids of persons.
        """
        with self._unless_refused():
            privacy, asked = self._privacy(), self.asked(X, y, persons, reset=True)
            self._advise(X, privacy, asked.records)
            fitted = self._logistic(asked.known.made, self.n_features_in_).fit(asked.table)
        own, made = (SCHEMA, CLASSES, LABELS_THAT_OCCUR), asked.known.made
        certificate = _stated(fitted.certificate_, made)
        self.certificate_ = replace(certificate, declared=(*asked.known.declared, *(line for line in certificate.declared if line not in own)))
        self.weights_ = fitted.weights_
        self.coef_ = self.weights_[: self.n_features_in_]
        if asked.known.classes is not None:
            self.classes_ = asked.known.classes
            self.thresholds_ = np.maximum.accumulate(-self._fitted().levels(self.weights_))
        return self

    def asked(self, X: Any, y: Any, persons: Any, *, reset: bool) -> Asked:
        """What the fit is of, which is private but for its `known.made`. Raises as `fit` does, before anything is spent."""
        self.require_one_row(None if persons is None else Persons(), told=False)
        known = self._known(X, y, reset=reset)
        questions = Questions.of(known.made)
        self.require_one_row(brought_by(X), told=isinstance(X, BlockTable | EncodedTable))
        self._public_rule(told_apart=False)
        if isinstance(X, BlockTable):
            self.n_features_in_, width = X.features, X.features + 1 + known.made.rows
            table = TransformedTable(X, OfBlocks(questions, known.read), features=width, several=known.made.rows, jobs=self._jobs())
            return Asked(known, questions, table, None, None)
        rows, codes = self._rows(X, reset=reset), known.read(known.targets)
        if rows.shape[0] != len(codes):
            raise InvalidInput("X and y must have the same number of records.")
        return Asked(known, questions, held_table(questions, rows, codes), rows, codes)

    def held_records(self, X: Any, y: Any, sample_weight: Any, persons: Any, noise: Noise, *, classes: Any, reset: bool) -> HeldRecords:  # noqa: ARG002
        """Checked records in memory, with the answers of their rows. Raises InvalidInput for others than these `classes`."""
        if sample_weight is not None or isinstance(X, BlockTable):
            raise InvalidInput("intervals of this model need records in memory, each of which counts once; leave sample_weight out.")
        held = self.asked(X, y, persons, reset=reset).held(X.coding if isinstance(X, EncodedTable) else None)
        if classes is not None and held.targets.classes.tolist() != np.asarray(classes).tolist():
            raise InvalidInput("the classes differ from those of the fit. Pass the records of the fit, and declare classes.")
        return held

    def _log_odds(self, X: Any) -> Floats:
        """Of the M rows of each, (n, M), a function of each row by itself to the last bit."""
        check_is_fitted(self)
        form = MadeForm(features=len(self.coef_), made=self._fitted())
        return self._of_rows(X, partial(form.decision, weights=self.weights_))

    def _fitted(self) -> MadeRows:
        """What the certificate states."""
        return MadeRows.stated(self.certificate_.problem["made_rows"])


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class SurvivalModel(ScoredRegressor, PersonRows):
    """Survival in discrete time under differential privacy: the hazard of each period, with censored times. See PersonRows.

    ends : the ends of the T periods, increasing, in units of time, chosen without looking at the records; times beyond the last one are censored
        there. None uses those of the schema, for a table or files encoded by one (other ends are refused), and otherwise 1, 2, 3, 4, 5.
    typical : a public guess of the probability that the event happens by the last end, with the same hazard in each period; the ridge shrinks
        towards it.

    `fit(X, y)` takes times (n,) of events, or (n, 2): times, and 1 for an event, 0 for a censored time. `predict` returns the mean time up to the
    last end, `predict_survival` the probabilities (n, T) to survive each period. Without privacy, it is logistic regression on person-period rows
    (Allison 1982).

    Examples
    --------
    In ward 1 the event happens in the first year, in ward 0 in the third:

    >>> import numpy as np
    >>> from discreet import SurvivalModel
    >>> ward = np.repeat([[0.0], [1.0]], 10_000, axis=0)
    >>> years = np.where(ward[:, 0] == 1.0, 1.0, 3.0)
    >>> model = SurvivalModel(ends=[1.0, 2.0, 3.0], epsilon=1.0, delta=1e-6, data_norm=1.0).fit(ward, years)
    >>> model.predict_survival([[0.0], [1.0]]) > 0.5
    array([[ True,  True, False],
           [False, False, False]])
    """

    saved_as = "survival-model"
    makes_rows = "logistic-regression takes persons, and learns whether the event came by one time from a column that says so"
    targets = ("times",)
    standard_for = ("times",)

    ends: Sequence[float] | None = None
    typical: Annotated[float, "A public guess of the probability that the event happens by the last end."] = 0.5

    def predict(self, X: Any) -> Floats:
        """The mean time, up to the last end, (n,)."""
        return self._fitted_made().mean_time(self._log_odds(X))

    def predict_median(self, X: Any) -> Floats:
        """The time by which half of such persons have had the event, (n,); infinity if that is beyond the last end."""
        return self._fitted_made().median_time(self._log_odds(X))

    def predict_hazard(self, X: Any) -> Floats:
        """Probabilities (n, T) that the event happens in a period, given that it has not happened before."""
        return self._fitted_made().hazards(self._log_odds(X))

    def predict_survival(self, X: Any) -> Floats:
        """Probabilities (n, T) that the event has not happened by the end of each period."""
        return self._fitted_made().survival(self._log_odds(X))

    @property
    def ends_(self) -> tuple[float, ...]:
        """The ends of the T periods of the fit."""
        return self._fitted_made().ends

    def _fitted_made(self) -> MadeRows:
        check_is_fitted(self)
        return self._fitted()

    def _known(self, X: Any, y: Any, *, reset: bool) -> Known:
        made = self._made_for(self.ends_for(X))
        return Known(
            made, self._times(X, y, reset=reset), partial(period_numbers, ends=made.ends), (SCHEMA,) if isinstance(X, EncodedTable) else (), None
        )

    def _times(self, X: Any, y: Any, *, reset: bool) -> Any:
        """Of held records; None for blocks, which bring their own."""
        if isinstance(X, BlockTable):
            require_own_targets(y, weights=False)
            return None
        if not isinstance(X, EncodedTable):
            if y is None:
                raise InvalidInput("SurvivalModel requires y to be passed, but the target y is None.")
            self._rows(X, reset=reset)  # what is wrong with rows is said before what is wrong with times
            return y
        if y is not None:
            raise InvalidInput("an encoded table already contains its targets; leave y out.")
        if X.times is None:
            raise InvalidInput("the table was encoded without times. The schema needs ends under [target], and encode needs target=True.")
        return X.times

    def _made(self) -> MadeRows:
        return self._made_for(self.ends_for(None))

    def declared_for(self, X: Any) -> dict[str, Any]:
        """See PersonRows."""
        return {"ends": self.ends_for(X)}

    def ends_for(self, X: Any) -> tuple[float, ...]:
        """The ends of the periods for a fit on X: the schema's, or else the caller's. Raises InvalidInput if they differ or are invalid."""
        brought: tuple[float, ...] = X.ends if isinstance(X, BlockTable | EncodedTable) else ()
        if self.ends is None:
            return brought or _ENDS
        own = ends_of(self.ends)
        if brought and own != brought:
            raise InvalidInput(
                f"in the table's schema periods end at {_few(brought)}, but the estimator has ends={_few(own)}. Leave ends out of the "
                "estimator, or make them equal."
            )
        return own

    def _made_for(self, ends: tuple[float, ...]) -> MadeRows:
        return MadeRows(of=TIMES, rows=len(ends), bound=positive(self.data_norm, "data_norm"), step=self._scale(), ends=ends)

    def _prior(self, rows: int) -> Floats:
        if not 0.0 < number(self.typical, "typical") < 1.0:
            raise InvalidInput(f"typical must be a probability between 0 and 1; {self.typical!r} was given.")
        through = (1.0 - self.typical) ** (1.0 / rows)
        return np.append(math.log1p(-through) - math.log(through), np.zeros(rows)) / positive(self.data_norm, "data_norm")


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class OrdinalRegression(ScoredClassifier, PersonRows):
    """Regression of ordered classes under differential privacy: cumulative logits with shared slopes and learnt thresholds. See PersonRows.

    classes : all K >= 2 classes, in order from the lowest. None takes them from y, with a PrivacyWarning, because this reveals which labels occur. A
        table encoded by a schema has the classes of the schema.

    `predict` is the median class, `predict_proba` the probabilities (n, K). thresholds_ : (K - 1,), from the lowest.

    Each threshold is its own yes-or-no row (all thresholds; Rennie and Srebro 2005), which for two classes is logistic regression.

    Examples
    --------
    >>> import numpy as np
    >>> from discreet import OrdinalRegression
    >>> X = np.repeat([[-1.0], [0.0], [1.0]], 7_000, axis=0)
    >>> y = np.repeat(["mild", "moderate", "severe"], 7_000)
    >>> model = OrdinalRegression(classes=["mild", "moderate", "severe"], epsilon=1.0, delta=1e-6, data_norm=1.0)
    >>> model.fit(X, y).predict([[-1.0], [0.0], [1.0]])
    array(['mild', 'moderate', 'severe'], dtype='<U8')
    """

    saved_as = "ordinal-regression"
    makes_rows = "logistic-regression and linear-svc take persons, and learn the same classes without their order"
    targets = ("ordered classes",)
    standard_for = ("ordered classes",)

    classes: Any = None

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The median class, (n,): the lowest class such that at least half of such records do not lie above it."""
        odds = self._log_odds(X)
        return self.classes_[self._fitted().chosen(odds)]

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the K classes, (n, K)."""
        odds = self._log_odds(X)
        return self._fitted().chances(odds)

    def _known(self, X: Any, y: Any, *, reset: bool) -> Known:
        given: Any = None
        declared: tuple[str, ...] = (CLASSES,)
        if isinstance(X, EncodedTable):
            codes, known, declared = encoded_codes(X, y), label_array(X.classes), (SCHEMA,)
            given = known[codes]
        elif isinstance(X, BlockTable):
            require_own_targets(y, weights=False)
            if self.classes is None:
                raise InvalidInput("for a table read in blocks, declare the classes: classes=[...], from the lowest.")
            known = label_array(self.classes)
        else:
            count = self._rows(X, reset=reset).shape[0]
            given, known, declared = labels_and_classes(y, classes=self.classes, name=type(self).__name__, records=count)
        known = distinct_classes(known)
        return Known(self._made_for(len(known)), given, partial(class_numbers, classes=known), declared, known)

    def declared_for(self, X: Any) -> dict[str, Any]:
        """See PersonRows."""
        return {"classes": list(X.classes)} if isinstance(X, EncodedTable) else {}

    def _made(self) -> MadeRows:
        if self.classes is None:
            raise InvalidInput("plan needs the classes declared: classes=[...], from the lowest.")
        return self._made_for(len(distinct_classes(np.asarray(self.classes))))

    def _made_for(self, classes: int) -> MadeRows:
        return MadeRows(of=ORDERED, rows=classes - 1, bound=positive(self.data_norm, "data_norm"), step=self._scale())

    def _prior(self, rows: int) -> Floats:
        return np.append(0.0, equal_classes(rows)) / self._scale()


def _few(ends: tuple[float, ...]) -> str:
    return ", ".join([*map(repr, ends[:8]), *([".."] if len(ends) > 8 else [])])


def _stated(certificate: Certificate, made: MadeRows) -> Certificate:
    """With what the rows are made of in the problem, and its hypothesis."""
    problem = {**certificate.problem, "made_rows": made.to_dict()}
    words = certified_words(certificate.mechanism, certificate.parameters, problem)
    return replace(certificate, problem=problem, hypotheses=words.hypotheses)
