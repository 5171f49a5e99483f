"""The second moments of the records, exactly:  M = sum_i z_i z_i'  as integers times q^2.

Every number of a record is rounded towards zero to a multiple of q = 2^-b times a power of two that is at least C, so |z_q|_2 <= |z|_2 <= C holds
exactly, and integers have at most b bits. With n <= most_records and 2 b + log2(n) <= 62 all sums fit 64 bits; products of a thousand rows are taken
in floating point, exactly (partial sums below 2^53), and added up as integers. So M is a function of the set of records, not of their order or of
the machine, and between neighbours it moves by exactly z z^T (add-remove) or u u^T - z z^T (replace-one): every eigenvalue moves by at most C^2.

Where a person owns several rows, which share one record's weight (a_i, sum a_i <= 1), a_i^{1/2} z_i stands for z_i. Then a person's part is
K = sum a_i z_i z_i^T, positive semidefinite of trace at most C^2, and any eigenvalue moves by at most C^2 too: the moments are those of a sum over
rows with the weights a_i.

A constant t may stand at the head of every record, for an answer that has sums and the number of records too: z = (t, x, y), and C^2 has t^2 more.
t is a power of two, so that dividing by it rounds nothing, within a factor sqrt(2) of C / sqrt(8): then products have an eighth more noise than they
would have without it (a quarter at most), and sums no more than products have.
"""

import math
from dataclasses import dataclass

import numpy as np

from discreet.accounting import Json
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.rounding import raising
from discreet.data.domain import Domain, Held
from discreet.queries.base import RecordQuery, Target, released
from discreet.queries.linear import power_of_two

MOST_BITS = 20
MOST_RECORDS = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondMoments(RecordQuery):
    """Sums of products of the numbers of a record, for tables of at most `most_records` records."""

    domain: Domain
    target: Target = Target.NOISY
    most_records: int = 10_000_000
    """A public bound; longer tables are refused. Rounding errors are bounded for it, and it costs almost nothing."""
    counted: bool = False
    """Whether a constant stands at the head of every record, so that the answer has sums, and the number of records, too."""

    def __post_init__(self) -> None:
        """Refuse bounds that no proof can use."""
        read = released(self.domain, self.target)
        object.__setattr__(self, "target", read.target)
        if read.target is Target.CLEAR:
            raise InvalidInput("second moments cannot include a target without noise. Use target='noisy' or 'omitted'.")
        if isinstance(self.most_records, bool) or not isinstance(self.most_records, int) or not 1 <= self.most_records <= MOST_RECORDS:
            raise InvalidInput(f"most_records must be an integer from 1 to 2^40; {self.most_records!r} was given.")

    @property
    def norm(self) -> float:
        """C, the bound of the norm of a record: with y a record has one number more."""
        return math.hypot(self._bound, self.constant) * raising(8) if self.counted else self._bound

    @property
    def _bound(self) -> float:
        return min(self.read.norm, float(np.linalg.norm(self.read.entries)) * raising(4_096))

    @property
    def constant(self) -> float:
        """t; 0 where there is none."""
        return 2.0 ** round(math.log2(self._bound) - 1.5) if self.counted else 0.0

    @property
    def columns(self) -> int:
        """See RecordQuery; the constant is the first."""
        return self.read.columns + self.counted

    @property
    def unit(self) -> float:
        """q."""
        bits = min(MOST_BITS, (62 - math.ceil(math.log2(self.most_records))) // 2)
        return power_of_two(self.norm) * 2.0**-bits

    def sensitivity(self, neighbours: Neighbours) -> float:  # noqa: ARG002 - the same for both
        """How far any eigenvalue of M may move: C^2, by Weyl's inequality."""
        return self.norm**2

    def require(self, data: Held) -> None:
        """Raise InvalidInput for another domain, and for more than `most_records` records."""
        self.read.require(data)
        if data.records > self.most_records:
            raise InvalidInput(f"second moments are exact for at most {self.most_records} records, and the table has more. Raise most_records.")

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        name = "counted-moments" if self.counted else "second-moments"
        return {"query": name, **self.read.record(), "most_records": self.most_records}
