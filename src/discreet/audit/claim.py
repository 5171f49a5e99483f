"""What is claimed and audited, and how hard: P(S) <= e^epsilon P'(S) + delta for every event, in both orders of the pair.

It bounds what anybody can infer. With any test between the two tables, advantage = P(says "first" | first) - P(says "first" | second),

    advantage <= (e^epsilon - 1 + 2 delta) / (e^epsilon + 1)

and whoever guesses which of k equally likely tables it was, all of which are neighbours, is right with probability

    accuracy <= (e^epsilon + (k - 1) delta) / (e^epsilon + k - 1)

Proof. Let A_i be the event that i is guessed, S = sum_i P_i(A_i). P_i(A_i) <= e^epsilon P_j(A_i) + delta for all j != i; summed over j and i,
(k - 1) S <= e^epsilon sum_j (1 - P_j(A_j)) + k (k - 1) delta = e^epsilon (k - S) + k (k - 1) delta. QED. With k = 2 this is the first bound, since
accuracy = (1 + advantage) / 2. Both are reached: by the mechanism that tells all with probability delta and is randomised response otherwise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from discreet.accounting import ApproximateDP, Guarantee, Json, NoGuarantee, PureDP, epsilon_for
from discreet.audit.persons import WorstPerson
from discreet.core.arrays import is_finite
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Privacy

Progress: TypeAlias = Callable[[int, int], None]
"""Told (runs done, runs in all)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One point of a privacy curve. Raises InvalidInput for invalid numbers."""

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        """See class docstring."""
        if not (is_finite(self.epsilon) and self.epsilon >= 0 and 0 <= self.delta < 1):
            raise InvalidInput(
                f"a claim needs 0 <= epsilon < infinity and 0 <= delta < 1; epsilon={self.epsilon!r}, delta={self.delta!r} were given."
            )

    @classmethod
    def of(cls, guarantee: Guarantee, *, delta: float | None = None) -> "Claim":
        """The claim of a guarantee at `delta`; None is its stated delta. Raises InvalidInput if it states none, or guarantees nothing."""
        if isinstance(guarantee, NoGuarantee):
            raise InvalidInput("nothing is promised, so there is no claim to audit. Give the epsilon and delta that you want to refute.")
        if delta is None:
            match guarantee:
                case PureDP():
                    delta = 0.0
                case ApproximateDP(delta_at_epsilon=stated):
                    delta = stated
                case _:
                    raise InvalidInput("the guarantee is a curve: say at which delta it is to be audited.")
        return cls(epsilon=epsilon_for(guarantee, delta), delta=delta)

    @property
    def advantage(self) -> float:
        """The largest advantage that any test between two neighbours can have."""
        return self.accuracy(2) * 2.0 - 1.0

    def accuracy(self, tables: int) -> float:
        """The largest probability of guessing which of `tables` equally likely neighbours it was."""
        others = tables - 1
        return min(1.0, (1.0 + others * self.delta * math.exp(-self.epsilon)) / (1.0 + others * math.exp(-self.epsilon)))

    def to_dict(self) -> dict[str, Json]:
        """Plain dicts, lists and numbers, as a report has them."""
        return {"epsilon": self.epsilon, "delta": self.delta}

    def __str__(self) -> str:
        """The two numbers."""
        return f"epsilon {self.epsilon:.6g}, delta {self.delta:.3g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target(Privacy):
    """What a mechanism is calibrated for, delta 0 where it is pure, and the numbers of a statistical audit."""

    runs: int = 2000
    confidence: float = 0.999
    progress: Progress | None = None
    person: WorstPerson | None = None
    """The unit that is hidden; None for a row."""

    @property
    def sampling(self) -> dict[str, Any]:
        """What a statistical audit is asked, by the names of `audit`."""
        return {"runs": self.runs, "confidence": self.confidence, "progress": self.progress}

    @property
    def claim(self) -> Claim:
        """The two numbers."""
        return Claim(epsilon=self.epsilon, delta=self.delta)
