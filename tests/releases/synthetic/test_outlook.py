"""What a synthetic table will be worth is said before it is made: of counts, it comes out so."""

import math

import numpy as np
import pytest

from discreet.core.errors import InvalidInput
from discreet.core.foreseen import SAY, WANTED
from discreet.core.neighbours import ADD_REMOVE
from discreet.noise import SeededNoise
from discreet.releases.synthetic import SyntheticPlan, publish
from discreet.releases.synthetic.outlook import SyntheticOutlook
from discreet.words.counting import WHOLE
from tests.releases.synthetic.cases import NUMBER, schema

COUNT = 5000


def planned(made=None, **settings):
    return SyntheticPlan.calibrate(schema() if made is None else made, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE, **settings)


def test_correlations_and_shares_read_off_noisy_counts_are_as_far_off_as_was_said():
    """Noise of the mechanism's own scale on the table of the longest column with the target, both spread evenly."""
    plan = planned()
    said, sizes = SyntheticOutlook.of(plan, COUNT), [column.bins for column in plan.columns]
    place = int(np.argmax(sizes[:-1]))
    cells, classes = sizes[place], sizes[-1]
    noise = SeededNoise(1).discrete_gaussian(scale=plan.mechanism.scales[place], dimension=cells * classes, draws=4000)
    noise = noise.reshape(cells, classes, -1) / WHOLE
    a, c = (np.arange(size) - (size - 1) / 2 for size in (cells, classes))
    correlation = np.einsum("i,j,ijk->k", a / a.std(), c / c.std(), noise) / COUNT
    assert correlation.std() == pytest.approx(said.error, rel=0.05)
    assert (noise[0].sum(axis=0) / COUNT).std() == pytest.approx(said.share, rel=0.05)


def test_as_many_rows_as_are_needed_are_enough():
    needed = SyntheticOutlook.of(planned(), None).needed
    assert SyntheticOutlook.of(planned(), needed).error <= WANTED
    assert SyntheticOutlook.of(planned(), needed // 2).error > WANTED
    assert SyntheticOutlook.of(planned(), None).records == SAY
    for records in (0, -5, 2.5):
        with pytest.raises(InvalidInput, match="records must be an integer of at least 1"):
            SyntheticOutlook.of(planned(), records)


@pytest.mark.parametrize(("made", "settings", "warned"), [(None, {}, True), (schema(target=NUMBER), {}, False), (None, {"target": False}, False)])
def test_it_is_said_in_words_and_numbers_and_classifiers_are_warned(made, settings, warned):
    said = SyntheticOutlook.of(planned(made, **settings), COUNT)
    words = "\n".join(words for _, words in said.lines())
    assert ("worse than the same answer" in words) is warned
    assert f"{COUNT:,} rows" in words
    found = said.to_dict()
    assert (found["records"], found["records_public"], found["method"]) == (COUNT, True, "synthetic")
    assert all(math.isfinite(found[name]) and found[name] > 0 for name in ("share_error", "correlation_error", "noise_of_many_pairs"))


def test_a_publication_says_the_same_before_a_record_is_read(monkeypatch):
    monkeypatch.setattr(publish, "require_mbi", lambda: None)
    plan = planned()
    assert publish.SyntheticPublication.planned(plan).outlook(COUNT).lines() == SyntheticOutlook.of(plan, COUNT).lines()
