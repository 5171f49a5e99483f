"""Accounts as values, contexts, threads, and scikit-learn's tools on top of them."""

import contextvars
import copy
import pickle
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pickle import PicklingError

import numpy as np
import pytest
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from discreet.accounting import to_persons
from discreet.core.errors import InvalidInput
from discreet.ledger import Account, Amount, BudgetExceeded, State, check_may_travel, current, spending_on, using, without_ledger
from tests.ledger.guarantees import pure


class Spender(ClassifierMixin, BaseEstimator):
    """The least that a private estimator does with a ledger."""

    def __init__(self, *, epsilon=1.0, ledger=None):
        self.epsilon = epsilon
        self.ledger = ledger

    def fit(self, X, y):
        with spending_on(self.ledger, pure(self.epsilon), purpose="a fit", table=[np.ascontiguousarray(X).tobytes()]) as reservation:
            self.classes_ = np.array([0, 1])
            self.entry_ = None if reservation is None else reservation.id
        return self

    def __getstate__(self):
        check_may_travel(self.ledger)
        return super().__getstate__()

    def predict(self, X):
        return np.zeros(len(X), dtype=int)


@pytest.fixture
def account(ledger):
    return Account(str(ledger.path), "adult")


def table(records=50):
    X = np.arange(2.0 * records).reshape(records, 2)
    return X, np.arange(records) % 2


def test_an_account_is_a_small_value(account, ledger, monkeypatch, tmp_path):
    assert repr(account) == f"Account(path={str(ledger.path)!r}, name='adult', part=None, group_rows=None)"
    for other in (copy.deepcopy(account), pickle.loads(pickle.dumps(account)), Account(account.path, "adult")):  # noqa: S301 - it is ours
        assert other == account
        assert hash(other) == hash(account)
    assert account != Account(account.path, "other")
    assert len(pickle.dumps(account)) < 400
    monkeypatch.chdir(tmp_path)
    assert Account("team.ledger", "adult") == account
    assert account.ledger.path == ledger.path
    assert account.left == Amount(epsilon=1.0)


def test_an_account_opens_nothing_until_it_spends(tmp_path):
    account = Account(str(tmp_path / "nothing"), "adult")
    with pytest.raises(InvalidInput, match="no ledger"), account.spending(pure(0.5), purpose=""):
        pytest.fail("the block must not be entered")


def test_without_a_ledger_nothing_is_recorded_and_the_table_is_not_read():
    def unread():
        pytest.fail("nobody asked for a digest")
        yield b""

    with spending_on(None, pure(9.0), purpose="", table=unread()) as reservation:
        assert reservation is None
    assert current() is None


def test_mechanisms_find_the_account_in_use(ledger, account):
    with using(ledger, "adult") as chosen:
        assert current() == chosen == account
        with spending_on(None, pure(0.75), purpose="found"):
            assert ledger.history("adult")[0].state is State.RESERVED
    assert current() is None
    assert ledger.history("adult")[0].state is State.SETTLED


def test_the_path_of_a_ledger_will_do(ledger, account):
    with using(ledger.path, "adult") as chosen:
        assert chosen == account


def test_unknown_data_sets_and_parts_are_refused_when_the_block_is_entered(ledger):
    for arguments in ({"name": "adlut"}, {"name": "adult", "part": "x"}):
        with pytest.raises(InvalidInput), using(ledger, **arguments):
            pytest.fail("the block must not be entered")
    assert current() is None


def test_an_explicit_account_goes_before_the_one_in_use_and_blocks_nest(ledger, account):
    ledger.declare("other", epsilon=1.0, delta=0.0, parts=["a", "b"], part_of_a_record_stays=True)
    with using(ledger, "other", part="a"):
        with spending_on(account, pure(0.5), purpose="explicit"):
            pass
        with using(ledger, "adult"), spending_on(None, pure(0.25), purpose="inner"):
            pass
        with without_ledger():
            assert current() is None
            with spending_on(None, pure(9.0), purpose="invented records"):
                pass
        with spending_on(None, pure(0.25), purpose="outer"):
            pass
    assert ledger.spent("adult") == Amount(epsilon=0.75)
    assert ledger.spent("other", part="b") == Amount(epsilon=0.0)
    assert ledger.spent("other", part="a") == Amount(epsilon=0.25)


def test_a_block_that_raises_is_left(ledger):
    with pytest.raises(ValueError, match="x"), using(ledger, "adult"):
        raise ValueError("x")
    assert current() is None
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(current).result() is None


def spend_once(account=None):
    with spending_on(account, pure(0.25), purpose="a thread"):
        return current()


def test_a_thread_without_the_context_is_refused_and_loses_nothing(ledger, account):
    with using(ledger, "adult"), ThreadPoolExecutor(1) as pool:
        with pytest.raises(InvalidInput, match="not in this thread"):
            pool.submit(contextvars.Context().run, spend_once).result()
        pool.submit(contextvars.copy_context().run, spend_once).result()
        with pytest.raises(InvalidInput, match="not in this thread"):
            pool.submit(contextvars.Context().run, spend_once, account).result()

    def aside():
        with without_ledger():
            return spend_once()

    with using(ledger, "adult"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(contextvars.Context().run, aside).result() is None
    assert len(ledger.history("adult")) == 2


def test_contexts_of_threads_do_not_mix(ledger):
    ledger.declare("other", epsilon=1.0, delta=0.0)
    together = threading.Barrier(2)
    seen = {}

    def use(name):
        with using(ledger, name):
            together.wait(300)
            seen[name] = current().name
            together.wait(300)

    threads = [threading.Thread(target=use, args=(name,)) for name in ("adult", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"adult": "adult", "other": "other"}


def test_an_estimator_with_an_account_may_leave_the_process_and_one_without_may_not(ledger, account):
    check_may_travel(None)
    with using(ledger, "adult"):
        check_may_travel(account)
        with pytest.raises(InvalidInput, match="ledger=Account"):
            check_may_travel(None)
        with without_ledger():
            check_may_travel(None)
        with ThreadPoolExecutor(1) as pool, pytest.raises(InvalidInput, match="ledger=Account"):
            pool.submit(contextvars.Context().run, check_may_travel, None).result()


def test_clone_keeps_the_account_and_get_params_shows_it(account):
    model = Spender(ledger=account)
    assert clone(model).ledger == account
    assert clone(make_pipeline(FunctionTransformer(), model)).get_params()["spender__ledger"] == account
    assert "Account(" in repr(model)


@pytest.mark.parametrize("explicit", [True, False])
def test_cross_validation_of_five_fits_under_a_budget_of_one_fails_at_the_second(ledger, account, explicit):
    with using(ledger, "adult"):
        model = make_pipeline(FunctionTransformer(), Spender(epsilon=1.0, ledger=account if explicit else None))
        with pytest.raises(BudgetExceeded):
            cross_val_score(model, *table(), cv=5, error_score="raise")
    assert len(ledger.history("adult")) == 1
    assert ledger.left("adult") == Amount(epsilon=0.0)


def test_cross_validation_within_the_budget_spends_once_for_every_fit(ledger, account):
    cross_val_score(Spender(epsilon=0.2, ledger=account), *table(), cv=5, error_score="raise")
    assert len(ledger.history("adult")) == 5
    assert ledger.left("adult") == Amount(epsilon=0.0)


def test_a_grid_search_spends_for_every_candidate_fold_and_the_last_fit(ledger):
    ledger.declare("grid", epsilon=2.0, delta=0.0)
    search = GridSearchCV(Spender(ledger=Account(str(ledger.path), "grid")), {"epsilon": [0.25, 0.5]}, cv=2, error_score="raise")
    search.fit(*table())
    assert len(ledger.history("grid")) == 5
    assert ledger.spent("grid") == Amount(epsilon=1.75)


def test_the_folds_of_a_table_are_noticed_under_another_name(ledger, account):
    ledger.declare("copy", epsilon=9.0, delta=0.0)
    cross_val_score(Spender(epsilon=0.2, ledger=account), *table(), cv=5, error_score="raise")
    with pytest.raises(InvalidInput, match="the ledger already has this table under the"):
        cross_val_score(Spender(ledger=Account(account.path, "copy")), *table(), cv=5, error_score="raise")
    assert ledger.history("copy") == ()


def test_scikit_learn_turns_refusals_into_scores_that_are_no_numbers_unless_told_otherwise(ledger, account):
    with pytest.warns(FitFailedWarning, match="BudgetExceeded"):
        scores = cross_val_score(Spender(epsilon=1.0, ledger=account), *table(), cv=5)
    assert np.isnan(scores).sum() == 4
    assert len(ledger.history("adult")) == 1


def test_processes_of_joblib_spend_with_an_explicit_account(ledger, account):
    def fit(epsilon):
        return Spender(epsilon=epsilon, ledger=account).fit(*table()).entry_

    entries = Parallel(n_jobs=2)(delayed(fit)(0.125) for _ in range(6))
    assert {entry.id for entry in ledger.history("adult")} == set(entries)
    assert ledger.spent("adult") == Amount(epsilon=0.75)


@pytest.mark.more  # tests/estimators/test_ledger.py has it for models
def test_a_worker_process_is_never_sent_an_estimator_that_would_spend_unrecorded(ledger):
    with using(ledger, "adult"), pytest.raises(PicklingError) as caught:
        cross_val_score(Spender(epsilon=0.1), *table(), cv=2, n_jobs=2, error_score="raise")
    assert "ledger=Account" in "".join(traceback.format_exception(caught.value))
    assert ledger.history("adult") == ()


def test_an_account_charges_a_data_set_of_persons_for_groups_of_records(ledger):
    """A guarantee of persons is charged as it is; the conversion is what the account says, and nothing converts by itself."""
    ledger.declare("visits", epsilon=1.0, delta=0.0, unit="person")
    by_groups = Account(str(ledger.path), "visits", group_rows=7)
    with pytest.raises(InvalidInput, match="group_rows=k"), Account(str(ledger.path), "visits").spending(pure(0.1), purpose=""):
        pytest.fail("something was drawn")
    with by_groups.spending(pure(0.1), purpose=""):
        pass
    assert ledger.spent("visits").epsilon == pytest.approx(0.7)
    with pytest.raises(BudgetExceeded):
        by_groups.check_fits(pure(0.05))
    by_groups.check_fits(to_persons(pure(0.2), 1))
    with using(ledger, "visits", group_rows=2), spending_on(None, pure(0.1), purpose=""):
        pass
    assert ledger.spent("visits").epsilon == pytest.approx(0.9)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_a_group_of_rows_is_a_positive_whole_number(ledger, rows):
    with pytest.raises(InvalidInput, match="group_rows"):
        Account(str(ledger.path), "adult", group_rows=rows)
