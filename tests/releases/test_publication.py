"""Releases in folders: written by every method, read back to the last bit, and equal to what the mechanism itself releases."""

import json
import math
import re
from dataclasses import FrozenInstanceError, replace

import numpy as np
import polars as pl
import pytest

from discreet import ADD_REMOVE, REPLACE_ONE, SeededNoise, SystemNoise
from discreet.accounting import NoGuarantee
from discreet.core.errors import InvalidInput
from discreet.data import Domain, Records
from discreet.ledger import Account, BudgetExceeded, Ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.release import FreshProjection, GaussianRelease, GaussianSketch
from discreet.queries import Rows, SecondMoments, Target
from discreet.releases import METHODS, Kind, publish, read_release
from tests.releases.cases import BOX, COUNT, HOLDS, PEOPLE, PRIVATE, PUBLISHED, SCHEMA, SMALL, SOUND, X, Y


def released(folder, *, noise=None, calibration="tight", **asked):
    y = None if asked.get("target") == "omitted" else Y
    return publish(X, folder, noise or SystemNoise(), domain=BOX, y=y, calibration=calibration, **asked)


@pytest.mark.parametrize("case", SOUND)
def test_a_release_of_every_method_verifies_and_reads_back(case, tmp_path):
    made = released(tmp_path / "out", **SOUND[case])
    verification = made.verify()
    assert verification.ok, [check for check in verification.checks if not check.ok]
    again = read_release(tmp_path / "out")
    assert again == made
    assert again.values().shape == again.shape == (again.shape[0], len(again.columns))
    assert np.array_equal(np.concatenate(list(again.blocks())), again.values())
    assert again.frame().columns == [column.name for column in again.columns]
    assert np.all(np.isfinite(again.values()))


@pytest.mark.parametrize("case", PUBLISHED)
def test_a_published_release_without_a_guarantee_says_so_and_never_verifies(case, tmp_path):
    made = released(tmp_path / "out", calibration="published", **PUBLISHED[case])
    assert isinstance(made.guarantee, NoGuarantee)
    assert made.document["discreet:protects"][0].startswith("Nothing: ")
    assert [check.name for check in made.verify().checks if not check.ok] == ["guarantee"]


@pytest.mark.parametrize("case", HOLDS)
def test_a_published_release_keeps_the_guarantee_that_holds(case, tmp_path):
    made = released(tmp_path / "out", calibration="published", **HOLDS[case])
    assert made.guarantee.delta(0.9) <= 1e-6
    assert made.verify().ok


@pytest.mark.parametrize("rows", ["bound", "normalise"])
def test_numbers_are_released_as_they_are_whatever_their_encoding(rows, tmp_path):
    curved = replace(SCHEMA, rows=rows, numeric=tuple(replace(one, encoding="curve") for one in SCHEMA.numeric))
    asked = {"schema": curved, "method": "additive", "epsilon": 1.0, "delta": 1e-6, "target": "omitted"}
    made = publish(PEOPLE, tmp_path / "out", SystemNoise(), **asked)
    assert made.verify().ok
    assert [column.name for column in made.columns] == list(replace(SCHEMA, rows=rows).feature_names)
    indicated = replace(SCHEMA, numeric=tuple(replace(one, missing="indicator") for one in SCHEMA.numeric))
    with pytest.raises(InvalidInput, match=f"a release needs numbers and categories.*instead of indicator for '{indicated.numeric[0].name}'"):
        publish(PEOPLE, tmp_path / "other", SystemNoise(), **{**asked, "schema": indicated})


def test_every_method_is_tried_here():
    tried = {asked["method"] for asked in (*SOUND.values(), *PUBLISHED.values(), *HOLDS.values())}
    assert tried == set(METHODS)


def test_the_folder_holds_what_the_mechanism_releases(tmp_path):
    query = Rows(domain=BOX, target="noisy")
    mechanism = GaussianRelease.calibrate(query, **PRIVATE, neighbours=REPLACE_ONE)
    data = Records(rows=as_matrix(X), targets=Y, domain=BOX)
    direct = mechanism.run(query, data, SeededNoise(5))
    made = released(tmp_path / "out", noise=SeededNoise(5), method="additive", **PRIVATE)
    assert np.array_equal(made.values(), direct.value)
    assert made.certificate == direct.certificate
    assert [check.name for check in made.verify().checks if not check.ok] == ["noise source"]
    assert "Nothing: the noise came from a seed" in made.document["discreet:protects"][0]


def test_a_fresh_projection_is_kept_apart_from_the_rows(tmp_path):
    query = Rows(domain=BOX, target="clear")
    mechanism = FreshProjection.calibrate(query, width=2, **PRIVATE, neighbours=REPLACE_ONE)
    direct = mechanism.run(query, Records(rows=as_matrix(X), targets=Y, domain=BOX), SeededNoise(5))
    made = released(tmp_path / "out", noise=SeededNoise(5), method="fresh-projection", width=2, target="clear", **PRIVATE)
    assert np.array_equal(made.projection, direct.value[:3, :2])
    assert np.array_equal(made.values(), direct.value[3:])
    assert np.array_equal(made.targets(), Y)
    assert made.records == COUNT


def test_a_public_projection_comes_with_the_folder(tmp_path):
    made = released(tmp_path / "out", method="projection", width=2, projection_seed=7, **PRIVATE)
    assert made.projection.shape == (3, 2)  # of the features: the target has a column of its own
    assert np.array_equal(made.projection, made.query.matrix)
    assert (made.target, made.target_column) == (Target.NOISY, 2)
    mixed = released(tmp_path / "mixed", method="fresh-projection", width=2, **PRIVATE)
    assert (mixed.projection.shape, mixed.target_column, mixed.targets()) == ((4, 2), None, None)
    assert made.kind is Kind.PROJECTED_ROWS
    assert released(tmp_path / "rows", method="additive", **PRIVATE).projection is None


def test_rows_have_their_columns_and_public_facts(tmp_path):
    made = released(tmp_path / "out", method="additive", target="clear", **PRIVATE)
    assert [(column.name, column.role, column.noisy) for column in made.columns] == [
        ("x0", "feature", True),
        ("x1", "feature", True),
        ("x2", "feature", True),
        ("y", "target", False),
    ]
    assert (made.feature_columns, made.target_column, made.records, made.slots, made.sketch_rows) == ((0, 1, 2), 3, COUNT, None, None)
    assert np.array_equal(made.targets(), Y)
    assert made.features().shape == (COUNT, 3)
    assert np.array_equal(made.noise_covariance, np.diag([made.noise_variance] * 3 + [0.0]))
    assert (made.method, made.mechanism, made.calibration) == ("additive", "release-gaussian-rows", "tight")
    assert made.domain == BOX
    with pytest.raises(FrozenInstanceError):
        made.query = None


def test_under_add_remove_nothing_tells_the_number_of_records(tmp_path):
    made = released(tmp_path / "out", method="additive", neighbours="add-remove", slots=450, **PRIVATE)
    assert (made.shape, made.records, made.slots) == ((450, 4), None, 450)
    said = re.sub(r"[0-9a-f]{64}", "", (tmp_path / "out" / "manifest.json").read_text())  # digests may hold any digits
    assert str(COUNT) not in said
    sketch = released(tmp_path / "sketch", method="sketch", neighbours=ADD_REMOVE, **SMALL, **PRIVATE)
    assert (sketch.shape, sketch.records, sketch.sketch_rows) == ((50, 4), None, 50)


@pytest.mark.parametrize(
    "case", [case for case, asked in SOUND.items() if asked["method"] in {"additive", "fisher", "bounded"} and "slots" not in asked]
)
def test_the_stated_covariance_is_that_of_the_noise(case, tmp_path):
    """Standardised noise on 400 rows of 3 numbers: chi-square with 1200 degrees, beyond 7 deviations with probability below 1e-10."""
    asked = SOUND[case]
    made = released(tmp_path / "out", noise=SeededNoise(3), **asked)
    noise = made.features() - X
    inverse = np.linalg.inv(made.noise_covariance[:3, :3])
    squares = np.einsum("ij,jk,ik->i", noise, inverse, noise)
    assert abs(squares.sum() - 3 * COUNT) < 7 * math.sqrt(6 * COUNT)


@pytest.mark.parametrize("case", [case for case, asked in SOUND.items() if METHODS[asked["method"]].kind is Kind.SKETCH])
def test_second_moments_less_the_stated_covariance_are_unbiased(case, tmp_path):
    """Each entry of W / k has a variance of at most 2 G_ii G_jj / k: seven deviations, 16 entries, fixed seed."""
    made = released(tmp_path / "out", noise=SeededNoise(3), **{**SOUND[case], "rows": 4000})
    assert made.noise_covariance[3, 3] == (0.0 if made.target is Target.CLEAR else made.noise_variance)
    records = np.column_stack((X, Y))
    values = made.values()
    expected = records.T @ records + made.noise_covariance
    deviation = np.sqrt(2.0 * np.outer(np.diag(expected), np.diag(expected)) / 4000)
    assert np.all(np.abs(values.T @ values / 4000 - expected) < 7 * deviation)


def test_noise_that_was_computed_from_the_records_has_no_public_size(tmp_path):
    made = released(tmp_path / "out", calibration="published", **PUBLISHED["sketch as published"])
    assert made.noise_variance is None
    with pytest.raises(InvalidInput, match="depends on the records"):
        _ = made.noise_covariance


def test_a_table_with_a_schema_comes_back_in_its_own_units(tmp_path):
    made = publish(PEOPLE, tmp_path / "out", SystemNoise(), schema=SCHEMA, method="additive", **PRIVATE)
    assert made.frame().columns == ["age", "hours", "income"]
    assert made.schema.numeric[0].scale == "symmetric"
    assert made.verify().ok
    age, _, income = made.columns
    assert (age.lower, age.upper, age.encoded_lower, age.encoded_upper) == (0, 100, -1, 1)
    assert (income.role, income.lower, income.upper) == ("target", 0, 100)
    values, frame = made.values(), made.frame()
    assert np.allclose(frame["age"].to_numpy(), 50 * (values[:, 0] + 1))
    within = made.frame(within_bounds=True)
    assert frame["age"].min() < 0 == within["age"].min()
    assert frame["income"].max() > 100 == within["income"].max()
    assert np.array_equal(within["hours"].to_numpy(), np.clip(frame["hours"].to_numpy(), 0, 80))
    whole = made.frame(within_bounds=True, decimals={"age": 0, "income": -1})
    assert np.array_equal(whole["age"].to_numpy(), np.clip(np.round(frame["age"].to_numpy()), 0, 100))
    assert np.array_equal(whole["income"].to_numpy(), np.clip(np.round(frame["income"].to_numpy(), -1), 0, 100))
    assert whole["hours"].equals(within["hours"])
    for wrong, words in (({"agee": 0}, "'age', 'hours'"), ({"age": 0.5}, "whole numbers"), ({"age": 99}, "whole numbers")):
        with pytest.raises(InvalidInput, match=words):
            made.frame(decimals=wrong)
    encoded = made.schema.encode(PEOPLE, target=True)
    spread = math.sqrt(made.noise_variance / COUNT)
    assert np.all(np.abs(values[:, 2].mean() - encoded.numbers.mean()) < 7 * spread)


def test_a_release_spends_from_the_ledger_and_stops_where_it_says(tmp_path):
    ledger = Ledger.create(tmp_path / "team.ledger")
    ledger.declare("people", epsilon=1.5, delta=1e-5, neighbours=REPLACE_ONE)
    account = Account(str(tmp_path / "team.ledger"), "people")
    made = released(tmp_path / "out", method="additive", account=account, **PRIVATE)
    (entry,) = ledger.history("people")
    assert entry.id == made.certificate.ledger_entry
    with pytest.raises(BudgetExceeded):
        released(tmp_path / "more", method="additive", account=account, **PRIVATE)
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("team")) == ["out"]


def test_a_folder_of_something_else_is_never_replaced(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("ten years")
    for overwrite in (False, True):
        with pytest.raises(InvalidInput, match="contains something else, which is never deleted" if overwrite else "not empty"):
            released(tmp_path / "out", method="additive", overwrite=overwrite, **PRIVATE)
    assert (tmp_path / "out" / "thesis.tex").read_text() == "ten years"


def test_a_release_is_replaced_only_when_asked(tmp_path):
    first = released(tmp_path / "out", method="additive", **PRIVATE)
    with pytest.raises(InvalidInput, match="not empty"):
        released(tmp_path / "out", method="additive", **PRIVATE)
    assert read_release(tmp_path / "out") == first
    second = released(tmp_path / "out", method="sketch", overwrite=True, **SMALL, **PRIVATE)
    assert read_release(tmp_path / "out") == second != first
    assert second.verify().ok
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_other_programs_read_the_numbers_and_find_croissant_words(tmp_path):
    made = released(tmp_path / "out", method="additive", **PRIVATE)
    assert np.array_equal(pl.read_parquet(tmp_path / "out" / "data" / "*.parquet").to_numpy(), made.values())
    document = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert document["@type"] == "sc:Dataset"
    assert document["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    (file,) = document["distribution"]
    assert (file["@type"], file["contentUrl"], file["encodingFormat"]) == (
        "cr:FileObject",
        "data/part-00000.parquet",
        "application/vnd.apache.parquet",
    )
    assert [field["dataType"] for field in document["recordSet"][0]["field"]] == ["sc:Float"] * 4
    assert document["recordSet"][0]["field"][0]["source"] == {"fileObject": {"@id": "data/part-00000.parquet"}, "extract": {"column": "x0"}}


def test_a_release_of_a_real_dataset_keeps_its_domain(tmp_path):
    domain = Domain(features=3, norm_bound=1.0, target_bound=1.0)
    data = Records(rows=as_matrix(X), targets=Y, domain=domain)
    made = publish(data, tmp_path / "out", SystemNoise(), method="sketch", rows=30, most_records=1000, **PRIVATE)
    assert made.domain == domain
    assert isinstance(made.query, SecondMoments)
    mechanism = GaussianSketch.calibrate(made.query, rows=30, neighbours=REPLACE_ONE, **PRIVATE)
    assert made.noise_variance == pytest.approx(mechanism.noise_variance(made.query))
