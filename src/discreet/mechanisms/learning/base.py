"""What the mechanisms for linear classifiers have in common: weights with noise, and several independent ones under one certificate."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from discreet.accounting import Guarantee, Json, compose
from discreet.certificates import Release
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Neighbours
from discreet.data import Records
from discreet.ledger import Account
from discreet.mechanisms.base import Drawn, Mechanism
from discreet.noise import Noise
from discreet.problems import MultinomialRisk, OneVsRestRisk, RegularisedRisk

AnyRisk: TypeAlias = RegularisedRisk | MultinomialRisk | OneVsRestRisk
"""Problems that these mechanisms are for."""
R = TypeVar("R", bound=AnyRisk)


class LearningMechanism(Mechanism[R, Records]):
    """A mechanism whose value is the weights of a linear classifier, (dimension,); of K classes, one after the other."""

    __slots__ = ()

    @abstractmethod
    def weight_noise(self, problem: R) -> float:
        """About how far the noise alone moves the weights, in Euclidean norm; at most that far for noise in the objective. Public, in no proof."""

    @abstractmethod
    def columns(self, problem: R, data: Records, noise: Noise, count: int) -> Floats:
        """`count` independent outputs as columns, (dimension, count). Raises SolverFailure, having spent."""

    def draw(self, problem: R, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return Drawn.of(self.columns(problem, data, noise, 1)[:, 0])

    def run_many(self, problem: R, data: Records, noise: Noise, count: int, *, account: Account | None = None) -> Release:
        """As `run`: `count` independent releases as columns (dimension, count), one certificate for all of them; epsilon and delta add up."""
        return Repeated(each=self, count=count).run(problem, data, noise, account=account)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated(Mechanism[R, Records], Generic[R]):
    """`count` independent releases of one mechanism, as columns (dimension, count). Raises InvalidInput for a count below 1."""

    each: LearningMechanism[R]
    count: int

    def __post_init__(self) -> None:
        """See class docstring."""
        if self.count < 1:
            raise InvalidInput(f"the number of releases must be at least 1; {self.count!r} was given.")

    @property
    def name(self) -> str:
        """That of each."""
        return self.each.name

    @property
    def neighbours(self) -> Neighbours:  # type: ignore[override] # that of each
        """That of each."""
        return self.each.neighbours

    @property
    def releases(self) -> int:
        """See Mechanism."""
        return self.count

    def parameters(self) -> dict[str, Json]:
        """Those of each."""
        return self.each.parameters()

    def guarantee(self, problem: R) -> Guarantee:
        """All together."""
        return compose([self.each.guarantee(problem)] * self.count)

    def draw(self, problem: R, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        return Drawn.of(self.each.columns(problem, data, noise, self.count))
