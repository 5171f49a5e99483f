"""Whether a classifier may be expected to do better than always giving the commonest class, said before a record is read.

    needed = 100 sigma / G,      sigma / G  the least noise of a mechanism in a coordinate over what one record can contribute (module `choose`)

Below so many records the noise in a decision is of the size of what all records together say of it. It is a summary of measurements, not a bound:
docs/defaults.md has the tables. Where the number of records is private no more can be said than the number that is needed, and nothing is where
that is below a number that few tables have less of.
"""

import math
from dataclasses import dataclass

from discreet.core.foreseen import with_two_digits
from discreet.core.neighbours import Privacy
from discreet.core.remembered import remembered
from discreet.mechanisms.learning.base import solved_apart
from discreet.mechanisms.learning.choose import relative_noise
from discreet.problems import AnyRisk

_TIMES = 100.0
_SMALL = 2_000
"""Records: where fewer are needed and their number is private, nothing is said."""
REMEDY = "Raise epsilon; or, where one class is rare, count the classes beside it (--calibrate, or fit_with_calibration)."


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What to expect of a fit beside one answer for everybody; public."""

    needed: float
    """Records."""
    records: int | None
    """How many there are, where that is public."""
    many: str = "records"

    @property
    def little(self) -> bool:
        """Whether no more is to be expected than of one answer for everybody, or that cannot be told of a small table."""
        return self.needed > (_SMALL if self.records is None else self.records)

    @property
    def words(self) -> str:
        """In a sentence or two."""
        needed = f"about {with_two_digits(self.needed)} {self.many}"
        if not self.little:
            return f"A model of this budget may be better than always giving the commonest class from {needed} on."
        if self.records is None:
            said = f"With fewer than {needed}, a model of this budget is not expected to be better than always giving the commonest class"
            return f"{said}, and how many there are is private. {REMEDY}"
        few = f"{self.records:,} {self.many} are few for this budget"
        return f"{few}: below {needed}, a model is not expected to be better than always giving the commonest class. {REMEDY}"

    def lines(self) -> list[tuple[str, str]]:
        """Label and words."""
        return [("Worth", self.words)]


@remembered
def outlook(problem: AnyRisk, privacy: Privacy) -> Outlook | None:
    """From public numbers; `problem` with n where it is public. None without privacy."""
    if not privacy.adds_noise:
        return None
    domain = problem.domain
    return Outlook(needed=needed_records(problem, privacy), records=domain.records, many="records" if domain.persons is None else "persons")


def needed_records(problem: AnyRisk, privacy: Privacy) -> float:
    """See the module docstring."""
    return _TIMES * relative_noise(problem.dimension, **privacy.target) * math.sqrt(solved_apart(problem))
