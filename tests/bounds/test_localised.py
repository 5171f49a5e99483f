"""The generalisation bound: its equation, its comparison with the bound of 2008, its best regularisation, and a simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.linear_model import LogisticRegression

from discreet.bounds import best_objective_ridge, excess_risk, excess_risk_sridharan, localised_excess
from discreet.core.errors import InvalidInput

SIZES = {"records": st.integers(1, 10**8), "ridge": st.floats(1e-8, 10.0), "failure": st.floats(1e-9, 0.9), "radius": st.floats(0.1, 50.0)}


@given(empirical=st.floats(0.0, 10.0), **SIZES)
def test_it_solves_its_equation(empirical, records, ridge, failure, radius):
    reached = localised_excess(empirical, records=records, ridge=ridge, failure=failure, radius=radius)
    slope = radius * (2 + math.sqrt(2 * math.log(1 / failure))) * math.sqrt(2 / (ridge * records))
    assert reached == pytest.approx(empirical + slope * math.sqrt(reached), rel=1e-9)
    assert reached >= empirical


@given(empirical=st.floats(0.0, 10.0), a=st.floats(1e-3, 1e3), **SIZES)
def test_it_implies_the_bound_of_2008_for_every_a(empirical, a, records, ridge, failure, radius):
    reached = localised_excess(empirical, records=records, ridge=ridge, failure=failure, radius=radius)
    room = 8 * radius**2 * (32 + math.log(1 / failure)) / (ridge * records)
    assert reached <= ((1 + a) * empirical + (1 + 1 / a) * room) * (1 + 1e-9)
    shared = {"records": records, "ridge": ridge, "failure": failure, "radius": radius, "norm": 2.0}
    assert excess_risk(empirical, **shared).total <= excess_risk_sridharan(empirical, **shared) * (1 + 1e-9)


@given(factor=st.floats(1.01, 100.0), empirical=st.floats(0.0, 1.0), **SIZES)
def test_it_falls_with_records_and_rises_with_what_is_left(factor, empirical, records, ridge, failure, radius):
    shared = {"ridge": ridge, "failure": failure, "radius": radius}
    here = localised_excess(empirical, records=records, **shared)
    assert localised_excess(empirical, records=factor * records, **shared) <= here
    assert localised_excess(empirical * factor, records=records, **shared) >= here


@given(length=st.floats(0.0, 1e4), records=st.integers(10, 10**7), norm=st.floats(0.1, 30.0), failure=st.floats(1e-6, 0.5))
def test_the_best_regularisation_is_the_minimum(length, records, norm, failure):
    def total(ridge):
        return excess_risk(length**2 / (2 * records**2 * ridge), records=records, ridge=ridge, norm=norm, failure=failure).total

    best = best_objective_ridge(length, records=records, norm=norm, failure=failure)
    found = minimize_scalar(lambda logarithm: total(math.exp(logarithm)), bounds=(math.log(best) - 5, math.log(best) + 5), method="bounded")
    assert total(best) <= found.fun * (1 + 1e-9)
    assert best_objective_ridge(length, records=records, norm=norm, failure=failure, least=3 * best) == pytest.approx(3 * best)


def test_the_parts_sum_to_the_bound():
    found = excess_risk(0.01, records=1000, ridge=0.1, norm=2.0, failure=0.05)
    assert found.total == pytest.approx(found.empirical + found.generalisation + found.regularisation)
    assert found.regularisation == pytest.approx(0.2)


def test_no_minimiser_on_drawn_records_exceeds_it():
    """Two points +-1 with a fair sign: L(f) and Jbar in closed form. 300 samples of 50 at failure 0.2; the bound is loose."""
    draw, records, ridge, exceeded = np.random.default_rng(0), 50, 0.05, 0
    limit = localised_excess(0.0, records=records, ridge=ridge, failure=0.2)
    for _ in range(300):
        x, y = draw.choice([-1.0, 1.0], records), draw.choice([-1.0, 1.0], records)
        if len(set(y.tolist())) < 2:
            continue
        weight = LogisticRegression(C=1 / (ridge * records), fit_intercept=False).fit(x[:, np.newaxis], y).coef_[0, 0]
        expected = 0.5 * (np.logaddexp(0, weight) + np.logaddexp(0, -weight)) + 0.5 * ridge * weight**2
        exceeded += expected - math.log(2.0) > limit
        assert expected >= math.log(2.0)
    assert exceeded == 0


@pytest.mark.parametrize("settings", [{"records": 0}, {"ridge": -1.0}, {"failure": 0.0}, {"norm": math.nan}])
def test_numbers_that_bound_nothing_are_refused(settings):
    with pytest.raises(InvalidInput):
        excess_risk(0.1, **{"records": 10, "ridge": 1.0, "norm": 1.0, "failure": 0.1, **settings})
