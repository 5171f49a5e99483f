"""A consumer needs only the folder: what it fits from there is what it fits from arrays and the public numbers of their noise."""

import numpy as np
import pytest

from discreet import ADD_REMOVE, REPLACE_ONE, SeededNoise, SystemNoise
from discreet.consumers import (
    NoisyLinearSVC,
    NoisyLogisticRegression,
    NoisyRidge,
    ProjectedLinearSVC,
    ProjectedLogisticRegression,
    ProjectedNearestMeans,
    ProjectedRidge,
    ProjectedRows,
    SketchRidge,
    reconstructed_rows,
)
from discreet.consumers.projected import projected_targets
from discreet.core.errors import InvalidInput
from discreet.data import Domain
from discreet.releases import publish, read_release

DOMAIN = Domain(features=3, entry_bound=1.0, target_bound=1.0)
DRAW = np.random.default_rng(0)
X = DRAW.uniform(-1, 1, (3000, 3))
SLOPES = np.array([0.5, -0.3, 0.1])
Y = X @ SLOPES + 0.05 * DRAW.standard_normal(3000)
SIGNS = np.where(X @ SLOPES > 0, 1.0, -1.0)


def published(folder, method, y=Y, **settings):
    chosen = {"delta": 1e-5, "epsilon": 30.0} | settings
    return publish(X, folder, SystemNoise(), method=method, domain=DOMAIN, y=y, **{name: one for name, one in chosen.items() if one is not None})


def test_noisy_rows_are_read_with_their_noise(tmp_path):
    release = published(tmp_path / "a", "additive")
    variance = release.noise_variance
    model = NoisyRidge().fit_release(tmp_path / "a")
    same = NoisyRidge(feature_noise=variance, target_noise=variance).fit(release.features(), release.targets())
    assert np.allclose(model.coef_, same.coef_)
    assert model.intercept_ == pytest.approx(same.intercept_)
    assert np.all(np.abs(model.coef_ - SLOPES) < 6 * model.standard_errors_)
    assert np.allclose(NoisyRidge().fit_release(read_release(str(tmp_path / "a"))).coef_, model.coef_)


def test_weights_give_noise_of_several_sizes(tmp_path):
    release = published(tmp_path / "a", "fisher", target="noisy", weights=[1.0, 4.0, 1.0, 9.0])
    covariance = release.noise_covariance
    model = NoisyRidge().fit_release(tmp_path / "a")
    same = NoisyRidge(feature_noise=covariance[:3, :3], cross_noise=covariance[:3, 3], target_noise=covariance[3, 3])
    assert np.allclose(model.coef_, same.fit(release.features(), release.targets()).coef_)
    assert covariance[0, 0] > 1.5 * covariance[1, 1]


def test_a_secret_number_of_records_stays_secret(tmp_path):
    published(tmp_path / "a", "additive", neighbours=ADD_REMOVE, slots=4000)
    with pytest.raises(InvalidInput, match="keeps secret"):
        NoisyRidge().fit_release(tmp_path / "a")
    model = NoisyRidge(fit_intercept=False).fit_release(tmp_path / "a")
    assert np.all(np.abs(model.coef_ - SLOPES) < 6 * model.standard_errors_)
    assert model.residual_variance_ is None
    with pytest.raises(InvalidInput, match="number of records"):
        model.predict_interval(X[:2], target=True)
    assert NoisyRidge(records=3000).fit_release(tmp_path / "a").residual_variance_ is not None


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("sketch", {"epsilon": 5.0, "rows": 200}),
        ("information-sketch", {"epsilon": None, "delta": None, "bits": 1.0, "rows": 200}),
        ("clear-target-sketch", {"epsilon": None, "delta": None, "bits": 1.0, "rows": 200, "target": "clear"}),
    ],
)
def test_sketches_are_read_with_their_noise(tmp_path, method, settings):
    release = published(tmp_path / "a", method, **settings)
    covariance = release.noise_covariance
    model = SketchRidge().fit_release(tmp_path / "a")
    same = SketchRidge(noise_variance=covariance[0, 0], target_noise=covariance[3, 3]).fit(release.features(), release.targets())
    assert np.allclose(model.coef_, same.coef_)
    assert np.all(np.abs(model.coef_ - np.linalg.lstsq(X, Y, rcond=None)[0]) < 6 * model.standard_errors_)


@pytest.mark.parametrize("method", ["projection", "fresh-projection"])
def test_projected_rows_are_read_with_their_projection(tmp_path, method):
    release = published(tmp_path / "a", method, width=2, target="clear")
    made = ProjectedRows.from_release(tmp_path / "a")
    assert made.projection.shape == (3, 2)
    assert made.values.shape == (3000, 2)
    assert made.noise_variance == release.noise_variance
    model = ProjectedRidge().fit_release(tmp_path / "a")
    same = ProjectedRidge(projection=release.projection, noise_variance=release.noise_variance).fit(release.features(), release.targets())
    assert np.allclose(model.coef_, same.coef_)
    assert made.nearest(X[:2], neighbours=3).shape == (2, 3)


def test_a_noisy_target_beside_a_projection_is_learnt_from(tmp_path):
    release = published(tmp_path / "a", "projection", width=3, epsilon=600.0, y=0.5 * Y)
    assert release.verify().ok
    assert release.feature_columns == (0, 1, 2)
    rows, targets, noise = projected_targets(release)
    assert targets == pytest.approx(release.targets() / release.query.weight)
    assert np.std(targets - 0.5 * Y) == pytest.approx(np.sqrt(noise), rel=0.1)
    assert np.std(rows - X @ release.projection, axis=0) == pytest.approx(np.sqrt(release.noise_variance), rel=0.1)
    whole = ProjectedRidge().fit_release(tmp_path / "a").predict(X)
    assert np.mean(np.square(whole - 0.5 * Y)) < 0.5 * np.var(0.5 * Y)


def test_an_intercept_from_projected_rows_needs_a_number_of_records_that_slots_keep_secret(tmp_path):
    loose = 0.5 * Y + DRAW.uniform(-0.5, 0.5, len(X))
    release = published(tmp_path / "a", "projection", width=3, epsilon=300.0, y=loose, neighbours=ADD_REMOVE, slots=2 * len(X))
    with pytest.raises(InvalidInput, match="an intercept needs the number of records"):
        ProjectedRidge().fit_release(release)
    assert release.in_words["how_to_use"][-1] == "model = ProjectedRidge(fit_intercept=False).fit_release(release)"
    assert ProjectedRidge(fit_intercept=False).fit_release(release).inner_.residual_variance_ is None
    known = ProjectedRidge(records=len(X)).fit_release(release)  # of all slots for records the variance would be half of this
    assert known.inner_.residual_variance_ == pytest.approx(np.var(loose - known.predict(X)), rel=0.25)


@pytest.mark.parametrize("target", ["clear", "noisy"])
def test_classes_are_learnt_from_projected_rows(tmp_path, target):
    release = published(
        tmp_path / "a", "projection", width=3, epsilon=60.0, y=SIGNS, target=target, projection_seed=6
    )  # one that stretches no direction much
    means = ProjectedNearestMeans().fit_release(release)
    assert np.mean(means.predict(X) == SIGNS) > 0.8
    for kind in (ProjectedLogisticRegression, ProjectedLinearSVC):
        if target == "noisy":
            with pytest.raises(InvalidInput, match="needs labels without noise"):
                kind().fit_release(release)
            continue
        model = kind().fit_release(release)
        assert np.mean(model.predict(X) == SIGNS) > 0.85
        same = kind(projection=release.projection, feature_noise=release.noise_variance).fit(release.features(), release.targets())
        assert np.array_equal(model.coef_, same.coef_)


@pytest.mark.parametrize("kind", [NoisyLogisticRegression, NoisyLinearSVC])
def test_labels_in_clear_make_classifiers(tmp_path, kind):
    release = published(tmp_path / "a", "fisher", y=SIGNS, target="clear")
    model = kind().fit_release(tmp_path / "a")
    assert np.allclose(model.coef_, kind(feature_noise=release.noise_variance).fit(release.features(), release.targets()).coef_)
    assert np.mean(model.predict(X) == SIGNS) > 0.85


def test_a_release_of_another_kind_is_refused(tmp_path):
    published(tmp_path / "rows", "additive")
    published(tmp_path / "sketch", "sketch", epsilon=5.0, rows=100)
    published(tmp_path / "bare", "additive", y=None, target="omitted")
    published(tmp_path / "mixed", "fresh-projection", width=2, neighbours=REPLACE_ONE)
    with pytest.raises(InvalidInput, match="needs a sketch; the folder holds one row a record"):
        SketchRidge().fit_release(tmp_path / "rows")
    with pytest.raises(InvalidInput, match="needs one row a record; the folder holds a sketch"):
        NoisyRidge().fit_release(tmp_path / "sketch")
    with pytest.raises(InvalidInput, match="needs targets"):
        NoisyRidge().fit_release(tmp_path / "bare")
    with pytest.raises(InvalidInput, match="needs labels without noise"):
        NoisyLinearSVC().fit_release(tmp_path / "rows")
    with pytest.raises(InvalidInput, match="needs targets"):
        ProjectedRidge().fit_release(tmp_path / "mixed")


def test_noise_without_a_public_covariance_is_refused(tmp_path):
    chosen = {"method": "null-space", "calibration": "published", "target": "clear", "variance": 1.0}
    publish(X[:60], tmp_path / "a", SystemNoise(), domain=DOMAIN, y=SIGNS[:60], **chosen)
    with pytest.raises(InvalidInput, match="covariance"):
        NoisyLogisticRegression().fit_release(tmp_path / "a")


def test_noise_that_is_not_normal_is_corrected_by_its_moments_alone(tmp_path):
    labels = np.where(3.0 * X @ SLOPES + np.random.default_rng(1).logistic(size=3000) > 0, 1.0, -1.0)
    chosen = {"method": "bounded", "target": "clear", "epsilon": 1.0, "half_width": 2.0, "level": 0.0}
    release = publish(X, tmp_path / "a", SeededNoise(1), domain=DOMAIN, y=labels, **chosen)
    covariance = release.noise_covariance[:3, :3]
    found = NoisyLogisticRegression().fit_release(tmp_path / "a").coef_[0]
    codes = (release.targets() > 0).astype(np.intp)
    moved, _ = reconstructed_rows(release.features(), codes, covariance)
    assert np.allclose(found, NoisyLogisticRegression().fit(moved, release.targets()).coef_[0], rtol=1e-4)
    normal = NoisyLogisticRegression(feature_noise=covariance).fit(release.features(), release.targets()).coef_[0]
    assert not np.allclose(found, normal, rtol=1e-2), "which a normal law would have refined"


def test_distances_between_plain_noisy_rows_are_debiased_too(tmp_path):
    release = published(tmp_path / "a", "additive", target="clear")
    made = ProjectedRows.from_release(tmp_path / "a")
    assert np.array_equal(made.projection, np.eye(3))
    assert made.noise_variance == release.noise_variance
    assert np.mean(made.squared_norms()) == pytest.approx(np.mean(np.square(X).sum(axis=1)), abs=0.5)
    published(tmp_path / "b", "fisher", target="clear", weights=[1.0, 2.0, 3.0])
    with pytest.raises(InvalidInput, match="one public size"):
        ProjectedRows.from_release(tmp_path / "b")
    published(tmp_path / "c", "sketch", epsilon=5.0, rows=100)
    with pytest.raises(InvalidInput, match="projected rows or one row a record"):
        ProjectedRows.from_release(tmp_path / "c")
