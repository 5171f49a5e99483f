"""Writing what a budget was spent on: where the file cannot be written, whatever the reason, its content goes to standard output."""

import sys
from collections.abc import Mapping
from typing import Protocol

import click

from discreet.cli.output import as_text, interruption, refuse
from discreet.core.errors import DiscreetError


class Released(Protocol):
    """A model, an evaluation, intervals."""

    def save(self, path: str, *, overwrite: bool = False) -> None:
        """Write it, whole or not at all."""

    def to_dict(self) -> Mapping[str, object]:
        """Its document."""

    def to_json(self) -> str:
        """The same as text."""


def save_or_show(released: Released, name: str, out: str, *, overwrite: bool, as_json: bool) -> int:
    """0 where it was saved; else it is on standard output, and the exit code says why. `name` is what it is called, such as "model"."""
    try:
        released.save(out, overwrite=overwrite)
    except DiscreetError as error:
        kind, reason, code = type(error).__name__, str(error), error.exit_code
    except KeyboardInterrupt as interrupt:
        happened, code = interruption(interrupt)
        kind, reason = "Interrupted", f"{happened} while saving."
    except Exception as error:  # noqa: BLE001 - whatever it is, the budget is spent and what it bought must not be lost
        kind, reason, code = "Unexpected", f"the {name} was not saved ({type(error).__name__}).", 1
    else:
        return 0
    message = f"{reason} The budget is spent; the {name} follows on standard output: save it from there."
    if as_json:
        click.echo(as_text({"error": {"kind": kind, "message": message}, name: released.to_dict()}))
        return code
    refuse(kind, message, as_json=False, code=code)
    click.echo(released.to_json().rstrip("\n"))
    sys.stdout.flush()
    return code
