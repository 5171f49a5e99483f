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
from typing import Annotated, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.utils.validation import check_is_fitted, validate_data

from discreet.certificates import Certificate
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput, quietly
from discreet.core.neighbours import ADD_REMOVE, Privacy, neighbours_of
from discreet.core.validate import number, positive, whole
from discreet.data import BlockTable, EncodedTable
from discreet.estimators.advice import advise
from discreet.estimators.base import Learner, ScoredClassifier, ScoredRegressor
from discreet.estimators.forms import linear_decision
from discreet.estimators.inputs import distinct_classes, feature_rows, labels_and_classes, whole_or_none
from discreet.estimators.margin_classifiers import LogisticRegression
from discreet.ledger.account import current
from discreet.matrices import Matrix, answers_per_record, shortening
from discreet.matrices.bounded import brought_near
from discreet.statements.base import CLASSES

_MOST = 500
"""Rows of a person."""
_TIMES = "y must hold a time from 0 on for each row of X, (n,), or times and whether the event happened then, 1 or 0, (n, 2)."


@dataclass(kw_only=True, eq=False, repr=False)
class PersonRows(Learner):
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
    ledger, n_jobs, random_state : as in LogisticRegression. rows_per_person, person_weight : leave them out, a row of X is a person.

    Attributes: `coef_` (d,); `weights_` (d + 1 + M,), the released vector; `certificate_`; `n_features_in_`.
    """

    neighbours: str = "replace-one"
    public_records: int | None = None
    alpha: Annotated[float | None, "Strength of regularisation, of |w|^2 / 2 in the mean objective; from public numbers if left out."] = None
    data_norm: float = 1.0
    row_scale: Annotated[float | None, "The constant that tells the rows of a person apart; half the bound of rows if left out."] = None

    coef_: Floats = field(init=False)

    def plan(self, *, features: int, records: int | None = None) -> Certificate:
        """What a fit would promise, from public numbers alone: d features and, where it is public, the number of persons. It never verifies."""
        rows = self._rows_of_a_person()
        columns = whole(features, "features")
        return self._logistic(rows, columns).plan(features=columns + 1 + rows, records=records, told_apart=True)

    @abstractmethod
    def _rows_of_a_person(self) -> int:
        """M, public. Raises InvalidInput for periods or classes that are none."""

    def _scale(self) -> float:
        return 0.5 * positive(self.data_norm, "data_norm") if self.row_scale is None else positive(self.row_scale, "row_scale")

    def _places(self, rows: int) -> Floats:
        """What is appended to the features in the M rows of a person, (M, 1 + M)."""
        return np.hstack((np.full((rows, 1), positive(self.data_norm, "data_norm")), self._scale() * np.eye(rows)))

    @abstractmethod
    def _prior(self, rows: int) -> Floats:
        """Public log odds that the ridge pulls the M rows of a person towards, but for the sign of their constants, (1 + M,) over these constants."""

    def _logistic(self, rows: int, features: int) -> LogisticRegression:
        """The regression of yes-or-no rows."""
        if self.rows_per_person is not None:
            raise InvalidInput("a row of X is a person here; leave rows_per_person out, and bring one row of each.")
        return LogisticRegression(
            epsilon=self.epsilon,
            delta=self.delta,
            neighbours=self.neighbours,
            public_records=self.public_records,
            alpha=self.alpha,
            data_norm=math.hypot(math.sqrt(2.0) * positive(self.data_norm, "data_norm"), self._scale()) * (1.0 + 2.0**-40),
            classes=[0, 1],
            fit_intercept=False,
            ledger=self.ledger,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
            rows_per_person=rows,
            person_weight="row",
            prior=np.concatenate((np.zeros(features), self._prior(rows))),
        )

    def _given(self, X: Any, *, reset: bool) -> Matrix:
        """Rows (n, d). Raises InvalidInput for tables that are encoded or read in blocks, and for entries that are not finite."""
        if isinstance(X, BlockTable | EncodedTable):
            raise InvalidInput(self._in_memory())
        matrix = feature_rows(X)
        validate_data(self, X, reset=reset, skip_check_array=True)
        return brought_near(matrix, positive(self.data_norm, "data_norm"))

    def _in_memory(self) -> str:
        return f"{type(self).__name__} makes several rows of each: it takes arrays and frames, and no encoded tables or blocks."

    def _fit_rows(self, X: Any, kept: npt.NDArray[np.bool_], answers: npt.NDArray[np.bool_], sign: float) -> None:
        """From rows (n, d), which of M rows each person has, (n, M), and their answers, (n, M). A person without any has one that says nothing."""
        given, count = self._given(X, reset=True), kept.shape[1]
        if given.shape[0] != kept.shape[0]:
            raise InvalidInput("X and y must have the same number of records.")
        near = np.concatenate([np.zeros((0, given.shape[1])), *(part for _, part in given.chunks())])
        rows = near * shortening(given.ordered_row_norms(), positive(self.data_norm, "data_norm"))[:, np.newaxis]
        self._advised(X, rows)
        persons, places = np.nonzero(kept)
        table = np.hstack((rows[persons], sign * self._places(count)[places]))
        silent = np.flatnonzero(~kept.any(axis=1))
        table = np.concatenate((table, np.zeros((len(silent), table.shape[1]))))
        fitted = self._logistic(count, rows.shape[1]).fit(
            table,
            np.concatenate((answers[persons, places], np.zeros(len(silent), dtype=bool))).astype(np.intp),
            persons=np.concatenate((persons, silent)),
        )
        self.weights_, self.certificate_ = fitted.weights_, fitted.certificate_
        self.coef_ = self.weights_[: rows.shape[1]]

    def _advised(self, X: Any, rows: Floats) -> None:
        """Warn of what tells more than its user may think (module `advice`): the regression inside is fitted by us, and stays silent."""
        privacy = Privacy(epsilon=number(self.epsilon, "epsilon"), delta=number(self.delta, "delta"), neighbours=neighbours_of(self.neighbours))
        known = whole_or_none(self.public_records, "public_records") if privacy.neighbours is ADD_REMOVE else len(rows)
        advise(self, X, privacy=privacy, records=known, encoded=False, on_a_ledger=self._account() is not None or current() is not None)

    def _log_odds(self, X: Any, sign: float) -> Floats:
        """Of the M rows of each, (n, M)."""
        return self._along(X)[:, np.newaxis] + sign * self._levels()

    def _along(self, X: Any) -> Floats:
        """<w, x>, (n,), a function of each row by itself to the last bit."""
        check_is_fitted(self)
        return linear_decision(self._given(X, reset=False), weights=self.coef_, intercept=0.0, data_norm=positive(self.data_norm, "data_norm"))

    def _levels(self) -> Floats:
        """Of the M rows of a person whose features are 0, but for the sign, (M,)."""
        levels = self.weights_[len(self.coef_) :]
        return self._places(len(levels) - 1) @ levels


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class SurvivalModel(ScoredRegressor, PersonRows):
    """Survival in discrete time under differential privacy: the hazard of each period, times that are censored included. See PersonRows.

    ends : the ends of T periods, increasing, in units of time, chosen without the records; times beyond the last one are censored there.
    typical : a public guess of the probability that the event happens by the last end, the same in each period, which the ridge pulls towards.

    `fit(X, y)` takes times (n,), at each of which the event happened, or (n, 2): times, and 1 where the event happened then, 0 where a person was not
    seen any longer. `predict` is the mean time up to the last end, `predict_survival` the probabilities (n, T) to live through each period.

    Without privacy it is the logistic regression of person-period rows (Allison 1982).
    """

    ends: Annotated[Sequence[float], "Ends of the periods, increasing, in units of time."] = (1.0, 2.0, 3.0, 4.0, 5.0)
    typical: Annotated[float, "A public guess of the probability that the event happens by the last end."] = 0.5

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the persons. Raises as LogisticRegression does, and InvalidInput for what are no times."""
        ends = self._periods()
        if y is None:
            raise InvalidInput("SurvivalModel requires y to be passed, but the target y is None.")
        if not isinstance(X, BlockTable | EncodedTable):
            feature_rows(X)  # what is wrong with rows is said before what is wrong with times
        given = quietly(lambda: np.asarray(y, dtype=np.float64), InvalidInput(_TIMES))
        if given.ndim not in (1, 2) or (given.ndim == 2 and given.shape[1] not in (1, 2)) or not np.all(np.isfinite(given)):
            raise InvalidInput(_TIMES)
        times, happened = (given.ravel(), np.ones(len(given))) if given.ndim == 1 or given.shape[1] == 1 else given.T
        through = times[:, np.newaxis] >= ends  # a period that ends with the event is one that it happened in
        happens = (happened[:, np.newaxis] > 0.5) & (times[:, np.newaxis] <= ends) & (times[:, np.newaxis] > np.append(-np.inf, ends[:-1]))
        with self._unless_refused():
            self._fit_rows(X, through | happens, happens, 1.0)
        return self

    def predict(self, X: Any) -> Floats:
        """The mean time, up to the last end, (n,)."""
        lengths = np.diff(self._periods(), prepend=0.0)
        survival = self.predict_survival(X)
        # In a period in which the event happens it is in the middle, on average.
        before = np.column_stack((np.ones(len(survival)), survival[:, :-1]))
        return np.asarray((0.5 * (before + survival)) @ lengths)

    def predict_hazard(self, X: Any) -> Floats:
        """Probabilities (n, T) that the event happens in a period, of whom it has not happened to before."""
        return np.asarray(expit(self._log_odds(X, 1.0)))

    def predict_survival(self, X: Any) -> Floats:
        """Probabilities (n, T) that the event has not happened by the end of each period."""
        return np.asarray(np.cumprod(1.0 - self.predict_hazard(X), axis=1))

    def _periods(self) -> Floats:
        refusal = InvalidInput(f"ends must be up to {_MOST} increasing positive numbers, the ends of the periods; others were given.")
        ends = quietly(lambda: np.asarray(self.ends, dtype=np.float64), refusal)
        if ends.ndim != 1 or not 1 <= len(ends) <= _MOST or not np.all(np.isfinite(ends)) or np.any(np.diff(ends, prepend=0.0) <= 0):
            raise refusal
        return ends

    def _rows_of_a_person(self) -> int:
        return len(self._periods())

    def _prior(self, rows: int) -> Floats:
        if not 0.0 < number(self.typical, "typical") < 1.0:
            raise InvalidInput(f"typical must be a probability between 0 and 1; {self.typical!r} was given.")
        through = (1.0 - self.typical) ** (1.0 / rows)
        return np.append(math.log1p(-through) - math.log(through), np.zeros(rows)) / positive(self.data_norm, "data_norm")


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class OrdinalRegression(ScoredClassifier, PersonRows):
    """Regression of ordered classes under differential privacy: cumulative logits with shared slopes and learnt thresholds. See PersonRows.

    classes : all K of them, K >= 2, in their order from the lowest. None takes those that occur, with a PrivacyWarning: nothing hides which do.

    `predict` is the median class, `predict_proba` the probabilities (n, K). thresholds_ : (K - 1,), from the lowest.

    Each threshold is a yes-or-no row of its own (all thresholds; Rennie and Srebro 2005), which for two classes is logistic regression.
    """

    classes: Any = None

    classes_: npt.NDArray[Any] = field(init=False)
    thresholds_: Floats = field(init=False)

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the model, spending (epsilon, delta) on the records. Raises as LogisticRegression does, and InvalidInput for labels not declared."""
        if isinstance(X, BlockTable | EncodedTable):
            raise InvalidInput(self._in_memory())
        given, known, declared = labels_and_classes(y, classes=self.classes, name=type(self).__name__, records=feature_rows(X).shape[0])
        known = distinct_classes(known)
        codes = np.full(len(given), -1)
        for code, label in enumerate(known.tolist()):
            codes[given == label] = code
        if np.any(codes < 0):
            raise InvalidInput(f"y holds a label outside the declared classes {known.tolist()}; map it to one of them first.")
        above = codes[:, np.newaxis] > np.arange(len(known) - 1)
        with self._unless_refused():
            self._fit_rows(X, np.ones_like(above), above, -1.0)
            self.certificate_ = replace(self.certificate_, declared=(*declared, *(line for line in self.certificate_.declared if line != CLASSES)))
            self.classes_ = known
            self.thresholds_ = np.maximum.accumulate(self._levels())
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The median class, (n,): the lowest that half of such records, at least, do not lie above."""
        above = self._above(X)
        return self.classes_[(above > 0.5).sum(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the K classes, (n, K)."""
        above = self._above(X)
        ends = np.ones((len(above), 1))
        return np.asarray(np.hstack((ends, above)) - np.hstack((above, 0.0 * ends)))

    def _above(self, X: Any) -> Floats:
        """Probabilities to lie above each threshold, (n, K - 1); they fall, as learnt thresholds that are out of order are levelled."""
        return np.asarray(expit(self._along(X)[:, np.newaxis] - self.thresholds_))

    def _rows_of_a_person(self) -> int:
        if self.classes is None:
            raise InvalidInput("plan needs the classes declared: classes=[...], from the lowest.")
        return len(distinct_classes(np.asarray(self.classes))) - 1

    def _prior(self, rows: int) -> Floats:
        below = np.arange(1, rows + 1) / (rows + 1)
        return np.append(0.0, np.log(below / (1.0 - below))) / self._scale()
