"""A classifier whose probabilities are not worse than the base rate's, in one go, under one guarantee and with one entry in a ledger.

    (epsilon, delta) -> a fit, and noisy counts of classes by its score -> weights times a, and c more in every decision,    0 <= a <= 1

The total is reserved, then the fit is drawn, then the counts at its weights (proof note mechanisms/scores/scores.md). What fails afterwards has been
paid for. What the counts say of the score is `mechanisms/scores/shrink.py`, and `many.py` of more than two classes, each of which has a c of its own;
weights that were shrunk are weights, so everything that knows a model knows this one: files, curves, predictions. Decisions change their sign, or
their order, only where c does so.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logit

from discreet.accounting import Json
from discreet.certificates import Certificate, digest_of
from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.fields import finite
from discreet.core.frameless import frameless
from discreet.core.neighbours import Persons, Privacy
from discreet.core.short import short_repr
from discreet.core.validate import job_count
from discreet.data import BlockTable, Domain, EncodedTable, class_codes
from discreet.estimators.door.fit_input import FitInput
from discreet.estimators.door.private_estimator import account_of
from discreet.estimators.inputs import is_private
from discreet.estimators.models.kernel_classifier import KernelClassifier
from discreet.estimators.models.linear_classifier import LinearClassifier
from discreet.estimators.prediction_rules import log_chances, log_odds
from discreet.estimators.two_part.two_part_fit import FitWithQuery
from discreet.ledger import spending_on, without_ledger
from discreet.matrices import Matrix
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.cuts.columns import sums_of, whose_rows
from discreet.mechanisms.scores import Fitted, ScoresPlan, Shrinkage, places_of, places_of_told, shrunk, shrunk_classes, standard_share
from discreet.mechanisms.scores.shrink import decisions_at
from discreet.mechanisms.selection import ThenFit
from discreet.mechanisms.selection.then_fit import Planned
from discreet.noise import Integers
from discreet.statements.base import SCORES_WITH_FIT


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedFit:
    """The result; public."""

    model: Any
    """Fitted and shrunk; its certificate states what fit and counts promise together."""
    shrinkage: Shrinkage
    """(slope, shift): every decision of the fit times `slope`, and `shift` more, of K > 2 classes one for each. Near (1, 0) where the score is worth
    what it says."""

    __repr__ = short_repr


def require_calibrated(estimator: object) -> None:
    """Raise InvalidType or InvalidInput for an estimator whose probabilities cannot be calibrated, whatever the records are."""
    if not isinstance(estimator, LinearClassifier) or isinstance(estimator, KernelClassifier):
        raise InvalidType(f"calibrated probabilities need a LogisticRegression or a LinearSVC; {type(estimator).__name__} was given.")
    if not estimator._loss().linked:  # noqa: SLF001 - of this package
        raise InvalidInput("calibrated probabilities need a loss that has probabilities: the softplus hinge (default) or the logistic loss.")
    if not is_finite(estimator._privacy().epsilon):  # noqa: SLF001
        raise InvalidInput("calibrated probabilities need a finite epsilon; without privacy, calibrate on held-out records.")
    if not estimator.fit_intercept or is_private(estimator.data_norm):
        raise InvalidInput('calibrated probabilities need an intercept (fit_intercept=True) and a declared data_norm (not "private").')
    if estimator.class_weight is not None:
        raise InvalidInput("calibrated probabilities follow how often the classes occur, which class_weight changes. Leave class_weight out.")


def require_calibrated_table(estimator: object, X: Any) -> None:
    """As `require_calibrated`, of a table."""
    require_calibrated(estimator)
    if isinstance(X, BlockTable) and getattr(estimator, "max_sample_weight", None) is not None:
        raise InvalidInput("calibrated probabilities count every record once, whatever it weighs. Leave max_sample_weight out.")


@frameless
def fit_with_calibration(estimator: LinearClassifier, X: Any, y: Any = None, *, share: float | None = None, persons: Any = None) -> CalibratedFit:
    """Fit a copy of `estimator` and shrink its decisions towards the base rate as far as private counts suggest; its epsilon and delta cover both.

    `estimator` is a LogisticRegression or LinearSVC with declared classes; X, y and persons are as for its `fit`; `share` is the part of mu^2 (of
    epsilon if delta = 0) for the counts, by default 2 to 20 % (of three classes or more to 40 %). Raises InvalidType for another estimator,
    InvalidInput and InfeasibleTarget before anything is spent, BudgetExceeded before noise is drawn, and what a fit raises, after spending.
    """
    require_calibrated(estimator)
    if estimator.classes is None and not isinstance(X, EncodedTable):
        raise InvalidInput("calibrated probabilities need declared classes: classes=[negative, positive], or a longer list.")
    require_calibrated_table(estimator, X)
    classes = len(X.classes if isinstance(X, EncodedTable) else estimator.classes or ())
    beside = FitWithQuery.of(estimator, X, y, None, persons, classes=estimator.classes)
    both = settled(estimator._privacy(), beside.rule, beside.planned, classes=classes, share=share)  # noqa: SLF001
    with (
        spending_on(account_of(estimator.ledger), both.guarantee, purpose=SCORES_WITH_FIT, table=_content(beside, classes)) as reservation,
        without_ledger(),
    ):
        model = beside.fitted(both)
        found = _measured(model, beside, both.choice)
    fit: Certificate = model.certificate_
    constant, functions = finite(fit.problem["intercept_scale"]), len(model.coef_)
    each = found.slope * model.weights_.reshape(functions, -1)
    each[:, -1] += np.array(found.shift) / constant
    weights = each.ravel()
    model.weights_, model.coef_, model.intercept_ = weights, each[:, :-1].copy(), constant * each[:, -1]
    more: dict[str, Json] = {"slope": found.slope, "shift": list(found.shift) if isinstance(found.shift, tuple) else found.shift}
    model.certificate_ = beside.issued(both, fit, digest_of(weights), entry=None if reservation is None else reservation.id, more=more)
    return CalibratedFit(model=model, shrinkage=found)


def settled(privacy: Privacy, rule: Persons | None, planned: Planned, *, classes: int, share: float | None = None) -> ThenFit[ScoresPlan]:
    """What fit and counts may spend, from public numbers; `planned` a fit. Raises InvalidInput and InfeasibleTarget."""
    plan = partial(ScoresPlan.calibrate, neighbours=privacy.neighbours, persons=rule, classes=classes)
    part = standard_share(privacy.epsilon, privacy.delta, classes=classes) if share is None else share
    return ThenFit.calibrate(SCORES_WITH_FIT, plan, epsilon=privacy.epsilon, delta=privacy.delta, share=part, planned=planned)


@dataclass(frozen=True, slots=True)
class _Score:
    """How a fitted model tells classes: public."""

    model: LinearClassifier

    @property
    def multinomial(self) -> bool:
        """Whether it is one model of all its classes, of which there are more than two."""
        return len(self.model.classes_) > 2 and self.model._scheme() == "multinomial"  # noqa: SLF001 - of this package

    def odds(self, decisions: Floats) -> Floats:
        """The link of the loss: log odds of one class against the other, or the rest."""
        return log_odds(self.model._fitted_loss(), decisions)  # noqa: SLF001

    @property
    def fitted(self) -> Fitted:
        """What its certificate says of how it was fitted."""
        problem, parameters = self.model.certificate_.problem, self.model.certificate_.parameters
        ridge = finite(problem["ridge"]) + finite(parameters.get("extra_ridge", 0.0))
        longest = float(np.hypot(finite(problem["data_norm"]), finite(problem["intercept_scale"])))
        return Fitted(dimension=len(self.model.weights_), longest=longest, ridge=ridge)

    def telling(self, shares: Floats) -> Floats:
        """Decisions (K,) that tell these probabilities (K,)."""
        return np.log(shares) if self.multinomial else decisions_at(logit(shares), self.odds)

    def places(self, decisions: Floats, codes: npt.NDArray[np.intp]) -> Integers:
        """What is counted of each record, (n,), from its own decisions and class."""
        if len(self.model.classes_) == 2:
            return places_of(decisions, codes, self.odds)
        return places_of_told(log_chances(self.model._fitted_loss(), decisions, multinomial=self.multinomial), codes)  # noqa: SLF001

    def shrinkage(self, counts: Floats, deviation: float) -> Shrinkage:
        """What noisy counts, in records, say."""
        if len(self.model.classes_) == 2:
            return shrunk(counts, deviation=deviation, odds=self.odds, fit=self.fitted)
        return shrunk_classes(counts, deviation=deviation, telling=self.telling)


def _measured(model: LinearClassifier, beside: FitWithQuery, plan: ScoresPlan) -> Shrinkage:
    """Draw the counts at the weights that were released, the rows of persons anew, and read them."""
    score = _Score(model)
    if isinstance(beside.X, BlockTable):
        answers = [_counted(model, beside, plan)]
    else:
        again = model.held_records(beside.X, beside.y, None, beside.persons, beside.noise, classes=model.classes_, reset=False)
        answers = plan.problem.answers(*again.owners.kept([score.places(model.decision_function(beside.X), again.targets.values)]))
    counts = plan.mechanism.run(plan.problem, Numbers(answers), beside.noise).value / plan.problem.parts
    return score.shrinkage(counts, plan.deviation)


def _counted(model: LinearClassifier, beside: FitWithQuery, plan: ScoresPlan) -> Integers:
    """The exact counts over the blocks of a table; private."""
    decide, score, (query,) = model._decision(), _Score(model), plan.problem.each  # noqa: SLF001 - of this package
    known: dict[str, Any] = {"rows_per_person": model.rows_per_person, "person_weight": model.person_weight, "jobs": job_count(model.n_jobs)}

    def of_rows(rows: Matrix, targets: Any, shares: Integers | None) -> Integers:
        return query.answer(score.places(decide(rows), class_codes(targets, model.classes_).astype(np.intp)), shares)

    return sums_of(whose_rows(beside.X, beside.noise, **known), of_rows, query.size, jobs=known["jobs"])


def _content(beside: FitWithQuery, classes: int) -> Iterator[bytes]:
    """Of the whole table, as a fit on it tells a ledger. Private."""
    given = beside.given
    if isinstance(given, FitInput):
        shape = given.shape
        yield from given.data_of(Domain(features=shape.features, norm_bound=1.0, classes=classes, persons=shape.persons)).content()
    else:
        yield from given.content()
