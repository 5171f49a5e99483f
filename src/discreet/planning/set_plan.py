"""What is proved of learning over a set, before there are records: excess risk for n records, and records for an excess risk.

    E F(theta_priv) / n - min_C F / n <= risk(n),      F(theta) = sum_i l(<x_i, theta>; y_i),  theta in C

The expectation is over the noise; the records are any n of them within the declared bounds, so this is the excess of the empirical risk. The bounds
are those of Talwar, Thakurta and Zhang (2014) for our own mechanisms, every constant written out:

    objective-perturbation-set   theorem 4.1 with the noise of the calibrated mechanism, its last stage included
    mirror-descent               theorem 3.2 with the noise of the calibrated mechanism
    frank-wolfe-gaussian         mechanisms/constrained/excess.py, regret sigma G_C, sigma that of the calibrated mechanism
    frank-wolfe-polytope         mechanisms/constrained/excess.py, regret S' ln k / e, e the range of one of T choices

e is the range that the Renyi curve of T choices proves (accounting/bounded_range.py; epsilon / T for delta = 0); the mechanism's own, by the optimal
recursion, is 5 to 20 % larger, and takes seconds. The limit 2 mu / sqrt(T) is not a bound: at (0.1, 1e-3) two choices have 6 % less. The grid
of scores costs up to GRID more and one step of the grid (the tests compare). Rounding errors of gradients are left out: 2^-14 of one record's.
The Frank-Wolfe bounds are for the T that makes them least; a fit takes fewer (mechanisms/constrained/base.py), for which `own_risk` is proved.

All arguments are public. Under add-remove, where n is secret, n here is a number of records that you expect and declare public.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

from discreet.accounting import gaussian_mu
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import DELTA, Neighbours
from discreet.core.short import short_repr
from discreet.core.showing import html_of
from discreet.core.told import Told
from discreet.core.validate import positive, small_delta, whole
from discreet.data import Domain
from discreet.losses.predictions import prediction_loss_named
from discreet.mechanisms.constrained import Candidate, NoisyMirrorDescent, ObjectivePerturbationOverSet, candidates
from discreet.mechanisms.constrained.base import checked_steps, gradient_distance
from discreet.mechanisms.constrained.choose import GAUSSIAN, MIRROR, OBJECTIVE, gaussian_regret, least_walk, vertex_regret
from discreet.mechanisms.constrained.excess import averaged_frank_wolfe, private_noise
from discreet.mechanisms.constrained.frank_wolfe import default_gaussian_steps, default_polytope_steps
from discreet.problems import ConstrainedRisk
from discreet.sets import Constraint


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRisk:
    """One mechanism, and what is proved about it."""

    mechanism: str
    risk: float
    """Bound of the expected excess of the mean loss, at the number of steps that makes it least; infinity where there is none."""
    steps: int | None
    """T of that bound, `n_iter` of a fit; None for mechanisms without steps."""
    own_risk: float
    """What is proved of a fit that chooses its steps by itself."""
    own_steps: int | None
    remark: str
    """Map or regularisation, or why there is no bound."""

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {**asdict(self), "risk": _or_none(self.risk), "own_risk": _or_none(self.own_risk)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SetBound:
    """What is proved for n records over a set."""

    records: int
    mechanisms: tuple[SetRisk, ...]
    """All of them, the smallest bound first."""
    auto: str
    """The one that mechanism="auto" takes."""
    trivial: float
    """The excess that no point of the set exceeds: bounds above it say nothing."""

    __repr__ = short_repr
    _repr_html_ = html_of("planning.set_bound_view")

    @property
    def best(self) -> SetRisk:
        """The one with the smallest bound."""
        return self.mechanisms[0]

    def of(self, mechanism: str) -> SetRisk:
        """The mechanism with this name. Raises InvalidInput for an unknown name."""
        for one in self.mechanisms:
            if one.mechanism == mechanism:
                return one
        raise InvalidInput(f"mechanism must be one of {[one.mechanism for one in self.mechanisms]}; {mechanism!r} was given.")

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return {
            "records": self.records,
            "risk": self.best.risk,
            "mechanism": self.best.mechanism,
            "steps": self.best.steps,
            "auto": self.auto,
            "trivial": self.trivial,
            "mechanisms": [one.to_dict() for one in self.mechanisms],
        }

    def __str__(self) -> str:
        """A line a mechanism."""
        rows = [(one.mechanism, f"{one.risk:.4g}", "-" if one.steps is None else f"{one.steps:,}", one.remark or "-") for one in self.mechanisms]
        title = f"Expected excess of the mean loss with {self.records:,} records; no point of the set exceeds {self.trivial:.4g}"
        return str(Told(title=title, header=("Mechanism", "Proved", "Steps", "Remark"), rows=rows, texts=(3,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededRecords:
    """How many records one mechanism needs for an excess risk."""

    mechanism: str
    records: int | None
    """None where no number of records was found to be enough."""
    remark: str
    """Why not."""

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists and numbers, as JSON has them."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetPlan:
    """A planned fit of a model over a set, in public numbers. Raises InvalidInput for impossible numbers."""

    constraint: Constraint
    """C, in as many dimensions as there are features, one more with an intercept."""
    loss: str = "squared"
    """Name of a loss of predictions or of the margin."""
    epsilon: float
    delta: float = DELTA
    neighbours: Neighbours = Neighbours.REPLACE_ONE
    entry_bound: float | None = None
    """Bound on every entry of a row."""
    data_norm: float | None = None
    """Bound on the Euclidean norm of a row; one of the two may be None."""
    target_bound: float | None = None
    """Bound on |y|, of losses of numbers, which need one; of losses of classes it is 1."""
    intercept_scale: float = 0.0
    """The constant feature whose coefficient is the last coordinate of C; 0 is no intercept."""
    steps: int | None = None
    """`n_iter` of the fit; None takes the best for the bound."""

    def __post_init__(self) -> None:
        """See class docstring."""
        positive(self.epsilon, "epsilon")
        small_delta(self.delta)
        if self.steps is not None:
            checked_steps(self.steps)
        if self.constraint.diameter == 0:
            raise InvalidInput("the constraint set is a single point, so there is nothing to learn. Take more features.")
        if self.target_bound is None and not self.problem(1).loss.signed_targets:
            raise InvalidInput(f"the loss {self.loss!r} is of numbers, so a plan needs target_bound, the largest size of a target.")
        self.problem(1)

    def problem(self, records: int) -> ConstrainedRisk:
        """The public problem at this number of records."""
        domain = Domain(
            features=self.constraint.dimension - (self.intercept_scale > 0),
            entry_bound=math.inf if self.entry_bound is None else self.entry_bound,
            norm_bound=math.inf if self.data_norm is None else self.data_norm,
            target_bound=1.0 if self.target_bound is None else self.target_bound,
            intercept_scale=self.intercept_scale,
            records=records,
        )
        return ConstrainedRisk(loss=prediction_loss_named(self.loss), constraint=self.constraint, domain=domain)

    def bound(self, records: int) -> SetBound:
        """What is proved for n records. Raises InfeasibleTarget where no mechanism has a bound, InvalidInput for a number that none may run on."""
        whole(records, "records")
        problem = self.problem(records)
        if records > problem.most_records:
            raise InvalidInput(f"no mechanism runs on more than {problem.most_records:,} records of this kind; {records:,} were given.")
        compared = candidates(problem, epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours)
        found = sorted((_without(each) if math.isinf(each.risk) else self._risk(problem, each.name) for each in compared), key=lambda one: one.risk)
        auto = next(each for each in compared if self.steps is None or each.name != OBJECTIVE)
        if math.isinf(auto.risk):
            remedy = "Pass delta > 0, for example 1e-6." if self.delta == 0 else "Choose a smooth loss, or leave the steps out."
            raise InfeasibleTarget(
                f"no mechanism is proved for the loss {self.loss!r} over the set {self.constraint.name!r} at these numbers. {remedy}"
            )
        return SetBound(records=records, mechanisms=tuple(found), auto=auto.name, trivial=problem.slope_bound * problem.spread)

    def needed(self, excess: float) -> tuple[NeededRecords, ...]:
        """For each mechanism, a number of records for which an excess of at most `excess` is proved; the fewest first.

        It is the fewest to one part in 1000 wherever the bound falls with n, which it does up to where the work limits the number of steps.
        """
        positive(excess, "excess")
        found = []
        most = self.problem(1).most_records
        for one in self.bound(1).mechanisms:
            if math.isinf(one.risk):
                found.append(NeededRecords(mechanism=one.mechanism, records=None, remark=one.remark))
                continue
            risks: dict[int, float] = {}
            count = _fewest(lambda records, name=one.mechanism, seen=risks: self._remembered(records, name, seen), excess, most)  # type: ignore[misc]
            least = min(risks, key=lambda records: risks[records])
            remark = "" if count is not None else f"at best {risks[least]:.4g}, with {least:,} records"
            found.append(NeededRecords(mechanism=one.mechanism, records=count, remark=remark))
        return tuple(sorted(found, key=lambda one: math.inf if one.records is None else one.records))

    def records_for(self, excess: float) -> SetBound:
        """What is proved for the fewest records of `needed`. Raises InfeasibleTarget where there is no such number."""
        found = self.needed(excess)
        if found[0].records is None:
            said = "; ".join(f"{one.mechanism}: {one.remark}" for one in found)
            raise InfeasibleTarget(
                f"no number of records that a mechanism runs on is proved to reach an excess of {excess:g} ({said}). Raise epsilon, the excess or "
                "the number of steps, or take a smaller set."
            )
        return self.bound(found[0].records)

    _repr_html_ = html_of("planning.view")

    def _remembered(self, records: int, mechanism: str, seen: dict[int, float]) -> float:
        if records not in seen:
            seen[records] = self._risk(self.problem(records), mechanism).risk
        return seen[records]

    def _risk(self, problem: ConstrainedRisk, name: str) -> SetRisk:
        """Of a mechanism that this problem has."""
        records = problem.domain.records or 1
        if name == OBJECTIVE:
            made = ObjectivePerturbationOverSet.calibrate(problem, epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours)
            risk = made.risk_bound(problem)
            remark = f"lambda = {made.ridge:.4g} on the sum of losses"
            return SetRisk(mechanism=name, risk=risk, steps=None, own_risk=risk, own_steps=None, remark=remark)
        if name == MIRROR:
            return self._mirror(problem)
        vertices, curvature = name != GAUSSIAN, records * problem.curvature
        chosen = (default_polytope_steps if vertices else default_gaussian_steps)(problem, self.epsilon, self.delta, self.neighbours)
        own = chosen if self.steps is None else self.steps
        target = partial(vertex_regret if vertices else gaussian_regret, problem, epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours)
        best = own if self.steps is not None else self._best_steps(problem, records, vertices=vertices)
        risks = [averaged_frank_wolfe(curvature=curvature, regret=target(steps=steps), steps=steps) / records for steps in (best, own)]
        least = min(risks)  # the best T is found by a power law: where it is the worse one, the fit's own is the better answer
        return SetRisk(mechanism=name, risk=least, steps=(best, own)[risks.index(least)], own_risk=risks[1], own_steps=own, remark="")

    def _best_steps(self, problem: ConstrainedRisk, records: int, *, vertices: bool) -> int:
        target = {"epsilon": self.epsilon, "delta": self.delta}
        return least_walk(problem, vertices=vertices, records=records, neighbours=self.neighbours, **target)[1]

    def _mirror(self, problem: ConstrainedRisk) -> SetRisk:
        made = NoisyMirrorDescent.calibrate(problem, epsilon=self.epsilon, delta=self.delta, neighbours=self.neighbours, steps=self.steps)
        steps = made.noise_steps.count
        sensitivity = gradient_distance(problem, self.neighbours)
        ideal = private_noise(sensitivity=sensitivity, mu=gaussian_mu(self.epsilon, self.delta), steps=steps)
        # At a given step size theorem 3.2 is at most quadratic in the noise.
        risk = made.risk_bound() * max(1.0, made.noise_steps.deviation / ideal) ** 2
        remark = f"{made.plan.mirror_map} map, {made.plan.schedule} schedule"
        return SetRisk(mechanism=MIRROR, risk=risk, steps=steps, own_risk=risk, own_steps=steps, remark=remark)


def _fewest(risk: Callable[[int], float], excess: float, most: int) -> int | None:
    """A number of records with risk at most `excess`, less than twice one that is too few, and to one part in 1000; None where there is none."""
    low, high = 0, 1
    while risk(high) > excess:
        low, high = high, min(2 * high, most)
        if low == most:
            return None
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if risk(middle) <= excess else (middle, high)
    return high


def _without(candidate: Candidate) -> SetRisk:
    """There is no bound for it."""
    return SetRisk(mechanism=candidate.name, risk=math.inf, steps=None, own_risk=math.inf, own_steps=None, remark=candidate.remark)


def _or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None
