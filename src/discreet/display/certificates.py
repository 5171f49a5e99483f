"""Certificates, checks and releases in notebooks: small tables of public values."""

from discreet.certificates import Certificate, Release, Verification
from discreet.display.pages import Block, Facts, Table, Text, Tone, view_html


def view(certificate: Certificate, name: str = "Certificate", shape: tuple[int, ...] | None = None) -> str:
    """HTML of a certificate, which begins with its promise; of a release with its shape."""
    blocks: list[Block] = [Text(sentence) for sentence in certificate.promise]
    if not certificate.noise_private:
        blocks.append(Text("Not valid: the noise was seeded, so whoever knows the seed can subtract it.", Tone.BAD))
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
    return view_html(name, *blocks, Facts("print(...) shows everything, verify() checks it", rows))


def release_view(release: Release) -> str:
    """HTML of the certificate of a release, with the shape of its value."""
    return view(release.certificate, "Release", release.value.shape)


def verification_view(verification: Verification) -> str:
    """HTML of all checks."""
    passed = Text(f"All {len(verification.checks)} checks passed.")
    rows = [("passed" if check.ok else "FAILED", check.name, check.detail) for check in verification.checks]
    verdict = passed if verification.ok else Text("The certificate does not hold.", Tone.BAD)
    return view_html("Verification", verdict, Table("Checks", ("Verdict", "Check", "Found"), rows))
