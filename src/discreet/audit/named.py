"""The audits that `discreet audit NAME` knows: a mechanism of ours, calibrated for a target, on the worst pair that is known for it.

An entry of CATALOGUE is exact, a law of `exact_*`, or statistical: a black box with its pair. An exact audit reads the calibrated numbers; whether
the code draws what they say is the other half of each entry, its watch (package `drawn`), and mechanisms without a bound have a watch alone. What
estimators are audited is on the floor above: they are siblings of this package (cli/audit_estimators.py).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from discreet.audit.claim import Claim, Target
from discreet.audit.drawn.catalogue import WATCHED
from discreet.audit.drawn.parts import Watched
from discreet.audit.exact import exact_audit, worst_of
from discreet.audit.laws import choice, gaussian_integers, laplace_integers, sketch
from discreet.audit.learning import exact_learning_audit
from discreet.audit.report import Audited, AuditReport, DrawnReport
from discreet.audit.statistical import audit
from discreet.audit.walks import gaussian_walk, line_problem, polytope_walk
from discreet.core.arrays import Floats
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Neighbours
from discreet.data import Domain, Records
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix
from discreet.mechanisms.constrained import GaussianFrankWolfe, NoisyMirrorDescent, PolytopeFrankWolfe
from discreet.mechanisms.counting import CountingMechanism, GaussianCounting, Histogram, LaplaceCounting, Queries
from discreet.mechanisms.cuts import CutsPlan, Interval
from discreet.mechanisms.learning import calibrate, default_ridge
from discreet.mechanisms.release import FreshProjection, GaussianRelease, GaussianSketch
from discreet.mechanisms.selection import ExponentialMechanism
from discreet.noise import SystemNoise
from discreet.problems import RegularisedRisk
from discreet.queries import Rows, SecondMoments
from discreet.queries import Target as Column

_CELLS = Queries([Histogram(cells=2)])


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedAudit:
    """One entry of the catalogue."""

    name: str
    method: str
    """"exact", "statistical" or "drawn"."""
    pure: bool
    """Whether the mechanism has delta = 0."""
    summary: str
    run: Audited | None
    """The lower bound on epsilon; None for a watch alone."""
    drawn: Watched | None = None
    """Runs the mechanism, and recovers the noise of what leaves."""

    def report(self, target: Target) -> AuditReport | DrawnReport:
        """The bound, and whether noise is drawn as certificates state."""
        watches = () if self.drawn is None else (self.drawn(target),)
        if self.run is None:
            return DrawnReport(subject=self.name, watches=watches)
        found = self.run(target)
        return replace(found, drawn=watches, violated=found.violated or not all(watch.as_stated for watch in watches))


def _learning(target: Target, *, mechanism: str) -> AuditReport:
    domain = Domain(features=2, norm_bound=1.0, records=10_000, classes=2)
    start = RegularisedRisk(loss=Logistic(), ridge=1.0, domain=domain)
    ridge = default_ridge(start, mechanism=mechanism, **target.asked)
    problem = replace(start, ridge=ridge)
    made = calibrate(problem, mechanism=mechanism, calibration="tight", **target.asked)
    return exact_learning_audit(problem, made)


def _counting_laplace(target: Target) -> AuditReport:
    made = LaplaceCounting.calibrate(_CELLS, epsilon=target.epsilon, neighbours=target.neighbours)
    shifts, words = _moved(target.neighbours)
    laws = laplace_integers(shifts, made.scales[0]), laplace_integers(tuple(-shift for shift in shifts), made.scales[0])
    return exact_audit(*laws, Claim.of(made.guarantee(_CELLS)), subject=made.name, described=words)


def _counting_gaussian(target: Target) -> AuditReport:
    made = GaussianCounting.calibrate(_CELLS, **target.asked)
    return gaussian_audit(made, Claim.of(made.guarantee(_CELLS)), target.neighbours)


def gaussian_audit(made: GaussianCounting, claim: Claim, neighbours: Neighbours) -> AuditReport:
    """Exact, for a histogram of two cells."""
    shifts, words = _moved(neighbours)
    law = gaussian_integers(1.0, made.scales[0], times=len(shifts))
    return exact_audit(law, law, claim, subject=made.name, described=words)


def _cuts(target: Target) -> AuditReport:
    columns = [Interval(name, 0.0, 1.0) for name in "abc"]
    plan = CutsPlan.calibrate(columns, **target.asked)
    return cuts_audit(plan.mechanism, Claim.of(plan.mechanism.guarantee(plan.queries)), target.neighbours, columns=len(columns))


def cuts_audit(made: CountingMechanism, claim: Claim, neighbours: Neighbours, *, columns: int) -> AuditReport:
    """Exact, for histograms of so many columns together: a record that is in another cell in all of them, or that is there or not."""
    shifts, words = _moved(neighbours)
    moved, (scale,) = columns * shifts, made.scales
    if isinstance(made, LaplaceCounting):
        here, there = laplace_integers(moved, scale), laplace_integers(tuple(-shift for shift in moved), scale)
    else:
        here = there = gaussian_integers(1.0, scale, times=len(moved))
    return exact_audit(here, there, claim, subject=made.name, described=f"{words}, in each of {columns} columns")


def _exponential(target: Target) -> AuditReport:
    made = ExponentialMechanism.calibrate(sensitivity=1, epsilon=target.epsilon, neighbours=target.neighbours)
    return exponential_audit(made, target.claim)


def exponential_audit(made: ExponentialMechanism, claim: Claim, *, candidates: int = 1000) -> AuditReport:
    """Exact: one record improves one candidate's score and spoils those of all others, or the other way round."""
    reports = []
    for good in (1.0, candidates - 1.0):
        here = np.zeros(candidates)
        here[: int(good)] = made.sensitivity
        there = made.sensitivity - here if not made.monotone else np.zeros(candidates)
        laws = choice(here, there, made.rate), choice(there, here, made.rate)
        words = f"{candidates} candidates; one record moves the scores of {int(good)} up and of the others down, by {made.sensitivity}"
        reports.append(exact_audit(*laws, claim, subject=made.name, described=words))
    return worst_of(reports)


def _polytope(target: Target) -> AuditReport:
    problem = line_problem()
    made = PolytopeFrankWolfe.calibrate(problem, **target.asked, steps=100)
    return polytope_walk(made, Claim.of(made.guarantee(problem)), target.neighbours)


def _noisy_walk(target: Target, *, kind: type[GaussianFrankWolfe | NoisyMirrorDescent]) -> AuditReport:
    problem = line_problem()
    made = kind.calibrate(problem, **target.asked, steps=50)
    return gaussian_walk(made.noise_steps, Claim.of(made.guarantee(problem)), target.neighbours, subject=made.name)


def _sketch(target: Target) -> AuditReport:
    query = SecondMoments(domain=Domain(features=2, norm_bound=1.0, target_bound=1.0), target=Column.OMITTED, most_records=1)
    made = GaussianSketch.calibrate(query, rows=8, **target.asked)
    return sketch_audit(query, made, Claim.of(made.guarantee(query)), target.neighbours)


def sketch_audit(query: SecondMoments, made: GaussianSketch, claim: Claim, neighbours: Neighbours) -> AuditReport:
    """Exact, by the chi-square laws of the worst pair."""
    removed = neighbours is ADD_REMOVE
    laws = sketch(made.rows, (query.norm / query.unit) ** 2 / made.variance, removed=removed)
    words = "one record of the largest norm, and no other; " + ("or none" if removed else "or one at a right angle to it")
    return exact_audit(*laws, claim, subject=f"{made.name}, {neighbours}", described=words)


def _release(target: Target, *, fresh: bool) -> AuditReport:
    domain = Domain(features=2, norm_bound=1.0, target_bound=1.0)
    query = Rows(domain=domain)
    if target.neighbours is not REPLACE_ONE:
        raise InvalidInput("rows that are released one for one tell how many records there are: this audit is of replace-one.")
    made: GaussianRelease | FreshProjection = (
        FreshProjection.calibrate(query, width=2, **target.asked) if fresh else GaussianRelease.calibrate(query, **target.asked)
    )
    return release_audit(query, made, Claim.of(made.guarantee(query)), target)


def release_audit(query: Any, made: Any, claim: Claim, target: Target) -> AuditReport:  # noqa: ANN401 - any release mechanism and its query
    """Statistical: one record of the largest norm and its negative."""
    domain = query.domain

    def table(row: list[float]) -> Records:
        return Records(rows=DenseMatrix(np.array([row])), targets=np.zeros(1), domain=domain)

    def run(data: Records, count: int) -> Floats:
        return np.array([made.run(query, data, SystemNoise()).value.ravel() for _ in range(count)])

    return audit(
        run,
        (table([1.0, 0.0]), table([-1.0, 0.0])),
        claim,
        **target.sampling,
        batch=True,
        subject=made.name,
        described="a table of one record of the largest norm, and of its negative",
    )


def _moved(neighbours: Neighbours) -> tuple[tuple[int, ...], str]:
    if neighbours is ADD_REMOVE:
        return (1,), "one record more in a cell"
    return (1, -1), "one record moved from a cell to another one"


def _entry(name: str, run: Audited, summary: str, *, method: str = "exact", pure: bool = False) -> tuple[str, NamedAudit]:
    watch = WATCHED[name]
    return name, NamedAudit(name=name, method=method, pure=pure, summary=summary, run=run, drawn=watch.run)


_BOUNDED: dict[str, NamedAudit] = dict(
    (
        _entry("objective", partial(_learning, mechanism="objective"), "objective perturbation, by the density of the minimiser; delta 0 or more"),
        _entry("output", partial(_learning, mechanism="output"), "output perturbation, by the distance of the minimisers; delta 0 or more"),
        _entry("counting-laplace", _counting_laplace, "a histogram with discrete Laplace noise", pure=True),
        _entry("counting-gaussian", _counting_gaussian, "a histogram with discrete Gaussian noise"),
        _entry("cuts", _cuts, "histograms of three columns together, from which cuts are chosen; delta 0 or more"),
        _entry("exponential", _exponential, "the exponential mechanism among 1000 candidates", pure=True),
        _entry("frank-wolfe-polytope", _polytope, "transcript of 100 steps of Frank-Wolfe with chosen vertices"),
        _entry("frank-wolfe-gaussian", partial(_noisy_walk, kind=GaussianFrankWolfe), "transcript of 50 steps of Frank-Wolfe with noisy gradients"),
        _entry("mirror-descent", partial(_noisy_walk, kind=NoisyMirrorDescent), "transcript of 50 steps of noisy mirror descent"),
        _entry("sketch", _sketch, "a secret Gaussian sketch of 8 rows, by its chi-square laws"),
        _entry("rows", partial(_release, fresh=False), "rows with Gaussian noise, as released", method="statistical"),
        _entry("fresh-projection", partial(_release, fresh=True), "rows through a fresh random projection, as released", method="statistical"),
    )
)

CATALOGUE: dict[str, NamedAudit] = {
    **_BOUNDED,
    **{
        name: NamedAudit(name=name, method="drawn", pure=watch.pure, summary=watch.summary, run=None, drawn=watch.run)
        for name, watch in WATCHED.items()
        if name not in _BOUNDED
    },
}
"""By name: those with a bound on epsilon first."""
