"""Estimators spend on the ledger, once each, whatever scikit-learn does around them."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from discreet import LogisticRegression
from discreet.core.errors import DiscreetError, InvalidInput, SolverFailure
from discreet.ledger import Account, BudgetExceeded, Ledger, using, without_ledger
from tests.properties.test_refusals import ALL, made


def table() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (200, 3))
    return X, (X[:, 0] > 0).astype(int)


@pytest.fixture
def account(tmp_path: Path) -> Account:
    path = tmp_path / "ledger"
    Ledger.create(path).declare("people", epsilon=1.0, delta=1e-5)
    return Account(str(path), "people")


def test_five_folds_of_epsilon_one_under_a_budget_of_one_raise_on_the_second(account: Account) -> None:
    with pytest.raises(BudgetExceeded):
        cross_val_score(LogisticRegression(epsilon=1.0, ledger=account, classes=[0, 1]), *table(), cv=5, error_score="raise")
    assert account.ledger.spent("people").epsilon == pytest.approx(1.0)
    assert len(account.ledger.history("people")) == 1


def test_the_same_inside_a_using_block(account: Account) -> None:
    with using(account.path, "people"), pytest.raises(BudgetExceeded):
        cross_val_score(LogisticRegression(epsilon=1.0, classes=[0, 1]), *table(), cv=5, error_score="raise")
    assert account.ledger.spent("people").epsilon == pytest.approx(1.0)


def test_clones_and_pipelines_share_the_budget(account: Account) -> None:
    model = LogisticRegression(epsilon=0.4, ledger=account, classes=[0, 1])
    clone(model).fit(*table())
    make_pipeline(FunctionTransformer(), clone(model)).fit(*table())
    with pytest.raises(BudgetExceeded):
        model.fit(*table())
    assert account.left.epsilon == pytest.approx(0.2)


def test_worker_processes_spend_on_the_account_they_were_given(account: Account) -> None:
    search = GridSearchCV(LogisticRegression(epsilon=0.1, ledger=account, classes=[0, 1]), {"alpha": [0.5, 1.0]}, cv=3, n_jobs=2, refit=False)
    search.fit(*table())
    assert account.ledger.spent("people").epsilon == pytest.approx(0.6)


@pytest.mark.more
def test_a_model_without_account_does_not_leave_a_process_where_a_ledger_is_in_use(account: Account) -> None:
    with using(account.path, "people"), pytest.raises(Exception, match=r"ledger|pickle"):
        cross_val_score(LogisticRegression(epsilon=0.1, classes=[0, 1]), *table(), cv=3, n_jobs=2, error_score="raise")
    assert account.ledger.spent("people").epsilon == 0.0


def test_the_certificate_names_the_entry(account: Account) -> None:
    model = LogisticRegression(epsilon=0.5, delta=1e-6, ledger=account, classes=[0, 1]).fit(*table())
    assert account.ledger.history("people")[0].id == model.certificate_.ledger_entry
    assert LogisticRegression(classes=[0, 1]).fit(*table()).certificate_.ledger_entry is None
    assert model.certificate_.verify(model.weights_).ok


def test_many_fits_spend_their_sum(account: Account) -> None:
    LogisticRegression(epsilon=0.1, ledger=account, classes=[0, 1]).fit_many(*table(), count=7)
    assert account.ledger.spent("people").epsilon == pytest.approx(0.7)
    with pytest.raises(BudgetExceeded):
        LogisticRegression(epsilon=0.1, ledger=account, classes=[0, 1]).fit_many(*table(), count=4)


def test_a_fit_that_fails_after_drawing_stays_spent_and_a_refused_one_does_not(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SolverFailure("no")

    with pytest.raises(InvalidInput):
        LogisticRegression(epsilon=-1.0, ledger=account, classes=[0, 1]).fit(*table())
    assert account.ledger.spent("people").epsilon == 0.0
    monkeypatch.setattr("discreet.mechanisms.learning.base.solve", fail)
    with pytest.raises(SolverFailure):
        LogisticRegression(epsilon=0.6, ledger=account, classes=[0, 1]).fit(*table())
    assert account.ledger.spent("people").epsilon == pytest.approx(0.6)


def test_a_fit_without_privacy_is_refused_by_a_ledger(account: Account) -> None:
    with pytest.raises(Exception, match=r"guarantee|epsilon"):
        LogisticRegression(epsilon=np.inf, ledger=account, classes=[0, 1]).fit(*table())


def test_the_same_table_under_another_name_is_noticed(account: Account) -> None:
    account.ledger.declare("others", epsilon=1.0)
    X, y = table()
    LogisticRegression(epsilon=0.1, ledger=account, classes=[0, 1]).fit(X, y)
    with pytest.raises(InvalidInput, match="people"):
        LogisticRegression(epsilon=0.1, ledger=Account(account.path, "others"), data_norm=2.0, classes=[0, 1]).fit(X, y)
    LogisticRegression(epsilon=0.1, ledger=Account(account.path, "others"), classes=[0, 1]).fit(X[1:], y[1:])


def test_nothing_is_recorded_where_that_is_said(account: Account) -> None:
    with using(account.path, "people"), without_ledger():
        LogisticRegression(epsilon=5.0, classes=[0, 1]).fit(*table())
    assert account.ledger.spent("people").epsilon == 0.0


def test_something_else_than_an_account_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Account"):
        LogisticRegression(ledger="people.ledger", classes=[0, 1]).fit(*table())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("epsilon", [1e-15, 1e-300, 1e300])
@pytest.mark.parametrize("name", [name for name in ALL if name != "PrivateSearchCV"])
def test_a_budget_that_no_noise_can_keep_is_refused_before_it_is_reserved(tmp_path: Path, name: str, epsilon: float) -> None:
    """No search for noise goes on for ever, and nothing is taken for an answer that is not given."""
    X, y = table()
    Ledger.create(tmp_path / "wide").declare("people", epsilon=1e305, delta=0.5)
    account = Account(str(tmp_path / "wide"), "people")
    given = {"groups": [1, 2]} if name == "GroupLasso" else {}
    for delta in (0.0, 1e-6, 1e-300):
        estimator = made(name).set_params(epsilon=epsilon, delta=delta, ledger=account, **given)
        before = len(account.ledger.history("people"))
        try:
            estimator.fit(X, y)
        except DiscreetError:
            assert len(account.ledger.history("people")) == before
        else:
            assert len(account.ledger.history("people")) == before + 1


@pytest.mark.parametrize("epsilon", [1e-15, 1e-300])
def test_a_search_that_leaves_nothing_to_a_fit_is_refused_before_it_is_reserved(account: Account, epsilon: float) -> None:
    for delta in (0.0, 1e-6, 1e-300):
        with pytest.raises(DiscreetError):
            made("PrivateSearchCV").set_params(epsilon=epsilon, delta=delta, ledger=account).fit(*table())
    assert not account.ledger.history("people")
