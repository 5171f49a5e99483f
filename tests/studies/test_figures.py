"""Figures: what is drawn where."""

import re
import xml.etree.ElementTree as ET

import polars as pl
import pytest

from discreet.core.errors import InvalidInput
from studies import Comparison, Line, Panel, Verdict, figure, numbers
from studies.curves import curves, level


def drawn(*lines, **axes):
    return figure([Panel(title="t", across="x", up="y", lines=lines, **axes)], title="f")


def circles(svg):
    return [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="3" fill="#2f6690"/>', svg)][1:]


def test_a_figure_is_well_formed_xml():
    ET.fromstring(drawn(Line(name="a < b & c", x=[1, 2], y=[3.0, 4.0])))  # noqa: S314 - our own text


def test_equal_ratios_are_equally_far_apart_on_a_logarithmic_axis():
    places = circles(drawn(Line(name="a", x=[1, 10, 100], y=[0.1, 1, 10]), log_x=True, log_y=True))
    assert places[1][0] - places[0][0] == pytest.approx(places[2][0] - places[1][0], abs=0.15)
    assert places[0][1] - places[1][1] == pytest.approx(places[1][1] - places[2][1], abs=0.15)
    assert places[0][1] > places[2][1], "larger values are higher up"


def test_a_missing_value_leaves_a_gap():
    svg = drawn(Line(name="a", x=[1, 2, 3, 4, 5], y=[1.0, 2.0, None, float("nan"), 3.0]))
    assert len(circles(svg)) == 3
    assert len(re.findall(r'<path d="M[\d. L]+" fill="none" stroke="#2f6690"', svg)) == 2


def test_a_name_keeps_its_colour_in_all_panels():
    both = figure(
        [
            Panel(title="1", across="x", up="y", lines=[Line(name="a", x=[1, 2], y=[1.0, 2.0]), Line(name="b", x=[1, 2], y=[1.0, 2.0])]),
            Panel(title="2", across="x", up="y", lines=[Line(name="b", x=[1, 2], y=[1.0, 2.0])]),
        ],
        title="f",
    )
    assert len(set(re.findall(r'<path d="M[\d. L]+" fill="none" stroke="(#\w+)"', both))) == 2


def test_no_panel_is_no_figure():
    with pytest.raises(InvalidInput, match="at least one panel"):
        figure([], title="f")


def test_curves_are_means_over_repeats_with_their_standard_errors():
    rows = pl.DataFrame({"method": ["m"] * 4, "x": [1, 1, 2, 2], "value": [1.0, 3.0, 5.0, 5.0]})
    (line,) = curves(rows, x="x", names={"m": "name*", "absent": "other"})
    assert (line.name, line.dashed, list(line.x), list(line.y)) == ("name", True, [1.0, 2.0], [2.0, 5.0])
    assert line.error == [1.0, 0.0]
    assert list(level("l", 7.0, [line]).x) == [1.0, 2.0]


def test_a_number_that_is_not_reproduced_needs_a_reason():
    with pytest.raises(InvalidInput, match="no reason is given"):
        Comparison(what="a", printed="1", published="2", ours="3", verdict=Verdict.NOT_REPRODUCED)


@pytest.mark.parametrize(
    ("given", "text"), [((1.23456,), "1.23"), ((0.5, 0.012), "0.5 +- 0.012"), ((float("nan"),), "-"), ((2.0, float("nan")), "2")]
)
def test_numbers_are_short(given, text):
    assert numbers(*given) == text
