"""Laws of persons, of every exported estimator: a new one is under them by itself.

An estimator whose mechanism has no guarantee for persons with several rows refuses them before anything is spent.
"""

import warnings

import numpy as np
import pytest

from discreet import estimators
from discreet.accounting import Unit
from discreet.core.errors import InvalidInput, PrivacyAdvice
from discreet.estimators.door.private_estimator import PrivateModel
from discreet.ledger import Account, Ledger
from tests.properties.test_refusals import ESTIMATORS

RECORDS = 240
DRAW = np.random.default_rng(5)
X = DRAW.uniform(-0.5, 0.5, (RECORDS, 3))
Y = (X[:, 0] + 0.2 * DRAW.normal(size=RECORDS) > 0).astype(int)
OWNERS = np.arange(RECORDS)
NAMES = [name for name in estimators.__all__ if isinstance(getattr(estimators, name), type) and issubclass(getattr(estimators, name), PrivateModel)]
REFUSED = (
    "no guarantee for persons with several rows",
    "leave persons and rows_per_person out",
    "expands each record into several rows, so it needs",
)


def made(name, **settings):
    return getattr(estimators, name)(**{**ESTIMATORS.get(name, {}), **settings})


def or_none(model, *, persons, rows=X, targets=Y):
    """The fitted model; None where its mechanism says that it is not for such persons."""
    try:
        return model.fit(rows, targets, persons=persons)
    except InvalidInput as error:
        if not any(part in str(error) for part in REFUSED):
            raise
    return None


def unless_refused(model, **records):
    """The fitted model; skips where there is none."""
    fitted = or_none(model, **records)
    return fitted if fitted is not None else pytest.skip("its mechanism is not for such persons")


@pytest.mark.parametrize("name", NAMES)
def test_persons_with_several_rows_are_protected_or_refused_before_anything_is_spent(name, tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=2.5, delta=1e-4, unit=Unit.PERSON)
    account = Account(str(tmp_path / "ledger"), "people")
    model = or_none(made(name, rows_per_person=3, ledger=account), persons=OWNERS // 4)
    if model is None:
        assert not Ledger(account.path).history("people")
        return
    assert model.certificate_.guarantee.unit is Unit.PERSON
    assert model.certificate_.problem["persons"] == {"rows": 3, "weight": "person"}
    assert model.certificate_.problem["records"] == RECORDS // 4
    assert model.certificate_.verify(model.weights_).ok


@pytest.mark.parametrize("name", NAMES)
def test_one_row_a_person_is_fitted_as_rows_are(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", PrivacyAdvice)
        plain = made(name, random_state=0).fit(X, Y)
        declared = unless_refused(made(name, random_state=0, rows_per_person=1), persons=None)
        told = unless_refused(made(name, random_state=0, rows_per_person=1), persons=OWNERS)
    np.testing.assert_array_equal(declared.weights_, plain.weights_)
    np.testing.assert_allclose(told.weights_, plain.weights_, atol=1e-9)
    assert told.certificate_.parameters == plain.certificate_.parameters
    assert told.certificate_.guarantee.unit is declared.certificate_.guarantee.unit is Unit.PERSON


@pytest.mark.parametrize("name", NAMES)
def test_a_second_row_of_a_person_of_whom_one_is_kept_does_not_count(name):
    once = made(name, random_state=0).fit(X, Y)
    twice = unless_refused(made(name, random_state=0, rows_per_person=1), persons=np.tile(OWNERS, 2), rows=np.tile(X, (2, 1)), targets=np.tile(Y, 2))
    np.testing.assert_allclose(twice.weights_, once.weights_, atol=1e-6)
    assert twice.certificate_.parameters == once.certificate_.parameters


@pytest.mark.parametrize("weight", ["person", "row"])
@pytest.mark.parametrize("name", NAMES)
def test_copies_of_every_row_change_nothing_where_they_share_its_weight(name, weight):
    settings = {"epsilon": np.inf, "person_weight": weight}
    once = unless_refused(made(name, **settings, rows_per_person=1), persons=OWNERS)
    order = DRAW.permutation(3 * RECORDS)
    owners = np.tile(OWNERS, 3)[order]
    thrice = unless_refused(made(name, **settings, rows_per_person=3), persons=owners, rows=np.tile(X, (3, 1))[order], targets=np.tile(Y, 3)[order])
    np.testing.assert_allclose(thrice.weights_, once.weights_, rtol=1e-5, atol=1e-7)


def neighbours_of(kind):
    """Tables that differ in person 7 alone: there or not, or with one row, three kept ones and many."""
    owners = OWNERS // 4
    rest = np.flatnonzero(owners != 7)
    many = np.concatenate((np.flatnonzero(owners == 7), np.tile(np.flatnonzero(owners == 7), 3)))
    sizes = {"add-remove": (0, 3), "replace-one": (1, 3, 16)}[kind]
    return [np.concatenate((rest, many[:size])) for size in sizes], owners


@pytest.mark.parametrize("kind", ["add-remove", "replace-one"])
@pytest.mark.parametrize("name", NAMES)
def test_nothing_but_noisy_numbers_tells_how_many_rows_a_person_has(name, kind, capsys, caplog):
    """Attributes, words, what is printed and logged, and certificates but for digests and noisy numbers: of the same form on neighbouring tables."""
    tables, owners = neighbours_of(kind)
    told = [of_rows(made(name, rows_per_person=3, neighbours=kind), rows, owners) for rows in tables]
    assert all(one == told[0] for one in told[1:])
    assert not caplog.records
    assert capsys.readouterr() == ("", "")


def test_a_fit_that_keeps_the_number_of_rows_is_seen(monkeypatch):
    fit = estimators.LogisticRegression.fit

    def leaking(self, rows, targets, **whose):
        self.rows_ = len(fit(self, rows, targets, **whose).weights_) + len(rows)
        return self

    monkeypatch.setattr(estimators.LogisticRegression, "fit", leaking)
    tables, owners = neighbours_of("replace-one")
    told = [of_rows(made("LogisticRegression", rows_per_person=3), rows, owners) for rows in tables]
    assert told[0] != told[1]


def of_rows(model, rows, owners):
    """What is seen of a fit, or the refusal."""
    try:
        fitted = model.fit(X[rows], Y[rows], persons=owners[rows])
    except InvalidInput as error:
        return str(error)
    certificate = fitted.certificate_
    record = {key: value for key, value in certificate.to_dict().items() if key not in ("digest", "parameters")}
    public = {key: value for key, value in certificate.parameters.items() if not isinstance(value, float | list)}
    return repr(fitted), record, public, sorted(certificate.parameters), {key: form(value) for key, value in vars(fitted).items()}


def form(value):
    """Of noisy numbers their shape; of all else itself."""
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return value.shape
    if isinstance(value, np.ndarray):
        return value.tolist()
    return type(value).__name__ if isinstance(value, float) or not isinstance(value, int | str | tuple | list | dict | None.__class__) else value
