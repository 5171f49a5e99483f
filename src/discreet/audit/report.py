"""What an audit found: a lower bound on epsilon, beside what was claimed."""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from discreet.accounting import Json
from discreet.audit.claim import Claim, Target
from discreet.audit.parts import FALSE_ALARM, Watch
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.files.picture import Svg, pictured
from discreet.core.short import short_repr
from discreet.core.showing import html_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event, how often it occurred on each side, and the resulting bound."""

    description: str
    likelier: str
    """On which of the two tables."""
    hits: int | None
    """Occurrences on that table; None in an exact audit."""
    misses: int | None
    """Occurrences on the other table."""
    share: float
    """Probability on that table: exact, or the lower confidence bound."""
    other_share: float
    """On the other table: exact, or the upper confidence bound."""
    bound: float
    """The largest epsilon that is refuted, ln((share - delta) / other_share) or more; 0 if there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LawPicture:
    """Both output laws along one number, for a picture."""

    label: str
    """What the number is."""
    edges: Floats
    """(bins + 1,)."""
    first: Floats
    """Share of the runs (or mass) in each bin on the first table, (bins,)."""
    second: Floats
    thresholds: tuple[float, ...] = ()
    """Where the events begin."""

    __repr__ = short_repr


class _Reported(ABC):
    """What a report is besides its words."""

    __slots__ = ()
    _repr_html_ = html_of("audit.view")

    @abstractmethod
    def to_dict(self) -> dict[str, Json]:
        """Plain dicts, lists and numbers, as a file has them."""

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport(_Reported):
    """A lower bound on epsilon at the claim's delta.

    `violated` says whether it exceeds the claim, or whether noise is not drawn as certificates state.
    """

    subject: str
    """What was audited."""
    method: str
    """"exact", "statistical" or "one run"."""
    claim: Claim
    bound: float
    """Lower bound on epsilon at the claim's delta; infinity where an event separates the tables."""
    violated: bool
    pair: str
    """The two neighbouring tables, in words."""
    events: tuple[Event, ...]
    confidence: float | None
    """Probability with which the bound is one; None where it is exact, up to quadrature."""
    runs: int | None
    """On each of the two tables, or canaries in one run; None in an exact audit."""
    advantage: float
    """Advantage of the best test found between the two tables: exact, or a lower confidence bound."""
    picture: LawPicture | None = field(default=None, compare=False)
    drawn: tuple[Watch, ...] = field(default=(), compare=False)
    """What left runs of the mechanism, beside the laws that its certificate states."""

    __repr__ = short_repr

    @property
    def verdict(self) -> str:
        """In three words or fewer."""
        return "violated" if self.violated else "no violation found"

    def __str__(self) -> str:
        """For people."""
        how = "exact" if self.confidence is None else f"{self.method}, confidence {self.confidence:.10g}"
        runs = "" if self.runs is None else f", {self.runs} {'canaries' if self.method == 'one run' else 'runs on each table'}"
        lines = [
            f"Subject      {self.subject}",
            f"Pair         {self.pair}",
            f"Method       {how}{runs}",
            f"Claim        {self.claim}",
            f"Bound        epsilon >= {number(self.bound)} at delta {self.claim.delta:.3g}",
            *(f"Event        {event_words(event)}" for event in self.events),
            f"Membership   advantage of the best test {self.advantage:.4f}; the claim allows {self.claim.advantage:.4f}",
            *drawn_lines(self.drawn),
            f"Verdict      {self.verdict}",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Json]:
        """For files; an infinite bound is null, and then `separated` is true."""
        return {
            "subject": self.subject,
            "method": self.method,
            "pair": self.pair,
            "claim": self.claim.to_dict(),
            "bound": finite(self.bound),
            "separated": math.isinf(self.bound),
            "violated": self.violated,
            "verdict": self.verdict,
            "confidence": self.confidence,
            "runs": self.runs,
            "events": [{**asdict(event), "bound": finite(event.bound)} for event in self.events],
            "advantage": self.advantage,
            "advantage_allowed": self.claim.advantage,
            "drawn": [watch.to_dict() for watch in self.drawn],
        }

    def plot(self) -> Svg:
        """Both output distributions as an SVG picture, as text; see `discreet.display.audit`."""
        return pictured("audit.plot", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnReport(_Reported):
    """Whether the outputs of many runs on a simulated table have the distributions that the certificates state."""

    subject: str
    watches: tuple[Watch, ...]

    __repr__ = short_repr

    @property
    def violated(self) -> bool:
        """Whether a law is not as stated; with probability FALSE_ALARM a watch where all are."""
        return not all(watch.as_stated for watch in self.watches)

    @property
    def verdict(self) -> str:
        """What was found, in about four words."""
        return "not drawn as stated" if self.violated else "drawn as stated"

    def __str__(self) -> str:
        """For people."""
        method = f"Method       drawn, noise recovered from what leaves, false alarm {FALSE_ALARM:g}"
        return "\n".join([f"Subject      {self.subject}", method, *drawn_lines(self.watches), f"Verdict      {self.verdict}"])

    def to_dict(self) -> dict[str, Json]:
        """Plain dicts, lists and numbers, as a file has them."""
        drawn: list[Json] = [watch.to_dict() for watch in self.watches]
        return {"subject": self.subject, "method": "drawn", "violated": self.violated, "verdict": self.verdict, "drawn": drawn}

    def plot(self) -> Svg:
        """Raise InvalidInput: two output laws are drawn where two tables are compared."""
        raise InvalidInput(f"the audit of {self.subject!r} uses a single table, so there are no two output distributions to draw. Leave out --plot.")


Audited: TypeAlias = Callable[[Target], AuditReport]


def drawn_lines(watches: tuple[Watch, ...]) -> list[str]:
    """One line of every kind of noise."""
    return [f"Drawn        {line}" for watch in watches for line in watch.lines()]


def event_words(event: Event) -> str:
    """One event on one line."""
    counts = "" if event.hits is None else f" ({event.hits} against {event.misses} times)"
    shares = f"{event.share:.4g} on {event.likelier}, {event.other_share:.4g} on the other{counts}"
    return f"{event.description}: {shares}; epsilon >= {number(event.bound)}"


def number(bound: float) -> str:
    """A bound in four digits."""
    return "infinity" if math.isinf(bound) else f"{bound:.4g}"


def finite(bound: float) -> float | None:
    """JSON has no infinity."""
    return None if math.isinf(bound) else bound
