"""A public point that the ridge pulls towards (proof note mechanisms/learning/prior.md).

    (lambda / 2) |w - w0|^2  =  (lambda / 2) |w|^2 - <lambda w0, w> + a constant

So a prior is a linear term that is public, and the same for every table: the loss of a record, its slope, its curvature and the strong convexity of
the objective are what they are without one, and so is every theorem that asks for no more. In place of lambda w0 stands what that product rounds to,
p; the point is then p / lambda, exactly.

A problem that is read from a certificate knows the digest of the point and a bound of its length: enough for a guarantee, not for a fit.
"""

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from discreet.accounting import Json
from discreet.core.arrays import Floats, digest_of
from discreet.core.errors import InvalidInput
from discreet.core.fields import not_negative, sha256
from discreet.core.rounding import up


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """w0, of weights as the problem has them, those of several classes one after the other."""

    digest: str
    """SHA-256 of the point."""
    norm: float
    """At least |w0|."""
    point: Floats | None = field(default=None, compare=False, repr=False)
    """(dimension,); None where only a certificate is known."""

    @classmethod
    def at(cls, point: Floats) -> Self:
        """The prior at these weights, (dimension,). Raises InvalidInput for others than finite numbers in one row."""
        held = np.array(point, dtype=np.float64)
        if held.ndim != 1 or not np.all(np.isfinite(held)):
            raise InvalidInput("a prior must be finite numbers.")
        held.flags.writeable = False
        norm = up(math.hypot(*held.tolist()), len(held) + 4)
        if not np.isfinite(norm):
            raise InvalidInput("the numbers of a prior are too large: their squares must add up to less than 1e308.")
        return cls(digest=digest_of(held), norm=norm, point=held)

    @classmethod
    def stated(cls, record: Json) -> Self:
        """What `to_dict` wrote. Raises TypeError or ValueError for anything else."""
        if not isinstance(record, dict) or set(record) != {"digest", "norm"}:
            raise ValueError
        return cls(digest=sha256(record["digest"]), norm=not_negative(record["norm"]))

    @property
    def without_point(self) -> "Prior":
        """As a certificate knows it."""
        return Prior(digest=self.digest, norm=self.norm)

    def require(self, dimension: int) -> None:
        """Raise InvalidInput unless there is one number for each weight, where the point is known."""
        if self.point is not None and self.point.shape != (dimension,):
            raise InvalidInput(f"the prior must have one number for each of the {dimension} weights; {self.point.size} were given.")

    def pull(self, ridge: float) -> Floats:
        """p, (dimension,): the objective has -<p, w> as its linear term. Raises InvalidInput where the point is not known."""
        if self.point is None:
            raise InvalidInput("a problem read from a certificate has only the digest of its prior, so it cannot be solved again.")
        return ridge * self.point

    def to_dict(self) -> dict[str, Json]:
        """What a certificate states of it: plain numbers and words."""
        return {"digest": self.digest, "norm": self.norm}
