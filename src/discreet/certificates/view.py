"""Certificates, checks and releases in notebooks: small tables of public values."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from discreet.pages import Block, Facts, Table, Text, Tone, view_html

if TYPE_CHECKING:
    from discreet.certificates.certificate import Certificate, Verification


def certificate_view(certificate: "Certificate", promise: Sequence[str], *, name: str = "Certificate", shape: tuple[int, ...] | None = None) -> str:
    """HTML of a certificate, which begins with its `promise`; of a release with its shape."""
    blocks: list[Block] = [Text(words=line) for line in promise]
    if not certificate.noise_private:
        blocks.append(Text(words="Not valid: the noise was seeded, so whoever knows the seed can subtract it.", tone=Tone.BAD))
    rows = [] if shape is None else [("Released", f"an array of {' x '.join(f'{size:,}' for size in shape) or 'one number'}")]
    rows += [
        ("Mechanism", certificate.mechanism),
        ("Proof", certificate.guarantee.theorem),
        ("Noise", certificate.noise),
        ("Conditions, each with what enforces it", str(len(certificate.hypotheses))),
        ("Declared public by the caller", "; ".join(certificate.declared) or "nothing beyond the problem"),
        ("Ledger entry", certificate.ledger_entry or "none: nothing adds this up with other releases"),
        ("Digest (SHA-256)", certificate.digest),
    ]
    return view_html(name, [*blocks, Facts(caption="print(...) shows everything, verify() checks it", rows=rows)])


def verification_view(verification: "Verification") -> str:
    """HTML of all checks."""
    passed = Text(words=f"All {len(verification.checks)} checks passed.")
    verdict = passed if verification.ok else Text(words="The certificate does not hold.", tone=Tone.BAD)
    rows = [("passed" if check.ok else "FAILED", check.name, check.detail) for check in verification.checks]
    return view_html("Verification", [verdict, Table(caption="Checks", header=("Verdict", "Check", "Found"), rows=rows)])
