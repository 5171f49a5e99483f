"""Private search over settings: a drop-in for scikit-learn's search classes, under one guarantee for everything that it does.

    model = PrivateSearchCV(LogisticRegression(classes=["no", "yes"]), {"alpha": [1e-4, 1e-3]}, epsilon=1.0, delta=1e-9).fit(X, y)

Ordinary cross-validation of private fits costs folds times settings fits, and its scores tell about the held-out records besides. Here

    random-stopping   a secret random number of runs; each fits a setting drawn at random on all records, and scores it by a noisy count on them;
                      the best is kept (accounting/selection.md, mechanisms/selection/stopping.md)
    algorithm-4       Chaudhuri, Monteleoni, Sarwate (2011): one part of the records for each setting, one for the choice
                      (mechanisms/selection/exponential.md)

The total is what was asked for, and what every fit may spend follows from it. It is reserved once on the ledger, before anything is drawn.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any, Self

import numpy.typing as npt
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid, ParameterSampler
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from discreet.accounting.stopping import NegativeBinomialRuns
from discreet.core.errors import InvalidInput, InvalidType, quietly
from discreet.core.neighbours import ADD_REMOVE, Privacy, neighbours_of
from discreet.core.validate import job_count, number
from discreet.data import BlockTable, EncodedTable
from discreet.estimators.advice import advise, names_checked, refuse_wrong_types
from discreet.estimators.door.private_estimator import PrivateEstimator, PrivateModel, account_of
from discreet.estimators.search.blocks import streamed_table
from discreet.estimators.search.methods import SET_BY_THE_SEARCH, Fits, Found, algorithm_4, random_stopping
from discreet.estimators.search.tables import Scoring, SearchTable, held_table, scoring_of
from discreet.ledger import check_may_travel, current
from discreet.matrices import answers_as_its, marked_per_record
from discreet.mechanisms.persons import Owners, declared_rule, held_rule, owners_of, table_rule
from discreet.noise import Noise
from discreet.statements.base import CLASSES, LABELS_THAT_OCCUR, THE_SETTINGS

METHODS = ("random-stopping", "algorithm-4")
LAWS = {"geometric": 1.0, "logarithmic": 0.0}
_MOST_RUNS = 200


def _answered(name: str) -> Any:
    """The method of the chosen model of this name, there where its estimator has it."""

    def offered(search: "PrivateSearchCV") -> bool:
        getattr(search.estimator, name)
        return True

    def answer(self: "PrivateSearchCV", X: Any) -> Any:
        """As this method of the chosen model."""
        return getattr(self._chosen(X), name)(X)

    answer.__name__, answer.__qualname__ = name, f"PrivateSearchCV.{name}"
    return available_if(offered)(answer)


@answers_as_its("best_estimator_")
@dataclass(kw_only=True, eq=False, repr=False)
class PrivateSearchCV(MetaEstimatorMixin, PrivateEstimator):  # type: ignore[misc]
    """The best of several settings of a private estimator, under differential privacy.

    Parameters
    ----------
    estimator : a classifier or regression of this library. The search sets its epsilon, delta, classes, random_state and ledger, and uses its
        neighbouring relation.
    param_grid : the public settings, a dict of lists or a list of such dicts, as for GridSearchCV. Never include values learnt from the records.
    param_distributions : instead of a grid, a dict of lists or distributions (with `rvs`).
    n_candidates : the number of settings drawn from param_distributions, before anything else.
    public_seed : integer seed of that draw; public.
    epsilon, delta : the budget of the whole search.
    method : "random-stopping", or "algorithm-4", which divides the records into one part more than there are settings.
    law : distribution of the number of runs: "geometric", or "logarithmic" (heavier tail, lower cost per run). None is logarithmic if delta = 0,
        else geometric.
    scoring : for a regression "absolute-error" or "squared-error": a record counts 1 minus its error over `error_bound`, clipped at 1, or minus the
        square of that; None is the first, whose differences between settings are clearer in the noise. For a classifier None: correct predictions
        count. For several targets, the mean over targets, each in its unit. For times "log-loss" or None: a record counts 1 minus its log loss over
        `error_bound`, clipped at 1.
    error_bound : for a regression, the value at which errors are clipped, chosen without looking at the records; None is half the range of targets
        that the estimator declares. For times in nats; None is 5.
    expected_runs : the mean number of runs, > 1; None is twice the number of settings, at most 200. More runs find the best setting more reliably,
        but leave less budget for each fit.
    score_share : the share of each run's budget for its score, in (0, 1).
    ledger : the Account to charge; None charges the estimator's account, or the ledger in use, if any.
    n_jobs : number of threads, as in scikit-learn: None is 1, -1 all processors. They share the fits on a table of at most 65,536 rows in memory,
        and the blocks of any other table. The result is the same for any number.
    random_state : None draws everything from the operating system. With a seed, results are reproducible but not private, and the certificate is
        invalid.
    rows_per_person : the largest number of rows kept per person, drawn uniformly, if `fit` gets the ids `persons`: neighbouring tables then differ
        in all rows of one person, and n counts persons. 1 needs no ids: you declare that nobody has a second row. None: the estimator's setting.
    person_weight : the weight of a kept row: "person" (one over the number of that person's kept rows, so each person counts once) or "row" (1 /
        rows_per_person, so rows count equally).

    Attributes
    ----------
    best_estimator_ : the released model. Its certificate is that of the search.
    best_params_, best_index_ : its setting, and the index of that setting in `candidates_`.
    best_score_ : its private score: the noisy share of its training records that it predicts correctly; their noisy number if n is private under
        add-remove, or if rows of persons count equally; NaN for algorithm-4, which releases no score. For a regression, minus the noisy mean error,
        squared or absolute, in the unit of the targets; the noisy sum of what records count if n is not public.
    certificate_ : what the whole search guarantees; `certificate_.verify(best_estimator_.weights_)` checks it.
    candidates_ : the settings. classes_, n_features_in_, feature_names_in_ : as usual.

    The number of runs and the other scores are not stored: they must stay secret. The duration of a fit reveals the number of runs.

    Examples
    --------
    >>> from discreet import LogisticRegression
    >>> from discreet.estimators import PrivateSearchCV
    >>> search = PrivateSearchCV(LogisticRegression(classes=[0, 1]), {"alpha": [0.001, 0.1]}, epsilon=2.0, delta=1e-6)
    >>> search.fit([[0.0, 0.9], [0.8, 0.1]] * 2000, [0, 1] * 2000).predict([[0.8, 0.0]])
    array([1])
    """

    estimator: Any = field(kw_only=False)
    param_grid: Any = field(default=None, kw_only=False)
    param_distributions: Mapping[str, Any] | None = None
    n_candidates: int = 10
    public_seed: int = 0
    method: str = "random-stopping"
    law: str | None = None
    expected_runs: float | None = None
    score_share: float = 0.1
    scoring: str | None = None
    error_bound: float | None = None

    best_estimator_: Any = field(init=False)

    @names_checked
    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:
        """Search, spending (epsilon, delta) on the records once.

        X (n, d) is as for the estimator, y (n,) labels, persons (n,) ids or None; or X is an EncodedTable or a BlockTable, without y. Raises
        InvalidInput for invalid arguments, InfeasibleTarget if a setting cannot be fitted with its share, BudgetExceeded before noise is drawn, and
        SolverFailure if no run succeeded.
        """
        refuse_wrong_types(self)
        epsilon, delta = number(self.epsilon, "epsilon"), number(self.delta, "delta")
        if self.method not in METHODS:
            raise InvalidInput(f"method must be one of {list(METHODS)}; {self.method!r} was given.")
        settings = self._settings()
        known = self._known()
        with self._unless_refused():
            found = self._found(X, y, persons, known, settings, epsilon, delta)
            declared_labels = "classes" in known and known["classes"] is None and y is not None and hasattr(found.model, "classes_")
        self._keep(found, settings, declared_labels=declared_labels)
        return self

    def _found(self, X: Any, y: Any, persons: Any, known: Mapping[str, Any], settings: list[dict[str, Any]], epsilon: float, delta: float) -> Found:
        noise, scoring = self._noise(), scoring_of(self.estimator, self.scoring, self.error_bound, X)
        table = self._table(X, y, persons, known, noise, scoring)
        fits = Fits(
            estimator=self.estimator,
            settings=settings,
            classes=table.classes,
            neighbours=neighbours_of(known["neighbours"]),
            n_jobs=self.n_jobs,
            jobs=job_count(self.n_jobs),
            persons=table.rule,
            scoring=table.scoring,
        )
        fits.require_target_bounds(X)
        account = account_of(known.get("ledger") if self.ledger is None else self.ledger)
        self._advise(
            X, Privacy(epsilon=epsilon, delta=delta, neighbours=fits.neighbours), table, on_a_ledger=account is not None or current() is not None
        )
        if self.method == "algorithm-4":
            return algorithm_4(fits, table, noise, epsilon=epsilon, delta=delta, account=account)
        law, share = self._law(len(settings), delta), number(self.score_share, "score_share")
        return random_stopping(fits, table, noise, epsilon=epsilon, delta=delta, law=law, share=share, account=account)

    def _advise(self, X: Any, privacy: Privacy, table: SearchTable, *, on_a_ledger: bool) -> None:
        """Warn as a single fit does, of what the search promises."""
        records = None if privacy.neighbours is ADD_REMOVE else table.shape[0]
        encoded = isinstance(X, EncodedTable | BlockTable)
        seeded = self.random_state is not None
        advise(self.estimator, X, privacy=privacy, records=records, encoded=encoded, on_a_ledger=on_a_ledger, seeded=seeded)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The predicted class or number for every row, (n,), by the chosen model."""
        return self._chosen(X).predict(X)

    decision_function = _answered("decision_function")
    predict_proba = _answered("predict_proba")
    predict_log_proba = _answered("predict_log_proba")
    predict_survival = _answered("predict_survival")
    predict_hazard = _answered("predict_hazard")
    predict_median = _answered("predict_median")

    def score(self, X: Any, y: Any = None) -> float:
        """Accuracy, or R^2, of the chosen model on (X, y). This is not private: use it on public records only."""
        return float(self._chosen(X).score(X, y))

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The attribute of the chosen model."""
        check_is_fitted(self)
        labels: npt.NDArray[Any] = self.best_estimator_.classes_
        return labels

    @property
    def ends_(self) -> tuple[float, ...]:
        """The ends of the periods of the chosen model, for times."""
        check_is_fitted(self)
        ends: tuple[float, ...] = self.best_estimator_.ends_
        return ends

    def __sklearn_is_fitted__(self) -> bool:
        """Whether there is a chosen model."""
        return "best_estimator_" in vars(self)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling. A search without an account does not leave a process where a ledger is in use: what it spends there would be lost.

        The estimator inside could be fitted by itself, so it travels with the account of the search.
        """
        account = vars(self.estimator).get("ledger") if self.ledger is None else self.ledger
        check_may_travel(account)
        state: dict[str, Any] = super().__getstate__()
        if account is not None and "ledger" in vars(self.estimator):
            state["estimator"] = clone(self.estimator).set_params(ledger=account)
        return state

    def __sklearn_tags__(self) -> Any:
        """Those of the estimator."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.target_tags = deepcopy(inner.target_tags)
        tags.classifier_tags = deepcopy(inner.classifier_tags)
        tags.regressor_tags = deepcopy(inner.regressor_tags)
        tags.input_tags = deepcopy(inner.input_tags)
        return tags

    def _table(self, X: Any, y: Any, persons: Any, known: Mapping[str, Any], noise: Noise, scoring: Scoring) -> SearchTable:
        own = (self.rows_per_person, self.person_weight)
        declared_rule(*own, told_apart=self.rows_per_person is not None)
        said = (known["rows_per_person"], known["person_weight"]) if self.rows_per_person is None else own
        told = isinstance(X, EncodedTable | BlockTable)
        units = self.estimator.units_for if "several numbers" in self.estimator.targets else None
        if self.estimator.makes_rows and said[0] is None and not told:
            said = (1, said[1])  # of such a model a row of X is a person, as its documentation says; a schema says it of its table
        if isinstance(X, BlockTable):
            self.n_features_in_ = X.features
            jobs = job_count(known.get("n_jobs") if self.n_jobs is None else self.n_jobs)
            rule = table_rule(X, persons, *said)
            self.estimator.require_one_row(rule, told=told)
            return streamed_table(
                X,
                y,
                classes=known.get("classes"),
                max_weight=known.get("max_sample_weight"),
                jobs=jobs,
                rule=rule,
                noise=noise,
                scoring=scoring,
                units=units,
            )
        rule, ids = held_rule(X, persons, *said)
        self.estimator.require_one_row(rule, told=told)

        def owners(rows: int) -> Owners:
            return owners_of(ids, rule=rule, rows=rows, noise=noise)

        held = held_table(
            X, y, classes=known.get("classes"), name=type(self).__name__, owners_of_rows=owners, ids=persons, scoring=scoring, units=units
        )
        if isinstance(X, EncodedTable):
            self.n_features_in_ = held.rows.shape[1]
        else:
            validate_data(self, X, reset=True, skip_check_array=True)
        return held

    def _chosen(self, X: Any) -> Any:
        check_is_fitted(self)
        if not isinstance(X, EncodedTable | BlockTable) and ("feature_names_in_" in vars(self) or getattr(X, "ndim", None) == 2):
            validate_data(self, X, reset=False, skip_check_array=True)
        return self.best_estimator_

    def _settings(self) -> list[dict[str, Any]]:
        if (self.param_grid is None) == (self.param_distributions is None):
            raise InvalidInput("a search needs either param_grid or param_distributions, not both.")
        if self.param_grid is not None:
            settings = quietly(
                lambda: list(ParameterGrid(self.param_grid)),
                InvalidInput("param_grid must be a dict of lists that are not empty, or a list of such dicts."),
            )
        else:
            if not isinstance(self.n_candidates, Integral) or self.n_candidates < 1:
                raise InvalidInput(f"n_candidates must be a positive integer; {self.n_candidates!r} was given.")
            asked = (self.param_distributions, int(self.n_candidates))
            refusal = InvalidInput("param_distributions must be a dict of lists or distributions, and public_seed an integer from 0 to 2^32 - 1.")
            settings = quietly(lambda: list(ParameterSampler(*asked, random_state=self.public_seed)), refusal)
        if not settings:
            raise InvalidInput("a search needs at least one setting; the grid is empty.")
        fixed = sorted({name for setting in settings for name in setting if name in SET_BY_THE_SEARCH})
        if fixed:
            raise InvalidInput(
                f"{', '.join(fixed)} cannot be searched over: the search sets the budget of its fits, and the estimator fixes the rest."
            )
        return settings

    def _known(self) -> dict[str, Any]:
        """The parameters of the estimator, after checking that it is one that the search can set."""
        if not isinstance(self.estimator, BaseEstimator):
            raise InvalidType(f"PrivateSearchCV needs an estimator of this library; a {type(self.estimator).__name__} was given.")
        known: dict[str, Any] = self.estimator.get_params(deep=False)
        missing = sorted({"epsilon", "delta", "neighbours", "random_state"} - known.keys())
        if missing:
            raise InvalidInput(
                f"PrivateSearchCV needs an estimator that is private by itself, such as LogisticRegression or LinearRegression; "
                f"{type(self.estimator).__name__} has no {', '.join(missing)}."
            )
        if not isinstance(self.estimator, PrivateModel):
            raise InvalidType(
                "PrivateSearchCV needs an estimator whose guarantee is known before the fit, such as LogisticRegression or LinearSVC; "
                f"a {type(self.estimator).__name__} was given."
            )
        if not marked_per_record(type(self.estimator)):
            raise InvalidType(
                "PrivateSearchCV needs predictions that depend on one record each, to the last bit. This is not known of "
                f"{type(self.estimator).__name__}; if it holds, mark its class with discreet.evaluation.answers_per_record."
            )
        if known["random_state"] is not None:
            raise InvalidInput("the estimator has a random_state, so every fit would draw the same noise; set it on the search instead.")
        return known

    def _law(self, candidates: int, delta: float) -> NegativeBinomialRuns:
        name = ("logarithmic" if delta == 0 else "geometric") if self.law is None else self.law
        if name not in LAWS:
            raise InvalidInput(f"law must be one of {sorted(LAWS)} or None; {self.law!r} was given.")
        mean = min(max(2.0 * candidates, 2.0), float(_MOST_RUNS)) if self.expected_runs is None else number(self.expected_runs, "expected_runs")
        return NegativeBinomialRuns.with_mean(mean, eta=LAWS[name])

    def _keep(self, found: Found, settings: Sequence[Mapping[str, Any]], *, declared_labels: bool) -> None:
        declared = [THE_SETTINGS, *found.certificate.declared]
        if declared_labels:
            declared = [line for line in declared if line != CLASSES] + [LABELS_THAT_OCCUR]
        self.certificate_ = replace(found.certificate, declared=tuple(dict.fromkeys(declared)))
        found.model.certificate_ = self.certificate_
        self.best_estimator_ = found.model
        self.best_index_ = found.index
        self.best_params_ = dict(settings[found.index])
        self.best_score_ = found.score
        self.candidates_ = [dict(setting) for setting in settings]
