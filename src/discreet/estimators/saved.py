"""Kinds of model files: where the estimator of each is, and what the certificates of its models state.

A file is read, shown and checked by this alone, without its estimator and all that one needs to fit. An estimator of this package has a line here;
one of somebody else's says the same in its class.
"""

from typing import NamedTuple

from discreet.estimators.forms import BoundedForm, Form, KernelForm, LinearForm, MadeForm


class Saved(NamedTuple):
    """Of one kind."""

    module: str
    """Where its estimator is, in this package."""
    form: type[Form] = LinearForm
    set_name: str | None = None
    """The set that the weights lie in; "" for any, None for all vectors."""
    loss_names: tuple[str, ...] = ()
    """The loss for two classes, and for more of them at once; () for any."""


KINDS: dict[str, Saved] = {
    "kernel-classifier": Saved("kernel_classifier", KernelForm),
    "linear-regression": Saved("linear_regression", BoundedForm),
    "logistic-regression": Saved("margin_classifiers", loss_names=("logistic", "multinomial-logistic")),
    "linear-svc": Saved("margin_classifiers"),
    "constrained-erm": Saved("over_sets", BoundedForm, ""),
    "group-lasso": Saved("over_sets", BoundedForm, "group-l2-ball"),
    "simplex-regression": Saved("over_sets", BoundedForm, "simplex"),
    "matrix-regression": Saved("over_sets", BoundedForm, "nuclear-ball"),
    "lasso": Saved("sparse", BoundedForm, "l1-ball"),
    "lasso-classifier": Saved("sparse", BoundedForm, "", ("logistic",)),
    "huber-regression": Saved("prediction_models", BoundedForm, loss_names=("huber",)),
    "expectile-regression": Saved("prediction_models", BoundedForm, loss_names=("expectile",)),
    "quantile-regression": Saved("prediction_models", BoundedForm),
    "poisson-regression": Saved("prediction_models", BoundedForm, loss_names=("poisson",)),
    "survival-model": Saved("person_rows", MadeForm, loss_names=("logistic",)),
    "ordinal-regression": Saved("person_rows", MadeForm, loss_names=("logistic",)),
    "gamma-regression": Saved("prediction_models", BoundedForm, loss_names=("gamma",)),
}
OWN: dict[str, Saved] = {}
"""Of estimators that are not in this package."""
