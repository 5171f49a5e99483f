"""Private logistic regression and linear support vector machines of two or more classes: a smooth loss, minimised under differential privacy.

Guarantee: (epsilon, delta) for one record, by objective perturbation (T1, T2; M1 to M3 for more than two classes) or output perturbation; proof
notes in discreet/mechanisms/learning. The hinge itself is for output perturbation, which needs no smoothness; the softplus hinge (default) approaches
it and asks for about 1.6 times less noise than the Huber hinge at the same budget.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from discreet.core.errors import InvalidInput
from discreet.estimators.forms import SCHEMES
from discreet.estimators.linear_classifier import LinearClassifier
from discreet.losses import Logistic, MarginLoss
from discreet.matrices import answers_per_record


@answers_per_record
@dataclass(kw_only=True, eq=False, repr=False)
class LogisticRegression(LinearClassifier):
    """Logistic regression under differential privacy.

    Parameters
    ----------
    epsilon : privacy loss, > 0; `inf` is the ordinary fit without privacy, and its certificate says so.
    delta : probability that the loss is exceeded; 0 for pure differential privacy, else well below 1 / n.
    neighbours : "replace-one" (the number of records is public) or "add-remove" (it is not).
    alpha : coefficient of |w|^2 / 2 in the mean objective. None takes the smallest value at which the privacy theorem has no slack,
        from public numbers.
    data_norm : bound on the Euclidean norm of a row of X; longer rows are shortened to it, in fit and in predict. Never learnt from the data, but for
        "private": a power of two is chosen in the fit, for a tenth of the budget; alpha and intercept_scale are then those of rows divided by it.
    classes : [negative, positive], or a longer list. None takes them from y, with a PrivacyWarning: nothing then hides which labels occur.
    loss : None or "logistic": only the logistic loss has probabilities.
    mechanism : "objective" (less noise) or "output".
    calibration : "tight", or "published" for Chaudhuri et al. (2011) as printed.
    multi_class : with more than two classes, "multinomial" (None; one softmax for all, least noise) or "one-vs-rest".
    fit_intercept, intercept_scale : an intercept is a constant feature of this size, regularised and counted in the norm of a row; None
        takes 0.3 data_norm.
    class_weight : public weights by class, a dict.
    prior : a public point that the ridge pulls towards, in place of zero: a fitted linear classifier of the same classes, or (coef, intercept); no
        privacy is spent on it (docs/prior.md). It must not depend on the records. None: zero.
    max_sample_weight : what larger weights in `sample_weight` are cut to, required where there are any; the noise grows with it. Choose it without
        the records. The weights themselves may be private.
    public_records : under add-remove, a number of records that you declare public, which `alpha` then multiplies.
    ledger : an Account(path, name) to spend on, a small value that survives clone and travels to workers; None spends on the ledger in use
        (`discreet.ledger.using`), if any.
    n_jobs : threads that work on one fit, as in scikit-learn: None is 1, -1 all processors. Results are the same for any number.
    device : None computes where the rows are. "cuda", "cuda:1" or "cpu" moves them there for a fit, in float64, by torch or CuPy; of a table that is
        read in blocks, one block at a time. Arrays of torch and CuPy stay where they are. Predictions are computed where X is.
    random_state : None draws noise from the operating system. A seed makes results reproducible and the certificate invalid.
    rows_per_person : the most rows of one person that are kept, drawn uniformly, where `fit` gets the ids `persons`: neighbours then differ in all
        rows of a person, and n counts persons. 1 needs no ids: nobody has a second row, as you say. None: the unit of privacy is a row.
    person_weight : of a kept row: "person" (one over the number of its person's: each person counts once) or "row" (1 / rows_per_person: rows count
        alike).

    Attributes
    ----------
    coef_ : weights of the features, (1, d); with K > 2 classes (K, d).
    intercept_ : (1,) or (K,), zero without intercept.
    weights_ : the released vector, (d,) or (d + 1,); the last entry times the constant feature is the intercept. With K > 2 classes the K vectors
        one after the other, (K d,) or (K (d + 1),).
    classes_ : [negative, positive], or all classes, as declared.
    data_norm_ : the norm that was chosen, with data_norm="private"; weights_ are those of rows divided by it, coef_ of rows as they are.
    n_features_in_, feature_names_in_ : d, and the names of the columns where X has them.
    certificate_ : what the release promises and why; `certificate_.verify(weights_)` checks it.

    No other attribute is kept: none is a function of the records except through the mechanism.

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

    Parameters and attributes are those of LogisticRegression, except

    multi_class : None or "one-vs-rest", for more than two classes: one machine for each class against the others.
    loss : None: the softplus hinge, of two classes at a temperature from 0.35 to 1 that follows the noise (docs/defaults.md), of more at 0.35; or
    "softplus-hinge" (temperature 0.25), "huber-hinge", "smoothed-hinge" (half-width 0.5), or one of the losses of discreet.losses with other
    constants. "hinge", with mechanism="output" and two classes: the hinge of support vector machines, but for a bend of 1e-4 at its kink.

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
