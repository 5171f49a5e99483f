"""The noise of released second moments, recovered from what left and an invented table: on squares, products, sums and the number of records.

How far a record moves the sums is computed from two tables, the worst that are known: one record, or person, of the largest norm against none, or
against one at a right angle once the constant stands at the head of both.
"""

import math

import numpy as np

from discreet.audit.claim import Claim, Target
from discreet.audit.drawn.persons import owned_rows
from discreet.audit.exact import exact_audit, gaussian_integers
from discreet.audit.parts import Part, Watch, of_noise, released
from discreet.audit.persons import directions
from discreet.audit.report import AuditReport
from discreet.core.arrays import Floats
from discreet.core.fields import real
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Domain, Records
from discreet.matrices import DenseMatrix
from discreet.mechanisms.persons import owners_of
from discreet.mechanisms.release import GaussianMoments
from discreet.mechanisms.release.answers import exact_moments
from discreet.noise import SystemNoise
from discreet.noise.laws import Normal
from discreet.queries import SecondMoments
from discreet.queries import Target as Column

_RUNS, _FINE = 120, 256


def moments(target: Target) -> Watch:
    """Every number less what it is without noise."""
    rule = None if target.person is None else target.person.rule
    owned = owned_rows(rule)
    domain = Domain(features=2, norm_bound=1.0, target_bound=1.0, persons=rule)
    query = SecondMoments(domain=domain, target=Column.NOISY, most_records=len(owned.ids), counted=True)
    made = GaussianMoments.calibrate(query, **target.target)
    stated, values = released(made, query, owned.records(domain), _RUNS)
    whole = np.column_stack((np.ones(len(owned.ids)), owned.rows, owned.signs))
    noise = np.array(values) - whole.T @ (owned.shares[:, np.newaxis] * whole)
    size, head = real(stated["moment_noise"]) * query.norm**2, query.constant
    rows, columns = np.triu_indices(3, 1)
    off = size / math.sqrt(2.0)
    known = target.neighbours is not ADD_REMOVE and not (rule is not None and rule.told_apart)
    parts = (
        _noise("noise on sums of squares", noise[:, [1, 2, 3], [1, 2, 3]], size),
        _noise("noise on sums of products", noise[:, 1 + rows, 1 + columns], off),
        _noise("noise on sums", noise[:, 0, 1:], off / head),
        *(() if known else (_noise("noise on the number of records", noise[:, :1, 0], size / head**2),)),
    )
    return Watch(mechanism=made.name, parts=parts)


def moments_audit(target: Target) -> AuditReport:
    """Exact, up to a grid of noise that is finer than it matters: the loss of one Gaussian number that moves as far as the sums do."""
    person = target.person
    domain = Domain(features=2, norm_bound=1.0, target_bound=1.0, persons=None if person is None else person.rule)
    query = SecondMoments(domain=domain, target=Column.OMITTED, most_records=1000, counted=True)
    made = GaussianMoments.calibrate(query, **target.target)
    angles = np.zeros(1) if person is None else person.owned
    turned = math.acos(-(query.constant**2))
    rows = [directions(angles), np.zeros((0, 2)) if target.neighbours is ADD_REMOVE else directions(angles, turned=turned)]
    first, second = (exact_moments(query, _records(domain, each)).astype(np.float64) for each in rows)
    units = made.scale(query) / np.where(np.eye(query.columns) > 0, 1.0, math.sqrt(2.0))
    upper = np.triu_indices(query.columns)
    moved = float(np.linalg.norm(((first - second) / units)[upper]))
    law = gaussian_integers(float(_FINE), _FINE / moved)
    who = "a record" if person is None else person.words
    described = f"{who} of the largest norm, " + ("or none" if target.neighbours is ADD_REMOVE else "or one at a right angle to it")
    return exact_audit(law, law, Claim.of(made.guarantee(query)), subject=f"{made.name}, {target.neighbours}", described=described)


def _records(domain: Domain, rows: Floats) -> Records:
    """Those of one owner."""
    ids = None if domain.persons is None else np.zeros(len(rows), dtype=np.int64)
    owners = owners_of(ids, rule=domain.persons, rows=len(rows), noise=SystemNoise())
    return Records(rows=DenseMatrix(rows), targets=np.zeros(len(rows)), domain=domain, weights=owners.shared(None))


def _noise(what: str, values: Floats, deviation: float) -> Part:
    """Integers of a fine unit: as good as normal numbers."""
    return of_noise(what, values, Normal(deviation), words="discrete Gaussian of deviation")
