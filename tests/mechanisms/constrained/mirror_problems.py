"""Small problems over sets, for tests of mirror descent and objective perturbation."""

import numpy as np

from discreet.data import Domain, Records
from discreet.losses.predictions import Absolute
from discreet.matrices import as_matrix
from discreet.problems import ConstrainedRisk
from discreet.sets import L2Ball


def data_set(problem, rows, targets):
    return Records(rows=as_matrix(np.asarray(rows, dtype=float)), targets=np.asarray(targets, dtype=float), domain=problem.domain)


def line(*, records=None, loss=None, norm=1.0):
    """One dimension, the interval [-1, 1]; the absolute loss has slope -1 at a target of 1, wherever the walk is."""
    domain = Domain(features=1, norm_bound=norm, records=records, target_bound=1.0)
    return ConstrainedRisk(loss=Absolute() if loss is None else loss, constraint=L2Ball(dimension=1), domain=domain)


def regression(constraint, loss, *, records, noise=0.1, seed=0, public=True):
    """A problem and a table of it: rows of norm 1, a model at half the size of the set in its first coordinate."""
    generator = np.random.default_rng(seed)
    rows = generator.normal(size=(records, constraint.dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    targets = 0.5 * rows[:, 0] + noise * generator.normal(size=records)
    if loss.signed_targets:
        targets = np.sign(targets)
    domain = Domain(features=constraint.dimension, norm_bound=1.0, records=records if public else None, target_bound=1.0)
    problem = ConstrainedRisk(loss=loss, constraint=constraint, domain=domain)
    return problem, data_set(problem, rows, targets)
