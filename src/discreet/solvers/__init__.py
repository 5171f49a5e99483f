"""Solvers: unconstrained minimisers of smooth, strongly convex functions, with a certified gradient norm. They know nothing of privacy."""

from discreet.solvers.many import solve_many
from discreet.solvers.objective import Objective
from discreet.solvers.single import solve
from discreet.solvers.solution import Solution, Status

__all__ = ["Objective", "Solution", "Status", "solve", "solve_many"]
