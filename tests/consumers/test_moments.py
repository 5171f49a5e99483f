"""One release of second moments, many analyses: each finds what it would on the records, within the errors that it states."""

import numpy as np
import polars as pl
import pytest
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB

from discreet import ADD_REMOVE, REPLACE_ONE, SystemNoise
from discreet.consumers import MomentsDiscriminant, MomentsNaiveBayes, MomentsPCA, MomentsRidge, ReleasedMoments
from discreet.core.errors import InvalidInput
from discreet.data import CategoricalColumn, Domain, NumericColumn, Schema, Target
from discreet.releases import publish, read_release
from tests.chance import fewest, highest

DRAW = np.random.default_rng(11)
COUNT = 20_000
X = DRAW.uniform(-1, 1, (COUNT, 4))
X[:, 1] = 0.7 * X[:, 0] + 0.3 * X[:, 1]
Y = np.clip(X @ [0.4, -0.2, 0.1, 0.0] + 0.2 + 0.1 * DRAW.standard_normal(COUNT), -1, 1)
BOX = Domain(features=4, entry_bound=1.0, target_bound=1.0)
SCHEMA = Schema(
    name="people",
    rows="bound",
    target=Target(column="answer", classes=("no", "yes")),
    numeric=(NumericColumn(name="age", lower=0, upper=100), NumericColumn(name="hours", lower=0, upper=80)),
    categorical=(CategoricalColumn(name="city", categories=("north", "south", "west")),),
)
CITIES = DRAW.integers(0, 3, COUNT)
AGES = np.clip(30 + 15 * CITIES + 8 * DRAW.standard_normal(COUNT), 0, 100)
HOURS = np.clip(40 + 10 * DRAW.standard_normal(COUNT), 0, 80)
ANSWERS = AGES + HOURS + 10 * DRAW.standard_normal(COUNT) > 85
PEOPLE = pl.DataFrame(
    {
        "age": AGES,
        "hours": HOURS,
        "city": np.array(["north", "south", "west"])[CITIES],
        "answer": np.where(ANSWERS, "yes", "no"),
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("moments")
    for neighbours in (ADD_REMOVE, REPLACE_ONE):
        asked = {"method": "moments", "epsilon": 1.0, "delta": 1e-6, "neighbours": neighbours}
        publish(X, made / f"numbers-{neighbours}", SystemNoise(), domain=BOX, y=Y, **asked)
        publish(PEOPLE, made / f"people-{neighbours}", SystemNoise(), schema=SCHEMA, **asked)
    return made


each = pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])


@each
def test_any_column_is_regressed_on_any_others_with_errors_that_hold(folder, neighbours):
    released = folder / f"numbers-{neighbours}"
    for target, features in ((None, None), ("x1", ["x0", "y"]), ("x3", None)):
        model = MomentsRidge(target=target, features=features).fit_release(released)
        known = {f"x{number}": X[:, number] for number in range(4)} | {"y": Y}
        rows, targets = np.column_stack([known[name] for name in model.columns_]), known[target or "y"]
        exact = LinearRegression().fit(rows, targets)
        assert np.all(np.abs(model.coef_ - exact.coef_) < 6 * model.noise_standard_errors_)
        assert np.all(model.noise_standard_errors_ <= model.standard_errors_)
        low, high = model.predict_interval(rows[:50], level=1 - 1e-9).T
        assert np.all((low < exact.predict(rows[:50])) & (exact.predict(rows[:50]) < high))
        assert model.drowned_ == 0


def test_public_rows_give_what_scikit_learn_does():
    assert np.allclose(MomentsRidge(ridge=50.0).fit(X, Y).coef_, Ridge(alpha=50.0).fit(X, Y).coef_)
    assert np.allclose(MomentsPCA(n_components=2).fit(X).explained_variance_, PCA(n_components=2).fit(X).explained_variance_ * (COUNT - 1) / COUNT)
    labels = (Y > 0.1) + 1 * (Y > 0.4)
    ours, theirs = MomentsDiscriminant().fit(X, labels), LinearDiscriminantAnalysis(solver="lsqr").fit(X, labels)
    assert np.allclose(ours.predict_proba(X[:9]), theirs.predict_proba(X[:9]), atol=1e-3)
    assert np.mean(MomentsNaiveBayes().fit(X, labels).predict(X) == GaussianNB().fit(X, labels).predict(X)) > 0.9


@each
def test_classes_of_a_target_and_of_a_category_are_told_apart(folder, neighbours):
    """As well as where nothing is private, to a hundredth."""
    released = read_release(folder / f"people-{neighbours}")
    rows = np.asarray(released.schema.encode(PEOPLE, target=False).rows.plain())
    answers, cities = PEOPLE["answer"].to_numpy(), PEOPLE["city"].to_numpy()
    for kind, plain in ((MomentsDiscriminant, LinearDiscriminantAnalysis(solver="lsqr")), (MomentsNaiveBayes, GaussianNB())):
        model = kind().fit_release(released)
        assert model.classes_.tolist() == ["no", "yes"]
        assert model.coef_[:, model.columns_.index("city=north")].tolist() == [0.0, 0.0]
        used = [place for place, name in enumerate(model.columns_) if name != "city=north"]
        assert np.mean(model.predict(rows) == answers) > plain.fit(rows[:, used], answers).score(rows[:, used], answers) - 0.01
        of_cities = kind(target="city", features=["age", "hours"]).fit_release(released)
        assert of_cities.classes_.tolist() == ["north", "south", "west"]
        assert np.allclose(of_cities.priors_, np.bincount(CITIES) / COUNT, atol=0.02)
        assert np.mean(of_cities.predict(rows[:, :2]) == cities) > plain.fit(rows[:, :2], cities).score(rows[:, :2], cities) - 0.01


@each
def test_components_and_correlations_are_those_of_the_records(folder, neighbours):
    moments = ReleasedMoments.of_release(folder / f"numbers-{neighbours}")
    exact, model = PCA().fit(X), MomentsPCA().fit_release(moments)
    assert np.all(np.abs(model.explained_variance_ - exact.explained_variance_) < 6 * model.noise_deviation_)
    assert abs(model.components_[0] @ exact.components_[0]) > 0.99
    assert model.drowned_ == 0
    found = np.corrcoef(np.column_stack((X, Y)).T)
    low, high = moments.correlation_interval("x0", "y", level=1 - 1e-9, population=False)
    assert low < found[0, 4] < high  # all of [-1, 1] where the target's variance is nearly drowned, once in some sixty releases
    for i, j in ((0, 1), (0, 2), (2, 3)):
        low, high = moments.correlation_interval(moments.names[i], moments.names[j], level=1 - 1e-9, population=False)
        assert -1 < low < found[i, j] < high < 1
        wider = moments.correlation_interval(moments.names[i], moments.names[j], level=1 - 1e-9)
        assert wider[0] < low < high < wider[1]


def test_what_noise_drowns_is_said(tmp_path):
    publish(X[:40], tmp_path / "few", SystemNoise(), domain=BOX, y=Y[:40], method="moments", epsilon=0.5, delta=1e-6, neighbours=REPLACE_ONE)
    model = MomentsRidge().fit_release(tmp_path / "few")
    assert model.drowned_ > 0
    assert np.all(np.isinf(model.standard_errors_))
    assert np.all(np.isinf(model.predict_interval(X[:3])))
    assert ReleasedMoments.of_release(tmp_path / "few").correlation_interval("x0", "x2") == (-1.0, 1.0)
    publish(X[:40], tmp_path / "secret", SystemNoise(), domain=BOX, y=Y[:40], method="moments", epsilon=0.5, delta=1e-6, neighbours=ADD_REMOVE)
    with pytest.raises(InvalidInput, match="release more records, or use a larger epsilon"):
        MomentsPCA().fit_release(tmp_path / "secret")


@each
def test_sums_are_as_noisy_as_is_said_also_where_the_number_of_records_is_exact(tmp_path, neighbours):
    rows, box = DRAW.uniform(0.2, 1.0, (3000, 60)), Domain(features=60, entry_bound=1.0, target_bound=1.0)
    asked = {"method": "moments", "epsilon": 1.0, "delta": 1e-6, "neighbours": neighbours}
    moments = ReleasedMoments.of_release(publish(rows, tmp_path / "made", SystemNoise(), domain=box, y=rows[:, 0], **asked))
    off = (moments.matrix[0, 1:-1] - rows.sum(axis=0)) / np.sqrt(moments.noise[0] * moments.noise[1:-1])
    assert 0.4 < np.mean(off**2) < 1.9  # of 60 normal scores: not so one time in 100,000
    assert moments.exact_count == (neighbours is REPLACE_ONE) == (moments.matrix[0, 0] == 3000.0)


def test_an_exact_number_of_records_adds_no_noise_to_the_constant():
    """Against draws of the noise, with a target that is constant, so that the number of records is what matters."""
    draw, x = np.random.default_rng(3), np.linspace(-1, 1, 20_000)
    true, noise = ReleasedMoments.of_rows(x[:, np.newaxis], 0.9 + 0.0 * x), np.array([60.0, 40.0, 40.0])
    off, said = [], []
    for _ in range(200):
        wrong = np.triu(draw.normal(size=(3, 3)) * np.sqrt(np.outer(noise, noise)))
        wrong = wrong + np.triu(wrong, 1).T + np.diag((np.sqrt(2.0) - 1.0) * np.diag(wrong))
        wrong[0, 0] = 0.0
        found = ReleasedMoments(names=true.names, matrix=true.matrix + wrong, noise=noise, exact_count=True, target="y")
        line = MomentsRidge().fit_release(found)
        off.append(line.intercept_ - 0.9)
        said.append(np.diff(line.predict_interval([[0.0]]))[0, 0] / (2.0 * 1.96))
    assert 0.85 < np.std(off) / np.mean(said) < 1.15


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (MomentsRidge(target="x9"), "no column 'x9'"),
        (MomentsRidge(features=["x0", "y"]), "features must be one or more different columns of the"),
        (MomentsRidge(features="x0"), "features must be a list of column names"),
        (MomentsPCA(n_components=9), "at most the number of columns, 4"),
        (MomentsDiscriminant(target="x0"), "of rows that are not normalised"),
    ],
)
def test_wrong_columns_are_refused_in_words(folder, model, words):
    with pytest.raises(InvalidInput, match=words):
        model.fit_release(folder / "numbers-add-remove")


@pytest.mark.slow
@each
def test_intervals_cover_what_they_say(folder, neighbours, tmp_path):
    """Of coefficients and correlations of the records, 95 % each, of 300 releases at epsilon .3: two points below would be a fault."""
    exact, found = LinearRegression().fit(X, Y), np.corrcoef(np.column_stack((X, Y)).T)
    asked = {"method": "moments", "epsilon": 0.3, "delta": 1e-6, "neighbours": neighbours, "overwrite": True}
    hits = []
    for _ in range(300):
        moments = ReleasedMoments.of_release(publish(X, tmp_path / "made", SystemNoise(), domain=BOX, y=Y, **asked))
        model = MomentsRidge().fit_release(moments)
        of_noise = np.abs(model.coef_ - exact.coef_) < 1.96 * model.noise_standard_errors_
        pairs = [(*moments.correlation_interval(f"x{i}", f"x{j}", population=False), found[i, j]) for i, j in ((0, 1), (0, 2), (2, 3))]
        hits.append([*of_noise, *(low < one < high for low, high, one in pairs)])
    assert highest(np.mean(hits, axis=1)) >= 0.93
    assert np.min(np.sum(hits, axis=0)) >= fewest(300, 0.93, looks=np.shape(hits)[1])
