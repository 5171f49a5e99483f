"""What every mechanism over a constraint set is: a frozen value that knows its guarantee before it sees a record.

A mechanism holds public numbers only. `calibrate` (a class method of each) chooses them for a target, `guarantee` computes what they promise without
data, `run` draws the noise and releases a point of the set. The guarantee is stated and spent before noise is drawn.
"""

from abc import ABC, abstractmethod

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate, Hypothesis, Release, digest_of
from discreet.core.arrays import Floats
from discreet.core.neighbours import Neighbours
from discreet.core.version import VERSION
from discreet.data import RealDataset
from discreet.ledger import Account, spending_on
from discreet.mechanisms.constrained.records import constrained_record
from discreet.noise import Noise
from discreet.problems import ConstrainedRisk, PredictionSum
from discreet.statements import hypotheses_of


class ConstrainedMechanism(ABC):
    """A calibrated mechanism that releases a point of the constraint set. Subclasses are final frozen dataclasses with a field `neighbours`."""

    __slots__ = ()

    neighbours: Neighbours
    """The relation it was calibrated for."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in certificates, and of the registered recheck."""

    @abstractmethod
    def parameters(self) -> dict[str, Json]:
        """The public numbers of the mechanism, for certificates: everything that its recheck reads."""

    @abstractmethod
    def guarantee(self, problem: ConstrainedRisk) -> Guarantee:
        """What one run promises on this public problem; needs no data."""

    def hypotheses(self, problem: ConstrainedRisk) -> tuple[Hypothesis, ...]:
        """The conditions of the theorem, and what enforces each, from what a certificate records (`discreet.statements`)."""
        return hypotheses_of(self.name, self.parameters(), constrained_record(problem))

    @abstractmethod
    def draw(self, problem: ConstrainedRisk, objective: PredictionSum, noise: Noise) -> Floats:
        """One output, shape (dimension,)."""

    def run(self, problem: ConstrainedRisk, data: RealDataset, noise: Noise, *, account: Account | None = None) -> Release:
        """Release a model once, shape (dimension,), and spend on `account`, or on the ledger in use (`discreet.ledger.using`).

        Raises BudgetExceeded before anything is drawn, InvalidInput for a data set of another domain or beyond `problem.most_records`.
        """
        guarantee = self.guarantee(problem)
        objective = problem.objective(data)
        with spending_on(account, guarantee, purpose=self.name, table=data.content()) as reservation:
            value = self.draw(problem, objective, noise)
        certificate = Certificate(
            mechanism=self.name,
            parameters=self.parameters(),
            problem=constrained_record(problem),
            guarantee=guarantee,
            hypotheses=self.hypotheses(problem),
            noise=noise.description,
            noise_private=noise.private,
            digest=digest_of(value),
            version=VERSION,
            ledger_entry=None if reservation is None else reservation.id,
        )
        return Release(value=value, certificate=certificate)
