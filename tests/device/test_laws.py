"""Laws of rows on a device, here on the processor: every fit is that of the same records in memory, and a pass moves nothing as long as the table."""

import numpy as np
import pytest

from discreet import LassoClassifier, LinearSVC, LogisticRegression
from discreet.core.neighbours import ADD_REMOVE
from discreet.data import Block, Domain, FunctionTable, Records
from discreet.device import DeviceMatrix, transfer
from discreet.device import matrix as device
from discreet.losses import Logistic
from discreet.matrices import DenseMatrix, as_matrix
from discreet.mechanisms.release.eigenvalue_sketch import EigenvalueSketch
from discreet.mechanisms.release.sketch import GaussianSketch
from discreet.noise import SeededNoise
from discreet.objectives import objective_of
from discreet.problems import MultinomialRisk, RegularisedRisk
from discreet.queries import SecondMoments
from discreet.solvers import solve, solve_many
from tests.canary import CANARY
from tests.properties.block_tables import ROWS_IN_BLOCK, TABLES, records

pytest.importorskip("array_api_compat")
ROWS, LABELS = records()
MORE = LABELS + (ROWS[:, 0] > 0.5)
LIBRARIES = ["array_api_strict", "torch"]
each_library = pytest.mark.parametrize("library", LIBRARIES)
MODELS = {
    "logistic": (lambda **also: LogisticRegression(random_state=1, classes=[0, 1], **also), LABELS),
    "hinge": (lambda **also: LinearSVC(random_state=1, epsilon=0.5, delta=1e-6, classes=[0, 1], **also), LABELS),
    "huber": (lambda **also: LinearSVC(random_state=1, loss="huber-hinge", mechanism="output", classes=[0, 1], **also), LABELS),
    "multinomial": (lambda **also: LogisticRegression(random_state=1, classes=[0, 1, 2], **also), MORE),
    "one-vs-rest": (lambda **also: LinearSVC(random_state=1, classes=[0, 1, 2], **also), MORE),
    "weights": (lambda **also: LogisticRegression(random_state=1, classes=[0, 1], class_weight={1: 0.25}, fit_intercept=False, **also), LABELS),
    "no noise": (lambda **also: LogisticRegression(epsilon=np.inf, alpha=1e-2, classes=[0, 1], **also), LABELS),
}
each_model = pytest.mark.parametrize("model", MODELS)


def there(library, rows):
    return pytest.importorskip(library).asarray(np.array(rows))


@pytest.mark.at_most(3)
@each_library
@each_model
def test_a_fit_there_is_the_fit_in_memory(library, model):
    make, labels = MODELS[model]
    found, expected = make().fit(there(library, ROWS), labels), make().fit(ROWS, labels)
    np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-6)
    np.testing.assert_allclose(found.decision_function(there(library, ROWS)), expected.decision_function(ROWS), atol=1e-5)
    if model == "logistic":
        again = make().fit(there(library, ROWS), there(library, labels))
        np.testing.assert_array_equal(again.weights_, found.weights_)


def test_tensors_that_remember_gradients_and_labels_of_every_kind_are_taken():
    torch = pytest.importorskip("torch")
    expected = LogisticRegression(random_state=1, classes=[0, 1]).fit(ROWS, LABELS).weights_
    rows = torch.tensor(ROWS, requires_grad=True)
    for labels in (torch.tensor(LABELS, dtype=torch.int32), torch.tensor(LABELS, dtype=torch.float64, requires_grad=True), LABELS.tolist()):
        np.testing.assert_allclose(LogisticRegression(random_state=1, classes=[0, 1]).fit(rows, labels).weights_, expected, atol=1e-6)
    answers = LogisticRegression(random_state=1, classes=[False, True]).fit(rows, torch.tensor(LABELS, dtype=torch.bool))
    np.testing.assert_allclose(answers.weights_, expected, atol=1e-6)
    weights = np.where(LABELS == 1, 0.5, 1.0)
    one, other = (
        LogisticRegression(random_state=1, classes=[0, 1], max_sample_weight=1.0).fit(X, LABELS, sample_weight=given)
        for X, given in ((rows, torch.tensor(weights)), (ROWS, weights))
    )
    np.testing.assert_allclose(one.weights_, other.weights_, atol=1e-6)


@pytest.mark.at_most(2)
@each_library
@pytest.mark.parametrize("model", ["logistic", "hinge", "multinomial", "one-vs-rest"])
def test_many_fits_there_are_those_in_memory(library, model):
    make, labels = MODELS[model]
    found, expected = (make().fit_many(rows, labels, count=4) for rows in (there(library, ROWS), ROWS))
    np.testing.assert_allclose(found.coef, expected.coef, atol=1e-6)


@each_model
@pytest.mark.parametrize("jobs", [1, 2])
def test_rows_that_are_moved_there_give_the_same_fit(model, jobs):
    pytest.importorskip("torch")
    make, labels = MODELS[model]
    expected = make().fit(ROWS, labels)
    np.testing.assert_allclose(make(device="cpu").fit(ROWS, labels).weights_, expected.weights_, atol=1e-6)
    pieces = [slice(start, start + ROWS_IN_BLOCK) for start in range(0, len(ROWS), ROWS_IN_BLOCK)]
    seen = []

    def block(number):
        seen.append(number)
        return Block(DenseMatrix(ROWS[pieces[number]]), labels[pieces[number]])

    table = FunctionTable(block, blocks=len(pieces), features=ROWS.shape[1])
    moved = make(device="cpu", n_jobs=jobs).fit(table)
    np.testing.assert_allclose(moved.weights_, expected.weights_, atol=1e-6)
    np.testing.assert_allclose(moved.predict(table), expected.predict(ROWS))
    assert len(seen) > 2 * len(pieces)


@pytest.mark.parametrize("kind", [kind for kind in TABLES if "dask" not in kind])
def test_every_table_in_blocks_may_be_moved(kind, tmp_path):
    pytest.importorskip("torch")
    table = TABLES[kind](ROWS, LABELS, tmp_path)
    found = LogisticRegression(random_state=1, classes=[0, 1], device="cpu").fit(table)
    np.testing.assert_allclose(found.weights_, LogisticRegression(random_state=1, classes=[0, 1]).fit(ROWS, LABELS).weights_, atol=1e-6)


@each_library
def test_methods_over_a_set_take_them_too(library):
    found, expected = (LassoClassifier(random_state=1, classes=[0, 1]).fit(rows, LABELS) for rows in (there(library, ROWS), ROWS))
    np.testing.assert_allclose(found.weights_, expected.weights_, atol=1e-6)


@each_library
@pytest.mark.parametrize("kind", [GaussianSketch, EigenvalueSketch])
def test_a_sketch_of_rows_there_is_the_same_to_the_last_bit(library, kind):
    domain = Domain(features=6, norm_bound=0.5, entry_bound=0.4, target_bound=1.0)
    query = SecondMoments(domain=domain, most_records=10_000)
    mechanism = kind.calibrate(query, rows=20, epsilon=1.0, delta=1e-6, neighbours=ADD_REMOVE)
    data = [Records(rows=as_matrix(rows), targets=ROWS[:, 0] - 0.2, domain=domain) for rows in (there(library, ROWS), ROWS)]
    found, expected = (np.concatenate(list(mechanism.draw(query, one, SeededNoise(1)).blocks)) for one in data)
    np.testing.assert_array_equal(found, expected)


class Traffic:
    """Counts the numbers that pass between the processor and a device."""

    def __init__(self, monkeypatch):
        self.numbers = 0
        for name in ("to_host", "to_device", "number_on_host"):
            monkeypatch.setattr(transfer, name, self._counted(getattr(transfer, name)))

    def _counted(self, passes):
        def counting(values, *rest):
            self.numbers += int(np.prod(values.shape))
            return passes(values, *rest)

        return counting

    def of(self, work):
        """How many numbers travel while `work()` runs."""
        self.numbers = 0
        work()
        return self.numbers


def objectives(library, count, features):
    """Of two and of three classes, in long tables."""
    rng = np.random.default_rng(5)
    rows, codes = rng.standard_normal((count, features)), rng.integers(0, 3, count)
    for classes in (2, 3):
        domain = Domain(features=features, norm_bound=1.0, intercept_scale=0.3, classes=classes)
        data = Records(rows=as_matrix(there(library, rows)), targets=np.minimum(codes, classes - 1), domain=domain)
        assert isinstance(data.matrix, DeviceMatrix)
        if classes == 2:
            yield objective_of(RegularisedRisk(loss=Logistic(), ridge=10.0, domain=domain), data)
        else:
            yield objective_of(MultinomialRisk(ridge=10.0, domain=domain), data)


def passes(objective, columns):
    """Everything that a solver may ask of it, by name."""
    rng = np.random.default_rng(6)
    point, direction = rng.standard_normal((2, objective.dimension))
    points = rng.standard_normal((objective.dimension, columns))
    margins, change = objective.margins(point), objective.margins(direction)
    bends = objective.curvatures(margins)
    return {
        "margins": lambda: objective.margins(point),
        "value": lambda: objective.value(point, margins),
        "gradient": lambda: objective.gradient(point, margins),
        "curvatures": lambda: objective.curvatures(margins),
        "hessian": lambda: objective.hessian(bends, single_precision=True),
        "product": lambda: objective.hessian_product(bends, direction),
        "diagonal": lambda: objective.hessian_diagonal(bends),
        "preconditioner": lambda: objective.preconditioner(bends),
        "slope": lambda: objective.slope_along(0.5, margins, change, 0.0, 0.0),
        "certificate": lambda: objective.certified_gradients(points, None),
        "fine certificate": lambda: objective.certified_gradients(1e6 * points, None),
        "sample": objective.sample,
    }


@each_library
@pytest.mark.parametrize("features", [3, 20])
def test_what_travels_in_a_pass_is_independent_of_how_long_the_table_is(library, features, monkeypatch):
    """At most 8 (d^2 + d k) numbers, d counting all weights of a model and k the models; of ten times the records, exactly as many."""
    traffic, columns = Traffic(monkeypatch), 5
    for short, long in zip(objectives(library, 700, features), objectives(library, 7000, features), strict=True):
        bound = 8 * (short.dimension**2 + short.dimension * columns)
        few = {name: traffic.of(work) for name, work in passes(short, columns).items()}
        many = {name: traffic.of(work) for name, work in passes(long, columns).items()}
        assert few == many
        assert max(few.values()) <= bound
        assert few["gradient"] == short.dimension
        assert few["curvatures"] == 0


@each_library
def test_what_travels_in_a_whole_fit_is_small(library, monkeypatch):
    traffic = Traffic(monkeypatch)
    count, features = 7000, 3
    objective, _ = objectives(library, count, features)
    assert traffic.of(lambda: solve(objective, tolerance=1e-8)) < count // 10
    linears = np.random.default_rng(7).standard_normal((objective.dimension, 5))
    assert traffic.of(lambda: solve_many(objective, linears, tolerance=1e-8)) < count // 5


def test_a_count_of_what_travels_sees_a_long_vector(monkeypatch):
    """The law above can fail: the same matrix asked for vectors of NumPy moves n numbers a product."""
    traffic = Traffic(monkeypatch)
    matrix = as_matrix(there("array_api_strict", ROWS))
    assert traffic.of(lambda: matrix.matvec(np.ones(6))) == 6 + len(ROWS)


@each_library
def test_chunks_of_a_device_change_nothing_but_rounding(library, monkeypatch):
    make, labels = MODELS["logistic"]
    expected = make().fit(ROWS, labels)
    monkeypatch.setattr(device, "CHUNK_BYTES", 1)
    np.testing.assert_allclose(make().fit(there(library, ROWS), labels).weights_, expected.weights_, atol=1e-6)


@each_library
def test_nothing_prints_a_record(library):
    rows = np.array(ROWS)
    rows[0, 0] = float(CANARY)
    domain = Domain(features=6, norm_bound=1.0, classes=2)
    data = Records(rows=as_matrix(there(library, rows)), targets=LABELS, domain=domain)
    objective = objective_of(RegularisedRisk(loss=Logistic(), ridge=10.0, domain=domain), data)
    for one in (data, data.matrix, objective, objective.certified_sums(np.zeros((6, 1)))):
        assert str(CANARY) not in repr(one)
