"""Descriptions: what they hold, that their counts add up, and that they are the same wherever the records are."""

import json
from dataclasses import replace
from datetime import date

import numpy as np
import polars as pl
import pytest

from discreet import describe
from discreet.accounting import Unit
from discreet.certificates import Release
from discreet.core.errors import FileFormatError, InvalidInput
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import (
    Block,
    CategoricalColumn,
    FunctionTable,
    NumberTarget,
    NumberTargets,
    NumericColumn,
    PersonColumn,
    Schema,
    Target,
    schema_files,
)
from discreet.descriptions import prepare_description, read_description
from discreet.descriptions.describe import describe_prepared
from discreet.descriptions.read import read_description as read_from_integers
from discreet.descriptions.records import counted, plain_schema
from discreet.descriptions.stored import description_from, mechanism_of
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.matrices import DenseMatrix
from discreet.mechanisms.cuts.columns import whose_rows
from discreet.noise import SeededNoise
from tests.descriptions.people import CITIES, SCHEMA, SEVERAL, WARDS, people
from tests.parts import cluster_here

TABLE = people(1500)
ASKED = {"by": "city", "pairs": [("ward", "ill")], "whole": ["age"]}
FEW = {"by": None, "pairs": [], "whole": [], "columns": ["age", "ill"]}
"""Where it does not matter what is asked: a fifth of the time."""
RELATIONS = [REPLACE_ONE, ADD_REMOVE]


def described(table=TABLE, schema=SCHEMA, **settings):
    return describe(table, schema, **{"epsilon": 1.0, "delta": 1e-6, "random_state": 1, **ASKED, **settings})


def consistent(found):
    """Every count is an integer of at least 0, and they add up wherever the same records are counted."""
    groups, whole = found.parts[:-1], found.whole
    for part in found.parts:
        n = part.records.count
        for counts in part.categories.values():
            assert sum(one.count for one in counts) == n
        for one in part.numbers.values():
            assert sum(each.count for each in one.bins) + (one.missing.count if one.missing else 0) == n
            assert len(one.edges) == len(one.bins) + 1
        for (first, second), table in part.pairs.items():
            assert [sum(one.count for one in row) for row in table] == [one.count for one in part.categories[first]]
            assert [sum(row[j].count for row in table) for j in range(len(table[0]))] == [one.count for one in part.categories[second]]
            assert all(one.count >= 0 for row in table for one in row)
        every = [one for counts in part.categories.values() for one in counts]
        every += [one for number in part.numbers.values() for one in number.bins]
        for one in every:
            assert one.count >= 0
            assert 0 <= one.low <= one.count <= one.high
            assert 0 <= one.share.low <= one.share.value <= one.share.high <= 1
        for name, one in part.numbers.items():
            bounds = (one.edges[0], one.edges[-1])
            for estimate in (one.mean, *one.quantiles):
                assert bounds[0] <= estimate.low <= estimate.noise_low <= estimate.value <= estimate.noise_high <= estimate.high <= bounds[1], name
    if groups:
        assert sum(part.records.count for part in groups) == whole.records.count
        for name, counts in whole.categories.items():
            assert [one.count for one in counts] == [sum(part.categories[name][i].count for part in groups) for i in range(len(counts))]
    if found.records is not None:
        assert whole.records.count == found.records
        assert whole.records.low == whole.records.high


@pytest.mark.parametrize("epsilon", [0.05, 1.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_counts_add_up_whatever_the_noise(neighbours, delta, epsilon):
    found = described(epsilon=epsilon, delta=delta, neighbours=neighbours)
    consistent(found)
    assert found.guarantee.epsilon == pytest.approx(epsilon)
    assert (found.records is None) is (neighbours is ADD_REMOVE)


def test_with_little_noise_it_is_what_the_table_says():
    found = described(epsilon=90.0, delta=1e-3)
    consistent(found)
    for name, part in zip(CITIES, found.parts, strict=False):
        group = TABLE.filter(pl.col("city") == name)
        assert part.name == name
        assert abs(part.records.count - group.height) <= 2
        age, income, seen = (part.numbers[column] for column in ("age", "income", "seen"))
        assert age.mean.value == pytest.approx(group["age"].mean(), abs=0.3)
        assert age.deviation.value == pytest.approx(group["age"].std(), abs=0.6)
        assert [one.value for one in age.quantiles] == pytest.approx([group["age"].quantile(q, "nearest") for q in (0.25, 0.5, 0.75)], abs=1.0)
        assert abs(income.missing.count - group["income"].null_count()) <= 4
        assert income.mean.value == pytest.approx(group["income"].mean(), rel=0.05)
        assert income.quantiles[1].value == pytest.approx(group["income"].median(), rel=0.1)
        middle = (group["seen"].median().date() - date(1970, 1, 1)).days
        assert seen.quantiles[1].value == pytest.approx(middle, abs=12)
        for i, ward in enumerate(WARDS):
            assert abs(part.categories["ward"][i].count - group.filter(pl.col("ward") == ward).height) <= 4
            for j, ill in enumerate(("no", "yes")):
                true = group.filter((pl.col("ward") == ward) & (pl.col("ill") == ill)).height
                assert abs(part.pairs["ward", "ill"][i][j].count - true) <= 5


@pytest.mark.at_most(2)
@pytest.mark.parametrize("person", [None, SEVERAL, replace(SEVERAL, weight="row"), PersonColumn(column="id", rows=1)])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_persons_are_the_unit_in_memory_and_in_blocks(person, neighbours, tmp_path):
    table, schema = people(250, visits=4), replace(SCHEMA, person=person)
    for number, start in enumerate(range(0, table.height, 200)):
        table.slice(start, 200).write_parquet(tmp_path / f"{number}.parquet")
    here = described(table, schema, neighbours=neighbours, epsilon=20.0, delta=1e-3, **FEW)
    consistent(here)
    there = described(lambda one: schema_files(tmp_path, one), schema, neighbours=neighbours, epsilon=20.0, delta=1e-3, **FEW)
    assert here.certificate.guarantee.unit is (Unit.RECORD if person is None else Unit.PERSON)
    assert here.certificate.to_dict().keys() == there.certificate.to_dict().keys()
    counted_here, counted_there = (np.array([one.count for one in found.whole.categories["ill"]]) for found in (here, there))
    if person is None or person.rows == 3:
        # Of persons with one row the row that is kept is drawn, elsewhere in blocks.
        assert np.abs(counted_here - counted_there).max() <= (0 if person is None else 30)
    expected = table.height if person is None else np.minimum(np.unique(table["id"], return_counts=True)[1], person.rows)
    total = table.height if person is None else int(expected.sum()) if person.weight == "row" else len(expected)
    assert abs(here.whole.records.count - total) <= 12


@pytest.mark.more
@pytest.mark.parametrize("person", [None, SEVERAL])
def test_a_cluster_counts_as_this_machine_does(person, tmp_path):
    table, schema = people(100, visits=4), replace(SCHEMA, person=person)
    for number, start in enumerate(range(0, table.height, 80)):
        table.slice(start, 80).write_parquet(tmp_path / f"{number}.parquet")
    client = cluster_here().Here()
    here = described(lambda one: schema_files(tmp_path, one), schema, epsilon=5.0)
    there = described(lambda one: schema_files(tmp_path, one).on(client, remember=False), schema, epsilon=5.0)
    assert client.sent
    assert here.to_dict() == there.to_dict()


@pytest.mark.parametrize("person", [None, SEVERAL, replace(SEVERAL, weight="row")])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_no_record_and_no_person_moves_the_answers_farther_than_the_noise_is_for(person, neighbours):
    """Tables of a few people without one of them, or with another one in the place: every pair of them."""
    schema = replace(SCHEMA, person=person)
    prepared = prepare_description(schema, epsilon=1.0, delta=1e-6, neighbours=neighbours, **ASKED)
    asked = prepared.asked
    plain, query = plain_schema(asked), asked.queries
    (move,) = query.sensitivities(neighbours)
    pool = people(8, seed=3, visits=4)
    worst = pl.DataFrame({"age": [0.0, 99.0], "income": [200_000.0, 0.0], "seen": [date(2023, 1, 1), date(2020, 1, 1)], "city": ["north"] * 2})
    worst = worst.with_columns(ward=pl.Series(["A", "D"]), ill=pl.Series(["no", "yes"]), id=pl.Series([100, 101]))
    pool = pl.concat([pool, *[worst.select(pool.columns)] * 3], how="vertical_relaxed")

    def answer(table):
        encoded = plain.encode(table, target=True)
        whose = whose_rows(encoded, SeededNoise(0), rows_per_person=None, person_weight="person", jobs=1)
        return counted(asked, plain, whose, jobs=1).answer.astype(float)

    key = pool.with_row_index("row")["row"] if person is None else pool["id"]
    each = [answer(pool.filter(key == one)) for one in key.unique(maintain_order=True)]
    if neighbours is REPLACE_ONE:
        moves = [here - there for here in each for there in each]
    else:
        moves = each
    lengths = [float(np.linalg.norm(one)) for one in moves]
    assert max(lengths) <= move.step
    assert max(lengths) >= 0.8 * move.step
    assert max(float(np.abs(one).sum()) for one in moves) <= move.manhattan
    assert max(np.count_nonzero(one) for one in moves) <= max(move.spread, 1)


def test_groups_cost_nothing_and_columns_what_they_must():
    """The noise on a column of counts: the same with groups, about sqrt(c) of that of one column with c of them, where a delta is large enough."""

    def noise(**settings):
        prepared = prepare_description(SCHEMA, epsilon=1.0, delta=1e-2, **settings)
        return prepared.mechanism.scales[0] / prepared.asked.query.tables[-1].levels[0][1]

    alone = noise(columns=["ward"])
    assert noise(columns=["ward"], by="city") == pytest.approx(alone, rel=1e-3)
    assert noise(columns=["ward", "ill"]) == pytest.approx(2**0.5 * alone, rel=1e-3)


def test_a_file_says_all_of_it_and_what_follows_from_it(tmp_path):
    found = described(random_state=None)
    found.verify().require()
    found.save(tmp_path / "description.json")
    again = read_description(tmp_path / "description.json")
    assert again.to_dict() == found.to_dict()
    assert str(again) == str(found)
    truth = json.loads(found.to_json())

    def lied(change):
        document = json.loads(json.dumps(truth))
        change(document)
        return json.dumps(document)

    lies = {
        "a mean": lambda said: said["parts"][0]["numbers"]["age"]["mean"].update(value=30.0),
        "a count": lambda said: said["parts"][0]["records"].update(count=1),
        "a bound": lambda said: said["schema"]["numeric"][0].update(upper=90.0),
        "a label": lambda said: said["schema"]["categorical"][0].update(categories=["north", "south", "west"]),
        "a group": lambda said: said["asked"].update(by="ward"),
        "more records": lambda said: said.update(records=None),
        "another level": lambda said: said.update(level=0.9),
        "steps": lambda said: said["asked"].update(steps=64),
        "one answer less": lambda said: said.update(value=said["value"][1:]),
        "a half": lambda said: said["value"].__setitem__(0, 0.5),
    }
    for change in lies.values():
        with pytest.raises(FileFormatError):
            description_from(lied(change))
    assert not description_from(found.to_json()).certificate.verify(np.append(found.value[1:], 0.0)).ok


@pytest.mark.parametrize("neighbours", [REPLACE_ONE, ADD_REMOVE])
def test_a_file_of_another_public_number_of_records_is_refused_though_all_of_it_was_computed_from_it(neighbours):
    found = described(neighbours=neighbours, **FEW)
    records = None if neighbours is ADD_REMOVE else len(TABLE)
    assert found.certificate.parameters.get("records") == records
    mechanism = mechanism_of(found.certificate)
    release = Release(value=found.value, certificate=found.certificate)
    assert read_from_integers(found.asked, mechanism, release, records, level=found.level).to_json() == found.to_json()
    forged = read_from_integers(found.asked, mechanism, release, 2 * len(TABLE), level=found.level).to_json()
    with pytest.raises(FileFormatError, match="another number" if records else "not a valid number"):
        description_from(forged)


def test_nothing_is_drawn_without_budget_and_what_is_spent_is_in_the_ledger(tmp_path):
    ledger = Ledger.create(tmp_path / "ledger")
    ledger.declare("people", epsilon=1.0, delta=1e-6, neighbours="replace-one")
    account = Account(ledger.path, "people")
    described(account=account, **FEW)
    (entry,) = ledger.history("people")
    with pytest.raises(BudgetExceeded):
        described(account=account, **FEW)
    assert len(ledger.history("people")) == 1
    assert entry.id


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"by": "age"}, "numbers or dates"),
        ({"by": "town"}, "no column 'town'"),
        ({"columns": ["city"]}, "besides that of the groups"),
        ({"columns": ["age", "age"]}, "twice"),
        ({"pairs": [("ward", "age")]}, "numbers or dates"),
        ({"pairs": [("ward", "city")]}, "a pair must be two different columns, listed once"),
        ({"pairs": [("ward", "ill"), ("ill", "ward")]}, "a pair must be two different columns, listed once"),
        ({"whole": ["seen"]}, "columns of numbers"),
        ({"quantiles": [0.5, 0.25]}, "quantiles must increase and lie between"),
        ({"quantiles": [0.0]}, "quantiles must increase and lie between"),
        ({"epsilon": float("inf")}, "epsilon"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"delta": 1.0}, "delta"),
        ({"level": 1.0}, "level"),
    ],
)
def test_what_cannot_be_asked_is_refused_without_a_record(settings, words):
    settings = {"pairs": [], **settings} if "columns" in settings else settings
    with pytest.raises(InvalidInput, match=words):
        prepare_description(SCHEMA, **{"epsilon": 1.0, "delta": 1e-6, **ASKED, **settings})


def test_a_table_in_blocks_without_the_target_that_is_described_is_refused():
    def opened(schema):
        return FunctionTable(lambda _: Block(DenseMatrix(np.zeros((3, schema.features))), None), blocks=1, features=schema.features)

    with pytest.raises(InvalidInput, match="the table has no target column 'ill'"):
        described(opened)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_no_records_are_an_answer_where_their_number_is_secret(neighbours):
    if neighbours is REPLACE_ONE:
        with pytest.raises(InvalidInput, match="no records"):
            described(TABLE.clear(), neighbours=neighbours)
    else:
        consistent(described(TABLE.clear(), neighbours=neighbours))


def test_another_rule_of_persons_is_refused():
    prepared = prepare_description(replace(SCHEMA, person=SEVERAL), epsilon=1.0, delta=1e-6)
    with pytest.raises(InvalidInput, match="disagree"):
        describe_prepared(prepared, lambda _: SCHEMA.encode(TABLE, target=True), SeededNoise(1))


def test_it_is_a_table_for_a_paper():
    found = described()
    rows = {row[0]: row[1:] for row in found.rows()}
    assert rows["n"][-1] == "public"
    assert "age, mean (SD)" in rows
    assert "age, median [quartiles]" in rows
    assert "seen, mean" in rows
    assert "income, missing" in rows
    assert "  yes" in rows
    assert found.to_csv().count("\n") == len(found.rows())
    assert "<table" in found._repr_html_()
    assert found.plot().startswith("<svg")
    assert found.group("south").name == "south"
    with pytest.raises(InvalidInput, match="no group"):
        found.group("west")


@pytest.mark.parametrize("columns", [["hiv"], ["age", "hiv"], None])
def test_a_ledger_does_not_tell_by_some_columns_whether_records_are_those_of_another_table(tmp_path, columns):
    """Of two data sets in one ledger: as long as some column differs, a description is answered, whatever the columns that it is about hold."""
    ledger = Ledger.create(tmp_path / "ledger")
    schema = Schema(
        name="few",
        target=Target(column="ill", classes=("no", "yes")),
        numeric=(NumericColumn(name="age", lower=0, upper=99),),
        categorical=(CategoricalColumn(name="hiv", categories=("no", "yes")),),
    )
    first = {"age": [30.0] * 10, "hiv": ["no"] * 10, "ill": ["no"] * 10}
    for name in ("p", "q"):
        ledger.declare(name, epsilon=100.0, delta=0.1)
    for name, table in (("p", first), ("q", {**first, "age": [31.0] * 10} if columns == ["hiv"] else {**first, "ill": ["yes", *["no"] * 9]})):
        describe(table, schema, epsilon=1.0, columns=columns, account=Account(str(ledger.path), name), random_state=1)
    assert all(ledger.spent(name).epsilon > 0 for name in ("p", "q"))
    if columns is None:
        with pytest.raises(InvalidInput, match="the ledger already has this table under the name"):
            describe(first, schema, epsilon=1.0, account=Account(str(ledger.path), "q"), random_state=1)


def test_a_ledger_does_not_tell_an_empty_table_from_one_with_a_record(tmp_path):
    """Under add-remove: the second empty table is answered, as the table of one record beside it is."""
    ledger = Ledger.create(tmp_path / "ledger")
    for number, table in enumerate((TABLE.head(0), TABLE.head(0), TABLE.head(1))):
        ledger.declare(f"set {number}", epsilon=100.0, delta=0.1, neighbours="add-remove")
        described(table, neighbours="add-remove", account=Account(str(ledger.path), f"set {number}"), **FEW)
    assert all(ledger.spent(f"set {number}").epsilon > 0 for number in range(3))


def test_several_targets_are_described_each_within_its_own_bounds(tmp_path):
    """In blocks the same integers as in memory, and near what is true of the table."""
    parts = (NumberTarget(column="rent", lower=0, upper=3000), NumberTarget(column="heating", lower=-50, upper=400))
    schema = replace(SCHEMA, target=NumberTargets(parts=parts))
    rent = np.linspace(100.0, 2500.0, 1500)
    table = TABLE.with_columns(pl.Series("rent", rent), pl.Series("heating", 300.0 - rent / 10))
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    table[:600].write_parquet(files[0])
    table[600:].write_parquet(files[1])
    found, blocks = (
        describe(one, schema, epsilon=50.0, delta=1e-6, random_state=1, columns=["heating", "rent", "city"])
        for one in (table, lambda plain: schema_files(files, plain))
    )
    np.testing.assert_array_equal(found.value, blocks.value)
    for name, bounds in (("rent", (0, 3000)), ("heating", (-50, 400))):
        mine = found.whole.numbers[name]
        assert (mine.edges[0], mine.edges[-1]) == bounds
        assert mine.mean.value == pytest.approx(table[name].mean(), abs=0.01 * (bounds[1] - bounds[0]))
    consistent(found)
