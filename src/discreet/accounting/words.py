"""Guarantees in a line, from what files and certificates state of them."""

from collections.abc import Mapping

from discreet.core.fields import Json


def guarantee_words(stated: Mapping[str, Json]) -> str:
    """Epsilon, delta and relation, of `Guarantee.to_dict`."""
    privacy = ", ".join(f"{name} {value:.6g}" for name in ("epsilon", "delta") if isinstance(value := stated.get(name), float))
    return f"{privacy or 'none'}, {stated['neighbours']}"
