"""The audits that `discreet audit NAME` knows: a mechanism of ours, calibrated for a target, on the worst pair that is known for it.

A bound on epsilon is exact, from a known law, or statistical: a black box with its pair. An exact audit reads the calibrated numbers; whether code
draws what they say is the other half of each entry, its watch (package `drawn`): what left many runs, with the noise recovered. Mechanisms without a
bound have a watch alone. The quick tests run all of them, and a law says that no registered mechanism is missing. Estimators, and what searches draw
of their own, are on the floor above, since estimators are siblings of this package (cli/audit_estimators.py).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from discreet.audit.claim import Claim, Target
from discreet.audit.drawn import constrained, integers, learning, regression, released_rows, second_moments, sketches
from discreet.audit.exact import choice, exact_audit, gaussian_integers, laplace_integers, sketch, worst_of
from discreet.audit.learning import exact_learning_audit
from discreet.audit.parts import Watched
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
    summary: str
    drawn: Watched | None = None
    """Runs the mechanism, and recovers the noise of what leaves."""
    certified: tuple[str, ...] = ()
    """The mechanisms that `drawn` runs, by their names in certificates."""
    run: Audited | None = None
    """The lower bound on epsilon; None for a watch alone."""
    statistical: bool = False
    """Whether the bound is one of confidence."""
    pure: bool = False
    """Whether the mechanism has delta = 0."""
    persons: bool = False
    """Whether it knows a worst person with several rows."""

    @property
    def method(self) -> str:
        """How: "exact", "statistical", or "drawn" without a bound."""
        return "drawn" if self.run is None else "statistical" if self.statistical else "exact"

    def report(self, target: Target) -> AuditReport | DrawnReport:
        """The bound, and whether noise is drawn as certificates state. Raises InvalidInput for a person, where it knows no worst one."""
        if target.person is not None and not self.persons:
            raise InvalidInput(f"the audit {self.name!r} is about single rows. Leave out the rows per person.")
        watches = () if self.drawn is None else (self.drawn(target),)
        if self.run is None:
            return DrawnReport(subject=self.name, watches=watches)
        found = self.run(target)
        return replace(found, drawn=watches, violated=found.violated or not all(watch.as_stated for watch in watches))


def _learning(target: Target, *, mechanism: str) -> AuditReport:
    domain = Domain(features=2, norm_bound=1.0, records=10_000, classes=2, persons=None if target.person is None else target.person.rule)
    start = RegularisedRisk(loss=Logistic(), ridge=1.0, domain=domain)
    ridge = default_ridge(start, mechanism=mechanism, **target.target)
    problem = replace(start, ridge=ridge)
    made = calibrate(problem, mechanism=mechanism, calibration="tight", **target.target)
    return exact_learning_audit(problem, made, person=target.person)


def _counting_laplace(target: Target) -> AuditReport:
    made = LaplaceCounting.calibrate(_CELLS, epsilon=target.epsilon, neighbours=target.neighbours)
    shifts, words = _moved(target.neighbours)
    laws = laplace_integers(shifts, made.scales[0]), laplace_integers(tuple(-shift for shift in shifts), made.scales[0])
    return exact_audit(*laws, Claim.of(made.guarantee(_CELLS)), subject=made.name, described=words)


def _counting_gaussian(target: Target) -> AuditReport:
    made = GaussianCounting.calibrate(_CELLS, **target.target)
    return gaussian_audit(made, Claim.of(made.guarantee(_CELLS)), target.neighbours)


def gaussian_audit(made: GaussianCounting, claim: Claim, neighbours: Neighbours) -> AuditReport:
    """Exact, for a histogram of two cells."""
    shifts, words = _moved(neighbours)
    law = gaussian_integers(1.0, made.scales[0], times=len(shifts))
    return exact_audit(law, law, claim, subject=made.name, described=words)


def _cuts(target: Target) -> AuditReport:
    columns = [Interval(name, 0.0, 1.0) for name in "abc"]
    plan = CutsPlan.calibrate(columns, **target.target)
    return cuts_audit(plan.mechanism, Claim.of(plan.mechanism.guarantee(plan.problem)), target.neighbours, columns=len(columns))


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
    made = PolytopeFrankWolfe.calibrate(problem, **target.target, steps=100)
    return polytope_walk(made, Claim.of(made.guarantee(problem)), target.neighbours)


def _noisy_walk(target: Target, *, kind: type[GaussianFrankWolfe | NoisyMirrorDescent]) -> AuditReport:
    problem = line_problem()
    made = kind.calibrate(problem, **target.target, steps=50)
    return gaussian_walk(made.noise_steps, Claim.of(made.guarantee(problem)), target.neighbours, subject=made.name)


def _sketch(target: Target) -> AuditReport:
    query = SecondMoments(domain=Domain(features=2, norm_bound=1.0, target_bound=1.0), target=Column.OMITTED, most_records=1)
    made = GaussianSketch.calibrate(query, rows=8, **target.target)
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
        raise InvalidInput("one released row per record reveals the number of records, so this audit needs replace-one.")
    made: GaussianRelease | FreshProjection = (
        FreshProjection.calibrate(query, width=2, **target.target) if fresh else GaussianRelease.calibrate(query, **target.target)
    )
    return release_audit(query, made, Claim.of(made.guarantee(query)), target)


def release_audit(query: Any, made: Any, claim: Claim, target: Target) -> AuditReport:  # noqa: ANN401 - any release mechanism and its query
    """Statistical: one record of the largest norm and its negative."""
    domain = query.domain

    def table(row: list[float]) -> Records:
        return Records(rows=DenseMatrix(np.array([row])), targets=np.zeros(1), domain=domain, kept=True)

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


def _entry(
    name: str,
    summary: str,
    drawn: Watched,
    *certified: str,
    exact: Audited | None = None,
    statistical: Audited | None = None,
    **known: bool,
) -> NamedAudit:
    run, counted = exact or statistical, statistical is not None
    return NamedAudit(name=name, summary=summary, drawn=drawn, certified=certified, run=run, statistical=counted, **known)


_SPREAD = ("gaussian", "pure")
_ENTRIES = (
    _entry(
        "objective",
        "objective perturbation, by the density of the minimiser; delta 0 or more",
        partial(learning.one_model, mechanism="objective"),
        *(f"objective-perturbation-{law}" for law in _SPREAD),
        exact=partial(_learning, mechanism="objective"),
        persons=True,
    ),
    _entry(
        "output",
        "output perturbation, by the distance of the minimisers; delta 0 or more",
        partial(learning.one_model, mechanism="output"),
        *(f"output-perturbation-{law}" for law in _SPREAD),
        exact=partial(_learning, mechanism="output"),
        persons=True,
    ),
    _entry(
        "counting-laplace",
        "a histogram with discrete Laplace noise",
        integers.counting_laplace,
        "counting-laplace",
        exact=_counting_laplace,
        pure=True,
    ),
    _entry(
        "counting-gaussian", "a histogram with discrete Gaussian noise", integers.counting_gaussian, "counting-gaussian", exact=_counting_gaussian
    ),
    _entry(
        "cuts",
        "histograms of three columns together, from which cuts are chosen; delta 0 or more",
        integers.cuts,
        *(f"counting-{law}" for law in ("gaussian", "laplace")),
        exact=_cuts,
    ),
    _entry(
        "moments",
        "sums of powers of errors and targets, from which regressions are measured; delta 0 or more",
        integers.moments,
        *(f"counting-{law}" for law in ("gaussian", "laplace")),
    ),
    _entry(
        "summaries",
        "tables and sums of all columns, from which a table is described; delta 0 or more",
        integers.summaries,
        *(f"counting-{law}" for law in ("gaussian", "laplace")),
    ),
    _entry(
        "margins",
        "contingency tables in rounds, of which synthetic tables are made",
        integers.margins,
        "margins-gaussian",
    ),
    _entry(
        "exponential", "the exponential mechanism among 1000 candidates", integers.exponential, "exponential-mechanism", exact=_exponential, pure=True
    ),
    _entry(
        "frank-wolfe-polytope",
        "transcript of 100 steps of Frank-Wolfe with chosen vertices",
        constrained.polytope,
        "frank-wolfe-polytope",
        exact=_polytope,
    ),
    _entry(
        "frank-wolfe-gaussian",
        "transcript of 50 steps of Frank-Wolfe with noisy gradients",
        constrained.frank_wolfe,
        "frank-wolfe-gaussian",
        exact=partial(_noisy_walk, kind=GaussianFrankWolfe),
    ),
    _entry(
        "mirror-descent",
        "transcript of 50 steps of noisy mirror descent",
        constrained.mirror_descent,
        "mirror-descent",
        exact=partial(_noisy_walk, kind=NoisyMirrorDescent),
    ),
    _entry("sketch", "a secret Gaussian sketch of 8 rows, by its chi-square laws", sketches.sketch, "release-gaussian-sketch", exact=_sketch),
    _entry(
        "second-moments",
        "second moments of records or persons, as released",
        second_moments.moments,
        "release-gaussian-moments",
        exact=second_moments.moments_audit,
        persons=True,
    ),
    _entry(
        "categories",
        "categories of one person, randomised by their owner",
        released_rows.categories,
        "release-categories",
        exact=released_rows.categories_audit,
        pure=True,
    ),
    _entry(
        "laplace-rows",
        "rows with Laplace noise, as released or by their owners",
        released_rows.laplace,
        "release-laplace-rows",
        exact=released_rows.laplace_audit,
        pure=True,
    ),
    _entry("shuffled-rows", "rows with Gaussian noise, in a secret order that is counted", released_rows.shuffled, "release-shuffled-gaussian-rows"),
    _entry(
        "shuffled-laplace-rows",
        "rows with Laplace noise, in a secret order that is counted",
        partial(released_rows.shuffled, pure=True),
        "release-shuffled-laplace-rows",
    ),
    _entry("rows", "rows with Gaussian noise, as released", released_rows.rows, "release-gaussian-rows", statistical=partial(_release, fresh=False)),
    _entry(
        "fresh-projection",
        "rows through a fresh random projection, as released",
        released_rows.fresh_projection,
        "release-fresh-projection",
        statistical=partial(_release, fresh=True),
    ),
    _entry(
        "multinomial",
        "objective perturbation of three classes together; delta 0 or more",
        partial(learning.several_classes, multinomial=True),
        "multinomial-perturbation-gaussian",
        "multinomial-perturbation-pure",
        persons=True,
    ),
    _entry(
        "one-vs-rest",
        "three classes, each against the rest; delta 0 or more",
        partial(learning.several_classes, multinomial=False),
        "one-vs-rest-gaussian",
        "one-vs-rest-pure",
        persons=True,
    ),
    _entry("objective-over-set", "objective perturbation over a ball", constrained.over_set, "objective-perturbation-set", persons=True),
    _entry(
        "residuals-over-set", "objective perturbation of clipped squares over a set", constrained.residuals_over_set, "objective-perturbation-set"
    ),
    _entry(
        "mirror-descent-sampled",
        "mirror descent on Poisson batches, add-remove: who takes part, and the noise",
        constrained.sampled,
        "mirror-descent-sampled",
    ),
    _entry("bounds", "private bounds of two columns; delta 0 or more", integers.bounds, "bounds-choice"),
    _entry("curvature", "the curvature of a released model, for its intervals", integers.curvature, "curvature-gaussian"),
    _entry("random-stopping", "a search's number of runs, their settings and noisy scores", integers.random_stopping, "random-stopping", pure=True),
    _entry("information-rows", "rows with Gaussian noise for half a bit about an entry", released_rows.for_bits, "release-information-rows"),
    _entry("fisher", "rows with noise shaped by weights", released_rows.fisher, "release-fisher-noise"),
    _entry("bounded", "rows with noise of bounded support", released_rows.bounded, "release-bounded-noise"),
    _entry(
        "bounded-columns",
        "rows with noise of bounded support, ends of its own for each column",
        released_rows.bounded_columns,
        "release-bounded-columns",
    ),
    _entry("null-space", "rows with noise that leaves a machine unchanged; not private", released_rows.null_space, "release-null-space-noise"),
    _entry("eigenvalue-sketch", "a sketch with a noisy least eigenvalue", sketches.eigenvalue_sketch, "release-eigenvalue-sketch"),
    _entry("information-sketch", "a sketch for half a bit about an entry", sketches.information_sketch, "release-information-sketch"),
    _entry("clear-target-sketch", "a sketch whose target has no noise", sketches.clear_target_sketch, "release-clear-target-sketch"),
    _entry("published-sketch", "the sketch as published; not private", sketches.published_sketch, "release-published-sketch"),
    _entry(
        "least-squares", "linear regression by objective perturbation of residuals", regression.objective, "least-squares-objective", persons=True
    ),
    _entry("predictions", "a quantile by objective perturbation", regression.prediction, "prediction-objective", persons=True),
    _entry("targets", "a regression of several targets by objective perturbation", regression.targets, "targets-objective"),
    _entry("least-squares-moments", "linear regression from noisy moments and gradients", regression.refined, "least-squares-moments", persons=True),
    _entry("least-squares-adassp", "linear regression by AdaSSP", regression.adassp, "least-squares-adassp", persons=True),
    _entry("least-squares-mixing", "linear regression from a sketch", sketches.mixing, "least-squares-mixing"),
    _entry(
        "least-squares-hessian-mixing", "noisy gradients beside a sketch", regression.hessian_mixing, "least-squares-hessian-mixing", persons=True
    ),
)
CATALOGUE: dict[str, NamedAudit] = {entry.name: entry for entry in _ENTRIES}
"""By the name of `discreet audit`: those with a bound on epsilon first."""
