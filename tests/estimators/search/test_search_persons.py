"""Private searches where persons have several rows: one moves a score as one record does, is in one part, and is what the certificate is about."""

import json
from collections import Counter
from itertools import count

import numpy as np
import pytest
from scipy import stats

from discreet import LinearSVC, LogisticRegression, PrivateSearchCV, Schema
from discreet.accounting import Unit
from discreet.certificates import Certificate
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import Persons
from discreet.data import Block, FunctionTable, NumericColumn, Target
from discreet.data.person_column import PersonColumn
from discreet.data.persons import keyed
from discreet.estimators.search import tables
from discreet.estimators.search.blocks import streamed_table
from discreet.estimators.search.tables import held_table
from discreet.ledger import Account, Ledger
from discreet.matrices import DenseMatrix
from discreet.mechanisms.persons import Owners, owners_of
from discreet.mechanisms.selection import CountNoise
from discreet.noise import SeededNoise, SystemNoise
from discreet.words.counting import WHOLE
from tests.parts import table_elsewhere

DRAW = np.random.default_rng(2)
ROWS = DRAW.uniform(-0.5, 0.5, (1200, 3))
LABELS = (ROWS[:, 0] > 0).astype(int)
OWNERS = DRAW.permutation(np.repeat(np.arange(400), [1, 2, 3, 6] * 100))
GRID = {"alpha": [0.01, 0.3]}
METHODS = ["random-stopping", "algorithm-4"]
RELATIONS = ["replace-one", "add-remove"]
STANDARD = LogisticRegression(classes=[0, 1])


def search(estimator=STANDARD, *, grid=GRID, **settings):
    return PrivateSearchCV(estimator, grid, **{"epsilon": 8.0, "delta": 1e-5, "rows_per_person": 4, "expected_runs": 3.0, **settings})


def in_blocks(kind="blocks", persons=OWNERS):
    def block(number):
        some = slice(500 * number, min(500 * (number + 1), 1200))
        return Block(DenseMatrix(ROWS[some]), LABELS[some], None, None if persons is None else persons[some])

    if kind == "blocks":
        return FunctionTable(block, blocks=3, features=3)
    return table_elsewhere([block(number) for number in range(3)], features=3)


def certified(found):
    assert found.certificate_.verify(found.best_estimator_.weights_).ok, found.certificate_.verify()
    return found.certificate_


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("weight", ["person", "row"])
@pytest.mark.parametrize("delta", [0.0, 1e-5])
def test_a_search_is_about_persons_and_its_certificate_verifies(method, neighbours, weight, delta):
    estimator = LogisticRegression(classes=[0, 1], neighbours=neighbours, public_records=400 if neighbours == "add-remove" else None)
    found = search(estimator, method=method, person_weight=weight, delta=delta).fit(ROWS, LABELS, persons=OWNERS)
    certificate = certified(found)
    assert certificate.guarantee.unit is Unit.PERSON
    assert certificate.problem["persons"] == {"rows": 4, "weight": weight}
    share = 400 // 3 if neighbours == "add-remove" else None
    in_part = [len(part) for part in np.array_split(np.arange(400), 3)]
    records = 400 if method == "random-stopping" else share or in_part[certificate.parameters["chosen"]]
    assert certificate.problem["records"] == records
    if method == "random-stopping" and weight == "person" and neighbours == "replace-one":
        assert found.best_score_ <= 1.0 + 25.0 * certificate.parameters["score_scale"] / 400  # beyond it with e^-25 a run


@pytest.mark.more
@pytest.mark.parametrize("method", METHODS)
def test_settings_with_other_mechanisms_are_persons_too(method):
    estimator = LogisticRegression(classes=[0, 1], neighbours="add-remove")
    found = search(estimator, grid={"mechanism": ["objective", "output"]}, method=method).fit(ROWS, LABELS, persons=OWNERS)
    assert certified(found).guarantee.unit is Unit.PERSON


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("settings", [{}, {"rows_per_person": 1}], ids=["several", "one"])
@pytest.mark.parametrize("kind", ["blocks", "dask"])
def test_a_table_in_blocks_brings_its_own_persons(method, settings, kind):
    found = search(method=method, **settings).fit(in_blocks(kind))
    assert certified(found).guarantee.unit is Unit.PERSON
    with pytest.raises(InvalidInput, match="leave persons out"):
        search(method=method).fit(in_blocks(kind), persons=OWNERS)
    with pytest.raises(InvalidInput, match="needs a column of person ids"):
        search(method=method).fit(in_blocks(kind, None))


@pytest.mark.parametrize("kind", ["blocks", "dask"])
def test_a_seeded_search_in_blocks_is_that_in_memory(kind):
    settings = {"random_state": 5, "neighbours": "replace-one"}
    held = search(random_state=5).fit(ROWS, LABELS, persons=OWNERS)
    read = search(random_state=5).fit(in_blocks(kind))
    assert (held.best_index_, held.best_score_) == (read.best_index_, read.best_score_), settings
    np.testing.assert_allclose(read.best_estimator_.weights_, held.best_estimator_.weights_, atol=1e-6)


def test_one_row_a_person_is_searched_as_rows_are():
    plain = search(rows_per_person=None, random_state=1).fit(ROWS, LABELS)
    declared = search(rows_per_person=1, random_state=1).fit(ROWS, LABELS)
    told = search(rows_per_person=1, random_state=1).fit(ROWS, LABELS, persons=np.arange(1200))
    assert plain.best_score_ == declared.best_score_ == told.best_score_
    np.testing.assert_allclose(told.best_estimator_.weights_, plain.best_estimator_.weights_, atol=1e-9)
    assert declared.certificate_.guarantee.unit is told.certificate_.guarantee.unit is Unit.PERSON


def test_a_schema_says_whose_rows_are_whose():
    schema = Schema(
        name="visits",
        target=Target(column="ill", classes=("no", "yes")),
        numeric=tuple(NumericColumn(name=name, lower=-0.5, upper=0.5) for name in "abc"),
        person=PersonColumn(column="id", rows=4),
    )
    table = {name: ROWS[:, place].tolist() for place, name in enumerate("abc")}
    table |= {"ill": [("no", "yes")[label] for label in LABELS], "id": OWNERS.tolist()}
    found = search(LinearSVC(data_norm=schema.norm_bound), rows_per_person=None).fit(schema.encode(table, target=True))
    assert certified(found).problem["persons"] == {"rows": 4, "weight": "person"}


def test_what_does_not_say_whose_rows_are_whose_is_refused_before_anything_is_spent(tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=9.0, delta=1e-4, unit=Unit.PERSON)
    account = Account(str(tmp_path / "ledger"), "people")
    for persons, rows, says in (
        (OWNERS, None, "person ids were given, but not the number of rows to"),
        (None, 3, "If each person has one row, pass rows_per_person=1"),
        (OWNERS[1:], 3, "one id for each row"),
    ):
        with pytest.raises(InvalidInput, match=says):
            search(rows_per_person=rows, ledger=account).fit(ROWS, LABELS, persons=persons)
    with pytest.raises(InvalidInput, match="the search sets"):
        search(grid={"rows_per_person": [2, 3]}).fit(ROWS, LABELS, persons=OWNERS)
    assert not Ledger(account.path).history("people")
    search(ledger=account).fit(ROWS, LABELS, persons=OWNERS)
    (entry,) = Ledger(account.path).history("people")
    assert entry.guarantee.unit is Unit.PERSON


class Right:
    """A model that is right about every row."""

    def predict(self, X):
        found = np.concatenate([block.targets for block in X.map(lambda _, block: block, 1)]) if hasattr(X, "map") else LABELS[: len(X)]
        return np.asarray(found)


def held(rows, *, persons=None, most=4, weight="person", noise=None):
    rule = Persons(rows=most, weight=weight)
    ids = np.arange(rows) // 4 if persons is None else persons
    source = SeededNoise(0) if noise is None else noise
    whose = lambda count: owners_of(ids, rule=rule, rows=count, noise=source)  # noqa: E731
    return held_table(ROWS[:rows], LABELS[:rows], classes=[0, 1], name="a search", owners_of_rows=whose, ids=ids)


@pytest.mark.parametrize("weight", ["person", "row"])
def test_a_person_moves_a_score_as_one_record_and_rows_that_count_whole_are_caught(monkeypatch, weight):
    def move():
        return held(40, weight=weight).correct(Right()) - held(36, weight=weight).correct(Right())

    assert move() == WHOLE
    streamed = streamed_table(
        FunctionTable(lambda _: Block(DenseMatrix(ROWS[:40]), LABELS[:40], None, np.arange(40) // 4), blocks=1, features=3),
        None, classes=[0, 1], max_weight=None, jobs=1, rule=Persons(rows=4, weight=weight), noise=SeededNoise(0),
    )  # fmt: skip
    assert streamed.correct(Right()) == streamed.weight == held(40, weight=weight).weight == 10 * WHOLE
    monkeypatch.setattr(Owners, "kept", lambda self, columns: (list(columns), np.ones(len(columns[0]))))  # the fault: rows count, not persons
    assert move() == 4 * WHOLE


def persons_of_parts(table, *, hidden, parts=3):
    """The persons of every part."""
    found: list[set[int]] = []
    for part in table.parts(parts, SystemNoise(), hidden=hidden):
        if part.in_blocks:
            found.append({int(one) for ids in part.X.map(lambda _, block: np.asarray(block.persons), 1) for one in ids})
        else:
            found.append({int(one) for one in part.persons})
    return found


@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("kind", ["memory", "blocks", "dask"])
def test_all_rows_of_a_person_are_in_one_part_and_a_cut_by_rows_is_caught(monkeypatch, hidden, kind):
    def table():
        if kind == "memory":
            return held(1200, persons=OWNERS)
        return streamed_table(in_blocks(kind), None, classes=[0, 1], max_weight=None, jobs=1, rule=Persons(rows=4), noise=SeededNoise(0))

    def shared():
        parts = persons_of_parts(table(), hidden=hidden)
        return sum(len(parts[i] & parts[j]) for i in range(3) for j in range(i))

    parts = table().parts(3, SystemNoise(), hidden=hidden)
    sizes = [part.shape[0] for part in parts]
    assert sum(sizes) == 400
    assert hidden or max(sizes) - min(sizes) <= 1
    assert sum(part.weight for part in parts) == table().weight
    assert shared() == 0
    if kind == "memory":
        by_rows = lambda self, which, persons=None: HELD_PART(self, DRAW.permutation(1200)[: len(which)], persons)  # noqa: E731 - the fault
        monkeypatch.setattr(tables.HeldTable, "_part", by_rows)
    else:
        blocks = count()  # the fault: a key a block, so that a person is another one in each
        monkeypatch.setattr("discreet.data.shared_table.keyed", lambda ids, key: keyed(ids, bytes([next(blocks) % 256]) + key[1:]))
    assert shared() > 0


HELD_PART = tables.HeldTable._part


def test_every_cut_of_persons_is_equally_likely():
    """Four persons of unlike numbers of rows, two parts of two: six cuts; a die of its own each where n is secret."""
    table = held(10, persons=np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3]))
    balanced = Counter(tuple(sorted(persons_of_parts(table, hidden=False, parts=2)[0])) for _ in range(1200))
    assert len(balanced) == 6
    assert stats.chisquare(list(balanced.values())).pvalue > 1e-9
    thrown = Counter(tuple(sorted(persons_of_parts(table, hidden=True, parts=2)[0])) for _ in range(1600))
    assert len(thrown) == 16
    assert stats.chisquare(list(thrown.values())).pvalue > 1e-9


@pytest.mark.parametrize("law", ["discrete-laplace", "discrete-gaussian"])
def test_the_noise_of_a_score_of_persons_costs_what_that_of_records_does(law):
    from discreet.core.neighbours import ADD_REMOVE

    plain, shared = (
        CountNoise(law=law, scale=5.0).guarantee(ADD_REMOVE),
        CountNoise(law=law, scale=5.0, persons=Persons(rows=50)).guarantee(ADD_REMOVE),
    )
    assert shared.unit is Unit.PERSON
    for epsilon in (0.0, 0.1, 0.3):
        assert shared.delta(epsilon) == pytest.approx(plain.delta(epsilon), rel=0.05)
    drawn = [CountNoise(law=law, scale=5.0, persons=Persons(rows=50)).score(7 * WHOLE, SystemNoise()) / WHOLE for _ in range(1000)]
    deviation = 5.0 * (2.0**0.5 if law == "discrete-laplace" else 1.0)
    assert abs(np.mean(drawn) - 7.0) < 0.2 * deviation
    assert 0.7 < np.std(drawn) / deviation < 1.4, "half the noise is far below"


@pytest.fixture(scope="module", params=METHODS)
def document(request):
    return certified(search(method=request.param).fit(ROWS, LABELS, persons=OWNERS)).to_dict()


def _in_all(document, change):
    change(document["problem"])
    for one in document["parameters"]["candidates"]:
        change(one["problem"])


@pytest.mark.at_most(3)
@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["guarantee"].update(unit="record"),
        lambda d: d["problem"].pop("persons"),
        lambda d: d["problem"]["persons"].update(rows=9),
        lambda d: d["parameters"]["candidates"][0]["problem"].pop("persons"),
        lambda d: d["parameters"]["candidates"][1]["problem"]["persons"].update(weight="row"),
        lambda d: d["parameters"]["candidates"][1]["guarantee"].update(unit="record"),
        lambda d: _in_all(d, lambda problem: problem.pop("persons")),
        lambda d: _in_all(d, lambda problem: problem["persons"].update(rows=1)),
    ],
)
def test_a_search_whose_persons_were_changed_does_not_verify(document, change):
    forged = json.loads(json.dumps(document))
    change(forged)
    assert not Certificate.from_dict(forged).verify().ok
