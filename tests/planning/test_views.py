"""Plans in a session, in notebooks and as reports."""

from dataclasses import replace

import pytest

from discreet.core.neighbours import ADD_REMOVE
from discreet.display.pages import page_html
from discreet.planning import Plan, SetPlan
from discreet.planning.views import plan_page, set_plan_page
from discreet.sets import L2Ball
from tests.display.reading import read, read_page, said
from tests.display.test_held import check_held
from tests.display.test_views import look

PLAN = Plan(epsilon=0.5, features=3, norm=2.0)
OVER = SetPlan(constraint=L2Ball(dimension=3, radius=1.0), loss="logistic", epsilon=1.0, delta=1e-6, data_norm=1.0, steps=20)


def test_plans_are_short_as_text_and_sound_in_a_notebook():
    check_held({"plan": PLAN, "bound": PLAN.bound(1000), "set plan": OVER, "set bound": OVER.bound(100)})
    assert read(PLAN._repr_html_()).count("svg") >= 1


def test_plans_have_views():
    assert "epsilon 0.5" in look(PLAN._repr_html_())
    assert "Records 1,000" in look(PLAN.bound(1000)._repr_html_())
    assert "l2-ball in 3 dimensions" in look(OVER._repr_html_())
    assert "mirror-descent" in look(OVER.bound(100)._repr_html_())


@pytest.mark.more
def test_a_plan_is_reported_side_by_side():
    plan = Plan(epsilon=0.5, delta=1e-6, features=3, norm=2.0)
    found = plan.bound(1000)
    page = plan_page(plan, found, [plan.bound(300), found], [], excess=None)
    read_page(page_html(page))
    words = said(page_html(page))
    assert f"at most {found.excess:.4g} above that of the best classifier, with probability 95 %" in words
    assert f"0.5 (asked for) {found.excess:.4g}" in words
    output = replace(plan, mechanism="output", neighbours=ADD_REMOVE).bound(1000)
    assert f"output perturbation, add-remove {output.excess:.4g}" in words
    enough = plan.records_for(0.5)
    words = said(page_html(plan_page(plan, enough, [enough], [], excess=0.5)))
    assert f"0.5 (asked for) {enough.records:,}" in words
    assert "not reached" not in words


def test_a_plan_over_a_set_is_reported():
    found = OVER.bound(500)
    page = set_plan_page(OVER, found, OVER.needed(0.5), [], radius=1.0, excess=0.5)
    reader = read_page(page_html(page))
    assert reader.count("svg") == 1
    for one in found.mechanisms:
        assert one.mechanism in said(page_html(page))
