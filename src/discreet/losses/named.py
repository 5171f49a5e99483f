"""Losses by the names used in files and on the command line."""

from collections.abc import Mapping

import discreet.losses as catalogue
from discreet.core.errors import InvalidInput
from discreet.core.quiet import quietly
from discreet.losses.base import MarginLoss


def _classes() -> dict[str, type[MarginLoss]]:
    exported = (getattr(catalogue, name) for name in catalogue.__all__)
    return {kind().name: kind for kind in exported if isinstance(kind, type) and kind is not MarginLoss}


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
    classes = _classes()
    if name not in classes:
        raise InvalidInput(f"loss must be one of {sorted(classes)}; {name!r} was given.")
    refusal = InvalidInput(f"loss {name!r} takes other parameters than {sorted(parameters or {})}.")
    return quietly(lambda: classes[name](**(parameters or {})), refusal, TypeError)
