"""Private logistic regression and linear support vector machines of two or more classes: a smooth loss, minimised under differential privacy.

Guarantee: (epsilon, delta) for one record, by objective perturbation (T1, T2; M1 to M3 for more than two classes) or output perturbation; proof
notes in discreet/mechanisms/learning. The hinge itself is for output perturbation, which needs no smoothness; the softplus hinge (default) approaches
it and asks for about 1.6 times less noise than the Huber hinge at the same budget.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from discreet.core.errors import InvalidInput
from discreet.estimators.models.linear_classifier import LinearClassifier
from discreet.estimators.prediction_rules import SCHEMES
from discreet.losses import Logistic, MarginLoss
from discreet.matrices import answers_per_record


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegression(LinearClassifier):
    """Logistic regression under differential privacy.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy, and the certificate says so.
    delta : probability that the loss is exceeded; 0 for pure differential privacy, else well below 1 / n.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    alpha : coefficient of |w|^2 / 2 in the mean objective. None chooses it from public numbers (docs/defaults.md).
    data_norm : bound on the Euclidean norm of a row of X; longer rows are scaled down to it, in fit and in predict. It is never learnt from the
        data, except with "private": the fit then chooses a power of two for a tenth of the budget, and alpha and intercept_scale refer to rows
        divided by it.
    classes : [negative, positive], or a longer list. None takes them from y, with a PrivacyWarning, because this reveals which labels occur.
    loss : None or "logistic": only the logistic loss has probabilities.
    mechanism : "objective" (less noise) or "output".
    calibration : "tight", or "published" for the noise of Chaudhuri et al. (2011).
    multi_class : with more than two classes, "multinomial" (None; one softmax for all, the least noise) or "one-vs-rest".
    fit_intercept : whether decisions have an intercept: a constant feature, regularised and counted in the norm of a row.
    intercept_scale : the size of that constant feature; None takes 0.3 data_norm.
    class_weight : public weights by class, a dict.
    prior : a public point towards which the ridge shrinks, instead of zero: a fitted linear classifier with the same classes, or (coef, intercept).
        It costs no privacy (docs/prior.md), but must not depend on the records. None: zero.
    max_sample_weight : weights in `sample_weight` are clipped to this; required if there are any. The noise grows with it. Choose it without looking
        at the records. The weights themselves may be private.
    public_records : under add-remove, a number of records that you declare public; `alpha` is multiplied by it.
    records_share : of two classes, under add-remove without `public_records`, alpha and prior, the part of mu^2 for a noisy number of records: few of
        them are fitted with more regularisation. By default .1 to 5 %, depending on the budget; 0 counts nothing.
    ledger : the Account(path, name) to charge, a small value that survives clone and can be sent to workers; None charges the ledger in use
        (`discreet.ledger.using`), if any.
    n_jobs : number of threads for one fit, as in scikit-learn: None is 1, -1 all processors. The result is the same for any number.
    device : None computes where the rows are. "cuda", "cuda:1" or "cpu" moves them there for a fit, in float64, with torch or CuPy; a table in
        blocks is moved one block at a time. Arrays of torch and CuPy stay where they are. Predictions are computed where X is.
    random_state : None draws noise from the operating system. With a seed, results are reproducible but not private, and the certificate is invalid.
    rows_per_person : the largest number of rows kept per person, drawn uniformly, if `fit` gets the ids `persons`: neighbouring tables then differ
        in all rows of one person, and n counts persons. 1 needs no ids: you declare that nobody has a second row. None: the unit of privacy is a row.
    person_weight : the weight of a kept row: "person" (one over the number of that person's kept rows, so each person counts once) or "row" (1 /
        rows_per_person, so rows count equally).

    Attributes
    ----------
    coef_ : weights of the features, (1, d); with K > 2 classes (K, d).
    intercept_ : (1,) or (K,), zero without intercept.
    weights_ : the released vector, (d,) or (d + 1,); the last entry times the constant feature is the intercept. With K > 2 classes, the K vectors
        one after the other, (K d,) or (K (d + 1),).
    classes_ : [negative, positive], or all classes, as declared.
    data_norm_ : the chosen norm, with data_norm="private"; weights_ refer to rows divided by it, coef_ to rows as they are.
    n_features_in_, feature_names_in_ : d, and the column names if X has them.
    certificate_ : what the release guarantees and why; `certificate_.verify(weights_)` checks it.

    There are no other attributes: nothing depends on the records except through the mechanism.

    Examples
    --------
    >>> from discreet import LogisticRegression
    >>> model = LogisticRegression(epsilon=1.0, data_norm=1.0, classes=[0, 1])
    >>> model.fit([[0.0, 0.9], [0.8, 0.1]] * 500, [0, 1] * 500).predict([[0.8, 0.0]])
    array([1])
    """

    saved_as = "logistic-regression"
    targets = ("two classes", "more classes")
    standard_for = ("more classes",)

    loss: Annotated[str | MarginLoss | None, "logistic, and no other."] = None

    _standard_loss: ClassVar[str] = "logistic"
    _standard_scheme: ClassVar[str] = "multinomial"
    _schemes: ClassVar[tuple[str, ...]] = SCHEMES

    def _loss(self) -> MarginLoss:
        loss = super()._loss()
        if not isinstance(loss, Logistic):
            given = self.loss if isinstance(self.loss, str) else loss.name
            raise InvalidInput(f"LogisticRegression minimises the logistic loss; {given!r} was given. Use LinearSVC(loss={given!r}).")
        return loss


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class LinearSVC(LinearClassifier):
    """Linear support vector machine under differential privacy.

    It is the default for two classes: give `epsilon` and `delta` (the budget), `data_norm` (a bound on the length of a row) and `classes` (the
    possible answers). All else has defaults that follow from public numbers.

    Parameters and attributes are those of LogisticRegression, except

    multi_class : None or "one-vs-rest", for more than two classes: one machine per class, against all others.
    loss : None takes the softplus hinge, for two classes at a temperature from 0.35 to 1 that depends on the noise (docs/defaults.md), for more at
        0.35. Others are "softplus-hinge" (temperature 0.25), "huber-hinge", "smoothed-hinge" (half-width 0.5), or a loss of discreet.losses with
        other constants. With mechanism="output" and two classes also "hinge": the hinge of support vector machines, except for a bend of 1e-4 at
        its kink.

    Examples
    --------
    >>> from discreet import LinearSVC
    >>> from discreet.losses import HuberHinge
    >>> LinearSVC(epsilon=0.5, loss=HuberHinge(half_width=0.1), classes=["no", "yes"])
    LinearSVC(classes=['no', 'yes'], epsilon=0.5, loss=HuberHinge(half_width=0.1))
    """

    saved_as = "linear-svc"
    targets = ("two classes", "more classes")
    standard_for = ("two classes",)
