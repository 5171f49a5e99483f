"""What fits, predictions and evaluations cost in counts that no machine changes: regressions of speed are seen without a clock.

A pass reads all rows once: margins, gradients and certificates are one each, a Hessian is one that costs d times as much. A count above the recorded
one, which is what a fit of this table took when it was written down, and one pass for other roundings, is more work than there was. Where less is
needed now, write that down.
"""

from collections import Counter

import numpy as np
import pytest

from discreet import LinearRegression, LinearSVC, LogisticRegression, evaluate_privately
from discreet.matrices import DenseMatrix, in_order
from discreet.mechanisms.learning import margin

PASSES = ("matvec", "rmatvec", "banded", "gram", "row_norms", "ordered_matvec", "ordered_row_norms")
ROUNDING = 1


@pytest.fixture
def passes(monkeypatch):
    """How often each product with the whole table was taken."""
    counts = Counter()

    def counted(name, work):
        def count(matrix, *given, **named):
            counts[name] += matrix.shape[0] == COUNT
            return work(matrix, *given, **named)

        return count

    for name in PASSES:
        monkeypatch.setattr(DenseMatrix, name, counted(name, getattr(DenseMatrix, name)))
    return counts


COUNT = 3000
RNG = np.random.default_rng(20)
ROWS = RNG.standard_normal((COUNT, 12)) / 6.0
SCORES = ROWS @ RNG.standard_normal((12, 3))
BUDGET = {"epsilon": 1.0, "delta": 1e-6, "data_norm": 1.0, "random_state": 7}
WIDE = RNG.standard_normal((COUNT, 300)) / 20.0
TWO, THREE = (SCORES[:, 0] > 0).astype(int), SCORES.argmax(axis=1)
FITS = {
    "logistic": (LogisticRegression(classes=[0, 1], **BUDGET), TWO, {"row_norms": 2, "matvec": 10, "rmatvec": 9, "gram": 2, "banded": 2}),
    "hinge": (LinearSVC(classes=[0, 1], **BUDGET), TWO, {"row_norms": 2, "matvec": 9, "rmatvec": 10, "gram": 2, "banded": 1}),
    "multinomial": (LogisticRegression(classes=[0, 1, 2], **BUDGET), THREE, {"row_norms": 2, "matvec": 11, "rmatvec": 22, "gram": 12, "banded": 1}),
    "one-vs-rest": (LinearSVC(classes=[0, 1, 2], **BUDGET), THREE, {"row_norms": 2, "matvec": 29, "rmatvec": 32, "gram": 6, "banded": 3}),
    "wide logistic": (LogisticRegression(classes=[0, 1], **BUDGET), TWO, {"row_norms": 2, "matvec": 12, "rmatvec": 10, "banded": 2}),
    "wide hinge": (LinearSVC(classes=[0, 1], **BUDGET), TWO, {"row_norms": 2, "matvec": 12, "rmatvec": 12, "banded": 1}),
    "regression": (
        LinearRegression(target_bound=1.0, **BUDGET),
        np.clip(SCORES[:, 0] / 3.0, -1.0, 1.0),
        {"row_norms": 3, "matvec": 7, "rmatvec": 12, "gram": 5},
    ),
}


@pytest.mark.each_with_each
@pytest.mark.parametrize("name", FITS)
def test_a_fit_takes_no_more_passes_than_it_did(name, passes):
    estimator, targets, recorded = FITS[name]
    estimator.fit(WIDE if "wide" in name else ROWS, targets)
    assert sum(passes.values()) > 3, "the products are counted"
    for kind in PASSES:
        assert passes[kind] <= recorded.get(kind, 0) + ROUNDING, (name, dict(passes))
    assert "gram" in recorded or passes["gram"] == 0, "a Hessian of all records costs as much as all these passes"


def test_the_noise_of_a_kind_of_fit_is_looked_for_once_and_its_curve_evaluated_a_few_times(monkeypatch):
    calls = []
    curve = margin._expected_excess
    monkeypatch.setattr(margin, "_expected_excess", lambda *given: calls.append(1) or curve(*given))
    targets = FITS["regression"][1]
    LinearRegression(target_bound=1.0, **BUDGET).fit(ROWS, targets)
    assert 2 <= len(calls) <= 62, "one scale, and twenty places of the curve three times, which the promise has from memory"
    before = len(calls)
    LinearRegression(target_bound=1.0, **BUDGET).fit(ROWS[::-1], targets[::-1])
    assert len(calls) == before, "public numbers of the next fit are the same"
    LinearRegression(target_bound=1.0, **{**BUDGET, "epsilon": 1.01}).fit(ROWS, targets)
    assert len(calls) > before


def measured(model):
    return evaluate_privately(model, ROWS, TWO, epsilon=1.0, delta=1e-6, random_state=3)


@pytest.mark.parametrize("asked", ["decision_function", "predict", "predict_proba", "score", "evaluation"])
@pytest.mark.parametrize("bound", [100.0, 0.1], ids=["short rows", "long rows"])
def test_an_answer_takes_one_product_and_one_look_at_the_norms_and_of_long_rows_one_more(asked, bound, passes, monkeypatch):
    """Sums in a fixed order are one loop of compiled code for each part of the table, not one for each column."""
    model = LogisticRegression(classes=[0, 1], **BUDGET | {"data_norm": bound}).fit(ROWS, TWO)
    passes.clear()
    loops = Counter()
    monkeypatch.setattr(in_order, "_row_blocks", lambda *given, real=in_order._row_blocks: loops.update(loops=1) or real(*given))
    if asked == "evaluation":
        measured(model)
    else:
        getattr(model, asked)(ROWS, *([TWO] if asked == "score" else []))
    looked = passes.pop("row_norms")
    assert 1 <= looked <= 3, "remembered after the first time"
    assert dict(+passes) == {"ordered_matvec": 1} | ({"ordered_row_norms": 1} if bound < 1 else {})
    assert loops["loops"] == sum(passes.values())
