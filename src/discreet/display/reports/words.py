"""Short descriptions that several reports share."""

from collections.abc import Mapping
from shlex import quote

from discreet.data.labels import canonical
from discreet.estimators import Model


def described(model: Model) -> str:
    """A model in one line."""
    names = [canonical(label) for label in model.schema.target.classes]
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    target = f"{model.schema.target.column}: {', '.join(names)}"
    return f"{model.kind.replace('-', ' ')} on {model.schema.features:,} features{intercept}, which answers {target}"


def setting_words(setting: Mapping[str, object]) -> str:
    """Names and values of one setting of a search."""
    return ", ".join(f"{name} {value:.6g}" if isinstance(value, float) else f"{name} {value}" for name, value in setting.items()) or "nothing"


def shell(name: str) -> str:
    """A file's name as it is typed."""
    return quote(name)
