"""What every learning mechanism is: a frozen value that knows its guarantee before it sees a record.

A mechanism holds public parameters only. `calibrate` (a class method of each) chooses them for a target, `guarantee` computes what they
promise without data, `run` draws the noise and releases. The guarantee is stated first in `run`, so nothing is drawn for a mechanism that
promises nothing it can compute.
"""

from abc import ABC, abstractmethod
from dataclasses import asdict, is_dataclass
from typing import Generic, TypeVar

import numpy as np

from discreet.accounting import Guarantee, Json, compose
from discreet.certificates import Certificate, Release, digest_of
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.version import VERSION
from discreet.data import Dataset
from discreet.ledger import Account, spending_on
from discreet.mechanisms.hypotheses import AnyRisk, problem_record
from discreet.noise import Noise
from discreet.problems import RegularisedRisk
from discreet.statements import Hypothesis, hypotheses_of

P = TypeVar("P", bound=AnyRisk)
"""The public problem that a mechanism is for."""


class Mechanism(ABC, Generic[P]):
    """A calibrated mechanism that releases the weights of linear models. Subclasses are final frozen dataclasses with a field `neighbours`."""

    __slots__ = ()

    neighbours: Neighbours
    """The relation it was calibrated for."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in certificates, and of the registered recheck."""

    @abstractmethod
    def guarantee(self, problem: P) -> Guarantee:
        """What one run promises on this public problem; needs no data."""

    @abstractmethod
    def weight_noise(self, problem: P) -> float:
        """About how far the noise alone moves the weights, in Euclidean norm; at most that far for noise in the objective. Public, in no proof."""

    def hypotheses(self, problem: P) -> tuple[Hypothesis, ...]:
        """The conditions of the theorem, and what enforces each, from what a certificate records (`discreet.statements`)."""
        return hypotheses_of(self.name, self._parameters(), problem_record(problem))

    @abstractmethod
    def draw(self, problem: P, data: Dataset, noise: Noise, count: int) -> Floats:
        """`count` independent outputs as columns, (dimension, count). Raises SolverFailure, having spent."""

    def run(self, problem: P, data: Dataset, noise: Noise, *, account: Account | None = None) -> Release:
        """Release the weights once, shape (dimension,), and spend on `account`, or on the ledger in use (`discreet.ledger.using`).

        Raises BudgetExceeded before anything is drawn; SolverFailure when the tolerance of the proof cannot be certified: the budget then counts
        as spent and nothing is released.
        """
        guarantee = self.guarantee(problem)
        with spending_on(account, guarantee, purpose=self.name, table=data.content()) as reservation:
            value = self.draw(problem, data, noise, 1)[:, 0]
        return self._certified(problem, guarantee, noise, value, releases=1, entry=None if reservation is None else reservation.id)

    def run_many(self, problem: P, data: Dataset, noise: Noise, count: int, *, account: Account | None = None) -> Release:
        """`count` independent releases as columns (dimension, count); one certificate covers all of them together, so epsilon and delta add up."""
        if count < 1:
            raise InvalidInput(f"the number of releases must be at least 1; {count!r} was given.")
        guarantee = compose([self.guarantee(problem)] * count)
        with spending_on(account, guarantee, purpose=f"{self.name}, {count} releases", table=data.content()) as reservation:
            value = self.draw(problem, data, noise, count)
        return self._certified(problem, guarantee, noise, value, releases=count, entry=None if reservation is None else reservation.id)

    def planned(self, problem: P) -> Certificate:
        """The certificate of `run`, but for its value, noise and ledger: from public numbers alone. It never verifies."""
        return Certificate(
            mechanism=self.name,
            parameters=self._parameters(),
            problem=problem_record(problem),
            guarantee=self.guarantee(problem),
            hypotheses=self.hypotheses(problem),
            noise="none was drawn: a plan",
            noise_private=False,
            digest=digest_of(np.zeros(problem.dimension)),
            version=VERSION,
        )

    def _certified(self, problem: P, guarantee: Guarantee, noise: Noise, value: Floats, *, releases: int, entry: str | None) -> Release:
        certificate = Certificate(
            mechanism=self.name,
            parameters=self._parameters(),
            problem=problem_record(problem),
            guarantee=guarantee,
            hypotheses=self.hypotheses(problem),
            noise=noise.description,
            noise_private=noise.private,
            digest=digest_of(value),
            version=VERSION,
            releases=releases,
            ledger_entry=entry,
        )
        return Release(value=value, certificate=certificate)

    def _parameters(self) -> dict[str, Json]:
        if not is_dataclass(self):
            raise TypeError(f"{type(self).__name__} must be a dataclass")
        named: dict[str, Json] = {}
        for key, value in asdict(self).items():
            match value:
                case Neighbours():
                    named[key] = str(value)
                case dict():
                    named |= {f"{key}_{part}": number for part, number in value.items()}
                case _:
                    named[key] = value
        return named


class LearningMechanism(Mechanism[RegularisedRisk]):
    """A mechanism for one linear model of two classes."""

    __slots__ = ()
