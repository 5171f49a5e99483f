"""What a release is, what it protects and how to use it: lines under headings, for people."""

import math

from discreet.accounting import Json
from discreet.queries import Target
from discreet.releases.methods import METHODS, Kind
from discreet.releases.release import PublishedRelease
from discreet.releases.words import exposes, protects, short, usage

_SHOWN = 8
_COLLECTED = "records that their owners randomised, collected"
_TARGETS = {Target.OMITTED: "not released", Target.NOISY: "with noise, like the other columns", Target.CLEAR: "in clear, without protection"}


def inspection(release: PublishedRelease) -> list[tuple[str, list[str]]]:
    """(heading, lines) in the order in which they matter."""
    count, columns = release.shape
    names = [column.name for column in release.columns]
    shown = ", ".join(names[:_SHOWN]) + ("" if columns <= _SHOWN else f" and {columns - _SHOWN} more")
    return [
        (
            "What it is",
            [
                f"{release.contents.name!r}, {says(release)}",
                f"{count} rows of {columns} numbers: {shown}",
                f"Target: {_TARGETS[release.target]}",
                f"Noise: {_noise(release)}",
                f"Guarantee: {short(release.guarantee)}{'' if release.certificate.noise_private else ' (NOT VALID: seeded noise)'}",
            ],
        ),
        ("It protects", protects(release.certificate)),
        ("It does not protect", exposes(release.certificate, release.method, release.kind, release.target)),
        ("How to use it", usage(release.certificate, release.kind, release.target)),
    ]


def inspection_record(release: PublishedRelease) -> dict[str, Json]:
    """The same for programs."""
    return {
        "name": release.contents.name,
        "method": release.method,
        "calibration": release.calibration,
        "kind": str(release.kind),
        "target": str(release.target),
        "shape": list(release.shape),
        "columns": [column.name for column in release.columns],
        "noise_variance": release.noise_variance,
        "guarantee": release.guarantee.to_dict(),
        "noise_private": release.certificate.noise_private,
        "protects": [*protects(release.certificate)],
        "does_not_protect": [*exposes(release.certificate, release.method, release.kind, release.target)],
        "how_to_use": [*usage(release.certificate, release.kind, release.target)],
    }


def says(release: PublishedRelease) -> str:
    """What leaves, in one line."""
    made = METHODS[release.method].says if release.method in METHODS else _COLLECTED
    return f"{made} ({release.method}{', as published' if release.calibration == 'published' else ''})"


def _noise(release: PublishedRelease) -> str:
    variance = release.noise_variance
    if release.kind is Kind.SKETCH and variance is not None:
        return f"{variance:.6g} on the diagonal of the second moments"
    if variance is not None:
        largest = release.domain.largest_entry
        beside = f", beside numbers within +-{largest:.6g}" if release.kind is Kind.ROWS else ""
        return f"standard deviation {math.sqrt(variance):.6g} on every number{beside}"
    if (release.calibration == "published" and release.kind is Kind.SKETCH) or release.method == "null-space":
        return "computed from the records, so its size is not public"
    return "of different sizes for different columns (noise_covariance)"
