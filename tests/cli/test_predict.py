"""`discreet predict`: answers by a threshold of public costs."""

import polars as pl
import pytest

from discreet import Model
from tests.cli.conftest import discreet


def test_a_threshold_answers_the_second_class_more_often_where_missing_it_costs_more(model):
    wanted = Model.load("model.json").predict(pl.read_csv("people.csv"), threshold=0.1).tolist()
    low, high = (discreet("predict", "model.json", "people.csv", "--threshold", at).out.splitlines()[1:] for at in ("0.1", "0.9"))
    assert low == wanted
    assert low.count("yes") > high.count("yes")


@pytest.mark.parametrize("threshold", ["0", "1", "nan"])
def test_a_threshold_lies_between_0_and_1(model, threshold):
    refused = discreet("predict", "model.json", "people.csv", "--threshold", threshold)
    assert refused.code == 3
    assert "between 0 and 1" in refused.err
    assert not refused.out
