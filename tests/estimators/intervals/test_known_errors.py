"""One source of intervals: every view of every model and mechanism prints what it knows, or says why there is nothing; and what is printed covers."""

import csv
import html
import io
import json

import numpy as np
import pytest

from benchmarks.model_intervals import CASES, PEOPLE, coverage, records
from benchmarks.printed_intervals import case_of, estimator_of, fit_of, pairs, rows_of, shown
from discreet import LinearRegression, Model
from discreet.core.errors import DiscreetError, InvalidInput
from discreet.data import Schema
from discreet.display import CoefficientsDisplay
from discreet.display.pages import page_html
from discreet.display.reports import page_of
from discreet.estimators import fit_with_intervals
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.estimators.intervals.known_errors import AT_MOST, NOISE, WHOLE, known_errors
from discreet.estimators.model_kinds import encoded_estimator
from tests.chance import fewest, highest
from tests.schemas import schema_text

TARGETS = {
    "two classes": {"column": "answer", "classes": [0, 1]},
    "ordered classes": {"column": "answer", "classes": [0, 1, 2], "ordered": True},
    "numbers": {"column": "answer", "lower": -1.0, "upper": 1.0},
    "counts": {"column": "answer", "lower": 0, "upper": 10, "counts": True},
    "times": {"column": "answer", "ends": [1.0, 2.0, 3.0]},
}
NAMES = ("age", "weight", "pressure")
PAIRS = pairs()
CHEAP = [pytest.param(*pair, marks=pytest.mark.more) if "mixing" in str(pair[1]) else pair for pair in PAIRS]
WITHOUT_VERTICES = [(kind, "frank-wolfe-polytope") for kind in ("constrained-erm", "group-lasso", "matrix-regression")]
OF_MOMENTS = [("linear-regression", "refined"), ("linear-regression", "moments")]


def fitted(kind, mechanism, count=60, **settings):
    """An estimator and its model on people whose features fill a tenth of their bounds, and their schema."""
    target = TARGETS[next(one for one in PrivateModel.models[kind].targets if one in TARGETS)]
    if kind.startswith("gamma"):
        target = target | {"lower": 0.0, "upper": 10.0, "outside": "clip"}
    schema = Schema.from_toml(schema_text("people", target, dict.fromkeys(NAMES, (0, 1)), rows="bound", rows_per_person=1))
    rows, answers = records(case_of(kind), count, np.random.default_rng(0), "tenth")
    table = dict(zip(NAMES, rows.T, strict=True)) | {"answer": answers}
    told = estimator_of(kind, mechanism).get_params()
    given = {name: told[name] for name in ("mechanism", "n_iter") if name in told}
    estimator = encoded_estimator(kind, schema, given | {"epsilon": 1.0, "delta": 1e-6, "random_state": 0} | settings)
    estimator.fit(schema.encode(table, target=True))
    return estimator, Model.from_estimator(estimator, schema), schema


def source_of(estimator):
    held = vars(estimator).get("equations_")
    return known_errors(estimator.certificate_, estimator.weights_, level=0.95, equations=None if held is None else held[0])


def plain(text):
    """Words of a page in one line."""
    return " ".join(html.unescape(text).split())


def require_printed(summary, known):
    """What a summary says in every form: numbers only where they are known, and in words what they are, or why there are none."""
    assert summary.counted == known.counted
    ends = [one for part in summary.parts for line in part.lines for one in (line.noise, line.low, line.high)]
    assert known.counted is not None or ends == [None] * len(ends)
    for text in (str(summary), summary._repr_html_(), summary.to_latex().replace("\\%", "%"), json.loads(summary.to_json())["notes"]):
        assert known.sentences[0] in (plain(text) if isinstance(text, str) else text)
    rows = list(csv.DictReader(io.StringIO(summary.to_csv())))
    assert all(bool(row["low"]) == bool(row["high"]) == (known.counted is not None) for row in rows)
    assert {row["intervals count"] for row in rows} == {known.counted or ""}
    told = CoefficientsDisplay(summary=summary)
    if known.counted is not None:
        assert "<svg" in str(told.plot())
        return
    with pytest.raises(InvalidInput) as refusal:
        told.plot()
    assert known.sentences[0] in str(refusal.value)


@pytest.mark.parametrize(("kind", "mechanism"), CHEAP)
def test_every_view_prints_what_the_one_source_knows_or_says_why_there_is_nothing(kind, mechanism):
    if (kind, mechanism) in WITHOUT_VERTICES:
        with pytest.raises(InvalidInput, match="no list of them"):
            fitted(kind, mechanism)
        return
    estimator, model, schema = fitted(kind, mechanism)
    known, kept = source_of(estimator), known_errors(model.certificate, model.weights, level=0.95)
    if kind == "kernel-classifier":
        assert not estimator.summary().parts
        return
    assert kept.counted in {AT_MOST, NOISE, None}
    require_printed(estimator.summary(), known)
    require_printed(estimator.summary(schema=schema), known)
    require_printed(model.summary(), kept)
    lines = {line.name: line for line in estimator.summary().parts[0].lines}
    if known.counted is not None:
        found = known.along(np.eye(3, len(estimator.weights_)))
        printed = [lines[f"x{place}"] for place in range(3)]
        assert np.allclose([(line.low, line.high) for line in printed], np.column_stack((found.low, found.high)))
    page = plain(page_html(page_of(model)))
    assert kept.sentences[0] in page
    assert ("Noise s.e." in page) == (kept.counted is not None)
    if model.form.additive:
        curves = model.curves()
        assert curves.band == kept.counted
        assert all((one.low is None) == (kept.counted is None) for one in curves.contributions)


@pytest.mark.parametrize(("mechanism", "epsilon"), [("refined", 1.0), ("moments", 1.0), ("refined", 30.0), ("moments", 30.0)])
def test_a_summary_and_coef_interval_of_least_squares_say_the_same(mechanism, epsilon):
    estimator = fit_of("linear-regression", mechanism, 5000, 0, 0, epsilon=epsilon)
    printed, ends, *_ = (view.ends for view in shown(estimator))
    assert (printed is None) == (epsilon == 1.0)
    assert (ends is None) == (printed is None)
    if printed is not None:
        assert np.allclose(printed, ends)
        assert not np.allclose(printed.mean(axis=1), estimator.coef_), "around the solution of the equations, and not around what was shrunk"


def test_without_privacy_a_summary_of_least_squares_has_its_intervals():
    estimator = LinearRegression(epsilon=np.inf, data_norm=2.0, target_bound=1.0).fit(
        *records(CASES["linear"], 300, np.random.default_rng(0), "tenth")
    )
    printed, ends, *_ = (view.ends for view in shown(estimator))
    assert estimator.summary().counted == WHOLE
    assert np.allclose(printed, ends)


@pytest.mark.parametrize(("kind", "mechanism"), OF_MOMENTS)
def test_no_interval_of_a_summary_misses_where_features_fill_a_tenth_of_their_bounds(kind, mechanism):
    """The quick core of the law below: of posteriors, which were printed, more than a third missed."""
    for row in rows_of(kind, mechanism, count=10_000, fits=6):
        assert row.covers == "new targets" or row.hits.sum() >= 0.9 * row.hits.size


@pytest.mark.slow
@pytest.mark.parametrize("count", [10_000, 100_000])
@pytest.mark.parametrize(("kind", "mechanism"), PAIRS)
def test_every_interval_that_is_printed_covers(kind, mechanism, count):
    """Of 120 fits at .95: two points below would be a fault."""
    if count > 10_000 and (kind, mechanism) not in OF_MOMENTS:
        count = 1000
    for row in rows_of(kind, mechanism, count=count, fits=120):
        if row.covers == "new targets":
            assert highest(row.hits.mean(axis=1)) >= 0.93
        elif len(row.hits):
            assert row.hits.sum(axis=0).min() >= fewest(len(row.hits), 0.93, looks=row.hits.shape[1]), row.view


@pytest.mark.more
@pytest.mark.parametrize(("kind", "mechanism"), PAIRS)
def test_every_model_that_intervals_can_be_bought_for_is_measured(kind, mechanism):
    if kind == "kernel-classifier":
        return
    try:
        estimator = estimator_of(kind, mechanism, random_state=0)
        fit_with_intervals(estimator, *records(case_of(kind), 60, np.random.default_rng(0), "tenth"))
    except DiscreetError:
        return
    measured = {(type(made), getattr(made, "mechanism", None)) for made in (case.make() for case in CASES.values())}
    usual = "auto" if mechanism in {None, "objective"} and "mechanism" in estimator.get_params() else mechanism
    assert (type(estimator), usual) in measured


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_bought_intervals_cover_where_features_fill_a_tenth_of_their_bounds(name):
    hits, widths = coverage(name, "replace-one", count=10_000, fits=120, jobs=2, people="tenth")
    assert hits.sum(axis=0).min() >= fewest(120, 0.93, looks=hits.shape[1])
    assert np.all(np.isfinite(widths))


def test_people_fill_a_tenth_of_their_bounds():
    rows = PEOPLE["tenth"].rows(10_000, np.random.default_rng(0))
    assert rows.min() >= 0.0
    assert np.all(rows.std(axis=0) == pytest.approx(0.1, rel=0.05))
    assert np.linalg.norm(rows, axis=1).max() <= PEOPLE["tenth"].norm
