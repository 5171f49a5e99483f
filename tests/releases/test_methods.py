"""What each method takes and refuses, in one clear sentence, before a record is read."""

from dataclasses import replace

import pytest

from discreet import SystemNoise
from discreet.core.errors import InvalidInput, SchemaError
from discreet.core.neighbours import REPLACE_ONE
from discreet.data import CategoricalColumn, Domain, NumericColumn, Records, Schema, Target
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.release import GaussianRelease
from discreet.queries import Rows
from discreet.releases import METHODS, SETTINGS, publish
from discreet.releases.methods import ALL_METHODS, Plan, Setting, Way
from discreet.releases.methods.base import DELTA, EPSILON
from discreet.releases.methods.columns import released_schema, schema_domain
from tests.releases.cases import BOX, PEOPLE, PRIVATE, SCHEMA, X, Y

BALL = Domain(features=3, norm_bound=1.0, target_bound=1.0)


def refused(folder, words, *, domain=BOX, calibration="tight", **asked):
    with pytest.raises(InvalidInput, match=words):
        publish(X, folder / "out", SystemNoise(), domain=domain, y=Y, calibration=calibration, **asked)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"method": "aditive", **PRIVATE}, "Did you mean 'additive'"),
        ({"method": "local", **PRIVATE}, "that their owners randomised"),
        ({"method": "additive"}, "needs epsilon, the privacy loss, delta"),
        ({"method": "additive", "epsilon": 1.0}, "needs delta"),
        ({"method": "additive", "rows": 7, **PRIVATE}, "has no setting rows"),
        ({"method": "additive", "bits": 0.5, **PRIVATE}, "has no setting epsilon"),
        ({"method": "additive", "bits": -1.0}, "bits must be positive"),
        ({"method": "additive", "bits": 0.5, "neighbours": "add-remove"}, "cannot be added or removed"),
        ({"method": "additive", "neighbours": "add-remove", **PRIVATE}, "one released row per record reveals their number"),
        ({"method": "additive", "neighbours": "add-remove", "target": "clear", "slots": 500, **PRIVATE}, "targets without noise"),
        ({"method": "additive", "neighbours": "both", **PRIVATE}, "'replace-one' or 'add-remove'"),
        ({"method": "additive", "target": "secret", **PRIVATE}, "'omitted', 'noisy' or 'clear'"),
        ({"method": "projection", **PRIVATE}, "needs width"),
        ({"method": "projection", "width": 2, "slots": 9, "calibration": "published", **PRIVATE}, "has no setting slots"),
        ({"method": "projection", "width": 2, "neighbours": "add-remove", "calibration": "published", **PRIVATE}, "for replace-one"),
        ({"method": "sketch", **PRIVATE}, "needs rows"),
        ({"method": "sketch", "rows": 9, "target": "clear", **PRIVATE}, "a target without noise"),
        ({"method": "sketch", "rows": 9, "bits": 0.5}, "needs epsilon"),
        ({"method": "sketch", "rows": 9, "bits": 0.0, "calibration": "published"}, "bits must be positive"),
        ({"method": "clear-target-sketch", "rows": 9, "bits": 0.5}, "say so with target='clear'"),
        ({"method": "information-sketch", "rows": 9, "bits": 0.5, "neighbours": "add-remove"}, "cannot be added or removed"),
        ({"method": "null-space", "variance": 1.0, "target": "clear"}, "no sound calibration"),
        ({"method": "null-space", "variance": 1.0, "calibration": "published"}, "needs the targets"),
        ({"method": "additive", "calibration": "published", **PRIVATE}, "no published calibration"),
        ({"method": "additive", "calibration": "loose", **PRIVATE}, "'tight' \\(ours\\) or 'published'"),
        ({"method": "bounded", "epsilon": 1.0}, "needs half_width"),
    ],
)
def test_a_request_that_a_method_cannot_meet_is_refused_in_words(tmp_path, asked, words):
    refused(tmp_path, words, **asked)


@pytest.mark.parametrize("method", ["additive", "information-sketch", "bounded"])
def test_statements_about_entries_need_entries_that_are_bounded_one_by_one(tmp_path, method):
    asked = {"additive": {"bits": 0.5}, "information-sketch": {"bits": 0.5, "rows": 9}, "bounded": {"half_width": 9.0, "epsilon": 1.0}}[method]
    refused(tmp_path, "entry bound of its own", domain=BALL, method=method, **asked)


def test_what_is_public_about_a_table_is_said_once(tmp_path):
    data = Records(rows=as_matrix(X), targets=Y, domain=BOX)
    for table, asked, words in (
        (X, {"y": Y}, "schema .* or domain"),
        (X, {"domain": BOX}, "its targets y"),
        (X, {"domain": BOX, "schema": SCHEMA, "y": Y}, "for a table with columns"),
        (data, {"domain": BOX}, "have their own domain"),
        (data, {"y": Y}, "y is for arrays"),
        (PEOPLE, {"schema": SCHEMA, "y": Y}, "y is for arrays"),
    ):
        with pytest.raises(InvalidInput, match=words):
            publish(table, tmp_path / "out", SystemNoise(), method="additive", **PRIVATE, **asked)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_says_what_leaves(name):
    assert METHODS[name].name == name
    assert METHODS[name].says


CATEGORIES = Schema(
    name="mixed",
    rows="bound",
    target=Target(column="answer", classes=("no", "yes")),
    numeric=(NumericColumn(name="age", lower=0, upper=100),),
    categorical=(CategoricalColumn(name="city", categories=("north", "south")),),
)
MIXED = {"age": [20, 70, 50], "city": ["north", "south", "south"], "answer": ["no", "yes", "no"]}


def test_categories_are_released_as_numbers_with_their_joint_bound(tmp_path):
    domain = schema_domain(released_schema(CATEGORIES))
    assert (domain.entry_bound, domain.norm_bound) == (1.0, CATEGORIES.norm_bound)
    made = publish(MIXED, tmp_path / "out", SystemNoise(), schema=CATEGORIES, method="additive", target="clear", **PRIVATE)
    assert [column.name for column in made.columns] == ["age", "city=north", "city=south", "answer"]
    assert made.targets().tolist() == [-1.0, 1.0, -1.0]
    assert made.verify().ok


def test_bits_about_a_category_are_not_stated(tmp_path):
    with pytest.raises(InvalidInput, match="numbers of a category move together"):
        publish(MIXED, tmp_path / "out", SystemNoise(), schema=CATEGORIES, method="additive", bits=0.5)


def test_a_target_of_many_classes_is_no_number(tmp_path):
    many = Schema(name="many", rows="bound", target=Target(column="answer", classes=("a", "b", "c")), numeric=CATEGORIES.numeric)
    with pytest.raises(InvalidInput, match="has 3 classes"):
        publish({"age": [1], "answer": ["a"]}, tmp_path / "out", SystemNoise(), schema=many, method="additive", **PRIVATE)
    made = publish({"age": [1]}, tmp_path / "out", SystemNoise(), schema=many, method="additive", target="omitted", **PRIVATE)
    assert made.shape == (1, 1)
    assert made.verify().ok


def test_normalised_rows_keep_their_schema(tmp_path):
    schema = Schema(name="n", target=CATEGORIES.target, numeric=CATEGORIES.numeric, categorical=CATEGORIES.categorical)
    made = publish(MIXED, tmp_path / "out", SystemNoise(), schema=schema, method="additive", **PRIVATE)
    assert made.schema == schema
    assert made.domain.norm_bound == 1.0
    assert made.columns[0].lower is None
    assert made.verify().ok


def test_columns_whose_names_could_disguise_others_are_refused():
    with pytest.raises(SchemaError, match="control character"):
        Schema(name="n", rows="bound", target=CATEGORIES.target, numeric=(NumericColumn(name="a\x1b[2J", lower=0, upper=1),))


def test_a_new_method_is_one_object_with_settings_of_its_own(tmp_path, monkeypatch):
    """Nothing else knows methods by name: it is planned, drawn, written, read back, checked and described like the others."""
    loudness = Setting(name="loudness", kind=float, says="loudness of the noise", help="How loud.", option="--loudness")

    def plan(request):
        query = request.records
        return Plan(query, GaussianRelease.of_deviation(query, deviation=request[loudness], epsilon=1.0, neighbours=REPLACE_ONE))

    made = replace(METHODS["additive"], name="loud", says="every record, with a noise", ways=(Way(plan, (loudness,)),), exposes="Whoever listens.")
    monkeypatch.setitem(SETTINGS, "loudness", loudness)
    for registry in (METHODS, ALL_METHODS):
        monkeypatch.setitem(registry, "loud", made)
    (other := tmp_path / "other").mkdir()
    release = publish(X, tmp_path / "out", SystemNoise(), domain=BOX, y=Y, method="loud", loudness=20.0)
    assert release.verify().ok
    assert release.noise_variance == pytest.approx(400.0)
    assert "Whoever listens." in release.document["discreet:doesNotProtect"]
    assert "every record, with a noise (loud)" in release.inspection()[0][1][0]
    refused(other, "has no setting epsilon", method="loud", loudness=20.0, epsilon=1.0)
    refused(other, "no method takes 'loudnes'. Did you mean 'loudness'", method="loud", loudnes=20.0)


@pytest.mark.parametrize("asked", ["noisy", "clear"])
def test_a_method_that_answers_with_another_target_than_was_asked_for_is_refused_before_anything_is_spent(tmp_path, monkeypatch, asked):
    """Its numbers would not be those of the columns that the manifest states, or be called protected where they are not."""

    def plan(request):
        query = Rows(domain=request.domain, target="omitted" if request.target == "noisy" else "noisy")
        return Plan(query, GaussianRelease.calibrate(query, **request.private))

    monkeypatch.setitem(METHODS, "other", replace(METHODS["additive"], name="other", ways=(Way(plan, (EPSILON, DELTA)),)))
    ledger = Ledger.create(tmp_path / "team.ledger")
    ledger.declare("people", epsilon=1.5, delta=1e-5, neighbours=REPLACE_ONE)
    account = Account(str(tmp_path / "team.ledger"), "people")
    (folder := tmp_path / "folder").mkdir()
    words = {"noisy": "asked for as 'noisy', .* 'omitted'; say target='omitted'", "clear": "asked for as 'clear', .* 'noisy'; say target='noisy'"}
    refused(folder, words[asked], method="other", target=asked, account=account, **PRIVATE)
    assert list(ledger.history("people")) == []
