"""What somebody asks of a release, in public numbers: one flat record for all methods, so that a method can say which of them it takes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple, TypeAlias

from discreet.core.errors import InvalidInput
from discreet.core.neighbours import REPLACE_ONE, Neighbours
from discreet.core.words import quoted
from discreet.data import RealDomain
from discreet.mechanisms.release import ReleaseMechanism
from discreet.queries import RowQuery, SecondMoments, Target

Calibration: TypeAlias = Literal["tight", "published"]

Query: TypeAlias = RowQuery | SecondMoments


class Plan(NamedTuple):
    """A public query and the calibrated mechanism that answers it; no record has been read."""

    query: Query
    mechanism: ReleaseMechanism  # type: ignore[type-arg] # each mechanism is for its own queries


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """None where nothing was asked: whether a number is needed or refused is the method's to say."""

    domain: RealDomain
    target: Target = Target.NOISY
    neighbours: Neighbours = REPLACE_ONE
    epsilon: float | None = None
    delta: float | None = None
    bits: float | None = None
    """Bits about any one entry."""
    rows: int | None = None
    """k, the rows of a sketch."""
    width: int | None = None
    """Columns of a projection."""
    projection_seed: int | None = None
    """Public: anybody may draw the same projection from it."""
    slots: int | None = None
    """Rows that are released under add-remove."""
    most_records: int | None = None
    """A public bound of the number of records of a sketched table."""
    weights: Sequence[float] | None = None
    """Of the released columns."""
    half_width: float | None = None
    """Of bounded noise, in units of the encoded numbers."""
    level: float | None = None
    """Of Fisher-optimal noise: lambda."""
    variance: float | None = None
    """Of null-space noise, in each direction that it has."""

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the numbers that were asked for."""
        return tuple(field.name for field in fields(self) if field.name in WORDS and getattr(self, field.name) is not None)

    def require(self, method: str, *, needs: Sequence[str], takes: Sequence[str]) -> None:
        """Raise InvalidInput for a number that is missing, or one that the method cannot use."""
        if missing := [WORDS[name] for name in needs if name not in self.given]:
            raise InvalidInput(f"method {method!r} needs {', '.join(missing)}; give {'it' if len(missing) == 1 else 'them'}.")
        if useless := [name for name in self.given if name not in {*needs, *takes}]:
            known = quoted([*needs, *takes], most=12)
            raise InvalidInput(f"method {method!r} takes no {useless[0]} ({WORDS[useless[0]]}). It takes {known}. Leave {useless[0]} out.")

    def require_entries(self, method: str) -> None:
        """Raise InvalidInput unless entries are bounded one by one, and rows not as a whole: that ties entries together."""
        if self.domain.entry_bound is None or self.domain.norm_bound is not None:
            raise InvalidInput(
                f"method {method!r} protects single numbers, each within an entry bound of its own. "
                'In a schema: rows = "bound", and numeric columns only (the numbers of a category move together). In a domain: entry_bound alone.'
            )


WORDS = {
    "epsilon": "epsilon, the privacy loss",
    "delta": "delta, the probability that the loss is exceeded",
    "bits": "bits that may be learned about an entry",
    "rows": "rows, the number of rows of the sketch",
    "width": "width, the number of columns of the projection",
    "projection_seed": "the public seed of the projection",
    "slots": "slots, the public number of rows under add-remove",
    "most_records": "most_records, a public bound of the number of records",
    "weights": "weights of the columns",
    "half_width": "half_width of the noise",
    "level": "level of the noise",
    "variance": "variance of the noise",
}
"""What each number is, for messages; also the list of numbers that methods take or refuse."""


def number(value: float | None) -> float:
    """One that `Request.require` has found."""
    if value is None:
        raise InvalidInput("a number is missing.")
    return value


def whole(value: int | None) -> int:
    """As `number`, for integers."""
    if value is None:
        raise InvalidInput("a number is missing.")
    return value
