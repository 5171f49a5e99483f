"""Projected rows: products and distances without the noise's share, neighbours, regression."""

import numpy as np
import pytest

from discreet.consumers import ProjectedKMeans, ProjectedNearestMeans, ProjectedRidge, ProjectedRows
from discreet.core.errors import InvalidInput

DRAW = np.random.default_rng(0)
ROWS = DRAW.standard_normal((6, 20))
P = DRAW.standard_normal((20, 8)) / np.sqrt(8)
TRUE = ROWS @ P
VARIANCE = 0.5


def released(seed):
    values = TRUE + np.sqrt(VARIANCE) * np.random.default_rng(seed).standard_normal(TRUE.shape)
    return ProjectedRows(values=values, projection=P, noise_variance=VARIANCE)


def close(found, true, factor=5.5):
    """Means over draws within `factor` standard errors."""
    error = np.std(found, axis=0) / np.sqrt(len(found)) + 1e-12
    return np.all(np.abs(np.mean(found, axis=0) - true) < factor * error)


def test_products_norms_and_distances_are_unbiased():
    many = [released(seed) for seed in range(1, 801)]
    apart = np.square(TRUE[:, np.newaxis] - TRUE).sum(axis=2)
    public = ROWS[:2] + 0.3
    to_public = np.square((public @ P)[:, np.newaxis] - TRUE).sum(axis=2)
    assert close([one.inner_products() for one in many], TRUE @ TRUE.T)
    assert close([one.squared_norms() for one in many], np.square(TRUE).sum(axis=1))
    assert close([one.squared_distances() for one in many], apart)
    assert close([one.squared_distances_to(public) for one in many], to_public)
    with_noise = [one.squared_norms() + 8 * VARIANCE for one in many]
    assert not close(with_noise, np.square(TRUE).sum(axis=1)), "a planted fault: the noise's share left in"
    # Standard deviations, known to 2.5 % from 800 draws.
    pairs = ~np.eye(6, dtype=bool)
    assert np.allclose(np.std([one.squared_distances() for one in many], axis=0)[pairs], many[0].distance_errors(apart)[pairs], rtol=0.2)
    assert np.allclose(np.std([one.squared_distances_to(public) for one in many], axis=0), many[0].distance_errors(to_public, public=True), rtol=0.2)


def test_nearest_rows_are_those_of_the_smallest_distance():
    one = released(3)
    public = np.random.default_rng(1).standard_normal((3000, 20))
    order = np.argsort(one.squared_distances_to(public), axis=1)
    assert np.array_equal(one.nearest(public, neighbours=4), order[:, :4])
    with pytest.raises(InvalidInput, match="1 to the 6"):
        one.nearest(public, neighbours=7)


def test_regression_is_that_on_the_projected_records():
    draw = np.random.default_rng(2)
    rows = draw.standard_normal((30_000, 20))
    targets = rows @ draw.standard_normal(20) * 0.3 + 2.0
    true = rows @ P
    reference = np.linalg.lstsq(np.column_stack((true, np.ones(len(true)))), targets, rcond=None)[0]
    values = true + np.sqrt(VARIANCE) * draw.standard_normal(true.shape)
    model = ProjectedRidge(projection=P, noise_variance=VARIANCE).fit(values, targets)
    assert np.allclose(model.coef_, P @ model.inner_.coef_)
    assert np.all(np.abs(model.inner_.coef_ - reference[:-1]) < 5.5 * model.inner_.noise_standard_errors_)
    assert model.predict(rows[:5]).shape == (5,)
    naive = ProjectedRidge(projection=P).fit(values, targets)
    error, other = (np.linalg.norm(true @ (one.inner_.coef_ - reference[:-1])) for one in (model, naive))
    assert error < 0.5 * other


def test_shapes_that_do_not_go_together_are_refused():
    with pytest.raises(InvalidInput, match="do not come from"):
        ProjectedRows(values=TRUE[:, :3], projection=P, noise_variance=1.0)
    with pytest.raises(InvalidInput, match="at least 0"):
        ProjectedRows(values=TRUE, projection=P, noise_variance=-1.0)
    model = ProjectedRidge().fit(TRUE[:, :2], np.arange(6.0))  # without a projection rows are as they were
    with pytest.raises(InvalidInput, match="fitted on 2"):
        model.predict(TRUE)
    with pytest.raises(InvalidInput, match="fitted on 20"):
        released(1).project(np.ones((1, 3)))


def test_lengths_of_means_and_spread_of_clusters_have_no_share_of_the_noise():
    draw = np.random.default_rng(4)
    centres = 4.0 * draw.standard_normal((3, 20))
    codes = draw.integers(0, 3, 600)
    true = (centres[codes] + 0.1 * draw.standard_normal((600, 20))) @ P
    values = true + np.sqrt(VARIANCE) * draw.standard_normal(true.shape)
    clusters = ProjectedKMeans(n_clusters=3, projection=P, noise_variance=VARIANCE, random_state=0).fit(values)
    within = sum(np.square(true[codes == code] - true[codes == code].mean(axis=0)).sum() for code in range(3))
    noise = 600 * 8 * VARIANCE
    assert (
        abs(clusters.inertia_ - within)
        < 0.15 * noise
        < 0.9 * noise
        < ProjectedKMeans(n_clusters=3, projection=P, random_state=0).fit(values).inertia_
    )
    found = clusters.predict(centres)
    assert sorted(found) == [0, 1, 2]
    assert np.mean(found[codes] == clusters.labels_) > 0.99
    few = np.concatenate([np.flatnonzero(codes == 0)[:2], np.flatnonzero(codes == 1)])  # two noisy rows of one class: its mean is too long
    means = ProjectedNearestMeans(projection=P, noise_variance=VARIANCE).fit(values[few], codes[few])
    assert means._lengths[0] == pytest.approx(np.square(means.means_[0]).sum() - 8 * VARIANCE / 2)
