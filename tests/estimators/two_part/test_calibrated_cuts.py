"""Private cuts before a calibrated fit: three parts under one guarantee, every one of which is looked at by its recheck."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from discreet import LinearRegression, LinearSVC, LogisticRegression, Model
from discreet.accounting import Unit
from discreet.core.errors import InvalidInput, InvalidType
from discreet.core.neighbours import PARTS, REPLACE_ONE
from discreet.data import Block, FunctionTable, Target, schema_files
from discreet.estimators import fit_with_calibration, fit_with_cuts, release_uncertainty
from discreet.estimators.intervals.released_noise import noise_law
from discreet.estimators.two_part.fit_with_calibration import _counted
from discreet.estimators.two_part.two_part_fit import FitWithQuery
from discreet.ledger import Account, Ledger
from discreet.matrices import as_matrix
from discreet.mechanisms.cuts import CutsPlan
from discreet.mechanisms.scores import ScoresPlan
from tests.estimators.two_part.test_fit_with_cuts import KEPT, SCHEMA, people, visits


def within(certificate, *path, **changed):
    """The certificate with other parameters at this place."""

    def at(parameters, left):
        if not left:
            return {**parameters, **changed}
        record = parameters[left[0]]
        return {**parameters, left[0]: {**record, "parameters": at(record["parameters"], left[1:])}}

    return replace(certificate, parameters=at(dict(certificate.parameters), path))


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("delta", [0.0, 1e-7])
def test_all_three_promise_what_was_asked_for_and_lies_about_any_are_refused(neighbours, delta):
    kind = LinearSVC if neighbours == "add-remove" else LogisticRegression
    estimator = kind(epsilon=3.0, delta=delta, neighbours=neighbours, mechanism="output")  # whose recheck is the cheapest: it is done seven times
    fitted = fit_with_cuts(estimator, people(), SCHEMA, calibrate=True)
    certificate = fitted.model.certificate_
    assert certificate.mechanism == "cuts-then-fit"
    assert certificate.parameters["fit"]["mechanism"] == "scores-with-fit"
    assert (certificate.guarantee.to_dict()["epsilon"], certificate.guarantee.delta(3.0)) == (3.0, delta)
    assert certificate.verify(fitted.model.weights_).ok, certificate.verify(fitted.model.weights_)
    assert fitted.shrinkage.slope > 0.9  # the score is worth what it says
    counts, own = certificate.parameters["fit"]["parameters"]["scores"]["parameters"], certificate.parameters["fit"]["parameters"]
    noise = own["fit"]["parameters"]
    name = "scale" if "scale" in noise else "rate"
    lies = [
        within(certificate, "fit", slope=1.5),
        within(certificate, "fit", epsilon=0.9 * own["epsilon"]),
        within(certificate, "fit", "scores", scales=[0.5 * scale for scale in counts["scales"]]),
        within(certificate, "fit", "fit", **{name: noise[name] * (0.9 if name == "scale" else 1.1)}),
        within(certificate, "cuts", scales=[0.9 * scale for scale in certificate.parameters["cuts"]["parameters"]["scales"]]),
        replace(certificate, guarantee=replace(certificate.guarantee, epsilon=2.9)),
    ]
    assert not any(lie.verify(fitted.model.weights_).ok for lie in lies)


def test_the_model_is_one_like_any_other_and_its_noise_is_shrunk(tmp_path):
    ledger = Ledger.create(tmp_path / "a.ledger")
    ledger.declare("people", epsilon=3.0, delta=1e-6)
    estimator = LinearSVC(epsilon=3.0, delta=1e-7, ledger=Account(str(tmp_path / "a.ledger"), "people"))
    fitted = fit_with_cuts(estimator, people(), SCHEMA, calibrate=True)
    (entry,) = ledger.history("people")
    assert entry.purpose == "cuts-then-fit"
    certificate = fitted.model.certificate_
    plain = within(certificate, "fit", slope=1.0)
    assert noise_law(certificate).last_stage == pytest.approx(fitted.shrinkage.slope**2 * noise_law(plain).last_stage)
    model = Model.from_estimator(fitted.model, fitted.schema)
    assert model.verify().ok
    model.save(tmp_path / "m.json")
    test = people(500, seed=1)
    np.testing.assert_array_equal(Model.load(tmp_path / "m.json").decision(test), model.decision(test))
    rows = fitted.schema.encode(test, target=True)
    with pytest.raises(InvalidInput, match="were shrunk afterwards"):
        release_uncertainty(fitted.model, rows, epsilon=1.0, delta=1e-7)


@pytest.mark.parametrize(
    ("mechanism", "neighbours"),
    [("output", "replace-one"), *(pytest.param("objective", one, marks=pytest.mark.more) for one in ("add-remove", "replace-one"))],
)  # of the others a recheck takes many seconds
def test_persons_are_those_of_all_three(monkeypatch, mechanism, neighbours):
    monkeypatch.setattr(CutsPlan, "pays", lambda self, records: True)
    estimator = LinearSVC(epsilon=8.0, delta=1e-7, neighbours=neighbours, mechanism=mechanism)
    fitted = fit_with_cuts(estimator, visits(), replace(SCHEMA, person=KEPT["several"]), calibrate=True)
    certificate = fitted.model.certificate_
    assert certificate.verify(fitted.model.weights_).ok, certificate.verify(fitted.model.weights_)
    assert certificate.guarantee.unit is Unit.PERSON


def test_where_cuts_do_not_pay_the_fit_is_calibrated_with_the_whole_budget():
    fitted = fit_with_cuts(LinearSVC(epsilon=0.5, delta=1e-7), people(100), SCHEMA, calibrate=True)
    assert fitted.cuts is None
    assert fitted.model.certificate_.mechanism == "scores-with-fit"
    assert fitted.model.certificate_.guarantee.epsilon == 0.5
    assert fitted.shrinkage is not None


def test_what_cannot_be_calibrated_is_refused_before_anything_is_spent(tmp_path, monkeypatch):
    monkeypatch.setattr("discreet.mechanisms.cuts.release.CutsPlan.release", lambda *_, **__: pytest.fail("noise was drawn"))
    with pytest.raises(InvalidType, match="need a LogisticRegression or a LinearSVC"):
        fit_with_cuts(LinearRegression(epsilon=3.0), people(), SCHEMA, calibrate=True)
    weighted = LinearSVC(epsilon=3.0, max_sample_weight=2.0)
    with pytest.raises(InvalidInput, match="Leave max_sample_weight out"):
        fit_with_cuts(weighted, lambda schema: schema_files(in_two_files(people(300), tmp_path), schema), SCHEMA, calibrate=True)


def in_two_files(table, folder):
    files = [folder / "a.parquet", folder / "b.parquet"]
    table[:123].write_parquet(files[0])
    table[123:].write_parquet(files[1])
    return files


THREE = replace(SCHEMA, target=Target(column="rich", classes=("no", "yes", "who knows")))


@pytest.mark.more
def test_three_classes_that_private_cuts_were_chosen_for_are_calibrated():
    table = people().with_columns(rich=pl.when(pl.col("rich") == "no").then(pl.lit("who knows")).otherwise(pl.col("rich")))
    for estimator in (LogisticRegression(epsilon=3.0, delta=1e-7), LinearSVC(epsilon=3.0, delta=1e-7, neighbours="replace-one")):
        fitted = fit_with_cuts(estimator, table, THREE, calibrate=True)
        certificate = fitted.model.certificate_
        assert certificate.parameters["fit"]["mechanism"] == "scores-with-fit"
        assert certificate.verify(fitted.model.weights_).ok, certificate.verify(fitted.model.weights_)
        assert len(fitted.shrinkage.shift) == 3


@pytest.mark.parametrize("schema", [pytest.param(SCHEMA, id="two"), pytest.param(THREE, id="three", marks=pytest.mark.more)])
@pytest.mark.parametrize("kept", [None, *KEPT])
def test_blocks_are_calibrated_as_the_whole_table_is(tmp_path, kept, schema):
    table, schema = (people(3000), schema) if kept is None else (visits(), replace(schema, person=KEPT[kept]))
    files = in_two_files(table, tmp_path)
    estimator = LinearSVC(epsilon=2.0, delta=1e-7, classes=list(schema.target.classes), data_norm=schema.norm_bound, random_state=3)
    whole = fit_with_calibration(estimator, schema.encode(table, target=True))
    blocks = fit_with_calibration(estimator, schema_files(files, schema))
    assert all(check.ok for check in blocks.model.certificate_.verify(blocks.model.weights_).checks if check.name != "noise source")
    assert whole.model.certificate_.guarantee == blocks.model.certificate_.guarantee
    assert whole.model.certificate_.problem == blocks.model.certificate_.problem
    assert blocks.shrinkage.slope == pytest.approx(whole.shrinkage.slope, abs=1e-9)  # of the same counts with the same noise
    np.testing.assert_allclose(blocks.shrinkage.shift, whole.shrinkage.shift, atol=1e-9)
    assert 0.0 < blocks.shrinkage.slope <= 1.0
    np.testing.assert_allclose(whole.model.weights_, blocks.model.weights_, atol=1e-6)


def check_counts_by_score(classes):
    """Whatever the weights are, the rows of a person count at most one record, among the classes and among the bins."""
    rows, labels, owners = np.linspace(-0.5, 0.5, 36).reshape(12, 3), np.arange(12) % classes, np.arange(12) // 3

    def made(number):
        some = slice(6 * number, 6 * number + 6)
        return Block(as_matrix(rows[some]), labels[some], persons=owners[some])

    table = FunctionTable(made, blocks=2, features=3)
    known = list(range(classes))
    model = LinearSVC(epsilon=1.0, delta=1e-6, classes=known, rows_per_person=3, random_state=0).fit(table)
    beside = FitWithQuery.of(model, table, None, None, None, classes=known)
    plan = ScoresPlan.calibrate(epsilon=1.0, delta=1e-6, neighbours=REPLACE_ONE, persons=beside.rule, classes=classes)
    counts = _counted(model, beside, plan)
    assert 3 * PARTS < counts[:classes].sum() == counts[classes:].sum() <= 4 * PARTS  # of four persons


def test_a_ledger_knows_a_table_in_blocks_under_another_name(tmp_path):
    files = in_two_files(people(300), tmp_path)
    ledger = Ledger.create(tmp_path / "a.ledger")
    for name in ("people", "others"):
        ledger.declare(name, epsilon=9.0, delta=1e-5)
    estimator = LinearSVC(epsilon=2.0, delta=1e-7, classes=["no", "yes"], data_norm=SCHEMA.norm_bound)
    alone = {"ledger": Account(str(tmp_path / "a.ledger"), "people")}
    clone(estimator).set_params(**alone).fit(schema_files(files, SCHEMA))
    fit_with_calibration(clone(estimator).set_params(**alone), schema_files(files, SCHEMA))
    assert len(ledger.history("people")) == 2
    with pytest.raises(InvalidInput, match="people"):
        fit_with_calibration(clone(estimator).set_params(ledger=Account(str(tmp_path / "a.ledger"), "others")), schema_files(files, SCHEMA))
    assert not ledger.history("others")


@pytest.mark.more
def test_three_parts_are_read_in_blocks(tmp_path):
    files = in_two_files(people(), tmp_path)
    fitted = fit_with_cuts(LinearSVC(epsilon=3.0, delta=1e-7), lambda schema: schema_files(files, schema), SCHEMA, calibrate=True)
    assert fitted.model.certificate_.mechanism == "cuts-then-fit"
    assert fitted.model.certificate_.parameters["fit"]["mechanism"] == "scores-with-fit"
