"""Categories randomised by their owners: what is stated, chosen, refused, and how far answers are off. What leaves is audited in tests/audit."""

import math
from dataclasses import replace

import numpy as np
import pytest

from discreet import SystemNoise
from discreet.core.errors import InfeasibleTarget, InvalidInput
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.release import Categories, RandomisedCategories
from discreet.mechanisms.release.categories import mean_variance, probabilities, unbiased, variance
from discreet.words.categories import RESPONSE, UNARY


@pytest.mark.parametrize("sizes", [(2,), (4,), (40, 3, 2), (4096,)])
@pytest.mark.parametrize("epsilon", [0.001, 1.0, 8.5])
def test_a_certificate_states_at_most_what_was_asked_and_verifies(sizes, epsilon):
    problem = Categories(columns=tuple((f"c{place}", cells) for place, cells in enumerate(sizes)))
    made = RandomisedCategories.calibrate(problem, epsilon=epsilon)
    release = made.run(problem, Numbers(np.zeros(len(sizes), dtype=np.int64)), SystemNoise())
    assert epsilon - len(sizes) * 2.0**-38 <= release.certificate.guarantee.epsilon <= epsilon
    assert release.value.shape == (1, problem.size)
    assert release.verify().ok, str(release.verify())
    assert not replace(release.certificate, parameters={**release.certificate.parameters, "kept": [made.kept[0] + 4096] * len(sizes)}).verify().ok
    for law, cells in zip(made.laws, sizes, strict=True):
        odds = made.kept[0] / made.unit
        assert mean_variance(law, cells, odds) == min(mean_variance(one, cells, odds) for one in (RESPONSE, UNARY))


def test_four_values_at_epsilon_one_have_a_variance_of_1_6_and_ten_are_encoded():
    for cells, law, expected in ((4, RESPONSE, 1.598), (9, RESPONSE, 3.29), (10, UNARY, 3.683)):
        made = RandomisedCategories.calibrate(Categories(columns=(("a", cells),)), epsilon=1.0)
        assert made.laws == (law,)
        assert variance(law, cells, math.e) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("law", [RESPONSE, UNARY])
def test_the_stated_variance_is_that_of_the_unbiased_answer(law):
    """Of bits with the stated probabilities, for a share f of persons in the category."""
    own, other = probabilities(law, 5, 3.0)
    assert unbiased(law, 5, 3.0, np.array([other, own])) == pytest.approx([0.0, 1.0])
    for share in (0.0, 0.3, 1.0):
        exact = (share * own * (1 - own) + (1 - share) * other * (1 - other)) / (own - other) ** 2
        assert variance(law, 5, 3.0, share=share) == pytest.approx(exact, rel=1e-12)


def test_what_cannot_be_calibrated_is_refused():
    problem = Categories(columns=(("a", 4),))
    for epsilon in (0.0, -1.0, math.nan, math.inf, 9.5):
        with pytest.raises(InvalidInput, match="epsilon must be positive"):
            RandomisedCategories.calibrate(problem, epsilon=epsilon)
    with pytest.raises(InfeasibleTarget):
        RandomisedCategories.calibrate(problem, epsilon=1e-13)
    for columns in ((), (("a", 1),), (("a", 4097),)):
        with pytest.raises(InvalidInput):
            Categories(columns=columns)
    made = RandomisedCategories.calibrate(problem, epsilon=1.0)
    for places in ([4], [-1], [0, 0]):
        with pytest.raises(InvalidInput, match="place of one category"):
            made.run(problem, Numbers(np.array(places)), SystemNoise())
