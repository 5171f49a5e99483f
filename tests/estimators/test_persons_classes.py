"""Persons with several rows in models of many classes, in regressions by noise in the objective and over sets: in memory and in blocks."""

import numpy as np
import pytest
from sklearn.base import clone

from discreet import ConstrainedERM, KernelClassifier, LinearRegression, LinearSVC, LogisticRegression
from discreet.accounting import Unit
from discreet.core.neighbours import Neighbours
from discreet.data import Block, FunctionTable
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from discreet.sets import L2Ball

DRAW = np.random.default_rng(0)
RECORDS, PERSONS = 300, 60
ROWS = DRAW.uniform(-0.5, 0.5, (RECORDS, 3))
SIDES = (ROWS[:, 0] + 0.1 * DRAW.normal(size=RECORDS) > 0).astype(int)
CODES = SIDES + (ROWS[:, 1] > 0.1)
OWNERS = np.concatenate((np.arange(PERSONS), DRAW.integers(0, PERSONS, RECORDS - PERSONS)))
THREE = {"classes": [0, 1, 2]}
OVER_A_BALL = {"loss": "logistic", "constraint": L2Ball(dimension=3), "classes": [0, 1], "mechanism": "objective-perturbation-set"}
MODELS = {
    "logistic": (LogisticRegression(**THREE), "multinomial-perturbation-gaussian"),
    "logistic, pure": (LogisticRegression(delta=0.0, **THREE), "multinomial-perturbation-pure"),
    "logistic, one-vs-rest": (LogisticRegression(multi_class="one-vs-rest", **THREE), "one-vs-rest-gaussian"),
    "vectors": (LinearSVC(neighbours="add-remove", **THREE), "one-vs-rest-gaussian"),
    "vectors, pure": (LinearSVC(delta=0.0, **THREE), "one-vs-rest-pure"),
    "kernel": (KernelClassifier(n_features=8, **THREE), "one-vs-rest-gaussian"),
    "regression": (LinearRegression(target_bound=1.0), "least-squares-objective"),
    "regression, add-remove": (LinearRegression(neighbours="add-remove", target_bound=1.0), "least-squares-objective"),
    "over a ball": (ConstrainedERM(**OVER_A_BALL, target_bound=1.0), "objective-perturbation-set"),
}
EVERY = pytest.mark.parametrize("name", MODELS)


def targets_of(name):
    return ROWS @ [0.6, -0.3, 0.1] if name.startswith("regression") else SIDES if name == "over a ball" else CODES


def scattered(targets, rows=ROWS, owners=OWNERS):
    """A table of three blocks, with the rows of a person in several of them."""

    def block(number):
        some = slice(number * len(rows) // 3, (number + 1) * len(rows) // 3)
        return Block(DenseMatrix(rows[some]), targets[some], None, owners[some])

    return FunctionTable(block, blocks=3, features=rows.shape[1])


@pytest.mark.at_most(3)
@EVERY
@pytest.mark.parametrize("weight", ["person", "row"])
def test_a_model_of_persons_verifies_and_the_unit_is_a_person(name, weight, tmp_path):
    model, mechanism = MODELS[name]
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=2.5, delta=1e-4, unit=Unit.PERSON, neighbours=Neighbours(model.neighbours))
    account = Account(str(tmp_path / "ledger"), "people")
    fitted = clone(model).set_params(rows_per_person=3, person_weight=weight, ledger=account).fit(ROWS, targets_of(name), persons=OWNERS)
    certificate = fitted.certificate_
    assert certificate.mechanism == mechanism
    assert certificate.guarantee.unit is Unit.PERSON
    assert certificate.problem["persons"] == {"rows": 3, "weight": weight}
    assert certificate.problem["records"] == (None if model.neighbours == "add-remove" else PERSONS)
    assert certificate.verify(fitted.weights_).ok, [check for check in certificate.verify(fitted.weights_).checks if not check.ok]
    assert len(Ledger(account.path).history("people")) == 1


@EVERY
@pytest.mark.parametrize("weight", ["person", "row"])
def test_a_model_of_blocks_is_that_of_the_array_wherever_the_rows_of_a_person_lie(name, weight):
    model = clone(MODELS[name][0]).set_params(rows_per_person=3, person_weight=weight, random_state=5)
    held = clone(model).fit(ROWS, targets_of(name), persons=OWNERS)
    streamed = clone(model).fit(scattered(targets_of(name)))
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=1e-5)
    for same in ("problem", "parameters", "guarantee"):
        assert getattr(streamed.certificate_, same) == getattr(held.certificate_, same)


@pytest.mark.at_most(3)
@EVERY
def test_copies_of_every_row_that_share_its_weight_are_fitted_as_the_rows_are(name):
    """With the noise too: that of one row a person differs, so the problems of three rows are compared, of one copy and of three."""
    model = clone(MODELS[name][0]).set_params(rows_per_person=3, random_state=5)
    owners = np.arange(RECORDS)
    once = clone(model).fit(ROWS, targets_of(name), persons=owners)
    order = DRAW.permutation(3 * RECORDS)
    rows, targets = np.tile(ROWS, (3, 1))[order], np.tile(targets_of(name), 3)[order]
    thrice = clone(model).fit(rows, targets, persons=np.tile(owners, 3)[order])
    np.testing.assert_allclose(thrice.weights_, once.weights_, rtol=1e-5, atol=1e-5)


@pytest.mark.at_most(3)
@EVERY
@pytest.mark.parametrize("kind", ["memory", "blocks"])
def test_many_rows_of_few_persons_are_solved_to_what_is_certified(name, kind):
    """Rounding errors are planned for as many rows as persons may have."""
    rows, targets = np.tile(ROWS, (40, 1)), np.tile(targets_of(name), 40)
    owners = np.tile(OWNERS, 40)
    model = clone(MODELS[name][0]).set_params(rows_per_person=200)
    fitted = model.fit(rows, targets, persons=owners) if kind == "memory" else model.fit(scattered(targets, rows, owners))
    assert fitted.certificate_.verify(fitted.weights_).ok
