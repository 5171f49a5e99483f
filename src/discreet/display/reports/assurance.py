"""Why the guarantee may be believed: the conditions of the theorem with what enforces each, what was declared, and the checks of the certificate."""

from collections.abc import Iterable, Iterator, Sequence

from discreet.accounting import Json
from discreet.certificates import Certificate, Verification
from discreet.pages import Block, Bullets, Code, Facts, Section, Table, Text, Tone


def assumptions(certificate: Certificate) -> Section:
    """Hypotheses, each with how it is enforced, and what the caller answers for."""
    blocks: list[Block] = []
    if certificate.hypotheses:
        rows = [(part.required, part.enforced) for part in certificate.hypotheses]
        blocks.append(Table(caption="Conditions of the theorem", header=("What must be true", "What makes it true"), rows=rows))
    else:
        blocks.append(Text(words="The certificate names no conditions."))
    noise = f"{certificate.noise}; {'it cannot be replayed' if certificate.noise_private else 'it can be replayed, so it protects nobody'}"
    blocks.append(Facts(caption="Noise", rows=[("Where it came from", noise)]))
    if certificate.declared:
        blocks.append(Text(words="Whoever published this answers for the following being public, that is, not learnt from the records:"))
        blocks.append(Bullets(items=certificate.declared))
    else:
        blocks.append(Text(words="Nothing was declared public beyond the numbers below."))
    return Section(title="What it rests on", blocks=blocks)


def numbers(certificate: Certificate) -> Section:
    """The mechanism and its public numbers."""
    blocks: list[Block] = [Facts(caption=f"Mechanism: {certificate.mechanism}", rows=list(_facts(certificate.parameters.items())))]
    if certificate.problem:
        blocks.append(Facts(caption="The problem, in public numbers", rows=list(_facts(certificate.problem.items()))))
    return Section(title="Mechanism and public numbers", blocks=blocks)


def checking(certificate: Certificate, verification: Verification, *, commands: Sequence[str]) -> Section:
    """The verdict of the checks when the page was written, and how to repeat them."""
    verdict = (
        Text(words=f"All {len(verification.checks)} checks, the guarantee recomputed by a second method among them.", tone=Tone.GOOD)
        if verification.ok
        else Text(words="The certificate does not hold: see the checks that failed.", tone=Tone.BAD)
    )
    rows = [("passed" if check.ok else "FAILED", check.name, check.detail) for check in verification.checks]
    words = (
        "A check recomputes the guarantee from the recorded public numbers by a method that shares no code with the one that chose the noise. "
        "It cannot see whether the release was made as recorded, whether what was declared public is so, or whether the records are what they are "
        "said to be."
    )
    blocks: list[Block] = [
        verdict,
        Table(caption="The checks when this page was written", header=("Verdict", "Check", "Found"), rows=rows),
        Text(words="Repeat them, on any computer that has discreet, without the records:"),
        Code(lines=commands),
        Text(words=words, tone=Tone.NOTE),
        Facts(
            caption="What identifies the release",
            rows=[
                ("Digest of what was released (SHA-256)", certificate.digest),
                ("Issued by", software(certificate.version)),
                ("Releases that the guarantee covers together", str(certificate.releases)),
            ],
        ),
    ]
    return Section(title="How to check it", blocks=blocks)


def shown(value: Json) -> str:  # noqa: PLR0911 - one return a type
    """A value of a certificate in a few signs."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case int():
            return f"{value:,}" if abs(value) >= 10_000 else str(value)
        case None:
            return "none"
        case list():
            few = ", ".join(shown(one) for one in value[:8])
            return few if len(value) <= 8 else f"{few}, and {len(value) - 8:,} more"
        case dict():
            return ", ".join(f"{name} {shown(one)}" for name, one in value.items()) or "none"
        case _:
            return value


def _facts(items: Iterable[tuple[str, Json]]) -> Iterator[tuple[str, str]]:
    for name, value in items:
        yield name.replace("_", " "), "not published" if value is None and name == "records" else shown(value)


def software(version: str) -> str:
    """The program that issued a certificate."""
    return "discreet, of a version that is not stated" if version in {"", "unknown"} else f"discreet {version}"
