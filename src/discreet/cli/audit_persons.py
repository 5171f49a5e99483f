"""What a fit does with the rows of persons, watched from what leaves it: a classifier's noise, recovered by weights that are written down anew.

    b = -grad G(w),     G(w) = sum a_i c_i l(y_i <w, x_i>) + alpha n |w|^2 / 2,     n persons

of a table in memory and of the same one in blocks, over which every person is scattered (module audit.drawn.persons). The centre of b moves with
rows that do not share a weight, with too many of them, with a weight that other rows decide, with persons who count once in every block, with an n of
rows, and with weights of records that are lost.
"""

from typing import Any

import numpy as np

from discreet.audit.claim import Target
from discreet.audit.drawn.learning import margin_gradient
from discreet.audit.drawn.persons import Owned, kept_parts, owned_rows
from discreet.audit.parts import Part, Watch, of_noise
from discreet.core.arrays import Floats
from discreet.core.fields import real
from discreet.core.neighbours import REPLACE_ONE, Persons
from discreet.estimators import LogisticRegression
from discreet.noise.laws import Normal, Spherical

_ALPHA, _LARGEST, _RUNS = 1.0, 2.0, 400


def persons_watch(target: Target) -> Watch:
    """Of the target's person, or of three rows each; by the noise of its epsilon and delta."""
    rule = Persons(rows=3) if target.person is None else target.person.rule
    table = owned_rows(rule)
    weights = np.array([0.5, 1.0, 2.0])[table.ids % 6 % 3]
    model = LogisticRegression(
        epsilon=target.epsilon,
        delta=target.delta,
        neighbours=str(target.neighbours),
        rows_per_person=rule.rows,
        person_weight=rule.weight,
        public_records=None if target.neighbours is REPLACE_ONE else table.persons,
        alpha=_alpha(target.epsilon),
        max_sample_weight=_LARGEST,
        mechanism="objective",
        fit_intercept=False,
        classes=[-1, 1],
    )
    held = model.fit_many(table.rows, table.signs, count=_RUNS, sample_weight=weights, persons=table.ids)
    streamed = model.fit_many(table.table(weights), count=_RUNS)
    parts = [_recovered(found, table, weights, words, model.alpha) for found, words in ((held, "in memory"), (streamed, "in blocks"))]
    return Watch(mechanism=held.certificate.mechanism, parts=(*parts, *kept_parts(rule)))


def _alpha(epsilon: float) -> float:
    """More than enough for any relation, and weights of up to `_LARGEST`."""
    return _ALPHA * max(1.0, 1.0 / epsilon)


def _recovered(found: Any, table: Owned, weights: Floats, where: str, alpha: Any) -> Part:
    noise = -np.array([margin_gradient(w, table.rows, table.signs, alpha * table.persons, table.shares * weights) for w in found.coef])
    stated, what = found.certificate.parameters, f"linear term of the objective of persons, {where}"
    if "rate" in stated:
        return of_noise(what, noise, Spherical(real(stated["rate"])))
    return of_noise(what, noise, Normal(real(stated["scale"])))
