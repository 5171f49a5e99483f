"""Searches over models of times: a person counts one at most by the likelihood of what is known, and what is stated is what was searched."""

import json

import numpy as np
import polars as pl
import pytest

from discreet import Model, OrdinalRegression, PrivateSearchCV, Schema, SurvivalModel, evaluate_privately
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.data import Block, FunctionTable
from discreet.data.targets import likelihood, period_numbers
from discreet.display.reports import page_of
from discreet.estimators.search.blocks import streamed_table
from discreet.estimators.search.tables import Scoring, held_table
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from discreet.noise import SeededNoise
from discreet.words.counting import WHOLE
from tests.schemas import schema_text

ENDS = (1.0, 2.0, 4.0)


def table(records=600, seed=0):
    """Times that are later where the first column is large, a fifth of them censored."""
    draw = np.random.default_rng(seed)
    X = draw.uniform(-0.5, 0.5, (records, 3))
    times = draw.exponential(np.exp(3.0 * X[:, 0]) * 2.0)
    return X, np.column_stack((times, draw.uniform(size=records) < 0.8))


def search(inner=None, **given):
    grid = {"row_scale": [0.2, 1.0]}
    return PrivateSearchCV(inner or SurvivalModel(ends=ENDS), grid, **{"epsilon": 8.0, "delta": 1e-6, "expected_runs": 3.0, **given})


def test_one_person_counts_one_at_most_whatever_is_known_and_predicted():
    scoring = Scoring(kind="log-loss", error_bound=3.0, ends=ENDS)
    ends = np.array([1.0, 0.5, 1e-9, 0.0, np.nan])
    survival = np.array([[a, b, c] for a in ends for b in ends for c in ends])
    for code in range(2 * len(ENDS) + 1):
        counts = scoring.of(survival, np.full(len(survival), code))
        assert counts.min() >= 0
        assert counts.max() <= WHOLE
        assert np.array_equal(counts[::7], scoring.of(survival[::7], np.full(len(survival[::7]), code)))


def test_what_a_person_counts_is_the_log_loss_of_what_is_known():
    X, y = table()
    model = SurvivalModel(ends=ENDS, epsilon=np.inf).fit(X, y)
    survival, codes = model.predict_survival(X), period_numbers(y, ends=ENDS)
    by_hand = [1.0 - s if code == 1 else s for s, code in zip(survival[:, 0], codes, strict=True) if code in (1, 2)]
    assert np.allclose(likelihood(survival, codes)[np.isin(codes, (1, 2))], by_hand)
    counts = Scoring(kind="log-loss", error_bound=5.0, ends=ENDS).of(survival, codes)
    losses = np.minimum(-np.log(likelihood(survival, codes)), 5.0)
    assert np.allclose(5.0 * (1.0 - counts / WHOLE), losses, atol=5.0 / 1024)


@pytest.mark.parametrize("method", ["random-stopping", "algorithm-4"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_a_search_finds_a_model_of_times_and_states_what_it_scored(method, neighbours):
    X, y = table()
    made = search(SurvivalModel(ends=ENDS, neighbours=neighbours), method=method).fit(X, y)
    certificate = made.certificate_
    assert certificate.verify(made.best_estimator_.weights_).ok
    assert str(certificate.guarantee.unit) == "person"
    assert (certificate.parameters["scored"], certificate.parameters["error_bound"]) == ("log-loss", 5.0)
    assert made.best_estimator_.ends_ == ENDS
    for change in ({"scored": "absolute-error"}, {"scored": "right-answers"}, {"error_bound": -1.0}, {"target_lower": 0.0}):
        document = json.loads(certificate.to_json())
        document["parameters"].update(change)
        assert not Certificate.from_dict(document).verify(made.best_estimator_.weights_).ok


def in_blocks(X, y, weights=None):
    def make(number):
        part = slice(150 * number, 150 * number + 150)
        return Block(as_matrix(X[part]), y[part], None if weights is None else weights[part])

    return FunctionTable(make, blocks=len(X) // 150, features=X.shape[1])


@pytest.mark.at_most(1)
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_in_blocks_a_search_over_times_scores_and_finds_what_it_does_in_memory(neighbours):
    X, y = table()
    made = [
        search(SurvivalModel(ends=ENDS, neighbours=neighbours, rows_per_person=1), random_state=1).fit(*given)
        for given in ((X, y), (in_blocks(X, y),))
    ]
    assert made[0].best_index_ == made[1].best_index_
    assert made[0].best_score_ == pytest.approx(made[1].best_score_, rel=1e-3)
    np.testing.assert_allclose(made[0].best_estimator_.weights_, made[1].best_estimator_.weights_, atol=1e-4)
    scoring = Scoring(kind="log-loss", error_bound=5.0, ends=ENDS)
    held = held_table(X, y, classes=None, name="search", scoring=scoring)
    streamed = streamed_table(in_blocks(X, y), None, classes=None, max_weight=None, jobs=1, scoring=scoring)
    assert held.correct(made[0]) == streamed.correct(made[0])
    assert (held.shape, held.weight) == (streamed.shape, streamed.weight)


@pytest.mark.parametrize("neighbours", ["replace-one", pytest.param("add-remove", marks=pytest.mark.more)])
def test_parts_of_blocks_of_times_have_every_person_once(neighbours):
    X, y = table()
    certificate = search(SurvivalModel(ends=ENDS, neighbours=neighbours, rows_per_person=1), method="algorithm-4").fit(in_blocks(X, y)).certificate_
    assert certificate.verify().ok
    scoring = Scoring(kind="log-loss", error_bound=5.0, ends=ENDS)
    streamed = streamed_table(in_blocks(X, y), None, classes=None, max_weight=None, jobs=1, scoring=scoring)
    parts = streamed.parts(3, SeededNoise(0), hidden=neighbours == "add-remove")
    model = SurvivalModel(ends=ENDS, epsilon=np.inf).fit(X, y)
    assert sum(part.shape[0] for part in parts) == len(X)
    assert sum(part.correct(model) for part in parts) == streamed.correct(model)


def test_the_better_model_scores_more_by_what_its_losses_say():
    X, y = table()
    scoring = Scoring(kind="log-loss", error_bound=5.0, ends=ENDS)
    held = held_table(X, y, classes=None, name="search", scoring=scoring)
    good, poor = (SurvivalModel(ends=ENDS, epsilon=np.inf, alpha=alpha).fit(X, y) for alpha in (1e-3, 100.0))
    losses = [-np.log(likelihood(model.predict_survival(X), held.given)).mean() for model in (good, poor)]
    scores = [held.correct(model) for model in (good, poor)]
    assert losses[0] < losses[1] - 0.02
    assert (scores[0] - scores[1]) / (len(X) * WHOLE) == pytest.approx((losses[1] - losses[0]) / 5.0, abs=1e-3)


def test_a_table_of_a_schema_is_searched_with_its_ends_and_the_winner_is_a_model():
    X, y = table()
    schema = Schema.from_toml(schema_text("law", {"column": "y", "event": "seen", "ends": list(ENDS)}, {"a": (-0.5, 0.5)}, rows_per_person=1))
    encoded = schema.encode(pl.DataFrame({"a": X[:, 0], "y": y[:, 0], "seen": y[:, 1].astype(int)}), target=True)
    made = search(SurvivalModel()).fit(encoded)
    assert Model.from_estimator(made.best_estimator_, schema).verify().ok
    assert "of the log loss, cut at 5 nats" in repr(page_of(made).sections)


def test_a_search_answers_and_is_measured_as_its_winner():
    X, y = table(300)
    made = search(random_state=0).fit(X, y)
    inner = made.best_estimator_
    assert made.ends_ == inner.ends_
    for name in ("predict_survival", "predict_hazard", "predict_median"):
        assert np.array_equal(getattr(made, name)(X), getattr(inner, name)(X))
    said = [evaluate_privately(one, X, y, epsilon=1.0, rows_per_person=1, random_state=0).log_loss for one in (made, inner)]
    assert said[0] == said[1]
    assert not hasattr(search(OrdinalRegression(classes=[0, 1])), "predict_survival")


def test_a_row_is_a_person_of_ordered_classes_too():
    X, y = table()
    made = search(OrdinalRegression(classes=[0, 1, 2])).fit(X, np.digitize(y[:, 0], [0.5, 2.0]))
    assert made.certificate_.verify(made.best_estimator_.weights_).ok


def test_what_cannot_be_searched_is_refused_before_anything_is_spent(tmp_path):
    X, y = table(50)
    path = tmp_path / "team.ledger"
    Ledger.create(path).declare("people", epsilon=100.0, delta=1e-3, unit="person")
    spends = {"ledger": Account(str(path), "people")}
    for made, persons, words in (
        (search(scoring="absolute-error", **spends), None, "scoring of a model of times"),
        (search(error_bound=0.0, **spends), None, "error_bound"),
        (search(**spends), np.arange(50) // 2, "person"),
        (PrivateSearchCV(SurvivalModel(), {"ends": [[1, 2], [1, 3]]}, **spends), None, "ends cannot be searched over"),
    ):
        with pytest.raises(InvalidInput, match=words):
            made.fit(X, y, persons=persons)
    X, y = table(150)
    one_row = SurvivalModel(ends=ENDS, rows_per_person=1)
    for inner, blocks, words in (
        (None, in_blocks(X, y), "rows_per_person = 1"),
        (one_row, in_blocks(X, y, np.full(150, 0.5)), "weights"),
        (one_row, in_blocks(X, np.full((150, 3), 1.0)), "y must give"),
        (one_row, FunctionTable(lambda _: Block(as_matrix(X), None), blocks=1, features=3), "needs the time of every record"),
    ):
        with pytest.raises(InvalidInput, match=words):
            search(inner, **spends).fit(blocks)
    assert not Ledger(path).history("people")
