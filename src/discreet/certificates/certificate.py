"""The certificate of a release: what was done, what it promises, under which hypotheses, in a form that a stranger can check.

Public by construction: every field is a public parameter, except the digest, which is a function of what was released. `verify` asks
`discreet.verification` (by way of `core.lazily.above`), which recomputes the guarantee from the recorded parameters by another path than the
calibration that chose them, and compares the digest with the value.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from discreet.accounting import ApproximateDP, Guarantee, Json, NoGuarantee, PureDP, Unit, guarantee_from_dict
from discreet.core.arrays import Floats, digest_of
from discreet.core.errors import FileFormatError, VerificationFailure
from discreet.core.files.reading import read_parsed
from discreet.core.files.strict_json import printable, read_object
from discreet.core.files.whole_file import write_whole
from discreet.core.lazily import above
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.statements import Hypothesis
from discreet.statements.base import Check, Stated

FORMAT = "discreet-certificate/2"
"""The format of a certificate; another version is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome of checking a certificate: every check with its verdict."""

    checks: tuple[Check, ...]

    __repr__ = short_repr
    _repr_html_ = html_of("certificates.verification_view")

    @property
    def ok(self) -> bool:
        """Whether every check passed, and there was one."""
        return bool(self.checks) and all(check.ok for check in self.checks)

    def __bool__(self) -> bool:
        """`ok`, so that `if certificate.verify(value):` means what it says."""
        return self.ok

    @property
    def verdict(self) -> str:
        """In a sentence."""
        failed = sum(not check.ok for check in self.checks)
        return "Verified: every check passed." if self.ok else f"NOT VALID: {failed} of {len(self.checks)} checks failed."

    def __str__(self) -> str:
        """A line a check, and the verdict."""
        width = max((len(check.name) for check in self.checks), default=0) + 2
        return "\n".join([*(f"{'ok  ' if check.ok else 'FAIL'}  {check.name:<{width}}{check.detail}" for check in self.checks), "", self.verdict])

    def require(self) -> None:
        """Raise VerificationFailure, naming the checks that failed, unless all passed."""
        failed = [f"{check.name}: {check.detail}" for check in self.checks if not check.ok]
        if failed:
            raise VerificationFailure("the certificate does not hold. " + "; ".join(failed))

    def to_dict(self) -> dict[str, Json]:
        """Plain dicts, lists and numbers, as `--json` prints them."""
        return {"ok": self.ok, "checks": [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in self.checks]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate(Stated):
    """What a release guarantees, and why. Compare, save and publish it freely."""

    __repr__ = short_repr
    _repr_html_ = html_of("certificates.view")

    def verify(self, value: Floats | None = None) -> Verification:
        """Recompute everything that can be recomputed; with `value`, also check that it is the released value."""
        checks = [*above.checked(self)]
        if value is not None:
            same = digest_of(value) == self.digest
            checks.append(
                Check("released value", same, "digest matches" if same else "the value is not the one that this certificate was issued for")
            )
        return Verification(checks=tuple(checks))

    def to_dict(self) -> dict[str, Json]:
        """A JSON document."""
        return {
            "format": FORMAT,
            "version": self.version,
            "mechanism": self.mechanism,
            "parameters": dict(self.parameters),
            "problem": dict(self.problem),
            "guarantee": self.guarantee.to_dict(),
            "releases": self.releases,
            "ledger_entry": self.ledger_entry,
            "hypotheses": [{"required": part.required, "enforced": part.enforced} for part in self.hypotheses],
            "noise": {"source": self.noise, "private": self.noise_private},
            "declared": list(self.declared),
            "digest": self.digest,
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write `to_json` to a file, completely or not at all. Raises InvalidInput if it exists (unless `overwrite`) or cannot be written."""
        write_whole(path, self.to_json() + "\n", overwrite=overwrite)

    @classmethod
    def load(cls, path: str | Path) -> "Certificate":
        """The certificate in a file.

        Raises InvalidInput if the file does not exist, and FileFormatError, with the path, if its content is not valid.
        """
        remedy = "Check the path, or write one with `certificate.save`."
        return read_parsed(path, cls.from_json, what="certificate file", remedy=remedy)

    @classmethod
    def from_json(cls, text: str) -> "Certificate":
        """The certificate that `to_json` wrote. Raises FileFormatError for any other text."""
        return cls.from_dict(read_object(text, what="a certificate"))

    @classmethod
    def from_dict(cls, record: Mapping[str, Json]) -> "Certificate":
        """Read what `to_dict` wrote.

        Raises FileFormatError for an unknown format, a missing field, a field of the wrong type, or control characters.
        """
        refusal = FileFormatError("the certificate has values of the wrong type.")
        try:
            made = cls._read(record)
            if made.to_dict() == dict(record):
                return made
            refusal = FileFormatError("the certificate has a field that this format does not have.")
        except FileFormatError:
            raise
        except (TypeError, ValueError, LookupError, ArithmeticError, RecursionError):
            pass
        raise refusal

    @classmethod
    def _read(cls, record: Mapping[str, Json]) -> "Certificate":
        if not printable(record):
            raise FileFormatError("the certificate contains control characters, which could make a terminal show something else.")
        if not isinstance(record, Mapping) or record.get("format") != FORMAT:
            raise FileFormatError(f"a certificate of format {FORMAT!r} is needed; this one states another format, or none.")
        match record:
            case {
                "mechanism": str(mechanism),
                "parameters": dict(parameters),
                "problem": dict(problem),
                "guarantee": dict(guarantee),
                "hypotheses": list(hypotheses),
                "noise": {"source": str(noise), "private": bool(private)},
                "declared": list(declared),
                "digest": str(digest),
                "version": str(version),
                "releases": int(releases),
                "ledger_entry": (str() | None) as entry,
            } if all(isinstance(part, dict) and {"required", "enforced"} <= part.keys() for part in hypotheses):
                return cls(
                    mechanism=mechanism,
                    parameters=parameters,
                    problem=problem,
                    guarantee=guarantee_from_dict(guarantee),
                    hypotheses=tuple(
                        Hypothesis(required=str(part["required"]), enforced=str(part["enforced"])) for part in hypotheses if isinstance(part, dict)
                    ),
                    noise=noise,
                    noise_private=private,
                    digest=digest,
                    declared=tuple(str(line) for line in declared),
                    version=version,
                    releases=releases,
                    ledger_entry=entry,
                )
        raise FileFormatError("the certificate is incomplete, or has values of the wrong type.")

    def __str__(self) -> str:
        """Readable text, plain words first."""
        lines = [*self.promise, "", f"Mechanism: {self.mechanism} ({self.guarantee.theorem})"]
        lines += [f"  {name} = {_shown(value)}" for name, value in self.parameters.items()]
        lines += ["Problem (public):"] + [f"  {name} = {_shown(value)}" for name, value in self.problem.items()]
        lines += ["Hypotheses of the theorem, and how each is enforced:"]
        lines += [f"  - {part.required}\n      {part.enforced}" for part in self.hypotheses]
        lines += [f"Noise: {self.noise}"]
        if not self.noise_private:
            lines += ["NOT VALID: the noise was seeded, so anyone who knows the seed can subtract it. To publish, fit without a seed."]
        lines += ["Declared public by the caller:"] + [f"  - {line}" for line in self.declared or ("nothing beyond the problem",)]
        lines += [f"Ledger entry: {self.ledger_entry or 'none: no ledger was in use, so nothing adds this to other releases'}"]
        lines += [f"Digest of the released value (SHA-256): {self.digest}", f"Issued by discreet {self.version}"]
        return "\n".join(lines)

    @property
    def promise(self) -> list[str]:
        """The guarantee in words."""
        return _promise(self.guarantee)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A value that may be published, with its certificate: safe to save, print and share."""

    value: Floats
    certificate: Certificate
    beside: object = None
    """What the mechanism computed beside the value from the same noisy answers, of a type of its own; public, and in no file or digest."""

    __repr__ = short_repr
    _repr_html_ = html_of("certificates.release_view")

    def verify(self) -> Verification:
        """Check the certificate against this value."""
        return self.certificate.verify(self.value)


def _promise(guarantee: Guarantee) -> list[str]:
    changes = {
        "replace-one": f"the content of one {guarantee.unit} is replaced (their number is public)",
        "add-remove": f"one {guarantee.unit} is added or removed",
    }
    if guarantee.unit is Unit.PERSON:
        changes = {
            "replace-one": "all rows of one person are replaced by any others (the number of persons is public)",
            "add-remove": "one person is added or removed, with all their rows",
        }
    change = changes[guarantee.neighbours]
    match guarantee:
        case PureDP(epsilon=epsilon):
            return [
                f"Guarantee: epsilon = {epsilon:.6g}, delta = 0, {guarantee.neighbours}.",
                f"No outcome becomes more than e^{epsilon:.4g} times as likely when {change}.",
            ]
        case ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta):
            return [
                f"Guarantee: epsilon = {epsilon:.6g}, delta = {delta:.6g}, {guarantee.neighbours}.",
                f"Up to a probability of {delta:.3g}, no outcome becomes more than e^{epsilon:.4g} times as likely when {change}.",
            ]
        case NoGuarantee():
            return ["Guarantee: NONE (epsilon is infinite).", guarantee.theorem]
        case _:
            named = ", ".join(f"{key} = {value}" for key, value in guarantee.to_dict().items() if key != "theorem")
            return [f"Guarantee: {named}.", f"It concerns what changes when {change}."]


def _shown(value: Json) -> str:
    return f"{value:.10g}" if isinstance(value, float) else json.dumps(value)
