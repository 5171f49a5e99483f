"""Between the commands and the ledger: which account a command spends on, whether a release would fit, and what it left."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.cli.data_sets import as_json_pair, in_words
from discreet.cli.output import warn
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.files.lookup import exists

if TYPE_CHECKING:
    from discreet.accounting import Guarantee
    from discreet.ledger import Account, Ledger

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def ledger_options(command: Decorated) -> Decorated:
    """`--ledger`, `--data-set` and `--part` of commands that spend."""
    options = (
        click.option(
            "--ledger",
            "ledger_path",
            type=click.Path(),
            envvar="DISCREET_LEDGER",
            show_envvar=True,
            help="Spend in this ledger, which refuses what exceeds the total agreed on.",
        ),
        click.option("--data-set", envvar="DISCREET_DATA_SET", show_envvar=True, help="Name of the table in the ledger."),
        click.option("--part", help="The part of the data set that the table is, where the ledger declares parts."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def account_from(path: str | None, data_set: str | None, part: str | None) -> "Account | None":
    """The account that the options name, after a look whether it is there; None where there is no --ledger."""
    if path is None:
        if part is not None or data_set is not None:
            raise click.UsageError(
                f"{'--part' if data_set is None else '--data-set'} needs --ledger (or DISCREET_LEDGER)", click.get_current_context()
            )
        return None
    if data_set is None:
        raise click.UsageError("--ledger needs --data-set (or DISCREET_DATA_SET)", click.get_current_context())
    from discreet.ledger import Account  # noqa: PLC0415 - imports of the library wait until they are needed

    account = Account(path, data_set, part=part)
    opened(path).spent(data_set, part=part)
    return account


def opened(path: str) -> "Ledger":
    """The ledger in this file. Raises InvalidInput where there is none: a mistyped path never becomes a new one."""
    from discreet.ledger import Ledger  # noqa: PLC0415

    if not exists(path):
        raise InvalidInput(f"there is no ledger {path!r}. Check the path, or make one with `discreet budget new`.")
    ledger = Ledger(path)
    if exposed := ledger.exposed:
        warn(exposed)
    return ledger


def check_would_fit(account: "Account", guarantee: "Guarantee") -> None:
    """Raise what reserving `guarantee` would raise now. It reserves nothing: others may spend in the meantime, so the reservation decides."""
    account.ledger.check_fits(account.name, guarantee, part=account.part)


def left_after(account: "Account", entry: str | None) -> tuple[str, dict[str, object]]:
    """What is left once the release is made, in words and as JSON. A ledger that cannot be read any more is no reason to fail then."""
    document: dict[str, object] = {"ledger": account.path, "data_set": account.name, "part": account.part, "entry": entry}
    where = repr(account.name) if account.part is None else f"part {account.part!r} of {account.name!r}"
    try:
        left = account.left
    except DiscreetError as error:
        return f"not known on {where}: {error}", document | {"left": None}
    return f"{in_words(left)} on {where} (entry {entry})", document | {"left": as_json_pair(left)}
