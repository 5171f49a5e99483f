"""How far one record moves the minimiser of a strongly convex objective, and the approximate minimiser itself.

G_D and G_D' differ by the losses of k records (1 under add-remove, 2 under replace-one), whose gradients are at most G = c_max L R each.
G_D is lambda-strongly convex, so |argmin G_D - argmin G_D'| <= k G / lambda (Chaudhuri, Monteleoni, Sarwate 2011, lemma 7 and corollary 8),
and each computed minimiser is within tau / lambda of the exact one.
"""

import numpy as np

from discreet.core.arrays import Floats
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.core.rounding import raising
from discreet.data import Records
from discreet.mechanisms.learning.minimise import minimisers
from discreet.problems import RegularisedRisk


def minimiser_sensitivity(problem: RegularisedRisk, *, neighbours: Neighbours) -> float:
    """k G / lambda, rounded up."""
    changed = 1.0 if neighbours is ADD_REMOVE else 2.0
    return changed * problem.gradient_bound / problem.strong_convexity * raising(45)


def one_minimiser(problem: RegularisedRisk, data: Records, tolerance: float) -> Floats:
    """The minimiser of G to gradient norm `tolerance`, as a column (dimension, 1); raises SolverFailure."""
    return minimisers(problem, data, np.zeros((problem.dimension, 1)), tolerance)
