"""Losses of predictions by the names used in files."""

from collections.abc import Mapping

import discreet.losses.predictions as catalogue
from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly
from discreet.losses.named import loss_named
from discreet.losses.predictions.base import PredictionLoss
from discreet.losses.predictions.of_margin import OfMargin


def prediction_loss_named(name: str, parameters: Mapping[str, object] | None = None) -> PredictionLoss:
    """The loss called `name` with these `parameters`; the names of losses of the margin give `OfMargin` of them. Raises InvalidInput otherwise."""
    classes = _classes()
    if name in classes:
        refusal = InvalidInput(f"loss {name!r} takes other parameters than {sorted(parameters or {})}.")
        return quietly(lambda: classes[name](**(parameters or {})), refusal, TypeError)
    try:
        return OfMargin(loss=loss_named(name, {key: float(str(value)) for key, value in (parameters or {}).items()}))
    except InvalidInput as error:
        refusal = InvalidInput(f"{error} Losses of predictions: {sorted(classes)}.")
    except ValueError:
        refusal = InvalidInput(f"the parameters of loss {name!r} must be numbers.")
    raise refusal


def _classes() -> dict[str, type[PredictionLoss]]:
    exported = (getattr(catalogue, name) for name in catalogue.__all__)
    kinds = [kind for kind in exported if isinstance(kind, type) and kind not in (PredictionLoss, OfMargin)]
    return {kind().name: kind for kind in kinds}
