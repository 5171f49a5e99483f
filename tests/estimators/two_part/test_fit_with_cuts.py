"""A fit with private cuts: one guarantee, one entry, the same from blocks as in memory, and nothing spent where it does not pay."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from discreet import KernelClassifier, LinearRegression, LinearSVC, LogisticRegression, Model
from discreet.accounting import Unit
from discreet.core.errors import InvalidInput, InvalidType, SchemaError
from discreet.data import CategoricalColumn, Cross, DateColumn, NumberTarget, NumericColumn, Schema, Target, schema_files
from discreet.data.encodings import Curve
from discreet.data.person_column import PersonColumn
from discreet.data.persons import row_weights
from discreet.estimators import fit_with_cuts
from discreet.estimators.intervals.known_errors import AT_MOST
from discreet.estimators.model_kinds import encoded_estimator
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.mechanisms.cuts import CutsPlan
from discreet.mechanisms.cuts.columns import choose_cuts
from discreet.words.counting import WHOLE
from tests.schemas import schema_text

SCHEMA = Schema(
    name="people",
    target=Target(column="rich", classes=("no", "yes")),
    numeric=(
        NumericColumn(name="age", lower=17, upper=90, outside="clip"),
        NumericColumn(name="gain", lower=0, upper=100_000, outside="clip", missing="indicator"),
    ),
    categorical=(CategoricalColumn(name="sex", categories=("f", "m")),),
    rows="bound",
)


def people(records=20_000, seed=0):
    generator = np.random.default_rng(seed)
    age = generator.integers(17, 91, size=records).astype(float)
    gain = np.where(generator.uniform(size=records) < 0.8, 0.0, generator.exponential(9000.0, size=records))
    gain[:20] = np.nan
    rich = (np.abs(age - 50.0) < 12.0) ^ (generator.uniform(size=records) < 0.05)
    sex = np.where(generator.uniform(size=records) < 0.5, "f", "m")
    return pl.DataFrame({"age": age, "gain": gain, "sex": sex, "rich": np.where(rich, "yes", "no")})


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("delta", [0.0, 1e-7])
def test_the_certificate_states_the_total_and_verifies(neighbours, delta):
    fitted = fit_with_cuts(LinearSVC(epsilon=3.0, delta=delta, neighbours=neighbours), people(), SCHEMA)
    certificate = fitted.model.certificate_
    assert certificate.guarantee.to_dict()["epsilon"] == 3.0
    assert certificate.guarantee.delta(3.0) == delta
    assert certificate.verify(fitted.model.weights_).ok, certificate.verify(fitted.model.weights_)
    assert fitted.cuts.verify().ok
    test = people(2000, seed=1)
    decided = fitted.model.predict(fitted.schema.encode(test, target=False))
    assert np.mean(decided == test["rich"].to_numpy()) > 0.75  # 0.67 of them are not rich, and a line cannot tell them


@pytest.mark.more
@pytest.mark.parametrize(("scheme", "neighbours"), [("multinomial", "replace-one"), ("one-vs-rest", "add-remove")])
def test_more_classes_keep_nine_tenths_of_epsilon_and_less_noise_is_refused(scheme, neighbours):
    """The total is that of the whole curve of the fit, by an independent recheck, which a scale one per cent smaller does not pass."""
    place = np.random.default_rng(0).uniform(0.0, 9.0, size=12_000)
    table = pl.DataFrame({"place": place, "third": np.array(["a", "b", "c"])[(place // 1).astype(int) % 3]})
    column = NumericColumn(name="place", lower=0, upper=9, outside="clip")
    schema = Schema(name="thirds", target=Target(column="third", classes=("a", "b", "c")), numeric=(column,), rows="bound")
    fitted = fit_with_cuts(LogisticRegression(epsilon=2.0, delta=1e-7, multi_class=scheme, neighbours=neighbours), table, schema)
    certificate = fitted.model.certificate_
    fit = certificate.parameters["fit"]
    assert certificate.verify().ok, certificate.verify()
    assert 1.8 < fit["guarantee"]["epsilon"] < 2.0
    assert np.mean(fitted.model.predict(fitted.schema.encode(table, target=False)) == table["third"].to_numpy()) > 0.6
    louder = {**fit, "parameters": {**fit["parameters"], "scale": 0.99 * fit["parameters"]["scale"]}}
    assert not replace(certificate, parameters={**certificate.parameters, "fit": louder}).verify().ok


@pytest.mark.parametrize("delta", [0.0, pytest.param(1e-7, marks=pytest.mark.more)])
def test_it_is_a_model_with_a_file(delta, tmp_path):
    fitted = fit_with_cuts(LogisticRegression(epsilon=3.0, delta=delta), people(), SCHEMA)
    model = Model.from_estimator(fitted.model, fitted.schema)
    model.save(tmp_path / "model.json")
    again = Model.load(tmp_path / "model.json")
    assert again.verify().ok
    assert again.schema == fitted.schema
    assert again.curves().band == AT_MOST, "the noise of its weights is that of the fit"


@pytest.mark.parametrize("delta", [0.0, pytest.param(1e-7, marks=pytest.mark.more)])
def test_blocks_are_cut_and_fitted_as_the_whole_table_is(delta, tmp_path):
    table = people()
    for number, part in enumerate((table[:2500], table[2500:])):
        part.write_parquet(tmp_path / f"{number}.parquet")
    files = [str(tmp_path / f"{number}.parquet") for number in (0, 1)]
    estimator = LinearSVC(epsilon=3.0, delta=delta, neighbours="add-remove", random_state=3)
    whole = fit_with_cuts(estimator, table, SCHEMA)
    blocks = fit_with_cuts(estimator, lambda schema: schema_files(files, schema), SCHEMA)
    np.testing.assert_array_equal(whole.cuts.counts, blocks.cuts.counts)
    assert whole.schema == blocks.schema
    np.testing.assert_allclose(whole.model.weights_, blocks.model.weights_, atol=1e-6)
    assert whole.model.certificate_.guarantee == blocks.model.certificate_.guarantee


def test_one_entry_is_reserved_before_anything_is_drawn(tmp_path, monkeypatch):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-6)
    account = Account(str(tmp_path / "a.ledger"), "people")
    estimator = LinearSVC(epsilon=2.0, delta=1e-7, ledger=account)
    fitted = fit_with_cuts(estimator, people(), SCHEMA)
    (entry,) = ledger.history("people")
    assert entry.purpose == "cuts-then-fit"
    assert fitted.model.certificate_.ledger_entry == entry.id
    assert entry.guarantee.to_dict()["epsilon"] == 2.0
    monkeypatch.setattr("discreet.mechanisms.cuts.release.CutsPlan.release", lambda *_, **__: pytest.fail("noise was drawn"))
    with pytest.raises(BudgetExceeded):
        fit_with_cuts(estimator, people(), SCHEMA)


def test_where_cuts_do_not_pay_nothing_is_spent_on_them():
    fitted = fit_with_cuts(LinearSVC(epsilon=0.5, delta=1e-7), people(100), SCHEMA)
    assert fitted.cuts is None
    assert [column.encoding for column in fitted.schema.numeric] == [(Curve(rest=1.0),), (Curve(rest=1.0),)]
    assert fitted.model.certificate_.mechanism.startswith("objective-perturbation")
    assert fitted.model.certificate_.guarantee.epsilon == pytest.approx(0.5)
    assert fitted.model.certificate_.verify().ok


def test_where_cuts_do_not_pay_columns_are_what_the_schema_says_or_curves():
    wanted = NumericColumn(name="gain", lower=0, upper=100_000, outside="clip", encoding="log")
    schema = replace(called_private(), numeric=(*called_private().numeric[:1], wanted))
    for columns in (None, ["age", "gain"]):
        fitted = fit_with_cuts(LinearSVC(epsilon=0.5, delta=1e-7), people(100).fill_null(0.0).fill_nan(0.0), schema, columns=columns)
        assert fitted.cuts is None
        assert [column.encoding for column in fitted.schema.numeric] == [(Curve(rest=1.0),), wanted.encoding]


def test_columns_that_the_schema_cuts_are_left_alone():
    given = NumericColumn(name="age", lower=17, upper=90, outside="clip", encoding=({"name": "bins", "cuts": (30, 60)},))
    schema = Schema(name="people", target=SCHEMA.target, numeric=(given, SCHEMA.numeric[1]), rows="bound")
    fitted = fit_with_cuts(LinearSVC(epsilon=2.0, delta=1e-7), people(), schema)
    assert fitted.schema.numeric[0] == given
    assert set(fitted.cuts.cuts) == {"gain"}


def test_what_cannot_be_cut_is_refused_before_anything_is_spent():
    only = Schema(name="people", target=SCHEMA.target, categorical=SCHEMA.categorical)
    for settings, schema in (
        ({"columns": ["sex"]}, SCHEMA),
        ({"share": 0.0}, SCHEMA),
        ({}, only),
    ):
        with pytest.raises(InvalidInput):
            fit_with_cuts(LinearSVC(epsilon=1.0, delta=1e-7), people(), schema, **settings)
    with pytest.raises(InvalidInput, match="finite"):
        fit_with_cuts(LinearSVC(epsilon=np.inf), people(), SCHEMA)
    for other in ("a text", KernelClassifier(epsilon=1.0)):
        with pytest.raises(InvalidType):
            fit_with_cuts(other, people(), SCHEMA)
    with pytest.raises(InvalidInput, match="sex"):
        fit_with_cuts(LinearSVC(epsilon=1.0, delta=1e-7), people().with_columns(pl.lit("x").alias("sex")), SCHEMA)


@pytest.mark.more
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_a_number_is_predicted_from_cut_columns_too(neighbours):
    generator = np.random.default_rng(0)
    place = generator.uniform(0.0, 10.0, size=12_000)
    table = pl.DataFrame({"place": place, "height": np.sin(place)})
    column = NumericColumn(name="place", lower=0, upper=10, outside="clip")
    schema = Schema(name="waves", target=NumberTarget(column="height", lower=-1, upper=1), numeric=(column,), rows="bound")
    fitted = fit_with_cuts(LinearRegression(epsilon=2.0, delta=1e-7, neighbours=neighbours), table, schema)
    assert fitted.model.certificate_.verify().ok
    predicted = fitted.model.predict(fitted.schema.encode(table, target=False))
    assert np.mean(np.square(predicted - np.sin(place))) < 0.1 * np.var(np.sin(place))


def called_private():
    column = NumericColumn(name="age", lower=17, upper=90, outside="clip", encoding=({"name": "bins", "cuts": "private"},))
    return Schema(name="people", target=SCHEMA.target, numeric=(column, SCHEMA.numeric[1]), rows="bound")


def test_a_schema_says_which_columns_are_cut_privately():
    schema = Schema.from_toml(called_private().to_toml())
    assert schema == called_private()
    fitted = fit_with_cuts(LinearSVC(epsilon=2.0, delta=1e-7), people(), schema)
    assert set(fitted.cuts.cuts) == {"age"}
    assert fitted.schema.numeric[1] == schema.numeric[1]
    assert Schema.from_toml(fitted.schema.to_toml()) == fitted.schema


def test_columns_must_name_those_that_the_schema_calls_private(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-6)
    estimator = LinearSVC(epsilon=2.0, delta=1e-7, ledger=Account(str(tmp_path / "a.ledger"), "people"))
    with pytest.raises(InvalidInput, match="'age'"):
        fit_with_cuts(estimator, people(), called_private(), columns=["gain"])
    assert not list(ledger.history("people"))
    assert set(fit_with_cuts(estimator, people(), called_private(), columns=["gain", "age"]).cuts.cuts) == {"age", "gain"}


def test_crosses_and_dates_stand_beside_columns_that_are_cut():
    """They are not counted, and are what they were in the model's schema."""
    day = DateColumn(name="day", lower="2020-01-01", upper="2021-12-31")
    cross = (Cross(name="both", columns=("gain", "sex")), Cross(name="when", columns=("day", "age")))
    schema = replace(called_private(), categorical=SCHEMA.categorical, date=(day,), cross=cross)
    table = people().with_columns(pl.lit("2020-05-17").alias("day"))
    fitted = fit_with_cuts(LinearSVC(epsilon=2.0, delta=1e-7), table, schema)
    assert set(fitted.cuts.cuts) == {"age"}
    assert (fitted.schema.date, fitted.schema.cross, fitted.schema.categorical) == (schema.date, cross, SCHEMA.categorical)
    assert fitted.model.certificate_.verify(fitted.model.weights_).ok


def test_nothing_is_encoded_before_its_cuts_are_chosen():
    with pytest.raises(SchemaError, match="For anything else, give cuts, or leave them out"):
        called_private().encode(people(), target=True)


OWNERS = np.random.default_rng(7).permutation(np.repeat(np.arange(1000), [1, 2, 3, 6] * 250))
KEPT = {
    "several": PersonColumn(column="id", rows=4),
    "by rows": PersonColumn(column="id", rows=4, weight="row"),
    "one": PersonColumn(column="id", rows=1),
}


def visits():
    return people(3000).with_columns(pl.Series("id", OWNERS))


@pytest.mark.at_most(1)
@pytest.mark.parametrize(
    ("neighbours", "delta"),
    [("add-remove", 0.0), ("add-remove", 1e-7), ("replace-one", 0.0), pytest.param("replace-one", 1e-7, marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("kept", KEPT)
def test_cuts_and_fit_are_for_persons(monkeypatch, neighbours, delta, kept):
    monkeypatch.setattr(CutsPlan, "pays", lambda self, records: True)  # so few records that they would not, else
    schema = replace(SCHEMA, person=KEPT[kept])
    fitted = fit_with_cuts(LinearSVC(epsilon=8.0, delta=delta, neighbours=neighbours), visits(), schema)
    certificate = fitted.model.certificate_
    assert certificate.verify(fitted.model.weights_).ok, certificate.verify(fitted.model.weights_)
    assert certificate.guarantee.unit is Unit.PERSON
    assert certificate.mechanism == "cuts-then-fit"
    assert certificate.problem["records"] == (1000 if neighbours == "replace-one" else None)
    rule = schema.persons.to_dict()
    assert all(one["persons"] == rule for one in (certificate.problem, *(certificate.parameters[part]["problem"] for part in ("cuts", "fit"))))
    assert Model.from_estimator(fitted.model, fitted.schema).verify().ok
    for part in ("cuts", "fit"):
        for persons in (None, {"rows": 9, "weight": "person"}):
            problem = {key: value for key, value in certificate.parameters[part]["problem"].items() if key != "persons"}
            forged = {**certificate.parameters[part], "problem": problem | ({} if persons is None else {"persons": persons})}
            assert not replace(certificate, parameters={**certificate.parameters, part: forged}).verify(fitted.model.weights_).ok


@pytest.mark.at_most(1)
@pytest.mark.parametrize("fault", [False, True])
def test_rows_of_persons_are_drawn_twice_and_one_draw_for_both_is_caught(monkeypatch, fault):
    drawn = []

    def watched(*whose):
        drawn.append(drawn[0] if fault and drawn else row_weights(*whose))
        return drawn[-1]

    monkeypatch.setattr(CutsPlan, "pays", lambda self, records: True)
    monkeypatch.setattr("discreet.mechanisms.persons.row_weights", watched)
    schema = replace(SCHEMA, person=KEPT["several"])
    model = fit_with_cuts(LinearSVC(epsilon=8.0, neighbours="add-remove", mechanism="output"), visits(), schema).model
    cuts, fit = drawn
    assert (cuts.counts == fit.counts).all() == fault  # 250 persons have six rows, of which four are kept
    if fault:
        return
    certificate = model.certificate_
    (said,) = [each for each in certificate.hypotheses if "drawn twice, independently" in each.enforced]
    less = tuple(each for each in certificate.hypotheses if each != said)
    assert certificate.verify(model.weights_).ok
    assert not replace(certificate, hypotheses=less).verify(model.weights_).ok


def test_nothing_is_said_of_two_draws_where_no_person_is_told_apart(monkeypatch):
    monkeypatch.setattr(CutsPlan, "pays", lambda self, records: True)
    for schema in (SCHEMA, replace(SCHEMA, rows_per_person=1)):
        certificate = fit_with_cuts(LinearSVC(epsilon=8.0), people(1000), schema).model.certificate_
        assert certificate.mechanism == "cuts-then-fit"
        assert not any("drawn twice" in each.enforced for each in certificate.hypotheses)


@pytest.mark.more
@pytest.mark.parametrize("kept", KEPT)
def test_cuts_of_persons_in_blocks_are_those_in_memory(kept, tmp_path):
    table, schema = visits(), replace(SCHEMA, person=KEPT[kept])
    for number, part in enumerate((table[:1100], table[1100:])):
        part.write_parquet(tmp_path / f"{number}.parquet")
    files = [str(tmp_path / f"{number}.parquet") for number in (0, 1)]
    estimator = LinearSVC(epsilon=8.0, delta=1e-7, neighbours="add-remove", random_state=3)
    whole = fit_with_cuts(estimator, table, schema)
    blocks = fit_with_cuts(estimator, lambda one: schema_files(files, one), schema)
    np.testing.assert_array_equal(whole.cuts.counts, blocks.cuts.counts)
    np.testing.assert_allclose(whole.model.weights_, blocks.model.weights_, atol=1e-6)
    alone = [choose_cuts(one, schema, epsilon=4.0, random_state=2) for one in (table, lambda one: schema_files(files, one))]
    np.testing.assert_array_equal(alone[0].counts, alone[1].counts)
    assert alone[0].certificate.guarantee.unit is Unit.PERSON


@pytest.mark.parametrize("fault", [False, True])
def test_one_person_moves_the_counts_as_one_record_and_rows_that_count_whole_are_caught(monkeypatch, fault):
    """Two columns, add-remove: two records' worth of parts at most, under a seed the same noise."""
    if fault:
        monkeypatch.setattr("discreet.data.persons.weights_of", lambda counts, persons: np.where(counts > 0, 1.0, 0.0))
    schema = replace(SCHEMA, person=PersonColumn(column="id", rows=6))
    table = people(306).with_columns(pl.Series("id", [*range(300), *[300] * 6]))
    there, gone = (choose_cuts(one, schema, epsilon=1.0, neighbours="add-remove", random_state=2).counts for one in (table, table[:300]))
    assert (np.abs(there - gone).sum() <= 2 * WHOLE) is not fault


ANSWERS = {
    "times": ("survival-model", {"column": "answer", "event": "seen", "ends": [25, 50, 75]}),
    "ordered classes": ("ordinal-regression", {"column": "grade", "classes": ["low", "middle", "high"], "ordered": True}),
    "several numbers": ("linear-regression", [{"column": "answer", "lower": 0, "upper": 100}, {"column": "other", "lower": -20, "upper": 20}]),
}


def wrong(certificate):
    return {check.name for check in certificate.verify().checks if not check.ok}


def answered(kind, target, **head):
    """The model, its schema and a table; a record is a person."""
    age = np.random.default_rng(2).uniform(0, 100, 4000)
    grade = np.where(np.abs(age - 50) < 20, "high", np.where(age < 50, "low", "middle"))
    table = pl.DataFrame({"age": age, "answer": np.abs(age - 50) + 20, "other": age / 5 - 10, "grade": grade, "seen": [1, 1, 0, 1] * 1000})
    schema = Schema.from_toml(schema_text("people", target, {"age": (0, 100)}, rows="bound", **head))
    return encoded_estimator(kind, schema, {"epsilon": 8.0, "delta": 1e-6, "neighbours": "add-remove", "random_state": 5}), schema, table


@pytest.mark.parametrize("learnt", ANSWERS)
@pytest.mark.parametrize("pays", [True, False])
def test_times_ordered_classes_and_several_numbers_are_learnt_from_cut_columns(monkeypatch, tmp_path, learnt, pays):
    """In blocks as in memory, verified and as a file; a part about other persons than the fit's records is refused."""
    monkeypatch.setattr(CutsPlan, "pays", lambda self, records: pays)
    kind, target = ANSWERS[learnt]
    estimator, schema, table = answered(kind, target, rows_per_person=1)
    files = [tmp_path / "0.parquet", tmp_path / "1.parquet"]
    table[:1500].write_parquet(files[0])
    table[1500:].write_parquet(files[1])
    fitted = fit_with_cuts(estimator, table, schema)
    blocks = fit_with_cuts(estimator, lambda one: schema_files(files, one), schema)
    np.testing.assert_allclose(fitted.model.weights_, blocks.model.weights_, atol=1e-4)
    assert fitted.schema == blocks.schema
    certificate = Model.from_estimator(fitted.model, fitted.schema).certificate
    assert (certificate.mechanism == "cuts-then-fit") is pays
    assert certificate.guarantee.unit is Unit.PERSON
    assert wrong(certificate) == {"noise source"}, "it is seeded"
    for part in ("cuts", "fit") if pays else ():
        said = certificate.parameters[part]
        known = said["parameters"]
        less = {"parameters": known | {"scale": 0.9 * known.get("scale", 0)}}
        others = {"problem": said["problem"] | {"persons": {"rows": 9, "weight": "person"}}}
        forged = {**certificate.parameters, part: said | (less if part == "fit" else others)}
        assert wrong(replace(certificate, parameters=forged)) > {"noise source"}
