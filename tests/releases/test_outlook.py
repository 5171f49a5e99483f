"""What is said of a release before it is made is what learners then find."""

import math

import numpy as np
import pytest

from discreet import ADD_REMOVE, REPLACE_ONE, SeededNoise
from discreet.core.foreseen import SAY, WANTED
from discreet.data import Domain, Records
from discreet.matrices import as_matrix
from discreet.queries import Target
from discreet.releases import METHODS, About, Publication, Request
from tests.releases.cases import SCHEMA

PRIVATE = {"epsilon": 1.0, "delta": 1e-6}
COUNT = 2000
BOX = Domain(features=3, entry_bound=2.0, target_bound=0.5)


def planned(method, *, domain=BOX, schema=None, **asked):
    return Publication.planned(method, Request(domain=domain, **{**PRIVATE, **asked}), calibration="tight", schema=schema, about=About())


def correlation_errors(made, count, runs):
    """Of independent columns, spread evenly, whose spread and noise are known: covariance over spread."""
    draw, found = np.random.default_rng(3), []
    bounds = np.array([2.0, 2.0, 2.0, 0.5])
    rows = draw.uniform(-1, 1, (count, 4)) * bounds
    rows = np.linalg.svd(rows, full_matrices=False)[0] * math.sqrt(count / 3) * bounds  # no correlation by chance
    data = Records(rows=as_matrix(rows[:, :3].clip(-2, 2)), targets=rows[:, 3].clip(-0.5, 0.5), domain=BOX)
    exact = np.column_stack((rows[:, :3].clip(-2, 2), rows[:, 3].clip(-0.5, 0.5)))
    for seed in range(runs):
        released = made.plan.mechanism.run(made.plan.query, data, SeededNoise(seed)).value
        match made.method.name:
            case "moments":
                products = released[1:, 1:]
            case "sketch":
                products = released.T @ released / len(released)
            case _:
                products = released.T @ released
        off = (products - exact.T @ exact) / (count * np.outer(bounds, bounds) / 3)
        found.append([off[0, 3], off[1, 3], off[2, 3]])
    return math.sqrt(float(np.mean(np.square(found))))


@pytest.mark.parametrize(
    ("method", "asked"),
    [
        ("moments", {"neighbours": ADD_REMOVE}),
        ("moments", {"neighbours": REPLACE_ONE}),
        ("sketch", {"rows": 200, "neighbours": ADD_REMOVE, "most_records": 10_000}),
        ("additive", {"neighbours": REPLACE_ONE}),
        ("additive", {"neighbours": ADD_REMOVE, "slots": 3000}),
    ],
)
def test_correlations_come_out_as_far_off_as_was_said(method, asked):
    made = planned(method, **asked)
    said = made.outlook(COUNT).error
    assert 0.75 * said < correlation_errors(made, COUNT, 40) < 1.3 * said


@pytest.mark.more
@pytest.mark.parametrize(("method", "asked"), [("moments", {}), ("sketch", {"rows": 1000}), ("additive", {})])
def test_with_as_many_rows_as_are_said_to_be_needed_it_is_as_wanted(method, asked):
    made = planned(method, **asked)
    needed = made.outlook(COUNT).needed
    assert made.outlook(math.ceil(needed)).error == pytest.approx(WANTED, rel=1e-2)
    assert made.outlook(10 * math.ceil(needed)).error < WANTED


def test_too_short_a_sketch_is_never_enough():
    found = planned("sketch", rows=100).outlook(COUNT)
    assert math.isinf(found.needed)
    assert found.to_dict()["records_needed"] is None
    assert any("no number of rows brings it to" in words for _, words in found.lines())
    assert found.better is not None


def test_units_are_those_of_the_columns():
    """Age has a range of 100 and hours of 80; the mean of n rows has the noise of one over the root of n, that of sums over n."""
    domain = Domain(features=2, entry_bound=1.0, target_bound=1.0)
    age, hours, _ = planned("additive", domain=domain, schema=SCHEMA).outlook(400).columns
    assert age.number == pytest.approx(1.25 * hours.number)
    assert age.number == pytest.approx(50 * math.sqrt(planned("additive", domain=domain).plan.mechanism.deviation ** 2), rel=1e-6)
    assert age.mean == pytest.approx(age.number / 20)
    of_sums = [planned("moments", domain=domain, schema=SCHEMA).outlook(count).columns[0].mean for count in (400, 4000)]
    assert of_sums[0] == pytest.approx(10 * of_sums[1])


def test_a_better_method_is_named_where_there_is_one_and_nothing_else_is_promised():
    assert planned("additive").outlook().better.method == "moments"
    assert planned("moments").outlook().better is None
    assert planned("additive", target=Target.CLEAR).outlook().better is None
    found = planned("eigenvalue-sketch", rows=50, most_records=1000).outlook()
    assert (found.known, found.better.method) == (False, "moments")
    assert (found.records, found.public) == (SAY, False)


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if any(way.calibration == "tight" for way in method.ways)])
def test_every_method_says_something(name):
    ends = dict.fromkeys([*(f"x{number}" for number in range(BOX.features)), "y"], 50.0)
    asked = {"rows": 50, "width": 2, "half_width": 50.0, "bits": 0.5, "noise_ends": ends}
    way = next(way for way in METHODS[name].ways if way.calibration == "tight")
    numbers = {one.name: {**asked, **PRIVATE}.get(one.name, 1e-6) for one in way.needs}
    request = Request(domain=BOX, target=Target.CLEAR if name == "clear-target-sketch" else Target.NOISY, **numbers)
    made = Publication.planned(name, request, calibration="tight", schema=None, about=About())
    assert all(words for _, words in made.outlook(COUNT).lines())
    assert made.outlook(COUNT).to_dict()["method"] == name
