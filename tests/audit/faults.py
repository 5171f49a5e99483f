"""Faults, each planted in a mechanism of ours, with the audit that must catch it and must pass without it.

A case is an audit of a `right` mechanism and of a `wrong` one under the same claim on the same pair. Each fault was found in a published library, a
paper, or is one line away from the right code.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from discreet import LogisticRegression
from discreet.accounting import MutualInformation, gaussian_mu
from discreet.audit import AuditReport, Claim, audit, one_run_audit
from discreet.audit.densities import Counted, Pair, worst_pairs
from discreet.audit.drawn.named import Target, cuts_audit, exponential_audit, gaussian_audit, release_audit, sketch_audit
from discreet.audit.exact import exact_audit, laplace_integers, two_outcomes
from discreet.audit.fits import many_fits
from discreet.audit.learning import Release, audit_release, exact_learning_audit
from discreet.audit.walks import gaussian_walk, line_problem, polytope_walk
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain, Records
from discreet.losses import HuberHinge, Logistic
from discreet.matrices import DenseMatrix
from discreet.mechanisms.constrained import GaussianFrankWolfe, NoisyMirrorDescent, PolytopeFrankWolfe
from discreet.mechanisms.counting import GaussianCounting, Histogram, LaplaceCounting, Queries
from discreet.mechanisms.cuts import CutsPlan, Interval
from discreet.mechanisms.learning import calibrate
from discreet.mechanisms.learning.margin import MARGIN
from discreet.mechanisms.release import GaussianRelease, GaussianSketch, PublishedSketch
from discreet.mechanisms.selection import ExponentialMechanism
from discreet.noise import SeededNoise, SystemNoise
from discreet.problems import RegularisedRisk
from discreet.queries import Rows, SecondMoments

EPSILON, DELTA = 1.0, 1e-5
CELLS = Queries([Histogram(cells=2)])
LOOSE = 0.01
"""The delta of statistical audits: smaller ones are below what can be counted."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One row of the table."""

    fault: str
    audited: str
    right: Callable[..., AuditReport]
    """Takes confidence."""
    wrong: Callable[..., AuditReport]
    statistical: bool = False


CASES: list[Case] = []


def exact(fault, audited):
    """Decorator: a function of `planted` is both audits."""

    def keep(function):
        CASES.append(Case(fault=fault, audited=audited, right=lambda **_: function(planted=False), wrong=lambda **_: function(planted=True)))
        return function

    return keep


def statistical(fault, audited):
    """Likewise, of `planted` and the confidence."""

    def keep(function):
        CASES.append(
            Case(
                fault=fault,
                audited=audited,
                right=lambda confidence=0.999: function(planted=False, confidence=confidence),
                wrong=lambda confidence=0.999: function(planted=True, confidence=confidence),
                statistical=True,
            )
        )
        return function

    return keep


def risk(ridge, *, norm=1.0, loss=None, features=1):
    return RegularisedRisk(
        loss=loss or Logistic(),
        ridge=ridge,
        domain=Domain(features=features, norm_bound=norm, records=1000, classes=2),
        max_weight=1.0,
    )


def learning(mechanism, delta, neighbours, *, weaker=1.0, calibrated_for=None):
    """The exact audit of a learning mechanism whose noise is `weaker` times as wide, or calibrated for another relation."""
    ridge = MARGIN.comfortable_ridge(risk(1.0), epsilon=EPSILON, delta=delta, neighbours=neighbours)
    problem = risk(ridge)
    numbers = {"mechanism": mechanism, "calibration": "tight", "epsilon": EPSILON, "delta": delta}
    right = calibrate(problem, neighbours=neighbours, **numbers)
    claim = Claim.of(right.guarantee(problem))
    made = right if calibrated_for is None else calibrate(problem, neighbours=calibrated_for, **numbers)
    if delta > 0:
        made = replace(made, scale=made.scale * weaker)
    else:
        made = replace(made, rate=made.rate / weaker)
    return exact_learning_audit(problem, made, claim=claim, neighbours=neighbours)


for mechanism in ("objective", "output"):
    for delta, law in ((DELTA, "Gaussian"), (0.0, "pure")):
        exact("half the noise", f"{mechanism} perturbation, {law}, add-remove")(
            lambda planted, mechanism=mechanism, delta=delta: learning(mechanism, delta, ADD_REMOVE, weaker=0.5 if planted else 1.0)
        )
        exact("sensitivity L for 2 L (replace-one as add-remove)", f"{mechanism} perturbation, {law}, replace-one")(
            lambda planted, mechanism=mechanism, delta=delta: learning(mechanism, delta, REPLACE_ONE, calibrated_for=ADD_REMOVE if planted else None)
        )


@exact("curvature c R for c R^2", "objective perturbation, pure, rows of norm 12")
def curvature(planted):
    """Slack ln(1 + c R / lambda) is taken from epsilon where ln(1 + c R^2 / lambda) is needed (diffprivlib 0.6.6)."""
    norm = 12.0
    problem = risk(1.0, norm=norm)
    if not planted:
        problem = risk(MARGIN.comfortable_ridge(problem, epsilon=EPSILON, delta=0.0, neighbours=ADD_REMOVE), norm=norm)
        made = calibrate(problem, mechanism="objective", calibration="tight", epsilon=EPSILON, delta=0.0, neighbours=ADD_REMOVE)
        return exact_learning_audit(problem, made)
    ridge = 0.25 * norm / np.expm1(0.3)
    law = Release(loss=Logistic(), ridge=ridge, noise=(EPSILON - 0.3) / norm, gaussian=False, objective=True)
    return audit_release(law, alone(norm), Claim(epsilon=EPSILON), subject="curvature c R")


def alone(norm):
    return (Pair(Counted.of(((norm,), 1.0)), Counted.of(((norm,), 0.0)), "one record of the largest norm, or none"),)


@exact("unpenalised intercept", "objective perturbation, pure, replace-one")
def intercept(planted):
    """Rows (x, 1); the ridge leaves the second coordinate out, as scikit-learn and diffprivlib 0.6.6 do."""
    others = (((0.0, 1.0), 1.0), ((0.0, -1.0), 1.0))
    pair = Pair(Counted.of(((1.0, 1.0), 1.0), *others), Counted.of(((0.0, 1.0), 1.0), *others), "(1, +) replaced by (0, +), beside (0, +) and (0, -)")
    radius = np.sqrt(2.0)
    problem = risk(1.0, norm=radius)
    problem = risk(MARGIN.comfortable_ridge(problem, epsilon=EPSILON, delta=0.0, neighbours=REPLACE_ONE), norm=radius)
    made = calibrate(problem, mechanism="objective", calibration="tight", epsilon=EPSILON, delta=0.0, neighbours=REPLACE_ONE)
    law = Release(loss=Logistic(), ridge=problem.ridge, noise=made.rate, gaussian=False, objective=True, unpenalised=(1,) if planted else ())
    return audit_release(law, (pair,), Claim(epsilon=EPSILON), subject="intercept")


@exact("Jacobian slack forgotten", "objective perturbation, Gaussian, Huber hinge, small lambda")
def slack(planted):
    problem = risk(0.7, loss=HuberHinge())
    right = calibrate(problem, mechanism="objective", calibration="tight", epsilon=EPSILON, delta=DELTA, neighbours=ADD_REMOVE)
    made = replace(right, scale=1.0 / gaussian_mu(EPSILON, DELTA)) if planted else right
    return exact_learning_audit(problem, made, claim=Claim.of(right.guarantee(problem)))


@exact("rows not shortened to the bound", "output perturbation, Gaussian, a record of five times the norm")
def outlying(planted):
    problem = risk(2.0)
    made = calibrate(problem, mechanism="output", calibration="tight", epsilon=EPSILON, delta=DELTA, neighbours=ADD_REMOVE)
    law = Release(loss=Logistic(), ridge=2.0, noise=made.scale, gaussian=True, objective=False)
    pairs = worst_pairs(radius=5.0 if planted else 1.0, ridge=2.0, neighbours=ADD_REMOVE)
    return audit_release(law, pairs, Claim.of(made.guarantee(problem)), subject="an outlying record")


@exact("budget split forgotten", "two histograms with Laplace noise")
def split(planted):
    made = LaplaceCounting.calibrate(CELLS, epsilon=EPSILON if planted else EPSILON / 2, neighbours=ADD_REMOVE)
    laws = [laplace_integers(moves, made.scales[0]) for moves in ((1, 1), (-1, -1))]
    return exact_audit(*laws, Claim(epsilon=EPSILON * (1 + 1e-9)), subject="two histograms", described="one record more, counted twice")


@exact("a replaced record moves two cells", "histogram, discrete Gaussian noise")
def two_cells(planted):
    made = GaussianCounting.calibrate(CELLS, epsilon=EPSILON, delta=DELTA, neighbours=ADD_REMOVE if planted else REPLACE_ONE)
    return gaussian_audit(made, Claim(epsilon=EPSILON, delta=DELTA), REPLACE_ONE)


THREE = [Interval(name, 0.0, 1.0) for name in "abc"]


def cuts(columns, delta, neighbours, *, weaker=1.0, relation=None):
    """The audit of cuts of three columns whose noise is calibrated for `columns`, or for another relation, or is `weaker` times as wide."""
    made = CutsPlan.calibrate(columns, epsilon=EPSILON, delta=delta, neighbours=relation or neighbours).mechanism
    made = replace(made, scales=tuple(weaker * scale for scale in made.scales))
    return cuts_audit(made, Claim(epsilon=EPSILON * (1 + 1e-9), delta=delta), neighbours, columns=len(THREE))


for delta, law in ((DELTA, "Gaussian"), (0.0, "Laplace")):
    audited = f"cuts of three columns, discrete {law} noise"
    exact("half the noise", audited)(lambda planted, delta=delta: cuts(THREE, delta, ADD_REMOVE, weaker=0.5 if planted else 1.0))
    exact("one column forgotten in the sensitivity", audited)(lambda planted, delta=delta: cuts(THREE[:2] if planted else THREE, delta, ADD_REMOVE))
    exact("a replaced record moves two cells of every column", audited)(
        lambda planted, delta=delta: cuts(THREE, delta, REPLACE_ONE, relation=ADD_REMOVE if planted else None)
    )


@exact("monotone scores assumed", "exponential mechanism, replace-one")
def monotone(planted):
    made = ExponentialMechanism.calibrate(epsilon=EPSILON, sensitivity=1, neighbours=REPLACE_ONE)
    if planted:
        made = replace(made, rate=2.0 * made.rate)
    return exponential_audit(made, Claim(epsilon=EPSILON))


@exact("steps not counted", "Frank-Wolfe over a polytope, transcript")
def steps_of_choices(planted):
    made = PolytopeFrankWolfe.calibrate(line_problem(), epsilon=EPSILON, delta=DELTA, neighbours=REPLACE_ONE, steps=25)
    return polytope_walk(made, Claim.of(made.guarantee(line_problem())), REPLACE_ONE, steps=50 if planted else 25)


@exact("noise for one step used in all", "mirror descent, transcript")
def steps_of_noise(planted):
    made = NoisyMirrorDescent.calibrate(line_problem(), epsilon=EPSILON, delta=DELTA, neighbours=ADD_REMOVE, steps=1 if planted else 16)
    return gaussian_walk(made.noise_steps, Claim.of(made.guarantee(line_problem())), ADD_REMOVE, subject=made.name, steps=16)


@exact("sensitivity L for 2 L (replace-one as add-remove)", "Frank-Wolfe, Gaussian, transcript")
def replaced_in_walk(planted):
    made = GaussianFrankWolfe.calibrate(line_problem(), epsilon=EPSILON, delta=DELTA, neighbours=ADD_REMOVE if planted else REPLACE_ONE, steps=16)
    return gaussian_walk(made.noise_steps, Claim(epsilon=EPSILON, delta=DELTA), REPLACE_ONE, subject=made.name)


@exact("noisy minimum as published (Talwar et al. 2014, Algorithm 4)", "choices of 100 steps at epsilon 16")
def noisy_minimum(planted):
    epsilon, delta, steps = 16.0, 1e-6, 100
    claim = Claim(epsilon=epsilon, delta=delta)
    if planted:
        shift = 2.0 * epsilon / np.sqrt(8.0 * steps * np.log(1.0 / delta))
        wrong = 0.5 * np.exp(-shift) * (1.0 + 0.5 * shift)
        odds = np.log1p(-wrong) - np.log(wrong)
        return exact_audit(two_outcomes(odds, -odds, steps), two_outcomes(-odds, odds, steps), claim, subject="noisy minimum", described="2 S apart")
    made = PolytopeFrankWolfe.calibrate(line_problem(), epsilon=epsilon, delta=delta, neighbours=REPLACE_ONE, steps=steps)
    return polytope_walk(made, claim, REPLACE_ONE)


@exact("a quarter of the variance", "Gaussian sketch, chi-square laws")
def sketch_variance(planted):
    query = SecondMoments(domain=Domain(features=2, norm_bound=1.0, target_bound=1.0), target="omitted", most_records=1)
    made = GaussianSketch.calibrate(query, rows=4, epsilon=EPSILON, delta=DELTA, neighbours=ADD_REMOVE)
    weak = replace(made, variance=made.variance // 4) if planted else made
    return sketch_audit(query, weak, Claim.of(made.guarantee(query)), ADD_REMOVE)


def target(confidence, runs):
    return Target(epsilon=EPSILON, delta=LOOSE, neighbours=REPLACE_ONE, runs=runs, confidence=confidence)


@statistical("half the noise", "rows with Gaussian noise, as released")
def rows(planted, confidence):
    query = Rows(domain=Domain(features=2, norm_bound=1.0, target_bound=1.0))
    made = GaussianRelease.calibrate(query, epsilon=EPSILON, delta=LOOSE, neighbours=REPLACE_ONE)
    weak = replace(made, scale=made.scale / 2) if planted else made
    return release_audit(query, weak, Claim.of(made.guarantee(query)), target(confidence, 12_000))


FITTED = LogisticRegression(alpha=0.01, public_records=300, delta=0.0, classes=[-1, 1], fit_intercept=False)
"""With a ridge that leaves no slack, so that its claim is nearly reached."""


@statistical("half the noise", "LogisticRegression.fit_many, add-remove")
def logistic(planted, confidence):
    # Without slack the noise is in proportion to 1 / epsilon; the claim stays what it was.
    return fits(FITTED.set_params(epsilon=2.0 if planted else EPSILON, neighbours="add-remove"), "add-remove", confidence)


@statistical("sensitivity L for 2 L (replace-one as add-remove)", "LogisticRegression.fit_many, replace-one")
def logistic_replaced(planted, confidence):
    model = FITTED.set_params(epsilon=2.0, neighbours="add-remove" if planted else "replace-one")
    return fits(model, "replace-one", confidence, claim=Claim(epsilon=2.0), runs=12_000)


def fits(model, neighbours, confidence, *, claim=None, runs=20_000):
    """Pure epsilon: every event counts, so a few thousand runs show much. Short records pull, one long record is turned or missing."""
    signs = np.where(np.arange(300) % 2, 1, -1)
    others = np.column_stack((np.zeros(300), -0.25 * signs))
    here, there = (np.array([[np.cos(0.3), up * np.sin(0.3)]]) for up in (1.0, -1.0))
    first = np.vstack((others, here)), np.append(signs, 1)
    second = (others, signs) if neighbours == "add-remove" else (np.vstack((others, there)), np.append(signs, -1))
    return audit(many_fits(model), (first, second), claim or Claim(epsilon=EPSILON), runs=runs, confidence=confidence, batch=True)


@statistical("bounds learnt from the table", "LogisticRegression behind a scaler, add-remove")
def scaled(planted, confidence):
    """Rows divided by the largest norm found: one outlying record shrinks all others."""
    model = LogisticRegression(epsilon=EPSILON, delta=0.0, neighbours="add-remove", classes=[-1, 1], fit_intercept=False)
    signs = np.where(np.arange(60) % 2, 1, -1)
    near = np.column_stack((0.9 * signs, np.zeros(60)))
    far = np.vstack((near, [[100.0, 0.0]])), np.append(signs, 1)

    def run(table, count):
        rows = table[0] / np.linalg.norm(table[0], axis=1).max() if planted else table[0]
        return many_fits(model)((rows, table[1]), count)

    return audit(run, (far, (near, signs)), Claim(epsilon=EPSILON), runs=1000, confidence=confidence, batch=True)


@statistical("minibatch gradient with full-batch sensitivity", "four noisy gradient sums")
def minibatch(planted, confidence):
    """Each record in the batch with probability 1/20, the sum of the batch times 20; noise for a full sum (dpml-benchmark)."""
    deviation = np.sqrt(4.0) / gaussian_mu(EPSILON, LOOSE)
    noise = SystemNoise()

    def run(record, count):
        words = noise.words()(4 * count).reshape(count, 4)
        kept = 20.0 * (words % np.uint64(20) == 0) if planted else np.ones((count, 4))
        return record * kept + noise.gaussian(scale=deviation, dimension=4, draws=count).T

    return audit(run, (1.0, 0.0), Claim(epsilon=EPSILON, delta=LOOSE), runs=4000, confidence=confidence, batch=True)


@statistical("the same seed in two workers", "one histogram of each half of the table")
def workers(planted, confidence):
    made = LaplaceCounting.calibrate(CELLS, epsilon=EPSILON, neighbours=ADD_REMOVE)

    def run(halves, seed):
        sources = [SeededNoise(seed), SeededNoise(seed if planted else seed + 10**6)]
        pairs = zip(halves, sources, strict=True)
        return np.concatenate([made.run(CELLS, CELLS.answered([np.array(half)]), noise).value for half, noise in pairs])

    return audit(run, (([0, 0, 1], [0, 1]), ([0, 1], [0, 1])), Claim(epsilon=EPSILON), runs=200, confidence=confidence)


@statistical("noise not redrawn", "histogram, every run with the same seed")
def redrawn(planted, confidence):
    made = LaplaceCounting.calibrate(CELLS, epsilon=EPSILON, neighbours=ADD_REMOVE)

    def run(table, seed):
        return made.run(CELLS, CELLS.answered([np.array(table)]), SeededNoise(0 if planted else seed)).value

    return audit(run, ([0, 0, 1], [0, 1]), Claim(epsilon=EPSILON), runs=200, confidence=confidence)


@statistical("the published sketch", "sketch of a table whose columns nearly repeat each other")
def published(planted, confidence):
    """Claimed: half a bit about an entry. The claim at epsilon 0 is a bound of the total variation."""
    domain = Domain(features=2, entry_bound=1.0, norm_bound=np.sqrt(2.0), target_bound=1.0)
    claim = Claim(epsilon=0.0, delta=MutualInformation(bits=0.5, neighbours=REPLACE_ONE, theorem="claimed").delta(0.0))
    query = SecondMoments(domain=domain, target="omitted", most_records=200)
    sketch = (
        PublishedSketch(rows=20, claimed_bits=0.5)
        if planted
        else GaussianSketch.calibrate(query, rows=20, epsilon=EPSILON, delta=LOOSE, neighbours=REPLACE_ONE)
    )

    def table(entry):
        column = np.ones(200)
        return Records(rows=DenseMatrix(np.column_stack((column, np.append(column[1:], entry)))), targets=np.zeros(200), domain=domain)

    def run(data, count):
        return np.array([sketch.run(query, data, SystemNoise()).value.ravel()[:4] for _ in range(count)])

    return audit(run, (table(1.0), table(-1.0)), claim, runs=600, confidence=confidence, batch=True)


@statistical("half the noise, seen in a single run", "sums of 2000 canaries, each in its own column")
def canaries(planted, confidence):
    noise = SystemNoise()

    def guess(coins):
        return coins + noise.spherical(rate=EPSILON * (2.0 if planted else 1.0), dimension=1, draws=len(coins))[0]

    return one_run_audit(guess, Claim(epsilon=EPSILON), canaries=2000, guesses=600, confidence=confidence)
