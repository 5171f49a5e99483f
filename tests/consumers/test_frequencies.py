"""Shares of categories from reports of owners."""

import numpy as np
import pytest
from scipy.stats import binom

from discreet import Schema, SystemNoise
from discreet.consumers import frequencies
from discreet.consumers.frequencies import _clopper_pearson
from discreet.core.errors import InvalidInput
from discreet.data import CategoricalColumn, Target
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.release.categories import probabilities, unbiased
from discreet.queries import Target as Column
from discreet.releases import CategorySurvey, RandomisedRecord
from discreet.releases.local_categories import bit_names
from discreet.words.categories import RESPONSE, UNARY

PLACES = tuple(f"t{place}" for place in range(30))
SCHEMA = Schema(
    name="answers",
    categorical=(CategoricalColumn(name="transport", categories=("bike", "bus", "car", "foot")), CategoricalColumn(name="town", categories=PLACES)),
    target=Target(column="happy", classes=("no", "yes")),
)


def test_shares_are_those_of_the_persons_by_both_laws():
    """120 reports at epsilon 6: the farthest of 36 shares is beyond 6 standard deviations with probability 1e-7."""
    survey = CategorySurvey.planned(SCHEMA, epsilon=6.0)
    assert set(survey.mechanism.laws) == {RESPONSE, UNARY}
    places = [(number % 2, number % 3, 1) for number in range(120)]
    names = bit_names(SCHEMA, Column.NOISY)
    lines = []
    for place in places:
        made = survey.mechanism.run(survey.query, Numbers(np.array(place)), SystemNoise())
        lines.append(RandomisedRecord(columns=names, values=made.value[0], certificate=made.certificate).to_line())
    found = frequencies(lines, SCHEMA)
    assert list(found) == ["transport", "town", "happy"]
    for name, expected in (("transport", [0.5, 0.5, 0, 0]), ("town", [1 / 3] * 3 + [0] * 27), ("happy", [0, 1])):
        one = found[name]
        assert one.reports == 120
        assert np.all(np.abs(one.unbiased - expected) < 6 * (one.noise + 0.06))
        assert one.shares.sum() == pytest.approx(1.0)
        assert np.all((one.lower >= 0) & (one.upper <= 1) & (one.shares >= 0) & (one.lower <= one.upper))
    with pytest.raises(InvalidInput, match="level"):
        frequencies(lines, SCHEMA, level=1.0)


@pytest.mark.parametrize("law", [RESPONSE, UNARY])
@pytest.mark.parametrize("share", [0.0, 0.02, 0.4])
def test_intervals_cover_the_share_of_the_population_with_their_level(law, share):
    """Exactly: over the binomial law of the number of reports with the bit, and with half the level they do not."""
    own, other = probabilities(law, 6, np.exp(1.0))
    counts = np.arange(201.0)
    masses = binom.pmf(counts, 200, other + share * (own - other))

    def coverage(level):
        lower, upper = (np.clip(unbiased(law, 6, np.exp(1.0), bound), 0.0, 1.0) for bound in _clopper_pearson(counts, 200, level))
        return masses[(lower <= share) & (share <= upper)].sum()

    assert 0.95 <= coverage(0.95) < 0.99
    assert coverage(0.5) < 0.95
