"""Private bounds: scores by hand, certificates and their lies, the ledger, schemas with open bounds, and what they refuse."""

import json
from dataclasses import replace

import numpy as np
import pytest

from discreet.accounting import ApproximateDP, PureDP, Unit
from discreet.certificates import Certificate
from discreet.core.errors import InfeasibleTarget, InvalidInput, SchemaError
from discreet.core.neighbours import ADD_REMOVE, REPLACE_ONE
from discreet.data import Cross, Schema
from discreet.data.draft import SchemaDraft
from discreet.data.encodings import Bins, Linear
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.mechanisms.base import Numbers
from discreet.mechanisms.bounds_choice import BoundsChoice, BoundsGrid, OpenColumns, choose_bounds, choose_norm, grid_named
from discreet.mechanisms.bounds_choice.release import prepare_bounds, release_bounds
from discreet.noise import SystemNoise
from discreet.words.counting import WHOLE
from tests.canary import CANARY, assert_silent
from tests.schemas import OPEN, schema_text

DRAFT = schema_text(
    "people",
    "ill",
    {"age": {**OPEN, "missing": 400}, "year": {"grid": [1900, 1950, 1975, 2000, 2025]}, "weight": (0, 300)},
    missing_values=["NA"],
)


def people(count=4000, seed=0):
    rng = np.random.default_rng(seed)
    return {
        "age": rng.normal(45.0, 15.0, count),
        "year": rng.integers(1980, 2010, count),
        "weight": rng.normal(70.0, 10.0, count),
        "ill": np.where(rng.random(count) < 0.3, "yes", "no"),
    }


@pytest.fixture(scope="module", params=[(ADD_REMOVE, 1e-6), (ADD_REMOVE, 0.0), (REPLACE_ONE, 0.0), (REPLACE_ONE, 1e-6)], ids=str)
def released(request):
    neighbours, delta = request.param
    return choose_bounds(people(), SchemaDraft.from_toml(DRAFT), epsilon=0.5, delta=delta, neighbours=neighbours)


def test_scores_count_records_beyond_and_toll_steps():
    mechanism = BoundsChoice(rate=1.0, toll=10, neighbours=ADD_REMOVE)
    grid = BoundsGrid(lower=(0.0, -1.0, -5.0), upper=(0.0, 1.0, 5.0, 9.0))
    low, high = mechanism.scores(grid, np.array([-5.0, -4.0, 0.0, 0.5, 1.0, 6.0, np.nan, np.inf]))
    assert low.tolist() == [2, 2 + 30, 0 + 40]
    assert high.tolist() == [4, 2 + 30, 2 + 40, 1 + 50]


def test_bounds_contain_nearly_all_records_and_come_from_the_grid(released):
    table = people()
    for name in ("age", "year"):
        low, high = released.bounds[name]
        # Leaving out 200 records for want of one step has a probability below exp(-rate 140) < 1e-7.
        assert np.mean((table[name] < low) | (table[name] > high)) < 0.05
    assert released.bounds["age"][0] in grid_named("one-two-five").lower
    assert set(released.bounds["year"]) <= {1900.0, 1950.0, 1975.0, 2000.0, 2025.0}


def test_the_schema_says_where_its_bounds_come_from_and_encodes_the_table(released):
    schema = Schema.from_toml(released.schema.to_toml())
    assert schema == released.schema
    digests = {column.name: column.released for column in schema.numeric}
    assert digests == {"age": released.certificate.digest, "year": released.certificate.digest, "weight": None}
    assert schema.numeric[0].missing == min(400.0, released.bounds["age"][1])  # beyond the bounds it counts as the nearer one
    assert all(column.outside == "clip" for column in schema.numeric[:2])
    assert Schema.from_dict(json.loads(json.dumps(schema.to_dict()))) == schema
    assert schema.encode({**people(), "weight": np.full(4000, 70.0)}, target=True).rows.shape == (4000, 3)


@pytest.mark.at_most(2)
def test_a_true_certificate_verifies_also_from_a_file(released):
    assert released.verify().ok, released.verify()
    assert Certificate.from_dict(json.loads(released.certificate.to_json())).verify(released.value).ok


@pytest.mark.at_most(2)
def test_a_smaller_claim_more_columns_and_less_noise_fail(released):
    claim = released.certificate.guarantee
    lies = [replace(claim, epsilon=claim.epsilon * (1 - 1e-4))]
    if isinstance(claim, ApproximateDP):
        lies.append(replace(claim, delta_at_epsilon=claim.delta_at_epsilon * 0.9))
    assert not any(replace(released.certificate, guarantee=lie).verify().ok for lie in lies)
    doubled = {"columns": released.certificate.problem["columns"] * 2}
    assert not replace(released.certificate, problem=doubled).verify().ok
    louder = {**released.certificate.parameters, "rate": released.certificate.parameters["rate"] * 1.05}
    assert not replace(released.certificate, parameters=louder).verify().ok
    other = [column | {"upper": [0.0, *column["upper"]]} for column in released.certificate.problem["columns"]]
    assert not replace(released.certificate, problem={"columns": other}).verify().ok


@pytest.mark.at_most(2)
def test_another_relation_and_other_bounds_fail(released):
    relation = ADD_REMOVE if released.certificate.guarantee.neighbours is REPLACE_ONE else REPLACE_ONE
    assert not replace(released.certificate, guarantee=replace(released.certificate.guarantee, neighbours=relation)).verify().ok
    assert not released.certificate.verify(released.value + 1.0).ok


def test_a_seed_makes_it_reproducible_and_not_valid():
    first, second = (choose_bounds(people(), SchemaDraft.from_toml(DRAFT), epsilon=0.5, random_state=3) for _ in range(2))
    assert first.bounds == second.bounds
    assert not first.verify().ok


def test_it_spends_before_it_chooses(tmp_path):
    ledger = Ledger.create(tmp_path / "team.ledger")
    ledger.declare("people", epsilon=1.0, delta=1e-5, neighbours=REPLACE_ONE)
    account = Account(tmp_path / "team.ledger", "people")
    first = choose_bounds(people(), SchemaDraft.from_toml(DRAFT), epsilon=0.75, ledger=account)
    (entry,) = ledger.history("people")
    assert entry.id == first.certificate.ledger_entry
    with pytest.raises(BudgetExceeded):
        choose_bounds(people(), SchemaDraft.from_toml(DRAFT), epsilon=0.75, ledger=account)
    assert len(ledger.history("people")) == 1


def test_with_few_choices_the_pure_rate_is_used_where_it_is_larger():
    grid = grid_named("powers-of-ten")
    mechanism = BoundsChoice.calibrate(OpenColumns({"a": grid}), epsilon=0.1, delta=1e-12, neighbours=ADD_REMOVE)
    assert mechanism.rate == pytest.approx(0.1)
    stated = mechanism.guarantee(OpenColumns({"a": grid}))
    assert isinstance(stated, PureDP), "no delta is stated, since none was used"
    assert stated.epsilon == pytest.approx(0.1)


@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
def test_a_norm_is_one_choice_under_both_relations(neighbours):
    rows = np.random.default_rng(0).normal(size=(3000, 4))
    found = choose_norm(rows, epsilon=0.5, neighbours=neighbours)
    assert isinstance(found.certificate.guarantee, PureDP)
    assert found.certificate.parameters["rate"] == pytest.approx(0.5)
    low, high = found.bounds["row norm"]
    assert low == 0.0
    assert np.mean(np.linalg.norm(rows, axis=1) > high) < 0.05
    assert found.verify().ok


def test_both_bounds_at_the_centre_become_a_step():
    grid = BoundsGrid(lower=(0.0, -1.0), upper=(0.0, 1.0))
    mechanism = BoundsChoice(rate=50.0, toll=5, neighbours=ADD_REMOVE)
    value = mechanism.run(OpenColumns({"zeros": grid}), Numbers([np.zeros(10)]), SystemNoise()).value
    assert value.tolist() == [[0.0, 1.0]]


def test_named_grids_hold_round_numbers():
    assert grid_named("one-two-five", smallest=0.1, largest=100).upper == (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    assert grid_named("powers-of-two", smallest=0.5, largest=8).lower == (0.0, -0.5, -1.0, -2.0, -4.0, -8.0)
    assert grid_named("powers-of-ten").upper[-1] == 1e9


@pytest.mark.parametrize(
    "make",
    [
        lambda: BoundsGrid(lower=(0.0, 1.0), upper=(2.0, 3.0)),
        lambda: BoundsGrid(lower=(1.0, 0.0), upper=(0.5, 3.0)),
        lambda: BoundsGrid(lower=(0.0,), upper=(0.0,)),
        lambda: BoundsGrid(lower=(0.0,), upper=(0.0, np.inf)),
        lambda: BoundsGrid.from_edges([1.0]),
        lambda: BoundsGrid.from_edges([1.0, 2.0], centre=1.5),
        lambda: grid_named("powers-of-three"),
        lambda: grid_named("powers-of-two", smallest=2.0, largest=1.0),
        lambda: BoundsChoice.calibrate(OpenColumns({}), epsilon=1.0, delta=0.0, neighbours=ADD_REMOVE),
        lambda: BoundsChoice.calibrate(OpenColumns({"a": grid_named("powers-of-ten")}), epsilon=0.0, delta=0.0, neighbours=ADD_REMOVE),
        lambda: BoundsChoice.calibrate(OpenColumns({"a": grid_named("powers-of-ten")}), epsilon=1.0, delta=1.0, neighbours=ADD_REMOVE),
        lambda: BoundsChoice(rate=1.0, toll=-1, neighbours=ADD_REMOVE),
        lambda: choose_norm(np.ones((3, 2)), epsilon=1.0, candidates=[0.0, 1.0]),
        lambda: choose_bounds(people(), SchemaDraft.from_toml(DRAFT), epsilon=1.0, neighbours="add"),
    ],
)
def test_what_is_no_grid_or_promises_nothing_is_refused(make):
    with pytest.raises(InvalidInput):
        make()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('lower = "FILL IN"\nupper = "FILL IN"', "lower = 0\nupper = 500", None),
        ("grid = [1900, 1950, 1975, 2000, 2025]", "lower = 0\nupper = 1\ngrid = [1]", "unknown key 'grid'"),
        ("grid = [1900, 1950, 1975, 2000, 2025]", 'grid = "many"', "must be a list"),
        ("grid = [1900, 1950, 1975, 2000, 2025]", 'grid = ["1900"]', "finite number"),
        ("missing = 400", 'missing = "?"', "finite number"),
        ('upper = "FILL IN"', "upper = 3", "open placeholders"),
        ('column = "ill"', 'column = "FILL IN"', "open placeholders"),
    ],
)
def test_a_draft_is_checked_like_a_schema(old, new, said):
    text = DRAFT.replace(old, new, 1)
    if said is None:
        assert SchemaDraft.from_toml(text).open == ("year",)
        return
    with pytest.raises(SchemaError, match=said):
        SchemaDraft.from_toml(text)


def test_encodings_of_open_columns_wait_for_their_bounds():
    text = DRAFT.replace("missing = 400", 'missing = "indicator"\nencoding = {name = "bins", cuts = [1950, 2000]}', 1)
    draft = SchemaDraft.from_toml(text)
    found = draft.filled(dict.fromkeys(draft.open, (1900.0, 2030.0)), released="0" * 64)
    [column] = [one for one in found.numeric if one.encoding != (Linear(),)]
    assert (column.encoding, column.missing) == ((Bins(cuts=(1950.0, 2000.0)),), "indicator")
    with pytest.raises(SchemaError, match="Did you mean 'cuts'"):
        SchemaDraft.from_toml(text.replace("cuts", "cut"))


def test_crosses_of_open_columns_wait_for_their_bounds():
    cross = 'columns = ["year", "city"]\nencoding = {name = "bins", cuts = [1950, 2000]}\n'
    text = f'{DRAFT}\n[categorical.city]\ncategories = ["a", "b"]\n[cross.both]\n{cross}'
    draft = SchemaDraft.from_toml(text)
    found = draft.filled(dict.fromkeys(draft.open, (1900.0, 2025.0)), released="0" * 64)
    assert found.cross == (Cross(name="both", columns=("year", "city"), encoding=(Bins(cuts=(1950.0, 2000.0)),)),)
    plain = SchemaDraft.from_toml(text[: text.rindex("encoding")])
    assert plain.filled(dict.fromkeys(plain.open, (1900.0, 2025.0)), released="0" * 64).cross == (Cross(name="both", columns=("year", "city")),)
    for old, new in (("cuts = [1950, 2000]", 'cuts = "private"'), ("cuts = [1950, 2000]", "cuts = [2, 1]"), ('"year"', '"yeer"')):
        with pytest.raises(SchemaError, match="cross 'both'"):
            SchemaDraft.from_toml(text.replace(old, new))


def test_a_draft_without_open_bounds_is_refused():
    with pytest.raises(SchemaError, match="To have bounds chosen, delete lower and upper"):
        SchemaDraft.from_toml(SchemaDraft.from_toml(DRAFT).schema.to_toml())


def test_a_schema_with_another_mark_than_a_digest_is_refused():
    with pytest.raises(SchemaError, match="64 hexadecimal digits"):
        Schema.from_toml(
            DRAFT.replace('lower = "FILL IN"\nupper = "FILL IN"\nmissing = 400', 'lower = 0\nupper = 1\nreleased = "yes"').replace(
                "grid", "lower = 0\nupper = 1 #"
            )
        )


def test_no_record_is_shown():
    table = people()
    table["age"][0] = CANARY
    found = choose_bounds(table, SchemaDraft.from_toml(DRAFT), epsilon=0.5)
    for text in (repr(found), found.schema.to_toml(), found.certificate.to_json(), str(found.certificate)):
        assert_silent(text)
    with pytest.raises(InvalidInput) as refusal:
        choose_bounds({**table, "age": ["young", *map(str, table["age"][1:])]}, SchemaDraft.from_toml(DRAFT), epsilon=0.5)
    assert_silent(refusal.value)
    assert "young" not in str(refusal.value)


OWNED = (
    DRAFT
    + """
[person]
column = "id"
rows = {rows}
weight = "{weight}"
"""
)
ONE_ROW = DRAFT.replace('name = "people"', 'name = "people"\nrows_per_person = 1')


def visits():
    """Of a thousand people, from one row to seven."""
    return people() | {"id": np.random.default_rng(4).permutation(np.repeat(np.arange(1000), [1, 3, 5, 7] * 250))}


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbours", [ADD_REMOVE, REPLACE_ONE])
@pytest.mark.parametrize(("rows", "weight"), [(4, "person"), (4, "row"), (1, "person")])
def test_bounds_of_persons_are_the_same_by_a_schema_and_by_ids_and_verify(rows, weight, neighbours, delta):
    owned, asked = SchemaDraft.from_toml(OWNED.format(rows=rows, weight=weight)), {"epsilon": 0.5, "delta": delta, "neighbours": neighbours}
    found = choose_bounds(visits(), owned, **asked)
    assert found.verify().ok, found.verify()
    assert found.certificate.guarantee.unit is Unit.PERSON
    assert found.certificate.problem["persons"] == {"rows": rows, "weight": weight}
    assert found.schema.persons == owned.schema.persons
    assert found.schema.numeric[0].released == found.certificate.digest
    by_schema = choose_bounds(visits(), owned, **asked, random_state=1)
    said = {"persons": visits()["id"], "rows_per_person": rows, "person_weight": weight}
    by_ids = choose_bounds(people(), SchemaDraft.from_toml(DRAFT), **asked, **said, random_state=1)
    assert by_schema.bounds == by_ids.bounds
    assert by_schema.certificate.problem == by_ids.certificate.problem


def test_one_row_a_person_is_declared_by_a_schema_or_by_the_caller():
    by_schema = choose_bounds(people(), SchemaDraft.from_toml(ONE_ROW), epsilon=0.5, random_state=1)
    by_caller = choose_bounds(people(), SchemaDraft.from_toml(DRAFT), epsilon=0.5, rows_per_person=1, random_state=1)
    silent = choose_bounds(people(), SchemaDraft.from_toml(DRAFT), epsilon=0.5, random_state=1)
    assert by_schema.bounds == by_caller.bounds == silent.bounds
    units = [found.certificate.guarantee.unit for found in (by_schema, by_caller, silent)]
    assert units == [Unit.PERSON, Unit.PERSON, Unit.RECORD]


@pytest.mark.parametrize("fault", [False, True])
def test_one_person_moves_scores_as_one_record_does_and_rows_that_count_whole_are_caught(monkeypatch, fault):
    seen, scores = [], BoundsChoice.scores

    def watched(*given):
        seen.append(scores(*given))
        return seen[-1]

    monkeypatch.setattr(BoundsChoice, "scores", watched)
    if fault:
        monkeypatch.setattr("discreet.data.persons.weights_of", lambda counts, persons: np.where(counts > 0, 1.0, 0.0))
    table = {name: column[:306] for name, column in people().items()} | {"id": np.array([*range(300), *[300] * 6])}
    table["age"][300:], table["year"][300:] = [-1e6, 1e6] * 3, 2500
    for some in (table, {name: column[:300] for name, column in table.items()}):
        choose_bounds(some, SchemaDraft.from_toml(OWNED.format(rows=6, weight="person")), epsilon=1.0, neighbours="add-remove", random_state=2)
    there, gone = seen[:2], seen[2:]
    moves = [[one - other for one, other in zip(*pair, strict=True)] for pair in zip(there, gone, strict=True)]
    assert all((move >= 0).all() for pair in moves for move in pair)
    furthest = max(below.max() + above.max() for below, above in moves)
    assert (furthest <= WHOLE) is not fault
    assert furthest > 0.99 * WHOLE  # a person who lies beyond everything is seen


def test_what_is_said_of_persons_twice_or_by_halves_is_refused():
    draft, owned = SchemaDraft.from_toml(DRAFT), SchemaDraft.from_toml(OWNED.format(rows=4, weight="person"))
    for what, call in {
        "leave persons out": lambda: choose_bounds(visits(), owned, epsilon=1.0, persons=visits()["id"]),
        "rows_per_person=M": lambda: choose_bounds(people(), draft, epsilon=1.0, persons=visits()["id"]),
        "If each person has one row, pass rows_per_person=1": lambda: choose_bounds(people(), draft, epsilon=1.0, rows_per_person=3),
        "Leave both out of the estimator, or make them equal": lambda: choose_bounds(visits(), owned, epsilon=1.0, rows_per_person=3),
        "one id for each row": lambda: choose_bounds(people(), draft, epsilon=1.0, rows_per_person=3, persons=visits()["id"][1:]),
        "'id'": lambda: choose_bounds(people(), owned, epsilon=1.0),
        "Pass persons, one id per row, or name their column in": lambda: release_bounds(
            prepare_bounds(draft, epsilon=1.0, persons=owned.schema.persons), people(), SystemNoise()
        ),
    }.items():
        with pytest.raises((InvalidInput, SchemaError), match=what):
            call()


ONE = """format = "discreet-schema/1"
name = "few"
target = { column = "ill", classes = ["no", "yes"] }
[numeric.age]
"""


def few(count, **settings):
    ages = np.random.default_rng(count).normal(50.0, 5.0, count)
    return choose_bounds({"age": ages, "ill": ["no"] * count}, SchemaDraft.from_toml(ONE), epsilon=0.3, **settings)


@pytest.mark.parametrize("count", [20, 50])
def test_a_choice_that_is_mostly_noise_is_refused_before_it_is_paid_where_the_number_of_records_is_public(count, tmp_path):
    Ledger.create(tmp_path / "ledger").declare("people", epsilon=10.0, delta=1e-3)
    with pytest.raises(InfeasibleTarget, match=rf"takes about [0-9,]+ records here, and there are {count}: it would be mostly noise"):
        few(count, ledger=Account(tmp_path / "ledger", "people"))
    with pytest.raises(InfeasibleTarget, match="it would be mostly noise"):
        choose_norm(np.full((count, 2), 30.0), epsilon=0.1)
    assert not Ledger(tmp_path / "ledger").history("people")


def test_where_it_is_private_the_least_number_is_said_and_a_choice_that_moved_nowhere_is_named():
    small, large = (few(count, neighbours="add-remove", random_state=0) for count in (20, 5000))
    assert small.least_records == large.least_records == small.to_dict()["least_records"]
    assert [len(one.remarks) for one in (small, large)] == [2, 1]
    assert "stayed at the centre of the candidates of 'age'" in small.remarks[1]
    assert f"fewer than about {small.least_records:,} records are mostly noise" in str(large)


def test_with_as_many_records_as_it_takes_the_choice_goes_to_where_they_are():
    problem = prepare_bounds(SchemaDraft.from_toml(ONE), epsilon=0.3)
    drawn = [few(problem.least_records, random_state=seed).bounds["age"] for seed in range(40)]
    assert sum(high >= 50.0 for _, high in drawn) >= 36
