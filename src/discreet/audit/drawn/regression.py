"""The noise of least squares, recovered from noisy answers and an invented table whose exact sums are integers.

    objective        b = -grad G(w) at the released w; of any loss of a prediction, and of several targets, likewise
    AdaSSP           l~, A~ and b~ less the exact ones, in units
    refined          A~, b~, s~, and gradients at given weights, likewise
    hessian mixing   gradients at given weights (its sketch is `sketch`'s, watched there and under `mixing`)

The weights that leave are functions of these answers: `draw` computes them from nothing else (tests/audit/test_drawn.py).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from discreet.audit.claim import Target
from discreet.audit.drawn.persons import owned_rows
from discreet.audit.parts import Part, Watch, last_stage, of_noise, released
from discreet.core.arrays import Floats
from discreet.core.fields import real
from discreet.core.neighbours import ADD_REMOVE, PARTS
from discreet.data import Domain, Records
from discreet.data.target_table import TargetTable
from discreet.losses.predictions import LogCosh, SmoothPinball
from discreet.matrices import DenseMatrix
from discreet.mechanisms.learning.two_signed import prediction_loss
from discreet.mechanisms.regression import (
    AdaSSP,
    HessianMixing,
    LeastSquares,
    PredictionObjectivePerturbation,
    RefinedMoments,
    ResidualObjectivePerturbation,
    TargetsObjectivePerturbation,
)
from discreet.noise import SystemNoise
from discreet.noise.laws import DiscreteGaussian, Normal
from discreet.problems import PredictionRisk, Prior, SeveralTargets

_RUNS, _ANSWERS = 120, 300
_ROWS: Floats = np.array([[0.6, -0.2, 0.1], [-0.1, 0.7, 0.3], [0.4, 0.4, -0.5], [-0.5, 0.1, 0.2], [0.2, -0.6, -0.4]])
_TARGETS: Floats = np.array([0.4, -0.7, 0.2, 0.9, -0.3])
_PROBLEM = LeastSquares(domain=Domain(features=3, norm_bound=1.0, target_bound=1.0, records=5), most_records=100)
_WEIGHTS: Floats = np.array([0.3, -0.2, 0.5])


class _Case(NamedTuple):
    """Invented records, in a problem; and the weights that they have by the words of a certificate."""

    problem: LeastSquares
    data: Records
    rows: Floats
    targets: Floats
    shares: Floats

    @property
    def moments(self) -> tuple[Floats, Floats, float]:
        """sum a x x', sum a y x and sum a y^2."""
        weighed = self.rows.T * self.shares
        return weighed @ self.rows, weighed @ self.targets, float(np.sum(self.shares * np.square(self.targets)))


def _case(target: Target, *, secret: bool = False) -> _Case:
    """Five records, or persons like the target's; as many as are `secret`, perhaps."""
    if target.person is None:
        domain = replace(_PROBLEM.domain, records=None if secret else len(_ROWS))
        return _Case(replace(_PROBLEM, domain=domain), table(domain), _ROWS, _TARGETS, np.ones(len(_ROWS)))
    owned = owned_rows(target.person.rule)
    domain = Domain(features=2, norm_bound=1.0, target_bound=1.0, records=None if secret else owned.persons, persons=target.person.rule)
    problem = LeastSquares(domain=domain, most_records=max(100, len(owned.ids)))
    return _Case(problem, owned.records(domain), owned.rows, owned.signs, owned.shares)


def objective(target: Target, *, prior: Floats | None = None) -> Watch:
    """The linear term, and the last stage; the ridge pulls towards `prior` (d,)."""
    case = _case(target, secret=prior is None and target.neighbours is ADD_REMOVE)
    if prior is not None:
        case = case._replace(problem=replace(case.problem, prior=Prior.at(prior)))
    made = ResidualObjectivePerturbation.calibrate(case.problem, **target.target)
    return _counted(made, case) if made.count_scale else _linear_term(made, case.problem, case, prediction_loss(made.loss, made.width).slope)


def _counted(made: ResidualObjectivePerturbation, case: _Case) -> Watch:
    """Beside a noisy number of records: it, and the rest in the unit that follows from it."""
    _, data, rows, targets, shares = case
    found = [made.run(case.problem, data, SystemNoise()) for _ in range(_RUNS)]
    stated = [one.certificate.parameters for one in found]
    counts = [[real(one["counted"]) * PARTS - np.floor(PARTS * shares).sum()] for one in stated]
    linears = []
    for one, release in zip(stated, found, strict=True):
        unit, w = real(one["unit"]), release.value
        slopes = prediction_loss(made.loss, unit * real(one["width"])).slope(rows @ w, targets)
        linears.append((-(rows.T @ (shares * slopes)) - real(one["ridge"]) * w) / unit)
    loud = replace(made, grid=replace(made.grid, step=2.0**-20, scale=2.0**40))
    last = [(one.value / real(one.certificate.parameters["unit"])) for one in (loud.run(case.problem, data, SystemNoise()) for _ in range(60))]
    scale = real(stated[0]["count_scale"]) * PARTS
    parts = (
        of_noise("number of records, in parts", counts, DiscreteGaussian(scale)),
        of_noise("linear term of the objective, in the unit that was counted", np.array(linears), Normal(real(stated[0]["scale"]))),
        last_stage(loud.parameters(), np.array(last)),
    )
    return Watch(mechanism=made.name, parts=parts)


def prediction(target: Target, *, prior: Floats | None = None) -> Watch:
    """The same for the pinball loss of a quantile, without its kink."""
    case, point = _case(target), None if prior is None else Prior.at(prior)
    problem = PredictionRisk(loss=SmoothPinball(quantile=0.7, width=0.5), domain=case.problem.domain, prior=point)
    case = case._replace(problem=replace(case.problem, prior=point))
    return _linear_term(PredictionObjectivePerturbation.calibrate(problem, **target.target), problem, case, problem.loss.slope)


def targets(target: Target) -> Watch:
    """The linear terms of two targets, the second in a unit of its own; of single rows, or one of each person."""
    problem = SeveralTargets(each=PredictionRisk(loss=LogCosh(width=0.5), domain=_PROBLEM.domain), units=(1.0, 3.0))
    made = TargetsObjectivePerturbation.calibrate(problem, **target.target)
    columns = np.column_stack((_TARGETS, -_TARGETS[::-1]))
    each = tuple(Records(rows=DenseMatrix(_ROWS), targets=column, domain=_PROBLEM.domain) for column in columns.T)
    data = TargetTable(each=each, given=columns)
    stated, weights = released(made, problem, data, _RUNS)
    slope, ridge = problem.loss.slope, real(stated["ridge"])
    linears = np.array(
        [-(_ROWS.T @ slope(_ROWS @ w, column)) - ridge * w for both in weights for w, column in zip(both.reshape(2, -1), columns.T, strict=True)]
    )
    loud = replace(made, grid=replace(made.grid, step=2.0**-20, scale=2.0**40))
    parts = (
        of_noise("linear terms of the objectives, those of all targets together", linears.reshape(len(weights), -1), Normal(real(stated["scale"]))),
        last_stage(*released(loud, problem, data, 60)),
    )
    return Watch(mechanism=made.name, parts=parts)


def _linear_term(made: Any, problem: Any, case: _Case, slope: Callable[[Floats, Floats], Floats]) -> Watch:  # noqa: ANN401 - either of the two
    _, data, rows, targets, shares = case
    stated, weights = released(made, problem, data, _RUNS)
    point = np.zeros(rows.shape[1]) if getattr(problem, "prior", None) is None else problem.prior.point
    linears = [-(rows.T @ (shares * slope(rows @ w, targets))) - real(stated["ridge"]) * (w - point) for w in weights]
    loud = replace(made, grid=replace(made.grid, step=2.0**-20, scale=2.0**40))
    parts = (
        of_noise("linear term of the objective", np.array(linears), Normal(real(stated["scale"]))),
        last_stage(*released(loud, problem, data, 60)),
    )
    return Watch(mechanism=made.name, parts=parts)


def adassp(target: Target) -> Watch:
    """The three answers."""
    case = _case(target)
    made = AdaSSP.calibrate(case.problem, **target.target)
    answers = [made.released(case.problem, case.data, SystemNoise()) for _ in range(_ANSWERS)]
    least = np.array([[one[0]] for one in answers]) - np.linalg.eigvalsh(case.moments[0])[0]
    of_eigenvalue = _noise("noise on the least eigenvalue", least, real(made.parameters()["eigenvalue_noise"]))
    return Watch(mechanism=made.name, parts=(of_eigenvalue, *_moments(made, case, [one[1:3] for one in answers])))


def refined(target: Target) -> Watch:
    """The joint answer, and gradients at given weights."""
    case = _case(target)
    made = RefinedMoments.calibrate(case.problem, **target.target)
    stated = made.parameters()
    answers = [made.noisy_moments(case.problem, case.data, SystemNoise()) for _ in range(_ANSWERS)]
    squares = np.array([[one[2]] for one in answers]) - case.moments[2]
    of_squares = _noise("noise on the sum of y^2", squares, real(stated["moment_noise"]) / real(stated["square_weight"]))
    gradients = () if not real(stated["step_noise"]) else (_gradients(made, case, real(stated["step_noise"])),)
    return Watch(mechanism=made.name, parts=(*_moments(made, case, [one[:2] for one in answers]), of_squares, *gradients))


def hessian_mixing(target: Target) -> Watch:
    """Gradients at given weights."""
    case = _case(target)
    made = HessianMixing.calibrate(case.problem, **target.target, rows=50)
    return Watch(mechanism=made.name, parts=(_gradients(made, case, real(made.parameters()["step_noise"])),))


def table(domain: Domain = _PROBLEM.domain) -> Records:
    """The invented records."""
    return Records(rows=DenseMatrix(_ROWS), targets=_TARGETS, domain=domain)


def _moments(made: Any, case: _Case, answers: list[Any]) -> tuple[Part, ...]:  # noqa: ANN401 - AdaSSP or RefinedMoments
    """Of pairs (A~, b~) less the exact ones: on the diagonal of A~, off it, and on b~."""
    products, targets, _ = case.moments
    stated, upper = made.parameters(), np.triu_indices(len(targets), 1)
    noise = np.array([one[0] for one in answers]) - products
    sums = np.array([one[1] for one in answers]) - targets
    deviation = real(stated["moment_noise"])
    return (
        _noise("noise on sums of x_j^2", np.array([np.diag(each) for each in noise]), deviation),
        _noise("noise on sums of x_j x_k", np.array([each[upper] for each in noise]), deviation / 2.0**0.5),
        _noise("noise on sums of x_j y", sums, deviation / real(stated["target_weight"])),
    )


def _gradients(made: Any, case: _Case, step_noise: float) -> Part:  # noqa: ANN401 - RefinedMoments or HessianMixing
    length, weights = 0.25, _WEIGHTS[: case.rows.shape[1]]
    residuals = case.targets - case.rows @ weights
    norms = np.linalg.norm(case.rows, axis=1)
    clipped = case.shares * np.clip(residuals, -length / norms, length / norms)
    noisy = np.array([made.noisy_gradient(case.problem, case.data, SystemNoise(), weights, length) for _ in range(_ANSWERS)])
    return _noise(f"noise on gradients of contributions up to {length:g}", noisy - clipped @ case.rows, step_noise * length)


def _noise(what: str, values: Floats, deviation: float) -> Part:
    """Integers of a fine unit: as good as normal numbers."""
    return of_noise(what, values, Normal(deviation), words="discrete Gaussian of deviation")
