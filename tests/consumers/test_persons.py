"""What is learnt from releases of persons who own several rows: of rows, what all kept rows say; of a sketch, what they say by their weights."""

import numpy as np
import pytest

from discreet.consumers import NoisyRidge, SketchRidge
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Domain
from discreet.noise import SeededNoise
from discreet.releases import publish

GENERATOR = np.random.default_rng(8)
SIZES = np.where(np.arange(4000) < 1000, 4, 1)
"""A thousand persons of four rows, who follow another line than the others with one."""
IDS = np.repeat(np.arange(4000), SIZES)
X = GENERATOR.uniform(-1, 1, (len(IDS), 2))
Y = np.clip(np.where(IDS < 1000, 0.6, -0.2) * X[:, 0] + GENERATOR.normal(0, 0.05, len(IDS)), -1, 1)
DOMAIN = Domain(features=2, entry_bound=1.0, target_bound=1.0)


def least_squares(weights):
    return np.linalg.solve((X.T * weights) @ X, (X.T * weights) @ Y)


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_rows_of_persons_say_what_rows_say_and_their_number_is_asked_for(neighbours, tmp_path):
    made = publish(
        X, tmp_path / "out", SeededNoise(1), y=Y, domain=DOMAIN, persons=IDS, rows_per_person=4, method="additive",
        neighbours=neighbours, slots=9000, epsilon=100.0, delta=1e-3,
    )  # fmt: skip
    fitted = NoisyRidge(fit_intercept=False).fit_release(made)
    assert np.all(np.abs(fitted.coef_ - least_squares(np.ones(len(X)))) < 6 * fitted.noise_standard_errors_)
    assert np.all(fitted.noise_standard_errors_ < 0.05)
    with pytest.raises(InvalidInput, match="needs the number of records"):
        NoisyRidge().fit_release(made)
    assert abs(NoisyRidge(records=len(X)).fit_release(made).coef_[0] - fitted.coef_[0]) < 0.02


@pytest.mark.more
@pytest.mark.parametrize(("weight", "share"), [("person", 1 / SIZES), ("row", np.full(4000, 0.25))])
def test_a_sketch_of_persons_says_what_rows_say_by_their_weights(weight, share, tmp_path):
    shares = share[IDS]
    made = publish(
        X, tmp_path / "out", SeededNoise(1), y=Y, domain=DOMAIN, persons=IDS, rows_per_person=4, person_weight=weight, method="sketch",
        rows=2000, most_records=8000, epsilon=20.0, delta=1e-3,
    )  # fmt: skip
    fitted, other = SketchRidge().fit_release(made), 1 / SIZES[IDS] if weight == "row" else np.ones(len(X))
    assert np.all(np.abs(fitted.coef_ - least_squares(shares)) < 5 * fitted.standard_errors_)
    assert abs(fitted.coef_[0] - least_squares(other)[0]) > 5 * fitted.standard_errors_[0], "and not by others"
