"""Classes counted by a score: how far a record moves them, laws of counts and fit together, and what is read from them."""

import math
from functools import partial
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy.special import expit, logit, ndtr

from discreet import LinearSVC
from discreet.audit.claim import Claim
from discreet.audit.exact import PrivacyLoss, exact_audit
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.estimators.prediction_rules import log_odds
from discreet.losses import Logistic, SoftplusHinge
from discreet.mechanisms.counting import Queries, ScoredClasses
from discreet.mechanisms.scores import EDGES, Fitted, ScoresPlan, places_of, shrunk, standard_share
from discreet.mechanisms.selection import ThenFit
from discreet.statements.base import SCORES_WITH_FIT

BOTH = [ADD_REMOVE, REPLACE_ONE]
LINKS = [partial(log_odds, Logistic()), partial(log_odds, SoftplusHinge(temperature=0.35))]
BINS = len(EDGES) + 1
FIT = Fitted(dimension=20, longest=1.0, ridge=10.0)


def moves(query, tables, neighbours, weights=None):
    def answer(table):
        return query.answer(np.array(table, dtype=np.int64), None if weights is None else np.full(len(table), weights // max(len(table), 1)))

    people = np.array([answer(table) for table in tables])
    return people if neighbours is ADD_REMOVE else (people[:, np.newaxis] - people).reshape(-1, query.size)


@pytest.mark.parametrize(("classes", "places"), [(2, 6), (3, 12)])
@pytest.mark.parametrize("neighbours", BOTH, ids=str)
def test_a_person_moves_the_counts_no_farther_than_a_record(neighbours, classes, places):
    query = ScoredClasses(bins=3 if classes == 2 else 2, classes=classes)
    rows = [table for size in (1, 2, 3) for table in combinations_with_replacement(range(places), size)]
    (claim,) = Queries([query], Persons(rows=3)).sensitivities(neighbours)
    shared = moves(query, rows, neighbours, weights=1 << 20)
    assert 0.99 * claim.squared < np.max(np.sum(shared**2, axis=1)) <= claim.squared
    assert np.max(np.sum(np.abs(shared), axis=1)) <= claim.manhattan
    whole = moves(query, rows, neighbours)  # the planted fault: every row counts whole
    assert np.max(np.sum(whole**2, axis=1)) > 2 * query.sensitivity(neighbours).squared


def test_classes_are_counted_beside_their_bins_and_strange_records_are_refused():
    query = ScoredClasses(bins=2)
    assert query.answer(np.array([0, 1, 3, 3])).tolist() == [2, 2, 1, 1, 0, 2]
    assert ScoredClasses(bins=2, classes=3).answer(np.array([0, 3, 7, 10])).tolist() == [2, 1, 1, 1, 0, 1, 2]
    for classes, beyond in ((2, 4), (3, 12)):
        for strange in ([beyond], [-1], [[0]], [0.5]):
            with pytest.raises(InvalidInput, match="one integer for every record"):
                ScoredClasses(bins=2, classes=classes).answer(np.array(strange))
    with pytest.raises(InvalidInput, match="at least two bins"):
        ScoredClasses(bins=1)
    with pytest.raises(InvalidInput, match="at least two classes"):
        ScoredClasses(bins=2, classes=1)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("neighbours", BOTH, ids=str)
def test_exact_laws_of_fit_and_counts_keep_the_total_and_less_noise_of_either_does_not(neighbours, classes):
    """Fits with noise on their weights have the law of one Gaussian, and so have counts but for a per cent: the worst pair is a product."""

    def planned(epsilon, delta):
        model = LinearSVC(epsilon=epsilon, delta=delta, neighbours=str(neighbours), mechanism="output", loss="softplus-hinge", classes=[0, 1])
        return model.plan(features=5, records=None if neighbours is ADD_REMOVE else 1000)

    plan = partial(ScoresPlan.calibrate, neighbours=neighbours, classes=classes)
    both = ThenFit.calibrate(SCORES_WITH_FIT, plan, epsilon=1.0, delta=1e-5, share=0.3, planned=planned)
    problem, fit = both.fit.problem, both.fit.parameters
    times = 1 if neighbours is ADD_REMOVE else 2
    shift = times * math.hypot(problem["data_norm"], problem["intercept_scale"]) / problem["ridge"] / fit["scale"]
    (scale,) = both.choice.mechanism.scales

    def audited(*mus):
        mu, edges = math.hypot(*mus), np.linspace(-9.0, 5.0, 2001)
        cells = np.stack((np.diff(ndtr(edges)), np.diff(ndtr(edges - mu))))
        law = PrivacyLoss(masses=cells[0], losses=np.log(cells[0] / cells[1]))
        return exact_audit(law, law, Claim.of(both.guarantee), subject=SCORES_WITH_FIT, described="two Gaussians")

    moved = math.sqrt(2 * times) / scale
    honest = audited(shift, moved)
    assert not honest.violated
    assert honest.bound > 0.9
    assert audited(2.0 * shift, moved).violated
    assert audited(shift, math.sqrt(2.0) * moved).violated, "a record counts among the classes and among the bins"


@pytest.mark.parametrize("link", LINKS)
def test_the_place_of_a_record_is_its_own(link):
    rng = np.random.default_rng(0)
    decisions, codes = np.append(rng.normal(0.0, 2.0, 60), [np.inf, -np.inf, 0.0]), rng.integers(0, 2, 63)
    together = places_of(decisions, codes, link)
    assert together.tolist() == [int(places_of(decisions[i : i + 1], codes[i : i + 1], link)[0]) for i in range(63)]
    bins = np.searchsorted(EDGES, link(decisions[:60]))
    assert np.mean(together[:60] == codes[:60] * BINS + bins) > 0.95


def counted(odds, chances, count=200_000, seed=0):
    """Records whose log odds are told to be `odds`, and whose chance is that."""
    rng = np.random.default_rng(seed)
    codes = (rng.random(count) < chances).astype(int)
    return ScoredClasses(bins=BINS).answer(places_of(odds, codes, LINKS[0])).astype(float)


@pytest.mark.parametrize("believed", [0.2, 0.6, 1.0])
def test_many_records_say_how_far_a_score_is_to_be_believed(believed):
    odds, base = np.random.default_rng(1).normal(-1.0, 1.5, 200_000), -2.0
    counts = counted(odds, expit(believed * odds + (1.0 - believed) * base))
    slope, shift = shrunk(counts, deviation=3.0, odds=LINKS[0], fit=FIT)
    assert slope == pytest.approx(believed, abs=0.15)
    assert shift == pytest.approx((1.0 - believed) * base, abs=0.2)


@pytest.mark.parametrize(("link", "seed"), list(product(LINKS, range(3))))
def test_no_counts_stretch_a_score_and_all_are_answered(link, seed):
    rng = np.random.default_rng(seed)
    for deviation in (0.3, 30.0, 3e4, 3e9):
        slope, shift = shrunk(rng.normal(0.0, deviation, 2 + 2 * BINS), deviation=deviation, odds=link, fit=FIT)
        assert 0.0 <= slope <= 1.0
        assert abs(shift) < 10.0
    odds = rng.normal(0.0, 0.5, 200_000)
    assert shrunk(counted(odds, expit(4.0 * odds)), deviation=1.0, odds=LINKS[0], fit=FIT)[0] == pytest.approx(1.0, abs=0.01)


def test_what_a_fit_learnt_of_its_own_records_is_taken_from_its_counts():
    """A ridge fit on labels without signal, in many dimensions: its own records say that its score is worth something."""
    rng = np.random.default_rng(0)
    X = rng.normal(0.0, 1.0, (2000, 300)) / np.sqrt(300.0)
    y, ridge = (rng.random(2000) < 0.3).astype(np.intp), 2.0
    weights = np.linalg.solve(0.21 * X.T @ X + ridge * np.eye(300), X.T @ (y - y.mean()))
    odds, base = X @ weights + logit(y.mean()), logit(y.mean())
    excess = float((y - y.mean()) @ (odds - base))
    assert Fitted(dimension=300, longest=1.0, ridge=ridge).learnt(2000 * 0.21) == pytest.approx(excess, rel=0.5)
    counts = ScoredClasses(bins=BINS).answer(places_of(odds, y, LINKS[0])).astype(float)
    naive = shrunk(counts, deviation=1.0, odds=LINKS[0], fit=Fitted(dimension=300, longest=1.0, ridge=1e9)).slope
    assert shrunk(counts, deviation=1.0, odds=LINKS[0], fit=Fitted(dimension=300, longest=1.0, ridge=ridge)).slope < naive - 0.15


def test_the_share_falls_with_the_budget_within_its_bounds():
    shares = [standard_share(epsilon, 1e-7) for epsilon in (0.01, 0.1, 1.0, 4.0, 50.0)]
    assert shares == sorted(shares, reverse=True)
    assert (shares[0], shares[-1]) == (0.2, 0.02)
    assert standard_share(1.0, 0.0) == pytest.approx(0.1)
