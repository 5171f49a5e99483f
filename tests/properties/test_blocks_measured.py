"""Laws of tables in row blocks, continued: a private evaluation of a table in blocks is that of the same records in memory, to the last bit."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as ScikitLearns
from sklearn.svm import LinearSVC as ScikitLearnsSvm

from discreet import KernelClassifier, LassoClassifier, LinearSVC, LogisticRegression, SystemNoise
from discreet.core.errors import InvalidInput
from discreet.data import Block, Domain, FunctionTable, streamed_records
from discreet.evaluation import evaluate_privately, prepare
from discreet.evaluation.in_blocks import answered
from discreet.evaluation.outcomes import outcomes_of
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from tests.properties.block_tables import TABLES, records, two_tables

ROWS, LABELS = records()
SETTINGS = {"classes": [0, 1], "random_state": 0}
EVERYTHING = ("accuracy", "confusion", "log_loss", "roc", "calibration")
MODELS = {
    "logistic": (LogisticRegression(**SETTINGS), EVERYTHING),
    "svc": (LinearSVC(**SETTINGS), EVERYTHING),
    "huber": (LinearSVC(loss="huber-hinge", **SETTINGS), ("accuracy", "confusion", "roc")),
    "kernel": (KernelClassifier(n_features=20, **SETTINGS), EVERYTHING),
    "lasso": (LassoClassifier(**SETTINGS), ("accuracy", "confusion", "roc")),
    "scikit-learn": (ScikitLearns(), EVERYTHING),
    "scikit-learn-svm": (ScikitLearnsSvm(), ("accuracy", "roc")),
}
RELATIONS = [("replace-one", 0.0), ("add-remove", 1e-6)]


@pytest.fixture(scope="module", params=list(MODELS))
def model(request):
    estimator, metrics = MODELS[request.param]
    return estimator.fit(ROWS, LABELS), metrics


@pytest.fixture
def table(kind, tmp_path):
    return TABLES[kind](ROWS, LABELS, tmp_path)


@pytest.mark.at_most(3)
@two_tables
@pytest.mark.parametrize(("neighbours", "delta"), RELATIONS)
def test_measures_of_blocks_are_those_in_memory_to_the_last_bit(table, model, neighbours, delta):
    asked, metrics = model
    settings = {"epsilon": 1.0, "delta": delta, "neighbours": neighbours, "metrics": metrics, "random_state": 4}
    expected = evaluate_privately(asked, ROWS, LABELS, **settings)
    for jobs in (None, 3):
        found = evaluate_privately(asked, table, n_jobs=jobs, **settings)
        np.testing.assert_array_equal(found.value, expected.value)
        assert found.to_dict() == expected.to_dict()


@two_tables
@pytest.mark.parametrize("metrics", [("accuracy",), ("confusion",), ("log_loss",)], ids=str)
def test_three_classes_are_those_in_memory(kind, tmp_path, metrics):
    codes = (LABELS + (ROWS[:, 0] > 0.2)).astype(np.int64)
    asked = LogisticRegression(classes=[0, 1, 2], random_state=0).fit(ROWS, codes)
    settings = {"epsilon": 1.0, "metrics": metrics, "random_state": 4}
    found = evaluate_privately(asked, TABLES[kind](ROWS, codes, tmp_path), **settings)
    assert found.to_dict() == evaluate_privately(asked, ROWS, codes, **settings).to_dict()


@two_tables
def test_an_edge_is_decided_by_the_record_alone(kind, tmp_path):
    """Every record lies on an edge: what counts is the answer about it by itself, in blocks and in memory."""
    rows = np.zeros((750, ROWS.shape[1]))
    asked = LogisticRegression(fit_intercept=False, **SETTINGS).fit(ROWS, LABELS)
    settings = {"epsilon": 1.0, "metrics": ("accuracy", "roc"), "random_state": 4}
    found = evaluate_privately(asked, TABLES[kind](rows, LABELS[:750], tmp_path), **settings)
    assert found.to_dict() == evaluate_privately(asked, rows, LABELS[:750], **settings).to_dict()


@two_tables
def test_a_ledger_knows_the_table_of_a_fit_again(kind, table):
    """What its digest is made from is that of the same records in memory, and of a fit on them."""
    asked = LogisticRegression(**SETTINGS).fit(ROWS, LABELS)
    survey = prepare(asked, epsilon=1.0).survey
    found = b"".join(answered(survey, asked, table, SystemNoise(), jobs=2).content)
    domain = Domain(features=ROWS.shape[1], norm_bound=1.0, classes=2)
    assert found == b"".join(streamed_records(table, domain=domain, classes=np.array([0, 1])).content())
    same = found == b"".join(outcomes_of(asked, ROWS, LABELS).content())
    assert same is (kind != "sparse")  # a sparse table is known by its stored numbers


def test_a_table_that_changes_between_passes_is_refused_where_there_is_a_ledger(tmp_path):
    made = []

    def make(number):
        made.append(number)
        rows = ROWS[:500] if len(made) <= 3 else ROWS[:501]
        return Block(DenseMatrix(rows), LABELS[: len(rows)])

    Ledger.create(tmp_path / "ledger").declare("people", epsilon=3.0, delta=1e-4)
    account = Account(str(tmp_path / "ledger"), "people")
    asked = LogisticRegression(**SETTINGS).fit(ROWS, LABELS)
    with pytest.raises(InvalidInput, match="the table changed while it was being read"):
        evaluate_privately(asked, FunctionTable(make, blocks=3, features=6), epsilon=1.0, account=account)
    assert account.ledger.spent("people").epsilon == 0.0
