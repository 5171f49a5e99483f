"""Which few queries answer all the measures that were asked for.

    roc, calibration     histogram class x score bin; accuracy and confusion are read from the same one, since a bin edge is the decision threshold
    confusion            histogram actual class x predicted class; accuracy is read from it
    distance             the same; of classes in order, the mean of |place of the actual class - place of the predicted one|
    accuracy             right or wrong: two cells, or one count where the number of records is public
    log loss             sum over records of round(L min(-log p, C) / C), L = 1024 levels, C a public bound; and the records, where they are secret

A record's integers must not depend on other records, not even by rounding. What a model says of a record does not (module `outcomes`), and here
numbers are only compared with public ones: a loss is never computed, its level is the place of a probability among those where the level changes.

Score bins are public: `bins` equal ones of the probability of the second class, or the edges that the caller gives, in decision values.

Where persons have several rows, a row counts as many parts of 2^-20 as its share of one record's weight allows (module `mechanisms.counting`). Where
rows count alike, what they weigh together is no number of persons, so that it is secret under replace-one too.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from discreet.core.arrays import Floats, is_finite
from discreet.core.errors import InvalidInput, did_you_mean, quoted
from discreet.core.neighbours import ADD_REMOVE
from discreet.core.short import short_repr
from discreet.evaluation.asked import Asked
from discreet.evaluation.outcomes import DECISION, PREDICTED, PROBABILITIES, Outcomes
from discreet.mechanisms.counting import BoundedSum, Histogram, IntegerQuery, Queries
from discreet.mechanisms.counting.losses import LEVELS, loss_levels
from discreet.noise import Integers

METRICS = ("accuracy", "confusion", "log_loss", "roc", "calibration", "distance")
"""What can be measured privately, by name."""
_CURVES = {"roc", "calibration"}
_MOST_BINS = 1000
_DECISIONS = tuple((i - 10) / 5.0 for i in range(21))
"""Edges for decision values where the caller gives none."""


@dataclass(frozen=True, kw_only=True)
class Survey(Asked):
    """A plan of queries about a classifier; public."""

    classes: int
    """K."""
    probabilities: bool
    """Whether scores are probabilities; else decision values."""
    edges: tuple[float, ...] = ()
    """Inner edges of the score bins, rising; bin j holds the scores in (edges[j - 1], edges[j]]."""
    log_loss_bound: float = 5.0
    """C, in nats."""
    main: str = field(init=False)
    """What the histogram counts: "scores", "confusion", "answers", "records", or "" for none."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Raise InvalidInput for what cannot be measured."""
        if not self.metrics or any(metric not in METRICS for metric in self.metrics):
            unknown = next((metric for metric in self.metrics if metric not in METRICS), None)
            hint = did_you_mean(unknown, METRICS) if isinstance(unknown, str) else ""
            raise InvalidInput(f"metrics must be some of {quoted(METRICS)}; {list(self.metrics)!r} was given.{hint}")
        if self.classes < 2:
            raise InvalidInput("a classifier of at least two classes is needed.")
        if _CURVES & set(self.metrics):
            self._check_curves()
        if not (is_finite(self.log_loss_bound) and self.log_loss_bound > 0):
            raise InvalidInput(f"log_loss_bound must be a positive finite number of nats; {self.log_loss_bound!r} was given.")
        if "log_loss" in self.metrics and not self.probabilities:
            raise InvalidInput("log_loss needs a model with probabilities; this one has decision values only. Leave log_loss out.")
        object.__setattr__(self, "main", self._main())

    @property
    def threshold(self) -> float:
        """Above it the second class is predicted."""
        return 0.5 if self.probabilities else 0.0

    @property
    def has_sum(self) -> bool:
        """Whether there is a sum of losses."""
        return "log_loss" in self.metrics

    def queries(self) -> Queries:
        """At most one histogram or count, and at most one sum."""
        asked: list[IntegerQuery] = []
        match self.main:
            case "scores":
                asked.append(Histogram(cells=2 * (len(self.edges) + 1)))
            case "confusion":
                asked.append(Histogram(cells=self.classes**2))
            case "answers":
                asked.append(Histogram(cells=2) if self.secret else BoundedSum(largest=1))
            case "records":
                asked.append(Histogram(cells=1) if self.neighbours is ADD_REMOVE else BoundedSum(largest=1))
        return Queries((*asked, BoundedSum(largest=LEVELS)) if self.has_sum else asked, self.persons)

    @property
    def wanted(self) -> frozenset[str]:
        """The predictions that the model must provide."""
        scores = PROBABILITIES if self.probabilities else DECISION
        asked = [(self.main == "scores", scores), (self.main in {"confusion", "answers"}, PREDICTED), (self.has_sum, PROBABILITIES)]
        return frozenset(answer for needed, answer in asked if needed)

    def nothing(self) -> list[Integers]:
        """The result of `read` for an empty table."""
        return [np.zeros(0, dtype=np.int64) for _ in self.queries().each]

    def read(self, outcomes: Outcomes) -> list[Integers]:
        """One integer of every record for each query; private, and a function of this record alone (see the module docstring)."""
        found: list[Integers] = []
        match self.main:
            case "scores":
                scores = self._scores(outcomes)
                bins = np.searchsorted(np.asarray(self.edges), scores, side="left")
                found.append(outcomes.codes * (len(self.edges) + 1) + bins)
            case "confusion":
                found.append(outcomes.codes * self.classes + outcomes.predicted_codes)
            case "answers":
                found.append((outcomes.codes == outcomes.predicted_codes).astype(np.int64))
            case "records":
                found.append(np.full(outcomes.records, 0 if self.neighbours is ADD_REMOVE else 1, dtype=np.int64))
        return [*found, self._losses(outcomes)] if self.has_sum else found

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "metrics": list(self.metrics),
            "score": None if self.main != "scores" else ("probability" if self.probabilities else "decision value"),
            "edges": list(self.edges) if self.main == "scores" else None,
            "log_loss_bound": self.log_loss_bound if self.has_sum else None,
        }

    def _main(self) -> str:
        if _CURVES & set(self.metrics):
            return "scores"
        for metric, name in (("confusion", "confusion"), ("distance", "confusion"), ("accuracy", "answers")):
            if metric in self.metrics:
                return name
        return "records" if self.secret else ""

    def _check_curves(self) -> None:
        if self.classes != 2:
            raise InvalidInput(f"roc and calibration need two classes; the model has {self.classes}. Ask for accuracy, confusion or log_loss.")
        if "calibration" in self.metrics and not self.probabilities:
            raise InvalidInput("calibration needs a model with probabilities; this one has decision values only. Ask for roc.")
        rising = all(left < right for left, right in zip(self.edges, self.edges[1:], strict=False))
        if not self.edges or len(self.edges) >= _MOST_BINS or not all(map(math.isfinite, self.edges)) or not rising:
            raise InvalidInput(f"the edges of score bins must be 1 to {_MOST_BINS - 1} finite, increasing numbers.")
        if self.threshold not in self.edges:
            raise InvalidInput(f"{self.threshold:g} must be one of the edges of the score bins, because the decision changes there.")

    def _scores(self, outcomes: Outcomes) -> Floats:
        if self.probabilities and outcomes.probabilities is not None:
            return outcomes.probabilities[:, 1]
        if outcomes.decision is None or outcomes.decision.ndim != 1:
            raise InvalidInput("the model gives neither probabilities nor decision values for these records.")
        return outcomes.decision

    def _losses(self, outcomes: Outcomes) -> Integers:
        if outcomes.probabilities is None:
            raise InvalidInput("the model gives no probabilities for these records.")
        likely = outcomes.probabilities[np.arange(outcomes.records), outcomes.codes]
        return loss_levels(likely, self.log_loss_bound)


def edges_for(*, probabilities: bool, bins: int, edges: Sequence[float] | None) -> tuple[float, ...]:
    """The caller's edges, or those of `bins` equal bins of probabilities (an even number), or standard ones for decision values."""
    if edges is not None:
        return tuple(float(edge) for edge in edges)
    if isinstance(bins, bool) or not isinstance(bins, int) or bins % 2 or not 2 <= bins <= _MOST_BINS:
        raise InvalidInput(f"bins must be an even number from 2 to {_MOST_BINS}, so that 1/2 is an edge; {bins!r} was given.")
    return tuple(i / bins for i in range(1, bins)) if probabilities else _DECISIONS
