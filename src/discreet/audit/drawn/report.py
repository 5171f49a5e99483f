"""What a watch of a mechanism found, where no lower bound on epsilon goes with it."""

import json
from dataclasses import dataclass

from discreet.accounting import Json
from discreet.audit.drawn.parts import FALSE_ALARM, Watch
from discreet.core.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnReport:
    """Whether what left many runs on an invented table has the laws that certificates state."""

    subject: str
    watches: tuple[Watch, ...]

    @property
    def violated(self) -> bool:
        """Whether a law is not as stated; with probability FALSE_ALARM a watch where all are."""
        return not all(watch.as_stated for watch in self.watches)

    @property
    def verdict(self) -> str:
        """In four words."""
        return "not drawn as stated" if self.violated else "drawn as stated"

    def __str__(self) -> str:
        """For people."""
        lines = [
            f"Subject      {self.subject}",
            f"Method       drawn, noise recovered from what leaves, false alarm {FALSE_ALARM:g}",
            *drawn_lines(self.watches),
            f"Verdict      {self.verdict}",
        ]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Json]:
        """For files."""
        return {
            "subject": self.subject,
            "method": "drawn",
            "violated": self.violated,
            "verdict": self.verdict,
            "drawn": [watch.to_dict() for watch in self.watches],
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def plot(self) -> str:
        """Raise InvalidInput: two output laws are drawn where two tables are compared."""
        raise InvalidInput(f"the audit of {self.subject!r} is of one table and has no two output laws to draw; leave --plot out.")


def drawn_lines(watches: tuple[Watch, ...]) -> list[str]:
    """One line of every kind of noise."""
    return [f"Drawn        {line}" for watch in watches for line in watch.lines()]
