"""Kinds of model files: where the estimator of each is, and what the certificates of its models state.

An estimator says so in its class, and is found by it once its module is imported; what has a line here is read, shown and checked without that,
and without all that one needs to fit.
"""

from collections import ChainMap
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from discreet.core.lazily import each_module, registered
from discreet.estimators.forms import BoundedForm, Form, KernelForm, LinearForm, MadeForm

if TYPE_CHECKING:
    from discreet.estimators.base import PrivateModel


class Saved(NamedTuple):
    """What model files need to know of one kind of model."""

    module: str
    """Where its estimator is, in this package."""
    form: type[Form] = LinearForm
    set_name: str | None = None
    """The set that the weights lie in; "" for any, None for all vectors."""
    loss_names: tuple[str, ...] = ()
    """The loss for two classes, and for more of them at once; () for any."""


KINDS: dict[str, Saved] = {
    "logistic-regression": Saved("margin_classifiers", loss_names=("logistic", "multinomial-logistic")),
    "linear-svc": Saved("margin_classifiers"),
    "linear-regression": Saved("linear_regression", BoundedForm),
    "kernel-classifier": Saved("kernel_classifier", KernelForm),
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
"""In the order in which they are asked what they are taken for: what many want, and what imports little, first."""
OWN: dict[str, Saved] = {}
"""Of estimators that say it in their classes."""
SAVED = ChainMap(KINDS, OWN)
"""What is known without another import."""
_PACKAGE = "discreet.estimators"


def saved_as(kind: str) -> Saved | None:
    """What is known of a kind; None where no estimator has it."""
    return registered(SAVED, kind, _PACKAGE)


def every_kind() -> tuple[str, ...]:
    """Those with a line here first."""
    for _ in each_module(_PACKAGE):
        pass
    return (*KINDS, *OWN)


class Models(MutableMapping[str, "type[PrivateModel]"]):
    """Those of this package are imported when they are asked for."""

    def __init__(self) -> None:
        self._made: dict[str, type[PrivateModel]] = {}

    def __getitem__(self, kind: str) -> "type[PrivateModel]":
        """See MutableMapping."""
        if kind not in self._made and kind in KINDS:
            import_module(f"{_PACKAGE}.{KINDS[kind].module}")
        return self._made[kind]

    def __setitem__(self, kind: str, made: "type[PrivateModel]") -> None:
        """See MutableMapping."""
        self._made[kind] = made

    def __delitem__(self, kind: str) -> None:
        """See MutableMapping."""
        del self._made[kind]

    def __iter__(self) -> Iterator[str]:
        """See MutableMapping."""
        yield from KINDS
        every_kind()
        yield from [kind for kind in self._made if kind not in KINDS]

    def __len__(self) -> int:
        """See MutableMapping."""
        return sum(1 for _ in self)


MODELS = Models()
"""Estimators by the kind that their model files state."""
