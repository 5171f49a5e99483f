"""Several fits whose whole curves are composed: exact laws against the claim, planted faults, and certificates."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import fft

from discreet import LogisticRegression
from discreet.accounting import gaussian_delta, n_fold
from discreet.audit.densities import Counted, gaussian_losses
from discreet.core.neighbours import ADD_REMOVE, Neighbours
from discreet.losses import Logistic
from discreet.mechanisms.learning import GaussianObjectivePerturbation, GaussianOutputPerturbation
from discreet.mechanisms.learning.base import Repeated
from discreet.mechanisms.learning.output_perturbation import minimiser_sensitivity
from discreet.statements.base import COMPOSED
from discreet.verification.base import recheck
from tests.mechanisms.learning.problems import problem
from tests.mechanisms.learning.test_density_audit import comfortable, pulled

_STEP = 4e-3
"""Of the grid on which exact losses are rounded down, so that what is computed is below the exact delta; in standard deviations."""


def at_least(pair: tuple[Counted, Counted], fits: int, epsilon: float, ridge: float, scale: float) -> float:
    """delta of so many minimisers with noise of their own, from below."""
    law = gaussian_losses(*pair, loss=Logistic(), ridge=np.array([ridge]), scale=scale, nodes=61)
    mean = float(law.masses @ law.losses)
    step = _STEP * math.sqrt(float(law.masses @ (law.losses - mean) ** 2))
    places = np.floor(law.losses / step).astype(np.int64)
    first, width = int(places.min()), int(places.max() - places.min()) + 1
    masses = np.bincount(places - first, weights=law.masses, minlength=width)
    length = 1 << math.ceil(math.log2(fits * width + 1))
    together = np.maximum(fft.irfft(fft.rfft(masses, length) ** fits, length) - 1e-15, 0.0)
    losses = step * (fits * first + np.arange(length))
    above = losses > epsilon
    return float(together[above] @ -np.expm1(epsilon - losses[above]))


@pytest.mark.parametrize(
    ("epsilon", "delta", "factor", "share"),
    [
        (1.0, 1e-4, 3.0, 0.4),
        *(pytest.param(*other, marks=pytest.mark.more) for other in [(0.1, 1e-4, 1.0, 0.1), (4.0, 1e-4, 0.6, 1e-4), (1.0, 1e-5, 1.0, 1e-3)]),
    ],
)
def test_several_fits_keep_their_claim_and_fits_that_are_not_counted_or_half_the_noise_break_it(
    epsilon: float, delta: float, factor: float, share: float
) -> None:
    """Add-remove: one record comes or goes beside others on the line, exactly."""
    given = problem(Logistic(), ridge=comfortable(Logistic(), epsilon, delta, ADD_REMOVE, factor))
    public = replace(given, domain=replace(given.domain, records=None))
    mechanism = GaussianObjectivePerturbation.calibrate(public, epsilon=epsilon, delta=delta, neighbours=ADD_REMOVE)
    pairs = [pair for count in (0.0, 300.0) for pair in (pulled(count), pulled(count)[::-1])]
    for fits in (2, 20):
        promised = Repeated(each=mechanism, count=fits).guarantee(public)
        stated = promised.delta(promised.epsilon)
        assert promised.epsilon < n_fold(mechanism.guarantee(public), fits).epsilon

        def worst(number: int, scale: float, at: float = promised.epsilon) -> float:
            return max(at_least(pair, number, at, public.ridge, scale) for pair in pairs)

        assert share * stated < worst(fits, mechanism.scale) <= stated
        assert worst(fits, 0.5 * mechanism.scale) > 2.0 * stated
        if factor > 1:
            assert worst(fits + max(1, fits // 4), mechanism.scale) > 1.5 * stated


@pytest.mark.parametrize("neighbours", Neighbours)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-5), (4.0, 1e-6)])
def test_several_fits_with_noise_on_their_minimiser_cost_what_one_gaussian_mechanism_does(
    neighbours: Neighbours, epsilon: float, delta: float
) -> None:
    """Exact: sqrt(fits) as large a shift; the last stage is a thousandth of it."""
    given = problem(Logistic(), ridge=1.0)
    public = given if neighbours is not ADD_REMOVE else replace(given, domain=replace(given.domain, records=None))
    mechanism = GaussianOutputPerturbation.calibrate(public, epsilon=epsilon, delta=delta, neighbours=neighbours)
    mu = minimiser_sensitivity(public, neighbours=neighbours) / mechanism.scale
    for fits in (2, 20, 100 if epsilon > 1 else 500):
        promised = Repeated(each=mechanism, count=fits).guarantee(public)
        stated = promised.delta(promised.epsilon)
        assert 0.9 * stated < gaussian_delta(promised.epsilon, math.sqrt(fits) * mu) <= stated
        assert gaussian_delta(promised.epsilon, math.sqrt(1.1 * fits) * mu) > stated, "a tenth of the fits that is not counted is seen"


@pytest.mark.parametrize("persons", [None, pytest.param(1, marks=pytest.mark.more), pytest.param(3, marks=pytest.mark.more)])
@pytest.mark.parametrize("classes", [[0, 1], pytest.param([0, 1, 2], marks=pytest.mark.more)])
def test_a_certificate_of_several_fits_verifies_and_none_that_says_less_does(classes: list[int], persons: int | None) -> None:
    draw = np.random.default_rng(5)
    X, y, ids = draw.normal(size=(200, 3)), draw.integers(0, len(classes), 200), draw.integers(0, 80, 200)
    model = LogisticRegression(epsilon=1.0, delta=1e-6, classes=classes, rows_per_person=persons, mechanism="objective")
    found = model.fit_many(X, y, count=6, **({"persons": ids} if persons == 3 else {})).certificate
    total = found.guarantee
    assert found.verify().ok
    assert total.epsilon < 3.5
    lesser = [replace(found, releases=8), replace(found, guarantee=replace(total, epsilon=0.9 * total.epsilon))]
    lesser += [replace(found, guarantee=replace(total, theorem=total.theorem.replace("; numerical composition", "")))]
    lesser += [replace(found, guarantee=replace(total, theorem=total.theorem.replace("numerical composition", "basic composition")))]
    assert not any(one.verify().ok for one in lesser[: 2 if persons else 4])
    if persons is None:
        sums = n_fold(model.fit(X, y).certificate_.guarantee, 6)
        assert replace(found, guarantee=sums).verify().ok, "as certificates said it before"


def test_fits_whose_curve_on_a_grid_ends_in_infinite_losses_verify_too() -> None:
    """Of a replaced record in one-vs-rest: a curve of 1e-26 everywhere beyond is never so little that no loss is there."""
    draw = np.random.default_rng(5)
    X, y = draw.normal(size=(60, 3)), draw.integers(0, 3, 60)
    model = LogisticRegression(epsilon=44.0, delta=1e-6, classes=[0, 1, 2], multi_class="one-vs-rest", neighbours="replace-one")
    found = model.fit_many(X, y, count=4).certificate
    assert COMPOSED in found.guarantee.theorem
    assert found.verify().ok
    assert not replace(found, guarantee=replace(found.guarantee, epsilon=0.9 * found.guarantee.epsilon)).verify().ok


def test_fits_of_which_each_has_a_share_of_epsilon_that_is_next_to_nothing_verify() -> None:
    """The recheck begins at that share, where a curve hardly falls from one place to the next."""
    fits, relation = 20, Neighbours.REPLACE_ONE
    given = problem(Logistic(), ridge=comfortable(Logistic(), 0.01, 1e-3, relation, 0.5))
    mechanism = GaussianObjectivePerturbation.calibrate(given, epsilon=0.01, delta=1e-3, neighbours=relation)
    found = replace(Repeated(each=mechanism, count=fits).planned(given, shape=(1, fits)), releases=fits)
    assert COMPOSED in found.guarantee.theorem
    assert all(check.ok for check in recheck(found))
