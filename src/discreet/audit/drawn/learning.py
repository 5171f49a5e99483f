"""The noise of the learning mechanisms, recovered from released weights and an invented table.

    objective    b = -grad G(w) at the released w:     grad G(f) + b = 0 at the exact minimiser, and w is nearer to it than any test can see
    output       N = w - argmin G
    last stage   K = w / step, an integer, of the same mechanism with a last stage so loud that nothing else shows

Gradients are written down here anew, in NumPy, from the loss's own slope.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from discreet.audit.claim import Target
from discreet.audit.drawn.persons import Owned, owned_rows
from discreet.audit.parts import Part, Watch, last_stage, of_noise
from discreet.core.arrays import Floats
from discreet.core.fields import real
from discreet.core.neighbours import ADD_REMOVE, PARTS
from discreet.data import Domain, Records
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning import GaussianObjectivePerturbation, calibrate, default_ridge
from discreet.mechanisms.learning.base import GaussianGrid
from discreet.mechanisms.learning.output_perturbation import one_minimiser
from discreet.mechanisms.persons import owners_of
from discreet.noise import SystemNoise
from discreet.noise.laws import DiscreteGaussian, DiscreteLaplace, Normal, Spherical
from discreet.problems import MultinomialRisk, OneVsRestRisk, Prior, RegularisedRisk

_RUNS, _LOUD_STEP, _LOUDER = 1000, 2.0**-10, 1e5
_LOSS = Logistic()


def one_model(target: Target, *, mechanism: str, prior: Floats | None = None) -> Watch:
    """Two classes; `mechanism` "objective" or "output"; the ridge pulls towards `prior` (2,)."""
    rule = None if target.person is None else target.person.rule
    table = owned_rows(rule)
    secret = mechanism == "objective" and prior is None and target.delta > 0 and target.neighbours is ADD_REMOVE
    domain = Domain(features=2, norm_bound=1.0, records=None if secret else table.persons, classes=2, persons=rule)
    start = RegularisedRisk(loss=_LOSS, ridge=1.0, domain=domain)
    problem = replace(start, ridge=default_ridge(start, mechanism=mechanism, **target.target), prior=None if prior is None else Prior.at(prior))
    point = np.zeros(2) if prior is None else prior
    data = table.records(domain)
    stated = Records(rows=DenseMatrix(table.rows), targets=table.signs, domain=domain, weights=None if rule is None else table.shares)
    made = calibrate(problem, calibration="tight", mechanism=mechanism, count_share=None, **target.target)
    if isinstance(made, GaussianObjectivePerturbation) and made.count_scale:
        return _counted(problem, data, made, table)

    def recovered(weights: Floats) -> Floats:
        if mechanism == "output":
            return weights - one_minimiser(problem, stated, 1e-8)[:, 0]
        return problem.ridge * point - np.array([margin_gradient(w, table.rows, table.signs, problem.ridge, table.shares) for w in weights])

    return _watch(problem, data, made, recovered, vectors=1)


def _counted(problem: RegularisedRisk, data: Records, made: GaussianObjectivePerturbation, table: Owned) -> Watch:
    """Beside a noisy number of records: it, the rest at the lambda that follows from it, and the last stage."""
    found = [made.run(problem, data, SystemNoise()) for _ in range(_RUNS // 5)]
    stated = [one.certificate.parameters for one in found]
    counts = [[real(one["counted"]) * PARTS - np.floor(PARTS * table.shares).sum()] for one in stated]
    ridges = [problem.ridge + real(one["extra_ridge"]) for one in stated]
    linears = [-margin_gradient(one.value, table.rows, table.signs, ridge, table.shares) for one, ridge in zip(found, ridges, strict=True)]
    parts = (
        of_noise("number of records, in parts", counts, DiscreteGaussian(real(stated[0]["count_scale"]) * PARTS)),
        of_noise("linear term of the objective, at the lambda that was counted", np.array(linears), Normal(real(stated[0]["scale"]))),
        _last_stage(problem, data, made),
    )
    return Watch(mechanism=made.name, parts=parts)


def several_classes(target: Target, *, multinomial: bool, prior: Floats | None = None) -> Watch:
    """Three classes, together or one against the rest; the ridge pulls towards `prior` (6,)."""
    rule = None if target.person is None else target.person.rule
    table = owned_rows(rule)
    codes = (np.arange(len(table.ids)) if rule is None else table.ids) % 6 % 3
    domain = Domain(features=2, norm_bound=1.0, records=table.persons, classes=3, persons=rule)
    owners = owners_of(None if rule is None else table.ids, rule=rule, rows=len(codes), noise=SystemNoise())
    data = Records(rows=DenseMatrix(table.rows), targets=codes, domain=domain, weights=owners.shared(None))

    def of_ridge(ridge: float) -> MultinomialRisk | OneVsRestRisk:
        if multinomial:
            return MultinomialRisk(ridge=ridge, domain=domain)
        return OneVsRestRisk(loss=_LOSS, ridge=ridge, domain=domain)

    ridge = default_ridge(of_ridge(1.0), **target.target)
    problem = replace(of_ridge(ridge), prior=None if prior is None else Prior.at(prior))
    point = np.zeros(6) if prior is None else prior
    made = calibrate(problem, mechanism="objective", calibration="tight", **target.target)

    def recovered(weights: Floats) -> Floats:
        gradient = softmax_gradient if multinomial else rest_gradient
        return ridge * point - np.array([gradient(w.reshape(3, -1), table, codes, ridge).ravel() for w in weights])

    return _watch(problem, data, made, recovered, vectors=1 if multinomial else 3)


def margin_gradient(weights: Floats, rows: Floats, signs: Floats, ridge: float, shares: Floats | float = 1.0) -> Floats:
    """grad G(w), (d,); rows weigh `shares`."""
    gradient: Floats = rows.T @ (shares * signs * _LOSS.slope(signs * (rows @ weights))) + ridge * weights
    return gradient


def softmax_gradient(weights: Floats, table: Owned, codes: npt.NDArray[np.integer], ridge: float) -> Floats:
    """grad G(W), (K, d)."""
    slopes = (softmax(table.rows @ weights.T, axis=1) - np.eye(3)[codes]) * table.shares[:, np.newaxis]
    gradient: Floats = slopes.T @ table.rows + ridge * weights
    return gradient


def rest_gradient(weights: Floats, table: Owned, codes: npt.NDArray[np.integer], ridge: float) -> Floats:
    """grad G_k(w_k) of every class k, (K, d)."""
    return np.array([margin_gradient(w, table.rows, np.where(codes == k, 1.0, -1.0), ridge, table.shares) for k, w in enumerate(weights)])


def _watch(problem: Any, data: Records, made: Any, recovered: Any, *, vectors: int) -> Watch:  # noqa: ANN401 - any learning mechanism and its problem
    """Of `vectors` independent noise vectors in all weights."""
    release = made.run_many(problem, data, SystemNoise(), _RUNS // (3 if vectors > 1 or problem.dimension > 2 else 1))
    stated = release.certificate.parameters
    noise = recovered(release.value.T)
    what = "noise on the minimiser" if made.name.startswith("output") else "linear term of the objective"
    if "rate" in stated:
        width = noise.shape[1] // vectors
        parts = [of_noise(what, noise.reshape(-1, width), Spherical(real(stated["rate"])))]
    else:
        parts = [of_noise(what, noise, Normal(real(stated["scale"])))]
    return Watch(mechanism=release.certificate.mechanism, parts=(*parts, _last_stage(problem, data, made)))


def _last_stage(problem: Any, data: Records, made: Any) -> Part:  # noqa: ANN401
    scale = _LOUDER * made.weight_noise(problem) / _LOUD_STEP
    loud = replace(made, grid=replace(made.grid, step=_LOUD_STEP, scale=scale))
    release = loud.run_many(problem, data, SystemNoise(), 200)
    law = DiscreteGaussian if isinstance(loud.grid, GaussianGrid) else DiscreteLaplace
    return last_stage(release.certificate.parameters, release.value.T, law)
