"""`--version`: what a bug report needs, read from the installed packages' metadata without importing them."""

import platform
from importlib.metadata import PackageNotFoundError, version

import click

from discreet.core.version import VERSION

PACKAGES = ("numpy", "scipy", "scikit-learn", "polars", "randomgen")
"""Those that compute."""


def versions() -> dict[str, str]:
    """Name -> version, discreet first."""
    return {"discreet": VERSION, "Python": platform.python_version()} | {name: _installed(name) for name in PACKAGES}


def print_versions(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - click's callback
    """Callback of the option."""
    if asked and not context.resilient_parsing:
        click.echo("\n".join(f"{name} {number}" for name, number in versions().items()))
        context.exit()


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
