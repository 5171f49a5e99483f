"""Solvers: minimisers with a certified gradient norm; the soft-margin machine by its dual; equations with a noisy matrix. None knows of privacy."""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.solvers.many import solve_many
    from discreet.solvers.newton import solve
    from discreet.solvers.noisy_equations import NoisyMatrix
    from discreet.solvers.objective import Objective, Solution, Status
    from discreet.solvers.soft_margin import SoftMargin, solve_soft_margin
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["NoisyMatrix", "Objective", "SoftMargin", "Solution", "Status", "solve", "solve_many", "solve_soft_margin"]
