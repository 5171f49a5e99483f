"""Counting with discrete Laplace noise of one scale for all queries: epsilon = (sum over j of D_j) / t (proof note counting.md, theorem 1)."""

from dataclasses import dataclass
from typing import Self

from discreet.core.neighbours import Neighbours
from discreet.mechanisms.counting.laplace import LaplaceCounting
from discreet.mechanisms.counting.queries import Queries


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikeCounting(LaplaceCounting):
    """Counting queries whose answers are all equally noisy."""

    name = "counting-alike"

    @classmethod
    def calibrated(cls, problem: Queries, *, epsilon: float, neighbours: Neighbours) -> Self:
        """The least noise for epsilon: each query has the share of its sensitivity."""
        sizes = [move.manhattan for move in problem.sensitivities(neighbours)]
        return cls.calibrate(problem, epsilon=epsilon, neighbours=neighbours, shares=[size / sum(sizes) for size in sizes])
