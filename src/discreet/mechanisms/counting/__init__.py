"""Mechanisms that answer counting queries in exact integers, with their proof note beside them (counting.md)."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.mechanisms.counting.base import CountingMechanism
    from discreet.mechanisms.counting.choice import CountsPlan, deviation_of, least_noise, noise_to_compose
    from discreet.mechanisms.counting.gaussian import GaussianCounting
    from discreet.mechanisms.counting.laplace import LaplaceCounting
    from discreet.mechanisms.counting.moments import Moments
    from discreet.mechanisms.counting.queries import BoundedSum, Histogram, IntegerQuery, Queries, Sensitivity
    from discreet.mechanisms.counting.scored import ScoredClasses
    from discreet.mechanisms.counting.summaries import MISSING, Cells, Summary
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "MISSING",
    "BoundedSum",
    "Cells",
    "CountingMechanism",
    "CountsPlan",
    "GaussianCounting",
    "Histogram",
    "IntegerQuery",
    "LaplaceCounting",
    "Moments",
    "Queries",
    "ScoredClasses",
    "Sensitivity",
    "Summary",
    "deviation_of",
    "least_noise",
    "noise_to_compose",
]
