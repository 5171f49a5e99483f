"""What a release costs: the account that a command spends on, whether it would fit, what it left, and what its certificate promises, in words."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from discreet.cli.options import File, Option, flag, usage_error
from discreet.cli.output import labelled, styled, warn
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.core.files.lookup import exists

if TYPE_CHECKING:
    from discreet.accounting import Guarantee
    from discreet.certificates import Certificate, Verification
    from discreet.ledger import Account, Amount, Ledger


NO_PRIVACY = "epsilon is infinite: this is the ordinary fit, without any privacy. Treat the model like the records themselves."


@dataclass(frozen=True, kw_only=True)
class Spending:
    """Where a command that spends does so."""

    ledger: Annotated[
        File | None, Option(variable="DISCREET_LEDGER", help="Spend in this ledger, which refuses what exceeds the total agreed on.")
    ] = None
    data_set: Annotated[str | None, Option(variable="DISCREET_DATA_SET", help="Name of the table in the ledger.")] = None
    part: Annotated[str | None, "The part of the data set that the table is, where the ledger declares parts."] = None

    def account(self) -> "Account | None":
        """The account that is meant, after a look whether it is there; None where there is no --ledger."""
        if self.ledger is None:
            for name in ("data_set", "part"):
                if getattr(self, name) is not None:
                    raise usage_error(f"{flag(name)} needs --ledger (or DISCREET_LEDGER)")
            return None
        if self.data_set is None:
            raise usage_error("--ledger needs --data-set (or DISCREET_DATA_SET)")
        from discreet.ledger import Account

        account = Account(self.ledger, self.data_set, part=self.part)
        open_ledger(self.ledger).spent(self.data_set, part=self.part)
        return account


def open_ledger(path: str) -> "Ledger":
    """The ledger in this file. Raises InvalidInput where there is none: a mistyped path never becomes a new one."""
    from discreet.ledger import Ledger

    if not exists(path):
        raise InvalidInput(f"there is no ledger {path!r}. Check the path, or make one with `discreet budget new`.")
    ledger = Ledger(path)
    if exposed := ledger.exposed:
        warn(exposed)
    return ledger


def check_fits(account: "Account | None", guarantee: "Guarantee") -> None:
    """Raise what reserving `guarantee` would raise now. It reserves nothing: others may spend in the meantime, so the reservation decides."""
    if account is not None:
        account.ledger.check_fits(account.name, guarantee, part=account.part)


def left_after(account: "Account | None", entry: str | None) -> tuple[str | None, dict[str, object] | None]:
    """What is left once the release is made, in words and as JSON. A ledger that cannot be read any more is no reason to fail then."""
    if account is None:
        return None, None
    document: dict[str, object] = {"ledger": account.path, "data_set": account.name, "part": account.part, "entry": entry}
    where = repr(account.name) if account.part is None else f"part {account.part!r} of {account.name!r}"
    try:
        left = account.left
    except DiscreetError as error:
        return f"not known on {where}: {error}", document | {"left": None}
    return f"{in_words(left)} on {where} (entry {entry})", document | {"left": as_pair(left)}


def in_words(amount: "Amount") -> str:
    """An amount in a line of text."""
    return f"epsilon {amount.epsilon:.6g}, delta {amount.delta:.3g}"


def as_pair(amount: "Amount") -> dict[str, float | None]:
    """An amount in a document; null for an infinite epsilon, which JSON does not have."""
    return {"epsilon": amount.epsilon if math.isfinite(amount.epsilon) else None, "delta": amount.delta}


def guarantee_of(certificate: "Certificate") -> dict[str, object]:
    """(epsilon, delta), null and 1 where there is no privacy, and the relation."""
    stated = certificate.guarantee.to_dict()
    return {
        "private": certificate.noise_private and stated["kind"] != "none",
        "epsilon": stated.get("epsilon"),
        "delta": 1.0 if stated["kind"] == "none" else stated.get("delta", 0.0),
        "neighbours": str(certificate.guarantee.neighbours),
    }


def short(certificate: "Certificate") -> str:
    """The guarantee in a few signs."""
    stated = guarantee_of(certificate)
    if stated["epsilon"] is None:
        return "epsilon infinite"
    return f"epsilon {stated['epsilon']:.6g}, delta {stated['delta']:.3g}, {stated['neighbours']}"


def receipt(
    certificate: "Certificate", verification: "Verification", account: "Account | None", *, spent: bool = True
) -> tuple[dict[str, object], list[str]]:
    """What a release cost, what it left in the ledger, and whether its certificate holds: for programs and for people."""
    left, ledger = left_after(account, certificate.ledger_entry)
    stated = guarantee_of(certificate)
    cost = NO_PRIVACY if stated["epsilon"] is None else f"{short(certificate)}. Whatever else is released about the same people adds to it."
    lines = labelled(("Spent", cost if spent else None), ("Left", left), ("Noise", certificate.noise), ("Certificate", verdict(verification)))
    document: dict[str, object] = {"guarantee": stated, "ledger": ledger, "noise": certificate.noise, "verification": verification.to_dict()}
    return document, lines


def verdict(verification: "Verification") -> str:
    """One line for all checks."""
    failed = [check for check in verification.checks if not check.ok]
    if not failed:
        return f"{styled('verified', fg='green')} ({len(verification.checks)} checks, the guarantee recomputed by another method)"
    return f"{styled('NOT VALID', fg='red')}: " + "; ".join(f"{check.name}: {check.detail}" for check in failed)
