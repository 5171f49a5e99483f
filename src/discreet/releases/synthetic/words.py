"""What a synthetic table protects and what it does not, and how to use it, in plain words."""

from discreet.accounting import Json, NoGuarantee, Unit
from discreet.certificates import Certificate
from discreet.core.neighbours import ADD_REMOVE
from discreet.releases.words import protects

NOBODY = "Single rows mean nothing: each is drawn, and none is of a person, even where it looks like somebody."


def in_words(certificate: Certificate, *, tables: int, redrawn: bool) -> dict[str, list[Json]]:
    """What is said of every synthetic table, in its manifest and wherever people read about it."""
    return {
        "protects": [*protects(certificate)],
        "does_not_protect": [*exposes(certificate)],
        "how_to_use": [*usage(tables=tables, redrawn=redrawn)],
    }


def exposes(certificate: Certificate) -> list[str]:
    """What is not protected, and what rows do not say."""
    guarantee = certificate.guarantee
    lines = [NOBODY]
    if guarantee.neighbours is not ADD_REMOVE:
        lines.append(f"The number of {guarantee.unit.counted}: it is taken as known (replace-one).")
    if guarantee.unit is not Unit.PERSON and not isinstance(guarantee, NoGuarantee):
        lines.append("Persons with several records: what is promised is for one record, and what those of one person are promised adds up.")
    lines.append("What the records have in common: counts of columns and pairs may be learned. That is what a release is for.")
    lines.append("Relations of three columns and more, beyond those that pairs imply, are not in the rows, and rare combinations are mostly noise.")
    lines.append("Other releases about the same people: what is promised of each adds up. Keep a ledger.")
    return lines


def usage(*, tables: int, redrawn: bool) -> list[str]:
    """A snippet for the user."""
    lines = [
        "from discreet.releases import read_synthetic",
        'release = read_synthetic("FOLDER")  # this folder',
        "release.verify().require()",
        "rows = release.frame()  # a polars DataFrame: train any learner on it; its errors on these rows are not its errors on real ones",
    ]
    if tables > 1 and redrawn:
        lines += [
            "from discreet.releases import combined",
            'combined([frame["COLUMN"].mean() for frame in release.frames()])  # an interval that counts the noise and the sampling',
        ]
    return lines
