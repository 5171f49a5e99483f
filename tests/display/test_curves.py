"""The picture of a model's curves: one panel a column, bands behind, names of any kind as words."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from discreet.display import curves as pictures
from discreet.display.reports import page_of
from discreet.estimators.curves import NOISE, Contribution, Curves
from tests.estimators.test_curves import SCHEMA, fitted, people

NAMES = ("<script>", "B & C", "a very long name of a category indeed")


def curves(**others):
    height = np.array([-1.0, 0.0, 1.0])
    number = Contribution(column="age", values=np.array([20.0, 30.0, 70.0]), contribution=height, low=height - 0.5, high=height + 0.5)
    labels = Contribution(column="town", values=NAMES, contribution=0.5 * height, low=None, high=None)
    given = {"title": "people", "towards": "rich = yes", "contributions": (number, labels), "level": 0.95, "band": NOISE}
    return Curves(**(given | others))


def words(text):
    return [unescape(found) for found in re.findall("<text[^>]*>([^<]*)<", text)]


def test_the_picture_has_every_column_and_no_markup_of_a_category():
    text = curves().plot()
    said = " ".join(words(text))
    assert all(name in said for name in ("age", "town", "<script>", "B & C"))
    assert "<script>" not in text


def test_only_the_most_important_are_drawn():
    assert "town" not in curves().plot(most=1)


@pytest.mark.parametrize("stepped", [False, True])
def test_values_that_crowd_at_one_end_stand_on_a_logarithmic_axis(stepped):
    values = np.array([0.0, *np.geomspace(1.0, 1e5, 20)])
    one = Contribution(column="gain", values=values, contribution=np.linspace(-1, 1, 21), low=None, high=None, stepped=stepped)
    said = words(curves(contributions=(one,)).plot())
    assert {"0", "1,000", "100,000"} <= set(said)


def test_a_flat_curve_is_a_flat_line():
    flat = Contribution(column="age", values=np.array([0.0, 1.0]), contribution=np.zeros(2), low=None, high=None)
    assert "nan" not in curves(contributions=(flat,), band=None).plot()


def test_the_view_says_what_the_band_counts():
    assert "Sampling is not counted" in curves()._repr_html_()
    assert "No band is drawn" in curves(band=None)._repr_html_()


def test_the_report_on_a_model_shows_its_curves():
    titles = [section.title for section in page_of(fitted()).sections]
    assert "What each column adds" in titles
    many = fitted(replace(SCHEMA, target=replace(SCHEMA.target, classes=("no", "yes", "perhaps"))), table=people())
    assert pictures.section(many) == []
