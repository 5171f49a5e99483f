"""Planning before there are records: how many are needed for an error at an epsilon, as a bound and as a simulation."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.planning.persons import Way, rows_kept, ways_of
    from discreet.planning.plan import Plan, PlannedBound, least_epsilon, proved_at
    from discreet.planning.set_plan import NeededRecords, SetBound, SetPlan, SetRisk
    from discreet.planning.set_simulate import SimulatedOverSet, simulate_over_set
    from discreet.planning.simulation import EPSILONS, Simulated, SimulatedEpsilon, bracket, simulate, simulate_epsilons
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = [
    "EPSILONS",
    "NeededRecords",
    "Plan",
    "PlannedBound",
    "SetBound",
    "SetPlan",
    "SetRisk",
    "Simulated",
    "SimulatedEpsilon",
    "SimulatedOverSet",
    "Way",
    "bracket",
    "least_epsilon",
    "proved_at",
    "rows_kept",
    "simulate",
    "simulate_epsilons",
    "simulate_over_set",
    "ways_of",
]
