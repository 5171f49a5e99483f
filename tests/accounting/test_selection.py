"""Random stopping: the claim is above the exact output law of finite mechanisms, near it for the worst, and below it once a fault is planted."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import norm

from discreet.accounting import (
    ApproximateDP,
    ConcentratedDP,
    CramerRaoBound,
    GaussianDP,
    NoGuarantee,
    Profile,
    PureDP,
    RenyiDP,
    epsilon_for,
    guarantee_from_dict,
    selected,
)
from discreet.accounting.selection import KEPT, drawn_at_random, least_log_tilt, log_tilt
from discreet.accounting.stopping import BinomialRuns, NegativeBinomialRuns, PoissonRuns
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE

STATED = {"neighbours": REPLACE_ONE, "theorem": "a theorem"}
LAWS = [
    NegativeBinomialRuns(eta=1.0, gamma=0.1),
    NegativeBinomialRuns(eta=0.0, gamma=0.02),
    NegativeBinomialRuns(eta=-0.5, gamma=0.01),
    NegativeBinomialRuns(eta=2.5, gamma=0.3),
    PoissonRuns(mean=4.0),
    BinomialRuns(trials=12, probability=0.4),
]
each_law = pytest.mark.parametrize("law", LAWS, ids=repr)


def probabilities(law, far=6000):
    """P(K = k), k = 0, 1, ..., from the definition of each law."""
    k = np.arange(far + 1.0)
    match law:
        case NegativeBinomialRuns(eta=eta, gamma=gamma):
            logs = k * math.log1p(-gamma) + gammaln(np.maximum(k + eta, 0.5)) - gammaln(k + 1.0)
            p = np.where(k > 0, np.exp(logs - logs[1:].max()), 0.0)
            return p / p.sum()
        case PoissonRuns(mean=mean):
            return np.exp(k * math.log(mean) - mean - gammaln(k + 1.0))
        case BinomialRuns(trials=n, probability=p):
            inside = k <= n
            j = np.where(inside, k, 0.0)
            return np.where(inside, np.exp(gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1) + j * math.log(p) + (n - j) * math.log1p(-p)), 0.0)


def best_of(law, p):
    """The exact law of the best of K outcomes, index 0 the worst; the last entry is "nothing"."""
    pmf = probabilities(law)
    reached = np.minimum(1.0, np.concatenate(([0.0], np.cumsum(p))))
    f = np.polynomial.polynomial.polyval(reached, pmf[: np.flatnonzero(pmf > 1e-25)[-1] + 1])
    return np.append(np.diff(f), f[0])


def hockey(p, q, epsilon):
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


def worst_ratio(p, q):
    seen = np.maximum(p, q) > 0
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(p[seen]) - np.log(q[seen])).max())


@each_law
def test_the_numbers_of_a_law_are_those_of_its_probabilities(law):
    pmf, k = probabilities(law), np.arange(6001.0)
    assert law.mean == pytest.approx(pmf @ k, rel=1e-9)
    for delta in (1e-3, 0.1, 0.7, 1.0):
        assert law.reaching(delta) == pytest.approx(1.0 - pmf @ (1.0 - delta) ** k, rel=1e-9)
    slopes = [math.log(pmf[1:] @ (k[1:] * (1.0 - miss) ** k[:-1])) - law.log_slope(miss) for miss in (0.0, 0.2, 0.9)]
    assert np.ptp(slopes) < 1e-9


@pytest.mark.parametrize("eta", [-0.5, 0.0, 1.0, 3.0])
def test_a_law_is_found_by_its_mean(eta):
    for mean in (1.5, 10.0, 300.0):
        law = NegativeBinomialRuns.with_mean(mean, eta=eta)
        assert law.mean == pytest.approx(mean, rel=1e-4)
        assert (law.gamma * 2.0**40).is_integer()
    for mean in (1.0, math.nan, 1e7):
        with pytest.raises(InvalidInput, match="expected number of runs"):
            NegativeBinomialRuns.with_mean(mean, eta=eta)


def worst_pure_pair(epsilon):
    """Events of probability s and 1 - s, in which a sliver at the top of the first is as telling as can be."""
    s = 1.0 / (1.0 + math.exp(epsilon))
    p = np.array([(1.0 - s) * (1.0 - 1e-7), (1.0 - s) * 1e-7, s])
    return p, np.array([s * (1.0 - 1e-7), s * 1e-7, 1.0 - s])


def pure_claim(epsilon, law):
    return selected(PureDP(epsilon=epsilon, **STATED), law).epsilon


def check_pure(claim, law, p, q):
    """The claim covers the exact laws of the best, for the two neighbours p and q."""
    assert worst_ratio(best_of(law, p), best_of(law, q)) <= claim + 1e-7


@each_law
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_the_pure_claim_is_the_exact_loss_of_the_worst_mechanism(law, epsilon):
    p, q = worst_pure_pair(epsilon)
    exact = worst_ratio(best_of(law, p), best_of(law, q))
    check_pure(pure_claim(epsilon, law), law, p, q)
    assert exact >= 0.999 * pure_claim(epsilon, law) - 1e-6


@pytest.mark.at_most(2)
@each_law
def test_the_pure_claim_covers_random_mechanisms(law):
    random = np.random.default_rng(0)
    for _ in range(60):
        p = random.dirichlet(np.full(5, 0.7)) * 0.98 + 0.004
        q = p * np.exp(random.uniform(-1.0, 1.0, 5))
        q /= q.sum()
        check_pure(pure_claim(worst_ratio(p, q), law), law, p, q)


@pytest.mark.parametrize("eta", [-0.5, 0.0, 1.0])
def test_the_pure_claim_is_at_most_two_plus_eta_times_epsilon_and_near_it_for_many_runs(eta):
    law = NegativeBinomialRuns(eta=eta, gamma=1e-9)
    assert 0.999 * (2.0 + eta) * 0.7 < pure_claim(0.7, law) <= (2.0 + eta) * 0.7 * (1 + 1e-9)


FAULTS = {
    "only the best run is charged": lambda epsilon, law: epsilon,
    "the price does not depend on eta": lambda epsilon, law: pure_claim(epsilon, NegativeBinomialRuns(eta=-0.9, gamma=0.1)),
    "the score has no share": lambda epsilon, law: pure_claim(0.8 * epsilon, law),
}


@pytest.mark.parametrize("claim", FAULTS.values(), ids=FAULTS.keys())
def test_a_planted_pure_claim_is_caught(claim):
    law = NegativeBinomialRuns(eta=1.0, gamma=0.1)
    with pytest.raises(AssertionError):
        check_pure(claim(1.0, law), law, *worst_pure_pair(1.0))


def test_the_best_of_a_fixed_number_of_runs_at_the_price_of_random_stopping_is_caught():
    p, q = np.array([0.5, 0.4999, 1e-4]), np.array([0.2, 0.7999, 1e-4])
    epsilon, runs = worst_ratio(p, q), 10
    best = [np.diff(np.concatenate(([0.0], np.minimum(1.0, np.cumsum(law)))) ** 1) for law in (p, q)]
    assert worst_ratio(*best) <= epsilon + 1e-12
    fixed = [np.diff(np.concatenate(([0.0], np.minimum(1.0, np.cumsum(law)) ** runs))) for law in (p, q)]
    assert worst_ratio(*fixed) > 2.0 * pure_claim(epsilon, NegativeBinomialRuns.with_mean(float(runs), eta=1.0))


def gaussian_cells(mu, *, turned):
    """N(0, 1) and N(mu, 1) in fine cells; the score grows, or falls, with the evidence for the second."""
    edges = np.concatenate(([-np.inf], np.linspace(-7.0, 7.0 + mu, 1500), [np.inf]))
    p, q = np.diff(norm.cdf(edges)), np.diff(norm.cdf(edges - mu))
    return (p[::-1], q[::-1]) if turned else (p, q)


def check_curve(claim, law, pairs, epsilons):
    for p, q in pairs:
        best_p, best_q = best_of(law, p), best_of(law, q)
        for epsilon in epsilons:
            assert max(hockey(best_p, best_q, epsilon), hockey(best_q, best_p, epsilon)) <= claim.delta(epsilon) * (1 + 1e-6) + 1e-10


GAUSSIANS = [gaussian_cells(0.5, turned=turned) for turned in (False, True)]


@each_law
def test_the_curve_covers_a_gaussian_mechanism_in_both_orders(law):
    claim = selected(GaussianDP(mu=0.5, **STATED), law)
    check_curve(claim, law, GAUSSIANS, np.linspace(0.0, 5.0, 11))


def test_the_curve_is_near_the_exact_one_for_the_worst_order_of_outcomes():
    """Evidence against the neighbour just above the event in which probabilities differ most, the rest on top."""
    law = NegativeBinomialRuns(eta=0.0, gamma=0.05)
    claim = selected(GaussianDP(mu=0.5, **STATED), law)
    p, q = GAUSSIANS[1]
    order = np.argsort(-(p / np.maximum(q, 1e-300)))
    start = int(np.searchsorted(np.cumsum(p[order]), 0.55))
    order = np.concatenate((order[:start][::-1], order[start:]))
    best_p, best_q = best_of(law, p[order]), best_of(law, q[order])
    for epsilon in (1.5, 2.5):
        exact = hockey(best_p, best_q, epsilon)
        assert exact <= claim.delta(epsilon)
        assert exact > claim.delta(1.6 * epsilon)


CURVE_FAULTS = {
    "one run": lambda part, law: part,
    "delta without the mean": lambda part, law: Profile(
        epsilons=selected(part, law).epsilons, deltas_at=tuple(0.05 * d for d in selected(part, law).deltas_at), **STATED
    ),
    "half the tilt": lambda part, law: shifted(selected(part, law), 0.75 * least_log_tilt(law, part)),
}


def shifted(curve, by):
    kept = [(epsilon - by, delta) for epsilon, delta in zip(curve.epsilons, curve.deltas_at, strict=True) if epsilon > by]
    return Profile(epsilons=(0.0, *(e for e, _ in kept)), deltas_at=(kept[0][1], *(d for _, d in kept)), **STATED)


@pytest.mark.parametrize("claim", CURVE_FAULTS.values(), ids=CURVE_FAULTS.keys())
def test_a_planted_curve_is_caught(claim):
    law = NegativeBinomialRuns(eta=1.0, gamma=0.05)
    with pytest.raises(AssertionError):
        check_curve(claim(GaussianDP(mu=0.5, **STATED), law), law, GAUSSIANS, np.linspace(0.0, 5.0, 21))


@pytest.mark.at_most(2)
@each_law
def test_a_point_alone_covers_a_mechanism_that_reveals_all_with_probability_delta(law):
    epsilon, delta = 0.5, 1e-3
    grown = math.exp(epsilon)
    inner = np.array([grown, 1.0]) / (1.0 + grown) * (1.0 - delta)
    for order in itertools.permutations(range(4)):
        p, q = np.array([*inner, delta, 0.0])[list(order)], np.array([*inner[::-1], 0.0, delta])[list(order)]
        check_curve(selected(ApproximateDP(epsilon=epsilon, delta_at_epsilon=delta, **STATED), law), law, [(p, q)], np.linspace(0.0, 3.0, 13))


def test_delta_is_multiplied_by_the_expected_number_of_runs_exactly_at_the_top():
    law, delta = NegativeBinomialRuns(eta=1.0, gamma=0.1), 1e-4
    p, q = np.array([1.0 - delta, 0.0, delta]), np.array([1.0 - delta, delta, 0.0])
    claim = selected(ApproximateDP(epsilon=0.0, delta_at_epsilon=delta, **STATED), law)
    exact = hockey(best_of(law, p), best_of(law, q), 0.01)
    assert exact == pytest.approx(law.mean * delta, rel=0.02)
    assert exact <= claim.delta(0.01)


@pytest.mark.parametrize("law", [law for law in LAWS if isinstance(law, NegativeBinomialRuns)], ids=repr)
def test_the_renyi_claim_covers_a_gaussian_mechanism(law):
    claim = selected(ConcentratedDP(rho=0.125, **STATED), law)
    best_p, best_q = (best_of(law, cells) for cells in GAUSSIANS[0])
    seen = (best_p > 1e-280) & (best_q > 1e-280)
    for order in (1.5, 2.0, 8.0):
        exact = math.log(np.sum(best_p[seen] ** order * best_q[seen] ** (1.0 - order))) / (order - 1.0)
        assert exact <= claim.divergence(order)
    assert isinstance(claim, RenyiDP)
    with pytest.raises(InvalidInput, match="negative binomial"):
        selected(ConcentratedDP(rho=0.125, **STATED), PoissonRuns(mean=3.0))


def test_a_curve_is_charged_less_than_its_point_and_a_point_less_than_two_plus_eta():
    law = NegativeBinomialRuns.with_mean(10.0, eta=1.0)
    gaussian = GaussianDP(mu=0.15, **STATED)
    point = ApproximateDP(epsilon=epsilon_for(gaussian, 1e-10), delta_at_epsilon=1e-10, **STATED)
    with_curve, with_point = epsilon_for(selected(gaussian, law), 1.001e-9), epsilon_for(selected(point, law), 1.001e-9)
    assert with_curve < 0.65 * with_point
    assert with_point < 3.0 * point.epsilon


def test_settings_drawn_at_random_have_the_mean_of_their_curves():
    parts = [GaussianDP(mu=mu, **STATED) for mu in (0.1, 0.5)]
    mixed = drawn_at_random(parts)
    for epsilon in (0.0, 0.3, 1.0):
        mean = 0.5 * sum(part.delta(epsilon) for part in parts)
        assert mean <= mixed.delta(epsilon) < max(1.1 * mean, mean + 1e-6)
    assert drawn_at_random([PureDP(epsilon=e, **STATED) for e in (0.3, 0.2)]).epsilon == 0.3
    same = ApproximateDP(epsilon=0.3, delta_at_epsilon=1e-6, **STATED)
    assert drawn_at_random([same, same]).delta_at_epsilon == 1e-6
    assert isinstance(drawn_at_random([same, NoGuarantee(**STATED)]), NoGuarantee)
    with pytest.raises(InvalidInput, match="guarantees compose only with the same neighbouring"):
        drawn_at_random([same, PureDP(epsilon=0.1, neighbours=ADD_REMOVE, theorem="t")])


def test_what_is_claimed_names_its_secret_and_survives_a_file():
    law = NegativeBinomialRuns(eta=0.0, gamma=0.1)
    for part in (PureDP(epsilon=0.5, **STATED), GaussianDP(mu=0.2, **STATED), ConcentratedDP(rho=0.1, **STATED)):
        claim = selected(part, law)
        assert claim.secret == (KEPT,)
        assert "random stopping" in claim.theorem
        assert guarantee_from_dict(claim.to_dict()) == claim
    assert isinstance(selected(NoGuarantee(**STATED), law), NoGuarantee)
    with pytest.raises(InvalidInput, match="Cramer-Rao"):
        selected(CramerRaoBound(information=((1.0,),), **STATED), law)


def test_a_huge_epsilon_is_charged_for_and_never_overflows():
    law = NegativeBinomialRuns(eta=1.0, gamma=0.1)
    assert log_tilt(law, 800.0, 0.0) == pytest.approx(2.0 * math.log(10.0))
    assert log_tilt(law, 0.0, 0.0) == pytest.approx(0.0, abs=1e-10)


@pytest.mark.parametrize(
    "make",
    [
        lambda: NegativeBinomialRuns(eta=-1.0, gamma=0.1),
        lambda: NegativeBinomialRuns(eta=1.0, gamma=0.0),
        lambda: NegativeBinomialRuns(eta=1.0, gamma=math.nan),
        lambda: PoissonRuns(mean=0.0),
        lambda: BinomialRuns(trials=0, probability=0.5),
        lambda: BinomialRuns(trials=5, probability=1.0),
    ],
)
def test_what_is_no_law_is_refused(make):
    with pytest.raises(InvalidInput):
        make()
