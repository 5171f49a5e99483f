"""Models of the several targets of a schema: a file as of arrays, answers in the unit of each column, one measured at a time, and what is refused."""

import json
from functools import cache

import numpy as np
import polars as pl
import pytest

from discreet import Lasso, LinearSVC, Model, PoissonRegression, Schema, evaluate_privately
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.estimators.model_kinds import check_learns, encoded_estimator, learnt_from, standard_kind
from discreet.estimators.two_part.fit_with_intervals import release_uncertainty
from tests.schemas import schema_text

DRAW = np.random.default_rng(0)
SIZE, AGE = DRAW.uniform(0, 200, 4000), DRAW.uniform(0, 100, 4000)
FLATS = pl.DataFrame({"size": SIZE, "age": AGE, "rent": 300 + 12 * SIZE - 2 * AGE, "heating": 20 + 0.5 * SIZE + AGE})
TARGETS = [{"column": "rent", "lower": 0, "upper": 3000}, {"column": "heating", "lower": 0, "upper": 300}]
SCHEMA = Schema.from_toml(schema_text("flats", TARGETS, {"size": (0, 200), "age": (0, 100)}, rows="bound", rows_per_person=1))
ONE = Schema.from_toml(schema_text("flats", TARGETS[1], {"size": (0, 200), "age": (0, 100)}, rows="bound", rows_per_person=1))
TABLE = SCHEMA.encode(FLATS, target=True)


def fitted(kind="linear-regression", **settings):
    return encoded_estimator(kind, SCHEMA, {"epsilon": 8.0, "delta": 1e-5, "random_state": 0, **settings}).fit(TABLE)


def alone():
    return encoded_estimator("linear-regression", ONE, {"random_state": 0}).fit(ONE.encode(FLATS, target=True))


@cache
def kept():
    return Model.from_estimator(fitted(), SCHEMA)


def test_a_file_answers_in_the_unit_of_each_column_as_the_estimator_does(tmp_path):
    kept().save(tmp_path / "model.json")
    read = Model.load(tmp_path / "model.json")
    answers = read.predict(FLATS)
    encoded = fitted().predict(TABLE)
    assert np.allclose(answers, (encoded + 1.0) / 2.0 * [3000.0, 300.0])
    assert np.sqrt(np.mean(np.square(answers - FLATS[["rent", "heating"]].to_numpy()), axis=0)) == pytest.approx([0.0, 0.0], abs=150.0)
    assert np.allclose(read.to_sklearn().predict(TABLE.rows.entries(slice(None))), answers)
    first, second = read.summary().parts
    assert (first.towards, second.towards) == ("a larger rent", "a larger heating")
    rent = [line.coefficient for line in first.lines]
    assert np.allclose(rent[0] + FLATS[["size", "age"]].to_numpy() @ rent[1:], answers[:, 0])
    assert read.curves(label="heating").towards == "a larger heating"
    with pytest.raises(InvalidInput, match="label="):
        read.curves()


def test_a_fit_of_a_ledger_counts_once_and_its_certificate_verifies_without_a_seed():
    model = Model.from_estimator(fitted(random_state=None), SCHEMA)
    assert model.verify().ok
    assert model.certificate.guarantee.epsilon <= 8.0
    assert model.certificate.problem["target_units"] == [1.0, 1.0]


def test_a_link_answers_each_target_through_it():
    model = Model.from_estimator(fitted("poisson-regression"), SCHEMA)
    answers = model.predict(FLATS)
    assert answers.shape == (4000, 2)
    assert np.allclose(answers, (fitted("poisson-regression").predict(TABLE) + 1.0) / 2.0 * [3000.0, 300.0])


def test_one_target_is_measured_as_its_own_model_would_be():
    one = kept().of_target("heating")
    assert np.array_equal(one.predict(FLATS), kept().predict(FLATS)[:, 1])
    report = evaluate_privately(one, FLATS, epsilon=50.0, metrics=["mse"], random_state=0)
    truth = np.mean(np.square(kept().predict(FLATS)[:, 1] - FLATS["heating"].to_numpy()))
    assert report.mean_square.low <= truth <= report.mean_square.high
    assert (report.survey.lower, report.survey.upper) == (0.0, 300.0)


def test_targets_of_a_model_and_its_certificate_must_agree():
    record = json.loads(kept().to_json())
    record["schema"]["target"] = record["schema"]["target"][1]
    with pytest.raises(FileFormatError, match="2 numbers"):
        Model.from_json(json.dumps(record))
    with pytest.raises(InvalidInput, match="the parts of the model do not belong together"):
        Model.from_estimator(fitted(), ONE)
    with pytest.raises(InvalidInput, match="the parts of the model do not belong together"):
        Model.from_estimator(alone(), SCHEMA)


REFUSED = {
    "one of several": lambda: evaluate_privately(kept(), FLATS, epsilon=1.0),
    "is not one of the targets": lambda: kept().of_target("size"),
    "of one target": lambda: Model.from_estimator(alone(), ONE).of_target("rent"),
    "with several targets": lambda: evaluate_privately(Model.from_estimator(alone(), ONE), TABLE, epsilon=1.0),
    "fitted on 1 target": lambda: release_uncertainty(Model.from_estimator(alone(), ONE), TABLE, epsilon=1.0, delta=1e-6),
    "without n_iter and prior": lambda: fitted(prior=np.zeros(2)),
    "learns one target": lambda: Lasso(radius=1.0, data_norm=2.0).fit(TABLE),
    "declares several numbers": lambda: check_learns(LinearSVC(), SCHEMA),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_takes_one_target_says_so(words):
    with pytest.raises(InvalidInput, match=words.replace("one of several", "measured at a time")):
        REFUSED[words]()


def test_nobody_needs_to_name_the_model():
    assert standard_kind(learnt_from(SCHEMA)) == "linear-regression"
    assert "several numbers" in PoissonRegression.targets
