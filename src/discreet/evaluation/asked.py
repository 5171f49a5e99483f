"""What every plan of queries has: the relation, whose rows are whose, what is asked, and how a record is read."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

from discreet.core.neighbours import ADD_REMOVE, Neighbours, Persons
from discreet.evaluation.outcomes import Outcomes
from discreet.mechanisms.counting import Queries
from discreet.noise import Integers


@dataclass(frozen=True, kw_only=True)
class Asked(ABC):
    """Base of plans; public."""

    metrics: tuple[str, ...]
    neighbours: Neighbours
    persons: Persons | None = None
    """Whose rows are whose; None where the unit of privacy is a row."""

    @abstractmethod
    def queries(self) -> Queries:
        """The queries on the records."""

    @property
    @abstractmethod
    def wanted(self) -> frozenset[str]:
        """The predictions that the model must provide."""

    @abstractmethod
    def read(self, outcomes: Outcomes) -> list[Integers]:
        """What each query reads of every record, (n, ..); private, and a function of this record alone."""

    @abstractmethod
    def nothing(self) -> list[Integers]:
        """The result of `read` for an empty table."""

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""

    @property
    def shared(self) -> bool:
        """Whether somebody may have several rows, which share one record's weight."""
        return self.persons is not None and self.persons.several

    @property
    def by_rows(self) -> bool:
        """Whether such rows count alike, and not persons."""
        return self.persons is not None and self.persons.by_rows

    @property
    def secret(self) -> bool:
        """Whether nobody knows what all records weigh."""
        return self.neighbours is ADD_REMOVE or self.by_rows
