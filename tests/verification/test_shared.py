"""What both roads to a guarantee share is listed, and is right by other means: a fault in it would be seen by no certificate."""

import ast
import dataclasses
import math
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from discreet.accounting import closeness
from discreet.core.fields import count, finite, not_negative, numbers, positive, text, whole
from discreet.core.least import least_between
from discreet.core.normal import log_ndtr, ndtr
from discreet.core.rounding import raising
from discreet.losses import HuberHinge, MarginLoss, loss_named
from discreet.losses.predictions import HuberLoss, PredictionLoss, prediction_loss_named
from discreet.problems.made_rows import ORDERED, MadeRows
from discreet.queries.linear import public_matrix
from discreet.sets import Polytope
from discreet.statements.base import CLASSES, filled, mapping, persons_of, public_records, scored_persons, unknown_lines
from discreet.statements.spec import SPECS, Recorded
from discreet.words.categories import asked_columns, kept_of, laws_of
from discreet.words.counting import curvature_integers, rows_made
from discreet.words.learning import dimension_of, target_units
from discreet.words.margins import rounds_of
from discreet.words.regression import prediction_problem
from discreet.words.release import ReleaseProblem
from tests.properties import constraint_properties, loss_properties, prediction_loss_properties
from tests.properties.catalogue import every
from tests.properties.test_constraints import SETS
from tools.shared import SHARED

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "src" / "discreet" / "verification"


def taken(source):
    """Names of the package that a module of this source takes from outside its own folder."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "discreet":
            yield from ((node.module, name.name) for name in node.names)
        elif isinstance(node, ast.Import):
            yield from ((name.name, "") for name in node.names if name.name.partition(".")[0] == "discreet")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"lazily", "import_module"}:
            yield from ((part.value, "") for part in node.args if isinstance(part, ast.Constant) and str(part.value).startswith("discreet"))


def outside(source):
    own = "discreet.verification"
    return {(module, name) for module, name in taken(source) if not (module == own or module.startswith(own + "."))} - {
        (own.rpartition(".")[0], "verification")
    }


def is_declared(module, name):
    """Whether it is a declaration of a mechanism or of a problem: what a certificate records, field by field."""
    kind = getattr(import_module(module), name, None)
    return isinstance(kind, type) and issubclass(kind, Recorded)


def test_what_is_shared_is_listed_and_nothing_else_is():
    found = {one for path in FOLDER.glob("*.py") for one in outside(path.read_text(encoding="utf-8")) if not is_declared(*one)}
    assert found == {(module, name) for module, names in SHARED.items() for name in names}


def test_rechecks_read_fields_of_declarations_and_no_formula_of_theirs():
    declared = {field.name for kind in (*SPECS.values(), ReleaseProblem) for field in dataclasses.fields(kind)}
    of_specs = {"read", "name"}
    read = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "spec":
                read.add(node.attr)
    assert {"step", "scale", "epsilon"} <= read
    assert read <= declared | of_specs


@pytest.mark.parametrize(
    "line",
    [
        "from discreet.accounting import gaussian_delta",
        "import discreet.mechanisms",
        'mechanisms = lazily("discreet.mechanisms.learning.margin")',
        "def f():\n    from discreet.noise.stated import gaussian_error",
    ],
)
def test_a_new_import_is_seen(line):
    assert outside(line) - {(module, name) for module, names in SHARED.items() for name in names}


def test_the_page_names_all_of_it():
    page = (ROOT / "docs" / "certificates.md").read_text(encoding="utf-8")
    section = page.partition("### What both roads share")[2].partition("\n#")[0]
    assert all(f"`{name}`" in section for names in SHARED.values() for name in names)


def test_the_lemma_about_integers_is_its_formula():
    for integers, scale, stages in ((1, 64.0, 1), (300, 1e4, 7), (2, 3.0, 2)):
        found = closeness(integers, scale, stages=stages)
        lower = ((math.sqrt(integers) + 41.0 * math.sqrt(stages)) ** 2 + stages) / (8.0 * scale**2)
        assert found.upper == pytest.approx(integers / (8.0 * scale**2), rel=1e-12)
        assert found.lower == pytest.approx(lower, rel=1e-12)


def test_numbers_are_those_of_other_libraries():
    z = np.linspace(-30.0, 8.0, 400)
    np.testing.assert_allclose(ndtr(z), special.ndtr(z), rtol=1e-12)
    np.testing.assert_allclose(log_ndtr(z), special.log_ndtr(z), rtol=1e-12)
    assert least_between(lambda x: 2.0 + (x - 0.3) ** 2, -1.0, 4.0, near=1e-8) == (pytest.approx(0.3, abs=1e-7), pytest.approx(2.0, rel=1e-12))
    assert 1.0 + 2.0**-53 < raising(1) < 1.0 + 1e-12


def test_a_public_matrix_has_the_law_that_is_stated():
    entries = public_matrix(5, 40, 50)
    assert entries.shape == (40, 50)
    assert float(np.square(entries).sum()) == pytest.approx(40.0, rel=0.2)
    assert abs(float(entries.sum())) < 5.0 * math.sqrt(40.0)


def test_names_and_parameters_make_what_they_say():
    assert loss_named("huber-hinge", {"half_width": 0.35}) == HuberHinge(half_width=0.35)
    assert prediction_loss_named("huber", {"half_width": 0.3}) == HuberLoss(half_width=0.3)


def test_slopes_and_curvatures_are_derivatives():
    for loss in every(MarginLoss):
        margins = loss_properties.grid(loss, points=2001)
        loss_properties.check_slope_is_derivative_of_value(loss, margins)
        loss_properties.check_curvature_is_derivative_of_slope(loss, margins)
    for loss in every(PredictionLoss):
        prediction_loss_properties.check_slope_is_derivative_of_value(loss)
        curvature_is_derivative(loss)


def curvature_is_derivative(loss):
    """But beside kinks, which few places are."""
    predictions, targets = prediction_loss_properties.scan(2.0, 1.0, points=401)
    step = 1e-4
    rises = (loss.slope(predictions + step, targets) - loss.slope(predictions - step, targets)) / (2.0 * step)
    alike = np.isclose(loss.curvature(predictions, targets), rises, rtol=3e-4, atol=1e-7)
    assert float(np.mean(alike)) > 0.95, loss


def test_radii_and_members_of_sets_are_those_of_their_points():
    for constraint in SETS:
        generator = np.random.default_rng(11)
        constraint_properties.check_radii_bound_what_is_returned(constraint, generator)
        constraint_properties.check_projections_are_members_and_stay(constraint, generator)
        constraint_properties.check_radii_are_reached(constraint, generator)
        if isinstance(constraint, Polytope):
            constraint_properties.check_vertices(constraint, generator)


LINEAR = {"features": 7, "intercept_scale": 1.0}
UNITS = [1.0, 0.5, 2.0]
PERSONS = {"persons": {"rows": 4, "weight": "row"}}
BOUNDED = {"entry_bound": None, "norm_bound": 1.0, "target_bound": 1.0, "records": 10, "loss": "huber", "loss_parameters": {"half_width": 0.3}}
TABLES = {"columns": [{"name": name, "cells": 3} for name in "abc"], "tables": [[0], [1], [2]], "linked": [0, 1, 2], "hub": None, "most": 2}


def test_records_are_read_as_they_are_written():
    assert dimension_of(LINEAR) == 8
    assert dimension_of({**LINEAR, "classes": 5, "intercept_scale": 0.0}) == 35
    assert dimension_of({**LINEAR, "target_units": UNITS}) == 24
    assert target_units({"target_units": UNITS}) == tuple(UNITS)
    assert curvature_integers(LINEAR) == 2 * 36
    assert curvature_integers({**LINEAR, "classes": 3, "scheme": "multinomial"}) == 3 * 4 * 36
    assert persons_of(PERSONS).rows == 4
    assert persons_of({}).rows == 1
    assert scored_persons(PERSONS).by_rows
    assert rows_made({"made_rows": MadeRows(of=ORDERED, rows=3, bound=1.0, step=0.5).to_dict()}) == 3
    assert rounds_of(TABLES, {"scales": [9.0] * 5, "pairs": []}) == (3, 3, 2)
    assert prediction_problem({**LINEAR, **BOUNDED}).loss == HuberLoss(half_width=0.3)
    assert kept_of([2**40 + 2, 2**52]) == [2**40 + 2, 2**52]
    assert asked_columns([{"name": "a", "cells": 3}]) == [3]


def test_declared_lines_are_told_apart():
    assert public_records(["about 50 records"]) == 50
    assert public_records(["about 50 records", "about 60 records"]) is None
    assert unknown_lines([CLASSES, "nobody writes this"], ()) == ["nobody writes this"]


@pytest.mark.parametrize(
    ("read", "wrong"),
    [
        (mapping, [[], None, 1]),
        (filled, [[], {}, None]),
        (positive, [0, 0.0, -1, math.inf]),
        (not_negative, [-1e-9, -0.5, math.nan]),
        (finite, [math.inf, math.nan]),
        (whole, [0, -1, 1.0, True]),
        (count, [-1, 1.0, True]),
        (text, [1, None]),
        (lambda value: numbers({"a": value}), [math.inf, "1"]),
        (asked_columns, [[{"name": "a", "cells": 1}]]),
        (kept_of, [[2**40], [2**53], [2**40 + 1]]),
        (laws_of, [["nobody's"]]),
    ],
)
def test_values_of_another_kind_are_refused(read, wrong):
    for value in wrong:
        with pytest.raises((TypeError, ValueError)):
            read(value)
