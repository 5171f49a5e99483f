"""The picture of a model's curves: one panel a column, bands behind, names of any kind as words."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

from discreet import KernelClassifier, LassoClassifier, Model
from discreet.core.errors import InvalidInput
from discreet.data.encodings import Month
from discreet.display import curves as pictures
from discreet.display.reports import page_of
from discreet.estimators.intervals.known_errors import AT_MOST
from discreet.estimators.summaries.curves import Contribution, CrossedSide, Curves
from tests.estimators.summaries.test_curves import SCHEMA, fitted, people

NAMES = ("<script>", "B & C", "a very long name of a category indeed")


def curves(**others):
    height = np.array([-1.0, 0.0, 1.0])
    number = Contribution(column="age", values=np.array([20.0, 30.0, 70.0]), contribution=height, low=height - 0.5, high=height + 0.5)
    labels = Contribution(column="town", values=NAMES, contribution=0.5 * height, low=None, high=None)
    given = {"title": "people", "towards": "rich = yes", "contributions": (number, labels), "level": 0.95, "band": AT_MOST, "about": ""}
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


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (16436.0, 20818.5, {"2015-01-01", "2020-01-01", "2025-01-01"}),
        (16436.0, 16436.0 + 90, {"2015-01-01", "2015-02-01", "2015-03-01", "2015-04-01"}),
        (16436.0, 16500.0, {"2015-01-01", "2015-01-21"}),
        (16436.0, 16438.5, {"2015-01-01", "2015-01-02", "2015-01-03"}),
        (16436.0, 16436.25, {"2015-01-01", "2015-01-01T06:00"}),
        (-719162.0, 2932896.0, {"2000-01-01", "8000-01-01"}),
    ],
)
def test_days_stand_on_an_axis_of_dates(low, high, shown):
    one = Contribution(column="hired", values=np.array([low, high]), contribution=np.array([-1.0, 1.0]), low=None, high=None, dates=True)
    said = [word for word in words(curves(contributions=(one,)).plot()) if re.match(r"\d{4}-", word)]
    assert shown <= set(said)
    assert 2 <= len(said) <= 4
    assert said == sorted(said)


def test_any_days_have_one_to_four_dates_below_them():
    for width in np.geomspace(0.01, 3e6, 200):
        days, ends = np.array([0.0, width]) - 700_000.3, np.array([-1.0, 1.0])
        one = Contribution(column="hired", values=days, contribution=ends, low=None, high=None, dates=True)
        assert 1 <= len([word for word in words(curves(contributions=(one,)).plot()) if re.match(r"\d{4}-", word)]) <= 4


def test_a_cross_is_a_map_of_numbers_with_bands_to_point_at():
    height = np.array([-1.0, 0.0, 1.0, 0.25, -0.25, 0.0])
    sides = (CrossedSide("town", ("A", "<b>")), CrossedSide("age", ("from 0", "from 30", "from 60")))
    pairs = tuple(f"{one}, {other}" for one in sides[0].labels for other in sides[1].labels)
    one = Contribution(column="both", values=pairs, contribution=height, low=height - 0.5, high=height + 0.5, sides=sides)
    text = curves(contributions=(one,)).plot()
    assert {"both: age up, town across", "A", "<b>", "from 0", "from 60", "-1.00", "0.25"} <= set(words(text))
    assert "<title>A, from 60: 1, from 0.5 to 1.5</title>" in text
    assert "<b>" not in text


def test_labels_with_an_order_of_their_own_keep_it_and_all_are_drawn():
    months = Month.named
    one = Contribution(column="d: month", values=months, contribution=np.linspace(1, -1, 12) ** 3, low=None, high=None, ordered=True)
    assert [word for word in words(curves(contributions=(one,)).plot()) if word in months] == list(months)


def test_where_nothing_contributes_one_sentence_says_so():
    with pytest.raises(InvalidInput, match="Nothing to draw"):
        curves(contributions=()).plot()
    assert "Nothing to draw" in curves(contributions=())._repr_html_()


def test_a_flat_curve_is_a_flat_line():
    flat = Contribution(column="age", values=np.array([0.0, 1.0]), contribution=np.zeros(2), low=None, high=None)
    assert "nan" not in curves(contributions=(flat,), band=None).plot()


def test_the_view_says_what_the_band_counts():
    assert "does not count sampling error" in curves()._repr_html_()
    assert "No band is drawn" in curves(band=None)._repr_html_()


def test_the_report_on_a_model_shows_its_curves():
    titles = [section.title for section in page_of(fitted()).appendix]
    assert "What each column adds" in titles
    over_a_set = fitted(kind=LassoClassifier, radius=5.0)
    assert [section.title for section in pictures.section(over_a_set)] == ["What each column adds"]
    kernel = KernelClassifier(epsilon=1.0, n_features=20, random_state=0).fit(SCHEMA.encode(people(), target=True))
    assert pictures.section(Model.from_estimator(kernel, SCHEMA)) == []
    many = fitted(replace(SCHEMA, target=replace(SCHEMA.target, classes=("no", "yes", "perhaps"))), table=people())
    assert pictures.section(many) == []
