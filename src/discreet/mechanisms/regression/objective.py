"""Gaussian objective perturbation for residuals (proof note objective.md): the default of LinearRegression.

    b ~ N(0, sigma^2 I),   w = argmin sum_i l(<x_i, w> - y_i) + (lambda / 2) |w|^2 + <b, w>,   released on a grid with discrete Gaussian noise

    delta(epsilon + epsilon_2) <= delta_two-signed(epsilon) + delta_2(epsilon_2)

l is log-cosh, or the square with its slope clipped (huber), whose width a follows from public numbers (`default_width`). A residual moves the
gradient by at most a R whatever its size, and neither X'X nor X'y is released: the noise is that of d numbers, not of d^2, of the size of a residual.
delta_two-signed is that of learning/two_signed.py; delta_2 hides (tau + e) / lambda, the distance of what is computed from the ideal (learning/base).

Where the number of records is secret, it is counted first, for a small share of mu^2 (theorem 4 of the note), and a follows from the noisy count:

    n~ = n + N(0, s^2)    ->    f = 2^-j, for which f B is nearest to the default width    ->    the fit of targets y / f with width B, times f

What the second part releases has the same curve for every f, since no target is part of it: both are composed like one mechanism more.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Self

from discreet.accounting import Json, gaussian_mu
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours, Privacy
from discreet.core.rounding import raising
from discreet.data import Records
from discreet.mechanisms.base import Drawn
from discreet.mechanisms.learning.base import computed_radius
from discreet.mechanisms.learning.counted import noisy_count, scale_of_count, standard_share
from discreet.mechanisms.learning.perturbation import TwoStages
from discreet.mechanisms.learning.two_signed import curvature_at, half_problem, prediction_loss, two_signed_plan, two_signed_profile
from discreet.mechanisms.regression.base import Fitted, RegressionMechanism, checked_ridge
from discreet.mechanisms.regression.objective_minimiser import certified_minimiser, gradient_error, longest, worth
from discreet.mechanisms.regression.sums import LeastSquares
from discreet.noise import Noise
from discreet.problems import PredictionRisk
from discreet.words.regression import COUNTED_OBJECTIVE, OBJECTIVE

_LEAST_WIDTH, _LARGEST_WIDTH = 0.06, 1.0
"""a over B. With the second the loss is next to a square."""
_WIDTH = 0.16
"""a over B is this times resolution^(1/4) d^(-1/10), between the others: as small as residuals are, and smaller where noise rules."""
_BLIND_WIDTH, _BIAS, _FEW = 0.2, 0.002, 2000
"""The least a over B where the number of records is secret; of B: noise in a prediction, about, as bad as what a bounded slope makes of skewed
residuals; records that are supposed there: no more noise than a small table can take."""
_RIDGES = {ADD_REMOVE: (1.3, 2.1), REPLACE_ONE: (2.0, 5.2)}
"""lambda epsilon / R^2 of log-cosh is 2 k resolution^(-1/3), between these: from the second on the theorem has next to no slack, at the first there
is up to a fiftieth more noise (a quarter under replace-one), and a bias that shrinks with lambda."""
_SHARE, _FEW_EPSILON = 0.6, 0.06
"""Where n is secret: the share of the second, where epsilon is large, and how it grows, as 1 + this over epsilon, up to 1: noise may rule."""
_HUBER_RIDGE = 5.0
NOMINAL = 1 << 20
"""Records, or persons, that rounding errors are planned for where their number is secret."""
TYPICAL = 1 << 14
"""Records for which the budget is cut in two where their number is secret."""
_ROOM = 4.0
_UNITS = (1.0, 0.5, 0.25, 0.125, 0.0625)
"""f: powers of two, so that products with them are exact; down to `_LEAST_WIDTH`."""


def resolution(problem: LeastSquares, *, mu: float, neighbours: Neighbours) -> float | None:
    """mu n / (k d): the slope of a record over noise in the mean slope, a d-th of it; None where n is secret."""
    domain = problem.domain
    return None if domain.records is None else mu * domain.records / (_moved(neighbours) * domain.dimension)


def default_unit_ridge(loss: str, epsilon: float, neighbours: Neighbours, *, resolved: float | None) -> float:
    """lambda / R^2 where nobody chooses one, from public numbers: less of it, for more noise, where noise is small beside the bias of a ridge."""
    if loss != "log-cosh":
        return _HUBER_RIDGE / epsilon
    least, most = _RIDGES[neighbours]
    if resolved is None:
        return most * min(1.0, _SHARE * (1.0 + _FEW_EPSILON / epsilon)) / epsilon
    return min(max(2.0 * _moved(neighbours) * max(resolved, 1e-9) ** (-1.0 / 3.0), least), most) / epsilon


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualObjectivePerturbation(TwoStages[LeastSquares], RegressionMechanism):
    """The minimiser of losses of residuals, a ridge and a Gaussian linear term."""

    name = "least-squares-objective"
    loss: str
    """"log-cosh" or "huber"."""
    width: float
    """a, the bound of a slope."""
    ridge: float
    """lambda."""
    records: int
    """Most records that rounding errors are planned for; longer tables are refused."""
    count_scale: float = 0.0
    """s, the scale of the noise of the number of records; 0 where it is not counted. If it is, scale, tolerance, noise_error, width and the step of
    the grid are those at f = 1."""

    @classmethod
    def calibrate(
        cls,
        problem: LeastSquares,
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        loss: str = "log-cosh",
        width: float | None = None,
        ridge: float | None = None,
        count_share: float | None = None,
    ) -> Self:
        """The least noise for a total of (epsilon, delta). `width` None takes `default_width`, `ridge` None `default_unit_ridge`.

        Where the number of records is secret and neither a width nor a prior is given, it is counted for `count_share` of mu^2, None for what
        `standard_share` says; not for 0, nor where both together are beyond a proof.
        Raises InvalidInput for numbers out of range, InfeasibleTarget for a ridge too small for any noise.
        """
        domain = problem.domain
        mu = gaussian_mu(epsilon, delta)
        share = standard_share(mu) if count_share is None else count_share
        secret = domain.records is None and neighbours is ADD_REMOVE and width is None and problem.prior is None
        if secret and (count_scale := scale_of_count(mu, share)):
            counting = partial(cls._calibrated, problem, epsilon=epsilon, delta=delta, neighbours=neighbours, loss=loss, ridge=ridge)
            try:
                return counting(a=domain.target_bound, count_scale=count_scale)
            except InfeasibleTarget:
                pass  # what both together are beyond a proof for, one alone may do
        a = default_width(problem, mu=mu, neighbours=neighbours) if width is None else width
        return cls._calibrated(problem, epsilon=epsilon, delta=delta, neighbours=neighbours, loss=loss, a=a, ridge=ridge, count_scale=0.0)

    @classmethod
    def _calibrated(
        cls,
        problem: LeastSquares,
        *,
        epsilon: float,
        delta: float,
        neighbours: Neighbours,
        loss: str,
        a: float,
        ridge: float | None,
        count_scale: float,
    ) -> Self:
        domain, mu = problem.domain, gaussian_mu(epsilon, delta)
        least = _UNITS[-1] if count_scale else 1.0
        prediction_loss(loss, a)
        resolved = resolution(problem, mu=mu, neighbours=neighbours)
        chosen_ridge = checked_ridge(default_unit_ridge(loss, epsilon, neighbours, resolved=resolved) * domain.radius**2 if ridge is None else ridge)
        half = half_problem(loss=loss, width=a, radius=domain.radius, ridge=chosen_ridge, dimension=domain.dimension, persons=domain.persons)
        records = planned_records(problem, neighbours)
        plan = two_signed_plan(
            half,
            Privacy(epsilon=epsilon, delta=delta, neighbours=neighbours),
            curvature=chosen_ridge + (domain.records or TYPICAL) * domain.radius**2 / domain.dimension,
            # Of the least f, in units of it: targets are largest there.
            tolerance=lambda scale: _tolerance(problem, records, least * a, chosen_ridge, least * scale, neighbours) / least,
            radius=lambda tolerance, error: computed_radius(problem.prior, gradient=tolerance, error=error, ridge=chosen_ridge),
            beside=1.0 / count_scale if count_scale else 0.0,
        )
        return cls(**plan._asdict(), loss=loss, width=a, ridge=chosen_ridge, records=records, count_scale=count_scale, neighbours=neighbours)

    @property
    def beside(self) -> float:
        """See TwoStages: of the number of records."""
        return 1.0 / self.count_scale if self.count_scale else 0.0

    def parameters(self) -> dict[str, Json]:
        """See Mechanism; without a scale where nothing is counted."""
        found = TwoStages.parameters(self)
        return found if self.count_scale else {name: value for name, value in found.items() if name != "count_scale"}

    def ideal_curve(self, problem: LeastSquares) -> Callable[[float], float]:
        """See TwoStages: delta_two-signed."""
        domain = problem.domain
        half = half_problem(
            loss=self.loss, width=self.width, radius=domain.radius, ridge=self.ridge, dimension=domain.dimension, persons=domain.persons
        )
        return partial(two_signed_profile(half, self.neighbours), self.scale)

    def distance(self, problem: LeastSquares, tolerance: float, error: float) -> float:
        """See TwoStages."""
        return computed_radius(problem.prior, gradient=tolerance, error=error, ridge=self.ridge)

    def theorem(self, problem: LeastSquares) -> str:  # noqa: ARG002 - the same for any problem
        """See TwoStages."""
        return COUNTED_OBJECTIVE if self.count_scale else OBJECTIVE

    def explained(self, problem: LeastSquares) -> str:
        """See RegressionMechanism."""
        domain = problem.domain
        first = (
            f"The minimiser of {self.loss} of residuals, of width {self.width:.4g} ({self.width / domain.target_bound:.2g} of the bound of targets): "
            "a larger residual counts with its sign and this size, so no record moves the minimum by more."
        )
        second = (
            f"A random linear term of deviation {self.scale:.4g} in each coordinate is added before it is minimised ({self.neighbours}): "
            f"{self.scale / (self.width * domain.radius):.4g} times what a record's slope can reach."
        )
        if domain.records is not None:
            second += f" The mean slope of {domain.records} records is off by {self.scale / domain.records:.2g}."
        records = self.ridge / domain.radius**2
        third = f"A ridge of {self.ridge:.4g}, {records:.2g} records' worth of curvature, which the theorem asks for. Nothing is tuned."
        counted = (
            f"The number of records is secret: it is counted once, with noise of deviation {self.count_scale:.4g}, for a small share of the budget. "
            "Width and noise below are the largest that they can be: they are halved up to four times, as this count says."
        )
        lines = [*([counted] if self.count_scale else []), first, second, third]
        return "\n".join(f"{place}. {line}" for place, line in enumerate(lines, start=1))

    def require(self, problem: LeastSquares, data: Records) -> None:
        """See Mechanism; also for more than rounding errors were planned for."""
        problem.require(data)
        require_planned(problem, self.records, data, self.neighbours)

    def draw(self, problem: LeastSquares, data: Records, noise: Noise) -> Drawn:
        """See Mechanism."""
        if not self.count_scale:
            return RegressionMechanism.draw(self, problem, data, noise)
        counted = noisy_count(data, self.count_scale, noise)
        unit = self.unit(problem, counted)
        found = self._minimised(problem, data, noise, unit)
        return Drawn.of(found.weights, chosen={"counted": counted, "unit": unit}, beside=found)

    def unit(self, problem: LeastSquares, counted: float) -> float:
        """f, from the noisy number of records: public."""
        domain = problem.domain
        resolved = max(counted, 1.0) * self.width * domain.radius / (self.scale * domain.dimension)
        wanted = _width(resolved, domain.dimension) * domain.target_bound / self.width
        return min(_UNITS, key=lambda unit: abs(math.log(unit / wanted)))

    def fitted(self, problem: LeastSquares, data: Records, noise: Noise) -> Fitted:
        """See RegressionMechanism."""
        return self._minimised(problem, data, noise, 1.0)

    def _minimised(self, problem: LeastSquares, data: Records, noise: Noise, unit: float) -> Fitted:
        """At this f: all products with it are exact."""
        linear = unit * noise.gaussian(scale=self.scale, dimension=problem.domain.dimension, draws=1)[:, 0]
        if problem.prior is not None:
            linear = linear - problem.prior.pull(self.ridge)
        found = certified_minimiser(
            problem,
            data,
            loss=prediction_loss(self.loss, unit * self.width),
            curvature=partial(curvature_at, self.loss, unit * self.width),
            width=unit * self.width,
            ridge=self.ridge,
            linear=linear,
            tolerance=unit * self.tolerance,
        )
        return Fitted(unit * self.grid.release(found[:, None] / unit, noise)[:, 0], None, None)


def default_width(problem: LeastSquares, *, mu: float, neighbours: Neighbours) -> float:
    """a, from public numbers; docs/defaults.md says what was looked at.

    Where n is secret: noise of deviation k a R / mu in the linear term moves predictions of 2000 records by about k a m / (mu n); a is where that is
    0.002 B, and at least 0.2 B.
    """
    resolved, dimension = resolution(problem, mu=mu, neighbours=neighbours), problem.domain.dimension
    if resolved is None:
        least, most = _BLIND_WIDTH, _BIAS * mu * _FEW / (_moved(neighbours) * dimension)
        return problem.domain.target_bound * min(max(most, least), _LARGEST_WIDTH)
    return problem.domain.target_bound * _width(resolved, dimension)


def _width(resolved: float, dimension: int) -> float:
    """a over B for a number of records that is known."""
    return min(max(_WIDTH * resolved**0.25 * dimension**-0.1, _LEAST_WIDTH), _LARGEST_WIDTH)


def _moved(neighbours: Neighbours) -> float:
    """k: by how many records' slopes the sum may differ."""
    return 1.0 if neighbours is ADD_REMOVE else 2.0


def planned_records(problem: LeastSquares | PredictionRisk, neighbours: Neighbours) -> int:
    """For how many rows rounding errors are planned: their public number, or under add-remove twice a declared one and at least a million.

    Of persons that is the number of persons times the most rows of one.
    """
    known, most = problem.domain.records, problem.persons.rows if problem.persons is not None else 1
    if neighbours is not ADD_REMOVE and known is not None:
        return known * most
    return min(problem.most_records, max(NOMINAL, 2 * (known or 0)) * most)


def planned_worth(problem: LeastSquares | PredictionRisk, records: int, neighbours: Neighbours) -> float:
    """How many records so many rows are planned for: of persons whose number is secret these, however many rows they have."""
    return min(records, max(NOMINAL, 2 * (problem.domain.records or 0))) if neighbours is ADD_REMOVE else records


def require_planned(problem: LeastSquares | PredictionRisk, rows: int, data: Records, neighbours: Neighbours) -> None:
    """Raise InvalidInput for more rows than were planned for, or for more persons than these rows are planned for."""
    persons = planned_worth(problem, rows, neighbours)
    if data.records > rows or (data.records > persons and worth(data) > persons * raising(8_192)):
        counted = f"{rows} records" if persons == rows else f"{int(persons)} persons, of at most {rows} rows in all"
        named = "records" if persons == rows else "persons"
        raise InvalidInput(
            f"rounding errors are planned for up to {counted}, and the table has more. If it is public about how many "
            f"{named} there are, pass that as public_records."
        )


def _tolerance(problem: LeastSquares, records: int, width: float, ridge: float, scale: float, neighbours: Neighbours) -> float:
    """tau: a small multiple of the bound of rounding errors, from public numbers. |b| is longer with a probability below e^-72."""
    linear = scale * (math.sqrt(problem.domain.dimension) + 12.0) + (0.0 if problem.prior is None else ridge * problem.prior.norm)
    planned = planned_worth(problem, records, neighbours)
    length = longest(problem, records=planned, width=width, ridge=ridge, linear=linear)
    return _ROOM * gradient_error(problem, records=planned, width=width, ridge=ridge, length=length, linear=linear)
