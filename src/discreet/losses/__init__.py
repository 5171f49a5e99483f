"""Losses of the margin. Adding one is one file here and one line below; the property tests find it by itself."""

from collections.abc import Mapping

from discreet.core.errors import InvalidInput
from discreet.core.fields import exported, made_by_name
from discreet.losses.base import MarginLoss
from discreet.losses.hinges import HuberHinge, SmoothedHinge, SoftplusHinge
from discreet.losses.logistic import Logistic

__all__ = ["HuberHinge", "Logistic", "MarginLoss", "SmoothedHinge", "SoftplusHinge", "loss_named"]


def loss_named(name: str, parameters: Mapping[str, float] | None = None) -> MarginLoss:
    """The loss called `name`, built with `parameters` (its constructor's keywords).

    Raises InvalidInput for an unknown name, and for the hinge itself, whose slope jumps: its minimiser has no density
    that objective perturbation could bound.
    """
    if name == "hinge":
        raise InvalidInput(
            "the hinge loss has a kink, so objective perturbation has no privacy proof for it (its second derivative is unbounded); "
            "use loss='softplus-hinge', which approaches the hinge as temperature -> 0."
        )
    return made_by_name(exported(globals(), MarginLoss), "loss", name, parameters)
