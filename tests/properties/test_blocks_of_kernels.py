"""Laws of tables in row blocks, continued: features of kernels, computed block by block."""

import numpy as np
import pytest
from scipy import sparse

from discreet import KernelClassifier
from discreet.data import Block, BlockTable, Domain, FunctionTable, Records, TransformedTable, streamed_records
from discreet.kernels.feature_map import FeatureMap
from discreet.kernels.matrix import FeatureMapMatrix, RecentFeatures
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix, SparseMatrix
from tests.properties.block_tables import TABLES, each_table, records

ROWS, LABELS = records()
WIDTH = 40
FREQUENCIES = np.random.default_rng(0).standard_normal((WIDTH // 2, ROWS.shape[1]))
FEATURES = FeatureMap(frequencies=FREQUENCIES)
DOMAIN = Domain(features=WIDTH, norm_bound=1.0, records=len(ROWS), classes=2)


@pytest.fixture
def table(kind, tmp_path):
    return TABLES[kind](ROWS, LABELS, tmp_path)


def mapped(table, jobs=1):
    recent = RecentFeatures()
    return TransformedTable(table, lambda rows: FeatureMapMatrix(rows, FEATURES, held_bytes=0, recent=recent), features=WIDTH, jobs=jobs)


def classifier(**settings):
    return KernelClassifier(gamma=1.0, n_features=WIDTH, classes=[0, 1], random_state=1, **settings)


@each_table
def test_features_of_blocks_are_the_features_of_the_rows(table, monkeypatch):
    monkeypatch.setattr("discreet.data.blocks.transformed.block_rows", lambda _: 300)
    whole = mapped(table, jobs=2)
    found = list(whole.map(lambda number, block: (number, np.vstack([b.entries(slice(None)) for _, b in block.rows.blocks()]), block.targets), 3))
    assert isinstance(whole, BlockTable)
    assert (whole.features, whole.remote, whole.source) == (WIDTH, False, table)
    assert [number for number, _, _ in found] == list(range(len(found)))
    assert len(found) > 10
    assert max(len(rows) for _, rows, _ in found) == 300
    np.testing.assert_array_equal(np.vstack([rows for _, rows, _ in found]), FEATURES.features(ROWS))
    np.testing.assert_array_equal(np.concatenate([targets for _, _, targets in found]), LABELS)


@each_table
@pytest.mark.parametrize(
    "settings", [{}, {"delta": 1e-6, "neighbours": "add-remove", "n_jobs": 2}, {"loss": "huber-hinge", "fit_intercept": True}], ids=str
)
def test_a_kernel_machine_of_blocks_is_the_one_of_the_array(table, settings):
    streamed, held = classifier(**settings).fit(table), classifier(**settings).fit(ROWS, LABELS)
    # The minimisers agree to the solver's tolerance, and weights are rounded to a grid in the end: a number may land one step away.
    np.testing.assert_allclose(streamed.weights_, held.weights_, atol=2e-6)
    assert streamed.certificate_.guarantee == held.certificate_.guarantee
    assert streamed.certificate_.problem == held.certificate_.problem
    assert streamed.certificate_.hypotheses == held.certificate_.hypotheses
    assert streamed.certificate_.declared == held.certificate_.declared
    assert [check.name for check in streamed.certificate_.verify(streamed.weights_).checks if not check.ok] == ["noise source"]  # it was seeded
    assert streamed.n_features_in_ == ROWS.shape[1]
    np.testing.assert_array_equal(streamed.decision_function(table), streamed.decision_function(ROWS))
    np.testing.assert_array_equal(streamed.predict(table), streamed.predict(ROWS))
    np.testing.assert_array_equal(streamed.random_features(table), streamed.random_features(ROWS))


@pytest.mark.at_most(1)
@each_table
def test_more_classes_are_those_of_the_array(kind, tmp_path):
    codes = (LABELS + (ROWS[:, 0] > 0.2)).astype(np.int64)
    settings = {"gamma": 1.0, "n_features": 10, "classes": [0, 1, 2], "random_state": 1}
    streamed = KernelClassifier(**settings).fit(TABLES[kind](ROWS, codes, tmp_path))
    np.testing.assert_allclose(streamed.weights_, KernelClassifier(**settings).fit(ROWS, codes).weights_, atol=2e-6)


@pytest.mark.at_most(1)
@each_table
def test_many_fits_are_those_of_the_array(table):
    streamed, held = classifier().fit_many(table, count=3), classifier().fit_many(ROWS, LABELS, count=3)
    np.testing.assert_allclose(streamed.coef, held.coef, atol=2e-6)
    assert streamed.certificate.problem["feature_map"] == held.certificate.problem["feature_map"]


@pytest.mark.more
@each_table
def test_any_number_of_threads_gives_the_same_bits(table, monkeypatch):
    """Of so many blocks that the fit begins at the minimiser of a sample."""
    monkeypatch.setattr("discreet.data.blocks.transformed.block_rows", lambda _: 150)
    found = [classifier(n_jobs=jobs).fit(table).weights_ for jobs in (1, 2, 5)]
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_any_number_of_threads_gives_the_same_bits_for_long_tables_in_memory(monkeypatch):
    rows, labels = records(70_000, 3)
    monkeypatch.setattr(FeatureMapMatrix.__init__, "__kwdefaults__", {"held_bytes": 0, "recent": None})
    settings = {"n_features": 10, "classes": [0, 1], "random_state": 1}
    found = [KernelClassifier(**settings, n_jobs=jobs).fit(rows, labels).weights_ for jobs in (None, 3)]
    np.testing.assert_array_equal(found[0], found[1])


@each_table
def test_a_ledger_knows_the_rows_and_not_their_features(kind, table):
    held = Records(rows=FeatureMapMatrix(DenseMatrix(ROWS), FEATURES), targets=LABELS, domain=DOMAIN)
    streamed = streamed_records(mapped(table), domain=DOMAIN, classes=np.array([0, 1]))
    same = b"".join(held.content()) == b"".join(streamed.content())
    assert same is (kind != "sparse")  # a sparse table is known by its stored numbers


@pytest.mark.parametrize("passes", range(6))
def test_a_table_that_changes_is_an_error_in_every_pass(passes, tmp_path):
    """One pass counts, the next ones bring rows within bounds, serve the ledger's digests and the solver. A block is longer, or one is left out."""
    made = []

    def longer(number):
        made.append(number)
        rows = ROWS[:500] if len(made) <= 3 * passes + 2 else np.vstack((ROWS[:500], ROWS[:1]))
        return Block(DenseMatrix(rows), np.resize(LABELS[:500], len(rows)))

    class Shorter(FunctionTable):
        __slots__ = ("seen",)

        def map(self, work, jobs):
            self.seen = getattr(self, "seen", -1) + 1
            for number, result in enumerate(super().map(work, jobs)):
                if number < 2 or self.seen < max(1, passes):
                    yield result

    account = Account(str(tmp_path / "ledger"), "people")
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=20.0, delta=1e-5)
    for table in (
        FunctionTable(longer, blocks=3, features=6),
        Shorter(lambda k: Block(DenseMatrix(ROWS[500 * k : 500 * k + 500]), LABELS[:500]), blocks=3, features=6),
    ):
        with pytest.raises(Exception, match="the table changed while it was being read"):
            classifier(ledger=account).fit(table)


def test_huge_and_sparse_rows_have_features_too():
    """Norms of finite rows may overflow: what the map sees are their entries."""
    huge = np.full((4, 2), 1e300) * [[1.0, -1.0]]
    labels = np.array([0, 1, 0, 1])
    for matrix in (DenseMatrix, SparseMatrix):
        rows = matrix(huge) if matrix is DenseMatrix else matrix(sparse.csr_array(huge))
        table = FunctionTable(lambda _, rows=rows: Block(rows, labels), blocks=1, features=2)
        model = classifier().fit(table)
        np.testing.assert_array_equal(model.decision_function(table), model.decision_function(huge))


def test_blocks_without_records_change_nothing():
    cuts = [slice(0, 400), slice(400, 400), slice(400, 900)]
    table = FunctionTable(lambda k: Block(DenseMatrix(ROWS[cuts[k]]), LABELS[cuts[k]]), blocks=3, features=6)
    model = classifier().fit(table)
    np.testing.assert_allclose(model.weights_, classifier().fit(ROWS[:900], LABELS[:900]).weights_, atol=2e-6)
    np.testing.assert_array_equal(model.decision_function(table), model.decision_function(ROWS[:900]))
    np.testing.assert_array_equal(model.random_features(table), model.random_features(ROWS[:900]))
