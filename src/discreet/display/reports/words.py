"""Short descriptions that several reports share."""

from collections.abc import Mapping
from shlex import quote

from discreet.data import NumberTarget
from discreet.data.labels import canonical
from discreet.estimators import Model


def described(model: Model) -> str:
    """A model in one line."""
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    return f"{model.kind.replace('-', ' ')} on {model.schema.features:,} features{intercept}, which answers {target_words(model)}"


def target_words(model: Model) -> str:
    """The target's column and what its values are."""
    target = model.schema.target
    values = f"numbers from {target.lower:g} to {target.upper:g}" if isinstance(target, NumberTarget) else ", ".join(map(canonical, target.classes))
    return f"{target.column}: {values}"


def setting_words(setting: Mapping[str, object]) -> str:
    """Names and values of one setting of a search."""
    return ", ".join(f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in setting.items()) or "nothing"


def shell(name: str) -> str:
    """A file's name as it is typed."""
    return quote(name)
