"""What every mechanism for least squares is: a frozen value that knows its guarantee before it sees a record.

The value released is the weights (m,); the covariance of their error and the residuals' deviation are functions of the same noisy answers, so they
may be published with the weights at no further cost. The guarantee is stated and spent before noise is drawn.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from discreet.accounting import Guarantee, Json
from discreet.certificates import Certificate, Hypothesis, Release, digest_of
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.core.version import VERSION
from discreet.data import RealDataset
from discreet.ledger import Account, spending_on
from discreet.mechanisms.regression.belief import Equations
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.noise import Noise
from discreet.statements import hypotheses_of


class Fitted(NamedTuple):
    """Post-processing of noisy answers: public."""

    weights: Floats
    """(m,)."""
    covariance: Floats | None
    """Of the weights' error, (m, m): noise and sample together; None where nothing is known of it."""
    residual_deviation: float | None
    """The root mean square of y - <x, theta>, or cautiously more where it is known with noise only."""
    equations: Equations | None = None
    """What is known of the population's weights without a prior, whatever law errors have."""
    symmetric: Equations | None = None
    """The same if errors are symmetric around the line."""


class RegressionMechanism(ABC):
    """A calibrated mechanism that releases the weights of a linear regression. Subclasses are final frozen dataclasses with a field `neighbours`."""

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
    def guarantee(self, problem: LeastSquares) -> Guarantee:
        """What one run promises on this public problem; needs no data."""

    def hypotheses(self, problem: LeastSquares) -> tuple[Hypothesis, ...]:
        """The conditions of the theorem, and what enforces each, from what a certificate records (`discreet.statements`)."""
        return hypotheses_of(self.name, self.parameters(), problem.record())

    @abstractmethod
    def explained(self, problem: LeastSquares) -> str:
        """What is released with how much noise, and why, in words with public numbers."""

    def most_records(self, problem: LeastSquares) -> int:
        """The longest table that the guarantee covers: longer ones are refused before anything is spent."""
        return problem.most_records

    @abstractmethod
    def draw(self, problem: LeastSquares, data: RealDataset, noise: Noise) -> Fitted:
        """One output; `problem.require(data)` has passed."""

    def run(self, problem: LeastSquares, data: RealDataset, noise: Noise, *, account: Account | None = None) -> tuple[Release, Fitted]:
        """Release weights once, shape (dimension,), and spend on `account`, or on the ledger in use (`discreet.ledger.using`).

        Raises BudgetExceeded before anything is drawn, InvalidInput for a data set of another domain or beyond `most_records`.
        """
        guarantee = self.guarantee(problem)
        problem.require(data)
        if data.records > self.most_records(problem):
            raise InvalidInput(
                f"this mechanism was planned for at most {self.most_records(problem)} records, and the table is longer. Declare their number, "
                "roughly, as public_records."
            )
        with spending_on(account, guarantee, purpose=self.name, table=data.content()) as reservation:
            fitted = self.draw(problem, data, noise)
        certificate = Certificate(
            mechanism=self.name,
            parameters=self.parameters(),
            problem=problem.record(),
            guarantee=guarantee,
            hypotheses=self.hypotheses(problem),
            noise=noise.description,
            noise_private=noise.private,
            digest=digest_of(fitted.weights),
            version=VERSION,
            ledger_entry=None if reservation is None else reservation.id,
        )
        return Release(value=fitted.weights, certificate=certificate), fitted
