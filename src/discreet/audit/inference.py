"""What the numbers mean to one person: can somebody tell whether they are in the table, or what their attribute is?

    membership   two tables, with the record and without (or with another one): the best test's advantage, true minus false alarms
    attribute    k tables that differ in one attribute of one record: how often a guess from the output is right, against 1 / k without the output

Both are bounded by the claim (module `claim`). Attacks are learnt on half of the runs and measured on the other half, with Clopper-Pearson bounds,
so `lower` is a lower confidence bound on what the best attacker achieves, and one above `allowed` refutes the claim. The attacker knows all other
records.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.accounting import Json
from discreet.audit.claim import Claim
from discreet.audit.scores import learnt
from discreet.audit.statistical import OneRun, best_event, lower_share, outputs_of
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How often guesses about one record were right."""

    question: str
    tables: int
    """How many answers there are, equally likely."""
    guesses: int
    right: int
    lower: float
    """Lower confidence bound on the accuracy of the best attacker."""
    allowed: float
    """What the claim allows."""
    confidence: float

    @property
    def blind(self) -> float:
        """Accuracy of guessing without the output."""
        return 1.0 / self.tables

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.lower > self.allowed

    def __str__(self) -> str:
        """One line."""
        return (
            f"{self.question}: {self.right} of {self.guesses} guesses right ({self.right / self.guesses:.1%}), at least {self.lower:.1%} "
            f"at confidence {self.confidence:g}; {self.blind:.1%} without the output; the claim allows {self.allowed:.1%}"
        )

    def to_dict(self) -> dict[str, Json]:
        """Plain dicts, lists and numbers, as a file has them."""
        return {**asdict(self), "blind": self.blind, "violated": self.violated}


def membership_inference(
    run: OneRun, pair: tuple[Any, Any], claim: Claim, *, runs: int = 2000, confidence: float = 0.999, batch: bool = False
) -> Inference:
    """Guess whether it was the first table of `pair` (with the record) or the second (without it, or with another). Arguments as for `audit`."""
    return _guessed("is the record in the table", run, pair, claim, runs=runs, confidence=confidence, batch=batch)


def attribute_inference(
    run: OneRun, tables: Sequence[Any], claim: Claim, *, runs: int = 2000, confidence: float = 0.999, batch: bool = False
) -> Inference:
    """Guess the value of an attribute. `tables` (two or more) differ in one attribute of one record and are neighbours under replace-one."""
    return _guessed("which value has the attribute", run, tables, claim, runs=runs, confidence=confidence, batch=batch)


def _guessed(question: str, run: OneRun, tables: Sequence[Any], claim: Claim, *, runs: int, confidence: float, batch: bool) -> Inference:
    if len(tables) < 2:
        raise InvalidInput("inference is about two tables or more, one for each answer.")
    outputs = outputs_of(run, tables, runs=runs, confidence=confidence, batch=batch)
    half = runs // 2
    votes = np.zeros((len(tables), len(tables) * (runs - half)))
    tested = np.concatenate([output[half:] for output in outputs])
    for i, near in enumerate(outputs):
        for j in range(i):
            margin = _judge(near[:half], outputs[j][:half])(tested)
            votes[i] += margin
            votes[j] -= margin
    truth = np.repeat(np.arange(len(tables)), runs - half)
    right = int(np.sum(votes.argmax(axis=0) == truth))
    return Inference(
        question=question,
        tables=len(tables),
        guesses=len(truth),
        right=right,
        lower=_lower(votes.argmax(axis=0) == truth, len(tables), 1.0 - confidence),
        allowed=claim.accuracy(len(tables)),
        confidence=confidence,
    )


def _lower(right: np.ndarray, tables: int, failure: float) -> float:
    """The mean of lower bounds for each true table, each failing with an equal share: the truth is drawn as often for each."""
    each = right.reshape(tables, -1)
    return float(np.mean([lower_share(int(part.sum()), len(part), failure / tables) for part in each]))


def _judge(near: Floats, far: Floats) -> Callable[[Floats], Floats]:
    """+-1/2 votes between two tables: by the event that told them apart best on half of the runs, of scores that were learnt on the other half."""
    half = len(near) // 2
    event = best_event(list(learnt(near[:half], far[:half])), 1, near[half:], far[half:], lambda p, q: p - q)
    return lambda z: np.where(event.of(z), 0.5, -0.5)
