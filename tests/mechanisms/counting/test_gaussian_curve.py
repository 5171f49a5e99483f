"""The discrete Gaussian's curve against sums with forty digits, and the lemmas of counting.md over many shifts."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.accounting import gaussian_delta, gaussian_mu
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.mechanisms.counting import BoundedSum, GaussianCounting, Histogram, Queries
from discreet.mechanisms.counting.gaussian_curve import WIDE, Component, divergence, lattice


def masses(scale: float, reach: int) -> dict[int, mpmath.mpf]:
    weights = {k: mpmath.exp(-(mpmath.mpf(k) ** 2) / (2 * mpmath.mpf(scale) ** 2)) for k in range(-reach, reach + 1)}
    total = mpmath.fsum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


def hockey_stick(scale: float, steps: tuple[int, ...], epsilon: float) -> float:
    """The definition, over all integers of one or two coordinates that matter, with forty digits."""
    with mpmath.workdps(40):
        law = masses(scale, int(16 * scale) + 20)
        factor = mpmath.exp(mpmath.mpf(epsilon))
        if len(steps) == 1:
            return float(mpmath.fsum(max(mpmath.mpf(0), p - factor * law.get(k - steps[0], mpmath.mpf(0))) for k, p in law.items()))
        total = mpmath.mpf(0)
        for k, p in law.items():
            for j, q in law.items():
                shifted = law.get(k - steps[0], mpmath.mpf(0)) * law.get(j - steps[1], mpmath.mpf(0))
                total += max(mpmath.mpf(0), p * q - factor * shifted)
        return float(total)


@pytest.mark.parametrize("scale", [0.3, 0.7, 1.5, 4.0, 12.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("step", [1, 3])
def test_one_coordinate_is_the_exact_sum_rounded_up(scale, epsilon, step):
    exact = hockey_stick(scale, (step,), epsilon)
    computed = divergence([Component(coordinates=1, step=step, scale=scale)], epsilon)
    assert computed == pytest.approx(exact, rel=1e-9, abs=1e-40)
    assert computed >= exact * (1 - 1e-15)


@pytest.mark.parametrize("scale", [0.4, 1.0, 2.5])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_two_opposite_coordinates_are_the_exact_sum_rounded_up(scale, epsilon):
    exact = hockey_stick(scale, (1, -1), epsilon)
    computed = divergence([Component(coordinates=2, step=1, scale=scale)], epsilon)
    assert computed == pytest.approx(exact, rel=1e-9, abs=1e-40)
    assert computed >= exact * (1 - 1e-15)


@pytest.mark.parametrize(("count", "scale"), [(3, 0.4), (3, 1.0), (5, 1.3), (4, 2.9), (4, 3.0), (6, 3.5)])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 6.0])
def test_many_coordinates_are_the_exact_sum_rounded_up(count, scale, epsilon):
    """Both sides of the scale from which the sum is taken for one integer (lemma 4), with forty digits."""
    with mpmath.workdps(40):
        one = masses(scale, int(16 * scale) + 8)
        law = {0: mpmath.mpf(1)}
        for _ in range(count):
            together: dict[int, mpmath.mpf] = {}
            for total, p in law.items():
                for k, q in one.items():
                    if abs(total + k) <= 17 * scale * count**0.5 + 8:
                        together[total + k] = together.get(total + k, 0) + p * q
            law = together
        loss = {total: mpmath.mpf(count - 2 * total) / (2 * mpmath.mpf(scale) ** 2) for total in law}
        exact = float(mpmath.fsum(p * max(mpmath.mpf(0), 1 - mpmath.exp(epsilon - loss[total])) for total, p in law.items()))
    computed = divergence([Component(coordinates=count, step=1, scale=scale)], epsilon)
    assert computed == pytest.approx(exact, rel=1e-9, abs=1e-38)
    assert computed >= exact * (1 - 1e-15)


def test_several_coordinates_move_by_one():
    with pytest.raises(InvalidInput, match="several by 1"):
        lattice(Component(coordinates=3, step=2, scale=5.0))


@pytest.mark.parametrize(("first", "second", "epsilon"), [(0.8, 3.0, 0.5), (2.0, 1.0, 1.0), (1.5, 6.0, 0.0), (3.0, 12.0, 2.0)])
@pytest.mark.parametrize("coordinates", [1, 2])
def test_a_histogram_and_a_sum_are_the_exact_sum_rounded_up(first, second, epsilon, coordinates):
    step = 4
    outer = Component(coordinates=coordinates, step=1, scale=first)
    losses, probabilities = lattice(outer)
    k = np.arange(-int(20 * second) - 20, int(20 * second) + 21, dtype=float)
    law = np.exp(-0.5 * (k / second) ** 2)
    law /= law.sum()
    inner = (step**2 - 2 * step * k) / (2 * second**2)
    together = losses[:, np.newaxis] + inner
    exact = float(np.sum(np.outer(probabilities, law) * np.maximum(0.0, -np.expm1(np.minimum(epsilon - together, 0.0)))))
    computed = divergence([outer, Component(coordinates=1, step=step, scale=second)], epsilon)
    assert computed == pytest.approx(exact, rel=1e-7)
    assert computed >= exact * (1 - 1e-10)


@given(scale=st.floats(0.3, 20.0), epsilon=st.floats(-3.0, 3.0))
def test_larger_shifts_are_easier_to_tell_apart(scale, epsilon):
    """Lemma 1, at negative epsilons too, which products need; a slack of 1e-11 for rounding."""
    curve = [divergence([Component(coordinates=1, step=step, scale=scale)], epsilon) for step in range(1, 9)]
    assert all(left <= right * (1 + 1e-10) for left, right in pairwise(curve))


@given(epsilon=st.floats(0.0005, 0.5), excess=st.floats(1.0, 3.0))
def test_wide_noise_costs_what_the_exact_sum_says_and_hardly_more(epsilon, excess):
    """Both sides of the scale at which the Gaussian takes the sum's place."""
    scale, step = WIDE * excess, 400
    k = np.arange(-int(14 * scale), int(14 * scale), dtype=float)
    law = np.exp(-0.5 * (k / scale) ** 2)
    exact = float(np.sum(law / law.sum() * np.maximum(0.0, -np.expm1(np.minimum(epsilon - (step**2 - 2 * step * k) / (2 * scale**2), 0.0)))))
    bound = divergence([Component(coordinates=1, step=step, scale=scale)], epsilon)
    assert exact <= bound * (1 + 1e-9)
    assert bound <= exact * 1.02 + 1e-18


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 4.0, 10.0])
@pytest.mark.parametrize("queries", [[Histogram(cells=30)], [BoundedSum(largest=1)], [Histogram(cells=30), BoundedSum(largest=1024)]], ids=str)
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_calibration_costs_what_one_gaussian_mechanism_costs(epsilon, queries, neighbours):
    delta, queries = 1e-6, Queries(queries)
    mechanism = GaussianCounting.calibrate(queries, epsilon=epsilon, delta=delta, neighbours=neighbours)
    stated = mechanism.guarantee(queries)
    assert 0.999 * delta < stated.delta_at_epsilon <= delta
    mu = math.sqrt(sum(query.sensitivity(neighbours).squared / scale**2 for query, scale in zip(queries.each, mechanism.scales, strict=True)))
    assert 0.9 < gaussian_mu(epsilon, delta) / mu < 1.06  # less noise where few integers are likely: the exact sum knows that they are integers
    assert gaussian_delta(epsilon, mu) < 10 * delta
    assert mechanism.concentrated(queries).rho == pytest.approx(0.5 * mu**2)


def test_what_cannot_be_computed_is_refused():
    query = Histogram(cells=3)
    for settings in (
        {"epsilon": 0.0},
        {"epsilon": math.inf},
        {"epsilon": 101.0},
        {"delta": 0.0},
        {"delta": 1.0},
        {"shares": [0.5, 0.5]},
        {"shares": [-1.0]},
    ):
        with pytest.raises(InvalidInput):
            GaussianCounting.calibrate(Queries([query]), **{"epsilon": 1.0, "delta": 1e-6, "neighbours": ADD_REMOVE, **settings})
    with pytest.raises(InfeasibleTarget, match="1e-30"):
        GaussianCounting.calibrate(Queries([query]), epsilon=1.0, delta=1e-31, neighbours=ADD_REMOVE)
    three = [Component(coordinates=1, step=1, scale=2.0)] * 3
    with pytest.raises(InvalidInput, match="one or two queries"):
        divergence(three, 1.0)
    with pytest.raises(InvalidInput, match="one scale for each"):
        GaussianCounting(scales=(1.0,), neighbours=ADD_REMOVE, epsilon=1.0).guarantee(Queries([query, query]))
