"""Losses of the margin. Adding one is one file here and one line below; the property tests find it by itself."""

from collections.abc import Mapping

from discreet.core.errors import InvalidInput
from discreet.core.fields import enrol, exported, made_by_name
from discreet.losses.base import MarginLoss
from discreet.losses.hinges import HuberHinge, SmoothedHinge, SoftplusHinge
from discreet.losses.logistic import Logistic
from discreet.losses.own import check_margin_loss

__all__ = ["HuberHinge", "Logistic", "MarginLoss", "SmoothedHinge", "SoftplusHinge", "loss_named", "register"]


def loss_named(name: str, parameters: Mapping[str, float] | None = None) -> MarginLoss:
    """The loss called `name`, built with `parameters` (its constructor's keywords).

    Raises InvalidInput for an unknown name, and for the hinge itself, whose slope jumps: its minimiser has no density
    that objective perturbation could bound.
    """
    if name == "hinge":
        raise InvalidInput(
            "the hinge loss has a kink, so there is no privacy proof for it under objective perturbation. Use mechanism='output', or "
            "loss='softplus-hinge', which approaches the hinge as temperature -> 0."
        )
    return made_by_name(exported(globals(), MarginLoss), "loss", name, parameters)


def register(example: MarginLoss) -> None:
    """Make a loss of your own known to fits and certificates: its class, under its name. See module `own`.

    Raises InvalidInput for a name that is taken, and for a loss that is not what it states.
    """
    if not isinstance(example, MarginLoss):
        raise InvalidInput("register needs an instance of a class derived from MarginLoss; for other losses use losses.predictions.register.")
    enrol(example, check_margin_loss, taken=exported(globals(), MarginLoss))
