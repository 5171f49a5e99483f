"""`discreet fit --prior`: the model that the ridge pulls towards, and what is refused before a table is read."""

import numpy as np
import pytest

from discreet.estimators.files.model import Model
from discreet.estimators.files.to_sklearn import columns_of, prior_in
from tests.cli.conftest import discreet

FIT = ("fit", "people.csv", "--schema", "people.toml", "--epsilon", "1", "--delta", "1e-6", "--alpha", "10", "--seed", "1", "--overwrite")


def test_a_strong_ridge_stays_near_the_prior_and_the_certificate_names_it(model):
    public = Model.load("model.json")
    assert discreet(*FIT, "--model", public.kind, "--prior", "model.json", "--out", "near.json").code == 0
    assert discreet(*FIT, "--model", public.kind, "--out", "zero.json").code == 0
    near, zero = Model.load("near.json"), Model.load("zero.json")
    assert abs(near.weights - public.weights).max() < 0.1 * abs(public.weights).max()
    assert abs(zero.weights).max() < 0.1 * abs(public.weights).max()
    assert near.certificate.parameters["rate"] == zero.certificate.parameters["rate"]  # of the noise in the objective
    assert near.certificate.problem["prior"]
    assert any("prior" in line for line in near.certificate.declared)
    assert discreet(*FIT, "--model", public.kind, "--prior", "near.json", "--out", "near.json").code != 0


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (("--model", "lasso-classifier"), "a lasso-classifier does not support a prior; leave --prior out, or choose one of"),
        (("--model", "kernel-classifier"), "prior"),
        (("--cuts", "private"), "--prior needs public cuts, because it is stated in"),
        (("--prior", "nowhere.json"), "nowhere.json"),
    ],
)
def test_what_no_prior_goes_with_is_refused_before_the_table_is_read(model, option, words):
    (model / "people.csv").unlink()
    outcome = discreet(*FIT[:8], "--prior", "model.json", "--out", "new.json", *option)
    assert outcome.code != 0
    assert words in outcome.error


def test_a_prior_of_another_schema_is_refused(model):
    changed = (model / "people.toml").read_text().replace("upper = ", "upper = 1")
    (model / "other.toml").write_text(changed)
    outcome = discreet("fit", "people.csv", "--schema", "other.toml", "--epsilon", "1", "--prior", "model.json", "--out", "new.json")
    assert "Fit it on public records with this schema" in outcome.error


def test_weights_that_are_no_coefficients_are_refused(model):
    kernel = ("--model", "kernel-classifier", "--n-features", "4", "--out", "kernel.json")
    assert discreet(*FIT[:8], *kernel).code == 0
    outcome = discreet(*FIT[:8], "--prior", "kernel.json", "--out", "new.json")
    assert "give a linear model of the same target" in outcome.error


def test_a_metric_of_public_rows_is_in_the_model_and_a_prior_is_moved_into_it(model):
    public = Model.load("model.json")
    (model / "volunteers.csv").write_text((model / "people.csv").read_text())
    metric = ("--model", public.kind, "--metric", "volunteers.csv", "--metric-power", "-0.5", "--out", "metric.json")
    outcome = discreet(*FIT, *metric, "--prior", "model.json")
    assert outcome.code == 0, outcome.error
    found = Model.load("metric.json")
    assert found.schema.metric is not None
    assert any(found.schema.metric.digest in line for line in found.certificate.declared)
    np.testing.assert_allclose(columns_of(found)[0], columns_of(public)[0], atol=0.2 * abs(public.weights).max())
    assert discreet("predict", "metric.json", "people.csv", "--out", "answers.csv").code == 0
    for more, words in ((("--cuts", "private"), "--metric needs public cuts"), (("--metric-power", "9"), "power of a metric must lie between")):
        assert words in discreet(*FIT, *metric, *more).error


def test_a_prior_of_counts_is_taken_in_its_own_units_and_again_for_intervals(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(2)
    ages = draw.uniform(0.0, 10.0, 900)
    lines = (f"{one:.4f},{count}" for one, count in zip(ages, draw.poisson(np.exp(0.2 * ages)), strict=True))
    (tmp_path / "visits.csv").write_text("age,visits\n" + "\n".join(lines) + "\n")
    head, age = 'format = "discreet-schema/1"\nname = "visits"\n\n', "[numeric.age]\nlower = 0\nupper = 10\n\n"
    (tmp_path / "visits.toml").write_text(head + age + '[target]\ncolumn = "visits"\nlower = 0\nupper = 20\n')
    fit = ("fit", "visits.csv", "--schema", "visits.toml", "--seed", "1", "--model", "poisson-regression")
    outcome = discreet(*fit, "--epsilon", "inf", "--typical", "0.3", "--out", "public.json")
    assert outcome.code == 0, outcome.error
    outcome = discreet(
        *fit, "--epsilon", "1", "--alpha", "1000", "--prior", "public.json", "--out", "near.json", "--intervals", "near-intervals.json"
    )
    assert outcome.code == 0, outcome.error
    public, near = (Model.load(name) for name in ("public.json", "near.json"))
    for found, wanted in zip(prior_in(near, near.schema), prior_in(public, near.schema), strict=True):
        np.testing.assert_allclose(found, wanted, atol=0.05)
    asked = ("intervals", "near.json", "visits.csv", "--epsilon", "1", "--seed", "1", "--overwrite", "--out", "intervals.json")
    assert discreet(*asked, "--prior", "public.json").code == 0
    assert "another digest" in discreet(*asked, "--prior", "near.json").error
    outcome = discreet("fit", "visits.csv", "--schema", "visits.toml", "--epsilon", "1", "--prior", "public.json", "--out", "line.json")
    assert "whose weights do not fit a linear-regression" in outcome.error
