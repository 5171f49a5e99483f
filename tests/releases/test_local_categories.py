"""Surveys of categories: lines of owners, which carry no number and no cell."""

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet import Schema, SystemNoise
from discreet.certificates import digest_of
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.data import CategoricalColumn, NumericColumn, Target
from discreet.queries import Target as Column
from discreet.releases import CategorySurvey, RandomisedRecord, collect, read_reports
from discreet.words.categories import RESPONSE, UNARY
from tests.canary import CANARY, assert_silent
from tests.cli.conftest import discreet

TRANSPORT = CategoricalColumn(name="transport", categories=("bike", "bus", "car", "foot"))
ANSWERS = Schema(name="answers", categorical=(TRANSPORT,), target=Target(column="happy", classes=("no", "yes")))
RECORD = {"transport": "bus", "happy": "yes"}
BITS = ("transport=bike", "transport=bus", "transport=car", "transport=foot", "happy=no", "happy=yes")


def test_one_record_leaves_as_one_line_that_verifies():
    made = CategorySurvey.planned(ANSWERS, epsilon=1.0).randomise(RECORD, SystemNoise())
    assert made.columns == BITS
    assert (made.certificate.guarantee.local, made.verify().ok) == (True, True)
    again = RandomisedRecord.from_line(made.to_line())
    assert np.array_equal(again.values, made.values)
    assert again.certificate == made.certificate


def test_the_own_categories_are_the_likeliest():
    """At 9 a column an answer is wrong with probability 5e-4: 20 of them are all right but for a chance of 2e-2, 12 wrong ones never occur."""
    survey = CategorySurvey.planned(ANSWERS, epsilon=18.0)
    total = sum(survey.randomise(RECORD, SystemNoise()).values for _ in range(20))
    assert np.array_equal(total > 8, [name in ("transport=bus", "happy=yes") for name in BITS])


def test_lines_that_were_changed_or_made_otherwise_are_refused(tmp_path):
    survey = CategorySurvey.planned(ANSWERS, epsilon=1.0)
    good = survey.randomise(RECORD, SystemNoise()).to_line()
    changed = json.loads(good)
    changed["values"][0] = 1.0 - changed["values"][0]
    alone = CategorySurvey.planned(ANSWERS, epsilon=1.0, target=Column.OMITTED).randomise(RECORD, SystemNoise()).to_line()
    louder = CategorySurvey.planned(ANSWERS, epsilon=0.5).randomise(RECORD, SystemNoise()).to_line()
    for lines in ([json.dumps(changed)], [good, json.dumps(changed)], [good, louder], [good, alone], [good[:-3]]):
        with pytest.raises(FileFormatError):
            read_reports(lines, ANSWERS)
    found = read_reports([alone, "", alone], ANSWERS)
    assert (len(found), found.target, len(found.features)) == (2, None, 1)
    with pytest.raises(InvalidInput, match="no line"):
        read_reports(["\n"], ANSWERS)
    with pytest.raises(FileFormatError, match="frequencies"):
        collect([good], tmp_path / "out", schema=ANSWERS)


def _forged(line, values):
    """The line with other values, and a certificate whose digest is theirs: what anybody can write."""
    record = RandomisedRecord.from_line(line)
    certificate = replace(record.certificate, digest=digest_of(np.array([values])))
    return RandomisedRecord(columns=record.columns, values=np.array(values), certificate=certificate).to_line()


@pytest.mark.parametrize("bits", [(1.0, 1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0), (2.0, -1.0, 0.0, 0.0)])
def test_a_report_that_no_response_can_be_is_refused_by_its_number(bits):
    good = CategorySurvey.planned(ANSWERS, epsilon=1.0).randomise(RECORD, SystemNoise()).to_line()
    possible = _forged(good, (0.0, 0.0, 0.0, 1.0, 1.0, 0.0))
    assert len(read_reports([good, possible], ANSWERS)) == 2
    with pytest.raises(FileFormatError, match="cannot come from"):
        read_reports([good, "", possible, _forged(good, (*bits, 1.0, 0.0))], ANSWERS)


def test_an_encoding_may_report_any_bits():
    towns = CategoricalColumn(name="town", categories=tuple(f"t{place}" for place in range(12)))
    schema = Schema(name="towns", categorical=(towns,), target=ANSWERS.target)
    line = CategorySurvey.planned(schema, epsilon=2.0).randomise({"town": "t3", "happy": "no"}, SystemNoise()).to_line()
    found = read_reports([_forged(line, (1.0,) * 12 + (0.0, 1.0)), _forged(line, (0.0,) * 12 + (0.0, 1.0))], schema)
    assert [column.law for column in found.columns] == [UNARY, RESPONSE]
    assert np.array_equal(found.places({"town": ["t3", "t11"]}), [[3.0], [11.0]])
    answers = found.target.unbiased
    assert np.allclose(answers.sum(axis=1), 1.0)


def test_numbers_dates_and_targets_in_clear_are_refused_before_a_record_is_read():
    numeric = NumericColumn(name="age", lower=0, upper=100)
    with pytest.raises(InvalidInput, match="randomising categories needs a schema of categories"):
        CategorySurvey.planned(Schema(name="a", numeric=(numeric,), target=ANSWERS.target), epsilon=1.0)
    with pytest.raises(InvalidInput, match="epsilon must be a number; '1' was given"):
        CategorySurvey.planned(ANSWERS, epsilon="1")
    with pytest.raises(InvalidInput, match="clear"):
        CategorySurvey.planned(ANSWERS, epsilon=1.0, target=Column.CLEAR)


@pytest.mark.parametrize("record", [RECORD | {"transport": str(CANARY)}, {"transport": "bus"}, RECORD | {"happy": CANARY}])
def test_a_refused_record_is_not_repeated(record):
    with pytest.raises(InvalidInput) as caught:
        CategorySurvey.planned(ANSWERS, epsilon=1.0).randomise(record, SystemNoise())
    assert_silent(f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__context__!r}")


def test_reports_in_a_secret_order_are_promised_more_than_each_by_itself():
    """Owners answer at a larger epsilon of their own, which their certificates state, so that so many of them have what was asked for."""
    survey = CategorySurvey.planned(ANSWERS, epsilon=1.0, delta=1e-6, shuffled=2_000)
    own = survey.mechanism.promise(survey.query).epsilon
    assert own > 3.0
    record = survey.randomise(RECORD, SystemNoise())
    assert record.certificate.guarantee.epsilon == own
    assert record.verify().ok
    found = read_reports([survey.randomise(RECORD, SystemNoise()).to_line()] * 2_000, ANSWERS)
    stated = found.in_secret_order(delta=1e-6)
    assert 0.99 < stated.epsilon <= 1.0
    assert (stated.delta_at_epsilon, stated.local, stated.secret) == (1e-6, False, ("whose report is whose",))
    assert found.in_secret_order(delta=1e-6, shuffled=1_000).epsilon > 1.05 * stated.epsilon
    refused = [({"shuffled": 2_001}, "Count at most"), ({"shuffled": 3}, "do not hide"), ({"delta": 0.0}, "delta"), ({"shuffled": 0}, "number")]
    for wrong, word in refused:
        with pytest.raises(InvalidInput, match=word):
            found.in_secret_order(**{"delta": 1e-6} | wrong)
    for wrong in ({"epsilon": 0.0}, {"epsilon": 30.0}, {"delta": 0.0}, {"delta": 1.0}, {"shuffled": 0}):
        with pytest.raises(InvalidInput):
            CategorySurvey.planned(ANSWERS, **{"epsilon": 1.0, "delta": 1e-6, "shuffled": 2_000} | wrong)
    alone = CategorySurvey.planned(ANSWERS, epsilon=1.0, delta=1e-6, shuffled=2)
    assert alone.mechanism == CategorySurvey.planned(ANSWERS, epsilon=1.0).mechanism, "two hide nothing"


def test_the_commands_calibrate_and_state_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answers.toml").write_text(ANSWERS.to_toml(), encoding="utf-8")
    asked = ("--schema", "answers.toml", "--delta", "1e-6")
    made = discreet("randomise", "transport=bus", "happy=yes", *asked, "--epsilon", "1", "--shuffle", "2000")
    (tmp_path / "lines.jsonl").write_text(made.out * 2_000, encoding="utf-8")
    said = discreet("frequencies", "lines.jsonl", *asked, "--report", "page.html")
    assert "epsilon = 0.99" in said.out or "epsilon = 1," in said.out
    for text in (said.out, (tmp_path / "page.html").read_text(encoding="utf-8")):
        assert "counted on 2,000 owners" in text
    assert discreet("frequencies", "lines.jsonl", "--schema", "answers.toml", "--shuffle", "10").code != 0
