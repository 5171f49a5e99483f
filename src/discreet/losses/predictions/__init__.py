"""Convex losses of a prediction and a target. Adding one is one file here and one line below; the property tests find it by itself."""

from collections.abc import Mapping

from discreet.core.errors import InvalidInput
from discreet.core.fields import enrol, exported, made_by_name
from discreet.losses import loss_named
from discreet.losses.predictions.base import PredictionLoss
from discreet.losses.predictions.log_link import Gamma, Poisson
from discreet.losses.predictions.margin import Hinge, OfMargin
from discreet.losses.predictions.own import check_prediction_loss
from discreet.losses.predictions.quantile import Expectile, Pinball, SmoothPinball
from discreet.losses.predictions.residual import Absolute, HuberLoss, LogCosh, Squared

__all__ = [
    "Absolute",
    "Expectile",
    "Gamma",
    "Hinge",
    "HuberLoss",
    "LogCosh",
    "OfMargin",
    "Pinball",
    "Poisson",
    "PredictionLoss",
    "SmoothPinball",
    "Squared",
    "prediction_loss_named",
    "register",
]


def prediction_loss_named(name: str, parameters: Mapping[str, object] | None = None) -> PredictionLoss:
    """The loss called `name` with these `parameters`; the names of losses of the margin give `OfMargin` of them. Raises InvalidInput otherwise."""
    kinds = {kind.name: kind for kind in exported(globals(), PredictionLoss) if kind is not OfMargin}
    if name in kinds:
        return made_by_name(kinds.values(), "loss", name, parameters)
    try:
        return OfMargin(loss=loss_named(name, {key: float(str(value)) for key, value in (parameters or {}).items()}))
    except InvalidInput as error:
        refusal = InvalidInput(f"{error} Losses of predictions: {sorted(kinds)}.")
    except ValueError:
        refusal = InvalidInput(f"the parameters of loss {name!r} must be numbers.")
    raise refusal


def register(example: PredictionLoss) -> None:
    """Make a loss of your own known to fits and certificates: its class, under its name. See module `own`.

    Raises InvalidInput for a name that is taken, and for a loss that is not what it states.
    """
    if not isinstance(example, PredictionLoss):
        raise InvalidInput("register needs an instance of a class derived from PredictionLoss; for other losses use discreet.losses.register.")
    enrol(example, check_prediction_loss, taken=(kind for kind in exported(globals(), PredictionLoss) if kind is not OfMargin))
