"""Domains and invented tables that the tests of this folder share."""

import numpy as np

from discreet.data import Domain, Records
from discreet.matrices import as_matrix

BOX = Domain(features=3, entry_bound=1.0, target_bound=1.0)
BALL = Domain(features=3, norm_bound=1.0, target_bound=2.0)


def of(rows, targets, domain):
    return Records(rows=as_matrix(np.asarray(rows, dtype=float)), targets=np.asarray(targets, dtype=float), domain=domain)


def invented(domain, count, seed=0):
    draw = np.random.default_rng(seed)
    rows = draw.uniform(-1.0, 1.0, (count, domain.features))
    return of(rows, draw.uniform(-1.0, 1.0, count), domain)
