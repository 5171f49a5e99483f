"""Released rows of persons who own several: how many of each leave, what noise hides them, what is said, and what is refused."""

import json
import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

from discreet.accounting import Unit
from discreet.cli import program
from discreet.core.errors import InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE, Persons
from discreet.data import Block, Domain, FunctionTable, NumberTarget, NumericColumn, Schema
from discreet.data.person_column import PersonColumn
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.release import FisherNoise, FreshProjection, GaussianRelease
from discreet.noise import SeededNoise, SystemNoise
from discreet.queries import Projection, Rows, Target, WeightedRows
from discreet.releases import publish, read_release
from discreet.releases.methods.columns import released_schema
from discreet.releases.records import held_records

GENERATOR = np.random.default_rng(5)
IDS = np.repeat(np.arange(60), GENERATOR.integers(1, 9, 60))[GENERATOR.permutation(240) % 60]
X = GENERATOR.uniform(-1, 1, (len(IDS), 3))
Y = np.sign(X[:, 0])
BOX = Domain(features=3, entry_bound=1.0, target_bound=1.0)
BALL = Domain(features=1, norm_bound=1.0, target_bound=1.0)
PRIVATE = {"epsilon": 1.0, "delta": 1e-6}
METHODS = {"additive": {}, "fisher": {"weights": [1.0, 2.0, 4.0, 1.0]}, "projection": {"width": 2}, "fresh-projection": {"width": 2}}


@pytest.fixture
def account(tmp_path):
    Ledger.create(tmp_path / "ledger").declare("visits", epsilon=2.5, delta=1e-4, unit=Unit.PERSON)
    return Account(str(tmp_path / "ledger"), "visits")


def of_persons(domain, rows):
    return replace(domain, persons=Persons(rows=rows))


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
@pytest.mark.parametrize("method", METHODS)
def test_rows_of_persons_are_published_checked_and_described(method, neighbours, tmp_path):
    asked = {"method": method, "domain": BOX, "neighbours": neighbours, "slots": 300, **PRIVATE, **METHODS[method]}
    made = publish(X, tmp_path / "out", SystemNoise(), y=Y, persons=IDS, rows_per_person=3, **asked)
    assert made.verify().ok
    assert made.guarantee.unit is Unit.PERSON
    assert (made.shape[0], made.slots, made.records) == (300, 300, None)
    said = " ".join(line for _, lines in read_release(tmp_path / "out").inspection() for line in lines)
    assert "Each person, with all of their rows" in said
    assert "at most 300 rows of persons" in said
    assert ("number of persons: it is taken as known" in said) is (neighbours is REPLACE_ONE)


@pytest.mark.parametrize("method", ["sketch", "eigenvalue-sketch"])
@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_sketches_of_persons_need_no_slots_and_weigh_a_person_once(method, neighbours, tmp_path):
    asked = {"method": method, "domain": BOX, "neighbours": neighbours, "rows": 30, "most_records": 1000, **PRIVATE}
    made = publish(X, tmp_path / "out", SystemNoise(), y=Y, persons=IDS, rows_per_person=3, person_weight="row", **asked)
    assert made.verify().ok
    assert (made.guarantee.unit, made.certificate.problem["persons"]) == (Unit.PERSON, {"rows": 3, "weight": "row"})
    said = " ".join(line for _, lines in made.inspection() for line in lines)
    assert "weighted to add up to one" in said
    assert "Each person, with all of their rows" in said


def test_noise_hides_the_square_root_of_the_rows_of_a_person():
    for make in (
        lambda domain: (GaussianRelease, Rows(domain=domain)),
        lambda domain: (GaussianRelease, Projection.from_public_seed(domain, width=2, seed=3)),
        lambda domain: (FisherNoise, WeightedRows.of(domain, target=Target.OMITTED)),
        lambda domain: (FreshProjection, Rows(domain=domain)),
    ):
        for neighbours in (REPLACE_ONE, ADD_REMOVE):
            sizes = []
            for rows in (1, 9):
                kind, query = make(of_persons(BOX, rows))
                more = {"width": 3} if kind is FreshProjection else {}
                made = kind.calibrate(query, **PRIVATE, **more, neighbours=neighbours, slots=20)
                sizes.append(made.inner.deviation if isinstance(made, FisherNoise) else made.deviation)
                assert made.guarantee(query).delta_at_epsilon <= PRIVATE["delta"]
            assert sizes[1] / sizes[0] == pytest.approx(3.0, rel=1e-5)


def told_apart(mechanism, query, ids, runs=250):
    """The hockey-stick divergence at 1/2 of all rows of one person from nobody's, at the event that tells best, and its standard error."""
    deviation = math.sqrt(mechanism.slots) * mechanism.deviation
    mu = one_person(query.domain, ids).records / deviation
    over = []
    for owners in (ids, ids[:0]):
        sums = [sum(map(np.sum, mechanism.draw(query, one_person(query.domain, owners), SystemNoise()).blocks)) for _ in range(runs)]
        over.append(np.array(sums) / deviation > 0.5 / mu + 0.5 * mu)
    return over[0].mean() - math.exp(0.5) * over[1].mean(), math.sqrt((over[0].var() + math.e * over[1].var()) / runs)


def one_person(domain, ids):
    """A person whose rows are all alike, of the largest norm, as the ids tell them apart."""
    return held_records(np.ones((len(ids), 1)), domain, Target.OMITTED, schema=None, y=None, persons=ids, noise=SystemNoise())


def test_a_person_of_equal_rows_reaches_the_claim_and_two_faults_break_it():
    """Four of sixteen rows are kept, and the claim is delta = .15 at epsilon 1/2."""
    query, alone = Rows(domain=of_persons(BALL, 4)), Rows(domain=of_persons(BALL, 1))
    asked = {"epsilon": 0.5, "delta": 0.15, "neighbours": ADD_REMOVE, "slots": 4}
    right, ids = GaussianRelease.calibrate(query, **asked), np.zeros(16, dtype=int)
    found, error = told_apart(right, query, ids)
    assert abs(found - 0.15) < 6 * error
    found, error = told_apart(GaussianRelease.calibrate(alone, **asked), query, ids)
    assert found > 0.15 + 4.5 * error, "the noise of one row"
    found, error = told_apart(replace(right, slots=16), query, np.arange(16))
    assert found > 0.15 + 4.5 * error, "sixteen rows of one person, as if of sixteen"


def test_at_most_so_many_rows_of_a_person_leave_and_nobody_sees_which_belong_together():
    """Under next to no noise: kept rows are uniform among a person's, places uniform among all, whoever owns them."""
    domain = of_persons(Domain(features=4, norm_bound=1.0, target_bound=1.0), 2)
    query, ids = Rows(domain=domain), np.array([7, 7, 7, 9])
    tiny = GaussianRelease(step=2.0**-40, scale=4096.0, neighbours=REPLACE_ONE, epsilon=1.0, slots=4)
    kept, pairs = np.zeros(4), np.zeros((4, 4))
    for _ in range(600):
        data = held_records(np.eye(4), domain, Target.OMITTED, schema=None, y=None, persons=ids, noise=SystemNoise())
        seen = np.rint(next(tiny.draw(query, data, SystemNoise()).blocks))
        assert seen.sum() == 3
        kept += seen.sum(axis=0)
        first, second = np.flatnonzero(seen[:, :3].any(axis=1))
        pairs[first, second] += 1
    assert kept[3] == 600
    assert np.all(np.abs(kept[:3] - 400) < 6 * math.sqrt(600 * 2 / 9))
    assert np.all(np.abs(pairs[np.triu_indices(4, 1)] - 100) < 6 * math.sqrt(100))


def test_blocks_release_the_rows_that_memory_does(tmp_path):
    table = FunctionTable(lambda number: Block(as_matrix(X), Y, None, IDS).part(slice(40 * number, 40 * number + 40)), blocks=6, features=3)
    asked = {"method": "additive", "domain": BOX, "rows_per_person": 2, "slots": 300, **PRIVATE}
    held = publish(X, tmp_path / "held", SeededNoise(3), y=Y, persons=IDS, **asked)
    assert np.array_equal(publish(table, tmp_path / "blocks", SeededNoise(3), **asked).values(), held.values())


def test_a_ledger_of_persons_takes_the_release(account, tmp_path):
    asked = {"method": "additive", "domain": BOX, "slots": 300, **PRIVATE}
    publish(X, tmp_path / "out", SystemNoise(), y=Y, persons=IDS, rows_per_person=3, account=account, **asked)
    assert len(Ledger(account.path).history("visits")) == 1


VISITS = {"age": 20 + 60 * np.abs(X[:, 0]), "hours": 80 * np.abs(X[:, 1]), "income": 50 + 50 * X[:, 2], "who": IDS}
PEOPLE = Schema(
    name="visits",
    rows="bound",
    target=NumberTarget(column="income", lower=0, upper=100, outside="clip"),
    numeric=(NumericColumn(name="age", lower=0, upper=100), NumericColumn(name="hours", lower=0, upper=80, outside="clip")),
)
WHOSE = replace(PEOPLE, person=PersonColumn(column="who", rows=3))


def test_a_schema_says_whose_rows_are_whose_in_memory_in_files_and_on_the_command_line(tmp_path):
    frame = pl.DataFrame(VISITS)
    frame.write_parquet(tmp_path / "visits.parquet")
    (tmp_path / "visits.toml").write_text(WHOSE.to_toml())
    asked = {"method": "additive", "schema": WHOSE, "slots": 300, **PRIVATE}
    held = publish(frame, tmp_path / "held", SeededNoise(3), **asked)
    assert np.array_equal(publish([tmp_path / "visits.parquet"], tmp_path / "files", SeededNoise(3), **asked).values(), held.values())
    assert (held.guarantee.unit, held.schema, "who" in held.column_names) == (Unit.PERSON, released_schema(WHOSE), False)
    typed = ["--method", "additive", "--epsilon", "1", "--delta", "1e-6", "--slots", "300", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(program, ["release", str(tmp_path / "visits.parquet"), "--schema", str(tmp_path / "visits.toml"), *typed])
    assert done.exit_code == 0, done.output
    made = read_release(tmp_path / "out")
    assert made.verify().ok
    assert (made.guarantee.unit, made.parameters["scale"]) == (Unit.PERSON, held.parameters["scale"])
    with pytest.raises(InvalidInput, match="leave persons out"):
        publish(frame, tmp_path / "twice", SystemNoise(), persons=IDS, **asked)
    with pytest.raises(InvalidInput, match="Leave both out of the estimator, or make them equal"):
        publish(frame, tmp_path / "twice", SystemNoise(), rows_per_person=2, **asked)


@pytest.mark.parametrize(
    ("asked", "unit"),
    [
        ({"method": "additive", **PRIVATE}, Unit.PERSON),
        ({"method": "additive", "target": "clear", **PRIVATE}, Unit.FEATURES),
        ({"method": "additive", "bits": 0.5}, Unit.ENTRY),
        ({"method": "bounded", "half_width": 20.0, "epsilon": 1.0}, Unit.ENTRY),
        ({"method": "fresh-projection", "width": 2, **PRIVATE}, Unit.PERSON),
        ({"method": "sketch", "rows": 20, "most_records": 1000, **PRIVATE}, Unit.PERSON),
        ({"method": "information-sketch", "rows": 20, "most_records": 1000, "bits": 0.5}, Unit.ENTRY),
    ],
)
def test_where_nobody_has_a_second_row_a_record_is_a_person_and_less_than_a_record_stays_what_it_is(asked, unit, tmp_path):
    made = publish(pl.DataFrame(VISITS), tmp_path / "out", SystemNoise(), schema=replace(PEOPLE, rows_per_person=1), **asked)
    assert made.guarantee.unit is unit
    assert made.verify().ok


def test_a_schema_with_another_rule_than_the_certificate_is_found(tmp_path):
    made = publish(pl.DataFrame(VISITS), tmp_path / "out", SystemNoise(), method="additive", schema=WHOSE, slots=300, **PRIVATE)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    manifest["discreet:schema"]["person"]["rows"] = 30
    (tmp_path / "out" / "manifest.json").write_text(json.dumps(manifest))
    failed = {check.name for check in read_release(tmp_path / "out").verify().checks if not check.ok}
    assert {"manifest", "schema"} <= failed
    assert made.verify().checks


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"method": "additive"}, "the released rows would reveal how many rows each"),
        ({"method": "additive", "slots": 20}, "declare more slots"),
        ({"method": "additive", "target": "clear", "slots": 300}, "not about persons"),
        ({"method": "additive", "slots": 300, "rows_per_person": None}, "rows_per_person=M"),
        ({"method": "additive", "slots": 300, "persons": None}, "an id for each row"),
        ({"method": "additive", "slots": 300, "persons": IDS[1:]}, "one id for each row"),
        ({"method": "bounded", "half_width": 20.0, "delta": None}, "not about persons"),
    ],
)
def test_what_protects_no_person_is_refused_before_anything_is_spent(account, asked, words, tmp_path):
    given = {"domain": BOX, "y": Y, "persons": IDS, "rows_per_person": 3, "account": account, **PRIVATE, **asked}
    with pytest.raises(InvalidInput, match=words):
        publish(X, tmp_path / "out", SystemNoise(), **given)
    assert not Ledger(account.path).history("visits")


def test_one_row_of_each_as_declared_leaves_in_the_order_of_the_table(tmp_path):
    made = publish(X, tmp_path / "out", SystemNoise(), y=Y, rows_per_person=1, method="additive", domain=BOX, **PRIVATE)
    assert (made.guarantee.unit, made.records, made.slots) == (Unit.PERSON, len(X), None)
    assert made.verify().ok
