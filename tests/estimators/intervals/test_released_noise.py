"""How much of a model's weights is noise: never more than there is, and said where it is most of them."""

import numpy as np
import pytest

from discreet import LinearSVC, LogisticRegression
from discreet.estimators.intervals.released_noise import noise_share

KINDS = (
    ("logistic", lambda seed: LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1], random_state=seed)),
    ("pure", lambda seed: LogisticRegression(epsilon=1.0, delta=0.0, data_norm=1.0, classes=[0, 1], mechanism="objective", random_state=seed)),
    ("hinge", lambda seed: LinearSVC(epsilon=0.5, delta=1e-6, data_norm=1.0, classes=[0, 1], random_state=seed)),
    ("multinomial", lambda seed: LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1, 2], random_state=seed)),
    ("one against the rest", lambda seed: LinearSVC(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1, 2], random_state=seed)),
    ("output", lambda seed: LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1], mechanism="output", random_state=seed)),
)


def rows(random, records, features):
    X = random.normal(size=(records, features))
    return X / np.linalg.norm(X, axis=1)[:, None]


@pytest.mark.parametrize(("name", "made"), KINDS, ids=[name for name, _ in KINDS])
@pytest.mark.filterwarnings("ignore")
def test_the_noise_of_many_fits_is_between_its_bounds(name, made):
    """The noise is what two fits on the same records differ by: its mean square is half of theirs."""
    random = np.random.default_rng(3)
    X = rows(random, 200, 12)
    y = random.integers(0, 3 if name in {"multinomial", "one against the rest"} else 2, 200)
    fits = [made(seed).fit(X, y) for seed in range(40)]
    found = noise_share(fits[0].certificate_, fits[0].weights_)
    square = np.mean([np.square(one.weights_ - other.weights_).sum() / 2.0 for one, other in zip(fits[::2], fits[1::2], strict=True)])
    assert 0.0 < found.least <= 1.15 * np.sqrt(square), "of 20 differences in 13 to 39 dimensions the root mean square errs by less than 10 %"
    assert np.sqrt(square) <= 1.15 * found.most
    assert (found.least == found.most) == (name == "output")


@pytest.mark.filterwarnings("ignore")
def test_few_records_of_many_columns_and_a_rare_class_are_said_to_be_noise():
    random = np.random.default_rng(0)
    X, y = rows(random, 500, 200), (random.uniform(size=500) < 0.03).astype(int)
    fitted = LinearSVC(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1]).fit(X, y)
    words = noise_share(fitted.certificate_, fitted.weights_).words
    assert words is not None
    assert words in str(fitted.summary())


@pytest.mark.filterwarnings("ignore")
def test_a_clear_model_is_not():
    random = np.random.default_rng(0)
    X = rows(random, 3000, 5)
    y = (X[:, 0] > 0).astype(int)
    for relation in ("replace-one", "add-remove"):  # of the second no number of records is public, so nothing is known at least
        fitted = LogisticRegression(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1], neighbours=relation).fit(X, y)
        found = noise_share(fitted.certificate_, fitted.weights_)
        assert found.words is None
        assert (found.least > 0) == (relation == "replace-one")
        assert "mostly noise" not in str(fitted.summary())


@pytest.mark.filterwarnings("ignore")
def test_without_noise_there_is_no_share():
    random = np.random.default_rng(0)
    X = rows(random, 60, 2)
    fitted = LogisticRegression(epsilon=np.inf, data_norm=1.0, classes=[0, 1]).fit(X, (X[:, 0] > 0).astype(int))
    assert noise_share(fitted.certificate_, fitted.weights_) is None


@pytest.mark.filterwarnings("ignore")
def test_a_notebook_says_it_below_the_diagram():
    random = np.random.default_rng(0)
    X = rows(random, 300, 150)
    fitted = LinearSVC(epsilon=1.0, delta=1e-6, data_norm=1.0, classes=[0, 1]).fit(X, random.integers(0, 2, 300))
    assert "mostly noise" in fitted._repr_mimebundle_()["text/html"]
    clear = LinearSVC(epsilon=10.0, delta=1e-6, data_norm=1.0, classes=[0, 1]).fit(X[:, :2], (X[:, 0] > 0).astype(int))
    assert "mostly noise" not in clear._repr_mimebundle_()["text/html"]
