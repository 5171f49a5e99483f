"""Losses by the names used in files and on the command line."""

from collections.abc import Mapping

import discreet.losses as catalogue
from discreet.core.errors import InvalidInput
from discreet.core.named import made_by_name
from discreet.losses.base import MarginLoss


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
    exported = (getattr(catalogue, exported) for exported in catalogue.__all__)
    return made_by_name((kind for kind in exported if isinstance(kind, type) and kind is not MarginLoss), "loss", name, parameters)
