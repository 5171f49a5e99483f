"""Records that their owners randomise, and what is collected from them."""

import json
import math

import numpy as np
import pytest

from discreet import SeededNoise, SystemNoise
from discreet.accounting import Unit
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.queries import Target
from discreet.releases import LocalSurvey, RandomisedRecord, collect
from tests.canary import CANARY, assert_silent
from tests.releases.cases import SCHEMA

RECORD = {"age": 50, "hours": 40, "income": 25}


@pytest.fixture(scope="module")
def survey():
    return LocalSurvey.planned(SCHEMA, epsilon=4.0, delta=1e-6)


def test_one_record_leaves_as_one_line_that_verifies(survey):
    made = survey.randomise(RECORD, SystemNoise())
    assert made.columns == ("age", "hours", "income")
    assert made.certificate.guarantee.local
    assert made.certificate.verify(made.values.reshape(1, -1)).ok
    line = made.to_line()
    assert "\n" not in line
    again = RandomisedRecord.from_line(line)
    assert np.array_equal(again.values, made.values)
    assert again.certificate == made.certificate


def test_the_noise_is_on_the_encoded_record(survey):
    """The record is encoded as (0, 0, -0.5): 300 answers, each mean beyond 7 deviations with probability below 1e-10."""
    answers = np.array([survey.randomise(RECORD, SeededNoise(seed)).values for seed in range(300)])
    deviation = survey.mechanism.deviation
    assert np.all(np.abs(answers.mean(axis=0) - [0.0, 0.0, -0.5]) < 7 * deviation / math.sqrt(300))
    assert 0.7 < answers.std() / deviation < 1.3


def test_lines_of_many_owners_become_a_release(survey, tmp_path):
    records = [survey.randomise(RECORD | {"age": 20 + number}, SystemNoise()) for number in range(12)]
    made = collect(["", *(record.to_line() for record in records), "\n"], tmp_path / "out", schema=SCHEMA)
    assert np.array_equal(made.values(), np.array([record.values for record in records]))
    assert made.verify().ok
    assert (made.method, made.guarantee.local, made.records) == ("local", True, 12)
    assert made.noise_variance == pytest.approx(survey.mechanism.deviation**2)
    assert any("answered twice" in line for line in made.document["discreet:doesNotProtect"])


def test_a_line_that_was_changed_or_made_otherwise_is_refused(survey, tmp_path):
    good = survey.randomise(RECORD, SystemNoise()).to_line()
    changed = json.loads(good)
    changed["values"][0] += 1.0
    other = LocalSurvey.planned(SCHEMA, epsilon=2.0, delta=1e-6).randomise(RECORD, SystemNoise()).to_line()
    short = json.loads(good)
    short["values"].pop()
    for lines in ([good, json.dumps(changed)], [good, other], [json.dumps(changed)], [json.dumps(short)], ["{}"], [good, "{}"], [good[:-5]]):
        with pytest.raises(FileFormatError):
            collect(lines, tmp_path / "out", schema=SCHEMA)
    with pytest.raises(InvalidInput, match="nothing to collect"):
        collect([], tmp_path / "out", schema=SCHEMA)
    assert list(tmp_path.iterdir()) == []


def test_lines_of_another_schema_are_refused(survey, tmp_path):
    without = LocalSurvey.planned(SCHEMA, epsilon=4.0, delta=1e-6, target=Target.OMITTED)
    line = without.randomise({"age": 50, "hours": 40}, SystemNoise()).to_line()
    assert collect([line], tmp_path / "out", schema=SCHEMA).shape == (1, 2)
    wider = json.loads(survey.randomise(RECORD, SystemNoise()).to_line())
    wider["columns"][0] = "height"
    with pytest.raises(FileFormatError, match="the lines were made with a different schema"):
        collect([json.dumps(wider)], tmp_path / "more", schema=SCHEMA)


def test_with_a_target_in_clear_the_features_alone_are_protected(tmp_path):
    survey = LocalSurvey.planned(SCHEMA, epsilon=4.0, delta=1e-6, target=Target.CLEAR)
    record = survey.randomise(RECORD, SystemNoise())
    assert record.values[2] == -0.5
    assert record.certificate.guarantee.unit is Unit.FEATURES
    made = collect([record.to_line()], tmp_path / "out", schema=SCHEMA)
    assert made.verify().ok
    assert "Targets: they are released as they are." in made.document["discreet:doesNotProtect"]


@pytest.mark.parametrize(
    "record", [RECORD | {"age": CANARY}, RECORD | {"age": str(CANARY)}, {"age": CANARY}, {"hours": CANARY}, RECORD | {"age": [CANARY]}]
)
def test_a_refused_record_is_not_repeated(survey, record):
    with pytest.raises(InvalidInput) as caught:
        survey.randomise(record, SystemNoise())
    assert_silent(f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}")
