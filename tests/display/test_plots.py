"""Pictures: sound XML whatever is in it, and axes that keep order."""

from xml.etree import ElementTree as ET

import pytest

from discreet.display import plots

SVG = "{http://www.w3.org/2000/svg}"


def test_pictures_are_xml_of_their_own():
    shapes = [plots.line((0, 0), (1, 1), dashed=True), plots.words(0, 0, "<&>", upwards=True)]
    found = ET.fromstring(plots.svg(plots.Drawing(title="a < b", width=3, height=4, shapes=shapes)))  # noqa: S314 - ours
    assert found.get("viewBox") == "0 0 3 4"
    assert found.find(f"{SVG}title").text == "a < b"
    assert found.find(f"{SVG}text").text == "<&>"


def test_no_attribute_leaves_its_quotation_marks():
    shape = plots.Shape("rect", {"fill": '"><script>alert(1)</script>'})
    found = ET.fromstring(plots.svg(plots.Drawing(title="", width=1, height=1, shapes=[shape])))  # noqa: S314 - ours
    assert [element.get("fill") for element in found.iter(f"{SVG}rect")][-1] == shape.attributes["fill"]
    assert not list(found.iter(f"{SVG}script"))


@pytest.mark.parametrize("highest", [1e-9, 0.3, 1.0, 1.25, 3.0, 7.7, 9.99, 40.0, 123456.0])
def test_even_ticks_are_round_and_few(highest):
    ticks = plots.even_ticks(0.0, highest)
    assert ticks[0] == 0
    assert 4 <= len(ticks) <= 8
    assert highest * 0.7 < ticks[-1] <= highest * (1 + 1e-9)
    assert all(len(f"{tick:g}".strip("0").replace(".", "")) <= 4 or "e" in f"{tick:g}" for tick in ticks)


def test_a_logarithmic_axis_keeps_order_and_its_largest_decades():
    axis = plots.log_axis([1e-9, 1.0, 100.0], 0.0, 10.0)
    places = [axis.place(value) for value in (1e-9, 0.01, 1.0, 100.0)]
    assert places == sorted(places)
    assert places[0] == 0.0
    assert axis.low == pytest.approx(axis.high / 1e5)
    assert all(axis.low <= tick <= axis.high for tick in axis.ticks)


def test_ticks_between_two_numbers_include_both_where_they_are_round():
    assert plots.even_ticks(-2.0, 2.0) == [-2.0, -1.0, 0.0, 1.0, 2.0]


def test_what_is_beyond_an_axis_is_drawn_at_its_border():
    panel = plots.Panel(across=plots.share_axis(10.0, 20.0), up=plots.share_axis(50.0, 30.0))
    assert panel.at((-1.0, 7.0)) == (10.0, 30.0)
    assert panel.curve([(0.0, 0.0), (0.5, 0.25)], plots.BLUE).attributes["d"] == "M10.0 50.0 L15.0 45.0"
    assert panel.bar((0.25, 0.5), (0.75, 1.0), plots.RED).attributes == {
        "x": "12.5",
        "y": "30.0",
        "width": "5.0",
        "height": "10.0",
        "fill": plots.RED,
    }
