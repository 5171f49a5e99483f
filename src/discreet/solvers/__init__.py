"""Solvers: minimisers with a certified gradient norm; the soft-margin machine by its dual. They know nothing of privacy."""

from discreet.solvers.many import solve_many
from discreet.solvers.objective import Objective
from discreet.solvers.single import solve
from discreet.solvers.soft_margin import SoftMargin, solve_soft_margin
from discreet.solvers.solution import Solution, Status

__all__ = ["Objective", "SoftMargin", "Solution", "Status", "solve", "solve_many", "solve_soft_margin"]
