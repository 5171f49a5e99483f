"""A released model as a plain estimator of scikit-learn, whose coefficients are what was released: for pipelines and tools that know only those.

    linear-regression, lasso, ... over numbers     LinearRegression       f(x) in the unit of the target
    the logistic loss, two classes or softmax      LogisticRegression     the same classes and probabilities
    other classifiers                              LinearSVC              the same classes and decisions

Its rows are those that the schema encodes. For rows within the declared bounds, as encoded rows are, answers are the same but for rounding. Not
carried over: the encoding, the bounds to which longer rows are shortened and larger entries clipped, probabilities of hinges, and the certificate,
which stays with the model file.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.data import NumberTargets, Schema, Target
from discreet.data.domain import split_weights
from discreet.estimators.prediction_rules import KernelForm
from discreet.losses.softmax import Softmax

if TYPE_CHECKING:
    from discreet.estimators.files.model import Model


def plain_estimator(model: "Model") -> Any:  # one of scikit-learn, which has no types
    """See the module docstring. Raises InvalidInput for a kernel, whose features are random, and for a link that scikit-learn's do not have."""
    form, target = model.form, model.schema.target
    if model.made is not None:
        raise InvalidInput(f"a {model.kind} answers several yes-or-no questions per record; scikit-learn has no such estimator.")
    if isinstance(form, KernelForm):
        raise InvalidInput(f"a {model.kind} is linear in random features, not in columns; scikit-learn has no such estimator. Use the model itself.")
    if model.linked:
        raise InvalidInput(f"a {model.kind} predicts through the link of its loss, which a linear regression lacks. Use the model itself.")
    coef, intercept = columns_of(model)
    if not isinstance(target, Target):
        lower, upper = model.span or (-1.0, 1.0)
        half = 0.5 * np.atleast_1d(np.subtract(upper, lower))
        many = (coef * half[:, np.newaxis], lower + half * (intercept + 1.0))
        made = _holding(LinearRegression(), *(many if isinstance(target, NumberTargets) else (many[0][0], float(many[1][0]))))
    else:
        problem = model.certificate.problem
        soft = (
            problem.get("loss") in ("logistic", Softmax.name)
            if len(target.classes) == 2 or "scheme" not in problem
            else problem["scheme"] == "multinomial"
        )
        made = _holding(LogisticRegression() if soft else LinearSVC(), coef, intercept)
        alike = len({type(label) for label in target.classes}) == 1
        made.classes_ = np.array(target.classes, dtype=None if alike else object)
    return made


def columns_of(model: "Model") -> tuple[Floats, Floats]:
    """Coefficients (1, d) or (K, d), and intercepts (1,) or (K,), of the rows that the schema encodes (before a metric) and K targets in [-1, 1]."""
    several = len(model.schema.target.parts) if isinstance(model.schema.target, NumberTargets) else 1
    if several > 1:
        table = model.weights.reshape(several, -1)
        features = model.schema.features
        return _of_columns(model, table[:, :features]), model.intercept_scale * table[:, features:].sum(axis=1)
    classes = max(2, len(model.classes))
    coef, intercept = split_weights(
        model.weights[:, np.newaxis], features=model.schema.features, intercept_scale=model.intercept_scale, classes=classes
    )
    coef, intercept = (coef, intercept) if classes == 2 else (coef[0], intercept[0])
    return _of_columns(model, coef), intercept


def prior_in(model: "Model", schema: Schema) -> tuple[Floats, Floats]:
    """The model as a `prior` of fits on tables of this schema, which may have a metric of its own."""
    coef, intercept = columns_of(model)
    return (coef if schema.metric is None else schema.metric.moved(coef)), intercept + model.intercept_level


def _of_columns(model: "Model", coef: Floats) -> Floats:
    """Those of rows before a metric."""
    return coef if model.schema.metric is None else model.schema.metric.coefficients(coef)


def _holding(made: Any, coef: Floats, intercept: Any) -> Any:
    """As if it had been fitted."""
    made.coef_, made.intercept_, made.n_features_in_ = coef, intercept, coef.shape[-1]
    return made
