"""What a certificate means, in plain words and as JSON."""

import math
from typing import TYPE_CHECKING

from discreet.accounting import Json
from discreet.certificates import Certificate, Verification
from discreet.cli.output import labelled, styled
from discreet.cli.spending import left_after
from discreet.core.neighbours import ADD_REMOVE
from discreet.core.words import quoted
from discreet.data.labels import canonical

if TYPE_CHECKING:
    from discreet.estimators.model import Model
    from discreet.ledger import Account

NO_PRIVACY = "epsilon is infinite: this is the ordinary fit, without any privacy. Treat the model like the records themselves."


def budget(certificate: Certificate) -> dict[str, Json]:
    """(epsilon, delta), null and 1 where there is no privacy, and the relation."""
    stated = certificate.guarantee.to_dict()
    return {
        "private": certificate.noise_private and stated["kind"] != "none",
        "epsilon": stated.get("epsilon"),
        "delta": 1.0 if stated["kind"] == "none" else stated.get("delta", 0.0),
        "neighbours": str(certificate.guarantee.neighbours),
    }


def promise(certificate: Certificate) -> list[str]:
    """Who is protected from whom, and how well."""
    stated = budget(certificate)
    epsilon, delta = stated["epsilon"], stated["delta"]
    if not isinstance(epsilon, float) or not isinstance(delta, float):
        return [f"Nothing: {NO_PRIVACY}"]
    secret_count = certificate.guarantee.neighbours is ADD_REMOVE
    factor = f"{math.exp(epsilon):.3g}" if epsilon < 300 else "10^130"
    change = "added or removed" if secret_count else "replaced by any other"
    exception = f"but for a probability of {delta:.3g}" if delta else "without exception"
    return [
        "Each person's whole record, from everyone who sees the model, even from one who knows all other records.",
        f"Whatever anyone may conclude from the model gets at most {factor} times (e^epsilon) likelier when one record",
        f"is {change}, {exception}.",
        f"The number of records is {'protected too (add-remove).' if secret_count else 'taken as known (replace-one).'}",
    ]


def short(certificate: Certificate) -> str:
    """The guarantee in a few signs."""
    stated = budget(certificate)
    if stated["epsilon"] is None:
        return "epsilon infinite"
    return f"epsilon {stated['epsilon']:.6g}, delta {stated['delta']:.3g}, {stated['neighbours']}"


def receipt(
    certificate: Certificate, verification: Verification, account: "Account | None", *, spent: bool = True
) -> tuple[dict[str, object], list[str]]:
    """What a release cost, what it left in the ledger, and whether its certificate holds: for programs and for people."""
    left, ledger = left_after(account, certificate.ledger_entry)
    stated = budget(certificate)
    cost = NO_PRIVACY if stated["epsilon"] is None else f"{short(certificate)}. Whatever else is released about the same people adds to it."
    lines = labelled(("Spent", cost if spent else None), ("Left", left), ("Noise", certificate.noise), ("Certificate", verdict(verification)))
    document: dict[str, object] = {"guarantee": stated, "ledger": ledger, "noise": certificate.noise, "verification": verification.to_dict()}
    return document, lines


def verdict(verification: Verification) -> str:
    """One line for all checks."""
    failed = [check for check in verification.checks if not check.ok]
    if not failed:
        return f"{styled('verified', fg='green')} ({len(verification.checks)} checks, the guarantee recomputed by another method)"
    return f"{styled('NOT VALID', fg='red')}: " + "; ".join(f"{check.name}: {check.detail}" for check in failed)


def described(model: "Model") -> str:
    """A model in one line."""
    names = [canonical(label) for label in model.schema.target.classes]
    if len(names) > 2:
        which = f"{len(names)} classes ({model.certificate.problem.get('scheme')}): {quoted(names)}"
    else:
        which = f"classes {quoted(names[:1])} (negative) and {quoted(names[1:])} (positive)"
    intercept = " and an intercept" if model.intercept_scale > 0 else ""
    return f"{model.kind.replace('-', ' ')}, {model.schema.features} features{intercept}, {which}"
