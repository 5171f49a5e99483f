"""Planning before there are records: how many are needed for an error at an epsilon, as a bound and as a simulation."""

from discreet.planning.plan import Plan, PlannedBound
from discreet.planning.plot import plan_plot
from discreet.planning.simulate import Simulated, simulate

__all__ = ["Plan", "PlannedBound", "Simulated", "plan_plot", "simulate"]
