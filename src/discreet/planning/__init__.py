"""Planning before there are records: how many are needed for an error at an epsilon, as a bound and as a simulation."""

from discreet.planning.plan import Plan, PlannedBound
from discreet.planning.plot import plan_plot
from discreet.planning.set_plan import NeededRecords, SetBound, SetPlan, SetRisk
from discreet.planning.set_simulate import SimulatedOverSet, simulate_over_set
from discreet.planning.simulate import Simulated, simulate

__all__ = [
    "NeededRecords",
    "Plan",
    "PlannedBound",
    "SetBound",
    "SetPlan",
    "SetRisk",
    "Simulated",
    "SimulatedOverSet",
    "plan_plot",
    "simulate",
    "simulate_over_set",
]
